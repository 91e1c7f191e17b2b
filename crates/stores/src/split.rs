//! Two stores as one: a repository's memories in the repository's own file, everybody's own in their own store.
//!
//! A file that came with a repository speaks for that repository and for nobody else, so what it says of a user's space is
//! not asked for, and nothing of a user's space is written to it.

use std::sync::atomic::{AtomicBool, Ordering};

use apostille_core::event::trace::EventTrace;
use apostille_core::event::{Batch, Erasure, LoggedEvent};
use apostille_core::memory::{Memory, MemoryId, MemoryName};
use apostille_core::space::Space;
use apostille_core::store::breaker_state::BreakerState;
use apostille_core::store::{
    AppendReceipt, DamagedMemory, EventLog, EventPage, MemoryFilter, MemoryKeys, Postings,
    SpaceSummary, Store, StoreError, StoreHealth,
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
    /// The store of repositories' spaces, and the store of users'.
    #[must_use]
    pub fn new(repo: Box<dyn Store>, own: Box<dyn Store>) -> Self {
        Self {
            repo,
            own,
            tell: Box::new(|_| ()),
            is_told: AtomicBool::new(false),
        }
    }

    /// The same, with somebody to tell why the repository's half answers nothing.
    #[must_use]
    pub fn with_error_reporter(self, tell: impl Fn(&StoreError) + Send + Sync + 'static) -> Self {
        Self {
            tell: Box::new(tell),
            ..self
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
        found: Result<T, StoreError>,
        is_own: bool,
    ) -> Result<T, StoreError> {
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
    ) -> Result<Vec<Memory>, StoreError> {
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

    /// The memories with these ids, of whichever store has them.
    fn get_by_ids_of_both(&self, ids: &[MemoryId]) -> Result<Vec<Memory>, StoreError> {
        let mut found = Vec::new();
        for (store, is_own) in self.both_stores() {
            let answer =
                self.default_on_repo_error(store.get_memories(MemoryKeys::Ids(ids)), is_own)?;
            found.extend(answer.into_iter().filter(|it| it.space.is_user() == is_own));
        }
        let one = |id: &MemoryId| found.iter().find(|it| it.id == *id).cloned();
        Ok(ids.iter().filter_map(one).collect())
    }
}

impl EventLog for SplitStore {
    fn append_batch(&self, batch: &Batch) -> Result<AppendReceipt, StoreError> {
        let mut receipt = AppendReceipt::default();
        // What spans both is what was shown, and never one decision.
        for (store, is_own) in self.both_stores() {
            if let Some(part) = batch.filter_spaces(|it| it.is_user() == is_own) {
                receipt.numbers.extend(store.append_batch(&part)?.numbers);
            }
        }
        Ok(receipt)
    }

    fn erase_memory(&self, erasure: &Erasure) -> Result<bool, StoreError> {
        self.store_of(&erasure.tombstone().space)
            .erase_memory(erasure)
    }

    fn get_memories(&self, keys: MemoryKeys<'_>) -> Result<Vec<Memory>, StoreError> {
        match keys {
            MemoryKeys::Ids(ids) => self.get_by_ids_of_both(ids),
            MemoryKeys::Numbers(space, _) | MemoryKeys::Claim(space, _) => {
                self.store_of(space).get_memories(keys)
            }
        }
    }

    fn list_memories(&self, filter: &MemoryFilter) -> Result<Vec<Memory>, StoreError> {
        let mut found = Vec::new();
        for (store, is_own) in self.both_stores() {
            found.extend(
                self.default_on_repo_error(Self::list_from_store(store, is_own, filter), is_own)?,
            );
        }
        filter.sort_memories(&mut found);
        found.truncate(filter.limit);
        Ok(found)
    }

    fn list_spaces(&self) -> Result<Vec<Space>, StoreError> {
        let mut spaces = Vec::new();
        for (store, is_own) in self.both_stores() {
            spaces.extend(
                self.default_on_repo_error(store.list_spaces(), is_own)?
                    .into_iter()
                    .filter(|it| it.is_user() == is_own),
            );
        }
        spaces.sort();
        Ok(spaces)
    }

    fn summarize_space(&self, space: &Space) -> Result<SpaceSummary, StoreError> {
        self.default_on_repo_error(self.store_of(space).summarize_space(space), space.is_user())
    }

    fn read_events(&self, space: &Space, page: &EventPage) -> Result<Vec<LoggedEvent>, StoreError> {
        self.default_on_repo_error(
            self.store_of(space).read_events(space, page),
            space.is_user(),
        )
    }

    fn check_health(&self) -> Result<StoreHealth, StoreError> {
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
    fn read_postings(&self, space: &Space, terms: &[String]) -> Result<Postings, StoreError> {
        let mut found = self.default_on_repo_error(
            self.store_of(space).read_postings(space, terms),
            space.is_user(),
        )?;
        found.lists.resize(terms.len(), Vec::new());
        Ok(found)
    }

    fn list_terms(&self, space: &Space, initial: char) -> Result<Vec<String>, StoreError> {
        self.default_on_repo_error(
            self.store_of(space).list_terms(space, initial),
            space.is_user(),
        )
    }

    fn read_breaker_state(
        &self,
        space: &Space,
        since: Timestamp,
    ) -> Result<BreakerState, StoreError> {
        self.default_on_repo_error(
            self.store_of(space).read_breaker_state(space, since),
            space.is_user(),
        )
    }

    fn read_event_traces(
        &self,
        space: &Space,
        since: Timestamp,
        limit: usize,
    ) -> Result<Vec<EventTrace>, StoreError> {
        self.default_on_repo_error(
            self.store_of(space).read_event_traces(space, since, limit),
            space.is_user(),
        )
    }

    fn find_damaged(
        &self,
        space: &Space,
        name: MemoryName,
    ) -> Result<Option<DamagedMemory>, StoreError> {
        self.store_of(space).find_damaged(space, name)
    }
}
