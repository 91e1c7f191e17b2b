//! What was done, by day.

use apostille_core::format;
use apostille_tasks::report::{ReportItem, ReportSpan, WorkReport};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::{MemoryView, build_memory_views, text_schema::TextEncoded};

/// What was done, by day.
#[derive(Serialize, JsonSchema)]
pub struct ReportReply {
    #[schemars(extend("const" = true))]
    ok: bool,
    #[schemars(with = "TextEncoded<Timestamp>")]
    since: String,
    #[schemars(with = "TextEncoded<Timestamp>")]
    until: String,
    /// Whether there was more than is looked at.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cut: bool,
    days: Vec<ReportDayView>,
}

/// What was done on one day.
#[derive(Serialize, JsonSchema)]
struct ReportDayView {
    date: String,
    items: Vec<ReportItemView>,
}

/// What was done in one task, or beside all tasks.
#[derive(Serialize, JsonSchema)]
struct ReportItemView {
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

impl From<&ReportItem> for ReportItemView {
    fn from(it: &ReportItem) -> Self {
        Self {
            space: it.space.as_str().to_owned(),
            task: it.task.clone(),
            title: it.title().map(Into::into),
            status: it.status(),
            outcome: it.outcome().map(Into::into),
            summary: it.summary.as_ref().map(MemoryView::from),
            decisions: build_memory_views(&it.decisions),
            sessions: build_memory_views(&it.sessions),
            notes: it.n_notes,
        }
    }
}

impl ReportReply {
    /// What was done in this span.
    pub fn new(span: ReportSpan, report: &WorkReport) -> Self {
        let day = |it: &apostille_tasks::report::ReportDay| ReportDayView {
            date: it.date.clone(),
            items: it.items.iter().map(ReportItemView::from).collect(),
        };
        Self {
            ok: true,
            since: format::format_timestamp(span.since),
            until: format::format_timestamp(span.until),
            cut: report.is_cut,
            days: report.days.iter().map(day).collect(),
        }
    }
}
