//! The whole queue at once: one line each for people, everything for programs.

use apostille_audit::review::ReviewItem;

use apostille_api::json::count_queued_memories;
use apostille_terminal::paint::{
    BOLD, DIM, Paint, TextTable, flatten_to_line, format_count, style_text,
};

use super::card;

/// One line for each decision, and how to make them.
pub(crate) fn format_review_queue(paint: &Paint, queue: &[ReviewItem]) -> String {
    if queue.is_empty() {
        return "nothing waits for review\n".into();
    }
    let mut table = TextTable::default();
    for it in queue {
        let care = style_text(card::choose_care_style(it.care), it.care.as_str());
        table.add_row([
            style_text(BOLD, it.memory().handle()),
            care,
            format_waiting_memory(it),
        ]);
    }
    let (n, safe) = (
        count_queued_memories(queue) as u64,
        queue.iter().filter(|it| it.is_safe()).count() as u64,
    );
    let waits = format_count(n, "memory waits", "memories wait");
    let end = format!(
        "{waits}, {} to make, {safe} of them safe; a person goes through them: apostille review\n",
        format_count(queue.len() as u64, "decision", "decisions")
    );
    table.to_text(paint, 0) + &style_text(DIM, end)
}

/// What it says on one line, and how many say it.
pub(crate) fn format_waiting_memory(it: &ReviewItem) -> String {
    let said = apostille_terminal::paint::memory::format_subject_and_fact(it.memory());
    match it.copies.len() {
        0 => flatten_to_line(&said),
        n => format!("(×{}) {}", n + 1, flatten_to_line(&said)),
    }
}
