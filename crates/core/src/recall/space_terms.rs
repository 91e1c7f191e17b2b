//! The terms of a question as they count in one space.

use super::{
    bm25::{self, WeighedPostings},
    everyday_words::is_everyday_term,
    own_names::OwnNames,
    pooled_memory::PooledMemory,
    spelling::SoughtTerm,
};
use crate::store::{Posting, Postings};
use apostille_text::terms::{StemCache, TermRole};

/// How much having all words of the question adds to having few of them.
pub(super) const COORDINATION: f32 = 0.5;
/// How much more a word is worth that is the subject of a memory.
const SUBJECT: f32 = 0.6;
/// How much of a find two words side by side are beside themselves.
const PAIR_CLARITY: f32 = 0.3;
/// The more memories there are, the more of them share a word with a prompt by chance: of 30 times as many, three times as many
/// unrelated prompts met one. What a find is worth is divided by this, and by so much more for each doubling, within bounds.
const BREADTH: f32 = 0.2;
const BREADTH_PER_DOUBLING: f32 = 0.2;
const NARROWEST: f32 = 0.7;
const BROADEST: f32 = 1.55;

/// The terms of a question, with what the space's index knows of them.
pub(super) struct SpaceTerms {
    pub(super) corpus: Postings,
    pub(super) all: Vec<SpaceTerm>,
}

/// A term of the question, as it counts in this space.
pub(super) struct SpaceTerm {
    pub(super) sought: SoughtTerm,
    weight: f32,
    pub(super) is_telling: bool,
}

impl SpaceTerm {
    pub(super) fn new(sought: SoughtTerm, own_names: &OwnNames) -> Self {
        let kept = own_names.kept_weight(&sought.asked.term);
        let is_telling = sought.asked.role == TermRole::Content
            && !sought.is_guess
            && kept == 1.0
            && !is_everyday_term(&sought.asked.term);
        Self {
            weight: sought.asked.weight * kept,
            sought,
            is_telling,
        }
    }

    /// Whether it counts for what is shown unasked: a guess and a name of the repository do not.
    fn is_evidence(&self) -> bool {
        let is_own_name = self.weight < self.sought.asked.weight;
        self.sought.asked.role == TermRole::Content && !self.sought.is_guess && !is_own_name
    }

    pub(super) fn find_posting(&self, number: u64) -> Option<&Posting> {
        let postings = &self.sought.postings;
        let at = postings
            .binary_search_by_key(&number, |it| it.number)
            .ok()?;
        postings.get(at)
    }
}

impl SpaceTerms {
    /// How much of a find a memory is: the sum of its words of the question, each worth 1 where no other memory has it, more
    /// where they are its subject or stand side by side, more the more of the question they are, and less among many memories. A
    /// word that the question repeats, as pasted output does, is one word.
    pub(super) fn measure_clarity(
        &self,
        it: &PooledMemory,
        n_words: usize,
        stems: &mut StemCache,
    ) -> f32 {
        let rarest = bm25::rarest_term_score(&self.corpus);
        let subject = it.memory.subject.as_deref().unwrap_or_default();
        let subject = stems.extract_terms(subject);
        let (mut sum, mut n_matched) = (0.0, 0);
        for term in self.all.iter().filter(|it| it.is_evidence()) {
            let Some(posting) = term.find_posting(it.memory.number) else {
                continue;
            };
            let (df, name) = (term.sought.postings.len(), &term.sought.asked.term);
            let is_subject = subject.iter().any(|it| it.0 == *name);
            let worth = bm25::score_posting(&self.corpus, term.weight.min(1.0), df, posting);
            sum += worth / rarest * if is_subject { 1.0 + SUBJECT } else { 1.0 };
            n_matched += 1;
        }
        let n_asked = n_words.max(n_matched).max(1) as f32;
        let by_words = sum * (1.0 + COORDINATION * n_matched as f32 / n_asked);
        (by_words + PAIR_CLARITY * it.n_pairs as f32) / measure_breadth(self.corpus.n_docs)
    }

    /// A term of the question that somebody wrote.
    pub(super) fn find_term(&self, term: &str) -> Option<&SpaceTerm> {
        self.all
            .iter()
            .find(|it| it.sought.asked.term == term && !it.sought.postings.is_empty())
    }

    /// How much a term says: how rare it is, and less where the question weighs it down.
    pub(super) fn rarity(&self, it: &SpaceTerm) -> f32 {
        bm25::inverse_frequency(&self.corpus, it.sought.postings.len()) * it.weight.min(1.0)
    }
}

/// How likely one of so many texts shares words by chance: 1 where there are 16.
pub(crate) fn measure_breadth(n_docs: u64) -> f32 {
    let doublings = (n_docs.max(1) as f32).log2();
    (BREADTH + BREADTH_PER_DOUBLING * doublings).clamp(NARROWEST, BROADEST)
}

impl<'a> From<&'a SpaceTerm> for WeighedPostings<'a> {
    fn from(it: &'a SpaceTerm) -> Self {
        Self {
            weight: it.weight,
            is_counted: it.sought.asked.is_content(),
            postings: &it.sought.postings,
        }
    }
}
