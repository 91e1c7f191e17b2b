//! List: memories by handle, by filter, the most recent, those that cite a path. Nothing is ranked here.

use std::collections::BTreeSet;

use crate::{
    Context, CoreError,
    event::{Event, EventBody, RetrievedMemory},
    memory::{Handle, Memory, MemoryName},
    moved_citations::list_moved_memories,
    recall::query,
    refusal::Refusal,
    space::Space,
    standing_text::StandingView,
    store::{ListOrder, MemoryFilter},
    verify::{VerifiedMemory, build_verified_events},
};
use apostille_cite::{citation::RepoPath, standing::Standing, verdict::Verdict};

/// How many memories a plain search returns.
pub const SEARCH_LIMIT: usize = 20;
/// How many recent memories are returned unless said.
pub const RECENT_LIMIT: usize = 50;

/// The memory with this name, in the spaces in play.
pub fn find_named_memory(
    cx: &Context,
    spaces: &[Space],
    name: MemoryName,
) -> Result<Option<Memory>, CoreError> {
    let Handle { letter, number } = match name {
        MemoryName::Id(id) => {
            let found = cx.store.get_by_ids(&[id])?.pop();
            return Ok(found.filter(|it| spaces.contains(&it.space)));
        }
        MemoryName::Handle(handle) => handle,
    };
    for space in spaces.iter().filter(|it| it.handle_letter() == letter) {
        if let Some(memory) = cx.store.get_by_numbers(space, &[number])?.pop() {
            return Ok(Some(memory));
        }
    }
    Ok(None)
}

/// The same, or a refusal that says the name.
pub fn find_named_or_refuse(
    cx: &Context,
    spaces: &[Space],
    name: MemoryName,
) -> Result<Result<Memory, Refusal>, CoreError> {
    Ok(find_named_memory(cx, spaces, name)?.ok_or_else(|| Refusal::no_such_memory(name)))
}

/// The memories with these names, or a refusal that says the first name that there is none for.
pub fn find_all_named(
    cx: &Context,
    spaces: &[Space],
    names: impl IntoIterator<Item = MemoryName>,
) -> Result<Result<Vec<Memory>, Refusal>, CoreError> {
    let found = names
        .into_iter()
        .map(|it| find_named_or_refuse(cx, spaces, it));
    found
        .collect::<Result<Vec<_>, _>>()
        .map(|it| it.into_iter().collect())
}

/// The memories that a filter admits. By a path, those are among them whose cited lines stand there now.
pub fn list_memories(cx: &Context, filter: &MemoryFilter) -> Result<Vec<Memory>, CoreError> {
    let mut memories = cx.store.list_memories(filter)?;
    let moved = list_moved_memories(cx, filter)?;
    if !moved.is_empty() {
        memories.extend(moved);
        filter.sort_memories(&mut memories);
        memories.truncate(filter.limit);
    }
    Ok(memories)
}

/// Active memories that contain a text, carry a tag, or both; the newest twenty.
pub fn search_memories(
    cx: &Context,
    spaces: &[Space],
    text: Option<&str>,
    tag: Option<&str>,
) -> Result<Vec<Memory>, CoreError> {
    cx.store.list_memories(&MemoryFilter {
        text: text.filter(|it| !it.is_empty()).map(Into::into),
        tags: tag.into_iter().map(Into::into).collect(),
        ..MemoryFilter::active_in(spaces, SEARCH_LIMIT)
    })
}

/// Active memories, those refreshed last first.
pub fn list_recent_memories(
    cx: &Context,
    spaces: &[Space],
    limit: usize,
) -> Result<Vec<Memory>, CoreError> {
    cx.store.list_memories(&MemoryFilter {
        order: ListOrder::Refreshed,
        ..MemoryFilter::active_in(spaces, limit)
    })
}

/// Active memories that cite this file or a file below this folder, those refreshed last first.
pub fn list_citing_memories(
    cx: &Context,
    spaces: &[Space],
    path: &RepoPath,
    limit: usize,
) -> Result<Vec<Memory>, CoreError> {
    let citing = MemoryFilter {
        path: Some(path.clone()),
        order: ListOrder::Refreshed,
        ..MemoryFilter::active_in(spaces, limit)
    };
    list_memories(cx, &citing)
}

/// Notes that memories were handed out for potential use and how each stood, as a recall does for what it shows. What went
/// wrong comes back as a problem, because a log that cannot be written costs nobody the answer.
pub fn log_fetched_memories(
    cx: &Context,
    found: &[VerifiedMemory],
    question: &str,
) -> Option<String> {
    let shown: Vec<_> = found.iter().map(|it| (&it.memory, it.standing())).collect();
    let mut events = build_retrieved_events(cx, &shown, question);
    let is_looked_up =
        |it: &&VerifiedMemory| !it.verdicts.is_empty() && it.standing() != Standing::Unknown;
    let looked_up = found.iter().filter(is_looked_up);
    events.extend(build_verified_events(cx, looked_up.map(StandingView::from)));
    cx.append_telemetry("this", events, Vec::new())
}

/// Notes that a memory was handed out with these verdicts, and what speaks against it, as a recall does.
pub fn log_viewed_memory(
    cx: &Context,
    memory: &Memory,
    verdicts: &[Verdict],
    standing: Standing,
    question: &str,
) -> Option<String> {
    let mut events = build_retrieved_events(cx, &[(memory, standing)], question);
    if !verdicts.is_empty() && standing != Standing::Unknown {
        let view = StandingView {
            memory,
            verdicts,
            judgement: &standing.into(),
        };
        events.extend(build_verified_events(cx, std::iter::once(view)));
    }
    cx.append_telemetry("this", events, Vec::new())
}

fn build_retrieved_events(
    cx: &Context,
    found: &[(&Memory, Standing)],
    question: &str,
) -> Vec<Event> {
    let spaces: BTreeSet<&Space> = found.iter().map(|it| &it.0.space).collect();
    let showing = |(memory, standing): &(&Memory, Standing)| RetrievedMemory {
        id: memory.id,
        score: 0.0,
        verdict: standing.to_string(),
    };
    let event = |space: &Space| {
        let here = found.iter().filter(|it| it.0.space == *space);
        let what = EventBody::Retrieved {
            query: query::redact_question(question),
            shown: here.map(showing).collect(),
        };
        cx.new_event(space, None, what)
    };
    spaces.into_iter().map(event).collect()
}
