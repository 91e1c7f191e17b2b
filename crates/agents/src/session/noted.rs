//! Files that an agent edits, noted until the memories that cite them are judged.
//!
//! A half-done edit makes facts false for a moment, and most hooks run before the edit is written. So a hook only notes
//! the file; a later moment judges it from the disk, once it was written and is not being written to again.

use apostille_cite::{citation::RepoPath, standing::Standing};
use apostille_core::memory::MemoryId;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{AgentSession, Moment, ShownMemory, record::as_text};

/// How many files are noted at once; the latest, where there are more.
const MAX_NOTED: usize = 64;

/// A file that the agent edits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotedFile {
    /// The file, from the root of the checkout.
    #[serde(with = "as_text")]
    pub path: RepoPath,
    /// What the file looked like before the edit was written; nothing where it was written when it was noted.
    #[serde(rename = "was", default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
}

impl AgentSession {
    /// The files that were edited and not judged since, in the order of their last edit.
    #[must_use]
    pub fn noted_files(&self) -> Vec<NotedFile> {
        let mut noted: Vec<NotedFile> = Vec::new();
        for entry in &self.entries {
            let is_over = |path: &RepoPath| {
                entry.judged.contains(path) || entry.noted.iter().any(|it| it.path == *path)
            };
            noted.retain(|it| !is_over(&it.path));
            noted.extend(entry.noted.iter().cloned());
        }
        noted.split_off(noted.len().saturating_sub(MAX_NOTED))
    }

    /// The noted files that can be judged now: those that were written since they were noted, but for those that this
    /// very moment edits. `stamp` says what a file looks like now.
    pub fn due_files(
        &self,
        edited_now: &[RepoPath],
        stamp: impl Fn(&RepoPath) -> String,
    ) -> Vec<RepoPath> {
        let is_due = |it: &NotedFile| {
            !edited_now.contains(&it.path) && it.before.as_ref() != Some(&stamp(&it.path))
        };
        let noted = self.noted_files().into_iter();
        noted.filter(is_due).map(|it| it.path).collect()
    }

    /// How the agent was last told that a memory stands, and when.
    pub(crate) fn told_standing(&self, id: MemoryId) -> Option<(Timestamp, Standing)> {
        let told = self.entries.iter().filter(|it| it.moment != Moment::Done);
        told.rev().find_map(|entry| {
            let of = |them: &[ShownMemory]| them.iter().find(|it| it.id == id).cloned();
            let withheld =
                of(&entry.withheld).map(|it| parse_standing(&it, Standing::Contradicted));
            let shown = || of(&entry.shown).map(|it| parse_standing(&it, Standing::Stands));
            Some((entry.at, withheld.or_else(shown)?))
        })
    }
}

/// How a memory stood when it was told; older lines have other words for it.
fn parse_standing(it: &ShownMemory, otherwise: Standing) -> Standing {
    it.verdict.parse().unwrap_or(otherwise)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{client::Client, session::SessionEntry};
    use apostille_core::space::Space;

    fn path(text: &str) -> RepoPath {
        text.parse().unwrap()
    }

    fn entry(noted: &[(&str, Option<&str>)], judged: &[&str]) -> SessionEntry {
        let space = Space::repo("acme/app").unwrap();
        let at = Timestamp::UNIX_EPOCH;
        SessionEntry {
            noted: noted
                .iter()
                .map(|(it, before)| NotedFile {
                    path: path(it),
                    before: before.map(Into::into),
                })
                .collect(),
            judged: judged.iter().map(|it| path(it)).collect(),
            ..SessionEntry::new(at, "s", Client::Codex, space, Moment::Touch)
        }
    }

    fn due(entries: &[SessionEntry], edited_now: &[&str]) -> String {
        let lines: String = entries.iter().map(|it| it.to_json_line() + "\n").collect();
        let session = AgentSession::from_lines(&lines);
        let edited: Vec<RepoPath> = edited_now.iter().map(|it| path(it)).collect();
        let due = session.due_files(&edited, |_| "now".into());
        let names: Vec<&str> = due.iter().map(RepoPath::as_str).collect();
        names.join(" ")
    }

    #[test]
    fn a_file_is_judged_once_it_was_written_and_is_not_being_edited() {
        let check = |entries: &[SessionEntry], edited_now: &[&str], expected: &str| {
            assert_eq!(due(entries, edited_now), expected, "{entries:?}");
        };
        let after = entry(&[("a.rs", None), ("b.rs", None)], &[]);
        check(std::slice::from_ref(&after), &[], "a.rs b.rs");
        check(std::slice::from_ref(&after), &["a.rs"], "b.rs");
        check(&[after.clone(), entry(&[], &["a.rs"])], &[], "b.rs");
        // The same moment judges what was noted before, and notes anew.
        check(
            &[after.clone(), entry(&[("a.rs", None)], &["a.rs", "b.rs"])],
            &[],
            "a.rs",
        );
        check(&[entry(&[("a.rs", Some("now"))], &[])], &[], "");
        check(&[entry(&[("a.rs", Some("then"))], &[])], &[], "a.rs");
        check(&[after, entry(&[("a.rs", Some("now"))], &[])], &[], "b.rs");
    }

    #[test]
    fn the_latest_files_are_noted() {
        let many: Vec<SessionEntry> = (0..100)
            .map(|it| entry(&[(&format!("f{it}.rs"), None)], &[]))
            .collect();
        let due = due(&many, &[]);
        assert!(
            due.starts_with("f36.rs ") && due.ends_with(" f99.rs"),
            "{due}"
        );
    }
}
