//! Delete: the file is forgotten, with what it said before it was edited.

use apostille_core::memory::{Memory, MemoryName, Stage, Status};
use apostille_core::{Context, list, refusal::Refusal, store::MemoryFilter};

use super::{FileResult, memory_files::MemoryFiles, path::MemoryPath, refuse_command};
use crate::{
    outcome::{WriteOutcome, forget_for_tool},
    tool::ToolCall,
};

/// Deletes a file, or a directory with all that is in it.
pub(super) fn delete_memory_file(call: &ToolCall, path: &MemoryPath) -> FileResult {
    if path.is_virtual() {
        return refuse_command(format!("Cannot delete the {path} directory itself"));
    }
    let files = MemoryFiles::load_scopes(call, &[path.scope()])?;
    let doomed: Vec<&Memory> = match files.find_file(path) {
        Some(file) => vec![&file.memory],
        None => files.files_below(path).map(|it| &it.memory).collect(),
    };
    if doomed.is_empty() {
        return refuse_command(format!("The path {path} does not exist"));
    }
    for memory in doomed {
        for it in list_file_versions(call, memory)? {
            let gone = forget_for_tool(call, MemoryName::Id(it.id), "the file was deleted")?;
            match gone {
                // One that is gone already is what is wanted.
                WriteOutcome::Refused(Refusal::NoSuchMemory { .. }) => {}
                WriteOutcome::Refused(refusal) => {
                    return refuse_command(format!("{path} was not deleted: {refusal}"));
                }
                _ => {}
            }
        }
    }
    Ok(format!("Successfully deleted {path}"))
}

/// Every text that a file has or had: edits that wait for approval, the file itself, and what it was before.
fn list_file_versions(cx: &Context, memory: &Memory) -> FileResult<Vec<Memory>> {
    let filter = MemoryFilter {
        spaces: vec![memory.space.clone()],
        layers: vec![memory.layer],
        stages: vec![Stage::Pending],
        limit: usize::MAX,
        ..MemoryFilter::default()
    };
    let mut waiting = list::list_memories(cx, &filter)?;
    let mut versions = vec![memory.clone()];
    while let Some(old) = find_previous_version(cx, &versions)? {
        versions.push(old);
    }
    // An edit that waits may be one of any version.
    waiting.retain(|it| {
        versions
            .iter()
            .any(|version| it.supersedes == Some(version.id))
    });
    versions.extend(waiting);
    Ok(versions)
}

/// What the last of these replaced.
fn find_previous_version(cx: &Context, versions: &[Memory]) -> FileResult<Option<Memory>> {
    let Some((last, id)) = versions.last().and_then(|it| Some((it, it.supersedes?))) else {
        return Ok(None);
    };
    let spaces = std::slice::from_ref(&last.space);
    let old = list::find_named_memory(cx, spaces, MemoryName::Id(id))?;
    let is_replaced = |it: &Memory| it.status == Status::Superseded { by: last.id };
    Ok(old.filter(|it| is_replaced(it) && it.space == last.space))
}
