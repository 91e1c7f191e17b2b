//! Where programs are: by their names on the user's path, or by whole paths.

use std::fs;
use std::path::{Path, PathBuf};

use apostille_agents::settings::program::{NAME, ProgramCommand};
use apostille_workspace::{
    error::CommandError,
    system::{Environment, System},
};

/// How to start this very program, for whoever looks for programs where the user does.
pub(super) fn choose_program_command(system: &System) -> Result<ProgramCommand, CommandError> {
    let exe = system.program_path()?;
    Ok(match find_program_on_path(NAME, &system.env) {
        Some(found) if is_same_program_file(&found, &exe) => ProgramCommand::new(NAME),
        _ => ProgramCommand::new(exe.to_string_lossy()),
    })
}

/// The first program of this name in the folders of the user's path.
pub fn find_program_on_path(name: &str, env: &Environment) -> Option<PathBuf> {
    let endings: &[&str] = if cfg!(windows) {
        &[".exe", ".cmd"]
    } else {
        &[""]
    };
    let folders = std::env::split_paths(env.get("PATH")?).filter(|it| it.is_absolute());
    let file = |it: PathBuf| {
        endings
            .iter()
            .map(move |end| it.join(format!("{name}{end}")))
    };
    folders.flat_map(file).find(|it| is_executable_file(it))
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
