//! What an audit finds. It looks every memory up, so in a large store it waits until somebody asks for it.

use apostille_audit::{
    AffectedMemory, AuditFinding, AuditOptions, AuditReport, Class, Severity, audit,
};
use apostille_core::memory::Stage;
use apostille_core::stats::SpaceStats;
use maud::{Markup, html};

use crate::components::{
    link_with_query, pluralize_count, render_badge, render_handle_link, render_toned_badge,
    sanitize_shown_text, truncate_shown_text,
};
use apostille_api::CallFault;
use apostille_api::request_scope::{RequestInput, RequestScope};

/// How many memories are looked over without being asked to.
const FEW: u64 = 300;
/// How many findings of a class are told, how many memories of each, and how much of a text.
const FINDINGS: usize = 3;
const MEMORIES: usize = 5;
const TEXT: usize = 160;

pub(super) fn render_audit_section(
    visit: &RequestScope<'_>,
    asked: &RequestInput,
    counted: &[SpaceStats],
) -> Result<Markup, CallFault> {
    let n = counted
        .iter()
        .flat_map(|it| {
            Stage::ALL
                .iter()
                .map(|stage| it.tally.count_in_stage(*stage))
        })
        .sum::<u64>();
    let body = match n <= FEW || asked.query_value("audit") == Some("yes") {
        true => render_audit_report(visit, &run_panel_audit(visit)?),
        false => html! {
            p { "There are " (pluralize_count(n, "memory", "memories")) "; looking all of them over takes a while." }
            p { a.button.quiet href=(format!("{}#audit", link_with_query(visit, "/vitals", &[("audit", "yes")]))) { "Look everything over" } }
        },
    };
    Ok(html! { section aria-labelledby="audit" { h2 #audit { "What needs attention" } (body) } })
}

fn run_panel_audit(visit: &RequestScope<'_>) -> Result<AuditReport, CallFault> {
    let options = AuditOptions {
        limit: FINDINGS,
        own: visit.here.own,
        ..AuditOptions::default()
    };
    Ok(audit(visit.cx, &visit.reachable_spaces(), &options)?)
}

fn render_audit_report(visit: &RequestScope<'_>, audit: &AuditReport) -> Markup {
    html! {
        @if !audit.is_complete { p { strong { "Not everything was looked over: " } "there was not time enough. " code { "apostille audit" } " takes it." } }
        @if audit.counts.is_empty() && audit.is_complete { p { (render_toned_badge("good", "M3 8.5l3.2 3.2L13 4.8", "clear")) " Nothing: every memory has its proof and its use." } }
        @for (class, n) in &audit.counts {
            details.finding open[audit.findings.iter().any(|it| it.class == *class && it.severity == Severity::Error)] {
                summary { (render_worst_severity(audit, *class)) " " b { (class) } " " span { (n) " – " (class.description()) } }
                ul.plain-list { @for it in audit.findings.iter().filter(|it| it.class == *class) { (render_audit_finding(visit, it)) } }
                @if audit.count_left_off(*class) > 0 {
                    p.hint { (audit.count_left_off(*class)) " more: " code { "apostille audit --only " (class) " --verbose" } }
                }
            }
        }
        @if audit.n_unknown > 0 { p.hint { (audit.n_unknown) " could not be looked up here, which is no evidence against them." } }
    }
}

fn render_worst_severity(audit: &AuditReport, class: Class) -> Markup {
    let worst = audit
        .findings
        .iter()
        .filter(|it| it.class == class)
        .map(|it| it.severity)
        .min();
    let (tone, shape) = match worst.unwrap_or(Severity::Note) {
        Severity::Error => ("bad", "M3.5 3.5l9 9M12.5 3.5l-9 9"),
        Severity::Warning => ("warn", "M8 2.5L14 13H2z"),
        Severity::Note => ("plain", "M3 8h10"),
    };
    render_toned_badge(tone, shape, worst.unwrap_or(Severity::Note).as_str())
}

fn render_audit_finding(visit: &RequestScope<'_>, it: &AuditFinding) -> Markup {
    let n_more = it.n_more + it.memories.len().saturating_sub(MEMORIES);
    html! {
        li {
            p { (truncate_shown_text(&sanitize_shown_text(&it.what), 300)) }
            ul.plain-list { @for it in it.memories.iter().take(MEMORIES) { (render_affected_memory(visit, it)) } }
            @if n_more > 0 { p.hint { "and " (n_more) " more" } }
            @if !it.way_out.is_empty() { p.hint { "The way out: " code { (truncate_shown_text(&sanitize_shown_text(&it.way_out), 300)) } } }
        }
    }
}

/// A memory of a finding. Where nobody vouches for its text, it is only named.
fn render_affected_memory(visit: &RequestScope<'_>, it: &AffectedMemory) -> Markup {
    html! {
        li {
            (render_handle_link(visit, it.handle)) " "
            @if let Some(it) = it.standing { (render_badge(it)) " " }
            @if let Some(it) = &it.fact { span dir="auto" { (truncate_shown_text(&sanitize_shown_text(it), TEXT)) } }
        }
    }
}
