//! The plain notebook: three tools, and the notes that are put before a model by themselves.
//!
//! The policy comes in the context; [`Policy::notebook`] is the one this is made for. A user's notes are in the user's
//! space (`u-3`), the others in the repository's (`m-4`); deleting takes either.

use apostille_core::memory::{Draft, Kind, Layer, Memory, Name, Twin};
use apostille_core::policy::{Limits, Policy};
use apostille_core::recall::{Ask, Recalled, Style, recall};
use apostille_core::space::Space;
use apostille_core::{Context, format, list, verify};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::Answer;
use crate::outcome::{WriteOutcome, forget_memory, list_handles, pending_reason, write_draft};
use crate::tool::{Effect, Tool};
use apostille_api::wire;
use apostille_api::wire::{InputSchema, Parsed};
use apostille_api::{Fault, Here};

/// A note to keep.
#[derive(Debug, Deserialize, JsonSchema)]
struct Note {
    /// The fact, 1 to 500 characters
    text: String,
    /// Up to 5 words to find it by
    #[serde(default)]
    tags: Vec<String>,
    /// Whose it is; workspace unless said
    #[serde(default)]
    scope: Scope,
}

/// Whose a note is: the person's, the repository's, or this session's.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Scope {
    User,
    #[default]
    Workspace,
    Session,
}

/// Which notes to find. An empty text is how some agents write "not given".
#[derive(Debug, Deserialize, JsonSchema)]
struct Search {
    /// A text that the note contains, in any case
    query: Option<String>,
    /// A tag that the note carries
    tag: Option<String>,
}

/// Which note to delete.
#[derive(Debug, Deserialize, JsonSchema)]
struct Delete {
    /// The note's id, such as m-4
    id: Parsed<Name>,
}

/// The tools of this set.
#[must_use]
pub fn tools() -> Vec<Tool> {
    vec![
        Tool {
            name: "memory_store",
            title: "Store a note",
            about: "Keep one stable fact about the user or the project. Call it when the user asks you to remember \
                    something, or when you learn what later sessions will need. No secrets, no task state, nothing that \
                    stands in a file.",
            input: InputSchema::of::<Note>().with_example(
                &json!({"text": "User prefers tabs over spaces", "tags": ["preference"], "scope": "user"}),
            ),
            effect: Effect::Adds,
        },
        Tool {
            name: "memory_search",
            title: "Search notes",
            about: "Find notes that contain a text, carry a tag, or both; the newest 20. Call it before you ask the user \
                    something they may have told you already.",
            input: InputSchema::of::<Search>().with_example(&json!({"query": "database"})),
            effect: Effect::Reads,
        },
        Tool {
            name: "memory_delete",
            title: "Delete a note",
            about: "Delete a note that is wrong or outdated, for good. To correct one, delete it and store the right one.",
            input: InputSchema::of::<Delete>().with_example(&json!({"id": "m-4"})),
            effect: Effect::Removes,
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reply {
    /// Whether it was done.
    pub ok: bool,
    /// The note that was kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Why it was not done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Why it is kept but not in use yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending: Option<String>,
}

impl Reply {
    fn done() -> Self {
        Self {
            ok: true,
            id: None,
            error: None,
            pending: None,
        }
    }

    fn kept(memory: &Memory) -> Self {
        Self {
            id: Some(memory.handle().to_string()),
            pending: pending_reason(memory).map(Into::into),
            ..Self::done()
        }
    }

    fn refused(why: impl ToString) -> Self {
        Self {
            ok: false,
            error: Some(why.to_string()),
            ..Self::done()
        }
    }

    fn told(&self) -> Result<Answer, Fault> {
        Answer::reply(self.ok, self)
    }
}

/// A note as it is found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Found {
    /// Its handle.
    pub id: String,
    /// What it says.
    pub text: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// When it was kept.
    pub ts: String,
}

impl From<&Memory> for Found {
    fn from(it: &Memory) -> Self {
        Self {
            id: it.handle().to_string(),
            text: it.fact.clone(),
            tags: it.tags.clone(),
            ts: format::timestamp(it.recorded_at),
        }
    }
}

/// The notes that were found, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Matches {
    /// How many.
    pub count: usize,
    /// Which.
    pub memories: Vec<Found>,
}

/// Calls a tool of this set by its name, and gives its answer as JSON.
pub fn call(
    cx: &Context<'_>,
    here: &Here<'_>,
    tool: &str,
    arguments: &Value,
) -> Result<Answer, Fault> {
    match tool {
        "memory_store" => memory_store(cx, here, wire::read(arguments)?)?.told(),
        "memory_search" => Answer::json(&memory_search(cx, here, wire::read(arguments)?)?),
        "memory_delete" => {
            let Delete { id } = wire::read(arguments)?;
            memory_delete(cx, here, id.0)?.told()
        }
        _ => Err(Fault::no_such_tool(tool, tools().iter().map(|it| it.name))),
    }
}

/// Keeps a note. One that is known already is not kept twice: the answer names the known one.
fn memory_store(cx: &Context<'_>, here: &Here<'_>, note: Note) -> Result<Reply, Fault> {
    let policy = one_length(cx.policy);
    let drafted = draft(cx, here, note);
    let cx = Context {
        policy: &policy,
        ..*cx
    };
    Ok(match write_draft(&cx, drafted)? {
        WriteOutcome::Done(it) => Reply::kept(&it.memory),
        WriteOutcome::Refused(refusal) => Reply::refused(refusal),
        WriteOutcome::Similar(near) => Reply::refused(format!("much like {}", list_handles(&near))),
    })
}

/// In a notebook every note has the same greatest length, scratch included.
fn one_length(policy: &Policy) -> Policy {
    let limits = Limits {
        episode_chars: policy.limits.fact_chars,
        ..policy.limits
    };
    Policy { limits, ..*policy }
}

fn draft(cx: &Context<'_>, here: &Here<'_>, note: Note) -> Draft {
    let (space, layer, kind) = placed(here, note.scope);
    let voice = here.voice(cx.actor);
    Draft {
        layer: Some(layer),
        kind,
        tags: note.tags,
        twin: Twin::Create("a notebook keeps what it is given".into()),
        ..Draft::new(space.clone(), note.text, voice)
    }
}

/// Where a note of this scope goes. A user's note stays with the repository when nobody knows the user.
fn placed<'a>(here: &Here<'a>, scope: Scope) -> (&'a Space, Layer, Option<Kind>) {
    match scope {
        Scope::User => (
            here.user.unwrap_or(here.repo),
            Layer::Knowledge,
            Some(Kind::User),
        ),
        Scope::Workspace => (here.repo, Layer::Knowledge, None),
        Scope::Session => (here.repo, Layer::Session, None),
    }
}

/// Finds notes that contain a text, carry a tag, or both; the newest twenty.
fn memory_search(cx: &Context<'_>, here: &Here<'_>, search: Search) -> Result<Matches, Fault> {
    let given = |it: Option<String>| it.filter(|it| !it.is_empty());
    let found = list::search(
        cx,
        &here.spaces(),
        given(search.query).as_deref(),
        given(search.tag).as_deref(),
    )?;
    // A note cites nothing; what does was kept by other tools, and is only shown where it holds.
    let memories: Vec<Found> = verify::look(cx, found)
        .iter()
        .filter(|it| it.is_good())
        .map(|it| Found::from(&it.memory))
        .collect();
    Ok(Matches {
        count: memories.len(),
        memories,
    })
}

/// Deletes a note: its text is gone everywhere, and its handle is not used again.
fn memory_delete(cx: &Context<'_>, here: &Here<'_>, name: Name) -> Result<Reply, Fault> {
    Ok(match forget_memory(cx, here, name, "deleted")? {
        WriteOutcome::Refused(refusal) => Reply::refused(refusal),
        _ => Reply::done(),
    })
}

/// The notes that matter to the last message of the user, as the block that stands behind the system prompt.
pub fn inject(cx: &Context<'_>, here: &Here<'_>, last_message: &str) -> Result<Recalled, Fault> {
    let ask = Ask {
        text: last_message.into(),
        spaces: here.spaces(),
        layers: vec![Layer::Knowledge, Layer::Session],
        style: Some(Style::Plain),
        ..Ask::default()
    };
    Ok(recall(cx, &ask)?)
}

#[cfg(test)]
mod tests {
    use serde::de::DeserializeOwned;

    use super::*;

    /// The field that is named when these arguments are read.
    fn check<T: DeserializeOwned>(arguments: Value, expected: Option<&str>) {
        let found = wire::read::<T>(&arguments).err().map(|it| it.field);
        assert_eq!(found.as_deref(), expected, "{arguments}");
    }

    #[test]
    fn notebook_names_the_field_that_is_wrong() {
        check::<Note>(
            json!({"text": "a", "tags": ["b"], "scope": "user", "colour": 7}),
            None,
        );
        check::<Note>(json!({"text": "a", "tags": null, "scope": null}), None);
        check::<Note>(Value::Null, Some("text"));
        check::<Note>(json!([1]), Some("arguments"));
        check::<Note>(json!({"text": 5}), Some("text"));
        check::<Note>(json!({"text": "a", "tags": "b"}), Some("tags"));
        check::<Note>(json!({"text": "a", "tags": ["b", 2]}), Some("tags[1]"));
        check::<Note>(json!({"text": "a", "scope": "galaxy"}), Some("scope"));
        check::<Search>(json!({}), None);
        check::<Search>(json!({"query": 1}), Some("query"));
        check::<Search>(json!({"tag": []}), Some("tag"));
        check::<Delete>(json!({"id": " u-3 "}), None);
        check::<Delete>(json!({"id": "4"}), Some("id"));
        check::<Delete>(json!({}), Some("id"));
    }
}
