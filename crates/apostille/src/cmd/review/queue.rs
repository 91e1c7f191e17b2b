//! The whole queue at once: one line each for people, everything for programs.

use std::collections::BTreeMap;

use apostille_core::review::Waiting;
use serde::Serialize;

use crate::json::{MemoryView, NearView};
use crate::paint::{BOLD, DIM, Paint, Table, count, ink, one_line};

use super::card;

/// What waits, in `--json`.
#[derive(Serialize)]
pub struct Reply {
    ok: bool,
    /// How many memories wait, copies included.
    waiting: usize,
    /// How many decisions that is, by the care they need.
    counts: BTreeMap<&'static str, usize>,
    queue: Vec<View>,
}

#[derive(Serialize)]
struct View {
    memory: MemoryView,
    care: &'static str,
    safe: bool,
    waits_because: String,
    /// The literals that the cited lines do not say as they are now.
    unsaid: Vec<String>,
    near: Vec<NearView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replaces: Option<String>,
    copies: Vec<String>,
}

impl From<&Waiting> for View {
    fn from(it: &Waiting) -> Self {
        Self {
            memory: MemoryView::from(&it.verified),
            care: it.care.as_str(),
            safe: it.is_safe(),
            waits_because: it.memory().status.why().unwrap_or_default().to_owned(),
            unsaid: it.unsaid.clone(),
            near: it.near.iter().map(NearView::from).collect(),
            replaces: it.replaces.as_ref().map(|it| it.handle().to_string()),
            copies: it.copies.iter().map(|it| it.handle().to_string()).collect(),
        }
    }
}

/// Everything, for programs.
pub fn reply(queue: &[Waiting]) -> Reply {
    let mut counts = BTreeMap::new();
    queue.iter().for_each(|it| *counts.entry(it.care.as_str()).or_default() += 1);
    Reply { ok: true, waiting: size(queue), counts, queue: queue.iter().map(View::from).collect() }
}

/// How many memories wait, copies included.
pub fn size(queue: &[Waiting]) -> usize {
    queue.iter().map(|it| 1 + it.copies.len()).sum()
}

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
    let (n, safe) = (size(queue) as u64, queue.iter().filter(|it| it.is_safe()).count() as u64);
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
