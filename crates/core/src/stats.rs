//! Stats: what a space holds and how well it serves.

use crate::event::EventKind;
use crate::{
    Context, CoreError, breaker,
    memory::{Layer, Stage},
    queue,
    remember::guard::percent_used,
    space::Space,
    store::{SpaceSummary, breaker_state::OpenBreaker},
};

/// The figures of a space.
#[derive(Debug, Clone, PartialEq)]
pub struct SpaceStats {
    /// Whose.
    pub space: Space,
    /// Everything that was counted.
    pub tally: SpaceSummary,
    /// Active memories.
    pub active: u64,
    /// Above how many active memories a space is called full.
    pub soft_limit: usize,
    /// Whether there are more active memories than that.
    pub over_soft_limit: bool,
    /// How many characters the identity layer may have.
    pub identity_limit: usize,
    /// Percent of the identity layer in use.
    pub identity_percent: u8,
    /// Share of verifications that held, where there were any.
    pub verified_share: Option<f32>,
    /// Memories that people decided about in the last seven days.
    pub decided_this_week: usize,
    /// The breakers that are open.
    pub open: Vec<OpenBreaker>,
}

/// Counts a space.
pub fn compute_space_stats(cx: &Context, space: &Space) -> Result<SpaceStats, CoreError> {
    let tally = cx.store.summarize_space(space)?;
    let limits = &cx.policy.limits;
    let active = tally.count_in_stage(Stage::Active);
    let counted = |it: EventKind| tally.count_events(it.as_str());
    let valid = counted(EventKind::VerifiedValid);
    let all = valid + counted(EventKind::VerifiedInvalid);
    Ok(SpaceStats {
        space: space.clone(),
        active,
        soft_limit: limits.soft_active,
        over_soft_limit: active > limits.soft_active as u64,
        identity_limit: limits.identity_chars,
        identity_percent: percent_used(tally.identity_chars, limits.identity_chars),
        verified_share: (all > 0).then(|| valid as f32 / all as f32),
        decided_this_week: queue::count_weekly_decisions(cx, std::slice::from_ref(space))?,
        open: breaker::list_open_breakers(cx, space)?,
        tally,
    })
}

impl SpaceStats {
    /// How many active memories a layer has.
    pub fn active_in_layer(&self, layer: Layer) -> u64 {
        self.tally.count_active(layer)
    }
}
