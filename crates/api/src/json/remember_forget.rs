//! What became of a draft, and what is left of what was forgotten.

use apostille_core::memory::{Handle, Memory, MemoryId, Status};
use apostille_core::{
    remember::{NearMemory, RememberOutcome},
    space::Space,
};
use schemars::{JsonSchema, Schema};
use serde::Serialize;

use super::{
    MemoryView, NearView, RefusedReply,
    text_schema::{TextEncoded, TextSchema, build_enum_schema},
};

/// What can be done about something that is much like what is known.
const CHOICES: [&str; 3] = ["skip", "merge", "create"];

/// What became of a draft: the one JSON view of a [`RememberOutcome`].
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub enum RememberReply {
    /// It is kept, or was known already.
    Kept(Box<KeptReply>),
    /// Much the same is known, and the caller is content with that.
    Skipped(SkippedReply),
    /// Much the same is known, so it is not kept.
    Similar(SimilarReply),
    /// It was turned away.
    Refused(RefusedReply),
}

/// What is answered where much the same is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhenSimilar {
    /// What is known, with what the caller can choose.
    Choose,
    /// What is known; the verb has nothing to choose.
    Tell,
    /// That nothing had to be done.
    Skip,
}

impl RememberReply {
    /// What became of a draft. `word` is what was done where it is kept, and `view` shows the memory.
    pub fn new(
        word: &'static str,
        outcome: &RememberOutcome,
        when: WhenSimilar,
        view: impl FnOnce(&Memory) -> MemoryView,
    ) -> Self {
        match outcome {
            RememberOutcome::Remembered {
                memory,
                identity_percent,
                retired,
                superseded,
                beside,
            } => Self::Kept(Box::new(KeptReply {
                identity_percent: *identity_percent,
                retired: (*retired > 0).then_some(*retired),
                superseded: superseded.as_ref().map(NearView::from),
                beside: beside.map(|it| it.to_string()),
                ..KeptReply::new(word, memory, view(memory))
            })),
            RememberOutcome::Refreshed { memory } => {
                Self::Kept(Box::new(KeptReply::new("refreshed", memory, view(memory))))
            }
            RememberOutcome::Similar { near } => Self::from_similar(near, when),
            RememberOutcome::Refused(refusal) => Self::Refused(RefusedReply::from(refusal)),
        }
    }

    /// What is answered where much the same is known.
    pub fn from_similar(near: &[NearMemory], when: WhenSimilar) -> Self {
        let similar = near.iter().map(NearView::from).collect();
        if when == WhenSimilar::Skip {
            return Self::Skipped(SkippedReply {
                ok: true,
                outcome: "skipped",
                similar,
            });
        }
        Self::Similar(SimilarReply {
            ok: false,
            similar,
            choices: (when == WhenSimilar::Choose).then_some(CHOICES),
        })
    }
}

/// A memory that was kept, or known already.
#[derive(Serialize, JsonSchema)]
pub struct KeptReply {
    /// Always true.
    #[schemars(extend("const" = true))]
    ok: bool,
    /// What was done.
    outcome: &'static str,
    memory: MemoryView,
    /// Why it waits for a person, where it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pending: Option<String>,
    /// Percent of the identity layer in use, where it went there.
    #[serde(skip_serializing_if = "Option::is_none")]
    identity_percent: Option<u8>,
    /// How many of the oldest were retired to make room.
    #[serde(skip_serializing_if = "Option::is_none")]
    retired: Option<usize>,
    /// What it contradicts, and took the place of by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    superseded: Option<NearView>,
    /// The memory that it is kept beside, and takes the place of once the default branch has the code that it cites.
    #[serde(skip_serializing_if = "Option::is_none")]
    beside: Option<String>,
}

impl KeptReply {
    fn new(outcome: &'static str, memory: &Memory, view: MemoryView) -> Self {
        Self {
            ok: true,
            outcome,
            memory: view,
            pending: pending_reason(memory).map(Into::into),
            identity_percent: None,
            retired: None,
            superseded: None,
            beside: None,
        }
    }
}

/// Why a memory is kept but not in use yet.
pub fn pending_reason(memory: &Memory) -> Option<&str> {
    match &memory.status {
        Status::Pending { why } => Some(why),
        _ => None,
    }
}

/// Much the same is known, and that is no matter.
#[derive(Serialize, JsonSchema)]
pub struct SkippedReply {
    /// Always true.
    #[schemars(extend("const" = true))]
    ok: bool,
    /// What was done.
    outcome: &'static str,
    /// What is known.
    similar: Vec<NearView>,
}

/// Much the same is known, so it is not kept.
#[derive(Serialize, JsonSchema)]
pub struct SimilarReply {
    /// Always false.
    #[schemars(extend("const" = false))]
    ok: bool,
    /// What is known.
    similar: Vec<NearView>,
    /// What can be said to have it all the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "[TextEncoded<ChoiceWord>; 3]")]
    choices: Option<[&'static str; 3]>,
}

struct ChoiceWord;

impl TextSchema for ChoiceWord {
    fn text_schema() -> Schema {
        build_enum_schema(CHOICES)
    }
}

/// What was forgotten.
#[derive(Serialize, JsonSchema)]
pub struct ForgetReply {
    /// Whether it was done.
    #[schemars(extend("const" = true))]
    pub ok: bool,
    /// What was done.
    pub outcome: &'static str,
    /// Which.
    pub memories: Vec<ForgottenView>,
}

/// What is left of a memory: what it was called.
#[derive(Serialize, JsonSchema)]
pub struct ForgottenView {
    id: String,
    handle: String,
    space: String,
}

impl ForgottenView {
    /// What it was called.
    pub fn new(id: MemoryId, handle: Handle, space: &Space) -> Self {
        Self {
            id: id.to_string(),
            handle: handle.to_string(),
            space: space.as_str().to_owned(),
        }
    }
}

impl From<&Memory> for ForgottenView {
    fn from(it: &Memory) -> Self {
        Self::new(it.id, it.handle(), &it.space)
    }
}
