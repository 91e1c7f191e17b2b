//! Where a reviewer's rule applies: in the folder that its comments were about, in files of one kind, or everywhere.

use std::fmt;

use apostille_cite::citation::RepoPath;

use super::list_remarks;
use crate::memory::Memory;

/// Where a rule applies.
///
/// It is derived from the comments each time, so that a second comment elsewhere widens it and a withdrawn one narrows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleScope<'m> {
    /// The folder; empty for the whole repository.
    pub folder: &'m str,
    /// The ending of the files, where it is for files of one kind wherever they are.
    pub ending: Option<&'m str>,
}

impl<'m> RuleScope<'m> {
    /// Where a memory applies by the comments that it rests on: everywhere where there is none, or one that names no file.
    #[must_use]
    pub fn of_memory(memory: &'m Memory) -> Self {
        let everywhere = Self {
            folder: "",
            ending: None,
        };
        let mut paths = Vec::new();
        for remark in list_remarks(memory) {
            match &remark.path {
                Some(path) => paths.push(path.as_str()),
                None => return everywhere,
            }
        }
        let Some((first, more)) = paths.split_first() else {
            return everywhere;
        };
        let folder = more.iter().fold(folder_of(first), |shared, it| {
            shared_folder(shared, folder_of(it))
        });
        let ending = ending_of(first).filter(|_| folder.is_empty());
        Self {
            folder,
            ending: ending.filter(|one| more.iter().all(|it| ending_of(it) == Some(*one))),
        }
    }

    /// Whether that is the whole repository.
    #[must_use]
    pub fn is_everywhere(&self) -> bool {
        self.folder.is_empty() && self.ending.is_none()
    }

    /// Whether a file is in it.
    #[must_use]
    pub fn covers(&self, path: &RepoPath) -> bool {
        let path = path.as_str();
        let below = path.strip_prefix(self.folder);
        let is_in =
            self.folder.is_empty() || below.is_some_and(|it| it.is_empty() || it.starts_with('/'));
        is_in && self.ending.is_none_or(|it| ending_of(path) == Some(it))
    }
}

impl fmt::Display for RuleScope<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match (self.folder, self.ending) {
            ("", None) => f.write_str("everywhere"),
            ("", Some(ending)) => write!(f, "*.{ending}"),
            (folder, _) => write!(f, "{folder}/"),
        }
    }
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |it| it.0)
}

fn ending_of(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next()?;
    name.rsplit_once('.').map(|it| it.1)
}

/// The folder that both are in.
fn shared_folder<'f>(a: &'f str, b: &str) -> &'f str {
    let mut end = 0;
    let mut at = 0;
    for (ours, theirs) in a.split('/').zip(b.split('/')) {
        if ours != theirs {
            break;
        }
        end = at + ours.len();
        at = end + 1;
    }
    a.get(..end).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_shared_by_whole_names() {
        let check = |a: &str, b: &str, expected: &str| {
            assert_eq!(shared_folder(a, b), expected, "{a} {b}");
        };
        check("src/api", "src/api", "src/api");
        check("src/api", "src/apis", "src");
        check("src/api", "src/api/v2", "src/api");
        check("src", "docs", "");
        check("", "docs", "");
    }
}
