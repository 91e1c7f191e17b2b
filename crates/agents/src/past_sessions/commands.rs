//! Which commands worked in past sessions, with their record.
//!
//! Only what builds, tests or checks: that `ls` works tells nobody anything. What ran after text from outside came into a session is
//! not counted, because that text may have asked for it.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use apostille_core::{
    evidence::CommandRun,
    memory::{Channel, Draft, DuplicateChoice, Kind, Layer, Origin, Voice},
    runs::names_command,
    space::Space,
};
use apostille_text::secrets;
use jiff::Timestamp;

use super::shorten_session_name;
use crate::{
    testimony::list_runs,
    transcript::{TranscriptCall, TranscriptTurn},
};

/// In how many sessions a command has to have worked.
const FEWEST_SESSIONS: usize = 3;
/// How long a command may be that is proposed, in characters.
const MAX_CHARS: usize = 100;
/// Words of commands that tell how the work stands.
const TELLING: &[&str] = &[
    "test", "tests", "pytest", "jest", "vitest", "tox", "nox", "rspec", "phpunit", "ctest",
    "clippy", "lint", "eslint", "ruff", "mypy", "tsc", "biome", "check", "fmt", "format", "build",
    "gradle", "gradlew", "mvn", "bazel", "make", "just",
];
/// Programs that look around, whatever words follow.
const LOOKING: &[&str] = &[
    "git",
    "gh",
    "ls",
    "cat",
    "cd",
    "rg",
    "grep",
    "find",
    "sed",
    "awk",
    "head",
    "tail",
    "echo",
    "mkdir",
    "rm",
    "cp",
    "mv",
    "which",
    "apostille",
];

/// How commands fared.
#[derive(Debug, Default)]
pub(super) struct CommandRecords(BTreeMap<String, CommandCount>);

#[derive(Debug, Default)]
struct CommandCount {
    succeeded_in: BTreeSet<String>,
    n_failed: usize,
    last_success: Option<CommandRun>,
    failed_at: Option<Timestamp>,
}

/// A command that works, with its record.
pub(super) struct CommandRecord {
    /// When it was last seen to succeed.
    pub(super) last_success: CommandRun,
    n_sessions: usize,
    n_failed: usize,
}

impl CommandRecords {
    /// Takes in the commands of one session.
    pub(super) fn add_session(&mut self, name: &str, turns: &[TranscriptTurn]) {
        let is_foreign = |it: &TranscriptTurn| it.uses.iter().any(TranscriptCall::is_outside);
        let end = turns.iter().position(is_foreign).unwrap_or(turns.len());
        for run in list_runs(name, &turns[..end]) {
            let command = run.command.split_whitespace().collect::<Vec<_>>().join(" ");
            if is_telling(&command) {
                self.0.entry(command).or_default().add_run(name, run);
            }
        }
    }

    /// Those that work and that no memory names, the one that worked in most sessions first.
    pub(super) fn into_ranked(self, known: &[String]) -> Vec<CommandRecord> {
        let is_known = |command: &str| known.iter().any(|it| names_command(it, command));
        let new = self.0.into_iter().filter(|(command, _)| !is_known(command));
        let mut all: Vec<CommandRecord> = new.filter_map(|it| it.1.into_record()).collect();
        all.sort_by_key(|it| (Reverse(it.n_sessions), Reverse(it.last_success.at)));
        all
    }
}

/// Whether it tells something that a command works: a short one that builds, tests or checks, and names no place of this machine.
fn is_telling(command: &str) -> bool {
    let words = || command.split(|it: char| !it.is_ascii_alphanumeric());
    let program = command.split(' ').next().unwrap_or_default();
    command.chars().count() <= MAX_CHARS
        && words().any(|it| TELLING.contains(&it))
        && !LOOKING.contains(&program)
        && !command.contains(['`', '~'])
        && !command.split([' ', '=']).any(|it| it.starts_with('/'))
        && secrets::find_secret(command).is_none()
}

impl CommandCount {
    fn add_run(&mut self, session: &str, run: CommandRun) {
        if !run.has_succeeded {
            self.n_failed += 1;
            self.failed_at = self.failed_at.max(Some(run.at));
            return;
        }
        self.succeeded_in.insert(session.to_owned());
        if self.last_success.as_ref().is_none_or(|it| it.at <= run.at) {
            self.last_success = Some(run);
        }
    }

    /// The record of one that worked in enough sessions, also the last time.
    fn into_record(self) -> Option<CommandRecord> {
        let last_success = self.last_success?;
        let is_last = self.failed_at.is_none_or(|it| it < last_success.at);
        let n_sessions = self.succeeded_in.len();
        (is_last && n_sessions >= FEWEST_SESSIONS).then_some(CommandRecord {
            last_success,
            n_sessions,
            n_failed: self.n_failed,
        })
    }
}

impl CommandRecord {
    /// The draft of it: what the program finds by itself waits for the person.
    pub(super) fn to_draft(&self, repo: &Space) -> Draft {
        let CommandRun {
            command,
            session,
            at,
            ..
        } = &self.last_success;
        let day = at.strftime("%Y-%m-%d");
        let name = session.as_deref().map(shorten_session_name);
        let failed = match self.n_failed {
            0 => String::new(),
            1 => ", failed once before".to_owned(),
            n => format!(", failed {n} times before"),
        };
        let voice = Voice {
            session: session.clone(),
            ..Voice::from_origin(Origin::System).with_channel(Channel::Record)
        };
        Draft {
            layer: Some(Layer::Knowledge),
            kind: Some(Kind::Reference),
            reason: Some(format!(
                "succeeded in {} sessions, last on {day} in session {}{failed}",
                self.n_sessions,
                name.unwrap_or_default()
            )),
            ran: Some(command.clone()),
            tags: vec!["gleaned".into(), "command".into()],
            on_duplicate: DuplicateChoice::Skip,
            ..Draft::new(
                repo.clone(),
                format!("`{command}` is a command that works in this repository."),
                voice,
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_telling_that_build_test_or_check() {
        let check = |command: &str, expected: bool| {
            assert_eq!(is_telling(command), expected, "{command}");
        };
        check("cargo test -p core", true);
        check("make", true);
        check("npm run lint", true);
        check("git commit -m test", false);
        check("ls tests", false);
        check("cargo run", false);
        check("/home/ana/app/make test", false);
        check("make test DIR=/home/ana", false);
        check(&format!("make {}", "x".repeat(100)), false);
    }
}
