//! A memory as it is shown: its record, how it stands here, and where its score comes from.

use apostille_cite::{
    standing::{Showing, Standing},
    verdict::{Change, Verdict},
};
use apostille_core::{
    branches::OtherVersion,
    format::MemoryRecord,
    memory::{Handle, Memory},
    recall::{MeaningScore, ScoreBreakdown, VerifiedHit},
    remember::{DraftRelation, NearMemory},
    standing_text::StandingView,
    verify::{VerifiedMemory, VerifyAction},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    record_schemas::MemorySchema,
    text_schema::{TextEncoded, VerdictWord},
};

/// A memory, with what is known of it at this moment.
#[derive(Serialize, JsonSchema)]
pub struct MemoryView {
    /// `m-12` in a repository, `u-3` for a person.
    handle: String,
    #[serde(flatten)]
    #[schemars(with = "MemorySchema")]
    record: MemoryRecord,
    /// How its fact stands in the checkout that was looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "TextEncoded<Standing>")]
    standing: Option<&'static str>,
    /// Whether it is shown as it is, with a mark, or not at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "TextEncoded<Showing>")]
    shown: Option<&'static str>,
    /// What is known of it beside its code: what it names and is gone, who said it, how its command fared.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    /// One for each citation.
    #[serde(skip_serializing_if = "Option::is_none")]
    verdicts: Option<Vec<VerdictView>>,
    /// Whether it was recorded on a branch that never reached this tree.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unmerged: bool,
    /// The memory that this one takes the place of once the default branch has the code that it cites.
    #[serde(skip_serializing_if = "Option::is_none")]
    replaces_once_merged: Option<String>,
    /// The memory that takes the place of this one then.
    #[serde(skip_serializing_if = "Option::is_none")]
    replaced_once_merged_by: Option<String>,
    /// The memory that took the place of this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    replaced_by: Option<String>,
    /// What was done about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "TextEncoded<VerifyAction>")]
    deed: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f32>,
    /// Where the score comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<ScoreView>,
}

impl From<&Memory> for MemoryView {
    fn from(memory: &Memory) -> Self {
        Self {
            handle: memory.handle().to_string(),
            record: MemoryRecord::from(memory),
            standing: None,
            shown: None,
            note: None,
            verdicts: None,
            unmerged: false,
            replaces_once_merged: None,
            replaced_once_merged_by: None,
            replaced_by: None,
            deed: None,
            score: None,
            why: None,
        }
    }
}

impl MemoryView {
    /// The same with the version that it is kept beside.
    #[must_use]
    pub fn with_other_version(self, other: Option<&OtherVersion>) -> Self {
        let tell = |it: Option<Handle>| it.map(|it| it.to_string());
        Self {
            replaces_once_merged: tell(other.and_then(OtherVersion::replaces)),
            replaced_once_merged_by: tell(other.and_then(OtherVersion::replaced_by)),
            ..self
        }
    }
}

impl From<&VerifiedMemory> for MemoryView {
    fn from(it: &VerifiedMemory) -> Self {
        Self {
            standing: Some(it.standing().as_str()),
            shown: Some(it.showing().as_str()),
            note: StandingView::from(it).note(),
            verdicts: Some(build_verdict_views(&it.memory, &it.verdicts)),
            unmerged: it.is_unmerged,
            replaced_by: it.superseded_by.map(|it| it.to_string()),
            deed: it.deed.map(VerifyAction::as_str),
            ..Self::from(&it.memory).with_other_version(it.beside.as_ref())
        }
    }
}

impl From<&VerifiedHit> for MemoryView {
    fn from(it: &VerifiedHit) -> Self {
        Self {
            standing: Some(it.standing().as_str()),
            shown: Some(it.standing().showing().as_str()),
            note: StandingView::from(it).note(),
            verdicts: Some(build_verdict_views(&it.hit.memory, &it.verdicts)),
            score: Some(it.hit.score),
            why: Some(ScoreView::from(&it.hit.why)),
            ..Self::from(&it.hit.memory).with_other_version(it.beside.as_ref())
        }
    }
}

/// Several memories as they are shown.
pub fn build_memory_views<'a, T: 'a>(memories: impl IntoIterator<Item = &'a T>) -> Vec<MemoryView>
where
    MemoryView: From<&'a T>,
{
    memories.into_iter().map(MemoryView::from).collect()
}

/// What was found at one citation.
#[derive(Default, Serialize, JsonSchema)]
pub struct VerdictView {
    /// The citation, as path and lines.
    place: String,
    #[schemars(with = "TextEncoded<VerdictWord>")]
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    moved_to: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "TextEncoded<Change>")]
    change: Option<&'static str>,
    /// Whether the change is one that a memory survives.
    #[serde(skip_serializing_if = "Option::is_none")]
    harmless: Option<bool>,
    /// Where the changed lines stand now.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<String>,
    /// The lines that stand there now.
    #[serde(skip_serializing_if = "Option::is_none")]
    now: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    similarity: Option<f32>,
    /// The commit that changed or removed it, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<String>,
    /// What the fact states and the lines now say otherwise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    contradicted: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

fn build_verdict_views(memory: &Memory, verdicts: &[Verdict]) -> Vec<VerdictView> {
    let places = memory.citations.iter().map(|it| it.location().to_string());
    places
        .zip(verdicts)
        .map(|(place, verdict)| VerdictView::new(place, verdict))
        .collect()
}

impl VerdictView {
    fn new(place: String, verdict: &Verdict) -> Self {
        let view = Self {
            place,
            verdict: verdict.as_str(),
            ..Self::default()
        };
        match verdict {
            Verdict::Holds => view,
            Verdict::Moved { to } => Self {
                moved_to: Some(to.to_string()),
                ..view
            },
            Verdict::Changed(it) => Self {
                change: Some(it.change.as_str()),
                harmless: Some(it.is_harmless),
                at: Some(it.at.to_string()),
                now: Some(it.now.clone()),
                similarity: Some(f32::from(it.similarity) / 100.0),
                since: it.since.clone(),
                contradicted: it.contradicted.clone(),
                ..view
            },
            Verdict::Gone { loss, since } => Self {
                why: Some(loss.as_phrase().into()),
                since: since.clone(),
                ..view
            },
            Verdict::Unknown { why } => Self {
                why: Some(why.clone()),
                ..view
            },
        }
    }
}

/// Where a score comes from: the factors, whose product it is.
#[derive(Serialize, JsonSchema)]
pub struct ScoreView {
    /// How well the words agree; with the meaning, where a model compared it.
    pub relevance: f32,
    /// The two parts of the relevance, where a model compared the meaning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meaning: Option<MeaningView>,
    /// How telling the words in common are; no factor.
    pub clarity: f32,
    /// The words in common.
    pub terms: Vec<String>,
    /// How lately it was stated or found to hold.
    pub recency: f32,
    /// How far its origin is trusted.
    pub trust: f32,
    /// What that trust is made of.
    pub trust_terms: Vec<String>,
    /// How often it was applied, of the times it was shown.
    pub usefulness: f32,
    /// Whether it cites the files in play.
    pub affinity: f32,
}

impl From<&ScoreBreakdown> for ScoreView {
    fn from(it: &ScoreBreakdown) -> Self {
        Self {
            relevance: it.relevance,
            meaning: it.meaning.as_ref().map(MeaningView::from),
            clarity: it.clarity,
            terms: it.terms.iter().map(|it| it.word.clone()).collect(),
            recency: it.recency,
            trust: it.trust.factor,
            trust_terms: it.trust.terms.clone(),
            usefulness: it.usefulness,
            affinity: it.affinity,
        }
    }
}

/// What meaning adds to the words.
#[derive(Serialize, JsonSchema)]
pub struct MeaningView {
    /// How near the memory is to the question: 1 is the same.
    pub cosine: f32,
    /// The part of the relevance that words are.
    pub words: f32,
    /// The part of the relevance that meaning is.
    pub meaning: f32,
}

impl From<&MeaningScore> for MeaningView {
    fn from(it: &MeaningScore) -> Self {
        Self {
            cosine: it.cosine,
            words: it.words,
            meaning: it.meaning,
        }
    }
}

/// A memory that says much the same as another.
#[derive(Serialize, JsonSchema)]
pub struct NearView {
    id: String,
    handle: String,
    fact: String,
    #[schemars(with = "TextEncoded<DraftRelation>")]
    relation: &'static str,
    /// The share of words in common.
    overlap: f32,
}

impl From<&NearMemory> for NearView {
    fn from(it: &NearMemory) -> Self {
        Self {
            id: it.id.to_string(),
            handle: it.handle.to_string(),
            fact: it.fact.clone(),
            relation: it.relation.as_str(),
            overlap: it.overlap,
        }
    }
}
