//! What is stated in passing, by a linear model over the wording of a turn (`wording.rs`). Its weights are trained on labelled
//! sessions of several authors by `bench/cases/train_statements.py`; hand-written patterns did not carry over to new authors.
//!
//! A turn is taken as a whole. What a person says in passing is understood only with what stands beside it: "treat as missing,
//! everywhere" is nothing without the sentence before.

use std::{collections::HashMap, sync::LazyLock};

use super::{
    SortedPhrase, StatementSort,
    english::extract_passing_english,
    lasting::CLEAR_BESIDE_TASK,
    non_statements,
    opening::{SentenceOpening, parse_opening},
    own_sentences::Sentence,
    phrase::{StatementPhrase, parse_statement_phrase},
    sentence_context::{SentenceContext, measure_outcry},
    wording::list_wording_features,
};

/// One feature a line: what it weighs in a prompt, what it weighs at the end of a session, and its name. In thousandths.
const WEIGHTS: &str = include_str!("statement_weights.txt");
static FEATURE_WEIGHTS: LazyLock<HashMap<&'static str, [i32; 2]>> =
    LazyLock::new(|| WEIGHTS.lines().filter_map(parse_weight_line).collect());

/// The longest passage that is quoted, in characters.
const LONGEST: usize = 280;
/// What a neighbour of a statement must score to be quoted with it: less is a mere "thanks".
const BESIDE: i32 = -4_000;

/// What a sentence gains that has the form of a statement by the patterns for that, and one that has it beyond doubt.
const FORM: i32 = 2_200;
const FIRM_FORM: i32 = 4_000;

/// When a turn is looked at: with the prompt, before the agent answered, or when all was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScoringMoment {
    Prompt,
    SessionEnd,
}

impl ScoringMoment {
    /// What a sentence must score. Chosen on authors that the weights were not trained on: at the end of a session, that 94 of 100
    /// turns are found rightly; in a prompt, that ordinary work is interrupted in fewer than three of a hundred prompts.
    fn threshold(self) -> i32 {
        match self {
            Self::Prompt => 100,
            Self::SessionEnd => 200,
        }
    }
}

fn parse_weight_line(line: &'static str) -> Option<(&'static str, [i32; 2])> {
    let mut parts = line.splitn(3, ' ');
    let weights = [parts.next()?.parse().ok()?, parts.next()?.parse().ok()?];
    Some((parts.next()?, weights))
}

/// The part of a turn that states something in passing: its sentences, by their places.
pub(super) fn find_stated_passage(
    sentences: &[Sentence],
    setting: &SentenceContext,
    moment: ScoringMoment,
) -> Option<std::ops::Range<usize>> {
    if setting.is_off_record || sentences.iter().any(non_statements::is_retraction) {
        return None;
    }
    let scores: Vec<i32> = (0..sentences.len())
        .map(|at| score_sentence(sentences, at, setting, moment))
        .collect();
    let best = (0..scores.len()).max_by_key(|at| (scores[*at], std::cmp::Reverse(*at)))?;
    if scores[best] < moment.threshold() {
        return None;
    }
    let length = |range: std::ops::Range<usize>| -> usize {
        sentences[range]
            .iter()
            .map(|it| it.text.chars().count() + 2)
            .sum()
    };
    let (mut from, mut to) = (best, best + 1);
    while from > 0 && scores[from - 1] > BESIDE && length(from - 1..to) <= LONGEST {
        from -= 1;
    }
    while to < scores.len() && scores[to] > BESIDE && length(from..to + 1) <= LONGEST {
        to += 1;
    }
    Some(from..to)
}

/// How much speaks for a sentence, in thousandths of the logarithm of the odds.
fn score_sentence(
    sentences: &[Sentence],
    at: usize,
    setting: &SentenceContext,
    moment: ScoringMoment,
) -> i32 {
    if !is_quotable(&sentences[at]) {
        return i32::MIN;
    }
    // The rules for these openings have the last word.
    let (lead, _) = parse_opening(&sentences[at].lower);
    if matches!(
        lead,
        SentenceOpening::Remember | SentenceOpening::Standing | SentenceOpening::Told
    ) {
        return i32::MIN;
    }
    let features = list_wording_features(sentences, at, setting);
    let form = extract_by_form(&sentences[at], setting).map_or(0, |(weight, _)| match weight {
        CLEAR_BESIDE_TASK.. => FIRM_FORM,
        _ => FORM,
    });
    let weight = |it: &str| FEATURE_WEIGHTS.get(it).map_or(0, |it| it[moment as usize]);
    form + weight("always") + features.iter().map(|it| weight(it)).sum::<i32>()
}

/// What a sentence states by its form, by the patterns for that, and what the form weighs.
fn extract_by_form(sentence: &Sentence, setting: &SentenceContext) -> Option<(i32, SortedPhrase)> {
    let is_clear = !non_statements::is_doubtful_sentence(sentence);
    is_clear.then(|| extract_passing_english(sentence, setting))?
}

/// A passage as a statement: a single plain sentence as it is, everything else in quotation marks.
pub(super) fn phrase_passage(passage: &[Sentence], setting: &SentenceContext) -> SortedPhrase {
    if let [only] = passage
        && let Some((_, sorted)) = extract_by_form(only, setting)
    {
        return sorted;
    }
    let opening = passage.first().map_or(0, |it| measure_outcry(&it.lower));
    let lead = passage.first().map(|it| parse_opening(&it.lower).0);
    let is_put_right = opening > 0
        || setting.is_outcry
        || matches!(
            lead,
            Some(SentenceOpening::No | SentenceOpening::Actually | SentenceOpening::Told)
        );
    let sort = match setting.is_answer && is_put_right {
        true => StatementSort::Correction,
        false => StatementSort::Fact,
    };
    (sort, quote_passage(passage, opening))
}

fn quote_passage(passage: &[Sentence], opening: usize) -> StatementPhrase {
    if let [only] = passage
        && let Some(phrase) = parse_statement_phrase(&only.text[opening..], &only.lower[opening..])
        && phrase.is_clause()
    {
        return phrase;
    }
    let texts: Vec<&str> = passage.iter().map(|it| it.text.as_str()).collect();
    StatementPhrase::Quoted(texts.join(". "))
}

/// Whether a sentence may be quoted as a statement at all.
pub(super) fn is_quotable(sentence: &Sentence) -> bool {
    !non_statements::is_unquotable_sentence(sentence)
}
