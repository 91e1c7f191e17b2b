//! What Claude Code keeps for itself: an index `MEMORY.md`, topic pages of bullets, and files of one memory each with a
//! head that says its name and type.

use super::blocks::{MarkdownBlock, parse_markdown_blocks};
use super::candidate::{
    self, CandidateCollector, FormatMismatch, ImportCandidate, ParsedForeignFile,
};
use super::foreign_file::ForeignFile;
use super::front_matter::FrontMatter;
use super::rule_file::is_single_word;
use apostille_core::memory::Kind;
use apostille_core::policy::MemoryLimits;

/// Takes the memories out of a file.
pub(super) fn parse_claude_memory(
    sheet: &ForeignFile<'_>,
    limits: &MemoryLimits,
) -> Result<ParsedForeignFile, FormatMismatch> {
    let (front, head) = FrontMatter::parse_leading(sheet.text);
    let mut page = CandidateCollector::new(limits);
    if FrontMatter::is_unclosed(sheet.text) {
        return Ok(page.into_broken_off());
    }
    match front.get("type").and_then(|it| it.parse().ok()) {
        Some(kind) => collect_single_memory(&mut page, sheet.text, &front, head, kind),
        None => collect_page_memories(&mut page, sheet, head),
    }
    Ok(page.into_parsed_file())
}

/// A file of one memory: its body is the fact, and what it calls "Why" is the reason.
fn collect_single_memory(
    page: &mut CandidateCollector<'_>,
    text: &str,
    front: &FrontMatter,
    head: usize,
    kind: Kind,
) {
    let (body, reason) = split_off_reason(text.lines().skip(head));
    let fact = if body.is_empty() {
        front.get("description").unwrap_or_default().to_owned()
    } else {
        body
    };
    let said_at = ["created", "created_at", "date"]
        .iter()
        .find_map(|it| candidate::parse_foreign_time(front.get(it)?));
    let subject = front.get("name").map(Into::into);
    let piece = ImportCandidate::new(format!("line {}", head + 1), kind, fact);
    page.add_whole_candidate(ImportCandidate {
        subject,
        reason,
        said_at,
        ..piece
    });
}

/// The lines of a body, and the paragraph that begins with `**Why:**`.
fn split_off_reason<'a>(lines: impl Iterator<Item = &'a str>) -> (String, Option<String>) {
    let (mut body, mut reason, mut is_why) = (Vec::new(), None::<String>, false);
    for line in lines {
        match line.strip_prefix("**Why:**") {
            Some(why) if reason.is_none() => {
                (is_why, reason) = (true, Some(why.trim().to_owned()));
            }
            _ if is_why && !line.trim().is_empty() && !line.starts_with("**") => {
                reason = reason.map(|it| format!("{it} {}", line.trim()));
            }
            // What was taken out leaves no gap.
            _ if line.trim().is_empty() && body.last().is_none_or(String::is_empty) => {
                is_why = false
            }
            _ => {
                is_why = false;
                body.push(line.replacen("**How to apply:**", "How to apply:", 1));
            }
        }
    }
    (
        body.join("\n").trim().to_owned(),
        reason.filter(|it| !it.is_empty()),
    )
}

/// An index, or a page about a topic.
fn collect_page_memories(page: &mut CandidateCollector<'_>, sheet: &ForeignFile<'_>, head: usize) {
    let topic = sheet
        .name
        .and_then(|it| it.strip_suffix(".md"))
        .filter(|it| *it != "MEMORY");
    for block in parse_markdown_blocks(sheet.text, head) {
        match block {
            MarkdownBlock::Other { line, why } => page.leave_out(format!("line {line}"), why),
            MarkdownBlock::Text { line, text, .. } if is_page_pointer(&text, topic.is_none()) => {
                page.leave_out(
                    format!("line {line}"),
                    "it points to a file, which is read by itself",
                );
            }
            MarkdownBlock::Text { line, text, .. } if is_single_word(&text) => {
                page.leave_out(format!("line {line}"), "a word by itself");
            }
            MarkdownBlock::Text {
                line,
                heading,
                text,
            } => {
                let subject = heading.or_else(|| topic.map(Into::into));
                let kind = candidate::infer_memory_kind(subject.as_deref().unwrap_or(""), &text);
                page.add_candidate(ImportCandidate {
                    subject,
                    ..ImportCandidate::new(format!("line {line}"), kind, text)
                });
            }
        }
    }
}

/// Whether a text begins with a link to a page beside this one; in an index, also with the name of one and a colon.
fn is_page_pointer(text: &str, is_index: bool) -> bool {
    let linked = || {
        let (_, rest) = text.strip_prefix('[')?.split_once("](")?;
        Some(rest.split_once(')')?.0)
    };
    let named = || Some(text.split_once(':')?.0.trim_matches(['`', '*']));
    let is_page = |it: &str| it.ends_with(".md") && !it.contains("://") && !it.contains(' ');
    linked().is_some_and(is_page) || (is_index && named().is_some_and(is_page))
}
