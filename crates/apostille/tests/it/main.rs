//! The program as people and scripts see it: exit code, output and messages together, in a world of its own.
#![expect(unreachable_pub, reason = "nothing is reachable in a test; `pub` says what a module offers")]

mod codes;
mod config;
mod env;
mod identity;
mod json;
mod moving;
mod near;
mod output;
mod story;
