//! Paths: those that want out are refused or end inside, as citations and as files below `/memories`; those that
//! belong to a repository can be cited.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use apostille_api::Caller;
use apostille_cite::{citation::RepoPath, source::Source};
use apostille_core::{Context, policy::Policy, space::Space, store::ram::RamStore};
use apostille_git::worktree::WorkTree;
use apostille_tools::Profile;
use serde::Deserialize;
use serde_json::json;

use super::{
    Section,
    corpus::Corpus,
    tally::{Share, Tally},
};

/// What is planted everywhere above the root.
const PLANTED: [&str; 6] = [
    "etc/passwd",
    "etc/hosts",
    "etc/shadow",
    "windows/win.ini",
    "boot.ini",
    "etc/issue",
];
/// How deep the root lies below the planted files.
const DEPTH: usize = 8;

#[derive(Deserialize)]
struct Row {
    path: String,
}

/// The section.
pub(crate) fn measured(corpus: &Corpus) -> Result<Section> {
    let (bad, good): (Vec<Row>, Vec<Row>) =
        (corpus.rows("paths.traversal")?, corpus.rows("paths.legit")?);
    let tree = WorkTree::open_plain(&planted(&corpus.scratch().join("paths"))?)?;
    let (mut tally, mut notes) = (Tally::default(), Vec::new());
    for row in &bad {
        let path = row.path.replace("{FILE}", "etc/passwd");
        let is_cited_safely = is_inside(&tree, &path);
        tally.add("traversal, as a citation", is_cited_safely);
        let is_kept_safely = dresses(&path).iter().all(|it| is_file_inside(it));
        tally.add("traversal, as a file below /memories", is_kept_safely);
        if !is_cited_safely || !is_kept_safely {
            notes.push(format!("leads out: {}", path.escape_debug()));
        }
    }
    let mut accepted = Share::default();
    for row in &good {
        let is_accepted = row.path.parse::<RepoPath>().is_ok();
        accepted.add(is_accepted);
        tally.add("legitimate, as a citation", is_accepted);
        notes.extend((!is_accepted).then(|| format!("not accepted: {}", row.path.escape_debug())));
    }
    let safe = tally.sum(|it| it.starts_with("traversal"));
    Ok(Section {
        bars: vec![
            safe.bar(
                "paths that want out: refused, or strictly inside",
                "100 %",
                |it| it >= 100.0,
            ),
            accepted.bar("paths of real repositories, as a citation", "100 %", |it| {
                it >= 100.0
            }),
        ],
        tables: vec![("Paths".into(), tally.table("class", "as they should be"))],
        notes,
    })
}

/// A root with nothing in it, far below files that somebody might want.
fn planted(top: &Path) -> Result<PathBuf> {
    let mut folder = top.to_owned();
    for level in 0..DEPTH {
        for name in PLANTED {
            let file = folder.join(name);
            fs::create_dir_all(file.parent().context("a planted file has a folder")?)?;
            fs::write(file, "from outside")?;
        }
        folder.push(format!("level{level}"));
    }
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Whether nothing is read through a path: the root is empty, so any byte comes from outside.
fn is_inside(tree: &WorkTree, path: &str) -> bool {
    path.parse::<RepoPath>()
        .map_or(true, |it| !matches!(tree.read_file(&it), Ok(Some(_))))
}

/// The path as somebody would write it who knows where files stand.
fn dresses(path: &str) -> [String; 3] {
    [
        path.to_owned(),
        format!("/memories/{path}"),
        format!("/memories/repo/{path}"),
    ]
}

/// Whether a file of this path is refused, or stands below `/memories` under a plain name.
fn is_file_inside(path: &str) -> bool {
    let (store, policy) = (RamStore::default(), Policy::default());
    let Ok(space) = Space::user("ana") else {
        return false;
    };
    let Ok(repo) = Space::repo("acme/app") else {
        return false;
    };
    let cx = Context {
        store: &store,
        source: &apostille_cite::source::NoRepositorySource,
        policy: &policy,
        now: jiff::Timestamp::UNIX_EPOCH,
        random: &|| 7,
        late: &|| false,
        actor: None,
        other_spaces: &[],
        guardian: None,
        testimony: None,
        embedder: None,
        archive: None,
        commit_reasons: None,
    };
    let here = Caller {
        user: Some(&space),
        session: Some("s"),
        ..Caller::in_repo(&repo)
    };
    let create = json!({"command": "create", "path": path, "file_text": "a preference for tabs"});
    let view = json!({"command": "view", "path": path});
    [create, view].into_iter().all(|it| {
        Profile::Files
            .call_tool(&cx, &here, "memory", it)
            .map_or(true, |it| it.is_refusal || is_plain(&it.text))
    })
}

/// Whether every path in an answer is below `/memories` and has no step upwards in it.
fn is_plain(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    let named = first.find("/memories").map(|at| &first[at..]);
    named.is_some_and(|it| !it.contains("..") && !it.contains('\\') && !it.contains('%'))
}
