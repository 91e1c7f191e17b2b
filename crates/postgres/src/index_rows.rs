//! The rows of one space's index, inside a transaction.

use apostille_core::space::Space;
use apostille_stores::packed_index::{IndexRows, PostingRow, SegmentRange, TailRow};
use tokio_postgres::Row;

use crate::{
    connection::Transaction,
    error::{PgError, PgResult},
    statement::SqlStatement,
};

/// See [`IndexRows`].
pub(crate) struct PgIndexRows<'t, 'c> {
    pub(crate) transaction: &'t mut Transaction<'c>,
    pub(crate) space: &'t Space,
}

pub(crate) const SELECT_TAIL: &str =
    "SELECT number, terms FROM apostille_tail WHERE space = $1 ORDER BY number";
pub(crate) const SELECT_POSTINGS: &str = "SELECT term, segment, entries FROM apostille_posting \
    WHERE space = $1 AND term = ANY($2) AND segment >= $3 ORDER BY term, segment";
const SELECT_FIRST: &str = "SELECT DISTINCT ON (term) term, segment, entries FROM apostille_posting \
    WHERE space = $1 AND term = ANY($2) AND segment >= $3 ORDER BY term, segment";
const SELECT_AT: &str = "SELECT term, segment, entries FROM apostille_posting \
    WHERE space = $1 AND term = ANY($2) AND segment = $3 ORDER BY term";

/// A waiting memory.
pub(crate) fn decode_tail_row(row: &Row) -> PgResult<TailRow> {
    Ok(TailRow {
        number: row.try_get::<_, i64>(0)?.cast_unsigned(),
        terms: row.try_get(1)?,
    })
}

/// A row of postings.
pub(crate) fn decode_posting_row(row: &Row) -> PgResult<PostingRow> {
    Ok(PostingRow {
        term: row.try_get(0)?,
        segment: row.try_get::<_, i64>(1)?.cast_unsigned(),
        entries: row.try_get(2)?,
    })
}

impl PgIndexRows<'_, '_> {
    fn statement(&self, sql: &'static str) -> SqlStatement {
        SqlStatement::new(sql).text(self.space.as_str())
    }
}

impl IndexRows for PgIndexRows<'_, '_> {
    type Error = PgError;

    fn read_tail(&mut self) -> PgResult<Vec<TailRow>> {
        let select = self.statement(SELECT_TAIL);
        let rows = self.transaction.query(select)?;
        rows.iter().map(decode_tail_row).collect()
    }

    fn count_tail(&mut self) -> PgResult<u64> {
        let select = self.statement("SELECT count(*) FROM apostille_tail WHERE space = $1");
        let rows = self.transaction.query(select)?;
        let n: i64 = rows.first().map_or(Ok(0), |row| row.try_get(0))?;
        Ok(n.cast_unsigned())
    }

    fn insert_tail(&mut self, rows: Vec<TailRow>) -> PgResult<()> {
        let (numbers, blobs) = rows
            .into_iter()
            .map(|it| (it.number.cast_signed(), it.terms))
            .unzip();
        let insert = self.statement(
            "INSERT INTO apostille_tail(space, number, terms) \
             SELECT $1, it.number, it.terms FROM unnest($2, $3) AS it(number, terms)",
        );
        self.transaction
            .queue(insert.ints(numbers).bytes_list(blobs));
        Ok(())
    }

    fn delete_tail(&mut self, numbers: &[u64]) -> PgResult<Vec<u64>> {
        let numbers = numbers.iter().map(|it| it.cast_signed()).collect();
        let delete = self.statement(
            "DELETE FROM apostille_tail WHERE space = $1 AND number = ANY($2) RETURNING number",
        );
        let rows = self.transaction.query(delete.ints(numbers))?;
        let number = |row: &Row| Ok(row.try_get::<_, i64>(0)?.cast_unsigned());
        rows.iter().map(number).collect()
    }

    fn clear_tail(&mut self) -> PgResult<()> {
        let delete = self.statement("DELETE FROM apostille_tail WHERE space = $1");
        self.transaction.queue(delete);
        Ok(())
    }

    fn read_postings(
        &mut self,
        terms: &[&str],
        segments: SegmentRange,
    ) -> PgResult<Vec<PostingRow>> {
        let (select, segment) = match segments {
            SegmentRange::At(it) => (SELECT_AT, it),
            SegmentRange::FirstFrom(it) => (SELECT_FIRST, it),
            SegmentRange::From(it) => (SELECT_POSTINGS, it),
        };
        let terms = terms.iter().map(|it| (*it).to_owned()).collect();
        let select = self.statement(select).texts(terms);
        let rows = self.transaction.query(select.int(segment.cast_signed()))?;
        rows.iter().map(decode_posting_row).collect()
    }

    fn write_postings(&mut self, rows: Vec<PostingRow>) -> PgResult<()> {
        let (mut written, mut gone) = (
            (Vec::new(), Vec::new(), Vec::new()),
            (Vec::new(), Vec::new()),
        );
        for row in rows {
            let segment = row.segment.cast_signed();
            if row.entries.is_empty() {
                gone.0.push(row.term);
                gone.1.push(segment);
            } else {
                written.0.push(row.term);
                written.1.push(segment);
                written.2.push(row.entries);
            }
        }
        if !written.0.is_empty() {
            let upsert = self.statement(
                "INSERT INTO apostille_posting(space, term, segment, entries) \
                 SELECT $1, it.term, it.segment, it.entries FROM unnest($2, $3, $4) AS it(term, segment, entries) \
                 ON CONFLICT (space, term, segment) DO UPDATE SET entries = excluded.entries",
            );
            let upsert = upsert.texts(written.0).ints(written.1);
            self.transaction.queue(upsert.bytes_list(written.2));
        }
        if !gone.0.is_empty() {
            let delete = self.statement(
                "DELETE FROM apostille_posting WHERE space = $1 AND (term, segment) IN \
                 (SELECT it.term, it.segment FROM unnest($2, $3) AS it(term, segment))",
            );
            self.transaction.queue(delete.texts(gone.0).ints(gone.1));
        }
        Ok(())
    }

    fn clear_postings(&mut self) -> PgResult<()> {
        let delete = self.statement("DELETE FROM apostille_posting WHERE space = $1");
        self.transaction.queue(delete);
        Ok(())
    }
}
