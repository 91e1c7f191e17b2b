//! Looking the file over: what its rows say of each other, so that whatever another program changed is named.
//!
//! A record says what its row's columns, its citations and its index must be; the log says what the counts of a space
//! must be; and the sum of a space says whether a row was added or taken away. Slow and thorough.

mod space_check;

use rusqlite::Connection;

use super::{SPACE_MASK, query::select_value, schema, spaces};
use crate::store_errors::SqliteResult;

/// How many problems are told one by one.
const TOLD: usize = 40;

/// What is wrong; nothing, where all is as this program left it.
pub(super) fn find_store_problems(db: &Connection) -> SqliteResult<Vec<String>> {
    let mut problems = find_damaged_pages(db)?;
    problems.extend(schema::find_schema_differences(db)?);
    problems.extend(find_stray_rows(db)?);
    for space in spaces::read_space_ids(db)? {
        problems.extend(space_check::check_space_rows(db, space)?);
    }
    if problems.len() > TOLD {
        let more = problems.len() - TOLD;
        problems.truncate(TOLD);
        problems.push(format!("and {more} more"));
    }
    Ok(problems)
}

fn find_damaged_pages(db: &Connection) -> SqliteResult<Vec<String>> {
    let mut check = db.prepare("PRAGMA integrity_check(20)")?;
    let lines = check.query_map([], |row| row.get(0))?;
    let mut lines: Vec<String> = lines.collect::<Result<_, _>>()?;
    lines.retain(|it| it != "ok");
    Ok(lines)
}

/// Rows that belong to nothing, and counters that no program of ours writes.
fn find_stray_rows(db: &Connection) -> SqliteResult<Vec<String>> {
    let mut problems = Vec::new();
    let homeless = ["memory", "event", "cites", "tail", "posting"].map(|it| {
        let rows = format!("{it} WHERE space NOT IN (SELECT id FROM space)");
        (rows, format!("rows of '{it}' belong to no space"))
    });
    let misfiled = format!("memory WHERE key & {SPACE_MASK} IS NOT space");
    let uncounted = "usage WHERE recalls + applied + verified = 0 OR recalls < 0 OR applied < 0 OR verified < 0 \
                     OR typeof(recalls) || typeof(applied) || typeof(verified) <> 'integerintegerinteger'";
    let others = [
        (
            &*misfiled,
            "memories are filed under another space than their number's",
        ),
        (
            "usage WHERE key NOT IN (SELECT key FROM memory)",
            "counters belong to no memory",
        ),
        (uncounted, "counters are not numbers"),
    ];
    for (rows, what) in homeless
        .iter()
        .map(|(rows, what)| (&**rows, &**what))
        .chain(others)
    {
        let n: i64 = select_value(db, &format!("SELECT count(*) FROM {rows}"), [])?;
        if n > 0 {
            problems.push(format!("{n} {what}: another program wrote here"));
        }
    }
    Ok(problems)
}
