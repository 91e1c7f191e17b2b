//! Memory as files: one tool, `memory`, with the six commands that models are trained on.
//!
//! A file is a view of a memory and not a second store: its content is the fact, its name the subject. What was
//! remembered through any other face is seen here, and what is written here travels the same write path and is found by
//! recall. The texts of the answers are those of the protocol, to the letter.

mod command;
mod create;
mod delete;
mod edit;
mod evidence;
mod folder;
mod page;
mod path;
mod proof;
mod told;
mod view;

use apostille_core::Context;
use serde_json::{Value, json};

use crate::Answer;
use crate::tool::{Effect, Tool};
use apostille_api::wire::InputSchema;
use apostille_api::{Fault, Here};

use command::Command;
use path::Path;

/// The tools of this set.
#[must_use]
pub fn tools() -> Vec<Tool> {
    vec![Tool {
        name: "memory",
        title: "Memory files",
        about: "Read and write notes that outlive this conversation, as files below /memories. Begin with view /memories. \
                /memories/ is the user's own, /memories/session/ this session's scratch, /memories/tasks/<slug>/ the \
                notes of a task, /memories/repo/ facts about the code: create only, each with the places that prove it.",
        input: InputSchema::tagged::<Command>("command", "What to do")
            .with_example(&json!({"command": "view", "path": "/memories"})),
        effect: Effect::Removes,
    }]
}

/// What a model is told about it.
pub const GUIDANCE: &str = "\
You have a memory directory, /memories, that outlives this conversation. View it before you begin a task.
- /memories/<name>: what holds for this user everywhere, such as preferences
- /memories/session/<name>: scratch of this session
- /memories/tasks/<task-slug>/<name>: decisions, progress and results of one task
- /memories/repo/<name>: a durable fact about this repository in one or two sentences, with the code that proves it, \
as in `Citations: src/api.rs:12-18`; these can be created and viewed, not edited
Keep files short, correct what is wrong and delete what is outdated. No secrets. A file whose evidence does not hold \
here is not to be used.
";

/// Calls the tool, and gives its answer in plain words.
pub fn call(
    cx: &Context<'_>,
    here: &Here<'_>,
    tool: &str,
    arguments: &Value,
) -> Result<Answer, Fault> {
    if tool != "memory" {
        return Err(Fault::no_such_tool(tool, tools().iter().map(|it| it.name)));
    }
    let command = Command::read(arguments)?;
    match done(cx, here, &command) {
        Ok(text) => Ok(Answer::plain(text)),
        Err(Stop::Wrong(text)) => Ok(Answer::wrong(text)),
        Err(Stop::Broken(fault)) => Err(fault),
    }
}

/// Why a command ends early.
enum Stop {
    /// It was not done; the text says why, and the way out.
    Wrong(String),
    Broken(Fault),
}

impl Stop {
    fn wrong(text: impl Into<String>) -> Self {
        Self::Wrong(text.into())
    }
}

impl From<Fault> for Stop {
    fn from(it: Fault) -> Self {
        Self::Broken(it)
    }
}

impl From<apostille_core::Error> for Stop {
    fn from(it: apostille_core::Error) -> Self {
        Self::Broken(it.into())
    }
}

fn done(cx: &Context<'_>, here: &Here<'_>, command: &Command) -> Result<String, Stop> {
    match command {
        Command::View { path, view_range } => {
            view::view(cx, here, &Path::parse(path)?, view_range.0)
        }
        Command::Create { path, file_text } => {
            create::create(cx, here, &Path::parse(path)?, file_text)
        }
        Command::StrReplace {
            path,
            old_str,
            new_str,
        } => edit::replace(cx, here, &editable(path, command)?, old_str, new_str),
        Command::Insert {
            path,
            insert_line,
            insert_text,
        } => edit::insert(
            cx,
            here,
            &editable(path, command)?,
            *insert_line,
            insert_text,
        ),
        Command::Delete { path } => delete::delete(cx, here, &editable(path, command)?),
        Command::Rename { old_path, new_path } => edit::rename(
            cx,
            here,
            &editable(old_path, command)?,
            &Path::parse(new_path)?,
        ),
    }
}

/// A path where more than creating and viewing can be done.
fn editable(path: &str, command: &Command) -> Result<Path, Stop> {
    let path = Path::parse(path)?;
    if path.scope() != path::Scope::Repo {
        return Ok(path);
    }
    Err(Stop::wrong(format!(
        "Error: The '{}' operation is not supported for repository memories at {path}. Only 'create' is allowed for \
         /memories/repo/.",
        command.word()
    )))
}
