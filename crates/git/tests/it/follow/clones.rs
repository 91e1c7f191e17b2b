//! Clones that lack something: history, contents, or an object that is broken. What cannot be read is unknown.

use std::fs;

use super::story::{Story, page};

/// A clone beside the repository, and the repository gone.
fn cloned(story: Story, options: &str) -> Story {
    let story = story.git("config uploadpack.allowFilter true");
    let url = format!("file://{}", story.root.display());
    let story = story.git(&format!("clone --quiet {options} {url} ../clone"));
    fs::remove_dir_all(&story.root).unwrap();
    story.go_to("clone")
}

#[test]
fn a_clone_without_history_is_searched_by_text() {
    let shallow = |now: &str| {
        cloned(
            Story::of("a b [c d] e f; z.rs: z").turn(now).commit("two"),
            "--depth=1",
        )
    };
    shallow("a b c d e f; z.rs: z!").expect("holds");
    shallow("x a b c d e f; z.rs: z")
        .expect("moved a.rs:4-5")
        .expect_merged(None);
    shallow("b.rs: x a b c d e f; z.rs: z")
        .expect("moved b.rs:4-5")
        .expect_merged(None);
    shallow("a b e f; z.rs: z c d").expect("changed substance …");
    shallow("a b c! d e f; z.rs: z")
        .expect("changed substance a.rs:3-4")
        .expect_merged(None);
    shallow("a b >c >d e f; z.rs: z").expect("changed whitespace a.rs:3-4");
    shallow("z.rs: z").expect("gone file").expect_merged(None);
}

#[test]
fn a_clone_with_the_cited_commit_at_its_end_is_followed() {
    let story = Story::of("z.rs: [z]")
        .turn("a b c d e f; z.rs: z")
        .commit("two")
        .cite("a.rs:3-4");
    let story = cloned(
        story.turn("x a b c! d e f; z.rs: z").commit("three"),
        "--depth=2",
    );
    let story = story
        .expect("changed substance a.rs:4-5")
        .expect_since("three")
        .expect_merged(Some(true));
    story
        .write("a.rs", page("y x a b c d e f"))
        .expect_here("moved a.rs:5-6");
}

#[test]
fn text_that_is_not_unicode_is_never_taken_for_another_of_its_kind() {
    let text = |above: &str, vowel: &[u8]| {
        let line = [
            b"the line that is looked for is gr",
            vowel,
            b"n and long enough to be told apart\n",
        ]
        .concat();
        [page(above).as_bytes(), &line, page("c d e").as_bytes()].concat()
    };
    let shallow = |path: &str, now: Vec<u8>| {
        let story = Story::new()
            .write("a.txt", text("a b", b"\xfc"))
            .write("z.rs", "z\n")
            .commit("one");
        let story = story
            .cite("a.txt:3")
            .remove("a.txt")
            .write(path, now)
            .commit("two");
        cloned(story, "--depth=1")
    };
    shallow("a.txt", text("x a b", b"\xfc")).expect("moved a.txt:4");
    shallow("b.txt", text("x a b", b"\xfc")).expect("moved b.txt:4");
    shallow("a.txt", text("x a b", b"\xf6")).expect("changed substance a.txt:4");
    shallow("b.txt", text("x a b", b"\xf6")).expect("gone file");
}

/// The cited version was promised, and whoever promised it is gone.
fn partial(now: &str) -> Story {
    let story = Story::of("a.rs: a b [c d] e f g h; z.rs: z")
        .turn(now)
        .commit("two");
    cloned(
        story.write("n.rs", "n\n").commit("three"),
        "--filter=blob:none",
    )
}

#[test]
fn what_a_partial_clone_lacks_is_unknown_and_never_gone() {
    partial("a.rs: a b c! d e f g h; z.rs: z").expect("unknown …");
    partial("a.rs: a b e f g h; z.rs: z").expect("unknown …");
    partial("z.rs: z").expect("unknown …");
    partial("b.rs: a b c! d e f g h; z.rs: z").expect("unknown …");
    partial("a.rs: a b c d e f g h!; z.rs: z").expect("holds");
    partial("a.rs: x a b c d e f g h; z.rs: z").expect("moved a.rs:4-5");
}

#[test]
fn what_a_partial_clone_has_elsewhere_is_found_by_its_text() {
    partial("b.rs: x a b c d e f g h; z.rs: z").expect("moved b.rs:4-5");
    partial("b.rs: a b c d e f g h; z.rs: z").expect("moved b.rs:3-4");
}

#[test]
fn an_older_commit_of_a_partial_clone_is_unknown() {
    let story =
        partial("a.rs: x a b c! d e f g h; z.rs: z!").expect_at("HEAD~2", "unknown …never fetched");
    assert!(
        story
            .said("rev-list --objects --all --missing=print")
            .contains("\n?")
    );
}

#[test]
fn a_partial_clone_is_not_searched_in_part_and_called_empty() {
    let story = Story::of("a.rs: a b [c d] e f g h; z.rs: z")
        .turn("b.rs: a b c d e f; z.rs: z")
        .commit("two");
    let story = cloned(story.turn("z.rs: z").commit("three"), "--filter=blob:none");
    let story = story
        .forge(|it| it.commit = Some("f".repeat(40)))
        .expect("gone file");
    story.expect_at("HEAD~1", "unknown …never fetched");
}

#[test]
fn ids_of_sha_256_are_followed_alike() {
    let story = Story::with("--object-format=sha256")
        .turn("a b c d e f; z.rs: z")
        .commit("one")
        .cite("a.rs:3-4");
    let story = story
        .expect("holds")
        .turn("x a b c d e f; z.rs: z")
        .expect_here("moved a.rs:4-5")
        .commit("two");
    let story = story
        .expect("moved a.rs:4-5")
        .expect_merged(Some(true))
        .rename("a.rs", "b.rs")
        .expect_here("moved b.rs:4-5");
    let story = story
        .commit("three")
        .expect("moved b.rs:4-5")
        .write("b.rs", page("x a b c! d e f"))
        .commit("four");
    story
        .expect("changed substance b.rs:4-5")
        .expect_since("four");
}

#[test]
fn refs_kept_in_tables_are_followed_alike() {
    let story = Story::with("--ref-format=reftable")
        .turn("a b c d e f")
        .commit("one")
        .cite("a.rs:3-4");
    story
        .turn("x a b c d e f")
        .commit("two")
        .expect("moved a.rs:4-5")
        .expect_merged(Some(true));
}

#[test]
fn borrowed_objects_are_read() {
    let story = Story::of("a b [c d] e f")
        .turn("x a b c! d e f")
        .commit("two");
    story
        .git("clone --quiet --shared . ../clone")
        .go_to("clone")
        .expect("changed substance a.rs:4-5");
}

/// Three versions of the cited file; the second changed the cited lines.
fn three() -> Story {
    let story = Story::of("a b [c d] e f; z.rs: z")
        .turn("x a b c! d e f; z.rs: z")
        .commit("two");
    story.turn("x y a b c! d e f; z.rs: z").commit("three")
}

/// Takes an object away, or puts other bytes in its place.
fn damage(story: Story, object: &str, bytes: Option<&[u8]>) -> Story {
    let id = story.said(&format!("rev-parse {object}"));
    let file = story
        .root
        .join(".git/objects")
        .join(&id[..2])
        .join(&id[2..]);
    fs::remove_file(&file).unwrap();
    if let Some(bytes) = bytes {
        fs::write(&file, bytes).unwrap();
    }
    story
}

const OBJECTS: [&str; 5] = [
    "HEAD~2:a.rs",
    "HEAD~1:a.rs",
    "HEAD~1^{tree}",
    "HEAD~2^{tree}",
    "HEAD~1^{commit}",
];

#[test]
fn a_broken_object_on_the_way_is_unknown() {
    three().expect("changed substance a.rs:5-6");
    for object in OBJECTS {
        for bytes in [None, Some(&b""[..]), Some(b"not an object of git's")] {
            damage(three(), object, bytes).expect("unknown …");
        }
    }
}

#[test]
fn a_broken_object_on_the_way_does_not_matter_to_what_holds() {
    for object in OBJECTS {
        let story = three().turn("a b c d e f!; z.rs: z").commit("four");
        damage(story, &object.replace("HEAD~", "HEAD~1~"), None).expect("holds");
    }
}

#[test]
fn a_broken_object_on_the_way_does_not_matter_to_text_that_is_found() {
    for object in OBJECTS {
        let story = three().turn("q a b c d e f!; z.rs: z").commit("four");
        damage(story, &object.replace("HEAD~", "HEAD~1~"), None).expect("moved a.rs:4-5");
    }
}

#[test]
fn a_broken_place_where_a_block_may_have_gone_is_unknown() {
    let moved = || {
        Story::of("a b [c d] e f; z.rs: z")
            .turn("a b e f; z.rs: z q c d")
            .commit("two")
    };
    moved().expect("moved z.rs:3-4");
    for bytes in [None, Some(&b"garbage"[..])] {
        damage(moved(), "HEAD:z.rs", bytes).expect("unknown …");
    }
}

#[test]
fn a_missing_content_hides_no_rename_but_its_own() {
    let first = "a b [}] d e f g h; z.rs: z";
    let renamed = "b.rs: x a b } d e f g h; n.rs: n o p; z.rs: z";
    let story = Story::of(first).turn(renamed).commit("two");
    let story = story
        .turn("b.rs: x a b } d e f g h; z.rs: z")
        .commit("three");
    damage(story, "HEAD~1:n.rs", None).expect("moved b.rs:4");
    // Nor does it hide those before and after it.
    let story = Story::of(first)
        .turn("c.rs: a b } d e f g h!; z.rs: z")
        .commit("two");
    let story = story
        .turn("c.rs: a b } d e f g h!; n.rs: n o p; z.rs: z")
        .commit("three");
    let story = story
        .turn("b.rs: x a b } d e f g h!; m.rs: m; z.rs: z")
        .commit("four");
    let story = story
        .turn("d.rs: y x a b } d e f g h!; z.rs: z")
        .commit("five");
    damage(story, "HEAD~2:n.rs", None).expect("moved d.rs:5");
}

#[test]
fn a_rename_beside_the_line_is_found_around_a_missing_content() {
    let story = Story::of("z.rs: [z]")
        .git("checkout --quiet -b side")
        .turn("z.rs: z; a.rs: a b } d e f g h");
    let story = story
        .commit("side")
        .cite("a.rs:3")
        .turn("z.rs: z; b.rs: x a b } d e f g h; n.rs: n")
        .commit("more");
    let story = story
        .git("checkout --quiet main")
        .git("merge --quiet --no-ff --no-edit side")
        .remove("n.rs")
        .commit("last");
    damage(story, "HEAD~1:n.rs", None)
        .expect("moved b.rs:4")
        .expect_merged(Some(true));
}

#[test]
fn a_broken_commit_beside_the_line_is_unknown() {
    let side = || {
        let story = Story::of("[z]")
            .git("checkout --quiet -b side")
            .turn("z; b.rs: a b c d")
            .commit("side");
        story.cite("b.rs:2-3").git("checkout --quiet main")
    };
    side().expect("gone file");
    for object in ["side^{tree}", "side:b.rs"] {
        for bytes in [None, Some(&b"garbage"[..])] {
            damage(side(), object, bytes).expect("unknown …");
        }
    }
    damage(side(), "side^{commit}", Some(b"garbage")).expect("unknown …");
}

#[test]
fn a_truncated_pack_is_unknown_and_the_files_still_hold() {
    for kept in [0, 20, 200] {
        let story = three().git("repack --quiet -a -d");
        let mut packs = fs::read_dir(story.root.join(".git/objects/pack"))
            .unwrap()
            .map(|it| it.unwrap().path());
        let pack = packs
            .find(|it| it.extension().is_some_and(|it| it == "pack"))
            .unwrap();
        let bytes = fs::read(&pack).unwrap();
        fs::remove_file(&pack).unwrap();
        fs::write(&pack, &bytes[..kept]).unwrap();
        let story = story
            .expect("unknown …")
            .write("a.rs", page("a b c d e f"))
            .expect_here("holds");
        story.remove("a.rs").expect_here("unknown …");
    }
}
