//! What a person states is looked up by what it names.

use apostille_core::{
    judge::MemoryJudge,
    memory::{Draft, Memory, Origin, Voice},
    remember::RememberOutcome,
    revise::{ReviseOutcome, confirm_memory},
    standing_text::StandingView,
};

use crate::world::{World, repo};

fn world() -> World {
    let world = World::verified();
    world.shelf.write("scripts/smoke.sh", "check_ports\n");
    world
        .shelf
        .write("src/ports.py", "def check_ports():\n    pass\n");
    world.shelf.write(
        "package.json",
        r#"{"scripts": {"test:unit": "vitest", "e2e": "playwright"}}"#,
    );
    world
}

fn state(world: &World, fact: &str) -> Memory {
    let draft = Draft::new(repo(), fact, Voice::from_origin(Origin::User));
    match world.remember(draft) {
        RememberOutcome::Remembered { memory, .. } => *memory,
        other => panic!("{fact}: {other:?}"),
    }
}

fn names(memory: &Memory) -> String {
    let names = memory.names.iter();
    let names: Vec<String> = names.map(|it| format!("{} {}", it.kind, it.name)).collect();
    names.join(", ")
}

fn describe(world: &World, memory: &Memory) -> String {
    world.with(|cx| {
        let judged = MemoryJudge::new(cx, 100).judge_memory(memory);
        StandingView {
            memory,
            verdicts: &judged.verdicts(),
            judgement: &judged.judgement,
        }
        .describe()
    })
}

#[test]
fn names_are_taken_out_when_a_fact_is_written() {
    let world = world();
    let check = |fact: &str, expected: &str| {
        assert_eq!(names(&state(&world, fact)), expected, "{fact}");
    };
    check("the tests need ruby 3.4 and tmux", "");
    check(
        "run scripts/smoke.sh before a release",
        "path scripts/smoke.sh",
    );
    check(
        "`npm run test:unit` is the quick one for pull requests",
        "script test:unit",
    );
    check(
        "`check_ports()` must stay idempotent",
        "symbol check_ports()",
    );
    check("put new scripts into `scripts/`", "path scripts/");
    check("the plan is to add `src/later.rs` next year", "");
}

#[test]
fn memory_is_to_be_checked_when_something_it_names_is_gone() {
    let check = |fact: &str, change: &dyn Fn(&World), expected: &str| {
        let world = world();
        let memory = state(&world, fact);
        assert_eq!(
            describe(&world, &memory),
            "stated by the user, 2026-02-26",
            "{fact}"
        );
        change(&world);
        assert_eq!(describe(&world, &memory), expected, "{fact}");
    };
    check(
        "run scripts/smoke.sh before a release",
        &|it| it.shelf.remove("scripts/smoke.sh"),
        "check: names scripts/smoke.sh, which is not there",
    );
    check(
        "`npm run e2e` needs a browser on the machine",
        &|it| {
            it.shelf
                .write("package.json", r#"{"scripts": {"test:unit": "vitest"}}"#)
        },
        "check: names e2e, which is not there",
    );
    // It moved, so it is there.
    check(
        "`check_ports()` must stay idempotent",
        &|it| {
            it.shelf.remove("src/ports.py");
            it.shelf
                .write("src/net.py", "def check_ports():\n    pass\n");
        },
        "stated by the user, 2026-02-26",
    );
    check(
        "`check_ports()` must stay idempotent",
        &|it| {
            it.shelf.remove("src/ports.py");
            it.shelf.remove("scripts/smoke.sh");
        },
        "check: names check_ports(), which is not there",
    );
    // What could not be looked up is not held against it.
    check(
        "run scripts/smoke.sh before a release",
        &|it| {
            it.shelf.remove("scripts/smoke.sh");
            it.set_late();
        },
        "stated by the user, 2026-02-26",
    );
}

#[test]
fn confirming_lets_go_of_a_name_that_is_gone() {
    let world = world();
    let memory = state(&world, "run scripts/smoke.sh before a release");
    world.shelf.remove("scripts/smoke.sh");
    let voice = Voice::from_origin(Origin::User);
    let name = memory.handle().to_string().parse().unwrap();
    let done = world.with(|cx| confirm_memory(cx, &[repo()], name, &[], &voice).unwrap());
    let ReviseOutcome::Done(memory) = done else {
        panic!("{done:?}")
    };
    assert_eq!(describe(&world, &memory), "stated by the user, 2026-02-26");
}
