//! Past conversations and the reasons of commits, in a SQLite file of their own on this machine.
//!
//! A file beside the store and not a layer in it: the store may lie in a repository, is exported and synchronised, and every
//! question to it would read the postings of twenty thousand passages. The file is opened when it is first asked for, so a hook
//! that needs none of it does not pay for it, and one that is not there is an empty archive.

mod schema;

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard},
    time::Duration,
};

use apostille_core::{
    archive::{
        Archive, ArchiveFilter, ArchiveHandle, ArchiveKind, ArchivePassage, ArchiveRecord,
        ArchiveScope, ArchiveSize,
        ram::{digest_name_in_scope, digest_record_name},
    },
    space::Space,
    store::{Posting, Postings, StoreError, StoreResult},
};
use apostille_files::lock::lock_ignoring_poison;
use apostille_text::{digest::Digest, terms::StemCache};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use crate::{
    sqlite::{
        open_or_create_database,
        query::{each_row, run_statement, select_value},
    },
    store_errors::{BUSY_MS, SqliteError, SqliteResult},
};

/// What stands for the whole of a record among what was forgotten: no passage has this time.
const WHOLE: i64 = i64::MIN;

/// How long a program that reads the file is waited for, before its log is emptied later.
const CHECKPOINT_PATIENCE: Duration = Duration::from_secs(2);

/// An archive in a SQLite file.
#[derive(Debug)]
pub struct SqliteArchive {
    path: PathBuf,
    connection: Mutex<Option<Connection>>,
}

impl SqliteArchive {
    /// The archive in this file, which is opened when it is asked for.
    pub fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            connection: Mutex::new(None),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Connection>> {
        lock_ignoring_poison(&self.connection)
    }

    /// Reads with one view of the file; what an empty archive answers where there is none.
    fn read<T: Default>(
        &self,
        look: impl FnOnce(&Connection) -> SqliteResult<T>,
    ) -> StoreResult<T> {
        let mut held = self.lock();
        if held.is_none() && !self.path.exists() {
            return Ok(T::default());
        }
        let seen = self.open_connection(&mut held).and_then(|db| {
            run_statement(db, "BEGIN", [])?;
            let seen = look(db);
            run_statement(db, "COMMIT", [])?;
            seen
        });
        self.name_damage(seen, &mut held)
    }

    /// Changes in one transaction, alone.
    fn write<T>(&self, change: impl FnOnce(&Connection) -> SqliteResult<T>) -> StoreResult<T> {
        let mut held = self.lock();
        let is_first = held.is_none();
        let done = self.open_connection(&mut held).and_then(|db| {
            if is_first {
                // What a reader kept in the log when something was forgotten may go now.
                empty_log(db, Duration::ZERO)?;
            }
            run_statement(db, "BEGIN IMMEDIATE", [])?;
            let done = change(db).and_then(|done| run_statement(db, "COMMIT", []).map(|()| done));
            if done.is_err() && !db.is_autocommit() {
                run_statement(db, "ROLLBACK", [])?;
            }
            done
        });
        self.name_damage(done, &mut held)
    }

    /// Says which file is damaged, beside which there are others. It is let go, so that one in its place is opened.
    fn name_damage<T>(
        &self,
        done: SqliteResult<T>,
        held: &mut Option<Connection>,
    ) -> StoreResult<T> {
        done.map_err(|error| match error.0 {
            StoreError::Corrupt { at } => {
                *held = None;
                let at = format!("'{}': {at}", self.path.display());
                StoreError::Corrupt { at }
            }
            other => other,
        })
    }

    /// Looks the whole file over.
    pub fn check_file(&self) -> StoreResult<()> {
        self.read(|db| {
            let found: String = select_value(db, "PRAGMA quick_check(1)", [])?;
            match found.as_str() {
                "ok" => Ok(()),
                other => {
                    let words: Vec<&str> = other.split_whitespace().collect();
                    Err(SqliteError::corrupt(words.join(" ")))
                }
            }
        })
    }

    fn open_connection<'a>(
        &self,
        held: &'a mut Option<Connection>,
    ) -> SqliteResult<&'a Connection> {
        if held.is_none() {
            let db = open_or_create_database(&self.path)?;
            db.busy_timeout(Duration::from_millis(BUSY_MS))?;
            db.execute_batch(
                "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; \
                 PRAGMA trusted_schema = OFF;",
            )?;
            schema::ensure_schema(&db)?;
            *held = Some(db);
        }
        held.as_ref()
            .ok_or_else(|| SqliteError::corrupt("the archive is not open"))
    }

    /// Empties the write-ahead log into the file: what was replaced is in no page of it. Where another program still reads the
    /// file as it was, this is done later: with the next change, or when the last program lets go of the file.
    fn checkpoint_log(&self, patience: Duration) -> StoreResult<bool> {
        let mut held = self.lock();
        let done = self.open_connection(&mut held);
        let done = done.and_then(|db| empty_log(db, patience));
        self.name_damage(done, &mut held)
    }
}

/// Empties the write-ahead log; `false` where somebody reads from it.
fn empty_log(db: &Connection, patience: Duration) -> SqliteResult<bool> {
    db.busy_timeout(patience)?;
    let checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
    let blocked = db.query_row(checkpoint, [], |row| row.get::<_, i64>(0));
    db.busy_timeout(Duration::from_millis(BUSY_MS))?;
    Ok(blocked? == 0)
}

impl Archive for SqliteArchive {
    fn keep_record(&self, record: &ArchiveRecord) -> StoreResult<Option<u64>> {
        let name = digest_record_name(record).to_string();
        let (kept, is_replaced) = self.write(|db| {
            if is_forgotten(db, &name, WHOLE)? {
                return Ok((None, false));
            }
            let scope = find_or_create_scope(db, record)?;
            let before = find_record_id(db, scope, &record.name)?;
            if let Some(id) = before {
                delete_record(db, id)?;
            }
            let id = insert_record(db, scope, before, record)?;
            insert_passages(db, id, &name, record)?;
            index_record(db, scope, id)?;
            relate_record(db, id, record)?;
            Ok((Some(id.unsigned_abs()), before.is_some()))
        })?;
        if is_replaced {
            self.checkpoint_log(CHECKPOINT_PATIENCE)?;
        }
        Ok(kept)
    }

    fn read_postings(&self, scope: ArchiveScope<'_>, terms: &[String]) -> StoreResult<Postings> {
        let postings = self.read(|db| {
            let sql = "SELECT id, n_docs, total_len FROM scope WHERE space = ? AND kind = ?";
            let key = params![scope.space.as_str(), scope.kind.as_str()];
            let found = db.prepare_cached(sql)?.query_row(key, |row| {
                Ok((row.get::<_, i64>(0)?, row.get(1)?, row.get(2)?))
            });
            let Some((scope, n_docs, total_len)) = found.optional()? else {
                return Ok(Postings::default());
            };
            let lists = terms.iter().map(|term| read_posting_list(db, scope, term));
            Ok(Postings {
                n_docs,
                total_len,
                lists: lists.collect::<SqliteResult<_>>()?,
            })
        })?;
        let mut postings = postings;
        postings.lists.resize(terms.len(), Vec::new());
        Ok(postings)
    }

    fn count_term_records(
        &self,
        scope: ArchiveScope<'_>,
        terms: &[&str],
    ) -> StoreResult<Vec<usize>> {
        let mut counts = self.read(|db| {
            let sql = "SELECT id FROM scope WHERE space = ? AND kind = ?";
            let key = params![scope.space.as_str(), scope.kind.as_str()];
            let Some(scope) = select_value::<i64>(db, sql, key).optional()? else {
                return Ok(Vec::new());
            };
            let sql = "SELECT count(*) FROM posting WHERE scope = ? AND term = ?";
            let count = |term: &&str| select_value(db, sql, params![scope, term]);
            Ok(terms.iter().map(count).collect::<Result<_, _>>()?)
        })?;
        counts.resize(terms.len(), 0);
        Ok(counts)
    }

    fn read_records(&self, numbers: &[u64]) -> StoreResult<Vec<ArchiveRecord>> {
        self.read(|db| {
            let found = numbers.iter().map(|it| read_record(db, it.cast_signed()));
            Ok(found
                .collect::<SqliteResult<Vec<_>>>()?
                .into_iter()
                .flatten()
                .collect())
        })
    }

    fn list_records(
        &self,
        scope: ArchiveScope<'_>,
        filter: &ArchiveFilter,
        most: usize,
    ) -> StoreResult<Vec<u64>> {
        self.read(|db| {
            // A hook asks for the records of one file among thousands: they are found by its index.
            let sql = "SELECT r.id FROM record r JOIN scope s ON s.id = r.scope WHERE s.space = ?1 AND s.kind = ?2 \
                       AND (?3 IS NULL OR r.id IN \
                           (SELECT record FROM path WHERE path = ?3 OR (path > ?3 || '/' AND path < ?3 || '0'))) \
                       ORDER BY r.ended_at DESC, r.id DESC";
            let path = filter.path.as_ref().map(|it| it.as_str());
            let is_found_by_path = ArchiveFilter { path: None, ..filter.clone() }.is_empty();
            let key = params![scope.space.as_str(), scope.kind.as_str(), path];
            let mut found = Vec::new();
            let mut select = db.prepare_cached(sql)?;
            let mut rows = select.query(key)?;
            while let Some(row) = rows.next()?.filter(|_| found.len() < most) {
                let id: i64 = row.get(0)?;
                let meets = is_found_by_path || {
                    let record = read_record(db, id)?;
                    record.is_some_and(|it| filter.admits_record(&it))
                };
                if meets {
                    found.push(id.cast_unsigned());
                }
            }
            Ok(found)
        })
    }

    fn find_record(&self, scope: ArchiveScope<'_>, name: &str) -> StoreResult<Option<u64>> {
        self.read(|db| {
            let sql = "SELECT r.id FROM record r JOIN scope s ON s.id = r.scope \
                       WHERE s.space = ? AND s.kind = ? AND r.name = ?";
            let key = params![scope.space.as_str(), scope.kind.as_str(), name];
            let id = select_value::<i64>(db, sql, key).optional()?;
            Ok(id.map(i64::cast_unsigned))
        })
    }

    fn has_forgotten(&self, scope: ArchiveScope<'_>, name: &str) -> StoreResult<bool> {
        let name = digest_name_in_scope(scope, name).to_string();
        self.read(|db| is_forgotten(db, &name, WHOLE))
    }

    fn list_forgotten(
        &self,
        scope: ArchiveScope<'_>,
        name: &str,
        passages: &[ArchivePassage],
    ) -> StoreResult<BTreeSet<u32>> {
        let name = digest_name_in_scope(scope, name).to_string();
        self.read(|db| {
            let is_whole = is_forgotten(db, &name, WHOLE)?;
            let mut gone = BTreeSet::new();
            for it in passages {
                if is_whole || is_passage_forgotten(db, &name, it)? {
                    gone.insert(it.number);
                }
            }
            Ok(gone)
        })
    }

    fn keep_lines(&self, number: u64, lines: &BTreeSet<u32>) -> StoreResult<()> {
        self.write(|db| {
            let sql = "INSERT OR IGNORE INTO line SELECT ?1, id FROM record WHERE id = ?2";
            let mut written = lines.iter();
            written.try_for_each(|it| run_statement(db, sql, params![it, number.cast_signed()]))
        })
    }

    fn list_records_by_lines(
        &self,
        scope: ArchiveScope<'_>,
        lines: &BTreeSet<u32>,
        most: usize,
    ) -> StoreResult<Vec<u64>> {
        let mut counts: BTreeMap<i64, usize> = BTreeMap::new();
        let found = self.read(|db| {
            for line in lines {
                let sql = "SELECT record FROM line WHERE digest = ?";
                each_row(db, sql, [line], |row| {
                    *counts.entry(row.get(0)?).or_default() += 1;
                    Ok(())
                })?;
            }
            let mut found = Vec::new();
            for (id, n) in &counts {
                let sql = "SELECT r.ended_at FROM record r JOIN scope s ON s.id = r.scope \
                           WHERE r.id = ? AND s.space = ? AND s.kind = ?";
                let key = params![id, scope.space.as_str(), scope.kind.as_str()];
                let ended_at: Option<i64> = select_value(db, sql, key).optional()?;
                found.extend(ended_at.map(|at| (Reverse(*n), Reverse((at, *id)))));
            }
            Ok(found)
        })?;
        let mut found = found;
        found.sort();
        let numbers = found.into_iter().take(most);
        Ok(numbers
            .map(|(_, Reverse((_, id)))| id.cast_unsigned())
            .collect())
    }

    fn forget_record(&self, handle: ArchiveHandle) -> StoreResult<bool> {
        let id = handle.record.cast_signed();
        let is_done = self.write(|db| {
            let Some(mut record) = read_record(db, id)? else {
                return Ok(false);
            };
            let name = digest_record_name(&record).to_string();
            let scope: i64 = select_value(db, "SELECT scope FROM record WHERE id = ?", [id])?;
            let Some(passage) = handle.passage else {
                delete_record(db, id)?;
                remember_forgotten(db, &name, WHOLE)?;
                return Ok(true);
            };
            let Some(at) = record.passages.iter().position(|it| it.number == passage) else {
                return Ok(false);
            };
            let gone = record.passages.remove(at);
            remember_forgotten_passage(db, &name, &gone)?;
            delete_record(db, id)?;
            insert_record(db, scope, Some(id), &record)?;
            insert_passages(db, id, &name, &record)?;
            index_record(db, scope, id)?;
            relate_record(db, id, &record)?;
            Ok(true)
        })?;
        if is_done {
            self.checkpoint_log(CHECKPOINT_PATIENCE)?;
        }
        Ok(is_done)
    }

    fn has_pending_bytes(&self) -> StoreResult<bool> {
        if !self.path.exists() {
            return Ok(false);
        }
        Ok(!self.checkpoint_log(Duration::ZERO)?)
    }

    fn measure_size(&self, scope: ArchiveScope<'_>) -> StoreResult<ArchiveSize> {
        self.read(|db| {
            let sql = "SELECT count(DISTINCT r.id), count(p.number), coalesce(sum(length(p.text)), 0) \
                       FROM scope s JOIN record r ON r.scope = s.id LEFT JOIN passage p ON p.record = r.id \
                       WHERE s.space = ? AND s.kind = ?";
            let key = params![scope.space.as_str(), scope.kind.as_str()];
            Ok(db.prepare_cached(sql)?.query_row(key, |row| {
                Ok(ArchiveSize { records: row.get(0)?, passages: row.get(1)?, chars: row.get(2)? })
            })?)
        })
    }
}

fn is_forgotten(db: &Connection, name: &str, at: i64) -> SqliteResult<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM forgotten WHERE name = ? AND at = ?)";
    Ok(select_value(db, sql, params![name, at])?)
}

fn remember_forgotten(db: &Connection, name: &str, at: i64) -> SqliteResult<()> {
    run_statement(
        db,
        "INSERT OR IGNORE INTO forgotten VALUES (?, ?)",
        params![name, at],
    )
}

/// Whether a passage of the record was forgotten: by its time, which older files have alone, or by its words.
fn is_passage_forgotten(db: &Connection, name: &str, it: &ArchivePassage) -> SqliteResult<bool> {
    if is_forgotten(db, name, it.at.as_millisecond())? {
        return Ok(true);
    }
    let Some(words) = digest_words(db, it)? else {
        return Ok(false);
    };
    let sql = "SELECT EXISTS (SELECT 1 FROM forgotten_words WHERE name = ? AND words = ?)";
    Ok(select_value(db, sql, params![name, words.as_bytes()])?)
}

fn remember_forgotten_passage(
    db: &Connection,
    name: &str,
    it: &ArchivePassage,
) -> SqliteResult<()> {
    remember_forgotten(db, name, it.at.as_millisecond())?;
    let Some(words) = digest_words(db, it)? else {
        return Ok(());
    };
    let sql = "INSERT OR IGNORE INTO forgotten_words VALUES (?, ?)";
    run_statement(db, sql, params![name, words.as_bytes()])
}

/// The words of a passage, with the key of this file.
fn digest_words(db: &Connection, it: &ArchivePassage) -> SqliteResult<Option<Digest>> {
    let Some(words) = it.normalise_words() else {
        return Ok(None);
    };
    let mut keyed: Vec<u8> = select_value(db, "SELECT key FROM forgotten_key", [])?;
    keyed.extend_from_slice(words.as_bytes());
    Ok(Some(Digest::hash_bytes(&keyed)))
}

fn find_or_create_scope(db: &Connection, record: &ArchiveRecord) -> SqliteResult<i64> {
    let key = params![record.space.as_str(), record.kind.as_str()];
    run_statement(
        db,
        "INSERT OR IGNORE INTO scope (space, kind, n_docs, total_len) VALUES (?, ?, 0, 0)",
        key,
    )?;
    Ok(select_value(
        db,
        "SELECT id FROM scope WHERE space = ? AND kind = ?",
        key,
    )?)
}

fn find_record_id(db: &Connection, scope: i64, name: &str) -> SqliteResult<Option<i64>> {
    let sql = "SELECT id FROM record WHERE scope = ? AND name = ?";
    Ok(select_value(db, sql, params![scope, name]).optional()?)
}

fn insert_record(
    db: &Connection,
    scope: i64,
    id: Option<i64>,
    it: &ArchiveRecord,
) -> SqliteResult<i64> {
    let sql = "INSERT INTO record (id, scope, name, author, started_at, ended_at, task, branch, is_exposed, len) \
               VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0)";
    let values = params![
        id,
        scope,
        it.name,
        it.author,
        it.started_at.as_millisecond(),
        it.ended_at.as_millisecond(),
        it.task,
        it.branch,
        it.is_exposed,
    ];
    run_statement(db, sql, values)?;
    let id = db.last_insert_rowid();
    for path in &it.paths {
        run_statement(
            db,
            "INSERT INTO path VALUES (?, ?)",
            params![id, path.as_str()],
        )?;
    }
    Ok(id)
}

/// Writes the passages but for those that were forgotten.
fn insert_passages(db: &Connection, id: i64, name: &str, of: &ArchiveRecord) -> SqliteResult<()> {
    for it in &of.passages {
        if !is_passage_forgotten(db, name, it)? {
            let at = it.at.as_millisecond();
            let sql = "INSERT INTO passage VALUES (?, ?, ?, ?, ?, ?)";
            let values = params![id, it.number, it.speaker.as_str(), at, it.text, it.pasted];
            run_statement(db, sql, values)?;
        }
    }
    Ok(())
}

/// Indexes the words that a record has by now.
fn index_record(db: &Connection, scope: i64, id: i64) -> SqliteResult<()> {
    let mut stems = StemCache::default();
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    each_row(
        db,
        "SELECT text FROM passage WHERE record = ?",
        [id],
        |row| {
            for (term, count) in stems.extract_terms(row.get_ref(0)?.as_str().unwrap_or_default()) {
                *counts.entry(term).or_default() += count;
            }
            Ok(())
        },
    )?;
    let len: u32 = counts.values().sum();
    for (term, count) in counts {
        let sql = "INSERT INTO posting VALUES (?, ?, ?, ?, ?)";
        run_statement(db, sql, params![scope, term, id, count, len])?;
    }
    run_statement(
        db,
        "UPDATE record SET len = ? WHERE id = ?",
        params![len, id],
    )?;
    let sql = "UPDATE scope SET n_docs = n_docs + 1, total_len = total_len + ? WHERE id = ?";
    run_statement(db, sql, params![len, scope])
}

/// Takes a record out with everything that knows of it. The words of its index are those of its passages.
fn delete_record(db: &Connection, id: i64) -> SqliteResult<()> {
    let (scope, len): (i64, i64) =
        db.query_row("SELECT scope, len FROM record WHERE id = ?", [id], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
    let mut stems = StemCache::default();
    let mut terms = BTreeSet::new();
    each_row(
        db,
        "SELECT text FROM passage WHERE record = ?",
        [id],
        |row| {
            let text = row.get_ref(0)?.as_str().unwrap_or_default();
            terms.extend(stems.extract_terms(text).into_iter().map(|it| it.0));
            Ok(())
        },
    )?;
    for term in terms {
        let sql = "DELETE FROM posting WHERE scope = ? AND term = ? AND record = ?";
        run_statement(db, sql, params![scope, term, id])?;
    }
    for sql in [
        "DELETE FROM passage WHERE record = ?",
        "DELETE FROM path WHERE record = ?",
        "DELETE FROM line WHERE record = ?",
        "DELETE FROM related WHERE ?1 IN (record, other)",
        "DELETE FROM record WHERE id = ?",
    ] {
        run_statement(db, sql, [id])?;
    }
    let sql = "UPDATE scope SET n_docs = n_docs - 1, total_len = total_len - ? WHERE id = ?";
    run_statement(db, sql, params![len, scope])
}

/// Joins a record with those that it is related to and that are there.
fn relate_record(db: &Connection, id: i64, record: &ArchiveRecord) -> SqliteResult<()> {
    for other in record.related.iter().map(|it| it.cast_signed()) {
        let is_there: bool = select_value(
            db,
            "SELECT EXISTS (SELECT 1 FROM record WHERE id = ?)",
            [other],
        )?;
        if is_there && other != id {
            let sql = "INSERT OR IGNORE INTO related VALUES (?1, ?2), (?2, ?1)";
            run_statement(db, sql, [id, other])?;
        }
    }
    Ok(())
}

fn list_related(db: &Connection, id: i64) -> SqliteResult<BTreeSet<u64>> {
    let mut related = BTreeSet::new();
    each_row(
        db,
        "SELECT other FROM related WHERE record = ?",
        [id],
        |row| {
            related.insert(row.get::<_, i64>(0)?.cast_unsigned());
            Ok(())
        },
    )?;
    Ok(related)
}

fn read_posting_list(db: &Connection, scope: i64, term: &str) -> SqliteResult<Vec<Posting>> {
    let sql = "SELECT record, count, len FROM posting WHERE scope = ? AND term = ? ORDER BY record";
    let mut list = Vec::new();
    each_row(db, sql, params![scope, term], |row| {
        let number: i64 = row.get(0)?;
        list.push(Posting {
            number: number.cast_unsigned(),
            count: row.get(1)?,
            len: row.get(2)?,
        });
        Ok(())
    })?;
    Ok(list)
}

fn read_record(db: &Connection, id: i64) -> SqliteResult<Option<ArchiveRecord>> {
    let sql = "SELECT r.id, s.kind, s.space, r.name, r.author, r.started_at, r.ended_at, r.task, r.branch, r.is_exposed \
               FROM record r JOIN scope s ON s.id = r.scope WHERE r.id = ?";
    let mut found = None;
    each_row(db, sql, [id], |row| {
        found = Some(read_record_row(row)?);
        Ok(())
    })?;
    let Some(mut record) = found else {
        return Ok(None);
    };
    each_row(db, "SELECT path FROM path WHERE record = ?", [id], |row| {
        record.paths.extend(row.get::<_, String>(0)?.parse().ok());
        Ok(())
    })?;
    record.related = list_related(db, id)?;
    let sql =
        "SELECT number, speaker, at, text, pasted FROM passage WHERE record = ? ORDER BY number";
    each_row(db, sql, [id], |row| {
        record.passages.push(ArchivePassage {
            number: row.get(0)?,
            speaker: parse_word(&row.get::<_, String>(1)?)?,
            at: read_time(row, 2)?,
            text: row.get(3)?,
            pasted: row.get(4)?,
        });
        Ok(())
    })?;
    Ok(Some(record))
}

fn read_record_row(row: &Row<'_>) -> SqliteResult<ArchiveRecord> {
    let kind: ArchiveKind = parse_word(&row.get::<_, String>(1)?)?;
    let space: Space = parse_word(&row.get::<_, String>(2)?)?;
    Ok(ArchiveRecord {
        number: row.get::<_, i64>(0)?.cast_unsigned(),
        kind,
        space,
        name: row.get(3)?,
        author: row.get(4)?,
        started_at: read_time(row, 5)?,
        ended_at: read_time(row, 6)?,
        task: row.get(7)?,
        branch: row.get(8)?,
        paths: BTreeSet::new(),
        is_exposed: row.get(9)?,
        passages: Vec::new(),
        related: BTreeSet::new(),
    })
}

fn parse_word<T: std::str::FromStr>(word: &str) -> SqliteResult<T> {
    word.parse()
        .map_err(|_| SqliteError::corrupt(format!("the archive has an unknown word, {word}")))
}

fn read_time(row: &Row<'_>, at: usize) -> SqliteResult<Timestamp> {
    Timestamp::from_millisecond(row.get(at)?)
        .map_err(|_| SqliteError::corrupt("the archive has a time that is none"))
}
