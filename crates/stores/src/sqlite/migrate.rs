//! How an older file becomes a newer one.

use apostille_text::terms;
use rusqlite::Connection;

use super::{
    index,
    schema::{self, APPLICATION, MIGRATIONS},
    set_pragma, space_sum, spaces,
};
use crate::store_errors::SqliteResult;

/// Whether the file is as this program writes it, so that nothing needs to be brought up to date.
pub(super) fn is_schema_current(db: &Connection) -> SqliteResult<bool> {
    Ok(
        schema::read_schema_version(db)? == schema::newest_schema_version()
            && !schema::is_index_outdated(db)?,
    )
}

/// Brings the file up to date. Called with the write lock held, inside a transaction.
pub(super) fn migrate_file(db: &Connection) -> SqliteResult<()> {
    migrate_tables(db)?;
    if schema::is_index_outdated(db)? {
        // The analyser has changed: every index is made anew.
        index::clear_all_indexes(db)?;
        for space in spaces::read_space_ids(db)? {
            index::rebuild_index(db, space)?;
        }
    }
    Ok(())
}

fn migrate_tables(db: &Connection) -> SqliteResult<()> {
    let found = schema::read_schema_version(db)?;
    for step in MIGRATIONS.iter().skip(found as usize) {
        db.execute_batch(step)?;
    }
    if found == 0 {
        set_pragma(db, "application_id", APPLICATION)?;
        db.execute(
            "INSERT INTO meta(key, value) VALUES ('terms', ?1)",
            [terms::VERSION],
        )?;
    }
    if found == 1 {
        index::reseal_index_rows(db)?;
        space_sum::initialize_space_sums(db)?;
    }
    set_pragma(db, "user_version", schema::newest_schema_version())
}
