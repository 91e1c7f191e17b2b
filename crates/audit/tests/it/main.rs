//! The audit: a store in, what needs attention out.

#[cfg(test)]
#[path = "../../../core/tests/it/agent_writes.rs"]
mod agent_writes;
#[cfg(test)]
mod audit;
#[cfg(test)]
mod review;
#[cfg(test)]
#[path = "../../../core/tests/it/world.rs"]
#[expect(
    dead_code,
    reason = "the scratch world is shared with the tests of the core, and not all of it is used here"
)]
mod world;
