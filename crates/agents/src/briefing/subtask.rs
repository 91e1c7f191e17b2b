//! What goes with a task to a sub-agent. It has a context of its own and asks for memory as rarely as its parent, and no
//! person watches it; so it gets the few memories that are clearly about its task, with the task.

use apostille_core::{
    Context, CoreError,
    memory::Layer,
    recall::{RecallRequest, RelevanceBar},
};

use super::{Briefing, BriefingAudience, mentioned_paths};

/// How many memories go with a task.
const MAX_TOLD: usize = 3;

impl BriefingAudience<'_> {
    /// When a sub-agent is given a task: what is clearly about it.
    pub fn brief_subtask(&self, cx: &Context, task: &str) -> Result<Briefing, CoreError> {
        let ask = RecallRequest {
            text: task.into(),
            layers: vec![Layer::Knowledge],
            paths: mentioned_paths::find_mentioned_paths(task),
            bar: Some(RelevanceBar::Clear),
            count: Some(MAX_TOLD),
            ..RecallRequest::default()
        };
        self.recall_into_briefing(cx, ask)
    }
}
