//! What a conversation left behind.

use schemars::JsonSchema;
use serde::Serialize;

use super::MemoryView;

/// What was learned from a conversation.
#[derive(Serialize, JsonSchema)]
pub struct LearnedReply {
    /// Always true.
    #[schemars(extend("const" = true))]
    pub ok: bool,
    /// What the person stated for good and nobody remembered; each waits for a person.
    pub proposed: Vec<MemoryView>,
    /// The shown memories that the agent used.
    pub applied: Vec<MemoryView>,
}
