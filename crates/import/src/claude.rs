//! What Claude Code keeps for itself: an index `MEMORY.md`, topic pages of bullets, and files of one memory each with a
//! head that says its name and type.

use super::blocks::collect_blocks;
use super::{
    candidate::{self, CandidateCollector, ImportCandidate},
    foreign_file::ForeignFile,
    front_matter::FrontMatter,
};
use apostille_core::memory::Kind;

/// Takes the memories out of a file: one that has a type is one memory, the rest are pages.
pub(super) fn collect_claude_memories(page: &mut CandidateCollector, sheet: &ForeignFile) {
    let front = FrontMatter::parse_leading(sheet.text);
    match front.get("type").and_then(|it| it.parse().ok()) {
        Some(kind) => page.add_whole_candidate(parse_single_memory(sheet.text, &front, kind)),
        None => collect_page_memories(page, sheet, front.n_lines),
    }
}

/// A file of one memory: its body is the fact, and what it calls "Why" is the reason.
fn parse_single_memory(text: &str, front: &FrontMatter, kind: Kind) -> ImportCandidate {
    let (mut fact, reason) = split_off_reason(text.lines().skip(front.n_lines));
    if fact.is_empty() {
        fact = front.get("description").unwrap_or_default().to_owned();
    }
    ImportCandidate {
        subject: front.get("name").map(Into::into),
        reason,
        said_at: front.said_at(),
        ..ImportCandidate::new(format!("line {}", front.n_lines + 1), kind, fact)
    }
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
    let body = body.join("\n").trim().to_owned();
    (body, reason.filter(|it| !it.is_empty()))
}

/// An index, or a page about a topic.
fn collect_page_memories(page: &mut CandidateCollector, sheet: &ForeignFile, head: usize) {
    let topic = sheet
        .name
        .and_then(|it| it.strip_suffix(".md"))
        .filter(|it| *it != "MEMORY");
    let is_pointer = |text: &str| is_page_pointer(text, topic.is_none());
    collect_blocks(
        page,
        (sheet.text, head),
        |text| is_pointer(text).then_some("it points to a file, which is read by itself"),
        |at, heading, text| {
            let subject = heading.or_else(|| topic.map(Into::into));
            let kind = candidate::infer_memory_kind(subject.as_deref().unwrap_or(""), &text);
            ImportCandidate {
                subject,
                ..ImportCandidate::new(at, kind, text)
            }
        },
    );
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
