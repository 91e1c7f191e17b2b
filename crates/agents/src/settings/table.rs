//! What each client needs, in one table: where it is known by, which moments it is asked at, and how its files say so.

use crate::client::Client;
use serde_json::{Value, json};

use super::program::NAME;

/// How long a client may wait for an answer, in seconds. The answer itself has a far shorter deadline.
const PATIENCE: u64 = 5;

/// A client as the installer knows it.
#[derive(Debug)]
pub struct Row {
    /// Which.
    pub client: Client,
    /// Paths in a repository that only it has.
    pub marks: &'static [&'static str],
    /// Its programs.
    pub programs: &'static [&'static str],
    /// The moments at which it asks.
    pub moments: &'static [Moment],
    /// How an entry of its hooks file looks.
    pub shape: Shape,
    /// What an answer to its hooks may say; anything else is a mistake.
    pub answers: &'static [&'static str],
    /// The moments at which an answer is plain text.
    pub plain: &'static [&'static str],
    /// What it wants of a person before it uses what a repository brings.
    pub here: &'static str,
    /// What it wants of a person before it runs any hook.
    pub hooks: Option<&'static str>,
}

/// A moment at which a client asks.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    /// The client's own name for it.
    pub event: &'static str,
    /// The tools that it is about, where it is about tools.
    pub matcher: Option<&'static str>,
    /// How long the client waits, in seconds.
    pub seconds: u64,
}

/// How an entry of a hooks file looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Groups of handlers, with so many ticks of the clock to a second.
    Groups {
        /// 1 where times are in seconds, 1,000 where they are in milliseconds.
        ticks: u64,
        /// Whether a handler says whose it is.
        is_named: bool,
    },
    /// A flat list with a command for each shell.
    Shells,
    /// A flat list.
    Flat,
}

const fn at(event: &'static str) -> Moment {
    Moment {
        event,
        matcher: None,
        seconds: PATIENCE,
    }
}

const fn on(event: &'static str, tools: &'static str) -> Moment {
    Moment {
        event,
        matcher: Some(tools),
        seconds: PATIENCE,
    }
}

const COMMON: [&str; 7] = [
    "continue",
    "stopReason",
    "suppressOutput",
    "systemMessage",
    "decision",
    "reason",
    "hookSpecificOutput",
];

/// Every client.
pub const ROWS: [Row; 6] = [
    Row {
        client: Client::ClaudeCode,
        marks: &[".claude", "CLAUDE.md", ".mcp.json"],
        programs: &["claude"],
        moments: &[
            at("SessionStart"),
            at("UserPromptSubmit"),
            on(
                "PreToolUse",
                "Read|Edit|MultiEdit|Write|NotebookEdit|Bash|WebFetch|WebSearch|mcp__.*",
            ),
            at("PreCompact"),
            at("Stop"),
            at("SessionEnd"),
        ],
        shape: Shape::Groups {
            ticks: 1,
            is_named: false,
        },
        answers: &COMMON,
        // What is said there becomes part of the instructions for the summary.
        plain: &["PreCompact"],
        here: "asks once whether to use the server of .mcp.json",
        hooks: None,
    },
    Row {
        client: Client::Codex,
        marks: &[".codex"],
        programs: &["codex"],
        moments: &[
            at("SessionStart"),
            at("UserPromptSubmit"),
            on("PreToolUse", "Bash|apply_patch"),
            at("Stop"),
            // Codex allows no more than three seconds at the end.
            Moment {
                event: "SessionEnd",
                matcher: None,
                seconds: 3,
            },
        ],
        shape: Shape::Groups {
            ticks: 1,
            is_named: false,
        },
        answers: &COMMON,
        plain: &[],
        here: "reads the files of a repository only where you trust it",
        hooks: Some("passes over hooks that nobody reviewed: say /hooks in it and trust them"),
    },
    Row {
        client: Client::Copilot,
        marks: &[
            ".github/hooks",
            ".github/copilot-instructions.md",
            ".github/mcp.json",
        ],
        programs: &["copilot"],
        moments: COPILOT,
        shape: Shape::Shells,
        answers: &[
            "additionalContext",
            "modifiedPrompt",
            "modifiedResult",
            "decision",
            "reason",
            "suppressOutput",
        ],
        plain: &[],
        here: "reads the files of a repository only where you trust it",
        hooks: None,
    },
    Row {
        client: Client::Gemini,
        marks: &[".gemini", "GEMINI.md"],
        programs: &["gemini"],
        moments: &[
            at("SessionStart"),
            at("BeforeAgent"),
            on(
                "AfterTool",
                "read_file|read_many_files|write_file|replace|run_shell_command|web_fetch|google_web_search",
            ),
            at("AfterAgent"),
            at("SessionEnd"),
        ],
        shape: Shape::Groups {
            ticks: 1_000,
            is_named: true,
        },
        answers: &COMMON,
        plain: &[],
        here: "reads the files of a repository only where you trust it",
        hooks: None,
    },
    Row {
        client: Client::Cursor,
        marks: &[".cursor", ".cursorrules"],
        programs: &["cursor", "cursor-agent"],
        moments: &[
            at("sessionStart"),
            at("beforeSubmitPrompt"),
            on("postToolUse", "Read|Write|Delete|Shell|WebFetch|WebSearch"),
            at("stop"),
            at("sessionEnd"),
        ],
        shape: Shape::Flat,
        answers: &[
            "continue",
            "additional_context",
            "user_message",
            "followup_message",
            "permission",
            "env",
        ],
        plain: &[],
        here: "asks once whether to use the server of mcp.json",
        hooks: None,
    },
    Row {
        client: Client::Vscode,
        marks: &[".vscode/mcp.json"],
        programs: &["code"],
        // It reads the files of Copilot CLI, which say whom to ask.
        moments: COPILOT,
        shape: Shape::Shells,
        answers: &COMMON,
        plain: &[],
        here: "asks once whether to trust the server of mcp.json",
        hooks: None,
    },
];

/// Never `preToolUse`: there a hook that fails denies the tool.
const COPILOT: &[Moment] = &[
    at("sessionStart"),
    at("userPromptSubmitted"),
    on(
        "postToolUse",
        "view|edit|create|str_replace_editor|apply_patch|bash|powershell|web_fetch|web_search",
    ),
    at("agentStop"),
    at("sessionEnd"),
];

/// The row of a client.
pub fn row(client: Client) -> &'static Row {
    let row = ROWS.iter().find(|it| it.client == client);
    row.unwrap_or(&ROWS[0])
}

impl Moment {
    /// The entry of a hooks file that runs this command line, and the same line for the other shell.
    pub fn entry(&self, shape: Shape, line: &str, powershell: &str) -> Value {
        let mut entry = match shape {
            Shape::Groups { ticks, is_named } => {
                let mut handler =
                    json!({"type": "command", "command": line, "timeout": self.seconds * ticks});
                if is_named {
                    handler["name"] = NAME.into();
                }
                json!({"hooks": [handler]})
            }
            // One line for both shells is one that other clients understand too.
            Shape::Shells if line == powershell => {
                json!({"type": "command", "command": line, "timeoutSec": self.seconds})
            }
            Shape::Shells => {
                json!({"type": "command", "bash": line, "powershell": powershell, "timeoutSec": self.seconds})
            }
            Shape::Flat => json!({"command": line, "timeout": self.seconds}),
        };
        if let (Some(tools), Some(map)) = (self.matcher, entry.as_object_mut()) {
            map.shift_insert(0, "matcher".into(), tools.into());
        }
        entry
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_client_has_a_row_of_its_own() {
        for client in Client::ALL {
            assert_eq!(row(*client).client, *client);
        }
    }
}
