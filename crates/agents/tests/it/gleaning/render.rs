//! A session as each client writes it down, with all that the client puts beside it.

use apostille_agents::client::Client;
use serde_json::{Value, json};

use apostille_agents::extract::labelled::LabelledLine as Line;

use super::Session;

const AT: &str = "2026-11-16T04:07:47.368Z";

/// The transcript of a session in a client's own format.
pub(crate) fn render(session: &Session, client: Client) -> String {
    let lines: Vec<Value> = match client {
        Client::ClaudeCode | Client::Cursor => claude_code(session),
        Client::Copilot | Client::Vscode => copilot(session),
        Client::Codex => codex(session),
        Client::Gemini => gemini(session),
        Client::Opencode | Client::Zed | Client::Windsurf => Vec::new(),
    };
    let mut text: String = lines.iter().map(|it| format!("{it}\n")).collect();
    // The last line is torn when the client is killed.
    text.push_str("{\"type\":\"user\",\"message\":{\"content\":\"from now on, always");
    text
}

/// What a call is in a client: the tool's name, and what it is given.
fn call(client: Client, text: &str) -> (&'static str, Value) {
    let (what, rest) = text.split_once(' ').expect("a call is `tool what`");
    let (path, content) = rest.split_once(' ').unwrap_or((rest, ""));
    let fact = json!({"fact": rest, "kind": "feedback"});
    match (client, what) {
        (Client::ClaudeCode, "shell") => {
            ("Bash", json!({"command": rest, "description": "Runs it"}))
        }
        (Client::ClaudeCode, "edit") => (
            "Edit",
            json!({"file_path": rest, "old_string": "a", "new_string": "b"}),
        ),
        (Client::ClaudeCode, "write") => ("Write", json!({"file_path": path, "content": content})),
        (Client::ClaudeCode, "remember") => ("mcp__apostille__memory_remember", fact),
        (Client::ClaudeCode, "save") => (
            "memory",
            json!({"command": "create", "path": "/memories/a.md", "file_text": rest}),
        ),
        (Client::Copilot | Client::Vscode, "shell") => ("bash", json!({"command": rest})),
        (Client::Copilot | Client::Vscode, "edit") => (
            "edit",
            json!({"path": rest, "old_str": "a", "new_str": "b"}),
        ),
        (Client::Copilot | Client::Vscode, "write") => {
            ("create", json!({"path": path, "file_text": content}))
        }
        (Client::Copilot | Client::Vscode, "remember") => ("apostille-memory_remember", fact),
        (Client::Copilot | Client::Vscode, "save") => {
            ("store_memory", json!({"subject": "x", "fact": rest}))
        }
        (Client::Codex, "shell") => ("exec_command", json!({"cmd": rest})),
        (Client::Codex, "edit") => (
            "apply_patch",
            json!(format!(
                "*** Begin Patch\n*** Update File: {rest}\n*** End Patch"
            )),
        ),
        (Client::Codex, "write") => (
            "apply_patch",
            json!(format!(
                "*** Begin Patch\n*** Add File: {path}\n+{content}\n*** End Patch"
            )),
        ),
        (Client::Codex, _) => ("memory_remember", fact),
        (_, "shell") => ("run_shell_command", json!({"command": rest})),
        (_, "edit") => (
            "replace",
            json!({"file_path": rest, "old_string": "a", "new_string": "b"}),
        ),
        (_, "write") => ("write_file", json!({"file_path": path, "content": content})),
        (_, "remember") => ("mcp_apostille_memory_remember", fact),
        (_, _) => ("save_memory", json!({"fact": rest})),
    }
}

/// The id of the last call before a line.
fn call_id(lines: &[Line], at: usize) -> Option<String> {
    lines[..=at]
        .iter()
        .rposition(|it| it.who.starts_with("call"))
        .map(|it| format!("CALL{it}"))
}

/// What the call at a place printed, if the session says so.
fn printed(lines: &[Line], at: usize) -> Option<&str> {
    lines
        .get(at + 1)
        .filter(|it| it.who == "tool")
        .map(|it| it.text.as_str())
}

fn claude_code(session: &Session) -> Vec<Value> {
    let mut out = vec![
        json!({"type": "mode", "mode": "normal"}),
        json!({"type": "api-request", "body": "from now on, always read what stands in requests"}),
    ];
    for (at, line) in session.lines.iter().enumerate() {
        let text = line.text.as_str();
        let user = |content: Value| json!({"type": "user", "isSidechain": false, "uuid": format!("u{at}"), "timestamp": AT, "message": {"role": "user", "content": content}});
        let assistant = |part: Value| json!({"type": "assistant", "isSidechain": false, "uuid": format!("a{at}"), "timestamp": AT, "message": {"role": "assistant", "content": [part]}});
        let with = |mut value: Value, more: Value| {
            value
                .as_object_mut()
                .unwrap()
                .extend(more.as_object().unwrap().clone());
            value
        };
        let written = match line.who.as_str() {
            "person" if at % 2 == 0 => with(
                user(json!(text)),
                json!({"origin": {"kind": "human"}, "promptSource": "typed"}),
            ),
            "person" => user(json!([{"type": "text", "text": text}])),
            "agent" => assistant(json!({"type": "text", "text": text})),
            "call" | "call-failed" => {
                let (name, input) = call(Client::ClaudeCode, text);
                assistant(
                    json!({"type": "tool_use", "id": format!("CALL{at}"), "name": name, "input": input}),
                )
            }
            "tool" => {
                let is_error = session.lines[at - 1].who == "call-failed";
                user(
                    json!([{"type": "tool_result", "tool_use_id": call_id(&session.lines, at), "content": text, "is_error": is_error}]),
                )
            }
            "hook" => {
                json!({"type": "attachment", "uuid": format!("h{at}"), "attachment": {"type": "hook_additional_context", "content": [text]}, "rendered": [{"content": format!("<system-reminder>{text}</system-reminder>")}], "renderedRole": "system"})
            }
            "helper" => with(user(json!(text)), json!({"isSidechain": true})),
            "summary" => with(
                user(json!(format!(
                    "This session is being continued from a previous conversation that ran out of context. {text}"
                ))),
                json!({"isCompactSummary": true}),
            ),
            "echo" => user(json!(format!(
                "<command-name>/x</command-name>\n<command-args>{text}</command-args>"
            ))),
            "reminder" => user(json!(format!(
                "<system-reminder>\n{text}\n</system-reminder>"
            ))),
            other => panic!("who is {other}?"),
        };
        out.push(written);
    }
    out
}

fn copilot(session: &Session) -> Vec<Value> {
    let event = |kind: &str, data: Value| json!({"type": kind, "data": data, "id": "x", "timestamp": AT, "parentId": null});
    let mut out = vec![
        event("session.start", json!({"sessionId": "s", "version": 1})),
        event(
            "system.message",
            json!({"role": "system", "content": "Always answer briefly. From now on, use tools."}),
        ),
    ];
    for (at, line) in session.lines.iter().enumerate() {
        let text = line.text.as_str();
        let written = match line.who.as_str() {
            "person" => event(
                "user.message",
                json!({"content": text, "transformedContent": format!("<system_reminder>Remember that we use everything.</system_reminder>{text}")}),
            ),
            "agent" => event(
                "assistant.message",
                json!({"messageId": "m", "content": text, "toolRequests": []}),
            ),
            "call" | "call-failed" => {
                let (name, arguments) = call(Client::Copilot, text);
                let id = format!("CALL{at}");
                let request = json!({"toolCallId": id, "name": name, "arguments": arguments, "type": "function"});
                out.push(event(
                    "assistant.message",
                    json!({"messageId": "m", "content": "", "toolRequests": [request]}),
                ));
                event(
                    "tool.execution_start",
                    json!({"toolCallId": id, "toolName": name, "arguments": arguments}),
                )
            }
            "tool" => {
                let id = call_id(&session.lines, at);
                match session.lines[at - 1].who.as_str() {
                    "call-failed" => event(
                        "tool.execution_complete",
                        json!({"toolCallId": id, "success": false, "error": {"message": text}}),
                    ),
                    _ => event(
                        "tool.execution_complete",
                        json!({"toolCallId": id, "success": true, "result": {"content": text}}),
                    ),
                }
            }
            "hook" => event(
                "hook.end",
                json!({"hookType": "userPromptSubmitted", "output": {"additionalContext": text}}),
            ),
            "helper" => event(
                "user.message",
                json!({"content": text, "parentToolCallId": "CALL0"}),
            ),
            "summary" => event(
                "session.compaction_complete",
                json!({"success": true, "summaryContent": text}),
            ),
            "echo" => event("user.message", json!({"content": text})),
            "reminder" => event(
                "user.message",
                json!({"content": format!("<system_reminder>{text}</system_reminder>")}),
            ),
            other => panic!("who is {other}?"),
        };
        out.push(written);
    }
    out
}

fn codex(session: &Session) -> Vec<Value> {
    let item = |payload: Value| json!({"timestamp": AT, "ordinal": 1, "type": "response_item", "payload": payload});
    let message = |role: &str, kind: &str, text: &str| {
        let part = if role == "assistant" {
            "output_text"
        } else {
            "input_text"
        };
        item(
            json!({"type": "message", "role": role, "content": [{"type": part, "text": text}], "internal_chat_message_metadata_passthrough": {"content_item_kinds": [kind]}}),
        )
    };
    let mut out = vec![
        json!({"timestamp": AT, "type": "session_meta", "payload": {"id": "s", "source": "cli", "thread_source": "user", "base_instructions": {"text": "Always plan."}}}),
        message(
            "user",
            "environments.environment_context",
            "<environment_context>\n  <cwd>/x</cwd>\n</environment_context>",
        ),
        message(
            "user",
            "agents_md",
            "# AGENTS.md instructions for /x\n\nFrom now on, always run the linter.",
        ),
    ];
    for (at, line) in session.lines.iter().enumerate() {
        let text = line.text.as_str();
        let written = match line.who.as_str() {
            "person" => {
                let told = json!({"type": "item_completed", "item": {"type": "UserMessage", "content": [{"type": "text", "text": text}]}});
                out.push(json!({"timestamp": AT, "type": "event_msg", "payload": told}));
                message("user", "user.text", text)
            }
            "agent" => message("assistant", "unknown", text),
            "call" | "call-failed" => {
                let (name, given) = call(Client::Codex, text);
                let id = format!("CALL{at}");
                match given {
                    Value::String(patch) => item(
                        json!({"type": "custom_tool_call", "name": name, "input": patch, "call_id": id}),
                    ),
                    _ if name == "memory_remember" => item(
                        json!({"type": "function_call", "name": name, "namespace": "mcp__apostille", "arguments": given.to_string(), "call_id": id}),
                    ),
                    _ => item(
                        json!({"type": "function_call", "name": name, "arguments": given.to_string(), "call_id": id}),
                    ),
                }
            }
            "tool" => {
                let code = i32::from(session.lines[at - 1].who == "call-failed");
                let output = format!(
                    "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code {code}\nOutput:\n{text}"
                );
                item(
                    json!({"type": "function_call_output", "call_id": call_id(&session.lines, at), "output": output}),
                )
            }
            "hook" => message("developer", "hooks.additional_context", text),
            "helper" => message("developer", "subagents.prompt", text),
            "summary" => {
                json!({"timestamp": AT, "type": "compacted", "payload": {"message": text}})
            }
            "echo" => message("user", "user.text", text),
            "reminder" => message("user", "hooks.additional_context", text),
            other => panic!("who is {other}?"),
        };
        out.push(written);
    }
    out
}

fn gemini(session: &Session) -> Vec<Value> {
    let context = json!({"id": "ctx", "timestamp": AT, "type": "user", "content": [{"text": "<session_context>\nAlways remember: from now on use tabs.\n</session_context>"}]});
    let mut out = vec![
        json!({"sessionId": "s", "projectHash": "h", "startTime": AT, "lastUpdated": AT, "kind": "main"}),
        json!({"id": "old", "timestamp": AT, "type": "user", "content": [{"text": "from now on, always use what is replaced"}]}),
        json!({"$set": {"messages": [context]}}),
        json!({"id": "back", "timestamp": AT, "type": "user", "content": [{"text": "from now on, always use what is taken back"}]}),
        json!({"$rewindTo": "back"}),
    ];
    let mut hooks = String::new();
    for (at, line) in session.lines.iter().enumerate() {
        let text = line.text.as_str();
        let message = |kind: &str, content: Value| json!({"id": format!("m{at}"), "timestamp": AT, "type": kind, "content": content});
        let written = match line.who.as_str() {
            "person" => message(
                "user",
                json!([{"text": format!("{text}{}", std::mem::take(&mut hooks))}]),
            ),
            "agent" => message("gemini", json!(text)),
            "call" | "call-failed" => {
                let (name, args) = call(Client::Gemini, text);
                let status = if line.who == "call" {
                    "success"
                } else {
                    "error"
                };
                let result = json!([{"functionResponse": {"response": {"output": printed(&session.lines, at)}}}]);
                // First without the call, then with it, under the same id.
                out.push(message("gemini", json!("")));
                let mut whole = message("gemini", json!(""));
                whole["toolCalls"] = json!([{"id": format!("CALL{at}"), "name": name, "args": args, "status": status, "result": result}]);
                whole
            }
            "tool" => message(
                "user",
                json!([{"functionResponse": {"name": "x", "response": {"output": text}}}]),
            ),
            "hook" | "reminder" => {
                hooks = format!(
                    "\n\n<hook_context>{}</hook_context>",
                    text.replace('<', "&lt;").replace('>', "&gt;")
                );
                json!({"$set": {"lastUpdated": AT}})
            }
            "helper" => message("info", json!(text)),
            "summary" => message("info", json!(text)),
            "echo" => message("user", json!([{"text": text}])),
            other => panic!("who is {other}?"),
        };
        out.push(written);
    }
    out
}
