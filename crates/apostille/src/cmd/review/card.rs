//! One that waits, as a person reads it before deciding.

use anstyle::Style;
use apostille_cite::citation::Citation;
use apostille_cite::verdict::Verdict;
use apostille_core::memory::{Channel, Mark, Memory};
use apostille_core::remember::trusted::INSTRUCTION;
use apostille_core::review::{Care, Waiting};

use crate::paint::{
    BOLD, CYAN, DIM, GREEN, Paint, RED, YELLOW, cut, ink, memory, one_line, safe, standing, width,
};

/// How many citations are shown, and how many lines of each.
const CITATIONS: usize = 3;
const LINES: usize = 6;
/// How much of a line is shown.
const WIDEST: usize = 160;
/// How many copies are named.
const COPIES: usize = 5;
/// How wide the rule above a card is, at most.
const RULE: usize = 80;

/// The colour of the care that something needs.
pub fn style(care: Care) -> Style {
    match care {
        Care::Safe => GREEN,
        Care::Unproven => CYAN,
        Care::Doubtful | Care::Outside => YELLOW,
        Care::Suspicious => RED,
    }
}

/// Everything about one that waits: how far it is, the fact, who said it, the evidence, and what is much like it.
pub fn text(paint: &Paint, it: &Waiting, at: usize, of: usize) -> String {
    let memory = it.memory();
    [
        head(paint, it, &format!("{at} of {of}")),
        paint.wrapped(&memory.fact, 2),
        labelled(
            paint,
            "because",
            DIM,
            memory.reason.as_deref().unwrap_or_default(),
        ),
        labelled(paint, "waits:", YELLOW, &why(memory)),
        labelled(paint, "said by", DIM, &who(paint, memory)),
        labelled(paint, "kept as", DIM, &what(memory)),
        labelled(paint, "marked", RED, &marks(memory)),
        evidence(paint, it),
        known(paint, it),
        copies(paint, it),
    ]
    .concat()
}

/// Why it waits. What reads like an instruction is said to do so first, whatever else holds it up.
fn why(memory: &Memory) -> String {
    let why = memory.status.why().unwrap_or_default();
    match memory.marks.contains(&Mark::Instruction) && !why.contains(INSTRUCTION) {
        true => format!("{INSTRUCTION}; {why}"),
        false => why.to_owned(),
    }
}

fn head(paint: &Paint, it: &Waiting, progress: &str) -> String {
    let columns = paint.columns().unwrap_or(RULE).min(RULE);
    let rule = "─".repeat(columns.saturating_sub(width(progress) + 4));
    let subject = it
        .memory()
        .subject
        .as_deref()
        .map(one_line)
        .unwrap_or_default();
    let (handle, care) = (it.memory().handle().to_string(), it.care.as_str());
    let room = columns.saturating_sub(handle.len() + care.len() + 4);
    let subject = if subject.is_empty() {
        subject
    } else {
        format!("  {}", ink(BOLD, cut(&subject, room)))
    };
    let (handle, care) = (ink(BOLD, handle), ink(style(it.care), care));
    format!(
        "{} {progress} {}\n{handle}  {care}{subject}\n",
        ink(DIM, "──"),
        ink(DIM, rule)
    )
}

/// A text behind its label, in lines that fit; nothing where there is no text.
fn labelled(paint: &Paint, label: &str, style: Style, text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let lines = paint.wrapped(&format!("{label} {}", one_line(text)), 2);
    lines.replacen(label, &ink(style, label), 1)
}

fn who(paint: &Paint, memory: &Memory) -> String {
    let voice = &memory.voice;
    let author = voice
        .author
        .as_deref()
        .map(|it| format!(" {it}"))
        .unwrap_or_default();
    let outside = if voice.tainted { ", from outside" } else { "" };
    let session = voice
        .session
        .as_deref()
        .map(|it| format!(", session {it}"))
        .unwrap_or_default();
    let task = memory
        .task
        .as_deref()
        .map(|it| format!(", task {it}"))
        .unwrap_or_default();
    let channel = match voice.channel {
        Channel::Unknown => String::new(),
        known => format!(" by {known}"),
    };
    let when = paint.time(memory.recorded_at);
    format!(
        "{}{author}{channel}{outside}{session}{task}, {when}",
        voice.origin
    )
}

fn what(memory: &Memory) -> String {
    let tags = if memory.tags.is_empty() {
        String::new()
    } else {
        format!(", {}", memory.tags.join(", "))
    };
    format!(
        "{}, {} of {}{tags}",
        memory.kind, memory.layer, memory.space
    )
}

fn marks(memory: &Memory) -> String {
    memory
        .marks
        .iter()
        .map(|it| it.as_str())
        .collect::<Vec<_>>()
        .join(", ")
}

/// The cited lines as they are now, and what they do not say.
fn evidence(paint: &Paint, it: &Waiting) -> String {
    let citations = &it.memory().citations;
    let seen = citations.iter().zip(&it.verified.verdicts);
    let mut out: String = seen
        .take(CITATIONS)
        .map(|(a, b)| place(paint, a, b))
        .collect();
    if let Some(more) = citations.len().checked_sub(CITATIONS).filter(|it| *it > 0) {
        out += &ink(
            DIM,
            format!(
                "  and {more} more places; apostille show {}\n",
                it.memory().handle()
            ),
        );
    }
    if citations.is_empty() {
        out += &ink(DIM, "  nothing is cited\n");
    }
    let unsaid = it
        .unsaid
        .iter()
        .map(|it| format!("`{}`", one_line(it)))
        .collect::<Vec<_>>()
        .join(", ");
    out + &labelled(paint, "the lines do not say", RED, &unsaid)
}

fn place(paint: &Paint, citation: &Citation, verdict: &Verdict) -> String {
    let word = verdict.as_str();
    let judged = paint.wrapped(&format!("{word}  {}", memory::judged(citation, verdict)), 2);
    let head = judged.replacen(word, &ink(standing(word), word), 1);
    let (from, text) = match verdict {
        Verdict::Changed(it) if !it.is_harmless => {
            return head + &memory::against(citation, verdict, 2);
        }
        Verdict::Changed(it) => (it.at.lines.start(), it.now.as_str()),
        Verdict::Gone { .. } => return head,
        Verdict::Moved { to } => (to.lines.start(), citation.snippet.as_str()),
        Verdict::Holds | Verdict::Unknown { .. } => {
            (citation.lines.start(), citation.snippet.as_str())
        }
    };
    head + &lines(paint, from, text)
}

fn lines(paint: &Paint, from: u32, text: &str) -> String {
    let text = safe(text);
    // A narrow terminal wraps the line: the value that matters often stands at its end.
    let room = paint
        .columns()
        .map_or(usize::MAX, |it| it.saturating_sub(10).max(WIDEST));
    let numbered = (from..).zip(text.lines()).take(LINES);
    let shown: String = numbered
        .map(|(n, line)| {
            format!(
                "  {} {}\n",
                ink(DIM, format!("{n:>5} │")),
                cut(line.trim_end(), room)
            )
        })
        .collect();
    let more = text.lines().count().saturating_sub(LINES);
    if more == 0 {
        shown
    } else {
        shown + &ink(DIM, format!("        … {more} more lines\n"))
    }
}

/// What is known that is much like it, and what it would replace.
fn known(paint: &Paint, it: &Waiting) -> String {
    let replaces = it
        .replaces
        .as_ref()
        .map(|it| format!("{}: {}", it.handle(), it.fact))
        .unwrap_or_default();
    let near = it.near.iter().map(|it| {
        let label = format!("like {}", it.handle);
        labelled(
            paint,
            &label,
            CYAN,
            &format!("({}) {}", it.relation.as_str(), it.fact),
        )
    });
    labelled(paint, "replaces", YELLOW, &replaces) + &near.collect::<String>()
}

fn copies(paint: &Paint, it: &Waiting) -> String {
    if it.copies.is_empty() {
        return String::new();
    }
    let named: Vec<String> = it
        .copies
        .iter()
        .take(COPIES)
        .map(|it| it.handle().to_string())
        .collect();
    let more = it.copies.len().saturating_sub(COPIES);
    let more = if more == 0 {
        String::new()
    } else {
        format!(" and {more} more")
    };
    let text = format!(
        "{}{more}: nearly the same words; one decision is for all",
        named.join(", ")
    );
    let label = if it.copies.len() == 1 {
        "copy"
    } else {
        "copies"
    };
    labelled(paint, label, YELLOW, &text)
}
