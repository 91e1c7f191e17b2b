//! Breakers: whose writes are held up, and a person's word that lets them go on.

use apostille_core::breaker;
use apostille_core::{space::Space, stats::SpaceStats, store::breaker_state::OpenBreaker};
use maud::{Markup, html};

use crate::{
    PanelResult,
    components::{
        TICK, can_review, link_to_page, render_post_form, render_relative_time, render_toned_badge,
        shorten_shown_text,
    },
    submitted_form::SubmittedForm,
    undo,
};
use apostille_api::request_scope::{RequestInput, RequestScope};

/// A lightning.
const OPEN: &str = "M9 1.5L3.5 9H8l-1 5.5L12.5 7H8z";
/// How much of a name is shown.
const NAME: usize = 80;

pub(super) fn render_breaker_section(scope: &RequestScope, counted: &[SpaceStats]) -> Markup {
    let is_in_order = counted.iter().all(|it| it.open.is_empty());
    html! {
        section aria-labelledby="breakers" {
            h2.unseen #breakers { "Breakers" }
            @if is_in_order { p { (render_toned_badge("good", TICK, "in order")) " No breaker is open: what agents write is let in as usual." } }
            @for it in counted { @for trip in &it.open { (render_open_breaker(scope, &it.space, trip)) } }
        }
    }
}

fn render_open_breaker(scope: &RequestScope, space: &Space, trip: &OpenBreaker) -> Markup {
    let who = match &trip.actor {
        Some(name) => &shorten_shown_text(name, NAME),
        None => "everybody but you",
    };
    html! {
        div.card.tripped {
            p.meta {
                (render_toned_badge("bad", OPEN, "breaker open"))
                b { (trip.breaker) }
                span { (space) }
                (render_relative_time(scope, trip.at))
            }
            p { "What " b { (who) } " writes waits: " (shorten_shown_text(&trip.why, 200)) ". Reading goes on." }
            p.hint {
                "Closing accepts writes again. Pending memories stay in "
                a href=(link_to_page(scope, "/review")) { "Review" } "; what came before it is in use: look at it first."
            }
            @if can_review(scope) {
                (render_post_form(scope, "/vitals/close", &html! {
                    input type="hidden" name="space" value=(space.as_str());
                    @if let Some(it) = &trip.actor { input type="hidden" name="actor" value=(it); }
                    button type="submit" { "Close this breaker" }
                }))
            } @else {
                p.hint { "A person closes it: " code { "apostille breaker close" } }
            }
        }
    }
}

/// Closes the breakers of an actor in a space, or all of the space where nobody is named.
pub fn handle_close_breaker_form(scope: &RequestScope, asked: &RequestInput) -> PanelResult {
    let form = SubmittedForm::new("close", asked);
    let mut spaces = scope.reachable_spaces();
    spaces.retain(|it| form.field("space") == Some(it.as_str()));
    let by = scope.deciding_person()?;
    let mut did = "";
    for space in &spaces {
        let cx = scope.caller.context_for_space(scope.cx, space);
        if !breaker::close_breakers(&cx, by, space, form.field("actor"))?.is_empty() {
            did = "closed";
        }
    }
    Ok(undo::redirect_with_message(scope, "/vitals", did).mark_changed())
}
