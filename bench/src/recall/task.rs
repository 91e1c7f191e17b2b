//! A task of the suite `recall`, and the store that it is put into.

use std::{
    cell::Cell,
    collections::{HashMap, hash_map::Entry},
    path::Path,
};

use anyhow::{Context as _, Result};
use apostille_cite::source::NoRepositorySource;
use apostille_core::{
    Context,
    event::EventBody,
    evidence::RunTally,
    memory::{Kind, Layer, Memory, MemoryId, Origin, Status, UsageCounts, Voice},
    policy::Policy,
    recall::RecallRequest,
    space::Space,
    store::{EventLog as _, Store},
    unchecked,
};
use apostille_stores::sqlite::SqliteStore;
use apostille_text::digest::Digest;
use jiff::Timestamp;
use serde::Deserialize;
use tempfile::TempDir;

/// Documents, and questions about them.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct RetrievalTask {
    /// Its name.
    #[serde(rename = "task")]
    pub(crate) name: String,
    /// What is remembered.
    #[serde(rename = "docs")]
    pub(crate) documents: Vec<RetrievalDocument>,
    /// What is asked.
    #[serde(rename = "queries")]
    pub(crate) questions: Vec<RetrievalQuestion>,
}

/// A text that is remembered.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct RetrievalDocument {
    id: String,
    text: String,
    #[serde(default)]
    ts: i64,
    #[serde(default)]
    scope: Option<String>,
}

/// A question with its answers.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct RetrievalQuestion {
    /// Its name.
    pub(crate) qid: String,
    /// Its words.
    pub(crate) query: String,
    /// When it is asked, in seconds.
    #[serde(default)]
    pub(crate) ts: i64,
    /// The documents that answer it.
    pub(crate) gold: Vec<String>,
    #[serde(default, rename = "type")]
    kind: Option<String>,
}

impl RetrievalTask {
    /// Keeps the questions that have an answer and are not of these types.
    pub(crate) fn keep_questions(&mut self, without_types: &[String]) {
        self.questions.retain(|it| {
            let is_left_out = it
                .kind
                .as_ref()
                .is_some_and(|it| without_types.contains(it));
            !it.gold.is_empty() && !is_left_out
        });
    }
}

/// A task in a store of its own.
pub(crate) struct FilledTask {
    store: SqliteStore,
    space: Space,
    policy: Policy,
    documents: HashMap<MemoryId, String>,
    /// The document that is kept in place of one that says the same: a store keeps a fact once.
    twins: HashMap<String, String>,
    _folder: TempDir,
}

impl FilledTask {
    /// Puts the documents of a task into a new store.
    pub(crate) fn fill(task: &RetrievalTask, dir: &Path) -> Result<Self> {
        let folder = TempDir::new_in(dir)?;
        let store = SqliteStore::open(&folder.path().join("store.db"))
            .context("the store cannot be opened")?;
        let mut filled = Self {
            store,
            space: Space::repo("bench/recall").context("a name")?,
            policy: Policy::default(),
            documents: HashMap::new(),
            twins: HashMap::new(),
            _folder: folder,
        };
        let mut memories = Vec::new();
        let mut claims: HashMap<Digest, &str> = HashMap::new();
        for (at, document) in (0..).zip(&task.documents) {
            let memory = filled.build_memory(at, document)?;
            match claims.entry(memory.claim_digest()) {
                Entry::Occupied(first) => {
                    let first = first.get().to_string();
                    filled.twins.insert(document.id.clone(), first);
                }
                Entry::Vacant(claim) => {
                    claim.insert(&document.id);
                    filled.documents.insert(memory.id, document.id.clone());
                    memories.push(memory);
                }
            }
        }
        let events = filled.at(0, |cx| {
            let event = |it: Memory| {
                let (id, space) = (it.id, it.space.clone());
                unchecked::new_event(
                    cx,
                    &space,
                    Some(id),
                    EventBody::Remembered {
                        memory: Box::new(it),
                        forced: false,
                        rationale: None,
                    },
                )
            };
            memories.into_iter().map(event).collect()
        })?;
        filled
            .store
            .append_batch(&unchecked::durable_batch(events, Vec::new()))?;
        Ok(filled)
    }

    fn build_memory(&self, at: u128, document: &RetrievalDocument) -> Result<Memory> {
        let recorded_at = Timestamp::from_second(document.ts)?;
        Ok(Memory {
            id: MemoryId::new(recorded_at, (at + 1) << 64),
            number: 0,
            space: self.space.clone(),
            layer: Layer::Knowledge,
            kind: Kind::Project,
            subject: None,
            fact: document.text.clone(),
            reason: None,
            citations: Vec::new(),
            evidence: Vec::new(),
            names: Vec::new(),
            runs: RunTally::default(),
            tags: Vec::new(),
            voice: Voice {
                session: document.scope.clone(),
                ..Voice::from_origin(Origin::Agent)
            },
            task: None,
            marks: Vec::new(),
            status: Status::Active,
            supersedes: None,
            vouchers: Vec::new(),
            recorded_at,
            refreshed_at: recorded_at,
            usage: UsageCounts::default(),
        })
    }

    /// A question to this store.
    pub(crate) fn request(&self) -> RecallRequest {
        RecallRequest {
            spaces: vec![self.space.clone()],
            ..RecallRequest::default()
        }
    }

    /// Does something at this second.
    pub(crate) fn at<T>(&self, second: i64, run: impl FnOnce(&Context<'_>) -> T) -> Result<T> {
        let dice = Cell::new(0_u128);
        let random = || {
            dice.set(dice.get() + 1);
            dice.get() << 64
        };
        Ok(run(&Context {
            store: &self.store as &dyn Store,
            source: &NoRepositorySource,
            policy: &self.policy,
            now: Timestamp::from_second(second)?,
            random: &random,
            late: &|| false,
            actor: Some("bench"),
            other_spaces: &[],
            guardian: None,
            testimony: None,
            embedder: None,
        }))
    }

    /// The documents that answer a question, as they were kept.
    pub(crate) fn gold_of(&self, question: &RetrievalQuestion) -> Vec<String> {
        let kept = |it: &String| self.twins.get(it).unwrap_or(it).clone();
        let mut gold: Vec<String> = question.gold.iter().map(kept).collect();
        gold.sort();
        gold.dedup();
        gold
    }

    /// The document that a memory was made of.
    pub(crate) fn document_of(&self, memory: &Memory) -> &str {
        self.documents.get(&memory.id).map_or("", String::as_str)
    }
}
