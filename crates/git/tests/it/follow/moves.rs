//! Blocks and files that go elsewhere.

use super::story::{Story, follow};

#[test]
fn a_block_moves_within_its_file() {
    follow("a b [c d e] f g h", &["c d e a b f g h"], "moved a.rs:1-3");
    follow("a b [c d e] f g h", &["a b f g h c d e"], "moved a.rs:6-8");
    follow(
        "a [b c] d e f g h",
        &["a d e f g h b c", "d e f g h b c"],
        "moved a.rs:6-7",
    );
}

#[test]
fn a_block_moves_to_another_file_in_the_same_commit() {
    follow(
        "a.rs: a b [c d e] f; b.rs: x y",
        &["a.rs: a b f; b.rs: x c d e y"],
        "moved b.rs:2-4",
    );
    follow(
        "a.rs: a b [c d e] f; b.rs: x y",
        &["a.rs: a b f; b.rs: x y; c.rs: c d e"],
        "moved c.rs:1-3",
    );
    follow(
        "a.rs: a b [c d e] f; b.rs: x y",
        &["b.rs: x y c d e"],
        "moved b.rs:3-5",
    );
    follow(
        "a.rs: a b [c d e] f; b.rs: x",
        &["a.rs: a b f; b.rs: x >c >d >e"],
        "changed whitespace b.rs:2-4",
    );
}

#[test]
fn a_block_that_moves_and_changes_is_not_found_elsewhere() {
    follow(
        "a.rs: a b [c d e] f; b.rs: x y",
        &["a.rs: a b f; b.rs: x c d! e y"],
        "gone lines",
    );
}

#[test]
fn a_copied_block_leaves_the_original_valid() {
    follow(
        "a.rs: a b [c d e] f; b.rs: x",
        &["a.rs: a b c d e f; b.rs: x c d e"],
        "holds",
    );
    follow("a.rs: a b [c d e] f", &["a.rs: a b c d e f c d e"], "holds");
    follow(
        "a.rs: a b [c d e] f",
        &["a.rs: c d e a b c d e f"],
        "moved a.rs:6-8",
    );
    follow(
        "a.rs: a b [c d e] f",
        &["a.rs: a b c d e f; b.rs: a b c d e f"],
        "holds",
    );
}

#[test]
fn the_original_of_a_copied_block_is_what_is_judged() {
    let then = [
        "a.rs: a b c d e f; b.rs: x c d e",
        "a.rs: a b c d! e f; b.rs: x c d e",
    ];
    follow(
        "a.rs: a b [c d e] f; b.rs: x",
        &then,
        "changed substance a.rs:3-5",
    );
}

#[test]
fn a_block_moves_twice() {
    let then = [
        "a.rs: a b f; b.rs: x c d e",
        "a.rs: a b f; b.rs: x; c.rs: y c d e z",
    ];
    follow("a.rs: a b [c d e] f; b.rs: x", &then, "moved c.rs:2-4");
    let back = ["a.rs: a b f; b.rs: x c d e", "a.rs: a b c d e f; b.rs: x"];
    follow("a.rs: a b [c d e] f; b.rs: x", &back, "holds");
}

#[test]
fn a_block_that_moved_and_changed_later_is_found_changed() {
    let then = ["a.rs: a b f; b.rs: x c d e", "a.rs: a b f; b.rs: x c d! e"];
    follow(
        "a.rs: a b [c d e] f; b.rs: x",
        &then,
        "changed substance b.rs:2-4",
    );
}

#[test]
fn a_file_is_renamed() {
    follow(
        "a.rs: a b [c d] e f",
        &["b.rs: a b c d e f"],
        "moved b.rs:3-4",
    );
    follow(
        "a.rs: a b [c d] e f",
        &["b.rs: x a b c d e f"],
        "moved b.rs:4-5",
    );
    follow(
        "a.rs: a b [c d] e f g h",
        &["b.rs: a b c d! e f g h"],
        "changed substance b.rs:3-4",
    );
    follow(
        "a.rs: a b [c d] e f",
        &["b.rs: a b c d e f", "c.rs: a b c d e f"],
        "moved c.rs:3-4",
    );
    follow(
        "a.rs: a b [c d] e f",
        &["b.rs: a b c d e f", "a.rs: a b c d e f"],
        "holds",
    );
    follow(
        "readme.md: a b [c d] e f",
        &["README.md: a b c d e f"],
        "moved README.md:3-4",
    );
    follow(
        "a.rs: a b [c d] e f",
        &["b.rs: c d a b e f"],
        "moved b.rs:1-2",
    );
    follow(
        "a.rs: a b [c d] e f g; z.rs: z",
        &["b.rs: a b e f g; z.rs: z c d"],
        "moved z.rs:2-3",
    );
}

#[test]
fn a_directory_is_renamed() {
    let was = "src/x/a.rs: a b [c d] e f; src/x/b.rs: p q r; src/y.rs: s";
    follow(
        was,
        &["lib/x/a.rs: a b c d e f; lib/x/b.rs: p q r; lib/y.rs: s"],
        "moved lib/x/a.rs:3-4",
    );
    follow(
        was,
        &["src/x/b.rs: p q r; src/y.rs: s; src/x/deep/a.rs: a b c d e f"],
        "moved src/x/deep/a.rs:3-4",
    );
}

#[test]
fn two_files_swap_their_names() {
    let (was, now) = (
        "a.rs: a b [c d] e f; b.rs: p q r s t",
        "a.rs: p q r s t; b.rs: a b c d e f",
    );
    follow(was, &[now], "moved b.rs:3-4");
    follow(was, &[now, "a.rs: a b c d e f; b.rs: p q r s t"], "holds");
}

#[test]
fn a_new_file_under_the_old_name_is_not_the_old_file() {
    follow(
        "a.rs: a b [c d] e f",
        &["b.rs: a b c d e f; a.rs: mod x"],
        "moved b.rs:3-4",
    );
}

#[test]
fn a_file_becomes_a_directory_and_back() {
    follow("a: a b [c d] e f; z: z", &["a/b: p q; z: z"], "gone file");
    follow(
        "a: a b [c d] e f; z: z",
        &["a/b: a b c d e f; z: z"],
        "moved a/b:3-4",
    );
    follow(
        "a: a b [c d] e f; z: z",
        &["a/b: p q; z: z", "a: a b c d e f; z: z"],
        "holds",
    );
    follow("a/b: a b [c d] e f; z: z", &["a: p q; z: z"], "gone file");
    follow(
        "a/b: a b [c d] e f; z: z",
        &["a: a b c d e f; z: z"],
        "moved a:3-4",
    );
    follow(
        "a/b: a b [c d] e f; z: z",
        &["a: p q; z: z", "a/b: a b c d e f; z: z"],
        "holds",
    );
}

#[test]
fn a_short_line_that_went_elsewhere_is_gone_rather_than_guessed() {
    let story = Story::new()
        .write("a.rs", "one\nx = 1\ntwo\n")
        .write("b.rs", "three\n")
        .commit("one");
    let story = story
        .cite("a.rs:2")
        .write("a.rs", "one\ntwo\n")
        .write("b.rs", "three\nx = 1\n");
    story
        .expect_here("gone lines")
        .commit("two")
        .expect("gone lines");
}
