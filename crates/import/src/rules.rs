//! Rule files: AGENTS.md, CLAUDE.md, GEMINI.md, copilot-instructions.md, Cursor's rules. Their bullets and paragraphs
//! are rules; code, tables and headings are not.

use super::blocks::{Block, blocks};
use super::front::Front;
use super::piece::{Page, Piece, Reading, Unfit};
use super::sheet::Sheet;
use apostille_core::memory::Kind;
use apostille_core::policy::Limits;

/// How the file that a program wrote about itself begins.
const BOILERPLATE: &str = "This file provides guidance to ";

/// Takes the rules out of a file.
pub(super) fn read(sheet: &Sheet<'_>, limits: &Limits) -> Result<Reading, Unfit> {
    let (front, head) = Front::of(sheet.text);
    let mut page = Page::new(limits);
    if Front::is_broken_off(sheet.text) {
        return Ok(page.broken_off());
    }
    let reason = Some(front.all("globs").join(", ")).filter(|it| !it.is_empty());
    let reason = reason.map(|it| format!("a rule for {it}"));
    for block in blocks(sheet.text, head) {
        match block {
            Block::Other { line, why } => page.leave(format!("line {line}"), why),
            Block::Text { line, text, .. } if text.starts_with(BOILERPLATE) => {
                page.leave(format!("line {line}"), "it says what the file is for");
            }
            Block::Text { line, text, .. } if is_word(&text) => {
                page.leave(format!("line {line}"), "a word by itself");
            }
            Block::Text {
                line,
                heading,
                text,
            } => {
                let subject = heading.or_else(|| front.get("description").map(Into::into));
                let piece = Piece::new(format!("line {line}"), Kind::Feedback, text);
                page.keep(Piece {
                    subject,
                    reason: reason.clone(),
                    ..piece
                });
            }
        }
    }
    Ok(page.done())
}

/// Whether a text is a single word: a name, and nothing said of it. Scripts without spaces have no single words.
pub(super) fn is_word(text: &str) -> bool {
    text.is_ascii() && text.split_whitespace().count() < 2
}
