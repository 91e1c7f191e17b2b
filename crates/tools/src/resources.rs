//! What a client can read: the most recent memories, one memory whole, a briefing, and what needs attention.
//!
//! Every memory stands beside what was found at its citations in the reader's own checkout. Everything is bounded, and
//! what memories say cannot break the format it stands in.

mod audit;
mod briefing;
mod lines;
mod records;

use apostille_core::{
    Context, format, list,
    memory::{Memory, MemoryName},
    recall::render,
    verify,
};
use apostille_text::moderate;
use serde_json::json;

use crate::profile::IGNORED;
use apostille_api::{CallFault, Caller, json::find_replacements};
use records::{BriefMemoryRecord, MemoryLinkRecord, WholeMemoryRecord};

const SCHEME: &str = "apostille://";
const JSON: &str = "application/json";
const MARKDOWN: &str = "text/markdown";

/// How many recent memories are given.
const RECENT: usize = 20;

/// Something to read, as clients are told of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// Where it is; a template names its parts in braces.
    pub uri: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// What it is.
    pub about: &'static str,
    /// The kind of text.
    pub mime: &'static str,
}

/// What was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourcePage {
    /// Where it is, as it was asked for.
    pub uri: String,
    /// The kind of text.
    pub mime: &'static str,
    /// The text.
    pub text: String,
}

/// What there is to read by a fixed name.
pub fn list_fixed_resources() -> Vec<Resource> {
    vec![
        Resource {
            uri: "apostille://recent",
            name: "recent",
            title: "Recent memories",
            about: "The memories stated or found to hold last, each with what its citations say now.",
            mime: JSON,
        },
        Resource {
            uri: "apostille://briefing",
            name: "briefing",
            title: "Briefing",
            about: "Who the user is, the most recent memories that hold here, and how many wait for a person.",
            mime: MARKDOWN,
        },
        Resource {
            uri: "apostille://audit",
            name: "audit",
            title: "Audit",
            about: "What needs attention: citations that do not hold, memories that wait for a person, memories without proof.",
            mime: MARKDOWN,
        },
    ]
}

/// What there is to read for each memory.
pub fn describe_memory_template() -> Resource {
    Resource {
        uri: "apostille://memory/{id}",
        name: "memory",
        title: "One memory",
        about: "One memory whole, by its handle or id: fact, proof and verdicts, where it comes from, what it replaced.",
        mime: JSON,
    }
}

/// A memory that can be read, as clients are told of it: what it says is only told beside what its citations say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryResource {
    /// Where it is.
    pub uri: String,
    /// Its handle.
    pub name: String,
    /// Its subject, where it has one.
    pub title: Option<String>,
    /// When it was last stated or found to hold.
    pub about: String,
}

/// The most recent memories, each by its name.
pub fn list_memory_resources(
    cx: &Context,
    caller: &Caller,
) -> Result<Vec<MemoryResource>, CallFault> {
    if caller.is_ignored {
        return Ok(Vec::new());
    }
    let listed = |it: &Memory| MemoryResource {
        uri: format!("{SCHEME}memory/{}", it.handle()),
        name: it.handle().to_string(),
        title: it.subject.as_deref().map(render::sanitize_line),
        about: format!(
            "{} memory of {}, {}",
            it.kind,
            it.space,
            format::format_timestamp(it.refreshed_at)
        ),
    };
    Ok(list::list_recent_memories(cx, &caller.spaces(), RECENT)?
        .iter()
        .map(listed)
        .collect())
}

/// Reads what stands under a name. `None`: there is nothing there for this caller.
pub fn read_resource_page(
    cx: &Context,
    caller: &Caller,
    uri: &str,
) -> Result<Option<ResourcePage>, CallFault> {
    let name = uri.strip_prefix(SCHEME).unwrap_or_default();
    let (mime, text) = match name {
        _ if caller.is_ignored => (MARKDOWN, Some(IGNORED.to_owned())),
        "recent" => (JSON, Some(render_recent_memories(cx, caller)?)),
        "briefing" => (
            MARKDOWN,
            Some(briefing::render_briefing_resource(cx, caller)?),
        ),
        "audit" => (MARKDOWN, Some(audit::render_audit_resource(cx, caller)?)),
        _ => match name.strip_prefix("memory/").map(str::parse) {
            Some(Ok(name)) => (JSON, render_single_memory(cx, caller, name)?),
            _ => return Ok(None),
        },
    };
    Ok(text.map(|text| ResourcePage {
        uri: uri.to_owned(),
        mime,
        text: if mime == JSON {
            moderate::clean_json_texts(text, moderate::clean_code_unless_secret)
        } else {
            moderate::neutralise_text(&text)
        },
    }))
}

fn render_recent_memories(cx: &Context, caller: &Caller) -> Result<String, CallFault> {
    let found = verify::follow_memory_citations(
        cx,
        list::list_recent_memories(cx, &caller.spaces(), RECENT)?,
    );
    let brief = |it| BriefMemoryRecord::new(it, false);
    let memories: Vec<BriefMemoryRecord> = found.iter().map(brief).collect();
    Ok(serde_json::to_string(
        &json!({"count": memories.len(), "memories": memories}),
    )?)
}

/// One memory whole. What is in another space is not there.
fn render_single_memory(
    cx: &Context,
    caller: &Caller,
    name: MemoryName,
) -> Result<Option<String>, CallFault> {
    let spaces = caller.spaces();
    let Some(memory) =
        list::find_named_memory(cx, &spaces, name)?.filter(|it| spaces.contains(&it.space))
    else {
        return Ok(None);
    };
    let replacements = find_replacements(cx.store, &memory)?;
    let links = |them: &[Memory]| them.iter().map(MemoryLinkRecord::from).collect();
    let (older, newer) = (links(&replacements.older), links(&replacements.newer));
    let found = verify::follow_memory_citations(cx, vec![memory]);
    let whole = found
        .first()
        .map(|it| WholeMemoryRecord::from_verified(it, older, newer));
    Ok(whole.map(|it| serde_json::to_string(&it)).transpose()?)
}
