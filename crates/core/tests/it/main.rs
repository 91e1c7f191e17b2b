//! What the core promises, through its public interface: verified memory, the notebook, the two paths, the format.

#[cfg(test)]
mod branches;
#[cfg(test)]
mod breaker;
#[cfg(test)]
mod contradictions;
#[cfg(test)]
mod golden;
#[cfg(test)]
mod grounded;
#[cfg(test)]
mod guardian;
#[cfg(test)]
mod identity;
#[cfg(test)]
mod meaning;
#[cfg(test)]
mod named_things;
#[cfg(test)]
mod notebook;
#[cfg(test)]
mod notes;
#[cfg(test)]
mod origin;
#[cfg(test)]
mod past_proof;
#[cfg(test)]
mod person_word;
#[cfg(test)]
mod probe;
#[cfg(test)]
mod promote;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod recall;
#[cfg(test)]
mod recall_filter;
#[cfg(test)]
mod remember;
#[cfg(test)]
mod repair;
#[cfg(test)]
mod scripted_model;
#[cfg(test)]
mod session_proof;
#[cfg(test)]
mod sorting;
#[cfg(test)]
mod verified_memory;
#[cfg(test)]
mod world;
