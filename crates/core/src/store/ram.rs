//! The store of tests: everything in memory. The strict twin and the oracle of the others.

use std::{
    ops::RangeInclusive,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use jiff::Timestamp;

use super::{
    AppendReceipt, EventLog, EventPage, MemoryFilter, MemoryKeys, Postings, SpaceSummary, Store,
    StoreError, StoreHealth, breaker_state::BreakerState, state::StoreState,
};
use crate::{
    embedding::{EmbeddingModel, MemoryEmbedding},
    event::{Batch, Erasure, LoggedEvent, trace::EventTrace},
    memory::Memory,
    space::Space,
};

/// Memories in memory. A clone is the same store.
#[derive(Debug, Clone, Default)]
pub struct RamStore(Arc<Mutex<StoreState>>);

impl RamStore {
    fn lock_state(&self) -> MutexGuard<'_, StoreState> {
        // A panic while the lock was held cannot leave half a batch: preconditions are checked before anything is changed.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventLog for RamStore {
    fn append_batch(&self, batch: &Batch) -> Result<AppendReceipt, StoreError> {
        let mut state = self.lock_state();
        state.check_preconditions(batch.preconditions())?;
        Ok(state.append_events(batch.events()))
    }

    fn erase_memory(&self, erasure: &Erasure) -> Result<bool, StoreError> {
        let mut state = self.lock_state();
        let known = state.has_memory(erasure.id());
        if known {
            state.fold_event(erasure.tombstone());
        }
        Ok(known)
    }

    fn forget_questions(
        &self,
        space: &Space,
        during: &RangeInclusive<Timestamp>,
    ) -> Result<usize, StoreError> {
        Ok(self.lock_state().forget_questions(space, during))
    }

    fn get_memories(&self, keys: MemoryKeys) -> Result<Vec<Memory>, StoreError> {
        Ok(self.lock_state().get_memories(keys))
    }

    fn list_memories(&self, filter: &MemoryFilter) -> Result<Vec<Memory>, StoreError> {
        Ok(self.lock_state().list_memories(filter))
    }

    fn list_spaces(&self) -> Result<Vec<Space>, StoreError> {
        Ok(self.lock_state().list_spaces())
    }

    fn summarize_space(&self, space: &Space) -> Result<SpaceSummary, StoreError> {
        Ok(self.lock_state().summarize_space(space))
    }

    fn read_events(&self, space: &Space, page: &EventPage) -> Result<Vec<LoggedEvent>, StoreError> {
        Ok(self.lock_state().read_events(space, page))
    }

    fn check_health(&self) -> Result<StoreHealth, StoreError> {
        Ok(StoreHealth {
            name: "memory of this process".into(),
            problems: Vec::new(),
        })
    }
}

impl Store for RamStore {
    fn read_postings(&self, space: &Space, terms: &[String]) -> Result<Postings, StoreError> {
        Ok(self.lock_state().read_postings(space, terms))
    }

    fn list_terms(&self, space: &Space, initial: char) -> Result<Vec<String>, StoreError> {
        Ok(self.lock_state().list_terms(space, initial))
    }

    fn find_terms(
        &self,
        space: &Space,
        is_wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<String>, StoreError> {
        Ok(self.lock_state().find_terms(space, is_wanted))
    }

    fn read_breaker_state(
        &self,
        space: &Space,
        since: Timestamp,
    ) -> Result<BreakerState, StoreError> {
        Ok(self.lock_state().read_breaker_state(space, since))
    }

    fn read_event_traces(
        &self,
        space: &Space,
        since: Timestamp,
        limit: usize,
    ) -> Result<Vec<EventTrace>, StoreError> {
        Ok(self.lock_state().read_event_traces(space, since, limit))
    }

    fn read_embeddings(
        &self,
        space: &Space,
        model: &EmbeddingModel,
    ) -> Result<Vec<MemoryEmbedding>, StoreError> {
        Ok(self.lock_state().read_embeddings(space, model))
    }

    fn write_embeddings(
        &self,
        space: &Space,
        model: &EmbeddingModel,
        embeddings: &[MemoryEmbedding],
    ) -> Result<usize, StoreError> {
        Ok(self.lock_state().write_embeddings(space, model, embeddings))
    }

    fn remove_embeddings(&self, model: &EmbeddingModel) -> Result<(), StoreError> {
        self.lock_state().remove_embeddings(model);
        Ok(())
    }
}
