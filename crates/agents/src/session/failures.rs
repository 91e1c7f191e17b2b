//! Commands that failed in a session: each error is looked up once.

use crate::hook::failure::{FailedCommand, is_test_file};

use super::AgentSession;

impl AgentSession {
    /// Whether something may be told about a command that failed: not about an error that was looked up before, and not
    /// about tests that fail right after one was written, because they are expected to.
    #[must_use]
    pub fn is_new_failure(&self, failed: &FailedCommand) -> bool {
        let mut keys = self.entries.iter().filter_map(|it| it.failure.as_ref());
        let is_expected = failed.is_test_run && self.was_test_edited_last();
        !keys.any(|it| *it == failed.key) && !is_expected
    }

    /// Whether the last files that the agent edited are tests.
    fn was_test_edited_last(&self) -> bool {
        let mut edits = self.entries.iter().rev().filter(|it| !it.noted.is_empty());
        let last = edits.next();
        last.is_some_and(|it| it.noted.iter().any(|it| is_test_file(it.path.as_str())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        client::Client,
        session::{Moment, NotedFile, SessionEntry},
    };
    use apostille_core::space::Space;
    use jiff::Timestamp;

    fn entry(failure: Option<&str>, edited: &[&str]) -> SessionEntry {
        let space = Space::repo("acme/app").unwrap();
        let note = |it: &&str| NotedFile {
            path: it.parse().unwrap(),
            before: None,
        };
        SessionEntry {
            failure: failure.map(Into::into),
            noted: edited.iter().map(note).collect(),
            ..SessionEntry::new(
                Timestamp::UNIX_EPOCH,
                "s",
                Client::Gemini,
                space,
                Moment::Touch,
            )
        }
    }

    #[test]
    fn failure_is_new_once_and_not_of_a_test_that_was_just_written() {
        let check = |entries: &[SessionEntry], is_test_run: bool, expected: bool| {
            let lines: String = entries.iter().map(|it| it.to_json_line() + "\n").collect();
            let failed = FailedCommand {
                question: String::new(),
                key: "k1".into(),
                is_test_run,
            };
            let session = AgentSession::from_lines(&lines);
            assert_eq!(session.is_new_failure(&failed), expected, "{lines}");
        };
        check(&[], true, true);
        check(&[entry(Some("k2"), &[])], true, true);
        check(
            &[entry(Some("k1"), &[]), entry(None, &["src/a.rs"])],
            false,
            false,
        );
        check(
            &[entry(None, &["src/a.rs"]), entry(None, &["tests/a.rs"])],
            true,
            false,
        );
        check(
            &[entry(None, &["src/a.rs"]), entry(None, &["tests/a.rs"])],
            false,
            true,
        );
        check(
            &[entry(None, &["tests/a.rs"]), entry(None, &["src/a.rs"])],
            true,
            true,
        );
    }
}
