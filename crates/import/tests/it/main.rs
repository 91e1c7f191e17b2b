//! Foreign memory files through the public interface.

#[cfg(test)]
mod import;
#[cfg(test)]
#[path = "../../../core/tests/it/world.rs"]
#[expect(
    dead_code,
    reason = "the scratch world is shared with the tests of the core, and not all of it is used here"
)]
mod world;
