//! `man`: the manual pages.

use std::fs;
use std::path::Path;

use clap_mangen::Man;
use serde::Serialize;

use super::completions::TextReply;
use apostille_terminal::args::help;
use apostille_terminal::command_context::{CommandContext, CommandOutput};
use apostille_workspace::error;
use apostille_workspace::error::CommandError;

/// Prints the manual page, or writes those of all commands into a folder.
pub fn run(shell: &CommandContext, out: Option<&Path>) -> Result<CommandOutput, CommandError> {
    match out {
        None => render_man_page(shell),
        Some(folder) => write_man_pages(shell, &shell.world.cwd.join(folder)),
    }
}

fn render_man_page(shell: &CommandContext) -> Result<CommandOutput, CommandError> {
    let mut bytes = Vec::new();
    Man::new(help::build_cli_command())
        .render(&mut bytes)
        .map_err(CommandError::internal)?;
    let json = TextReply {
        ok: true,
        text: String::from_utf8_lossy(&bytes).into_owned(),
    };
    Ok(shell.render_output(error::OK, &json, |_| json.text.clone()))
}

#[derive(Serialize)]
struct ManReply {
    ok: bool,
    folder: String,
}

fn write_man_pages(shell: &CommandContext, folder: &Path) -> Result<CommandOutput, CommandError> {
    let failed =
        |error| CommandError::usage(format!("cannot write '{}': {error}", folder.display()));
    fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(help::build_cli_command(), folder))
        .map_err(failed)?;
    let json = ManReply {
        ok: true,
        folder: folder.display().to_string(),
    };
    Ok(shell.render_output(error::OK, &json, |_| {
        format!("wrote the manual pages to {}\n", json.folder)
    }))
}
