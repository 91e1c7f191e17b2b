//! When a command fails: what is known about it, from facts and from past tasks.
//!
//! Nobody asked, and the agent has the error before it, so the bar is high: a memory shares two words with the command and
//! its errors beside the program's name and the words of every failure, a past task shares three, because it has more of
//! them. Nothing of the output is written down: the log of the recall has a fixed text in place of the question.

use apostille_core::{
    Context, CoreError,
    memory::Layer,
    policy::InjectMode,
    recall::{RecallQuery, RecallRequest, RelevanceBar, VerifiedHit},
};

use crate::hook::failure::FailedCommand;

use super::{
    Briefing, BriefingAudience,
    close_tasks::{NEEDED_WORDS_OF_TASK, count_question_words, has_words},
    page::{self, BriefingPage},
};

/// What stands above what is known about a command that failed.
pub const FAILED: &str = "Known about the command that just failed:";
/// How many memories are told at most.
const MAX_TOLD: usize = 2;
/// How many are recalled, of which those that are about the failure are told.
const MAX_RECALLED: usize = 8;
/// How many words of the failure a memory must have, unless the failure has fewer.
const NEEDED_WORDS: usize = 2;
/// What the log has in place of the question.
const LOGGED_QUESTION: &str = "(a command that failed)";

impl BriefingAudience<'_> {
    /// When a command has failed: at most two memories about it.
    pub fn brief_failed_command(
        &self,
        cx: &Context,
        failed: &FailedCommand,
    ) -> Result<Briefing, CoreError> {
        let Some(mut page) = BriefingPage::from_policy(cx.policy, self.session) else {
            return Ok(Briefing::default());
        };
        let worse = page.push_worse_in_half(self.worse);
        let ask = RecallRequest {
            text: failed.question.clone(),
            layers: vec![Layer::Knowledge, Layer::Episode],
            mode: Some(InjectMode::Relevant),
            count: Some(MAX_RECALLED),
            bar: Some(RelevanceBar::Clear),
            ..RecallRequest::default()
        };
        let (query, recalled) = self.recall_for_page(cx, &page, ask, &worse)?;
        let mut shown = recalled.shown;
        shown.retain(|it| is_about_failure(&query, it));
        shown.truncate(MAX_TOLD);
        let n_told = page.push_section(FAILED, shown.iter().map(page::format_hit));
        shown.truncate(n_told);
        if shown.is_empty() {
            return Ok(self.brief_worse_memories(cx));
        }
        Ok(Briefing {
            text: page.into_text(),
            shown,
            worse,
            query: Some(RecallQuery {
                text: LOGGED_QUESTION.into(),
                ..query
            }),
            ..Briefing::default()
        })
    }
}

/// Whether a memory has enough words of the failure.
fn is_about_failure(query: &RecallQuery, hit: &VerifiedHit) -> bool {
    let needed = match hit.hit.memory.layer {
        Layer::Episode => NEEDED_WORDS_OF_TASK,
        _ => NEEDED_WORDS.min(count_question_words(query)),
    };
    has_words(hit, needed)
}
