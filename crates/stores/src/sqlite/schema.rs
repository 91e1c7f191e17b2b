//! The tables: which version of them a file has, and whether they are those that this program makes.

use apostille_core::store::{StoreError, StoreResult};
use apostille_text::terms;
use rusqlite::Connection;

use super::query::select_value;
use crate::store_errors::{SqliteError, SqliteResult};

/// `apos`: what the first bytes of the file say it is.
pub(super) const APPLICATION: i32 = 0x6170_6f73;

/// One step for each version of the file. Migrations are only added.
pub(super) const MIGRATIONS: &[&str] = &[
    include_str!("migrations/0001_memories.sql"),
    include_str!("migrations/0002_watch.sql"),
    include_str!("migrations/0003_evidence.sql"),
    include_str!("migrations/0004_replacing.sql"),
    include_str!("migrations/0005_embedding.sql"),
    include_str!("migrations/0006_reviews.sql"),
];

/// The oldest library that shares a write-ahead log between processes without losing pages.
const SAFE_LIBRARY: i32 = 3_051_003;

/// Refuses a library that can corrupt a file which several processes write.
pub(super) fn check_sqlite_library() -> StoreResult<()> {
    let found = rusqlite::version_number();
    if found >= SAFE_LIBRARY {
        return Ok(());
    }
    Err(StoreError::Unavailable {
        what: format!(
            "SQLite {} can corrupt a store that processes share; 3.51.3 is needed",
            rusqlite::version()
        ),
        source: "the library is too old".into(),
    })
}

/// The version this file has; refuses files that are not ours or too new.
pub(super) fn read_schema_version(db: &Connection) -> SqliteResult<u32> {
    let number = |pragma: &str| db.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
    let found = u32::try_from(number("user_version")?)
        .map_err(|_| SqliteError::corrupt("its version number"))?;
    let known = newest_schema_version();
    if found > known {
        return Err(SqliteError(StoreError::Newer { found, known }));
    }
    let n_tables: i64 = select_value(db, "SELECT count(*) FROM sqlite_schema", [])?;
    if n_tables > 0 && number("application_id")? != i64::from(APPLICATION) {
        return Err(SqliteError::corrupt(
            "its first page: it is the database of another program",
        ));
    }
    Ok(found)
}

/// The newest version this program writes.
pub(super) fn newest_schema_version() -> u32 {
    u32::try_from(MIGRATIONS.len()).unwrap_or(u32::MAX)
}

/// Whether the index was made by another version of the analyser.
pub(super) fn is_index_outdated(db: &Connection) -> SqliteResult<bool> {
    let found: u32 = select_value(db, "SELECT value FROM meta WHERE key = 'terms'", [])?;
    Ok(found != terms::VERSION)
}

/// How many words files of versions 3 to 5, of version 2 and of version 1 count.
pub(super) const OLD_WORDS: [usize; 3] = [18, 17, 13];

/// Whether a statement failed because the file is older and could not be brought up to date: it can be read only.
pub(super) fn is_missing_column_error(error: &rusqlite::Error) -> bool {
    error.to_string().contains("no such column")
}

/// How the tables differ from those that this program makes: a trigger or an index more or less is somebody else's.
pub(super) fn find_schema_differences(db: &Connection) -> SqliteResult<Vec<String>> {
    let fresh = Connection::open_in_memory()?;
    MIGRATIONS
        .iter()
        .try_for_each(|step| fresh.execute_batch(step))?;
    let mut problems = Vec::new();
    if read_schema_tables(db)? != read_schema_tables(&fresh)? {
        problems.push(
            "the tables are not those that this program makes: another program wrote here".into(),
        );
    }
    let n_strange: i64 = select_value(
        db,
        "SELECT count(*) FROM meta WHERE key <> 'terms' OR value <> ?1",
        [terms::VERSION],
    )?;
    if n_strange > 0 || is_index_outdated(db).is_err() {
        problems.push("the table 'meta' was changed by another program".into());
    }
    Ok(problems)
}

fn read_schema_tables(db: &Connection) -> rusqlite::Result<Vec<(String, String, Option<String>)>> {
    let select = "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_stat%' ORDER BY name";
    let mut select = db.prepare(select)?;
    select.query_map([], |row| row.try_into())?.collect()
}
