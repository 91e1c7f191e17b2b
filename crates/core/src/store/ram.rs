//! The store of tests: everything in memory. The strict twin and the oracle of the others.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;

use super::state::State;
use super::watch::Watch;
use super::{
    EventPage, Filter, Health, Log, MemoryKeys, Postings, Receipt, SpaceSummary, Store, StoreError,
};
use crate::event::trace::Trace;
use crate::event::{Batch, Erasure, Logged};
use crate::memory::Memory;
use crate::space::Space;

/// Memories in memory. A clone is the same store.
#[derive(Debug, Clone, Default)]
pub struct Ram(Arc<Mutex<State>>);

impl Ram {
    fn state(&self) -> MutexGuard<'_, State> {
        // A panic while the lock was held cannot leave half a batch: `State::append` checks before it changes.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Log for Ram {
    fn append(&self, batch: &Batch) -> Result<Receipt, StoreError> {
        let mut state = self.state();
        state.check(batch.expects())?;
        Ok(state.append(batch.events()))
    }

    fn erase(&self, erasure: &Erasure) -> Result<bool, StoreError> {
        let mut state = self.state();
        let known = state.knows(erasure.id());
        if known {
            state.fold(erasure.tombstone());
        }
        Ok(known)
    }

    fn get(&self, keys: MemoryKeys<'_>) -> Result<Vec<Memory>, StoreError> {
        Ok(self.state().get(keys))
    }

    fn list(&self, filter: &Filter) -> Result<Vec<Memory>, StoreError> {
        Ok(self.state().list(filter))
    }

    fn spaces(&self) -> Result<Vec<Space>, StoreError> {
        Ok(self.state().spaces())
    }

    fn summary(&self, space: &Space) -> Result<SpaceSummary, StoreError> {
        Ok(self.state().summary(space))
    }

    fn events(&self, space: &Space, page: &EventPage) -> Result<Vec<Logged>, StoreError> {
        Ok(self.state().events(space, page))
    }

    fn health(&self) -> Result<Health, StoreError> {
        Ok(Health {
            name: "memory of this process".into(),
            problems: Vec::new(),
        })
    }
}

impl Store for Ram {
    fn postings(&self, space: &Space, terms: &[String]) -> Result<Postings, StoreError> {
        Ok(self.state().postings(space, terms))
    }

    fn vocabulary(&self, space: &Space, initial: char) -> Result<Vec<String>, StoreError> {
        Ok(self.state().vocabulary(space, initial))
    }

    fn watch(&self, space: &Space, since: Timestamp) -> Result<Watch, StoreError> {
        Ok(self.state().watch(space, since))
    }

    fn traces(
        &self,
        space: &Space,
        since: Timestamp,
        limit: usize,
    ) -> Result<Vec<Trace>, StoreError> {
        Ok(self.state().traces(space, since, limit))
    }
}
