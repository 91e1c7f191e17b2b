//! The code that proves a memory: the cited lines where they stand, and what changed.

use apostille_cite::citation::{Citation, CodeLocation, LineSpan};
use apostille_cite::diff;
use apostille_cite::verdict::{Change, Verdict};
use apostille_core::memory::Stage;
use apostille_core::verify::VerifiedMemory;
use maud::{Markup, html};

use crate::components;
use crate::components::{render_badge, render_code_lines, sanitize_shown_text};
use apostille_api::request_scope::RequestScope;

/// How many lines around the cited ones are shown.
const AROUND: u32 = 3;
/// The largest file that lines are shown of.
const MAX_BYTES: usize = 2 * 1024 * 1024;

/// Everything that a memory cites, each place with its verdict.
#[must_use]
pub(super) fn render_evidence_section(
    visit: &RequestScope<'_>,
    it: &VerifiedMemory,
    is_withheld: bool,
) -> Markup {
    let pairs = it.memory.citations.iter().zip(&it.verdicts);
    html! {
        section aria-labelledby="evidence" {
            h2 #evidence { "Evidence" }
            @if it.memory.citations.is_empty() {
                p.hint { (explain_missing_citations(it.memory.status.stage())) }
            }
            @if is_withheld && !it.memory.citations.is_empty() {
                p.hint { "The evidence is not shown, because the memory looks as if it held a secret." }
            } @else {
                @for (citation, verdict) in pairs { (render_cited_place(visit, citation, verdict)) }
            }
        }
    }
}

/// What it means that nothing is cited.
fn explain_missing_citations(stage: Stage) -> &'static str {
    match stage {
        Stage::Active => {
            "Nothing is cited, so nothing can be looked up: it is shown to agents as unverified."
        }
        Stage::Pending => {
            "Nothing is cited, so nothing can be looked up. No agent is shown it while it waits."
        }
        _ => "Nothing is cited, so nothing can be looked up. No agent is shown it.",
    }
}

/// One place: where it is, how it stands, and the lines.
#[must_use]
pub fn render_cited_place(
    visit: &RequestScope<'_>,
    citation: &Citation,
    verdict: &Verdict,
) -> Markup {
    html! {
        article.evidence {
            p.place {
                (render_badge(verdict.as_str()))
                span.at { (sanitize_shown_text(&format_cited_place(citation, verdict))) }
                span.hint { (explain_place_verdict(verdict)) (format_read_commit(citation)) }
            }
            (render_contradicted_values(verdict))
            (render_evidence_lines(visit, citation, verdict))
        }
    }
}

fn format_read_commit(citation: &Citation) -> String {
    let commit = citation.commit.as_deref().and_then(|it| it.get(..10));
    commit
        .map(|it| format!(" · read at {it}"))
        .unwrap_or_default()
}

fn format_cited_place(citation: &Citation, verdict: &Verdict) -> String {
    let place = citation.location();
    match find_current_place(citation, verdict) {
        Some(now) if now != place => format!("{place} → {now}"),
        _ => place.to_string(),
    }
}

/// Where to look for it now.
fn find_current_place(citation: &Citation, verdict: &Verdict) -> Option<CodeLocation> {
    match verdict {
        Verdict::Holds => Some(citation.location()),
        Verdict::Moved { to } => Some(to.clone()),
        Verdict::Changed(it) => Some(it.at.clone()),
        Verdict::Gone { .. } | Verdict::Unknown { .. } => None,
    }
}

/// How it stands, in a few words.
fn explain_place_verdict(verdict: &Verdict) -> String {
    let since = |it: &Option<String>| {
        it.as_deref()
            .and_then(|it| it.get(..10))
            .map(|it| format!(" since {it}"))
            .unwrap_or_default()
    };
    match verdict {
        Verdict::Holds => "the cited lines stand there".into(),
        Verdict::Moved { .. } => "the cited lines stand elsewhere now".into(),
        Verdict::Changed(it) => format!("{}{}", explain_line_change(it.change), since(&it.since)),
        Verdict::Gone {
            loss,
            since: commit,
        } => format!("{}{}", loss.as_phrase(), since(commit)),
        Verdict::Unknown { why } => format!("could not look: {}", sanitize_shown_text(why)),
    }
}

fn explain_line_change(change: Change) -> &'static str {
    match change {
        Change::Whitespace => "only spacing differs",
        Change::Formatting => "only the layout differs",
        Change::Comment => "only comments differ",
        Change::Inserted => "lines were put in between",
        Change::Rename => "names were changed",
        Change::Substance => "it says something else",
    }
}

fn render_contradicted_values(verdict: &Verdict) -> Markup {
    let Verdict::Changed(it) = verdict else {
        return html! {};
    };
    html! {
        @if !it.contradicted.is_empty() {
            p.against {
                "The code no longer says "
                @for (n, it) in it.contradicted.iter().enumerate() {
                    @if n > 0 { ", " }
                    code { (sanitize_shown_text(it)) }
                }
                "."
            }
        }
    }
}

fn render_evidence_lines(
    visit: &RequestScope<'_>,
    citation: &Citation,
    verdict: &Verdict,
) -> Markup {
    let around =
        find_current_place(citation, verdict).and_then(|it| render_lines_in_context(visit, &it));
    match (verdict, around) {
        (Verdict::Changed(it), around) => {
            let was = format!("{}\n", citation.snippet);
            let now = format!("{}\n", it.now);
            html! {
                div.pair {
                    figure { figcaption { "What was cited" } (render_cited_lines(citation)) }
                    figure { figcaption { "What is there now" } (around.unwrap_or_else(|| render_current_lines(it.at.lines, &it.now))) }
                }
                h3 { "Line by line" }
                (components::render_diff("Difference between what was cited and what is there now", &diff::format_unified_diff(&was, &now)))
            }
        }
        (_, Some(around)) => around,
        (_, None) => {
            html! { figure { figcaption { "What was cited" } (render_cited_lines(citation)) } }
        }
    }
}

/// The lines as they were when they were cited.
fn render_cited_lines(citation: &Citation) -> Markup {
    let label = format!("What was cited of {}", citation.path);
    render_code_lines(
        &sanitize_shown_text(&label),
        citation.lines.first_line(),
        &citation.snippet,
        citation.lines.first_line()..=citation.lines.last_line(),
    )
}

fn render_current_lines(lines: LineSpan, text: &str) -> Markup {
    render_code_lines(
        "What is there now",
        lines.first_line(),
        text,
        lines.first_line()..=lines.last_line(),
    )
}

/// The lines at a place of the checkout with some around them; nothing where they cannot be read.
fn render_lines_in_context(visit: &RequestScope<'_>, at: &CodeLocation) -> Option<Markup> {
    let blob = visit.cx.source.read_file(&at.path).ok()??;
    if blob.bytes.len() > MAX_BYTES {
        return None;
    }
    let text = String::from_utf8_lossy(&blob.bytes);
    let from = at.lines.first_line().saturating_sub(AROUND).max(1);
    let n = at.lines.last_line().saturating_add(AROUND) - from + 1;
    let shown: Vec<&str> = text
        .lines()
        .skip(from as usize - 1)
        .take(n as usize)
        .collect();
    let label = format!("{} as it is here", at.path);
    Some(render_code_lines(
        &sanitize_shown_text(&label),
        from,
        &shown.join("\n"),
        at.lines.first_line()..=at.lines.last_line(),
    ))
}
