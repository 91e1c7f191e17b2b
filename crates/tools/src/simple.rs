//! The plain notebook: three tools, and the notes that are put before a model by themselves.
//!
//! The policy comes in the context; [`Policy::for_notebook`] is the one this is made for. A user's notes are in the user's
//! space (`u-3`), the others in the repository's (`m-4`); deleting takes either.

use apostille_cite::standing::Showing;
use apostille_core::{
    Context, format, list,
    memory::{Draft, DuplicateChoice, Kind, Layer, MemoryName},
    policy::{MemoryLimits, Policy},
    remember::classify,
    standing_text::StandingView,
    verify::{self, VerifiedMemory},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{
    ToolAnswer,
    outcome::{WriteOutcome, forget_for_tool, join_near_handles, write_draft},
    tool::{Tool, ToolCall, ToolEffect, ToolResult},
};
use apostille_api::{
    json::pending_reason,
    wire::{InputSchema, TextEncoded},
};

/// A note to keep.
#[derive(Deserialize, JsonSchema)]
struct NoteInput {
    /// The fact, 1 to 500 characters
    text: String,
    /// Up to 5 words to find it by
    #[serde(default)]
    tags: Vec<String>,
    /// Whose it is; found out unless said
    scope: Option<SimpleNoteScope>,
}

/// Whose a note is: the person's, the repository's, or this session's.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum SimpleNoteScope {
    User,
    Workspace,
    Session,
}

/// Which notes to find. An empty text is how some agents write "not given".
#[derive(Deserialize, JsonSchema)]
struct SearchNotesInput {
    /// A text that the note contains, in any case
    query: Option<String>,
    /// A tag that the note carries
    tag: Option<String>,
}

/// Which note to delete.
#[derive(Deserialize, JsonSchema)]
struct DeleteNoteInput {
    /// The note's id, such as m-4
    id: TextEncoded<MemoryName>,
}

/// The tools of this set.
pub(super) fn list_simple_tools() -> Vec<Tool> {
    vec![
        Tool {
            name: "memory_store",
            title: "Store a note",
            about: "Keep one stable fact about the user or the project. Call it when the user asks you to remember \
                    something, or when you learn what later sessions will need. No secrets, no task state, nothing that \
                    stands in a file.",
            input: InputSchema::from_type::<NoteInput>().with_example(
                &json!({"text": "User prefers tabs over spaces", "tags": ["preference"], "scope": "user"}),
            ),
            effect: ToolEffect::Adds,
            run: store_note,
        },
        Tool {
            name: "memory_search",
            title: "Search notes",
            about: "Find notes that contain a text, carry a tag, or both; the newest 20. Call it before you ask the user \
                    something they may have told you already.",
            input: InputSchema::from_type::<SearchNotesInput>().with_example(&json!({"query": "database"})),
            effect: ToolEffect::Reads,
            run: search_notes,
        },
        Tool {
            name: "memory_delete",
            title: "Delete a note",
            about: "Delete a note that is wrong or outdated, for good. To correct one, delete it and store the right one.",
            input: InputSchema::from_type::<DeleteNoteInput>().with_example(&json!({"id": "m-4"})),
            effect: ToolEffect::Removes,
            run: delete_note,
        },
    ]
}

/// What a model is told about them.
pub const GUIDANCE: &str = "\
You have persistent memory tools. Use memory_store when:
- The user explicitly asks you to remember something
- You learn a stable fact about the user or project that will be useful across sessions
Do NOT store: transient task context, secrets/tokens, or information already in files.
Use memory_delete to remove outdated memories. Memories are automatically surfaced in your context when relevant.
";

/// What became of a note to keep or to delete.
#[derive(Default, Serialize)]
struct NoteReply {
    /// Whether it was done.
    ok: bool,
    /// The note that was kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// Why it was not done.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// Why it is kept but not in use yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pending: Option<String>,
}

impl NoteReply {
    fn new_refused(why: impl ToString) -> Self {
        Self {
            error: Some(why.to_string()),
            ..Self::default()
        }
    }
}

/// A note as it is found.
#[derive(Serialize)]
struct FoundNote {
    /// Its handle.
    id: String,
    /// What it says.
    text: String,
    /// Words to find it by.
    tags: Vec<String>,
    /// When it was kept.
    ts: String,
    /// What to look at before it is used, where the code that it cites was edited.
    #[serde(skip_serializing_if = "Option::is_none")]
    check: Option<String>,
}

impl From<&VerifiedMemory> for FoundNote {
    fn from(found: &VerifiedMemory) -> Self {
        let it = &found.memory;
        let is_doubted = found.showing() == Showing::Marked;
        Self {
            id: it.handle().to_string(),
            text: it.fact.clone(),
            tags: it.tags.clone(),
            ts: format::format_timestamp(it.recorded_at),
            check: is_doubted.then(|| StandingView::from(found).describe()),
        }
    }
}

/// The notes that were found, the newest first.
#[derive(Serialize)]
struct NoteMatches {
    /// How many.
    count: usize,
    /// Which.
    memories: Vec<FoundNote>,
}

/// Keeps a note. One that is known already is not kept twice: the answer names the known one.
fn store_note(call: &ToolCall) -> ToolResult {
    let note = call.read_input()?;
    // Every note has the same greatest length, scratch included; within it, it may be any text.
    let policy = Policy {
        limits: MemoryLimits {
            episode_chars: call.policy.limits.fact_chars,
            fact_sentences: None,
            ..call.policy.limits
        },
        ..*call.policy
    };
    let cx = Context {
        policy: &policy,
        ..call.cx
    };
    let reply = match write_draft(&cx, draft_note(call, note))? {
        WriteOutcome::Done(it) => NoteReply {
            ok: true,
            id: Some(it.memory.handle().to_string()),
            pending: pending_reason(&it.memory).map(Into::into),
            ..NoteReply::default()
        },
        WriteOutcome::Refused(refusal) => NoteReply::new_refused(refusal),
        WriteOutcome::Similar(near) => {
            NoteReply::new_refused(format!("much like {}", join_near_handles(&near)))
        }
    };
    ToolAnswer::new_reply(reply.ok, &reply)
}

/// A note on its way to where its scope is. A user's note stays with the repository when nobody knows the user.
fn draft_note(call: &ToolCall, note: NoteInput) -> Draft {
    let repo = call.caller.repo;
    let is_users = || classify::belongs_to_user(None, None, &note.text, false);
    let scope = note.scope.unwrap_or_else(|| match is_users() {
        true => SimpleNoteScope::User,
        false => SimpleNoteScope::Workspace,
    });
    let (space, layer, kind) = match scope {
        SimpleNoteScope::User => {
            let space = call.caller.user.unwrap_or(repo);
            (space, Layer::Knowledge, Some(Kind::User))
        }
        SimpleNoteScope::Workspace => (repo, Layer::Knowledge, None),
        SimpleNoteScope::Session => (repo, Layer::Session, None),
    };
    Draft {
        layer: Some(layer),
        kind,
        tags: note.tags,
        on_duplicate: DuplicateChoice::Create("a notebook keeps what it is given".into()),
        ..call.draft(space, note.text)
    }
}

/// Finds notes that contain a text, carry a tag, or both; the newest twenty.
fn search_notes(call: &ToolCall) -> ToolResult {
    let search: SearchNotesInput = call.read_input()?;
    let is_given = |it: &&str| !it.is_empty();
    let query = search.query.as_deref().filter(is_given);
    let tag = search.tag.as_deref().filter(is_given);
    let found = list::search_memories(call, &call.spaces(), query, tag)?;
    // A note cites nothing; what does was kept by other tools, and is only shown where it holds.
    let memories: Vec<FoundNote> = verify::follow_memory_citations(call, found)
        .iter()
        .filter(|it| it.is_good())
        .map(FoundNote::from)
        .collect();
    ToolAnswer::new_json(&NoteMatches {
        count: memories.len(),
        memories,
    })
}

/// Deletes a note: its text is gone everywhere, and its handle is not used again.
fn delete_note(call: &ToolCall) -> ToolResult {
    let DeleteNoteInput { id } = call.read_input()?;
    let outcome = forget_for_tool(call, id.0, "deleted")?;
    let reply = match &outcome {
        WriteOutcome::Refused(refusal) => NoteReply::new_refused(refusal),
        _ => NoteReply {
            ok: true,
            ..NoteReply::default()
        },
    };
    Ok(ToolAnswer::new_reply(reply.ok, &reply)?.with_question(outcome.question()))
}

#[cfg(test)]
mod tests {
    use serde::de::DeserializeOwned;
    use serde_json::Value;

    use super::*;
    use apostille_api::wire;

    /// The field that is named when these arguments are read.
    fn check<T: DeserializeOwned>(arguments: Value, expected: Option<&str>) {
        let found = wire::read_arguments::<T>(&arguments)
            .err()
            .map(|it| it.field);
        assert_eq!(found.as_deref(), expected, "{arguments}");
    }

    #[test]
    fn notebook_names_the_field_that_is_wrong() {
        check::<NoteInput>(
            json!({"text": "a", "tags": ["b"], "scope": "user", "colour": 7}),
            None,
        );
        check::<NoteInput>(json!({"text": "a", "tags": null, "scope": null}), None);
        check::<NoteInput>(Value::Null, Some("text"));
        check::<NoteInput>(json!([1]), Some("arguments"));
        check::<NoteInput>(json!({"text": 5}), Some("text"));
        check::<NoteInput>(json!({"text": "a", "tags": "b"}), Some("tags"));
        check::<NoteInput>(json!({"text": "a", "tags": ["b", 2]}), Some("tags[1]"));
        check::<NoteInput>(json!({"text": "a", "scope": "galaxy"}), Some("scope"));
        check::<SearchNotesInput>(json!({}), None);
        check::<SearchNotesInput>(json!({"query": 1}), Some("query"));
        check::<SearchNotesInput>(json!({"tag": []}), Some("tag"));
        check::<DeleteNoteInput>(json!({"id": " u-3 "}), None);
        check::<DeleteNoteInput>(json!({"id": "4"}), Some("id"));
        check::<DeleteNoteInput>(json!({}), Some("id"));
    }
}
