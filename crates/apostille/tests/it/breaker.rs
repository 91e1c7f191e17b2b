//! Breakers, as people and scripts see them.

use serde_json::Value;

use crate::env::Env;

/// A world in which an agent wrote more than it may.
fn tripped() -> Env {
    let mut env = Env::new();
    env.set("APOSTILLE_BREAKERS_BURST", "2");
    for fact in [
        "wants small commits",
        "prefers tabs in makefiles",
        "reviews on Fridays",
    ] {
        env.ok(&[
            "remember",
            "--session",
            "claude",
            "--kind",
            "feedback",
            fact,
        ]);
    }
    env
}

fn json(env: &Env, arguments: &[&str]) -> Value {
    serde_json::from_str(&env.run(&[&["--json"], arguments].concat()).out).unwrap()
}

#[test]
fn who_is_held_up_is_told_everywhere() {
    let env = tripped();
    insta::assert_snapshot!("breaker_open", env.run(&["breaker"]));
    let why = "what claude writes waits: 3 new memories in 10 minutes";
    assert!(env.ok(&["doctor"]).contains(why));
    assert!(!env.ok(&["doctor"]).contains("everything is in order"));
    assert!(env.ok(&["stats"]).contains(why));
    assert_eq!(
        json(&env, &["stats"])["spaces"][0]["breakers"][0]["actor"],
        "claude"
    );
    let held = env.run(&[
        "remember",
        "--session",
        "claude",
        "--kind",
        "feedback",
        "likes short functions",
    ]);
    insta::assert_snapshot!("breaker_held", held);
    let other = env.ok(&[
        "remember",
        "--session",
        "codex",
        "--kind",
        "feedback",
        "likes long names",
    ]);
    assert!(!other.contains("pending"), "{other}");
    // Whatever an agent calls itself, it is held as the session that it is.
    let renamed = [
        "remember",
        "--session",
        "claude",
        "--author",
        "rita",
        "--kind",
        "feedback",
        "likes tea",
    ];
    assert!(env.ok(&renamed).contains("pending"));
    let own = env.person(&[
        "remember",
        "--session",
        "claude",
        "--kind",
        "feedback",
        "a person says what they like",
    ]);
    assert!(own.code == 0 && !own.out.contains("pending"), "{own}");
}

#[test]
fn only_a_person_closes_it() {
    let env = tripped();
    assert_eq!(
        json(&env, &["breaker", "close"])["refused"]["class"],
        "not_a_person"
    );
    assert_eq!(
        env.person(&["breaker", "close", "--actor", "codex"]).code,
        1
    );
    insta::assert_snapshot!(
        "breaker_closed",
        env.person(&["breaker", "close", "--actor", "claude"])
    );
    assert_eq!(env.ok(&["breaker"]), "no breaker is open\n");
    assert_eq!(json(&env, &["breaker"])["breakers"], serde_json::json!([]));
    let log = json(&env, &["log"]);
    assert_eq!(
        (&log["events"][0]["event"], &log["events"][0]["actor"]),
        (&"closed".into(), &"ana".into())
    );
}

#[test]
fn too_many_found_wrong_are_refused_to_an_agent() {
    let mut env = Env::new();
    env.set("APOSTILLE_BREAKERS_INVALIDATIONS", "1");
    env.with_facts();
    let wrong =
        |env: &Env, handle: &str| env.run(&["invalidate", handle, "--reason", "it is wrong"]);
    assert_eq!(wrong(&env, "m-1").code, 0);
    insta::assert_snapshot!("breaker_invalidations", wrong(&env, "m-2"));
    assert_eq!(
        env.person(&["invalidate", "m-2", "--reason", "it is wrong"])
            .code,
        0
    );
}
