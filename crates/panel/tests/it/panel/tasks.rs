//! Tasks and the report, as a person reads them.

use apostille_core::memory::MemoryId;
use apostille_tasks::task::{GateAction, SUMMARY, gate::GateStart};

use super::{
    beside::{Kept, now},
    *,
};

fn episode(world: &World, task: &str, tag: &str, fact: &str, places: &[&str]) -> MemoryId {
    let tags = tag.split(',').map(Into::into).collect();
    world
        .kept(Draft {
            layer: Some(Layer::Episode),
            task: Some(task.into()),
            subject: (tags == [SUMMARY.to_owned(), "done".into()])
                .then(|| "Rename the cache".into()),
            tags,
            voice: Voice::from_origin(Origin::User),
            ..cited(fact, places)
        })
        .id
}

/// Two tasks: one that is open with something in the way, and one that is done.
fn worked_on(world: &World) -> Kept {
    let kept = Kept {
        active: Some("move-the-api".parse().unwrap()),
        ..Kept::default()
    };
    let (done, open) = ("rename-the-cache", "move-the-api");
    let start = |title: &str| GateStart {
        title: title.into(),
        by: Some("ana".into()),
        ..GateStart::default()
    };
    kept.passed(
        now(world),
        done,
        GateAction::Started(start("Rename the cache")),
    );
    let outcome = episode(
        world,
        done,
        "summary,done",
        "done: Rename the cache\noutcome: it has its new name",
        &[],
    );
    kept.passed(now(world), done, GateAction::Done(Some(outcome)));
    let phases = vec!["plan".into(), "build".into(), "ship".into()];
    let start = GateStart {
        phases,
        phase: Some("plan".into()),
        ..start("Move the API")
    };
    kept.passed(now(world), open, GateAction::Started(start));
    let decided = episode(
        world,
        open,
        "decision",
        "API_VERSION stays at v3 for now",
        &["src/api.rs:3"],
    );
    kept.passed(now(world), open, GateAction::Decided(decided));
    let first = episode(world, open, "blocker", "Staging is down", &[]);
    kept.passed(now(world), open, GateAction::Blocked(first));
    world.advance(3_600);
    kept.passed(now(world), open, GateAction::Phase("build".into()));
    kept.passed(now(world), open, GateAction::Unblocked(first));
    let second = episode(
        world,
        open,
        "blocker",
        "The mobile client is not ready",
        &[],
    );
    kept.passed(now(world), open, GateAction::Blocked(second));
    kept
}

#[test]
fn open_tasks_stand_before_the_archive_and_a_report_follows() {
    let world = World::verified();
    let kept = worked_on(&world);
    insta::assert_snapshot!(Person::of(&world).beside(&kept).reads("/tasks"), @"
    Tasks
    Open
    1
    open
    Move the API active
    phase build (2 of 3) begun 1 hour ago last just now 1 blocker
    3 noted
    Archive
    1
    done
    Rename the cache
    begun 1 hour ago last 1 hour ago
    0 noted
    Report
    what was done, from episodes
    Today
    7 days
    30 days
    Another span
    Since
    a date, or 2w for two weeks
    Until
    a date; now unless said
    Show
    2026-02-26
    Rename the cache
    done m-1
    outcome it has its new name
    move-the-api
    open 2 notes
    decided m-2 stands API_VERSION stays at v3 for now
    ");
}

#[test]
fn a_task_is_told_with_its_gates() {
    let world = World::verified();
    let kept = worked_on(&world);
    world.shelf.write("src/api.rs", "nothing\n");
    insta::assert_snapshot!(Person::of(&world).beside(&kept).reads("/tasks/move-the-api"), @r"
    Move the API
    ← All tasks
    Status: open active
    Phase: build (2 of 3)
    Phases: plan → build → ship
    Began: 1 hour ago by ana
    Last gate: just now
    Name: move-the-api
    In the way
    m-4
    The mobile client is not ready
    The phases and gates of the task, in time6 gates, 2 phases: it is open.plan
    Timeline
    started 1 hour ago
    Move the API
    decided 1 hour ago
    m-2 gone
    API_VERSION stays at v3 for now
    blocked 1 hour ago
    m-3
    Staging is down
    phase 1 second ago
    build
    unblocked 1 second ago
    m-3
    Staging is down
    blocked just now
    m-4
    The mobile client is not ready
    ");
}

#[test]
fn what_came_of_a_task_is_told() {
    let world = World::verified();
    let kept = worked_on(&world);
    let page = Person::of(&world)
        .beside(&kept)
        .reads("/tasks/rename-the-cache");
    assert!(
        page.contains("What came of it") && page.contains("outcome: it has its new name"),
        "{page}"
    );
}

#[test]
fn a_note_that_belongs_to_another_task_is_not_told_here() {
    let world = World::verified();
    let kept = worked_on(&world);
    // A file of a checkout may name any memory there is.
    let foreign = world.kept(preference("prefers tabs")).id;
    kept.passed(now(&world), "move-the-api", GateAction::Noted(foreign));
    let page = Person::of(&world)
        .beside(&kept)
        .reads("/tasks/move-the-api");
    assert!(!page.contains("prefers tabs"), "{page}");
    assert!(page.contains("Its words were forgotten, or are not kept in this store."));
}

#[test]
fn a_task_that_came_with_the_repository_says_so_and_a_pass_must_reach_it() {
    let world = World::verified();
    let kept = Kept {
        foreign: vec!["rename-the-cache".into()],
        ..worked_on(&world)
    };
    let page = Person::of(&world)
        .beside(&kept)
        .reads("/tasks/rename-the-cache");
    assert!(
        page.contains("Status: done came with the repository"),
        "{page}"
    );
    let narrow = Person {
        spaces: Some(vec![user()]),
        ..Person::of(&world).beside(&kept)
    };
    assert!(narrow.reads("/tasks").contains("No task yet"));
    assert_eq!(
        narrow
            .asks(HttpMethod::Get, "/tasks/move-the-api", "")
            .status,
        404
    );
}

#[test]
fn a_report_is_of_the_span_that_is_asked_for() {
    let world = World::verified();
    let kept = worked_on(&world);
    let check = |query: &str, expected: &str, is_there: bool| {
        let page = Person::of(&world)
            .beside(&kept)
            .reads(&format!("/tasks?{query}"));
        let report = page.split("\nReport\n").nth(1).unwrap();
        assert_eq!(report.contains(expected), is_there, "{query}:\n{report}");
    };
    check("since=today", "outcome it has its new name", true);
    check(
        "since=30d",
        "decided m-2 stands API_VERSION stays at v3 for now",
        true,
    );
    check(
        "since=2020-01-01&until=2020-02-01",
        "Nothing was written down in this time.",
        true,
    );
    check("since=30m", "outcome it has its new name", false);
    check(
        "since=soon",
        "'soon' is neither 7d, 24h or 2w nor a date",
        true,
    );
    check("since=soon", "outcome it has its new name", true);
}

/// Episodes may outlive the file of their task.
#[test]
fn a_report_leads_only_to_tasks_that_are_here() {
    let world = World::verified();
    let kept = worked_on(&world);
    let id = episode(
        &world,
        "moved-away",
        "decision,constraint",
        "Clients are given a month",
        &[],
    );
    kept.passed(now(&world), "move-the-api", GateAction::Decided(id));
    let page = Person::of(&world).beside(&kept).sees("/tasks");
    assert!(
        page.contains("href=\"/tasks/move-the-api?") && !page.contains("href=\"/tasks/moved-away"),
        "{page}"
    );
    let told = text(main(&page));
    assert!(
        told.contains("moved-away\n") && told.contains("constraint m-5 Clients"),
        "{told}"
    );
}

#[test]
fn what_is_not_there_is_said() {
    let world = World::verified();
    assert!(Person::of(&world).reads("/tasks").contains("No task yet"));
    for path in ["/tasks/none", "/tasks/No%20Slug%21"] {
        assert_eq!(
            Person::of(&world).asks(HttpMethod::Get, path, "").status,
            404,
            "{path}"
        );
    }
    let broken = Kept {
        is_broken: true,
        ..Kept::default()
    };
    assert!(
        Person::of(&world)
            .beside(&broken)
            .reads("/tasks")
            .contains("the disk hums")
    );
    assert!(
        Person::of(&world)
            .beside(&broken)
            .reads("/tasks/none")
            .contains("the disk hums")
    );
}
