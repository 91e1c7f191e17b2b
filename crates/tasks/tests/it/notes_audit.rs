//! NOTES.md tells what is going on, and nothing else.

use apostille_tasks::notes_audit;
use apostille_tasks::task::{GateAction, GateEvent, Task, TaskSlug, gate::GateStart};

fn task(title: &str, is_open: bool) -> Task {
    let (slug, at) = (
        TaskSlug::from_title(title),
        "2026-02-26T12:00:00Z".parse().unwrap(),
    );
    let passage = |what: GateAction| GateEvent {
        at,
        task: slug.clone(),
        session: None,
        what,
    };
    let start = GateStart {
        title: title.into(),
        phases: Vec::new(),
        phase: None,
        commit: None,
        by: None,
    };
    let mut gates = vec![passage(GateAction::Started(start))];
    gates.extend((!is_open).then(|| passage(GateAction::Done(None))));
    Task::from_events(&gates).unwrap()
}

#[test]
fn notes_tell_what_is_going_on_and_nothing_else() {
    let tasks = [
        task("Fix the login race", false),
        task("Ship the panel", true),
    ];
    let check = |text: &str, expected: &[&str]| {
        let found: Vec<String> = notes_audit::audit_notes_file(text, &tasks)
            .into_iter()
            .map(|it| it.what)
            .collect();
        assert_eq!(found, expected, "{text}");
    };
    check("", &[]);
    check(
        "# Notes\n\nGoal: ship the panel\nNext step: the table\nBlocked by the staging database\n",
        &[],
    );
    check(
        "- fix-the-login-race needs a lease\n",
        &["NOTES.md: line 1 tells of tasks that have ended"],
    );
    check(
        "# a\n- [x] table\n- [ ] chart\n",
        &["NOTES.md: line 2 tells of what is over: done, merged or passed"],
    );
    check(
        "Branch x was merged into main\nDone: chart\n",
        &["NOTES.md: lines 1, 2 tell of what is over: done, merged or passed"],
    );
    check(
        &"a line\n".repeat(61),
        &["NOTES.md: 61 lines, more than 60: it tells what is going on, not what was"],
    );
    check(
        "<!-- apostille:task -->\n- task: fix-the-login-race, since 2026\n- [x] a\n<!-- /apostille:task -->\n",
        &["NOTES.md: its block tells of fix-the-login-race, which is done"],
    );
}
