//! Every store is held to the core's contract, and then to the world: many processes, crashes, damage, full disks.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod archive;
mod contract;
mod damage;
mod disk;
mod erasure;
mod foreign;
mod fuzz;
mod golden;
#[cfg(unix)]
mod odd_files;
mod processes;
mod removed;
mod reviews;
mod rig;
mod sharing;
mod tampering;
mod team;
mod unreadable;
