//! Breakers: whose writes are held up, and a person's word that lets them go on.

use apostille_core::breaker;
use apostille_core::space::Space;
use apostille_core::stats::SpaceStats;
use apostille_core::store::breaker_state::OpenBreaker;
use maud::{Markup, html};

use crate::components::{
    link_to_page, link_with_query, render_post_form, render_relative_time, render_toned_badge,
    sanitize_shown_text, truncate_shown_text,
};
use apostille_api::CallFault;
use apostille_api::access_token::Access;
use apostille_api::request_scope::{HttpReply, RequestInput, RequestScope};

/// A lightning, and a tick.
const OPEN: &str = "M9 1.5L3.5 9H8l-1 5.5L12.5 7H8z";
const TICK: &str = "M3 8.5l3.2 3.2L13 4.8";
/// How much of a name is shown.
const NAME: usize = 80;

pub(super) fn render_breaker_section(visit: &RequestScope<'_>, counted: &[SpaceStats]) -> Markup {
    let open: Vec<(&Space, &OpenBreaker)> = counted
        .iter()
        .flat_map(|it| it.open.iter().map(move |trip| (&it.space, trip)))
        .collect();
    html! {
        section aria-labelledby="breakers" {
            h2.unseen #breakers { "Breakers" }
            @if open.is_empty() { p { (render_toned_badge("good", TICK, "in order")) " No breaker is open: what agents write is let in as usual." } }
            @for (space, trip) in open { (render_open_breaker(visit, space, trip)) }
        }
    }
}

fn render_open_breaker(visit: &RequestScope<'_>, space: &Space, trip: &OpenBreaker) -> Markup {
    let who = trip.actor.as_deref().map_or_else(
        || "everybody but you".into(),
        |it| truncate_shown_text(&sanitize_shown_text(it), NAME),
    );
    html! {
        div.card.tripped {
            p.meta {
                (render_toned_badge("bad", OPEN, "breaker open"))
                b { (trip.breaker) }
                span { (space) }
                (render_relative_time(trip.at, visit.cx.now))
            }
            p { "What " b { (who) } " writes waits: " (truncate_shown_text(&sanitize_shown_text(&trip.why), 200)) ". Reading goes on." }
            p.hint {
                "Closing lets in again what is written from now on. What waits goes on waiting in "
                a href=(link_to_page(visit, "/review")) { "Review" } "; what came before it is in use: look at it first."
            }
            @if visit.pass.allows_access(Access::Review) {
                (render_post_form(visit, "/vitals/close", &html! {
                    input type="hidden" name="space" value=(space);
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
pub fn handle_close_breaker_form(
    visit: &RequestScope<'_>,
    asked: &RequestInput,
) -> Result<HttpReply, CallFault> {
    let form = asked.form_fields();
    let field = |name: &str| form.iter().find(|it| it.0 == name).map(|it| it.1.as_str());
    let spaces = visit.reachable_spaces();
    let space = spaces.iter().find(|it| field("space") == Some(it.as_str()));
    let by = visit.deciding_person()?;
    let closed = match space {
        Some(space) => {
            let cx = visit.here.context_for_space(visit.cx, space);
            breaker::close_breakers(&cx, by, space, field("actor"))?
        }
        None => Vec::new(),
    };
    let did = if closed.is_empty() { "" } else { "closed" };
    Ok(HttpReply::see_other(link_with_query(visit, "/vitals", &[("did", did)])).mark_changed())
}
