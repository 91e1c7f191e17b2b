//! What an audit finds. It looks every memory up, so in a large store it waits until somebody asks for it.

use apostille_audit::{Audit, Class, Finding, Named, Options, Severity, audit};
use apostille_core::memory::Stage;
use apostille_core::stats::Stats;
use maud::{Markup, html};

use crate::parts::{badge, count, cut, handle, said, toned, way};
use apostille_api::Fault;
use apostille_api::visit::{Asked, Visit};

/// How many memories are looked over without being asked to.
const FEW: u64 = 300;
/// How many findings of a class are told, how many memories of each, and how much of a text.
const FINDINGS: usize = 3;
const MEMORIES: usize = 5;
const TEXT: usize = 160;

pub(super) fn section(
    visit: &Visit<'_>,
    asked: &Asked,
    counted: &[Stats],
) -> Result<Markup, Fault> {
    let n = counted
        .iter()
        .flat_map(|it| Stage::ALL.iter().map(|stage| it.tally.stage(*stage)))
        .sum::<u64>();
    let body = match n <= FEW || asked.query("audit") == Some("yes") {
        true => found(visit, &looked_over(visit)?),
        false => html! {
            p { "There are " (count(n, "memory", "memories")) "; looking all of them over takes a while." }
            p { a.button.quiet href=(format!("{}#audit", way(visit, "/vitals", &[("audit", "yes")]))) { "Look everything over" } }
        },
    };
    Ok(html! { section aria-labelledby="audit" { h2 #audit { "What needs attention" } (body) } })
}

fn looked_over(visit: &Visit<'_>) -> Result<Audit, Fault> {
    let options = Options {
        limit: FINDINGS,
        own: visit.here.own,
        ..Options::default()
    };
    Ok(audit(visit.cx, &visit.spaces(), &options)?)
}

fn found(visit: &Visit<'_>, audit: &Audit) -> Markup {
    html! {
        @if !audit.is_complete { p { strong { "Not everything was looked over: " } "there was not time enough. " code { "apostille audit" } " takes it." } }
        @if audit.counts.is_empty() && audit.is_complete { p { (toned("good", "M3 8.5l3.2 3.2L13 4.8", "clear")) " Nothing: every memory has its proof and its use." } }
        @for (class, n) in &audit.counts {
            details.finding open[audit.findings.iter().any(|it| it.class == *class && it.severity == Severity::Error)] {
                summary { (severity(audit, *class)) " " b { (class) } " " span { (n) " – " (class.told()) } }
                ul.plain-list { @for it in audit.findings.iter().filter(|it| it.class == *class) { (finding(visit, it)) } }
                @if audit.left_off(*class) > 0 {
                    p.hint { (audit.left_off(*class)) " more: " code { "apostille audit --only " (class) " --verbose" } }
                }
            }
        }
        @if audit.n_unknown > 0 { p.hint { (audit.n_unknown) " could not be looked up here, which is no evidence against them." } }
    }
}

fn severity(audit: &Audit, class: Class) -> Markup {
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
    toned(tone, shape, worst.unwrap_or(Severity::Note).as_str())
}

fn finding(visit: &Visit<'_>, it: &Finding) -> Markup {
    let n_more = it.n_more + it.memories.len().saturating_sub(MEMORIES);
    html! {
        li {
            p { (cut(&said(&it.what), 300)) }
            ul.plain-list { @for it in it.memories.iter().take(MEMORIES) { (named(visit, it)) } }
            @if n_more > 0 { p.hint { "and " (n_more) " more" } }
            @if !it.way_out.is_empty() { p.hint { "The way out: " code { (cut(&said(&it.way_out), 300)) } } }
        }
    }
}

/// A memory of a finding. Where nobody vouches for its text, it is only named.
fn named(visit: &Visit<'_>, it: &Named) -> Markup {
    html! {
        li {
            (handle(visit, it.handle)) " "
            @if let Some(it) = it.standing { (badge(it)) " " }
            @if let Some(it) = &it.fact { span dir="auto" { (cut(&said(it), TEXT)) } }
        }
    }
}
