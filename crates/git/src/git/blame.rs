//! Which commits wrote some lines of a file, as it stands in the commit that is checked out.
//!
//! The commit is asked, not the working tree: to read a file there, git would run the filters that a repository configures.

use std::collections::BTreeMap;

use apostille_cite::{
    citation::{LineSpan, RepoPath},
    source::SourceResult,
};

use super::{discover::Checkout, git_command, refs::is_object_id};

/// White space and moves within the file do not make a commit the author of a line.
const BLAME: [&str; 5] = ["blame", "--porcelain", "--no-textconv", "-w", "-M"];

/// Lines that one commit wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlamedLines {
    /// The commit.
    pub commit: String,
    /// The lines, counted from 1.
    pub lines: Vec<u32>,
    /// Whether an older commit may have written them that this clone lacks.
    pub is_cut_off: bool,
}

impl Checkout {
    /// The commits that wrote these lines of a file of this commit: those that wrote most of them first.
    pub fn blame_lines(
        &self,
        commit: &str,
        path: &RepoPath,
        lines: LineSpan,
    ) -> SourceResult<Vec<BlamedLines>> {
        if !is_object_id(commit) {
            return Ok(Vec::new());
        }
        let range = format!("-L{},{}", lines.first_line(), lines.last_line());
        let mut asked = BLAME.to_vec();
        asked.extend([range.as_str(), commit, "--", path.as_str()]);
        let told = git_command::run_git_query(self, &asked)?.unwrap_or_default();
        let is_incomplete = self.explain_missing_history().is_some();
        Ok(parse_blame(&told, is_incomplete))
    }
}

fn parse_blame(told: &str, is_incomplete: bool) -> Vec<BlamedLines> {
    let mut found: BTreeMap<&str, BlamedLines> = BTreeMap::new();
    let mut current = "";
    for line in told.lines() {
        if line.starts_with('\t') {
            continue;
        }
        if let Some((commit, number)) = parse_blame_head(line) {
            current = commit;
            let blamed = found.entry(commit).or_insert_with(|| BlamedLines {
                commit: commit.to_owned(),
                lines: Vec::new(),
                is_cut_off: false,
            });
            blamed.lines.push(number);
        } else if line == "boundary"
            && let Some(it) = found.get_mut(current)
        {
            it.is_cut_off = is_incomplete;
        }
    }
    let mut found: Vec<BlamedLines> = found.into_values().collect();
    found.sort_by_key(|it| (std::cmp::Reverse(it.lines.len()), it.lines.first().copied()));
    found
}

/// The commit of a line, and the line's number: `<commit> <line then> <line now> [<lines>]`.
fn parse_blame_head(line: &str) -> Option<(&str, u32)> {
    let mut words = line.split(' ');
    let commit = words.next().filter(|it| is_object_id(it))?;
    Some((commit, words.nth(1)?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blame_is_read_by_commit() {
        let (a, b) = ("a".repeat(40), "b".repeat(40));
        let told = format!(
            "{a} 1 1 1\nauthor {b} 1 1 1\nboundary\n\t{b} 9 9 9\n{b} 4 2 2\nsummary x\n\tlet x;\n{b} 5 3\n\tboundary\n"
        );
        let check = |is_incomplete: bool, expected: [(&str, &[u32], bool); 2]| {
            let found = parse_blame(&told, is_incomplete);
            let found = found
                .iter()
                .map(|it| (it.commit.as_str(), it.lines.as_slice(), it.is_cut_off));
            assert_eq!(found.collect::<Vec<_>>(), expected);
        };
        check(false, [(&b, &[2, 3], false), (&a, &[1], false)]);
        check(true, [(&b, &[2, 3], false), (&a, &[1], true)]);
    }
}
