//! Every call of the API, as text in and text out.

#[cfg(test)]
mod api;
#[cfg(test)]
#[path = "../../../core/tests/it/world.rs"]
#[expect(
    dead_code,
    reason = "the scratch world is shared with the tests of the core, and not all of it is used here"
)]
mod world;
