//! What was said and done in a session, whichever client wrote it down.

mod injected_text;

use std::path::Path;

use jiff::Timestamp;

use apostille_text::words::words;

use crate::hook::{
    exposure::{ToolUse, weigh_tool_use},
    shell::list_whole_commands,
};

pub use injected_text::strip_injected_text;

words! {
    /// Who speaks.
    TurnSpeaker as "speaker" {
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
pub struct TranscriptTurn {
    /// Its place in the transcript, counted from 1.
    pub number: usize,
    /// When.
    pub at: Option<Timestamp>,
    /// Who.
    pub speaker: TurnSpeaker,
    /// The words, without anything that was put beside them by a hook.
    pub text: String,
    /// The tools that the agent called here.
    pub uses: Vec<TranscriptCall>,
}

/// A tool that an agent called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranscriptCall {
    /// The tool, by the client's own name.
    pub tool: String,
    /// The files it was about, as the client wrote them.
    pub paths: Vec<String>,
    /// What it was given, bounded.
    pub input: String,
    /// Whether it succeeded, where the client wrote that down.
    pub has_succeeded: Option<bool>,
    /// Whether it went on in the background: then how it ended is not known.
    pub is_background: bool,
}

/// Names the files of a checkout from its root: where it lies on this machine is nobody else's business.
pub fn strip_checkout_root(turns: &mut [TranscriptTurn], root: &Path) {
    let uses = turns.iter_mut().flat_map(|it| &mut it.uses);
    for path in uses.flat_map(|it| &mut it.paths) {
        if let Ok(inside) = Path::new(path.as_str()).strip_prefix(root)
            && let Some(inside) = inside.to_str()
        {
            *path = inside.into();
        }
    }
}

/// Whether a tool runs commands.
pub(crate) fn is_shell_tool(tool: &str) -> bool {
    let tool = tool.to_ascii_lowercase();
    ["bash", "shell", "exec", "terminal", "powershell", "command"]
        .iter()
        .any(|it| tool.contains(it))
}

impl TranscriptCall {
    /// The commands of a call, and whether each succeeded. Of a chain that failed nobody knows which one it was.
    pub(crate) fn list_ended_commands(&self) -> Vec<(String, bool)> {
        let is_shell = is_shell_tool(&self.tool) && !self.is_background;
        let (Some(has_succeeded), true) = (self.has_succeeded, is_shell) else {
            return Vec::new();
        };
        let commands = list_whole_commands(&self.input).unwrap_or_default();
        if !has_succeeded && commands.len() != 1 {
            return Vec::new();
        }
        let ended = commands.into_iter().map(|it| (it, has_succeeded));
        ended.collect()
    }

    /// Whether the call brought in what strangers wrote, as far as its own words tell.
    pub(crate) fn is_outside(&self) -> bool {
        let used = ToolUse {
            tool: &self.tool,
            input: &self.input,
            is_shell: is_shell_tool(&self.tool),
            cwd: None,
        };
        weigh_tool_use(&used).is_certain
    }
}
