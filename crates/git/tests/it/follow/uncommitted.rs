//! Edits that no commit holds yet, and citations of them.

use super::story::{Story, page};

#[test]
fn edits_are_seen_staged_or_not() {
    let story = Story::of("a b [c d] e f")
        .turn("x a b c d e f")
        .expect_here("moved a.rs:4-5");
    let story = story
        .git("add a.rs")
        .expect_here("moved a.rs:4-5")
        .expect_at("HEAD", "holds");
    let story = story
        .turn("x y a b c! d e f")
        .expect_here("changed substance a.rs:5-6");
    let story = story
        .git("add a.rs")
        .turn("a b c d e f")
        .expect_here("holds")
        .expect_at("HEAD", "holds");
    story
        .turn("x a b c d e f")
        .commit_index("two")
        .expect_here("moved a.rs:4-5")
        .expect_at("HEAD", "changed substance a.rs:5-6");
}

#[test]
fn a_renaming_is_followed_with_git_and_without() {
    let was = "a.rs: a b [c d] e f; z.rs: z";
    let story = Story::of(was)
        .git("mv a.rs b.rs")
        .expect_here("moved b.rs:3-4")
        .expect_at("HEAD", "holds");
    story
        .write("b.rs", page("x a b c d e f"))
        .expect_here("moved b.rs:4-5");
    let story = Story::of(was)
        .rename("a.rs", "b.rs")
        .expect_here("moved b.rs:3-4")
        .expect_at("HEAD", "holds");
    story
        .write("b.rs", page("x a b c! d e f"))
        .expect_here("changed substance b.rs:4-5");
    Story::of(was)
        .git("mv a.rs b.rs")
        .rename("b.rs", "c.rs")
        .expect_here("moved c.rs:3-4");
    Story::of(was)
        .git("mv a.rs b.rs")
        .git("mv b.rs a.rs")
        .expect("holds");
    Story::of("readme.md: a b [c d] e f")
        .git("mv readme.md README.md")
        .expect_here("moved README.md:3-4");
}

#[test]
fn a_directory_is_renamed_with_git_and_without() {
    let was = "src/a.rs: a b [c d] e f; src/b.rs: p q r; z.rs: z";
    Story::of(was)
        .git("mv src lib")
        .expect_here("moved lib/a.rs:3-4");
    Story::of(was)
        .rename("src", "lib")
        .expect_here("moved lib/a.rs:3-4");
}

#[test]
fn a_block_is_followed_into_a_new_file() {
    let story =
        Story::of("a.rs: a b [c d e] f; z.rs: z").turn("a.rs: a b f; b.rs: x c d e; z.rs: z");
    let story = story
        .expect_here("moved b.rs:2-4")
        .git("add --intent-to-add b.rs")
        .expect_here("moved b.rs:2-4");
    let story = story
        .git("add b.rs")
        .expect_here("moved b.rs:2-4")
        .expect_at("HEAD", "holds");
    story.commit("two").expect("moved b.rs:2-4");
}

#[test]
fn a_deletion_is_seen_staged_or_not() {
    let was = "a.rs: a b [c d] e f; z.rs: z";
    Story::of(was)
        .remove("a.rs")
        .expect_here("gone file")
        .expect_at("HEAD", "holds");
    Story::of(was)
        .git("rm --quiet a.rs")
        .expect_here("gone file")
        .expect_at("HEAD", "holds");
    Story::of(was)
        .git("rm --quiet --cached a.rs")
        .expect("holds");
    Story::of(was)
        .git("rm --quiet --cached a.rs")
        .write("a.rs", page("x a b c d e f"))
        .expect_here("moved a.rs:4-5");
}

#[test]
fn an_ignored_file_is_read_in_place_and_not_searched() {
    let story = Story::new()
        .write(".gitignore", "*.log\n")
        .commit("one")
        .write("a.log", page("a b c d e f"));
    let story = story
        .cite("a.log:3-4")
        .expect_here("holds")
        .expect_at("HEAD", "gone file");
    let story = story
        .write("a.log", page("x a b c d e f"))
        .expect_here("moved a.log:4-5");
    let story = story
        .write("a.log", page("a b c! d e f"))
        .expect_here("changed substance a.log:3-4");
    story.rename("a.log", "b.log").expect_here("gone file");
}

#[test]
fn a_file_moved_to_where_git_ignores_it_is_gone() {
    let story = Story::of(".gitignore: x; a.rs: a b [c d] e f")
        .write(".gitignore", "*.log\n")
        .commit("two");
    story.rename("a.rs", "a.log").expect_here("gone file");
}

/// An edit that was cited before it was committed.
fn dirty() -> Story {
    Story::of("a b [x] e f")
        .turn("a b c d e f")
        .cite("a.rs:3-4")
        .expect_here("holds")
}

#[test]
fn what_was_cited_before_its_commit_is_followed_from_there() {
    let story = dirty()
        .commit("two")
        .expect("holds")
        .turn("y a b c d e f")
        .commit("three");
    let story = story
        .expect("moved a.rs:4-5")
        .turn("a b e f; b.rs: q c d")
        .commit("four")
        .expect("moved b.rs:2-3");
    story
        .turn("a b e f; b.rs: q c! d")
        .commit("five")
        .expect("changed substance b.rs:2-3")
        .expect_since("five");
}

#[test]
fn what_was_cited_and_edited_before_its_commit_is_found_by_its_text() {
    dirty()
        .turn("y a b c d e f")
        .commit("two")
        .expect("moved a.rs:4-5");
    dirty()
        .turn("a b c d! e f")
        .commit("two")
        .expect("changed substance a.rs:3-4");
    dirty()
        .rename("a.rs", "b.rs")
        .expect_here("moved b.rs:3-4")
        .commit("two")
        .expect("moved b.rs:3-4");
    dirty()
        .rename("a.rs", "b.rs")
        .write("b.rs", page("y a b c d e f g"))
        .commit("two")
        .expect("moved b.rs:4-5");
}

#[test]
fn what_was_cited_and_never_committed_is_not_there() {
    dirty()
        .git("checkout --quiet a.rs")
        .expect("changed substance a.rs:3");
    dirty().expect_at("HEAD", "changed substance a.rs:3");
    let story = Story::of("[z]")
        .write("b.rs", page("a b c d"))
        .cite("b.rs:2-3")
        .expect_here("holds");
    story
        .expect_at("HEAD", "gone file")
        .remove("b.rs")
        .expect_here("gone file");
}

/// Git knows the content, but no commit holds it.
#[test]
fn what_was_staged_and_never_committed_is_not_in_the_commit() {
    let story = dirty()
        .git("add a.rs")
        .expect_here("holds")
        .expect_at("HEAD", "changed substance a.rs:3");
    story
        .git("reset --quiet --hard")
        .expect("changed substance a.rs:3");
    let story = Story::of("[z]")
        .write("b.rs", page("a b c d"))
        .cite("b.rs:2-3")
        .git("add b.rs");
    let story = story.expect_here("holds").expect_at("HEAD", "gone file");
    story.git("reset --quiet --hard").expect("gone file");
}

#[test]
fn what_was_cited_in_a_new_file_is_followed_once_it_is_committed() {
    let story = Story::of("[z]")
        .write("b.rs", page("a b c d"))
        .cite("b.rs:2-3")
        .commit("two")
        .expect("holds");
    let story = story
        .write("b.rs", page("x a b c d"))
        .commit("three")
        .expect("moved b.rs:3-4");
    story
        .rename("b.rs", "c.rs")
        .commit("four")
        .expect("moved c.rs:3-4");
}

#[test]
fn a_stashed_edit_is_not_there_until_it_is_back() {
    let story = dirty()
        .git("stash --quiet")
        .expect("changed substance a.rs:3");
    story.git("stash pop --quiet").expect_here("holds");
}

#[test]
fn a_file_that_is_not_checked_out_is_unknown_and_never_gone() {
    let story =
        Story::of("src/a.rs: a b [c d] e f; z.rs: z").git("sparse-checkout set --no-cone /z.rs");
    assert!(!story.root.join("src/a.rs").exists());
    story
        .expect_at("HEAD", "holds")
        .expect_here("unknown …not checked out");
}

#[test]
fn what_the_index_is_told_to_overlook_is_still_read() {
    let story = Story::of("a b [c d] e f").git("update-index --assume-unchanged a.rs");
    story
        .turn("x a b c! d e f")
        .expect_here("changed substance a.rs:4-5")
        .expect_at("HEAD", "holds");
}

#[test]
fn a_conflict_in_the_cited_lines_is_a_change() {
    let story = Story::of("a b [c d] e f")
        .git("checkout --quiet -b side")
        .turn("a b c! d e f")
        .commit("two");
    let story = story
        .git("checkout --quiet main")
        .turn("a b c= d e f")
        .commit("three");
    assert!(
        !story
            .command(&story.root)
            .args(["merge", "--quiet", "side"])
            .output()
            .unwrap()
            .status
            .success()
    );
    story
        .expect_here("changed substance a.rs:…")
        .expect_at("HEAD", "changed rename a.rs:3-4");
}

#[cfg(unix)]
#[test]
fn odd_things_that_lie_about_break_nothing() {
    let story = Story::of("a.rs: a b [c d] e f; z.rs: z").rename("a.rs", "b.rs");
    std::os::unix::fs::symlink("nowhere", story.root.join("dangling")).unwrap();
    std::os::unix::fs::symlink("b.rs", story.root.join("a2.rs")).unwrap();
    std::os::unix::net::UnixListener::bind(story.root.join("socket")).unwrap();
    let story = story
        .git("init --quiet --template= nested")
        .write("nested/a.rs", page("a b c d e f"));
    story.expect_here("moved b.rs:3-4");
}
