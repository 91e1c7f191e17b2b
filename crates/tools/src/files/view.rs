//! View: a directory two levels deep, or a file with its line numbers and what the code says to it.

use apostille_core::{Context, list};

use super::{
    FileResult,
    command::ViewRange,
    evidence, file_text,
    memory_files::{MemoryFile, MemoryFiles},
    path::MemoryPath,
    refuse_command,
};
use crate::tool::ToolCall;

/// What stands at a path.
pub(super) fn view_memory_path(
    call: &ToolCall,
    path: &MemoryPath,
    range: Option<ViewRange>,
) -> FileResult {
    let files = MemoryFiles::load_scopes(call, &path.scopes())?;
    match files.find_file(path) {
        Some(file) => format_file_view(call, file, range),
        None if files.has_folder(path) => Ok(file_text::format_directory_listing(
            path,
            files.files_below(path),
        )),
        None => refuse_missing_path(path),
    }
}

/// There is nothing at this path.
pub(super) fn refuse_missing_path<T>(path: &MemoryPath) -> FileResult<T> {
    refuse_command(format!(
        "The path {path} does not exist. Please provide a valid path."
    ))
}

fn format_file_view(
    cx: &Context,
    MemoryFile { path, memory }: &MemoryFile,
    range: Option<ViewRange>,
) -> FileResult {
    let mut memory = memory.clone();
    memory.withhold_secret();
    let memory = &memory;
    let n_lines = file_text::split_file_lines(&memory.fact).len();
    let (first, last) = resolve_view_range(range, n_lines)?;
    let (verdicts, standing) = evidence::judge_file(cx, memory);
    // A log that cannot be written does not cost the caller the answer.
    let _ = list::log_viewed_memory(cx, memory, &verdicts, standing, &format!("view {path}"));
    let mut view = String::new();
    if let Some(warning) = evidence::format_evidence_warning(standing) {
        view += &format!("{warning}\n");
    }
    let content = file_text::format_numbered_lines(&memory.fact, first, last);
    view += &format!("Here's the content of {path} with line numbers:\n{content}");
    let evidence = evidence::format_evidence_lines(memory, &verdicts);
    if !evidence.is_empty() {
        view += &format!("\n{evidence}");
    }
    Ok(view)
}

/// The lines asked for; a last line of -1, or beyond the end, is the end.
fn resolve_view_range(range: Option<ViewRange>, n_lines: usize) -> FileResult<(usize, usize)> {
    let Some((first, last)) = range else {
        return Ok((1, n_lines));
    };
    let end = if last == -1 {
        Ok(n_lines)
    } else {
        usize::try_from(last)
    };
    match (usize::try_from(first), end) {
        (Ok(start), Ok(end)) if (1..=n_lines).contains(&start) && start <= end => {
            Ok((start, end.min(n_lines)))
        }
        _ => refuse_command(format!(
            "Error: Invalid view_range: [{first}, {last}]. The file has the lines [1, {n_lines}]."
        )),
    }
}
