//! Health: how well memory serves, in plots; what needs attention; and whose writes are held up.

mod breakers;
mod figures;
mod findings;

use apostille_core::{
    event::EventKind,
    memory::Stage,
    stats::{SpaceStats, compute_space_stats},
};
use maud::{Markup, html};

use super::{
    PanelResult,
    components::{
        link_to_page, link_with_query, pluralize_count, render_notice, render_usage_meter,
    },
    frame::{PanelTab, render_panel_page},
};
use apostille_api::request_scope::{RequestInput, RequestScope};

pub use breakers::handle_close_breaker_form;

/// The spans that are offered, in days.
const SPANS: [u16; 3] = [7, 30, 90];
/// The span unless said.
const SPAN: u16 = 30;

/// How well memory serves.
pub fn render_vitals_page(scope: &RequestScope, asked: &RequestInput) -> PanelResult {
    let days = asked.query_value("days").and_then(|it| it.parse().ok());
    let days = days.filter(|it| SPANS.contains(it)).unwrap_or(SPAN);
    let spaces = scope.reachable_spaces();
    let counted = spaces
        .iter()
        .map(|it| compute_space_stats(&scope.caller.context_for_space(scope.cx, it), it))
        .collect::<Result<Vec<_>, _>>()?;
    let body = html! {
        @if asked.query_value("did") == Some("closed") {
            (render_notice("good", &html! { p { "Closed: writes are accepted again. Pending memories stay pending." } }))
        }
        (breakers::render_breaker_section(scope, &counted))
        (render_vitals_overview(&counted))
        p.hint { a href=(link_to_page(scope, "/impact")) { "Does it help?" } " Sessions with memory against those that went without." }
        (render_day_span_links(scope, days))
        (figures::render_vitals_plots(scope, days)?)
        (findings::render_audit_section(scope, asked, &counted)?)
        (render_store_table(&counted))
    };
    render_panel_page(scope, PanelTab::Health, "Health", &body)
}

fn render_day_span_links(scope: &RequestScope, days: u16) -> Markup {
    html! {
        h2 { "Day by day" }
        ul.chips { @for it in SPANS {
            li {
                a href=(link_with_query(scope, "/vitals", &[("days", &it.to_string())])) aria-current=[(it == days).then_some("true")] {
                    (it) " days"
                }
            }
        } }
    }
}

/// The figures that matter at a glance.
fn render_vitals_overview(counted: &[SpaceStats]) -> Markup {
    let tile = |count: fn(&SpaceStats) -> u64, told: &str| {
        let figure: u64 = counted.iter().map(count).sum();
        html! { div.card.tile { b { (figure) } span { (told) } } }
    };
    html! {
        div.cards.tiles {
            (tile(|it| it.active, "in use"))
            (tile(|it| it.tally.count_in_stage(Stage::Pending), "wait for a person"))
            (tile(|it| it.tally.count_events(EventKind::Applied.as_str()), "times of use"))
            (tile(|it| it.tally.count_events(EventKind::Refused.as_str()), "turned away"))
        }
        @for it in counted.iter().filter(|it| it.space.is_user() || it.tally.identity_chars > 0) {
            (render_usage_meter(&format!("Identity of {}", it.space), it.tally.identity_chars, it.identity_limit))
        }
    }
}

/// What there is in each space.
fn render_store_table(counted: &[SpaceStats]) -> Markup {
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
                    @for stage in Stage::ALL { td.n { (it.tally.count_in_stage(*stage)) } }
                    td.n { (it.soft_limit) }
                } } }
            } }
            @for it in counted.iter().filter(|it| it.over_soft_limit) {
                (render_notice("plain", &html! {
                    p { (it.space) " has " (pluralize_count(it.active, "memory", "memories")) " in use, more than " (it.soft_limit) ": forget, merge or supersede what is no longer needed." }
                }))
            }
            p.hint { code { "apostille doctor" } " looks the store itself over." }
        }
    }
}
