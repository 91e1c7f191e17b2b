//! What became of a draft, in the words of a file tool.

use apostille_core::memory::{Handle, MemoryId};
use apostille_core::refusal::Refusal;

use super::{
    FileResult,
    memory_files::{MemoryFile, MemoryFiles},
    path::{FileScope, MemoryPath},
    refuse_command,
};
use crate::outcome::{WriteAction, WriteOutcome};
use apostille_api::json::pending_reason;

/// The answer to what became of a draft for this path: the fixed text when it was kept, and one more line when it is
/// not in use yet.
pub(super) fn format_file_outcome(
    outcome: &WriteOutcome,
    path: &MemoryPath,
    files: &MemoryFiles,
    fixed: String,
    meanwhile: &str,
) -> FileResult {
    match outcome {
        WriteOutcome::Done(it) if it.deed == WriteAction::KnownAlready => {
            refuse_known_memory(files, it.memory.id, it.memory.handle())
        }
        WriteOutcome::Done(it) => Ok(match pending_reason(&it.memory) {
            Some(why) => {
                let handle = it.memory.handle();
                format!("{fixed}\npending: {why}; {meanwhile} until a person approves {handle}")
            }
            None => fixed,
        }),
        WriteOutcome::Similar(near) => match near.first() {
            Some(it) => refuse_known_memory(files, it.id, it.handle),
            None => refuse_command("not kept: much like what is known"),
        },
        WriteOutcome::Refused(refusal) => refuse_file_draft(refusal, path),
    }
}

/// The file in this scope, and of this task, that says exactly this.
pub(super) fn find_identical_file<'a>(
    files: &'a MemoryFiles,
    path: &MemoryPath,
    text: &str,
) -> Option<&'a MemoryFile> {
    let is_near =
        |it: &&MemoryFile| it.path.scope() == path.scope() && it.path.task() == path.task();
    files
        .iter()
        .filter(is_near)
        .find(|it| it.memory.fact.trim() == text.trim())
}

fn refuse_known_memory(files: &MemoryFiles, id: MemoryId, handle: Handle) -> FileResult {
    match files.iter().find(|it| it.memory.id == id) {
        Some(file) => refuse_known_file(&file.path),
        None => refuse_command(format!(
            "nothing was written: {handle} says exactly this already, and waits for approval"
        )),
    }
}

/// Nothing was written, because this file says it already.
pub(super) fn refuse_known_file(path: &MemoryPath) -> FileResult {
    refuse_command(format!(
        "nothing was written: {path} says exactly this already; edit or rename that file"
    ))
}

/// A refusal, with the way out that there is among files.
fn refuse_file_draft(refusal: &Refusal, path: &MemoryPath) -> FileResult {
    let way_out = match (refusal, path.scope()) {
        (Refusal::NeedsCitation { .. }, _) => {
            "; name the code in file_text, as in a last line `Citations: src/api.rs:12-18`, or keep a preference in \
             /memories/"
        }
        (Refusal::Excluded { .. }, _) => {
            "; what matters for now goes to /memories/session/ or /memories/tasks/<task-slug>/"
        }
        (Refusal::TooLong { field: "fact", .. }, FileScope::Repo) => {
            "; a repository fact is one or two sentences"
        }
        (Refusal::Empty { field: "fact" }, _) => "; a file that is of no more use is deleted",
        _ => "",
    };
    refuse_command(format!("{refusal}{way_out}"))
}
