//! Every tool set, arguments in and answers out.

#[cfg(test)]
mod everyday;
#[cfg(test)]
mod files;
#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod layers;
#[cfg(test)]
mod prompts;
#[cfg(test)]
mod resources;
#[cfg(test)]
mod simple;
#[cfg(test)]
mod verified;
#[cfg(test)]
#[path = "../../../core/tests/it/world.rs"]
#[expect(
    dead_code,
    reason = "the scratch world is shared with the tests of the core, and not all of it is used here"
)]
mod world;
