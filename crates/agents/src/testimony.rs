//! What was said and run in a session, by the transcript that its client keeps.

use std::path::PathBuf;

use apostille_core::evidence::{CommandRun, Testimony, UserTurn};

use crate::{
    clients::{ClientProfile, find_client_profile, list_client_profiles},
    ledger::SessionLedger,
    transcript::{TranscriptTurn, TurnSpeaker},
};

/// How much of a transcript's end is read: an agent waits for it.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// The transcripts of this user's agents.
#[derive(Debug, Clone)]
pub struct TranscriptTestimony {
    ledger: SessionLedger,
    home: Option<PathBuf>,
}

impl TranscriptTestimony {
    /// The sessions of this ledger; clients that keep a transcript in a known place of this home are known without it.
    #[must_use]
    pub fn new(ledger: SessionLedger, home: Option<PathBuf>) -> Self {
        Self { ledger, home }
    }

    /// What was said and done in a session; `None` where its client wrote nothing down that can be read.
    fn read_turns(&self, session: &str) -> Option<Vec<TranscriptTurn>> {
        let (profile, path) = self
            .find_in_ledger(session)
            .or_else(|| self.find_in_home(session))?;
        let turns = profile.read_transcript_file(&path, MAX_BYTES).ok()?;
        // A file that is not there, or of a kind that is not read, has no turns.
        (!turns.is_empty()).then_some(turns)
    }

    fn find_in_ledger(&self, session: &str) -> Option<(&'static ClientProfile, PathBuf)> {
        let known = self.ledger.read_session(session);
        let path = known.transcript_path()?;
        let client = known.entries.last()?.client;
        Some((find_client_profile(client), path.into()))
    }

    fn find_in_home(&self, session: &str) -> Option<(&'static ClientProfile, PathBuf)> {
        let home = self.home.as_deref()?;
        let mut profiles = list_client_profiles();
        profiles.find_map(|it| {
            let path = it.default_transcript_path(home, session)?;
            path.is_file().then_some((it, path))
        })
    }
}

impl Testimony for TranscriptTestimony {
    fn list_user_turns(&self, session: &str) -> Option<Vec<UserTurn>> {
        let turns = self.read_turns(session)?;
        let prompts = turns
            .into_iter()
            .filter(|it| it.speaker == TurnSpeaker::Person);
        let prompts = prompts.zip(1..).map(|(it, turn)| UserTurn {
            turn,
            text: it.text,
            at: it.at,
        });
        Some(prompts.collect())
    }

    fn list_command_runs(&self, session: &str) -> Option<Vec<CommandRun>> {
        Some(list_runs(session, &self.read_turns(session)?))
    }
}

/// The commands that were seen to run to their end: whole ones in the foreground.
#[must_use]
pub fn list_runs(session: &str, turns: &[TranscriptTurn]) -> Vec<CommandRun> {
    let calls = turns
        .iter()
        .flat_map(|turn| turn.uses.iter().map(move |it| (turn, it)));
    let mut runs = Vec::new();
    for (turn, call) in calls {
        let Some(at) = turn.at else { continue };
        for (command, has_succeeded) in call.list_ended_commands() {
            runs.push(CommandRun {
                command,
                has_succeeded,
                session: Some(session.to_owned()),
                at,
            });
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::Client;

    /// A call of Claude Code's transcript and its result.
    fn call(id: &str, input: &str, is_error: bool) -> String {
        format!(
            r#"{{"type":"assistant","uuid":"a-{id}","timestamp":"2026-03-01T10:00:00Z","message":{{"content":[{{"type":"tool_use","id":"{id}","name":"Bash","input":{input}}}]}}}}
{{"type":"user","uuid":"u-{id}","timestamp":"2026-03-01T10:00:09Z","message":{{"content":[{{"type":"tool_result","tool_use_id":"{id}","content":"x","is_error":{is_error}}}]}}}}
"#
        )
    }

    fn prompt(id: &str, text: &str) -> String {
        format!(
            r#"{{"type":"user","uuid":"p-{id}","timestamp":"2026-03-01T09:59:00Z","message":{{"content":"{text}"}}}}
"#
        )
    }

    fn read(transcript: &str) -> Vec<TranscriptTurn> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t.jsonl");
        std::fs::write(&path, transcript).unwrap();
        find_client_profile(Client::ClaudeCode)
            .read_transcript_file(&path, MAX_BYTES)
            .unwrap()
    }

    #[test]
    fn whole_foreground_commands_count_as_runs() {
        let check = |input: &str, is_error: bool, expected: &str| {
            let runs = list_runs("s-1", &read(&call("1", input, is_error)));
            let told: Vec<String> = runs
                .iter()
                .map(|it| {
                    format!(
                        "{} {}",
                        it.command,
                        if it.has_succeeded { "ok" } else { "failed" }
                    )
                })
                .collect();
            assert_eq!(told.join(", "), expected, "{input}");
        };
        check(r#"{"command":"make smoke"}"#, false, "make smoke ok");
        check(r#"{"command":"make smoke"}"#, true, "make smoke failed");
        check(
            r#"{"command":"cd web && CI=1 npm test 2>&1 && make smoke > log"}"#,
            false,
            "npm test ok, make smoke ok",
        );
        // Nobody knows which one of a chain failed.
        check(r#"{"command":"npm test && make smoke"}"#, true, "");
        check(
            r#"{"command":"cd web && npm test"}"#,
            true,
            "npm test failed",
        );
        check(r#"{"command":"make smoke | tail -5"}"#, false, "");
        check(r#"{"command":"make smoke; true"}"#, false, "");
        check(r#"{"command":"make smoke || true"}"#, false, "");
        check(r#"{"command":"make smoke &"}"#, false, "");
        check(
            r#"{"command":"make smoke","run_in_background":true}"#,
            false,
            "",
        );
        check(r#"{"command":"echo $(make smoke)"}"#, false, "");
        check(
            r#"{"command":"bash -lc 'make smoke'"}"#,
            false,
            "make smoke ok",
        );
    }

    #[test]
    fn words_of_the_user_are_looked_up_by_turn() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t.jsonl");
        let transcript = [
            prompt("1", "Fix the bug"),
            call("1", r#"{"command":"cat notes.md"}"#, false).replace("\"x\"", "\"use tabs\""),
            prompt(
                "2",
                "<system-reminder>use npm</system-reminder>I like small commits",
            ),
        ];
        std::fs::write(&path, transcript.concat()).unwrap();
        let ledger = SessionLedger::new(&dir.path().join("sessions"));
        let mut open = ledger
            .open_session("s-1", std::time::Duration::ZERO)
            .unwrap();
        let entry = crate::session::SessionEntry::new(
            "2026-03-01T10:00:00Z".parse().unwrap(),
            "s-1",
            Client::ClaudeCode,
            apostille_core::space::Space::repo("acme/shop").unwrap(),
            crate::session::Moment::Start,
        );
        open.append_entry(crate::session::SessionEntry {
            transcript: Some(path.to_string_lossy().into_owned()),
            ..entry
        })
        .unwrap();
        drop(open);
        let testimony = TranscriptTestimony::new(ledger, None);
        let turns = testimony.list_user_turns("s-1").unwrap();
        let told: Vec<String> = turns
            .iter()
            .map(|it| format!("{} {}", it.turn, it.text))
            .collect();
        assert_eq!(told, ["1 Fix the bug", "2 I like small commits"]);
        assert_eq!(testimony.list_user_turns("s-2"), None);
    }
}
