//! A memory as people read it.

use apostille_cite::citation::Citation;
use apostille_cite::diff;
use apostille_cite::verdict::{Change, Verdict, worst};
use apostille_core::memory::{Memory, Stage};

use super::{BOLD, DIM, Paint, RED, YELLOW, ink, one_line, safe, standing};

/// How far the text of a memory stands behind its handle.
const INDENT: usize = 6;

/// A memory with how its citations stand: handle, standing, subject; the fact; the places and the age.
pub fn entry(paint: &Paint, memory: &Memory, verdicts: &[Verdict]) -> String {
    let word = worst(verdicts).map_or("unverified", Verdict::as_str);
    let subject = memory
        .subject
        .as_deref()
        .map(|it| ink(BOLD, one_line(it)))
        .unwrap_or_default();
    let head = format!(
        "{:INDENT$}{}  {subject}",
        memory.handle(),
        ink(standing(word), word)
    );
    let head =
        ink(BOLD, head.get(..INDENT).unwrap_or_default()) + head.get(INDENT..).unwrap_or_default();
    let fact = paint.wrapped(&memory.fact, INDENT);
    format!(
        "{}\n{fact}{}",
        head.trim_end(),
        places(paint, memory, verdicts)
    )
}

/// Where the memory is written and how each place stands, with what changed as a diff; the age on the first line.
fn places(paint: &Paint, memory: &Memory, verdicts: &[Verdict]) -> String {
    let age = paint.time(memory.refreshed_at) + &remarks(memory);
    let mut lines = memory
        .citations
        .iter()
        .zip(verdicts)
        .map(|(citation, verdict)| {
            (
                judged(citation, verdict),
                against(citation, verdict, INDENT),
            )
        });
    let (first, diff) = lines.next().unwrap_or_default();
    let first = if first.is_empty() {
        age
    } else {
        format!("{first} · {age}")
    };
    let line = |text: &str| format!("{:INDENT$}{}\n", "", ink(DIM, text));
    let rest: String = lines.map(|(place, diff)| line(&place) + &diff).collect();
    line(&first) + &diff + &rest
}

/// What else a reader should know before trusting it.
fn remarks(memory: &Memory) -> String {
    let stage = memory.status.stage();
    let stage = (stage != Stage::Active).then(|| format!(" · {stage}"));
    let tainted = memory.voice.tainted.then(|| " · from outside".to_owned());
    let marks = memory.marks.iter().map(|it| format!(" · {it}"));
    stage.into_iter().chain(tainted).chain(marks).collect()
}

/// One place, and where it is now if it moved.
pub fn place(citation: &Citation, verdict: &Verdict) -> String {
    let place = one_line(&citation.place().to_string());
    match verdict {
        Verdict::Moved { to } => format!("{place} → {}", one_line(&to.to_string())),
        Verdict::Changed(it) if it.at != citation.place() => {
            format!("{place} → {}", one_line(&it.at.to_string()))
        }
        _ => place,
    }
}

/// A kind of change in a few words.
pub fn told(change: Change) -> &'static str {
    match change {
        Change::Whitespace => "only spacing differs",
        Change::Formatting => "only the layout differs",
        Change::Comment => "only comments differ",
        Change::Inserted => "lines were put in between",
        Change::Rename => "names were changed",
        Change::Substance => "it says something else",
    }
}

/// The commit that did it, where it is known.
fn since(commit: Option<&str>) -> String {
    commit
        .and_then(|it| it.get(..8))
        .map(|it| format!(" since {it}"))
        .unwrap_or_default()
}

/// One place and how it stands, where the standing of the whole does not say it.
pub fn judged(citation: &Citation, verdict: &Verdict) -> String {
    let place = place(citation, verdict);
    match verdict {
        Verdict::Changed(it) if it.is_harmless => format!("{place} ({})", told(it.change)),
        Verdict::Changed(it) => format!(
            "{place} ({}{})",
            told(it.change),
            since(it.since.as_deref())
        ),
        Verdict::Gone {
            loss,
            since: commit,
        } => {
            format!("{place} ({}{})", loss.told(), since(commit.as_deref()))
        }
        Verdict::Unknown { why } => format!("{place} (could not look: {})", one_line(why)),
        Verdict::Holds | Verdict::Moved { .. } => place,
    }
}

/// What speaks against the fact: what the code no longer says, and the diff.
pub fn against(citation: &Citation, verdict: &Verdict, indent: usize) -> String {
    contradicted(verdict, indent) + &changes(citation, verdict, indent + 2)
}

/// What the fact names and the code no longer says.
fn contradicted(verdict: &Verdict, indent: usize) -> String {
    let Verdict::Changed(it) = verdict else {
        return String::new();
    };
    if it.contradicted.is_empty() {
        return String::new();
    }
    let names = it
        .contradicted
        .iter()
        .map(|it| ink(BOLD, format!("`{}`", one_line(it))));
    let names = names.collect::<Vec<_>>().join(", ");
    format!(
        "{:indent$}{} {names}\n",
        "",
        ink(RED, "the code no longer says")
    )
}

/// What stands there now instead, as a diff; nothing unless the words changed.
pub fn changes(citation: &Citation, verdict: &Verdict, indent: usize) -> String {
    match verdict {
        Verdict::Changed(it) if !it.is_harmless => {
            let text = diff::unified(&format!("{}\n", citation.snippet), &format!("{}\n", it.now));
            super::diff(&text, indent)
        }
        _ => String::new(),
    }
}

/// The cited lines with their numbers.
pub fn evidence(citation: &Citation, indent: usize) -> String {
    let numbered = (citation.lines.start()..).zip(
        safe(&citation.snippet)
            .lines()
            .map(str::to_owned)
            .collect::<Vec<_>>(),
    );
    numbered.fold(String::new(), |out, (n, line)| {
        out + &format!(
            "{:indent$}{} {}\n",
            "",
            ink(DIM, format!("{n:>5} │")),
            line.trim_end()
        )
    })
}

/// The colour of a stage.
pub fn stage(stage: Stage) -> anstyle::Style {
    match stage {
        Stage::Active => anstyle::Style::new(),
        Stage::Pending => YELLOW,
        Stage::Invalid => RED,
        Stage::Superseded | Stage::Retired => DIM,
    }
}
