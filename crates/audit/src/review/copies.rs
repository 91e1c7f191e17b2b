//! Which memories say nearly the same: words compared, values equal.

use std::collections::HashMap;

use crate::count_words;
use apostille_core::memory::Memory;
use apostille_text::{
    literals,
    overlap::{collect_distinct_words, measure_jaccard_overlap, normalise_fact},
};

/// For each memory the place of the first one that says nearly the same; its own place where none does.
///
/// Two texts that share so many words share one of their rarest, so only those are compared that do.
pub fn find_copy_leaders(memories: &[&Memory], threshold: f32) -> Vec<usize> {
    let texts: Vec<String> = memories
        .iter()
        .map(|it| normalise_fact(it.subject.as_deref(), &it.fact))
        .collect();
    let sets: Vec<Vec<&str>> = texts.iter().map(|it| collect_distinct_words(it)).collect();
    let literals: Vec<_> = memories
        .iter()
        .map(|it| literals::extract_literals(&it.fact))
        .collect();
    let common = count_words(sets.iter().flatten().copied());
    let mut seen: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut leaders: Vec<usize> = Vec::with_capacity(memories.len());
    for at in 0..memories.len() {
        let rarest = pick_rarest_words(&sets[at], &common, threshold);
        let is_copy = |other: &usize| {
            let (a, b) = (memories[at], memories[*other]);
            (&a.space, a.layer, a.task_or_session()) == (&b.space, b.layer, b.task_or_session())
                && literals[at] == literals[*other]
                && measure_jaccard_overlap(&sets[at], &sets[*other]) >= threshold
        };
        let known = rarest
            .iter()
            .filter_map(|it| seen.get(it))
            .flatten()
            .copied();
        let leader = known.filter(is_copy).min();
        // Only those that lead are compared with what follows: a chain of small steps is no copy.
        if leader.is_none() {
            rarest
                .iter()
                .for_each(|it| seen.entry(it).or_default().push(at));
        }
        leaders.push(leader.unwrap_or(at));
    }
    leaders
}

/// As many of the rarest words as two texts that are alike must share one of.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a text has few words"
)]
fn pick_rarest_words<'t>(
    set: &[&'t str],
    common: &HashMap<&str, usize>,
    threshold: f32,
) -> Vec<&'t str> {
    let shared = (set.len() as f32 * threshold.clamp(0.0, 1.0)).floor() as usize;
    let mut words = set.to_vec();
    words.sort_by_key(|it| (common.get(it).copied().unwrap_or(0), *it));
    words.truncate(set.len() - shared.min(set.len()) + 1);
    words
}
