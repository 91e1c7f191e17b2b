//! Memories of Copilot, as its memory tool takes and exports them: objects with a fact, its subject, places and a reason,
//! in a list, by themselves or one a line.

use serde_json::Value;

use super::{
    candidate::{self, CandidateCollector, FormatMismatch, ImportCandidate},
    foreign_file::iter_filled_lines,
};

/// Takes the memories out of a list, an object or lines.
pub(super) fn collect_copilot_memories(
    page: &mut CandidateCollector,
    text: &str,
) -> Result<(), FormatMismatch> {
    if let Ok(value) = serde_json::from_str::<Value>(text) {
        let none = FormatMismatch("it has no object with a text 'fact'");
        for (n, it) in (1..).zip(find_copilot_list(&value).ok_or(none)?) {
            collect_copilot_memory(page, format!("memory {n}"), it);
        }
        return Ok(());
    }
    for (n, line) in iter_filled_lines(text) {
        match serde_json::from_str(line) {
            Ok(value) => collect_copilot_memory(page, format!("line {n}"), &value),
            Err(_) => page.leave_out(format!("line {n}"), "it is not JSON"),
        }
    }
    Ok(())
}

/// The memories of an export: a list, one under `memories`, or a single memory.
pub(super) fn find_copilot_list(value: &Value) -> Option<Vec<&Value>> {
    let list = [value, &value["memories"]]
        .into_iter()
        .find_map(Value::as_array);
    let all = list.map_or_else(|| vec![value], |it| it.iter().collect());
    all.iter().any(|it| is_copilot_memory(it)).then_some(all)
}

/// Whether an object is a memory of Copilot: a fact, and what only Copilot puts beside one.
pub(super) fn is_copilot_memory(value: &Value) -> bool {
    let beside = ["subject", "reason", "citations", "category"];
    value["fact"].is_string() && beside.iter().any(|it| !value[it].is_null())
}

fn collect_copilot_memory(page: &mut CandidateCollector, at: String, value: &Value) {
    let Some(fact) = value["fact"].as_str() else {
        return page.leave_out(at, "it has no text 'fact'");
    };
    let text = |key: &str| value[key].as_str().filter(|it| !it.trim().is_empty());
    let time = |key: &str| candidate::parse_foreign_time(text(key)?);
    let (subject, category) = (text("subject"), text("category"));
    let filed_under = [subject, category].map(Option::unwrap_or_default).join(" ");
    page.add_candidate(ImportCandidate {
        subject: subject.map(Into::into),
        reason: join_reason(text("reason"), &list_places(&value["citations"])),
        tags: category.map(Into::into).into_iter().collect(),
        said_at: time("created_at").or_else(|| time("createdAt")),
        ..ImportCandidate::new(at, candidate::infer_memory_kind(&filed_under, fact), fact)
    });
}

/// The places that a memory names: one text, or a list of texts.
fn list_places(value: &Value) -> Vec<&str> {
    let list = value.as_array().into_iter().flatten().chain([value]);
    list.filter_map(Value::as_str)
        .map(str::trim)
        .filter(|it| !it.is_empty())
        .collect()
}

/// The reason, with the places behind it: they are a claim of the file, and no evidence that was looked at.
fn join_reason(reason: Option<&str>, places: &[&str]) -> Option<String> {
    let named = (!places.is_empty()).then(|| format!("Its source: {}.", places.join(", ")));
    let parts: Vec<&str> = reason.into_iter().chain(named.as_deref()).collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}
