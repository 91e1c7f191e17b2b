//! The code that proves a memory: the cited lines where they stand, and what changed.

use apostille_cite::citation::{Citation, CodeLocation, LineSpan};
use apostille_cite::{diff, verdict::Verdict};
use apostille_core::{memory::Stage, standing_text::describe_evidence, verify::VerifiedMemory};
use maud::{Markup, html};

use crate::components::{render_badge, render_code_lines, render_diff, sanitize_shown_text};
use apostille_api::request_scope::RequestScope;

/// How many lines around the cited ones are shown.
const AROUND: u32 = 3;
/// The largest file that lines are shown of.
const MAX_BYTES: usize = 2 * 1024 * 1024;

/// Everything that a memory cites, each place with its verdict.
pub(super) fn render_evidence_section(
    scope: &RequestScope,
    it: &VerifiedMemory,
    is_withheld: bool,
) -> Markup {
    // What it means that nothing is cited.
    let unproven = match it.memory.status.stage() {
        Stage::Active => {
            "No code is cited, so there is nothing to verify. Agents see it as unverified."
        }
        Stage::Pending => {
            "No code is cited, so there is nothing to verify. Agents do not see it while it is pending."
        }
        _ => "No code is cited, so there is nothing to verify. Agents do not see it.",
    };
    html! {
        section aria-labelledby="evidence" {
            h2 #evidence { "Evidence" }
            @if !is_withheld { @for it in &it.memory.evidence { p.fact dir="auto" { (sanitize_shown_text(&describe_evidence(it))) } } }
            @if it.memory.citations.is_empty() { @if it.memory.evidence.is_empty() { p.hint { (unproven) } } }
            @else if is_withheld {
                p.hint { "The evidence is not shown, because the memory looks as if it held a secret." }
            } @else {
                @for (citation, verdict) in it.memory.citations.iter().zip(&it.verdicts) {
                    (render_cited_place(scope, citation, verdict))
                }
            }
        }
    }
}

/// One place: where it is, how it stands, and the lines.
pub fn render_cited_place(scope: &RequestScope, citation: &Citation, verdict: &Verdict) -> Markup {
    html! {
        article.evidence {
            p.place {
                (render_badge(verdict.as_str()))
                span.at { (sanitize_shown_text(&format_cited_place(citation, verdict))) }
                span.hint { (explain_place_verdict(verdict)) (format_commit_after(" · read at ", &citation.commit)) }
            }
            @if let Verdict::Changed(it) = verdict { (render_values_against("The code no longer says ", &it.contradicted)) }
            (render_evidence_lines(scope, citation, verdict))
        }
    }
}

/// The beginning of a commit's name behind these words, where it is known.
fn format_commit_after(words: &str, commit: &Option<String>) -> String {
    let name = commit.as_deref().and_then(|it| it.get(..10));
    name.map_or_else(String::new, |it| format!("{words}{it}"))
}

fn format_cited_place(citation: &Citation, verdict: &Verdict) -> String {
    let place = citation.location();
    match find_current_place(citation, verdict) {
        Some(now) if now != place => format!("{place} → {now}"),
        _ => place.to_string(),
    }
}

/// Where to look for it now.
pub(super) fn find_current_place(citation: &Citation, verdict: &Verdict) -> Option<CodeLocation> {
    match verdict {
        Verdict::Holds => Some(citation.location()),
        Verdict::Moved { to } => Some(to.clone()),
        Verdict::Changed(it) => Some(it.at.clone()),
        Verdict::Gone { .. } | Verdict::Unknown { .. } => None,
    }
}

/// How it stands, in a few words.
fn explain_place_verdict(verdict: &Verdict) -> String {
    let since = |commit| format_commit_after(" since ", commit);
    match verdict {
        Verdict::Holds => "the cited lines stand there".into(),
        Verdict::Moved { .. } => "the cited lines stand elsewhere now".into(),
        Verdict::Changed(it) => format!("{}{}", it.change.as_phrase(), since(&it.since)),
        Verdict::Gone {
            loss,
            since: commit,
        } => format!("{}{}", loss.as_phrase(), since(commit)),
        Verdict::Unknown { why } => format!("could not look: {}", sanitize_shown_text(why)),
    }
}

/// Values that stand against a memory, behind the words for what they are.
pub fn render_values_against(told: &str, values: &[String]) -> Markup {
    html! {
        @if !values.is_empty() {
            p.against {
                (told)
                @for (n, it) in values.iter().enumerate() { @if n > 0 { ", " } code { (sanitize_shown_text(it)) } }
                "."
            }
        }
    }
}

fn render_evidence_lines(scope: &RequestScope, citation: &Citation, verdict: &Verdict) -> Markup {
    let around =
        find_current_place(citation, verdict).and_then(|it| render_lines_in_context(scope, &it));
    let label = format!("What was cited of {}", citation.path);
    let cited = html! { figure { figcaption { "What was cited" } (render_whole_span(&label, citation.lines, &citation.snippet)) } };
    let Verdict::Changed(it) = verdict else {
        return around.unwrap_or(cited);
    };
    let now = "What is there now";
    let diff =
        diff::format_unified_diff(&format!("{}\n", citation.snippet), &format!("{}\n", it.now));
    html! {
        div.pair {
            (cited)
            figure { figcaption { (now) } (around.unwrap_or_else(|| render_whole_span(now, it.at.lines, &it.now))) }
        }
        h3 { "Line by line" }
        (render_diff("Difference between what was cited and what is there now", &diff))
    }
}

/// Lines that are all of what is meant.
fn render_whole_span(label: &str, lines: LineSpan, text: &str) -> Markup {
    let (first, last) = (lines.first_line(), lines.last_line());
    render_code_lines(&sanitize_shown_text(label), first, text, first..=last)
}

/// The lines at a place of the checkout with some around them; nothing where they cannot be read.
fn render_lines_in_context(scope: &RequestScope, at: &CodeLocation) -> Option<Markup> {
    let blob = scope.cx.source.read_file(&at.path).ok()??;
    if blob.bytes.len() > MAX_BYTES {
        return None;
    }
    let text = String::from_utf8_lossy(&blob.bytes);
    let (first, last) = (at.lines.first_line(), at.lines.last_line());
    let from = first.saturating_sub(AROUND).max(1);
    let n = last.saturating_add(AROUND) - from + 1;
    let lines = text.lines().skip(from as usize - 1).take(n as usize);
    let shown = lines.collect::<Vec<_>>().join("\n");
    let label = sanitize_shown_text(&format!("{} as it is here", at.path));
    Some(render_code_lines(&label, from, &shown, first..=last))
}
