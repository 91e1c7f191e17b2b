//! One world before every face that shows memories, and two invariants over all that they show:
//!
//! - nothing is shown without its standing, looked up in the reader's own checkout;
//! - in a turn in which the user asked to ignore memory, nothing is shown at all.
//!
//! The faces are taken from the program's own tables: clients with the payloads that they document, sets of tools, calls,
//! pages, commands. So a new one is in here from its first day, and fails until its answers keep both.

mod cli;
mod hooks;
mod standing;
mod tools;
mod web;
mod world;

use std::collections::BTreeSet;

use standing::{Marking, find_unmarked_memories, list_shown_memories};
use world::{CONTRADICTED, FaceWorld, STANDS, TRUE_HERE};

/// What one face showed.
pub struct FaceAnswer {
    /// What shows it: a client, a set of tools, the commands.
    face: String,
    /// What it was asked.
    asked: String,
    text: String,
    marking: Marking,
}

impl FaceAnswer {
    fn new(face: impl Into<String>, asked: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            face: face.into(),
            asked: asked.into(),
            text: text.into(),
            marking: Marking::Each,
        }
    }

    fn marked(self, marking: Marking) -> Self {
        Self { marking, ..self }
    }
}

/// Nothing is shown without its standing; and each of these faces did show what stands and what the code contradicts.
fn check_standing(shown: &[FaceAnswer]) {
    let told = |it: &FaceAnswer| {
        let unmarked = find_unmarked_memories(&it.text, it.marking);
        let line = |what: String| format!("{}: {}: {what}", it.face, it.asked);
        unmarked.into_iter().map(line).collect::<Vec<_>>()
    };
    let unmarked: Vec<String> = shown.iter().flat_map(told).collect();
    assert!(
        unmarked.is_empty(),
        "shown without standing:\n{}",
        unmarked.join("\n")
    );
    for face in shown.iter().map(|it| &it.face).collect::<BTreeSet<_>>() {
        let own = shown.iter().filter(|it| it.face == *face);
        let all: BTreeSet<&str> = own.flat_map(|it| list_shown_memories(&it.text)).collect();
        let is_tried = [STANDS, CONTRADICTED].iter().all(|it| all.contains(it));
        assert!(
            is_tried,
            "{face} showed only {all:?}: nothing is proved by that"
        );
    }
}

/// Of two versions of a memory, the one that is true on the reader's branch was shown.
fn check_versions(shown: &[FaceAnswer]) {
    let is_shown = |mark: &str| shown.iter().any(|it| it.text.contains(mark));
    assert!(
        is_shown(TRUE_HERE),
        "the version of this branch was not shown"
    );
}

/// Nothing of the world is shown.
fn check_silence(shown: &[FaceAnswer]) {
    let is_telling = |it: &&FaceAnswer| !list_shown_memories(&it.text).is_empty();
    let told = |it: &FaceAnswer| {
        let marks = list_shown_memories(&it.text).join(", ");
        format!("{}: {}: {marks}", it.face, it.asked)
    };
    let telling: Vec<String> = shown.iter().filter(is_telling).map(told).collect();
    assert!(
        telling.is_empty(),
        "shown in a turn that ignores memory:\n{}",
        telling.join("\n")
    );
    assert!(!shown.is_empty());
}

#[test]
fn commands_show_nothing_without_its_standing() {
    let shown = cli::list_answers(&FaceWorld::new());
    check_standing(&shown);
    check_versions(&shown);
}

#[test]
fn hooks_show_nothing_without_its_standing() {
    let shown = hooks::list_answers(&FaceWorld::new());
    check_standing(&shown);
    check_versions(&shown);
}

#[test]
fn tools_show_nothing_without_its_standing() {
    let shown = tools::list_answers(&FaceWorld::new());
    check_standing(&shown);
    check_versions(&shown);
}

#[test]
fn calls_and_pages_show_nothing_without_its_standing() {
    let shown = web::list_answers(&FaceWorld::new());
    check_standing(&shown);
    check_versions(&shown);
}

#[test]
fn programs_are_shown_nothing_without_its_standing() {
    let shown = web::list_program_answers_in_session(&FaceWorld::new());
    check_standing(&shown);
    check_versions(&shown);
}

#[test]
fn hooks_show_nothing_in_a_turn_that_ignores_memory() {
    check_silence(&hooks::list_answers_while_ignored(&FaceWorld::new()));
}

#[test]
fn tools_show_nothing_in_a_turn_that_ignores_memory() {
    check_silence(&tools::list_answers_while_ignored(&mut FaceWorld::new()));
}

#[test]
fn commands_of_an_agent_show_nothing_in_a_turn_that_ignores_memory() {
    check_silence(&cli::list_answers_while_ignored(&mut FaceWorld::new()));
}
