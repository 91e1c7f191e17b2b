//! The rows of spaces: which there are, and the number that each has in this file.

use apostille_core::space::Space;
use apostille_core::store::StoreError;
use rusqlite::{Connection, OptionalExtension as _};

use crate::store_errors::{corrupt_store_error, store_error_from_sqlite};

type StoreResult<T> = Result<T, StoreError>;

/// The number of a space in this file; `None`: nothing was ever written for it.
pub(super) fn read_space_id(db: &Connection, space: &Space) -> StoreResult<Option<i64>> {
    let mut select = db
        .prepare_cached("SELECT id FROM space WHERE name = ?1")
        .map_err(store_error_from_sqlite)?;
    select
        .query_row([space.as_str()], |row| row.get(0))
        .optional()
        .map_err(store_error_from_sqlite)
}

/// The number of a space in this file, given on first use.
pub(super) fn insert_space_row(db: &Connection, space: &Space) -> StoreResult<i64> {
    if let Some(id) = read_space_id(db, space)? {
        return Ok(id);
    }
    db.execute("INSERT INTO space(name) VALUES (?1)", [space.as_str()])
        .map_err(store_error_from_sqlite)?;
    Ok(db.last_insert_rowid())
}

/// The numbers of all spaces.
pub(super) fn read_space_ids(db: &Connection) -> StoreResult<Vec<i64>> {
    let mut select = db
        .prepare("SELECT id FROM space ORDER BY id")
        .map_err(store_error_from_sqlite)?;
    let ids = select
        .query_map([], |row| row.get(0))
        .map_err(store_error_from_sqlite)?;
    ids.collect::<Result<_, _>>()
        .map_err(store_error_from_sqlite)
}

/// The spaces there are, sorted.
pub(super) fn read_spaces(db: &Connection) -> StoreResult<Vec<Space>> {
    let mut select = db
        .prepare_cached("SELECT name FROM space ORDER BY name")
        .map_err(store_error_from_sqlite)?;
    let names = select
        .query_map([], |row| row.get::<_, String>(0))
        .map_err(store_error_from_sqlite)?;
    let parsed = |it: rusqlite::Result<String>| {
        let name = it.map_err(store_error_from_sqlite)?;
        name.parse()
            .map_err(|_| corrupt_store_error("the name of a space"))
    };
    names.map(parsed).collect()
}
