//! Which records answer a question.
//!
//! A whole conversation is ranked, not its passages: the question shares its words with the turn in which the trouble was told,
//! and the decision stands turns later in other words (of 33 decisions that were looked for, 30 were found by the first turn).

use std::collections::BTreeSet;

use apostille_text::terms::{QueryTerm, TermRole, extract_query_terms};

use super::{Archive, ArchiveFilter, ArchiveKind, ArchiveRecord, ArchiveScope};
use crate::{
    recall::{bm25, is_everyday_term, measure_breadth},
    space::Space,
    store::{Postings, StoreResult},
};

/// How much a word of every prompt counts.
const EVERYDAY: f32 = 0.3;
/// How much having all words of the question adds to having few of them.
const COORDINATION: f32 = 0.5;
/// How many terms of a question are looked up.
const MAX_TERMS: usize = 96;

/// A question to the archive.
#[derive(Debug, Clone, PartialEq)]
pub struct ArchiveQuery<'a> {
    /// In which repository.
    pub space: &'a Space,
    /// Conversations or commits.
    pub kind: ArchiveKind,
    /// The words.
    pub text: &'a str,
    /// What a record must be.
    pub filter: ArchiveFilter,
    /// At most so many.
    pub count: usize,
}

/// A record that answers.
#[derive(Debug, Clone, PartialEq)]
pub struct ArchiveHit {
    /// The record.
    pub record: ArchiveRecord,
    /// How well it answers.
    pub score: f32,
    /// How much of a find it is, as for memories: 1 is about one word that no other record has.
    pub clarity: f32,
    /// The words of the question that tell something and that it has.
    pub words: Vec<String>,
}

impl ArchiveHit {
    /// Whether nothing was asked that could be looked up: it is there because it is the latest.
    pub fn is_unasked(&self) -> bool {
        self.words.is_empty() && self.score == 0.0
    }
}

/// The words of a question that say what it is about, as they are looked up.
struct AskedTerm {
    asked: QueryTerm,
    is_telling: bool,
}

/// The records that answer a question, the best first; without words the latest.
pub fn search_archive(
    archive: &dyn Archive,
    query: &ArchiveQuery<'_>,
) -> StoreResult<Vec<ArchiveHit>> {
    let scope = ArchiveScope {
        space: query.space,
        kind: query.kind,
    };
    let terms = list_asked_terms(query.text);
    if terms.is_empty() {
        return list_latest(archive, scope, query);
    }
    let names: Vec<String> = terms.iter().map(|it| it.asked.term.clone()).collect();
    let corpus = archive.read_postings(scope, &names)?;
    let mut scored = score_records(&corpus, &terms);
    if !query.filter.is_empty() {
        let admitted = archive.list_records(scope, &query.filter, usize::MAX)?;
        let admitted: BTreeSet<u64> = admitted.into_iter().collect();
        scored.retain(|it| admitted.contains(&it.0));
    }
    scored.truncate(query.count);
    let numbers: Vec<u64> = scored.iter().map(|it| it.0).collect();
    let records = archive.read_records(&numbers)?.into_iter();
    let hits = records.map(|record| {
        let scored = scored.iter().find(|it| it.0 == record.number);
        let (clarity, words) = measure_clarity(&corpus, &terms, record.number);
        ArchiveHit {
            score: scored.map_or(0.0, |it| it.1),
            record,
            clarity,
            words,
        }
    });
    Ok(hits.collect())
}

fn list_latest(
    archive: &dyn Archive,
    scope: ArchiveScope<'_>,
    query: &ArchiveQuery<'_>,
) -> StoreResult<Vec<ArchiveHit>> {
    let numbers = archive.list_records(scope, &query.filter, query.count)?;
    let records = archive.read_records(&numbers)?.into_iter();
    let hit = |record| ArchiveHit {
        record,
        score: 0.0,
        clarity: 0.0,
        words: Vec::new(),
    };
    Ok(records.map(hit).collect())
}

fn list_asked_terms(text: &str) -> Vec<AskedTerm> {
    let all = extract_query_terms(text).into_iter();
    let content = all.filter(|it| it.role == TermRole::Content);
    let asked = content.take(MAX_TERMS).map(|mut asked| {
        let is_telling = !is_everyday_term(&asked.term);
        // What a question repeats, as pasted output does, is one word.
        asked.weight = asked.weight.min(1.0) * if is_telling { 1.0 } else { EVERYDAY };
        AskedTerm { asked, is_telling }
    });
    asked.collect()
}

fn score_records(corpus: &Postings, terms: &[AskedTerm]) -> Vec<(u64, f32)> {
    let lists = terms.iter().zip(&corpus.lists);
    let weighed = lists.map(|(term, postings)| bm25::WeighedPostings {
        weight: term.asked.weight,
        is_counted: term.is_telling,
        postings,
    });
    let weighed: Vec<_> = weighed.collect();
    let n_asked = terms.iter().filter(|it| it.is_telling).count().max(1) as f32;
    let found = bm25::score_bm25(corpus, &weighed).into_iter();
    let found = found.filter(|(_, it)| it.n_counted > 0);
    let mut scored: Vec<(u64, f32)> = found
        .map(|(number, it)| {
            let share = f32::from(it.n_counted) / n_asked;
            (number, it.score * (1.0 + COORDINATION * share))
        })
        .collect();
    scored.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
    scored
}

/// How much of a find a record is, and the telling words that it has.
fn measure_clarity(corpus: &Postings, terms: &[AskedTerm], number: u64) -> (f32, Vec<String>) {
    let rarest = bm25::rarest_term_score(corpus);
    let (mut sum, mut words) = (0.0, Vec::new());
    let telling = terms.iter().zip(&corpus.lists);
    for (term, postings) in telling.filter(|(it, _)| it.is_telling) {
        let Ok(at) = postings.binary_search_by_key(&number, |it| it.number) else {
            continue;
        };
        let worth = bm25::score_posting(corpus, term.asked.weight, postings.len(), &postings[at]);
        sum += worth / rarest;
        words.push(term.asked.word.clone());
    }
    (sum / measure_breadth(corpus.n_docs), words)
}
