//! Two stores as one: a repository's memories in the repository's own file, everybody's own in their own store.
//!
//! A file that came with a repository speaks for that repository and for nobody else, so what it says of a user's space is
//! not asked for, and nothing of a user's space is written to it.

use std::{
    ops::RangeInclusive,
    sync::atomic::{AtomicBool, Ordering},
};

use apostille_core::{
    embedding::{EmbeddingModel, MemoryEmbedding},
    event::{Batch, Erasure, LoggedEvent, trace::EventTrace},
    memory::{Layer, Memory, MemoryName},
    space::Space,
    store::{
        AppendReceipt, DamagedMemory, EventLog, EventPage, MemoryFilter, MemoryKeys, Postings,
        SpaceSummary, Store, StoreError, StoreHealth, StoreResult, breaker_state::BreakerState,
        shelf::ReplicaShelf,
    },
};
use jiff::Timestamp;

/// Repositories' spaces in one store, users' spaces in another.
///
/// A repository whose file cannot be read takes nothing away from its user: to questions it answers nothing, which is said
/// once, and only what is asked of it by number, or written to it, fails.
pub struct SplitStore {
    repo: Box<dyn Store>,
    own: Box<dyn Store>,
    tell: Box<dyn Fn(&StoreError) + Send + Sync>,
    is_told: AtomicBool,
}

impl SplitStore {
    /// The store of repositories' spaces, the store of users', and whom to tell why the repository's half answers nothing.
    pub fn new(
        repo: Box<dyn Store>,
        own: Box<dyn Store>,
        tell: impl Fn(&StoreError) + Send + Sync + 'static,
    ) -> Self {
        Self {
            repo,
            own,
            tell: Box::new(tell),
            is_told: AtomicBool::new(false),
        }
    }

    fn store_of(&self, space: &Space) -> &dyn Store {
        if space.is_user() {
            &*self.own
        } else {
            &*self.repo
        }
    }

    /// Each store, and whether it is the one of users' spaces.
    fn both_stores(&self) -> [(&dyn Store, bool); 2] {
        [(&*self.repo, false), (&*self.own, true)]
    }

    /// What one of the stores answers; nothing where it is the repository's and cannot.
    fn default_on_repo_error<T: Default>(
        &self,
        found: StoreResult<T>,
        is_own: bool,
    ) -> StoreResult<T> {
        match found {
            Err(error) if !is_own => {
                if !self.is_told.swap(true, Ordering::Relaxed) {
                    (self.tell)(&error);
                }
                Ok(T::default())
            }
            other => other,
        }
    }

    /// The memories of a filter that one of the stores answers for.
    fn list_from_store(
        store: &dyn Store,
        is_own: bool,
        filter: &MemoryFilter,
    ) -> StoreResult<Vec<Memory>> {
        let mut spaces = if filter.spaces.is_empty() {
            store.list_spaces()?
        } else {
            filter.spaces.clone()
        };
        spaces.retain(|it| it.is_user() == is_own);
        // A filter without spaces would ask for all of them.
        if spaces.is_empty() {
            return Ok(Vec::new());
        }
        store.list_memories(&MemoryFilter {
            spaces,
            ..filter.clone()
        })
    }

    /// What the store of a space answers; nothing where it is the repository's and cannot.
    fn ask_store_of<T: Default>(
        &self,
        space: &Space,
        ask: impl FnOnce(&dyn Store) -> StoreResult<T>,
    ) -> StoreResult<T> {
        self.default_on_repo_error(ask(self.store_of(space)), space.is_user())
    }

    /// What both stores answer, one behind the other; each is told whether it is the one of users' spaces.
    fn ask_both<T>(
        &self,
        ask: impl Fn(&dyn Store, bool) -> StoreResult<Vec<T>>,
    ) -> StoreResult<Vec<T>> {
        let mut found = Vec::new();
        for (store, is_own) in self.both_stores() {
            found.extend(self.default_on_repo_error(ask(store, is_own), is_own)?);
        }
        Ok(found)
    }
}

impl EventLog for SplitStore {
    fn append_batch(&self, batch: &Batch) -> StoreResult<AppendReceipt> {
        let mut receipt = AppendReceipt::default();
        // What spans both is what was shown, and never one decision.
        for (store, is_own) in self.both_stores() {
            if let Some(part) = batch.filter_spaces(|it| it.is_user() == is_own) {
                receipt.numbers.extend(store.append_batch(&part)?.numbers);
            }
        }
        Ok(receipt)
    }

    fn erase_memory(&self, erasure: &Erasure) -> StoreResult<bool> {
        self.store_of(&erasure.tombstone().space)
            .erase_memory(erasure)
    }

    fn forget_questions(
        &self,
        space: &Space,
        during: &RangeInclusive<Timestamp>,
    ) -> StoreResult<usize> {
        self.store_of(space).forget_questions(space, during)
    }

    fn get_memories(&self, keys: MemoryKeys) -> StoreResult<Vec<Memory>> {
        match keys {
            MemoryKeys::Ids(ids) => {
                let found = self.ask_both(|store, is_own| {
                    let mut found = store.get_memories(keys)?;
                    found.retain(|it| it.space.is_user() == is_own);
                    Ok(found)
                })?;
                Ok(ids
                    .iter()
                    .filter_map(|id| found.iter().find(|it| it.id == *id).cloned())
                    .collect())
            }
            MemoryKeys::Numbers(space, _) | MemoryKeys::Claim(space, _) => {
                self.store_of(space).get_memories(keys)
            }
        }
    }

    fn list_memories(&self, filter: &MemoryFilter) -> StoreResult<Vec<Memory>> {
        let mut found =
            self.ask_both(|store, is_own| Self::list_from_store(store, is_own, filter))?;
        filter.sort_memories(&mut found);
        found.truncate(filter.limit);
        Ok(found)
    }

    fn list_active_numbers(
        &self,
        space: &Space,
        layers: &[Layer],
        most: usize,
    ) -> StoreResult<Vec<u64>> {
        self.store_of(space)
            .list_active_numbers(space, layers, most)
    }

    fn retain_active_numbers(
        &self,
        space: &Space,
        numbers: &[u64],
        layers: &[Layer],
    ) -> StoreResult<Vec<u64>> {
        self.store_of(space)
            .retain_active_numbers(space, numbers, layers)
    }

    fn list_spaces(&self) -> StoreResult<Vec<Space>> {
        let mut spaces = self.ask_both(|store, is_own| {
            let mut spaces = store.list_spaces()?;
            spaces.retain(|it| it.is_user() == is_own);
            Ok(spaces)
        })?;
        spaces.sort();
        Ok(spaces)
    }

    fn summarize_space(&self, space: &Space) -> StoreResult<SpaceSummary> {
        self.ask_store_of(space, |it| it.summarize_space(space))
    }

    fn read_events(&self, space: &Space, page: &EventPage) -> StoreResult<Vec<LoggedEvent>> {
        self.ask_store_of(space, |it| it.read_events(space, page))
    }

    fn check_health(&self) -> StoreResult<StoreHealth> {
        let own = self.own.check_health()?;
        let unread = |error: StoreError| StoreHealth {
            name: "a file of the repository".into(),
            problems: vec![error.to_string()],
        };
        let repo = self.repo.check_health().unwrap_or_else(unread);
        Ok(StoreHealth {
            name: format!("{} and, for yourself, {}", repo.name, own.name),
            problems: repo.problems.into_iter().chain(own.problems).collect(),
        })
    }
}

impl Store for SplitStore {
    fn is_in_place(&self) -> bool {
        self.both_stores()
            .into_iter()
            .all(|(it, _)| it.is_in_place())
    }

    /// A repository's own file is exchanged by git.
    fn replica_shelf(&self) -> Option<&dyn ReplicaShelf> {
        self.own.replica_shelf()
    }

    fn read_postings(&self, space: &Space, terms: &[String]) -> StoreResult<Postings> {
        let mut found = self.ask_store_of(space, |it| it.read_postings(space, terms))?;
        found.lists.resize(terms.len(), Vec::new());
        Ok(found)
    }

    fn list_terms(&self, space: &Space, initial: char) -> StoreResult<Vec<String>> {
        self.ask_store_of(space, |it| it.list_terms(space, initial))
    }

    fn find_terms(
        &self,
        space: &Space,
        is_wanted: &dyn Fn(&str) -> bool,
    ) -> StoreResult<Vec<String>> {
        self.ask_store_of(space, |it| it.find_terms(space, is_wanted))
    }

    fn read_breaker_state(&self, space: &Space, since: Timestamp) -> StoreResult<BreakerState> {
        self.ask_store_of(space, |it| it.read_breaker_state(space, since))
    }

    fn read_event_traces(
        &self,
        space: &Space,
        since: Timestamp,
        limit: usize,
    ) -> StoreResult<Vec<EventTrace>> {
        self.ask_store_of(space, |it| it.read_event_traces(space, since, limit))
    }

    fn read_embeddings(
        &self,
        space: &Space,
        model: &EmbeddingModel,
    ) -> StoreResult<Vec<MemoryEmbedding>> {
        self.ask_store_of(space, |it| it.read_embeddings(space, model))
    }

    fn write_embeddings(
        &self,
        space: &Space,
        model: &EmbeddingModel,
        embeddings: &[MemoryEmbedding],
    ) -> StoreResult<usize> {
        self.store_of(space)
            .write_embeddings(space, model, embeddings)
    }

    fn remove_embeddings(&self, model: &EmbeddingModel) -> StoreResult<()> {
        self.both_stores()
            .into_iter()
            .try_for_each(|(it, _)| it.remove_embeddings(model))
    }

    fn list_cited_paths(&self, space: &Space) -> StoreResult<Vec<String>> {
        self.ask_store_of(space, |it| it.list_cited_paths(space))
    }

    fn find_damaged(&self, space: &Space, name: MemoryName) -> StoreResult<Option<DamagedMemory>> {
        self.store_of(space).find_damaged(space, name)
    }
}
