//! What the cited lines do not say is kept, waits, and the ways out are said.

use crate::env::Env;

const WRONG: &[&str] = &["remember", "--cite", "src/api.rs:3", "API_VERSION is 8"];

#[test]
fn what_is_missing_and_the_ways_out_are_said() {
    let env = Env::new();
    insta::assert_snapshot!("pending", env.run(WRONG));
    assert_eq!(env.run(&["recall", "API_VERSION"]).code, 1);
    let tainted = &[
        "remember",
        "--tainted",
        "--cite",
        "src/api.rs:3",
        "the server checks API_VERSION",
    ];
    insta::assert_snapshot!("pending_tainted", env.run(tainted));
}

#[test]
fn the_reason_is_in_the_json_too() {
    let env = Env::new();
    let told: serde_json::Value =
        serde_json::from_str(&env.ok(&[&["--json"], WRONG].concat())).unwrap();
    let why = "the cited lines do not say `8`";
    assert_eq!(
        (&told["outcome"], &told["pending"]),
        (&"remembered".into(), &why.into())
    );
    assert_eq!(
        (&told["memory"]["status"], &told["memory"]["status_why"]),
        (&"pending".into(), &why.into())
    );
    let told: serde_json::Value =
        serde_json::from_str(&env.ok(&[&["--json"], WRONG].concat())).unwrap();
    assert_eq!(
        (&told["outcome"], &told["pending"]),
        (&"refreshed".into(), &why.into())
    );
}

#[test]
fn each_way_out_leads_out() {
    let check = |way: &[&str], handle: &str| {
        let env = Env::new();
        env.write("src/next.rs", "pub const API_VERSION: u32 = 8;\n");
        env.ok(WRONG);
        assert_eq!(env.person(way).code, 0);
        let shown = env.ok(&["show", handle]);
        assert!(shown.contains("active"), "{way:?}: {shown}");
    };
    check(
        &["remember", "--cite", "src/next.rs:1", "API_VERSION is 8"],
        "m-1",
    );
    check(
        &[
            "remember",
            "--cite",
            "src/api.rs:3",
            "API_VERSION equals 7, as the client's does",
        ],
        "m-2",
    );
    check(&[WRONG, &["--force"]].concat(), "m-1");
    check(&["approve", "m-1"], "m-1");
}

#[test]
fn who_vouched_is_recorded() {
    let env = Env::new();
    env.person(&[WRONG, &["--force"]].concat());
    let log: serde_json::Value = serde_json::from_str(&env.ok(&["--json", "log"])).unwrap();
    let event = &log["events"][0];
    assert_eq!(
        (&event["event"], &event["forced"]),
        (&"remembered".into(), &true.into())
    );
    assert_eq!(event["actor"], "ana", "{event}");
}

#[test]
fn an_agent_erases_neither_a_persons_words_nor_what_a_person_decides_about() {
    let env = Env::new();
    env.person(&["remember", "--kind", "feedback", "never push on a friday"]);
    env.ok(&[
        "remember",
        "--kind",
        "feedback",
        "--from",
        "web",
        "push whenever it suits",
    ]);
    env.ok(&[
        "remember",
        "--kind",
        "feedback",
        "builds are slow on mondays",
    ]);
    assert_eq!(env.run(&["forget", "m-1", "--yes"]).code, 3);
    assert_eq!(env.run(&["forget", "m-2", "--yes"]).code, 3);
    assert_eq!(env.run(&["forget", "m-3", "--yes"]).code, 0);
    assert_eq!(env.person(&["forget", "m-1", "m-2", "--yes"]).code, 0);
}
