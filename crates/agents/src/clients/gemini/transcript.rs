//! Gemini CLI: messages with ids, and patches of them: `$set` puts a whole list in place, `$rewindTo` takes a message
//! and all behind it back, and a message that is written again replaces the first.

use std::path::{Path, PathBuf};

use apostille_text::digest::Digest;
use serde_json::Value;

use crate::{
    past_transcripts::{
        RecordedFolder, SessionHead, TranscriptPlaces, has_ending, list_files_below, read_side_file,
    },
    settings::layout::UserFolders,
    transcript::TranscriptTurn,
};

use crate::transcripts::{
    TranscriptReader,
    tool_input::{join_content_texts, parse_exit_line},
    turns::TurnList,
};

#[derive(Default)]
pub(super) struct GeminiReader {
    messages: Vec<Value>,
    /// The session was started by an agent: nobody in it is the person.
    is_helper: bool,
}

impl TranscriptReader for GeminiReader {
    fn read_line(&mut self, line: &Value) {
        if let Some(id) = line["$rewindTo"].as_str() {
            // The client takes everything back when it does not know the message.
            let at = self.messages.iter().position(|it| it["id"] == id);
            self.messages.truncate(at.unwrap_or(0));
        } else if line["id"].is_string() {
            self.put_message(line);
        } else {
            let patch = line.get("$set").unwrap_or(line);
            self.is_helper |= patch["kind"].as_str().is_some_and(|it| it != "main");
            if let Some(messages) = patch["messages"].as_array() {
                self.messages.clear();
                messages.iter().for_each(|it| self.put_message(it));
            }
        }
    }

    fn into_turns(self: Box<Self>) -> Vec<TranscriptTurn> {
        let mut turns = TurnList::default();
        for message in &self.messages {
            turns.set_line_time(&message["timestamp"]);
            match message["type"].as_str() {
                // What was typed: where files were named, `displayContent` is without them.
                Some("user") if !self.is_helper => turns.add_person(&join_content_texts(
                    message.get("displayContent").unwrap_or(&message["content"]),
                )),
                Some("gemini") => add_gemini_answer(&mut turns, message),
                _ => {}
            }
        }
        turns.into_turns()
    }
}

impl GeminiReader {
    fn put_message(&mut self, message: &Value) {
        let id = &message["id"];
        // What is written again is nearly always the last.
        match self.messages.iter_mut().rfind(|it| it["id"] == *id) {
            Some(known) => *known = message.clone(),
            None if id.is_string() => self.messages.push(message.clone()),
            None => {}
        }
    }
}

fn add_gemini_answer(turns: &mut TurnList, message: &Value) {
    turns.add_agent(&join_content_texts(&message["content"]));
    let calls = || message["toolCalls"].as_array().into_iter().flatten();
    for call in calls() {
        let name = call["name"].as_str().unwrap_or("");
        turns.add_call(&call["id"], name, &call["args"]);
    }
    for call in calls() {
        let printed = extract_tool_output(call);
        let is_ok = match call["status"].as_str() {
            Some("success") => Some(parse_exit_line(printed) != Some(false)),
            Some("error" | "cancelled") => Some(false),
            _ => None,
        };
        turns.add_result(&call["id"], printed, is_ok);
    }
}

/// What a tool gave back: for the eye, or as the model got it.
fn extract_tool_output(call: &Value) -> &str {
    let response = &call["result"][0]["functionResponse"]["response"];
    [
        &response["output"],
        &response["error"],
        &call["resultDisplay"],
    ]
    .iter()
    .find_map(|it| it.as_str())
    .unwrap_or_default()
}

/// `~/.gemini/tmp/PROJECT/chats/session-TIME-ID.jsonl`, with the folder in `.project_root` of the project, or as a digest. What a
/// sub-agent wrote lies one folder further down.
pub(super) const PLACES: TranscriptPlaces = TranscriptPlaces {
    list: |user| {
        let is_session = |it: &Path| {
            let name = it.file_name().unwrap_or_default().to_string_lossy();
            let is_chat = it.parent().is_some_and(|it| it.ends_with("chats"));
            is_chat && name.starts_with("session-") && has_ending(it, &[".jsonl", ".json"])
        };
        list_files_below(&find_projects(user), 2, &is_session)
    },
    read_outside: |path| {
        let project = path.parent().and_then(Path::parent);
        let root = project.and_then(|it| read_side_file(&it.join(".project_root")).ok());
        let root = root.filter(|it| !it.trim().is_empty());
        SessionHead {
            folder: root.map(|it| RecordedFolder::Path(it.trim().into())),
            ..SessionHead::default()
        }
    },
    read_line: |head, line| {
        head.fill_in(
            &line["sessionId"],
            &Value::Null,
            &Value::Null,
            &line["startTime"],
        );
        head.is_helper |= line["kind"].as_str().is_some_and(|it| it != "main");
        if let Some(digest) = line["projectHash"].as_str() {
            let digest = RecordedFolder::Digest(digest.to_owned());
            head.folder.get_or_insert(digest);
        }
    },
    find_folder: |user, root| {
        let digest = Digest::hash_bytes(root.as_os_str().as_encoded_bytes());
        Some(find_projects(user).join(digest.to_string()).join("chats"))
    },
    why_unread: None,
};

fn find_projects(user: &UserFolders<'_>) -> PathBuf {
    let home = user.variable_or("GEMINI_CLI_HOME", "");
    home.join(".gemini/tmp")
}
