//! Which names that git is given are not of this repository: remotes, what was fetched, pull requests.

use super::OutsideText;

/// Options of git itself that take a word.
pub(super) const GIT_VALUED: &str = "-C -c --git-dir --work-tree --namespace --exec-path";

/// Commands that ask a remote.
pub(super) const GIT_ASKING: &[&str] = &[
    "clone",
    "fetch",
    "pull",
    "ls-remote",
    "fetch-pack",
    "remote update",
    "remote show",
    "submodule update",
    "submodule add",
    "subtree add",
    "subtree pull",
    "svn clone",
    "svn fetch",
    "lfs pull",
    "lfs fetch",
];

/// Commands that show, or put into the tree, what a name stands for.
const GIT_READING: &str = "show log diff difftool checkout switch restore cat-file blame annotate grep merge rebase \
    cherry-pick worktree reset shortlog range-diff format-patch whatchanged archive read-tree ls-tree";

/// Beginnings of names that stand for what others have.
const OTHERS_PREFIXES: &[&str] = &[
    "origin/",
    "upstream/",
    "remotes/",
    "refs/remotes/",
    "refs/pull/",
    "pull/",
    "pr/",
    "refs/merge-requests/",
    "merge-requests/",
];

/// Notes whether a command of git shows what others have; of a name that may be a remote's, which.
pub(super) fn weigh_git_names(args: &[&str], found: &mut OutsideText) {
    let Some((command, rest)) = args.split_first() else {
        return;
    };
    if !GIT_READING.split_whitespace().any(|it| it == *command) {
        return;
    }
    let words = rest.iter().take_while(|it| **it != "--");
    for word in words {
        found.is_certain |= word.starts_with("--remotes") || *word == "--all" && *command == "log";
        for name in list_shown_names(word) {
            weigh_git_name(name, found);
        }
    }
}

/// The names whose content a word asks for. Of `a..b` that is `b` alone: what `a` has is left out.
fn list_shown_names(word: &str) -> Vec<&str> {
    let word = match word.split_once('=') {
        Some((option, value)) if option.starts_with('-') => value,
        _ if word.starts_with(['-', '^']) => return Vec::new(),
        _ => word,
    };
    let name = word.split_once("..").map_or(word, |(_, it)| it);
    let name = name.trim_start_matches('.');
    vec![name.split(':').next().unwrap_or(name)]
}

fn weigh_git_name(name: &str, found: &mut OutsideText) {
    let has_mark = ["FETCH_HEAD", "@{u", "@{push"]
        .iter()
        .any(|it| name.contains(it));
    let has_prefix = OTHERS_PREFIXES.iter().any(|it| name.starts_with(it));
    found.is_certain |= has_mark || has_prefix || matches!(name, "origin" | "upstream");
    let first = name.split(['/', '~', '^', '@']).next().unwrap_or_default();
    if !first.is_empty() && !first.starts_with('.') {
        found.remotes.push(first.to_owned());
    }
}
