//! The block of `NOTES.md` that tells of the active task: at most twenty lines between two marks. Everything outside the
//! marks is a person's, and is not touched.

use super::{Sort, Task};
use apostille_core::format::format_utc_day;
use apostille_core::memory::{Memory, MemoryId};
use apostille_core::recall::render::sanitize_line;
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

/// The lines of the block, the marks included. Blockers stay until they are resolved; what belongs to an older phase is
/// gone with it.
#[must_use]
pub fn format_task_block(task: &Task, memories: &[Memory]) -> Vec<String> {
    let find = |id: MemoryId| memories.iter().find(|it| it.id == id && it.is_active());
    let mut lines = vec![
        OPEN.into(),
        format!("## {}", escape_block_text(&task.title)),
        String::new(),
    ];
    lines.push(format!(
        "- task: {}, since {}",
        task.slug,
        format_utc_day(task.started_at)
    ));
    lines.extend(task.format_phase().map(|it| {
        format!(
            "- phase: {}, since {}",
            escape_block_text(&it),
            format_utc_day(task.phase_at)
        )
    }));
    lines.push(format!("- boundary: {}", format_phase_boundary(task)));
    let of_phase = |sort: Sort| {
        let now = task
            .entries_of_sort(sort)
            .filter(|it| it.phase == task.phase)
            .filter_map(|it| find(it.id));
        now.map(|it| it.handle().to_string()).collect::<Vec<_>>()
    };
    for (word, handles) in [
        ("decided in this phase", of_phase(Sort::Decision)),
        ("verified in this phase", of_phase(Sort::Verified)),
    ] {
        lines.extend(
            (!handles.is_empty()).then(|| format!("- {word}: {}", format_last_handles(&handles))),
        );
    }
    let blockers: Vec<&Memory> = task
        .entries_of_sort(Sort::Blocker)
        .filter_map(|it| find(it.id))
        .collect();
    lines.extend(
        blockers
            .iter()
            .take(MAX_BLOCKERS)
            .map(|it| format!("- blocked: {}", format_blocker(it))),
    );
    let more = blockers.len().saturating_sub(MAX_BLOCKERS);
    lines.extend(
        (more > 0).then(|| format!("- blocked: {more} more, `apostille task show` has them")),
    );
    lines.push(CLOSE.into());
    lines
}

fn format_phase_boundary(task: &Task) -> String {
    let before = task
        .passed
        .iter()
        .rev()
        .find(|it| Some(*it) != task.phase.as_ref());
    let before = before.map(|it| format!("after {}", escape_block_text(it)));
    let next = match task.next_phase() {
        Some(next) => format!("before {}", escape_block_text(next)),
        None => "before the end".into(),
    };
    before
        .into_iter()
        .chain([next])
        .collect::<Vec<_>>()
        .join(", ")
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
    match memory.citations.first() {
        None => format!("{} {}", memory.handle(), escape_block_text(&memory.fact)),
        Some(it) => {
            format!(
                "{} about {}, see `apostille show {0}`",
                memory.handle(),
                escape_block_text(&it.location().to_string())
            )
        }
    }
}

/// A text on one line that can neither end the block nor begin another.
fn escape_block_text(text: &str) -> String {
    shorten_text(
        &sanitize_line(text)
            .replace("<!--", "‹!--")
            .replace("-->", "--›"),
        LINE_CHARS,
    )
}

/// What the file becomes with this block in it, or without one. Where there is none yet, it is put before what a person
/// wrote, so that not a byte of that changes.
#[must_use]
pub fn replace_task_block(text: Option<&str>, block: Option<&[String]>) -> NotesChange {
    let old = text.unwrap_or("");
    let end = if old.contains("\r\n") { "\r\n" } else { "\n" };
    let new = match (find_task_block(old), block) {
        (BlockPosition::Unclear, _) => return NotesChange::Unclear,
        (BlockPosition::None, None) => return NotesChange::Keep,
        (BlockPosition::None, Some(lines)) if old.is_empty() => lines.join(end) + end,
        (BlockPosition::None, Some(lines)) => format!("{}{end}{end}{old}", lines.join(end)),
        (BlockPosition::At(from, to), Some(lines)) => {
            format!("{}{}{}", &old[..from], lines.join(end), &old[to..])
        }
        (BlockPosition::At(from, to), None) => remove_task_block(old, from, to),
    };
    match new {
        new if new.is_empty() => NotesChange::Remove,
        new if Some(new.as_str()) == text => NotesChange::Keep,
        new => NotesChange::Write(new),
    }
}

enum BlockPosition {
    None,
    At(usize, usize),
    Unclear,
}

/// Where the block stands: both marks, each on a line of its own.
fn find_task_block(text: &str) -> BlockPosition {
    let mark = |mark: &str, from: usize| {
        let mut at = 0;
        text.split_inclusive('\n').find_map(|line| {
            let start = at;
            at += line.len();
            (start >= from && line.trim_end() == mark).then_some((start, start + mark.len()))
        })
    };
    match mark(OPEN, 0) {
        None => BlockPosition::None,
        Some((from, open_end)) => match mark(CLOSE, open_end) {
            Some((_, to)) => BlockPosition::At(from, to),
            None => BlockPosition::Unclear,
        },
    }
}

/// The text without the block: its line's end goes with it, and the empty line that parted it from what follows.
fn remove_task_block(old: &str, from: usize, to: usize) -> String {
    let (before, after) = (&old[..from], &old[to..]);
    let line_end = |it: &str| {
        if it.starts_with("\r\n") {
            2
        } else {
            usize::from(it.starts_with('\n'))
        }
    };
    let mut after = &after[line_end(after)..];
    if before.is_empty() || before.ends_with("\n\n") || before.ends_with("\r\n\r\n") {
        after = &after[line_end(after)..];
    }
    format!("{before}{after}")
}
