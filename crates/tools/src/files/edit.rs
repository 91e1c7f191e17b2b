//! Edit: a file that is changed or renamed is a memory that is superseded; the old one stays in the history.

use apostille_core::Context;
use apostille_core::memory::{Draft, MemoryName, ReplacementKind};
use apostille_text::secrets::mask_secrets;

use super::memory_files::{MemoryFile, MemoryFiles};
use super::path::MemoryPath;
use super::{FileCommandError, create, evidence, file_text, outcome_text, view};
use crate::outcome::{WriteAction, WriteOutcome, supersede_for_tool};
use crate::tool::ToolCall;
use apostille_api::shorten::take_first_chars;

/// How much of a text that was not found is repeated, in characters.
const MAX_ECHO: usize = 1_000;

/// Puts a text in the place of one that stands there exactly once.
pub(super) fn replace_in_file(
    call: &ToolCall<'_>,
    path: &MemoryPath,
    old: &str,
    new: &str,
) -> Result<String, FileCommandError> {
    let files = MemoryFiles::load_scopes(call, &path.scopes())?;
    let file = require_editable_file(&files, path)?;
    let text = file.memory.fact.as_str();
    let at = find_single_occurrence(text, old, path)?;
    let changed = format!("{}{new}{}", &text[..at], &text[at + old.len()..]);
    let fixed = format!(
        "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{}",
        file_text::format_edit_snippet(&changed, at, new)
    );
    write_file_edit(
        call,
        &files,
        file,
        MemoryFileEdit {
            text: changed,
            path,
        },
        fixed,
    )
}

/// Where a text stands that must stand there once.
fn find_single_occurrence(
    text: &str,
    old: &str,
    path: &MemoryPath,
) -> Result<usize, FileCommandError> {
    let echo = mask_secrets(old);
    let echo = take_first_chars(&echo, MAX_ECHO).unwrap_or(&echo);
    let places: Vec<usize> = if old.is_empty() {
        Vec::new()
    } else {
        find_occurrences(text, old)
    };
    match places.as_slice() {
        [] => Err(FileCommandError::new_refusal(format!(
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
            Err(FileCommandError::new_refusal(format!(
                "No replacement was performed. Multiple occurrences of old_str `{echo}` in lines: {}. Please ensure it \
                 is unique",
                numbers.join(", ")
            )))
        }
    }
}

/// Where a text stands, also where it overlaps itself.
fn find_occurrences(text: &str, old: &str) -> Vec<usize> {
    text.char_indices()
        .map(|(at, _)| at)
        .filter(|at| text[*at..].starts_with(old))
        .collect()
}

/// Puts a text behind a line.
pub(super) fn insert_into_file(
    call: &ToolCall<'_>,
    path: &MemoryPath,
    line: i64,
    new: &str,
) -> Result<String, FileCommandError> {
    let files = MemoryFiles::load_scopes(call, &path.scopes())?;
    let file = require_editable_file(&files, path)?;
    let mut lines = file_text::split_file_lines(&file.memory.fact);
    let at = usize::try_from(line)
        .ok()
        .filter(|it| *it <= lines.len())
        .ok_or_else(|| {
            FileCommandError::new_refusal(format!(
                "Invalid `insert_line` parameter: {line}. It should be within the range [0, {}].",
                lines.len()
            ))
        })?;
    lines.insert(at, new.strip_suffix('\n').unwrap_or(new));
    let change = MemoryFileEdit {
        text: lines.join("\n"),
        path,
    };
    write_file_edit(
        call,
        &files,
        file,
        change,
        format!("The file {path} has been edited."),
    )
}

/// The file to edit.
fn require_editable_file<'a>(
    files: &'a MemoryFiles,
    path: &MemoryPath,
) -> Result<&'a MemoryFile, FileCommandError> {
    match files.find_file(path) {
        Some(file) => Ok(file),
        None if files.has_folder(path) => Err(FileCommandError::new_refusal(format!(
            "The path {path} is not a file."
        ))),
        None => Err(view::refuse_missing_path(path)),
    }
}

/// Gives a file another name in its scope.
pub(super) fn rename_memory_file(
    call: &ToolCall<'_>,
    old: &MemoryPath,
    new: &MemoryPath,
) -> Result<String, FileCommandError> {
    if old.scope() != new.scope() || old.task() != new.task() {
        return Err(FileCommandError::new_refusal(
            "Error: Cannot rename across different memory scopes.",
        ));
    }
    let files = MemoryFiles::load_scopes(call, &[old.scope()])?;
    let file = match files.find_file(old) {
        Some(file) => file,
        None if files.is_taken(old) => {
            return Err(FileCommandError::new_refusal(format!(
                "The path {old} is not a file. Rename its files one by one."
            )));
        }
        None => {
            return Err(FileCommandError::new_refusal(format!(
                "The path {old} does not exist"
            )));
        }
    };
    if files.is_taken(new) {
        return Err(FileCommandError::new_refusal(format!(
            "The destination {new} already exists"
        )));
    }
    create::require_reachable_path(&files, new)?;
    let change = MemoryFileEdit {
        text: file.memory.fact.clone(),
        path: new,
    };
    write_file_edit(
        call,
        &files,
        file,
        change,
        format!("Successfully renamed {old} to {new}"),
    )
}

/// What a file says from now on, and where it stands.
struct MemoryFileEdit<'a> {
    text: String,
    path: &'a MemoryPath,
}

fn write_file_edit(
    call: &ToolCall<'_>,
    files: &MemoryFiles,
    file: &MemoryFile,
    change: MemoryFileEdit<'_>,
    fixed: String,
) -> Result<String, FileCommandError> {
    let (path, old) = (change.path, &file.memory);
    if *path == file.path && change.text == old.fact {
        return Ok(fixed);
    }
    let draft = draft_edited_file(call, file, change)?;
    let policy = create::build_scope_policy(call, path.scope());
    let cx = Context {
        policy: &policy,
        ..call.cx
    };
    let spaces = std::slice::from_ref(&old.space);
    let (name, how) = (MemoryName::Id(old.id), ReplacementKind::Better);
    match supersede_for_tool(&cx, spaces, name, draft, how)? {
        // Another memory says the same, and has taken the place of this one.
        WriteOutcome::Done(it) if it.deed == WriteAction::KnownAlready && it.memory.is_active() => {
            Ok(format!(
                "{fixed}\nit says what {} says, and is that memory now",
                it.memory.handle()
            ))
        }
        other => outcome_text::format_file_outcome(
            &other,
            path,
            files,
            fixed,
            "the file stays as it was",
        ),
    }
}

/// What takes the place of a file: everything but the text and the name is as it was.
fn draft_edited_file(
    call: &ToolCall<'_>,
    file: &MemoryFile,
    change: MemoryFileEdit<'_>,
) -> Result<Draft, FileCommandError> {
    let old = &file.memory;
    let citations = evidence::list_valid_locations(old, &evidence::follow_file_citations(call, old)).ok_or_else(|| {
        FileCommandError::new_refusal(format!(
            "not changed: {} cites code that does not hold here; view it, then delete it and create what is so now",
            file.path
        ))
    })?;
    let mut draft = call.draft(&old.space, change.text);
    draft.voice.session = draft.voice.session.or_else(|| old.voice.session.clone());
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
        ..draft
    })
}
