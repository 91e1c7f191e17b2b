//! The plain score of the notebook policy: shared words, and a bonus for the last minutes.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::hit::MatchedTerm;
use crate::memory::Memory;

/// Words that say almost nothing about what a memory is about.
const STOPWORDS: &str = "the and for are but not you all can has her was one our out its use how may who did get had \
    him his let say she too own way about could from have into just like make many some than that them then this very \
    when what with will would been each more most much must only also back being come every first here know made need \
    over such take where which while work project please help want using thing file should";

/// The words of a text that count: three characters and more, lower-case, no stopwords.
pub fn split_overlap_words(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let counts =
        |it: &String| it.chars().nth(2).is_some() && !STOPWORDS.split(' ').any(|stop| stop == it);
    words.map(str::to_lowercase).filter(counts).collect()
}

/// The score of a memory against the words of a question, with the words they share; `None` when they share none.
pub fn score_word_overlap(
    memory: &Memory,
    asked: &BTreeSet<String>,
    now: Timestamp,
) -> Option<(f32, Vec<MatchedTerm>)> {
    let matched = |word: &String| MatchedTerm {
        term: word.clone(),
        word: word.clone(),
        is_guess: false,
        is_telling: true,
    };
    let shared: Vec<MatchedTerm> = split_overlap_words(&memory.fact)
        .intersection(asked)
        .map(matched)
        .collect();
    if shared.is_empty() {
        return None;
    }
    let hours = now
        .duration_since(memory.recorded_at)
        .as_secs_f32()
        .max(0.0)
        / 3_600.0;
    Some((shared.len() as f32 + recency_bonus(hours), shared))
}

/// The bonus of a memory of this age in hours.
pub fn recency_bonus(hours: f32) -> f32 {
    (0.1 / hours.max(0.1)).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlap_words_leave_out_stopwords() {
        let check = |text: &str, expected: &str| {
            assert_eq!(
                split_overlap_words(text)
                    .into_iter()
                    .collect::<Vec<_>>()
                    .join(" "),
                expected,
                "{text}"
            );
        };
        check(
            "Use the PostgreSQL-16 on port 5432!",
            "5432 port postgresql",
        );
        check("the and for project please help", "");
        check("go is ok", "");
        check("Deploy deploy DEPLOY", "deploy");
    }

    #[test]
    fn recency_bonus_falls_with_age() {
        let check = |hours: f32, expected: f32| {
            assert!((recency_bonus(hours) - expected).abs() < 1e-6, "{hours}")
        };
        check(0.0, 1.0);
        check(0.1, 1.0);
        check(1.0, 0.1);
        check(10.0, 0.01);
    }
}
