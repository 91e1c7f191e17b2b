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
use apostille_text::fragments::{find_kept_parts, may_hold_part};

/// How many memories a plain search returns.
pub const SEARCH_LIMIT: usize = 20;
/// How many candidates of a search are read by number. Reading one by one costs more than reading in order, and where there
/// are many, the newest are found soon.
const MAX_CANDIDATES: usize = 500;
/// How many terms are looked up for it.
const MAX_TERMS: usize = 500;
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
    let filter = MemoryFilter {
        text: text.filter(|it| !it.is_empty()).map(Into::into),
        tags: tag.into_iter().map(Into::into).collect(),
        ..MemoryFilter::active_in(spaces, SEARCH_LIMIT)
    };
    let parts = filter.text.as_deref().and_then(find_kept_parts);
    let found = match parts {
        Some(parts) => search_index(cx, &filter, &parts)?,
        None => None,
    };
    let Some(mut found) = found else {
        return cx.store.list_memories(&filter);
    };
    filter.sort_memories(&mut found);
    found.truncate(filter.limit);
    Ok(found)
}

/// The memories that a filter admits, of those whose terms hold these parts; `None` where so many do that listing the newest
/// finds enough of them soon.
fn search_index(
    cx: &Context,
    filter: &MemoryFilter,
    parts: &[String],
) -> Result<Option<Vec<Memory>>, CoreError> {
    let mut found = Vec::new();
    for space in &filter.spaces {
        let Some(numbers) = find_numbers_holding(cx, space, parts)? else {
            return Ok(None);
        };
        let memories = cx.store.get_by_numbers(space, &numbers)?.into_iter();
        found.extend(memories.filter(|it| filter.admits_memory(it)));
    }
    Ok(Some(found))
}

/// The numbers of the memories of a space whose terms hold all of these parts; `None` where they are many.
fn find_numbers_holding(
    cx: &Context,
    space: &Space,
    parts: &[String],
) -> Result<Option<Vec<u64>>, CoreError> {
    let is_wanted = |term: &str| parts.iter().any(|it| may_hold_part(term, it));
    let terms = cx.store.find_terms(space, &is_wanted)?;
    if terms.len() > MAX_TERMS {
        return Ok(None);
    }
    let postings = cx.store.read_postings(space, &terms)?;
    let mut numbers: Option<BTreeSet<u64>> = None;
    for part in parts {
        let lists = terms.iter().zip(&postings.lists);
        let holding = lists.filter(|it| may_hold_part(it.0, part));
        let holding: BTreeSet<u64> = holding.flat_map(|it| it.1).map(|it| it.number).collect();
        numbers = Some(match numbers {
            Some(numbers) => &numbers & &holding,
            None => holding,
        });
    }
    let numbers = numbers.unwrap_or_default();
    Ok((numbers.len() <= MAX_CANDIDATES).then(|| numbers.into_iter().collect()))
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
    request: &str,
) -> Option<String> {
    let shown: Vec<_> = found.iter().map(|it| (&it.memory, it.standing())).collect();
    let mut events = build_retrieved_events(cx, &shown, request);
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
    request: &str,
) -> Option<String> {
    let mut events = build_retrieved_events(cx, &[(memory, standing)], request);
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
    request: &str,
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
            query: query::redact_request(request),
            shown: here.map(showing).collect(),
        };
        cx.new_event(space, None, what)
    };
    spaces.into_iter().map(event).collect()
}
