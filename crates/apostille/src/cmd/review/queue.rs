//! The whole queue at once: one line each for people, everything for programs.

use apostille_core::review::Waiting;

use crate::json::n_waiting;
use crate::paint::{BOLD, DIM, Paint, Table, count, ink, one_line};

use super::card;

/// One line for each decision, and how to make them.
pub fn page(paint: &Paint, queue: &[Waiting]) -> String {
    if queue.is_empty() {
        return "nothing waits for review\n".into();
    }
    let mut table = Table::default();
    for it in queue {
        let care = ink(card::style(it.care), it.care.as_str());
        table.row([ink(BOLD, it.memory().handle()), care, said(it)]);
    }
    let (n, safe) = (
        n_waiting(queue) as u64,
        queue.iter().filter(|it| it.is_safe()).count() as u64,
    );
    let waits = count(n, "memory waits", "memories wait");
    let end = format!(
        "{waits}, {} to make, {safe} of them safe; a person goes through them: apostille review\n",
        count(queue.len() as u64, "decision", "decisions")
    );
    table.text(paint, 0) + &ink(DIM, end)
}

/// What it says on one line, and how many say it.
pub fn said(it: &Waiting) -> String {
    let said = crate::cmd::list::said(it.memory());
    match it.copies.len() {
        0 => one_line(&said),
        n => format!("(×{}) {}", n + 1, one_line(&said)),
    }
}
