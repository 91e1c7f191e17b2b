//! How clients are told to start this program: by its name where that finds it, else by its whole path.

use crate::client::Client;

/// The name that this program goes by, in files too.
pub const NAME: &str = "apostille";

/// What a hook's command line says behind the program.
pub(super) const HOOK: &str = " hook --client ";
/// What it ends with. Where the program is not installed, a shell says so with a code that Gemini CLI and Copilot CLI take
/// for an order to stop, and a colleague who has the settings and not the program could do nothing.
pub(super) const ANYWAY: &str = " || exit 0";

/// How to start this program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramCommand(String);

impl ProgramCommand {
    /// The program by this name, or at this path.
    pub fn new(command: impl Into<String>) -> Self {
        Self(command.into())
    }

    /// What a client executes.
    pub fn command(&self) -> &str {
        &self.0
    }

    /// The command line that answers a hook, for the shells of Unix.
    pub fn hook_line(&self, client: Client, event: &str) -> String {
        format!(
            "{}{HOOK}{client} {event}{ANYWAY}",
            quote_program_word(&self.0)
        )
    }

    /// The same for PowerShell, which calls a quoted program only when told to.
    pub fn powershell_line(&self, client: Client, event: &str) -> String {
        let plain = is_plain_shell_word(&self.0);
        let program = if plain {
            self.0.clone()
        } else {
            format!("& '{}'", self.0.replace('\'', "''"))
        };
        format!("{program}{HOOK}{client} {event}")
    }
}

/// Whether a command is this program, by its name alone or by a whole path. A path from somewhere is nobody's.
pub fn is_own_program(command: &str) -> bool {
    let file = command.rsplit(['/', '\\']).next().unwrap_or(command);
    let is_named = file.strip_suffix(".exe").unwrap_or(file) == NAME;
    is_named && (file == command || is_rooted_path(command))
}

/// Whether a path is one from the root, on this system or on another.
fn is_rooted_path(path: &str) -> bool {
    let is_drive =
        |it: &[u8]| matches!(it, [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic());
    path.starts_with('/') || path.starts_with(r"\\") || is_drive(path.as_bytes())
}

pub(super) fn is_plain_shell_word(text: &str) -> bool {
    text.chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+' | ':'))
}

/// A word as a shell reads it. Windows' own shells know no single quotes, and no file there has a double quote.
fn quote_program_word(word: &str) -> String {
    let slashed = word.replace('\\', "/");
    let word = if cfg!(windows) { &slashed } else { word };
    match is_plain_shell_word(word) {
        true => word.to_owned(),
        false if cfg!(windows) => format!("\"{word}\""),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::hook_line::HookLine;
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_path_is_one_word_to_a_shell() {
        let check = |path: &str, expected: &str| {
            let line = ProgramCommand(path.into()).hook_line(Client::Codex, "Stop");
            assert_eq!(
                line,
                format!("{expected} hook --client codex Stop || exit 0")
            );
            assert_eq!(
                HookLine::parse(&line).map(|it| it.program).as_deref(),
                Some(path)
            );
        };
        check("apostille", "apostille");
        check("/opt/bin/apostille", "/opt/bin/apostille");
        check("/my programs/apostille", "'/my programs/apostille'");
        check("/it's/$HOME/apostille", r"'/it'\''s/$HOME/apostille'");
        let line = ProgramCommand("/it's/apostille".into()).powershell_line(Client::Codex, "Stop");
        assert_eq!(line, "& '/it''s/apostille' hook --client codex Stop");
    }
}
