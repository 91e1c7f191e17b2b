//! The tables of the archive. A version is a promise: later ones are added behind it, and a newer file is refused.

use apostille_core::store::StoreError;
use rusqlite::Connection;

use crate::store_errors::SqliteResult;

/// The version that this program writes.
const VERSION: u32 = 2;

const TABLES: &str = "
CREATE TABLE scope (
    id INTEGER PRIMARY KEY,
    space TEXT NOT NULL,
    kind TEXT NOT NULL,
    n_docs INTEGER NOT NULL,
    total_len INTEGER NOT NULL,
    UNIQUE (space, kind)
);
CREATE TABLE record (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    scope INTEGER NOT NULL,
    name TEXT NOT NULL,
    author TEXT,
    started_at INTEGER NOT NULL,
    ended_at INTEGER NOT NULL,
    task TEXT,
    branch TEXT,
    is_exposed INTEGER NOT NULL,
    len INTEGER NOT NULL,
    UNIQUE (scope, name)
);
CREATE INDEX record_time ON record (scope, ended_at);
CREATE TABLE passage (
    record INTEGER NOT NULL,
    number INTEGER NOT NULL,
    speaker TEXT NOT NULL,
    at INTEGER NOT NULL,
    text TEXT NOT NULL,
    pasted TEXT,
    PRIMARY KEY (record, number)
) WITHOUT ROWID;
CREATE TABLE posting (
    scope INTEGER NOT NULL,
    term TEXT NOT NULL,
    record INTEGER NOT NULL,
    count INTEGER NOT NULL,
    len INTEGER NOT NULL,
    PRIMARY KEY (scope, term, record)
) WITHOUT ROWID;
CREATE TABLE path (
    record INTEGER NOT NULL,
    path TEXT NOT NULL,
    PRIMARY KEY (record, path)
) WITHOUT ROWID;
CREATE INDEX path_name ON path (path);
CREATE TABLE related (
    record INTEGER NOT NULL,
    other INTEGER NOT NULL,
    PRIMARY KEY (record, other)
) WITHOUT ROWID;
CREATE TABLE line (
    digest INTEGER NOT NULL,
    record INTEGER NOT NULL,
    PRIMARY KEY (digest, record)
) WITHOUT ROWID;
CREATE INDEX line_record ON line (record);
CREATE TABLE forgotten (
    name TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (name, at)
) WITHOUT ROWID;
PRAGMA user_version = 1;
";

/// Since version 2, forgotten passages are known by their words too. The key makes a digest useless to who has a list of likely
/// words and not the file.
const FORGOTTEN_WORDS: &str = "
CREATE TABLE forgotten_words (
    name TEXT NOT NULL,
    words BLOB NOT NULL,
    PRIMARY KEY (name, words)
) WITHOUT ROWID;
CREATE TABLE forgotten_key (key BLOB NOT NULL);
INSERT INTO forgotten_key VALUES (randomblob(32));
PRAGMA user_version = 2;
";

/// Makes the tables of a new file and those that an older one lacks, and refuses one that a newer program wrote. Two processes may meet at a new file: the
/// second finds the tables made.
pub(super) fn ensure_schema(db: &Connection) -> SqliteResult<()> {
    if read_version(db)? == 0 {
        db.query_row("PRAGMA journal_mode = wal", [], |_| Ok(()))?;
    }
    for (before, tables) in [(0, TABLES), (1, FORGOTTEN_WORDS)] {
        if read_version(db)? != before {
            continue;
        }
        db.execute_batch("BEGIN IMMEDIATE")?;
        if read_version(db)? == before {
            db.execute_batch(tables)?;
        }
        db.execute_batch("COMMIT")?;
    }
    match read_version(db)? {
        VERSION => Ok(()),
        found => Err(StoreError::Newer {
            found,
            known: VERSION,
        }
        .into()),
    }
}

fn read_version(db: &Connection) -> SqliteResult<u32> {
    Ok(db.query_row("PRAGMA user_version", [], |row| row.get(0))?)
}
