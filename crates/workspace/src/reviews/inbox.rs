//! Deliveries that wait: a file each, written before the host is answered, so that a crash loses none that was accepted.
//!
//! What waits is sealed with the secret that the delivery was signed with. A file that somebody else put here is not believed:
//! an agent can write into this folder as its user can, and must not become a reviewer by that.

use std::{
    fs,
    path::{Path, PathBuf},
};

use apostille_reviews::{
    event_record::ReviewEventRecord,
    payload::ReviewEvent,
    seen::SeenDeliveries,
    signature::{is_signed, sign_body},
};
use apostille_text::digest::Digest;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::{PRIVATE, ReviewFolder};
use crate::{atomic_file::write_file_atomically, error::CommandError};

/// The file of deliveries that were taken.
const TAKEN: &str = "taken.json";
/// How many deliveries wait at most.
const MAX_WAITING: usize = 2_000;
/// The longest record of a delivery, in bytes.
const MAX_RECORD: usize = 256 * 1024;
/// How long is waited before each further try.
const PAUSES: [i64; 5] = [60, 5 * 60, 30 * 60, 2 * 60 * 60, 12 * 60 * 60];

/// A delivery that waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitingDelivery {
    v: u32,
    /// What the host calls it.
    pub id: String,
    /// The event, as JSON.
    event: String,
    /// The seal over both.
    seal: String,
    /// How often it was tried in vain.
    #[serde(default)]
    pub tries: usize,
    /// Not before this time, in seconds since 1970.
    #[serde(default)]
    not_before: i64,
    /// Why it failed last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(skip)]
    path: PathBuf,
}

/// Whether a delivery was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Acceptance {
    /// It is on the disk.
    Taken,
    /// It was taken before.
    Known,
    /// Nothing follows from it.
    Empty,
    /// Too many wait.
    Full,
}

impl WaitingDelivery {
    /// The event, if whoever wrote it down knew the secret.
    #[must_use]
    pub fn open_event(&self, secret: &str) -> Option<ReviewEvent> {
        is_signed(secret, &self.sealed_bytes(), &self.seal).then_some(())?;
        let record: ReviewEventRecord = serde_json::from_str(&self.event).ok()?;
        record.into_event()
    }

    fn sealed_bytes(&self) -> Vec<u8> {
        format!("{}\n{}", self.id, self.event).into_bytes()
    }

    fn is_due(&self, now: Timestamp) -> bool {
        self.not_before <= now.as_second()
    }
}

impl ReviewFolder {
    fn waiting_folder(&self) -> PathBuf {
        self.folder.join("waiting")
    }

    fn failed_folder(&self) -> PathBuf {
        self.folder.join("failed")
    }

    /// Keeps a delivery until it was worked on.
    pub fn accept_delivery(
        &self,
        id: &str,
        event: &ReviewEvent,
        secret: &str,
        (now, draw): (Timestamp, u128),
    ) -> Result<Acceptance, CommandError> {
        let Some(record) = ReviewEventRecord::from_event(event) else {
            return Ok(Acceptance::Empty);
        };
        let event = serde_json::to_string(&record).map_err(CommandError::internal)?;
        if event.len() > MAX_RECORD {
            return Ok(Acceptance::Empty);
        }
        let _held = self.lock_inbox()?;
        let mut taken: SeenDeliveries = self.read_json(TAKEN);
        let name = Digest::hash_bytes(id.as_bytes()).short_hex();
        if taken.has_delivery(&name) {
            return Ok(Acceptance::Known);
        }
        if list_files(&self.waiting_folder()).len() >= MAX_WAITING {
            return Ok(Acceptance::Full);
        }
        let mut waiting = WaitingDelivery {
            v: 1,
            id: id.to_owned(),
            event,
            seal: String::new(),
            tries: 0,
            not_before: 0,
            error: None,
            path: PathBuf::new(),
        };
        waiting.seal = sign_body(secret, &waiting.sealed_bytes());
        let millis = now.as_millisecond();
        let path = self
            .waiting_folder()
            .join(format!("{millis:014}-{name}.json"));
        write_delivery(&path, &waiting, draw)?;
        taken.note_delivery(&name);
        self.write_json(TAKEN, &taken, draw)?;
        Ok(Acceptance::Taken)
    }

    /// What waits, the oldest first.
    #[must_use]
    pub fn list_waiting(&self) -> Vec<WaitingDelivery> {
        read_deliveries(&self.waiting_folder())
    }

    /// What was given up.
    #[must_use]
    pub fn list_failed(&self) -> Vec<WaitingDelivery> {
        read_deliveries(&self.failed_folder())
    }

    /// What may be tried now.
    pub(super) fn list_due(&self, now: Timestamp) -> Vec<WaitingDelivery> {
        let mut waiting = self.list_waiting();
        waiting.retain(|it| it.is_due(now));
        waiting
    }

    /// Lets go of what was worked on.
    pub(super) fn remove_delivery(&self, delivery: &WaitingDelivery) -> Result<(), CommandError> {
        match fs::remove_file(&delivery.path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(CommandError::internal(error))
            }
            _ => Ok(()),
        }
    }

    /// Puts off what failed, each time for longer; in the end it is given up. Whether that is so.
    pub(super) fn put_off_delivery(
        &self,
        delivery: WaitingDelivery,
        why: &str,
        (now, draw): (Timestamp, u128),
    ) -> Result<bool, CommandError> {
        let pause = PAUSES.get(delivery.tries).copied();
        let path = delivery.path.clone();
        let later = pause.map(|it| now.saturating_add(SignedDuration::from_secs(it)));
        let later = later.and_then(Result::ok).unwrap_or(now);
        let tried = WaitingDelivery {
            tries: delivery.tries + 1,
            not_before: later.as_second(),
            error: Some(why.to_owned()),
            ..delivery
        };
        if pause.is_some() {
            write_delivery(&path, &tried, draw)?;
            return Ok(false);
        }
        let name = path.file_name().unwrap_or_default();
        write_delivery(&self.failed_folder().join(name), &tried, draw)?;
        self.remove_delivery(&tried)?;
        Ok(true)
    }

    /// Lets everything that failed wait again, as if it had just come. How many.
    pub fn retry_failed(&self, draw: u128) -> Result<usize, CommandError> {
        let _held = self.lock_inbox()?;
        let late = self.list_waiting().into_iter().filter(|it| it.tries > 0);
        let mut n_retried = 0;
        for delivery in self.list_failed().into_iter().chain(late) {
            let fresh = WaitingDelivery {
                tries: 0,
                not_before: 0,
                error: None,
                ..delivery.clone()
            };
            let name = delivery.path.file_name().unwrap_or_default();
            let path = self.waiting_folder().join(name);
            write_delivery(&path, &fresh, draw)?;
            if path != delivery.path {
                self.remove_delivery(&delivery)?;
            }
            n_retried += 1;
        }
        Ok(n_retried)
    }
}

fn write_delivery(path: &Path, delivery: &WaitingDelivery, draw: u128) -> Result<(), CommandError> {
    let text = serde_json::to_vec(delivery).map_err(CommandError::internal)?;
    write_file_atomically(path, &text, Some(PRIVATE), draw).map_err(CommandError::internal)
}

fn list_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|it| it.path()).collect();
    files.retain(|it| it.extension().is_some_and(|it| it == "json"));
    files.sort();
    files
}

fn read_deliveries(folder: &Path) -> Vec<WaitingDelivery> {
    let read = |path: PathBuf| {
        let text = fs::read(&path).ok()?;
        let delivery: WaitingDelivery = serde_json::from_slice(&text).ok()?;
        Some(WaitingDelivery { path, ..delivery })
    };
    list_files(folder).into_iter().filter_map(read).collect()
}
