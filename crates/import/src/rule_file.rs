//! Rule files: AGENTS.md, CLAUDE.md, GEMINI.md, copilot-instructions.md, Cursor's rules. Their bullets and paragraphs
//! are rules; code, tables and headings are not.

use super::blocks::collect_blocks;
use super::{
    candidate::{CandidateCollector, ImportCandidate},
    foreign_file::ForeignFile,
    front_matter::FrontMatter,
};
use apostille_core::memory::Kind;

/// How the file that a program wrote about itself begins.
const BOILERPLATE: &str = "This file provides guidance to ";

/// Takes the rules out of a file.
pub(super) fn collect_rules(page: &mut CandidateCollector, sheet: &ForeignFile) {
    let front = FrontMatter::parse_leading(sheet.text);
    let globs = front.values_of("globs").join(", ");
    let reason = (!globs.is_empty()).then(|| format!("a rule for {globs}"));
    let is_about_file = |text: &str| text.starts_with(BOILERPLATE);
    collect_blocks(
        page,
        (sheet.text, front.n_lines),
        |text| is_about_file(text).then_some("it says what the file is for"),
        |at, heading, text| ImportCandidate {
            subject: heading.or_else(|| front.get("description").map(Into::into)),
            reason: reason.clone(),
            ..ImportCandidate::new(at, Kind::Feedback, text)
        },
    );
}
