//! Whether memory helps, in numbers.

use apostille_impact::{
    compare::ImpactComparison,
    intervals::{Interval, SampleSummary},
    measures::ImpactMeasure,
    report::{GroupFigure, ImpactReport, SessionGroup},
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::impact::RatedMemory;

/// Whether memory helps.
#[derive(Serialize, JsonSchema)]
pub struct ImpactReply {
    #[schemars(extend("const" = true))]
    ok: bool,
    /// How many sessions were measured.
    sessions: usize,
    /// About how many of them chance decided.
    randomized: usize,
    /// How many of those went without memory.
    held_out: usize,
    /// How many of these asked memory by themselves.
    held_out_asked: usize,
    /// With memory against without.
    comparisons: Vec<ComparisonView>,
    /// The same figures by tier.
    tiers: Vec<GroupView>,
    /// The same figures by the version of the prompt's fixed parts.
    prompt_versions: Vec<GroupView>,
    /// The memories that were shown most.
    memories: Vec<RatedMemoryView>,
}

impl ImpactReply {
    /// The reply for a report.
    #[must_use]
    pub fn new(report: &ImpactReport, memories: &[RatedMemory]) -> Self {
        Self {
            ok: true,
            sessions: report.n_sessions,
            randomized: report.n_randomized,
            held_out: report.n_held_out,
            held_out_asked: report.n_held_out_asked,
            comparisons: report.comparisons.iter().map(Into::into).collect(),
            tiers: report.tiers.iter().map(Into::into).collect(),
            prompt_versions: report.prompt_versions.iter().map(Into::into).collect(),
            memories: memories.iter().map(Into::into).collect(),
        }
    }
}

/// From which value to which, with 95 % confidence.
#[derive(Serialize, JsonSchema)]
pub(super) struct IntervalView {
    low: f64,
    high: f64,
}

impl From<Interval> for IntervalView {
    fn from(it: Interval) -> Self {
        Self {
            low: round_figure(it.low),
            high: round_figure(it.high),
        }
    }
}

/// Digits behind the fourth tell nothing.
fn round_figure(it: f64) -> f64 {
    (it * 10_000.0).round() / 10_000.0
}

/// How many sessions, and their mean.
#[derive(Serialize, JsonSchema)]
pub(super) struct ArmView {
    sessions: usize,
    mean: f64,
}

impl From<&SampleSummary> for ArmView {
    fn from(it: &SampleSummary) -> Self {
        Self {
            sessions: it.n,
            mean: round_figure(it.mean),
        }
    }
}

/// A measure in both arms.
#[derive(Serialize, JsonSchema)]
pub(super) struct ComparisonView {
    #[schemars(with = "String")]
    measure: &'static str,
    with: ArmView,
    without: ArmView,
    /// With memory less without.
    difference: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    interval: Option<IntervalView>,
    /// `better`, `worse`, `alike` or `too-few`.
    verdict: &'static str,
    /// About how many more sessions it takes to tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    more: Option<usize>,
}

impl From<&ImpactComparison> for ComparisonView {
    fn from(it: &ImpactComparison) -> Self {
        Self {
            measure: ImpactMeasure::as_str(it.measure),
            with: (&it.with).into(),
            without: (&it.without).into(),
            difference: round_figure(it.difference),
            interval: it.interval.map(Into::into),
            verdict: it.verdict.as_str(),
            more: it.more,
        }
    }
}

/// The figures of sessions that have something in common.
#[derive(Serialize, JsonSchema)]
pub(super) struct GroupView {
    name: String,
    sessions: usize,
    figures: Vec<FigureView>,
}

impl From<&SessionGroup> for GroupView {
    fn from(it: &SessionGroup) -> Self {
        Self {
            name: it.name.clone(),
            sessions: it.n,
            figures: it.figures.iter().map(Into::into).collect(),
        }
    }
}

/// One figure of a group.
#[derive(Serialize, JsonSchema)]
pub(super) struct FigureView {
    measure: &'static str,
    sessions: usize,
    mean: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    interval: Option<IntervalView>,
}

impl From<&GroupFigure> for FigureView {
    fn from(it: &GroupFigure) -> Self {
        Self {
            measure: it.measure.as_str(),
            sessions: it.summary.n,
            mean: round_figure(it.summary.mean),
            interval: it.interval.map(Into::into),
        }
    }
}

/// What sessions tell of a memory. What it says is not told: how it stands was not looked up.
#[derive(Serialize, JsonSchema)]
pub(super) struct RatedMemoryView {
    memory: String,
    id: String,
    /// In how many sessions it was shown.
    shown: usize,
    /// In how many it was applied.
    applied: usize,
    /// In how many the code spoke against it.
    contradicted: usize,
    /// In how many it was applied and the work ended well.
    helped: usize,
    /// In how many it was shown and the pull request was merged.
    merged: usize,
    /// In how many it was shown and the pull request was rejected.
    rejected: usize,
}

impl From<&RatedMemory> for RatedMemoryView {
    fn from(it: &RatedMemory) -> Self {
        let (memory, impact) = (&it.memory, &it.impact);
        Self {
            memory: memory.handle().to_string(),
            id: memory.id.to_string(),
            shown: impact.shown,
            applied: impact.applied,
            contradicted: impact.contradicted,
            helped: impact.helped,
            merged: impact.merged,
            rejected: impact.rejected,
        }
    }
}
