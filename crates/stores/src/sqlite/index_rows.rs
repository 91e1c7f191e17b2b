//! The rows of one space's index in a file.

use rusqlite::{Connection, params};

use super::{
    query::{each_row, run_statement, select_value},
    to_sql_number,
};
use crate::{
    packed_index::{IndexRows, PostingRow, SegmentRange, TailRow},
    store_errors::{SqliteError, SqliteResult},
};

const SELECT_AT: &str =
    "SELECT segment, entries FROM posting WHERE space = ?1 AND term = ?2 AND segment = ?3";
const SELECT_FIRST: &str = "SELECT segment, entries FROM posting WHERE space = ?1 AND term = ?2 AND segment >= ?3 \
                            ORDER BY segment LIMIT 1";
const SELECT_FROM: &str = "SELECT segment, entries FROM posting WHERE space = ?1 AND term = ?2 AND segment >= ?3 \
                           ORDER BY segment";
const UPSERT: &str = "INSERT INTO posting(space, term, segment, entries) VALUES (?1, ?2, ?3, ?4) \
                      ON CONFLICT DO UPDATE SET entries = excluded.entries";
const DELETE: &str = "DELETE FROM posting WHERE space = ?1 AND term = ?2 AND segment = ?3";

/// See [`IndexRows`]. The caller holds the transaction.
pub(super) struct SqliteIndexRows<'a> {
    pub(super) db: &'a Connection,
    pub(super) space: i64,
}

impl IndexRows for SqliteIndexRows<'_> {
    type Error = SqliteError;

    fn read_tail(&mut self) -> SqliteResult<Vec<TailRow>> {
        let select = "SELECT number, terms FROM tail WHERE space = ?1 ORDER BY number";
        let mut found = Vec::new();
        each_row(self.db, select, [self.space], |row| {
            found.push(TailRow {
                number: row.get(0)?,
                terms: row.get(1)?,
            });
            Ok(())
        })?;
        Ok(found)
    }

    fn count_tail(&mut self) -> SqliteResult<u64> {
        let select = "SELECT count(*) FROM tail WHERE space = ?1";
        Ok(select_value(self.db, select, [self.space])?)
    }

    fn insert_tail(&mut self, rows: Vec<TailRow>) -> SqliteResult<()> {
        let insert = "INSERT INTO tail(space, number, terms) VALUES (?1, ?2, ?3)";
        let mut insert = self.db.prepare_cached(insert)?;
        for row in rows {
            insert.execute(params![self.space, to_sql_number(row.number)?, row.terms])?;
        }
        Ok(())
    }

    fn delete_tail(&mut self, numbers: &[u64]) -> SqliteResult<Vec<u64>> {
        let delete = "DELETE FROM tail WHERE space = ?1 AND number = ?2";
        let mut delete = self.db.prepare_cached(delete)?;
        let mut waited = Vec::new();
        for number in numbers {
            if delete.execute([self.space, to_sql_number(*number)?])? > 0 {
                waited.push(*number);
            }
        }
        Ok(waited)
    }

    fn clear_tail(&mut self) -> SqliteResult<()> {
        run_statement(self.db, "DELETE FROM tail WHERE space = ?1", [self.space])
    }

    fn read_postings(
        &mut self,
        terms: &[&str],
        segments: SegmentRange,
    ) -> SqliteResult<Vec<PostingRow>> {
        let (select, segment) = match segments {
            SegmentRange::At(it) => (SELECT_AT, it),
            SegmentRange::FirstFrom(it) => (SELECT_FIRST, it),
            SegmentRange::From(it) => (SELECT_FROM, it),
        };
        let (mut found, segment) = (Vec::new(), to_sql_number(segment)?);
        for term in terms {
            each_row(self.db, select, params![self.space, term, segment], |row| {
                found.push(PostingRow {
                    term: (*term).to_owned(),
                    segment: row.get(0)?,
                    entries: row.get(1)?,
                });
                Ok(())
            })?;
        }
        Ok(found)
    }

    fn write_postings(&mut self, rows: Vec<PostingRow>) -> SqliteResult<()> {
        let mut upsert = self.db.prepare_cached(UPSERT)?;
        for row in rows {
            let segment = to_sql_number(row.segment)?;
            if row.entries.is_empty() {
                run_statement(self.db, DELETE, params![self.space, row.term, segment])?;
            } else {
                upsert.execute(params![self.space, row.term, segment, row.entries])?;
            }
        }
        Ok(())
    }

    fn clear_postings(&mut self) -> SqliteResult<()> {
        run_statement(
            self.db,
            "DELETE FROM posting WHERE space = ?1",
            [self.space],
        )
    }
}
