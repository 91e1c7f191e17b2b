//! `completions`: what a shell needs to complete commands.

use serde::Serialize;

use crate::args::help;
use crate::shell::{Answer, Shell};
use apostille_workspace::error;

/// A text that was asked for, as JSON.
#[derive(Serialize)]
pub(super) struct Text {
    /// Always true.
    pub(super) ok: bool,
    /// The text.
    pub(super) text: String,
}

/// Prints the completions of a shell.
pub fn run(shell: &Shell, which: clap_complete::Shell) -> Answer {
    let mut bytes = Vec::new();
    clap_complete::generate(which, &mut help::command(), "apostille", &mut bytes);
    let json = Text {
        ok: true,
        text: String::from_utf8_lossy(&bytes).into_owned(),
    };
    shell.answer(error::OK, &json, |_| json.text.clone())
}
