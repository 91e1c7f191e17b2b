//! One line that travels: an event, its place in time, and what makes it the same event in every replica.

use apostille_text::digest::Digest;
use jiff::Timestamp;

use crate::{
    event::{Event, EventBody},
    foreign::{admit_foreign_event, check_event_texts, distrust_memory},
    format::{
        EventRecord, VERSION,
        batch_line::{format_batch_line, parse_batch_line, read_line_version},
    },
    memory::{Layer, MAX_NUMBER, Memory, MemoryId},
    space::Space,
};

/// The longest line that is read: a memory with many long citations has some ten thousand characters.
pub const MAX_LINE: usize = 256 * 1024;

/// One event as it travels.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplicaLine {
    /// Its place in time.
    pub at: Timestamp,
    /// The memory that it is about.
    pub id: MemoryId,
    /// What happened, as its author says.
    pub event: Event,
    /// What makes it the same event, whoever tells it.
    pub key: Digest,
    /// The line as it is written, without its end.
    pub text: String,
}

/// Why a line does not count here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadReplicaLine {
    /// A newer program wrote it.
    #[error("a newer program wrote it; update apostille")]
    Newer,
    /// It is not what the format says, or not about this space.
    #[error("{0}")]
    Unreadable(String),
    /// What it says is not kept.
    #[error("{0}")]
    Refused(String),
}

impl ReplicaLine {
    /// An event of this store, to be told with this place in time; `None` for what stays at home.
    pub(super) fn of_own_event(event: &Event, at: Timestamp) -> Option<Self> {
        let mut event = event.clone();
        make_fit_to_travel(&mut event)?;
        let text = format_batch_line(std::slice::from_ref(&event), at).ok()?;
        let line = Self::new(event, at, text)?;
        line.check_content().ok()?;
        Some(line)
    }

    /// Reads a line that another replica wrote about this space.
    pub fn parse_foreign(text: &str, space: &Space) -> Result<Self, BadReplicaLine> {
        let line = Self::parse_known(text, space)?;
        line.check_content()?;
        Ok(line)
    }

    /// The same of a line that was admitted before.
    pub fn parse_known(text: &str, space: &Space) -> Result<Self, BadReplicaLine> {
        let unreadable = |why: &str| BadReplicaLine::Unreadable(why.into());
        if text.len() > MAX_LINE {
            return Err(unreadable("it is longer than 256 KB"));
        }
        if read_line_version(text).is_some_and(|it| it > VERSION) {
            return Err(BadReplicaLine::Newer);
        }
        let (at, events) = parse_batch_line(text).map_err(BadReplicaLine::Unreadable)?;
        let [event] = events.as_slice() else {
            return Err(unreadable("it holds not exactly one event"));
        };
        let mut event = event.clone();
        if !event.space.is_called(space) {
            return Err(BadReplicaLine::Unreadable(format!(
                "it is about another space than {space}"
            )));
        }
        event.space = space.clone();
        if let EventBody::Remembered { memory, .. } = &mut event.what {
            memory.space = space.clone();
        }
        make_fit_to_travel(&mut event).ok_or_else(|| unreadable("it does not travel"))?;
        Self::new(event, at, text.to_owned())
            .ok_or_else(|| unreadable("it does not say which memory it is about"))
    }

    fn new(event: Event, at: Timestamp, text: String) -> Option<Self> {
        let id = event.memory?;
        if let EventBody::Remembered { memory, .. } = &event.what
            && memory.id != id
        {
            return None;
        }
        let key = compute_event_key(&event, id);
        Some(Self {
            at,
            id,
            event,
            key,
            text,
        })
    }

    /// Refuses what would not be kept if it were said here.
    fn check_content(&self) -> Result<(), BadReplicaLine> {
        let refused = |why: String| BadReplicaLine::Refused(why);
        if let EventBody::Remembered { memory, .. } = &self.event.what {
            distrust_memory((**memory).clone()).map_err(|it| refused(it.to_string()))?;
        } else {
            admit_foreign_event(self.event.clone(), &self.event.space).map_err(refused)?;
        }
        check_event_texts(&self.event).map_err(|it| refused(it.to_string()))
    }

    /// The memory that it brings.
    pub(super) fn remembered(&self) -> Option<&Memory> {
        match &self.event.what {
            EventBody::Remembered { memory, .. } => Some(memory),
            _ => None,
        }
    }

    /// Whether it says that the memory was forgotten.
    pub fn is_tombstone(&self) -> bool {
        matches!(self.event.what, EventBody::Forgotten { .. })
    }

    /// What decides between two lines of one event, the same in every replica.
    pub(super) fn order(&self) -> (Timestamp, &Digest, &str) {
        (self.at, &self.key, &self.text)
    }
}

/// Takes out what stays at home; `None` where nothing is left.
fn make_fit_to_travel(event: &mut Event) -> Option<()> {
    match &mut event.what {
        EventBody::Remembered { memory, .. } => {
            let is_fit = memory.layer != Layer::Session && memory.number <= MAX_NUMBER;
            memory.vouchers.clear();
            memory.runs = Default::default();
            memory.usage = Default::default();
            is_fit.then_some(())
        }
        EventBody::Refreshed { voucher, .. } => {
            *voucher = None;
            Some(())
        }
        EventBody::Superseded { .. }
        | EventBody::Corrected { .. }
        | EventBody::Invalidated { .. }
        | EventBody::Retired { .. }
        | EventBody::Approved
        | EventBody::Forgotten { .. }
        | EventBody::Restored { .. } => Some(()),
        EventBody::Verified { .. }
        | EventBody::Retrieved { .. }
        | EventBody::Applied
        | EventBody::Refused { .. }
        | EventBody::RolledBack { .. }
        | EventBody::Tripped { .. }
        | EventBody::Closed { .. }
        | EventBody::Ran(_)
        | EventBody::PullEnded { .. } => None,
    }
}

/// A memory is remembered once and forgotten once; any other event is what it says.
fn compute_event_key(event: &Event, id: MemoryId) -> Digest {
    match &event.what {
        EventBody::Remembered { .. } => Digest::hash_bytes(format!("remembered {id}").as_bytes()),
        EventBody::Forgotten { .. } => Digest::hash_bytes(format!("forgotten {id}").as_bytes()),
        _ => compute_record_digest(event),
    }
}

/// The digest of all that an event says.
pub(super) fn compute_record_digest(event: &Event) -> Digest {
    let record = EventRecord::from(event);
    // A record of plain fields always has a JSON form; if it had none, its debug form would tell events apart as well.
    let text = serde_json::to_string(&record).unwrap_or_else(|_| format!("{record:?}"));
    Digest::hash_bytes(text.as_bytes())
}
