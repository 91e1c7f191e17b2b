//! Which repositories this user has memories of: what each is called, which commits its history begins with, and where its clones
//! are.
//!
//! A remote in `.git/config` is a claim, and an archive can claim anything. So the first clone of a repository is taken at its
//! word, and every later one has to share history with what is known; see [`repository_space`](crate::repository_space).

mod file;

use std::{
    fmt,
    path::{Path, PathBuf},
};

use apostille_core::space::Space;
use jiff::Timestamp;

pub use file::RepositoryFile;

/// How many clones of a repository are remembered; the latest.
const MAX_CLONES: usize = 64;
/// How many commits of a repository are remembered.
const MAX_COMMITS: usize = 32;

/// Every repository that is known, in the order of its name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownRepositories(pub Vec<KnownRepository>);

/// A repository that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownRepository {
    /// The name that its memories are kept under.
    pub space: Space,
    /// What the remotes of its clones call it: `host/owner/name`.
    pub remotes: Vec<Space>,
    /// Commits of its history: those that it begins with, as far as they were found in time.
    pub commits: Vec<String>,
    /// Whether its first commits are among them.
    pub has_roots: bool,
    /// Its clones on this machine.
    pub clones: Vec<KnownClone>,
    /// When it was first seen.
    pub since: Timestamp,
    /// How many memories of an older store, which did not know hosts, became its own.
    pub adopted: Option<u64>,
}

/// A clone on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownClone {
    /// Git's folder, which all working trees share.
    pub path: PathBuf,
    /// The number that the file system gave that folder: another folder in its place has another one.
    pub inode: Option<u64>,
    /// What its remote called the repository when the clone was seen.
    pub remote: Space,
}

/// A name that several repositories have.
#[derive(Debug, PartialEq, Eq)]
pub struct AmbiguousName {
    name: Space,
    candidates: Vec<Space>,
}

impl fmt::Display for AmbiguousName {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let names: Vec<&str> = self.candidates.iter().map(Space::as_str).collect();
        write!(
            f,
            "{} may be {}; say which one",
            self.name,
            names.join(" or ")
        )
    }
}

impl KnownRepositories {
    /// The repository that a remote names.
    pub fn find_by_remote(&self, remote: &Space) -> Option<&KnownRepository> {
        self.0.iter().find(|it| it.remotes.contains(remote))
    }

    /// The repository whose memories are kept under this name.
    pub fn find_by_space(&self, space: &Space) -> Option<&KnownRepository> {
        self.0.iter().find(|it| it.space == *space)
    }

    /// The repository that a clone was found to belong to, as long as it is the same folder with the same remote.
    pub fn find_by_clone(&self, clone: &KnownClone) -> Option<&KnownRepository> {
        self.0.iter().find(|it| it.clones.contains(clone))
    }

    /// The space that is meant by a name that a person typed, with or without the host.
    pub fn resolve_name(&self, name: &Space, here: &Space) -> Result<Space, AmbiguousName> {
        if here.is_called(name) {
            return Ok(here.clone());
        }
        resolve_space_name(name, self.0.iter().map(|it| &it.space))
    }

    /// Takes note of a clone, of what its remote calls the repository, and of its commits.
    pub fn note_clone(&mut self, noted: KnownRepository) {
        let Some(known) = self.0.iter_mut().find(|it| it.space == noted.space) else {
            self.0.push(noted);
            self.0.sort_by(|a, b| a.space.cmp(&b.space));
            return;
        };
        push_new(&mut known.remotes, noted.remotes, usize::MAX);
        push_new(&mut known.commits, noted.commits, MAX_COMMITS);
        known.has_roots |= noted.has_roots;
        let is_again = |it: &KnownClone| noted.clones.iter().any(|noted| noted.path == it.path);
        known.clones.retain(|it| !is_again(it));
        known.clones.extend(noted.clones);
        let n_over = known.clones.len().saturating_sub(MAX_CLONES);
        known.clones.drain(..n_over);
    }

    /// Forgets where a clone belongs. Whether it was known.
    pub fn remove_clone(&mut self, path: &Path) -> bool {
        let n_before: usize = self.0.iter().map(|it| it.clones.len()).sum();
        for known in &mut self.0 {
            known.clones.retain(|it| it.path != path);
        }
        n_before != self.0.iter().map(|it| it.clones.len()).sum::<usize>()
    }
}

impl KnownRepository {
    /// Whether another one's history begins elsewhere.
    pub(crate) fn has_other_history(&self, other: &Self) -> bool {
        let is_known = !self.commits.is_empty() && !other.commits.is_empty();
        is_known && !self.commits.iter().any(|it| other.commits.contains(it))
    }
}

/// The space that is meant by a name: the one that is called so, or the only one on any host. A name that nothing is called is
/// taken as it is.
pub fn resolve_space_name<'a>(
    name: &Space,
    known: impl Iterator<Item = &'a Space> + Clone,
) -> Result<Space, AmbiguousName> {
    if known.clone().any(|it| it == name) {
        return Ok(name.clone());
    }
    let mut candidates: Vec<Space> = known.filter(|it| it.is_called(name)).cloned().collect();
    match candidates.len() {
        0 => Ok(name.clone()),
        1 => Ok(candidates.swap_remove(0)),
        _ => Err(AmbiguousName {
            name: name.clone(),
            candidates,
        }),
    }
}

fn push_new<T: PartialEq>(list: &mut Vec<T>, more: Vec<T>, limit: usize) {
    for it in more {
        if list.len() < limit && !list.contains(&it) {
            list.push(it);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space(name: &str) -> Space {
        name.parse().unwrap()
    }

    pub(super) fn repository(name: &str, paths: &[&str]) -> KnownRepository {
        let clone = |path: &&str| KnownClone {
            path: path.into(),
            inode: Some(7),
            remote: space(name),
        };
        KnownRepository {
            space: space(name),
            remotes: vec![space(name)],
            commits: vec!["a".repeat(40)],
            has_roots: true,
            clones: paths.iter().map(clone).collect(),
            since: Timestamp::UNIX_EPOCH,
            adopted: None,
        }
    }

    #[test]
    fn names_without_host_mean_the_only_one() {
        let names = [
            "github.com/octo/app",
            "gitlab.com/octo/app",
            "github.com/octo/lib",
            "old/app",
        ];
        let known = KnownRepositories(names.map(|it| repository(it, &[])).to_vec());
        let check = |name: &str, here: &str, expected: &str| {
            let found = known.resolve_name(&space(name), &space(here));
            let found = found.map_or_else(|it| it.to_string(), |it| it.as_str().to_owned());
            assert_eq!(found, expected, "{name} in {here}");
        };
        let elsewhere = "local/x-01234567";
        check("octo/lib", elsewhere, "github.com/octo/lib");
        check("octo/app", "gitlab.com/octo/app", "gitlab.com/octo/app");
        check("gitlab.com/octo/app", elsewhere, "gitlab.com/octo/app");
        check("old/app", elsewhere, "old/app");
        check("new/app", elsewhere, "new/app");
        check(
            "octo/app",
            elsewhere,
            "octo/app may be github.com/octo/app or gitlab.com/octo/app; say which one",
        );
    }

    #[test]
    fn clone_that_is_noted_again_takes_its_own_place() {
        let mut known = KnownRepositories::default();
        known.note_clone(repository("github.com/octo/app", &["/a/.git", "/b/.git"]));
        let mut again = repository("github.com/octo/app", &["/a/.git"]);
        again.clones[0].inode = Some(8);
        known.note_clone(again.clone());
        assert_eq!(known.0.len(), 1);
        let paths = known.0[0]
            .clones
            .iter()
            .map(|it| (it.path.to_str().unwrap(), it.inode));
        assert_eq!(
            paths.collect::<Vec<_>>(),
            [("/b/.git", Some(7)), ("/a/.git", Some(8))]
        );
        assert!(known.find_by_clone(&again.clones[0]).is_some());
        let stale = &repository("github.com/octo/app", &["/a/.git"]).clones[0];
        assert!(
            known.find_by_clone(stale).is_none(),
            "another folder is there now"
        );
        assert!(known.remove_clone(Path::new("/a/.git")) && !known.remove_clone(Path::new("/a")));
    }
}
