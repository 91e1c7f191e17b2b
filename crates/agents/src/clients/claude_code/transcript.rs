//! Claude Code: one JSON object per line, of many types; a message's parts come on lines of their own.

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
};

use crate::{
    past_transcripts::{SessionHead, TranscriptPlaces, list_files_below},
    settings::layout::UserFolders,
    transcript::TranscriptTurn,
    transcripts::{
        TranscriptReader,
        tool_input::{join_content_texts, join_part_texts},
        turns::TurnList,
    },
};
use serde_json::Value;

#[derive(Default)]
pub(in crate::clients) struct ClaudeCodeReader {
    turns: TurnList,
    /// Lines are written again when a session is resumed.
    seen: HashSet<String>,
    /// The tokens of each message: its parts come on lines of their own, each with the tokens of the whole.
    tokens: HashMap<String, u64>,
}

impl TranscriptReader for ClaudeCodeReader {
    fn read_line(&mut self, line: &Value) {
        let id = line["uuid"].as_str();
        let is_new = id.is_none_or(|it| self.seen.insert(it.into()));
        // A subagent is asked by the agent, not by the person.
        if !is_new || line["isSidechain"] == true {
            return;
        }
        self.turns.set_line_time(&line["timestamp"]);
        match line["type"].as_str() {
            Some("user") => self.add_user_line(line),
            Some("assistant") => {
                self.note_tokens(&line["message"]);
                self.add_assistant_message(&line["message"]["content"]);
            }
            Some("attachment") => self.add_queued_prompt(&line["attachment"]),
            _ => {}
        }
    }

    fn count_tokens(&self) -> Option<u64> {
        (!self.tokens.is_empty()).then(|| self.tokens.values().sum())
    }

    fn into_turns(self: Box<Self>) -> Vec<TranscriptTurn> {
        self.turns.into_turns()
    }
}

impl ClaudeCodeReader {
    fn note_tokens(&mut self, message: &Value) {
        let used = |name: &str| message["usage"][name].as_u64();
        if let (Some(id), Some(output)) = (message["id"].as_str(), used("output_tokens")) {
            let input = ["input_tokens", "cache_creation_input_tokens"].map(used);
            let input: u64 = input.into_iter().flatten().sum();
            self.tokens.insert(id.into(), input + output);
        }
    }

    fn add_user_line(&mut self, line: &Value) {
        let content = &line["message"]["content"];
        for part in content.as_array().into_iter().flatten() {
            if part["type"] == "tool_result" {
                let printed = join_content_texts(&part["content"]);
                let is_ok = part["is_error"] != true;
                self.turns
                    .add_result(&part["tool_use_id"], &printed, Some(is_ok));
            }
        }
        let is_ours = ["isMeta", "isCompactSummary", "isVisibleInTranscriptOnly"]
            .iter()
            .any(|it| line[it] == true);
        if !is_ours && is_human_origin(&line["origin"]) {
            self.turns.add_person(&join_prompt_texts(content));
        }
    }

    fn add_assistant_message(&mut self, content: &Value) {
        if let Some(text) = content.as_str() {
            self.turns.add_agent(text);
        }
        for part in content.as_array().into_iter().flatten() {
            match part["type"].as_str() {
                Some("text") => self.turns.add_agent(part["text"].as_str().unwrap_or("")),
                Some("tool_use") => {
                    let name = part["name"].as_str().unwrap_or("");
                    self.turns.add_call(&part["id"], name, &part["input"]);
                }
                _ => {}
            }
        }
    }

    /// Of what stands beside a prompt, only one that was queued while the agent worked is the person's.
    fn add_queued_prompt(&mut self, beside: &Value) {
        let is_prompt = beside["type"] == "queued_command" && beside["commandMode"] == "prompt";
        if is_prompt && is_human_origin(&beside["origin"]) {
            self.turns.add_person(&join_prompt_texts(&beside["prompt"]));
        }
    }
}

/// The texts of a prompt, without what tools gave back.
fn join_prompt_texts(content: &Value) -> String {
    match content {
        Value::Array(parts) => join_part_texts(parts.iter().filter(|it| it["type"] == "text")),
        _ => join_content_texts(content),
    }
}

/// Where the client says who wrote a prompt, it must have been a person.
fn is_human_origin(origin: &Value) -> bool {
    origin["kind"].as_str().is_none_or(|it| it == "human")
}

/// `~/.claude/projects/-home-ana-app/SESSION.jsonl`; what a sub-agent wrote lies below, or begins with `agent-`.
pub(in crate::clients) const PLACES: TranscriptPlaces = TranscriptPlaces {
    list: |user| {
        let is_session = |it: &Path| {
            let name = it.file_name().unwrap_or_default().to_string_lossy();
            name.ends_with(".jsonl") && !name.starts_with("agent-")
        };
        list_files_below(&find_projects(user), 1, &is_session)
    },
    // In a session that was taken up again, the first lines name the one before.
    read_outside: |path| {
        let name = path.file_stem().and_then(|it| it.to_str());
        SessionHead {
            name: name.map(Into::into),
            ..SessionHead::default()
        }
    },
    read_line: |head, line| {
        let (cwd, branch) = (&line["cwd"], &line["gitBranch"]);
        head.fill_in(&Value::Null, cwd, branch, &line["timestamp"]);
    },
    find_folder: |user, root| {
        let plain = |it: char| if it.is_ascii_alphanumeric() { it } else { '-' };
        let name: String = root.to_str()?.chars().map(plain).collect();
        Some(find_projects(user).join(name))
    },
    why_unread: None,
};

fn find_projects(user: &UserFolders<'_>) -> PathBuf {
    user.variable_or("CLAUDE_CONFIG_DIR", ".claude")
        .join("projects")
}
