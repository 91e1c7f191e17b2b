//! What the core promises, through its public interface: the seeds' behaviours, the two paths, the format.

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
mod notes;
#[cfg(test)]
mod origin;
#[cfg(test)]
mod probe;
#[cfg(test)]
mod promote;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod recall;
#[cfg(test)]
mod remember;
#[cfg(test)]
mod seed_000;
#[cfg(test)]
mod seed_002;
#[cfg(test)]
mod world;
