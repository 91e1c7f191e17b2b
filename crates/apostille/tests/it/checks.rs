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

/// What a pull request from the branch `topic` is told.
fn commented(prepare: impl Fn(&Env)) -> Env {
    let env = Env::new();
    env.with_facts();
    // From an agent it would wait, for its address.
    env.stated(&[
        "remember",
        "--cite",
        "src/api.rs:5",
        "`serve` is called first, by @ops | [see](http://x.example) <b>",
    ]);
    env.git(&["switch", "--quiet", "--create", "topic"]);
    prepare(&env);
    env.commit();
    env
}

#[test]
fn a_comment_says_what_the_change_makes_stale() {
    let env = commented(|env| {
        env.live_on();
        env.write(
            "src/api.rs",
            "//! The API.\n\npub const API_VERSION: u32 = 7;\n\npub fn start() {}\n",
        );
    });
    let ran = env.run(&["verify", "--markdown", "-"]);
    insta::assert_snapshot!("comment", ran);
    assert_eq!(
        ran.out,
        env.run(&["verify", "--markdown", "-"]).out,
        "the same every time"
    );
    let ci = env.run(&["verify", "--ci", "--markdown", "comment.md"]);
    assert!(ci.out.starts_with("::warning file=src/limits.rs"), "{ci}");
    let written = std::fs::read_to_string(env.repo().join("comment.md")).unwrap();
    assert_eq!(written, ran.out);
    assert!(!env.ok(&["log", "--limit", "100"]).contains("verified"));
}

#[test]
fn a_comment_leaves_out_what_was_stale_before() {
    let env = commented(|env| env.write("src/new.rs", "//! New.\n"));
    let clean = env.run(&["verify", "--markdown", "-"]);
    assert_eq!(
        (clean.code, clean.out.as_str()),
        (
            0,
            "<!-- apostille verify -->\n**This change makes no memory stale.** 3 memories looked up.\n"
        )
    );
    // The default branch changes the limit, and the branch takes that over.
    env.git(&["switch", "--quiet", "main"]);
    env.live_on();
    env.commit();
    env.git(&["switch", "--quiet", "topic"]);
    env.git(&["merge", "--quiet", "--no-edit", "main"]);
    let before = env.run(&["verify", "--markdown", "-"]);
    assert!(before.out.contains("makes no memory stale"), "{before}");
    assert!(before.out.ends_with("1 memory did not stand before this change either; `apostille verify --fix` goes through them.\n"), "{before}");
    // Seen from where the branch began, it is new.
    let since = env.run(&["verify", "--markdown", "-", "--base", "main~1"]);
    assert!(since.out.contains("makes 1 memory stale"), "{since}");
    assert_eq!(
        env.run(&["verify", "--markdown", "-", "--base", "nowhere"])
            .code,
        2
    );
    assert_eq!(env.run(&["verify", "--base", "main"]).code, 2);
}

#[test]
fn a_comment_is_bounded() {
    let env = Env::new();
    let consts = |value: &str| -> String {
        let line = |n: u8| {
            format!(
                "pub const LIMIT_{}: u32 = {value}{n:02};\n",
                char::from(b'A' + n)
            )
        };
        (0..26).map(line).collect::<String>()
            + &(26..30)
                .map(|n| format!("pub const LIMIT_{n}: u32 = {value}{n};\n"))
                .collect::<String>()
    };
    env.write("src/many.rs", consts("1"));
    env.commit();
    for (at, line) in consts("1").lines().enumerate() {
        let name = line.split([' ', ':']).nth(2).unwrap();
        let value = line
            .rsplit(['=', ' ', ';'])
            .find(|it| !it.is_empty())
            .unwrap();
        let place = format!("src/many.rs:{}", at + 1);
        env.ok(&[
            "remember",
            "--create",
            "many",
            "--cite",
            &place,
            &format!("{name} is {value}"),
        ]);
    }
    env.git(&["switch", "--quiet", "--create", "topic"]);
    env.write("src/many.rs", consts("9"));
    env.commit();
    let told = env.run(&["verify", "--markdown", "-"]).out;
    assert_eq!(
        told.lines().filter(|it| it.starts_with("| **m-")).count(),
        25,
        "{told}"
    );
    assert!(
        told.contains("\n… and 5 memories; `apostille verify` lists them.\n"),
        "{told}"
    );
    assert!(told.len() < 30_000);
}
