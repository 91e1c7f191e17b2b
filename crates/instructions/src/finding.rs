//! What was found, as people and programs read it.

use apostille_text::words;
use serde::Serialize;

words! {
    /// What may be found about a name.
    InstructionRule as "rule" {
        /// It is not in the tree.
        Gone = "gone",
        /// It is in the tree under another path.
        Moved = "moved",
        /// The file that would declare it does not.
        Contradicted = "contradicted",
    }
}

impl InstructionRule {
    /// What it means.
    pub fn description(self) -> &'static str {
        match self {
            Self::Gone => "an instruction file names something that is not in the tree",
            Self::Moved => "an instruction file names something that is elsewhere in the tree",
            Self::Contradicted => {
                "an instruction file names something that its own manifest does not declare"
            }
        }
    }
}

/// One name that does not agree with the tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InstructionFinding {
    /// `gone`, `moved` or `contradicted`.
    pub rule: &'static str,
    /// What kind of thing is named: `path`, `script`, `symbol`, …
    pub kind: &'static str,
    /// The name, as it is written.
    pub name: String,
    /// The instruction file.
    pub path: String,
    /// The line, counted from 1.
    pub line: u32,
    /// The column of its first character, counted from 1.
    pub column: u32,
    /// The column behind its last character.
    pub end_column: u32,
    /// What was looked for.
    pub looked_for: String,
    /// Where it was looked for.
    pub looked_in: String,
    /// Where it is now, or the nearest name that there is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<String>,
    /// All of it in one sentence.
    pub message: String,
}

/// One name, and how it was judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct JudgedMention {
    /// What kind of thing is named.
    pub kind: &'static str,
    /// The name, as it is written.
    pub name: String,
    /// The instruction file.
    pub path: String,
    /// The line, counted from 1.
    pub line: u32,
    /// `found`, the rule of a finding, or why it is not one: `example`, `placeholder`, …
    pub judged: &'static str,
}

/// What a set of instruction files names, and what of it does not agree with the tree.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct InstructionReport {
    /// Whether nothing was found.
    pub ok: bool,
    /// The files that were read.
    pub files: Vec<String>,
    /// How many names were looked up.
    pub checked: usize,
    /// How many of them are left open, because what is meant is not sure.
    pub open: usize,
    /// What does not agree.
    pub findings: Vec<InstructionFinding>,
    /// Every name and how it was judged, where that was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mentions: Vec<JudgedMention>,
}
