//! Histories that are not a line: merges, picks, rebases, and what is left of commits that are gone.

use super::story::Story;

/// A file of which `main` and `side` edit different ends.
const BASE: &str = "a b c d e f g h i j; z.rs: z";

/// Cited on a branch on which the lines were written.
fn on_side() -> Story {
    let story = Story::new()
        .turn(BASE)
        .commit("base")
        .git("checkout --quiet -b side");
    let story = story
        .turn("a b c d e f g p q h i j; z.rs: z")
        .commit("written")
        .cite("a.rs:8-9");
    story
        .turn("a b c d e f g p q h i j!; z.rs: z")
        .commit("on")
        .git("checkout --quiet main")
}

/// The same, after `main` went its own way.
fn apart() -> Story {
    on_side()
        .turn("x a b c d e f g h i j; z.rs: z")
        .commit("main")
}

#[test]
fn a_citation_is_followed_across_a_merge() {
    let story = apart()
        .git("merge --quiet --no-ff --no-edit side")
        .expect("moved a.rs:9-10")
        .expect_merged(Some(true));
    let story = story
        .turn("y x a b c d e f g p q h i j!; z.rs: z")
        .commit("after")
        .expect("moved a.rs:10-11");
    let story = story
        .turn("y x a b c d e f g p q! h i j!; z.rs: z")
        .commit("culprit");
    story
        .expect("changed substance a.rs:10-11")
        .expect_since("culprit")
        .expect_merged(Some(true));
}

#[test]
fn a_branch_that_is_not_merged_is_told_and_then_it_is() {
    let story = apart().expect("gone lines").expect_merged(Some(false));
    let story = story
        .git("checkout --quiet side")
        .expect("holds")
        .git("checkout --quiet main");
    story
        .git("merge --quiet --no-edit side")
        .expect("moved a.rs:9-10")
        .expect_merged(Some(true));
}

#[test]
fn a_merge_that_only_moves_the_branch_is_a_line() {
    let story = on_side()
        .expect("gone lines")
        .expect_merged(Some(false))
        .git("merge --quiet --ff-only side");
    story
        .turn("x a b c d e f g p q h i j; z.rs: z")
        .commit("after")
        .expect("moved a.rs:9-10")
        .expect_merged(Some(true));
}

#[test]
fn a_file_renamed_on_main_is_found_across_the_merge() {
    let story = on_side()
        .git("mv a.rs b.rs")
        .commit("renamed")
        .git("merge --quiet --no-edit side");
    story.expect("moved b.rs:8-9").expect_merged(Some(true));
}

#[test]
fn a_merge_that_drops_the_side_has_lost_the_lines() {
    let story = apart()
        .git("merge --quiet --no-edit --strategy=ours side")
        .expect("gone lines");
    story.expect_merged(Some(true));
}

#[test]
fn lines_of_main_are_followed_through_a_merge_commit() {
    let story = apart()
        .git("checkout --quiet main~1")
        .cite("a.rs:3-4")
        .git("checkout --quiet main");
    story
        .git("merge --quiet --no-edit side")
        .expect("moved a.rs:4-5")
        .expect_merged(Some(true));
}

#[test]
fn a_squashed_branch_is_found_by_its_text() {
    let story = apart()
        .git("merge --quiet --squash side")
        .commit_index("squashed")
        .expect("moved a.rs:9-10");
    let story = story
        .expect_merged(Some(false))
        .git("branch --quiet -D side");
    let story = story
        .git("reflog expire --expire=now --all")
        .git("gc --quiet --prune=now");
    let story = story.expect("moved a.rs:9-10").expect_merged(None);
    story
        .turn("x a b c d e f g p q! h i j!; z.rs: z")
        .commit("after")
        .expect("changed substance a.rs:9-10");
}

#[test]
fn three_branches_merge_at_once() {
    let story = apart()
        .git("checkout --quiet -b third main")
        .turn("x a b c d e f g h i j; z.rs: z!")
        .commit("third");
    let story = story
        .git("checkout --quiet -b fourth main")
        .turn("x a! b c d e f g h i j; z.rs: z")
        .commit("fourth");
    let story = story
        .git("checkout --quiet main")
        .turn("x a b c d e f g h i j; z.rs: z; n.rs: n")
        .commit("main2");
    let story = story.git("merge --quiet --no-edit side third fourth");
    assert_eq!(
        story.said("rev-list --parents -1 HEAD").split(' ').count(),
        5
    );
    let story = story.expect("moved a.rs:9-10").expect_merged(Some(true));
    let story = story
        .turn("x a b c d p e f g p q h i j; z.rs: z")
        .commit("after")
        .expect("moved a.rs:10-11");
    story
        .cite_at("fourth", "a.rs:2")
        .expect("changed substance a.rs:2")
        .cite_at("third", "z.rs:1")
        .expect("changed substance z.rs:1");
}

#[test]
fn a_picked_commit_is_found_from_the_original() {
    let story = apart()
        .git("cherry-pick side~1")
        .expect("moved a.rs:9-10")
        .expect_merged(Some(false));
    story
        .turn("x a b c d e f g p! q h i j; z.rs: z")
        .commit("after")
        .expect("changed substance a.rs:9-10");
}

#[test]
fn a_reverted_commit_takes_its_lines_along_and_may_bring_them_back() {
    let story = on_side()
        .git("checkout --quiet side")
        .git("revert --no-edit HEAD~1")
        .expect("gone lines");
    story.git("revert --no-edit HEAD").expect("holds");
    let story = Story::of("a b [c d] e f")
        .turn("a b c! d e f")
        .commit("two")
        .git("revert --no-edit HEAD");
    story
        .expect("holds")
        .turn("x a b c d e f")
        .commit("four")
        .expect("moved a.rs:4-5");
}

#[test]
fn a_rebased_branch_is_followed_while_its_old_commit_is_there_and_after() {
    let story = apart()
        .git("checkout --quiet side")
        .git("rebase --quiet main")
        .expect("moved a.rs:9-10");
    let story = story
        .expect_merged(Some(false))
        .git("reflog expire --expire=now --all");
    let story = story
        .git("update-ref -d ORIG_HEAD")
        .git("gc --quiet --prune=now");
    let story = story.expect("moved a.rs:9-10").expect_merged(None);
    let story = story
        .git("mv a.rs b.rs")
        .commit("renamed")
        .expect("moved b.rs:9-10");
    let story = story
        .turn("b.rs: x a b c d e f g p q! h i j!; z.rs: z")
        .commit("changed")
        .expect("gone file");
    story
        .git("mv b.rs a.rs")
        .commit("back")
        .expect("changed substance a.rs:9-10");
}

#[test]
fn an_amended_commit_is_found_by_its_text() {
    let story = Story::of("a b [c d] e f")
        .turn("x a b c d e f")
        .git("commit --quiet --all --amend --no-edit");
    let story = story
        .expect("moved a.rs:4-5")
        .git("reflog expire --expire=now --all");
    story.git("gc --quiet --prune=now").expect("moved a.rs:4-5");
}

#[test]
fn histories_without_a_common_commit_are_merged() {
    let story = Story::of("a b [c d] e f")
        .git("checkout --quiet --orphan other")
        .turn("z.rs: z")
        .commit("other");
    let story = story.expect("gone file").expect_merged(Some(false));
    let story = story
        .git("merge --quiet --no-edit --allow-unrelated-histories main")
        .expect("holds");
    story
        .turn("x a b c d e f; z.rs: z")
        .commit("after")
        .expect("moved a.rs:4-5")
        .expect_merged(Some(true));
}

#[test]
fn a_subtree_brings_its_files_under_another_path() {
    let story = Story::of("a b [c d] e f")
        .git("checkout --quiet --orphan other")
        .turn("z.rs: z")
        .commit("other");
    let story = story.git("merge --quiet -s ours --no-commit --allow-unrelated-histories main");
    let story = story
        .git("read-tree --prefix=lib/ -u main")
        .commit_index("subtree");
    story.expect("moved lib/a.rs:3-4").expect_merged(Some(true));
}
