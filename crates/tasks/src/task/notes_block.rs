//! The block of `NOTES.md` that tells of the active task: at most twenty lines between two marks. Everything outside the
//! marks is a person's, and is not touched.

use super::{NoteSort, Task};
use apostille_core::{format::format_utc_day, memory::Memory, recall::render::sanitize_line};
use apostille_text::shorten::shorten_text;

/// The mark before the block.
pub const OPEN: &str = "<!-- apostille:task -->";
/// The mark after it.
pub const CLOSE: &str = "<!-- /apostille:task -->";
/// How many lines it has at most, the marks included.
pub const MAX_LINES: usize = 20;
/// How many blockers it names.
const MAX_BLOCKERS: usize = 10;
/// The longest line, in characters.
const LINE_CHARS: usize = 200;
/// How many handles a line names.
const MAX_HANDLES: usize = 12;

/// What is to be done with the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotesChange {
    /// Nothing: it is as it should be.
    Keep,
    /// Write this.
    Write(String),
    /// Nothing is left of it.
    Remove,
    /// The block has no end, so nobody can tell whose the rest is.
    Unclear,
}

/// The lines that are not the block's: what people wrote.
pub fn list_own_lines(text: &str) -> impl Iterator<Item = &str> {
    let mut is_inside = false;
    text.lines().filter(move |line| {
        is_inside |= line.trim_end() == OPEN;
        let is_own = !is_inside;
        is_inside &= line.trim_end() != CLOSE;
        is_own
    })
}

/// The lines of the block, the marks included. Blockers stay until they are resolved; what belongs to an older phase is
/// gone with it.
pub fn format_task_block(task: &Task, memories: &[Memory]) -> Vec<String> {
    let mut lines = vec![
        OPEN.into(),
        format!("## {}", escape_block_text(&task.title)),
        String::new(),
        format!(
            "- task: {}, since {}",
            task.slug,
            format_utc_day(task.started_at)
        ),
    ];
    lines.extend(task.format_phase().map(|it| {
        let since = format_utc_day(task.phase_at);
        format!("- phase: {}, since {since}", escape_block_text(&it))
    }));
    lines.push(format!("- boundary: {}", format_phase_boundary(task)));
    for (word, sort) in [
        ("decided", NoteSort::Decision),
        ("verified", NoteSort::Verified),
    ] {
        let handles: Vec<String> = task
            .find_notes(sort, memories)
            .filter(|(entry, _)| entry.phase == task.phase)
            .map(|(_, it)| it.handle().to_string())
            .collect();
        if !handles.is_empty() {
            let handles = format_last_handles(&handles);
            lines.push(format!("- {word} in this phase: {handles}"));
        }
    }
    let blockers: Vec<String> = task
        .find_notes(NoteSort::Blocker, memories)
        .map(|(_, it)| format!("- blocked: {}", format_blocker(it)))
        .collect();
    let more = blockers.len().saturating_sub(MAX_BLOCKERS);
    lines.extend(blockers.into_iter().take(MAX_BLOCKERS));
    if more > 0 {
        lines.push(format!(
            "- blocked: {more} more, `apostille task show` has them"
        ));
    }
    lines.push(CLOSE.into());
    lines
}

fn format_phase_boundary(task: &Task) -> String {
    let before = task
        .passed
        .iter()
        .rev()
        .find(|it| Some(*it) != task.phase.as_ref());
    let before = before.map(|it| format!("after {}, ", escape_block_text(it)));
    let next = task
        .next_phase()
        .map_or_else(|| "the end".into(), escape_block_text);
    format!("{}before {next}", before.unwrap_or_default())
}

fn format_last_handles(handles: &[String]) -> String {
    let shown = handles[handles.len().saturating_sub(MAX_HANDLES)..].join(", ");
    if handles.len() > MAX_HANDLES {
        format!("…, {shown}")
    } else {
        shown
    }
}

/// What stands in the way. What cites code is named only: a file cannot look it up before it is read.
fn format_blocker(memory: &Memory) -> String {
    let handle = memory.handle();
    match memory.citations.first() {
        None => format!("{handle} {}", escape_block_text(&memory.fact)),
        Some(it) => {
            let place = escape_block_text(&it.location().to_string());
            format!("{handle} about {place}, see `apostille show {handle}`")
        }
    }
}

/// A text on one line that can neither end the block nor begin another.
fn escape_block_text(text: &str) -> String {
    let line = sanitize_line(text);
    let line = line.replace("<!--", "‹!--").replace("-->", "--›");
    shorten_text(&line, LINE_CHARS)
}

/// What the file becomes with this block in it, or without one. Where there is none yet, it is put before what a person
/// wrote, so that not a byte of that changes.
pub fn replace_task_block(text: Option<&str>, block: Option<&[String]>) -> NotesChange {
    let old = text.unwrap_or("");
    let end = if old.contains("\r\n") { "\r\n" } else { "\n" };
    let new = match (find_task_block(old), block) {
        (Some((_, None)), _) => return NotesChange::Unclear,
        (None, None) => return NotesChange::Keep,
        (None, Some(lines)) if old.is_empty() => lines.join(end) + end,
        (None, Some(lines)) => format!("{}{end}{end}{old}", lines.join(end)),
        (Some((from, Some(to))), Some(lines)) => {
            format!("{}{}{}", &old[..from], lines.join(end), &old[to..])
        }
        (Some((from, Some(to))), None) => remove_task_block(&old[..from], &old[to..]),
    };
    match new {
        new if new.is_empty() => NotesChange::Remove,
        new if Some(new.as_str()) == text => NotesChange::Keep,
        new => NotesChange::Write(new),
    }
}

/// Where the block begins and ends: both marks, each on a line of its own. It may lack its end.
fn find_task_block(text: &str) -> Option<(usize, Option<usize>)> {
    let mark = |mark: &str, from: usize| {
        let mut at = 0;
        text.split_inclusive('\n').find_map(|line| {
            let start = at;
            at += line.len();
            (start >= from && line.trim_end() == mark).then_some(start)
        })
    };
    let from = mark(OPEN, 0)?;
    let close = mark(CLOSE, from + OPEN.len());
    Some((from, close.map(|it| it + CLOSE.len())))
}

/// The text without the block: its line's end goes with it, and the empty line that parted it from what follows.
fn remove_task_block(before: &str, after: &str) -> String {
    fn skip_line_end(text: &str) -> &str {
        let rest = text.strip_prefix("\r\n");
        rest.or_else(|| text.strip_prefix('\n')).unwrap_or(text)
    }
    let mut after = skip_line_end(after);
    if before.is_empty() || before.ends_with("\n\n") || before.ends_with("\r\n\r\n") {
        after = skip_line_end(after);
    }
    format!("{before}{after}")
}
