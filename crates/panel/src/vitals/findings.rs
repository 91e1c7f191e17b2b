//! What an audit finds. It looks every memory up, so in a large store it waits until somebody asks for it.

use apostille_audit::{
    AffectedMemory, AuditFinding, AuditOptions, AuditReport, Class, Severity, audit,
};
use apostille_core::stats::SpaceStats;
use maud::{Markup, html};

use crate::{
    PanelResult,
    components::{
        DASH, TICK, link_with_query, pluralize_count, render_badge, render_handle_link,
        render_toned_badge, shorten_shown_text,
    },
};
use apostille_api::request_scope::{RequestInput, RequestScope};

/// How many memories are looked over without being asked to.
const FEW: u64 = 300;
/// How many findings of a class are told, how many memories of each, and how much of a text.
const FINDINGS: usize = 3;
const MEMORIES: usize = 5;
const TEXT: usize = 160;

pub(super) fn render_audit_section(
    scope: &RequestScope,
    asked: &RequestInput,
    counted: &[SpaceStats],
) -> PanelResult<Markup> {
    let n: u64 = counted
        .iter()
        .flat_map(|it| it.tally.memories.values())
        .sum();
    let options = AuditOptions {
        limit: FINDINGS,
        own: scope.caller.own,
        ..AuditOptions::default()
    };
    Ok(html! {
        section aria-labelledby="audit" {
            h2 #audit { "What needs attention" }
            @if n <= FEW || asked.query_value("audit") == Some("yes") {
                (render_audit_report(scope, &audit(scope.cx, &scope.reachable_spaces(), &options)?))
            } @else {
                p { "There are " (pluralize_count(n, "memory", "memories")) "; looking all of them over takes a while." }
                p { a.button.quiet href=(link_with_query(scope, "/vitals", &[("audit", "yes")]) + "#audit") { "Look everything over" } }
            }
        }
    })
}

fn render_audit_report(scope: &RequestScope, audit: &AuditReport) -> Markup {
    html! {
        @if !audit.is_complete { p { strong { "Not everything was looked over: " } "there was not time enough. " code { "apostille audit" } " takes it." } }
        @if audit.counts.is_empty() && audit.is_complete { p { (render_toned_badge("good", TICK, "clear")) " Nothing: every memory has its proof and its use." } }
        @for (class, n) in &audit.counts {
            details.finding open[audit.findings.iter().any(|it| it.class == *class && it.severity == Severity::Error)] {
                summary { (render_worst_severity(audit, *class)) " " b { (class) } " " span { (n) " – " (class.description()) } }
                ul.plain-list { @for it in audit.findings.iter().filter(|it| it.class == *class) { (render_audit_finding(scope, it)) } }
                @if audit.count_left_off(*class) > 0 {
                    p.hint { (audit.count_left_off(*class)) " more: " code { "apostille audit --only " (class) " --verbose" } }
                }
            }
        }
        @if audit.n_unknown > 0 { p.hint { (audit.n_unknown) " could not be looked up here, which does not count against them." } }
    }
}

fn render_worst_severity(audit: &AuditReport, class: Class) -> Markup {
    let of_class = audit.findings.iter().filter(|it| it.class == class);
    let worst = of_class.map(|it| it.severity).min();
    let worst = worst.unwrap_or(Severity::Note);
    let (tone, shape) = match worst {
        Severity::Error => ("bad", "M3.5 3.5l9 9M12.5 3.5l-9 9"),
        Severity::Warning => ("warn", "M8 2.5L14 13H2z"),
        Severity::Note => ("plain", DASH),
    };
    render_toned_badge(tone, shape, worst.as_str())
}

fn render_audit_finding(scope: &RequestScope, it: &AuditFinding) -> Markup {
    let n_more = it.n_more + it.memories.len().saturating_sub(MEMORIES);
    html! {
        li {
            p { (shorten_shown_text(&it.what, 300)) }
            ul.plain-list { @for it in it.memories.iter().take(MEMORIES) { (render_affected_memory(scope, it)) } }
            @if n_more > 0 { p.hint { "and " (n_more) " more" } }
            @if !it.way_out.is_empty() { p.hint { "The way out: " code { (shorten_shown_text(&it.way_out, 300)) } } }
        }
    }
}

/// A memory of a finding. Where nobody vouches for its text, it is only named.
fn render_affected_memory(scope: &RequestScope, it: &AffectedMemory) -> Markup {
    html! {
        li {
            (render_handle_link(scope, it.handle)) " "
            @if let Some(it) = it.standing { (render_badge(it)) " " }
            @if let Some(it) = &it.fact { span dir="auto" { (shorten_shown_text(it, TEXT)) } }
        }
    }
}
