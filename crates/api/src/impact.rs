//! Whether memory helps: what was counted of sessions, with what became of their pull requests, and the memories by name.

use std::collections::BTreeMap;

use apostille_agents::measure::attach_outcomes;
use apostille_core::{Context, CoreError, memory::Memory, space::Space};
use apostille_impact::{
    measures::SessionMeasures,
    report::{ImpactReport, MemoryImpact, build_impact_report},
};

/// What sessions tell of a memory that is still there.
#[derive(Debug, Clone)]
pub struct RatedMemory {
    /// The memory.
    pub memory: Memory,
    /// What is told of it.
    pub impact: MemoryImpact,
}

/// The figures, and the memories that they are about, as far as those are within reach.
pub fn report_impact(
    cx: &Context,
    repo: &Space,
    mut sessions: Vec<SessionMeasures>,
    is_within_reach: impl Fn(&Space) -> bool,
) -> Result<(ImpactReport, Vec<RatedMemory>), CoreError> {
    attach_outcomes(cx, repo, &mut sessions)?;
    let mut report = build_impact_report(&sessions);
    let ids: Vec<_> = report
        .memories
        .iter()
        .filter_map(|it| it.id.parse().ok())
        .collect();
    let memories = cx.store.get_by_ids(&ids)?.into_iter();
    let mut memories: BTreeMap<String, Memory> = memories
        .filter(|it| is_within_reach(&it.space))
        .map(|it| (it.id.to_string(), it))
        .collect();
    let rated = std::mem::take(&mut report.memories).into_iter();
    let rated = rated.filter_map(|impact| {
        let memory = memories.remove(&impact.id)?;
        Some(RatedMemory { memory, impact })
    });
    let rated = rated.collect();
    Ok((report, rated))
}
