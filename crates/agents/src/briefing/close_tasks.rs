//! Past tasks that are close to what goes on. Nobody asked for history, and an episode is long, so that some of its words are in
//! many a prompt: one is told only beyond doubt, and with three telling words of the prompt.

use apostille_core::{
    memory::Layer,
    policy::InjectMode,
    recall::{RecallQuery, RecallRequest, RelevanceBar, VerifiedHit},
};
use apostille_text::terms::QueryTerm;

/// How many are told with a prompt.
const MAX_TOLD: usize = 2;
/// How much of a find one must be. With every second labelled prompt kept as a past task, 79 % of those came back when they were
/// asked again with a third of their words left out, and 2.4 % of the other prompts were given one.
const NEEDED_CLARITY: f32 = 3.0;
/// How many words of a prompt or a failure a past task must have.
pub(super) const NEEDED_WORDS_OF_TASK: usize = 3;

/// What is asked beside a prompt that does not ask for history.
pub(super) fn build_task_request(prompt: &str) -> RecallRequest {
    RecallRequest {
        text: prompt.into(),
        layers: vec![Layer::Episode],
        mode: Some(InjectMode::Relevant),
        bar: Some(RelevanceBar::Clear),
        count: Some(MAX_TOLD),
        ..RecallRequest::default()
    }
}

/// Those that are close enough.
pub(super) fn keep_close_tasks(mut tasks: Vec<VerifiedHit>) -> Vec<VerifiedHit> {
    let n_telling = |it: &VerifiedHit| it.hit.why.terms.iter().filter(|it| it.is_telling).count();
    let is_close = |it: &VerifiedHit| it.hit.why.clarity >= NEEDED_CLARITY;
    tasks.retain(|it| is_close(it) && n_telling(it) >= NEEDED_WORDS_OF_TASK);
    tasks
}

/// Whether a memory has so many words of what was asked.
pub(super) fn has_words(hit: &VerifiedHit, needed: usize) -> bool {
    hit.hit.why.terms.len() >= needed
}

/// How many words of a question tell what it is about.
pub(super) fn count_question_words(query: &RecallQuery) -> usize {
    let is_word = |it: &&QueryTerm| it.is_content() && it.weight >= 1.0;
    query.terms.iter().filter(is_word).count()
}
