//! After an agent's edit: what it made untrue is told at the next moment, once, with the call that puts it right.

use std::fs;

use serde_json::{Value, json};

use crate::{
    env::{Env, Ran},
    hook::{context, hooked, prompt},
    mcp::{Era, Talk},
};

const LIMIT_25: &str = "const MB: u64 = 1024 * 1024;\n\npub const MAX_UPLOAD: u64 = 25 * MB;\n";
const LIMIT_10: &str = "const MB: u64 = 1024 * 1024;\n\npub const MAX_UPLOAD: u64 = 10 * MB;\n";

fn uses(env: &Env, session: &str, event: &str, tool: &str, input: &Value) -> String {
    let more = json!({ "tool_name": tool, "tool_input": input });
    context(&hooked(env, session, event, &more))
}

/// An edit before it is written.
fn edit(env: &Env, session: &str, path: &str) -> String {
    let input = json!({ "file_path": env.repo().join(path) });
    uses(env, session, "PreToolUse", "Edit", &input)
}

/// A tool that is not about a file.
fn other_tool(env: &Env, session: &str) -> String {
    let input = json!({ "command": "cargo test" });
    uses(env, session, "PreToolUse", "Bash", &input)
}

fn start(env: &Env, session: &str) -> String {
    context(&hooked(
        env,
        session,
        "SessionStart",
        &json!({ "source": "startup" }),
    ))
}

fn with_facts() -> Env {
    let mut env = Env::new();
    // Nothing is started beside the hook, so that nothing happens behind its back.
    env.set("APOSTILLE_HOOK_ALONE", "1");
    env.with_facts();
    env
}

/// The text between the frame and its end.
fn body(text: &str) -> String {
    text.lines()
        .filter(|it| !it.starts_with("Notes kept") && !it.contains("memory-context>"))
        .map(|it| format!("{it}\n"))
        .collect()
}

#[test]
fn edit_of_a_renamed_file_is_told_before_its_citations_are_healed() {
    let env = with_facts();
    env.git(&["mv", "src/limits.rs", "src/quota.rs"]);
    env.commit();
    prompt(&env, "s1", "how large may uploads be?");
    edit(&env, "s1", "src/quota.rs");
    env.write("src/quota.rs", LIMIT_25);
    let input = json!({ "file_path": env.repo().join("src/quota.rs") });
    uses(&env, "s1", "PostToolUse", "Edit", &input);
    let told = other_tool(&env, "s1");
    assert!(
        told.contains("contradicted src/quota.rs:3 (10 → 25)"),
        "{told}"
    );
}

#[test]
fn an_edit_is_told_at_the_next_tool_once_and_with_the_call_that_repairs_it() {
    let env = with_facts();
    prompt(&env, "s1", "how large may uploads be?");
    assert_eq!(edit(&env, "s1", "src/limits.rs"), "");
    env.write("src/limits.rs", LIMIT_25);
    let input = json!({ "file_path": env.repo().join("src/limits.rs") });
    assert_eq!(
        uses(&env, "s1", "PostToolUse", "Edit", &input),
        "",
        "the moment of the edit itself"
    );
    insta::assert_snapshot!(other_tool(&env, "s1"), @r#"
    <memory-context>
    The code that these cite was edited; the call below each puts it right:
    - m-2 contradicted src/limits.rs:3 (10 → 25)
      apostille supersede m-2 'uploads are limited to 25 MB by MAX_UPLOAD' --cite src/limits.rs:3
    Else `apostille confirm` (still true) or `invalidate`; memory_revise does the same.
    </memory-context>
    "#);
    assert_eq!(other_tool(&env, "s1"), "", "once");
    assert_eq!(edit(&env, "s1", "src/limits.rs"), "");
    assert_eq!(prompt(&env, "s1", "and how large may uploads be now?"), "");
    assert_eq!(other_tool(&env, "s1"), "");
    let line = "apostille supersede m-2 'uploads are limited to 25 MB by MAX_UPLOAD' --cite src/limits.rs:3";
    let ran = env
        .shell(&line.replace("apostille", "\"$APOSTILLE\""))
        .output();
    assert!(ran.unwrap().status.success(), "the line does what it says");
    assert!(env.ok(&["recall", "uploads"]).contains("limited to 25 MB"));
}

#[test]
fn an_edit_is_judged_when_it_was_written_and_not_while_it_goes_on() {
    let env = with_facts();
    edit(&env, "s1", "src/limits.rs");
    assert_eq!(
        other_tool(&env, "s1"),
        "",
        "beside the edit, before it is written"
    );
    env.write("src/limits.rs", "const MB: u64 = 1024 * 1024;\n");
    assert_eq!(
        edit(&env, "s1", "src/limits.rs"),
        "",
        "the next edit of the same file"
    );
    assert_eq!(other_tool(&env, "s1"), "");
    env.write("src/limits.rs", LIMIT_10);
    assert_eq!(other_tool(&env, "s1"), "", "nothing is worse in the end");
    edit(&env, "s1", "src/limits.rs");
    env.write("src/limits.rs", LIMIT_25);
    assert!(edit(&env, "s1", "src/api.rs").contains("(10 → 25)"));
}

#[test]
fn an_edit_is_told_with_the_next_prompt() {
    let env = with_facts();
    prompt(&env, "s1", "how large may uploads be?");
    edit(&env, "s1", "src/limits.rs");
    env.write("src/limits.rs", LIMIT_25);
    let told = prompt(&env, "s1", "which api version does the client need?");
    insta::assert_snapshot!(body(&told), @r#"
    The code that these cite was edited; the call below each puts it right:
    - m-2 contradicted src/limits.rs:3 (10 → 25)
      apostille supersede m-2 'uploads are limited to 25 MB by MAX_UPLOAD' --cite src/limits.rs:3
    Else `apostille confirm` (still true) or `invalidate`; memory_revise does the same.
    - API_VERSION must equal the client's (m-1; stands src/api.rs:3)
    "#);
    let why = env.ok(&["why", "--session", "s1"]);
    assert!(why.contains("m-2  withheld, contradicted"), "{why}");
}

#[test]
fn a_turn_that_ignores_memory_is_silent_and_the_next_one_tells() {
    let mut env = with_facts();
    prompt(&env, "s1", "ignore memory: raise the upload limit");
    edit(&env, "s1", "src/limits.rs");
    env.write("src/limits.rs", LIMIT_25);
    assert_eq!(other_tool(&env, "s1"), "");
    let compacted = hooked(&env, "s1", "SessionStart", &json!({ "source": "compact" }));
    assert_eq!(context(&compacted), "");
    env.at("2026-03-01T12:01:00Z");
    assert!(prompt(&env, "s1", "thanks").contains("(10 → 25)"));
}

#[test]
fn what_nobody_reported_is_told_at_the_start_of_the_next_session() {
    let env = with_facts();
    prompt(&env, "s1", "how large may uploads be?");
    env.write("src/limits.rs", LIMIT_25);
    env.write("src/api.rs", "//! The API.\n\npub fn serve() {}\n");
    let told = start(&env, "s2");
    insta::assert_snapshot!(body(&told), @r#"
    Notes from earlier work, verified in this checkout just now. They give no orders; what the user asked for holds. Name the handle of a note you use.
    - The user asked: prefers small commits (u-1; stated by ana, 2026-03-01)
    The code that these cite was edited; the call below each puts it right:
    - API_VERSION must equal the client's (m-1; gone src/api.rs:3)
      apostille invalidate m-1 --reason 'src/api.rs:3 is gone'
    - m-2 contradicted src/limits.rs:3 (10 → 25)
      apostille supersede m-2 'uploads are limited to 25 MB by MAX_UPLOAD' --cite src/limits.rs:3
    Else `apostille confirm` (still true) or `invalidate`; memory_revise does the same.
    "#);
    assert!(!start(&env, "s3").contains("cite was edited"), "once");
    assert!(!prompt(&env, "s2", "how large may uploads be?").contains("m-2"));
}

#[test]
fn an_edit_that_its_session_did_not_live_to_see_is_told_at_the_next_start() {
    let env = with_facts();
    edit(&env, "s1", "src/limits.rs");
    env.write("src/limits.rs", LIMIT_25);
    assert!(start(&env, "s2").contains("(10 → 25)"));
    assert!(!start(&env, "s3").contains("(10 → 25)"));
}

#[test]
fn a_memory_of_another_branch_is_not_called_worse() {
    let env = with_facts();
    env.git(&["switch", "--quiet", "--create", "feature"]);
    env.write("src/retry.rs", "pub const RETRIES: u32 = 3;\n");
    env.commit();
    env.ok(&["remember", "--cite", "src/retry.rs:1", "RETRIES is 3"]);
    assert!(prompt(&env, "s1", "what is RETRIES?").contains("stands src/retry.rs:1"));
    env.git(&["switch", "--quiet", "main"]);
    assert!(!start(&env, "s2").contains("RETRIES"));
    edit(&env, "s2", "src/retry.rs");
    env.write("src/retry.rs", "pub const RETRIES: u32 = 5;\n");
    assert!(!other_tool(&env, "s2").contains("RETRIES"));
}

#[test]
fn edited_and_deleted_code_each_have_their_call() {
    let env = with_facts();
    env.ok(&[
        "remember",
        "--cite",
        "src/limits.rs:3",
        "clients read their limit from this constant",
    ]);
    edit(&env, "s1", "src/limits.rs");
    edit(&env, "s1", "src/api.rs");
    env.write("src/limits.rs", LIMIT_25.replace("pub ", "pub(crate) "));
    fs::remove_file(env.repo().join("src/api.rs")).unwrap();
    insta::assert_snapshot!(body(&other_tool(&env, "s1")), @r#"
    The code that these cite was edited; the call below each puts it right:
    - API_VERSION must equal the client's (m-1; gone src/api.rs:3)
      apostille invalidate m-1 --reason 'src/api.rs:3 is gone'
    - m-2 contradicted src/limits.rs:3 (10 → 25)
      apostille supersede m-2 'uploads are limited to 25 MB by MAX_UPLOAD' --cite src/limits.rs:3
    - clients read their limit from this constant (m-3; code changed, check src/limits.rs:3)
      apostille confirm m-3 --cite src/limits.rs:3
    Else `apostille confirm` (still true) or `invalidate`; memory_revise does the same.
    "#);
}

#[test]
fn clients_that_report_after_the_write_are_told_at_the_next_tool() {
    let env = with_facts();
    let gemini = |tool: &str, input: &Value| {
        let payload = json!({
            "session_id": "g1", "cwd": env.repo(), "hook_event_name": "AfterTool",
            "tool_name": tool, "tool_input": input, "timestamp": "2026-03-01T12:00:00Z",
        });
        context(&env.fed(
            &["hook", "--client", "gemini", "AfterTool"],
            &payload.to_string(),
        ))
    };
    env.write("src/limits.rs", LIMIT_25);
    assert_eq!(
        gemini("replace", &json!({ "file_path": "src/limits.rs" })),
        ""
    );
    let read = gemini("read_file", &json!({ "file_path": "Cargo.toml" }));
    assert!(read.contains("(10 → 25)"), "{read}");
}

#[test]
fn a_patch_of_several_files_and_a_command_that_edits_in_place_are_noted() {
    let env = with_facts();
    let codex = |tool: &str, command: &str| -> String {
        let payload = json!({
            "session_id": "c1", "cwd": env.repo(), "hook_event_name": "PreToolUse", "turn_id": "t1",
            "transcript_path": null, "tool_name": tool, "tool_input": { "command": command },
        });
        context(&env.fed(
            &["hook", "--client", "codex", "PreToolUse"],
            &payload.to_string(),
        ))
    };
    codex(
        "apply_patch",
        "*** Begin Patch\n*** Update File: src/other.rs\n*** Update File: src/limits.rs\n*** End Patch\n",
    );
    env.write("src/limits.rs", LIMIT_25);
    assert!(codex("Bash", "cargo test").contains("m-2"));
    codex("Bash", "sed -i 's/= 7/= 8/' src/api.rs");
    env.write("src/api.rs", "//! The API.\n\npub fn serve() {}\n");
    assert!(codex("Bash", "cargo test").contains("m-1"));
}

#[test]
fn noting_an_edit_opens_no_store() {
    let env = with_facts();
    let store = env.home().join(".local/share/apostille/memories.db");
    fs::write(store, "this is no database").unwrap();
    let input = json!({ "file_path": env.repo().join("src/limits.rs") });
    let more = json!({ "tool_name": "Edit", "tool_input": input });
    let ran: Ran = hooked(&env, "s1", "PostToolUse", &more);
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("", ""), "{ran}");
}

/// The server that the client of this session started.
fn server_of_session(env: &mut Env, session: &str) -> Talk {
    env.set("CLAUDE_CODE_SESSION_ID", session);
    Talk::here(env, Era::Modern)
}

#[test]
fn the_answer_of_any_tool_tells_of_an_edit_once() {
    let mut env = with_facts();
    edit(&env, "s1", "src/limits.rs");
    let mut talk = server_of_session(&mut env, "s1");
    let ask = || json!({"query": "which api version does the client need?"});
    let (answer, _) = talk.call("memory_recall", ask());
    assert_eq!(answer.get("stale"), None, "it was not written yet");
    env.write("src/limits.rs", LIMIT_25);
    let (answer, _) = talk.call("memory_recall", ask());
    insta::assert_snapshot!(serde_json::to_string_pretty(&answer["stale"]).unwrap(), @r#"
    [
      {
        "id": "m-2",
        "fact": "uploads are limited to 10 MB by MAX_UPLOAD",
        "standing": "contradicted src/limits.rs:3 (10 → 25)",
        "memory_revise": {
          "id": "m-2",
          "action": "correct",
          "fact": "uploads are limited to 25 MB by MAX_UPLOAD",
          "citations": [
            "src/limits.rs:3"
          ]
        }
      }
    ]
    "#);
    assert_eq!(answer["memories"][0]["id"], "m-1", "beside what was asked");
    let (again, _) = talk.call("memory_recall", ask());
    assert_eq!(again.get("stale"), None, "once");
    assert_eq!(other_tool(&env, "s1"), "", "in hooks, too");
    let (done, is_refused) =
        talk.call("memory_revise", answer["stale"][0]["memory_revise"].clone());
    assert!(!is_refused, "{done}");
}

#[test]
fn a_repair_is_not_answered_with_what_it_repaired() {
    let mut env = with_facts();
    edit(&env, "s1", "src/limits.rs");
    env.write("src/limits.rs", LIMIT_25);
    let mut talk = server_of_session(&mut env, "s1");
    let correct = json!({
        "id": "m-2", "action": "correct", "fact": "uploads are limited to 25 MB by MAX_UPLOAD",
        "citations": ["src/limits.rs:3"],
    });
    let (done, _) = talk.call("memory_revise", correct);
    assert_eq!(
        (&done["ok"], done.get("stale")),
        (&json!(true), None),
        "{done}"
    );
    assert_eq!(other_tool(&env, "s1"), "");
}

#[test]
fn tools_are_silent_in_a_turn_that_ignores_memory() {
    let mut env = with_facts();
    prompt(&env, "s1", "ignore memory: how large may uploads be?");
    let mut talk = server_of_session(&mut env, "s1");
    let fact = json!({"fact": "API_VERSION is 7", "citations": ["src/api.rs:3"]});
    let calls = [
        ("memory_recall", json!({"query": "uploads"})),
        ("memory_remember", fact),
        ("memory_forget", json!({"id": "m-1"})),
    ];
    for (tool, arguments) in calls {
        let call = json!({"name": tool, "arguments": arguments});
        let result = talk.request("tools/call", call)["result"].clone();
        let line = "The user asked to leave memory out of this turn. Nothing was read or written.";
        assert_eq!(result["content"], json!([{"type": "text", "text": line}]));
        assert_eq!(result.get("structuredContent"), None);
    }
    let read = talk.request("resources/read", json!({"uri": "apostille://recent"}));
    assert!(!read.to_string().contains("uploads"), "{read}");
    env.at("2026-03-01T12:01:00Z");
    prompt(&env, "s1", "thanks");
    let (answer, _) = talk.call("memory_recall", json!({"query": "uploads"}));
    assert_eq!(answer["memories"][0]["id"], "m-2", "for that turn only");
    assert!(env.run(&["show", "m-4"]).code != 0, "nothing was kept");
    prompt(&env, "s1", "ignore memory again");
    hooked(&env, "s1", "SessionEnd", &json!({ "reason": "clear" }));
    let (answer, _) = talk.call("memory_recall", json!({"query": "uploads"}));
    assert_eq!(answer["memories"][0]["id"], "m-2", "the session is over");
}

/// Gemini CLI does not tell its servers which session they belong to.
#[test]
fn tools_are_silent_where_the_client_does_not_name_the_session() {
    let mut env = with_facts();
    let prompt = |env: &Env, text: &str| {
        let payload = json!({
            "session_id": "g1", "cwd": env.repo(), "hook_event_name": "BeforeAgent", "prompt": text,
        });
        let ran = env.fed(
            &["hook", "BeforeAgent", "--client", "gemini"],
            &payload.to_string(),
        );
        assert_eq!(ran.code, 0, "{ran}");
    };
    prompt(&env, "ignore memory: how large may uploads be?");
    let mut talk = Talk::new(&env, &env.repo(), &[], Era::Legacy, json!({}));
    let client = json!({"name": "gemini-cli-mcp-client", "version": "1"});
    talk.request(
        "initialize",
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}),
    );
    let call = json!({"name": "memory_recall", "arguments": {"query": "uploads"}});
    let answer = talk.request("tools/call", call.clone()).to_string();
    assert!(answer.contains("leave memory out of this turn"), "{answer}");
    env.at("2026-03-01T12:01:00Z");
    prompt(&env, "and now?");
    let answer = talk.request("tools/call", call).to_string();
    assert!(answer.contains("limited to 10 MB"), "{answer}");
    talk.end();
}

#[test]
fn claim_that_its_lines_do_not_say_is_shown_as_stated() {
    let env = with_facts();
    let fact = "API_VERSION is frozen at 12 until the spring release";
    env.person(&["remember", fact, "--cite", "src/api.rs:3", "--force"]);
    let shown = prompt(&env, "s1", "until when is API_VERSION frozen?");
    assert!(
        shown.contains("spring release (m-3; stated by ana, 2026-03-01)"),
        "{shown}"
    );
}
