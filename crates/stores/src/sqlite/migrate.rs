//! How an older file becomes a newer one.

use apostille_core::store::StoreError;
use apostille_text::terms;
use rusqlite::Connection;

use super::schema::{self, APPLICATION, MIGRATIONS};
use super::{index, spaces, sum};
use crate::fault::sqlite;

type Found<T> = Result<T, StoreError>;

/// Whether the file is as this program writes it, so that nothing needs to be brought up to date.
pub(super) fn is_current(db: &Connection) -> Found<bool> {
    Ok(schema::version(db)? == schema::known() && !schema::index_is_old(db)?)
}

/// Brings the file up to date. Called with the write lock held, inside a transaction.
pub(super) fn migrate_file(db: &Connection) -> Found<()> {
    migrate_tables(db)?;
    if schema::index_is_old(db)? {
        rebuild_indexes(db)?;
    }
    Ok(())
}

fn migrate_tables(db: &Connection) -> Found<()> {
    let found = schema::version(db)?;
    for step in MIGRATIONS.iter().skip(found as usize) {
        db.execute_batch(step).map_err(sqlite)?;
    }
    if found == 0 {
        db.pragma_update(None, "application_id", APPLICATION)
            .map_err(sqlite)?;
        let insert = "INSERT INTO meta(key, value) VALUES ('terms', ?1)";
        db.execute(insert, [terms::VERSION]).map_err(sqlite)?;
    }
    if found == 1 {
        index::reseal_index_rows(db)?;
        sum::begin(db)?;
    }
    db.pragma_update(None, "user_version", schema::known())
        .map_err(sqlite)
}

/// Makes every index anew, after the analyser has changed.
fn rebuild_indexes(db: &Connection) -> Found<()> {
    index::clear_index(db)?;
    spaces::read_space_ids(db)?
        .into_iter()
        .try_for_each(|space| index::rebuild_index(db, space))
}
