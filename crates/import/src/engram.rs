//! An export of engram: one object with `sessions`, `observations` and `prompts`. An observation is a memory; what was
//! typed and when a session ran is not.

use serde_json::Value;

use super::candidate::{self, CandidateCollector, FormatMismatch, ImportCandidate};
use apostille_core::memory::Kind;

/// Takes the observations out of an export.
pub(super) fn collect_engram_export(
    page: &mut CandidateCollector,
    text: &str,
) -> Result<(), FormatMismatch> {
    let value: Value = serde_json::from_str(text)
        .map_err(|_| FormatMismatch("it is not JSON, or it is cut off"))?;
    if !is_engram_export(&value) {
        return Err(FormatMismatch(
            "it has no lists 'sessions', 'observations' and 'prompts'",
        ));
    }
    for (n, it) in (1..).zip(value["observations"].as_array().into_iter().flatten()) {
        collect_engram_observation(page, format!("observation {n}"), it);
    }
    Ok(())
}

/// Whether a value is an export of engram. It writes an empty list as `null`.
pub(super) fn is_engram_export(value: &Value) -> bool {
    let is_list = |key: &str| {
        value
            .get(key)
            .is_some_and(|it| it.is_array() || it.is_null())
    };
    value["exported_at"].is_string()
        && ["sessions", "observations", "prompts"]
            .into_iter()
            .all(is_list)
}

fn collect_engram_observation(page: &mut CandidateCollector, at: String, value: &Value) {
    let text = |key: &str| value[key].as_str().filter(|it| !it.trim().is_empty());
    let time = |key: &str| candidate::parse_foreign_time(text(key)?);
    let Some(content) = text("content") else {
        return page.leave_out(at, "it has no text 'content'");
    };
    if text("deleted_at").is_some() {
        return page.leave_out(at, "it was deleted there");
    }
    // What an agent did with a tool, or wrote at the end of a session, is history.
    let sort = text("type").unwrap_or_default();
    if matches!(
        sort,
        "tool_use" | "session_summary" | "file_read" | "command"
    ) {
        return page.leave_out(
            at,
            "it tells what happened in a session, and states no fact",
        );
    }
    let filed_under = [sort, text("topic_key").unwrap_or_default()].join(" ");
    let kind = match text("scope") {
        Some("personal") => Kind::User,
        _ => candidate::infer_memory_kind(&filed_under, content),
    };
    page.add_candidate(ImportCandidate {
        subject: text("title").map(Into::into),
        tags: text("type").map(Into::into).into_iter().collect(),
        said_at: time("created_at"),
        stated_at: time("updated_at"),
        project: text("project")
            .filter(|_| kind != Kind::User)
            .map(Into::into),
        ..ImportCandidate::new(at, kind, content)
    });
}
