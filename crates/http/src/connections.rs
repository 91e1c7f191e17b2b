//! Who is connected: not too many, and when there is no room, whoever came first and never showed a token or a session
//! makes room for the next one. So nobody keeps others out by only holding connections.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// One connection, as the others are counted.
struct Connection {
    is_known: bool,
    end: Arc<Notify>,
}

/// Everybody who is connected, in the order of coming.
#[derive(Default)]
struct OpenConnections {
    came: u64,
    guests: BTreeMap<u64, Connection>,
}

/// The places that there are.
pub(super) struct ConnectionTable {
    most: usize,
    book: Mutex<OpenConnections>,
}

impl ConnectionTable {
    pub(super) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self {
            most,
            book: Mutex::default(),
        })
    }

    /// A place for one more, where there is one or somebody unknown can make room.
    pub(super) fn admit_connection(self: &Arc<Self>) -> Option<Arc<ConnectionSlot>> {
        let mut book = self.lock_connections();
        if book.guests.len() >= self.most {
            let first = book
                .guests
                .iter()
                .find(|it| !it.1.is_known)
                .map(|it| *it.0)?;
            book.guests
                .remove(&first)
                .into_iter()
                .for_each(|it| it.end.notify_one());
        }
        book.came += 1;
        let (number, end) = (book.came, Arc::<Notify>::default());
        book.guests.insert(
            number,
            Connection {
                is_known: false,
                end: Arc::clone(&end),
            },
        );
        Some(Arc::new(ConnectionSlot {
            number,
            end,
            guests: Arc::clone(self),
        }))
    }

    fn lock_connections(&self) -> MutexGuard<'_, OpenConnections> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The place of a connection, as long as it lasts.
pub(super) struct ConnectionSlot {
    number: u64,
    end: Arc<Notify>,
    guests: Arc<ConnectionTable>,
}

impl ConnectionSlot {
    /// Whoever has it showed a token or a session.
    pub(super) fn mark_authenticated(&self) {
        self.guests
            .lock_connections()
            .guests
            .entry(self.number)
            .and_modify(|it| it.is_known = true);
    }

    /// Waits until the place is needed for somebody else.
    pub(super) async fn wait_for_eviction(&self) {
        self.end.notified().await;
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.guests.lock_connections().guests.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_the_unknown_makes_room() {
        let guests = ConnectionTable::new(2);
        let (first, second) = (
            guests.admit_connection().unwrap(),
            guests.admit_connection().unwrap(),
        );
        first.mark_authenticated();
        let third = guests.admit_connection().unwrap();
        let left = || {
            guests
                .lock_connections()
                .guests
                .keys()
                .copied()
                .collect::<Vec<_>>()
        };
        assert_eq!(left(), [1, 3]);
        third.mark_authenticated();
        assert!(guests.admit_connection().is_none());
        // Who had to go does not take anybody's place with it.
        drop(second);
        assert_eq!(left(), [1, 3]);
        drop(first);
        assert!(guests.admit_connection().is_some());
    }
}
