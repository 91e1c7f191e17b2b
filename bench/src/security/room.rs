//! A small world to try texts in: a store in memory, no code beside it, time that moves a step at a time.

use std::cell::Cell;

use anyhow::{Context as _, Result};
use apostille_cite::source::NoRepositorySource;
use apostille_core::{
    Context,
    memory::{Draft, Kind, Memory, Voice},
    policy::{BreakerPolicy, Policy},
    remember::{RememberOutcome, remember},
    space::Space,
    store::ram::RamStore,
};
use jiff::{SignedDuration, Timestamp};

/// The room.
pub(crate) struct Room {
    store: RamStore,
    policy: Policy,
    pub(crate) repo: Space,
    pub(crate) user: Space,
    steps: Cell<u32>,
}

impl Room {
    /// An empty one.
    pub(crate) fn new() -> Result<Self> {
        Ok(Self {
            store: RamStore::default(),
            // What is measured is the guard alone.
            policy: Policy {
                breakers: BreakerPolicy::OFF,
                ..Policy::default()
            },
            repo: Space::repo("acme/shop").context("a name")?,
            user: Space::user("ana").context("a name")?,
            steps: Cell::new(0),
        })
    }

    /// Everything that a verb needs; a minute passes.
    pub(crate) fn with<T>(&self, verb: impl FnOnce(&Context<'_>) -> T) -> T {
        self.steps.set(self.steps.get() + 1);
        let random = || u128::from(self.steps.get()) << 48;
        verb(&Context {
            store: &self.store,
            source: &NoRepositorySource,
            policy: &self.policy,
            now: Timestamp::UNIX_EPOCH + SignedDuration::from_mins(i64::from(self.steps.get())),
            random: &random,
            late: &|| false,
            actor: Some("bench"),
            other_spaces: &[],
            guardian: None,
            testimony: None,
            embedder: None,
            archive: None,
            commit_reasons: None,
        })
    }

    /// A draft that needs no proof.
    pub(crate) fn draft(&self, fact: &str, voice: Voice) -> Draft {
        Draft {
            kind: Some(Kind::Feedback),
            ..Draft::new(self.repo.clone(), fact, voice)
        }
    }

    /// What a draft becomes.
    pub(crate) fn said(&self, draft: Draft) -> Result<RememberOutcome> {
        Ok(self.with(|cx| remember(cx, draft))?)
    }

    /// The memory that a draft becomes, if it becomes one.
    pub(crate) fn kept(&self, draft: Draft) -> Result<Option<Memory>> {
        Ok(match self.said(draft)? {
            RememberOutcome::Remembered { memory, .. } | RememberOutcome::Refreshed { memory } => {
                Some(*memory)
            }
            _ => None,
        })
    }
}
