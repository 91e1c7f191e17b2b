//! One that waits, as a person reads it before deciding.

use anstyle::Style;
use apostille_audit::review::{ReviewCare, ReviewItem};
use apostille_cite::citation::Citation;
use apostille_cite::verdict::Verdict;
use apostille_core::memory::{Channel, Mark, Memory};
use apostille_core::remember::quarantine::INSTRUCTION;

use apostille_terminal::paint::{
    BOLD, CYAN, DIM, GREEN, Paint, RED, YELLOW, flatten_to_line, make_terminal_safe,
    measure_text_width, memory, pick_standing_style, style_text, truncate_to_width,
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
pub(crate) fn choose_care_style(care: ReviewCare) -> Style {
    match care {
        ReviewCare::Safe => GREEN,
        ReviewCare::Unproven => CYAN,
        ReviewCare::Doubtful | ReviewCare::Outside => YELLOW,
        ReviewCare::Suspicious => RED,
    }
}

/// Everything about one that waits: how far it is, the fact, who said it, the evidence, and what is much like it.
pub(crate) fn format_review_card(paint: &Paint, it: &ReviewItem, at: usize, of: usize) -> String {
    let memory = it.memory();
    [
        format_card_head(paint, it, &format!("{at} of {of}")),
        paint.wrap_text(&memory.fact, 2),
        format_card_field(
            paint,
            "because",
            DIM,
            memory.reason.as_deref().unwrap_or_default(),
        ),
        format_card_field(paint, "waits:", YELLOW, &format_pending_reason(memory)),
        format_card_field(paint, "said by", DIM, &format_card_author(paint, memory)),
        format_card_field(paint, "kept as", DIM, &format_card_kind(memory)),
        format_card_field(paint, "marked", RED, &format_card_marks(memory)),
        format_card_evidence(paint, it),
        format_card_neighbours(paint, it),
        format_card_copies(paint, it),
    ]
    .concat()
}

/// Why it waits. What reads like an instruction is said to do so first, whatever else holds it up.
fn format_pending_reason(memory: &Memory) -> String {
    let why = memory.status.why().unwrap_or_default();
    match memory.marks.contains(&Mark::Instruction) && !why.contains(INSTRUCTION) {
        true => format!("{INSTRUCTION}; {why}"),
        false => why.to_owned(),
    }
}

fn format_card_head(paint: &Paint, it: &ReviewItem, progress: &str) -> String {
    let columns = paint.columns().unwrap_or(RULE).min(RULE);
    let rule = "─".repeat(columns.saturating_sub(measure_text_width(progress) + 4));
    let subject = it
        .memory()
        .subject
        .as_deref()
        .map(flatten_to_line)
        .unwrap_or_default();
    let (handle, care) = (it.memory().handle().to_string(), it.care.as_str());
    let room = columns.saturating_sub(handle.len() + care.len() + 4);
    let subject = if subject.is_empty() {
        subject
    } else {
        format!("  {}", style_text(BOLD, truncate_to_width(&subject, room)))
    };
    let (handle, care) = (
        style_text(BOLD, handle),
        style_text(choose_care_style(it.care), care),
    );
    format!(
        "{} {progress} {}\n{handle}  {care}{subject}\n",
        style_text(DIM, "──"),
        style_text(DIM, rule)
    )
}

/// A text behind its label, in lines that fit; nothing where there is no text.
fn format_card_field(paint: &Paint, label: &str, style: Style, text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let lines = paint.wrap_text(&format!("{label} {}", flatten_to_line(text)), 2);
    lines.replacen(label, &style_text(style, label), 1)
}

fn format_card_author(paint: &Paint, memory: &Memory) -> String {
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
    let when = paint.format_time(memory.recorded_at);
    format!(
        "{}{author}{channel}{outside}{session}{task}, {when}",
        voice.origin
    )
}

fn format_card_kind(memory: &Memory) -> String {
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

fn format_card_marks(memory: &Memory) -> String {
    memory
        .marks
        .iter()
        .map(|it| it.as_str())
        .collect::<Vec<_>>()
        .join(", ")
}

/// The cited lines as they are now, and what they do not say.
fn format_card_evidence(paint: &Paint, it: &ReviewItem) -> String {
    let citations = &it.memory().citations;
    let seen = citations.iter().zip(&it.verified.verdicts);
    let mut out: String = seen
        .take(CITATIONS)
        .map(|(a, b)| format_card_citation(paint, a, b))
        .collect();
    if let Some(more) = citations.len().checked_sub(CITATIONS).filter(|it| *it > 0) {
        out += &style_text(
            DIM,
            format!(
                "  and {more} more places; apostille show {}\n",
                it.memory().handle()
            ),
        );
    }
    if citations.is_empty() {
        out += &style_text(DIM, "  nothing is cited\n");
    }
    let unsaid = it
        .unsaid
        .iter()
        .map(|it| format!("`{}`", flatten_to_line(it)))
        .collect::<Vec<_>>()
        .join(", ");
    out + &format_card_field(paint, "the lines do not say", RED, &unsaid)
}

fn format_card_citation(paint: &Paint, citation: &Citation, verdict: &Verdict) -> String {
    let word = verdict.as_str();
    let judged = paint.wrap_text(
        &format!("{word}  {}", memory::format_judged_place(citation, verdict)),
        2,
    );
    let head = judged.replacen(word, &style_text(pick_standing_style(word), word), 1);
    let (from, text) = match verdict {
        Verdict::Changed(it) if !it.is_harmless => {
            return head + &memory::format_counter_evidence(citation, verdict, 2);
        }
        Verdict::Changed(it) => (it.at.lines.first_line(), it.now.as_str()),
        Verdict::Gone { .. } => return head,
        Verdict::Moved { to } => (to.lines.first_line(), citation.snippet.as_str()),
        Verdict::Holds | Verdict::Unknown { .. } => {
            (citation.lines.first_line(), citation.snippet.as_str())
        }
    };
    head + &format_cited_lines(paint, from, text)
}

fn format_cited_lines(paint: &Paint, from: u32, text: &str) -> String {
    let text = make_terminal_safe(text);
    // A narrow terminal wraps the line: the value that matters often stands at its end.
    let room = paint
        .columns()
        .map_or(usize::MAX, |it| it.saturating_sub(10).max(WIDEST));
    let numbered = (from..).zip(text.lines()).take(LINES);
    let shown: String = numbered
        .map(|(n, line)| {
            format!(
                "  {} {}\n",
                style_text(DIM, format!("{n:>5} │")),
                truncate_to_width(line.trim_end(), room)
            )
        })
        .collect();
    let more = text.lines().count().saturating_sub(LINES);
    if more == 0 {
        shown
    } else {
        shown + &style_text(DIM, format!("        … {more} more lines\n"))
    }
}

/// What is known that is much like it, and what it would replace.
fn format_card_neighbours(paint: &Paint, it: &ReviewItem) -> String {
    let replaces = it
        .replaces
        .as_ref()
        .map(|it| format!("{}: {}", it.handle(), it.fact))
        .unwrap_or_default();
    let near = it.near.iter().map(|it| {
        let label = format!("like {}", it.handle);
        format_card_field(
            paint,
            &label,
            CYAN,
            &format!("({}) {}", it.relation.as_str(), it.fact),
        )
    });
    format_card_field(paint, "replaces", YELLOW, &replaces) + &near.collect::<String>()
}

fn format_card_copies(paint: &Paint, it: &ReviewItem) -> String {
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
    format_card_field(paint, label, YELLOW, &text)
}
