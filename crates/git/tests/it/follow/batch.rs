//! Many citations at once: the same answers as one by one, every time, and none worse when time runs out.

use std::cell::Cell;

use apostille_cite::{citation::Citation, follow::CitationFinding, source::Source};

use super::story::{Story, page, sight, sights, sights_within, told};

const FILES: usize = 50;
/// Where each file is cited.
const PLACES: [&str; 4] = ["1-2", "4", "6-8", "10-11"];

/// What becomes of a file, by its number: one of everything.
fn fate(n: usize) -> Option<&'static str> {
    match n % 10 {
        0 => Some("a b c d e f g h i j k l"),
        1 => Some("x a b c d e f g h i j k l"),
        2 => Some("a b c d! e f g h i j k l"),
        3 => Some("a b c f g h i j k l"),
        4 => Some("f g h a b c d e i j k l"),
        5 => Some(">a >b c d e f x g h i j= k l#"),
        6 => None,
        7 => Some("a b c d e i j k l"),
        8 => Some("a b c d e f g h i j k l m n o p"),
        _ => Some("p q r"),
    }
}

/// The words of a file, told apart from those of the others.
fn words(n: usize, words: &str) -> String {
    page(words).replace("read_the_value", &format!("read_of_{n}_the_value"))
}

/// Fifty files with four citations each, from three commits, one of them beside the line and one that is gone.
fn many() -> Story {
    let write =
        |story: Story, n: usize, text: &str| story.write(&format!("src/f{n}.rs"), words(n, text));
    let all = "a b c d e f g h i j k l";
    let mut story = (0..FILES)
        .fold(Story::new(), |it, n| write(it, n, all))
        .commit("one");
    for n in 0..FILES {
        story = PLACES
            .iter()
            .fold(story, |it, lines| it.cite(&format!("src/f{n}.rs:{lines}")));
    }
    story = story
        .git("checkout --quiet -b side")
        .write("side.rs", "s\n")
        .commit("side");
    let side = story.said("rev-parse HEAD");
    story = story
        .git("checkout --quiet main")
        .write("main.rs", "m\n")
        .commit("main")
        .git("merge --quiet --no-edit side");
    for (n, citation) in story.cited.iter_mut().enumerate() {
        match n % 7 {
            0 => citation.commit = Some(side.clone()),
            1 => citation.commit = Some("f".repeat(40)),
            _ => {}
        }
    }
    for n in 0..FILES {
        story = match fate(n) {
            Some(text) => write(story, n, text),
            None if n % 20 == 6 => story.rename(&format!("src/f{n}.rs"), &format!("lib/g{n}.rs")),
            None => story.remove(&format!("src/f{n}.rs")),
        };
        story = if n % 25 == 24 {
            story.commit("some")
        } else {
            story
        };
    }
    write(write(story, 3, "x x a b c"), 44, "a b c d e f g h i j k l")
}

fn all(citations: &[Citation]) -> Vec<&Citation> {
    citations.iter().collect()
}

fn lines(sights: &[CitationFinding]) -> Vec<String> {
    sights
        .iter()
        .map(|it| format!("{} {:?}", told(&it.verdict), it.is_merged))
        .collect()
}

#[test]
fn two_hundred_at_once_are_judged_as_one_by_one_and_twice_alike() {
    let story = many();
    for source in [&story.worktree() as &dyn Source, &story.at("HEAD")] {
        let together = sights(source, &all(&story.cited), &|| false);
        let alone: Vec<CitationFinding> = story.cited.iter().map(|it| sight(source, it)).collect();
        assert_eq!(lines(&together), lines(&alone));
        assert_eq!(together, sights(source, &all(&story.cited), &|| false));
        for word in ["holds", "moved", "changed", "gone"] {
            assert!(
                together.iter().any(|it| it.verdict.as_str() == word),
                "{word}"
            );
        }
    }
}

#[test]
fn the_order_of_citations_does_not_matter() {
    let story = many();
    let forth = sights(&story.worktree(), &all(&story.cited), &|| false);
    let mut back = sights(
        &story.worktree(),
        &story.cited.iter().rev().collect::<Vec<_>>(),
        &|| false,
    );
    back.reverse();
    assert_eq!(lines(&forth), lines(&back));
}

#[test]
fn when_time_runs_out_the_rest_is_unknown_and_none_is_worse() {
    let story = many();
    let source = story.worktree();
    let asked = Cell::new(0);
    let counted = |most: usize| {
        asked.set(0);
        sights(&source, &all(&story.cited), &|| {
            asked.replace(asked.get() + 1) >= most
        })
    };
    let whole = counted(usize::MAX);
    let n_asked = asked.get();
    for most in (0..n_asked)
        .step_by(n_asked / 12)
        .chain([n_asked - 1, n_asked - 2])
    {
        for (late, whole) in counted(most).iter().zip(&whole) {
            let is_unknown = late.verdict.as_str() == "unknown";
            assert!(
                is_unknown || late == whole,
                "{most} of {n_asked}: {late:?} instead of {whole:?}"
            );
        }
    }
    assert!(counted(0).iter().all(|it| it.verdict.as_str() == "unknown"));
}

#[test]
fn a_walk_cut_short_leaps_over_the_rest() {
    let story = [
        "x a b c d e f",
        "b.rs: x a b c d e f",
        "b.rs: x y a b c d e f",
        "c.rs: x y a b c d e f g",
    ]
    .iter()
    .fold(Story::of("a b [c d] e f"), |it, state| {
        it.turn(state).commit("on")
    });
    for most in 0..7 {
        for source in [&story.worktree() as &dyn Source, &story.at("HEAD")] {
            let found = sights_within(most, source, &all(&story.cited), &|| false);
            assert_eq!(lines(&found), ["moved c.rs:5-6 Some(true)"], "{most}");
        }
    }
}
