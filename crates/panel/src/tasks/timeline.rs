//! The gates of a task, in their order, with what was noted at each.

use apostille_tasks::task::{GateAction, GateEvent};
use maud::{Markup, html};

use super::{TaskPage, label_decision, render_task_note};
use crate::components::{
    link_to_named_page, render_relative_time, sanitize_shown_text, shorten_shown_text,
};

/// How many gates are told, the last of them.
const GATES: usize = 300;

impl TaskPage<'_> {
    pub(super) fn render_timeline(&self) -> Markup {
        let skipped = self.gates.len().saturating_sub(GATES);
        html! {
            section aria-labelledby="timeline" {
                h2 #timeline { "Timeline" }
                @if skipped > 0 { p.hint { (skipped) " earlier gates are not told here." } }
                ol.timeline { @for it in &self.gates[skipped..] { (self.render_gate(it)) } }
            }
        }
    }

    fn render_gate(&self, passage: &GateEvent) -> Markup {
        let label = match &passage.what {
            GateAction::Decided(id) => self.notes.get(id).map_or("decided", label_decision),
            other => other.gate().as_str(),
        };
        html! {
            li {
                p.meta {
                    b { (label) }
                    (render_relative_time(self.scope, passage.at))
                    @if let Some(name) = &passage.session {
                        a href=(link_to_named_page(self.scope, "/sessions", name)) { "in session " (shorten_shown_text(name, 12)) }
                    }
                }
                (self.render_gate_content(&passage.what))
            }
        }
    }

    fn render_gate_content(&self, what: &GateAction) -> Markup {
        let shown = |text: &str| html! { p.fact dir="auto" { (sanitize_shown_text(text)) } };
        let noted = match what {
            GateAction::Started(start) => return shown(&start.title),
            GateAction::Phase(name) => return shown(name),
            GateAction::Filed(it) => return shown(&format!("{}, revision {}", it.name, it.number)),
            GateAction::Done(None) | GateAction::Abandoned(None) => return html! {},
            GateAction::Reported(id)
            | GateAction::Noted(id)
            | GateAction::Decided(id)
            | GateAction::Verified(id)
            | GateAction::Blocked(id)
            | GateAction::Unblocked(id)
            | GateAction::Done(Some(id))
            | GateAction::Abandoned(Some(id)) => self.notes.get(id),
        };
        // What was noted, with how it stands here.
        html! {
            @match noted {
                Some(it) => (render_task_note(self.scope, it)),
                None => p.hint { "Its words were forgotten, or are not kept in this store." },
            }
        }
    }
}
