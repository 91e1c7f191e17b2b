//! Where programs are: by their names on the user's path, or by whole paths.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use apostille_agents::settings::program::{NAME, Program};

/// How to start the program that is at this path, for whoever looks for programs in these folders.
pub fn find(exe: &Path, folders: Option<&OsStr>) -> Program {
    match first(NAME, folders) {
        Some(found) if is_same(&found, exe) => Program::new(NAME),
        _ => Program::new(exe.to_string_lossy()),
    }
}

/// The first program of this name in these folders.
pub fn first(name: &str, folders: Option<&OsStr>) -> Option<std::path::PathBuf> {
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
        .find(|it| is_executable(it))
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(path).is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|it| it.is_file())
}

/// Whether two paths lead to one file.
pub fn is_same(one: &Path, other: &Path) -> bool {
    matches!((fs::canonicalize(one), fs::canonicalize(other)), (Ok(one), Ok(other)) if one == other)
}
