//! View: a directory two levels deep, or a file with its line numbers and what the code says to it.

use apostille_core::{Context, list};

use super::command::Span;
use super::folder::{File, Files};
use super::path::Path;
use super::{Stop, evidence, page};
use apostille_api::Here;

/// What stands at a path.
pub(super) fn view(
    cx: &Context<'_>,
    here: &Here<'_>,
    path: &Path,
    range: Option<Span>,
) -> Result<String, Stop> {
    let files = Files::of(cx, here, &path.scopes())?;
    match files.at(path) {
        Some(file) => opened(cx, file, range),
        None if files.has_folder(path) => Ok(page::listing(path, files.below(path))),
        None => Err(missing(path)),
    }
}

/// There is nothing at this path.
pub(super) fn missing(path: &Path) -> Stop {
    Stop::wrong(format!(
        "The path {path} does not exist. Please provide a valid path."
    ))
}

fn opened(
    cx: &Context<'_>,
    File { path, memory }: &File,
    range: Option<Span>,
) -> Result<String, Stop> {
    let mut memory = memory.clone();
    memory.withhold_secret();
    let memory = &memory;
    let n_lines = page::lines(&memory.fact).len();
    let (first, last) = within(range, n_lines)?;
    let verdicts = evidence::verdicts(cx, memory);
    // A log that cannot be written does not cost the caller the answer.
    let _ = list::note_viewed(cx, memory, &verdicts, &format!("view {path}"));
    let content = format!(
        "Here's the content of {path} with line numbers:\n{}",
        page::numbered(&memory.fact, first, last)
    );
    let evidence = evidence::lines(memory, &verdicts);
    let evidence = if evidence.is_empty() {
        String::new()
    } else {
        format!("\n\n{}", evidence.join("\n"))
    };
    let warning = evidence::warning(&verdicts)
        .map(|it| format!("{it}\n"))
        .unwrap_or_default();
    Ok(format!("{warning}{content}{evidence}"))
}

/// The lines asked for; a last line of -1, or beyond the end, is the end.
fn within(range: Option<Span>, n_lines: usize) -> Result<(usize, usize), Stop> {
    let Some((first, last)) = range else {
        return Ok((1, n_lines));
    };
    let bad = || {
        Stop::wrong(format!(
            "Error: Invalid view_range: [{first}, {last}]. The file has the lines [1, {n_lines}]."
        ))
    };
    let start = usize::try_from(first)
        .ok()
        .filter(|it| (1..=n_lines).contains(it))
        .ok_or_else(bad)?;
    let end = if last == -1 {
        n_lines
    } else {
        usize::try_from(last).map_err(|_| bad())?
    };
    if end < start {
        Err(bad())
    } else {
        Ok((start, end.min(n_lines)))
    }
}
