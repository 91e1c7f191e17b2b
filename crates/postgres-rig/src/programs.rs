//! Where the programs are.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

/// What to do where one is missing.
const INSTALL: &str = "these tests run a real Postgres 15 or newer and a real PgBouncer. \
     On Debian or Ubuntu, as root: apt-get install postgresql pgbouncer. Elsewhere, name the folder of the programs in PG_BIN";

/// A program of Postgres, such as `initdb`.
pub fn find_postgres_program(name: &str) -> PathBuf {
    let folders = list_postgres_folders();
    let found = folders
        .iter()
        .map(|it| it.join(name))
        .find(|it| it.is_file());
    found.unwrap_or_else(|| panic!("{name} is not on this machine: {INSTALL}"))
}

/// PgBouncer, which lies among the programs of the administrator.
pub fn find_pgbouncer() -> PathBuf {
    let folders = list_path_folders();
    let extra = ["/usr/sbin", "/usr/local/sbin"].map(PathBuf::from);
    let mut folders = folders.into_iter().chain(extra);
    let found = folders.find_map(|it| Some(it.join("pgbouncer")).filter(|it| it.is_file()));
    found.unwrap_or_else(|| panic!("pgbouncer is not on this machine: {INSTALL}"))
}

/// `PG_BIN`; the folder of the `postgres` in `PATH`, which has the other programs beside it; Debian's, newest first.
fn list_postgres_folders() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = read_variable("PG_BIN")
        .map(PathBuf::from)
        .into_iter()
        .collect();
    folders.extend(list_path_folders().into_iter().filter_map(|it| {
        let program = fs::canonicalize(it.join("postgres")).ok()?;
        program.parent().map(Path::to_owned)
    }));
    let mut versions: Vec<(u32, PathBuf)> = fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|it| {
            Some((
                it.file_name().to_str()?.parse().ok()?,
                it.path().join("bin"),
            ))
        })
        .collect();
    versions.sort();
    folders.extend(versions.into_iter().rev().map(|(_, folder)| folder));
    folders
}

fn list_path_folders() -> Vec<PathBuf> {
    let path = read_variable("PATH").unwrap_or_default();
    env::split_paths(&path).collect()
}

#[expect(
    clippy::disallowed_methods,
    reason = "programs are found as a shell finds them"
)]
fn read_variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|it| !it.is_empty())
}
