//! Breakers: whose writes are held up, and a person's word that lets them go on.

use apostille_core::breaker;
use apostille_core::space::Space;
use apostille_core::stats::Stats;
use apostille_core::store::watch::Trip;
use maud::{Markup, html};

use crate::parts::{cut, form, link, said, time, toned, way};
use apostille_api::Fault;
use apostille_api::pass::Access;
use apostille_api::visit::{Asked, Reply, Visit};

/// A lightning, and a tick.
const OPEN: &str = "M9 1.5L3.5 9H8l-1 5.5L12.5 7H8z";
const TICK: &str = "M3 8.5l3.2 3.2L13 4.8";
/// How much of a name is shown.
const NAME: usize = 80;

pub(super) fn section(visit: &Visit<'_>, counted: &[Stats]) -> Markup {
    let open: Vec<(&Space, &Trip)> = counted
        .iter()
        .flat_map(|it| it.open.iter().map(move |trip| (&it.space, trip)))
        .collect();
    html! {
        section aria-labelledby="breakers" {
            h2.unseen #breakers { "Breakers" }
            @if open.is_empty() { p { (toned("good", TICK, "in order")) " No breaker is open: what agents write is let in as usual." } }
            @for (space, trip) in open { (card(visit, space, trip)) }
        }
    }
}

fn card(visit: &Visit<'_>, space: &Space, trip: &Trip) -> Markup {
    let who = trip
        .actor
        .as_deref()
        .map_or_else(|| "everybody but you".into(), |it| cut(&said(it), NAME));
    html! {
        div.card.tripped {
            p.meta {
                (toned("bad", OPEN, "breaker open"))
                b { (trip.breaker) }
                span { (space) }
                (time(trip.at, visit.cx.now))
            }
            p { "What " b { (who) } " writes waits: " (cut(&said(&trip.why), 200)) ". Reading goes on." }
            p.hint {
                "Closing lets in again what is written from now on. What waits goes on waiting in "
                a href=(link(visit, "/review")) { "Review" } "; what came before it is in use: look at it first."
            }
            @if visit.pass.allows(Access::Review) {
                (form(visit, "/vitals/close", &html! {
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
pub fn close(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let form = asked.form();
    let field = |name: &str| form.iter().find(|it| it.0 == name).map(|it| it.1.as_str());
    let spaces = visit.spaces();
    let space = spaces.iter().find(|it| field("space") == Some(it.as_str()));
    let by = visit.deciding_person()?;
    let closed = match space {
        Some(space) => {
            let cx = visit.here.ruled(visit.cx, space);
            breaker::close(&cx, by, space, field("actor"))?
        }
        None => Vec::new(),
    };
    let did = if closed.is_empty() { "" } else { "closed" };
    Ok(Reply::see_other(way(visit, "/vitals", &[("did", did)])).changed())
}
