//! What each client sends, to try its hooks with.

use apostille_core::client::Client;

/// Something that a client sends to a hook.
#[derive(Debug)]
pub struct Sample {
    /// The client's own name for the moment.
    pub event: &'static str,
    /// What it sends.
    pub stdin: &'static str,
}

/// What a client sends. To be replaced by the samples of the hooks themselves, which have the same shape.
pub fn samples(client: Client) -> &'static [Sample] {
    match client {
        Client::ClaudeCode | Client::Codex => &[Sample {
            event: "UserPromptSubmit",
            stdin: r#"{"session_id":"doctor","transcript_path":null,"cwd":"/nowhere","hook_event_name":"UserPromptSubmit","prompt":"hello"}"#,
        }],
        Client::Copilot | Client::Vscode => &[Sample {
            event: "userPromptSubmitted",
            stdin: r#"{"sessionId":"doctor","timestamp":1794766652431,"cwd":"/nowhere","prompt":"hello"}"#,
        }],
        Client::Gemini => &[Sample {
            event: "BeforeAgent",
            stdin: r#"{"session_id":"doctor","transcript_path":"","cwd":"/nowhere","hook_event_name":"BeforeAgent","prompt":"hello"}"#,
        }],
        Client::Cursor => &[Sample {
            event: "beforeSubmitPrompt",
            stdin: r#"{"conversation_id":"doctor","hook_event_name":"beforeSubmitPrompt","workspace_roots":[],"prompt":"hello"}"#,
        }],
    }
}
