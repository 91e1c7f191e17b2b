//! Where the program stands: a checkout, or a plain folder; and the paths that are typed there.

use std::fs;
use std::path::{Component, Path, PathBuf};

use apostille_cite::{
    citation::{CodeLocationError, RepoPath},
    citation_request::CitationRequest,
    source::{NoRepositorySource, Source, SourceError},
};
use apostille_core::space::Space;
use apostille_git::{
    git::{Checkout, Commit},
    worktree::WorkTree,
};
use apostille_text::digest::Digest;

use crate::error::CommandError;

/// A checkout, or a plain folder.
#[derive(Debug, Clone)]
pub struct ProjectFolder {
    /// The repository, inside one.
    pub checkout: Option<Checkout>,
    /// What paths are relative to.
    pub root: PathBuf,
    cwd: PathBuf,
}

impl ProjectFolder {
    /// The place that a folder belongs to.
    pub fn discover_from(cwd: &Path) -> Result<Self, CommandError> {
        let cwd = fs::canonicalize(cwd).map_err(|error| {
            CommandError::usage(format!("cannot enter '{}': {error}", cwd.display()))
        })?;
        let cwd = strip_windows_path_prefix(cwd);
        let checkout = Checkout::discover(&cwd)?;
        let root = checkout.as_ref().and_then(Checkout::root).unwrap_or(&cwd);
        Ok(Self {
            root: root.into(),
            checkout,
            cwd,
        })
    }

    /// The branch that is checked out, where there is one.
    pub fn branch_name(&self) -> Option<String> {
        self.checkout.as_ref()?.read_head().ok()?.branch
    }

    /// What this place claims to be: `host/owner/name` by the repository's remote, or a name for this folder on this machine.
    pub fn space(&self) -> Result<Space, CommandError> {
        match &self.checkout {
            Some(checkout) => {
                Space::repo(&checkout.identity().full_name()).map_err(CommandError::internal)
            }
            None => name_local_space(&self.root),
        }
    }

    /// The name without the host.
    pub fn space_without_host(&self) -> Result<Space, CommandError> {
        match &self.checkout {
            Some(checkout) => {
                Space::repo(&checkout.identity().path).map_err(CommandError::internal)
            }
            None => name_local_space(&self.root),
        }
    }

    /// A name for a clone that is kept apart: the same as long as it stays in its place.
    pub(crate) fn name_clone(folder: &Path) -> Result<Space, CommandError> {
        let is_hidden = folder
            .file_name()
            .is_some_and(|it| it.to_string_lossy().starts_with('.'));
        let shown = folder.parent().filter(|_| is_hidden).unwrap_or(folder);
        name_local_space(shown)
    }

    /// The code to look into: the working tree, or the commit asked for.
    pub fn open_source(&self, reference: Option<&str>) -> Result<Box<dyn Source>, CommandError> {
        match (reference, &self.checkout) {
            (Some(reference), Some(checkout)) => {
                let commit = Commit::new(checkout, reference)?;
                commit.read_tree()?;
                Ok(Box::new(commit))
            }
            (Some(_), None) => Err(CommandError::usage(
                "--at needs a git repository, and this folder is not in one",
            )),
            (None, None) => Ok(Box::new(WorkTree::open_plain(&self.root)?)),
            (None, Some(checkout)) => match WorkTree::open(checkout) {
                Ok(tree) => Ok(Box::new(tree)),
                // A bare repository has no working tree; what it has is its head.
                Err(SourceError::Nowhere) => match Commit::new(checkout, "HEAD") {
                    Ok(head) => Ok(Box::new(head)),
                    Err(_) => Ok(Box::new(NoRepositorySource)),
                },
                Err(error) => Err(error.into()),
            },
        }
    }

    /// A path as it was typed: from the root, or else from the current folder.
    pub fn resolve_path(&self, typed: &str) -> Result<RepoPath, CodeLocationError> {
        let slashes: &[char] = if cfg!(windows) { &['\\'] } else { &[] };
        let typed = typed.replace(slashes, "/");
        let from_root = typed.parse::<RepoPath>();
        if matches!(&from_root, Ok(it) if self.root.join(it.as_str()).exists()) {
            return from_root;
        }
        let full = remove_dot_segments(&self.cwd.join(&typed));
        let inside = full.strip_prefix(&self.root).ok().and_then(Path::to_str);
        match inside.filter(|_| full.exists()) {
            Some(inside) => inside.replace(std::path::MAIN_SEPARATOR, "/").parse(),
            None => from_root,
        }
    }

    /// A file as it was typed, from the current folder, or else from the root.
    pub fn resolve_typed(&self, typed: &Path) -> PathBuf {
        let here = self.cwd.join(typed);
        if here.exists() {
            here
        } else {
            self.root.join(typed)
        }
    }

    /// A citation as it was typed, such as `src/api.rs:12-18` or `src/http.rs::Server::bind`.
    pub fn resolve_citation(&self, typed: &str) -> Result<CitationRequest, CodeLocationError> {
        CitationRequest::parse_with(typed, |path| self.resolve_path(path))
    }
}

/// The name of a folder that is no repository: the same as long as it stays in its place.
fn name_local_space(folder: &Path) -> Result<Space, CommandError> {
    let digest = Digest::hash_bytes(folder.as_os_str().as_encoded_bytes()).short_hex();
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let is_odd = |c: char| !c.is_ascii_alphanumeric() && !matches!(c, '.' | '_' | '-');
    let name: String = name.replace(is_odd, "-").chars().take(60).collect();
    Space::repo(&format!("local/{name}-{}", &digest[..8])).map_err(CommandError::internal)
}

/// A path without `.` and `..`, by its letters alone.
fn remove_dot_segments(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut out, part| {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
        out
    })
}

/// Windows writes canonical paths as `\\?\C:\…`; everybody else does not.
fn strip_windows_path_prefix(path: PathBuf) -> PathBuf {
    let plain = path.to_str().and_then(|it| it.strip_prefix(r"\\?\"));
    match plain.filter(|it| it.as_bytes().get(1) == Some(&b':')) {
        Some(plain) => plain.into(),
        None => path,
    }
}
