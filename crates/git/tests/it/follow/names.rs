//! Paths that are awkward to write, alone or as neighbours.

use super::story::{Story, follow};

/// What git or a shell could take for something else.
const AWKWARD: [&str; 9] = [
    "two words/with a space.rs",
    "größe/naïve – 日本.rs",
    "it's \"quoted\".rs",
    "-rf.rs",
    "--output=x.rs",
    "src/a:b.rs",
    "src/*?[x].rs",
    ":(glob)a.rs",
    "HEAD",
];

#[test]
fn awkward_paths_are_followed_like_others() {
    for path in AWKWARD {
        let at = |words: &str| format!("{path}: {words}");
        follow(
            &at("a b [c d] e f"),
            &[&at("x a b c d e f")],
            &format!("moved {path}:4-5"),
        );
        follow(
            "a.rs: a b [c d] e f",
            &[&at("a b c d e f")],
            &format!("moved {path}:3-4"),
        );
        follow(
            &at("a b [c d] e f"),
            &["a.rs: x a b c d e f"],
            "moved a.rs:4-5",
        );
    }
}

#[test]
fn one_name_in_two_spellings_is_two_paths() {
    let (composed, decomposed) = ("caf\u{e9}.rs", "cafe\u{301}.rs");
    let (was, now) = (
        format!("{composed}: a b [c d] e f"),
        format!("{decomposed}: x a b c d e f"),
    );
    follow(&was, &[&now], &format!("moved {decomposed}:4-5"));
}

/// Names that cannot be cited, and that lists of files could break on.
#[cfg(unix)]
const UNSPEAKABLE: [&[u8]; 7] = [
    b"\na.rs",
    b"a.rs\n",
    b"a\n.rs",
    b"\x01a.rs",
    b"a\t.rs",
    b"caf\xe9.rs",
    b"a\\b.rs",
];

#[cfg(unix)]
fn unspeakable(story: &Story, name: &[u8]) -> std::path::PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    story.root.join(std::ffi::OsStr::from_bytes(name))
}

#[cfg(unix)]
#[test]
fn unspeakable_neighbours_break_nothing() {
    use super::story::page;
    for name in UNSPEAKABLE {
        let story = Story::of("a b [c d] e f");
        let file = unspeakable(&story, name);
        std::fs::write(&file, page("p q r s")).unwrap();
        let story = story
            .write("a.rs", page("x a b c d e f"))
            .expect_here("moved a.rs:4-5")
            .commit("two");
        std::fs::write(&file, page("p! q r s")).unwrap();
        let story = story.expect("moved a.rs:4-5").commit("three");
        std::fs::remove_file(&file).unwrap();
        story
            .expect("moved a.rs:4-5")
            .commit("four")
            .expect("moved a.rs:4-5");
    }
}

/// Lines too short to be found by their text: they are only found by following the right file.
#[cfg(unix)]
#[test]
fn a_neighbour_is_not_taken_for_the_cited_file() {
    for name in UNSPEAKABLE {
        let story = Story::new()
            .write("a.rs", "one\ntwo\nthree\n")
            .commit("one")
            .cite("a.rs:2");
        let file = unspeakable(&story, name);
        std::fs::write(&file, "x\n").unwrap();
        let story = story.commit("two");
        std::fs::remove_file(&file).unwrap();
        let story = story
            .commit("three")
            .write("a.rs", "zero\none\ntwo\nthree\n")
            .commit("four");
        story
            .expect("moved a.rs:3")
            .write("a.rs", "zero\none\n2\nthree\n")
            .commit("five")
            .expect("changed substance a.rs:3");
    }
}

#[cfg(unix)]
#[test]
fn unspeakable_neighbours_do_not_hide_a_renaming() {
    for name in UNSPEAKABLE {
        let story = Story::of("a.rs: a b [c d] e f; z.rs: z");
        std::fs::write(unspeakable(&story, name), "beside\n").unwrap();
        let story = story.rename("a.rs", "b.rs").expect_here("moved b.rs:3-4");
        story.commit("two").expect("moved b.rs:3-4");
    }
}

/// It is still in the repository, but no citation can say where.
#[cfg(unix)]
#[test]
fn a_file_renamed_to_what_cannot_be_cited_is_gone() {
    let story = Story::of("a.rs: a b [c d] e f; z.rs: z");
    std::fs::rename(story.root.join("a.rs"), unspeakable(&story, b"a\n.rs")).unwrap();
    story.commit("two").expect("gone file");
}
