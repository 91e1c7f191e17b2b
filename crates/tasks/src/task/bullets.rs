//! The state of a task in deterministic bullets: for the start of a session, and for what must survive a compaction.
//!
//! Kept are the active phase, unresolved blockers, constraints and decisions; notes and what was verified are counted,
//! and everything verbose is left to `task show`.

use super::{
    CONSTRAINT, NoteSort, Task, has_tag, load_task_memories,
    phase_report::{PhaseReport, ReportPart},
};
use apostille_cite::standing::Standing;
use apostille_core::{
    Context, CoreError, memory::Memory, recall::render::sanitize_line, space::Space,
    standing_text::StandingView, verify, verify::VerifiedMemory,
};
use apostille_text::shorten::shorten_text;

/// The longest text of one bullet, in characters.
const BULLET_CHARS: usize = 240;

/// The bullets as one text of at most so many characters: each on a line of its own, each line ended. What cites code is
/// looked up first.
pub fn format_task_bullets(
    cx: &Context,
    space: &Space,
    task: &Task,
    max_chars: usize,
) -> Result<String, CoreError> {
    let seen = verify::follow_memory_citations(cx, load_task_memories(cx, space, task)?);
    Ok(list_task_bullets(task, &seen, max_chars)
        .iter()
        .map(|it| format!("- {it}\n"))
        .collect())
}

/// The bullets of a task, the most important first; with the `- ` before and the line's end after each they have at most
/// so many characters. The same state gives the same bytes.
pub fn list_task_bullets(task: &Task, seen: &[VerifiedMemory], max_chars: usize) -> Vec<String> {
    let mut room = BulletBudget {
        left: max_chars,
        lines: Vec::new(),
    };
    room.push_line(format!(
        "task: {} ({})",
        shorten_text(&sanitize_line(&task.title), super::TITLE_CHARS),
        task.slug
    ));
    if let Some(phase) = task.format_phase() {
        let mut line = format!("phase: {}", sanitize_line(&phase));
        if let Some(next) = task.next_phase() {
            line += &format!("; next: {}", sanitize_line(next));
        }
        room.push_line(line);
    }
    let bullets = |sort: NoteSort, is_wanted: &dyn Fn(&Memory) -> bool| -> Vec<String> {
        task.entries_of_sort(sort)
            .filter_map(|entry| seen.iter().find(|it| it.memory.id == entry.id))
            .filter(|it| it.memory.is_active() && is_wanted(&it.memory))
            .map(format_note_bullet)
            .collect()
    };
    room.push_newest("blocked", &bullets(NoteSort::Blocker, &|_| true));
    room.push_newest(
        "constraint",
        &bullets(NoteSort::Decision, &is_constraint_decision),
    );
    room.push_newest(
        "decided",
        &bullets(NoteSort::Decision, &|it| !is_constraint_decision(it)),
    );
    for line in format_last_report(task, seen) {
        room.push_line(line);
    }
    if let Some(counts) = format_note_counts(task) {
        room.push_line(counts);
    }
    room.lines
}

/// Whether a decision is a limit to keep within.
pub(super) fn is_constraint_decision(memory: &Memory) -> bool {
    has_tag(memory, CONSTRAINT)
}

/// What a memory says; of one whose cited code no longer says so, only that it is so.
fn format_note_bullet(it: &VerifiedMemory) -> String {
    let handle = it.memory.handle();
    let fact = || shorten_text(&sanitize_line(&it.memory.fact), BULLET_CHARS);
    let how = sanitize_line(&StandingView::from(it).describe());
    match it.standing() {
        Standing::Stated => format!("{handle} {}", fact()),
        standing if standing.is_refuted() => format!("{handle} is withheld: {how}"),
        _ => format!("{handle} ({how}) {}", fact()),
    }
}

/// What the last report says is open again, open, and next.
fn format_last_report(task: &Task, seen: &[VerifiedMemory]) -> Vec<String> {
    let found = task.reports.iter().rev().find_map(|entry| {
        let memory = seen
            .iter()
            .map(|it| &it.memory)
            .find(|it| it.id == entry.id)?;
        let report = PhaseReport::from_fact(entry.phase.clone(), &memory.fact);
        memory.is_active().then_some(report)
    });
    let Some(report) = found else {
        return Vec::new();
    };
    let parts = [ReportPart::Regressed, ReportPart::Open, ReportPart::Next];
    let line = |part: &ReportPart| {
        let items: Vec<String> = report.list_items(*part).map(sanitize_line).collect();
        let text = shorten_text(&items.join("; "), BULLET_CHARS);
        (!items.is_empty()).then(|| format!("reported {part}: {text}"))
    };
    parts.iter().filter_map(line).collect()
}

fn format_note_counts(task: &Task) -> Option<String> {
    let told = [(NoteSort::Verified, "verified"), (NoteSort::Note, "noted")].map(|(sort, word)| {
        let n = task.entries_of_sort(sort).count();
        (n > 0).then(|| format!("{n} {word}"))
    });
    let told: Vec<String> = told.into_iter().flatten().collect();
    (!told.is_empty())
        .then(|| format!("also: {} (`apostille task show` has them)", told.join(", ")))
}

struct BulletBudget {
    left: usize,
    lines: Vec<String>,
}

impl BulletBudget {
    /// Adds a line if there is room for it.
    fn push_line(&mut self, line: String) -> bool {
        let chars = line.chars().count() + "- \n".len();
        let fits = chars <= self.left;
        if fits {
            self.left -= chars;
            self.lines.push(line);
        }
        fits
    }

    /// Adds as many of these as there is room for, those that came last first, and puts them in their order.
    fn push_newest(&mut self, word: &str, bullets: &[String]) {
        let before = self.lines.len();
        let n = bullets
            .iter()
            .rev()
            .take_while(|it| self.push_line(format!("{word}: {it}")))
            .count();
        self.lines[before..].reverse();
        if n < bullets.len() {
            self.push_line(format!("{word}: {} more, older", bullets.len() - n));
        }
    }
}
