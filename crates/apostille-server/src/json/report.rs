//! What was done, by day.

use apostille_core::format;
use apostille_tasks::report::{Item, Report, Span};
use serde::Serialize;

use super::{MemoryView, views};

/// What was done, by day.
#[derive(Debug, Clone, Serialize)]
pub struct ReportReply {
    ok: bool,
    since: String,
    until: String,
    /// Whether there was more than is looked at.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cut: bool,
    days: Vec<DayView>,
}

#[derive(Debug, Clone, Serialize)]
struct DayView {
    date: String,
    items: Vec<ItemView>,
}

#[derive(Debug, Clone, Serialize)]
struct ItemView {
    space: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<MemoryView>,
    decisions: Vec<MemoryView>,
    sessions: Vec<MemoryView>,
    notes: usize,
}

impl From<&Item> for ItemView {
    fn from(it: &Item) -> Self {
        Self {
            space: it.space.to_string(),
            task: it.task.clone(),
            title: it.title().map(Into::into),
            status: it.status(),
            outcome: it.outcome().map(Into::into),
            summary: it.summary.as_ref().map(MemoryView::from),
            decisions: views(&it.decisions),
            sessions: views(&it.sessions),
            notes: it.n_notes,
        }
    }
}

impl ReportReply {
    /// What was done in this span.
    #[must_use]
    pub fn new(span: Span, report: &Report) -> Self {
        let day = |it: &apostille_tasks::report::Day| DayView {
            date: it.date.clone(),
            items: it.items.iter().map(ItemView::from).collect(),
        };
        Self {
            ok: true,
            since: format::timestamp(span.since),
            until: format::timestamp(span.until),
            cut: report.is_cut,
            days: report.days.iter().map(day).collect(),
        }
    }
}
