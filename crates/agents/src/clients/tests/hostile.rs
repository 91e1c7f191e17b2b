//! Payloads that are broken, forged or enormous.

use super::*;

/// A sequence of numbers that looks random and is always the same.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % n.max(1)
    }
}

fn all() -> impl Iterator<Item = (Client, &'static HookSample)> {
    list_hooked_clients().flat_map(|it| samples(it).iter().map(move |sample| (it, sample)))
}

/// Whatever is heard, every reply can be given, and what touches files stays bounded.
fn survives(client: Client, event: &str, stdin: &str) {
    let Some(told) = read_hook_call(client, event, stdin, &env) else {
        return;
    };
    for reply in [context(), notice(), Reply::default()] {
        let _ = print_hook_reply(&told, &reply);
    }
    if let Moment::Touch { paths, .. } = told.moment {
        assert!(
            paths.len() <= crate::hook::touched_paths::MAX
                && paths.iter().all(|it| it.len() <= 512),
            "{stdin}"
        );
    }
}

#[test]
fn a_payload_that_was_cut_is_nothing() {
    for (client, sample) in all() {
        let whole = sample.stdin.trim_end();
        for end in (0..whole.len()).filter(|it| whole.is_char_boundary(*it)) {
            assert_eq!(
                read_hook_call(client, sample.event, &whole[..end], &env),
                None,
                "{client} {}",
                sample.event
            );
        }
    }
}

#[test]
fn bytes_that_were_changed_do_no_harm() {
    let mut dice = Dice(7);
    let odd = [
        "\"",
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        "\\",
        "\u{0}",
        "é",
        "null",
        "7",
        "'",
        "\n",
        "<memory-context>",
        "&lt;",
        "\\ud83d",
    ];
    for (client, sample) in all() {
        for _ in 0..300 {
            let mut chars: Vec<String> = sample.stdin.chars().map(String::from).collect();
            for _ in 0..=dice.below(4) {
                let (at, what) = (dice.below(chars.len()), odd[dice.below(odd.len())]);
                chars[at] = what.to_owned();
            }
            survives(client, sample.event, &chars.concat());
        }
    }
}

/// Every value of every payload, replaced by one of every other type.
#[test]
fn values_of_the_wrong_type_are_as_good_as_none() {
    let others = [
        Value::Null,
        true.into(),
        7.into(),
        "".into(),
        "x".into(),
        serde_json::json!([7, {}]),
        serde_json::json!({"a": []}),
    ];
    for (client, sample) in all() {
        let whole: Value = serde_json::from_str(sample.stdin).unwrap();
        for key in whole.as_object().unwrap().keys() {
            for other in &others {
                let mut changed = whole.clone();
                changed[key.as_str()] = other.clone();
                survives(client, sample.event, &changed.to_string());
            }
        }
    }
}

#[test]
fn what_a_tool_gave_back_may_be_huge() {
    let response = "x\\n\\ud83d\\\"".repeat(400_000);
    let stdin = format!(
        r#"{{"hook_event_name":"PostToolUse","tool_response":{{"a":["{response}"]}},"tool_name":"Read","tool_input":{{"file_path":"a.rs","content":"{response}"}}}}"#
    );
    assert!(stdin.len() > 8_000_000);
    let told = read_hook_call(Client::ClaudeCode, "PostToolUse", &stdin, &env).unwrap();
    assert_eq!(
        told.moment,
        Moment::Touch {
            paths: vec!["a.rs".into()],
            written: Vec::new(),
            replaced: String::new(),
            is_before: false,
            failed: None,
            task: None,
            outside: OutsideText::default()
        }
    );
}

#[test]
fn nesting_without_end_does_no_harm() {
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    let stdin = format!(
        r#"{{"hook_event_name":"PreToolUse","tool_name":"Edit","tool_input":{{"files":{deep}}},"x":{deep}}}"#
    );
    survives(Client::ClaudeCode, "PreToolUse", &stdin);
}
