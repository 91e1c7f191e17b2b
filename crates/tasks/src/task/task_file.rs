//! Free files of a task, such as its plan or a prompt, and their revisions. A gate has the name, the number and why it was
//! revised; the words are in files beside the gates.

use std::{fmt, str::FromStr};

use jiff::Timestamp;

/// The longest name.
const MAX_NAME: usize = 60;
/// The folders beside the files.
const RESERVED: [&str; 2] = ["observability", "revisions"];
/// The longest text of why a file was revised, in characters.
pub const WHY_CHARS: usize = 200;
/// The largest file.
pub const MAX_FILE_BYTES: u64 = 256 * 1024;
/// How many files a task has at most.
pub const MAX_TASK_FILES: usize = 50;
/// How many revisions a file has at most.
pub const MAX_REVISIONS: usize = 500;

/// The name of a file of a task: letters, digits, dots, dashes and underscores; one part of a path on every system.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TaskFileName(String);

/// Text that is no name of a file of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "not the name of a task's file: write letters, digits, '.', '-' and '_', such as plan.md, at most {MAX_NAME} of them"
)]
pub struct BadTaskFileName;

impl TaskFileName {
    /// As text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TaskFileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl FromStr for TaskFileName {
    type Err = BadTaskFileName;

    fn from_str(text: &str) -> Result<Self, BadTaskFileName> {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        let begins_well = text.starts_with(|c: char| c.is_ascii_alphanumeric());
        let is_name = begins_well
            && text.len() <= MAX_NAME
            && text.chars().all(is_part)
            && !text.ends_with('.')
            && !RESERVED.contains(&text);
        if is_name {
            Ok(Self(text.to_owned()))
        } else {
            Err(BadTaskFileName)
        }
    }
}

/// A revision, as a gate tells of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRevision {
    /// Which file.
    pub name: TaskFileName,
    /// Which revision, from 1.
    pub number: u32,
    /// Why it was revised.
    pub why: Option<String>,
}

/// A file of a task, with its revisions in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskFile {
    /// Its name.
    pub name: TaskFileName,
    /// When each revision was written, and why.
    pub revisions: Vec<(Timestamp, FileRevision)>,
}

impl TaskFile {
    /// The last revision.
    pub fn last(&self) -> Option<&FileRevision> {
        self.revisions.last().map(|it| &it.1)
    }
}

/// Adds a revision to the files of a task. One that stands there twice, as after a merge, counts once.
pub(super) fn add_revision(files: &mut Vec<TaskFile>, at: Timestamp, revision: &FileRevision) {
    let known = files.iter().position(|it| it.name == revision.name);
    let Some(known) = known else {
        if files.len() < MAX_TASK_FILES {
            files.push(TaskFile {
                name: revision.name.clone(),
                revisions: vec![(at, revision.clone())],
            });
        }
        return;
    };
    let revisions = &mut files[known].revisions;
    let is_new = revisions.iter().all(|it| it.1.number != revision.number);
    if is_new && revisions.len() < MAX_REVISIONS {
        revisions.push((at, revision.clone()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn task_file_name_is_one_part_of_a_path() {
        for text in ["plan.md", "prompt-2.txt", "A_b"] {
            assert_eq!(
                text.parse().map(|it: TaskFileName| it.to_string()),
                Ok(text.into())
            );
        }
        let long = "x".repeat(61);
        for text in [
            "",
            ".",
            "..",
            ".git",
            "a/b",
            "a\\b",
            "a b",
            "a.",
            "ü.md",
            "revisions",
            &long,
        ] {
            assert_eq!(text.parse::<TaskFileName>(), Err(BadTaskFileName), "{text}");
        }
    }
}
