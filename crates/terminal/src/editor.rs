//! A text in the editor that a person has set.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write as _},
    path::Path,
    process::Command,
};

use apostille_workspace::{error::CommandError, system::System};

use crate::command_context::CommandResult;

/// The editor that a person has set, as other programs look for it.
pub fn find_user_editor(system: &System) -> Option<&str> {
    system
        .env
        .get("VISUAL")
        .or_else(|| system.env.get("EDITOR"))
}

/// The text as a person left it in their editor. `name` says what it is in the name of the file.
pub fn edit_text(system: &System, editor: &str, name: &str, text: &str) -> CommandResult<String> {
    let number = (system.random_source())() >> 64;
    let path = system
        .temp_dir()
        .join(format!("apostille-{name}-{number:016x}.md"));
    let edited = create_private_text_file(&path, text)
        .and_then(|()| run_user_editor(editor, &path))
        .and_then(|()| fs::read_to_string(&path));
    let _ = fs::remove_file(&path);
    edited.map_err(|error| CommandError::usage(format!("'{editor}' cannot edit it: {error}")))
}

/// A new file that nobody else can read.
pub fn create_private_text_file(path: &Path, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(text.as_bytes())
}

fn run_user_editor(editor: &str, path: &Path) -> io::Result<()> {
    let mut words = editor.split_whitespace();
    let status = Command::new(words.next().unwrap_or_default())
        .args(words)
        .arg(path)
        .status()?;
    if status.success() {
        Ok(())
    } else {
        Err(io::Error::other(status.to_string()))
    }
}
