//! Repositories and citations that are made to mislead.
#![expect(
    clippy::disallowed_methods,
    reason = "a child process is told where to look through its environment"
)]

use std::{fs, path::Path, process::Command};

use apostille_core::remember::prove::capture_citation;
use apostille_git::{
    git::{Checkout, Commit},
    worktree::WorkTree,
};
use apostille_text::digest::Digest;

use super::story::{Story, is_like, page, sight, told};

#[test]
fn a_citation_of_what_the_very_file_does_not_say_is_forged() {
    let forged = |text: &'static str| {
        Story::of("a b [c d] e f").forge(|it| {
            (it.snippet, it.digest) = (text.into(), Digest::hash_bytes(text.as_bytes()))
        })
    };
    forged("let it = be;")
        .expect("gone never")
        .turn("x a b c d e f")
        .expect_here("changed substance a.rs:4-5");
    forged("").expect("gone never");
    Story::of("a b [c d] e f")
        .forge(|it| it.lines = it.lines.starting_at(60))
        .expect("gone never");
}

#[test]
fn a_made_up_commit_proves_nothing() {
    let story = Story::of("a b [c d] e f; z.rs: z");
    let (tree, blob) = (
        story.said("rev-parse HEAD^{tree}"),
        story.said("rev-parse HEAD:a.rs"),
    );
    let made_up = ["f", "0", "e"].map(|it| it.repeat(40));
    let odd = [
        "",
        "HEAD",
        "main",
        "--output=made-up",
        "zz",
        "f\nHEAD",
        &tree,
        &blob,
    ];
    let story = story.turn("x a b c! d e f; z.rs: z").commit("two");
    for commit in made_up.iter().map(String::as_str).chain(odd) {
        let mut citation = story.cited[0].clone();
        citation.commit = Some(commit.to_owned());
        let found = sight(&story.at("HEAD"), &citation);
        assert_eq!(
            told(&found.verdict),
            "changed substance a.rs:4-5",
            "{commit}"
        );
        assert_ne!(found.is_merged, Some(true), "{commit}");
    }
    assert!(!story.root.join("made-up").exists());
}

#[test]
fn a_commit_that_never_held_the_text_does_not_lend_it_weight() {
    let story = Story::of("z.rs: [z]")
        .turn("a b c d e f; z.rs: z")
        .commit("two")
        .cite("a.rs:3-4");
    let first = story.said("rev-parse HEAD~1");
    let story = story
        .forge(|it| (it.commit, it.blob) = (Some(first), None))
        .expect("holds");
    story
        .turn("a b c! d e f; z.rs: z")
        .commit("three")
        .expect("changed substance a.rs:3-4");
}

#[test]
fn replaced_commits_and_contents_do_not_mislead() {
    let story = Story::of("a b [c d] e f")
        .turn("x a b c! d e f")
        .commit("two");
    let story = story
        .git("replace HEAD~1:a.rs HEAD:a.rs")
        .expect("changed substance a.rs:4-5");
    let story = story
        .git("replace --graft HEAD")
        .expect("changed substance a.rs:4-5")
        .expect_since("two");
    story
        .expect_merged(Some(true))
        .git("replace --force HEAD HEAD~1")
        .expect("changed substance a.rs:4-5");
}

#[test]
fn grafts_do_not_make_a_branch_merged() {
    let story = Story::of("z.rs: [z]")
        .git("checkout --quiet -b side")
        .turn("z.rs: z; b.rs: a b")
        .commit("side");
    let story = story
        .cite("b.rs:1")
        .git("checkout --quiet main")
        .turn("z.rs: z y")
        .commit("two");
    let graft = format!(
        "{} {}\n",
        story.said("rev-parse main"),
        story.said("rev-parse side")
    );
    let story = story.expect("gone file").expect_merged(Some(false));
    story
        .write(".git/info/grafts", graft)
        .expect("gone file")
        .expect_merged(Some(false));
}

/// What a repository may set to have a program run, or to have git answer otherwise. `RUN` is the program.
const SETTINGS: &str = "core.fsmonitor RUN
    core.pager RUN
    core.sshCommand RUN
    core.askPass RUN
    core.editor RUN
    core.hooksPath HOOKS
    pager.log RUN
    pager.ls-files RUN
    alias.log !RUN
    alias.cat-file !RUN
    credential.helper !RUN
    diff.external RUN
    diff.trap.command RUN
    diff.trap.textconv RUN
    diff.trap.binary false
    filter.trap.clean RUN
    filter.trap.smudge RUN
    filter.trap.process RUN
    filter.trap.required true
    filter.a=b.clean RUN
    gpg.program RUN
    gpg.format openpgp
    log.showSignature true
    log.follow true
    log.diffMerges combined
    log.showRoot false
    log.decorate full
    log.mailmap true
    log.date relative
    format.pretty fuller
    diff.renames false
    diff.renameLimit 1
    diff.orderFile absent
    diff.relative true
    diff.noPrefix true
    diff.submodule log
    diff.ignoreSubmodules none
    diff.algorithm patience
    diff.colorMoved zebra
    color.ui always
    core.abbrev 4
    core.quotePath true
    core.precomposeUnicode true
    core.ignoreCase true
    core.untrackedCache true
    core.attributesFile ATTRIBUTES
    core.excludesFile absent
    core.worktree ELSEWHERE
    core.notesRef refs/notes/x
    notes.displayRef refs/notes/*
    submodule.recurse true
    status.showUntrackedFiles no
    extensions.partialClone origin
    remote.origin.promisor true
    remote.origin.url ext::RUN
    protocol.allow always
    protocol.ext.allow always";

/// A repository whose configuration runs a program wherever git lets it, and the mark that the program leaves.
fn trapped(story: Story) -> (Story, std::path::PathBuf) {
    let (program, mark, hooks) = (
        story.beside("trap.sh"),
        story.beside("mark"),
        story.beside("hooks"),
    );
    let elsewhere = story.beside("elsewhere");
    let text = format!("#!/bin/sh\ntouch {}\n", mark.display());
    fs::create_dir(&hooks).unwrap();
    fs::create_dir(&elsewhere).unwrap();
    let hooked = [
        "post-index-change",
        "reference-transaction",
        "fsmonitor-watchman",
        "pre-auto-gc",
    ];
    for file in hooked
        .iter()
        .map(|it| hooks.join(it))
        .chain([program.clone()])
    {
        fs::write(&file, &text).unwrap();
        make_runnable(&file);
    }
    fs::write(story.beside("attributes"), "* filter=trap diff=trap\n").unwrap();
    let mut config = fs::read_to_string(story.root.join(".git/config")).unwrap();
    for line in SETTINGS.lines() {
        let (key, value) = line.trim().split_once(' ').unwrap();
        let (above, name) = key.rsplit_once('.').unwrap();
        let section = above
            .split_once('.')
            .map_or(above.to_owned(), |(a, b)| format!("{a} \"{b}\""));
        let value = value
            .replace("RUN", &program.display().to_string())
            .replace("HOOKS", &hooks.display().to_string());
        let value = value.replace("ELSEWHERE", &elsewhere.display().to_string());
        let value = value.replace(
            "ATTRIBUTES",
            &story.beside("attributes").display().to_string(),
        );
        config += &format!("[{section}]\n\t{name} = \"{value}\"\n");
    }
    let story = story.write(".git/config", config).write(
        ".git/info/attributes",
        "*.rs filter=a=b\n* filter=trap diff=trap\n",
    );
    (story, mark)
}

#[cfg(unix)]
fn make_runnable(file: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Files whose time lies ahead: git cannot tell by it whether they were edited, and has to read them.
fn ahead(story: Story, paths: &[&str]) -> Story {
    let later = std::time::UNIX_EPOCH + std::time::Duration::from_secs(4_000_000_000);
    for path in paths {
        fs::File::options()
            .write(true)
            .open(story.root.join(path))
            .unwrap()
            .set_modified(later)
            .unwrap();
    }
    story
}

/// The story is told twice, in a plain repository and in a trapped one.
#[cfg(unix)]
fn told_alike(tell: impl Fn() -> Story, edit: impl Fn(Story) -> Story, expected: &str) {
    edit(tell()).expect_here(expected);
    let (story, mark) = trapped(tell());
    let story = edit(story).expect_here(expected);
    assert!(!mark.exists(), "a program of the configuration was run");
    drop(story);
}

#[cfg(unix)]
#[test]
fn a_configuration_runs_nothing_and_changes_no_verdict() {
    let stay = |it: Story| it;
    told_alike(
        || {
            Story::of("a b [c d] e f")
                .turn("x a b c d e f")
                .commit("two")
        },
        stay,
        "moved a.rs:4-5",
    );
    told_alike(
        || {
            Story::of("a b [c d] e f")
                .turn("a b c! d e f")
                .commit("two")
        },
        stay,
        "changed substance a.rs:3-4",
    );
    told_alike(
        || {
            Story::of("a b [c d] e f; z: z")
                .turn("b.rs: x a b c d e f; z: z")
                .commit("two")
        },
        stay,
        "moved b.rs:4-5",
    );
    told_alike(
        || Story::of("a b [c d] e f; z: z").turn("z: z").commit("two"),
        stay,
        "gone file",
    );
    told_alike(
        || Story::of("a b [c d] e f; z: z"),
        |it| it.rename("a.rs", "b.rs"),
        "moved b.rs:3-4",
    );
    told_alike(
        || Story::of("a b [c d] e f; z: z"),
        |it| it.turn("a b e f; z: z q c d"),
        "moved z:3-4",
    );
    told_alike(
        || Story::of("a b [c d] e f; z: z"),
        |it| it.turn("z: z"),
        "gone file",
    );
}

#[cfg(unix)]
#[test]
fn a_configuration_changes_nothing_across_a_merge() {
    let merged = || {
        let story = Story::of("z.rs: [z]")
            .git("checkout --quiet -b side")
            .turn("z.rs: z; b.rs: a b")
            .commit("side");
        let story = story
            .cite("b.rs:1-2")
            .git("checkout --quiet main")
            .turn("z.rs: z y")
            .commit("main");
        let story = story.git("merge --quiet --no-edit side");
        story.turn("z.rs: z y; b.rs: x a b").commit("after")
    };
    told_alike(merged, |it| it, "moved b.rs:2-3");
}

/// Git compares the content where a file's time says nothing, and would run a filter for it.
#[cfg(unix)]
#[test]
fn a_filter_is_not_run_to_compare_files() {
    let tell = || {
        let story = Story::new()
            .write(".gitattributes", "* filter=trap\n")
            .turn("a b c d e f; z.rs: z; y.rs: y");
        let story = ahead(
            story.write(".gitattributes", "* filter=trap\n"),
            &["z.rs", "y.rs", "a.rs"],
        );
        story.commit("one").cite("a.rs:3-4")
    };
    told_alike(tell, |it| it.rename("a.rs", "b.rs"), "moved b.rs:3-4");
}

#[cfg(unix)]
#[test]
fn a_submodule_runs_nothing_either() {
    let story = Story::of("a b [c d] e f")
        .git("init --quiet --template= sub")
        .write("sub/s.rs", "s\n");
    let sub = story.root.join("sub");
    story.said_in(&sub, "add --all");
    story.said_in(&sub, "commit --quiet --message=s");
    let story = story
        .git("-c advice.addEmbeddedRepo=false add sub")
        .commit_index("two");
    let (story, mark) = trapped(story);
    let config = fs::read_to_string(story.root.join(".git/config")).unwrap();
    let trap = config
        .split_inclusive('\n')
        .filter(|it| !it.contains("worktree"))
        .collect::<String>();
    let story = story
        .write("sub/.git/config", trap)
        .write("sub/s.rs", "t\n")
        .rename("a.rs", "b.rs");
    let story = story.expect_here("moved b.rs:3-4");
    assert!(
        !mark.exists(),
        "a program of the submodule's configuration was run"
    );
    drop(story);
}

const CHILD: &str = "APOSTILLE_TEST_WITHOUT_GIT";

/// Only what needs no history is judged; text that stands elsewhere in its file needs none.
#[test]
fn without_git_only_what_is_in_its_file_holds() {
    let story = Story::of("a b [c d] e f; z.rs: z");
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([
        "follow::hostile::child_without_git",
        "--exact",
        "--nocapture",
    ]);
    let output = command
        .env(CHILD, &story.root)
        .env("PATH", story.beside("nothing"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said.contains("looked without git"),
        "{said}"
    );
}

/// Not a test of its own: what a child process runs, with no git on its path.
#[test]
fn child_without_git() {
    let Some(root) = std::env::var_os(CHILD) else {
        return;
    };
    let root = Path::new(&root);
    let checkout = Checkout::discover(root).unwrap().unwrap();
    let citation = capture_citation(
        &WorkTree::open(&checkout).unwrap(),
        &"a.rs:3-4".parse().unwrap(),
    )
    .unwrap();
    let check = |now: Option<&str>, expected: &str| {
        match now {
            Some(words) => fs::write(root.join("a.rs"), page(words)).unwrap(),
            None => fs::remove_file(root.join("a.rs")).unwrap(),
        }
        let told = told(&sight(&WorkTree::open(&checkout).unwrap(), &citation).verdict);
        assert!(is_like(&told, expected), "{now:?}: {told}");
    };
    check(Some("a b c d e f"), "holds");
    check(Some("a! b c d e f"), "holds");
    check(Some("x a b c d e f"), "moved a.rs:4-5");
    check(Some("a b c! d e f"), "unknown …git is not installed");
    check(Some("a b e f"), "unknown …git is not installed");
    check(None, "unknown …git is not installed");
    let commit = told(&sight(&Commit::new(&checkout, "main").unwrap(), &citation).verdict);
    assert!(
        is_like(&commit, "unknown …git is not installed"),
        "{commit}"
    );
    println!("looked without git");
}
