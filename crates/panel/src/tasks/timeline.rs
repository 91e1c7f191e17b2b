//! The gates of a task, in their order, with what was noted at each.

use apostille_core::memory::MemoryId;
use apostille_tasks::task::{Passage, What};
use maud::{Markup, html};

use super::{Seen, decided, fact, standing};
use crate::parts::{cut, handle, link, part, said, time};
use apostille_api::visit::Visit;

/// How many gates are told, the last of them.
const GATES: usize = 300;

pub(super) fn section(visit: &Visit<'_>, seen: &Seen<'_>) -> Markup {
    let skipped = seen.gates.len().saturating_sub(GATES);
    html! {
        section aria-labelledby="timeline" {
            h2 #timeline { "Timeline" }
            @if skipped > 0 { p.hint { (skipped) " earlier gates are not told here." } }
            ol.timeline { @for it in &seen.gates[skipped..] { (gate(visit, seen, it)) } }
        }
    }
}

fn gate(visit: &Visit<'_>, seen: &Seen<'_>, passage: &Passage) -> Markup {
    html! {
        li {
            p.meta {
                b { (word(seen, passage)) }
                (time(passage.at, visit.cx.now))
                @if let Some(name) = &passage.session {
                    a href=(link(visit, &format!("/sessions/{}", part(name)))) { "in session " (cut(&said(name), 12)) }
                }
            }
            (what(visit, seen, passage))
        }
    }
}

fn word(seen: &Seen<'_>, passage: &Passage) -> &'static str {
    match &passage.what {
        What::Decided(id) => seen.notes.get(id).map_or("decided", decided),
        other => other.gate().as_str(),
    }
}

fn what(visit: &Visit<'_>, seen: &Seen<'_>, passage: &Passage) -> Markup {
    match &passage.what {
        What::Started(start) => html! { p.fact dir="auto" { (said(&start.title)) } },
        What::Phase(name) => html! { p.fact dir="auto" { (said(name)) } },
        What::Noted(id)
        | What::Decided(id)
        | What::Verified(id)
        | What::Blocked(id)
        | What::Unblocked(id)
        | What::Done(Some(id))
        | What::Abandoned(Some(id)) => noted(visit, seen, *id),
        What::Done(None) | What::Abandoned(None) => html! {},
    }
}

/// What was noted, with how it stands here.
fn noted(visit: &Visit<'_>, seen: &Seen<'_>, id: MemoryId) -> Markup {
    match seen.notes.get(&id) {
        Some(it) => html! {
            p.meta { (handle(visit, it.memory.handle())) (standing(it)) }
            p.fact dir="auto" { (fact(it)) }
        },
        None => html! { p.hint { "Its words were forgotten, or are not kept in this store." } },
    }
}
