//! What commits say, and which files they changed.

use apostille_cite::source::SourceResult;
use jiff::Timestamp;

use super::{discover::Checkout, git_command, refs::is_object_id};

/// Between commits, and between the parts of one: no message that git keeps has them.
const COMMIT: char = '\u{1}';
const PART: char = '\u{2}';
/// The parts of a commit: its hash, its author, when, and what it says.
const FORMAT: &str = "--format=%x01%H%x02%an%x02%ct%x02%B%x02";

/// How many commits git is asked about at once.
const COMMITS_AT_ONCE: usize = 100;
const SHOW_ADDED: [&str; 11] = [
    "log",
    "--no-walk=unsorted",
    "--no-show-signature",
    "--no-notes",
    "--no-ext-diff",
    "--no-textconv",
    "--no-renames",
    "--no-color",
    "--patch",
    "--unified=0",
    "--format=%x01%H",
];

/// The lines that a commit added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddedLines {
    /// The commit.
    pub commit: String,
    /// The lines.
    pub text: String,
}

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

    /// The lines that commits added, without those of files that are no text, in the order of the commits.
    pub fn read_added_lines(&self, commits: &[String]) -> SourceResult<Vec<AddedLines>> {
        let mut added = Vec::new();
        for commits in commits.chunks(COMMITS_AT_ONCE) {
            let mut log = SHOW_ADDED.to_vec();
            log.extend(
                commits
                    .iter()
                    .map(String::as_str)
                    .filter(|it| is_object_id(it)),
            );
            log.push("--");
            let told = git_command::run_git_query(self, &log)?.unwrap_or_default();
            added.extend(told.split(COMMIT).filter_map(parse_added_lines));
        }
        Ok(added)
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

/// The hunks of a patch without context: what is added has a plus before it, and so has the name of the file.
fn parse_added_lines(told: &str) -> Option<AddedLines> {
    let (commit, patch) = told.split_once('\n').unwrap_or((told, ""));
    let is_added = |it: &&str| it.starts_with('+') && !it.starts_with("+++ ");
    let lines = patch.lines().filter(is_added).map(|it| &it[1..]);
    is_object_id(commit).then(|| AddedLines {
        commit: commit.to_owned(),
        text: lines.collect::<Vec<_>>().join("\n"),
    })
}
