//! The sessions that made a commit: by its task, or by when it was written and what it changed.
//!
//! A commit does not name its session. What is told of it goes by evidence that seldom lies: the task in its trailer, the time
//! at which it was written, which a rebase leaves as it was, and the files. Two people may change one file in the same hour,
//! so the time counts for nothing where somebody else wrote the commit.

use std::collections::BTreeSet;

use apostille_cite::citation::RepoPath;
use apostille_core::archive::ArchiveRecord;
use apostille_text::words::words;
use jiff::{SignedDuration, Timestamp};

use crate::session::AgentSession;

/// How long after the last word of a session a commit is still of it.
const AFTERWARDS: SignedDuration = SignedDuration::from_mins(30);
/// How long after it, where it changed every file of the commit.
const LATER: SignedDuration = SignedDuration::from_hours(24);
/// How many sessions are told of one commit.
const MAX_SESSIONS: usize = 2;

words! {
    /// What says that a session made a commit, the strongest first.
    OriginBasis as "basis" {
        /// The task of both, while the session went on.
        TaskAndTime = "task and time",
        /// The task of both, and the files.
        TaskAndFiles = "task and files",
        /// The files, while the session went on.
        TimeAndFiles = "time and files",
        /// All files of the commit, which was written within a day after the session.
        FilesThenTime = "files, committed later",
    }
}

/// What is known of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitFacts<'a> {
    /// When it was written.
    pub written_at: Timestamp,
    /// The files that it changed.
    pub paths: BTreeSet<RepoPath>,
    /// The task in its trailer.
    pub task: Option<&'a str>,
    /// The sessions in the record of that task.
    pub task_sessions: BTreeSet<String>,
    /// Whether somebody else wrote it than the person whose sessions these are.
    pub is_by_other: bool,
}

/// What is known of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionTrace {
    /// The session, by the client's name for it.
    pub name: String,
    /// The client.
    pub client: Option<String>,
    /// When it began and ended.
    pub started_at: Timestamp,
    /// When it ended.
    pub ended_at: Timestamp,
    /// The task it was about.
    pub task: Option<String>,
    /// The files that were changed in it.
    pub paths: BTreeSet<RepoPath>,
}

impl SessionTrace {
    /// A session as the archive has it.
    pub fn from_record(it: &ArchiveRecord) -> Self {
        Self {
            name: it.name.clone(),
            client: it.author.clone(),
            started_at: it.started_at,
            ended_at: it.ended_at,
            task: it.task.clone(),
            paths: it.paths.clone(),
        }
    }

    /// A session as its hooks saw it; `None` for one without a moment.
    pub fn from_session(it: &AgentSession) -> Option<Self> {
        let (first, last) = (it.entries.first()?, it.entries.last()?);
        let noted = it.entries.iter().flat_map(|it| &it.noted);
        Some(Self {
            name: first.session.clone(),
            client: Some(first.client.to_string()),
            started_at: first.at,
            ended_at: last.at,
            task: None,
            paths: noted.map(|it| it.path.clone()).collect(),
        })
    }

    /// The same session as two saw it.
    #[must_use]
    pub fn merge(mut self, other: Self) -> Self {
        self.paths.extend(other.paths);
        Self {
            started_at: self.started_at.min(other.started_at),
            ended_at: self.ended_at.max(other.ended_at),
            client: self.client.or(other.client),
            task: self.task.or(other.task),
            ..self
        }
    }

    fn find_basis(&self, commit: &CommitFacts<'_>) -> Option<OriginBasis> {
        let at = commit.written_at;
        let has_shared = !self.paths.is_disjoint(&commit.paths);
        let has_all = !commit.paths.is_empty() && commit.paths.is_subset(&self.paths);
        let is_begun = self.started_at <= at;
        let is_during = is_begun && at <= self.ended_at + AFTERWARDS;
        let is_of_other_task = commit.task.is_some() && self.task.is_some();
        let is_same_task = commit.task.is_some() && self.task.as_deref() == commit.task
            || commit.task_sessions.contains(&self.name);
        match is_same_task {
            true if is_during => Some(OriginBasis::TaskAndTime),
            true if is_begun && has_shared => Some(OriginBasis::TaskAndFiles),
            true => None,
            false if commit.is_by_other || is_of_other_task => None,
            false if is_during && has_shared => Some(OriginBasis::TimeAndFiles),
            false if is_begun && has_all && at <= self.ended_at + LATER => {
                Some(OriginBasis::FilesThenTime)
            }
            false => None,
        }
    }
}

/// The sessions that made a commit, and what says so: only those for which the strongest evidence speaks, those that share most
/// files first.
pub fn find_origin_sessions<'s>(
    commit: &CommitFacts<'_>,
    sessions: &'s [SessionTrace],
) -> Vec<(&'s SessionTrace, OriginBasis)> {
    let rank = |it: OriginBasis| OriginBasis::ALL.iter().position(|basis| *basis == it);
    let found = sessions
        .iter()
        .filter_map(|it| Some((it, it.find_basis(commit)?)));
    let mut found: Vec<_> = found.collect();
    let best = found.iter().map(|it| rank(it.1)).min().flatten();
    found.retain(|it| rank(it.1) == best);
    let shared = |it: &SessionTrace| it.paths.intersection(&commit.paths).count();
    found.sort_by_key(|(it, _)| {
        let distance = commit.written_at.duration_since(it.ended_at).abs();
        (std::cmp::Reverse(shared(it)), distance, it.name.clone())
    });
    found.truncate(MAX_SESSIONS);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_paths(names: &str) -> BTreeSet<RepoPath> {
        let names = names.split_whitespace();
        names.map(|it| it.parse().unwrap()).collect()
    }

    /// A session: its name, from and to in minutes, its task or `-`, its files.
    fn read_trace(line: &str) -> SessionTrace {
        let mut words = line.split_whitespace();
        let name = words.next().unwrap().to_owned();
        let mut read_time =
            || Timestamp::from_second(words.next().unwrap().parse::<i64>().unwrap() * 60).unwrap();
        let (started_at, ended_at) = (read_time(), read_time());
        let task = words.next().filter(|it| *it != "-").map(str::to_owned);
        let paths = read_paths(&words.collect::<Vec<_>>().join(" "));
        SessionTrace {
            name,
            client: None,
            started_at,
            ended_at,
            task,
            paths,
        }
    }

    /// A commit after 100 minutes that changed `a` and `b`.
    fn check(task: Option<&str>, is_by_other: bool, sessions: &[&str], expected: &str) {
        let commit = CommitFacts {
            written_at: Timestamp::from_second(6_000).unwrap(),
            paths: read_paths("a b"),
            task,
            task_sessions: task.map(|_| "kept".to_owned()).into_iter().collect(),
            is_by_other,
        };
        let sessions: Vec<SessionTrace> = sessions.iter().map(|it| read_trace(it)).collect();
        let found = find_origin_sessions(&commit, &sessions);
        let found = found
            .iter()
            .map(|(it, basis)| format!("{}: {basis}", it.name));
        assert_eq!(
            found.collect::<Vec<_>>().join(", "),
            expected,
            "{sessions:?}"
        );
    }

    #[test]
    fn session_of_a_commit_is_known_by_task_time_and_files() {
        check(None, false, &["s 90 110 - a"], "s: time and files");
        check(None, false, &["s 60 80 - a"], "s: time and files");
        // Neither the time alone nor the files alone.
        check(None, false, &["s 90 110 - c"], "");
        check(None, false, &["s 10 20 - a"], "");
        check(None, false, &["s 110 120 - a b"], "");
        // A day later only where it changed everything.
        check(None, false, &["s 10 20 - a b"], "s: files, committed later");
        // Somebody else's commit goes by its task alone.
        check(None, true, &["s 90 110 - a b"], "");
        check(Some("t"), true, &["s 90 110 t a"], "s: task and time");
        check(Some("t"), false, &["s 10 20 t a"], "s: task and files");
        check(Some("t"), false, &["s 10 20 t c"], "");
        check(Some("t"), false, &["kept 90 95 - c"], "kept: task and time");
        check(Some("t"), false, &["s 90 110 other a b"], "");
        // Only the strongest evidence speaks; of equals those that share most files come first.
        check(
            Some("t"),
            false,
            &["s 90 110 - a b", "r 90 110 t a"],
            "r: task and time",
        );
        check(
            None,
            false,
            &["s 90 110 - a", "r 90 110 - a b", "q 90 110 - b"],
            "r: time and files, q: time and files",
        );
    }
}
