//! Whose token is looked up when: tokens that opened something before go first, and all others share a few places.
//!
//! Each look may cost a question to a database, and anybody can send a token that is none. So that a flood of them takes neither the
//! threads nor the database from those who work, only a few unknown ones are looked up at once. A right one that is new waits
//! among them, and is not turned away.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex},
};

use apostille_api::access_token::TokenLookup;
use apostille_mcp::concurrency::lock_despite_panic;
use apostille_text::digest::Digest;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How many tokens that never opened anything are looked up at once.
const UNKNOWN_AT_ONCE: usize = 4;
/// How many tokens are remembered to have opened something.
const MOST_KNOWN: usize = 10_000;

/// Who was let in before, and the places for everybody else.
pub(super) struct TokenLookups {
    known: Mutex<HashSet<Digest>>,
    places: Arc<Semaphore>,
}

impl Default for TokenLookups {
    fn default() -> Self {
        Self {
            known: Mutex::default(),
            places: Arc::new(Semaphore::new(UNKNOWN_AT_ONCE)),
        }
    }
}

impl TokenLookups {
    /// A place to look this token up, which is held as long as the look takes; `None`: it needs none.
    pub(super) async fn wait_for_turn(&self, token: &Digest) -> Option<OwnedSemaphorePermit> {
        if lock_despite_panic(&self.known).contains(token) {
            return None;
        }
        Arc::clone(&self.places).acquire_owned().await.ok()
    }

    /// Notes what a token opens.
    pub(super) fn note_answer(&self, token: Digest, found: &TokenLookup) {
        let mut known = lock_despite_panic(&self.known);
        if !matches!(found, TokenLookup::Granted(_)) {
            known.remove(&token);
        } else if known.len() < MOST_KNOWN {
            known.insert(token);
        }
    }
}

#[cfg(test)]
mod tests {
    use apostille_api::access_token::{Access, AccessToken};

    use super::*;

    #[test]
    fn unknown_tokens_leave_places_to_known_ones() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        runtime.block_on(async {
            let lookups = TokenLookups::default();
            let token = |n: usize| Digest::hash_bytes(&n.to_be_bytes());
            let granted = TokenLookup::Granted(AccessToken {
                name: "ci".into(),
                spaces: None,
                user: None,
                access: Access::Read,
                is_panel: false,
            });
            lookups.note_answer(token(0), &granted);
            let mut held = Vec::new();
            for n in 1..=UNKNOWN_AT_ONCE {
                held.push(lookups.wait_for_turn(&token(n)).await);
            }
            assert!(held.iter().all(Option::is_some));
            assert!(lookups.wait_for_turn(&token(0)).await.is_none());
            let late = token(99);
            let another = lookups.wait_for_turn(&late);
            tokio::pin!(another);
            tokio::select! {
                biased;
                _ = &mut another => panic!("there is no place"),
                () = std::future::ready(()) => {}
            }
            held.pop();
            assert!(another.await.is_some());
            // What is revoked is one of the others from then on.
            lookups.note_answer(token(0), &TokenLookup::Unknown);
            assert!(lookups.wait_for_turn(&token(0)).await.is_some());
        });
    }
}
