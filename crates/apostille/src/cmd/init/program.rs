//! How clients are told to start this program: by its name where that finds it, else by its whole path.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use apostille_core::client::Client;

/// The name that this program goes by, in files too.
pub const NAME: &str = "apostille";

/// What a hook's command line says behind the program.
const HOOK: &str = " hook --client ";

/// How to start this program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program(String);

impl Program {
    /// How to start the program that is at this path, for whoever looks for programs in these folders.
    pub fn find(exe: &Path, folders: Option<&OsStr>) -> Self {
        match first(NAME, folders) {
            Some(found) if is_same(&found, exe) => Self(NAME.into()),
            _ => Self(exe.to_string_lossy().into_owned()),
        }
    }

    /// What a client executes.
    pub fn command(&self) -> &str {
        &self.0
    }

    /// Whether the name alone is enough.
    pub fn is_on_path(&self) -> bool {
        self.0 == NAME
    }

    /// The command line that answers a hook, for the shells of Unix.
    pub fn line(&self, client: Client, event: &str) -> String {
        format!("{}{HOOK}{client} {event}", quoted(&self.0))
    }

    /// The same for PowerShell, which calls a quoted program only when told to.
    pub fn powershell(&self, client: Client, event: &str) -> String {
        let plain = is_plain(&self.0);
        let program = if plain { self.0.clone() } else { format!("& '{}'", self.0.replace('\'', "''")) };
        format!("{program}{HOOK}{client} {event}")
    }
}

/// Whether a command line is one of ours, whatever path it names.
pub fn is_ours(line: &str) -> bool {
    line.split_once(HOOK).is_some_and(|(program, _)| is_program(program.trim_end_matches(['\'', '"'])))
}

/// Whether a command is this program, whatever path it names.
pub fn is_program(command: &str) -> bool {
    let name = command.rsplit(['/', '\\']).next().unwrap_or(command);
    let name = name.strip_suffix(".exe").unwrap_or(name);
    // A quote may stand in front of a bare name.
    name.trim_start_matches(['&', ' ', '\'', '"']) == NAME
}

/// The first program of this name in these folders.
pub fn first(name: &str, folders: Option<&OsStr>) -> Option<std::path::PathBuf> {
    let names =
        if cfg!(windows) { vec![format!("{name}.exe"), format!("{name}.cmd")] } else { vec![name.into()] };
    let folders = std::env::split_paths(folders?).filter(|it| it.is_absolute());
    folders
        .flat_map(|it| names.iter().map(move |name| it.join(name)).collect::<Vec<_>>())
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

fn is_same(one: &Path, other: &Path) -> bool {
    matches!((fs::canonicalize(one), fs::canonicalize(other)), (Ok(one), Ok(other)) if one == other)
}

fn is_plain(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+' | ':'))
}

/// A word as a shell reads it. Windows' own shells know no single quotes, and no file there has a double quote.
fn quoted(word: &str) -> String {
    match word {
        _ if cfg!(windows) && is_plain(&word.replace('\\', "/")) => word.replace('\\', "/"),
        _ if cfg!(windows) => format!("\"{}\"", word.replace('\\', "/")),
        _ if is_plain(word) => word.to_owned(),
        _ => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_ours_is_known_by_its_program() {
        let check = |line: &str, expected: bool| assert_eq!(is_ours(line), expected, "{line}");
        check("apostille hook --client codex Stop", true);
        check("/home/ana/.cargo/bin/apostille hook --client codex Stop", true);
        check("'/home/ana b/apostille' hook --client codex Stop", true);
        check(r#""C:/Program Files/apostille.exe" hook --client codex Stop"#, true);
        check(r"& 'C:\Program Files\apostille.exe' hook --client codex Stop", true);
        check("apostille verify", false);
        check("not-apostille hook --client codex Stop", false);
        check("echo apostille", false);
    }

    #[cfg(unix)]
    #[test]
    fn a_path_is_one_word_to_a_shell() {
        let check = |path: &str, expected: &str| {
            let line = Program(path.into()).line(Client::Codex, "Stop");
            assert_eq!(line, format!("{expected} hook --client codex Stop"));
            assert!(is_ours(&line), "{line}");
        };
        check("apostille", "apostille");
        check("/opt/bin/apostille", "/opt/bin/apostille");
        check("/my programs/apostille", "'/my programs/apostille'");
        check("/it's/$HOME/apostille", r"'/it'\''s/$HOME/apostille'");
        let line = Program("/it's/apostille".into()).powershell(Client::Codex, "Stop");
        assert_eq!(line, "& '/it''s/apostille' hook --client codex Stop");
    }
}
