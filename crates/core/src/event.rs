//! What happened: every change and every showing is an event, and a batch of events is the only way to write.

mod first_state;
pub mod previous_state;
pub mod trace;

use std::ops::RangeInclusive;

use jiff::Timestamp;

use crate::{
    event::previous_state::PreviousState,
    evidence::{CommandRun, Evidence, NamedThing},
    memory::{Memory, MemoryId, Status, UsageCounts},
    space::Space,
};
use apostille_cite::citation::Citation;
use apostille_text::{digest::Digest, words::words};

words! {
    /// The word for what happened, the same in the log, in telemetry and in every face.
    EventKind as "event" {
        /// A memory was kept.
        Remembered = "remembered",
        /// It was stated again, or found to hold; its citations may have followed the code.
        Refreshed = "refreshed",
        /// It was replaced by a better one.
        Superseded = "superseded",
        /// It was wrong and replaced by its correction.
        Corrected = "corrected",
        /// It was found wrong.
        Invalidated = "invalidated",
        /// It was set aside to make room.
        Retired = "retired",
        /// A person let it out of quarantine.
        Approved = "approved",
        /// Its citations were looked up and hold.
        VerifiedValid = "verified_valid",
        /// Its citations were looked up and do not hold.
        VerifiedInvalid = "verified_invalid",
        /// Memories were shown.
        Retrieved = "retrieved",
        /// It was used in a task.
        Applied = "applied",
        /// A draft was turned away; its text is nowhere.
        Refused = "refused",
        /// Its text was removed everywhere.
        Forgotten = "forgotten",
        /// Its standing was put back to what it had been.
        Restored = "restored",
        /// A space was taken back to an earlier point.
        RolledBack = "rolled_back",
        /// A breaker opened: what is written from now on waits.
        Tripped = "tripped",
        /// A breaker was closed again.
        Closed = "closed",
        /// A command that it names was seen to run.
        Ran = "ran",
        /// The pull request in whose work it was shown was merged.
        PullMerged = "pull_merged",
        /// The pull request in whose work it was shown was closed without merging.
        PullRejected = "pull_rejected",
    }
}

words! {
    /// What a breaker watches for.
    Breaker as "breaker" {
        /// Many writes in a short time.
        Burst = "burst",
        /// Many memories that say nearly the same.
        Copies = "near-copies",
        /// What is written is suddenly about something else, or from elsewhere.
        Drift = "drift",
        /// Many memories found wrong in a short time.
        Invalidations = "invalidations",
    }
}

/// One memory as it was shown.
#[derive(Debug, Clone, PartialEq)]
pub struct RetrievedMemory {
    /// Which.
    pub id: MemoryId,
    /// With which score.
    pub score: f32,
    /// With which verdict, as a word.
    pub verdict: String,
}

/// What happened, with what it takes to replay it.
#[derive(Debug, Clone, PartialEq)]
pub enum EventBody {
    /// A memory was kept.
    Remembered {
        /// The memory as it was at that moment.
        memory: Box<Memory>,
        /// Whether a person overrode a check.
        forced: bool,
        /// Why it was kept beside a near-duplicate.
        rationale: Option<String>,
    },
    /// It was stated again or found to hold.
    Refreshed {
        /// Its citations as they are now, where they were given anew or followed the code.
        citations: Option<Vec<Citation>>,
        /// What else proves it, where that is new.
        evidence: Option<Vec<Evidence>>,
        /// What it names, where that was looked up anew.
        names: Option<Vec<NamedThing>>,
        /// Where each citation went that followed the code: `src/a.rs:3 → src/b.rs:7`. Such a memory was found, not
        /// stated again, so it does not count as fresh.
        followed: Vec<String>,
        /// Who else said it, independently.
        voucher: Option<String>,
    },
    /// It was replaced by a better one.
    Superseded {
        /// The better one.
        by: MemoryId,
        /// Why.
        reason: Option<String>,
    },
    /// It was wrong and replaced by its correction.
    Corrected {
        /// The correction.
        by: MemoryId,
        /// What was wrong.
        reason: Option<String>,
    },
    /// It was found wrong.
    Invalidated {
        /// Why.
        reason: String,
        /// What had changed in the cited code, where that was the reason.
        diff: Option<String>,
    },
    /// It was set aside to make room.
    Retired {
        /// Why.
        reason: String,
    },
    /// It left quarantine.
    Approved,
    /// Its citations were looked up.
    Verified {
        /// Whether they hold.
        valid: bool,
        /// The word of each verdict, with its place.
        found: Vec<String>,
        /// The commit it was looked up at.
        commit: Option<String>,
    },
    /// Memories were shown.
    Retrieved {
        /// What was asked, as far as it may be kept.
        query: String,
        /// What was shown.
        shown: Vec<RetrievedMemory>,
    },
    /// It was used in a task.
    Applied,
    /// A draft was turned away.
    Refused {
        /// The class of refusal, such as `secret`. Never the text.
        class: String,
    },
    /// Its text was removed everywhere.
    Forgotten {
        /// The number it had, which is never given again.
        number: u64,
        /// Why.
        reason: String,
    },
    /// Its standing was put back.
    Restored {
        /// Where it stands again.
        status: Status,
        /// Its citations as they were, where they had been replaced.
        citations: Option<Vec<Citation>>,
        /// When it had last been stated or found to hold.
        refreshed_at: Timestamp,
    },
    /// A space was taken back; what that meant for each memory follows in the same batch.
    RolledBack {
        /// The place in the log of the last event that still counts.
        to: u64,
        /// How many memories stand again as they stood.
        restored: u64,
        /// How many that were remembered since are retired.
        retired: u64,
        /// How many were forgotten since and cannot come back.
        lost: u64,
    },
    /// A breaker opened. It belongs to a space, not to a memory.
    Tripped {
        /// Which.
        breaker: Breaker,
        /// Whose writes wait; everybody's where it is nobody in particular.
        actor: Option<String>,
        /// What was seen.
        why: String,
    },
    /// Breakers were closed.
    Closed {
        /// Whose; all of the space where nobody is named.
        actor: Option<String>,
    },
    /// A command that it names was seen to run.
    Ran(CommandRun),
    /// The pull request in whose work it was shown came to its end.
    PullEnded {
        /// Whether it was merged, and not closed without.
        is_merged: bool,
        /// Its number.
        pull_request: u64,
    },
}

impl EventKind {
    /// What only counts and looks, and changes no memory.
    pub const TELEMETRY: [Self; 9] = [
        Self::VerifiedValid,
        Self::VerifiedInvalid,
        Self::Retrieved,
        Self::Applied,
        Self::Refused,
        Self::Tripped,
        Self::Closed,
        Self::PullMerged,
        Self::PullRejected,
    ];
}

impl EventBody {
    /// The word for it.
    pub fn event_kind(&self) -> EventKind {
        match self {
            Self::Remembered { .. } => EventKind::Remembered,
            Self::Refreshed { .. } => EventKind::Refreshed,
            Self::Superseded { .. } => EventKind::Superseded,
            Self::Corrected { .. } => EventKind::Corrected,
            Self::Invalidated { .. } => EventKind::Invalidated,
            Self::Retired { .. } => EventKind::Retired,
            Self::Approved => EventKind::Approved,
            Self::Verified { valid: true, .. } => EventKind::VerifiedValid,
            Self::Verified { valid: false, .. } => EventKind::VerifiedInvalid,
            Self::Retrieved { .. } => EventKind::Retrieved,
            Self::Applied => EventKind::Applied,
            Self::Refused { .. } => EventKind::Refused,
            Self::Forgotten { .. } => EventKind::Forgotten,
            Self::Restored { .. } => EventKind::Restored,
            Self::RolledBack { .. } => EventKind::RolledBack,
            Self::Tripped { .. } => EventKind::Tripped,
            Self::Closed { .. } => EventKind::Closed,
            Self::Ran(_) => EventKind::Ran,
            Self::PullEnded {
                is_merged: true, ..
            } => EventKind::PullMerged,
            Self::PullEnded { .. } => EventKind::PullRejected,
        }
    }

    /// What it adds to the counters of each memory that it touches.
    pub fn usage(&self) -> UsageCounts {
        let none = UsageCounts::default();
        match self {
            Self::Retrieved { .. } => UsageCounts { recalls: 1, ..none },
            Self::Applied => UsageCounts { applied: 1, ..none },
            Self::Verified { valid, .. } => UsageCounts {
                verified: u32::from(*valid),
                ..none
            },
            _ => none,
        }
    }
}

/// One line of the history.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// When.
    pub at: Timestamp,
    /// In whose memory.
    pub space: Space,
    /// Which memory, where it is one.
    pub memory: Option<MemoryId>,
    /// Who did it, where known.
    pub actor: Option<String>,
    /// What.
    pub what: EventBody,
}

impl Event {
    /// The memories whose counters this event moves.
    pub fn touched_memories(&self) -> impl Iterator<Item = MemoryId> + '_ {
        let shown = match &self.what {
            EventBody::Retrieved { shown, .. } => &**shown,
            _ => &[],
        };
        self.memory.into_iter().chain(shown.iter().map(|it| it.id))
    }

    /// Takes the question out of a showing of this memory, because it may hold the memory's words.
    pub fn clear_query_about(&mut self, id: MemoryId) {
        if let EventBody::Retrieved { query, shown } = &mut self.what
            && shown.iter().any(|it| it.id == id)
        {
            query.clear();
        }
    }

    /// Takes the question out of a showing in this space at a time like this. `true`: there was one.
    pub fn clear_query_asked(&mut self, space: &Space, during: &RangeInclusive<Timestamp>) -> bool {
        let is_asked = self.has_query_asked(space, during);
        if let EventBody::Retrieved { query, .. } = &mut self.what
            && is_asked
        {
            query.clear();
        }
        is_asked
    }

    /// Whether it holds what was asked in this space at a time like this.
    pub fn has_query_asked(&self, space: &Space, during: &RangeInclusive<Timestamp>) -> bool {
        let is_meant = self.space == *space && during.contains(&self.at);
        let is_held = matches!(&self.what, EventBody::Retrieved { query, .. } if !query.is_empty());
        is_meant && is_held
    }
}

/// An event with its place in the log.
#[derive(Debug, Clone, PartialEq)]
pub struct LoggedEvent {
    /// Its place in the log of its space, from 1: behind that of everything that happened there before, with gaps where
    /// other spaces are counted along.
    pub seq: u64,
    /// What happened.
    pub event: Event,
    /// How the memory stood before, where the event changed that and the log has it.
    pub was: Option<PreviousState>,
}

impl Memory {
    /// The memory after this event: the one rule that every store follows.
    pub fn apply_event(&mut self, event: &Event) {
        match &event.what {
            EventBody::Refreshed {
                citations,
                evidence,
                names,
                followed,
                voucher,
            } => {
                if followed.is_empty() {
                    self.refreshed_at = self.refreshed_at.max(event.at);
                    self.runs.forgive_failures(event.at);
                }
                if let Some(citations) = citations {
                    self.citations.clone_from(citations);
                }
                if let Some(evidence) = evidence {
                    self.evidence.clone_from(evidence);
                }
                if let Some(names) = names {
                    self.names.clone_from(names);
                }
                self.vouchers.extend(voucher.clone());
            }
            EventBody::Superseded { by, .. } | EventBody::Corrected { by, .. } => {
                self.status = Status::Superseded { by: *by };
            }
            EventBody::Invalidated { reason, .. } => {
                let why = reason.clone();
                self.status = Status::Invalid { why };
            }
            EventBody::Retired { reason } => {
                let why = reason.clone();
                self.status = Status::Retired { why };
            }
            EventBody::Approved => self.status = Status::Active,
            EventBody::Verified { .. } | EventBody::Retrieved { .. } | EventBody::Applied => {
                self.usage.add(event.what.usage());
            }
            EventBody::Restored {
                status,
                citations,
                refreshed_at,
            } => {
                self.status.clone_from(status);
                self.refreshed_at = *refreshed_at;
                if let Some(citations) = citations {
                    self.citations.clone_from(citations);
                }
            }
            EventBody::Ran(run) => self.runs.add_run(run),
            EventBody::Remembered { .. }
            | EventBody::Refused { .. }
            | EventBody::Forgotten { .. }
            | EventBody::RolledBack { .. }
            | EventBody::Tripped { .. }
            | EventBody::Closed { .. }
            | EventBody::PullEnded { .. } => {}
        }
    }
}

/// What must still be true when a batch is written, because it was decided on that ground.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Precondition {
    /// No active or pending memory of the space makes this claim.
    NoTwin(Space, Digest),
    /// The memory has this status.
    Unmoved(MemoryId, Status),
    /// The identity layer of the space holds exactly so many characters.
    IdentityChars(Space, usize),
}

impl Precondition {
    /// The memory has the status that it has here.
    pub(crate) fn unmoved(memory: &Memory) -> Self {
        Self::Unmoved(memory.id, memory.status.clone())
    }

    /// Nothing makes the claim of this memory.
    pub(crate) fn no_twin(memory: &Memory) -> Self {
        Self::NoTwin(memory.space.clone(), memory.claim_digest())
    }
}

/// A set of events that is written whole or not at all. Only the core can make one, so that nothing is written
/// around the pipeline:
///
/// ```compile_fail
/// let batch = apostille_core::event::Batch { events: vec![], expects: vec![], durable: true };
/// ```
#[derive(Debug, Clone)]
pub struct Batch {
    events: Vec<Event>,
    expects: Vec<Precondition>,
    durable: bool,
}

impl Batch {
    /// Events that are acknowledged to a caller: they survive a crash and a power cut.
    pub(crate) fn new_durable(events: Vec<Event>, expects: Vec<Precondition>) -> Self {
        Self {
            events,
            expects,
            durable: true,
        }
    }

    /// Events nobody waits for (what was shown): written at once, but not forced to the disk. Where something is expected,
    /// what was forgotten meanwhile is not written about.
    pub(crate) fn new_telemetry(events: Vec<Event>, expects: Vec<Precondition>) -> Self {
        Self {
            events,
            expects,
            durable: false,
        }
    }

    /// The events, in order.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// What must still be true.
    pub fn preconditions(&self) -> &[Precondition] {
        &self.expects
    }

    /// The part that is about some spaces, for a store that keeps them apart; `None` if nothing is. What is expected of
    /// a memory goes with the events about that memory.
    pub fn filter_spaces(&self, is_wanted: impl Fn(&Space) -> bool) -> Option<Self> {
        let mut events = self.events.clone();
        events.retain(|it| is_wanted(&it.space));
        let is_kept = |it: &Precondition| match it {
            Precondition::NoTwin(space, _) | Precondition::IdentityChars(space, _) => {
                is_wanted(space)
            }
            Precondition::Unmoved(id, _) => {
                events.len() == self.events.len() || events.iter().any(|it| it.memory == Some(*id))
            }
        };
        let mut expects = self.expects.clone();
        expects.retain(is_kept);
        (!events.is_empty()).then_some(Self {
            events,
            expects,
            durable: self.durable,
        })
    }

    /// Whether it must be on the disk before it is acknowledged.
    pub fn is_durable(&self) -> bool {
        self.durable
    }
}

/// The order to remove a memory's text everywhere. Only the core can make one.
#[derive(Debug, Clone)]
pub struct Erasure {
    id: MemoryId,
    tombstone: Event,
}

impl Erasure {
    pub(crate) fn new(id: MemoryId, tombstone: Event) -> Self {
        Self { id, tombstone }
    }

    /// The memory to remove.
    pub fn id(&self) -> MemoryId {
        self.id
    }

    /// What stays: id, time and reason.
    pub fn tombstone(&self) -> &Event {
        &self.tombstone
    }
}
