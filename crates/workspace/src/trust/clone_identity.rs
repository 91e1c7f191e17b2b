//! Which clone it is that was trusted: a folder of this machine, with the repository that its remote names.

use std::{
    fs,
    path::{Path, PathBuf},
};

use apostille_files::regular_file::read_regular_start;
use apostille_git::git::Checkout;

use crate::project_folder::ProjectFolder;

/// The largest file that only holds a path.
const MAX_POINTER: u64 = 16 * 1024;

/// A clone of a repository on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CloneIdentity {
    /// Its folder: git's own where several working trees share one, else the folder of the files.
    pub folder: PathBuf,
    /// The repository, as `host/owner/name`; one without a usable remote has a name of this machine. Another repository
    /// that is put into the same folder later is not trusted with it.
    pub repository: String,
}

impl CloneIdentity {
    /// The clone that this folder belongs to.
    pub fn for_folder(place: &ProjectFolder) -> Self {
        let named = place.checkout.as_ref().map(Checkout::identity);
        let repository = named.map_or_else(String::new, |it| format!("{}/{}", it.host, it.path));
        let shared = place.checkout.as_ref().and_then(find_shared_folder);
        Self {
            folder: shared.unwrap_or_else(|| resolve_links(&place.root)),
            repository: repository.trim_start_matches('/').to_owned(),
        }
    }

    /// The folder as people know it: git's own is inside it.
    pub fn shown_folder(&self) -> String {
        let inside = self.folder.ends_with(".git");
        let above = self.folder.parent().filter(|_| inside);
        above.unwrap_or(&self.folder).display().to_string()
    }

    /// The folder as it is written to the list. Bytes that are not UTF-8 would not come back as they were.
    pub(super) fn folder_text(&self) -> Option<&str> {
        self.folder.to_str()
    }
}

/// Git's folder of a clone, which its working trees share, so that a new one is trusted with the others. A `.git` that came
/// in an archive may point or link to the folder of a clone that was trusted. So that folder has to lie in this working tree,
/// or has to name it. The last part of a path is compared as it is: it may be such a link.
fn find_shared_folder(checkout: &Checkout) -> Option<PathBuf> {
    let (root, common) = (resolve_links(checkout.root()?), checkout.common_dir());
    if !checkout.git_dir().starts_with(common.join("worktrees")) {
        return (root.join(".git") == common).then(|| common.to_path_buf());
    }
    let pointer = checkout.git_dir().join("gitdir");
    let named = String::from_utf8(read_regular_start(&pointer, MAX_POINTER).ok()?).ok()?;
    let named = checkout.git_dir().join(named.trim());
    let is_named = named.ends_with(".git") && resolve_links(named.parent()?) == root;
    is_named.then(|| common.to_path_buf())
}

fn resolve_links(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.into())
}
