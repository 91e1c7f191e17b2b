//! Whose memory belongs to a checkout. Its remote claims a name; that counts once the checkout is known to be of that repository.
//!
//! The first clone of a name is taken at its word. A later one has to share history with what is known: one of the commits that
//! the history begins with, or its own first commits in a clone that is known, which also serves shallow clones. One that
//! shares nothing is kept apart, under a name for its folder, until a person links it (`apostille spaces link`). So an archive
//! whose `.git/config` claims somebody's remote reads and writes nothing of theirs.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use apostille_cite::source::SourceResult;
use apostille_core::{
    space::Space,
    speaker::Person,
    store::{MemoryFilter, Store, StoreError},
};
use apostille_git::git::Checkout;

use crate::{
    error::CommandError,
    known_repositories::{KnownClone, KnownRepositories, KnownRepository, RepositoryFile},
    project_folder::ProjectFolder,
    system::System,
};

/// How long a command looks for the first commits of a repository; and a hook, which has to answer at once.
pub(crate) const PATIENCE: Duration = Duration::from_secs(3);
const HOOK_PATIENCE: Duration = Duration::from_millis(60);
/// How many clones are asked whether they know the commits of another, the latest first.
const MAX_ASKED: usize = 5;
/// How many memories of an older store are looked at for the commits that they cite.
const MAX_OLD: usize = 200;

/// Whose memory belongs to a checkout, and why.
#[derive(Debug, Clone, Default)]
pub struct RepositoryContact {
    /// What is to be noted of the repository, once a store is opened for it.
    pub noted: Option<KnownRepository>,
    /// The space that the remote claims, where the checkout shares no history with what is known of it.
    pub kept_apart_from: Option<Space>,
    /// The name without the host, where an older store has memories under it that cite no commit of this checkout.
    pub left_behind: Option<Space>,
    /// Whether the checkout is of the repository in play, which may be named on the command line.
    pub is_here: bool,
    /// Whether nothing was known of its remote.
    is_first: bool,
}

/// What the settings say about whose memory is meant.
pub(crate) struct RepositoryRequest<'a> {
    /// The name that a person gave, on the command line, in the environment or in their own file.
    pub(crate) typed: Option<&'a Space>,
    /// Whether the memories lie in the repository itself.
    pub(crate) is_in_repository: bool,
    /// Opens the store, if there is one.
    pub(crate) open_store: &'a dyn Fn() -> Result<Option<Box<dyn Store>>, StoreError>,
}

/// Decides the repository's space, once the other settings are known.
pub(crate) fn settle_repository_space(
    system: &System,
    place: &ProjectFolder,
    asked: &RepositoryRequest,
) -> Result<(Space, RepositoryContact), CommandError> {
    let known = match RepositoryFile::for_user(system) {
        Some(file) => file.read_repositories()?,
        None => KnownRepositories::default(),
    };
    let (here, mut contact) = find_checkout_space(system, place, asked, &known)?;
    let Some(typed) = asked.typed else {
        contact.is_here = place.checkout.is_some();
        return Ok((here, contact));
    };
    let typed = if asked.is_in_repository {
        // In a repository's own store, names have no host.
        typed.short_name().parse().map_err(CommandError::internal)?
    } else {
        let typed = known.resolve_name(typed, &here);
        typed.map_err(|error| CommandError::usage(error.to_string()))?
    };
    if contact.kept_apart_from.as_ref() == Some(&typed) {
        let fault = format!("this checkout shares no history with {}", typed.as_str());
        return Err(CommandError::usage(fault)
            .with_hint("if it is the same repository: apostille spaces link"));
    }
    contact.is_here = typed == here || is_clone_of(system, place, &known, &typed);
    Ok((typed, contact))
}

/// Whether a checkout claims a remote that is known, and shares no history with it.
pub(crate) fn is_claim_refuted(
    system: &System,
    place: &ProjectFolder,
) -> Result<bool, CommandError> {
    let (Some(checkout), Some(file)) = (&place.checkout, RepositoryFile::for_user(system)) else {
        return Ok(false);
    };
    let (known, claimed) = (file.read_repositories()?, place.space()?);
    let clone = describe_clone(checkout, &claimed);
    if known.find_by_clone(&clone).is_some() {
        return Ok(false);
    }
    let repository = known.find_by_remote(&claimed);
    let seeker = ContactSeeker {
        system,
        checkout,
        clone,
        claimed,
    };
    Ok(repository.is_some_and(|it| !seeker.shares_history(it)))
}

/// Whether a checkout is of a repository that it is not called by its first remote, such as the one that it was forked from. A
/// remote alone proves nothing.
fn is_clone_of(
    system: &System,
    place: &ProjectFolder,
    known: &KnownRepositories,
    space: &Space,
) -> bool {
    let Some(checkout) = &place.checkout else {
        return false;
    };
    let seeker = ContactSeeker {
        clone: describe_clone(checkout, space),
        checkout,
        claimed: space.clone(),
        system,
    };
    let is_known = known.find_by_space(space);
    checkout.can_be_called(space.as_str()) && is_known.is_none_or(|it| seeker.shares_history(it))
}

fn find_checkout_space(
    system: &System,
    place: &ProjectFolder,
    asked: &RepositoryRequest,
    known: &KnownRepositories,
) -> Result<(Space, RepositoryContact), CommandError> {
    let claimed = place.space()?;
    let Some(checkout) = &place.checkout else {
        return Ok((claimed, RepositoryContact::default()));
    };
    if checkout.identity().host.is_empty() || asked.is_in_repository {
        // A store that lies in the repository holds its own memories and no others, whatever its remote is called.
        let space = place.space_without_host()?;
        return Ok((space, RepositoryContact::default()));
    }
    let seeker = ContactSeeker {
        clone: describe_clone(checkout, &claimed),
        checkout,
        claimed,
        system,
    };
    seeker.find_contact(known, asked)
}

/// A clone as it is remembered. A working tree that git's folder does not know stands for itself.
pub(crate) fn describe_clone(checkout: &Checkout, remote: &Space) -> KnownClone {
    let path = match checkout.root() {
        Some(root) if !checkout.owns_working_tree() => root,
        _ => checkout.common_dir(),
    };
    KnownClone {
        path: path.to_path_buf(),
        inode: read_inode(path),
        remote: remote.clone(),
    }
}

#[cfg(unix)]
fn read_inode(path: &Path) -> Option<u64> {
    use std::os::unix::fs::MetadataExt as _;
    path.metadata().ok().map(|it| it.ino())
}

#[cfg(not(unix))]
fn read_inode(_: &Path) -> Option<u64> {
    None
}

struct ContactSeeker<'a> {
    system: &'a System,
    checkout: &'a Checkout,
    clone: KnownClone,
    /// What the remote calls the repository.
    claimed: Space,
}

impl ContactSeeker<'_> {
    fn find_contact(
        self,
        known: &KnownRepositories,
        asked: &RepositoryRequest,
    ) -> Result<(Space, RepositoryContact), CommandError> {
        if let Some(repository) = known.find_by_clone(&self.clone) {
            let is_incomplete = !repository.has_roots && !self.system.is_hurried;
            let noted = is_incomplete.then(|| self.describe_repository(&repository.space));
            return Ok(settle(&repository.space, noted));
        }
        match known.find_by_remote(&self.claimed) {
            Some(repository) if self.shares_history(repository) => {
                let noted = self.describe_repository(&repository.space);
                Ok(settle(&repository.space, Some(noted)))
            }
            Some(repository) => {
                let contact = RepositoryContact {
                    kept_apart_from: Some(repository.space.clone()),
                    ..RepositoryContact::default()
                };
                Ok((ProjectFolder::name_clone(&self.clone.path)?, contact))
            }
            None => self.meet_first(known, asked),
        }
    }

    /// A remote that nothing is known of: taken at its word. What an older store kept under the name without the host is its
    /// own, if it cites commits that are here.
    fn meet_first(
        &self,
        known: &KnownRepositories,
        asked: &RepositoryRequest,
    ) -> Result<(Space, RepositoryContact), CommandError> {
        let old = Space::repo(&self.checkout.identity().path).map_err(CommandError::internal)?;
        let is_free = known.find_by_space(&old).is_none();
        let found = if is_free {
            // A store that cannot be opened is told of when it is: nothing is noted before.
            match self.find_old_memories(asked, &old) {
                Ok(found) => found,
                Err(_) => return Ok(settle(&self.claimed, None)),
            }
        } else {
            None
        };
        let (space, adopted) = match found {
            Some(OldMemories {
                n_kept,
                is_own: true,
            }) => (&old, Some(n_kept)),
            _ => (&self.claimed, None),
        };
        let noted = KnownRepository {
            adopted,
            ..self.describe_repository(space)
        };
        let (space, contact) = settle(space, Some(noted));
        let (left_behind, is_first) = (found.filter(|it| !it.is_own).map(|_| old), true);
        Ok((
            space,
            RepositoryContact {
                left_behind,
                is_first,
                ..contact
            },
        ))
    }

    fn describe_repository(&self, space: &Space) -> KnownRepository {
        let commits = self.list_first_commits();
        KnownRepository {
            space: space.clone(),
            remotes: vec![self.claimed.clone()],
            has_roots: !self.system.is_hurried && !commits.is_empty(),
            commits,
            clones: vec![self.clone.clone()],
            since: self.system.now,
            adopted: None,
        }
    }

    fn patience(&self) -> Duration {
        choose_patience(self.system)
    }

    /// The commits that the history begins with; where git cannot be asked, the one that is checked out.
    fn list_first_commits(&self) -> Vec<String> {
        let first = self.checkout.list_first_commits(self.patience());
        let head = || self.checkout.read_head().ok()?.commit;
        first.unwrap_or_else(|_| head().into_iter().collect())
    }

    fn shares_history(&self, repository: &KnownRepository) -> bool {
        // What the history of another folder proves, it proves for that folder.
        if !self.checkout.owns_working_tree() || !self.checkout.has_own_objects() {
            return false;
        }
        let patience = self.patience();
        if holds(self.checkout.has_any_commit(&repository.commits, patience)) {
            return true;
        }
        let mut own = self.list_first_commits();
        own.extend(self.checkout.read_head().ok().and_then(|it| it.commit));
        own.retain(|it| {
            holds(
                self.checkout
                    .has_any_commit(std::slice::from_ref(it), patience),
            )
        });
        let latest = repository.clones.iter().rev().take(MAX_ASKED);
        let others: Vec<Checkout> = latest.filter_map(open_known_clone).collect();
        // Before its first commit a repository has nothing that could be compared.
        let is_unborn = repository.commits.is_empty()
            && others
                .iter()
                .all(|it| it.read_head().is_ok_and(|it| it.commit.is_none()));
        is_unborn
            || others
                .iter()
                .any(|it| holds(it.has_any_commit(&own, patience)))
    }

    /// What an older store has under this name. It is of this repository if one of the commits that it cites is here, or if it
    /// cites none.
    fn find_old_memories(
        &self,
        asked: &RepositoryRequest,
        old: &Space,
    ) -> Result<Option<OldMemories>, StoreError> {
        let Some(store) = (asked.open_store)()? else {
            return Ok(None);
        };
        if !store.list_spaces()?.contains(old) {
            return Ok(None);
        }
        let commits = list_cited_commits(&*store, old)?;
        let has_commit = || {
            let is_here = self.checkout.has_any_commit(&commits, self.patience());
            self.checkout.has_own_objects() && holds(is_here)
        };
        let is_own = commits.is_empty() || has_commit();
        let n_kept = store.summarize_space(old)?.memories.values().sum();
        Ok(Some(OldMemories { n_kept, is_own }))
    }
}

/// What a store has of a repository from before hosts were part of the name.
#[derive(Debug, Clone, Copy)]
struct OldMemories {
    n_kept: u64,
    is_own: bool,
}

/// How long git and other processes are waited for.
fn choose_patience(system: &System) -> Duration {
    if system.is_hurried {
        HOOK_PATIENCE
    } else {
        PATIENCE
    }
}

fn settle(space: &Space, noted: Option<KnownRepository>) -> (Space, RepositoryContact) {
    let contact = RepositoryContact {
        noted,
        ..RepositoryContact::default()
    };
    (space.clone(), contact)
}

/// Whether git was able to tell, and said yes.
fn holds(answer: SourceResult<bool>) -> bool {
    answer.unwrap_or(false)
}

fn list_cited_commits(store: &dyn Store, space: &Space) -> Result<Vec<String>, StoreError> {
    let filter = MemoryFilter {
        spaces: vec![space.clone()],
        limit: MAX_OLD,
        ..MemoryFilter::default()
    };
    let memories = store.list_memories(&filter)?;
    let citations = memories.into_iter().flat_map(|it| it.citations);
    let mut commits: Vec<String> = citations.filter_map(|it| it.commit).collect();
    commits.sort();
    commits.dedup();
    Ok(commits)
}

/// The checkout of a clone that is known, if it is still the same folder.
fn open_known_clone(clone: &KnownClone) -> Option<Checkout> {
    let checkout = Checkout::discover(&clone.path).ok()??;
    let is_same = checkout.common_dir() == clone.path && read_inode(&clone.path) == clone.inode;
    is_same.then_some(checkout)
}

impl RepositoryContact {
    /// Writes down what was found, for the next clone. A store is open now, so there is something to guard. That it cannot be
    /// written, on a full disk or behind another process, is not a reason to refuse memory here.
    ///
    /// Two checkouts may meet a name at the same time. The one that is written down first has it; the name that the other one is
    /// kept apart under is returned.
    pub(crate) fn record(&mut self, system: &System, has_store: bool) -> Option<Space> {
        let (noted, file) = (self.noted.clone()?, RepositoryFile::for_user(system)?);
        if !has_store {
            return None;
        }
        let patience = choose_patience(system);
        let (draw, is_first) = (system.random_source()(), self.is_first);
        let lost = file.update_repositories(draw, patience, |known| {
            let owner = known.find_by_remote(noted.remotes.first()?);
            let is_other = |it: &KnownRepository| it.has_other_history(&noted);
            if let Some(owner) = owner.filter(|it| is_first && is_other(it)) {
                return Some(owner.space.clone());
            }
            known.note_clone(noted.clone());
            None
        });
        let owner = lost.ok()??;
        let apart = ProjectFolder::name_clone(&noted.clones.first()?.path).ok()?;
        self.kept_apart_from = Some(owner);
        Some(apart)
    }
}

impl RepositoryContact {
    /// What a person is told of a checkout that is kept apart.
    pub fn describe_separation(&self) -> Option<String> {
        if let Some(old) = &self.left_behind {
            return Some(format!(
                "note: memories of {old} are kept from before hosts were part of the name, and no commit that they cite is here. \
                 If they are this repository's: apostille spaces link {old}\n"
            ));
        }
        let claimed = self.kept_apart_from.as_ref()?;
        Some(format!(
            "note: the remote of this checkout is {}, but it shares no history with the checkouts of it that are known, so its \
             memories are kept apart. If it is the same repository: apostille spaces link\n",
            claimed.as_str()
        ))
    }
}

/// A checkout that is linked to a space by a person.
#[derive(Debug)]
pub struct CloneLink {
    noted: KnownRepository,
    path: PathBuf,
    checkout: Checkout,
}

impl CloneLink {
    /// The link of this checkout to a space; to the one that its remote claims unless one is named.
    pub fn find(
        system: &System,
        place: &ProjectFolder,
        (repo, contact): (&Space, &RepositoryContact),
        named: Option<&Space>,
    ) -> Result<Self, CommandError> {
        let checkout = place.checkout.clone().ok_or_else(|| {
            CommandError::usage(
                "this folder is not in a git repository, so there is no clone to link",
            )
        })?;
        let known = match RepositoryFile::for_user(system) {
            Some(file) => file.read_repositories()?,
            None => KnownRepositories::default(),
        };
        let claimed = contact.kept_apart_from.as_ref().unwrap_or(repo);
        let space = match named {
            Some(named) => known.resolve_name(named, claimed),
            None => Ok(claimed.clone()),
        };
        let space = space.map_err(|error| CommandError::usage(error.to_string()))?;
        let seeker = ContactSeeker {
            claimed: place.space()?,
            clone: describe_clone(&checkout, &place.space()?),
            checkout: &checkout,
            system,
        };
        let (noted, path) = (seeker.describe_repository(&space), seeker.clone.path);
        Ok(Self {
            noted,
            path,
            checkout,
        })
    }

    /// The space that it is linked to.
    pub fn space(&self) -> &Space {
        &self.noted.space
    }

    /// Writes the link down. What else claims the remote keeps it, unless this clone alone did.
    ///
    /// ```compile_fail
    /// # use apostille_workspace::{known_repositories::RepositoryFile, repository_space::CloneLink};
    /// fn link_unasked(link: &CloneLink, file: &RepositoryFile) {
    ///     let _ = link.record(file, 7);
    /// }
    /// ```
    pub fn record(
        &self,
        _by: &Person,
        file: &RepositoryFile,
        draw: u128,
    ) -> Result<(), CommandError> {
        file.update_repositories(draw, PATIENCE, |known| {
            let mut noted = self.noted.clone();
            for clone in &noted.clones {
                known.remove_clone(&clone.path);
            }
            let claims =
                |it: &KnownRepository| it.remotes.iter().any(|it| noted.remotes.contains(it));
            let owner = known
                .0
                .iter_mut()
                .find(|it| it.space != noted.space && claims(it));
            match owner {
                Some(owner) if owner.clones.is_empty() => {
                    owner.remotes.retain(|it| !noted.remotes.contains(it));
                }
                Some(_) => noted.remotes.clear(),
                None => {}
            }
            known.note_clone(noted);
        })
    }

    /// Takes the link back, with the commits that only this clone has. Whether there was one.
    pub fn remove(
        &self,
        _by: &Person,
        file: &RepositoryFile,
        draw: u128,
    ) -> Result<bool, CommandError> {
        let path = &self.path;
        file.update_repositories(draw, PATIENCE, |known| {
            let found = known
                .0
                .iter_mut()
                .find(|it| it.clones.iter().any(|it| it.path == *path));
            let Some(repository) = found else {
                return false;
            };
            repository.clones.retain(|it| it.path != *path);
            let others: Vec<Checkout> = repository
                .clones
                .iter()
                .filter_map(open_known_clone)
                .collect();
            repository.commits.retain(|it| {
                let commit = [it.clone()];
                let is_others = others
                    .iter()
                    .any(|it| holds(it.has_any_commit(&commit, PATIENCE)));
                is_others || !holds(self.checkout.has_any_commit(&commit, PATIENCE))
            });
            true
        })
    }
}
