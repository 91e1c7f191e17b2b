//! The arguments of these tools: raw as they come on the wire, then complete.

use apostille_cite::citation::{Cite, RepoPath};
use apostille_core::memory::{Kind, Layer, Name, Replacement};
use serde::Deserialize;
use serde_json::Value;

use crate::wire::{
    Malformed, cites, few, flag, memory_name, number, parsed, required, text, texts,
};

/// How many memories one call may name.
const MAX_IDS: usize = 1_000;

/// `memory_recall`, on the wire.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RawQuestion {
    query: Option<Value>,
    path: Option<Value>,
    episodes: Option<Value>,
    limit: Option<Value>,
}

/// A question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// In words; empty to see what is there.
    pub query: String,
    /// The file in play.
    pub path: Option<RepoPath>,
    /// Whether what happened in earlier tasks is asked for, too.
    pub episodes: bool,
    /// At most so many memories.
    pub limit: Option<usize>,
}

impl TryFrom<RawQuestion> for Question {
    type Error = Malformed;
    fn try_from(raw: RawQuestion) -> Result<Self, Malformed> {
        let limit = number("limit", raw.limit)?.map(|it| it as usize);
        if limit == Some(0) {
            return Err(Malformed::new("limit", "ask for at least 1"));
        }
        Ok(Self {
            query: text("query", raw.query)?.unwrap_or_default(),
            path: path(raw.path)?,
            episodes: flag("episodes", raw.episodes)?,
            limit,
        })
    }
}

/// A path; an empty text is how some agents write "not given".
fn path(value: Option<Value>) -> Result<Option<RepoPath>, Malformed> {
    parsed("path", value.filter(|it| it.as_str() != Some("")))
}

/// `memory_remember`, on the wire.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RawFact {
    fact: Option<Value>,
    citations: Option<Value>,
    subject: Option<Value>,
    reason: Option<Value>,
    kind: Option<Value>,
    layer: Option<Value>,
    tags: Option<Value>,
    task: Option<Value>,
    merge_with: Option<Value>,
    rationale: Option<Value>,
}

/// A fact to keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// What was learned.
    pub fact: String,
    /// The code that proves it.
    pub citations: Vec<Cite>,
    /// A brief topic.
    pub subject: Option<String>,
    /// Why it matters.
    pub reason: Option<String>,
    /// What sort of thing it is; found out unless said.
    pub kind: Option<Kind>,
    /// When to show it; knowledge unless said.
    pub layer: Option<Layer>,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// The task it belongs to.
    pub task: Option<String>,
    /// The memory that it is to be merged with.
    pub merge_with: Option<Name>,
    /// Why it is to be kept beside a memory much like it.
    pub rationale: Option<String>,
}

impl TryFrom<RawFact> for Fact {
    type Error = Malformed;
    fn try_from(raw: RawFact) -> Result<Self, Malformed> {
        Ok(Self {
            fact: required("fact", raw.fact)?,
            citations: cites(raw.citations)?,
            subject: text("subject", raw.subject)?,
            reason: text("reason", raw.reason)?,
            kind: parsed("kind", raw.kind)?,
            layer: parsed("layer", raw.layer)?,
            tags: texts("tags", raw.tags)?,
            task: text("task", raw.task)?,
            merge_with: parsed("merge_with", raw.merge_with)?,
            rationale: text("rationale", raw.rationale)?,
        })
    }
}

/// `memory_revise`, on the wire.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RawRevision {
    id: Option<Value>,
    action: Option<Value>,
    fact: Option<Value>,
    citations: Option<Value>,
    reason: Option<Value>,
}

/// What to do to which memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision {
    /// Which.
    pub memory: Name,
    /// What.
    pub action: Action,
}

/// What to do to a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// It still holds and is of use.
    Refresh,
    /// It was used in a task.
    Apply,
    /// It may leave the quarantine.
    Approve,
    /// It is wrong.
    Invalidate {
        /// Why.
        reason: String,
    },
    /// Something else is so instead.
    Supersede {
        /// What.
        fact: String,
        /// The code that proves it; the old places that still hold unless said.
        citations: Vec<Cite>,
        /// Why.
        reason: Option<String>,
        /// Whether the old one was wrong, or this one is better.
        how: Replacement,
    },
}

impl TryFrom<RawRevision> for Revision {
    type Error = Malformed;
    fn try_from(raw: RawRevision) -> Result<Self, Malformed> {
        let memory = memory_name("id", raw.id)?;
        let word = required("action", raw.action)?;
        let action = match word.as_str() {
            "refresh" => Action::Refresh,
            "apply" => Action::Apply,
            "approve" => Action::Approve,
            "invalidate" => Action::Invalidate {
                reason: required("reason", raw.reason)?,
            },
            "supersede" | "correct" => Action::Supersede {
                fact: required("fact", raw.fact)?,
                citations: cites(raw.citations)?,
                reason: text("reason", raw.reason)?,
                how: if word == "correct" {
                    Replacement::Correction
                } else {
                    Replacement::Better
                },
            },
            _ => {
                let why = "expected refresh, apply, correct, supersede, invalidate or approve";
                return Err(Malformed::new("action", why));
            }
        };
        Ok(Self { memory, action })
    }
}

/// `memory_verify`, on the wire.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RawWhich {
    ids: Option<Value>,
    path: Option<Value>,
}

/// Which memories.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Which {
    /// These; all where there are none.
    pub names: Vec<Name>,
    /// Only those that cite this file or folder.
    pub path: Option<RepoPath>,
}

impl TryFrom<RawWhich> for Which {
    type Error = Malformed;
    fn try_from(raw: RawWhich) -> Result<Self, Malformed> {
        let one = |(at, it): (usize, Value)| memory_name(&format!("ids[{at}]"), Some(it));
        let names = few("ids", raw.ids, MAX_IDS)?
            .into_iter()
            .enumerate()
            .map(one)
            .collect::<Result<_, _>>()?;
        Ok(Self {
            names,
            path: path(raw.path)?,
        })
    }
}

/// `memory_forget`, on the wire.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RawForget {
    id: Option<Value>,
    reason: Option<Value>,
    user_agreed: Option<Value>,
}

/// Which memory to forget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forget {
    /// Which.
    pub memory: Name,
    /// Why.
    pub reason: Option<String>,
    /// Whether the caller says that its user wants it.
    pub is_agreed: bool,
}

impl TryFrom<RawForget> for Forget {
    type Error = Malformed;
    fn try_from(raw: RawForget) -> Result<Self, Malformed> {
        Ok(Self {
            memory: memory_name("id", raw.id)?,
            reason: text("reason", raw.reason)?,
            is_agreed: flag("user_agreed", raw.user_agreed)?,
        })
    }
}
