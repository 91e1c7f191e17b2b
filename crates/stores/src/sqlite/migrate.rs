//! How an older file becomes a newer one.

use apostille_core::store::StoreError;
use apostille_text::terms;
use rusqlite::Connection;

use super::schema::{self, APPLICATION, MIGRATIONS};
use super::{index, space_sum, spaces};
use crate::store_errors::store_error_from_sqlite;

type StoreResult<T> = Result<T, StoreError>;

/// Whether the file is as this program writes it, so that nothing needs to be brought up to date.
pub(super) fn is_schema_current(db: &Connection) -> StoreResult<bool> {
    Ok(
        schema::read_schema_version(db)? == schema::newest_schema_version()
            && !schema::is_index_outdated(db)?,
    )
}

/// Brings the file up to date. Called with the write lock held, inside a transaction.
pub(super) fn migrate_file(db: &Connection) -> StoreResult<()> {
    migrate_tables(db)?;
    if schema::is_index_outdated(db)? {
        rebuild_indexes(db)?;
    }
    Ok(())
}

fn migrate_tables(db: &Connection) -> StoreResult<()> {
    let found = schema::read_schema_version(db)?;
    for step in MIGRATIONS.iter().skip(found as usize) {
        db.execute_batch(step).map_err(store_error_from_sqlite)?;
    }
    if found == 0 {
        db.pragma_update(None, "application_id", APPLICATION)
            .map_err(store_error_from_sqlite)?;
        let insert = "INSERT INTO meta(key, value) VALUES ('terms', ?1)";
        db.execute(insert, [terms::VERSION])
            .map_err(store_error_from_sqlite)?;
    }
    if found == 1 {
        index::reseal_index_rows(db)?;
        space_sum::initialize_space_sums(db)?;
    }
    db.pragma_update(None, "user_version", schema::newest_schema_version())
        .map_err(store_error_from_sqlite)
}

/// Makes every index anew, after the analyser has changed.
fn rebuild_indexes(db: &Connection) -> StoreResult<()> {
    index::clear_all_indexes(db)?;
    spaces::read_space_ids(db)?
        .into_iter()
        .try_for_each(|space| index::rebuild_index(db, space))
}
