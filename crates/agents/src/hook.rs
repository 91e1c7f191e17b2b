//! What a client says when it calls a hook, and what it is told in return: text in, text out.
//!
//! Every client has its own events, its own field names and its own answers, and no one answer works everywhere: one of
//! them refuses the whole hook for a key it does not know. What differs is data and small functions in the folder of the
//! client (`clients`); here is what reads and writes by them, and knows no client.

pub(crate) mod caller;
pub mod delegated_task;
pub mod exposure;
pub mod failure;
pub(crate) mod format;
pub(crate) mod hook_blocks;
pub(crate) mod payload;
pub(crate) mod reply;
pub(crate) mod shell;
pub(crate) mod touched_paths;

/// How long an agent waits at most, unless the user says otherwise.
pub const DEADLINE_MS: u64 = 300;
/// A variable that has a hook start nothing beside itself: whoever tries one in a room of its own clears the room when
/// it has answered.
pub const ALONE: &str = "APOSTILLE_HOOK_ALONE";

use std::path::PathBuf;

use crate::client::Client;

use self::{delegated_task::DelegatedTask, exposure::OutsideText, failure::FailedCommand};

/// A call of a hook, as the client describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookCall {
    /// Who is really calling: the file that a hook stands in may belong to another client.
    pub client: Client,
    /// The event, by the caller's own name.
    pub event: String,
    /// The session.
    pub session: Option<String>,
    /// The turn, in clients that count them.
    pub turn: Option<String>,
    /// The sub-agent that it happens to; nothing where it is the agent that the person talks to.
    pub agent: Option<String>,
    /// Where the agent stands.
    pub cwd: Option<PathBuf>,
    /// The file that the client writes the session to. It may not exist yet.
    pub transcript: Option<PathBuf>,
    /// What is happening.
    pub moment: HookMoment,
}

/// What is happening in a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookMoment {
    /// A session begins.
    Start {
        /// Whether it goes on from an earlier one: resumed, forked or compacted.
        is_again: bool,
        /// Whether what was said before has just been summarised.
        is_compacted: bool,
    },
    /// The person says something.
    Prompt {
        /// Their words, without anything that a hook has put beside them.
        text: String,
    },
    /// The agent uses a tool on files.
    Touch {
        /// The files, as the client writes them; none when the tool is not about files.
        paths: Vec<String>,
        /// Those of them that it edits; a patch may edit more than are told above.
        written: Vec<String>,
        /// The code that it replaces, where the client says; a part of it, where it is long.
        replaced: String,
        /// Whether the tool has yet to run.
        is_before: bool,
        /// What strangers wrote that it brings in.
        outside: OutsideText,
        /// The command that it ran, where that failed.
        failed: Option<Box<FailedCommand>>,
        /// The task that it is about to hand to a sub-agent, where the client lets a hook extend it. What is answered is for
        /// the sub-agent then.
        task: Option<Box<DelegatedTask>>,
    },
    /// What was said so far is about to be summarised.
    Compact,
    /// The agent has finished a turn.
    Stop {
        /// The last thing it said.
        said: Option<String>,
    },
    /// The session is over.
    End,
}

impl HookMoment {
    /// A tool was used, and nothing is to be said or noted about it.
    pub(crate) const UNTOUCHED: Self = Self::Touch {
        paths: Vec::new(),
        written: Vec::new(),
        replaced: String::new(),
        is_before: false,
        outside: OutsideText {
            is_certain: false,
            scripts: Vec::new(),
            remotes: Vec::new(),
            packages: Vec::new(),
        },
        failed: None,
        task: None,
    };
}

/// What we want to say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookReply {
    /// For the model.
    pub context: Option<String>,
    /// One line for the person: why nothing came.
    pub notice: Option<String>,
}

/// A payload as a client documents it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HookSample {
    /// The event, as it is named on the command line.
    pub event: &'static str,
    /// What the client writes.
    pub stdin: &'static str,
}

/// Names that a client gives to something.
pub type Names = &'static [&'static str];

/// Looks a variable up in the environment.
pub type EnvLookup<'a> = dyn Fn(&str) -> Option<String> + 'a;
