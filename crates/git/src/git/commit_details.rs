//! All that one commit says of itself.

use apostille_cite::source::SourceResult;
use jiff::Timestamp;

use super::{discover::Checkout, git_command, refs::is_object_id};

/// Between the parts of a commit: no message that git keeps has it.
const PART: char = '\u{2}';
/// Its hash, its author by name and address, when it was written, when it was committed, what it says.
const FORMAT: &str = "--format=%H%x02%an%x02%ae%x02%at%x02%ct%x02%B%x02";
const SHOW_COMMIT: [&str; 11] = [
    "log",
    "--no-walk",
    "--first-parent",
    "-m",
    "--no-show-signature",
    "--no-notes",
    "--no-ext-diff",
    "--no-renames",
    "--name-only",
    "-z",
    FORMAT,
];

/// What a commit says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitDetails {
    /// The commit.
    pub commit: String,
    /// Who wrote it, by name and by address.
    pub author: String,
    /// The address.
    pub author_address: String,
    /// When it was written: a rebase leaves this as it was.
    pub written_at: Timestamp,
    /// When it was committed.
    pub committed_at: Timestamp,
    /// The whole message.
    pub text: String,
    /// The files that it changed, by name; of a merge, what it brought to the line of first parents.
    pub files: Vec<String>,
}

impl Checkout {
    /// What a commit says of itself.
    pub fn read_commit_details(&self, commit: &str) -> SourceResult<Option<CommitDetails>> {
        if !is_object_id(commit) {
            return Ok(None);
        }
        let mut asked = SHOW_COMMIT.to_vec();
        asked.extend([commit, "--"]);
        let told = git_command::run_git_query(self, &asked)?;
        Ok(told.as_deref().and_then(parse_commit_details))
    }
}

fn parse_commit_details(told: &str) -> Option<CommitDetails> {
    let mut parts = told.splitn(7, PART);
    let commit = parts.next().filter(|it| is_object_id(it))?.to_owned();
    let author = parts.next()?.to_owned();
    let author_address = parts.next()?.to_owned();
    let mut read_time = || Timestamp::from_second(parts.next()?.parse().ok()?).ok();
    let (written_at, committed_at) = (read_time()?, read_time()?);
    let text = parts.next()?.trim().to_owned();
    let files = parts.next()?.split(['\0', '\n']);
    Some(CommitDetails {
        commit,
        author,
        author_address,
        written_at,
        committed_at,
        text,
        files: files.filter(|it| !it.is_empty()).map(Into::into).collect(),
    })
}
