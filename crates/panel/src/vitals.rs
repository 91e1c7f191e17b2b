//! Health: how well memory serves, in plots; what needs attention; and whose writes are held up.

mod breakers;
mod figures;
mod findings;

use apostille_core::event::Happening;
use apostille_core::memory::Stage;
use apostille_core::stats::{Stats, stats};
use maud::{Markup, html};

use super::frame::{Tab, framed};
use super::parts::{Tone, count, meter, notice, way};
use apostille_api::Fault;
use apostille_api::visit::{Asked, Reply, Visit};

pub use breakers::close;

/// The spans that are offered, in days.
const SPANS: [u16; 3] = [7, 30, 90];
/// The span unless said.
const SPAN: u16 = 30;

/// How well memory serves.
pub fn page(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let days = asked
        .query("days")
        .and_then(|it| it.parse().ok())
        .filter(|it| SPANS.contains(it));
    let days = days.unwrap_or(SPAN);
    let spaces = visit.spaces();
    let counted = spaces
        .iter()
        .map(|it| stats(&visit.here.ruled(visit.cx, it), it))
        .collect::<Result<Vec<_>, _>>()?;
    let body = html! {
        @if asked.query("did") == Some("closed") {
            (notice(Tone::Good, &html! { p { "Closed: what is written from now on is let in again. What waits goes on waiting." } }))
        }
        (breakers::section(visit, &counted))
        (overview(&counted))
        (chips(visit, days))
        (figures::section(visit, days)?)
        (findings::section(visit, asked, &counted)?)
        (facts(&counted))
    };
    Ok(framed(visit, Tab::Health, "Health", &body))
}

fn chips(visit: &Visit<'_>, days: u16) -> Markup {
    html! {
        h2 { "Day by day" }
        ul.chips { @for it in SPANS {
            li {
                a href=(way(visit, "/vitals", &[("days", &it.to_string())])) aria-current=[(it == days).then_some("true")] {
                    (it) " days"
                }
            }
        } }
    }
}

/// The figures that matter at a glance.
fn overview(counted: &[Stats]) -> Markup {
    let sum = |n: &dyn Fn(&Stats) -> u64| counted.iter().map(n).sum::<u64>();
    let event = |it: Happening| sum(&|stats: &Stats| stats.tally.event(it.as_str()));
    let tile =
        |figure: String, told: &str| html! { div.card.tile { b { (figure) } span { (told) } } };
    html! {
        div.cards.tiles {
            (tile(sum(&|it| it.active).to_string(), "in use"))
            (tile(sum(&|it| it.tally.stage(Stage::Pending)).to_string(), "wait for a person"))
            (tile(event(Happening::Applied).to_string(), "times of use"))
            (tile(event(Happening::Refused).to_string(), "turned away"))
        }
        @for it in counted.iter().filter(|it| it.space.is_user() || it.tally.identity_chars > 0) {
            (meter(&format!("Identity of {}", it.space), it.tally.identity_chars, it.identity_limit))
        }
    }
}

/// What there is in each space.
fn facts(counted: &[Stats]) -> Markup {
    html! {
        section aria-labelledby="store" {
            h2 #store { "What is kept" }
            div.wide tabindex="0" role="region" aria-label="Memories by space and status" { table {
                thead { tr {
                    th scope="col" { "Space" }
                    @for it in Stage::ALL { th.n scope="col" { (it) } }
                    th.n scope="col" { "soft limit" }
                } }
                tbody { @for it in counted { tr {
                    th scope="row" { (it.space) }
                    @for stage in Stage::ALL { td.n { (it.tally.stage(*stage)) } }
                    td.n { (it.soft_limit) }
                } } }
            } }
            @for it in counted.iter().filter(|it| it.over_soft_limit) {
                (notice(Tone::Plain, &html! {
                    p { (it.space) " has " (count(it.active, "memory", "memories")) " in use, more than " (it.soft_limit) ": forget, merge or supersede what is no longer needed." }
                }))
            }
            p.hint { code { "apostille doctor" } " looks the store itself over." }
        }
    }
}
