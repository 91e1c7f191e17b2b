//! Two stores as one: a repository's memories in the repository's own file, everybody's own in their own store.
//!
//! A file that came with a repository speaks for that repository and for nobody else, so what it says of a user's space is
//! not asked for, and nothing of a user's space is written to it.

use apostille_core::digest::Digest;
use apostille_core::event::{Batch, Erasure, Logged};
use apostille_core::memory::{Memory, MemoryId, Name};
use apostille_core::space::Space;
use apostille_core::store::watch::Watch;
use apostille_core::store::{Damaged, Filter, Health, Page, Postings, Receipt, Store, StoreError, Tally};
use jiff::Timestamp;

/// Repositories' spaces in one store, users' spaces in another.
pub struct Split {
    repo: Box<dyn Store>,
    own: Box<dyn Store>,
}

impl Split {
    /// The store of repositories' spaces, and the store of users'.
    #[must_use]
    pub fn new(repo: Box<dyn Store>, own: Box<dyn Store>) -> Self {
        Self { repo, own }
    }

    fn of(&self, space: &Space) -> &dyn Store {
        if space.is_user() { &*self.own } else { &*self.repo }
    }

    /// Each store, and whether it is the one of users' spaces.
    fn each(&self) -> [(&dyn Store, bool); 2] {
        [(&*self.repo, false), (&*self.own, true)]
    }

    /// The memories of a filter that one of the stores answers for.
    fn listed(store: &dyn Store, is_own: bool, filter: &Filter) -> Result<Vec<Memory>, StoreError> {
        let mut spaces = if filter.spaces.is_empty() { store.spaces()? } else { filter.spaces.clone() };
        spaces.retain(|it| it.is_user() == is_own);
        // A filter without spaces would ask for all of them.
        if spaces.is_empty() {
            return Ok(Vec::new());
        }
        store.list(&Filter { spaces, ..filter.clone() })
    }

    /// Both logs as one, in the order of time. Places are counted in the whole, so that a reader can go on where it was.
    fn merged(&self, page: &Page) -> Result<Vec<Logged>, StoreError> {
        let mut log = Vec::new();
        for (store, is_own) in self.each() {
            let whole = store.events(&Page {
                changes_only: page.changes_only,
                limit: usize::MAX,
                ..Page::default()
            })?;
            log.extend(whole.into_iter().filter(|it| it.event.space.is_user() == is_own));
        }
        log.sort_by_key(|it| it.event.at);
        log.iter_mut().zip(1..).for_each(|(it, seq)| it.seq = seq);
        log.retain(|it| page.memory.is_none_or(|id| it.event.touches().any(|touched| touched == id)));
        if page.newest_first {
            log.reverse();
            log.retain(|it| page.after == 0 || it.seq < page.after);
        } else {
            log.retain(|it| it.seq > page.after);
        }
        log.truncate(page.limit);
        Ok(log)
    }
}

impl Store for Split {
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

    fn get(&self, ids: &[MemoryId]) -> Result<Vec<Memory>, StoreError> {
        let mut found = Vec::new();
        for (store, is_own) in self.each() {
            found.extend(store.get(ids)?.into_iter().filter(|it| it.space.is_user() == is_own));
        }
        let one = |id: &MemoryId| found.iter().find(|it| it.id == *id).cloned();
        Ok(ids.iter().filter_map(one).collect())
    }

    fn numbered(&self, space: &Space, numbers: &[u64]) -> Result<Vec<Memory>, StoreError> {
        self.of(space).numbered(space, numbers)
    }

    fn claimed(&self, space: &Space, claim: &Digest) -> Result<Option<Memory>, StoreError> {
        self.of(space).claimed(space, claim)
    }

    fn list(&self, filter: &Filter) -> Result<Vec<Memory>, StoreError> {
        let mut found = Vec::new();
        for (store, is_own) in self.each() {
            found.extend(Self::listed(store, is_own, filter)?);
        }
        filter.sort(&mut found);
        found.truncate(filter.limit);
        Ok(found)
    }

    fn postings(&self, space: &Space, terms: &[String]) -> Result<Postings, StoreError> {
        self.of(space).postings(space, terms)
    }

    fn vocabulary(&self, space: &Space, initial: char) -> Result<Vec<String>, StoreError> {
        self.of(space).vocabulary(space, initial)
    }

    fn spaces(&self) -> Result<Vec<Space>, StoreError> {
        let mut spaces = Vec::new();
        for (store, is_own) in self.each() {
            spaces.extend(store.spaces()?.into_iter().filter(|it| it.is_user() == is_own));
        }
        spaces.sort();
        Ok(spaces)
    }

    fn tally(&self, space: &Space) -> Result<Tally, StoreError> {
        self.of(space).tally(space)
    }

    fn watch(&self, space: &Space, since: Timestamp) -> Result<Watch, StoreError> {
        self.of(space).watch(space, since)
    }

    fn events(&self, page: &Page) -> Result<Vec<Logged>, StoreError> {
        match &page.space {
            Some(space) => self.of(space).events(page),
            None => self.merged(page),
        }
    }

    fn damaged(&self, space: &Space, name: Name) -> Result<Option<Damaged>, StoreError> {
        self.of(space).damaged(space, name)
    }

    fn health(&self) -> Result<Health, StoreError> {
        let (repo, own) = (self.repo.health()?, self.own.health()?);
        Ok(Health {
            name: format!("{} and, for yourself, {}", repo.name, own.name),
            problems: repo.problems.into_iter().chain(own.problems).collect(),
        })
    }
}
