//! Two versions of one memory: which one is shown, and in whose place.

use apostille_core::{
    memory::{Draft, DuplicateChoice, Memory, MemoryName, ReplacementKind},
    recall::{RecallOutcome, RecallRequest},
    remember::RememberOutcome,
    revise, verify,
};

use crate::world::{World, a_speaker, cited, repo};

const OLD: &str = "pub const LIMIT: u32 = 10; // megabytes\n";
const NEW: &str = "pub const LIMIT: u32 = 25; // megabytes\n";

/// m-1 says 10 on the default branch, m-2 says 25 on the branch that is checked out; m-3 has nothing to do with it.
fn on_branch() -> World {
    let world = World::verified();
    world.shelf.write("src/limits.rs", OLD);
    world.kept(cited(
        "uploads stop at 10 megabytes, which the proxy enforces",
        &["src/limits.rs:1"],
    ));
    world.shelf.branch_off();
    world.shelf.write("src/limits.rs", NEW);
    let draft = cited(
        "files larger than 25 megabytes are turned away",
        &["src/limits.rs:1"],
    );
    let kept = correct(&world, "m-1", draft);
    assert_eq!(kept, Some("m-1".into()));
    world.advance(1);
    world.kept(cited("the proxy speaks API v3", &["src/api.rs:3"]));
    world
}

/// Corrects a memory; the one that the correction is kept beside.
fn correct(world: &World, name: &str, draft: Draft) -> Option<String> {
    let (name, how) = (name.parse().unwrap(), ReplacementKind::Correction);
    let outcome =
        world.with(|cx| revise::supersede_memory(cx, a_speaker(), &[repo()], name, draft, how));
    match outcome.unwrap() {
        RememberOutcome::Remembered { beside, .. } => beside.map(|it| it.to_string()),
        other => panic!("{other:?}"),
    }
}

fn shown(found: &RecallOutcome) -> Vec<String> {
    assert_eq!(found.withheld, Vec::new(), "no version is called wrong");
    let shown = found.shown.iter();
    shown.map(|it| it.hit.memory.handle().to_string()).collect()
}

#[test]
fn a_version_is_found_by_the_words_of_the_other() {
    let world = on_branch();
    assert_eq!(
        shown(&world.ask("what does the proxy enforce")),
        ["m-2", "m-3"]
    );
    assert_eq!(shown(&world.ask("which files are turned away")), ["m-2"]);
    world.shelf.write("src/limits.rs", OLD);
    assert_eq!(shown(&world.ask("which files are turned away")), ["m-1"]);
}

/// A reader has the memory in hand while another process settles the versions.
#[test]
fn memory_replaced_while_it_is_judged_needs_no_repair() {
    let world = World::verified();
    world.shelf.write("src/limits.rs", OLD);
    let read = world.kept(cited("`LIMIT` is 10", &["src/limits.rs:1"]));
    world.shelf.write("src/limits.rs", NEW);
    let judge = |memory: &Memory| {
        let found = world.with(|cx| verify::follow_memory_citations(cx, vec![memory.clone()]));
        found[0].is_bad()
    };
    assert!(judge(&read));
    correct(&world, "m-1", cited("`LIMIT` is 25", &["src/limits.rs:1"]));
    assert!(!judge(&read));
}

#[test]
fn both_versions_stand_in_the_middle_of_a_merge() {
    let world = on_branch();
    world.shelf.write("src/limits.rs", &format!("{OLD}{NEW}"));
    let found = world.ask("megabytes of uploads and files, and the proxy");
    assert_eq!(shown(&found), ["m-2", "m-3"]);
}

#[test]
fn a_version_that_was_shown_is_not_followed_by_the_other() {
    let world = on_branch();
    let seen = [world.look("m-2").id].into();
    let ask = RecallRequest {
        text: "what does the proxy enforce for uploads".into(),
        spaces: vec![repo()],
        seen,
        ..RecallRequest::default()
    };
    assert_eq!(shown(&world.recall(&ask)), ["m-3"]);
}

#[test]
fn a_merge_of_two_memories_waits_for_the_branch_too() {
    let world = on_branch();
    let old = MemoryName::Id(world.look("m-1").id);
    let draft = Draft {
        on_duplicate: DuplicateChoice::Merge(old),
        ..cited(
            "uploads stop at 25 megabytes, which the proxy enforces",
            &["src/limits.rs:1"],
        )
    };
    let outcome = world.remember(draft);
    let RememberOutcome::Remembered { beside, .. } = outcome else {
        panic!("{outcome:?}")
    };
    assert_eq!(beside.map(|it| it.to_string()), Some("m-1".into()));
    assert!(world.look("m-1").is_active());
}

#[test]
fn what_cites_no_code_is_replaced_at_once() {
    let world = on_branch();
    let draft = Draft {
        kind: Some(apostille_core::memory::Kind::Feedback),
        ..crate::world::note("the team says that larger files go through the portal")
    };
    world.kept(draft);
    let draft = cited("the portal speaks API v3 as well", &["src/api.rs:3"]);
    assert_eq!(correct(&world, "m-4", draft), None);
    assert!(!world.look("m-4").is_active());
}
