//! The sum of a space: what its rows add up to, so that a row which another program changed, added or took away is
//! noticed.
//!
//! Each row of `memory` and of `event` has a SHA-256, each use of a memory has one for its counter, and all of a space's
//! are added up, 4 × 64 bits. Adding has no order, so a row is taken out again without touching the others: nothing
//! breaks when a memory is forgotten. It is a digest and not a signature: whoever knows this page can make the sum right
//! again. It stands against mistakes and careless hands, not against somebody who may write the file and means harm.
//!
//! Why not a chain, where each row's digest covers the one before? To forget is to remove bytes from the middle of the log,
//! which breaks every link behind them. One would have to keep a digest of what was forgotten, and a digest of a short
//! text can be guessed; or compute the rest of the chain anew, which costs what the store holds. A sum loses nothing but
//! the order of rows, and that is covered: the place in the log is part of an event's digest.
//!
//! Why count uses by multiplying? A counter that goes from 4 to 5 adds its digest once more. So neither the old value nor
//! the row has to be read to keep the sum right, and showing ten memories stays one small write.
//!
//! The sum lies in the row of the space, which every write touches anyway. Checking it reads every row, so that is done when
//! the store looks itself over (`doctor`, a thorough audit) and not for each recall. A row that was changed is noticed
//! sooner, by its own seal when it is read; the sum is what notices rows that were added or taken away.

use apostille_core::memory::UsageCounts;
use apostille_text::digest::Digest;
use rusqlite::{Connection, params, types::Value};

use super::{
    SPACE_MASK,
    query::{each_row, run_statement, select_value},
    rows::EventRow,
    spaces, write_rows,
};
use crate::store_errors::SqliteResult;

/// What some rows add up to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct SpaceSum([u64; 4]);

impl SpaceSum {
    /// Adds a digest so many times; a number that wraps takes it out.
    fn add_times(&mut self, digest: &Digest, times: u64) {
        let lanes = digest.as_bytes().as_chunks::<8>().0;
        for (sum, lane) in self.0.iter_mut().zip(lanes) {
            *sum = sum.wrapping_add(u64::from_le_bytes(*lane).wrapping_mul(times));
        }
    }

    /// Adds a row.
    pub(super) fn add_row(&mut self, row: &Digest) {
        self.add_times(row, 1);
    }

    /// Takes a row out.
    pub(super) fn remove_row(&mut self, row: &Digest) {
        self.add_times(row, 1_u64.wrapping_neg());
    }

    /// Takes a row out that another program changed. What it was is lost but for its seal, which is the first quarter of
    /// its digest; the others stay wrong until [`settle_space_sum`] finds that nothing else is.
    pub(super) fn remove_seal(&mut self, seal: [u8; 8]) {
        self.0[0] = self.0[0].wrapping_sub(u64::from_le_bytes(seal));
    }

    /// Counts uses of a memory in.
    pub(super) fn add_usage(&mut self, key: i64, usage: UsageCounts) {
        self.add_usage_times(key, usage, 1);
    }

    /// Counts uses of a memory out.
    pub(super) fn remove_usage(&mut self, key: i64, usage: UsageCounts) {
        self.add_usage_times(key, usage, 1_u64.wrapping_neg());
    }

    fn add_usage_times(&mut self, key: i64, usage: UsageCounts, times: u64) {
        let counters = [
            (b'r', usage.recalls),
            (b'a', usage.applied),
            (b'v', usage.verified),
        ];
        for (letter, n) in counters.into_iter().filter(|(_, n)| *n > 0) {
            let mut name = [letter; 9];
            name[1..].copy_from_slice(&key.to_le_bytes());
            self.add_times(&Digest::hash_bytes(&name), times.wrapping_mul(n.into()));
        }
    }

    fn merge_with(mut self, other: Self) -> Self {
        for (sum, it) in self.0.iter_mut().zip(other.0) {
            *sum = sum.wrapping_add(it);
        }
        self
    }

    fn to_bytes(self) -> Vec<u8> {
        self.0.map(u64::to_le_bytes).concat()
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (lanes, rest) = bytes.as_chunks::<8>();
        let lanes: &[[u8; 8]; 4] = lanes.try_into().ok()?;
        rest.is_empty().then(|| Self(lanes.map(u64::from_le_bytes)))
    }
}

/// The sum that a space has, where it is one.
pub(super) fn read_space_sum(db: &Connection, space: i64) -> SqliteResult<Option<SpaceSum>> {
    let sum = select_value(db, "SELECT sum FROM space WHERE id = ?1", [space])?;
    Ok(match sum {
        Value::Blob(bytes) => SpaceSum::from_bytes(&bytes),
        _ => None,
    })
}

/// The sum of a space with what was added, as it is kept. One that another program made unreadable stays wrong.
pub(super) fn grow_space_sum(
    db: &Connection,
    space: i64,
    added: SpaceSum,
) -> SqliteResult<Vec<u8>> {
    Ok(read_space_sum(db, space)?
        .unwrap_or_default()
        .merge_with(added)
        .to_bytes())
}

/// The sum of a space after changed rows were taken out of it by their seals. Where its first quarter is what the rows add
/// up to, the rows are all that was written and the sum is theirs; where not, more was changed, and it stays wrong.
pub(super) fn settle_space_sum(db: &Connection, space: i64) -> SqliteResult<()> {
    let found = compute_space_sum(db, space)?;
    if read_space_sum(db, space)?.is_some_and(|it| it.0[0] == found.0[0]) {
        write_space_sum(db, space, found)?;
    }
    Ok(())
}

fn write_space_sum(db: &Connection, space: i64, sum: SpaceSum) -> SqliteResult<()> {
    run_statement(
        db,
        "UPDATE space SET sum = ?2 WHERE id = ?1",
        params![space, sum.to_bytes()],
    )
}

/// Gives a file of version 1 its sums, and its events their seals.
pub(super) fn initialize_space_sums(db: &Connection) -> SqliteResult<()> {
    // A counter that counts nothing is no row any more.
    run_statement(
        db,
        "DELETE FROM usage WHERE recalls = 0 AND applied = 0 AND verified = 0",
        [],
    )?;
    let select = "SELECT seq, space, memory, name, record FROM event";
    let mut digests = Vec::new();
    each_row(db, select, [], |row| {
        let event = EventRow::from_row(row)?;
        digests.push((event.seq, event.digest()));
        Ok(())
    })?;
    for (seq, digest) in digests {
        write_rows::seal_event_row(db, seq, &digest)?;
    }
    for space in spaces::read_space_ids(db)? {
        write_space_sum(db, space, compute_space_sum(db, space)?)?;
    }
    Ok(())
}

/// What the rows of a space add up to, as they are. A row that is not even of the right types adds nothing.
pub(super) fn compute_space_sum(db: &Connection, space: i64) -> SqliteResult<SpaceSum> {
    let mut sum = SpaceSum::default();
    each_row(
        db,
        "SELECT record FROM memory WHERE space = ?1",
        [space],
        |row| {
            if let Ok(record) = row.get_ref(0)?.as_str() {
                sum.add_row(&Digest::hash_bytes(record.as_bytes()));
            }
            Ok(())
        },
    )?;
    each_row(
        db,
        "SELECT seq, space, memory, name, record FROM event WHERE space = ?1",
        [space],
        |row| {
            if let Ok(event) = EventRow::from_row(row) {
                sum.add_row(&event.digest());
            }
            Ok(())
        },
    )?;
    for (key, usage) in read_usage_rows(db)? {
        if key & SPACE_MASK == space {
            sum.add_usage(key, usage);
        }
    }
    Ok(sum)
}

/// The counters of all memories; what is no number counts as very many.
pub(super) fn read_usage_rows(db: &Connection) -> SqliteResult<Vec<(i64, UsageCounts)>> {
    let mut select = db.prepare("SELECT key, recalls, applied, verified FROM usage")?;
    let rows = select.query_and_then([], |row| {
        let count = |at| row.get(at).unwrap_or(u32::MAX);
        let usage = UsageCounts {
            recalls: count(1),
            applied: count(2),
            verified: count(3),
        };
        Ok((row.get(0)?, usage))
    })?;
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_out_leaves_no_trace() {
        let (one, two) = (Digest::hash_bytes(b"one"), Digest::hash_bytes(b"two"));
        let usage = UsageCounts {
            recalls: 3,
            applied: 0,
            verified: 1,
        };
        let mut sum = SpaceSum::default();
        sum.add_row(&one);
        let only_one = sum;
        sum.add_row(&two);
        sum.add_usage(7, usage);
        assert_ne!(sum, only_one);
        sum.remove_usage(7, usage);
        sum.remove_row(&two);
        assert_eq!(sum, only_one);
        assert_eq!(SpaceSum::from_bytes(&sum.to_bytes()), Some(sum));
        assert_eq!(SpaceSum::from_bytes(&[0; 31]), None);
    }
}
