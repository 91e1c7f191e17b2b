//! What became of a draft, in the words of a file tool.

use apostille_core::memory::{Handle, MemoryId};
use apostille_core::refusal::Refusal;

use super::Stop;
use super::folder::{File, Files};
use super::path::{Path, Scope};
use crate::outcome::{Deed, WriteOutcome, pending_reason};

/// The answer to what became of a draft for this path: the fixed text when it was kept, and one more line when it is
/// not in use yet.
pub(super) fn told(
    outcome: &WriteOutcome,
    path: &Path,
    files: &Files,
    fixed: String,
    meanwhile: &str,
) -> Result<String, Stop> {
    match outcome {
        WriteOutcome::Done(it) if it.deed == Deed::KnownAlready => {
            Err(known(files, it.memory.id, it.memory.handle()))
        }
        WriteOutcome::Done(it) => Ok(match pending_reason(&it.memory) {
            Some(why) => {
                let handle = it.memory.handle();
                format!("{fixed}\npending: {why}; {meanwhile} until a person approves {handle}")
            }
            None => fixed,
        }),
        WriteOutcome::Similar(near) => Err(match near.first() {
            Some(it) => known(files, it.id, it.handle),
            None => Stop::wrong("not kept: much like what is known"),
        }),
        WriteOutcome::Refused(refusal) => Err(refused(refusal, path)),
    }
}

/// The file in this scope, and of this task, that says exactly this.
pub(super) fn saying<'a>(files: &'a Files, path: &Path, text: &str) -> Option<&'a File> {
    let is_near = |it: &&File| it.path.scope() == path.scope() && it.path.task() == path.task();
    files
        .iter()
        .filter(is_near)
        .find(|it| it.memory.fact.trim() == text.trim())
}

fn known(files: &Files, id: MemoryId, handle: Handle) -> Stop {
    match files.iter().find(|it| it.memory.id == id) {
        Some(file) => known_at(&file.path),
        None => Stop::wrong(format!(
            "nothing was written: {handle} says exactly this already, and waits for approval"
        )),
    }
}

/// Nothing was written, because this file says it already.
pub(super) fn known_at(path: &Path) -> Stop {
    Stop::wrong(format!(
        "nothing was written: {path} says exactly this already; edit or rename that file"
    ))
}

/// A refusal, with the way out that there is among files.
fn refused(refusal: &Refusal, path: &Path) -> Stop {
    let way_out = match (refusal, path.scope()) {
        (Refusal::NeedsCitation { .. }, _) => {
            "; name the code in file_text, as in a last line `Citations: src/api.rs:12-18`, or keep a preference in \
             /memories/"
        }
        (Refusal::Excluded { .. }, _) => {
            "; what matters for now goes to /memories/session/ or /memories/tasks/<task-slug>/"
        }
        (Refusal::TooLong { field: "fact", .. }, Scope::Repo) => {
            "; a repository fact is one or two sentences"
        }
        (Refusal::Empty { field: "fact" }, _) => "; a file that is of no more use is deleted",
        _ => "",
    };
    Stop::wrong(format!("{refusal}{way_out}"))
}
