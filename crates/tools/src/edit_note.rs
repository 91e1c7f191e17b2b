//! What is told beside the answer of any tool: memories that an edit of the same session made untrue, once.

use apostille_agents::{
    briefing::{Briefing, BriefingAudience, EditReview, list_settled_files},
    session::AgentSession,
};
use apostille_api::Caller;
use apostille_cite::citation::RepoPath;
use apostille_core::{
    Context,
    recall::{VerifiedHit, render::sanitize_line},
    repair_text::{RepairCall, RepairForm},
    standing_text::StandingView,
};
use serde::Serialize;
use serde_json::Value;

use crate::ToolAnswer;

/// A memory that an edit made untrue.
#[derive(Serialize)]
struct StaleMemory {
    id: String,
    fact: String,
    /// How it stands, where, and what was replaced there.
    standing: String,
    /// The arguments of `memory_revise` that put it right.
    #[serde(skip_serializing_if = "Option::is_none")]
    memory_revise: Option<Value>,
    /// The command that does it, where these tools have no such one.
    #[serde(skip_serializing_if = "Option::is_none")]
    shell: Option<String>,
}

impl StaleMemory {
    fn new(it: &VerifiedHit, calls: RepairForm) -> Self {
        let view = StandingView::from(it);
        let mut memory = it.hit.memory.clone();
        memory.withhold_secret();
        let call = RepairCall::suggest(&view);
        let is_tool = calls == RepairForm::Tool;
        Self {
            id: memory.handle().to_string(),
            fact: sanitize_line(&memory.fact),
            standing: sanitize_line(&view.describe()),
            memory_revise: call
                .as_ref()
                .filter(|_| is_tool)
                .map(RepairCall::tool_arguments),
            shell: call.filter(|_| !is_tool).map(|it| it.shell_line()),
        }
    }
}

/// The answer with what the session's edits made untrue, where something is due. What goes wrong costs nobody the answer.
pub(crate) fn add_edit_note(
    cx: &Context,
    caller: &Caller,
    answer: ToolAnswer,
    can_revise: bool,
) -> ToolAnswer {
    let Some((session, activity)) = caller.session.zip(caller.activity) else {
        return answer;
    };
    let calls = match can_revise {
        true => RepairForm::Tool,
        false => RepairForm::Shell,
    };
    let mut made = Briefing::default();
    let written = activity.review_edits(session, &mut |session, edited, entry| {
        made = brief_edits(cx, caller, session, edited, &mut entry.judged, calls);
        entry.shown = made.list_shown();
        entry.withheld = made.list_withheld();
    });
    // What could not be written down would be told again and again.
    if written.is_err() || made.worse.is_empty() {
        return answer;
    }
    // Nobody can be told here that the log failed.
    let _ = made.log_recall(cx);
    let stale = made.worse.iter();
    let stale: Vec<StaleMemory> = stale.map(|it| StaleMemory::new(it, calls)).collect();
    answer.with_field("stale", &stale, &made.text)
}

/// What the session is told about the files that it edited.
fn brief_edits(
    cx: &Context,
    caller: &Caller,
    session: &AgentSession,
    edited: &[RepoPath],
    judged: &mut Vec<RepoPath>,
    calls: RepairForm,
) -> Briefing {
    let review = EditReview {
        repo: caller.repo,
        session,
        edited,
        earlier: None,
    };
    let Ok(worse) = review.find_worse_memories(cx) else {
        return Briefing::default();
    };
    let audience = BriefingAudience {
        repo: caller.repo,
        user: caller.user.unwrap_or(caller.repo),
        session,
        worse: &worse,
    };
    let made = audience.brief_worse_with_calls(cx, calls);
    *judged = list_settled_files(edited, &worse, &made.worse);
    made
}
