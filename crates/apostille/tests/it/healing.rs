//! Citations follow the code while nobody waits: at the end of a session, and in a server that runs.

use std::{
    thread,
    time::{Duration, Instant},
};

use serde_json::json;

use crate::{
    env::Env,
    mcp::{Era, Talk},
    renamed::renamed,
};

/// The path that the memory cites in the store, and how often its citations followed the code.
fn stored(env: &Env) -> (String, usize) {
    let shown: serde_json::Value =
        serde_json::from_str(&env.ok(&["--json", "show", "m-2"])).unwrap();
    let cited = &shown["memory"]["citations"][0]["path"];
    let log = env.ok(&["--json", "log", "--limit", "1000"]);
    (
        cited.as_str().unwrap_or_default().to_owned(),
        log.matches("src/limits.rs:3 → src/quota.rs:3").count(),
    )
}

#[test]
fn session_end_heals_moved_citations_once() {
    let env = renamed();
    assert_eq!(stored(&env), ("src/limits.rs".into(), 0));
    env.ok(&["hook", "--after=s1"]);
    assert_eq!(stored(&env), ("src/quota.rs".into(), 1));
    env.ok(&["hook", "--after=s1"]);
    assert_eq!(stored(&env), ("src/quota.rs".into(), 1));
}

#[test]
fn session_end_heals_nothing_on_a_branch_or_in_a_half_done_edit() {
    let env = renamed();
    env.git(&["checkout", "-qb", "feature"]);
    std::fs::write(env.repo().join("src/extra.rs"), "// more\n").unwrap();
    env.commit();
    env.ok(&["hook", "--after=s1"]);
    assert_eq!(stored(&env).0, "src/limits.rs");
    env.git(&["checkout", "-q", "-"]);
    std::fs::write(env.repo().join("src/quota.rs"), "half done\n").unwrap();
    env.ok(&["hook", "--after=s1"]);
    assert_eq!(stored(&env).0, "src/limits.rs");
    env.git(&["checkout", "-q", "src/quota.rs"]);
    env.ok(&["hook", "--after=s1"]);
    assert_eq!(stored(&env).0, "src/quota.rs");
}

#[test]
fn running_server_heals_moved_citations() {
    let env = renamed();
    let talk = Talk::new(&env, &env.repo(), &[], Era::Legacy, json!({}));
    let began = Instant::now();
    while stored(&env).0 != "src/quota.rs" && began.elapsed() < Duration::from_secs(60) {
        thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(stored(&env).0, "src/quota.rs");
    talk.end();
}
