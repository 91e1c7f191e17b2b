//! Every client's documented payloads, and what it is told in return.

mod callers;
mod hostile;
mod settings;

use std::collections::BTreeSet;

use serde_json::Value;

use super::*;
use crate::hook::{HookMoment as Moment, HookReply as Reply, exposure::OutsideText};

fn env(name: &str) -> Option<String> {
    (name == "HOME").then(|| "/home/ada".into())
}

fn samples(client: Client) -> &'static [HookSample] {
    find_client_profile(client).hook_samples()
}

/// As the client itself calls: only Copilot needs its mark.
fn heard(client: Client, sample: &HookSample) -> HookCall {
    let marks = find_client_profile(client).hook_variables().iter();
    let mark = |name: &str| marks.clone().find(|(it, _)| *it == name);
    let env = |name: &str| {
        mark(name)
            .map(|(_, it)| (*it).to_owned())
            .or_else(|| env(name))
    };
    read_hook_call(client, sample.event, sample.stdin, &env).unwrap()
}

fn context() -> Reply {
    Reply {
        context: Some("<memory-context>\nretry \"3\" times\n</memory-context>\n".into()),
        notice: None,
    }
}

fn notice() -> Reply {
    Reply {
        context: None,
        notice: Some("apostille: the store\nis locked".into()),
    }
}

/// What is heard and what is answered, one paragraph for each payload.
fn page(client: Client, samples: &[HookSample]) -> String {
    let paragraph = |sample: &HookSample| {
        let told = heard(client, sample);
        let [context, notice, nothing] =
            [context(), notice(), Reply::default()].map(|it| print_hook_reply(&told, &it));
        let HookCall {
            client,
            event,
            session,
            turn,
            agent,
            cwd,
            transcript,
            moment,
        } = told;
        format!(
            "{client} {event}: {moment:?}\n  session {session:?}\n  turn {turn:?}, agent {agent:?}\n  cwd {cwd:?}\n  transcript {transcript:?}\n\
             context: {context}\nnotice: {notice}\nnothing: {nothing}\n"
        )
    };
    samples.iter().map(paragraph).collect::<Vec<_>>().join("\n")
}

/// What is heard and answered stands beside the samples.
fn assert_answers(folder: &str, page: &str) {
    insta::with_settings!({
        snapshot_path => format!("{folder}/samples"),
        prepend_module_to_snapshot => false,
        omit_expression => true,
    }, { insta::assert_snapshot!("answers", page) });
}

#[test]
fn every_client_is_heard_and_answered_in_its_own_words() {
    for client in list_hooked_clients() {
        let folder = client.as_str().replace('-', "_");
        assert_answers(&folder, &page(client, samples(client)));
    }
    let pascal = page(Client::Copilot, copilot::payload::pascal::SAMPLES);
    insta::with_settings!({
        snapshot_path => "copilot/samples/pascal",
        prepend_module_to_snapshot => false,
        omit_expression => true,
    }, { insta::assert_snapshot!("answers", pascal) });
}

#[test]
fn every_client_has_a_row_of_its_own() {
    for client in Client::ALL {
        assert_eq!(find_client_profile(*client).client, *client);
    }
    assert_eq!(CLIENTS.len(), Client::ALL.len());
}

#[test]
fn every_client_has_a_payload_for_every_moment() {
    for client in list_hooked_clients() {
        let events: BTreeSet<&str> = samples(client).iter().map(|it| it.event).collect();
        let moments = samples(client).iter().map(|it| heard(client, it).moment);
        let kinds: BTreeSet<String> = moments
            .map(|it| format!("{it:?}").chars().take(4).collect())
            .collect();
        let expected = if client == Client::Vscode { 5 } else { 6 };
        assert_eq!(kinds.len(), expected, "{client}: {kinds:?} from {events:?}");
        assert!(
            samples(client)
                .iter()
                .all(|it| heard(client, it).client == client),
            "{client} is taken for another"
        );
    }
}

/// Nothing that we say at a stop may continue the turn, and nothing that we say anywhere may refuse or block.
#[test]
fn an_answer_never_decides_anything() {
    let both = Reply {
        notice: notice().notice,
        ..context()
    };
    let words = [
        "decision",
        "reason",
        "followup_message",
        "permission",
        "\"continue\":false",
        "stopReason",
        "user_message",
    ];
    for (client, sample) in
        list_hooked_clients().flat_map(|it| samples(it).iter().map(move |sample| (it, sample)))
    {
        let told = heard(client, sample);
        let said = print_hook_reply(&told, &both);
        assert!(
            words.iter().all(|it| !said.contains(it)),
            "{client} {}: {said}",
            sample.event
        );
        if matches!(told.moment, Moment::Stop { .. } | Moment::End) {
            assert!(!said.contains("retry"), "{client} {}: {said}", sample.event);
        }
    }
}

/// What is printed is one JSON object or nothing, but for the one event that takes plain text.
#[test]
fn answers_are_json() {
    for (client, sample) in
        list_hooked_clients().flat_map(|it| samples(it).iter().map(move |sample| (it, sample)))
    {
        let told = heard(client, sample);
        for reply in [context(), notice(), Reply::default()] {
            let said = print_hook_reply(&told, &reply);
            let is_plain = client == Client::ClaudeCode && told.moment == Moment::Compact;
            let is_json = serde_json::from_str::<Value>(&said).is_ok_and(|it| it.is_object());
            assert!(
                said.is_empty() || is_json || is_plain,
                "{client} {}: {said}",
                sample.event
            );
        }
    }
}

/// The keys that Codex knows, event by event, from `codex-rs/hooks/schema/generated/*.output.schema.json`. The rest of what
/// it knows decides something, and is never said.
#[test]
fn codex_is_told_only_what_it_knows() {
    let specific = ["hookEventName", "additionalContext"];
    let known = |event: &str| match event {
        "SessionStart" | "UserPromptSubmit" | "PreToolUse" | "PostToolUse" => {
            vec!["systemMessage", "hookSpecificOutput"]
        }
        "PreCompact" | "Stop" => vec!["systemMessage"],
        _ => vec![],
    };
    let both = Reply {
        notice: notice().notice,
        ..context()
    };
    for sample in samples(Client::Codex) {
        let said = print_hook_reply(&heard(Client::Codex, sample), &both);
        let said: Value = serde_json::from_str(&said).unwrap_or(Value::Null);
        let keys: Vec<&str> = said
            .as_object()
            .map(|it| it.keys().map(String::as_str).collect())
            .unwrap_or_default();
        assert_eq!(keys, known(sample.event), "{}", sample.event);
        if let Some(inner) = said["hookSpecificOutput"].as_object() {
            assert_eq!(inner.keys().collect::<Vec<_>>(), specific);
            assert_eq!(inner["hookEventName"], sample.event);
        }
    }
}

#[test]
fn a_prompt_in_cursor_always_goes_on() {
    let sample = samples(Client::Cursor)
        .iter()
        .find(|it| it.event == "beforeSubmitPrompt")
        .unwrap();
    let told = heard(Client::Cursor, sample);
    assert_eq!(
        print_hook_reply(&told, &Reply::default()),
        r#"{"continue":true}"#
    );
    assert_eq!(print_hook_reply(&told, &notice()), r#"{"continue":true}"#);
}

#[test]
fn notices_are_shown_where_there_is_a_place_for_them() {
    for client in list_hooked_clients() {
        let told = heard(client, &samples(client)[0]);
        assert_eq!(
            print_hook_reply(&told, &notice()).contains("the store is locked"),
            find_client_profile(client).has_notice(),
            "{client}"
        );
    }
}

#[test]
fn context_is_taken_at_known_moments() {
    let check = |client: Client, expected: &str| {
        let taken: BTreeSet<&str> = samples(client)
            .iter()
            .filter(|it| can_take_context(&heard(client, it)))
            .map(|it| it.event)
            .collect();
        assert_eq!(
            taken.into_iter().collect::<Vec<_>>().join(" "),
            expected,
            "{client}"
        );
    };
    check(
        Client::ClaudeCode,
        "PostToolUse PostToolUseFailure PreCompact PreToolUse SessionStart UserPromptSubmit",
    );
    check(
        Client::Codex,
        "PostToolUse PreToolUse SessionStart UserPromptSubmit",
    );
    check(
        Client::Copilot,
        "postToolUse postToolUseFailure preToolUse sessionStart userPromptSubmitted",
    );
    check(
        Client::Gemini,
        "AfterTool BeforeAgent BeforeTool SessionStart",
    );
    check(
        Client::Cursor,
        "beforeSubmitPrompt postToolUse sessionStart",
    );
    check(
        Client::Opencode,
        "PostToolUse PreCompact SessionStart UserPromptSubmit",
    );
    check(
        Client::Vscode,
        "PostToolUse PreToolUse SessionStart UserPromptSubmit",
    );
}

#[test]
fn what_is_empty_is_not_said() {
    let empty = Reply {
        context: Some(String::new()),
        notice: Some(" \n".into()),
    };
    for client in list_hooked_clients() {
        assert_eq!(
            print_hook_reply(&heard(client, &samples(client)[0]), &empty),
            "",
            "{client}"
        );
    }
}

#[test]
fn an_event_that_nobody_knows_is_nothing() {
    for client in list_hooked_clients() {
        for event in ["", "Notification", "SubagentStop", "session_start"] {
            assert_eq!(
                read_hook_call(client, event, "{}", &env),
                None,
                "{client} {event}"
            );
        }
    }
}

#[test]
fn sessions_that_go_on_are_told_from_new_ones() {
    let check = |source: &str, is_again: bool, is_compacted: bool| {
        let stdin = format!(r#"{{"hook_event_name":"SessionStart","source":{source}}}"#);
        let moment = read_hook_call(Client::ClaudeCode, "SessionStart", &stdin, &env)
            .unwrap()
            .moment;
        assert_eq!(
            moment,
            Moment::Start {
                is_again,
                is_compacted
            },
            "{source}"
        );
    };
    check(r#""startup""#, false, false);
    check(r#""clear""#, false, false);
    check(r#""new""#, false, false);
    check(r#""resume""#, true, false);
    check(r#""fork""#, true, false);
    check(r#""compact""#, true, true);
    check("7", false, false);
}

#[test]
fn a_transcript_is_found_where_copilot_keeps_it() {
    let check = |session: &str, expected: Option<&str>| {
        let stdin = serde_json::json!({ "sessionId": session }).to_string();
        let told = read_hook_call(Client::Copilot, "sessionEnd", &stdin, &env).unwrap();
        assert_eq!(told.transcript, expected.map(PathBuf::from), "{session}");
    };
    check(
        "a-1",
        Some("/home/ada/.copilot/session-state/a-1/events.jsonl"),
    );
    check("../../etc", None);
    check("", None);
}

#[test]
fn tools_from_elsewhere_are_not_about_files() {
    let check = |client: Client, event: &str, tool: &str| {
        let stdin = serde_json::json!({ "tool_name": tool, "tool_input": { "path": "src/a.rs", "command": "cat b.rs" } });
        let moment = read_hook_call(client, event, &stdin.to_string(), &env)
            .unwrap()
            .moment;
        assert!(
            matches!(moment, Moment::Touch { ref paths, .. } if paths.is_empty()),
            "{tool}: {moment:?}"
        );
    };
    check(Client::ClaudeCode, "PreToolUse", "mcp__files__write");
    check(Client::Codex, "PreToolUse", "mcp__files__write");
    check(Client::Gemini, "AfterTool", "mcp_files_write");
    check(Client::Cursor, "postToolUse", "MCP:write");
    check(Client::Copilot, "postToolUse", "files-write");
}
