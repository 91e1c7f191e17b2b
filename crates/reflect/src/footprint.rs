//! What is kept of a session that is over, so that several can be compared: which files it read and changed, how commands fared, and
//! what it looked for in vain. No word of a conversation is in it, and it goes when the conversation is forgotten.

use serde::{Deserialize, Serialize};

/// The version of a line.
const VERSION: u32 = 1;
/// How many files, commands and searches of a session are kept.
pub const MAX_FILES: usize = 60;
/// How many commands, and how many searches.
pub const MAX_NOTES: usize = 10;

/// What a session left behind in the repository.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SessionFootprint {
    /// When it ended, as RFC 3339.
    pub at: String,
    /// Which session, as a digest of its name.
    pub session: String,
    /// Its episode, by id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub episode: Option<String>,
    /// Whether it failed, or was given up.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
    /// The files that it changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edited: Vec<String>,
    /// The files that it read before it changed the first one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<String>,
    /// Commands that failed and succeeded later, with what ran in between.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fixes: Vec<CommandFix>,
    /// Searches that found nothing, before the file was found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missed: Vec<MissedSearch>,
}

/// A command that failed first and succeeded later.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandFix {
    /// The command.
    pub failed: String,
    /// What ran in between, and succeeded.
    pub between: Vec<String>,
}

/// A search that found nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MissedSearch {
    /// What was looked for.
    pub sought: String,
    /// The file that was changed next.
    pub found: String,
}

/// A line as it is written.
#[derive(Serialize, Deserialize)]
struct FootprintLine<T> {
    v: u32,
    #[serde(flatten)]
    footprint: T,
}

impl SessionFootprint {
    /// The line for it, without an end.
    #[must_use]
    pub fn to_json_line(&self) -> String {
        let line = FootprintLine {
            v: VERSION,
            footprint: self,
        };
        // Texts only: there is nothing in a line that JSON cannot write.
        serde_json::to_string(&line).unwrap_or_default()
    }

    /// The session that a line stands for; `None` for one that is torn, or that a newer program wrote.
    #[must_use]
    pub fn from_json_line(line: &str) -> Option<Self> {
        let line: FootprintLine<Self> = serde_json::from_str(line).ok()?;
        (line.v == VERSION).then_some(line.footprint)
    }
}
