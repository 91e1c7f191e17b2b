//! What programs are answered with: one object each, described in docs/json.md. Fields are only added.
//!
//! `--json` on the command line and the API have these shapes in common, so whoever can read the one can read the other.

mod audit;
mod found;
mod imported;
mod kept;
mod log;
mod memory;
mod queue;
mod report;
mod session;
mod stats;
mod task;
mod whole;

pub use audit::AuditReply;
pub use found::{RecallReply, VerifyReply};
pub use imported::ImportReply;
pub use kept::{ForgetReply, Gone, KeptReply, SimilarReply};
pub use log::{EventView, LogReply, handles, viewed};
pub use memory::{MemoryView, NearView, VerdictView, WhyView, views};
pub use queue::{QueueReply, n_waiting};
pub use report::ReportReply;
pub use session::{LineView, MomentView, SessionReply, SessionRow, SessionsReply, n_turns};
pub use stats::{BreakersReply, SpaceView, StatsReply, TripView};
pub use task::{TaskReply, TaskView, TasksReply, left_open};
pub use whole::{Whole, WholeReply};

use apostille_core::refusal::Refusal;
use apostille_text::secrets::masked;
use serde::Serialize;

/// Why something was turned away.
#[derive(Debug, Clone, Serialize)]
pub struct RefusalView {
    class: &'static str,
    message: String,
}

impl RefusalView {
    /// What only one face turns away.
    pub(crate) fn new(class: &'static str, message: String) -> Self {
        Self { class, message }
    }
}

impl From<&Refusal> for RefusalView {
    fn from(it: &Refusal) -> Self {
        Self {
            class: it.class(),
            message: masked(&it.to_string()).into_owned(),
        }
    }
}

/// `{"ok": false, "refused": …}`.
#[derive(Debug, Clone, Serialize)]
pub struct Refused {
    /// Always false.
    pub ok: bool,
    /// What was wrong.
    pub refused: RefusalView,
}

/// Memories that something was done to, or that were asked for.
#[derive(Debug, Clone, Serialize)]
pub struct Memories {
    /// Whether it went well.
    pub ok: bool,
    /// What was done, where something was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<&'static str>,
    /// The memories.
    pub memories: Vec<MemoryView>,
}
