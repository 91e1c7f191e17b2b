//! What is kept, in numbers, and whose writes are held up.

use std::collections::BTreeMap;

use apostille_core::{
    event::Breaker,
    format,
    memory::{Layer, Stage},
    space::Space,
    stats::SpaceStats,
    store::{SpaceSummary, breaker_state::OpenBreaker},
};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::text_schema::TextEncoded;

/// What is kept, in numbers.
#[derive(Serialize, JsonSchema)]
pub struct StatsReply {
    #[schemars(extend("const" = true))]
    ok: bool,
    spaces: Vec<SpaceStatsView>,
}

impl From<&[SpaceStats]> for StatsReply {
    fn from(spaces: &[SpaceStats]) -> Self {
        Self {
            ok: true,
            spaces: spaces.iter().map(SpaceStatsView::from).collect(),
        }
    }
}

/// One space in numbers.
#[derive(Serialize, JsonSchema)]
pub struct SpaceStatsView {
    space: String,
    active: u64,
    soft_limit: usize,
    over_soft_limit: bool,
    status: BTreeMap<&'static str, u64>,
    layers: BTreeMap<&'static str, u64>,
    /// Memories that people decided about in the last seven days.
    decided_this_week: usize,
    /// Percent of the identity layer in use.
    identity_percent: u8,
    identity_chars: usize,
    /// The share of verifications that held, where there were any.
    verified_share: Option<f32>,
    events: BTreeMap<String, u64>,
    breakers: Vec<BreakerView>,
}

impl From<&SpaceStats> for SpaceStatsView {
    fn from(it: &SpaceStats) -> Self {
        Self {
            space: it.space.as_str().to_owned(),
            active: it.active,
            soft_limit: it.soft_limit,
            over_soft_limit: it.over_soft_limit,
            status: Stage::ALL
                .iter()
                .map(|stage| (stage.as_str(), it.tally.count_in_stage(*stage)))
                .collect(),
            layers: Layer::ALL
                .iter()
                .map(|layer| (layer.as_str(), it.active_in_layer(*layer)))
                .collect(),
            decided_this_week: it.decided_this_week,
            identity_percent: it.identity_percent,
            identity_chars: it.tally.identity_chars,
            verified_share: it.verified_share,
            events: it.tally.events.clone(),
            breakers: it
                .open
                .iter()
                .map(|trip| BreakerView::new(&it.space, trip))
                .collect(),
        }
    }
}

/// Whose writes are held up, or were.
#[derive(Serialize, JsonSchema)]
pub struct BreakersReply {
    /// Always true.
    #[schemars(extend("const" = true))]
    pub ok: bool,
    /// What was done, where something was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<&'static str>,
    /// The breakers.
    pub breakers: Vec<BreakerView>,
}

impl BreakersReply {
    /// These breakers, and what was done about them.
    pub fn new(outcome: Option<&'static str>, trips: &[(Space, OpenBreaker)]) -> Self {
        let breakers = trips
            .iter()
            .map(|(space, it)| BreakerView::new(space, it))
            .collect();
        Self {
            ok: true,
            outcome,
            breakers,
        }
    }
}

/// A breaker.
#[derive(Serialize, JsonSchema)]
pub struct BreakerView {
    #[schemars(with = "TextEncoded<Breaker>")]
    breaker: &'static str,
    /// Whose writes are held up; everybody's, where nobody is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    actor: Option<String>,
    space: String,
    #[schemars(with = "TextEncoded<Timestamp>")]
    at: String,
    why: String,
}

impl BreakerView {
    /// A breaker of this space.
    pub fn new(space: &Space, it: &OpenBreaker) -> Self {
        Self {
            breaker: it.breaker.as_str(),
            actor: it.actor.clone(),
            space: space.as_str().to_owned(),
            at: format::format_timestamp(it.at),
            why: it.why.clone(),
        }
    }
}

/// The spaces there are.
#[derive(Serialize, JsonSchema)]
pub struct SpacesReply {
    /// Always true.
    #[schemars(extend("const" = true))]
    pub ok: bool,
    /// One a row.
    pub spaces: Vec<SpaceRow>,
}

/// A space in a list, with how much it holds.
#[derive(Serialize, JsonSchema)]
pub struct SpaceRow {
    space: String,
    active: u64,
    pending: u64,
    /// How many there are in every status.
    memories: u64,
}

impl SpaceRow {
    /// A space, with what its store counts.
    pub fn new(space: &Space, tally: &SpaceSummary) -> Self {
        Self {
            space: space.as_str().to_owned(),
            active: tally.count_in_stage(Stage::Active),
            pending: tally.count_in_stage(Stage::Pending),
            memories: tally.memories.values().sum(),
        }
    }
}
