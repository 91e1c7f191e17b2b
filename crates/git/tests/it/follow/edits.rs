//! Edits of the cited file.

use super::story::{Story, follow, page};

#[test]
fn edits_elsewhere_leave_the_text_alone() {
    follow("a b [c d] e f", &["a b c d e f g"], "holds");
    follow("a b [c d] e f", &["a! b c d e f!"], "holds");
    follow("a b [c d] e f", &["a b c d e! f"], "holds");
    follow("a b [c d] e f", &["x a b c d e f"], "moved a.rs:4-5");
    follow("a b [c d] e f", &["b c d e f"], "moved a.rs:2-3");
    follow("a b [c d] e f", &["c d"], "moved a.rs:1-2");
    follow("a b [c d] e f", &["x y a b! c d e! f"], "moved a.rs:5-6");
    follow("a b [c d] e f", &["a b x c d e f"], "moved a.rs:4-5");
    follow("a b [c d] e f", &["a b c d x e f"], "holds");
    follow("[a] b c", &["x a b c"], "moved a.rs:2");
    follow("a b [c]", &["a b c d"], "holds");
}

#[test]
fn lines_put_between_cited_ones_are_told() {
    follow(
        "a b [c d] e f",
        &["a b c x d e f"],
        "changed inserted a.rs:3-5",
    );
    follow(
        "a b [c d] e f",
        &["y a b c x d e f"],
        "changed inserted a.rs:4-6",
    );
    follow(
        "a b [c d] e f",
        &["a b c . d e f"],
        "changed whitespace a.rs:3-5",
    );
}

#[test]
fn layout_is_told_from_substance() {
    follow(
        "a b [c d] e f",
        &["a b c d_ e f"],
        "changed whitespace a.rs:3-4",
    );
    follow(
        "a b [c d] e f",
        &["a b >c >d e f"],
        "changed whitespace a.rs:3-4",
    );
    follow(
        "a b [c d] e f",
        &["x a b >c >d e f"],
        "changed whitespace a.rs:4-5",
    );
    follow(
        "a b [c d] e f",
        &["a b c/ d e f"],
        "changed formatting a.rs:3-6",
    );
    follow(
        "a b [c/ d] e f",
        &["a b c d e f"],
        "changed formatting a.rs:3-4",
    );
    follow(
        "a b [c d] e f",
        &["a b c d# e f"],
        "changed comment a.rs:3-4",
    );
    follow(
        "a b [c d] e f",
        &["a b c @ d e f"],
        "changed comment a.rs:3-5",
    );
}

/// Files as they are written, one commit each, with the lines that are cited in the first.
fn follow_text(path: &str, lines: &str, first: &str, then: &str, expected: &str) {
    let story = Story::new().write(path, first).commit("one");
    let story = story.cite(&format!("{path}:{lines}")).write(path, then);
    story.expect_here(expected).commit("two").expect(expected);
}

#[test]
fn lines_are_found_where_all_around_them_is_indented_anew() {
    let was =
        "def event():\n    if library() == 3:\n        import trio\n        return trio.Event()\n";
    let now = "def is_trio():\n    try:\n        if library() == 3:\n            return True\n    \
               except ImportError:\n        pass\n\ndef event():\n    if is_trio():\n        import trio\n        \
               return trio.Event()\n";
    let check = |lines: &str, now: &str, expected: &str| {
        follow_text("a.py", lines, was, now, expected);
    };
    check("2", now, "changed whitespace a.py:3");
    check(
        "2",
        &now.replace("y()", "y( )"),
        "changed whitespace a.py:3",
    );
    check("2", &now.replace("3", "4"), "changed substance …");
    check("2-3", now, "changed substance …");
    check("3-4", now, "moved a.py:10-11");
    let now = was
        .replace("    ", "\t")
        .replace("\t\treturn", "\n\t\treturn");
    check("2-4", &now, "changed whitespace a.py:2-5");
    check("4", &now, "changed whitespace a.py:5");
}

#[test]
fn spaces_inside_lines_are_whitespace() {
    follow_text(
        "a.go",
        "2",
        "// Licence\n// see there\n",
        "// Licence\n//\n//     see there\n",
        "changed whitespace a.go:3",
    );
    follow_text(
        "a.py",
        "1",
        "a()  # nocover\n",
        "a()  # no cover\n",
        "changed whitespace a.py:1",
    );
    let row = |width: usize| {
        format!(
            "| {:width$} | replace the selections by what is on the clipboard |\n",
            "`R`"
        )
    };
    let (was, now) = (row(5) + "a\nb\nc\n", format!("a\nb\n{}c\n", row(9)));
    follow_text("a.md", "1", &was, &now, "changed whitespace a.md:3");
}

#[test]
fn names_and_values_are_told_apart() {
    follow(
        "a b [c d] e f",
        &["a b c= d e f"],
        "changed rename a.rs:3-4",
    );
    follow(
        "a b [c d] e f",
        &["a b c! d e f"],
        "changed substance a.rs:3-4",
    );
    follow(
        "a b [c d] e f",
        &["x a b c d! e f"],
        "changed substance a.rs:4-5",
    );
    follow(
        "a b [c d] e f",
        &["a b c! d! e f"],
        "changed substance a.rs:3-4",
    );
}

#[test]
fn deleted_lines_are_gone_and_what_is_left_of_them_is_changed() {
    follow("a b [c d] e f", &["a b e f"], "gone lines");
    follow("a b [c d] e f", &["a b d e f"], "changed substance a.rs:3");
    follow("a b [c d] e f", &["a b c e f"], "changed substance a.rs:3");
    follow("[a b]", &["x"], "changed substance a.rs:1");
    follow("a b [c d] e f", &[""], "gone lines");
}

#[test]
fn a_deleted_file_is_gone_and_a_restored_one_is_back() {
    follow("a b [c d] e f; z.rs: z", &["z.rs: z"], "gone file");
    follow(
        "a b [c d] e f; z.rs: z",
        &["z.rs: z", "a b c d e f; z.rs: z"],
        "holds",
    );
    follow(
        "a b [c d] e f; z.rs: z",
        &["z.rs: z", "x a b c d e f; z.rs: z"],
        "moved a.rs:4-5",
    );
    follow(
        "a b [c d] e f; z.rs: z",
        &["z.rs: z", "p q r; z.rs: z"],
        "gone file",
    );
}

#[test]
fn what_was_edited_and_reverted_holds() {
    follow("a b [c d] e f", &["a b c! d! e f", "a b c d e f"], "holds");
    follow(
        "a b [c d] e f",
        &["a b c! d! e f", "x a b c d e f"],
        "moved a.rs:4-5",
    );
    follow(
        "a b [c d] e f",
        &["a b e f", "x a b c d e f"],
        "moved a.rs:4-5",
    );
    follow("a b [c d] e f", &["a b >c >d e f", "a b c d e f"], "holds");
    follow(
        "a b [c d] e f",
        &["a b c x d e f", "y a b c d e f"],
        "moved a.rs:4-5",
    );
}

#[test]
fn the_commit_that_did_it_is_named() {
    let story = Story::of("a b [c d] e f")
        .turn("x a b c d e f")
        .commit("above")
        .turn("x a b c! d e f");
    let story = story
        .commit("culprit")
        .turn("x y a b c! d e f")
        .commit("later");
    story
        .expect("changed substance a.rs:5-6")
        .expect_since("culprit");
    let story = Story::of("a b [c d] e f; z.rs: z")
        .turn("z.rs: z")
        .commit("culprit");
    story
        .turn("z.rs: z!")
        .commit("later")
        .expect("gone file")
        .expect_since("culprit");
}

/// Three times the same line, in stanzas that differ only in their name.
fn stanzas(names: &str) -> String {
    let of = |it: &str| {
        let (name, value) = it.split_once('=').unwrap_or((it, "3"));
        format!("{name} {{\n    kind: plain,\n    retries: {value},\n    done: no,\n}}\n")
    };
    names.split_whitespace().map(of).collect()
}

fn repeated(now: &str, expected: &str) {
    let story = Story::new()
        .write("a.conf", stanzas("alpha beta gamma"))
        .commit("one")
        .cite("a.conf:8");
    story
        .write("a.conf", stanzas(now))
        .expect_here(expected)
        .commit("two")
        .expect(expected);
}

#[test]
fn of_lines_that_stand_three_times_the_right_one_is_followed() {
    repeated("alpha beta gamma delta", "holds");
    repeated("zero alpha beta gamma", "moved a.conf:13");
    repeated("beta gamma", "moved a.conf:3");
    repeated("alpha=4 beta gamma=5", "holds");
    repeated("alpha beta=4 gamma", "changed substance a.conf:8");
    repeated("zero alpha beta=4 gamma", "changed substance a.conf:13");
    repeated("beta=4 gamma", "changed substance a.conf:3");
    repeated("alpha gamma", "gone lines");
}

#[test]
fn a_whole_file_that_is_cited_grows_and_shrinks() {
    follow("[a b c]", &["a b c d"], "holds");
    follow("[a b c]", &["z a b c"], "moved a.rs:2-4");
    follow("[a b c]", &["a b"], "changed substance a.rs:1-2");
}

#[test]
fn five_commits_are_followed_like_one() {
    let states = [
        "x a b c d e f",
        "x y a b c d e f",
        "x a b c d e f",
        "a! x b c d e f",
        "q a! x b c d e f!",
    ];
    follow("a b [c d] e f", &states, "moved a.rs:5-6");
}

#[test]
fn an_empty_file_in_between_is_survived() {
    follow("a b [c d] e f", &["", "a b c d e f"], "holds");
    follow("a b [c d] e f", &["", "x a b c d e f"], "moved a.rs:4-5");
    Story::of("a b [c d] e f")
        .write("a.rs", "")
        .expect_here("gone lines")
        .write("a.rs", "\n\n\n\n\n\n")
        .commit("blank")
        .expect("gone lines")
        .write("a.rs", page("a b c d"))
        .expect_here("holds");
}
