//! What programs are answered with: one object each, described in docs/json.md. Fields are only added.
//!
//! `--json` on the command line and the API have these shapes in common, so whoever can read the one can read the other.
//! Each is declared once, as a struct: serde writes it, and its derived `JsonSchema` is what the OpenAPI document tells.

mod audit;
mod change_reason;
mod details;
mod impact;
mod import;
mod learned;
mod log;
mod memory;
mod recall_verify;
mod record_schemas;
mod remember_forget;
mod replica;
mod report;
mod review_queue;
mod said;
mod session;
mod stats;
mod task;
pub(crate) mod text_schema;

pub use audit::AuditReply;
pub use change_reason::{
    ChangeReasonReply, ChangeView, TracedMemoryView, TracedPromptView, TracedQuoteView,
    TracedSessionView, TracedTaskView,
};
pub use details::{MemoryDetails, MemoryDetailsReply};
pub use details::{find_replacements, read_memory_history};
pub use impact::ImpactReply;
pub use import::ImportReply;
pub use learned::LearnedReply;
pub use log::{EventView, LogReply, build_event_views, read_event_handles};
pub use memory::{MemoryView, NearView, ScoreView, VerdictView, build_memory_views};
pub use recall_verify::{RecallReply, VerifyReply};
pub use remember_forget::{
    ForgetReply, ForgottenView, KeptReply, RememberReply, SimilarReply, SkippedReply, WhenSimilar,
    pending_reason,
};
pub use replica::{ReplicaPartView, ReplicaReply, TakenLinesReply};
pub use report::ReportReply;
pub use review_queue::{QueueReply, count_queued_memories};
pub use said::SaidReply;
pub use session::{
    MomentView, SessionReply, SessionRow, SessionsReply, ShownMemoryView, count_session_turns,
};
pub use stats::{BreakerView, BreakersReply, SpaceRow, SpaceStatsView, SpacesReply, StatsReply};
pub use task::{TaskReply, TaskView, TasksReply, find_left_open_episodes};

use apostille_core::refusal::Refusal;
use apostille_text::secrets::mask_secrets;
use schemars::JsonSchema;
use serde::Serialize;

/// Why something was turned away.
#[derive(Serialize, JsonSchema)]
pub struct RefusalView {
    class: &'static str,
    message: String,
}

impl From<&Refusal> for RefusalView {
    fn from(it: &Refusal) -> Self {
        Self {
            class: it.class(),
            message: mask_secrets(&it.to_string()).into_owned(),
        }
    }
}

/// Something was turned away.
#[derive(Serialize, JsonSchema)]
pub struct RefusedReply {
    /// Always false.
    #[schemars(extend("const" = false))]
    ok: bool,
    /// What was wrong, and the way out.
    refused: RefusalView,
}

impl RefusedReply {
    /// What only one face turns away.
    pub fn new(class: &'static str, message: String) -> Self {
        let refused = RefusalView { class, message };
        Self { ok: false, refused }
    }
}

impl From<&Refusal> for RefusedReply {
    fn from(it: &Refusal) -> Self {
        let refused = RefusalView::from(it);
        Self { ok: false, refused }
    }
}

/// The request could not be answered.
#[derive(Serialize, JsonSchema)]
pub struct ErrorReply {
    /// Always false.
    #[schemars(extend("const" = false))]
    ok: bool,
    error: ErrorView,
}

/// What went wrong.
#[derive(Serialize, JsonSchema)]
pub struct ErrorView {
    message: String,
}

impl ErrorReply {
    /// This went wrong.
    pub fn new(message: String) -> Self {
        Self {
            ok: false,
            error: ErrorView { message },
        }
    }
}

/// Memories that were asked for.
#[derive(Serialize, JsonSchema)]
pub struct MemoriesReply {
    /// Always true.
    #[schemars(extend("const" = true))]
    pub ok: bool,
    /// The memories.
    pub memories: Vec<MemoryView>,
    /// What to say as `after` to read on, where there is more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// Memories that something was done to.
#[derive(Serialize, JsonSchema)]
pub struct RevisedReply {
    /// Always true.
    #[schemars(extend("const" = true))]
    pub ok: bool,
    /// What was done.
    pub outcome: &'static str,
    /// The memories.
    pub memories: Vec<MemoryView>,
}
