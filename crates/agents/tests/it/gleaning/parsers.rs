//! The readers of transcripts by themselves: what they skip, what they apply, how much they read.

use std::fmt::Write as _;
use std::{fs, path::Path};

use apostille_agents::{
    client::Client,
    clients::find_client_profile,
    transcript::{TranscriptTurn, TurnSpeaker},
    transcripts::{TranscriptError, USUAL_BYTES},
};
use proptest::prelude::*;

use super::parse_transcript_text as parse;

fn read(client: Client, path: &Path, limit: u64) -> Result<Vec<TranscriptTurn>, TranscriptError> {
    find_client_profile(client).read_transcript_file(path, limit)
}

/// Turns on one line each: who, the words, the calls with how they ended.
fn told(turns: &[TranscriptTurn]) -> Vec<String> {
    let told = |turn: &TranscriptTurn| {
        let mut line = format!("{}: {}", turn.speaker, turn.text);
        for it in &turn.uses {
            let ended = it
                .has_succeeded
                .map_or("?", |it| if it { "ok" } else { "failed" });
            write!(line, " [{} {} {ended}]", it.tool, it.paths.join(",")).unwrap();
        }
        line
    };
    turns.iter().map(told).collect()
}

#[test]
fn claude_code_leaves_out_what_no_person_said() {
    let lines = r#"
{"type":"user","uuid":"1","message":{"role":"user","content":"hello"},"origin":{"kind":"human"}}
{"type":"user","uuid":"1","message":{"role":"user","content":"hello"},"origin":{"kind":"human"}}
{"type":"user","uuid":"2","isMeta":true,"message":{"content":[{"type":"text","text":"rules of a skill"}]}}
{"type":"user","uuid":"3","isSidechain":true,"message":{"content":"to a subagent"}}
{"type":"user","uuid":"4","isCompactSummary":true,"message":{"content":"summary"}}
{"type":"user","uuid":"5","origin":{"kind":"task-notification"},"message":{"content":"a task ended"}}
{"type":"user","uuid":"6","message":{"content":"<command-name>/model</command-name>"}}
{"type":"user","uuid":"7","message":{"content":[{"type":"text","text":"[Request interrupted by user]"}]}}
{"type":"attachment","uuid":"8","attachment":{"type":"hook_additional_context","content":["injected"]},"rendered":[{"content":"injected"}]}
{"type":"attachment","uuid":"9","attachment":{"type":"hook_success","stdout":"injected"}}
{"type":"attachment","uuid":"10","attachment":{"type":"queued_command","prompt":"and lint it","commandMode":"prompt"}}
{"type":"attachment","uuid":"11","attachment":{"type":"queued_command","prompt":"ended","commandMode":"task-notification"}}
{"type":"assistant","uuid":"12","message":{"content":[{"type":"thinking","thinking":"hm"}]}}
{"type":"assistant","uuid":"13","message":{"content":[{"type":"text","text":"Reading."}]}}
{"type":"assistant","uuid":"14","message":{"content":[{"type":"tool_use","id":"t","name":"Read","input":{"file_path":"a.rs"}}]}}
{"type":"user","uuid":"15","message":{"content":[{"type":"tool_result","tool_use_id":"t","is_error":true,"content":[{"type":"text","text":"no such file"}]}]}}
{"type":"from-another-year","message":{"content":"x"}}
not json
[1,2]
{"type":"user","message":"#;
    let expected = [
        "person: hello",
        "person: and lint it",
        "agent: Reading. [Read a.rs failed]",
        "tool: no such file",
    ];
    assert_eq!(told(&parse(Client::ClaudeCode, lines)), expected);
}

#[test]
fn copilot_reads_what_was_typed() {
    let lines = r#"
{"type":"user.message","data":{"content":"hello","transformedContent":"<system_reminder>x</system_reminder>hello"}}
{"type":"user.message","data":{"content":"a skill's text","source":"skill-pdf"}}
{"type":"user.message","data":{"content":"to a subagent"},"agentId":"a1"}
{"type":"hook.start","data":{"input":{"prompt":"hello"}}}
{"type":"assistant.message","data":{"content":"","toolRequests":[{"toolCallId":"c","name":"bash","arguments":{"command":"make"}}]}}
{"type":"tool.execution_start","data":{"toolCallId":"c","toolName":"bash","arguments":{"command":"make"}}}
{"type":"tool.execution_complete","data":{"toolCallId":"c","success":true,"result":{"content":"boom\n<exited with exit code 2>"}}}
{"type":"tool.execution_start","data":{"toolCallId":"d","toolName":"edit","arguments":"{\"path\":\"a.rs\"}"}}
{"type":"tool.execution_complete","data":{"toolCallId":"d","success":true,"result":{"content":"ok"}}}"#;
    let expected = [
        "person: hello",
        "agent:  [bash  failed]",
        "tool: boom\n<exited with exit code 2>",
        "agent:  [edit a.rs ok]",
        "tool: ok",
    ];
    for client in [Client::Copilot, Client::Vscode] {
        assert_eq!(told(&parse(client, lines)), expected);
    }
}

#[test]
fn codex_reads_items_and_takes_turns_back() {
    let lines = r#"
{"type":"session_meta","payload":{"id":"s","thread_source":"user"}}
{"type":"response_item","payload":{"type":"message","role":"developer","content":[{"type":"input_text","text":"injected"}]}}
{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"hello"},{"type":"input_text","text":"injected"}],"internal_chat_message_metadata_passthrough":{"content_item_kinds":["user.text","hooks.additional_context"]}}}
{"type":"event_msg","payload":{"type":"user_message","message":"hello"}}
{"type":"response_item","payload":{"type":"custom_tool_call","name":"apply_patch","call_id":"c","input":"*** Begin Patch\n*** Update File: src/a.rs\n*** Add File: b.rs\n*** End Patch"}}
{"type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"c","output":"{\"output\":\"ok\",\"metadata\":{\"exit_code\":0}}"}}
{"type":"response_item","payload":{"type":"function_call","name":"memory_remember","namespace":"mcp__apostille","call_id":"d","arguments":"{}"}}
{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"McpToolCall","id":"d","status":"completed","result":{"isError":true}}}}
{"type":"response_item","payload":{"type":"function_call_output","call_id":"d","output":"Wall time: 0.1 seconds"}}
{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<turn_aborted>\nx\n</turn_aborted>"}]}}
{"type":"compacted","payload":{"message":"summary"}}
{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"a mistake"}]}}
{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Done."}]}}
{"type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":1}}"#;
    let turns = parse(Client::Codex, lines);
    let expected = [
        "person: hello",
        "agent:  [apply_patch src/a.rs,b.rs ok]",
        "agent:  [mcp__apostille__memory_remember  failed]",
    ];
    let all = told(&turns);
    assert_eq!([all[0].as_str(), &all[1], &all[3]], expected);
    assert_eq!(turns.len(), 5);
    let helper = lines.replace(
        r#""thread_source":"user""#,
        r#""source":{"subagent":"review"}"#,
    );
    assert!(
        parse(Client::Codex, &helper)
            .iter()
            .all(|it| it.speaker != TurnSpeaker::Person)
    );
}

#[test]
fn gemini_applies_patches() {
    let lines = r#"
{"sessionId":"s","projectHash":"h","kind":"main"}
{"id":"a","type":"user","content":[{"text":"gone"}]}
{"$set":{"messages":[{"id":"b","type":"user","content":"kept"}]}}
{"id":"c","type":"user","content":[{"text":"@a.rs\n--- Content from referenced files ---\nalways"}],"displayContent":"look at @a.rs"}
{"id":"d","type":"gemini","content":"","toolCalls":[]}
{"id":"d","type":"gemini","content":"Running.","toolCalls":[{"id":"t","name":"run_shell_command","args":{"command":"make"},"status":"success","result":[{"functionResponse":{"response":{"output":"Output: x\nExit Code: 1"}}}]}]}
{"id":"e","type":"info","content":"always"}
{"id":"f","type":"user","content":[{"text":"taken back"}]}
{"id":"g","type":"gemini","content":"taken back"}
{"$rewindTo":"f"}
{"$set":{"lastUpdated":"x"}}
{"id":"h","type":"user","content":[{"text":"hi<hook_context>&lt;b&gt;</hook_context>"}]}"#;
    let expected = [
        "person: kept",
        "person: look at @a.rs",
        "agent: Running. [run_shell_command  failed]",
        "tool: Output: x\nExit Code: 1",
        "person: hi",
    ];
    assert_eq!(told(&parse(Client::Gemini, lines)), expected);
    assert!(
        parse(
            Client::Gemini,
            &format!("{lines}\n{{\"$rewindTo\":\"unknown\"}}")
        )
        .is_empty()
    );
}

#[test]
fn only_the_end_of_a_long_transcript_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    let line = |n: usize| {
        format!(
            "{{\"type\":\"user\",\"uuid\":\"{n}\",\"message\":{{\"content\":\"prompt {n:05}\"}}}}\n"
        )
    };
    let text: String = (0..20_000).map(line).collect();
    fs::write(&path, &text).unwrap();
    let check = |limit: u64, expected: usize| {
        let turns = read(Client::ClaudeCode, &path, limit).unwrap();
        assert_eq!(
            (turns.len(), turns.last().map(|it| it.text.as_str())),
            (expected, Some("prompt 19999"))
        );
        assert_eq!(turns.last().map(|it| it.number), Some(expected));
    };
    let bytes = |n: usize| {
        u64::try_from((20_000 - n..20_000).map(|it| line(it).len()).sum::<usize>()).unwrap()
    };
    check(bytes(10), 10);
    check(bytes(10) - 1, 9);
    check(USUAL_BYTES, 5_000);
}

#[test]
fn a_line_beyond_measure_is_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    let long = format!(
        "{{\"type\":\"user\",\"message\":{{\"content\":\"{}\"}}}}\n",
        "x".repeat(9 * 1024 * 1024)
    );
    let short = "{\"type\":\"user\",\"message\":{\"content\":\"hello\"}}\n";
    fs::write(&path, format!("{short}{long}{short}")).unwrap();
    assert_eq!(read(Client::ClaudeCode, &path, u64::MAX).unwrap().len(), 2);
}

#[test]
fn a_transcript_that_is_not_there_has_no_turns_and_a_compressed_one_is_an_error() {
    assert_eq!(
        read(
            Client::Codex,
            Path::new("/nowhere/rollout.jsonl"),
            USUAL_BYTES
        )
        .unwrap(),
        []
    );
    let compressed = read(
        Client::Codex,
        Path::new("/nowhere/rollout.jsonl.zst"),
        USUAL_BYTES,
    )
    .unwrap_err();
    assert!(matches!(compressed, TranscriptError::Compressed { .. }));
    assert_eq!(
        compressed.to_string(),
        "/nowhere/rollout.jsonl.zst is compressed, and only plain .jsonl transcripts are read"
    );
}

#[test]
fn only_copilot_can_be_found_by_the_session_alone() {
    let home = Path::new("/home/ana");
    let path = find_client_profile(Client::Copilot)
        .default_transcript_path(home, "02621ea7-31b5")
        .unwrap();
    assert_eq!(
        path,
        Path::new("/home/ana/.copilot/session-state/02621ea7-31b5/events.jsonl")
    );
    assert_eq!(
        find_client_profile(Client::Copilot).default_transcript_path(home, "../x"),
        None
    );
    assert_eq!(
        find_client_profile(Client::Codex).default_transcript_path(home, "02621ea7"),
        None
    );
}

proptest! {
    #[test]
    fn no_text_breaks_a_reader(text in "\\PC{0,200}", cut in 0usize..2_000) {
        let session = &super::sessions(super::TUNED)[0];
        for client in super::CLIENTS {
            let whole = super::render::render(session, client);
            let torn = &whole[..whole.floor_char_boundary(cut.min(whole.len()))];
            let _ = parse(client, &format!("{torn}{text}\n{{\"id\":{text:?},\"type\":\"user\",\"data\":[],\"payload\":1}}"));
        }
    }
}
