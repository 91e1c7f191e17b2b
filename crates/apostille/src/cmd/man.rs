//! `man`: the manual pages.

use std::fs;
use std::path::Path;

use clap_mangen::Man;
use serde::Serialize;

use super::completions::Text;
use crate::args::help;
use crate::shell::{Answer, Shell};
use apostille_workspace::error;
use apostille_workspace::error::Fault;

/// Prints the manual page, or writes those of all commands into a folder.
pub fn run(shell: &Shell, out: Option<&Path>) -> Result<Answer, Fault> {
    match out {
        None => printed(shell),
        Some(folder) => written(shell, &shell.world.cwd.join(folder)),
    }
}

fn printed(shell: &Shell) -> Result<Answer, Fault> {
    let mut bytes = Vec::new();
    Man::new(help::command())
        .render(&mut bytes)
        .map_err(Fault::internal)?;
    let json = Text {
        ok: true,
        text: String::from_utf8_lossy(&bytes).into_owned(),
    };
    Ok(shell.answer(error::OK, &json, |_| json.text.clone()))
}

#[derive(Serialize)]
struct Reply {
    ok: bool,
    folder: String,
}

fn written(shell: &Shell, folder: &Path) -> Result<Answer, Fault> {
    let failed = |error| Fault::usage(format!("cannot write '{}': {error}", folder.display()));
    fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(help::command(), folder))
        .map_err(failed)?;
    let json = Reply {
        ok: true,
        folder: folder.display().to_string(),
    };
    Ok(shell.answer(error::OK, &json, |_| {
        format!("wrote the manual pages to {}\n", json.folder)
    }))
}
