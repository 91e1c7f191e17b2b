//! Layered memory: one tool, `memory_write`, which adds, updates and removes in the two layers that an agent may write.
//!
//! L0 is the identity layer of the user's space, shown whole in every session and a thousand characters in all. L1 is
//! the knowledge of the repository; in this set a fact needs no citation. What is corrected or removed is no longer
//! returned, and stays in the history.

mod input;
mod reply;

use apostille_core::memory::{Draft, Memory, Name, Replacement};
use apostille_core::policy::Policy;
use apostille_core::recall;
use apostille_core::refusal::Refusal;
use apostille_core::remember::Near;
use apostille_core::space::Space;
use apostille_core::{Context, list, verify};
use serde_json::{Value, json};

use crate::Answer;
use crate::outcome::{
    WriteOutcome, invalidate_memory, list_handles, supersede_memory, write_draft,
};
use crate::tool::{Effect, Tool};
use apostille_api::wire;
use apostille_api::wire::InputSchema;
use apostille_api::{Fault, Here};

use input::{Action, Level, Where};
use reply::{Known, Reply, Update};

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

/// The tools of this set.
#[must_use]
pub fn tools() -> Vec<Tool> {
    vec![Tool {
        name: "memory_write",
        title: "Write memory",
        about: "Add, correct or remove what later sessions should know. L0: what you need to know about the user \
                without any context (1,000 characters in all). L1: lasting facts and conventions. When the user \
                corrects you, look for the memory that misled you and update or remove it; do not only add.",
        input: InputSchema::tagged::<Action>(
            "action",
            "What to do; update corrects a known memory",
        )
        .and(InputSchema::of::<Where>())
        .with_example(
            &json!({"action": "add", "layer": "L0", "content": "The user prefers concise replies"}),
        ),
        effect: Effect::Changes,
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

/// Calls a tool of this set by its name, and gives its answer as JSON.
pub fn call(
    cx: &Context<'_>,
    here: &Here<'_>,
    tool: &str,
    arguments: &Value,
) -> Result<Answer, Fault> {
    match tool {
        "memory_write" => {
            let Where { layer } = wire::read(arguments)?;
            let action = wire::read_tagged(arguments, "action")?;
            write(cx, here, layer.0, action)?.told()
        }
        _ => Err(Fault::no_such_tool(tool, tools().iter().map(|it| it.name))),
    }
}

/// Writes into a layer.
fn write(cx: &Context<'_>, here: &Here<'_>, level: Level, action: Action) -> Result<Reply, Fault> {
    let Some(space) = home(here, level) else {
        return Ok(nobody());
    };
    let reply = match action {
        Action::Add { content, tags, .. } => add(cx, here, level, space, content, tags)?,
        Action::Update {
            content,
            target_id,
            tags,
        } => match targeted(cx, here, level, target_id.0)? {
            Ok(old) => update(cx, here, &old, content, tags)?,
            Err(refused) => refused,
        },
        Action::Remove { target_id } => match targeted(cx, here, level, target_id.0)? {
            // It stays in the history.
            Ok(old) => settled(&invalidate_memory(cx, here, Name::Id(old.id), REMOVED)?),
            Err(refused) => refused,
        },
    };
    if level == Level::L0 {
        measured(cx, here, space, reply)
    } else {
        Ok(reply)
    }
}

/// The rules of a space, but for the proof that this set does not ask for.
fn rules(cx: &Context<'_>, here: &Here<'_>, space: &Space) -> Policy {
    Policy {
        require_citations: false,
        ..*here.ruled(cx, space).policy
    }
}

/// Whose memory a layer is part of; nobody's where the user is not known.
fn home<'a>(here: &Here<'a>, level: Level) -> Option<&'a Space> {
    match level {
        Level::L0 => here.user,
        Level::L1 => Some(here.repo),
    }
}

fn nobody() -> Reply {
    let error = "L0 belongs to a user, and nobody knows who that is; name one with --as, APOSTILLE_USER \
                 or `user` in your own config file";
    Reply::failed(Refusal::IdentityNeedsUser.class(), error)
}

/// The memory that a call names, if it is in that layer.
fn targeted(
    cx: &Context<'_>,
    here: &Here<'_>,
    level: Level,
    target: Name,
) -> Result<Result<Memory, Reply>, Fault> {
    Ok(match list::find_named(cx, &here.spaces(), target)? {
        Err(refusal) => Err(Reply::refused(&refusal)),
        Ok(it) if it.layer == level.layer() => Ok(it),
        Ok(it) => Err(Reply::failed("other_layer", elsewhere(&it, level))),
    })
}

fn elsewhere(memory: &Memory, asked: Level) -> String {
    let (handle, asked) = (memory.handle(), asked.as_str());
    match Level::of(memory.layer) {
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

fn add(
    cx: &Context<'_>,
    here: &Here<'_>,
    level: Level,
    space: &Space,
    content: String,
    tags: Vec<String>,
) -> Result<Reply, Fault> {
    let policy = rules(cx, here, space);
    let fresh = draft(cx, here, space, content.clone(), tags.clone());
    let cx = Context {
        policy: &policy,
        ..*cx
    };
    let fresh = Draft {
        layer: Some(level.layer()),
        ..fresh
    };
    Ok(match write_draft(&cx, fresh)? {
        WriteOutcome::Similar(near) => similar(&near, level, content, tags),
        outcome => settled(&outcome),
    })
}

/// Puts the correction in the place of what was wrong.
fn update(
    cx: &Context<'_>,
    here: &Here<'_>,
    old: &Memory,
    content: String,
    tags: Option<Vec<String>>,
) -> Result<Reply, Fault> {
    if tags.as_ref().is_some_and(|it| *it != old.tags) && is_same(&old.fact, &content) {
        let handle = old.handle();
        let error = format!(
            "{handle} says this already, and its tags stay; to change them, remove it and add it"
        );
        return Ok(Reply::failed("same_content", error));
    }
    if let Some(found) = verify::look(cx, vec![old.clone()])
        .iter()
        .find(|it| !it.is_good())
    {
        let error = format!(
            "{} cites code that is {} here, and this tool cannot cite; remove it, and add what is so",
            old.handle(),
            found.standing()
        );
        return Ok(Reply::failed("does_not_hold", error));
    }
    let tags = tags.unwrap_or_else(|| old.tags.clone());
    let fresh = draft(cx, here, &old.space, content, tags);
    let (spaces, policy) = ([old.space.clone()], rules(cx, here, &old.space));
    let cx = Context {
        policy: &policy,
        ..*cx
    };
    let (name, how) = (Name::Id(old.id), Replacement::Correction);
    let reply = settled(&supersede_memory(&cx, &spaces, name, fresh, how)?);
    let until = |why: String| {
        format!(
            "{why}; {} stays in use until a person approves this",
            old.handle()
        )
    };
    Ok(Reply {
        pending: reply.pending.map(until),
        ..reply
    })
}

fn draft(
    cx: &Context<'_>,
    here: &Here<'_>,
    space: &Space,
    content: String,
    tags: Vec<String>,
) -> Draft {
    Draft {
        tags,
        ..Draft::new(space.clone(), content, here.voice(cx.actor))
    }
}

fn settled(outcome: &WriteOutcome) -> Reply {
    match outcome {
        WriteOutcome::Done(it) => Reply::done(&it.memory),
        WriteOutcome::Refused(refusal) => Reply::refused(refusal),
        WriteOutcome::Similar(near) => said_already(near),
    }
}

/// Nothing is kept beside what it resembles: the known one is corrected, or left as it is.
fn similar(near: &[Near], level: Level, content: String, tags: Vec<String>) -> Reply {
    let Some(nearest) = near.first().filter(|it| !is_same(&it.fact, &content)) else {
        return said_already(near);
    };
    let target_id = nearest.handle.to_string();
    let error = format!(
        "not kept: it is much like {target_id}; if {target_id} is wrong or says less, call memory_write with \
         the arguments in `update`; if not, leave it"
    );
    let update = Update {
        action: "update",
        layer: level.as_str(),
        content,
        target_id,
        tags,
    };
    let known = near.iter().map(Known::from).collect();
    Reply {
        known,
        update: Some(update),
        ..Reply::failed("similar", error)
    }
}

/// What nobody vouches for does not refresh what is in use.
fn said_already(near: &[Near]) -> Reply {
    let error = format!("not kept: {} says this already", list_handles(near));
    Reply {
        known: near.iter().map(Known::from).collect(),
        ..Reply::failed("similar", error)
    }
}

fn is_same(a: &str, b: &str) -> bool {
    apostille_text::overlap::normalised(None, a) == apostille_text::overlap::normalised(None, b)
}

/// The reply with how full L0 is, and when it is too full, with what fills it.
fn measured(
    cx: &Context<'_>,
    here: &Here<'_>,
    space: &Space,
    reply: Reply,
) -> Result<Reply, Fault> {
    let is_full = reply.class == Some("identity_full");
    if !reply.ok && !is_full {
        return Ok(reply);
    }
    let limit = here.ruled(cx, space).policy.limits.identity_chars;
    let used = Some(format!(
        "{}/{limit}",
        cx.store.summary(space)?.identity_chars
    ));
    let known = if is_full {
        recall::identity(cx, space)?
    } else {
        Vec::new()
    };
    Ok(Reply {
        used,
        known: known.iter().map(Known::from).collect(),
        ..reply
    })
}
