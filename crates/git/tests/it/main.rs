//! Citations followed through real repositories: edits, moves, renames, merges, clones that lack objects.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod branches;
mod follow;
#[path = "../../../stores/tests/it/rig.rs"]
#[expect(
    dead_code,
    reason = "the rig is shared with the tests of the stores, and not all of it is used here"
)]
mod rig;
mod verifying;
