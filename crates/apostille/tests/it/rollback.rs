//! A space is taken back to how it stood, and that is taken back again.

use serde_json::Value;

use crate::env::{Env, Ran};

fn json(env: &Env, args: &[&str]) -> Value {
    serde_json::from_str(&env.ok(&[&["--json"], args].concat())).unwrap()
}

/// Every memory of the repository with the word for where it stands.
fn standing(env: &Env) -> Vec<String> {
    let all = ["active", "pending", "superseded", "invalid", "retired"];
    let mut args = vec!["list"];
    all.iter().for_each(|it| args.extend(["--status", it]));
    let listed = json(env, &args);
    let memories = listed["memories"].as_array().unwrap().iter();
    memories
        .map(|it| {
            format!(
                "{} {}",
                it["handle"].as_str().unwrap(),
                it["status"].as_str().unwrap()
            )
        })
        .collect()
}

/// A day of work: a fact, then an hour later its replacement, a wrong one, and one that is forgotten.
fn day() -> Env {
    let mut env = Env::new();
    let say = |env: &Env, fact: &str| env.ok(&["remember", "--kind", "feedback", fact]);
    say(&env, "Handlers are pure functions");
    say(&env, "Uploads are cut at ten megabytes");
    say(&env, "Dates are written by hand");
    env.at("2026-03-01T13:00:00Z");
    env.ok(&["supersede", "m-1", "Handlers are pure and total functions"]);
    env.ok(&["invalidate", "m-2", "--reason", "the proxy cuts"]);
    env.ok(&["forget", "m-3", "--yes"]);
    env.at("2026-03-01T14:00:00Z");
    env
}

const ROLLBACK: &[&str] = &["rollback"];

fn back(env: &Env, args: &[&str]) -> String {
    let ran = env.person(&[ROLLBACK, args].concat());
    assert_eq!(ran.code, 0, "{args:?}: {ran}");
    ran.out
}

#[test]
fn a_space_goes_back_and_forth() {
    let env = day();
    let before = standing(&env);
    assert_eq!(before, ["m-4 active", "m-2 invalid", "m-1 superseded"]);
    insta::assert_snapshot!(
        "rollback_plan",
        back(&env, &["--to", "2026-03-01T12:30:00Z", "--dry-run"])
    );
    assert_eq!(standing(&env), before, "a dry run changes nothing");
    insta::assert_snapshot!("rollback", back(&env, &["--to", "90m"]));
    let then = ["m-4 retired", "m-2 active", "m-1 active"];
    assert_eq!(standing(&env), then);
    assert!(
        env.ok(&["recall", "uploads"]).contains("ten megabytes"),
        "it is found again"
    );
    back(&env, &["--undo"]);
    assert_eq!(standing(&env), before);
    back(&env, &["--undo"]);
    assert_eq!(standing(&env), then, "undone twice is done again");
    assert!(env.ok(&["doctor"]).contains("sound"));
}

#[test]
fn an_event_is_named_by_the_place_that_the_log_shows() {
    let env = day();
    let log = json(&env, &["log"]);
    let events = log["events"].as_array().unwrap();
    let invalidated = events
        .iter()
        .find(|it| it["event"] == "invalidated")
        .unwrap();
    let place = invalidated["seq"].to_string();
    let before = (invalidated["seq"].as_u64().unwrap() - 1).to_string();
    assert!(
        env.ok(&["log"])
            .lines()
            .any(|it| it.starts_with(&place) && it.contains("invalidated"))
    );
    assert_eq!(
        env.person(&[ROLLBACK, &["--to", &place]].concat()).code,
        1,
        "nothing since but what was forgotten"
    );
    back(&env, &["--to", &before]);
    assert_eq!(
        standing(&env),
        ["m-4 active", "m-2 active", "m-1 superseded"]
    );
}

#[test]
fn only_a_person_may_and_only_to_where_the_log_reaches() {
    let env = day();
    let is_refused =
        |ran: Ran| assert!(ran.code == 3 && ran.err.contains("only a person"), "{ran}");
    is_refused(env.run(&["rollback", "--to", "2h"]));
    is_refused(env.run(&["rollback", "--undo", "--yes"]));
    let check = |args: &[&str], code: i32, said: &str| {
        let ran = env.person(args);
        assert!(
            ran.code == code && ran.err.contains(said),
            "{args:?}: {} {}",
            ran.code,
            ran.err
        );
    };
    check(&[ROLLBACK, &["--undo"]].concat(), 2, "never rolled back");
    check(&[ROLLBACK, &["--to", "999"]].concat(), 2, "no event 999");
    check(
        &[ROLLBACK, &["--to", "teatime"]].concat(),
        2,
        "is not a time",
    );
    check(ROLLBACK, 2, "--to");
    assert_eq!(
        env.person(&[ROLLBACK, &["--user", "--to", "2h"]].concat())
            .code,
        1,
        "the other space is left alone"
    );
    assert_eq!(standing(&env).len(), 3);
    let told = json(&env, &["rollback", "--to", "90m", "--dry-run"]);
    assert_eq!(
        (&told["outcome"], &told["restored"]),
        (&"planned".into(), &2.into())
    );
    assert_eq!((&told["retired"], &told["lost"]), (&1.into(), &1.into()));
}

#[test]
fn a_point_is_said_as_the_log_says_it() {
    for to in ["90 minutes ago", "2026-03-01 12:30", "2026-03-01 12:30:00"] {
        let env = day();
        back(&env, &["--to", to]);
        assert_eq!(
            standing(&env),
            ["m-4 retired", "m-2 active", "m-1 active"],
            "{to}"
        );
    }
    let env = day();
    env.stated(&["remember", "--user", "wants small commits"]);
    let ran = env.person(&["rollback", "--to", "8"]);
    assert!(
        ran.err.contains("event 8 is one of users/ana: add --user"),
        "{ran}"
    );
    let ran = env.run(&["rollback", "--to", "1h"]);
    assert!(
        ran.err
            .starts_with("refused: only a person can roll a space back"),
        "{ran}"
    );
}
