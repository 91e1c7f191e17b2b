//! Whose session of the agents' protocol is whose: nobody else may use it, there are only so many, and what is streamed
//! in one ends with the token that opened it.

use std::collections::HashMap;
use std::{
    pin::Pin,
    sync::Arc,
    task::{Context as Polled, Poll},
    time::Duration,
};

use axum::body::Body;
use hyper::body::{Body as HttpBody, Bytes, Frame};
use tokio::{sync::oneshot, time::interval};

/// How many sessions there may be.
const MOST: usize = 256;
/// How often it is looked whether a token still holds.
const LOOK: Duration = Duration::from_secs(1);

/// A session.
struct McpSession {
    caller: String,
    /// When it was used last, counted in uses of any.
    used: u64,
}

/// The sessions that were opened.
#[derive(Default)]
pub(super) struct McpSessions {
    uses: u64,
    open: HashMap<Arc<str>, McpSession>,
}

impl McpSessions {
    /// Whether this session was opened with another token; else it is used now.
    pub(super) fn is_foreign_session(&mut self, id: &str, caller: &str) -> bool {
        self.uses += 1;
        match self.open.get_mut(id) {
            Some(talk) if talk.caller == caller => talk.used = self.uses,
            Some(_) => return true,
            None => {}
        }
        false
    }

    /// Notes a session that was opened; the one that has to end for it, where there are too many.
    pub(super) fn add_session(&mut self, id: &str, caller: &str) -> Option<Arc<str>> {
        self.uses += 1;
        let ended = if self.open.len() < MOST {
            None
        } else {
            self.find_longest_unused()
        };
        ended.iter().for_each(|it| self.remove_session(it));
        self.open.insert(
            id.into(),
            McpSession {
                caller: caller.into(),
                used: self.uses,
            },
        );
        ended
    }

    /// Of the sessions of whoever has most of them, the one that was not used for the longest time.
    fn find_longest_unused(&self) -> Option<Arc<str>> {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        self.open
            .values()
            .for_each(|it| *counts.entry(&it.caller).or_default() += 1);
        let order = |it: &(&Arc<str>, &McpSession)| (counts[&*it.1.caller], u64::MAX - it.1.used);
        self.open
            .iter()
            .max_by_key(order)
            .map(|it| Arc::clone(it.0))
    }

    /// Forgets a session that was closed.
    pub(super) fn remove_session(&mut self, id: &str) {
        self.open.remove(id);
    }
}

/// What is streamed to somebody, as long as they are let in.
pub(super) struct AuthorizedBody {
    body: Body,
    /// Closed when they are not any more.
    is_over: oneshot::Receiver<()>,
}

impl AuthorizedBody {
    /// The stream, and a look from time to time whether its reader is still let in; an answer that cannot be had is none.
    pub(super) fn new<F>(body: Body, is_let_in: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = bool> + Send,
    {
        let (mut streamed, is_over) = oneshot::channel::<()>();
        tokio::spawn(async move {
            let mut look = interval(LOOK);
            loop {
                tokio::select! {
                    () = streamed.closed() => return,
                    _ = look.tick() => {}
                }
                if !is_let_in().await {
                    return;
                }
            }
        });
        Self { body, is_over }
    }
}

impl HttpBody for AuthorizedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        polled: &mut Polled,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if Pin::new(&mut self.is_over).poll(polled).is_ready() {
            return Poll::Ready(None);
        }
        Pin::new(&mut self.body).poll_frame(polled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_its_opener_s() {
        let mut talks = McpSessions::default();
        assert_eq!(talks.add_session("s", "ci"), None);
        assert!(talks.is_foreign_session("s", "bot") && !talks.is_foreign_session("s", "ci"));
        talks.remove_session("s");
        assert!(!talks.is_foreign_session("s", "bot"));
    }

    #[test]
    fn whoever_opens_too_many_ends_their_own() {
        let mut talks = McpSessions::default();
        assert_eq!(talks.add_session("first", "bot"), None);
        for n in 1..MOST {
            assert_eq!(talks.add_session(&n.to_string(), "ci"), None);
        }
        assert!(!talks.is_foreign_session("1", "ci"));
        assert_eq!(talks.add_session("more", "ci").as_deref(), Some("2"));
        assert_eq!(talks.add_session("again", "bot").as_deref(), Some("3"));
        assert_eq!(talks.open.len(), MOST);
    }
}
