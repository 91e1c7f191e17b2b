//! A store that somebody edited by hand, or an older program wrote: what hides in it reaches no output.

use std::fs;

use apostille_text::digest::Digest;
use serde_json::{Value, json};

use crate::{env::Env, hook};

/// Something of each sort that hides: a space of no width, an override of direction, tags, an escape of a terminal, a
/// selector, a character for private use.
const HIDDEN: &str = "\u{200b}\u{202e}\u{e0049}\u{e0067}\u{1b}[2J\u{1b}]0;x\u{7}\u{9b}1m\u{fe0f}\u{e0139}\u{f8ff}\u{8}";

/// A world whose file of memories was edited: hidden characters in every text of every line, and in the code.
pub fn world() -> Env {
    let mut env = Env::new();
    env.write(
        "src/odd.rs",
        format!("// top\npub const ODD_LIMIT: u32 = 7; // is{HIDDEN}Admin\n// end\n"),
    );
    env.commit();
    let file = env.beside("memories.jsonl", "");
    env.set("APOSTILLE_STORE", &format!("jsonl:{file}"));
    env.with_facts();
    env.ok(&[
        "remember",
        "--subject",
        "odd",
        "--reason",
        "it was odd",
        "--tag",
        "odd",
        "--cite",
        "src/odd.rs:2",
        "ODD_LIMIT is 7",
    ]);
    env.stated(&["remember", "--user", "--layer", "identity", "writes Rust"]);
    let edited: String = fs::read_to_string(&file)
        .unwrap()
        .lines()
        .map(|it| line(it) + "\n")
        .collect();
    assert!(edited.contains("ODD_LIMIT is 7\u{200b}"), "{edited}");
    fs::write(&file, edited).unwrap();
    env
}

/// A line with its events edited, and with the checksum that fits them: whoever edits can count too.
fn line(line: &str) -> String {
    let mut whole: Value = serde_json::from_str(line).unwrap();
    whole["events"]
        .as_array_mut()
        .unwrap()
        .iter_mut()
        .for_each(edit);
    summed(&whole["events"])
}

fn summed(events: &Value) -> String {
    let body = json!({ "events": events }).to_string();
    let body = body.trim_start_matches('{');
    format!(
        "{{\"v\":1,\"sum\":\"{}\",{body}",
        &Digest::hash_bytes(body.as_bytes()).to_string()[..16]
    )
}

fn edit(event: &mut Value) {
    if let Some(memory) = event.get_mut("memory").and_then(Value::as_object_mut) {
        for field in [
            "subject",
            "fact",
            "reason",
            "author",
            "session",
            "task",
            "status_why",
        ] {
            let text = memory
                .get(field)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned();
            let is_there = memory.contains_key(field) || matches!(field, "author" | "session");
            if is_there {
                memory.insert(field.into(), json!(format!("{text}{HIDDEN}")));
            }
        }
        memory.insert("tags".into(), json!([format!("odd{HIDDEN}")]));
    }
    for field in ["actor", "reason", "rationale", "query"] {
        if let Some(text) = event.get(field).and_then(Value::as_str) {
            event[field] = json!(format!("{text}{HIDDEN}"));
        }
    }
}

/// Fails if a text shows something that hides, as it is or in JSON's spelling.
pub fn check(what: &str, text: &str) {
    let hides = |c: char| {
        c.is_control() && !matches!(c, '\n' | '\t')
            || matches!(c, '\u{200b}' | '\u{202e}' | '\u{e000}'..='\u{f8ff}' | '\u{fe0f}' | '\u{e0000}'..='\u{e0fff}')
    };
    let escaped = ["\\u001b", "\\u0007", "\\u009b", "\\b", "\\u0008"];
    assert!(!text.chars().any(hides), "{what}: {text:?}");
    assert!(
        !escaped.iter().any(|it| text.contains(it)),
        "{what}: {text}"
    );
}

#[test]
fn nothing_hidden_in_an_edited_store_reaches_a_terminal_or_a_script() {
    let env = world();
    let commands: &[&[&str]] = &[
        &["recall", "odd limit"],
        &["recall", "api version uploads commits"],
        &["list"],
        &["list", "--status", "active"],
        &["recent"],
        &["show", "m-3"],
        &["show", "u-1"],
        &["why"],
        &["log"],
        &["stats"],
        &["verify"],
        &["verify", "m-3"],
        &["doctor"],
        &["report"],
        &["export", "--format", "markdown"],
    ];
    for arguments in commands {
        let ran = env.run(arguments);
        check(&arguments.join(" "), &(ran.out + &ran.err));
        let ran = env.run(&[*arguments, &["--json"]].concat());
        // An export as JSON carries the cited code as it is, byte for byte, so that it can be verified again.
        if arguments[0] != "export" {
            check(
                &format!("{} --json", arguments.join(" ")),
                &(ran.out + &ran.err),
            );
        }
    }
    assert!(env.ok(&["show", "m-3"]).contains("ODD_LIMIT is 7"));
    assert!(env.ok(&["show", "m-3"]).contains("neutralised"));
}

#[test]
fn nor_does_it_when_the_code_has_changed() {
    let env = world();
    env.write(
        "src/odd.rs",
        format!("// top\npub const ODD_LIMIT: u32 = 8; // is{HIDDEN}Admin\n// end\n"),
    );
    for arguments in [
        &["verify"][..],
        &["verify", "--json"],
        &["recall", "odd limit"],
        &["show", "m-3"],
        &["verify", "--format", "sarif"],
    ] {
        let ran = env.run(arguments);
        check(&arguments.join(" "), &(ran.out + &ran.err));
    }
}

#[test]
fn nor_does_it_reach_a_model_through_a_hook() {
    let env = world();
    let start = hook::context(&hook::hooked(
        &env,
        "s1",
        "SessionStart",
        &json!({"source": "startup"}),
    ));
    check("start", &start);
    let told = hook::prompt(
        &env,
        "s1",
        "what is the odd limit, and how are uploads limited?",
    );
    check("prompt", &told);
    assert!(told.contains("ODD_LIMIT is 7"), "{told}");
}

#[test]
fn what_looks_like_a_secret_now_is_withheld_and_the_way_out_is_told() {
    let mut env = Env::new();
    let file = env.beside("memories.jsonl", "");
    env.set("APOSTILLE_STORE", &format!("jsonl:{file}"));
    env.with_facts();
    let secret = ["gh", "p_", "0123456789abcdefABCDEF0123456789abcd"].concat();
    let said = "uploads are limited to 10 MB by MAX_UPLOAD";
    let edited = |line: &str| {
        let whole: Value =
            serde_json::from_str(&line.replace(said, &format!("uploads use {secret}"))).unwrap();
        summed(&whole["events"]) + "\n"
    };
    let lines: String = fs::read_to_string(&file)
        .unwrap()
        .lines()
        .map(edited)
        .collect();
    fs::write(&file, lines).unwrap();
    let hooked = hook::prompt(&env, "s1", "how are uploads limited?");
    let exported = env.run(&["export"]);
    let recalled = env.ok(&["recall", "uploads"]);
    for told in [&hooked, &exported.out, &exported.err, &recalled] {
        assert!(!told.contains(&secret), "{told}");
    }
    assert!(recalled.contains("apostille forget m-2"), "{recalled}");
    assert!(exported.err.contains("apostille forget m-2"), "{exported}");
}
