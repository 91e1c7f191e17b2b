//! Rule files: AGENTS.md, CLAUDE.md, GEMINI.md, copilot-instructions.md, Cursor's rules. Their bullets and paragraphs
//! are rules; code, tables and headings are not.

use super::blocks::{MarkdownBlock, parse_markdown_blocks};
use super::candidate::{CandidateCollector, FormatMismatch, ImportCandidate, ParsedForeignFile};
use super::foreign_file::ForeignFile;
use super::front_matter::FrontMatter;
use apostille_core::memory::Kind;
use apostille_core::policy::MemoryLimits;

/// How the file that a program wrote about itself begins.
const BOILERPLATE: &str = "This file provides guidance to ";

/// Takes the rules out of a file.
pub(super) fn parse_rule_file(
    sheet: &ForeignFile<'_>,
    limits: &MemoryLimits,
) -> Result<ParsedForeignFile, FormatMismatch> {
    let (front, head) = FrontMatter::parse_leading(sheet.text);
    let mut page = CandidateCollector::new(limits);
    if FrontMatter::is_unclosed(sheet.text) {
        return Ok(page.into_broken_off());
    }
    let reason = Some(front.values_of("globs").join(", ")).filter(|it| !it.is_empty());
    let reason = reason.map(|it| format!("a rule for {it}"));
    for block in parse_markdown_blocks(sheet.text, head) {
        match block {
            MarkdownBlock::Other { line, why } => page.leave_out(format!("line {line}"), why),
            MarkdownBlock::Text { line, text, .. } if text.starts_with(BOILERPLATE) => {
                page.leave_out(format!("line {line}"), "it says what the file is for");
            }
            MarkdownBlock::Text { line, text, .. } if is_single_word(&text) => {
                page.leave_out(format!("line {line}"), "a word by itself");
            }
            MarkdownBlock::Text {
                line,
                heading,
                text,
            } => {
                let subject = heading.or_else(|| front.get("description").map(Into::into));
                let piece = ImportCandidate::new(format!("line {line}"), Kind::Feedback, text);
                page.add_candidate(ImportCandidate {
                    subject,
                    reason: reason.clone(),
                    ..piece
                });
            }
        }
    }
    Ok(page.into_parsed_file())
}

/// Whether a text is a single word: a name, and nothing said of it. Scripts without spaces have no single words.
pub(super) fn is_single_word(text: &str) -> bool {
    text.is_ascii() && text.split_whitespace().count() < 2
}
