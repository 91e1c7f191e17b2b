//! Does memory help? Sessions with memory against those that were held out, and the memories one by one.

use apostille_api::{
    impact::{RatedMemory, report_impact},
    request_scope::{RequestInput, RequestScope},
};
use apostille_core::space::Space;
use apostille_impact::{
    measures::ImpactMeasure,
    report::{ImpactReport, SessionGroup},
};
use maud::{Markup, html};

use crate::{
    PanelResult,
    components::{pluralize_count, render_handle_link, shorten_shown_text},
    frame::{PanelTab, render_panel_page},
    sessions::read_beside_store,
};

/// The page.
pub fn render_impact_page(scope: &RequestScope, _: &RequestInput) -> PanelResult {
    let sessions = match read_beside_store(scope, |it| it.list_measured_sessions()) {
        Ok(sessions) => sessions,
        Err(problem) => return render_panel_page(scope, PanelTab::Health, TITLE, &problem),
    };
    let is_within_reach = |space: &Space| scope.token.reaches_space(space);
    let repo = scope.caller.repo;
    let (report, memories) = report_impact(scope.cx, repo, sessions, is_within_reach)?;
    let body = html! {
        (render_head(&report))
        @if report.n_randomized > 0 { (render_comparisons(&report)) }
        (render_groups("By tier", "tiers", &report.tiers))
        (render_groups("By prompt version", "versions", &report.prompt_versions))
        (render_memories(scope, &memories))
    };
    render_panel_page(scope, PanelTab::Health, TITLE, &body)
}

const TITLE: &str = "Does it help?";

fn render_head(report: &ImpactReport) -> Markup {
    let tile = |n: usize, told: &str| html! { div.card.tile { b { (n) } span { (told) } } };
    html! {
        div.cards.tiles {
            (tile(report.n_sessions, "sessions measured"))
            (tile(report.n_randomized - report.n_held_out, "with memory, by lot"))
            (tile(report.n_held_out, "without, by lot"))
        }
        @if report.n_randomized == 0 {
            p.hint { "Set " code { "impact.holdout = 0.2" } " in your own config file: a fifth of the sessions, chosen by lot, then goes without memory." }
        }
        @if report.n_held_out_asked > 0 {
            p.hint { (pluralize_count(report.n_held_out_asked as u64, "session", "sessions")) " without memory asked for it, and got an answer." }
        }
    }
}

fn render_comparisons(report: &ImpactReport) -> Markup {
    html! {
        section aria-labelledby="arms" {
            h2 #arms { "With memory and without" }
            div.wide tabindex="0" role="region" aria-label="Measures with memory and without" { table {
                thead { tr {
                    th scope="col" { "Measure" } th.n scope="col" { "with" } th.n scope="col" { "without" }
                    th.n scope="col" { "difference" } th scope="col" { "95 % of it lies in" } th scope="col" { "verdict" }
                } }
                tbody { @for it in &report.comparisons { tr {
                    th scope="row" { (it.measure.label()) }
                    td.n { (it.format_mean(&it.with)) }
                    td.n { (it.format_mean(&it.without)) }
                    td.n { @if it.interval.is_some() { (it.measure.format_value(it.difference)) } }
                    td { @if let Some(interval) = it.interval {
                        (it.measure.format_value(interval.low)) " … " (it.measure.format_value(interval.high))
                    } }
                    td { (it.describe_verdict()) }
                } } }
            } }
        }
    }
}

/// Groups are told where there is more than one: alone they are the whole.
fn render_groups(title: &str, id: &str, groups: &[SessionGroup]) -> Markup {
    html! {
        @if groups.len() > 1 {
            section aria-labelledby=(id) {
                h2 id=(id) { (title) }
                p.hint { "No lots were drawn about it: what differs may differ for other reasons." }
                div.wide tabindex="0" role="region" aria-label=(title) { table {
                    thead { tr {
                        th scope="col" { "Group" } th.n scope="col" { "sessions" }
                        @for measure in ImpactMeasure::ALL { th.n scope="col" { (measure.label()) } }
                    } }
                    tbody { @for group in groups { tr {
                        th scope="row" { (shorten_shown_text(&group.name, 20)) }
                        td.n { (group.n) }
                        @for measure in ImpactMeasure::ALL {
                            td.n { @if let Some(it) = group.figures.iter().find(|it| it.measure == *measure) {
                                (measure.format_value(it.summary.mean))
                            } }
                        }
                    } } }
                } }
            }
        }
    }
}

fn render_memories(scope: &RequestScope, memories: &[RatedMemory]) -> Markup {
    html! {
        @if !memories.is_empty() {
            section aria-labelledby="rated" {
                h2 #rated { "Memory by memory" }
                p.hint { "In how many sessions. Helped: it was applied, and the work ended well." }
                div.wide tabindex="0" role="region" aria-label="Memories by use" { table {
                    thead { tr {
                        th scope="col" { "Memory" }
                        @for it in ["shown", "applied", "contradicted", "helped", "merged", "rejected"] { th.n scope="col" { (it) } }
                    } }
                    tbody { @for it in memories { tr {
                        th scope="row" { (render_handle_link(scope, it.memory.handle())) }
                        @for n in [it.impact.shown, it.impact.applied, it.impact.contradicted, it.impact.helped, it.impact.merged, it.impact.rejected] {
                            td.n { (n) }
                        }
                    } } }
                } }
            }
        }
    }
}
