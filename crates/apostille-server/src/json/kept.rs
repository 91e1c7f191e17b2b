//! What became of a draft, and what is left of what was forgotten.

use apostille_core::memory::{Handle, Memory, MemoryId, Status};
use apostille_core::remember::Near;
use apostille_core::space::Space;
use serde::Serialize;

use super::{MemoryView, NearView};

/// What can be done about something that is much like what is known.
const CHOICES: [&str; 3] = ["skip", "merge", "create"];

/// A memory that was kept, or known already.
#[derive(Debug, Clone, Serialize)]
pub struct KeptReply {
    /// Always true.
    pub ok: bool,
    /// What was done.
    pub outcome: &'static str,
    /// The memory.
    pub memory: MemoryView,
    /// Why it waits, where it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending: Option<String>,
    /// Percent of the identity layer in use, where it went there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identity_percent: Option<u8>,
    /// How many of the oldest were retired to make room.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retired: Option<usize>,
    /// What it contradicts, and took the place of by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded: Option<NearView>,
}

impl KeptReply {
    /// Something was done to this memory.
    #[must_use]
    pub fn new(outcome: &'static str, memory: &Memory) -> Self {
        let pending = match &memory.status {
            Status::Pending { why } => Some(why.clone()),
            _ => None,
        };
        let memory = MemoryView::from(memory);
        Self {
            ok: true,
            outcome,
            memory,
            pending,
            identity_percent: None,
            retired: None,
            superseded: None,
        }
    }
}

/// Much the same is known.
#[derive(Debug, Clone, Serialize)]
pub struct SimilarReply {
    /// Whether that was no matter.
    pub ok: bool,
    /// What was done, where that was no matter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<&'static str>,
    /// What is known.
    pub similar: Vec<NearView>,
    /// What can be done about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choices: Option<[&'static str; 3]>,
}

impl SimilarReply {
    /// It is for the caller to choose.
    #[must_use]
    pub fn choose(near: &[Near]) -> Self {
        Self {
            choices: Some(CHOICES),
            ..Self::plain(near)
        }
    }

    /// There is nothing to choose.
    #[must_use]
    pub fn plain(near: &[Near]) -> Self {
        Self {
            ok: false,
            outcome: None,
            similar: near.iter().map(NearView::from).collect(),
            choices: None,
        }
    }

    /// The caller is content with what is known.
    #[must_use]
    pub fn skipped(near: &[Near]) -> Self {
        Self {
            ok: true,
            outcome: Some("skipped"),
            ..Self::plain(near)
        }
    }
}

/// What was forgotten.
#[derive(Debug, Clone, Serialize)]
pub struct ForgetReply {
    /// Whether it was done.
    pub ok: bool,
    /// What was done.
    pub outcome: &'static str,
    /// Which.
    pub memories: Vec<Gone>,
}

/// What is left of a memory: what it was called.
#[derive(Debug, Clone, Serialize)]
pub struct Gone {
    id: String,
    handle: String,
    space: String,
}

impl Gone {
    /// What it was called.
    #[must_use]
    pub fn new(id: MemoryId, handle: Handle, space: &Space) -> Self {
        Self {
            id: id.to_string(),
            handle: handle.to_string(),
            space: space.to_string(),
        }
    }
}

impl From<&Memory> for Gone {
    fn from(it: &Memory) -> Self {
        Self::new(it.id, it.handle(), &it.space)
    }
}
