//! NOTES.md: it tells what is going on now. What is over belongs to the task's own history.

use crate::task::Task;
use crate::task::notes_block::{CLOSE, OPEN};
use apostille_audit::{AuditFinding, Class, Severity};
use apostille_core::refusal::Exclusion;
use apostille_core::remember::classify;

/// From how many lines on, empty ones and the task's block not counted, it is a journal.
const MANY_LINES: usize = 60;
/// How many lines a finding names.
const NAMED: usize = 8;

/// What is wrong with this text of `NOTES.md`, given the tasks of the checkout.
#[must_use]
pub fn audit_notes_file(text: &str, tasks: &[Task]) -> Vec<AuditFinding> {
    let (own, block) = split_off_task_block(text);
    let n_lines = own.iter().filter(|it| !it.1.trim().is_empty()).count();
    let ended: Vec<&Task> = tasks.iter().filter(|it| !it.is_open()).collect();
    let of_ended: Vec<usize> = filter_line_numbers(&own, |it| {
        ended.iter().any(|task| is_task_mentioned(it, task))
    });
    let history: Vec<usize> = filter_line_numbers(&own, is_history_line);
    let mut findings = Vec::new();
    if n_lines > MANY_LINES {
        let what = format!(
            "{n_lines} lines, more than {MANY_LINES}: it tells what is going on, not what was"
        );
        findings.push(new_notes_finding(&what, "apostille task note \"TEXT\""));
    }
    if !of_ended.is_empty() {
        let what = format!(
            "{} of tasks that have ended",
            format_line_numbers(&of_ended)
        );
        findings.push(new_notes_finding(&what, "apostille task list --all"));
    }
    if !history.is_empty() {
        let what = format!(
            "{} of what is over: done, merged or passed",
            format_line_numbers(&history)
        );
        findings.push(new_notes_finding(&what, "apostille task note \"TEXT\""));
    }
    if let Some(task) = ended.iter().find(|it| is_block_of_task(&block, it)) {
        let what = format!("its block tells of {}, which is {}", task.slug, task.status);
        findings.push(new_notes_finding(&what, "apostille task show"));
    }
    findings
}

fn new_notes_finding(what: &str, way_out: &str) -> AuditFinding {
    AuditFinding::new(
        Class::Notes,
        Severity::Note,
        format!("NOTES.md: {what}"),
        way_out,
    )
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

fn filter_line_numbers(lines: &[(usize, &str)], is_such: impl Fn(&str) -> bool) -> Vec<usize> {
    lines
        .iter()
        .filter(|it| is_such(it.1))
        .map(|it| it.0)
        .collect()
}

/// Whether a line names a task, by its slug or by its whole title.
fn is_task_mentioned(line: &str, task: &Task) -> bool {
    let is_edge =
        |c: Option<char>| c.is_none_or(|it| !it.is_alphanumeric() && it != '-' && it != '_');
    let line = line.to_lowercase();
    let has = |name: &str| {
        let at = if name.is_empty() {
            None
        } else {
            line.find(name)
        };
        at.is_some_and(|at| {
            is_edge(line[..at].chars().next_back())
                && is_edge(line[at + name.len()..].chars().next())
        })
    };
    has(task.slug.as_str()) || has(&task.title.to_lowercase())
}

/// Whether a line tells of what is over: a ticked box, a record of git, the state of a run.
fn is_history_line(line: &str) -> bool {
    let item = line
        .trim_start_matches(|c: char| !c.is_alphanumeric() && c != '[')
        .to_lowercase();
    let is_ticked = item.starts_with("[x]");
    let is_past = ["done:", "fixed:", "merged:", "completed:", "finished:"]
        .iter()
        .any(|it| item.starts_with(it));
    let excluded = classify::find_exclusion(line).map(|it| it.0);
    // "In progress" and "next step" are what it is for.
    let is_next = ["todo", "next", "in progress", "currently", "wip"]
        .iter()
        .any(|it| item.starts_with(it));
    is_ticked
        || is_past
        || matches!(excluded, Some(Exclusion::GitHistory | Exclusion::TaskState) if !is_next)
}

fn is_block_of_task(block: &[&str], task: &Task) -> bool {
    let line = format!("- task: {},", task.slug);
    block.iter().any(|it| it.starts_with(&line))
}

fn format_line_numbers(numbers: &[usize]) -> String {
    let named: Vec<String> = numbers
        .iter()
        .take(NAMED)
        .map(ToString::to_string)
        .collect();
    let more = numbers.len().saturating_sub(NAMED);
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    let (word, verb) = if numbers.len() == 1 {
        ("line", "tells")
    } else {
        ("lines", "tell")
    };
    format!("{word} {}{more} {verb}", named.join(", "))
}
