//! What an agent is shown and what a session leaves behind, through the public interface.

#[cfg(test)]
#[path = "../../../core/tests/it/agent_writes.rs"]
mod agent_writes;
#[cfg(test)]
mod archive;
#[cfg(test)]
mod asked;
#[cfg(test)]
mod briefing;
#[cfg(test)]
mod episode;
#[cfg(test)]
mod extract;
#[cfg(test)]
mod gleaning;
#[cfg(test)]
mod learn;
#[cfg(test)]
mod plugins;
#[cfg(test)]
#[path = "../../../core/tests/it/scripted_model.rs"]
mod scripted_model;
#[cfg(test)]
#[path = "../../../core/tests/it/world.rs"]
#[expect(
    dead_code,
    reason = "the scratch world is shared with the tests of the core, and not all of it is used here"
)]
mod world;
#[cfg(test)]
mod worse;
