//! A command that failed: whether it is worth a word, and what memory is asked about it.
//!
//! Text in, values out. Most commands that end with another code than 0 have not failed in a way that anybody remembers: a
//! search found nothing, the user pressed Ctrl-C. `expected` knows those. Of the rest, `error_lines` takes the lines that
//! say what went wrong, without what differs from run to run. Nothing of an output is kept; a failure is known again by
//! its digest.

mod error_lines;
mod expected;

use apostille_text::{digest::Digest, shorten::shorten_text};

use super::shell::{MAX_COMMAND, strip_command_wrappers, words};
use error_lines::{list_telling_lines, normalize_words};
use expected::{ScriptCommand, is_ended_by_user, is_expected_failure, is_test_run, says_failure};

pub use expected::is_test_file;

/// How much of the words of a failure memory is asked with, in characters.
const MAX_QUESTION: usize = 600;

/// How many lines a client writes behind the output, from the one with the code on.
const MAX_NOTES: usize = 4;

/// A command that ran, as a client reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommandOutcome {
    /// What it printed.
    pub(crate) output: String,
    /// How it ended.
    pub(crate) end: CommandEnd,
}

impl CommandOutcome {
    /// Of a text at whose end the client notes the code, behind these words; nothing, where it does not.
    pub(crate) fn from_noted_code(text: &str, note: &str) -> Option<Self> {
        let text = text.trim_end();
        let at = text.rfind(note)?;
        let n_after = text[at..].lines().count();
        let rest = &text[at + note.len()..];
        let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
        let code = digits.parse().ok().filter(|_| n_after <= MAX_NOTES)?;
        let line = text[..at].rfind('\n').map_or(0, |it| it + 1);
        Some(Self {
            output: text[..line].to_owned(),
            end: CommandEnd::Exited(code),
        })
    }
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CommandEnd {
    /// With this code.
    Exited(i32),
    /// The user or a signal stopped it, or it has not ended.
    Stopped,
    /// The client does not say. Then only the output tells.
    Unsaid,
}

/// A command that failed, as memory is asked about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedCommand {
    /// The words of the command and of its errors, bounded, without what differs from run to run.
    pub question: String,
    /// By what the failure is known again: a digest of the command and its first error.
    pub key: String,
    /// Whether it ran tests.
    pub is_test_run: bool,
}

/// The failure of a command, if it is one that something may be known about.
pub(crate) fn recognize_failed_command(
    script: &str,
    outcome: &CommandOutcome,
) -> Option<FailedCommand> {
    let script = &script[..script.floor_char_boundary(MAX_COMMAND)];
    let commands = list_script_commands(script);
    let has_failed = match outcome.end {
        CommandEnd::Stopped | CommandEnd::Exited(0) => false,
        CommandEnd::Exited(code) => {
            !is_ended_by_user(code) && !is_expected_failure(script, &commands, &outcome.output)
        }
        CommandEnd::Unsaid => says_failure(script, &commands, &outcome.output),
    };
    has_failed.then(|| describe_failure(&commands, &outcome.output))
}

fn describe_failure(commands: &[ScriptCommand], output: &str) -> FailedCommand {
    let lines = list_telling_lines(output);
    let asked: Vec<String> = commands.iter().map(ScriptCommand::telling_words).collect();
    let programs: Vec<&str> = commands
        .iter()
        .filter_map(ScriptCommand::known_program)
        .collect();
    let errors = lines.iter().map(|it| normalize_words(it, &programs));
    let parts = asked.iter().cloned().chain(errors.clone());
    let parts: Vec<String> = parts.filter(|it| !it.is_empty()).collect();
    let first = errors.clone().next().unwrap_or_default();
    let known = format!("{}\n{first}", asked.join("\n"));
    FailedCommand {
        question: shorten_text(&parts.join("\n"), MAX_QUESTION),
        key: Digest::hash_bytes(known.as_bytes()).short_hex(),
        is_test_run: is_test_run(commands),
    }
}

/// The commands of a script, without programs that only run another one.
fn list_script_commands(script: &str) -> Vec<ScriptCommand> {
    let inner = unwrap_shell_script(words::split_shell_commands(script));
    let bare = inner.iter().map(|it| strip_command_wrappers(it));
    let commands = bare.map(|words| {
        let plain = words
            .iter()
            .filter(|it| !it.is_target() && !it.is_given_text());
        ScriptCommand::new(plain.map(|it| it.text.clone()).collect())
    });
    commands.filter(|it| !it.program().is_empty()).collect()
}

/// What `bash -lc` was given, where it is the last command.
fn unwrap_shell_script(commands: Vec<Vec<words::ShellWord>>) -> Vec<Vec<words::ShellWord>> {
    let script = commands.last().and_then(|last| match last.as_slice() {
        [shell, flag, script, ..] if super::shell::is_shell_script(&shell.text, &flag.text) => {
            Some(script.text.clone())
        }
        _ => None,
    });
    match script {
        Some(script) => {
            let mut inner = words::split_shell_commands(&script);
            let n_before = commands.len() - 1;
            let mut all: Vec<_> = commands.into_iter().take(n_before).collect();
            all.append(&mut inner);
            all
        }
        None => commands,
    }
}

#[cfg(test)]
mod tests;
