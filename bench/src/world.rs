//! Memories in a store as if they had been remembered, and a context to ask them in: what the suites `recall` and `prompts` share.

use std::cell::Cell;

use anyhow::{Context as _, Result};
use apostille_cite::source::Source;
use apostille_core::{
    Context,
    embedding::Embedder,
    embedding_upkeep::embed_missing_memories,
    event::EventBody,
    evidence::RunTally,
    memory::{Kind, Layer, Memory, MemoryId, Origin, Status, UsageCounts, Voice},
    policy::Policy,
    space::Space,
    store::Store,
    unchecked,
};
use jiff::Timestamp;

/// A store, what its memories cite, and the model that compares meaning, if there is one.
pub(crate) struct World<'a> {
    pub(crate) store: &'a dyn Store,
    pub(crate) source: &'a dyn Source,
    pub(crate) embedder: Option<&'a dyn Embedder>,
}

impl World<'_> {
    /// Does something at this second.
    pub(crate) fn at<T>(&self, second: i64, run: impl FnOnce(&Context<'_>) -> T) -> Result<T> {
        let dice = Cell::new(0_u128);
        let random = || {
            dice.set(dice.get() + 1);
            dice.get() << 64
        };
        Ok(run(&Context {
            store: self.store,
            source: self.source,
            policy: &Policy::default(),
            now: Timestamp::from_second(second)?,
            random: &random,
            late: &|| false,
            actor: Some("bench"),
            other_spaces: &[],
            guardian: None,
            testimony: None,
            embedder: self.embedder,
            archive: None,
            commit_reasons: None,
        }))
    }

    /// Writes memories as the events that brought them, and makes their vectors where there is a model.
    pub(crate) fn keep_memories(
        &self,
        second: i64,
        space: &Space,
        memories: Vec<Memory>,
    ) -> Result<()> {
        self.at(second, |cx| {
            let event = |it: Memory| {
                let id = Some(it.id);
                let body = EventBody::Remembered {
                    memory: Box::new(it),
                    forced: false,
                    rationale: None,
                };
                unchecked::new_event(cx, space, id, body)
            };
            let events = memories.into_iter().map(event).collect();
            cx.store
                .append_batch(&unchecked::durable_batch(events, Vec::new()))?;
            if let Some(embedder) = cx.embedder {
                let run = embed_missing_memories(cx, embedder, space, &mut |_, _| true)?;
                run.problem.map_or(Ok(()), Err).context("the model")?;
            }
            Ok(())
        })?
    }
}

/// An active fact of an agent about a repository, the `at`-th of its space.
pub(crate) fn build_fact(at: u128, second: i64, space: &Space, fact: &str) -> Result<Memory> {
    let recorded_at = Timestamp::from_second(second)?;
    Ok(Memory {
        id: MemoryId::new(recorded_at, at << 64),
        number: 0,
        space: space.clone(),
        layer: Layer::Knowledge,
        kind: Kind::Project,
        subject: None,
        fact: fact.to_owned(),
        reason: None,
        citations: Vec::new(),
        evidence: Vec::new(),
        names: Vec::new(),
        runs: RunTally::default(),
        tags: Vec::new(),
        voice: Voice::from_origin(Origin::Agent),
        task: None,
        marks: Vec::new(),
        status: Status::Active,
        supersedes: None,
        vouchers: Vec::new(),
        recorded_at,
        refreshed_at: recorded_at,
        usage: UsageCounts::default(),
    })
}
