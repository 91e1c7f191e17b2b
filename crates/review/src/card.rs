//! One that waits, as a person reads it before deciding.

use anstyle::Style;
use apostille_audit::review::{ReviewCare, ReviewItem};
use apostille_cite::{citation::Citation, verdict::Verdict};
use apostille_core::{
    memory::{Channel, Memory, ModerationMark},
    remember::quarantine::INSTRUCTION,
};
use apostille_terminal::paint::{
    BOLD, CYAN, DIM, GREEN, Paint, RED, YELLOW, flatten_to_line, format_after, format_if,
    join_texts, make_terminal_safe, measure_text_width, memory, style_text, truncate_to_width,
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
            memory.reason.as_deref().unwrap_or(""),
        ),
        format_card_field(paint, "waits:", YELLOW, &format_pending_reason(memory)),
        format_card_field(paint, "said by", DIM, &format_card_author(paint, memory)),
        format_card_field(paint, "kept as", DIM, &format_card_kind(memory)),
        format_card_field(paint, "marked", RED, &join_texts(&memory.marks, ", ")),
        format_card_evidence(paint, it),
        format_card_neighbours(paint, it),
        format_card_copies(paint, it),
    ]
    .concat()
}

/// Why it waits. What reads like an instruction is said to do so first, whatever else holds it up.
fn format_pending_reason(memory: &Memory) -> String {
    let why = memory.status.why().unwrap_or_default();
    if memory.marks.contains(&ModerationMark::Instruction) && !why.contains(INSTRUCTION) {
        format!("{INSTRUCTION}; {why}")
    } else {
        why.to_owned()
    }
}

fn format_card_head(paint: &Paint, it: &ReviewItem, progress: &str) -> String {
    let columns = paint.columns.unwrap_or(RULE).min(RULE);
    let rule = "─".repeat(columns.saturating_sub(measure_text_width(progress) + 4));
    let handle = it.memory().handle().to_string();
    let care = it.care.as_str();
    let subject = format_after("", it.memory().subject.as_deref());
    let subject = format_if(!subject.is_empty(), || {
        let room = columns.saturating_sub(handle.len() + care.len() + 4);
        format!("  {BOLD}{}{BOLD:#}", truncate_to_width(&subject, room))
    });
    format!(
        "{DIM}──{DIM:#} {progress} {DIM}{rule}{DIM:#}\n{BOLD}{handle}{BOLD:#}  {}{subject}\n",
        style_text(choose_care_style(it.care), care)
    )
}

/// A text behind its label, in lines that fit; nothing where there is no text.
fn format_card_field(paint: &Paint, label: &str, style: Style, text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    paint
        .wrap_text(&format!("{label} {}", flatten_to_line(text)), 2)
        .replacen(label, &style_text(style, label), 1)
}

fn format_card_author(paint: &Paint, memory: &Memory) -> String {
    let voice = &memory.voice;
    // What is somebody's is made harmless with the whole.
    let told = |before: &str, words: &Option<String>| {
        words
            .as_ref()
            .map(|it| format!("{before}{it}"))
            .unwrap_or_default()
    };
    let channel = format_if(voice.channel != Channel::Unknown, || {
        format!(" by {}", voice.channel)
    });
    format!(
        "{}{}{channel}{}{}{}, {}",
        voice.origin,
        told(" ", &voice.author),
        if voice.tainted { ", from outside" } else { "" },
        told(", session ", &voice.session),
        told(", task ", &memory.task),
        paint.format_time(memory.recorded_at)
    )
}

fn format_card_kind(memory: &Memory) -> String {
    let tags = memory.tags.iter().map(|it| format!(", {it}"));
    format!(
        "{}, {} of {}{}",
        memory.kind,
        memory.layer,
        memory.space,
        tags.collect::<String>()
    )
}

/// The cited lines as they are now, and what they do not say.
fn format_card_evidence(paint: &Paint, it: &ReviewItem) -> String {
    let citations = &it.memory().citations;
    let mut out: String = citations
        .iter()
        .zip(&it.verified.verdicts)
        .take(CITATIONS)
        .map(|(a, b)| format_card_citation(paint, a, b))
        .collect();
    if citations.len() > CITATIONS {
        let more = citations.len() - CITATIONS;
        let handle = it.memory().handle();
        let told = format!("  and {more} more places; apostille show {handle}\n");
        out += &style_text(DIM, told);
    }
    if citations.is_empty() {
        out += &style_text(DIM, "  nothing is cited\n");
    }
    let unsaid = join_texts(it.unsaid.iter().map(|it| memory::quote_name(it)), ", ");
    out + &format_card_field(paint, "the lines do not say", RED, &unsaid)
}

fn format_card_citation(paint: &Paint, citation: &Citation, verdict: &Verdict) -> String {
    let word = verdict.as_str();
    let judged = memory::format_judged_place(citation, verdict);
    let head = paint.wrap_text(&format!("{word}  {judged}"), 2).replacen(
        word,
        &memory::style_standing(word),
        1,
    );
    let (lines, text) = match verdict {
        Verdict::Changed(it) if !it.is_harmless => {
            return head + &memory::format_counter_evidence(citation, verdict, 2);
        }
        Verdict::Changed(it) => (it.at.lines, &it.now),
        Verdict::Gone { .. } => return head,
        Verdict::Moved { to } => (to.lines, &citation.snippet),
        Verdict::Holds | Verdict::Unknown { .. } => (citation.lines, &citation.snippet),
    };
    head + &format_cited_lines(paint, lines.first_line(), text)
}

fn format_cited_lines(paint: &Paint, from: u32, text: &str) -> String {
    let text = make_terminal_safe(text);
    // A narrow terminal wraps the line: the value that matters often stands at its end.
    let room = paint
        .columns
        .map_or(usize::MAX, |it| it.saturating_sub(10).max(WIDEST));
    let line = |(n, line): (u32, &str)| {
        let line = truncate_to_width(line.trim_end(), room);
        format!("  {}", memory::format_numbered_line(n, &line))
    };
    let shown = (from..).zip(text.lines()).take(LINES).map(line);
    let more = text.lines().count().saturating_sub(LINES);
    let more = format_if(more > 0, || {
        format!("{DIM}        … {more} more lines\n{DIM:#}")
    });
    shown.collect::<String>() + &more
}

/// What is known that is much like it, and what it would replace.
fn format_card_neighbours(paint: &Paint, it: &ReviewItem) -> String {
    let replaces = it
        .replaces
        .as_ref()
        .map(|it| format!("{}: {}", it.handle(), it.fact));
    let near = it.near.iter().map(|it| {
        let text = format!("({}) {}", it.relation.as_str(), it.fact);
        format_card_field(paint, &format!("like {}", it.handle), CYAN, &text)
    });
    format_card_field(paint, "replaces", YELLOW, &replaces.unwrap_or_default())
        + &near.collect::<String>()
}

fn format_card_copies(paint: &Paint, it: &ReviewItem) -> String {
    if it.copies.is_empty() {
        return String::new();
    }
    let named = it.copies.iter().take(COPIES).map(Memory::handle);
    let more = it.copies.len().saturating_sub(COPIES);
    let text = format!(
        "{}{}: nearly the same words; one decision is for all",
        join_texts(named, ", "),
        format_if(more > 0, || format!(" and {more} more"))
    );
    let label = if it.copies.len() == 1 {
        "copy"
    } else {
        "copies"
    };
    format_card_field(paint, label, YELLOW, &text)
}
