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
//! without having been asked, so a wrong line costs attention in every prompt: there the memory needs two telling words of
//! the prompt, and words that stand in any prompt ("fix", "test", "file") tell nothing. Somebody who asks by hand wants to
//! see what there is, so nothing is left out. Trust is applied before the bar: what is left out for its source makes
//! room for others, and the number of those left out is handed up, because there may be more behind them.

use jiff::Timestamp;

use super::{
    hit::RecallHit,
    query::{RecallQuery, RelevanceBar},
    trust,
};
use crate::{memory::Kind, policy::Scoring};
use apostille_text::terms::QueryTerm;

/// After so many days the advantage of a fresh memory is halved.
const HALF_LIFE_DAYS: f32 = 90.0;
/// How much freshness can add: a strong term was measured to hurt.
const FRESHNESS: f32 = 0.1;
/// How much having been applied can add.
const USEFULNESS: f32 = 0.1;
/// The factor of a memory that cites a file in play.
pub(super) const CITING_AFFINITY: f32 = 1.25;

/// How far behind the best a memory may be where only the best are asked for.
const BEHIND: f32 = 0.25;
/// How much of a find a memory must be to be clearly relevant.
const CLEAR: f32 = 0.5;
/// How many words of the question it must have for that, unless the question has fewer.
const CLEAR_TERMS: usize = 2;
/// A question of at most so many telling words is answered by one of them, where the best are asked for.
const FEW_TERMS: usize = 2;

/// Words of every prompt to a coding agent, which tell nothing of what it is about. As terms, so without their endings.
const EVERYDAY: &str = "add also chang check code command continu creat delet do done edit ensur error explain fail file find first \
    fix follow function go good help implement improv instal issu keep know last let line list look make mean move \
    name need new next note now ok old open option plea problem project put read remov renam replac repo rewrit \
    right run see set show simpl start still stop sure tell test thank thing think time tri understand updat us \
    use user want way work write wrong yes";

/// Ranks the candidates, the best first; ties go to the one refreshed last, then to the higher number. Also how many were
/// left out for what they are, not for what they say: others may be behind them.
pub fn rank_candidates(
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
    let mut hits = trust::admit_trusted_hits(hits, query.count);
    let n_left_out = n - hits.len();
    let best = hits.first().map_or(0.0, |it| it.score);
    hits.retain(|it| is_above_relevance_bar(query, it, best));
    (hits, n_left_out)
}

/// Whether a memory answers as well as was asked for.
fn is_above_relevance_bar(query: &RecallQuery, hit: &RecallHit, best: f32) -> bool {
    let is_near = hit.score >= best * BEHIND;
    match query.bar {
        RelevanceBar::Any => true,
        RelevanceBar::Near => is_near,
        // What is merely recent is there because nothing else was.
        RelevanceBar::Best => {
            is_near && (hit.why.relevance == 0.0 || is_clear_hit(query, hit, FEW_TERMS))
        }
        RelevanceBar::Clear => is_near && is_clear_hit(query, hit, 0),
    }
}

/// Whether a memory has enough telling words of the question: two, or one for a correction or a preference, which is worth
/// more than a fact and has fewer words. One is also enough where the question has only `few`.
fn is_clear_hit(query: &RecallQuery, hit: &RecallHit, few: usize) -> bool {
    let terms = hit.why.terms.iter();
    let n_telling = terms.filter(|it| !is_everyday_term(it)).count();
    // Two words in one, which stand for a name they may be a part of, are not a third word.
    let is_word =
        |it: &&QueryTerm| it.is_content && it.weight >= 1.0 && !is_everyday_term(&it.term);
    let n_asked = query.terms.iter().filter(is_word).count();
    let is_rule = matches!(hit.memory.kind, Kind::Feedback | Kind::User);
    let needed = if is_rule || n_asked <= few {
        1
    } else {
        n_asked.clamp(1, CLEAR_TERMS)
    };
    hit.why.affinity > 1.0 || (hit.why.clarity >= CLEAR && n_telling >= needed)
}

fn is_everyday_term(term: &str) -> bool {
    EVERYDAY.split(' ').any(|it| it == term)
}

fn score_hit(now: Timestamp, query: &RecallQuery, hit: &mut RecallHit) {
    let RecallHit { memory, score, why } = hit;
    if query.scoring == Scoring::Bm25 {
        // From 1 for what was refreshed now, down to 0.9.
        let days = trust::days_since(memory.refreshed_at, now);
        why.recency = 1.0 - FRESHNESS + FRESHNESS * (-days / HALF_LIFE_DAYS).exp2();
        why.trust = trust::compute_trust(memory, now);
        let n_applied = memory.usage.applied as f32;
        why.usefulness = 1.0 + USEFULNESS * (1.0 - 1.0 / (1.0 + n_applied));
        let mut cited = memory.citations.iter().map(|it| &it.path);
        if cited.any(|it| query.paths.contains(it)) {
            why.affinity = CITING_AFFINITY;
        }
    }
    *score = why.relevance * why.recency * why.trust.factor * why.usefulness * why.affinity;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyday_words_are_terms_as_the_analyser_makes_them() {
        let is_term = |word: &&str| {
            apostille_text::terms::extract_query_terms(word)
                .iter()
                .all(|it| !it.is_content || it.term == **word)
        };
        let others: Vec<&str> = EVERYDAY.split(' ').filter(|it| !is_term(it)).collect();
        assert!(others.is_empty(), "{others:?}");
    }
}
