//! An export of claude-mem: one object with `observations`, `summaries`, `sessions` and `prompts`. An observation is a
//! memory, and so is what a summary says was learned. The rest tells what happened.

use serde_json::Value;

use super::candidate::{self, CandidateCollector, FormatMismatch, ImportCandidate};
use apostille_core::memory::Kind;

/// Takes observations and lessons out of an export.
pub(super) fn collect_claude_mem_export(
    page: &mut CandidateCollector,
    text: &str,
) -> Result<(), FormatMismatch> {
    let value: Value = serde_json::from_str(text)
        .map_err(|_| FormatMismatch("it is not JSON, or it is cut off"))?;
    if !is_claude_mem_export(&value) {
        return Err(FormatMismatch(
            "it has no lists 'observations' and 'summaries'",
        ));
    }
    let list = |key: &str| (1..).zip(value[key].as_array().into_iter().flatten());
    for (n, it) in list("observations") {
        collect_observation(page, format!("observation {n}"), it);
    }
    for (n, it) in list("summaries") {
        collect_lesson(page, format!("summary {n}"), it);
    }
    Ok(())
}

/// Whether a value is an export of claude-mem.
pub(super) fn is_claude_mem_export(value: &Value) -> bool {
    let lists = ["observations", "summaries"];
    lists.iter().all(|it| value[it].is_array()) && value.get("exportedAt").is_some()
}

/// The title and the facts; where there are none, the title and what was told.
fn collect_observation(page: &mut CandidateCollector, at: String, value: &Value) {
    let text = |key: &str| find_text(value, key);
    let facts: Vec<String> = parse_text_list(&value["facts"]);
    let body = match facts.is_empty() {
        true => text("narrative")
            .or_else(|| text("subtitle"))
            .or_else(|| text("text")),
        false => None,
    };
    let body = body.map_or_else(|| facts.join("\n"), Into::into);
    let title = text("title");
    let fact = match (title, body.is_empty()) {
        (Some(title), true) => title.to_owned(),
        _ => body,
    };
    let sort = text("type").unwrap_or_default();
    let mut tags = parse_text_list(&value["concepts"]);
    tags.extend((!sort.is_empty()).then(|| sort.to_owned()));
    page.add_candidate(ImportCandidate {
        subject: title.filter(|it| *it != fact).map(Into::into),
        tags,
        ..build_candidate(at, value, candidate::infer_memory_kind(sort, &fact), fact)
    });
}

/// What was learned in a session.
fn collect_lesson(page: &mut CandidateCollector, at: String, value: &Value) {
    let Some(lesson) = find_text(value, "learned") else {
        return page.leave_out(at, "it says nothing under 'learned'");
    };
    let kind = candidate::infer_memory_kind("", lesson);
    page.add_candidate(build_candidate(at, value, kind, lesson.to_owned()));
}

fn build_candidate(at: String, value: &Value, kind: Kind, fact: String) -> ImportCandidate {
    let said_at = find_text(value, "created_at").and_then(candidate::parse_foreign_time);
    ImportCandidate {
        said_at,
        project: find_text(value, "project").map(Into::into),
        ..ImportCandidate::new(at, kind, fact)
    }
}

fn find_text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value[key].as_str().filter(|it| !it.trim().is_empty())
}

/// The texts of a list; in the database it is kept as a JSON text.
fn parse_text_list(value: &Value) -> Vec<String> {
    let parsed: Option<Value> = value.as_str().and_then(|it| serde_json::from_str(it).ok());
    let list = parsed.as_ref().unwrap_or(value).as_array();
    let texts = list.into_iter().flatten().filter_map(Value::as_str);
    texts
        .map(str::trim)
        .filter(|it| !it.is_empty())
        .map(Into::into)
        .collect()
}
