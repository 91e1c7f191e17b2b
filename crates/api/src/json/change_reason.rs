//! Why a line or a commit is as it is: the commit, its task, the prompt, the conversation, and the memories that were shown.

use apostille_core::{
    archive::{ArchiveHandle, ArchiveRecord, excerpt::ArchiveQuote},
    memory::Memory,
    standing_text::StandingView,
    verify::VerifiedMemory,
};
use apostille_text::moderate::neutralise_to_one_line;
use schemars::JsonSchema;
use serde::Serialize;

/// What led to some lines, or to a commit.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct ChangeReasonReply {
    /// Always true.
    #[schemars(extend("const" = true))]
    pub ok: bool,
    /// The lines or the commit, as they are called.
    pub asked: String,
    /// What wrote the lines, the one that wrote most of them first; of a commit, that one.
    pub changes: Vec<ChangeView>,
    /// How many more commits wrote some of the lines.
    #[serde(skip_serializing_if = "is_none_more")]
    pub more_commits: usize,
    /// The memories that cite these lines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub citing: Vec<TracedMemoryView>,
}

impl ChangeReasonReply {
    /// Whether nothing is known but which commit it was.
    pub fn is_nothing(&self) -> bool {
        self.citing.is_empty() && self.changes.iter().all(ChangeView::is_nothing)
    }
}

/// One commit, or what is not committed yet, with what led to it.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct ChangeView {
    /// The commit; none where the lines are not committed yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Who wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// When it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The first line of its message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The lines that it wrote, of those that were asked about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<u32>,
    /// Whether an older commit may have written them that this clone lacks.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut_off: bool,
    /// What its message gives as the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reason: Vec<String>,
    /// The task that it was made for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<TracedTaskView>,
    /// The version of the instructions that agents had.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<TracedPromptView>,
    /// The sessions that made it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sessions: Vec<TracedSessionView>,
    /// What was looked for and not found.
    pub missing: Vec<MissingStepView>,
}

impl ChangeView {
    fn is_nothing(&self) -> bool {
        let is_bare = self.reason.is_empty() && self.task.is_none();
        is_bare && self.prompt.is_none() && self.sessions.is_empty()
    }

    /// Notes that a step led nowhere.
    pub fn push_missing(&mut self, step: &'static str, why: impl Into<String>) {
        let why = why.into();
        self.missing.push(MissingStepView { step, why });
    }
}

/// A step that led nowhere.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MissingStepView {
    /// What was looked for.
    pub step: &'static str,
    /// Why it was not found.
    pub why: String,
}

/// The task of a commit.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TracedTaskView {
    /// Its name.
    pub slug: String,
    /// What says so.
    pub rests_on: &'static str,
    /// What was to be done, where its gates are here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// How it stands now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<&'static str>,
    /// The phase that it was in when the commit was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// What came of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// Its last decisions before the commit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<TracedMemoryView>,
}

/// The version of the instructions of a commit.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TracedPromptView {
    /// The SHA-256 of their fixed parts.
    pub version: String,
    /// What says so.
    pub rests_on: &'static str,
    /// Where these instructions can be read.
    pub found: &'static str,
    /// The files, by name, where they were found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}

/// A session that made a commit.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TracedSessionView {
    /// Its client's name for it.
    pub session: String,
    /// Its client.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// When it began.
    pub started_at: String,
    /// When it ended.
    pub ended_at: String,
    /// What says that it made the commit.
    pub rests_on: &'static str,
    /// The conversation, where what was said is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// Whether it had read text from outside.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub exposed: bool,
    /// What the person said that decides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub said: Vec<TracedQuoteView>,
    /// The memories that it had been shown by then.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shown: Vec<TracedMemoryView>,
    /// How many more it had been shown.
    #[serde(skip_serializing_if = "is_none_more")]
    pub more_shown: usize,
}

/// What a person said.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TracedQuoteView {
    /// Such as c-12.3.
    pub handle: String,
    /// The words.
    pub text: String,
    /// What they answer, where they are not understood without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answered: Option<String>,
}

impl TracedQuoteView {
    /// A quote of this conversation.
    pub fn new(record: &ArchiveRecord, it: &ArchiveQuote) -> Self {
        let handle = ArchiveHandle {
            record: record.number,
            passage: Some(it.passage),
        };
        Self {
            handle: handle.to_string(),
            text: neutralise_to_one_line(&it.text),
            answered: it.answered.as_deref().map(neutralise_to_one_line),
        }
    }
}

/// A memory on the way.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TracedMemoryView {
    /// As it is called.
    pub handle: String,
    /// What it says, where it holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fact: Option<String>,
    /// How it stands now.
    pub standing: String,
}

impl From<&VerifiedMemory> for TracedMemoryView {
    fn from(it: &VerifiedMemory) -> Self {
        let memory: &Memory = &it.memory;
        Self {
            handle: memory.handle().to_string(),
            fact: (it.is_good()).then(|| neutralise_to_one_line(&memory.fact)),
            standing: StandingView::from(it).describe(),
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_none_more(n: &usize) -> bool {
    *n == 0
}
