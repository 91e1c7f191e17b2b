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
