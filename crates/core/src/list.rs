//! List: memories by handle, by filter, the most recent, those that cite a path. Nothing is ranked here.

use crate::event::{Batch, Event, Showing, What};
use crate::memory::{Memory, Name, Stage};
use crate::recall::query;
use crate::refusal::Refusal;
use crate::space::Space;
use crate::store::{Filter, Order};
use crate::{Context, Error};
use apostille_cite::citation::RepoPath;
use apostille_cite::verdict::{Verdict, standing};

/// How many memories a plain search returns.
pub const SEARCH_LIMIT: usize = 20;
/// How many recent memories are returned unless said.
pub const RECENT_LIMIT: usize = 50;

/// The memory with this name, in the spaces in play.
pub fn named(
    cx: &Context<'_>,
    spaces: &[Space],
    name: Name,
) -> Result<Option<Memory>, crate::store::StoreError> {
    match name {
        Name::Id(id) => Ok(cx
            .store
            .get_by_ids(&[id])?
            .pop()
            .filter(|it| spaces.contains(&it.space))),
        Name::Handle(handle) => {
            for space in spaces.iter().filter(|it| it.letter() == handle.letter) {
                if let Some(memory) = cx.store.get_by_numbers(space, &[handle.number])?.pop() {
                    return Ok(Some(memory));
                }
            }
            Ok(None)
        }
    }
}

/// The same, or a refusal that says the name.
pub fn find_named(
    cx: &Context<'_>,
    spaces: &[Space],
    name: Name,
) -> Result<Result<Memory, Refusal>, Error> {
    let no_such = || Refusal::NoSuchMemory {
        name: name.to_string(),
    };
    Ok(named(cx, spaces, name)?.ok_or_else(no_such))
}

/// The memories with these names, or a refusal that says the first name that there is none for.
pub fn all_named(
    cx: &Context<'_>,
    spaces: &[Space],
    names: impl IntoIterator<Item = Name>,
) -> Result<Result<Vec<Memory>, Refusal>, Error> {
    let found = names.into_iter().map(|it| find_named(cx, spaces, it));
    found
        .collect::<Result<Vec<_>, _>>()
        .map(|it| it.into_iter().collect())
}

/// The memories that a filter admits.
pub fn list(cx: &Context<'_>, filter: &Filter) -> Result<Vec<Memory>, Error> {
    Ok(cx.store.list(filter)?)
}

/// Active memories that contain a text, carry a tag, or both; the newest twenty.
pub fn search(
    cx: &Context<'_>,
    spaces: &[Space],
    text: Option<&str>,
    tag: Option<&str>,
) -> Result<Vec<Memory>, Error> {
    let filter = Filter {
        spaces: spaces.to_vec(),
        stages: vec![Stage::Active],
        text: text.filter(|it| !it.is_empty()).map(Into::into),
        tag: tag.map(Into::into),
        order: Order::Newest,
        limit: SEARCH_LIMIT,
        ..Filter::default()
    };
    list(cx, &filter)
}

/// Active memories, those refreshed last first.
pub fn recent(cx: &Context<'_>, spaces: &[Space], limit: usize) -> Result<Vec<Memory>, Error> {
    list(cx, &refreshed(spaces, None, limit))
}

/// Active memories that cite this file or a file below this folder, those refreshed last first.
pub fn citing(
    cx: &Context<'_>,
    spaces: &[Space],
    path: &RepoPath,
    limit: usize,
) -> Result<Vec<Memory>, Error> {
    list(cx, &refreshed(spaces, Some(path.clone()), limit))
}

/// Notes that memories were handed out for potential use, as a recall does for what it shows. What went wrong comes
/// back as a problem, because a log that cannot be written costs nobody the answer.
pub fn note_fetched(cx: &Context<'_>, memories: &[Memory], question: &str) -> Option<String> {
    noted(cx, retrieved(cx, memories, question, "unverified"))
}

/// Notes that a memory was handed out with these verdicts, and what speaks against it, as a recall does.
pub fn note_viewed(
    cx: &Context<'_>,
    memory: &Memory,
    verdicts: &[Verdict],
    question: &str,
) -> Option<String> {
    let mut events = retrieved(
        cx,
        std::slice::from_ref(memory),
        question,
        standing(verdicts),
    );
    if verdicts.iter().any(Verdict::is_bad) {
        events.push(crate::verify::event(cx, memory, verdicts));
    }
    noted(cx, events)
}

fn retrieved(cx: &Context<'_>, memories: &[Memory], question: &str, verdict: &str) -> Vec<Event> {
    let mut spaces: Vec<&Space> = memories.iter().map(|it| &it.space).collect();
    spaces.sort();
    spaces.dedup();
    let showing = |it: &Memory| Showing {
        id: it.id,
        score: 0.0,
        verdict: verdict.into(),
    };
    let event = |space: &Space| {
        let shown = memories
            .iter()
            .filter(|it| it.space == *space)
            .map(showing)
            .collect();
        cx.event(
            space,
            None,
            What::Retrieved {
                query: query::loggable(question),
                shown,
            },
        )
    };
    spaces.into_iter().map(event).collect()
}

fn noted(cx: &Context<'_>, events: Vec<Event>) -> Option<String> {
    if events.is_empty() {
        return None;
    }
    cx.store
        .append(&Batch::telemetry(events))
        .err()
        .map(|error| format!("this could not be logged: {error}"))
}

fn refreshed(spaces: &[Space], path: Option<RepoPath>, limit: usize) -> Filter {
    let (spaces, stages) = (spaces.to_vec(), vec![Stage::Active]);
    Filter {
        spaces,
        stages,
        path,
        order: Order::Refreshed,
        limit,
        ..Filter::default()
    }
}
