//! What commits say, and which files they changed.

use apostille_cite::source::SourceResult;
use jiff::Timestamp;

use super::{discover::Checkout, git_command, refs::is_object_id};

/// Between commits, and between the parts of one: no message that git keeps has them.
const COMMIT: char = '\u{1}';
const PART: char = '\u{2}';
/// The parts of a commit: its hash, its author, when, and what it says.
const FORMAT: &str = "--format=%x01%H%x02%an%x02%ct%x02%B%x02";

/// What a commit says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitMessage {
    /// The commit.
    pub commit: String,
    /// Who wrote it, by the name in it.
    pub author: String,
    /// When it was committed.
    pub at: Timestamp,
    /// The whole message.
    pub text: String,
    /// The files that it changed, by name.
    pub files: Vec<String>,
}

impl Checkout {
    /// The messages of the commits that led to this one since another, the newest first, at most so many; merges are left out.
    pub fn read_commit_messages(
        &self,
        since: Option<&str>,
        head: &str,
        most: usize,
    ) -> SourceResult<Vec<CommitMessage>> {
        if !is_object_id(head) {
            return Ok(Vec::new());
        }
        let range = match since.filter(|it| is_object_id(it)) {
            Some(since) => format!("{since}..{head}"),
            None => head.to_owned(),
        };
        let most = format!("--max-count={most}");
        let log = [
            "log",
            "--no-merges",
            "--no-show-signature",
            "--no-notes",
            "--no-ext-diff",
            "--no-renames",
            "--name-only",
            "-z",
            FORMAT,
            &most,
            &range,
            "--",
        ];
        let told = git_command::run_git_query(self, &log)?.unwrap_or_default();
        Ok(told.split(COMMIT).filter_map(parse_commit).collect())
    }

    /// Whether a commit is part of the history of another.
    pub fn is_ancestor(&self, commit: &str, of: &str) -> SourceResult<bool> {
        if !is_object_id(commit) || !is_object_id(of) {
            return Ok(false);
        }
        let asked = ["merge-base", "--is-ancestor", commit, of];
        Ok(git_command::run_git_query(self, &asked)?.is_some())
    }
}

fn parse_commit(told: &str) -> Option<CommitMessage> {
    let mut parts = told.splitn(5, PART);
    let commit = parts.next().filter(|it| is_object_id(it))?;
    let author = parts.next()?;
    let at = parts.next()?.parse().ok()?;
    let text = parts.next()?;
    let files = parts.next()?.split(['\0', '\n']);
    Some(CommitMessage {
        commit: commit.to_owned(),
        author: author.to_owned(),
        at: Timestamp::from_second(at).ok()?,
        text: text.trim().to_owned(),
        files: files.filter(|it| !it.is_empty()).map(Into::into).collect(),
    })
}
