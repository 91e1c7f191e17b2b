//! The terms of a space's index, kept as long as nothing changes there.

use std::sync::Arc;

use rusqlite::Connection;

use super::{index::list_all_terms, read::read_change_counts};
use crate::store_errors::SqliteResult;

/// The terms of a space, and how often it had changed when they were read.
#[derive(Debug, Clone)]
pub(super) struct SpaceVocabulary {
    changes: Vec<u64>,
    terms: Arc<[String]>,
}

impl SpaceVocabulary {
    /// The terms as they are now: those that are known, if nothing has changed since.
    pub(super) fn read(db: &Connection, space: i64, known: Option<Self>) -> SqliteResult<Self> {
        let changes = read_change_counts(db, space)?;
        match known.filter(|it| it.changes == changes) {
            Some(known) => Ok(known),
            None => Ok(Self {
                terms: list_all_terms(db, space)?.into(),
                changes,
            }),
        }
    }

    pub(super) fn find_terms(&self, is_wanted: &dyn Fn(&str) -> bool) -> Vec<String> {
        let wanted = self.terms.iter().filter(|it| is_wanted(it));
        wanted.cloned().collect()
    }
}
