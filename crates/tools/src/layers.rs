//! Layered memory: one tool, `memory_write`, which adds, updates and removes in the two layers that an agent may write.
//!
//! L0 is the identity layer of the user's space, shown whole in every session and a thousand characters in all. L1 is
//! the knowledge of the repository; in this set a fact needs no citation. What is corrected or removed is no longer
//! returned, and stays in the history.

mod reply;

use std::str::FromStr;

use apostille_core::{
    Context, list,
    memory::{Draft, Layer, Memory, MemoryName, ReplacementKind},
    policy::Policy,
    recall,
    refusal::Refusal,
    remember::{NearMemory, classify},
    space::Space,
    verify,
};
use schemars::{JsonSchema, Schema, json_schema};
use serde::{Deserialize, Deserializer, de::Error};
use serde_json::{Value, json};

use crate::{
    outcome::{
        WriteOutcome, invalidate_for_tool, join_near_handles, supersede_for_tool, write_draft,
    },
    tool::{Tool, ToolCall, ToolEffect, ToolResult},
};
use apostille_api::{
    CallFault,
    wire::{self, InputSchema, TextEncoded, TextSchema},
};

use reply::{KnownLayerMemory, LayerWriteReply, SuggestedUpdate};

macro_rules! recording {
    () => {
        "\
- Do record: user corrections, explicit preferences, stable facts, tool environment, relationships
- Don't record: task progress, transient in-session state, information that expires quickly, data that can be \
queried live from external systems
- Format: declarative facts, not instructions (\"the user prefers concise replies\", not \"always reply concisely\")
- When the user corrects you, do not only write the correct fact: check whether an existing wrong memory caused the \
error, and if so update or remove it
"
    };
}

/// Why a removed memory is out of use, in its history.
const REMOVED: &str = "removed by the agent";

/// A layer that an agent may write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WritableLayer {
    /// Identity: the user's core profile.
    L0,
    /// Knowledge: what was learned for good.
    L1,
}

impl WritableLayer {
    /// As it is written.
    fn as_str(self) -> &'static str {
        match self {
            Self::L0 => "L0",
            Self::L1 => "L1",
        }
    }

    /// The layer that it stands for.
    fn to_layer(self) -> Layer {
        match self {
            Self::L0 => Layer::Identity,
            Self::L1 => Layer::Knowledge,
        }
    }

    /// The one that stands for this layer, where one does.
    fn from_layer(layer: Layer) -> Option<Self> {
        [Self::L0, Self::L1]
            .into_iter()
            .find(|it| it.to_layer() == layer)
    }
}

impl FromStr for WritableLayer {
    type Err = &'static str;
    fn from_str(word: &str) -> Result<Self, Self::Err> {
        match word {
            "L0" | "l0" => Ok(Self::L0),
            "L1" | "l1" => Ok(Self::L1),
            _ => Err(
                "only L0 (identity) and L1 (knowledge) can be written; L2, the archive, is written by the system",
            ),
        }
    }
}

impl TextSchema for WritableLayer {
    fn text_schema() -> Schema {
        json_schema!({"type": "string", "enum": ["L0", "L1"]})
    }
}

/// Into which layer.
#[derive(Deserialize, JsonSchema)]
struct LayerInput {
    /// L0 identity of the user, L1 knowledge
    layer: TextEncoded<WritableLayer>,
}

/// What is new has no target, however an agent says so.
#[derive(Debug, Default, JsonSchema)]
#[schemars(transparent)]
struct NoTarget(#[schemars(with = "String")] ());

impl<'de> Deserialize<'de> for NoTarget {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        match Value::deserialize(reader)? {
            it if it == "" => Ok(Self(())),
            _ => Err(D::Error::custom(
                "add takes none; to correct that memory, say update",
            )),
        }
    }
}

/// What to do in a layer.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(tag = "action")]
enum LayerAction {
    /// Something new.
    Add {
        /// One declarative fact, not an instruction; for add and update
        content: String,
        /// The memory to update or remove, such as m-4
        #[serde(default, rename = "target_id")]
        _target: NoTarget,
        /// Up to 5 words to find it by
        #[serde(default)]
        tags: Vec<String>,
    },
    /// The correction of something known, with its tags unless others are given.
    Update {
        content: String,
        target_id: TextEncoded<MemoryName>,
        tags: Option<Vec<String>>,
    },
    /// Something known that is no longer to be returned.
    Remove { target_id: TextEncoded<MemoryName> },
}

/// The tools of this set.
pub(super) fn list_layers_tools() -> Vec<Tool> {
    vec![Tool {
        name: "memory_write",
        title: "Write memory",
        about: "Add, correct or remove what later sessions should know. L0: what you need to know about the user \
                without any context (1,000 characters in all). L1: lasting facts and conventions. When the user \
                corrects you, look for the memory that misled you and update or remove it; do not only add.",
        input: InputSchema::from_tagged_enum::<LayerAction>(
            "action",
            "What to do; update corrects a known memory",
        )
        .merge_with(InputSchema::from_type::<LayerInput>())
        .with_example(
            &json!({"action": "add", "layer": "L0", "content": "The user prefers concise replies"}),
        ),
        effect: ToolEffect::Changes,
        run: write_layer_memory,
    }]
}

/// What a model is told about it.
pub const GUIDANCE: &str = concat!(
    "You keep memory across sessions with memory_write.\n",
    "- Layer: L0 if you need to know it with no context at all, L1 if not\n",
    recording!()
);

/// What to record, in which form, and what to do about errors, whatever the tools are called.
pub const RECORDING: &str = recording!();

/// Writes into a layer.
fn write_layer_memory(call: &ToolCall) -> ToolResult {
    let LayerInput {
        layer: TextEncoded(level),
    } = call.read_input()?;
    let action = wire::read_tagged_arguments(call.arguments, "action")?;
    let space = match level {
        WritableLayer::L0 => call.caller.user,
        WritableLayer::L1 => Some(call.caller.repo),
    };
    let Some(space) = space else {
        let error = "L0 belongs to a user, whose name is not known; set it with --as, APOSTILLE_USER \
                     or `user` in your own config file";
        let class = Refusal::IdentityNeedsUser.class();
        return LayerWriteReply::new_failure(class, error).to_answer();
    };
    let reply = match action {
        LayerAction::Add { content, tags, .. } => {
            let layer = Some(level.to_layer());
            let is_users = classify::belongs_to_user(layer, None, &content, false);
            let user = call.caller.user.filter(|_| is_users);
            add_layer_memory(call, level, user.unwrap_or(space), content, tags)?
        }
        LayerAction::Update {
            content,
            target_id,
            tags,
        } => match find_layer_target(call, level, target_id.0)? {
            Ok(old) => update_layer_memory(call, &old, content, tags)?,
            Err(refused) => refused,
        },
        LayerAction::Remove { target_id } => match find_layer_target(call, level, target_id.0)? {
            // It stays in the history.
            Ok(old) => {
                reply_to_layer_write(&invalidate_for_tool(call, MemoryName::Id(old.id), REMOVED)?)
            }
            Err(refused) => refused,
        },
    };
    if level == WritableLayer::L0 {
        add_identity_usage(call, space, reply)?.to_answer()
    } else {
        reply.to_answer()
    }
}

/// The rules of a space, but for the proof that this set does not ask for.
fn relax_citation_policy(call: &ToolCall, space: &Space) -> Policy {
    Policy {
        require_citations: false,
        ..*call.context_for(space).policy
    }
}

/// The memory that a call names, if it is in that layer.
fn find_layer_target(
    call: &ToolCall,
    level: WritableLayer,
    target: MemoryName,
) -> Result<Result<Memory, LayerWriteReply>, CallFault> {
    Ok(
        match list::find_named_or_refuse(call, &call.spaces(), target)? {
            Err(refusal) => Err(LayerWriteReply::from_refusal(&refusal)),
            Ok(it) if it.layer == level.to_layer() => Ok(it),
            Ok(it) => Err(LayerWriteReply::new_failure(
                "other_layer",
                explain_other_layer(&it, level),
            )),
        },
    )
}

fn explain_other_layer(memory: &Memory, asked: WritableLayer) -> String {
    let (handle, asked) = (memory.handle(), asked.as_str());
    match WritableLayer::from_layer(memory.layer) {
        Some(it) => format!(
            "{handle} is in {}, not in {asked}; say layer {0}",
            it.as_str()
        ),
        None => format!(
            "{handle} is in the {} layer, only L0 and L1 can be written",
            memory.layer
        ),
    }
}

fn add_layer_memory(
    call: &ToolCall,
    level: WritableLayer,
    space: &Space,
    content: String,
    tags: Vec<String>,
) -> Result<LayerWriteReply, CallFault> {
    let policy = relax_citation_policy(call, space);
    let cx = Context {
        policy: &policy,
        ..call.cx
    };
    let fresh = Draft {
        layer: Some(level.to_layer()),
        tags: tags.clone(),
        ..call.draft(space, content.clone())
    };
    Ok(match write_draft(&cx, fresh)? {
        WriteOutcome::Similar(near) => reply_with_suggested_update(&near, level, content, tags),
        outcome => reply_to_layer_write(&outcome),
    })
}

/// Puts the correction in the place of what was wrong.
fn update_layer_memory(
    call: &ToolCall,
    old: &Memory,
    content: String,
    tags: Option<Vec<String>>,
) -> Result<LayerWriteReply, CallFault> {
    let handle = old.handle();
    if let Some(found) = verify::follow_memory_citations(call, vec![old.clone()])
        .iter()
        .find(|it| !it.is_good())
    {
        let error = format!(
            "{handle} cites code that is {} here, and this tool cannot cite; remove it, and add what is so",
            found.standing()
        );
        return Ok(LayerWriteReply::new_failure("does_not_hold", error));
    }
    let fresh = Draft {
        // None at all is said by an empty one.
        tags: match tags {
            None => old.tags.clone(),
            Some(tags) if tags.is_empty() => vec![String::new()],
            Some(tags) => tags,
        },
        ..call.draft(&old.space, content)
    };
    let policy = relax_citation_policy(call, &old.space);
    let cx = Context {
        policy: &policy,
        ..call.cx
    };
    let spaces = std::slice::from_ref(&old.space);
    let (name, how) = (MemoryName::Id(old.id), ReplacementKind::Correction);
    let mut reply = reply_to_layer_write(&supersede_for_tool(
        &cx,
        call.caller.speaker,
        spaces,
        name,
        fresh,
        how,
    )?);
    if let Some(why) = &mut reply.pending {
        *why += &format!("; {handle} stays in use until a person approves this");
    }
    Ok(reply)
}

fn reply_to_layer_write(outcome: &WriteOutcome) -> LayerWriteReply {
    match outcome {
        WriteOutcome::Done(it) => LayerWriteReply::from_memory(&it.memory),
        WriteOutcome::Refused(refusal) => LayerWriteReply::from_refusal(refusal),
        WriteOutcome::Similar(near) => reply_already_known(near),
    }
}

/// Nothing is kept beside what it resembles: the known one is corrected, or left as it is.
fn reply_with_suggested_update(
    near: &[NearMemory],
    level: WritableLayer,
    content: String,
    tags: Vec<String>,
) -> LayerWriteReply {
    let is_other = |it: &&NearMemory| !has_same_content(&it.fact, &content);
    let Some(nearest) = near.first().filter(is_other) else {
        return reply_already_known(near);
    };
    let target_id = nearest.handle.to_string();
    let error = format!(
        "not kept: it is much like {target_id}; if {target_id} is wrong or says less, call memory_write with \
         the arguments in `update`; if not, leave it"
    );
    let update = SuggestedUpdate {
        action: "update",
        layer: level.as_str(),
        content,
        target_id,
        tags,
    };
    LayerWriteReply {
        update: Some(update),
        ..refuse_similar(near, error)
    }
}

/// What nobody vouches for does not refresh what is in use.
fn reply_already_known(near: &[NearMemory]) -> LayerWriteReply {
    let error = format!("not kept: {} says this already", join_near_handles(near));
    refuse_similar(near, error)
}

fn refuse_similar(near: &[NearMemory], error: String) -> LayerWriteReply {
    LayerWriteReply {
        known: near.iter().map(KnownLayerMemory::from).collect(),
        ..LayerWriteReply::new_failure("similar", error)
    }
}

fn has_same_content(a: &str, b: &str) -> bool {
    apostille_text::overlap::normalise_fact(None, a)
        == apostille_text::overlap::normalise_fact(None, b)
}

/// The reply with how full L0 is, and when it is too full, with what fills it.
fn add_identity_usage(
    call: &ToolCall,
    space: &Space,
    reply: LayerWriteReply,
) -> Result<LayerWriteReply, CallFault> {
    let is_full = reply.class == Some("identity_full");
    if !reply.ok && !is_full {
        return Ok(reply);
    }
    let limit = call.context_for(space).policy.limits.identity_chars;
    let n_used = call.store.summarize_space(space)?.identity_chars;
    let known = if is_full {
        recall::recall_identity(call, space)?
    } else {
        Vec::new()
    };
    Ok(LayerWriteReply {
        used: Some(format!("{n_used}/{limit}")),
        known: known.iter().map(KnownLayerMemory::from).collect(),
        ..reply
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use apostille_api::wire;

    #[test]
    fn memory_write_names_the_field_that_is_wrong() {
        let check = |arguments: Value, expected: Option<&str>| {
            let level = wire::read_arguments::<LayerInput>(&arguments).map(|_| ());
            let read = level
                .and_then(|()| wire::read_tagged_arguments::<LayerAction>(&arguments, "action"));
            let field = read.err().map(|it| it.field);
            assert_eq!(field.as_deref(), expected, "{arguments}");
        };
        let write = |mut arguments: Value, field: &str, value: Value| {
            arguments[field] = value;
            arguments
        };
        let add = json!({"action": "add", "layer": "L1", "content": "a", "tags": ["t"]});
        let update =
            json!({"action": "update", "layer": " l0 ", "content": "a", "target_id": "m-1"});
        let remove = json!({"action": "remove", "layer": "L1", "target_id": "m-1"});
        check(add.clone(), None);
        check(write(add.clone(), "target_id", json!("")), None);
        check(write(add.clone(), "tags", Value::Null), None);
        check(update.clone(), None);
        check(remove.clone(), None);
        for (arguments, field, value) in [
            (&add, "action", Value::Null),
            (&add, "action", json!("drop")),
            (&add, "layer", Value::Null),
            (&add, "layer", json!("L2")),
            (&add, "layer", json!("identity")),
            (&add, "layer", json!(1)),
            (&add, "content", Value::Null),
            (&add, "target_id", json!("m-1")),
            (&add, "tags", json!("t")),
            (&update, "content", Value::Null),
            (&update, "target_id", Value::Null),
            (&remove, "target_id", json!("")),
            (&remove, "target_id", json!("4")),
        ] {
            check(write(arguments.clone(), field, value), Some(field));
        }
        check(write(add, "tags", json!([1])), Some("tags[0]"));
    }
}
