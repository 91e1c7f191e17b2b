//! What a file may turn into: links, submodules, other line endings and encodings, nothing, or far too much.

use apostille_cite::source::MAX_FILE;

use super::story::{Story, page};

#[cfg(unix)]
fn link(story: Story, target: &str, name: &str) -> Story {
    std::os::unix::fs::symlink(target, story.root.join(name)).unwrap();
    story
}

#[cfg(unix)]
#[test]
fn a_file_replaced_by_a_link_is_unknown() {
    let story = Story::of("a.rs: a b [c d] e f; z.rs: z").rename("a.rs", "b.rs");
    let story = link(story, "b.rs", "a.rs").expect_here("unknown …is a link");
    story.commit("two").expect("unknown …is a link");
}

#[cfg(unix)]
#[test]
fn a_path_through_a_linked_directory_is_unknown() {
    let story = Story::of("src/a.rs: a b [c d] e f; z.rs: z").rename("src", "lib");
    let story = link(story, "lib", "src").expect_here("unknown …is a link");
    story.commit("two").expect("unknown …is a link");
}

#[cfg(unix)]
#[test]
fn a_renamed_file_that_became_a_link_later_is_gone() {
    let story = Story::of("a.rs: a b [c d] e f; z.rs: z")
        .rename("a.rs", "b.rs")
        .commit("two")
        .remove("b.rs");
    let story = link(story, "z.rs", "b.rs").expect_here("unknown …");
    story.commit("three").expect("gone file");
}

#[test]
fn a_file_replaced_by_a_submodule_is_unknown() {
    let story = Story::of("lib: a b [c d] e f; z.rs: z");
    let head = story.said("rev-parse HEAD");
    let story = story
        .remove("lib")
        .git("init --quiet --template= lib")
        .git("rm --quiet --cached lib");
    let story = story.expect_here("unknown …leads out").git("add z.rs");
    let story = story
        .git(&format!("update-index --add --cacheinfo 160000,{head},lib"))
        .commit_index("two");
    story.expect("unknown …leads out");
}

#[test]
fn a_path_into_a_submodule_is_unknown() {
    let story = Story::of("lib/a.rs: a b [c d] e f; z.rs: z");
    let head = story.said("rev-parse HEAD");
    let story = story
        .git("rm --quiet --cached -r lib")
        .git("init --quiet --template= lib");
    let story = story.expect_here("unknown …leads out");
    let story = story
        .git(&format!("update-index --add --cacheinfo 160000,{head},lib"))
        .commit_index("two");
    story.expect("unknown …leads out");
}

#[test]
fn text_that_becomes_binary_is_unknown_and_text_again_holds() {
    let story = Story::of("a b [c d] e f")
        .write("a.rs", b"\0\x01\x02 a b")
        .expect_here("unknown …not text");
    let story = story.commit("two").expect("unknown …not text");
    let story = story
        .write("a.rs", page("x a b c d e f"))
        .expect_here("moved a.rs:4-5");
    story.commit("three").expect("moved a.rs:4-5");
}

#[test]
fn a_renamed_file_that_became_binary_is_unknown() {
    let story = Story::of("a.rs: a b [c d] e f; z.rs: z")
        .rename("a.rs", "b.rs")
        .commit("two");
    let story = story
        .write("b.rs", b"\0\x01\x02 a b\nc\nd\ne\n")
        .expect_here("unknown …not text");
    story.commit("three").expect("unknown …not text");
}

fn huge() -> Vec<u8> {
    vec![b'\n'; usize::try_from(MAX_FILE).unwrap() + 1]
}

#[test]
fn a_file_that_grew_too_large_is_unknown() {
    let text = [page("a b c d e f").into_bytes(), huge()].concat();
    let story = Story::of("a b [c d] e f")
        .write("a.rs", &text)
        .expect_here("unknown …has 8");
    let story = story.commit("two").expect("unknown …has 8");
    story
        .write("a.rs", page("x a b c d e f"))
        .commit("three")
        .expect("moved a.rs:4-5");
}

#[test]
fn a_renamed_file_that_grew_too_large_is_unknown() {
    let story = Story::of("a.rs: a b [c d] e f; z.rs: z")
        .rename("a.rs", "b.rs")
        .commit("two");
    let text = [page("a b c d e f").into_bytes(), huge()].concat();
    story
        .write("b.rs", &text)
        .expect_here("unknown …")
        .commit("three")
        .expect("unknown …");
}

#[test]
fn a_huge_file_is_not_searched_for_what_is_gone() {
    let story = Story::of("a b [c d] e f")
        .write("a.rs", page("a b e f"))
        .write("b.rs", huge());
    story
        .expect_here("gone lines")
        .commit("two")
        .expect("gone lines");
}

fn told_apart(was: impl AsRef<[u8]>, place: &str, now: impl AsRef<[u8]>, expected: &str) {
    let story = Story::new()
        .write("a.txt", was)
        .commit("one")
        .cite(place)
        .write("a.txt", now);
    story.expect_here(expected).commit("two").expect(expected);
}

#[test]
fn line_endings_are_no_change() {
    let (unix, dos) = (
        page("a b c d e f"),
        page("a b c d e f").replace('\n', "\r\n"),
    );
    told_apart(&unix, "a.txt:3-4", &dos, "holds");
    told_apart(&dos, "a.txt:3-4", &unix, "holds");
    told_apart(
        &unix,
        "a.txt:3-4",
        page("x a b c d e f").replace('\n', "\r\n"),
        "moved a.txt:4-5",
    );
    let mixed = page("a b") + &page("c d").replace('\n', "\r\n") + &page("e f");
    told_apart(&unix, "a.txt:2-5", &mixed, "holds");
    told_apart(&mixed, "a.txt:2-5", &dos, "holds");
    told_apart(
        &mixed,
        "a.txt:3-4",
        page("a b c! d e f").replace('\n', "\r\n"),
        "changed substance a.txt:3-4",
    );
}

#[test]
fn a_checkout_that_converts_line_endings_is_no_change() {
    let dos = page("a b c d e f").replace('\n', "\r\n");
    let story = Story::new()
        .write(".gitattributes", "* text=auto\n")
        .write("a.rs", &dos)
        .commit("one");
    let story = story
        .cite("a.rs:3-4")
        .expect("holds")
        .cite_at("HEAD", "a.rs:3-4")
        .expect("holds");
    let story = story
        .write("a.rs", page("x a b c d e f").replace('\n', "\r\n"))
        .expect_here("moved a.rs:4-5");
    story.commit("two").expect("moved a.rs:4-5");
}

#[test]
fn the_last_line_may_lack_its_end() {
    let open = page("a b c").trim_end().to_owned();
    told_apart(&open, "a.txt:2-3", page("a b c"), "holds");
    told_apart(page("a b c"), "a.txt:2-3", &open, "holds");
    told_apart(&open, "a.txt:2-3", page("a b c d"), "holds");
    told_apart(
        &open,
        "a.txt:2-3",
        page("x a b c").trim_end(),
        "moved a.txt:3-4",
    );
    told_apart(
        &open,
        "a.txt:2-3",
        open.replace("\"c\"", "\"d\""),
        "changed substance a.txt:2-3",
    );
}

/// Text as it was written before Unicode.
fn latin(text: &str) -> Vec<u8> {
    text.chars()
        .map(|it| u8::try_from(u32::from(it)).unwrap())
        .collect()
}

#[test]
fn text_that_is_not_unicode_is_followed_byte_for_byte() {
    let was = latin("eins\nzwei größer als drei, und schöner noch dazu\nfünf\nsechs\n");
    let above = latin("null\neins\nzwei größer als drei, und schöner noch dazu\nfünf\nsechs\n");
    told_apart(&was, "a.txt:2", &above, "moved a.txt:3");
    let other = latin("eins\nzwei gräßer als drei, und schöner noch dazu\nfünf\nsechs\n");
    told_apart(&was, "a.txt:2", &other, "changed substance a.txt:2");
    let indented = latin("eins\n  zwei größer als drei, und schöner noch dazu\nfünf\nsechs\n");
    told_apart(&was, "a.txt:2", &indented, "changed substance a.txt:2");
    let unicode = "eins\nzwei größer als drei, und schöner noch dazu\nfünf\nsechs\n";
    told_apart(&was, "a.txt:2", unicode, "changed substance a.txt:2");
}

#[test]
fn a_byte_order_mark_touches_the_first_line_only() {
    let marked = format!("\u{feff}{}", page("a b c d e f"));
    told_apart(page("a b c d e f"), "a.txt:3-4", &marked, "holds");
    told_apart(&marked, "a.txt:3-4", page("a b c d e f"), "holds");
    told_apart(
        &marked,
        "a.txt:3-4",
        format!("\u{feff}{}", page("x a b c d e f")),
        "moved a.txt:4-5",
    );
}

#[test]
fn text_that_becomes_utf_16_is_unknown() {
    let wide: Vec<u8> = page("a b c d e f")
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    told_apart(
        page("a b c d e f"),
        "a.txt:3-4",
        [b"\xff\xfe".to_vec(), wide].concat(),
        "unknown …not text",
    );
}

#[test]
fn very_long_lines_are_followed() {
    let long = |end: &str| format!("one\n{}{end}\nthree\n", "word ".repeat(12_000));
    told_apart(
        long("a"),
        "a.txt:2",
        "zero\n".to_owned() + &long("a"),
        "moved a.txt:3",
    );
    told_apart(long("a"), "a.txt:2", long("b"), "changed substance a.txt:2");
}

#[test]
fn an_emptied_file_has_lost_its_lines() {
    told_apart(page("a b c"), "a.txt:1-3", "", "gone lines");
    told_apart(page("a b c"), "a.txt:2", "\n", "gone lines");
}
