//! The gates of a task, in their order, with what was noted at each.

use apostille_core::memory::MemoryId;
use apostille_tasks::task::{GateAction, GateEvent};
use maud::{Markup, html};

use super::{TaskPageData, label_decision, render_task_note};
use crate::components::{
    link_to_named_page, render_relative_time, sanitize_shown_text, shorten_shown_text,
};
use apostille_api::request_scope::RequestScope;

/// How many gates are told, the last of them.
const GATES: usize = 300;

pub(super) fn render_task_timeline(visit: &RequestScope<'_>, seen: &TaskPageData<'_>) -> Markup {
    let skipped = seen.gates.len().saturating_sub(GATES);
    html! {
        section aria-labelledby="timeline" {
            h2 #timeline { "Timeline" }
            @if skipped > 0 { p.hint { (skipped) " earlier gates are not told here." } }
            ol.timeline { @for it in &seen.gates[skipped..] { (render_timeline_gate(visit, seen, it)) } }
        }
    }
}

fn render_timeline_gate(
    visit: &RequestScope<'_>,
    seen: &TaskPageData<'_>,
    passage: &GateEvent,
) -> Markup {
    let label = match &passage.what {
        GateAction::Decided(id) => seen.notes.get(id).map_or("decided", label_decision),
        other => other.gate().as_str(),
    };
    html! {
        li {
            p.meta {
                b { (label) }
                (render_relative_time(passage.at, visit.cx.now))
                @if let Some(name) = &passage.session {
                    a href=(link_to_named_page(visit, "/sessions", name)) { "in session " (shorten_shown_text(name, 12)) }
                }
            }
            (render_gate_content(visit, seen, passage))
        }
    }
}

fn render_gate_content(
    visit: &RequestScope<'_>,
    seen: &TaskPageData<'_>,
    passage: &GateEvent,
) -> Markup {
    let shown = |text: &str| html! { p.fact dir="auto" { (sanitize_shown_text(text)) } };
    match &passage.what {
        GateAction::Started(start) => shown(&start.title),
        GateAction::Phase(name) => shown(name),
        GateAction::Noted(id)
        | GateAction::Decided(id)
        | GateAction::Verified(id)
        | GateAction::Blocked(id)
        | GateAction::Unblocked(id)
        | GateAction::Done(Some(id))
        | GateAction::Abandoned(Some(id)) => render_gate_note(visit, seen, *id),
        GateAction::Done(None) | GateAction::Abandoned(None) => html! {},
    }
}

/// What was noted, with how it stands here.
fn render_gate_note(visit: &RequestScope<'_>, seen: &TaskPageData<'_>, id: MemoryId) -> Markup {
    html! {
        @match seen.notes.get(&id) {
            Some(it) => (render_task_note(visit, it)),
            None => p.hint { "Its words were forgotten, or are not kept in this store." },
        }
    }
}
