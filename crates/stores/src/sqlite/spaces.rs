//! The rows of spaces: which there are, and the number that each has in this file.

use apostille_core::space::Space;
use rusqlite::{Connection, OptionalExtension as _};

use super::query::select_value;
use crate::store_errors::{SqliteError, SqliteResult};

/// The number of a space in this file; `None`: nothing was ever written for it.
pub(super) fn read_space_id(db: &Connection, space: &Space) -> SqliteResult<Option<i64>> {
    Ok(select_value(db, "SELECT id FROM space WHERE name = ?1", [space.as_str()]).optional()?)
}

/// The number of a space in this file, given on first use.
pub(super) fn insert_space_row(db: &Connection, space: &Space) -> SqliteResult<i64> {
    if let Some(id) = read_space_id(db, space)? {
        return Ok(id);
    }
    db.execute("INSERT INTO space(name) VALUES (?1)", [space.as_str()])?;
    Ok(db.last_insert_rowid())
}

/// The numbers of all spaces.
pub(super) fn read_space_ids(db: &Connection) -> SqliteResult<Vec<i64>> {
    let mut select = db.prepare("SELECT id FROM space ORDER BY id")?;
    select.query_and_then([], |row| Ok(row.get(0)?))?.collect()
}

/// The spaces there are, sorted.
pub(super) fn read_spaces(db: &Connection) -> SqliteResult<Vec<Space>> {
    let mut select = db.prepare_cached("SELECT name FROM space ORDER BY name")?;
    let spaces = select.query_and_then([], |row| {
        let name: String = row.get(0)?;
        name.parse()
            .map_err(|_| SqliteError::corrupt("the name of a space"))
    })?;
    spaces.collect()
}
