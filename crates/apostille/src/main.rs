//! Verified, shared memory for coding agents: the one binary.
//!
//! `args` is what was typed, `config` what was meant, `world` everything outside, `cmd` one file for each verb, and
//! `paint` how it looks. What a memory is, and what happens to it, is in `apostille-core`.

#![expect(
    unreachable_pub,
    reason = "nothing is reachable in a binary; here `pub` says what a module offers to the others"
)]

mod cmd;

use std::process::ExitCode;

use apostille_api::json;

fn main() -> ExitCode {
    let argv: Vec<_> = std::env::args_os().collect();
    let answer = cmd::run_command_line(&argv);
    ExitCode::from(answer.print())
}
