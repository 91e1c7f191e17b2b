//! Verified, shared memory for coding agents: the one binary.
//!
//! ```text
//! $ apostille remember "`MAX_RETRIES` is 3" --cite src/retry.rs:1
//! $ apostille recall "how many retries"
//! ```
//!
//! How the pieces fit: `args` is what was typed, `cmd` has one file for each command, `paint` is how it looks and `shell`
//! what a command is given and what it gives back. `tour` shows the program at work in a scratch repository. Configuration,
//! checkout and store are opened by `apostille-workspace`; what happens to a memory is in `apostille-core`.

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
