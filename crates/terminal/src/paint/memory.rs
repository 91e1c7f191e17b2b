//! A memory as people read it.

use apostille_cite::citation::Citation;
use apostille_cite::diff;
use apostille_cite::verdict::{Verdict, find_worst_verdict};
use apostille_core::memory::{Memory, Stage};

use super::{
    BOLD, DIM, Paint, RED, YELLOW, flatten_to_line, make_terminal_safe, pick_standing_style,
    style_text,
};

/// How far the text of a memory stands behind its handle.
const INDENT: usize = 6;

/// A memory with how its citations stand: handle, standing, subject; the fact; the places and the age.
pub fn format_memory_entry(paint: &Paint, memory: &Memory, verdicts: &[Verdict]) -> String {
    let word = find_worst_verdict(verdicts).map_or("unverified", Verdict::as_str);
    let subject = memory
        .subject
        .as_deref()
        .map(|it| style_text(BOLD, flatten_to_line(it)))
        .unwrap_or_default();
    let head = format!(
        "{:INDENT$}{}  {subject}",
        memory.handle(),
        style_text(pick_standing_style(word), word)
    );
    let head = style_text(BOLD, head.get(..INDENT).unwrap_or_default())
        + head.get(INDENT..).unwrap_or_default();
    let fact = paint.wrap_text(&memory.fact, INDENT);
    format!(
        "{}\n{fact}{}",
        head.trim_end(),
        format_memory_places(paint, memory, verdicts)
    )
}

/// Where the memory is written and how each place stands, with what changed as a diff; the age on the first line.
fn format_memory_places(paint: &Paint, memory: &Memory, verdicts: &[Verdict]) -> String {
    let age = paint.format_time(memory.refreshed_at) + &format_memory_remarks(memory);
    let mut lines = memory
        .citations
        .iter()
        .zip(verdicts)
        .map(|(citation, verdict)| {
            (
                format_judged_place(citation, verdict),
                format_counter_evidence(citation, verdict, INDENT),
            )
        });
    let (first, diff) = lines.next().unwrap_or_default();
    let first = if first.is_empty() {
        age
    } else {
        format!("{first} · {age}")
    };
    let line = |text: &str| format!("{:INDENT$}{}\n", "", style_text(DIM, text));
    let rest: String = lines.map(|(place, diff)| line(&place) + &diff).collect();
    line(&first) + &diff + &rest
}

/// What else a reader should know before trusting it.
fn format_memory_remarks(memory: &Memory) -> String {
    let stage = memory.status.stage();
    let stage = (stage != Stage::Active).then(|| format!(" · {stage}"));
    let tainted = memory.voice.tainted.then(|| " · from outside".to_owned());
    let marks = memory.marks.iter().map(|it| format!(" · {it}"));
    stage.into_iter().chain(tainted).chain(marks).collect()
}

/// One place, and where it is now if it moved.
pub fn format_citation_place(citation: &Citation, verdict: &Verdict) -> String {
    let place = flatten_to_line(&citation.location().to_string());
    match verdict {
        Verdict::Moved { to } => format!("{place} → {}", flatten_to_line(&to.to_string())),
        Verdict::Changed(it) if it.at != citation.location() => {
            format!("{place} → {}", flatten_to_line(&it.at.to_string()))
        }
        _ => place,
    }
}

/// The commit that did it, where it is known.
fn format_change_commit(commit: Option<&str>) -> String {
    commit
        .and_then(|it| it.get(..8))
        .map(|it| format!(" since {it}"))
        .unwrap_or_default()
}

/// One place and how it stands, where the standing of the whole does not say it.
pub fn format_judged_place(citation: &Citation, verdict: &Verdict) -> String {
    let place = format_citation_place(citation, verdict);
    match verdict {
        Verdict::Changed(it) if it.is_harmless => {
            format!("{place} ({})", it.change.as_phrase())
        }
        Verdict::Changed(it) => format!(
            "{place} ({}{})",
            it.change.as_phrase(),
            format_change_commit(it.since.as_deref())
        ),
        Verdict::Gone {
            loss,
            since: commit,
        } => {
            format!(
                "{place} ({}{})",
                loss.as_phrase(),
                format_change_commit(commit.as_deref())
            )
        }
        Verdict::Unknown { why } => format!("{place} (could not look: {})", flatten_to_line(why)),
        Verdict::Holds | Verdict::Moved { .. } => place,
    }
}

/// What speaks against the fact: what the code no longer says, and the diff.
pub fn format_counter_evidence(citation: &Citation, verdict: &Verdict, indent: usize) -> String {
    format_contradicted_literals(verdict, indent)
        + &format_cited_changes(citation, verdict, indent + 2)
}

/// What the fact names and the code no longer says.
fn format_contradicted_literals(verdict: &Verdict, indent: usize) -> String {
    let Verdict::Changed(it) = verdict else {
        return String::new();
    };
    if it.contradicted.is_empty() {
        return String::new();
    }
    let names = it
        .contradicted
        .iter()
        .map(|it| style_text(BOLD, format!("`{}`", flatten_to_line(it))));
    let names = names.collect::<Vec<_>>().join(", ");
    format!(
        "{:indent$}{} {names}\n",
        "",
        style_text(RED, "the code no longer says")
    )
}

/// What stands there now instead, as a diff; nothing unless the words changed.
pub fn format_cited_changes(citation: &Citation, verdict: &Verdict, indent: usize) -> String {
    match verdict {
        Verdict::Changed(it) if !it.is_harmless => {
            let text = diff::format_unified_diff(
                &format!("{}\n", citation.snippet),
                &format!("{}\n", it.now),
            );
            super::colour_diff(&text, indent)
        }
        _ => String::new(),
    }
}

/// The cited lines with their numbers.
pub fn format_numbered_evidence(citation: &Citation, indent: usize) -> String {
    let numbered = (citation.lines.first_line()..).zip(
        make_terminal_safe(&citation.snippet)
            .lines()
            .map(str::to_owned)
            .collect::<Vec<_>>(),
    );
    numbered.fold(String::new(), |out, (n, line)| {
        out + &format!(
            "{:indent$}{} {}\n",
            "",
            style_text(DIM, format!("{n:>5} │")),
            line.trim_end()
        )
    })
}

/// The colour of a stage.
pub fn pick_stage_style(stage: Stage) -> anstyle::Style {
    match stage {
        Stage::Active => anstyle::Style::new(),
        Stage::Pending => YELLOW,
        Stage::Invalid => RED,
        Stage::Superseded | Stage::Retired => DIM,
    }
}

/// What it says on one line.
pub fn format_subject_and_fact(memory: &Memory) -> String {
    match &memory.subject {
        Some(subject) => format!(
            "{}: {}",
            flatten_to_line(subject),
            flatten_to_line(&memory.fact)
        ),
        None => flatten_to_line(&memory.fact),
    }
}
