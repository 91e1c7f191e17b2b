//! A task of the suite `recall`, and the store that it is put into.

use std::{
    collections::{HashMap, hash_map::Entry},
    path::Path,
};

use anyhow::{Context as _, Result};
use apostille_cite::source::NoRepositorySource;
use apostille_core::{
    embedding::Embedder,
    memory::{Memory, MemoryId},
    recall::RecallRequest,
    space::Space,
};
use apostille_stores::sqlite::SqliteStore;
use apostille_text::digest::Digest;
use serde::Deserialize;
use tempfile::TempDir;

use crate::world::{World, build_fact};

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
pub(crate) struct FilledTask<'a> {
    store: SqliteStore,
    embedder: Option<&'a dyn Embedder>,
    space: Space,
    documents: HashMap<MemoryId, String>,
    /// The document that is kept in place of one that says the same: a store keeps a fact once.
    twins: HashMap<String, String>,
    _folder: TempDir,
}

impl<'a> FilledTask<'a> {
    /// Puts the documents of a task into a new store.
    pub(crate) fn fill(
        task: &RetrievalTask,
        dir: &Path,
        embedder: Option<&'a dyn Embedder>,
    ) -> Result<Self> {
        let folder = TempDir::new_in(dir)?;
        let store = SqliteStore::open(&folder.path().join("store.db"))
            .context("the store cannot be opened")?;
        let mut filled = Self {
            store,
            embedder,
            space: Space::repo("bench/recall").context("a name")?,
            documents: HashMap::new(),
            twins: HashMap::new(),
            _folder: folder,
        };
        let mut memories = Vec::new();
        let mut claims: HashMap<Digest, &str> = HashMap::new();
        for (at, document) in (1..).zip(&task.documents) {
            let mut memory = build_fact(at, document.ts, &filled.space, &document.text)?;
            memory.voice.session.clone_from(&document.scope);
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
        filled.world().keep_memories(0, &filled.space, memories)?;
        Ok(filled)
    }

    /// The store and the model.
    pub(crate) fn world(&self) -> World<'_> {
        World {
            store: &self.store,
            source: &NoRepositorySource,
            embedder: self.embedder,
        }
    }

    /// A question to this store.
    pub(crate) fn request(&self) -> RecallRequest {
        RecallRequest {
            spaces: vec![self.space.clone()],
            ..RecallRequest::default()
        }
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
