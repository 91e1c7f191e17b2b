//! Records about the same thing.
//!
//! A decision that is amended later is amended in other words: of six amendments that a question was about, one shared enough
//! words with the question to be found by it. It shares them with the conversation that it amends, so the two are joined when
//! the later one is archived. How alike two are is the cosine of their terms, each weighed by how rare it is. A few dozen
//! records that are not there are counted in, so that rarity means something in an archive of two: with them, conversations
//! about one thing had .29 and more, strangers seldom .25.

use std::collections::{BTreeMap, HashMap};

use apostille_text::terms::StemCache;

use super::{Archive, ArchiveRecord, ArchiveScope};
use crate::{
    recall::{bm25, is_everyday_term},
    store::{Postings, StoreResult},
};

/// How alike two records must be to be about the same thing.
const ALIKE: f32 = 0.28;
/// How many records are counted in that are not there.
const UNSEEN: u64 = 30;
/// How much a word of every prompt weighs.
const EVERYDAY: f32 = 0.3;
/// How many records are compared.
const MAX_COMPARED: usize = 5;
/// How many are joined with one at most.
const MAX_RELATED: usize = 4;

/// The kept records that are about the same thing as this one, the most alike first.
pub fn find_related(archive: &dyn Archive, record: &ArchiveRecord) -> StoreResult<Vec<u64>> {
    let scope = ArchiveScope {
        space: &record.space,
        kind: record.kind,
    };
    let mut stems = StemCache::default();
    let counts = record.extract_terms(&mut stems);
    let names: Vec<String> = counts.keys().cloned().collect();
    let corpus = archive.read_postings(scope, &names)?;
    let n_records: Vec<usize> = corpus.lists.iter().map(Vec::len).collect();
    let terms = TermWeights::weigh(&counts, &n_records, corpus.n_docs);
    let nearest = terms.list_nearest(&corpus);
    let mut alike = Vec::new();
    for other in archive.read_record_terms(&nearest, &mut stems)? {
        if other.name == record.name {
            continue;
        }
        let names: Vec<&str> = other.counts.keys().map(String::as_str).collect();
        let n_records = archive.count_term_records(scope, &names)?;
        let weights = TermWeights::weigh(&other.counts, &n_records, corpus.n_docs);
        let cosine = terms.cosine(&weights);
        if cosine >= ALIKE {
            alike.push((other.number, cosine));
        }
    }
    alike.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
    Ok(alike.into_iter().take(MAX_RELATED).map(|it| it.0).collect())
}

/// The terms of a record, each with its weight.
struct TermWeights<'a>(BTreeMap<&'a str, f32>);

impl<'a> TermWeights<'a> {
    /// Weighs terms by how often they stand in the record, and in how many of all.
    fn weigh(counts: &'a BTreeMap<String, u32>, n_records: &[usize], n_docs: u64) -> Self {
        let widened = Postings {
            n_docs: n_docs + UNSEEN,
            ..Postings::default()
        };
        let weigh = |((term, count), n): ((&'a String, &u32), &usize)| {
            let rarity = bm25::inverse_frequency(&widened, (*n).max(1));
            let share = if is_everyday_term(term) {
                EVERYDAY
            } else {
                1.0
            };
            (term.as_str(), (1.0 + (*count as f32).ln()) * rarity * share)
        };
        Self(counts.iter().zip(n_records).map(weigh).collect())
    }

    /// The records that share most of the weight.
    fn list_nearest(&self, corpus: &Postings) -> Vec<u64> {
        let mut shared: HashMap<u64, f32> = HashMap::new();
        for (weight, list) in self.0.values().zip(&corpus.lists) {
            for posting in list {
                *shared.entry(posting.number).or_default() += weight * weight;
            }
        }
        let mut nearest: Vec<(u64, f32)> = shared.into_iter().collect();
        nearest.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
        let nearest = nearest.into_iter().take(MAX_COMPARED + 1);
        nearest.map(|it| it.0).collect()
    }

    fn cosine(&self, other: &TermWeights<'_>) -> f32 {
        let shared = self.0.iter().filter_map(|(term, weight)| {
            let other = other.0.get(term)?;
            Some(weight * other)
        });
        let length = |it: &TermWeights<'_>| it.0.values().map(|it| it * it).sum::<f32>().sqrt();
        let lengths = length(self) * length(other);
        if lengths > 0.0 {
            shared.sum::<f32>() / lengths
        } else {
            0.0
        }
    }
}
