//! Finds the repository that a directory belongs to, by reading files only.

use std::fs;
use std::path::{Path, PathBuf};

use apostille_cite::source::SourceResult;

use super::{
    config::GitConfig,
    identity::{self, RemoteIdentity, space_from_remote_url},
    small_file, source_unavailable,
};

/// The largest file that only holds a path.
const MAX_POINTER: u64 = 16 * 1024;

/// A repository on this machine, with the working tree it was found from.
#[derive(Debug, Clone)]
pub struct Checkout {
    root: Option<PathBuf>,
    git_dir: PathBuf,
    common_dir: PathBuf,
    /// What the repository's own configuration says.
    pub(super) config: GitConfig,
}

impl Checkout {
    /// The repository that `start` lies in; `None` outside git. No process is started.
    ///
    /// A `.git` anywhere above wins over a bare repository nearer by: folders that look like a bare repository can be
    /// part of what was cloned, and their author must not choose whose memory is shown.
    pub fn discover(start: &Path) -> SourceResult<Option<Self>> {
        let start = canonicalize_git_path(start)?;
        for dir in start.ancestors() {
            if let Some(git_dir) = find_git_dir_in(dir)? {
                return Self::open_git_dir(Some(dir), &git_dir).map(Some);
            }
        }
        for dir in start.ancestors() {
            if is_git_dir(dir)? {
                return Self::open_git_dir(None, dir).map(Some);
            }
        }
        Ok(None)
    }

    /// A bare repository at exactly this place, such as `git clone --mirror` makes; `None` where there is none. Nothing above or
    /// beside it is looked at: whoever names a place means it.
    pub fn open_bare(path: &Path) -> SourceResult<Option<Self>> {
        if !is_git_dir(path)? {
            return Ok(None);
        }
        Self::open_git_dir(None, path).map(Some)
    }

    /// The working tree's root; `None` for a bare repository.
    pub fn root(&self) -> Option<&Path> {
        self.root.as_deref()
    }

    /// Whether git's folder knows this working tree as its own. A `.git` that came in an archive may point or link to the folder of
    /// somebody's clone, and would have its files taken for theirs. So that folder has to lie in the working tree, or to name it.
    #[must_use]
    pub fn owns_working_tree(&self) -> bool {
        let Some(root) = &self.root else {
            return true;
        };
        let real_root = canonicalize_git_path(root).unwrap_or_else(|_| root.clone());
        // The last part is compared as it is: it may be such a link.
        if real_root.join(".git") == self.common_dir {
            return true;
        }
        let named = if self.git_dir.starts_with(self.common_dir.join("worktrees")) {
            let pointer =
                small_file::read_small_text_file(&self.git_dir.join("gitdir"), MAX_POINTER);
            let named = pointer.ok().flatten();
            named.and_then(|it| Some(Path::new(it.trim()).parent()?.to_path_buf()))
        } else {
            // A submodule, whose folder is within that of the repository around it.
            self.config.value("core", "worktree").map(PathBuf::from)
        };
        let named = named.map(|it| canonicalize_git_path(&self.git_dir.join(it)));
        named.is_some_and(|it| it.is_ok_and(|it| it == real_root))
    }

    /// Whether the repository knows a remote of this name.
    pub fn has_remote(&self, name: &str) -> bool {
        self.config.remote_urls().contains_key(name)
    }

    /// The address of a remote, as the repository's configuration has it.
    #[must_use]
    pub fn find_remote_url(&self, name: &str) -> Option<&str> {
        self.config.remote_urls().get(name).copied()
    }

    /// Git's folder of this working tree.
    #[must_use]
    pub fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// Git's folder that all working trees of the repository share.
    pub fn common_dir(&self) -> &Path {
        &self.common_dir
    }

    /// Whose memory belongs to this repository: the same in all its working trees.
    #[must_use]
    pub fn identity(&self) -> RemoteIdentity {
        identity::find_repository_space(&self.config, &self.common_dir)
    }

    /// Whether this may be a repository of that name, with or without its host: one of its remotes is called so, or none
    /// gives it a name.
    #[must_use]
    pub fn can_be_called(&self, name: &str) -> bool {
        let remotes = self.config.remote_urls();
        let mut named = remotes
            .values()
            .filter_map(|url| space_from_remote_url(url));
        self.identity().host.is_empty() || named.any(|it| it.path == name || it.full_name() == name)
    }

    /// Why a commit that is not here may be part of the repository all the same: the clone was made without all of it.
    pub(super) fn explain_missing_history(&self) -> Option<&'static str> {
        let is_shallow = self.common_dir.join("shallow").exists();
        if is_shallow {
            Some("this clone is shallow; 'git fetch --unshallow' brings the rest")
        } else if self.config.has_promisor() {
            Some("this clone is partial; 'git fetch --refetch' brings the rest")
        } else {
            None
        }
    }

    /// Whether ids of content are SHA-1, which is git's default.
    pub(crate) fn uses_sha1(&self) -> bool {
        self.config
            .value("extensions", "objectformat")
            .is_none_or(|it| it.eq_ignore_ascii_case("sha1"))
    }

    /// Whether refs are kept in tables that only git itself can read.
    pub(super) fn uses_reftable(&self) -> bool {
        self.config
            .value("extensions", "refstorage")
            .is_some_and(|it| it.eq_ignore_ascii_case("reftable"))
    }

    /// `core.worktree` is not obeyed: the working tree is where its `.git` is.
    fn open_git_dir(root: Option<&Path>, git_dir: &Path) -> SourceResult<Self> {
        let git_dir = canonicalize_git_path(git_dir)?;
        let common_dir = canonicalize_git_path(&read_common_dir(&git_dir)?)?;
        let config = GitConfig::read_file(&common_dir.join("config"))?;
        // `.git` may point to a bare repository whose working trees are all linked ones.
        let is_bare = git_dir == common_dir && config.is_enabled("core", "bare");
        let root = root.filter(|_| !is_bare).map(Path::to_path_buf);
        Ok(Self {
            root,
            git_dir,
            common_dir,
            config,
        })
    }
}

/// Git's folder as the `.git` of this directory names it.
fn find_git_dir_in(dir: &Path) -> SourceResult<Option<PathBuf>> {
    let dot_git = dir.join(".git");
    // Directories that cannot be looked into are passed by: there is no checkout in them for this reader.
    let Ok(metadata) = fs::metadata(&dot_git) else {
        return Ok(None);
    };
    if metadata.is_dir() {
        return Ok(is_git_dir(&dot_git)?.then_some(dot_git));
    }
    let Some(text) = small_file::read_small_text_file(&dot_git, MAX_POINTER)? else {
        return Ok(None);
    };
    let target = text.strip_prefix("gitdir:").map(|it| dir.join(it.trim()));
    match target {
        Some(target) if is_git_dir(&target)? => Ok(Some(target)),
        _ => Err(source_unavailable(
            dot_git.display().to_string(),
            "it does not point to a git directory; try 'git worktree repair' or 'git submodule update --init'",
        )),
    }
}

fn is_git_dir(dir: &Path) -> SourceResult<bool> {
    if fs::symlink_metadata(dir.join("HEAD")).is_err() {
        return Ok(false);
    }
    let common = read_common_dir(dir)?;
    Ok(common.join("objects").is_dir() && common.join("refs").is_dir())
}

/// The folder shared with other working trees, as the file `commondir` names it.
fn read_common_dir(git_dir: &Path) -> SourceResult<PathBuf> {
    let text = small_file::read_small_text_file(&git_dir.join("commondir"), MAX_POINTER)?;
    Ok(text.map_or_else(
        || git_dir.to_path_buf(),
        |it| git_dir.join(it.trim_end_matches(['\n', '\r'])),
    ))
}

/// The path without links, in the form that git takes on every platform.
fn canonicalize_git_path(path: &Path) -> SourceResult<PathBuf> {
    let real = fs::canonicalize(path)
        .map_err(|error| source_unavailable(path.display().to_string(), error))?;
    Ok(strip_verbatim_prefix(real))
}

/// Windows writes canonical paths as `\\?\C:\…`, which git does not take.
fn strip_verbatim_prefix(path: PathBuf) -> PathBuf {
    let is_drive = |it: &&str| it.as_bytes().get(1) == Some(&b':');
    match path
        .to_str()
        .and_then(|it| it.strip_prefix(r"\\?\"))
        .filter(is_drive)
    {
        Some(plain) => PathBuf::from(plain),
        None => path,
    }
}
