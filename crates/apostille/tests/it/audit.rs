//! `audit` over a store as a team has it after a year, and over one that somebody wrote into by hand.

use serde_json::Value;

use crate::{env::Env, hoard::Hoard};

fn hoard() -> Env {
    let env = Env::new();
    Hoard::new().fill(&env);
    env
}

fn json(env: &Env, arguments: &[&str]) -> Value {
    serde_json::from_str(&env.run(&[&["audit", "--json"], arguments].concat()).out).unwrap()
}

#[test]
fn a_hoard_is_told_class_by_class_with_counts_first_and_nothing_is_changed() {
    let env = hoard();
    let before = (env.ok(&["export"]), env.ok(&["log", "--limit", "1000"]));
    let ran = env.run(&["audit"]);
    insta::assert_snapshot!("audit", ran);
    assert_eq!(ran.code, 1);
    insta::assert_snapshot!(
        "audit_markdown",
        env.run(&["audit", "--markdown", "--only", "near-duplicate"])
    );
    let after = (env.ok(&["export"]), env.ok(&["log", "--limit", "1000"]));
    let untimed = |text: &str| text.split_once("\"memories\"").unwrap().1.to_owned();
    assert_eq!((untimed(&after.0), after.1), (untimed(&before.0), before.1));
}

#[test]
fn programs_are_told_everything_and_the_code_says_whether_it_misleads() {
    let env = hoard();
    let found = json(&env, &[]);
    let count = |class: &str| found["counts"][class].as_u64().unwrap_or(0);
    assert_eq!(found["ok"], false);
    assert_eq!(
        (
            count("stale"),
            count("near-duplicate"),
            count("contradiction")
        ),
        (38, 9, 6),
        "{}",
        found["counts"]
    );
    let group = found["findings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["memories"].as_array().unwrap().len() == 6);
    assert_eq!(group.unwrap()["keep"], "m-185");
    assert_eq!(env.run(&["audit", "--only", "unused"]).code, 0);
    assert_eq!(env.run(&["audit", "--only", "excluded", "--ci"]).code, 1);
    assert_eq!(env.run(&["audit", "--only", "nonsense"]).code, 2);
}

#[test]
fn the_ways_out_are_commands_that_work() {
    let mut env = hoard();
    // A person tidies up: an agent that found so much wrong at once would be held up.
    env.set("APOSTILLE_PERSON", "ana");
    let found = json(
        &env,
        &[
            "--only",
            "near-duplicate",
            "--only",
            "contradiction",
            "--only",
            "excluded",
        ],
    );
    let findings = found["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 19);
    for it in findings {
        let command = it["command"]
            .as_str()
            .unwrap()
            .replacen("apostille", "\"$APOSTILLE\"", 1);
        let ran = env.feed(env.shell(&command), "");
        assert_eq!(ran.code, 0, "{command}: {ran}");
    }
    let after = json(
        &env,
        &[
            "--only",
            "near-duplicate",
            "--only",
            "contradiction",
            "--only",
            "excluded",
        ],
    );
    assert_eq!(after["counts"], serde_json::json!({}));
}

#[test]
fn sarif_has_what_is_about_code_as_results_and_says_the_rest_beside_them() {
    let env = hoard();
    let ran = env.run(&["audit", "--ci", "--sarif", "out.sarif"]);
    assert!(
        ran.out
            .lines()
            .all(|it| it.starts_with("::") || it.starts_with("Looked through ")),
        "{ran}"
    );
    let log: Value =
        serde_json::from_str(&std::fs::read_to_string(env.repo().join("out.sarif")).unwrap())
            .unwrap();
    let run = &log["runs"][0];
    let results = run["results"].as_array().unwrap();
    assert_eq!(
        results.iter().filter(|it| it["ruleId"] == "stale").count(),
        38
    );
    for it in results {
        let rule = &run["tool"]["driver"]["rules"]
            [usize::try_from(it["ruleIndex"].as_u64().unwrap()).unwrap()];
        assert_eq!(rule["id"], it["ruleId"]);
        assert!(it["locations"][0]["physicalLocation"]["region"]["startLine"].is_u64());
    }
    let notes = run["invocations"][0]["toolExecutionNotifications"]
        .as_array()
        .unwrap();
    assert!(notes.iter().any(|it| {
        it["message"]["text"]
            .as_str()
            .unwrap()
            .starts_with("near-duplicate: ")
    }));
}

#[test]
fn a_secret_that_was_written_by_hand_is_found_and_not_repeated() {
    let env = Env::new();
    let secret = ["gh", "p_", "0123456789abcdefABCDEF0123456789abcd"].concat();
    let line = format!(
        r#"{{"id":"m-1","scope":"workspace","text":"use {secret}","tags":[],"ts":"2026-02-26T12:00:00Z"}}"#
    );
    let store = &format!("jsonl:{}", env.beside("kept.jsonl", &(line + "\n")));
    let ran = env.run(&["audit", "--store", store, "--only", "secret"]);
    assert_eq!(ran.code, 1, "{ran}");
    assert!(
        ran.out.contains("m-1") && ran.out.contains("$ apostille forget m-1"),
        "{ran}"
    );
    for format in ["--markdown", "--json", "--ci", "--sarif=-", "--verbose"] {
        let ran = env.run(&["audit", "--store", store, "--only", "secret", format]);
        assert!(!format!("{ran}").contains(&secret), "{format}: {ran}");
    }
}

#[test]
fn an_empty_store_needs_no_attention() {
    let env = Env::new();
    let ran = env.run(&["audit"]);
    assert_eq!(
        (ran.code, ran.out.contains("Nothing needs attention.")),
        (0, true),
        "{ran}"
    );
}
