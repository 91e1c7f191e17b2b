//! What a write looks at before it is let through: two short selects, and nothing is decoded but open breakers.

use apostille_core::event::{Event, EventBody};
use apostille_core::{
    format::EventRecord,
    store::breaker_state::{self, BreakerState, MANY, OpenBreaker},
};
use jiff::Timestamp;
use rusqlite::{Connection, params, types::Value};

use super::{
    query::{each_row, run_statement, select_value},
    schema,
};
use crate::row_records::{format_open_breakers, parse_open_breakers};
use crate::store_errors::SqliteResult;

/// How a space stands.
pub(super) fn read_space_breaker_state(
    db: &Connection,
    space: i64,
    since: Timestamp,
) -> SqliteResult<BreakerState> {
    let count = "SELECT count(*) FROM \
                 (SELECT 1 FROM memory WHERE space = ?1 AND recorded_at >= ?2 LIMIT ?3)";
    Ok(BreakerState {
        recent: select_value(db, count, params![space, since.as_millisecond(), MANY])?,
        open: read_open_breakers(db, space)?,
    })
}

/// The breakers of a space that are open. An older file that cannot be brought up to date has none.
fn read_open_breakers(db: &Connection, space: i64) -> SqliteResult<Vec<OpenBreaker>> {
    let kept = select_value(db, "SELECT breakers FROM space WHERE id = ?1", [space]);
    match kept {
        Err(error) if schema::is_missing_column_error(&error) => Ok(Vec::new()),
        Ok(Value::Null) => Ok(Vec::new()),
        Ok(kept) => match kept_breakers(&kept) {
            Some(trips) => Ok(trips),
            // What another program made unreadable is read from the log instead: a breaker does not close by damage.
            None => replay_open_breakers(db, space),
        },
        Err(error) => Err(error.into()),
    }
}

/// The open breakers as the log has them.
fn replay_open_breakers(db: &Connection, space: i64) -> SqliteResult<Vec<OpenBreaker>> {
    let select =
        "SELECT record FROM event WHERE space = ?1 AND name IN ('tripped', 'closed') ORDER BY seq";
    let mut trips = Vec::new();
    each_row(db, select, [space], |row| {
        let record: Option<EventRecord> = serde_json::from_str(&row.get::<_, String>(0)?).ok();
        if let Some(event) = record.and_then(|it| Event::try_from(it).ok()) {
            breaker_state::fold_open_breakers(&mut trips, &event);
        }
        Ok(())
    })?;
    Ok(trips)
}

/// What the column holds, if that is what was written.
fn kept_breakers(kept: &Value) -> Option<Vec<OpenBreaker>> {
    match kept {
        Value::Text(kept) => parse_open_breakers(kept),
        _ => None,
    }
}

/// Opens or closes breakers, where this event does.
pub(super) fn update_open_breakers(db: &Connection, space: i64, event: &Event) -> SqliteResult<()> {
    if !matches!(
        event.what,
        EventBody::Tripped { .. } | EventBody::Closed { .. }
    ) {
        return Ok(());
    }
    let mut trips = read_open_breakers(db, space)?;
    breaker_state::fold_open_breakers(&mut trips, event);
    run_statement(
        db,
        "UPDATE space SET breakers = ?2 WHERE id = ?1",
        params![space, format_open_breakers(&trips)],
    )
}
