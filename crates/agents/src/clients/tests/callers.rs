//! Who is calling, when files are shared and variables are inherited.

use super::*;

const CLAUDE: &str = "CLAUDECODE=1 CLAUDE_CODE_SESSION_ID=outer CLAUDE_PROJECT_DIR=/w";
const COPILOT: &str = "COPILOT_CLI=1 COPILOT_AGENT_SESSION_ID=outer";

fn check(named: Client, variables: &str, stdin: &str, expected: Client) {
    let env = |name: &str| {
        let mut pairs = variables.split(' ').filter_map(|it| it.split_once('='));
        pairs
            .find(|(it, _)| *it == name)
            .map(|(_, value)| value.to_owned())
    };
    let found = read_hook_call(named, "SessionStart", stdin, &env).map(|it| it.client);
    assert_eq!(
        found,
        Some(expected),
        "{stdin} in {named}'s file with {variables:?}"
    );
}

/// The payload of an event, with a session.
fn sample_of(client: Client, event: &str) -> &'static str {
    samples(client)
        .iter()
        .find(|it| it.event == event)
        .unwrap()
        .stdin
}

#[test]
fn files_with_one_reader_say_who_calls() {
    for variables in [
        "",
        CLAUDE,
        COPILOT,
        "CURSOR_VERSION=3",
        "GEMINI_SESSION_ID=x",
    ] {
        check(
            Client::Codex,
            variables,
            sample_of(Client::Codex, "SessionStart"),
            Client::Codex,
        );
        check(
            Client::Gemini,
            variables,
            sample_of(Client::Gemini, "SessionStart"),
            Client::Gemini,
        );
        check(
            Client::Cursor,
            variables,
            sample_of(Client::Cursor, "sessionStart"),
            Client::Cursor,
        );
        check(
            Client::Opencode,
            variables,
            sample_of(Client::Opencode, "SessionStart"),
            Client::Opencode,
        );
    }
}

/// Each client's own payload, when the hook stands in Claude Code's file, whoever's shell it was started from.
#[test]
fn payloads_tell_callers_apart() {
    let from = [
        (Client::ClaudeCode, "SessionStart", ""),
        (Client::ClaudeCode, "UserPromptSubmit", ""),
        (Client::Codex, "SessionStart", ""),
        (Client::Codex, "UserPromptSubmit", ""),
        (Client::Codex, "SessionEnd", ""),
        (Client::Copilot, "sessionStart", " COPILOT_CLI=1"),
        (Client::Cursor, "sessionStart", " CURSOR_VERSION=3"),
        (Client::Cursor, "beforeSubmitPrompt", " CURSOR_VERSION=3"),
        (Client::Vscode, "PreToolUse", ""),
        (Client::Vscode, "PostToolUse", ""),
        (Client::Gemini, "BeforeAgent", ""),
    ];
    for (client, event, own) in from {
        for inherited in ["", CLAUDE, COPILOT, "GEMINI_SESSION_ID=outer"] {
            check(
                Client::ClaudeCode,
                &format!("{inherited}{own}"),
                sample_of(client, event),
                client,
            );
        }
    }
}

#[test]
fn copilot_and_vscode_send_the_same_and_differ_by_their_mark() {
    let stdin = r#"{"hook_event_name":"UserPromptSubmit","session_id":"s","timestamp":"2026-11-16T09:00:00Z","prompt":"x"}"#;
    for named in [Client::ClaudeCode, Client::Copilot, Client::Vscode] {
        check(named, "COPILOT_CLI=1", stdin, Client::Copilot);
        check(named, "", stdin, Client::Vscode);
        check(named, CLAUDE, stdin, Client::Vscode);
        check(
            named,
            &format!("{CLAUDE} COPILOT_CLI=1"),
            stdin,
            Client::Copilot,
        );
    }
    let stop = r#"{"hook_event_name":"Stop","session_id":"s","timestamp":"2026-11-16T09:00:00Z","stop_reason":"end_turn"}"#;
    check(Client::ClaudeCode, "", stop, Client::Copilot);
}

#[test]
fn a_variable_with_the_same_session_is_no_inherited_one() {
    let stdin = r#"{"hook_event_name":"SessionStart","session_id":"s"}"#;
    check(
        Client::ClaudeCode,
        &format!("{COPILOT} CURSOR_VERSION=3 CLAUDE_CODE_SESSION_ID=s"),
        stdin,
        Client::ClaudeCode,
    );
    check(
        Client::ClaudeCode,
        "CURSOR_VERSION=3 CLAUDE_CODE_SESSION_ID=outer",
        stdin,
        Client::Cursor,
    );
    check(
        Client::ClaudeCode,
        "CLAUDECODE=1 GEMINI_SESSION_ID=s",
        stdin,
        Client::Gemini,
    );
}

/// The event on the command line is that of the file's owner; the payload has the caller's.
#[test]
fn the_caller_names_the_event() {
    let check = |named: Client, event: &str, stdin: &str, expected: (Client, &str)| {
        let told = read_hook_call(named, event, stdin, &|_| None).unwrap();
        assert_eq!((told.client, told.event.as_str()), expected, "{event}");
    };
    let prompt = sample_of(Client::Cursor, "beforeSubmitPrompt");
    check(
        Client::ClaudeCode,
        "UserPromptSubmit",
        prompt,
        (Client::Cursor, "beforeSubmitPrompt"),
    );
    let start = sample_of(Client::Vscode, "SessionStart");
    check(
        Client::Copilot,
        "sessionStart",
        start,
        (Client::Vscode, "SessionStart"),
    );
    let stop = sample_of(Client::Vscode, "Stop");
    check(Client::Copilot, "agentStop", stop, (Client::Vscode, "Stop"));
    let ask = sample_of(Client::Gemini, "BeforeAgent");
    check(
        Client::Gemini,
        "UserPromptSubmit",
        ask,
        (Client::Gemini, "BeforeAgent"),
    );
}
