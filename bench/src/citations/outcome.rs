//! What one method came to on all cases.

use std::collections::BTreeMap;

use super::{
    batch::{Batch, Provoked, Question},
    guess::{Answer, Guess},
    method::Method,
    score::Scores,
    watched::Seen,
};

/// How many of the slowest batches are told.
const SLOWEST: usize = 8;
/// How many reasons are told.
const REASONS: usize = 5;

/// Everything that is told about a method.
pub(crate) struct Outcome {
    /// The method.
    pub(crate) method: Method,
    /// How well it did.
    pub(crate) scores: Scores,
    /// How long it took.
    pub(crate) times: Times,
    /// How well it did on parts of the cases.
    pub(crate) parts: Vec<Part>,
    /// What it said where the truth is ambiguous: flagged and not, by the reason.
    pub(crate) ambiguous: BTreeMap<String, [usize; 2]>,
    /// Why answers are unknown: the first few.
    pub(crate) unknown: Vec<String>,
    /// Failed reads that were counted as invalid.
    pub(crate) blamed: Vec<String>,
    /// What came of reads that were made to fail.
    pub(crate) provoked: Provoked,
    /// What the sources were asked in all.
    pub(crate) seen: Seen,
    /// How long all batches took together, in milliseconds.
    pub(crate) total: f64,
    /// The batches that took longest for each citation.
    pub(crate) slowest: Vec<Batch>,
}

/// The cases by some property.
pub(crate) struct Part {
    /// Which property.
    pub(crate) by: &'static str,
    /// How well the method did on the cases with each value of it.
    pub(crate) rows: Vec<(String, Scores)>,
}

type Key = fn(&Question<'_>) -> String;

/// The properties by which cases are parted.
const PARTED: [(&str, Key); 4] = [
    ("label", |it| it.case.label.clone()),
    ("language", |it| it.case.lang.clone()),
    ("distance", |it| it.case.distance()),
    ("repository", |it| it.case.repo.clone()),
];

impl Outcome {
    /// What these answers and batches come to.
    pub(crate) fn of(
        method: Method,
        questions: &[Question<'_>],
        answers: &[Answer],
        batches: &[Batch],
    ) -> Self {
        let pairs = || questions.iter().zip(answers);
        let mine = || batches.iter().filter(|it| it.method == method);
        let mut seen = Seen::default();
        mine().for_each(|it| seen.add(&it.seen));
        let provoked = Provoked {
            failed: mine().map(|it| it.provoked.failed).sum(),
            unknown: mine().map(|it| it.provoked.unknown).sum(),
            blamed: mine().flat_map(|it| it.provoked.blamed.clone()).collect(),
        };
        Self {
            method,
            scores: Scores::of(pairs().map(|(question, answer)| (question.case, answer))),
            times: Times::of(answers.iter().map(|it| it.ms).collect()),
            parts: PARTED
                .iter()
                .map(|(by, key)| part(by, *key, questions, answers))
                .collect(),
            ambiguous: ambiguous(questions, answers),
            unknown: unknown(questions, answers),
            blamed: mine().flat_map(|it| it.blamed.clone()).collect(),
            provoked,
            seen,
            total: mine().map(|it| it.ms).sum(),
            slowest: slowest(mine().cloned().collect()),
        }
    }
}

fn part(by: &'static str, key: Key, questions: &[Question<'_>], answers: &[Answer]) -> Part {
    let mut groups: BTreeMap<(usize, String), Vec<(&Question<'_>, &Answer)>> = BTreeMap::new();
    for (question, answer) in questions.iter().zip(answers) {
        let value = key(question);
        // Numbers in order of their size, and before words.
        let rank = value.parse().unwrap_or(usize::MAX);
        groups
            .entry((rank, value))
            .or_default()
            .push((question, answer));
    }
    let scored = |pairs: Vec<(&Question<'_>, &Answer)>| {
        Scores::of(
            pairs
                .iter()
                .map(|(question, answer)| (question.case, *answer)),
        )
    };
    Part {
        by,
        rows: groups
            .into_iter()
            .map(|((_, value), pairs)| (value, scored(pairs)))
            .collect(),
    }
}

fn ambiguous(questions: &[Question<'_>], answers: &[Answer]) -> BTreeMap<String, [usize; 2]> {
    let mut counts: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    for (question, answer) in questions.iter().zip(answers) {
        if let Some(why) = question.case.ambiguous() {
            counts.entry(why.to_owned()).or_default()[usize::from(!answer.guess.is_flag())] += 1;
        }
    }
    counts
}

fn unknown(questions: &[Question<'_>], answers: &[Answer]) -> Vec<String> {
    let reason = |(question, answer): (&Question<'_>, &Answer)| match &answer.guess {
        Guess::Unknown(why) => Some(format!(
            "{} ({}): {why}",
            question.case.id, question.case.repo
        )),
        Guess::Says(..) => None,
    };
    questions
        .iter()
        .zip(answers)
        .filter_map(reason)
        .take(REASONS)
        .collect()
}

fn slowest(mut batches: Vec<Batch>) -> Vec<Batch> {
    batches.sort_by(|a, b| b.each().total_cmp(&a.each()));
    batches.truncate(SLOWEST);
    batches
}

/// Milliseconds for each citation, counted as the scorer of the cases does.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Times {
    /// Half of them took less.
    pub(crate) p50: f64,
    /// Nineteen of twenty took less.
    pub(crate) p95: f64,
    /// The longest.
    pub(crate) max: f64,
    /// All of them divided evenly.
    pub(crate) mean: f64,
}

impl Times {
    #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
    fn of(mut ms: Vec<f64>) -> Self {
        ms.sort_by(f64::total_cmp);
        let at = |index: usize| ms.get(index).copied().unwrap_or_default();
        let mean = ms.iter().sum::<f64>() / ms.len().max(1) as f64;
        let last = ms.len().saturating_sub(1);
        Self {
            p50: at(ms.len() / 2),
            p95: at(ms.len() * 95 / 100),
            max: at(last),
            mean,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_counted_as_the_scorer_does() {
        let times = Times::of((0..100).rev().map(f64::from).collect());
        assert_eq!(
            (times.p50, times.p95, times.max, times.mean),
            (50.0, 95.0, 99.0, 49.5)
        );
        assert_eq!(Times::of(vec![3.0]).p95, 3.0);
        assert_eq!(Times::of(Vec::new()), Times::default());
    }
}
