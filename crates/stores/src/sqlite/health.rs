//! Looking the file over: what its rows say of each other, so that whatever another program changed is named.
//!
//! A record says what its row's columns, its citations and its index must be; the log says what the counts of a space
//! must be; and the sum of a space says whether a row was added or taken away. Slow and thorough.

mod space_check;

use apostille_core::store::StoreError;
use rusqlite::Connection;

use super::{SPACE_BITS, schema, spaces};
use crate::store_errors::store_error_from_sqlite;

type StoreResult<T> = Result<T, StoreError>;

/// How many problems are told one by one.
const TOLD: usize = 40;

/// What is wrong; nothing, where all is as this program left it.
pub(super) fn find_store_problems(db: &Connection) -> StoreResult<Vec<String>> {
    let mut problems = find_damaged_pages(db)?;
    problems.extend(schema::find_schema_differences(db)?);
    problems.extend(find_stray_rows(db)?);
    for space in spaces::read_space_ids(db)? {
        space_check::check_space_rows(db, space, &mut problems)?;
    }
    if problems.len() > TOLD {
        let more = problems.len() - TOLD;
        problems.truncate(TOLD);
        problems.push(format!("and {more} more"));
    }
    Ok(problems)
}

fn find_damaged_pages(db: &Connection) -> StoreResult<Vec<String>> {
    let mut check = db
        .prepare("PRAGMA integrity_check(20)")
        .map_err(store_error_from_sqlite)?;
    let lines = check
        .query_map([], |row| row.get::<_, String>(0))
        .map_err(store_error_from_sqlite)?;
    let lines = lines
        .collect::<Result<Vec<_>, _>>()
        .map_err(store_error_from_sqlite)?;
    Ok(lines.into_iter().filter(|it| it != "ok").collect())
}

/// Rows that belong to nothing, and counters that no program of ours writes.
fn find_stray_rows(db: &Connection) -> StoreResult<Vec<String>> {
    let mask = (1_i64 << SPACE_BITS) - 1;
    let mut problems = Vec::new();
    let tables = ["memory", "event", "cites", "tail", "posting"];
    let homeless = tables.map(|it| {
        let sql = format!("SELECT count(*) FROM {it} WHERE space NOT IN (SELECT id FROM space)");
        (sql, format!("rows of '{it}' belong to no space"))
    });
    let others = [
        (
            format!("SELECT count(*) FROM memory WHERE key & {mask} IS NOT space"),
            "memories are filed under another space than their number's".to_owned(),
        ),
        (
            "SELECT count(*) FROM usage WHERE key NOT IN (SELECT key FROM memory)".to_owned(),
            "counters belong to no memory".to_owned(),
        ),
        (
            "SELECT count(*) FROM usage WHERE recalls + applied + verified = 0 OR recalls < 0 OR applied < 0 \
             OR verified < 0 OR typeof(recalls) || typeof(applied) || typeof(verified) <> 'integerintegerinteger'"
                .to_owned(),
            "counters are no counts".to_owned(),
        ),
    ];
    for (sql, what) in homeless.into_iter().chain(others) {
        let n: i64 = db
            .query_row(&sql, [], |row| row.get(0))
            .map_err(store_error_from_sqlite)?;
        if n > 0 {
            problems.push(format!("{n} {what}: another program wrote here"));
        }
    }
    Ok(problems)
}
