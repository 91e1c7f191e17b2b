//! Delete: the file is forgotten, with what it said before it was edited.

use apostille_core::memory::{Memory, Name, Stage, Status};
use apostille_core::store::Filter;
use apostille_core::{Context, list};

use super::Stop;
use super::folder::Files;
use super::path::Path;
use crate::outcome::forget_memory;
use apostille_api::Here;

/// Deletes a file, or a directory with all that is in it.
pub(super) fn delete(cx: &Context<'_>, here: &Here<'_>, path: &Path) -> Result<String, Stop> {
    if path.is_virtual() {
        return Err(Stop::wrong(format!(
            "Cannot delete the {path} directory itself"
        )));
    }
    let files = Files::of(cx, here, &[path.scope()])?;
    let doomed: Vec<&Memory> = match files.at(path) {
        Some(file) => vec![&file.memory],
        None => files.below(path).map(|it| &it.memory).collect(),
    };
    if doomed.is_empty() {
        return Err(Stop::wrong(format!("The path {path} does not exist")));
    }
    for memory in doomed {
        for it in versions(cx, memory)? {
            // One that is gone already is what is wanted.
            let _ = forget_memory(cx, here, Name::Id(it.id), "the file was deleted")?;
        }
    }
    Ok(format!("Successfully deleted {path}"))
}

/// Every text that a file has or had: edits that wait for approval, the file itself, and what it was before.
fn versions(cx: &Context<'_>, memory: &Memory) -> Result<Vec<Memory>, Stop> {
    let filter = Filter {
        spaces: vec![memory.space.clone()],
        layers: vec![memory.layer],
        stages: vec![Stage::Pending],
        limit: usize::MAX,
        ..Filter::default()
    };
    let waiting = list::list(cx, &filter)?;
    let mut versions = vec![memory.clone()];
    while let Some(old) = before(cx, &versions)? {
        versions.push(old);
    }
    // An edit that waits may be one of any version.
    let is_edit = |it: &Memory| {
        versions
            .iter()
            .any(|version| it.supersedes == Some(version.id))
    };
    let edits: Vec<Memory> = waiting.into_iter().filter(is_edit).collect();
    versions.extend(edits);
    Ok(versions)
}

/// What the last of these replaced.
fn before(cx: &Context<'_>, versions: &[Memory]) -> Result<Option<Memory>, Stop> {
    let Some((last, id)) = versions.last().and_then(|it| Some((it, it.supersedes?))) else {
        return Ok(None);
    };
    let old = list::named(cx, std::slice::from_ref(&last.space), Name::Id(id))
        .map_err(apostille_api::Fault::from)?;
    let is_replaced = |it: &Memory| it.status == Status::Superseded { by: last.id };
    Ok(old.filter(|it| is_replaced(it) && it.space == last.space))
}
