//! What is kept, in numbers, and whose writes are held up.

use std::collections::BTreeMap;

use apostille_core::format;
use apostille_core::memory::{Layer, Stage};
use apostille_core::space::Space;
use apostille_core::stats::Stats;
use apostille_core::store::watch::Trip;
use serde::Serialize;

/// What is kept, in numbers.
#[derive(Debug, Clone, Serialize)]
pub struct StatsReply {
    ok: bool,
    spaces: Vec<SpaceView>,
}

impl From<&[Stats]> for StatsReply {
    fn from(spaces: &[Stats]) -> Self {
        Self {
            ok: true,
            spaces: spaces.iter().map(SpaceView::from).collect(),
        }
    }
}

/// One space in numbers.
#[derive(Debug, Clone, Serialize)]
pub struct SpaceView {
    space: String,
    active: u64,
    soft_limit: usize,
    over_soft_limit: bool,
    status: BTreeMap<&'static str, u64>,
    layers: BTreeMap<&'static str, u64>,
    identity_percent: u8,
    identity_chars: usize,
    verified_share: Option<f32>,
    events: BTreeMap<String, u64>,
    breakers: Vec<TripView>,
}

impl From<&Stats> for SpaceView {
    fn from(it: &Stats) -> Self {
        Self {
            space: it.space.to_string(),
            active: it.active,
            soft_limit: it.soft_limit,
            over_soft_limit: it.over_soft_limit,
            status: Stage::ALL
                .iter()
                .map(|stage| (stage.as_str(), it.tally.stage(*stage)))
                .collect(),
            layers: Layer::ALL
                .iter()
                .map(|layer| (layer.as_str(), it.layer(*layer)))
                .collect(),
            identity_percent: it.identity_percent,
            identity_chars: it.tally.identity_chars,
            verified_share: it.verified_share,
            events: it.tally.events.clone(),
            breakers: it
                .open
                .iter()
                .map(|trip| TripView::new(&it.space, trip))
                .collect(),
        }
    }
}

/// Whose writes are held up, or were.
#[derive(Debug, Clone, Serialize)]
pub struct BreakersReply {
    /// Always true.
    pub ok: bool,
    /// What was done, where something was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<&'static str>,
    /// The breakers.
    pub breakers: Vec<TripView>,
}

impl BreakersReply {
    /// These breakers, and what was done about them.
    #[must_use]
    pub fn new(outcome: Option<&'static str>, trips: &[(Space, Trip)]) -> Self {
        let breakers = trips
            .iter()
            .map(|(space, it)| TripView::new(space, it))
            .collect();
        Self {
            ok: true,
            outcome,
            breakers,
        }
    }
}

/// A breaker.
#[derive(Debug, Clone, Serialize)]
pub struct TripView {
    breaker: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    actor: Option<String>,
    space: String,
    at: String,
    why: String,
}

impl TripView {
    /// A breaker of this space.
    #[must_use]
    pub fn new(space: &Space, it: &Trip) -> Self {
        Self {
            breaker: it.breaker.as_str(),
            actor: it.actor.clone(),
            space: space.to_string(),
            at: format::timestamp(it.at),
            why: it.why.clone(),
        }
    }
}
