//! Edit: a file that is changed or renamed is a memory that is superseded; the old one stays in the history.

use apostille_core::Context;
use apostille_core::memory::{Draft, MemoryName, ReplacementKind};
use apostille_text::secrets::mask_secrets;

use super::{
    FileResult, create, evidence, file_text,
    memory_files::{MemoryFile, MemoryFiles},
    outcome_text,
    path::MemoryPath,
    refuse_command, view,
};
use crate::{
    outcome::{WriteAction, WriteOutcome, supersede_for_tool},
    tool::ToolCall,
};
use apostille_api::shorten::take_first_chars;

/// How much of a text that was not found is repeated, in characters.
const MAX_ECHO: usize = 1_000;

/// Puts a text in the place of one that stands there exactly once.
pub(super) fn replace_in_file(
    call: &ToolCall,
    path: &MemoryPath,
    old: &str,
    new: &str,
) -> FileResult {
    let files = MemoryFiles::load_scopes(call, &path.scopes())?;
    let file = require_editable_file(&files, path)?;
    let text = file.memory.fact.as_str();
    let at = find_single_occurrence(text, old, path)?;
    let changed = format!("{}{new}{}", &text[..at], &text[at + old.len()..]);
    let fixed = format!(
        "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{}",
        file_text::format_edit_snippet(&changed, at, new)
    );
    write_file_edit(call, &files, file, path, changed, fixed)
}

/// Where a text stands that must stand there once.
fn find_single_occurrence(text: &str, old: &str, path: &MemoryPath) -> FileResult<usize> {
    let echo = mask_secrets(old);
    let echo = take_first_chars(&echo, MAX_ECHO).unwrap_or(&echo);
    // Also where it overlaps itself.
    let starts = text.char_indices().map(|(at, _)| at);
    let places: Vec<usize> = starts
        .filter(|at| !old.is_empty() && text[*at..].starts_with(old))
        .collect();
    match places.as_slice() {
        [] => refuse_command(format!(
            "No replacement was performed, old_str `{echo}` did not appear verbatim in {path}."
        )),
        [at] => Ok(*at),
        _ => {
            let number = |at: &usize| (1 + text[..*at].matches('\n').count()).to_string();
            let mut numbers: Vec<String> = places.iter().map(number).collect();
            numbers.dedup();
            refuse_command(format!(
                "No replacement was performed. Multiple occurrences of old_str `{echo}` in lines: {}. Please ensure it \
                 is unique",
                numbers.join(", ")
            ))
        }
    }
}

/// Puts a text behind a line.
pub(super) fn insert_into_file(
    call: &ToolCall,
    path: &MemoryPath,
    line: i64,
    new: &str,
) -> FileResult {
    let files = MemoryFiles::load_scopes(call, &path.scopes())?;
    let file = require_editable_file(&files, path)?;
    let mut lines = file_text::split_file_lines(&file.memory.fact);
    let n_lines = lines.len();
    match usize::try_from(line) {
        Ok(at) if at <= n_lines => lines.insert(at, new.strip_suffix('\n').unwrap_or(new)),
        _ => {
            return refuse_command(format!(
                "Invalid `insert_line` parameter: {line}. It should be within the range [0, {n_lines}]."
            ));
        }
    }
    let fixed = format!("The file {path} has been edited.");
    write_file_edit(call, &files, file, path, lines.join("\n"), fixed)
}

/// The file to edit.
fn require_editable_file<'a>(
    files: &'a MemoryFiles,
    path: &MemoryPath,
) -> FileResult<&'a MemoryFile> {
    match files.find_file(path) {
        Some(file) => Ok(file),
        None if files.has_folder(path) => refuse_command(format!("The path {path} is not a file.")),
        None => view::refuse_missing_path(path),
    }
}

/// Gives a file another name in its scope.
pub(super) fn rename_memory_file(
    call: &ToolCall,
    old: &MemoryPath,
    new: &MemoryPath,
) -> FileResult {
    if old.scope() != new.scope() || old.task() != new.task() {
        return refuse_command("Error: Cannot rename across different memory scopes.");
    }
    let files = MemoryFiles::load_scopes(call, &[old.scope()])?;
    let file = match files.find_file(old) {
        Some(file) => file,
        None if files.is_taken(old) => {
            return refuse_command(format!(
                "The path {old} is not a file. Rename its files one by one."
            ));
        }
        None => return refuse_command(format!("The path {old} does not exist")),
    };
    if files.is_taken(new) {
        return refuse_command(format!("The destination {new} already exists"));
    }
    create::require_reachable_path(&files, new)?;
    let fixed = format!("Successfully renamed {old} to {new}");
    write_file_edit(call, &files, file, new, file.memory.fact.clone(), fixed)
}

/// Has a file stand at this path from now on, and say this.
fn write_file_edit(
    call: &ToolCall,
    files: &MemoryFiles,
    file: &MemoryFile,
    path: &MemoryPath,
    text: String,
    fixed: String,
) -> FileResult {
    let old = &file.memory;
    if *path == file.path && text == old.fact {
        return Ok(fixed);
    }
    let draft = draft_edited_file(call, file, path, text)?;
    let policy = create::build_scope_policy(call, path.scope());
    let cx = Context {
        policy: &policy,
        ..call.cx
    };
    let spaces = std::slice::from_ref(&old.space);
    let (name, how) = (MemoryName::Id(old.id), ReplacementKind::Better);
    match supersede_for_tool(&cx, call.caller.speaker, spaces, name, draft, how)? {
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
    call: &ToolCall,
    file: &MemoryFile,
    path: &MemoryPath,
    text: String,
) -> FileResult<Draft> {
    let old = &file.memory;
    let (verdicts, _) = evidence::judge_file(call, old);
    let Some(citations) = evidence::list_valid_locations(old, &verdicts) else {
        return refuse_command(format!(
            "not changed: {} cites code that does not hold here; view it, then delete it and create what is so now",
            file.path
        ));
    };
    let mut draft = call.draft(&old.space, text);
    draft.voice.session = draft.voice.session.or_else(|| old.voice.session.clone());
    Ok(Draft {
        layer: Some(old.layer),
        kind: Some(old.kind),
        // The path stays, also where it was the handle.
        subject: Some(path.file_name().into()),
        reason: old.reason.clone(),
        citations,
        tags: old.tags.clone(),
        task: old.task.clone(),
        is_verbatim: true,
        ..draft
    })
}
