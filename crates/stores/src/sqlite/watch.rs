//! What a write looks at before it is let through: two short selects, and nothing is decoded but open breakers.

use apostille_core::event::{Event, What};
use apostille_core::format::{EventRecord, TripRecord};
use apostille_core::store::StoreError;
use apostille_core::store::watch::{self, MANY, Trip, Watch};
use jiff::Timestamp;
use rusqlite::types::Value;
use rusqlite::{Connection, params};

use super::schema;
use crate::fault::sqlite;

type Found<T> = Result<T, StoreError>;

/// How a space stands.
pub(super) fn of(db: &Connection, space: i64, since: Timestamp) -> Found<Watch> {
    let count = "SELECT count(*) FROM \
                 (SELECT 1 FROM memory WHERE space = ?1 AND recorded_at >= ?2 LIMIT ?3)";
    let mut count = db.prepare_cached(count).map_err(sqlite)?;
    let row = params![space, since.as_millisecond(), MANY];
    Ok(Watch {
        recent: count.query_row(row, |row| row.get(0)).map_err(sqlite)?,
        open: open(db, space)?,
    })
}

/// The breakers of a space that are open. An older file that cannot be brought up to date has none.
fn open(db: &Connection, space: i64) -> Found<Vec<Trip>> {
    let mut select = match db.prepare_cached("SELECT breakers FROM space WHERE id = ?1") {
        Err(error) if schema::is_older(&error) => return Ok(Vec::new()),
        other => other.map_err(sqlite)?,
    };
    match select
        .query_row([space], |row| row.get::<_, Value>(0))
        .map_err(sqlite)?
    {
        Value::Null => Ok(Vec::new()),
        // What another program made unreadable is read from the log instead: a breaker does not close by damage.
        Value::Text(kept) => read(&kept).map_or_else(|| told(db, space), Ok),
        _ => told(db, space),
    }
}

/// The open breakers as the log has them.
fn told(db: &Connection, space: i64) -> Found<Vec<Trip>> {
    let select =
        "SELECT record FROM event WHERE space = ?1 AND name IN ('tripped', 'closed') ORDER BY seq";
    let mut select = db.prepare_cached(select).map_err(sqlite)?;
    let records = select
        .query_map([space], |row| row.get::<_, String>(0))
        .map_err(sqlite)?;
    let mut trips = Vec::new();
    for record in records {
        let record = serde_json::from_str::<EventRecord>(&record.map_err(sqlite)?).ok();
        if let Some(event) = record.and_then(|it| Event::try_from(it).ok()) {
            watch::fold(&mut trips, &event);
        }
    }
    Ok(trips)
}

fn read(kept: &str) -> Option<Vec<Trip>> {
    let records: Vec<TripRecord> = serde_json::from_str(kept).ok()?;
    records
        .into_iter()
        .map(|it| Trip::try_from(it).ok())
        .collect()
}

/// Opens or closes breakers, where this event does.
pub(super) fn note(db: &Connection, space: i64, event: &Event) -> Found<()> {
    if !matches!(event.what, What::Tripped { .. } | What::Closed { .. }) {
        return Ok(());
    }
    let mut trips = open(db, space)?;
    watch::fold(&mut trips, event);
    db.execute(
        "UPDATE space SET breakers = ?2 WHERE id = ?1",
        params![space, kept(&trips)],
    )
    .map_err(sqlite)?;
    Ok(())
}

/// Open breakers as they are kept; nothing where there are none.
pub(super) fn kept(trips: &[Trip]) -> Option<String> {
    let records: Vec<TripRecord> = trips.iter().map(TripRecord::from).collect();
    serde_json::to_string(&records)
        .ok()
        .filter(|_| !trips.is_empty())
}
