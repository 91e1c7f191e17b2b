//! Deciding what waits, as scripts do it; the dialogue itself is tested beside its code.

use serde_json::Value;

use crate::env::Env;

/// A store in which four memories wait: two safe, one doubtful, one from outside.
fn waiting() -> Env {
    let env = Env::new();
    let system = &["remember", "--origin", "system", "--cite"];
    env.ok(&[system, ["src/api.rs:3", "API_VERSION is 7"].as_slice()].concat());
    env.ok(&[
        system,
        ["src/limits.rs:3", "MAX_UPLOAD is 10 MB"].as_slice(),
    ]
    .concat());
    env.ok(&["remember", "--cite", "src/api.rs:3", "API_VERSION is 8"]);
    env.ok(&[
        "remember",
        "--tainted",
        "--author",
        "web",
        "--kind",
        "feedback",
        "the docs say: use tabs",
    ]);
    env
}

fn json(env: &Env, arguments: &[&str]) -> Value {
    serde_json::from_str(&env.run(&[&["--json"], arguments].concat()).out).unwrap()
}

fn status(env: &Env, handle: &str) -> (String, Option<String>) {
    let memory = json(env, &["show", handle])["memory"].clone();
    let text = |it: &Value| it.as_str().map(Into::into);
    (
        text(&memory["status"]).unwrap(),
        text(&memory["status_why"]),
    )
}

#[test]
fn the_queue_is_listed_with_everything_needed() {
    let env = waiting();
    insta::assert_snapshot!("review_queue", env.run(&["review"]));
    let told = json(&env, &["review"]);
    assert_eq!(
        (&told["waiting"], &told["counts"]["safe"]),
        (&4.into(), &2.into())
    );
    let cares: Vec<&str> = told["queue"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["care"].as_str().unwrap())
        .collect();
    assert_eq!(cares, ["safe", "safe", "doubtful", "outside"]);
    let doubtful = &told["queue"][2];
    assert_eq!(doubtful["unsaid"], serde_json::json!(["8"]));
    assert_eq!(doubtful["memory"]["verdicts"][0]["verdict"], "holds");
    assert_eq!(doubtful["waits_because"], "the cited lines do not say `8`");
    assert_eq!(told["queue"][3]["memory"]["author"], "web");
}

#[test]
fn an_empty_queue_says_so() {
    let env = Env::new();
    let ran = env.run(&["review"]);
    assert_eq!(
        (ran.code, ran.out.as_str()),
        (0, "nothing waits for review\n")
    );
    assert_eq!(
        json(&env, &["review"]),
        serde_json::json!({"ok": true, "waiting": 0, "counts": {}, "due": [], "queue": []})
    );
}

#[test]
fn only_a_person_decides() {
    let check = |arguments: &[&str]| {
        let env = waiting();
        let refused = |env: &Env| {
            let told = json(env, arguments);
            assert_eq!(
                told["refused"]["class"], "not_a_person",
                "{arguments:?}: {told}"
            );
            assert_eq!(status(env, "m-1").0, "pending");
        };
        refused(&env);
        let ran = env.person(arguments);
        assert_eq!(ran.code, 0, "what --force allows is allowed: {ran}");
        assert_ne!(status(&env, "m-1").0, "pending");
    };
    check(&["approve", "m-1"]);
    check(&["review", "--accept", "m-1"]);
    check(&["review", "--reject", "m-1"]);
    check(&["review", "--all-safe"]);
    let mut agents = waiting();
    agents.set("CLAUDECODE", "1");
    assert_eq!(
        agents.person(&["review", "--all-safe"]).code,
        3,
        "an agent names no person"
    );
    insta::assert_snapshot!(
        "review_refused",
        waiting().run(&["review", "--accept", "m-1"])
    );
}

#[test]
fn scripts_accept_and_reject() {
    let env = waiting();
    let ran = env.person(&[
        "review", "--accept", "m-1", "m-2", "--reject", "m-3", "--reason", "it is 7",
    ]);
    insta::assert_snapshot!("review_decided", ran);
    assert_eq!(status(&env, "m-1"), ("active".into(), None));
    assert_eq!(
        status(&env, "m-3"),
        ("invalid".into(), Some("rejected: it is 7".into()))
    );
    let log = json(&env, &["log", "--memory", "m-1"]);
    assert_eq!(
        (&log["events"][0]["event"], &log["events"][0]["actor"]),
        (&"approved".into(), &"ana".into())
    );
    let wrong = env.person(&["review", "--accept", "m-4", "--reject", "m-99"]);
    assert_eq!(wrong.code, 1, "{wrong}");
    assert_eq!(
        status(&env, "m-4").0,
        "pending",
        "nothing is done when a name is wrong"
    );
}

#[test]
fn all_that_is_safe_is_accepted_and_nothing_else() {
    let env = waiting();
    insta::assert_snapshot!("review_all_safe", env.person(&["review", "--all-safe"]));
    let stages = ["m-1", "m-2", "m-3", "m-4"].map(|it| status(&env, it).0);
    assert_eq!(stages, ["active", "active", "pending", "pending"]);
}

#[test]
fn a_person_may_change_their_mind() {
    let env = waiting();
    env.person(&["review", "--reject", "m-1", "m-2"]);
    assert_eq!(
        env.run(&["approve", "m-1"]).code,
        3,
        "an agent's mind does not count"
    );
    let ran = env.person(&["approve", "m-1"]);
    assert_eq!(
        (ran.code, status(&env, "m-1").0.as_str()),
        (0, "active"),
        "{ran}"
    );
    env.person(&["invalidate", "m-1", "--reason", "it is 9"]);
    assert_eq!(
        env.person(&["approve", "m-1"]).code,
        3,
        "what was found wrong was not rejected in review"
    );
    env.person(&[
        "remember",
        "--cite",
        "src/limits.rs:3",
        "MAX_UPLOAD is 10 MB",
    ]);
    let ran = env.person(&["approve", "m-2"]);
    assert_eq!(ran.code, 3, "{ran}");
    assert!(
        ran.err
            .contains("m-2 was rejected, and m-5 says the same since"),
        "{ran}"
    );
}

/// The variables of an agent's shell are taken out with one word, and a terminal is made with another.
#[cfg(target_os = "linux")]
#[test]
fn agent_does_not_become_a_person_by_taking_its_variables_out() {
    let env = Env::new();
    env.ok(&[
        "remember",
        "--from",
        "web",
        "--kind",
        "feedback",
        "the vendor wants ten retries",
    ]);
    let clean = "env -u CLAUDECODE -u APOSTILLE_TEST_WITHOUT_PARENTS APOSTILLE_PERSON=ana";
    for script in [
        format!("{clean} \"$APOSTILLE\" approve m-1; exit $?"),
        format!("sh -c '{clean} \"$APOSTILLE\" approve m-1; exit $?'; exit $?"),
        format!("{clean} script -qec \"$APOSTILLE approve m-1\" /dev/null; exit 3"),
    ] {
        let mut shell = env.shell(&script);
        shell.env("CLAUDECODE", "1");
        let ran = shell.output().unwrap();
        assert!(!ran.status.success(), "{script}");
        assert!(env.ok(&["show", "m-1"]).contains("pending"), "{script}");
    }
    // Also where the shell gave its place to the program, so that the client alone stands above.
    let client = env.home().join("claude");
    std::fs::copy("/bin/sh", &client).unwrap();
    let exec = format!("sh -c 'exec {clean} \"$APOSTILLE\" approve m-1'; exit $?");
    let mut command = std::process::Command::new(&client);
    let shell = env.shell("");
    let variables = shell
        .get_envs()
        .filter_map(|(name, value)| Some((name, value?)));
    command.env_clear().envs(variables).current_dir(env.repo());
    assert!(!command.args(["-c", &exec]).status().unwrap().success());
    assert!(env.ok(&["show", "m-1"]).contains("pending"));
    // Without an agent above, the same is a person's word.
    let ran = env
        .shell("APOSTILLE_PERSON=ana \"$APOSTILLE\" approve m-1")
        .output()
        .unwrap();
    assert!(ran.status.success());
}
