//! What is written down of a session that is over: numbers, and digests to know things again. No word that was said is in it.

use serde::{Deserialize, Serialize};

use apostille_text::words::words;

/// The version of a line.
const VERSION: u32 = 1;
/// How many memories of a session are named at most.
pub const MAX_NAMED: usize = 60;

words! {
    /// What is compared.
    ImpactMeasure as "measure" {
        /// How often the person put the agent right.
        Corrections = "corrections",
        /// How often with what they had said in an earlier session.
        Repeated = "repeated-mistakes",
        /// Commands that failed.
        FailedCommands = "failed-commands",
        /// Edits that were taken back.
        UndoneEdits = "edits-undone",
        /// Turns of the transcript.
        Turns = "turns",
        /// Tokens, as far as the client tells.
        Tokens = "tokens",
        /// Whether the pull request was merged, of those that were decided.
        Merged = "merged",
    }
}

impl ImpactMeasure {
    /// What it is called in a table.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Corrections => "corrections",
            Self::Repeated => "repeated mistakes",
            Self::FailedCommands => "failed commands",
            Self::UndoneEdits => "edits undone",
            Self::Turns => "turns",
            Self::Tokens => "tokens",
            Self::Merged => "pull requests merged",
        }
    }

    /// A value of it as people read it: a share in percent, a large number in thousands.
    #[must_use]
    pub fn format_value(self, value: f64) -> String {
        if self.is_share() {
            format!("{:.0} %", value * 100.0)
        } else if value.abs() >= 10_000.0 {
            format!("{:.0}k", value / 1_000.0)
        } else {
            format!("{value:.2}")
        }
    }

    /// Whether it is a share of sessions rather than a number of each.
    #[must_use]
    pub fn is_share(self) -> bool {
        self == Self::Merged
    }

    /// Whether more of it is better.
    #[must_use]
    pub fn is_more_better(self) -> bool {
        self == Self::Merged
    }
}

words! {
    /// What became of a pull request.
    ReviewedOutcome as "outcome of a pull request" {
        /// It was merged.
        Merged = "merged",
        /// It was closed without.
        Rejected = "rejected",
    }
}

/// The measures of one session.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SessionMeasures {
    /// When it ended, as RFC 3339.
    pub at: String,
    /// Which session, as a digest of its name.
    pub session: String,
    /// Whose client.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub client: String,
    /// The tier that it had, 0 to 3.
    pub tier: u8,
    /// Whether chance decided about its memory.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub randomized: bool,
    /// Whether it went without memory.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub held_out: bool,
    /// The version of the fixed parts of its prompt.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prompt_version: String,
    /// Which task, as a digest of its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// How often the person put the agent right.
    pub corrections: u32,
    /// How often with what they had said in an earlier session.
    pub repeated: u32,
    /// Commands that failed.
    pub failed_commands: u32,
    /// Edits that were taken back.
    pub undone_edits: u32,
    /// Turns of the transcript.
    pub turns: u32,
    /// What the person said, in turns.
    pub prompts: u32,
    /// Tokens, where the client tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// How often the agent asked memory by itself.
    pub asked: u32,
    /// Whether the work ended well by what commands showed; `None` where nothing tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_well: Option<bool>,
    /// The memories that were shown, by id.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shown: Vec<String>,
    /// Those that were of use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub applied: Vec<String>,
    /// Those that the code spoke against.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contradicted: Vec<String>,
    /// What became of its pull request. It is looked up when it is asked for, and not written down.
    #[serde(skip)]
    pub outcome: Option<ReviewedOutcome>,
}

/// A line as it is written.
#[derive(Serialize, Deserialize)]
struct MeasuresLine<T> {
    v: u32,
    #[serde(flatten)]
    measures: T,
}

impl SessionMeasures {
    /// The number for a measure; `None` where nothing tells.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a mean needs no more")]
    pub fn value_of(&self, measure: ImpactMeasure) -> Option<f64> {
        Some(match measure {
            ImpactMeasure::Corrections => f64::from(self.corrections),
            ImpactMeasure::Repeated => f64::from(self.repeated),
            ImpactMeasure::FailedCommands => f64::from(self.failed_commands),
            ImpactMeasure::UndoneEdits => f64::from(self.undone_edits),
            ImpactMeasure::Turns => f64::from(self.turns),
            ImpactMeasure::Tokens => self.tokens? as f64,
            ImpactMeasure::Merged => match self.outcome? {
                ReviewedOutcome::Merged => 1.0,
                ReviewedOutcome::Rejected => 0.0,
            },
        })
    }

    /// The line for it, without an end.
    #[must_use]
    pub fn to_json_line(&self) -> String {
        let line = MeasuresLine {
            v: VERSION,
            measures: self,
        };
        // Texts and whole numbers only: there is nothing in a line that JSON cannot write.
        serde_json::to_string(&line).unwrap_or_default()
    }

    /// The session that a line stands for; `None` for one that is torn, or that a newer program wrote.
    #[must_use]
    pub fn from_json_line(line: &str) -> Option<Self> {
        let line: MeasuresLine<Self> = serde_json::from_str(line).ok()?;
        (line.v == VERSION).then_some(line.measures)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_is_read_as_it_was_written() {
        let measures = SessionMeasures {
            at: "2026-03-01T12:00:00Z".into(),
            session: "0123456789abcdef".into(),
            tier: 3,
            randomized: true,
            corrections: 2,
            tokens: Some(1_200),
            shown: vec!["0190163d-8694-739b-aea5-966c26f8ad90".into()],
            ..SessionMeasures::default()
        };
        let line = measures.to_json_line();
        assert!(line.starts_with("{\"v\":1,\"at\":"), "{line}");
        assert_eq!(SessionMeasures::from_json_line(&line), Some(measures));
        let newer = line.replace("\"v\":1", "\"v\":2");
        assert_eq!(SessionMeasures::from_json_line(&newer), None);
        assert_eq!(SessionMeasures::from_json_line(&line[..40]), None);
    }
}
