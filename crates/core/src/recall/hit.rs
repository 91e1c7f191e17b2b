//! What ranking and verifying make of a candidate.

use apostille_cite::{
    standing::{Judgement, Showing, Standing},
    verdict::Verdict,
};

use crate::{
    branches::{OtherVersion, VersionView},
    memory::{Handle, Memory},
    standing_text::StandingView,
    verify::VerifiedMemory,
};

/// A factor, and what it is for.
#[derive(Debug, Clone, PartialEq)]
pub struct TrustFactor {
    /// Their product.
    pub factor: f32,
    /// Each of them that is not 1, told: `from outside 0.80`.
    pub terms: Vec<String>,
}

impl TrustFactor {
    /// Nothing speaks for or against it.
    pub fn neutral() -> Self {
        Self {
            factor: 1.0,
            terms: Vec::new(),
        }
    }

    pub(super) fn add_factor(&mut self, told: &str, factor: f32) {
        if (factor - 1.0).abs() >= 0.005 {
            self.factor *= factor;
            self.terms.push(format!("{told} {factor:.2}"));
        }
    }
}

/// A term of the question that a memory has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchedTerm {
    /// The term, as it is indexed.
    pub term: String,
    /// The word of the question, for people.
    pub word: String,
    /// Whether it tells that the memory is about what was asked. A guess at a misspelt word and the name of the repository do
    /// not, nor do words of every prompt.
    pub is_telling: bool,
    /// Whether it is only a guess at a misspelt word.
    pub is_guess: bool,
}

impl ScoreBreakdown {
    /// Whether a word tells that the memory is about what was asked.
    pub(super) fn has_telling_term(&self) -> bool {
        self.terms.iter().any(|it| it.is_telling)
    }
}

/// What meaning adds to the words of a memory, where a model compared them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeaningScore {
    /// How near the memory is to the question: 1 is the same.
    pub cosine: f32,
    /// The part of the relevance that words are.
    pub words: f32,
    /// The part of the relevance that meaning is.
    pub meaning: f32,
}

/// Why a memory has its score: the factors, whose product it is.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoreBreakdown {
    /// How well the text answers: by its words, and by its meaning where a model compared them.
    pub relevance: f32,
    /// The two parts of the relevance, where a model compared them.
    pub meaning: Option<MeaningScore>,
    /// How much of a find it is, by the words that it shares with the question: 1 is about one word that this memory alone has.
    /// No factor: what is shown unasked must reach a bar.
    pub clarity: f32,
    /// The terms of the question that it has.
    pub terms: Vec<MatchedTerm>,
    /// Factor for freshness.
    pub recency: f32,
    /// Factor for who said it, who else does, and what proves it.
    pub trust: TrustFactor,
    /// Factor for having been of use.
    pub usefulness: f32,
    /// Factor for citing a file in play.
    pub affinity: f32,
}

/// A ranked memory.
#[derive(Debug, Clone, PartialEq)]
pub struct RecallHit {
    /// The memory.
    pub memory: Memory,
    /// Its score.
    pub score: f32,
    /// Where the score comes from.
    pub why: ScoreBreakdown,
}

impl RecallHit {
    /// A memory that may answer, with its text relevance, before anything else is weighed.
    pub fn new(memory: Memory, relevance: f32, clarity: f32, terms: Vec<MatchedTerm>) -> Self {
        let why = ScoreBreakdown {
            relevance,
            meaning: None,
            clarity,
            terms,
            recency: 1.0,
            trust: TrustFactor::neutral(),
            usefulness: 1.0,
            affinity: 1.0,
        };
        Self {
            memory,
            score: 0.0,
            why,
        }
    }
}

/// A ranked memory with what was found at its citations.
#[derive(Debug, Clone, PartialEq)]
pub struct VerifiedHit {
    /// The memory and its score.
    pub hit: RecallHit,
    /// One verdict for each citation, in order; none for a memory without citations.
    pub verdicts: Vec<Verdict>,
    /// How its fact stands by them.
    pub judgement: Judgement,
    /// Whether it was recorded on a branch that never reached this tree.
    pub is_unmerged: bool,
    /// The version of it that it is kept beside until the default branch decides.
    pub beside: Option<OtherVersion>,
    /// Of a person's own preference: the rule of the repository that says otherwise and goes before it.
    pub overruled_by: Option<Handle>,
}

impl<'a> From<&'a VerifiedHit> for VersionView<'a> {
    fn from(it: &'a VerifiedHit) -> Self {
        Self {
            memory: &it.hit.memory,
            standing: it.standing(),
            is_unmerged: it.is_unmerged,
        }
    }
}

impl<'a> From<&'a VerifiedHit> for StandingView<'a> {
    fn from(it: &'a VerifiedHit) -> Self {
        Self {
            memory: &it.hit.memory,
            verdicts: &it.verdicts,
            judgement: &it.judgement,
        }
    }
}

impl VerifiedHit {
    /// A memory that is told without having been asked for.
    pub fn from_verified(it: VerifiedMemory) -> Self {
        Self {
            hit: RecallHit::new(it.memory, 0.0, 0.0, Vec::new()),
            verdicts: it.verdicts,
            judgement: it.judgement,
            is_unmerged: it.is_unmerged,
            beside: it.beside,
            overruled_by: None,
        }
    }

    /// How its fact stands.
    pub fn standing(&self) -> Standing {
        self.judgement.standing
    }

    /// Whether it may be shown, plainly or with a mark.
    pub fn is_good(&self) -> bool {
        self.standing().showing() != Showing::Withheld
    }
}
