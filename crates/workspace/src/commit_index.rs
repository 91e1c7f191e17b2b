//! The reasons that commits give, read from their messages into a cache while nobody waits.

use std::fs;

use apostille_core::archive::commit::{CommitText, build_commit_record};
use apostille_git::git::Checkout;
use apostille_text::digest::Digest;

use std::path::PathBuf;

use apostille_core::space::Space;

use crate::{
    atomic_file::write_file_atomically, error::CommandError, system::System, workspace::Workspace,
};

/// How many commits are looked at, the latest.
const MAX_COMMITS: usize = 5_000;

/// The file of a repository's commits.
pub(crate) fn locate_commit_reasons(system: &System, repo: &Space) -> Option<PathBuf> {
    let name = Digest::hash_bytes(repo.as_str().as_bytes()).short_hex();
    let folder = system.env.cache_dir()?.join("commits");
    Some(folder.join(format!("{name}.db")))
}

/// Reads what was committed since the last time. Where history was rewritten, all of it is read anew. How many commits gave a
/// reason.
pub fn index_commit_reasons(system: &System, workspace: &Workspace) -> Result<usize, CommandError> {
    let repo = &workspace.settings.repo;
    let (Some(checkout), Some(path)) = (
        &workspace.place.checkout,
        locate_commit_reasons(system, repo),
    ) else {
        return Ok(0);
    };
    let Some(head) = checkout.read_head().ok().and_then(|it| it.commit) else {
        return Ok(0);
    };
    let stamp = path.with_extension("head");
    let read = fs::read_to_string(&stamp).ok();
    let last = read.filter(|_| path.exists());
    if last.as_deref() == Some(&head) {
        return Ok(0);
    }
    let last = last.filter(|it| checkout.is_ancestor(it, &head).unwrap_or(false));
    if last.is_none() {
        remove_archive_file(&path);
    }
    let n = add_commits(workspace, checkout, last.as_deref(), &head)?;
    // Where it cannot be kept, the same is read once more.
    let draw = (system.random_source())();
    let _ = write_file_atomically(&stamp, head.as_bytes(), None, draw);
    Ok(n)
}

fn add_commits(
    workspace: &Workspace,
    checkout: &Checkout,
    since: Option<&str>,
    head: &str,
) -> Result<usize, CommandError> {
    let cx = workspace.context();
    let Some(reasons) = cx.commit_reasons else {
        return Ok(0);
    };
    let mut n_kept = 0;
    for it in checkout.read_commit_messages(since, head, MAX_COMMITS)? {
        let text = CommitText {
            commit: &it.commit,
            author: &it.author,
            at: it.at,
            text: &it.text,
            files: &it.files,
        };
        if let Some(record) = build_commit_record(&workspace.settings.repo, &text) {
            n_kept += usize::from(reasons.keep_record(&record)?.is_some());
        }
    }
    Ok(n_kept)
}

/// A cache may go: another process that has it open keeps what it had.
fn remove_archive_file(path: &std::path::Path) {
    for suffix in ["", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        let _ = fs::remove_file(PathBuf::from(name));
    }
}
