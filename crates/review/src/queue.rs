//! The whole queue at once: one line each for people, everything for programs.

use apostille_audit::review::ReviewItem;
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
