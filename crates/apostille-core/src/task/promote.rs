//! What a task leaves behind: a note becomes knowledge. The episode stays, as part of the task's history.

use super::Sort;
use crate::citation::Cite;
use crate::memory::{Draft, Kind, Layer, Memory, Status};
use crate::refusal::Refusal;
use crate::remember::{Outcome, remember};
use crate::verdict::Verdict;
use crate::{Context, Error, verify};

/// Whether a note may be worth keeping beyond its task: decided or verified, with the code that proves it.
#[must_use]
pub fn is_durable(memory: &Memory) -> bool {
    let is_sort = |sort: Sort| memory.tags.iter().any(|it| it == sort.as_str());
    memory.is_active() && !memory.citations.is_empty() && (is_sort(Sort::Decision) || is_sort(Sort::Verified))
}

/// Makes a note of a task into knowledge, through every check that any fact passes. It cites what proves it where that
/// stands now; a note whose code has changed since is not promoted.
pub fn promote(cx: &Context<'_>, memory: Memory, kind: Option<Kind>) -> Result<Outcome, Error> {
    if memory.status != Status::Active {
        let (handle, stage) = (memory.handle(), memory.status.stage());
        return Ok(Outcome::Refused(Refusal::NotActive { handle, stage, verb: "promoted" }));
    }
    let Some(seen) = verify::look(cx, vec![memory]).pop() else {
        return Ok(Outcome::Refused(Refusal::Empty { field: "fact" }));
    };
    let memory = seen.memory;
    let mut citations: Vec<Cite> = Vec::new();
    for (citation, verdict) in memory.citations.iter().zip(&seen.verdicts) {
        match verdict {
            Verdict::Moved { to } => citations.push(to.clone()),
            Verdict::Changed(it) if it.is_harmless => citations.push(it.at.clone()),
            bad if bad.is_bad() => {
                let why = format!("it is {} since it was noted; note what is true now", bad.as_str());
                let place = citation.place().to_string();
                return Ok(Outcome::Refused(Refusal::BadCitation { place, why }));
            }
            _ => citations.push(citation.place()),
        }
    }
    remember(cx, draft(memory, citations, kind))
}

fn draft(memory: Memory, citations: Vec<Cite>, kind: Option<Kind>) -> Draft {
    let is_sort = |tag: &String| Sort::ALL.iter().any(|it| it.as_str() == tag);
    Draft {
        layer: Some(Layer::Knowledge),
        kind,
        subject: memory.subject,
        reason: memory.reason,
        citations,
        tags: memory.tags.into_iter().filter(|it| !is_sort(it)).collect(),
        task: memory.task,
        ..Draft::new(memory.space, memory.fact, memory.voice)
    }
}
