//! What a client says when it calls a hook, and what it is told in return: text in, text out.
//!
//! Every client has its own events, its own field names and its own answers, and no one answer works everywhere: one of
//! them refuses the whole hook for a key it does not know. So each has a small table here, and nothing is shared but the
//! reading of JSON.

mod answers;
mod caller;
mod claude_code;
mod codex;
mod copilot;
mod cursor;
mod gemini;
mod own;
mod payload;
mod shell;
#[cfg(test)]
mod tests;
mod touched;
mod vscode;

use std::path::PathBuf;

use crate::client::Client;
use crate::transcript::brings_in_words;

use payload::Payload;
use touched::Tool;

/// What a client says when it calls a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// Who is really calling: the file that a hook stands in may belong to another client.
    pub client: Client,
    /// The event, by the caller's own name.
    pub event: String,
    /// The session.
    pub session: Option<String>,
    /// The turn, in clients that count them.
    pub turn: Option<String>,
    /// Where the agent stands.
    pub cwd: Option<PathBuf>,
    /// The file that the client writes the session to. It may not exist yet.
    pub transcript: Option<PathBuf>,
    /// What is happening.
    pub moment: Moment,
}

/// What is happening in a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Moment {
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
        /// Whether the tool has yet to run.
        is_before: bool,
        /// Whether it brings in what strangers wrote.
        is_outside: bool,
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

/// What we want to say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reply {
    /// For the model.
    pub context: Option<String>,
    /// One line for the person: why nothing came.
    pub notice: Option<String>,
}

/// A payload as a client documents it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// The event, as it is named on the command line.
    pub event: &'static str,
    /// What the client writes.
    pub stdin: &'static str,
}

/// Looks a variable up in the environment.
type Env<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// What an event is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Start,
    Prompt,
    Before,
    After,
    Compact,
    Stop,
    End,
}

/// The names that a client gives to its fields. Where there are several, the first that says something counts.
struct Fields {
    event: &'static [&'static str],
    session: &'static [&'static str],
    turn: &'static [&'static str],
    cwd: &'static [&'static str],
    transcript: &'static [&'static str],
    said: &'static [&'static str],
    tool: &'static [&'static str],
    input: &'static [&'static str],
}

/// The names that most clients have taken over from one another.
const SNAKE: Fields = Fields {
    event: &["hook_event_name"],
    session: &["session_id"],
    turn: &[],
    cwd: &["cwd"],
    transcript: &["transcript_path"],
    said: &["last_assistant_message"],
    tool: &["tool_name"],
    input: &["tool_input"],
};

/// One client's ways.
struct Ways {
    events: &'static [(&'static str, What)],
    fields: Fields,
    tools: &'static [(&'static str, Tool)],
    /// Where the transcript is when the payload does not say.
    transcript: fn(session: Option<&str>, env: &Env<'_>) -> Option<PathBuf>,
    answer: fn(&Told, &Reply) -> String,
    has_notice: bool,
    samples: &'static [Sample],
}

fn ways(client: Client) -> &'static Ways {
    match client {
        Client::ClaudeCode => &claude_code::WAYS,
        Client::Codex => &codex::WAYS,
        Client::Copilot => &copilot::WAYS,
        Client::Gemini => &gemini::WAYS,
        Client::Cursor => &cursor::WAYS,
        Client::Vscode => &vscode::WAYS,
    }
}

/// What was said. `None`: an event that we do not know, or no JSON.
#[must_use]
pub fn told(named: Client, event: &str, stdin: &str, env: &Env<'_>) -> Option<Told> {
    let payload = Payload::read(stdin)?;
    let client = caller::caller(named, &payload, env);
    let ways = ways(client);
    let (event, what) = ways.event(&payload, event)?;
    let fields = &ways.fields;
    let session = payload.text(fields.session);
    let transcript = payload.text(fields.transcript).map(PathBuf::from);
    Some(Told {
        client,
        event: event.to_owned(),
        turn: payload.text(fields.turn),
        cwd: payload.text(fields.cwd).map(PathBuf::from),
        transcript: transcript.or_else(|| (ways.transcript)(session.as_deref(), env)),
        moment: ways.moment(client, what, &payload),
        session,
    })
}

/// What is printed; empty when there is nothing to say.
#[must_use]
pub fn answer(told: &Told, reply: &Reply) -> String {
    (ways(told.client).answer)(told, reply)
}

/// Whether context that is given now would reach the model. What would not should not be looked for, or counted as shown.
#[must_use]
pub fn takes_context(told: &Told) -> bool {
    let something = Reply {
        context: Some("x".into()),
        notice: None,
    };
    answer(told, &something) != answer(told, &Reply::default())
}

/// Whether the client shows a notice that is part of the answer. Elsewhere it belongs on the error output.
#[must_use]
pub fn has_notice(client: Client) -> bool {
    ways(client).has_notice
}

/// What the client documents, for every event that we answer.
#[must_use]
pub fn samples(client: Client) -> &'static [Sample] {
    ways(client).samples
}

impl Ways {
    /// The event: what the payload says it is, or else what the command line says.
    fn event(&self, payload: &Payload<'_>, named: &str) -> Option<(&'static str, What)> {
        let known = |name: &str| self.events.iter().copied().find(|(it, _)| *it == name);
        payload
            .text(self.fields.event)
            .and_then(|it| known(&it))
            .or_else(|| known(named))
    }

    fn moment(&self, client: Client, what: What, payload: &Payload<'_>) -> Moment {
        match what {
            What::Start => started(payload),
            What::Prompt => Moment::Prompt {
                text: prompt(client, payload),
            },
            What::Before => self.touch(payload, true),
            What::After => self.touch(payload, false),
            What::Compact => Moment::Compact,
            What::Stop => Moment::Stop {
                said: payload.text(self.fields.said),
            },
            What::End => Moment::End,
        }
    }

    fn touch(&self, payload: &Payload<'_>, is_before: bool) -> Moment {
        let name = payload.text(self.fields.tool).unwrap_or_default();
        let tool = self
            .tools
            .iter()
            .find(|(it, _)| *it == name)
            .map(|(_, tool)| *tool);
        let input = payload.json(self.fields.input).unwrap_or_default();
        let is_outside = brings_in_words(
            &name,
            if tool == Some(Tool::Shell) {
                &input
            } else {
                ""
            },
        );
        let paths = tool
            .map(|tool| touched::paths(tool, &input))
            .unwrap_or_default();
        Moment::Touch {
            paths,
            is_before,
            is_outside,
        }
    }
}

/// `source` is the same field in every client that has it.
fn started(payload: &Payload<'_>) -> Moment {
    let source = payload.text(&["source"]).unwrap_or_default();
    let is_again = ["resume", "fork", "compact"].contains(&source.as_str());
    Moment::Start {
        is_again,
        is_compacted: source == "compact",
    }
}

fn prompt(client: Client, payload: &Payload<'_>) -> String {
    own::without(client, &payload.text(&["prompt"]).unwrap_or_default())
}

/// For clients that always say where the transcript is, or never.
fn nowhere(_: Option<&str>, _: &Env<'_>) -> Option<PathBuf> {
    None
}

/// A documented payload, kept as a file: `sample!("codex", "Stop")`, or with the file's name when an event has several.
macro_rules! sample {
    ($client:literal, $event:literal) => {
        sample!($client, $event, $event)
    };
    ($client:literal, $event:literal, $file:literal) => {
        $crate::hook::Sample {
            event: $event,
            stdin: include_str!(concat!("samples/", $client, "/", $file, ".json")),
        }
    };
}
use sample;
