//! `completions`: what a shell needs to complete commands.

use crate::args::help;
use crate::error;
use crate::shell::{Answer, Shell};

/// Prints the completions of a shell.
pub fn run(_: &Shell, which: clap_complete::Shell) -> Answer {
    let mut bytes = Vec::new();
    clap_complete::generate(which, &mut help::command(), "apostille", &mut bytes);
    let out = String::from_utf8_lossy(&bytes).into_owned();
    Answer { code: error::OK, out, color: clap::ColorChoice::Never, ..Answer::default() }
}
