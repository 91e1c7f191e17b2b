//! Who is connected: not too many, and when there is no room, whoever came first and never showed a token or a session
//! makes room for the next one. So nobody keeps others out by only holding connections.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use tokio::sync::Notify;

use apostille_mcp::concurrency::lock_despite_panic;

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
        let mut book = lock_despite_panic(&self.book);
        if book.guests.len() >= self.most {
            let (first, unknown) = book.guests.iter().find(|it| !it.1.is_known)?;
            let first = *first;
            unknown.end.notify_one();
            book.guests.remove(&first);
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
        let mut book = lock_despite_panic(&self.guests.book);
        if let Some(own) = book.guests.get_mut(&self.number) {
            own.is_known = true;
        }
    }

    /// Waits until the place is needed for somebody else.
    pub(super) async fn wait_for_eviction(&self) {
        self.end.notified().await;
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let mut book = lock_despite_panic(&self.guests.book);
        book.guests.remove(&self.number);
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
            lock_despite_panic(&guests.book)
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
