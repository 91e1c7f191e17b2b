//! The store of tests: everything in memory. The strict twin and the oracle of the others.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;

use super::state::State;
use super::watch::Watch;
use super::{Filter, Health, Page, Postings, Receipt, Store, StoreError, Tally};
use crate::event::trace::Trace;
use crate::event::{Batch, Erasure, Logged};
use crate::memory::{Memory, MemoryId};
use crate::space::Space;
use apostille_text::digest::Digest;

/// Memories in memory. A clone is the same store.
#[derive(Debug, Clone, Default)]
pub struct Ram(Arc<Mutex<State>>);

impl Ram {
    fn state(&self) -> MutexGuard<'_, State> {
        // A panic while the lock was held cannot leave half a batch: `State::append` checks before it changes.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for Ram {
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

    fn get(&self, ids: &[MemoryId]) -> Result<Vec<Memory>, StoreError> {
        Ok(self.state().get(ids))
    }

    fn numbered(&self, space: &Space, numbers: &[u64]) -> Result<Vec<Memory>, StoreError> {
        Ok(self.state().numbered(space, numbers))
    }

    fn claimed(&self, space: &Space, claim: &Digest) -> Result<Option<Memory>, StoreError> {
        Ok(self.state().claimed(space, claim))
    }

    fn list(&self, filter: &Filter) -> Result<Vec<Memory>, StoreError> {
        Ok(self.state().list(filter))
    }

    fn postings(&self, space: &Space, terms: &[String]) -> Result<Postings, StoreError> {
        Ok(self.state().postings(space, terms))
    }

    fn vocabulary(&self, space: &Space, initial: char) -> Result<Vec<String>, StoreError> {
        Ok(self.state().vocabulary(space, initial))
    }

    fn spaces(&self) -> Result<Vec<Space>, StoreError> {
        Ok(self.state().spaces())
    }

    fn tally(&self, space: &Space) -> Result<Tally, StoreError> {
        Ok(self.state().tally(space))
    }

    fn watch(&self, space: &Space, since: Timestamp) -> Result<Watch, StoreError> {
        Ok(self.state().watch(space, since))
    }

    fn events(&self, page: &Page) -> Result<Vec<Logged>, StoreError> {
        Ok(self.state().events(page))
    }

    fn traces(
        &self,
        space: &Space,
        since: Timestamp,
        limit: usize,
    ) -> Result<Vec<Trace>, StoreError> {
        Ok(self.state().traces(space, since, limit))
    }

    fn health(&self) -> Result<Health, StoreError> {
        Ok(Health {
            name: "memory of this process".into(),
            problems: Vec::new(),
        })
    }
}
