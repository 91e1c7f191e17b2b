//! Where a replica is kept that several machines share: the port to a database that holds the lines beside the memories.
//!
//! Two servers on one database are one replica. Nobody holds a lock between them: who writes says which revision it was
//! decided on, and whose revision is not the last one any more decides again.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    ReplicaState,
    parts::{PartLook, PartName, ReplicaParts},
};
use crate::{space::Space, store::StoreResult};

/// What is kept of a replica beside its lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShelfRecord {
    /// Counts the writes; 0 where nothing was written yet.
    pub revision: u64,
    /// Counts the sets of lines.
    pub generation: u64,
    /// How far the log was read.
    pub progress: ReplicaProgress,
}

/// How far a replica is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplicaProgress {
    /// How far the log was read, and what was written by following.
    #[serde(default)]
    pub state: ReplicaState,
    /// When a line will count that is dated too far ahead now, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wakes_at: Option<i64>,
}

/// A database that holds replicas.
pub trait ReplicaShelf {
    /// What is kept beside the lines.
    fn read_shelf_record(&self, space: &Space) -> StoreResult<ShelfRecord>;

    /// How each part of the lines looks.
    fn look_at_shelf(&self, space: &Space) -> StoreResult<BTreeMap<PartName, PartLook>>;

    /// Some parts of the lines, or all.
    fn read_shelf_parts(
        &self,
        space: &Space,
        names: Option<&[PartName]>,
    ) -> StoreResult<ReplicaParts>;

    /// Writes the record over the one of the revision before, and these parts over those of their names; a part without lines
    /// goes. `false` where somebody else wrote meanwhile, and nothing was written.
    fn write_shelf(
        &self,
        space: &Space,
        record: &ShelfRecord,
        parts: &ReplicaParts,
    ) -> StoreResult<bool>;
}
