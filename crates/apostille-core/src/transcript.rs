//! What was said and done in a session, whichever client wrote it down.

mod spoken;

use jiff::Timestamp;

use crate::words::words;

pub use spoken::spoken;

words! {
    /// Who speaks.
    Speaker as "speaker" {
        /// The person in front of the agent.
        Person = "person",
        /// The agent.
        Agent = "agent",
        /// A tool, with what it gave back.
        Tool = "tool",
    }
}

/// One thing that was said or done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Its place in the transcript, counted from 1.
    pub number: usize,
    /// When.
    pub at: Option<Timestamp>,
    /// Who.
    pub speaker: Speaker,
    /// The words, without anything that was put beside them by a hook.
    pub text: String,
    /// The tools that the agent called here.
    pub uses: Vec<Use>,
}

/// A tool that an agent called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Use {
    /// The tool, by the client's own name.
    pub tool: String,
    /// The files it was about, as the client wrote them.
    pub paths: Vec<String>,
    /// What it was given, bounded.
    pub input: String,
    /// Whether it succeeded, where the client wrote that down.
    pub has_succeeded: Option<bool>,
}

/// Whether a tool brings in what strangers wrote: pages, searches, other servers. A command that fetches does, too, unless
/// it asks this machine.
#[must_use]
pub fn brings_in_words(tool: &str, input: &str) -> bool {
    let tool = tool.to_lowercase();
    let has = |text: &str, words: &[&str]| words.iter().any(|it| text.contains(it));
    let is_other_server = tool.contains("mcp") && !has(&tool, &["memory", "apostille"]);
    let asks = has(input, &["gh issue", "gh pr", "gh api", "glab "]);
    let fetches = has(input, &["curl ", "wget "]) && !has(input, &["localhost", "127.0.0.1"]);
    is_other_server || has(&tool, &["web", "fetch", "browser", "search_query"]) || asks || fetches
}
