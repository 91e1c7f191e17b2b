//! Replicas: stores that exchange what happened in a space, and come to the same memories in whatever order they hear of it.
//!
//! What travels is a set of lines, each one event with a place in time, in the form of the JSONL store ([`ReplicaLine`]). A
//! replica keeps the set of its space beside its store ([`ReplicaLog`]), a target holds one as well, and to sync is to unite
//! the two: it can be repeated, interrupted and done in any order. What the set means is folded from it by pure rules:
//!
//! - A memory is what its `remembered` line says, changed by the lines about it in the order of their places in time.
//! - What a replica did counts as later than every line about that memory that it knew when it did it, whatever its clock says.
//! - `forgotten` wins over everything: every other line about that memory leaves the set, and so do its bytes.
//! - Of two memories in use that say the same, the older one stays and the other is replaced by it.
//! - Of two memories that replaced the same one, the later stays in use and the other waits for a person.
//!
//! The local store follows the set ([`apply::apply_replica_log`]) by ordinary events, written at the time at which they
//! arrived: a log stays in the order of its times, which rollback and breakers rely on. These events are no news to tell,
//! so the replica keeps their digests until it has read past them. Nobody's number changes under them: a handle belongs to one
//! store, and the id to all.
//!
//! What stays at home: the session layer, what waits and was never in use, what was only shown, counted or refused, runs of
//! commands, and who vouched for what. What arrives is foreign (`crate::foreign`): moderated as if it were said now, in no
//! person's voice.

pub mod apply;
pub mod authority;
pub mod collect;
pub mod line;
pub mod log;
pub mod parts;
mod view;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::memory::MemoryId;

pub use line::ReplicaLine;
pub use log::ReplicaLog;

/// What a replica remembers of its own store between two exchanges.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplicaState {
    /// The place in the log of the store up to which its events were looked at.
    pub cursor: u64,
    /// The digest of the event at that place: a file of lines counts its places anew after a merge, and is read anew then.
    #[serde(default)]
    at_cursor: Option<String>,
    /// Digests of events that following the set wrote into the store: they are not told.
    #[serde(default)]
    own_writes: BTreeSet<String>,
    /// The memories that were forgotten in this store.
    #[serde(default)]
    forgotten: BTreeSet<String>,
    /// The highest number that a memory of the space was seen to have.
    #[serde(default)]
    last_number: u64,
}

impl ReplicaState {
    fn is_forgotten(&self, id: MemoryId) -> bool {
        self.forgotten.contains(&id.to_string())
    }

    fn note_forgotten(&mut self, id: MemoryId) {
        self.forgotten.insert(id.to_string());
    }

    fn note_number(&mut self, number: u64) {
        self.last_number = self.last_number.max(number);
    }
}
