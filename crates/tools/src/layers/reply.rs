//! What `memory_write` answers, field by field.

use apostille_core::memory::Memory;
use apostille_core::{refusal::Refusal, remember::NearMemory};
use serde::Serialize;

use crate::ToolAnswer;
use apostille_api::{CallFault, json::pending_reason};

/// What became of a write.
#[derive(Default, Serialize)]
pub(super) struct LayerWriteReply {
    /// Whether it was done.
    pub ok: bool,
    /// The memory it was done to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The characters of L0 in use, and how many there may be: `312/1000`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used: Option<String>,
    /// Why it is kept but not in use yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending: Option<String>,
    /// Why it was not done, and the way out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The class of the refusal, such as `identity_full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<&'static str>,
    /// What stands in the way: what fills L0, or what is known already.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub known: Vec<KnownLayerMemory>,
    /// The call that corrects what is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update: Option<SuggestedUpdate>,
}

/// A memory that is there.
#[derive(Serialize)]
pub(super) struct KnownLayerMemory {
    /// Its handle.
    pub id: String,
    /// What it says.
    pub content: String,
    /// `near-duplicate` or `contradiction`, where it was compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relation: Option<&'static str>,
}

/// The arguments of the call that corrects a memory.
#[derive(Serialize)]
pub(super) struct SuggestedUpdate {
    /// Always `update`.
    pub action: &'static str,
    /// The layer.
    pub layer: &'static str,
    /// What is so instead.
    pub content: String,
    /// The memory to correct.
    pub target_id: String,
    /// Words to find it by.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
}

impl From<&Memory> for KnownLayerMemory {
    fn from(it: &Memory) -> Self {
        Self {
            id: it.handle().to_string(),
            content: it.fact.clone(),
            relation: None,
        }
    }
}

impl From<&NearMemory> for KnownLayerMemory {
    fn from(it: &NearMemory) -> Self {
        let relation = Some(it.relation.as_str());
        Self {
            id: it.handle.to_string(),
            content: it.fact.clone(),
            relation,
        }
    }
}

impl LayerWriteReply {
    pub(super) fn from_memory(memory: &Memory) -> Self {
        Self {
            ok: true,
            id: Some(memory.handle().to_string()),
            pending: pending_reason(memory).map(Into::into),
            ..Self::default()
        }
    }

    pub(super) fn from_refusal(refusal: &Refusal) -> Self {
        Self::new_failure(refusal.class(), refusal.to_string())
    }

    pub(super) fn new_failure(class: &'static str, error: impl Into<String>) -> Self {
        Self {
            class: Some(class),
            error: Some(error.into()),
            ..Self::default()
        }
    }

    pub(super) fn to_answer(&self) -> Result<ToolAnswer, CallFault> {
        ToolAnswer::new_reply(self.ok, self)
    }
}
