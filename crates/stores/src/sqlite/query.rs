//! Statements, prepared once and kept by the connection.

use rusqlite::types::FromSql;
use rusqlite::{Connection, Params, Row};

use crate::store_errors::SqliteResult;

/// Runs a statement that brings no rows.
pub(crate) fn run_statement(db: &Connection, sql: &str, values: impl Params) -> SqliteResult<()> {
    db.prepare_cached(sql)?.execute(values)?;
    Ok(())
}

/// The first value of the first row.
pub(crate) fn select_value<T: FromSql>(
    db: &Connection,
    sql: &str,
    values: impl Params,
) -> rusqlite::Result<T> {
    db.prepare_cached(sql)?.query_row(values, |row| row.get(0))
}

/// Goes through the rows, one after the other.
pub(crate) fn each_row(
    db: &Connection,
    sql: &str,
    values: impl Params,
    mut see: impl FnMut(&Row) -> SqliteResult<()>,
) -> SqliteResult<()> {
    let mut select = db.prepare_cached(sql)?;
    let mut rows = select.query(values)?;
    while let Some(row) = rows.next()? {
        see(row)?;
    }
    Ok(())
}
