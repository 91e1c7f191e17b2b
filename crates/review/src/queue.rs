//! The whole queue at once: one line each for people, everything for programs.

use apostille_audit::review::ReviewItem;
use apostille_core::queue::QueuePlace;
use apostille_terminal::paint::{
    BOLD, DIM, Paint, format_count, memory::format_subject_and_fact, style_text,
};

use apostille_api::json::count_queued_memories;

use super::card;

/// One line for each decision, and how to make them.
pub(crate) fn format_review_queue(paint: &Paint, queue: &[ReviewItem]) -> String {
    if queue.is_empty() {
        return "nothing waits for review\n".into();
    }
    let row = |it: &ReviewItem| {
        [
            style_text(BOLD, it.memory().handle()),
            style_text(card::choose_care_style(it.care), it.care.as_str()),
            format_waiting_memory(it),
        ]
    };
    let safe = queue.iter().filter(|it| it.is_safe()).count();
    let end = format!(
        "{}, {safe} of them safe; a person goes through them: apostille review\n",
        format_queue_size(queue)
    );
    paint.format_table(0, queue.iter().map(row)) + &style_text(DIM, end)
}

/// What waits and is not put before the person now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HeldBack {
    later: usize,
    known: usize,
    refuted: usize,
    expired: usize,
}

impl HeldBack {
    /// Counts it; `None` where there is none.
    pub(crate) fn count(places: &[QueuePlace]) -> Option<Self> {
        let count =
            |is_such: fn(&QueuePlace) -> bool| places.iter().filter(|it| is_such(it)).count();
        let held = Self {
            later: count(|it| *it == QueuePlace::Later),
            known: count(|it| matches!(it, QueuePlace::Known(_))),
            refuted: count(|it| *it == QueuePlace::Refuted),
            expired: count(|it| *it == QueuePlace::Expired),
        };
        places
            .iter()
            .any(|it| *it != QueuePlace::Due)
            .then_some(held)
    }
}

/// What is not shown, and how it is.
pub(crate) fn format_held_back(held: Option<HeldBack>) -> String {
    let Some(held) = held else {
        return String::new();
    };
    let parts = [
        (held.later, "for a later week (setting queue.per_week)"),
        (held.known, "that a memory in use says already"),
        (held.refuted, "that the code speaks against"),
        (held.expired, "that waited too long"),
    ];
    let parts = parts.iter().filter(|it| it.0 > 0);
    let parts: Vec<String> = parts.map(|(n, what)| format!("{n} {what}")).collect();
    let text = format!(
        "not shown: {}; all: apostille review --all\n",
        parts.join(", ")
    );
    style_text(DIM, text)
}

/// How many memories wait, and how many decisions that is.
pub(crate) fn format_queue_size(queue: &[ReviewItem]) -> String {
    let n = count_queued_memories(queue) as u64;
    let waits = format_count(n, "memory waits", "memories wait");
    let decisions = format_count(queue.len() as u64, "decision", "decisions");
    format!("{waits}, {decisions} to make")
}

/// What it says on one line, and how many say it.
pub(crate) fn format_waiting_memory(it: &ReviewItem) -> String {
    let said = format_subject_and_fact(it.memory());
    match it.copies.len() {
        0 => said,
        n => format!("(×{}) {said}", n + 1),
    }
}
