//! What was read of comments before: deliveries come twice, late, and in any order.

use std::collections::{BTreeMap, VecDeque};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// How many comments are remembered. An older one is told by what rests on it in the store.
const MAX_COMMENTS: usize = 5_000;
/// How many deliveries.
const MAX_DELIVERIES: usize = 5_000;

/// What was read before, bounded: kept beside the store by whoever reads.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct SeenReviews {
    /// When each comment was changed last, as far as was read, by repository and anchor.
    #[serde(default)]
    comments: BTreeMap<String, SeenComment>,
}

/// The deliveries that were taken, bounded: what is delivered twice is taken once.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct SeenDeliveries {
    /// The oldest first.
    #[serde(default)]
    deliveries: VecDeque<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct SeenComment {
    /// In milliseconds since 1970.
    at: i64,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_gone: bool,
}

impl SeenReviews {
    /// Whether a state of a comment is news: later than what was read, and not of a comment that is gone.
    #[must_use]
    pub fn is_news(&self, comment: &str, at: Timestamp) -> bool {
        let seen = self.comments.get(comment);
        seen.is_none_or(|it| !it.is_gone && it.at < at.as_millisecond())
    }

    /// Whether an earlier state of a comment was read.
    #[must_use]
    pub fn has_comment(&self, comment: &str) -> bool {
        self.comments.contains_key(comment)
    }

    /// Notes what was read of a comment.
    pub fn note_comment(&mut self, comment: &str, at: Timestamp, is_gone: bool) {
        let seen = SeenComment {
            at: at.as_millisecond(),
            is_gone,
        };
        self.comments.insert(comment.to_owned(), seen);
        while self.comments.len() > MAX_COMMENTS {
            let oldest = self.comments.iter().min_by_key(|it| it.1.at);
            let Some(oldest) = oldest.map(|it| it.0.clone()) else {
                return;
            };
            self.comments.remove(&oldest);
        }
    }
}

impl SeenDeliveries {
    /// Whether a delivery was taken before.
    #[must_use]
    pub fn has_delivery(&self, id: &str) -> bool {
        self.deliveries.iter().any(|it| it == id)
    }

    /// Notes that a delivery was taken.
    pub fn note_delivery(&mut self, id: &str) {
        self.deliveries.push_back(id.to_owned());
        while self.deliveries.len() > MAX_DELIVERIES {
            self.deliveries.pop_front();
        }
    }
}
