//! `completions`: what a shell needs to complete commands.

use serde::Serialize;

use apostille_terminal::args::help;
use apostille_terminal::command_context::{CommandContext, CommandOutput};
use apostille_workspace::error;

/// A text that was asked for, as JSON.
#[derive(Serialize)]
pub(super) struct TextReply {
    /// Always true.
    pub(super) ok: bool,
    /// The text.
    pub(super) text: String,
}

/// Prints the completions of a shell.
pub fn run(shell: &CommandContext, which: clap_complete::Shell) -> CommandOutput {
    let mut bytes = Vec::new();
    clap_complete::generate(
        which,
        &mut help::build_cli_command(),
        "apostille",
        &mut bytes,
    );
    let json = TextReply {
        ok: true,
        text: String::from_utf8_lossy(&bytes).into_owned(),
    };
    shell.render_output(error::OK, &json, |_| json.text.clone())
}
