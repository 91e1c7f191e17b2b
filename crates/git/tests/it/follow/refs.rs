//! Which commit is looked at: branches, tags, no branch, no commit, other working trees, no working tree.

use apostille_cite::source::{Source as _, SourceError};

use super::story::{Story, page, sight, told};

/// The text moved on `main`, changed on `side`, and is cited from before both.
fn forked() -> Story {
    let story = Story::of("a b [c d] e f")
        .git("checkout --quiet -b side")
        .turn("a b c! d e f")
        .commit("two");
    story
        .git("checkout --quiet main")
        .turn("x a b c d e f")
        .commit("three")
}

#[test]
fn any_ref_is_looked_at() {
    let story = forked()
        .git("tag light side")
        .git("tag --annotate --message=m heavy side")
        .git("tag early main~1");
    let story = story
        .git("update-ref refs/pull/7/head side")
        .git("tag --annotate --message=m twice heavy");
    let side = story.said("rev-parse side");
    for name in [
        "side",
        "light",
        "heavy",
        "twice",
        "refs/pull/7/head",
        "refs/heads/side",
        &side,
        &side[..10],
    ] {
        let told = told(&sight(&story.at(name), &story.cited[0]).verdict);
        assert_eq!(told, "changed substance a.rs:3-4", "{name}");
    }
    let story = story
        .expect_at("early", "holds")
        .expect_at("main~1", "holds")
        .expect_at("main^", "holds");
    story.expect("moved a.rs:4-5");
}

#[test]
fn packed_refs_are_looked_at() {
    let story = forked()
        .git("tag heavy --annotate --message=m side")
        .git("pack-refs --all");
    story
        .expect("moved a.rs:4-5")
        .expect_at("heavy", "changed substance a.rs:3-4");
}

#[test]
fn no_branch_need_be_checked_out() {
    let story = forked()
        .git("checkout --quiet --detach side")
        .expect("changed substance a.rs:3-4");
    story
        .git("checkout --quiet --detach main~1")
        .expect("holds");
}

#[test]
fn a_branch_without_commits_is_searched_by_text() {
    let story = Story::new()
        .write("a.rs", page("a b c d e f"))
        .cite("a.rs:3-4")
        .expect_here("holds");
    let story = story
        .write("a.rs", page("x a b c d e f"))
        .expect_here("moved a.rs:4-5");
    let story = story
        .write("a.rs", page("a b c! d e f"))
        .expect_here("changed substance a.rs:3-4");
    let story = story
        .write("a.rs", page("a b c d e f"))
        .commit("one")
        .expect("holds");
    let story = story
        .write("a.rs", page("x a b c d e f"))
        .commit("two")
        .expect("moved a.rs:4-5");
    story
        .rename("a.rs", "b.rs")
        .commit("three")
        .expect("moved b.rs:4-5");
}

#[test]
fn an_orphan_branch_knows_no_older_commit() {
    let story = Story::of("a b [c d] e f")
        .git("checkout --quiet --orphan fresh")
        .expect_here("holds");
    let story = story
        .turn("x a b c d e f")
        .expect_here("moved a.rs:4-5")
        .commit("two")
        .expect("moved a.rs:4-5");
    story
        .expect_merged(Some(false))
        .turn("x a b c! d e f")
        .commit("three")
        .expect("changed substance a.rs:4-5");
}

#[test]
fn a_ref_that_does_not_exist_is_an_error_and_the_verdict_unknown() {
    let story = forked();
    for name in [
        "absent",
        "main~99",
        "refs/heads/absent",
        &"f".repeat(40),
        "main^{tree}",
    ] {
        assert!(
            matches!(story.at(name).read_tree(), Err(SourceError::NoSuchRef(_))),
            "{name}"
        );
        let told = told(&sight(&story.at(name), &story.cited[0]).verdict);
        assert!(
            told.starts_with("unknown no commit or branch"),
            "{name}: {told}"
        );
    }
}

#[test]
fn a_linked_working_tree_has_its_own_edits() {
    let story = forked().git("worktree add --quiet ../linked side");
    let story = story.go_to("linked").expect("changed substance a.rs:3-4");
    let story = story.turn("x y a b c d e f").expect_here("moved a.rs:5-6");
    let story = story
        .rename("a.rs", "b.rs")
        .expect_here("moved b.rs:5-6")
        .expect_at("main", "moved a.rs:4-5");
    story.go_to("app").expect("moved a.rs:4-5");
}

#[test]
fn a_bare_repository_has_commits_to_look_at() {
    let story = forked()
        .git("clone --quiet --bare . ../bare.git")
        .go_to("bare.git");
    story
        .expect_at("main", "moved a.rs:4-5")
        .expect_at("side", "changed substance a.rs:3-4");
}

#[test]
fn a_branch_older_than_the_citation_is_judged_by_what_it_holds() {
    let story = Story::of("a b [c d] e f")
        .git("branch early")
        .turn("x a b c! d e f")
        .commit("two");
    let story = story
        .cite("a.rs:4-5")
        .git("checkout --quiet early")
        .expect("changed substance a.rs:3-4");
    story
        .expect_merged(Some(false))
        .git("checkout --quiet main")
        .expect("holds");
    let story = Story::of("a b [c d] e f")
        .git("branch early")
        .turn("x a b c d e f")
        .commit("two");
    story.cite("a.rs:4-5").expect_at("early", "moved a.rs:3-4");
    let story = Story::of("[z]")
        .git("branch early")
        .turn("z; b.rs: a b c")
        .commit("two")
        .cite("b.rs:2");
    story
        .git("checkout --quiet early")
        .expect("gone file")
        .expect_merged(Some(false));
}
