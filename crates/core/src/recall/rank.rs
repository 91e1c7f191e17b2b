//! Stage three: one score for each candidate, explainable term by term, in a total order.
//!
//! The score is a product: how well the words match, times small factors for age, use, files in play and trust. A product,
//! because a memory that matches nothing must not be lifted by being fresh, and because each factor can be shown to a
//! person as "times 1.1" (`recall --why`). The factors are kept close to one on purpose: in the retrieval benchmark a strong
//! factor for age made the answers worse, since most of what is asked about was decided long ago.
//!
//! Order is total: score, then the time of the last refresh, then space and number. Two runs over the same store give the
//! same list, which snapshots, caches of prompts and people all rely on. `f32::total_cmp` leaves no pair undecided.
//!
//! Whether a memory is *shown* is another question than which comes first, and it has a bar of its own. A hook speaks
//! without having been asked, so a wrong line costs attention in every prompt. What decides there is how much of a find the
//! shared words are in all ([`ScoreBreakdown::clarity`]), one of which must tell something: on prompts of developers that was
//! measured to part right from wrong better than counting words, and better than weighing them by how common they are. A
//! prompt of few words needs less, a question about the code and a chore need more: they seldom need a memory; and the more
//! memories there are, the more of them share words by chance. Somebody who
//! asks by hand is shown all that is nearly as good as the best. Trust is applied before the bar: what is left out for its
//! source makes room for others, and the number of those left out is handed up, because there may be more behind them.
//!
//! [`ScoreBreakdown::clarity`]: super::hit::ScoreBreakdown::clarity

use jiff::Timestamp;

use super::{
    everyday_words::is_everyday_term,
    hit::{MeaningScore, RecallHit},
    query::{RecallQuery, RelevanceBar},
    trust,
};
use crate::{
    memory::Kind,
    policy::{InjectMode, Scoring},
};
use apostille_text::terms::{QueryTerm, TermRole};

/// After so many days the advantage of a fresh memory is halved.
const HALF_LIFE_DAYS: f32 = 90.0;
/// How much freshness can add: a strong term was measured to hurt.
const FRESHNESS: f32 = 0.03;
/// How much having been applied can add.
const USEFULNESS: f32 = 0.1;
/// The factor of a memory that cites a file in play.
pub(super) const CITING_AFFINITY: f32 = 1.25;

/// How far behind the best a memory may be that is shown to somebody who asked.
const NEAR: f32 = 0.15;
/// How near in meaning a memory must be that shares no telling word with the question.
const NEAR_MEANING: f32 = 0.35;
/// How far behind the best a memory may be that is shown unasked.
const CLOSE: f32 = 0.4;
/// How much of a find a memory must be to be shown for what was ordered: orders meet conventions.
const LIKELY: f32 = 2.0;
/// How much of a find a memory must be to be clearly relevant.
const CLEAR: f32 = 2.1;
/// How much of a find a memory must be to be relevant beyond doubt.
const CERTAIN: f32 = 4.4;
/// What a question of few words needs instead: so much, and so much for each word.
const FEW_WORDS_NEED: f32 = 0.3;
const NEED_PER_WORD: f32 = 0.35;
/// How much of a find a rule or a preference is by the one word of an order that tells something: it has fewer words than a fact
/// and is worth more. "now install everything with npm" needs "pnpm, not npm".
const ONE_WORD: f32 = 0.9;
/// How much of what the best needs is enough beside it: a prompt that one memory answers is about what is remembered, and
/// seldom about one memory alone.
const BESIDE: f32 = 0.6;

/// Ranks the candidates, the best first; ties go to the one refreshed last, then to the higher number. Also how many were
/// left out for what they are, not for what they say: others may be behind them.
pub fn rank_candidates(
    now: Timestamp,
    query: &RecallQuery,
    hits: Vec<RecallHit>,
) -> (Vec<RecallHit>, usize) {
    let (mut hits, n_left_out) = rank_recent_candidates(now, query, hits);
    retain_above_bar(query, &mut hits);
    (hits, n_left_out)
}

/// The same for memories that are there because they are recent: no bar is held against what they say.
pub(super) fn rank_recent_candidates(
    now: Timestamp,
    query: &RecallQuery,
    mut hits: Vec<RecallHit>,
) -> (Vec<RecallHit>, usize) {
    for hit in &mut hits {
        score_hit(now, query, hit);
    }
    hits.sort_by(|a, b| {
        let by_score = b.score.total_cmp(&a.score);
        let by_time = b.memory.refreshed_at.cmp(&a.memory.refreshed_at);
        let by_space = a.memory.space.cmp(&b.memory.space);
        let by_number = b.memory.number.cmp(&a.memory.number);
        by_score.then(by_time).then(by_space).then(by_number)
    });
    let n = hits.len();
    let hits = trust::admit_trusted_hits(hits, query.count, now);
    let n_left_out = n - hits.len();
    (hits, n_left_out)
}

/// Keeps the memories that answer as well as was asked for.
fn retain_above_bar(query: &RecallQuery, hits: &mut Vec<RecallHit>) {
    if query.mode != InjectMode::Relevant || query.scoring == Scoring::Overlap {
        return;
    }
    let best = hits.first().map_or(0.0, |it| it.score);
    let cites_file = |it: &RecallHit| it.why.affinity > 1.0;
    match query.bar {
        RelevanceBar::Any => (),
        RelevanceBar::Near => hits.retain(|it| {
            cites_file(it) || (it.score >= best * NEAR && is_about_question(query, it))
        }),
        RelevanceBar::Likely | RelevanceBar::Clear | RelevanceBar::Certain => {
            let is_close = |it: &RecallHit| it.score >= best * CLOSE;
            let has_find = hits
                .iter()
                .any(|it| is_close(it) && is_find(query, it, 1.0));
            let is_shown = |it: &RecallHit| has_find && is_close(it) && is_find(query, it, BESIDE);
            hits.retain(|it| cites_file(it) || is_shown(it));
        }
    }
}

/// Whether a memory has a word that tells what the question is about, or one of a question that has no such word.
fn is_about_question(query: &RecallQuery, hit: &RecallHit) -> bool {
    let has_guess = hit.why.terms.iter().any(|it| it.is_guess);
    let is_near = |it: MeaningScore| it.cosine >= NEAR_MEANING;
    hit.why.has_telling_term()
        || has_guess
        || hit.why.meaning.is_some_and(is_near)
        || count_telling_words(query) == 0
}

fn count_telling_words(query: &RecallQuery) -> usize {
    let is_telling = |it: &&QueryTerm| it.role == TermRole::Content && !is_everyday_term(&it.term);
    query.terms.iter().filter(is_telling).count()
}

/// Whether a memory is so much of a find that it may be shown unasked, or this share of it.
fn is_find(query: &RecallQuery, hit: &RecallHit, share: f32) -> bool {
    let is_rule = matches!(hit.memory.kind, Kind::Feedback | Kind::User);
    let is_one_word = is_rule && count_telling_words(query) == 1;
    let needed = match is_one_word && query.bar != RelevanceBar::Certain {
        true => ONE_WORD,
        false => find_needed_clarity(query),
    };
    hit.why.clarity >= needed * share && hit.why.has_telling_term()
}

/// How much of a find a memory must be for this question: less for one of few words, which has no more to be found by.
fn find_needed_clarity(query: &RecallQuery) -> f32 {
    let few = FEW_WORDS_NEED + NEED_PER_WORD * query.count_words() as f32;
    match query.bar {
        RelevanceBar::Certain => CERTAIN.min(few * CERTAIN / CLEAR),
        RelevanceBar::Likely => LIKELY.min(few),
        _ => CLEAR.min(few),
    }
}

fn score_hit(now: Timestamp, query: &RecallQuery, hit: &mut RecallHit) {
    let RecallHit { memory, score, why } = hit;
    if query.scoring == Scoring::Bm25 {
        // From 1 for what was refreshed now, down to 0.9.
        let days = trust::days_since(memory.refreshed_at, now);
        why.recency = 1.0 - FRESHNESS + FRESHNESS * (-days / HALF_LIFE_DAYS).exp2();
        why.trust = trust::compute_trust(memory);
        let n_applied = memory.usage.applied as f32;
        why.usefulness = 1.0 + USEFULNESS * (1.0 - 1.0 / (1.0 + n_applied));
        let mut cited = memory.citations.iter().map(|it| &it.path);
        if cited.any(|it| query.paths.contains(it)) {
            why.affinity = CITING_AFFINITY;
        }
    }
    *score = why.relevance * why.recency * why.trust.factor * why.usefulness * why.affinity;
}
