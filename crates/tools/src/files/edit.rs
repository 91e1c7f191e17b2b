//! Edit: a file that is changed or renamed is a memory that is superseded; the old one stays in the history.

use apostille_core::Context;
use apostille_core::memory::{Draft, Name, Replacement, Voice};
use apostille_text::secrets::masked;

use super::folder::{File, Files};
use super::path::Path;
use super::{Stop, create, evidence, page, told, view};
use crate::outcome::{Deed, WriteOutcome, supersede_memory};
use apostille_api::Here;
use apostille_api::text::beginning;

/// How much of a text that was not found is repeated, in characters.
const MAX_ECHO: usize = 1_000;

/// Puts a text in the place of one that stands there exactly once.
pub(super) fn replace(
    cx: &Context<'_>,
    here: &Here<'_>,
    path: &Path,
    old: &str,
    new: &str,
) -> Result<String, Stop> {
    let files = Files::of(cx, here, &path.scopes())?;
    let file = opened(&files, path)?;
    let text = file.memory.fact.as_str();
    let at = only(text, old, path)?;
    let changed = format!("{}{new}{}", &text[..at], &text[at + old.len()..]);
    let fixed = format!(
        "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{}",
        page::snippet(&changed, at, new)
    );
    written(
        cx,
        here,
        &files,
        file,
        Change {
            text: changed,
            path,
        },
        fixed,
    )
}

/// Where a text stands that must stand there once.
fn only(text: &str, old: &str, path: &Path) -> Result<usize, Stop> {
    let echo = masked(old);
    let echo = beginning(&echo, MAX_ECHO).unwrap_or(&echo);
    let places: Vec<usize> = if old.is_empty() {
        Vec::new()
    } else {
        found(text, old)
    };
    match places.as_slice() {
        [] => Err(Stop::wrong(format!(
            "No replacement was performed, old_str `{echo}` did not appear verbatim in {path}."
        ))),
        [at] => Ok(*at),
        _ => {
            let mut numbers: Vec<usize> = places
                .iter()
                .map(|at| 1 + text[..*at].matches('\n').count())
                .collect();
            numbers.dedup();
            let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
            Err(Stop::wrong(format!(
                "No replacement was performed. Multiple occurrences of old_str `{echo}` in lines: {}. Please ensure it \
                 is unique",
                numbers.join(", ")
            )))
        }
    }
}

/// Where a text stands, also where it overlaps itself.
fn found(text: &str, old: &str) -> Vec<usize> {
    text.char_indices()
        .map(|(at, _)| at)
        .filter(|at| text[*at..].starts_with(old))
        .collect()
}

/// Puts a text behind a line.
pub(super) fn insert(
    cx: &Context<'_>,
    here: &Here<'_>,
    path: &Path,
    line: i64,
    new: &str,
) -> Result<String, Stop> {
    let files = Files::of(cx, here, &path.scopes())?;
    let file = opened(&files, path)?;
    let mut lines = page::lines(&file.memory.fact);
    let at = usize::try_from(line)
        .ok()
        .filter(|it| *it <= lines.len())
        .ok_or_else(|| {
            Stop::wrong(format!(
                "Invalid `insert_line` parameter: {line}. It should be within the range [0, {}].",
                lines.len()
            ))
        })?;
    lines.insert(at, new.strip_suffix('\n').unwrap_or(new));
    let change = Change {
        text: lines.join("\n"),
        path,
    };
    written(
        cx,
        here,
        &files,
        file,
        change,
        format!("The file {path} has been edited."),
    )
}

/// The file to edit.
fn opened<'a>(files: &'a Files, path: &Path) -> Result<&'a File, Stop> {
    match files.at(path) {
        Some(file) => Ok(file),
        None if files.has_folder(path) => {
            Err(Stop::wrong(format!("The path {path} is not a file.")))
        }
        None => Err(view::missing(path)),
    }
}

/// Gives a file another name in its scope.
pub(super) fn rename(
    cx: &Context<'_>,
    here: &Here<'_>,
    old: &Path,
    new: &Path,
) -> Result<String, Stop> {
    if old.scope() != new.scope() || old.task() != new.task() {
        return Err(Stop::wrong(
            "Error: Cannot rename across different memory scopes.",
        ));
    }
    let files = Files::of(cx, here, &[old.scope()])?;
    let file = match files.at(old) {
        Some(file) => file,
        None if files.is_taken(old) => {
            return Err(Stop::wrong(format!(
                "The path {old} is not a file. Rename its files one by one."
            )));
        }
        None => return Err(Stop::wrong(format!("The path {old} does not exist"))),
    };
    if files.is_taken(new) {
        return Err(Stop::wrong(format!("The destination {new} already exists")));
    }
    create::reachable(&files, new)?;
    let change = Change {
        text: file.memory.fact.clone(),
        path: new,
    };
    written(
        cx,
        here,
        &files,
        file,
        change,
        format!("Successfully renamed {old} to {new}"),
    )
}

/// What a file says from now on, and where it stands.
struct Change<'a> {
    text: String,
    path: &'a Path,
}

fn written(
    cx: &Context<'_>,
    here: &Here<'_>,
    files: &Files,
    file: &File,
    change: Change<'_>,
    fixed: String,
) -> Result<String, Stop> {
    let (path, old) = (change.path, &file.memory);
    if *path == file.path && change.text == old.fact {
        return Ok(fixed);
    }
    let draft = successor(cx, here, file, change)?;
    let policy = create::policy(cx, here, path.scope());
    let cx = Context {
        policy: &policy,
        ..*cx
    };
    let spaces = std::slice::from_ref(&old.space);
    let (name, how) = (Name::Id(old.id), Replacement::Better);
    match supersede_memory(&cx, spaces, name, draft, how)? {
        // Another memory says the same, and has taken the place of this one.
        WriteOutcome::Done(it) if it.deed == Deed::KnownAlready && it.memory.is_active() => {
            Ok(format!(
                "{fixed}\nit says what {} says, and is that memory now",
                it.memory.handle()
            ))
        }
        other => told::told(&other, path, files, fixed, "the file stays as it was"),
    }
}

/// What takes the place of a file: everything but the text and the name is as it was.
fn successor(
    cx: &Context<'_>,
    here: &Here<'_>,
    file: &File,
    change: Change<'_>,
) -> Result<Draft, Stop> {
    let old = &file.memory;
    let citations = evidence::places(old, &evidence::verdicts(cx, old)).ok_or_else(|| {
        Stop::wrong(format!(
            "not changed: {} cites code that does not hold here; view it, then delete it and create what is so now",
            file.path
        ))
    })?;
    let voice = here.voice(cx.actor);
    let session = voice.session.clone().or_else(|| old.voice.session.clone());
    Ok(Draft {
        layer: Some(old.layer),
        kind: Some(old.kind),
        // The path stays, also where it was the handle.
        subject: Some(change.path.file_name().into()),
        reason: old.reason.clone(),
        citations,
        tags: old.tags.clone(),
        task: old.task.clone(),
        is_verbatim: true,
        ..Draft::new(old.space.clone(), change.text, Voice { session, ..voice })
    })
}
