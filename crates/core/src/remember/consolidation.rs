//! A step of consolidation: of several memories in use one is kept, and the others give way to it. It waits as a memory of its
//! own until a person decides, and says which they are by its evidence.

use super::EarlyEnd;
use crate::{
    Context,
    event::{Event, EventBody, Precondition},
    evidence::Evidence,
    memory::{Channel, Memory, MemoryId, Origin},
    refusal::Refusal,
    verify,
};
use apostille_cite::{citation::Citation, verdict::Verdict};

/// What marks a step of consolidation.
pub const CONSOLIDATION_TAG: &str = "consolidation";
/// What marks one that only says the same again: the one that is kept gains the citations of the others.
pub const SAME_TAG: &str = "near-duplicate";

/// The memories that a step is about: the one to keep first. `None` for what is no such step. Only the program itself makes one.
#[must_use]
pub fn list_consolidated_memories(memory: &Memory) -> Option<Vec<MemoryId>> {
    let voice = &memory.voice;
    let is_ours = voice.origin == Origin::System && voice.channel == Channel::Record;
    memory.evidence.iter().find_map(|it| match it {
        Evidence::Memories(ids) if is_ours && ids.len() > 1 => {
            ids.iter().map(|it| it.parse().ok()).collect()
        }
        _ => None,
    })
}

/// What a person's yes to a step writes: the others give way, and the step itself is done with. Refused where the one to keep is
/// not in use any more. Of the others, who is not in use any more is left alone.
pub(crate) fn build_consolidation_events(
    cx: &Context,
    step: &mut Memory,
    ids: &[MemoryId],
) -> Result<(Vec<Event>, Vec<Precondition>), EarlyEnd> {
    let mut memories = cx.store.get_by_ids(ids)?;
    memories.retain(|it| it.space == step.space);
    memories.sort_by_key(|it| ids.iter().position(|id| *id == it.id));
    let is_kept = memories.first().is_some_and(|it| it.id == ids[0]);
    if !is_kept || !memories[0].is_active() {
        let kept = memories.first().filter(|_| is_kept);
        return Err(Refusal::NotActive {
            handle: kept.map_or(step.handle(), Memory::handle),
            stage: kept.map_or(step.status.stage(), |it| it.status.stage()),
            verb: "kept",
        }
        .into());
    }
    let (mut events, mut expects) = (Vec::new(), Vec::new());
    let mut kept = memories.remove(0);
    expects.push(Precondition::unmoved(&kept));
    let by = kept.id;
    let is_same = step.tags.iter().any(|it| it == SAME_TAG);
    for old in memories.iter().filter(|it| it.is_active()) {
        let reason = Some("consolidated".into());
        events.push(cx.new_memory_event(old, EventBody::Superseded { by, reason }));
        expects.push(Precondition::unmoved(old));
        if is_same {
            let citations = unite_holding_citations(cx, old, &kept);
            if citations.len() > kept.citations.len() {
                let again = EventBody::Refreshed {
                    citations: Some(citations),
                    evidence: None,
                    names: None,
                    followed: Vec::new(),
                    voucher: None,
                };
                let refreshed = cx.new_memory_event(&kept, again);
                kept.apply_event(&refreshed);
                events.push(refreshed);
            }
        }
    }
    let reason = Some("done".into());
    events.push(cx.new_memory_event(step, EventBody::Superseded { by, reason }));
    *step = kept;
    Ok((events, expects))
}

/// The citations of the memory to keep, and those of another that hold and point elsewhere.
fn unite_holding_citations(cx: &Context, old: &Memory, kept: &Memory) -> Vec<Citation> {
    let looked_up = verify::follow_memory_citations(cx, vec![old.clone()]);
    let verdicts = looked_up.iter().flat_map(|it| &it.verdicts);
    let holding = old.citations.iter().zip(verdicts);
    let holding = holding.filter(|(_, verdict)| matches!(verdict, Verdict::Holds));
    let is_new = |it: &&Citation| {
        let mut known = kept.citations.iter();
        known.all(|known| known.location() != it.location())
    };
    let new = holding.map(|it| it.0).filter(is_new);
    let all = kept.citations.iter().chain(new).cloned();
    all.take(cx.policy.limits.citations).collect()
}
