//! `verify --ci` and `--sarif`: what a check of the code is told.

use serde_json::Value;

use crate::env::Env;

/// One memory that is contradicted, one that is gone, one that moved, one without citation.
fn worn() -> Env {
    let env = Env::new();
    env.write("src/a,b 100%.rs", "// one\npub const SHARE: u32 = 40;\n");
    env.commit();
    env.with_facts();
    let odd = "src/a,b 100%.rs:2";
    env.ok(&[
        "remember",
        "--cite",
        odd,
        "SHARE is what 100% of the, say: clients get",
    ]);
    env.live_on();
    std::fs::remove_file(env.repo().join("src/a,b 100%.rs")).unwrap();
    env.commit();
    env
}

fn sarif(env: &Env, name: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(env.repo().join(name)).unwrap()).unwrap()
}

#[test]
fn a_check_annotates_the_code_and_changes_nothing() {
    let env = worn();
    insta::assert_snapshot!("ci", env.run(&["verify", "--ci"]));
    assert!(
        env.ok(&["show", "m-1"])
            .contains("moved  src/api.rs:3 → src/api.rs:4")
    );
    assert!(!env.ok(&["log", "--limit", "100"]).contains("verified"));
    assert_eq!(env.run(&["verify", "--ci", "m-1"]).code, 0);
    assert_eq!(env.run(&["verify", "--ci", "--invalidate"]).code, 2);
}

#[test]
fn a_check_of_nothing_passes() {
    let env = Env::new();
    assert_eq!(env.run(&["verify", "--ci"]).code, 0);
    assert_eq!(
        env.run(&["verify", "--ci", "--sarif", "none.sarif"]).code,
        0
    );
    assert_eq!(
        sarif(&env, "none.sarif")["runs"][0]["results"],
        Value::Array(Vec::new())
    );
}

#[test]
fn what_could_not_be_looked_up_is_said_and_does_not_fail() {
    let env = Env::new();
    env.with_facts();
    for path in ["src/api.rs", "src/limits.rs"] {
        env.write(path, [0, 1, 2]);
    }
    let ran = env.run(&["verify", "--ci", "--sarif", "out.sarif"]);
    assert_eq!(ran.code, 0, "{ran}");
    let expected = "2 could not be looked up: the file is not text\n1 without citation · 2 could not be looked up\n";
    assert_eq!(ran.out, expected);
    let notes =
        &sarif(&env, "out.sarif")["runs"][0]["invocations"][0]["toolExecutionNotifications"];
    assert_eq!(
        notes[0]["message"]["text"],
        "2 could not be looked up: the file is not text"
    );
}

/// What the schema of SARIF 2.1.0 requires of what is written here.
#[test]
fn the_sarif_is_what_the_schema_requires() {
    let env = worn();
    let ran = env.run(&["verify", "--sarif", "out.sarif"]);
    assert_eq!(ran.code, 1);
    assert!(ran.out.contains("the code no longer says"), "{ran}");
    let log = sarif(&env, "out.sarif");
    assert_eq!(
        (&log["version"], log["runs"].as_array().unwrap().len()),
        (&"2.1.0".into(), 1)
    );
    assert!(
        log["$schema"]
            .as_str()
            .unwrap()
            .ends_with("sarif-2.1.0.json")
    );
    let run = &log["runs"][0];
    let driver = &run["tool"]["driver"];
    let rules: Vec<&str> = driver["rules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["id"].as_str().unwrap())
        .collect();
    assert_eq!(
        (driver["name"].as_str(), rules.len()),
        (Some("apostille"), 4)
    );
    assert_eq!(run["invocations"][0]["executionSuccessful"], true);
    let mut found = Vec::new();
    for result in run["results"].as_array().unwrap() {
        let rule = result["ruleId"].as_str().unwrap();
        assert_eq!(
            rules[usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap()],
            rule
        );
        assert!(["none", "note", "warning", "error"].contains(&result["level"].as_str().unwrap()));
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        let place = &result["locations"][0]["physicalLocation"];
        let (start, end) = (&place["region"]["startLine"], &place["region"]["endLine"]);
        assert!(1 <= start.as_u64().unwrap() && start.as_u64() <= end.as_u64());
        assert!(
            result["partialFingerprints"]
                .as_object()
                .unwrap()
                .values()
                .all(Value::is_string)
        );
        found.push((
            rule,
            place["artifactLocation"]["uri"].as_str().unwrap(),
            start.as_u64().unwrap(),
        ));
    }
    found.sort_unstable();
    let odd = "src/a%2Cb%20100%25.rs";
    assert_eq!(
        found,
        [
            ("contradicted", "src/limits.rs", 3),
            ("gone", odd, 2),
            ("moved", "src/api.rs", 4)
        ]
    );
}

#[test]
fn the_same_memory_has_the_same_fingerprint() {
    let env = worn();
    let prints = |name: &str| {
        env.run(&["verify", "--sarif", name]);
        let log = sarif(&env, name);
        let results = log["runs"][0]["results"].as_array().unwrap().clone();
        results
            .iter()
            .map(|it| it["partialFingerprints"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(prints("one.sarif"), prints("two.sarif"));
    let ran = env.run(&["verify", "--ci", "--sarif", "-"]);
    assert!(
        ran.out.starts_with("{\n  \"$schema\"") && ran.err.contains("::warning file="),
        "{ran}"
    );
}
