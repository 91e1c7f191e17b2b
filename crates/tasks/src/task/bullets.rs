//! The state of a task in deterministic bullets: for the start of a session, and for what must survive a compaction.
//!
//! Kept are the active phase, unresolved blockers, constraints and decisions; notes and what was verified are counted,
//! and everything verbose is left to `task show`.

use std::collections::BTreeMap;

use super::{CONSTRAINT, Sort, Task, memories};
use apostille_cite::verdict::{Verdict, standing};
use apostille_core::memory::{Memory, MemoryId};
use apostille_core::recall::render::safe;
use apostille_core::space::Space;
use apostille_core::verify;
use apostille_core::verify::Verified;
use apostille_core::{Context, Error};
use apostille_text::shorten::cut;

/// The longest text of one bullet, in characters.
const BULLET_CHARS: usize = 240;

/// The bullets as one text of at most so many characters: each on a line of its own, each line ended. What cites code is
/// looked up first.
pub fn bullets(
    cx: &Context<'_>,
    space: &Space,
    task: &Task,
    max_chars: usize,
) -> Result<String, Error> {
    let seen = verify::look(cx, memories(cx, space, task)?);
    Ok(state(task, &seen, max_chars)
        .iter()
        .map(|it| format!("- {it}\n"))
        .collect())
}

/// The bullets of a task, the most important first; with the `- ` before and the line's end after each they have at most
/// so many characters. The same state gives the same bytes.
#[must_use]
pub fn state(task: &Task, seen: &[Verified], max_chars: usize) -> Vec<String> {
    let told: BTreeMap<MemoryId, &Verified> = seen.iter().map(|it| (it.memory.id, it)).collect();
    let mut room = Room {
        left: max_chars,
        lines: Vec::new(),
    };
    room.push(format!(
        "task: {} ({})",
        cut(&safe(&task.title), super::TITLE_CHARS),
        task.slug
    ));
    if let Some(phase) = task.phase_told() {
        let next = task
            .next_phase()
            .map(|it| format!("; next: {}", safe(it)))
            .unwrap_or_default();
        room.push(format!("phase: {}{next}", safe(&phase)));
    }
    let bullets = |sort: Sort, is_wanted: &dyn Fn(&Memory) -> bool| -> Vec<String> {
        let known = task
            .of_sort(sort)
            .filter_map(|it| told.get(&it.id))
            .filter(|it| it.memory.is_active());
        known
            .filter(|it| is_wanted(&it.memory))
            .map(|it| bullet(it))
            .collect()
    };
    room.fill("blocked", &bullets(Sort::Blocker, &|_| true));
    room.fill("constraint", &bullets(Sort::Decision, &is_constraint));
    room.fill(
        "decided",
        &bullets(Sort::Decision, &|it| !is_constraint(it)),
    );
    if let Some(counts) = counts(task) {
        room.push(counts);
    }
    room.lines
}

/// Whether a decision is a limit to keep within.
pub(super) fn is_constraint(memory: &Memory) -> bool {
    memory.tags.iter().any(|it| it == CONSTRAINT)
}

/// What a memory says; of one whose cited code no longer says so, only that it is so.
fn bullet(it: &Verified) -> String {
    let handle = it.memory.handle();
    let place = |verdict: &Verdict| {
        let at = it.verdicts.iter().position(|it| it == verdict);
        at.and_then(|at| it.memory.citations.get(at))
            .map(|it| it.place().to_string())
            .unwrap_or_default()
    };
    match apostille_cite::verdict::worst(&it.verdicts) {
        Some(worst) if worst.is_bad() => {
            format!(
                "{handle} is withheld: what it cites is {} at {}",
                worst.as_str(),
                safe(&place(worst))
            )
        }
        Some(_) => format!(
            "{handle} ({}) {}",
            standing(&it.verdicts),
            short(&it.memory)
        ),
        None => format!("{handle} {}", short(&it.memory)),
    }
}

fn short(memory: &Memory) -> String {
    cut(&safe(&memory.fact), BULLET_CHARS)
}

fn counts(task: &Task) -> Option<String> {
    let n = |sort: Sort| task.of_sort(sort).count();
    let told = [(n(Sort::Verified), "verified"), (n(Sort::Note), "noted")];
    let told: Vec<String> = told
        .iter()
        .filter(|it| it.0 > 0)
        .map(|(n, word)| format!("{n} {word}"))
        .collect();
    (!told.is_empty())
        .then(|| format!("also: {} (`apostille task show` has them)", told.join(", ")))
}

struct Room {
    left: usize,
    lines: Vec<String>,
}

impl Room {
    /// Adds a line if there is room for it.
    fn push(&mut self, line: String) -> bool {
        let chars = line.chars().count() + "- \n".len();
        let fits = chars <= self.left;
        if fits {
            self.left -= chars;
            self.lines.push(line);
        }
        fits
    }

    /// Adds as many of these as there is room for, those that came last first, and puts them in their order.
    fn fill(&mut self, word: &str, bullets: &[String]) {
        let before = self.lines.len();
        let n = bullets
            .iter()
            .rev()
            .take_while(|it| self.push(format!("{word}: {it}")))
            .count();
        self.lines[before..].reverse();
        if n < bullets.len() {
            self.push(format!("{word}: {} more, older", bullets.len() - n));
        }
    }
}
