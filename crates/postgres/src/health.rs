//! Looking the database over: what its rows say of each other, and whether what keeps spaces apart is on.

use std::collections::BTreeMap;

use apostille_core::{event::EventKind, space::Space};
use apostille_stores::packed_index;
use apostille_text::terms;
use tokio_postgres::Row;

use crate::{
    connection::Transaction,
    error::PgResult,
    index_rows::{SELECT_TAIL, decode_posting_row, decode_tail_row},
    rows::decode_memory_row,
    schema::SPACE_TABLES,
    statement::SqlStatement,
};

/// What is wrong with the tables as such.
pub(crate) fn find_database_problems(transaction: &mut Transaction<'_>) -> PgResult<Vec<String>> {
    let tables = "SELECT relname::text FROM pg_class WHERE relname = ANY($1) AND relkind IN ('r', 'p') \
                  AND NOT (relrowsecurity AND relforcerowsecurity) ORDER BY relname";
    let role = "SELECT rolname::text FROM pg_roles WHERE rolname = current_user AND (rolsuper OR rolbypassrls)";
    let names = SPACE_TABLES.map(String::from).to_vec();
    let answers = transaction.finish_with(vec![
        SqlStatement::new(tables).texts(names),
        SqlStatement::new(role),
    ])?;
    let [open, bypassing] = answers.as_slice() else {
        return Ok(Vec::new());
    };
    let mut problems = Vec::new();
    for row in open {
        let table: &str = row.try_get(0)?;
        problems.push(format!(
            "row-level security of {table} is off: every role reads every space"
        ));
    }
    for row in bypassing {
        let role: &str = row.try_get(0)?;
        problems.push(format!(
            "the role {role} bypasses row-level security: connect as one that does not, see `apostille store grant`"
        ));
    }
    Ok(problems)
}

/// What the rows of a space say of each other that cannot be.
pub(crate) fn find_space_problems(
    transaction: &mut Transaction<'_>,
    space: &Space,
) -> PgResult<Vec<String>> {
    let in_space = |sql: &'static str| SqlStatement::new(sql).text(space.as_str());
    let memories = "SELECT record, seal, space, number, recall_count, applied_count, verification_count, status, fact \
                    FROM agent_memory WHERE space = $1 ORDER BY number";
    let counts = "SELECT n_docs, total_len FROM apostille_space WHERE space = $1";
    let postings = "SELECT term, segment, entries FROM apostille_posting WHERE space = $1 ORDER BY term, segment";
    let events = "SELECT c.event, c.n, count(e.seq) FROM apostille_event_count c LEFT JOIN agent_memory_telemetry e \
                  ON e.space = c.space AND e.event = c.event WHERE c.space = $1 GROUP BY c.event, c.n";
    let answers = transaction.finish_with(vec![
        in_space(memories),
        in_space(counts),
        in_space(postings),
        in_space(SELECT_TAIL),
        in_space(events),
    ])?;
    let [memories, counts, postings, tail, events] = answers.as_slice() else {
        return Ok(Vec::new());
    };
    let mut problems = Vec::new();
    let indexed = check_memories(space, memories, &mut problems)?;
    check_index(space, indexed, (counts, postings, tail), &mut problems)?;
    for row in events {
        let (word, counted, there): (&str, i64, i64) =
            (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
        // What was only counted may be cleared away after a time.
        let is_kept = !EventKind::TELEMETRY.iter().any(|it| it.as_str() == word);
        if counted != there && is_kept {
            problems.push(format!(
                "{space}: {counted} events of {word} are counted, and {there} are there"
            ));
        }
    }
    Ok(problems)
}

/// What the index of a space must have: the terms of its active memories, each with the numbers under it.
#[derive(Default)]
struct ExpectedIndex {
    n_docs: i64,
    total_len: i64,
    terms: BTreeMap<String, Vec<u64>>,
}

fn check_memories(
    space: &Space,
    rows: &[Row],
    problems: &mut Vec<String>,
) -> PgResult<ExpectedIndex> {
    let mut expected = ExpectedIndex::default();
    for row in rows {
        let number: i64 = row.try_get(3)?;
        let Ok(memory) = decode_memory_row(row) else {
            problems.push(format!(
                "{space}: the record of memory {number} is not what was written"
            ));
            continue;
        };
        let (status, fact): (&str, &str) = (row.try_get(7)?, row.try_get(8)?);
        if status != memory.status.stage().as_str()
            || fact != crate::rows::column_text(&memory.fact)
        {
            problems.push(format!(
                "{space}: the columns of memory {number} say something else than its record"
            ));
        }
        if memory.is_active() {
            let (terms, len) = terms::extract_terms_with_len(&memory.searchable_text());
            expected.n_docs += 1;
            expected.total_len += i64::from(len);
            for (term, _) in terms {
                expected.terms.entry(term).or_default().push(memory.number);
            }
        }
    }
    Ok(expected)
}

fn check_index(
    space: &Space,
    expected: ExpectedIndex,
    (counts, postings, tail): (&[Row], &[Row], &[Row]),
    problems: &mut Vec<String>,
) -> PgResult<()> {
    let counted: (i64, i64) = match counts.first() {
        Some(row) => (row.try_get(0)?, row.try_get(1)?),
        None => (0, 0),
    };
    if counted != (expected.n_docs, expected.total_len) {
        problems.push(format!(
            "{space}: the index counts other memories than there are"
        ));
    }
    let postings: Vec<_> = postings
        .iter()
        .map(decode_posting_row)
        .collect::<PgResult<_>>()?;
    let tail: Vec<_> = tail.iter().map(decode_tail_row).collect::<PgResult<_>>()?;
    let key = packed_index::blob_space(space.as_str());
    let terms: Vec<String> = expected.terms.keys().cloned().collect();
    let lists = packed_index::collect_postings(key, &terms, &postings, &tail);
    let differs = expected
        .terms
        .values()
        .zip(&lists)
        .any(|(numbers, list)| !numbers.iter().copied().eq(list.iter().map(|it| it.number)));
    let is_known = |term: &str| expected.terms.contains_key(term);
    let has_strange = postings.iter().any(|it| !is_known(&it.term));
    if differs || has_strange {
        problems.push(format!(
            "{space}: the index does not have what the memories say"
        ));
    }
    Ok(())
}
