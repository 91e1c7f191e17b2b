//! `verify`: what is found, what is changed, and what is said about it.

use std::fmt::Write as _;

use serde_json::Value;

use crate::env::Env;

/// Three facts, and a commit that moves one, contradicts one and only touches the spacing of the third.
fn lived_on() -> Env {
    let env = Env::new();
    env.with_facts();
    env.ok(&[
        "remember",
        "--cite",
        "src/api.rs:5",
        "serve is what the supervisor calls first",
    ]);
    env.live_on();
    env.write(
        "src/api.rs",
        "//! The API.\n//!\n\npub const API_VERSION: u32 = 7;\n\npub  fn serve() {}\n",
    );
    env.commit();
    env
}

fn json(env: &Env, arguments: &[&str]) -> Value {
    let ran = env.run(&[&["--json"], arguments].concat());
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {ran}"))
}

/// How often verifying wrote something down.
fn n_events(env: &Env) -> usize {
    json(env, &["log", "--limit", "1000"])["events"]
        .as_array()
        .unwrap()
        .len()
}

#[test]
fn what_moved_is_healed_on_the_default_branch() {
    let env = lived_on();
    insta::assert_snapshot!("verify_settled", env.run(&["verify"]));
    let again = env.run(&["verify"]);
    assert!(
        again
            .out
            .starts_with("m-1  stands  src/api.rs:4\nm-3  stands  src/api.rs:6\n"),
        "{again}"
    );
}

#[test]
fn elsewhere_nothing_is_healed_and_it_is_said_why() {
    let check = |prepare: &dyn Fn(&Env), expected: &str| {
        let env = lived_on();
        prepare(&env);
        let ran = env.run(&["verify", "m-1"]);
        let why = format!("what moved was followed and not written down, because {expected}\n");
        assert!(ran.out.ends_with(&why), "{ran}");
        let told = json(&env, &["verify", "m-1"]);
        assert_eq!(
            (&told["settled"], &told["memories"][0]["deed"]),
            (&false.into(), &Value::Null)
        );
    };
    let edited = |env: &Env| env.write("src/limits.rs", "\n");
    check(&edited, "there are uncommitted edits");
    let branched = |env: &Env| {
        env.git(&["switch", "--quiet", "--create", "topic"]);
        env.write("src/new.rs", "\n");
        env.commit();
    };
    check(&branched, "this is 'topic' and not 'main'");
}

#[test]
fn what_is_disproved_is_invalidated_when_asked() {
    let env = lived_on();
    let told = json(&env, &["verify", "--invalidate"]);
    let deed = |handle: &str| {
        let memories = told["memories"].as_array().unwrap();
        memories.iter().find(|it| it["handle"] == handle).unwrap()["deed"].clone()
    };
    assert_eq!(
        ["m-1", "m-2", "m-3"].map(deed),
        ["healed", "invalidated", "healed"]
    );
    assert_eq!(deed("u-1"), Value::Null);
    assert_eq!(told["settled"], true);
    insta::assert_snapshot!("verify_invalidated", env.run(&["show", "m-2"]));
}

/// A fact that was replaced, and the code of what replaced it edited since.
fn replaced_and_edited() -> Env {
    let env = lived_on();
    let new = "uploads are limited to 25 MB by MAX_UPLOAD";
    env.ok(&["supersede", "m-2", new, "--cite=src/limits.rs:3"]);
    env.write(
        "src/limits.rs",
        "const MB: u64 = 1024 * 1024;\n\npub const MAX_UPLOAD: u64 = 50 * MB;\n",
    );
    env
}

#[test]
fn verify_says_what_replaced_a_memory() {
    let env = replaced_and_edited();
    insta::assert_snapshot!("verify_superseded", env.run(&["verify", "m-2"]));
    let told = json(&env, &["verify", "m-2"]);
    assert_eq!(told["ok"], true, "{told}");
    assert_eq!(told["counts"]["superseded"], 1, "{told}");
    assert_eq!(told["memories"][0]["replaced_by"], "m-4", "{told}");
    assert_eq!(
        env.run(&["verify", "m-2", "--fix"]).out,
        "there is nothing to fix\n"
    );
}

#[test]
fn show_says_how_each_side_of_a_replacement_stands() {
    let env = replaced_and_edited();
    insta::assert_snapshot!("show_superseded", env.run(&["show", "m-2"]));
    insta::assert_snapshot!("show_superseding", env.run(&["show", "m-4"]));
}

#[test]
fn half_done_work_disproves_nothing() {
    let env = lived_on();
    env.write("src/limits.rs", "\n");
    let before = n_events(&env);
    insta::assert_snapshot!("verify_not_settled", env.run(&["verify", "--invalidate"]));
    let told = json(&env, &["verify", "--invalidate"]);
    assert_eq!(told["refused"]["class"], "not_settled");
    assert_eq!(n_events(&env), before);
}

#[test]
fn a_dry_run_changes_nothing_at_all() {
    let env = lived_on();
    let before = n_events(&env);
    for flag in ["--dry-run", "--no-heal"] {
        let ran = env.run(&["verify", flag]);
        assert_eq!(ran.code, 1);
        assert!(ran.out.starts_with("m-1  stands"), "{ran}");
    }
    assert_eq!(n_events(&env), before);
}

#[test]
fn what_is_not_merged_here_is_not_held_against_it() {
    let env = Env::new();
    env.git(&["switch", "--quiet", "--create", "topic"]);
    env.write("src/limits.rs", "pub const MAX_UPLOAD: u64 = 50;\n");
    env.commit();
    env.ok(&[
        "remember",
        "--cite",
        "src/limits.rs:1",
        "uploads are limited to 50 by MAX_UPLOAD",
    ]);
    env.git(&["switch", "--quiet", "main"]);
    insta::assert_snapshot!("verify_unmerged", env.run(&["verify"]));
    let told = json(&env, &["verify"]);
    assert_eq!(
        (&told["ok"], &told["counts"]["unmerged"]),
        (&true.into(), &1.into())
    );
    assert_eq!(told["memories"][0]["unmerged"], true);
    assert_eq!(json(&env, &["show", "m-1"])["memory"]["unmerged"], true);
    assert_eq!(env.run(&["verify", "--invalidate"]).code, 0);
    assert!(env.ok(&["show", "m-1"]).contains("active"));
}

/// A store with so many memories, each about a line of its own.
fn with_many(n: usize) -> Env {
    const WORDS: [&str; 12] = [
        "amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heron", "islet", "jetty",
        "knoll", "larch",
    ];
    let env = Env::new();
    let (mut code, mut notes) = (String::new(), String::new());
    for at in 0..n {
        let word =
            |k: usize| WORDS[(at / WORDS.len().pow(u32::try_from(k).unwrap())) % WORDS.len()];
        let name = format!("{}_{}_{}", word(0), word(1), word(2)).to_uppercase();
        writeln!(code, "pub const {name}: u32 = {};", at + 100).unwrap();
        writeln!(
            notes,
            "{name} is {} for the {} and the {}",
            at + 100,
            word(1),
            word(2)
        )
        .unwrap();
    }
    env.write("src/many.rs", &code);
    env.commit();
    for (at, fact) in notes.lines().enumerate() {
        let place = format!("src/many.rs:{}", at + 1);
        env.ok(&["remember", "--create", "many", "--cite", &place, fact]);
    }
    env
}

#[test]
fn what_holds_is_folded_where_there_is_much_of_it() {
    let env = with_many(45);
    let code = std::fs::read_to_string(env.repo().join("src/many.rs")).unwrap();
    env.write("src/many.rs", code.replace("= 144;", "= 7;"));
    insta::assert_snapshot!("verify_folded", env.run(&["verify"]));
    assert_eq!(
        env.run(&["verify", "--verbose"])
            .out
            .matches("  stands  ")
            .count(),
        44
    );
    env.write("src/many.rs", format!("// new\n{code}"));
    let moved = env.run(&["verify"]).out;
    assert!(
        moved.contains("… and 25 more; --verbose lists them\n\n45 stand elsewhere now\n"),
        "{moved}"
    );
}

#[test]
fn everything_cited_is_shown_with_its_verdict() {
    let env = lived_on();
    let block = env.ok(&["recall", "--block", "API version and what serve is for"]);
    insta::assert_snapshot!("recall_block_verdicts", block);
    insta::assert_snapshot!(
        "recall_verdicts",
        env.run(&["recall", "API version, upload limit, what serve is for"])
    );
    let told = json(
        &env,
        &["recall", "API version, upload limit, what serve is for"],
    );
    for list in ["memories", "withheld"] {
        for memory in told[list].as_array().unwrap() {
            let n_citations = memory["citations"].as_array().map_or(0, Vec::len);
            assert_eq!(
                memory["verdicts"].as_array().unwrap().len(),
                n_citations,
                "{memory}"
            );
            assert!(memory["standing"].is_string());
        }
    }
    insta::assert_snapshot!("show_harmless", env.run(&["show", "m-3"]));
}

/// Runs a command as a shell understands it.
fn pasted(env: &Env, command: &str) -> i32 {
    let ours = env.command(&[]);
    let mut shell = std::process::Command::new("sh");
    shell
        .arg("-c")
        .arg(command.replacen("apostille", env!("CARGO_BIN_EXE_apostille"), 1));
    shell.env_clear().envs(
        ours.get_envs()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    shell
        .current_dir(env.repo())
        .output()
        .unwrap()
        .status
        .code()
        .unwrap()
}

#[test]
fn what_to_say_instead_is_proposed_and_can_be_pasted() {
    let env = lived_on();
    env.write(
        "src/$(touch owned).rs",
        "pub const LIMIT: u32 = 5;\npub const OTHER: u32 = 6;\n",
    );
    env.write("src/gone.rs", "pub const GONE: u32 = 5;\n");
    env.commit();
    let odd = "it's `5`, $(touch owned) \"or so\", that LIMIT allows";
    env.ok(&[
        "remember",
        "--cite",
        "src/$(touch owned).rs:1",
        "--tag",
        "a b",
        odd,
    ]);
    env.ok(&[
        "remember",
        "--cite",
        "src/gone.rs:1",
        "GONE is what the old client sends",
    ]);
    env.write(
        "src/$(touch owned).rs",
        "pub const LIMIT: u32 = 9;\npub const OTHER: u32 = 6;\n",
    );
    std::fs::remove_file(env.repo().join("src/gone.rs")).unwrap();
    env.commit();
    insta::assert_snapshot!("verify_fix", env.run(&["verify", "--fix"]));
    let before = n_events(&env);
    let told = json(&env, &["verify", "--fix"]);
    assert_eq!(n_events(&env), before, "with --json nothing is changed");
    let drafts = told["drafts"].as_array().unwrap();
    assert_eq!(drafts.len(), 3);
    let of = |handle: &str| drafts.iter().find(|it| it["handle"] == handle).unwrap();
    assert_eq!(
        of("m-4")["swapped"],
        serde_json::json!([{"was": "5", "now": "9"}])
    );
    assert_eq!(
        of("m-4")["cite"],
        serde_json::json!(["src/$(touch owned).rs:1"])
    );
    assert_eq!(of("m-5").get("fact"), None);
    for draft in drafts {
        assert_eq!(
            pasted(&env, draft["command"].as_str().unwrap()),
            0,
            "{draft}"
        );
    }
    assert!(!env.repo().join("owned").exists());
    let shown = env.ok(&["show", "m-7"]);
    assert!(
        shown.contains("it's `9`, $(touch owned) \"or so\", that LIMIT allows"),
        "{shown}"
    );
    assert_eq!(
        env.run(&["verify", "--fix"]).out,
        "there is nothing to fix\n"
    );
}

const NET: &str = "//! Net.\n\npub fn call(path: &str) -> Reply {\n    let timeout = 30;\n    send(\"/v1/users\", path, timeout)\n}\n\npub const MAX_BODY: u64 = 10;\n";
const NET_LATER: &str = "//! Net.\n\npub fn call(path: &str) -> Reply {\n    let limits = Limits { timeout: Duration::from_secs(30) };\n    send_with(\"/v1/users\", path, &limits)\n}\n";
const SETTINGS: &str = "//! Settings.\n\n/// As the proxy has it.\npub const MAX_BODY: u64 = 25;\n";

/// m-1 stands in code that was written anew; what m-2 speaks of is elsewhere and has another value; m-3 has no literals.
fn rewritten() -> Env {
    let env = Env::new();
    env.write("src/net.rs", NET);
    env.commit();
    let facts = [
        (
            "src/net.rs:3-6",
            "calls to /v1/users time out after 30 seconds",
        ),
        ("src/net.rs:8", "MAX_BODY is 10 for everybody"),
        ("src/net.rs:3-6", "the caller decides where the reply goes"),
    ];
    for (cite, fact) in facts {
        env.ok(&["remember", "--create", "test", "--cite", cite, fact]);
    }
    env.write("src/net.rs", NET_LATER);
    env.write("src/settings/limits.rs", SETTINGS);
    env
}

#[test]
fn fix_offers_the_place_that_was_found() {
    let env = rewritten();
    env.commit();
    insta::assert_snapshot!("verify_fix_places", env.run(&["verify", "--fix"]));
    let drafts = json(&env, &["verify", "--fix"])["drafts"].clone();
    let of = |handle: &str| {
        let drafts = drafts.as_array().unwrap();
        drafts.iter().find(|it| it["handle"] == handle).unwrap()
    };
    assert_eq!(of("m-2")["at"], "src/settings/limits.rs:4");
    assert_eq!(of("m-2")["fact"], "MAX_BODY is 25 for everybody");
    assert_eq!(
        of("m-1")["commands"]["confirm"],
        "apostille confirm m-1 --cite src/net.rs:3-6"
    );
    assert_eq!(pasted(&env, of("m-2")["command"].as_str().unwrap()), 0);
}

#[test]
fn fix_with_yes_does_what_is_safe_and_nothing_else() {
    let env = rewritten();
    // Half-done work decides nothing for everybody.
    let ran = env.run(&["verify", "--fix", "--yes"]);
    assert!(
        ran.out
            .starts_with("nothing was written down, because there are uncommitted edits\n"),
        "{ran}"
    );
    env.commit();
    insta::assert_snapshot!("verify_fix_yes", env.run(&["verify", "--fix", "--yes"]));
    let told = json(&env, &["verify"]);
    let standing = |handle: &str| {
        let memories = told["memories"].as_array().unwrap();
        memories.iter().find(|it| it["handle"] == handle).unwrap()["standing"].clone()
    };
    assert_eq!(
        ["m-1", "m-2", "m-3"].map(standing),
        ["stands", "contradicted", "check"]
    );
    // A person's word is not given by a flag.
    let by_person = env.person(&["--json", "verify", "--fix", "--yes"]);
    let told: Value = serde_json::from_str(&by_person.out).unwrap();
    assert!(!by_person.out.contains("\"deed\""), "{told}");
    assert_eq!(env.run(&["verify", "--yes"]).code, 2);
}
