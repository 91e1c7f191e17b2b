//! Which clone it is that was trusted: a folder of this machine, with the repository that its remote names.

use std::{
    fs,
    path::{Path, PathBuf},
};

use apostille_git::git::Checkout;

use crate::project_folder::ProjectFolder;

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

/// Git's folder of a clone, which its working trees share, so that a new one is trusted with the others; `None` where that folder
/// does not know this working tree.
fn find_shared_folder(checkout: &Checkout) -> Option<PathBuf> {
    let is_own = checkout.root().is_some() && checkout.owns_working_tree();
    is_own.then(|| checkout.common_dir().to_path_buf())
}

fn resolve_links(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.into())
}
