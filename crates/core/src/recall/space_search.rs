//! The memories of one space whose words answer best.
//!
//! BM25 finds them. Over the best hundred, what a bag of words cannot know is added: whether words that stand side by side in
//! the question do so in the memory (`word_pairs`), what was said right before and after it (`neighbours`), and whether it
//! was recorded in a month that the question names. A text is read only where that can bring its memory among the first.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{
    bm25::{self, DocumentScore, WeighedPostings},
    hit::{MatchedTerm, RecallHit},
    neighbours,
    own_names::OwnNames,
    pooled_memory::PooledMemory,
    query::RecallQuery,
    scored_documents::{ScoredDocument, ScoredDocuments},
    space_terms::{COORDINATION, SpaceTerm, SpaceTerms},
    spelling::seek_terms,
    word_pairs::WordPairs,
};
use crate::{Context, CoreError, space::Space, store::Postings};
use apostille_text::{
    dates::{NamedDate, find_named_dates},
    terms::StemCache,
};
use jiff::tz::TimeZone;

/// How many memories may be brought among the first by what their text says.
pub(super) const POOL: usize = 100;
/// How many memories are read at most in one space while looking for those that the question admits.
const MAX_READ: usize = 1_000;
/// What a memory gains that was recorded in a month or a year that the question names.
const DATED: f32 = 1.5;

/// A question, put to one space.
pub(super) struct SpaceSearch<'a> {
    cx: &'a Context<'a>,
    query: &'a RecallQuery,
    space: &'a Space,
    terms: SpaceTerms,
}

impl<'a> SpaceSearch<'a> {
    pub(super) fn new(
        cx: &'a Context<'a>,
        query: &'a RecallQuery,
        space: &'a Space,
        mut corpus: Postings,
        unknown: &BTreeSet<String>,
    ) -> Result<Self, CoreError> {
        let own_names = OwnNames::of_space(space);
        let sought = seek_terms(cx, query, space, &mut corpus, unknown)?;
        let all = sought
            .into_iter()
            .map(|it| SpaceTerm::new(it, &own_names))
            .collect();
        Ok(Self {
            cx,
            query,
            space,
            terms: SpaceTerms { corpus, all },
        })
    }

    /// The memories whose words answer best.
    pub(super) fn find_best(&self) -> Result<Vec<RecallHit>, CoreError> {
        let mut scored = self.score_documents()?;
        let (mut pool, n_read) = self.read_best(&mut scored)?;
        let bar = self.score_to_beat(&pool);
        let pairs = WordPairs::find_in_question(&self.query.text, &self.terms);
        let hopeful = scored.rank_best(POOL.max(n_read))[n_read..].iter();
        let hopeful =
            hopeful.filter(|(number, score)| score + pairs.most_for(&self.terms, *number) > bar);
        self.read_into(&mut pool, hopeful.copied().collect())?;
        let mut stems = StemCache::default();
        pairs.add_scores(&self.terms, &mut pool, &mut stems);
        let beside = neighbours::list_hopeful(&pool, &scored, bar);
        self.read_into(&mut pool, beside)?;
        neighbours::add_scores(&mut pool);
        self.add_dates(&mut pool);
        let hits = pool.into_iter().map(|it| self.build_hit(it, &mut stems));
        Ok(hits.collect())
    }

    /// Every memory with a word that says what the question is about.
    fn score_documents(&self) -> Result<ScoredDocuments, CoreError> {
        let admitted = self.list_admitted()?;
        let may_answer = |number: &u64| admitted.as_ref().is_none_or(|it| it.contains(number));
        let weigh = |it| WeighedPostings::from(it);
        let lists: Vec<WeighedPostings<'_>> = self.terms.all.iter().map(weigh).collect();
        let n_asked = lists.iter().filter(|it| it.is_counted).count().max(1) as f32;
        let coordinate =
            |it: DocumentScore| it.score * (1.0 + COORDINATION * f32::from(it.n_counted) / n_asked);
        let found = bm25::score_bm25(&self.terms.corpus, &lists).into_iter();
        let found = found.filter(|(number, it)| it.n_counted > 0 && may_answer(number));
        let scored = found.map(|(number, it)| (number, coordinate(it)));
        Ok(ScoredDocuments::new(scored.collect()))
    }

    /// The numbers of the memories that pass a narrow filter; `None` where there are too many to list.
    fn list_admitted(&self) -> Result<Option<HashSet<u64>>, CoreError> {
        let (filter, layers) = (&self.query.filter, &self.query.layers);
        filter.list_admitted_numbers(self.cx, self.space, layers, &self.query.moved)
    }

    /// Reads the best until enough of them may answer, and says how many were looked at.
    fn read_best(
        &self,
        scored: &mut ScoredDocuments,
    ) -> Result<(Vec<PooledMemory>, usize), CoreError> {
        let (mut pool, mut n_read) = (Vec::new(), 0);
        let most = match self.query.filter.is_empty() {
            true => MAX_READ,
            false => usize::MAX,
        };
        while n_read < scored.len().min(most) && pool.len() < self.query.reach {
            let end = scored.len().min(n_read + self.query.reach);
            self.read_into(&mut pool, scored.rank_best(end)[n_read..].to_vec())?;
            n_read = end;
        }
        Ok((pool, n_read))
    }

    fn read_into(
        &self,
        pool: &mut Vec<PooledMemory>,
        scored: Vec<ScoredDocument>,
    ) -> Result<(), CoreError> {
        if scored.is_empty() {
            return Ok(());
        }
        let numbers: Vec<u64> = scored.iter().map(|it| it.0).collect();
        let scores: HashMap<u64, f32> = scored.into_iter().collect();
        // Past tasks are long, and a question about what is known meets hundreds: those of another layer are not read.
        let numbers =
            (self.cx.store).retain_active_numbers(self.space, &numbers, &self.query.layers)?;
        for memory in self.cx.store.get_by_numbers(self.space, &numbers)? {
            if self.query.admits_memory(&memory) {
                let score = scores.get(&memory.number).copied().unwrap_or(0.0);
                let n_pairs = 0;
                pool.push(PooledMemory {
                    memory,
                    score,
                    n_pairs,
                });
            }
        }
        Ok(())
    }

    /// What a memory must score to be among those asked for; nothing where there are fewer.
    fn score_to_beat(&self, pool: &[PooledMemory]) -> f32 {
        let last = self.query.count.checked_sub(1).and_then(|it| pool.get(it));
        last.map_or(f32::INFINITY, |it| it.score)
    }

    fn add_dates(&self, pool: &mut [PooledMemory]) {
        let dates = find_named_dates(&self.query.text);
        if dates.is_empty() {
            return;
        }
        for it in pool {
            let at = it.memory.recorded_at.to_zoned(TimeZone::UTC);
            let covers = |date: &NamedDate| date.covers(at.year(), at.month());
            if dates.iter().any(covers) {
                it.score *= DATED;
            }
        }
    }

    fn build_hit(&self, it: PooledMemory, stems: &mut StemCache) -> RecallHit {
        let n_words = self.query.count_words();
        let clarity = self.terms.measure_clarity(&it, n_words, stems);
        let has = |term: &&SpaceTerm| {
            let is_content = term.sought.asked.is_content();
            is_content && term.find_posting(it.memory.number).is_some()
        };
        let matched = |term: &SpaceTerm| MatchedTerm {
            term: term.sought.asked.term.clone(),
            word: term.sought.asked.word.clone(),
            is_telling: term.is_telling,
            is_guess: term.sought.is_guess,
        };
        let terms = self.terms.all.iter().filter(has).map(matched).collect();
        RecallHit::new(it.memory, it.score, clarity, terms)
    }
}
