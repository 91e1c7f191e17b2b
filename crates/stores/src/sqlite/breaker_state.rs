//! What a write looks at before it is let through: two short selects, and nothing is decoded but open breakers.

use apostille_core::event::{Event, EventBody};
use apostille_core::format::{EventRecord, OpenBreakerRecord};
use apostille_core::store::StoreError;
use apostille_core::store::breaker_state::{self, BreakerState, MANY, OpenBreaker};
use jiff::Timestamp;
use rusqlite::types::Value;
use rusqlite::{Connection, params};

use super::schema;
use crate::store_errors::store_error_from_sqlite;

type StoreResult<T> = Result<T, StoreError>;

/// How a space stands.
pub(super) fn read_space_breaker_state(
    db: &Connection,
    space: i64,
    since: Timestamp,
) -> StoreResult<BreakerState> {
    let count = "SELECT count(*) FROM \
                 (SELECT 1 FROM memory WHERE space = ?1 AND recorded_at >= ?2 LIMIT ?3)";
    let mut count = db.prepare_cached(count).map_err(store_error_from_sqlite)?;
    let row = params![space, since.as_millisecond(), MANY];
    Ok(BreakerState {
        recent: count
            .query_row(row, |row| row.get(0))
            .map_err(store_error_from_sqlite)?,
        open: read_open_breakers(db, space)?,
    })
}

/// The breakers of a space that are open. An older file that cannot be brought up to date has none.
fn read_open_breakers(db: &Connection, space: i64) -> StoreResult<Vec<OpenBreaker>> {
    let mut select = match db.prepare_cached("SELECT breakers FROM space WHERE id = ?1") {
        Err(error) if schema::is_missing_column_error(&error) => return Ok(Vec::new()),
        other => other.map_err(store_error_from_sqlite)?,
    };
    match select
        .query_row([space], |row| row.get::<_, Value>(0))
        .map_err(store_error_from_sqlite)?
    {
        Value::Null => Ok(Vec::new()),
        // What another program made unreadable is read from the log instead: a breaker does not close by damage.
        Value::Text(kept) => {
            parse_open_breakers(&kept).map_or_else(|| replay_open_breakers(db, space), Ok)
        }
        _ => replay_open_breakers(db, space),
    }
}

/// The open breakers as the log has them.
fn replay_open_breakers(db: &Connection, space: i64) -> StoreResult<Vec<OpenBreaker>> {
    let select =
        "SELECT record FROM event WHERE space = ?1 AND name IN ('tripped', 'closed') ORDER BY seq";
    let mut select = db.prepare_cached(select).map_err(store_error_from_sqlite)?;
    let records = select
        .query_map([space], |row| row.get::<_, String>(0))
        .map_err(store_error_from_sqlite)?;
    let mut trips = Vec::new();
    for record in records {
        let record =
            serde_json::from_str::<EventRecord>(&record.map_err(store_error_from_sqlite)?).ok();
        if let Some(event) = record.and_then(|it| Event::try_from(it).ok()) {
            breaker_state::fold_open_breakers(&mut trips, &event);
        }
    }
    Ok(trips)
}

fn parse_open_breakers(kept: &str) -> Option<Vec<OpenBreaker>> {
    let records: Vec<OpenBreakerRecord> = serde_json::from_str(kept).ok()?;
    records
        .into_iter()
        .map(|it| OpenBreaker::try_from(it).ok())
        .collect()
}

/// Opens or closes breakers, where this event does.
pub(super) fn update_open_breakers(db: &Connection, space: i64, event: &Event) -> StoreResult<()> {
    if !matches!(
        event.what,
        EventBody::Tripped { .. } | EventBody::Closed { .. }
    ) {
        return Ok(());
    }
    let mut trips = read_open_breakers(db, space)?;
    breaker_state::fold_open_breakers(&mut trips, event);
    db.execute(
        "UPDATE space SET breakers = ?2 WHERE id = ?1",
        params![space, format_open_breakers(&trips)],
    )
    .map_err(store_error_from_sqlite)?;
    Ok(())
}

/// Open breakers as they are kept; nothing where there are none.
pub(super) fn format_open_breakers(trips: &[OpenBreaker]) -> Option<String> {
    let records: Vec<OpenBreakerRecord> = trips.iter().map(OpenBreakerRecord::from).collect();
    serde_json::to_string(&records)
        .ok()
        .filter(|_| !trips.is_empty())
}
