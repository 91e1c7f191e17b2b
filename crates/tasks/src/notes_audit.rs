//! NOTES.md: it tells what is going on now. What is over belongs to the task's own history.

use crate::task::Task;
use crate::task::notes_block::{CLOSE, OPEN};
use apostille_audit::{AuditFinding, Class, Severity};
use apostille_core::{refusal::Exclusion, remember::classify};

/// From how many lines on, empty ones and the task's block not counted, it is a journal.
const MANY_LINES: usize = 60;
/// How many lines a finding names.
const NAMED: usize = 8;

/// What is wrong with this text of `NOTES.md`, given the tasks of the checkout.
pub fn audit_notes_file(text: &str, tasks: &[Task]) -> Vec<AuditFinding> {
    let (own, block) = split_off_task_block(text);
    let n_lines = own.iter().filter(|it| !it.1.trim().is_empty()).count();
    let ended: Vec<&Task> = tasks.iter().filter(|it| !it.is_open()).collect();
    let is_of_ended = |line: &str| ended.iter().any(|it| is_task_mentioned(line, it));
    let mut findings = Vec::new();
    let mut add = |what: String, way_out: &str| {
        let what = format!("NOTES.md: {what}");
        findings.push(AuditFinding::new(
            Class::Notes,
            Severity::Note,
            what,
            way_out,
        ));
    };
    if n_lines > MANY_LINES {
        let what = format!(
            "{n_lines} lines, more than {MANY_LINES}: it tells what is going on, not what was"
        );
        add(what, "apostille task note \"TEXT\"");
    }
    if let Some(lines) = format_such_lines(&own, is_of_ended) {
        let what = format!("{lines} of tasks that have ended");
        add(what, "apostille task list --all");
    }
    if let Some(lines) = format_such_lines(&own, is_history_line) {
        let what = format!("{lines} of what is over: done, merged or passed");
        add(what, "apostille task note \"TEXT\"");
    }
    let is_in_block = |it: &&&Task| {
        let line = format!("- task: {},", it.slug);
        block.iter().any(|it| it.starts_with(&line))
    };
    if let Some(task) = ended.iter().find(is_in_block) {
        let what = format!("its block tells of {}, which is {}", task.slug, task.status);
        add(what, "apostille task show");
    }
    findings
}

/// The lines of people, with their numbers, and those of the task's block.
fn split_off_task_block(text: &str) -> (Vec<(usize, &str)>, Vec<&str>) {
    let (mut own, mut block) = (Vec::new(), Vec::new());
    let mut is_inside = false;
    for (n, line) in text.lines().enumerate() {
        is_inside |= line.trim_end() == OPEN;
        if is_inside {
            block.push(line);
        } else {
            own.push((n + 1, line));
        }
        is_inside &= line.trim_end() != CLOSE;
    }
    (own, block)
}

/// Whether a line names a task, by its slug or by its whole title.
fn is_task_mentioned(line: &str, task: &Task) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    let line = line.to_lowercase();
    let has = |name: &str| {
        let around = line.split_once(name).filter(|_| !name.is_empty());
        around.is_some_and(|it| !it.0.ends_with(is_part) && !it.1.starts_with(is_part))
    };
    has(task.slug.as_str()) || has(&task.title.to_lowercase())
}

/// Whether a line tells of what is over: a ticked box, a record of git, the state of a run.
fn is_history_line(line: &str) -> bool {
    let item = line
        .trim_start_matches(|c: char| !c.is_alphanumeric() && c != '[')
        .to_lowercase();
    let begins = |words: &[&str]| words.iter().any(|it| item.starts_with(it));
    let is_past = begins(&[
        "[x]",
        "done:",
        "fixed:",
        "merged:",
        "completed:",
        "finished:",
    ]);
    let excluded = classify::find_exclusion(line).map(|it| it.0);
    // "In progress" and "next step" are what it is for.
    let is_next = begins(&["todo", "next", "in progress", "currently", "wip"]);
    is_past || matches!(excluded, Some(Exclusion::GitHistory | Exclusion::TaskState) if !is_next)
}

/// The numbers of the lines that are such, as the beginning of a sentence.
fn format_such_lines(lines: &[(usize, &str)], is_such: impl Fn(&str) -> bool) -> Option<String> {
    let such = lines.iter().filter(|it| is_such(it.1));
    let numbers: Vec<String> = such.map(|it| it.0.to_string()).collect();
    let named = numbers[..numbers.len().min(NAMED)].join(", ");
    match numbers.len() {
        0 => None,
        1 => Some(format!("line {named} tells")),
        n if n > NAMED => Some(format!("lines {named} and {} more tell", n - NAMED)),
        _ => Some(format!("lines {named} tell")),
    }
}
