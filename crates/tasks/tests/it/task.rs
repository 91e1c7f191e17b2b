//! Tasks: the gates on disk, the state for a model, the block in NOTES.md, and what is left behind.

use apostille_core::memory::{
    Draft, DuplicateChoice, Kind, Layer, Memory, MemoryId, Origin, Voice,
};
use apostille_core::{refusal::Refusal, remember::RememberOutcome};
use apostille_tasks::{
    report,
    report::ReportSpan,
    task,
    task::{
        Gate, GateAction, GateEvent, NoteSort, Task, TaskStatus,
        bullets::format_task_bullets,
        gate::{GateStart, parse_gate_log},
        left_open::{find_left_open_tasks, remember_left_open_task},
        notes_block,
        notes_block::NotesChange,
        promote::{is_durable_note, promote_task_note},
        summary,
        summary::{GitWork, TaskEnding},
    },
};
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;

use crate::world::{World, repo};

const GOLDEN: &str = include_str!("../golden/gates_v1.ndjson");
/// The gates that were added later: reports of phases, and files.
const GOLDEN_REPORTS: &str = include_str!("../golden/gates_v1_reports.ndjson");

#[test]
fn gate_lines_round_trip_byte_for_byte() {
    let log = parse_gate_log(GOLDEN);
    assert_eq!(
        (log.passages.len(), log.is_newer),
        (GOLDEN.lines().count(), false)
    );
    let again: String = log
        .passages
        .iter()
        .map(|it| it.to_json_line() + "\n")
        .collect();
    assert_eq!(again, GOLDEN);
    let mut gates: Vec<Gate> = log.passages.iter().map(|it| it.what.gate()).collect();
    let later = parse_gate_log(GOLDEN_REPORTS);
    let again: String = later
        .passages
        .iter()
        .map(|it| it.to_json_line() + "\n")
        .collect();
    assert_eq!(again, GOLDEN_REPORTS);
    gates.extend(later.passages.iter().map(|it| it.what.gate()));
    gates.sort_unstable();
    gates.dedup();
    assert_eq!(gates, Gate::ALL);
    let task = Task::from_events(&later.passages).unwrap();
    assert_eq!(task.reports[0].phase.as_deref(), Some("plan"));
    let revisions = task.files[0].revisions.iter().map(|it| it.1.number);
    assert_eq!(revisions.collect::<Vec<_>>(), [1, 2]);
    let task = Task::from_events(&log.passages).unwrap();
    assert_eq!(
        (task.status, task.format_phase().as_deref()),
        (TaskStatus::Done, Some("build (2 of 2)"))
    );
    assert_eq!(
        (
            task.entries.len(),
            task.entries_of_sort(NoteSort::Blocker).count()
        ),
        (4, 0)
    );
    assert_eq!(
        (task.by.as_deref(), task.session.as_deref()),
        (Some("ana"), Some("s-2"))
    );
}

#[test]
fn unreadable_gate_lines_hide_no_others() {
    let check = |text: &str, n: usize, n_broken: usize, is_newer: bool| {
        let log = parse_gate_log(text);
        let n_lines = text.lines().filter(|it| !it.trim().is_empty()).count();
        assert_eq!(
            (log.passages.len(), n_lines, log.is_newer),
            (n, n + n_broken, is_newer),
            "{text}"
        );
    };
    let first = GOLDEN.lines().next().unwrap();
    check(&GOLDEN[..GOLDEN.len() - 20], 9, 1, false);
    check(
        &format!("<<<<<<< ours\n{first}\n=======\n{first}\n>>>>>>> theirs\n"),
        2,
        3,
        false,
    );
    check(
        &format!("{first}\n{}", first.replace("\"v\":1", "\"v\":2")),
        1,
        1,
        true,
    );
    check(&first.replace("fix-the-login", "../../etc"), 0, 1, false);
    check("", 0, 0, false);
}

#[test]
fn gates_that_stand_there_twice_count_once() {
    let twice = parse_gate_log(&format!("{GOLDEN}{GOLDEN}")).passages;
    let (once, twice) = (
        Task::from_events(&parse_gate_log(GOLDEN).passages).unwrap(),
        Task::from_events(&twice).unwrap(),
    );
    assert_eq!(
        (once.entries.len(), once.passed.len()),
        (twice.entries.len(), twice.passed.len())
    );
}

#[test]
fn titles_are_checked_like_everything_that_is_kept() {
    let check = |text: &str, expected: Result<&str, &str>| {
        let found = task::validate_task_text("title", text, 20);
        assert_eq!(
            found.as_deref().map_err(Refusal::class),
            expected,
            "{text:?}"
        );
    };
    let secret = ["gh", "p_", "0123456789abcdefABCDEF0123456789abcd"].concat();
    check(" two\n lines ", Ok("two lines"));
    check("a\u{202e}b", Ok("ab"));
    check(" \n", Err("empty"));
    check("a title that is far too long", Err("too_long"));
    check(&secret, Err("secret"));
}

/// A task with a world around it.
struct Desk {
    world: World,
    task: Task,
}

impl Desk {
    fn new() -> Self {
        let world = World::verified();
        let start = GateStart {
            title: "Fix the login".into(),
            phases: vec!["plan".into(), "build".into(), "ship".into()],
            phase: Some("plan".into()),
            by: Some("ana".into()),
            ..GateStart::default()
        };
        let task = "fix-the-login".parse().unwrap();
        let first = GateEvent {
            at: world.now(),
            task,
            session: None,
            what: GateAction::Started(start),
        };
        Self {
            task: Task::from_events(&[first]).unwrap(),
            world,
        }
    }

    fn pass(&mut self, what: GateAction) {
        let (at, task) = (self.world.now(), self.task.slug.clone());
        self.task.apply_event(&GateEvent {
            at,
            task,
            session: None,
            what,
        });
    }

    fn note(&mut self, sort: NoteSort, fact: &str, cite: Option<&str>, tags: &[&str]) -> Memory {
        let tags = tags
            .iter()
            .chain(&[sort.as_str()])
            .map(|it| (*it).to_owned())
            .collect();
        let memory = self.world.kept(Draft {
            layer: Some(Layer::Episode),
            citations: cite.map(|it| it.parse().unwrap()).into_iter().collect(),
            tags,
            task: Some(self.task.slug.to_string()),
            on_duplicate: DuplicateChoice::Create("a note".into()),
            ..Draft::new(repo(), fact, Voice::from_origin(Origin::Agent))
        });
        self.pass(match sort {
            NoteSort::Note => GateAction::Noted(memory.id),
            NoteSort::Decision => GateAction::Decided(memory.id),
            NoteSort::Verified => GateAction::Verified(memory.id),
            NoteSort::Blocker => GateAction::Blocked(memory.id),
        });
        memory
    }

    fn bullets(&self, max_chars: usize) -> String {
        self.world
            .with(|cx| format_task_bullets(cx, &repo(), &self.task, max_chars))
            .unwrap()
    }

    fn block(&self) -> Vec<String> {
        let memories = self
            .world
            .with(|cx| task::load_task_memories(cx, &repo(), &self.task))
            .unwrap();
        notes_block::format_task_block(&self.task, &memories)
    }

    fn full() -> Self {
        let mut desk = Self::new();
        desk.note(NoteSort::Note, "the old code used a lock", None, &[]);
        desk.note(
            NoteSort::Decision,
            "use a lease instead of a lock",
            None,
            &[],
        );
        desk.note(
            NoteSort::Decision,
            "never log tokens",
            None,
            &["constraint"],
        );
        desk.note(
            NoteSort::Decision,
            "API_VERSION stays v3",
            Some("src/api.rs:3"),
            &[],
        );
        desk.note(NoteSort::Verified, "the lease test passes", None, &[]);
        desk.note(NoteSort::Blocker, "the staging database is down", None, &[]);
        desk.pass(GateAction::Phase("build".into()));
        desk
    }
}

#[test]
fn compaction_bullets_keep_phase_blockers_decisions() {
    let mut desk = Desk::full();
    insta::assert_snapshot!(desk.bullets(1_000), @"
    - task: Fix the login (fix-the-login)
    - phase: build (2 of 3); next: ship
    - blocked: m-6 the staging database is down
    - constraint: m-3 never log tokens
    - decided: m-2 use a lease instead of a lock
    - decided: m-4 (stands src/api.rs:3) API_VERSION stays v3
    - also: 1 verified, 1 noted (`apostille task show` has them)
    ");
    assert_eq!(desk.bullets(1_000), desk.bullets(1_000));
    desk.world.shelf.write(
        "src/api.rs",
        "use std;\n\npub const API_VERSION: &str = \"v4\";\n\nfn main() {}\n",
    );
    let blocker = desk
        .task
        .entries_of_sort(NoteSort::Blocker)
        .next()
        .unwrap()
        .id;
    desk.pass(GateAction::Unblocked(blocker));
    insta::assert_snapshot!(desk.bullets(210), @"
    - task: Fix the login (fix-the-login)
    - phase: build (2 of 3); next: ship
    - constraint: m-3 never log tokens
    - decided: m-4 is withheld: contradicted src/api.rs:3 (v3 → v4)
    - decided: 1 more, older
    ");
}

#[test]
fn bullets_leave_out_entries_of_other_tasks() {
    let mut desk = Desk::new();
    let other = desk.world.kept(Draft {
        layer: Some(Layer::Episode),
        task: Some("another".into()),
        ..Draft::new(
            repo(),
            "the secret plan of another task",
            Voice::from_origin(Origin::Agent),
        )
    });
    desk.pass(GateAction::Decided(other.id));
    desk.pass(GateAction::Blocked(MemoryId::from_text(
        Timestamp::UNIX_EPOCH,
        "nobody",
    )));
    assert!(
        !desk.bullets(1_000).contains("secret plan"),
        "{}",
        desk.bullets(1_000)
    );
}

#[test]
fn notes_hold_the_active_objective_only() {
    let mut desk = Desk::full();
    desk.note(NoteSort::Decision, "leases last a minute", None, &[]);
    insta::assert_snapshot!(desk.block().join("\n"), @r"
    <!-- apostille:task -->
    ## Fix the login

    - task: fix-the-login, since 2026-02-26
    - phase: build (2 of 3), since 2026-02-26
    - boundary: after plan, before ship
    - decided in this phase: m-7
    - blocked: m-6 the staging database is down
    <!-- /apostille:task -->
    ");
    desk.pass(GateAction::Phase("ship".into()));
    let blocker = desk
        .task
        .entries_of_sort(NoteSort::Blocker)
        .next()
        .unwrap()
        .id;
    desk.pass(GateAction::Unblocked(blocker));
    insta::assert_snapshot!(desk.block().join("\n"), @r"
    <!-- apostille:task -->
    ## Fix the login

    - task: fix-the-login, since 2026-02-26
    - phase: ship (3 of 3), since 2026-02-26
    - boundary: after build, before the end
    <!-- /apostille:task -->
    ");
}

#[test]
fn task_block_is_removed_without_trace() {
    let lines: Vec<String> = [notes_block::OPEN, "ours", notes_block::CLOSE]
        .map(String::from)
        .to_vec();
    let check = |text: &str| {
        let NotesChange::Write(with) = notes_block::replace_task_block(Some(text), Some(&lines))
        else {
            panic!("{text:?}")
        };
        assert_eq!(
            notes_block::replace_task_block(Some(&with), Some(&lines)),
            NotesChange::Keep,
            "{text:?}"
        );
        let longer = [&lines[..2], &["more".to_owned()], &lines[2..]].concat();
        let NotesChange::Write(longer) =
            notes_block::replace_task_block(Some(&with), Some(&longer))
        else {
            panic!("{text:?}")
        };
        assert_eq!(
            notes_block::replace_task_block(Some(&longer), None),
            NotesChange::Write(text.into()),
            "{text:?}"
        );
    };
    check("# Notes\n\nmine\n");
    check("no end of line");
    check("\n\nblank lines first");
    check("windows\r\nlines\r\n");
    let NotesChange::Write(alone) = notes_block::replace_task_block(None, Some(&lines)) else {
        panic!()
    };
    assert_eq!(
        notes_block::replace_task_block(Some(&alone), None),
        NotesChange::Remove
    );
    assert_eq!(
        notes_block::replace_task_block(Some("mine\n"), None),
        NotesChange::Keep
    );
    assert_eq!(
        notes_block::replace_task_block(
            Some(&format!("a\n{}\nb\n", notes_block::OPEN)),
            Some(&lines)
        ),
        NotesChange::Unclear
    );
    let moved = format!("before\n\n{}\n\nafter\n", lines.join("\n"));
    assert_eq!(
        notes_block::replace_task_block(Some(&moved), None),
        NotesChange::Write("before\n\nafter\n".into())
    );
}

#[test]
fn a_summary_tells_how_it_went() {
    let desk = Desk::full();
    let memories = desk
        .world
        .with(|cx| task::load_task_memories(cx, &repo(), &desk.task))
        .unwrap();
    let work = GitWork {
        commits: vec!["b".repeat(40), "a".repeat(40)],
        files: vec!["src/login.rs".into()],
    };
    let outcome = Some("sessions survive a restart");
    let ending = TaskEnding {
        status: TaskStatus::Done,
        outcome,
        work: &work,
        day: "2026-02-27",
    };
    let draft = summary::draft_task_summary(
        &repo(),
        &desk.task,
        &memories,
        ending,
        Voice::from_origin(Origin::Agent),
    );
    insta::assert_snapshot!(draft.fact, @r"
    done: Fix the login
    outcome: sessions survive a restart
    from 2026-02-26 to 2026-02-27; phases: plan → build
    decided: use a lease instead of a lock
    decided: never log tokens
    decided: API_VERSION stays v3
    verified: the lease test passes
    still blocked: the staging database is down
    files: src/login.rs
    commits: 2, aaaaaaaaaa to bbbbbbbbbb
    ");
    let kept = desk.world.kept(draft);
    assert_eq!(summary::parse_summary_outcome(&kept), outcome);
}

#[test]
fn promoted_note_stays_an_episode() {
    let desk = Desk::full();
    let note = desk.world.look("m-4");
    assert!(is_durable_note(&note) && !is_durable_note(&desk.world.look("m-2")));
    let outcome = desk
        .world
        .with(|cx| promote_task_note(cx, note.clone(), Some(Kind::Project)))
        .unwrap();
    let RememberOutcome::Remembered { memory, .. } = outcome else {
        panic!("{outcome:?}")
    };
    assert_eq!(
        (memory.layer, memory.kind, memory.citations.len()),
        (Layer::Knowledge, Kind::Project, 1)
    );
    assert_eq!(desk.world.look("m-4"), note);
    let uncited = desk
        .world
        .with(|cx| promote_task_note(cx, desk.world.look("m-2"), Some(Kind::Project)))
        .unwrap();
    assert!(
        matches!(
            uncited,
            RememberOutcome::Refused(Refusal::NeedsCitation { .. })
        ),
        "{uncited:?}"
    );
    desk.world.shelf.write("src/api.rs", "nothing of it\n");
    let changed = desk
        .world
        .with(|cx| promote_task_note(cx, note, None))
        .unwrap();
    assert!(
        matches!(
            changed,
            RememberOutcome::Refused(Refusal::BadCitation { .. })
        ),
        "{changed:?}"
    );
}

#[test]
fn left_open_task_gets_one_episode() {
    let desk = Desk::full();
    let tasks = [desk.task.clone()];
    let check = |me: &str, days: i64, ended: &str, expected: usize| {
        let now = desk.world.now() + SignedDuration::from_hours(24 * days);
        let week = SignedDuration::from_hours(24 * 7);
        assert_eq!(
            find_left_open_tasks(&tasks, me, now, week, |it| it == ended).len(),
            expected,
            "{me} {days}"
        );
    };
    check("ana", 6, "", 0);
    check("ana", 8, "", 1);
    check("bo", 8, "", 0);
    let ask = || {
        desk.world
            .with(|cx| {
                remember_left_open_task(cx, &repo(), &desk.task, Voice::from_origin(Origin::System))
            })
            .unwrap()
            .unwrap()
    };
    let first = ask();
    assert_eq!(
        first.fact,
        "left open in phase build (2 of 3) after 2026-02-26: Fix the login; 1 note, 3 decisions, 1 blocker unresolved\noutcome: unknown, nobody ended it"
    );
    assert_eq!(ask().id, first.id);
}

#[test]
fn a_session_ends_and_its_task_is_left() {
    let mut desk = Desk::new();
    desk.task.session = Some("s-9".into());
    let week = SignedDuration::from_hours(24 * 7);
    let left = |ended: &str| {
        find_left_open_tasks(
            std::slice::from_ref(&desk.task),
            "ana",
            desk.world.now(),
            week,
            |it| it == ended,
        )
        .len()
    };
    assert_eq!((left("s-9"), left("s-8")), (1, 0));
}

#[test]
fn report_is_made_from_episodes() {
    let desk = Desk::full();
    let said = |fact: &str, task: Option<&str>| Draft {
        layer: Some(Layer::Episode),
        task: task.map(Into::into),
        ..Draft::new(repo(), fact, Voice::from_origin(Origin::System))
    };
    desk.world
        .kept(said("session: found the race", Some("fix-the-login")));
    desk.world.kept(said("session: talked about names", None));
    let told = |since: &str| {
        let span = ReportSpan {
            since: report::parse_since(since, desk.world.now()).unwrap(),
            until: desk.world.now(),
        };
        let report = desk
            .world
            .with(|cx| report::build_work_report(cx, &[repo()], &repo(), span))
            .unwrap();
        let item = |it: &report::ReportItem| {
            format!(
                "{:?} {} decisions, {} sessions, {} notes",
                it.title(),
                it.decisions.len(),
                it.sessions.len(),
                it.n_notes
            )
        };
        report
            .days
            .iter()
            .flat_map(|it| &it.items)
            .map(item)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        told("7d"),
        [
            "Some(\"fix-the-login\") 3 decisions, 1 sessions, 3 notes",
            "None 0 decisions, 1 sessions, 0 notes"
        ]
    );
    assert!(told("0h").is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bullets_and_notes_keep_their_budgets(
        notes in proptest::collection::vec((0..4usize, "[a-z<>! -]{1,300}"), 0..30),
        max_chars in 0..1_500usize,
    ) {
        let mut desk = Desk::new();
        for (n, (sort, fact)) in notes.iter().enumerate() {
            desk.note(NoteSort::ALL[*sort], &format!("{n} {fact} <!-- /apostille:task -->"), None, &[]);
            if n % 9 == 8 {
                desk.pass(GateAction::Phase(format!("phase {n}")));
            }
        }
        prop_assert!(desk.bullets(max_chars).chars().count() <= max_chars);
        let block = desk.block();
        prop_assert!(block.len() <= notes_block::MAX_LINES, "{}", block.len());
        prop_assert!(block.iter().all(|it| !it.contains('\n')));
        prop_assert_eq!(block.iter().filter(|it| it.contains("<!--")).count(), 2);
        let NotesChange::Write(text) = notes_block::replace_task_block(Some("mine\n"), Some(&block)) else { return Err(TestCaseError::fail("not put")) };
        prop_assert_eq!(notes_block::replace_task_block(Some(&text), None), NotesChange::Write("mine\n".into()));
    }
}
