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
mod file_fact;
mod file_text;
mod memory_files;
mod outcome_text;
mod path;
mod view;

use apostille_core::store::StoreError;
use serde_json::json;

use crate::{
    ToolAnswer,
    tool::{Tool, ToolCall, ToolEffect, ToolResult},
};
use apostille_api::{CallFault, wire::InputSchema};

use command::FileCommand;
use path::MemoryPath;

/// The tools of this set.
pub(super) fn list_files_tools() -> Vec<Tool> {
    vec![Tool {
        name: "memory",
        title: "Memory files",
        about: "Read and write notes that outlive this conversation, as files below /memories. Begin with view /memories. \
                /memories/ is the user's own, /memories/session/ this session's scratch, /memories/tasks/<slug>/ the \
                notes of a task, /memories/repo/ facts about the code: create only, each with the places that prove it.",
        input: InputSchema::from_tagged_enum::<FileCommand>("command", "What to do")
            .with_example(&json!({"command": "view", "path": "/memories"})),
        effect: ToolEffect::Removes,
        run: answer_file_command,
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

/// Answers a call in plain words.
fn answer_file_command(call: &ToolCall) -> ToolResult {
    match run_file_command(call, &FileCommand::from_arguments(call.arguments)?) {
        Ok(text) => Ok(ToolAnswer::new_plain(text)),
        Err(FileCommandError::Wrong(text)) => Ok(ToolAnswer::new_plain_refusal(text)),
        Err(FileCommandError::Broken(fault)) => Err(fault),
    }
}

/// What a command comes to.
type FileResult<T = String> = Result<T, FileCommandError>;

/// Why a command ends early.
enum FileCommandError {
    /// It was not done; the text says why, and the way out.
    Wrong(String),
    Broken(CallFault),
}

/// Ends a command with why it was not done.
fn refuse_command<T>(why: impl Into<String>) -> FileResult<T> {
    Err(FileCommandError::Wrong(why.into()))
}

impl From<CallFault> for FileCommandError {
    fn from(it: CallFault) -> Self {
        Self::Broken(it)
    }
}

impl From<StoreError> for FileCommandError {
    fn from(it: StoreError) -> Self {
        Self::Broken(it.into())
    }
}

fn run_file_command(call: &ToolCall, command: &FileCommand) -> FileResult {
    match command {
        FileCommand::View { path, view_range } => {
            view::view_memory_path(call, &MemoryPath::parse(path)?, view_range.0)
        }
        FileCommand::Create { path, file_text } => {
            create::create_memory_file(call, &MemoryPath::parse(path)?, file_text)
        }
        FileCommand::StrReplace {
            path,
            old_str,
            new_str,
        } => edit::replace_in_file(call, &parse_editable_path(call, path)?, old_str, new_str),
        FileCommand::Insert {
            path,
            insert_line,
            insert_text,
        } => edit::insert_into_file(
            call,
            &parse_editable_path(call, path)?,
            *insert_line,
            insert_text,
        ),
        FileCommand::Delete { path } => {
            delete::delete_memory_file(call, &parse_editable_path(call, path)?)
        }
        FileCommand::Rename { old_path, new_path } => edit::rename_memory_file(
            call,
            &parse_editable_path(call, old_path)?,
            &MemoryPath::parse(new_path)?,
        ),
    }
}

/// A path where more than creating and viewing can be done.
fn parse_editable_path(call: &ToolCall, path: &str) -> FileResult<MemoryPath> {
    let path = MemoryPath::parse(path)?;
    if path.scope() != path::FileScope::Repo {
        return Ok(path);
    }
    refuse_command(format!(
        "Error: The '{}' operation is not supported for repository memories at {path}. Only 'create' is allowed for \
         /memories/repo/.",
        call.arguments["command"].as_str().unwrap_or_default()
    ))
}
