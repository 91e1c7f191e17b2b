//! An export of mem0: a list of memories, by itself or as `results` or `memories`.

use serde_json::Value;

use super::candidate::{self, CandidateCollector, FormatMismatch, ImportCandidate};

/// Takes the memories out of a list, and the relations beside it.
pub(super) fn collect_mem0_export(
    page: &mut CandidateCollector,
    text: &str,
) -> Result<(), FormatMismatch> {
    let value: Value = serde_json::from_str(text)
        .map_err(|_| FormatMismatch("it is not JSON, or it is cut off"))?;
    let list = find_mem0_list(&value).ok_or(FormatMismatch(
        "it has no list of objects with a text 'memory'",
    ))?;
    for (n, it) in (1..).zip(list) {
        collect_mem0_memory(page, format!("memory {n}"), it);
    }
    let relations = value.get("relations").and_then(Value::as_array);
    for (n, it) in (1..).zip(relations.into_iter().flatten()) {
        let text = |keys: &[&str]| keys.iter().find_map(|key| it[key].as_str());
        let ends = [
            text(&["source"]),
            text(&["relationship", "relation"]),
            text(&["target", "destination"]),
        ];
        page.add_relation(format!("relation {n}"), ends);
    }
    Ok(())
}

/// The list of memories, where there is one; an export of nothing has an empty one under its name.
pub(super) fn find_mem0_list(value: &Value) -> Option<&Vec<Value>> {
    let lists = [value, &value["results"], &value["memories"]];
    let list = lists.iter().find_map(|it| it.as_array())?;
    let is_named_and_empty = list.is_empty() && value.is_object();
    let is_theirs = list.iter().any(|it| it["memory"].is_string());
    (is_theirs || is_named_and_empty).then_some(list)
}

fn collect_mem0_memory(page: &mut CandidateCollector, at: String, value: &Value) {
    let Some(said) = value["memory"].as_str() else {
        return page.leave_out(at, "it has no text 'memory'");
    };
    let categories = value["categories"].as_array().into_iter().flatten();
    let tags: Vec<String> = categories
        .chain([&value["metadata"]["category"]])
        .filter_map(|it| Some(it.as_str()?.into()))
        .collect();
    let time = |key: &str| candidate::parse_foreign_time(value[key].as_str()?);
    let kind = candidate::infer_memory_kind(&tags.join(" "), said);
    let author = value["agent_id"].as_str().filter(|it| !it.is_empty());
    page.add_candidate(ImportCandidate {
        tags,
        author: author.map(Into::into),
        said_at: time("created_at"),
        stated_at: time("updated_at"),
        ..ImportCandidate::new(at, kind, said)
    });
}
