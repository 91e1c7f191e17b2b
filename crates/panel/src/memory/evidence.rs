//! The code that proves a memory: the cited lines where they stand, and what changed.

use apostille_cite::citation::{Citation, Cite, Lines};
use apostille_cite::diff;
use apostille_cite::verdict::{Change, Verdict};
use apostille_core::memory::Stage;
use apostille_core::verify::Verified;
use maud::{Markup, html};

use crate::parts;
use crate::parts::{badge, code, said};
use apostille_api::visit::Visit;

/// How many lines around the cited ones are shown.
const AROUND: u32 = 3;
/// The largest file that lines are shown of.
const MAX_BYTES: usize = 2 * 1024 * 1024;

/// Everything that a memory cites, each place with its verdict.
#[must_use]
pub(super) fn section(visit: &Visit<'_>, it: &Verified, is_withheld: bool) -> Markup {
    let pairs = it.memory.citations.iter().zip(&it.verdicts);
    html! {
        section aria-labelledby="evidence" {
            h2 #evidence { "Evidence" }
            @if it.memory.citations.is_empty() {
                p.hint { (unproven(it.memory.status.stage())) }
            }
            @if is_withheld && !it.memory.citations.is_empty() {
                p.hint { "The evidence is not shown, because the memory looks as if it held a secret." }
            } @else {
                @for (citation, verdict) in pairs { (place(visit, citation, verdict)) }
            }
        }
    }
}

/// What it means that nothing is cited.
fn unproven(stage: Stage) -> &'static str {
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
pub fn place(visit: &Visit<'_>, citation: &Citation, verdict: &Verdict) -> Markup {
    html! {
        article.evidence {
            p.place {
                (badge(verdict.as_str()))
                span.at { (said(&told_place(citation, verdict))) }
                span.hint { (judged(verdict)) (read_at(citation)) }
            }
            (contradicted(verdict))
            (lines(visit, citation, verdict))
        }
    }
}

fn read_at(citation: &Citation) -> String {
    let commit = citation.commit.as_deref().and_then(|it| it.get(..10));
    commit
        .map(|it| format!(" · read at {it}"))
        .unwrap_or_default()
}

fn told_place(citation: &Citation, verdict: &Verdict) -> String {
    let place = citation.place();
    match now_at(citation, verdict) {
        Some(now) if now != place => format!("{place} → {now}"),
        _ => place.to_string(),
    }
}

/// Where to look for it now.
fn now_at(citation: &Citation, verdict: &Verdict) -> Option<Cite> {
    match verdict {
        Verdict::Holds => Some(citation.place()),
        Verdict::Moved { to } => Some(to.clone()),
        Verdict::Changed(it) => Some(it.at.clone()),
        Verdict::Gone { .. } | Verdict::Unknown { .. } => None,
    }
}

/// How it stands, in a few words.
fn judged(verdict: &Verdict) -> String {
    let since = |it: &Option<String>| {
        it.as_deref()
            .and_then(|it| it.get(..10))
            .map(|it| format!(" since {it}"))
            .unwrap_or_default()
    };
    match verdict {
        Verdict::Holds => "the cited lines stand there".into(),
        Verdict::Moved { .. } => "the cited lines stand elsewhere now".into(),
        Verdict::Changed(it) => format!("{}{}", changed(it.change), since(&it.since)),
        Verdict::Gone {
            loss,
            since: commit,
        } => format!("{}{}", loss.told(), since(commit)),
        Verdict::Unknown { why } => format!("could not look: {}", said(why)),
    }
}

fn changed(change: Change) -> &'static str {
    match change {
        Change::Whitespace => "only spacing differs",
        Change::Formatting => "only the layout differs",
        Change::Comment => "only comments differ",
        Change::Inserted => "lines were put in between",
        Change::Rename => "names were changed",
        Change::Substance => "it says something else",
    }
}

fn contradicted(verdict: &Verdict) -> Markup {
    let Verdict::Changed(it) = verdict else {
        return html! {};
    };
    html! {
        @if !it.contradicted.is_empty() {
            p.against {
                "The code no longer says "
                @for (n, it) in it.contradicted.iter().enumerate() {
                    @if n > 0 { ", " }
                    code { (said(it)) }
                }
                "."
            }
        }
    }
}

fn lines(visit: &Visit<'_>, citation: &Citation, verdict: &Verdict) -> Markup {
    let around = now_at(citation, verdict).and_then(|it| around(visit, &it));
    match (verdict, around) {
        (Verdict::Changed(it), around) => {
            let was = format!("{}\n", citation.snippet);
            let now = format!("{}\n", it.now);
            html! {
                div.pair {
                    figure { figcaption { "What was cited" } (cited(citation)) }
                    figure { figcaption { "What is there now" } (around.unwrap_or_else(|| standing(it.at.lines, &it.now))) }
                }
                h3 { "Line by line" }
                (parts::diff("Difference between what was cited and what is there now", &diff::unified(&was, &now)))
            }
        }
        (_, Some(around)) => around,
        (_, None) => html! { figure { figcaption { "What was cited" } (cited(citation)) } },
    }
}

/// The lines as they were when they were cited.
fn cited(citation: &Citation) -> Markup {
    let label = format!("What was cited of {}", citation.path);
    code(
        &said(&label),
        citation.lines.start(),
        &citation.snippet,
        citation.lines.start()..=citation.lines.end(),
    )
}

fn standing(lines: Lines, text: &str) -> Markup {
    code(
        "What is there now",
        lines.start(),
        text,
        lines.start()..=lines.end(),
    )
}

/// The lines at a place of the checkout with some around them; nothing where they cannot be read.
fn around(visit: &Visit<'_>, at: &Cite) -> Option<Markup> {
    let blob = visit.cx.source.read(&at.path).ok()??;
    if blob.bytes.len() > MAX_BYTES {
        return None;
    }
    let text = String::from_utf8_lossy(&blob.bytes);
    let from = at.lines.start().saturating_sub(AROUND).max(1);
    let n = at.lines.end().saturating_add(AROUND) - from + 1;
    let shown: Vec<&str> = text
        .lines()
        .skip(from as usize - 1)
        .take(n as usize)
        .collect();
    let label = format!("{} as it is here", at.path);
    Some(code(
        &said(&label),
        from,
        &shown.join("\n"),
        at.lines.start()..=at.lines.end(),
    ))
}
