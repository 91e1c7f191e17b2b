//! What a repository's own instruction files name, looked up in its tree.
//!
//! ```
//! use std::collections::BTreeSet;
//!
//! use apostille_cite::citation::RepoPath;
//! use apostille_cite::source::{Source, SourceBlob, SourceError, SourceTree};
//! use apostille_instructions::{InstructionFile, check_instructions};
//!
//! /// A repository with one file.
//! struct OneFile;
//!
//! impl Source for OneFile {
//!     fn read_tree(&self) -> Result<SourceTree, SourceError> {
//!         Ok(SourceTree::default())
//!     }
//!     fn read_file(&self, _: &RepoPath) -> Result<Option<SourceBlob>, SourceError> {
//!         Ok(None)
//!     }
//!     fn list_paths(&self) -> Result<Option<BTreeSet<RepoPath>>, SourceError> {
//!         Ok(Some(["src/retry.rs".parse().unwrap()].into()))
//!     }
//! }
//!
//! let file = InstructionFile {
//!     path: "AGENTS.md".parse()?,
//!     text: "Retries are in `src/retry.rs`, limits in `src/limits.rs`.".into(),
//! };
//! let report = check_instructions(&[file], &OneFile, &|| false)?;
//! assert_eq!(report.checked, 2);
//! assert_eq!(report.findings[0].message, "`src/limits.rs` is not in the tree");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! How the pieces fit: [`check_instructions`] reads each file as Markdown, takes out what it names, and holds every name
//! against the tree through the port [`apostille_cite::source::Source`]. What is not there, moved, or not declared where it
//! should be is an [`InstructionFinding`]. A name that may be meant otherwise, such as a placeholder or an example, is left open.

mod collect;
mod commands;
mod declared;
mod diagram;
mod discover;
mod doubt;
mod finding;
mod ignore_rules;
mod judge;
mod markdown;
mod mention;
mod shell;
mod symbols;
mod tree_index;
mod word_list;

use apostille_cite::{
    citation::RepoPath,
    source::{Source, SourceError},
};

use collect::collect_mentions;
pub use discover::find_instruction_files;
pub use finding::{InstructionFinding, InstructionReport, InstructionRule, JudgedMention};
use judge::{Disagreement, MentionJudge, MentionJudgement};
use mention::Mention;
pub use symbols::is_document;
use tree_index::TreeIndex;

/// The largest instruction file that is read, in bytes.
pub const MAX_INSTRUCTIONS: usize = 4 * 1024 * 1024;

/// An instruction file, as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstructionFile {
    /// Where it lies.
    pub path: RepoPath,
    /// What it says.
    pub text: String,
}

/// Instructions could not be checked.
#[derive(Debug, thiserror::Error)]
pub enum InstructionError {
    /// The tree cannot be listed.
    #[error("there is no tree here to look names up in")]
    NoTree,
    /// The tree could not be read.
    #[error(transparent)]
    Source(#[from] SourceError),
}

/// Looks up everything that these files name. The search for symbols ends when it is late, and then finds nothing gone.
pub fn check_instructions(
    files: &[InstructionFile],
    source: &dyn Source,
    is_late: &dyn Fn() -> bool,
) -> Result<InstructionReport, InstructionError> {
    let tree = TreeIndex::read(source)?.ok_or(InstructionError::NoTree)?;
    let named: Vec<Vec<Mention>> = files.iter().map(|it| collect_mentions(&it.text)).collect();
    let judge = MentionJudge::new(&tree, source, &named.concat(), is_late);
    let mut report = InstructionReport::default();
    for (file, mentions) in files.iter().zip(&named) {
        let judgements = judge.judge_file(file.path.as_str(), mentions);
        for (mention, judgement) in mentions.iter().zip(judgements) {
            report.add(file, mention, judgement);
        }
        report.files.push(file.path.to_string());
    }
    report.ok = report.findings.is_empty();
    Ok(report)
}

impl InstructionReport {
    fn add(&mut self, file: &InstructionFile, mention: &Mention, judgement: MentionJudgement) {
        let (line, column) = find_position(&file.text, mention.start);
        let judged = match &judgement {
            MentionJudgement::Found => "found",
            MentionJudgement::Doubted(doubt) => doubt.as_str(),
            MentionJudgement::Wrong(wrong) => wrong.rule.as_str(),
        };
        self.mentions.push(JudgedMention {
            kind: mention.kind.as_str(),
            name: mention.name.clone(),
            path: file.path.to_string(),
            line,
            judged,
        });
        self.checked += 1;
        self.open += usize::from(matches!(judgement, MentionJudgement::Doubted(_)));
        if let MentionJudgement::Wrong(wrong) = judgement {
            self.findings
                .push(build_finding(file, mention, wrong, line, column));
        }
    }
}

fn build_finding(
    file: &InstructionFile,
    mention: &Mention,
    wrong: Disagreement,
    line: u32,
    column: u32,
) -> InstructionFinding {
    let written = &file.text[mention.start..mention.start + mention.len];
    let width = u32::try_from(written.chars().count()).unwrap_or(0);
    InstructionFinding {
        rule: wrong.rule.as_str(),
        kind: mention.kind.as_str(),
        name: mention.name.clone(),
        path: file.path.to_string(),
        line,
        column,
        end_column: column + width,
        looked_for: wrong.looked_for,
        looked_in: wrong.looked_in,
        now: wrong.now,
        message: wrong.message,
    }
}

/// The line and column of a byte, both counted from 1, the column in characters.
fn find_position(text: &str, at: usize) -> (u32, u32) {
    let before = &text[..at];
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |it| it + 1);
    let column = before[start..].chars().count() + 1;
    (
        u32::try_from(line).unwrap_or(u32::MAX),
        u32::try_from(column).unwrap_or(u32::MAX),
    )
}

#[cfg(test)]
mod tests;
