//! What a memory is, and the two paths it travels.
//!
//! ```text
//! remember:  moderate → classify → prove → guard → dedupe → commit
//! recall:    query → candidates → rank → verify → budget → render → log
//! ```
//!
//! Nothing here does IO, reads a clock or asks the environment: the store, the source, the time and the randomness
//! come in through [`Context`].
//!
//! ```
//! use apostille_cite::citation::RepoPath;
//! use apostille_cite::source::{Source, SourceBlob, SourceError, SourceTree};
//! use apostille_core::memory::Draft;
//! use apostille_core::policy::Policy;
//! use apostille_core::recall::{RecallRequest, recall};
//! use apostille_core::remember::{RememberOutcome, remember};
//! use apostille_core::space::Space;
//! use apostille_core::speaker::{Speaker, TerminalFacts};
//! use apostille_core::store::ram::RamStore;
//! use apostille_core::Context;
//! use jiff::Timestamp;
//!
//! /// A repository with one file.
//! struct OneFile;
//!
//! impl Source for OneFile {
//!     fn read_tree(&self) -> Result<SourceTree, SourceError> {
//!         Ok(SourceTree::default())
//!     }
//!     fn read_file(&self, path: &RepoPath) -> Result<Option<SourceBlob>, SourceError> {
//!         let blob = SourceBlob { id: None, bytes: "pub const MAX_RETRIES: u32 = 3;\n".into() };
//!         Ok((path.as_str() == "src/retry.rs").then_some(blob))
//!     }
//! }
//!
//! let (store, policy) = (RamStore::default(), Policy::default());
//! let cx = Context {
//!     store: &store,
//!     source: &OneFile,
//!     policy: &policy,
//!     now: Timestamp::UNIX_EPOCH,
//!     random: &|| 7,
//!     late: &|| false,
//!     actor: None,
//!     other_spaces: &[],
//!     guardian: None,
//!     testimony: None,
//!     embedder: None,
//!     archive: None,
//!     commit_reasons: None,
//! };
//! let speaker = Speaker::at_terminal(&TerminalFacts { is_manned: true, ..TerminalFacts::default() });
//! let space = Space::repo("myorg/myapp")?;
//!
//! let mut draft = Draft::new(space.clone(), "`MAX_RETRIES` is 3", speaker.voice().clone());
//! draft.citations.push("src/retry.rs:1".parse()?);
//! assert!(matches!(remember(&cx, draft)?, RememberOutcome::Remembered { .. }));
//!
//! let question = RecallRequest { text: "how many retries".into(), spaces: vec![space], ..RecallRequest::default() };
//! let recalled = recall(&cx, &question)?;
//! assert_eq!(recalled.shown[0].standing().as_str(), "stands");
//! assert!(recalled.block.contains("`MAX_RETRIES` is 3 (m-1; stands src/retry.rs:1)"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! How the pieces fit: [`mod@remember`] and [`mod@recall`] are the two paths; the other verbs ([`revise`], [`mod@forget`],
//! [`verify`], [`promote`], [`mod@rollback`], [`import`], [`list`], [`stats`]) are a file each.
//! [`memory`], [`space`], [`event`] and [`policy`] are the nouns, [`format`](mod@format) their one JSON shape. [`speaker`] says who
//! may do what. The ports are [`store::Store`], [`model::Model`], [`embedding::Embedder`] and [`apostille_cite::source::Source`]. A verb answers
//! with a value, a [`refusal::Refusal`] included; a [`CoreError`] means that the world is broken.

pub mod address;
pub mod archive;
pub mod branches;
pub mod breaker;
pub mod embedding;
pub mod embedding_upkeep;
pub mod episode_text;
pub mod event;
pub mod evidence;
pub mod foreign;
pub mod forget;
pub mod format;
pub mod guardian;
pub mod identity;
pub mod import;
pub mod judge;
pub mod list;
pub mod memory;
mod memory_digest;
pub mod model;
mod moved_citations;
mod names;
pub mod notebook;
pub mod overruled;
mod person_word;
pub mod policy;
pub mod project;
pub mod promote;
pub mod pull_outcome;
pub mod queue;
pub mod recall;
pub mod refusal;
pub mod remember;
pub mod repair_text;
pub mod replica;
pub mod review_remarks;
pub mod review_rules;
pub mod revise;
pub mod rollback;
pub mod runs;
pub mod scratch;
pub mod space;
pub mod speaker;
pub mod standing_text;
pub mod stats;
pub mod store;
pub mod store_copy;
pub mod task_words;
pub mod tokens;
pub mod verify;

use jiff::Timestamp;

use crate::{
    archive::Archive,
    embedding::Embedder,
    event::{Batch, Event, EventBody, Precondition},
    evidence::Testimony,
    memory::{Memory, MemoryId},
    model::Model,
    policy::Policy,
    space::Space,
    store::{AppendReceipt, Store, StoreError},
};
use apostille_cite::{follow::CitationFollower, source::Source};

/// A broken world. What was asked for wrongly is a [`refusal::Refusal`], not an error, and what cannot be looked up is an
/// unknown verdict: the store is the one port whose failure ends a verb.
pub type CoreError = StoreError;

/// What every verb is given: the ports, the rules, the time, and who is asking.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// Where memories are kept.
    pub store: &'a dyn Store,
    /// The code that is looked into.
    pub source: &'a dyn Source,
    /// The rules.
    pub policy: &'a Policy,
    /// The time.
    pub now: Timestamp,
    /// Where randomness comes from.
    pub random: &'a dyn Fn() -> u128,
    /// Whether the time for looking things up is over; what is not verified by then is `unknown`.
    pub late: &'a dyn Fn() -> bool,
    /// Who is asking, for the log.
    pub actor: Option<&'a str>,
    /// The spaces in play beside the one that is written to.
    pub other_spaces: &'a [Space],
    /// A model that looks over what agents want to keep, where the user wants one.
    pub guardian: Option<&'a dyn Model>,
    /// Where to look up what was said and run in sessions; without it, nothing of that kind can be proved.
    pub testimony: Option<&'a dyn Testimony>,
    /// A model that finds memories by what they mean, where one is installed and somebody waits for the answer.
    pub embedder: Option<&'a dyn Embedder>,
    /// What was said in past conversations, where that is kept.
    pub archive: Option<&'a dyn Archive>,
    /// What commits of this repository give as reasons, as far as it was read from their messages.
    pub commit_reasons: Option<&'a dyn Archive>,
}

impl<'a> Context<'a> {
    /// A reader of citations in this context's source that follows at most so many commits.
    pub fn citation_follower(&self, most: usize) -> CitationFollower<'a> {
        CitationFollower::new(self.source, self.policy.tolerance, self.late, most)
    }

    /// The time as it is kept: to the millisecond, so that what is read is what was written.
    pub fn now_to_millisecond(&self) -> Timestamp {
        Timestamp::from_millisecond(self.now.as_millisecond()).unwrap_or(self.now)
    }

    /// An event about this memory.
    fn new_memory_event(&self, memory: &Memory, what: EventBody) -> Event {
        self.new_event(&memory.space, Some(memory.id), what)
    }

    /// Writes what is acknowledged to a caller, if what it was decided on is still so.
    fn append_durable(
        &self,
        events: Vec<Event>,
        expects: Vec<Precondition>,
    ) -> Result<AppendReceipt, StoreError> {
        let batch = Batch::new_durable(events, expects);
        self.store.append_batch(&batch)
    }

    /// Writes down what nobody waits for: a log that cannot be written costs nobody the answer, and is told as a problem.
    /// Nothing is written into the log of a repository whose code is not here.
    fn append_telemetry(
        &self,
        what: &str,
        mut events: Vec<Event>,
        expects: Vec<Precondition>,
    ) -> Option<String> {
        if self.source.is_of_other_repository() {
            events.retain(|it| it.space.is_user());
        }
        if events.is_empty() {
            return None;
        }
        let batch = Batch::new_telemetry(events, expects);
        let error = self.store.append_batch(&batch).err()?;
        Some(format!("{what} could not be logged: {error}"))
    }

    fn new_event(&self, space: &Space, memory: Option<MemoryId>, what: EventBody) -> Event {
        Event {
            at: self.now_to_millisecond(),
            space: space.clone(),
            memory,
            actor: self.actor.map(Into::into),
            what,
        }
    }
}

/// What only the suite for stores may make by hand: batches, events and a person's word, past every check. The feature is
/// for tests of stores; a product that enabled it could write around the pipeline.
#[cfg(feature = "contract")]
pub mod unchecked {
    use crate::Context;
    use crate::event::{Batch, Event, EventBody, Precondition};
    use crate::memory::{MemoryId, Vouching};
    use crate::space::Space;

    /// A batch of these events.
    pub fn durable_batch(events: Vec<Event>, expects: Vec<Precondition>) -> Batch {
        Batch::new_durable(events, expects)
    }

    /// An event that happens now.
    pub fn new_event(
        cx: &Context,
        space: &Space,
        memory: Option<MemoryId>,
        what: EventBody,
    ) -> Event {
        cx.new_event(space, memory, what)
    }

    /// A person's word for a draft that nobody gave.
    pub fn given_vouching() -> Vouching {
        Vouching::Given(crate::memory::Vouch::new())
    }
}
