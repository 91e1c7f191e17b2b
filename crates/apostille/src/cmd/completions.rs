//! `completions` and `man`: what a shell needs to complete commands, and the manual pages.

use std::fs;
use std::path::Path;

use super::export::new_write_fault;
use clap_mangen::Man;
use serde_json::json;

use apostille_terminal::{
    args::help,
    command_context::{CommandContext, CommandOutput, CommandResult},
};
use apostille_workspace::error::CommandError;

/// Prints the completions of a shell.
pub fn run(ctx: &CommandContext, which: clap_complete::Shell) -> CommandOutput {
    let mut script = Vec::new();
    let mut command = help::build_cli_command();
    clap_complete::generate(which, &mut command, "apostille", &mut script);
    render_text_output(ctx, &script)
}

/// The answer that is a text which was asked for.
fn render_text_output(ctx: &CommandContext, text: &[u8]) -> CommandOutput {
    let text = String::from_utf8_lossy(text);
    let json = json!({"ok": true, "text": text});
    ctx.render_output(&json, |_| text.into_owned())
}

/// Prints the manual page, or writes those of all commands into a folder.
pub fn run_man(ctx: &CommandContext, out: Option<&Path>) -> CommandResult {
    let command = help::build_cli_command();
    let Some(folder) = out else {
        let mut page = Vec::new();
        Man::new(command)
            .render(&mut page)
            .map_err(CommandError::internal)?;
        return Ok(render_text_output(ctx, &page));
    };
    let folder = ctx.system.cwd.join(folder);
    fs::create_dir_all(&folder)
        .and_then(|()| clap_mangen::generate_to(command, &folder))
        .map_err(|error| new_write_fault(&folder, error))?;
    let folder = folder.display().to_string();
    let json = json!({"ok": true, "folder": folder});
    Ok(ctx.render_output(&json, |_| format!("wrote the manual pages to {folder}\n")))
}
