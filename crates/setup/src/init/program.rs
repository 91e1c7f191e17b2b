//! Where programs are: by their names on the user's path, or by whole paths.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use apostille_agents::settings::program::{NAME, ProgramCommand};

/// How to start the program that is at this path, for whoever looks for programs in these folders.
pub(super) fn choose_program_command(exe: &Path, folders: Option<&OsStr>) -> ProgramCommand {
    match find_program_on_path(NAME, folders) {
        Some(found) if is_same_program_file(&found, exe) => ProgramCommand::new(NAME),
        _ => ProgramCommand::new(exe.to_string_lossy()),
    }
}

/// The first program of this name in these folders.
pub fn find_program_on_path(name: &str, folders: Option<&OsStr>) -> Option<std::path::PathBuf> {
    let names = if cfg!(windows) {
        vec![format!("{name}.exe"), format!("{name}.cmd")]
    } else {
        vec![name.into()]
    };
    let folders = std::env::split_paths(folders?).filter(|it| it.is_absolute());
    folders
        .flat_map(|it| {
            names
                .iter()
                .map(move |name| it.join(name))
                .collect::<Vec<_>>()
        })
        .find(|it| is_executable_file(it))
}

#[cfg(unix)]
fn is_executable_file(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(path).is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable_file(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|it| it.is_file())
}

/// Whether two paths lead to one file.
pub fn is_same_program_file(one: &Path, other: &Path) -> bool {
    matches!((fs::canonicalize(one), fs::canonicalize(other)), (Ok(one), Ok(other)) if one == other)
}
