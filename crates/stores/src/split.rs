//! Two stores as one: a repository's memories in the repository's own file, everybody's own in their own store.
//!
//! A file that came with a repository speaks for that repository and for nobody else, so what it says of a user's space is
//! not asked for, and nothing of a user's space is written to it.

use std::sync::atomic::{AtomicBool, Ordering};

use apostille_core::event::trace::Trace;
use apostille_core::event::{Batch, Erasure, Logged};
use apostille_core::memory::{Memory, MemoryId, Name};
use apostille_core::space::Space;
use apostille_core::store::watch::Watch;
use apostille_core::store::{
    Damaged, EventPage, Filter, Health, Log, MemoryKeys, Postings, Receipt, SpaceSummary, Store,
    StoreError,
};
use jiff::Timestamp;

/// Repositories' spaces in one store, users' spaces in another.
///
/// A repository whose file cannot be read takes nothing away from its user: to questions it answers nothing, which is said
/// once, and only what is asked of it by number, or written to it, fails.
pub struct Split {
    repo: Box<dyn Store>,
    own: Box<dyn Store>,
    tell: Box<dyn Fn(&StoreError) + Send + Sync>,
    is_told: AtomicBool,
}

impl Split {
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
    pub fn telling(self, tell: impl Fn(&StoreError) + Send + Sync + 'static) -> Self {
        Self {
            tell: Box::new(tell),
            ..self
        }
    }

    fn of(&self, space: &Space) -> &dyn Store {
        if space.is_user() {
            &*self.own
        } else {
            &*self.repo
        }
    }

    /// Each store, and whether it is the one of users' spaces.
    fn each(&self) -> [(&dyn Store, bool); 2] {
        [(&*self.repo, false), (&*self.own, true)]
    }

    /// What one of the stores answers; nothing where it is the repository's and cannot.
    fn answer<T: Default>(
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
    fn listed(store: &dyn Store, is_own: bool, filter: &Filter) -> Result<Vec<Memory>, StoreError> {
        let mut spaces = if filter.spaces.is_empty() {
            store.spaces()?
        } else {
            filter.spaces.clone()
        };
        spaces.retain(|it| it.is_user() == is_own);
        // A filter without spaces would ask for all of them.
        if spaces.is_empty() {
            return Ok(Vec::new());
        }
        store.list(&Filter {
            spaces,
            ..filter.clone()
        })
    }

    /// The memories with these ids, of whichever store has them.
    fn get_by_ids_of_both(&self, ids: &[MemoryId]) -> Result<Vec<Memory>, StoreError> {
        let mut found = Vec::new();
        for (store, is_own) in self.each() {
            let answer = self.answer(store.get(MemoryKeys::Ids(ids)), is_own)?;
            found.extend(answer.into_iter().filter(|it| it.space.is_user() == is_own));
        }
        let one = |id: &MemoryId| found.iter().find(|it| it.id == *id).cloned();
        Ok(ids.iter().filter_map(one).collect())
    }
}

impl Log for Split {
    fn append(&self, batch: &Batch) -> Result<Receipt, StoreError> {
        let mut receipt = Receipt::default();
        // What spans both is what was shown, and never one decision.
        for (store, is_own) in self.each() {
            if let Some(part) = batch.part(|it| it.is_user() == is_own) {
                receipt.numbers.extend(store.append(&part)?.numbers);
            }
        }
        Ok(receipt)
    }

    fn erase(&self, erasure: &Erasure) -> Result<bool, StoreError> {
        self.of(&erasure.tombstone().space).erase(erasure)
    }

    fn get(&self, keys: MemoryKeys<'_>) -> Result<Vec<Memory>, StoreError> {
        match keys {
            MemoryKeys::Ids(ids) => self.get_by_ids_of_both(ids),
            MemoryKeys::Numbers(space, _) | MemoryKeys::Claim(space, _) => self.of(space).get(keys),
        }
    }

    fn list(&self, filter: &Filter) -> Result<Vec<Memory>, StoreError> {
        let mut found = Vec::new();
        for (store, is_own) in self.each() {
            found.extend(self.answer(Self::listed(store, is_own, filter), is_own)?);
        }
        filter.sort(&mut found);
        found.truncate(filter.limit);
        Ok(found)
    }

    fn spaces(&self) -> Result<Vec<Space>, StoreError> {
        let mut spaces = Vec::new();
        for (store, is_own) in self.each() {
            spaces.extend(
                self.answer(store.spaces(), is_own)?
                    .into_iter()
                    .filter(|it| it.is_user() == is_own),
            );
        }
        spaces.sort();
        Ok(spaces)
    }

    fn summary(&self, space: &Space) -> Result<SpaceSummary, StoreError> {
        self.answer(self.of(space).summary(space), space.is_user())
    }

    fn events(&self, space: &Space, page: &EventPage) -> Result<Vec<Logged>, StoreError> {
        self.answer(self.of(space).events(space, page), space.is_user())
    }

    fn health(&self) -> Result<Health, StoreError> {
        let own = self.own.health()?;
        let unread = |error: StoreError| Health {
            name: "a file of the repository".into(),
            problems: vec![error.to_string()],
        };
        let repo = self.repo.health().unwrap_or_else(unread);
        Ok(Health {
            name: format!("{} and, for yourself, {}", repo.name, own.name),
            problems: repo.problems.into_iter().chain(own.problems).collect(),
        })
    }
}

impl Store for Split {
    fn postings(&self, space: &Space, terms: &[String]) -> Result<Postings, StoreError> {
        let mut found = self.answer(self.of(space).postings(space, terms), space.is_user())?;
        found.lists.resize(terms.len(), Vec::new());
        Ok(found)
    }

    fn vocabulary(&self, space: &Space, initial: char) -> Result<Vec<String>, StoreError> {
        self.answer(self.of(space).vocabulary(space, initial), space.is_user())
    }

    fn watch(&self, space: &Space, since: Timestamp) -> Result<Watch, StoreError> {
        self.answer(self.of(space).watch(space, since), space.is_user())
    }

    fn traces(
        &self,
        space: &Space,
        since: Timestamp,
        limit: usize,
    ) -> Result<Vec<Trace>, StoreError> {
        self.answer(self.of(space).traces(space, since, limit), space.is_user())
    }

    fn damaged(&self, space: &Space, name: Name) -> Result<Option<Damaged>, StoreError> {
        self.of(space).damaged(space, name)
    }
}
