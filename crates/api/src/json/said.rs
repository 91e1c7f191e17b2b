//! What was said in past conversations.

use apostille_core::archive::{
    ArchiveHandle, ArchivePassage, ArchiveRecord, excerpt::ArchiveQuote, recall::SaidHit,
};
use schemars::JsonSchema;
use serde::Serialize;

/// The conversations that answer, the best first.
#[derive(Serialize, JsonSchema)]
pub struct SaidReply {
    #[schemars(extend("const" = true))]
    ok: bool,
    conversations: Vec<SaidConversationView>,
    /// What to do next, where nothing answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<&'static str>,
}

/// A conversation, with the words of the person that decide.
#[derive(Serialize, JsonSchema)]
pub(super) struct SaidConversationView {
    /// Such as c-12.
    handle: String,
    /// The client.
    #[serde(skip_serializing_if = "Option::is_none")]
    client: Option<String>,
    started_at: String,
    ended_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    /// The files that were changed in it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<String>,
    /// Whether the session had read text from outside.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    exposed: bool,
    /// Conversations about the same thing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related: Vec<String>,
    /// Those of the conversations here that were about the same thing before it: what it says goes before what they say.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    later_than: Vec<String>,
    passages: Vec<SaidPassageView>,
}

/// What one said.
#[derive(Serialize, JsonSchema)]
pub(super) struct SaidPassageView {
    /// Such as c-12.3.
    handle: String,
    /// Whose words.
    speaker: &'static str,
    text: String,
    /// What it answers, where it is not understood without.
    #[serde(skip_serializing_if = "Option::is_none")]
    answered: Option<String>,
    /// The first lines of what was pasted along with it: another's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pasted: Option<String>,
}

impl SaidReply {
    /// What is quoted of each.
    pub fn new(hits: &[SaidHit]) -> Self {
        let next = "nothing was said about this; ask with other words, or ask the user";
        Self {
            ok: true,
            conversations: hits.iter().map(SaidConversationView::from).collect(),
            next: hits.is_empty().then_some(next),
        }
    }

    /// All that was said in one.
    pub fn of_whole_record(record: &ArchiveRecord) -> Self {
        let passages = record.passages.iter();
        let passages = passages.map(|it| SaidPassageView::of_passage(record, it));
        Self {
            ok: true,
            conversations: vec![SaidConversationView::new(record, &[], passages.collect())],
            next: None,
        }
    }
}

impl From<&SaidHit> for SaidConversationView {
    fn from(it: &SaidHit) -> Self {
        let quotes = it.quotes.iter();
        let quotes = quotes.map(|quote| SaidPassageView::of_quote(&it.record, quote));
        Self::new(&it.record, &it.earlier, quotes.collect())
    }
}

impl SaidConversationView {
    fn new(it: &ArchiveRecord, earlier: &[u64], passages: Vec<SaidPassageView>) -> Self {
        let name = |number: &u64| ArchiveHandle::record(*number).to_string();
        let related = it.related.iter().map(name);
        Self {
            handle: it.handle(),
            client: it.author.clone(),
            started_at: it.started_at.to_string(),
            ended_at: it.ended_at.to_string(),
            task: it.task.clone(),
            branch: it.branch.clone(),
            files: it.paths.iter().map(ToString::to_string).collect(),
            exposed: it.is_exposed,
            related: related.collect(),
            later_than: earlier.iter().map(name).collect(),
            passages,
        }
    }
}

impl SaidPassageView {
    fn of_quote(record: &ArchiveRecord, it: &ArchiveQuote) -> Self {
        Self {
            handle: record.passage_handle(it.passage).to_string(),
            speaker: it.speaker.as_str(),
            text: it.text.clone(),
            answered: it.answered.clone(),
            pasted: None,
        }
    }

    fn of_passage(record: &ArchiveRecord, it: &ArchivePassage) -> Self {
        Self {
            handle: record.passage_handle(it.number).to_string(),
            speaker: it.speaker.as_str(),
            text: it.text.clone(),
            answered: None,
            pasted: it.pasted.clone(),
        }
    }
}
