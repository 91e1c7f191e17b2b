//! The commits that were made in a session, by what git printed.

use super::calls::SeenCall;

/// What makes a commit.
const MAKERS: [&str; 4] = ["commit", "merge", "cherry-pick", "revert"];
/// How much of a hash is kept.
const HASH_CHARS: usize = 10;

/// A commit that was seen to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SeenCommit {
    /// The beginning of its hash, where git printed it.
    pub(super) hash: Option<String>,
    /// Its subject, where the agent had read nothing from outside.
    pub(super) subject: Option<String>,
}

/// The commits in their order; one that was amended is told as it is now.
pub(super) fn list_seen_commits(calls: &[SeenCall<'_>]) -> Vec<SeenCommit> {
    let mut commits: Vec<SeenCommit> = Vec::new();
    let makers = |it: &&SeenCall<'_>| MAKERS.iter().any(|deed| it.is_git(deed));
    for it in calls.iter().filter(makers) {
        let lines = it.printed.unwrap_or_default().lines();
        let mut made: Vec<SeenCommit> = lines.filter_map(read_commit_line).collect();
        if made.is_empty() && it.is_git("commit") && it.outcome == Some(true) {
            made.push(SeenCommit {
                hash: None,
                subject: None,
            });
        }
        if it.is_foreign {
            made.iter_mut().for_each(|it| it.subject = None);
        }
        if it.call.input.contains("--amend") && !made.is_empty() {
            commits.pop();
        }
        commits.extend(made);
    }
    commits
}

/// `[main 1a2b3c4] subject`, `[main (root-commit) 1a2b3c4] subject`.
fn read_commit_line(line: &str) -> Option<SeenCommit> {
    let (place, subject) = line.trim().strip_prefix('[')?.split_once("] ")?;
    let (_, hash) = place.rsplit_once(' ')?;
    let is_hash = (7..=40).contains(&hash.len()) && hash.bytes().all(|it| it.is_ascii_hexdigit());
    is_hash.then(|| SeenCommit {
        hash: Some(hash.chars().take(HASH_CHARS).collect()),
        subject: Some(subject.to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commit_line_is_what_git_prints() {
        let check = |line: &str, expected: Option<(&str, &str)>| {
            let read = read_commit_line(line);
            let read = read.as_ref().map(|it| {
                let text = |it: &Option<String>| it.clone().unwrap_or_default();
                (text(&it.hash), text(&it.subject))
            });
            let expected = expected.map(|it| (it.0.to_owned(), it.1.to_owned()));
            assert_eq!(read, expected, "{line}");
        };
        check(
            "[main 1a2b3c4] fix: a race",
            Some(("1a2b3c4", "fix: a race")),
        );
        check(
            "[main (root-commit) 1a2b3c4] first",
            Some(("1a2b3c4", "first")),
        );
        check("[detached HEAD 1a2b3c4d] x", Some(("1a2b3c4d", "x")));
        check("[main] fix", None);
        check("[INFO 12345] building", None);
    }
}
