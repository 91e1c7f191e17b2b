//! Tasks, notes and reports through the public interface.

#[cfg(test)]
mod notes_audit;
#[cfg(test)]
mod task;
#[cfg(test)]
#[path = "../../../core/tests/it/world.rs"]
#[expect(
    dead_code,
    reason = "the scratch world is shared with the tests of the core, and not all of it is used here"
)]
mod world;
