//! What a task leaves behind: a note becomes knowledge. The episode stays, as part of the task's history.

use super::{NoteSort, has_tag};
use apostille_core::{
    Context, CoreError,
    memory::{Draft, Kind, Layer, Memory, Status},
    promote::{is_sort_tag, locate_note_citations},
    refusal::Refusal,
    remember::{RememberOutcome, remember},
};

/// Whether a note may be worth keeping beyond its task: decided or verified, with the code that proves it.
pub fn is_durable_note(memory: &Memory) -> bool {
    let is_sort = |sort: &NoteSort| has_tag(memory, sort.as_str());
    memory.is_active()
        && !memory.citations.is_empty()
        && [NoteSort::Decision, NoteSort::Verified].iter().any(is_sort)
}

/// Makes a note of a task into knowledge, through every check that any fact passes. It cites what proves it where that
/// stands now; a note whose code has changed since is not promoted.
pub fn promote_task_note(
    cx: &Context,
    memory: Memory,
    kind: Option<Kind>,
) -> Result<RememberOutcome, CoreError> {
    if memory.status != Status::Active {
        return Ok(RememberOutcome::Refused(Refusal::NotActive {
            handle: memory.handle(),
            stage: memory.status.stage(),
            verb: "promoted",
        }));
    }
    let citations = match locate_note_citations(cx, &memory) {
        Ok(citations) => citations,
        Err(refusal) => return Ok(RememberOutcome::Refused(refusal)),
    };
    let tags = memory.tags.into_iter().filter(|it| !is_sort_tag(it));
    let draft = Draft {
        layer: Some(Layer::Knowledge),
        kind,
        subject: memory.subject,
        reason: memory.reason,
        citations,
        tags: tags.collect(),
        task: memory.task,
        ..Draft::new(memory.space, memory.fact, memory.voice)
    };
    remember(cx, draft)
}
