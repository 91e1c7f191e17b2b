//! The reasons that commits give, read from their messages into a cache while nobody waits.

use std::{collections::BTreeMap, fs};

use apostille_core::archive::{
    code_lines::digest_code_lines,
    commit::{CommitText, build_commit_record},
};
use apostille_git::git::Checkout;
use apostille_stores::archive::SqliteArchive;

use std::path::PathBuf;

use crate::{
    atomic_file::write_file_atomically,
    error::CommandError,
    system::System,
    workspace::{Workspace, locate_commit_reasons},
};

/// What the stamp begins with: how messages were cleaned. What was read in another way is read anew.
const VERSION: &str = "2 ";

/// How many commits are looked at, the latest.
const MAX_COMMITS: usize = 5_000;

/// How many lines a commit may write to be known by them: one that writes more, such as an import of other code, explains none.
const MAX_LINES: usize = 2_000;

/// Reads what was committed since the last time. Where history was rewritten or the cache is damaged, all of it is read anew. How many commits gave a
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
    let read = read.and_then(|it| Some(it.strip_prefix(VERSION)?.trim().to_owned()));
    let last = read.filter(|_| path.exists() && SqliteArchive::new(&path).check_file().is_ok());
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
    let _ = write_file_atomically(&stamp, format!("{VERSION}{head}").as_bytes(), None, draw);
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
    let mut kept: BTreeMap<String, u64> = BTreeMap::new();
    // The oldest first: of two commits of one second, as a rebase makes them, the later has the higher number.
    for it in (checkout.read_commit_messages(since, head, MAX_COMMITS)?)
        .into_iter()
        .rev()
    {
        let text = CommitText {
            commit: &it.commit,
            author: &it.author,
            at: it.at,
            text: &it.text,
            files: &it.files,
        };
        if let Some(record) = build_commit_record(&workspace.settings.repo, &text) {
            let number = reasons.keep_record(&record)?;
            kept.extend(number.map(|number| (it.commit, number)));
        }
    }
    let commits: Vec<String> = kept.keys().cloned().collect();
    for it in checkout.read_added_lines(&commits)? {
        let lines = digest_code_lines(&it.text);
        if let Some(number) = kept.get(&it.commit).filter(|_| lines.len() <= MAX_LINES) {
            reasons.keep_lines(*number, &lines)?;
        }
    }
    Ok(kept.len())
}

/// A cache may go: another process that has it open keeps what it had.
fn remove_archive_file(path: &std::path::Path) {
    for suffix in ["", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        let _ = fs::remove_file(PathBuf::from(name));
    }
}
