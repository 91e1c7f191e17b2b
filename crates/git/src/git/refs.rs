//! Looks up refs: loose files, packed refs, and, where refs are kept in tables, by asking git.

use std::path::PathBuf;

use apostille_cite::source::SourceResult;

use super::{discover::Checkout, git_command, small_file, source_unavailable};

/// The largest loose ref that is read.
const MAX_LOOSE: u64 = 4 * 1024;
/// The largest `packed-refs` that is read: about a million refs.
const MAX_PACKED: u64 = 128 * 1024 * 1024;
/// Refs below these belong to one working tree; all others are shared.
const PER_WORKTREE: [&str; 3] = ["refs/bisect/", "refs/worktree/", "refs/rewritten/"];

/// What a ref points to.
#[derive(Debug, PartialEq)]
pub(super) enum RefTarget {
    /// An object, by its id in hexadecimal.
    Object(String),
    /// Another ref.
    Symbolic(String),
}

/// What a ref points to; `None` if there is no such ref.
pub(super) fn look_up_ref(checkout: &Checkout, name: &str) -> SourceResult<Option<RefTarget>> {
    if !is_refname(name) {
        return Err(source_unavailable(
            format!("the ref {name:?}"),
            "git allows no such name",
        ));
    }
    if checkout.uses_reftable() {
        return look_up_ref_with_git(checkout, name);
    }
    match small_file::read_small_text_file(&loose_ref_path(checkout, name), MAX_LOOSE)? {
        Some(text) => parse_loose_ref(name, &text).map(Some),
        None => {
            let path = checkout.common_dir().join("packed-refs");
            Ok(small_file::read_small_file(&path, MAX_PACKED)?
                .and_then(|it| find_packed_ref(&it, name)))
        }
    }
}

/// Whether git allows the name. A name that passes can be joined to a directory without leaving it.
pub(super) fn is_refname(name: &str) -> bool {
    let is_odd =
        |c: char| c.is_control() || matches!(c, ' ' | '~' | '^' | ':' | '?' | '*' | '[' | '\\');
    let is_bad = name.contains(is_odd)
        || name.contains("..")
        || name.contains("@{")
        || name.ends_with('.')
        || name.starts_with('-')
        || name == "@";
    !is_bad
        && !name
            .split('/')
            .any(|it| it.is_empty() || it.starts_with('.') || it.ends_with(".lock"))
}

/// Whether this is an object's id in full: SHA-1 or SHA-256.
pub(crate) fn is_object_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|it| it.is_ascii_hexdigit())
}

fn loose_ref_path(checkout: &Checkout, name: &str) -> PathBuf {
    let is_shared =
        name.starts_with("refs/") && !PER_WORKTREE.iter().any(|it| name.starts_with(it));
    if is_shared {
        checkout.common_dir().join(name)
    } else {
        checkout.git_dir().join(name)
    }
}

fn parse_loose_ref(name: &str, text: &str) -> SourceResult<RefTarget> {
    let text = text.trim_end();
    if let Some(target) = text.strip_prefix("ref:") {
        return Ok(RefTarget::Symbolic(target.trim_start().to_owned()));
    }
    // Only the first word counts: FETCH_HEAD and its like hold remarks behind it.
    let id = text.split_whitespace().next().unwrap_or_default();
    if is_object_id(id) {
        return Ok(RefTarget::Object(id.to_ascii_lowercase()));
    }
    // What the file holds is not repeated: it may be a link to anything.
    Err(source_unavailable(
        format!("the ref '{name}'"),
        "its file holds neither a ref nor an object id; try 'git fsck'",
    ))
}

/// Lines are `<id> <name>`; comments begin with `#`, and `^` gives what a tag of the line before points to.
fn find_packed_ref(bytes: &[u8], name: &str) -> Option<RefTarget> {
    let line = bytes.split(|it| *it == b'\n').find_map(|line| {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        line.strip_suffix(name.as_bytes())?.strip_suffix(b" ")
    })?;
    let id = std::str::from_utf8(line)
        .ok()
        .filter(|it| is_object_id(it))?;
    Some(RefTarget::Object(id.to_ascii_lowercase()))
}

fn look_up_ref_with_git(checkout: &Checkout, name: &str) -> SourceResult<Option<RefTarget>> {
    if let Some(target) = git_command::run_git_query(checkout, &["symbolic-ref", "--quiet", name])?
    {
        return Ok(Some(RefTarget::Symbolic(target)));
    }
    Ok(git_command::run_git_query(
        checkout,
        &["rev-parse", "--verify", "--quiet", "--end-of-options", name],
    )?
    .filter(|it| is_object_id(it))
    .map(RefTarget::Object))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refnames_cannot_leave_their_directory() {
        let check = |name: &str, expected: bool| assert_eq!(is_refname(name), expected, "{name:?}");
        check("HEAD", true);
        check("refs/heads/main", true);
        check("refs/heads/feature/größe-2.0", true);
        check("", false);
        check("/etc/passwd", false);
        check("refs/../../config", false);
        check("refs/heads/..", false);
        check("refs//heads", false);
        check("refs/heads/", false);
        check("refs/heads/.invalid", false);
        check("refs/heads/a.lock", false);
        check("refs/heads/a b", false);
        check("refs\\heads", false);
        check("C:/windows", false);
        check("refs/heads/a\nb", false);
        check("refs/heads/a@{1}", false);
        check("--help", false);
        check("@", false);
    }

    #[test]
    fn packed_refs_are_found_by_their_whole_name() {
        let (one, two) = ("1".repeat(40), "2".repeat(40));
        let text = format!(
            "# pack-refs with: peeled\n{one} refs/heads/a/main\n{two} refs/heads/main\r\n^{one}\n"
        );
        let check = |name: &str, expected: Option<&str>| {
            let expected = expected.map(|it| RefTarget::Object(it.to_owned()));
            assert_eq!(find_packed_ref(text.as_bytes(), name), expected, "{name:?}");
        };
        check("refs/heads/main", Some(&two));
        check("refs/heads/a/main", Some(&one));
        check("heads/main", None);
        check("main", None);
        check("refs/heads/other", None);
    }
}
