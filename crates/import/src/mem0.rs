//! An export of mem0: a list of memories, by itself or as `results` or `memories`.

use serde_json::Value;

use super::candidate::{
    self, CandidateCollector, FormatMismatch, ImportCandidate, ParsedForeignFile,
};
use super::foreign_file::ForeignFile;
use apostille_core::memory::Kind;
use apostille_core::policy::MemoryLimits;

/// Takes the memories out of a list, and the relations beside it.
pub(super) fn parse_mem0_export(
    sheet: &ForeignFile<'_>,
    limits: &MemoryLimits,
) -> Result<ParsedForeignFile, FormatMismatch> {
    let value: Value = serde_json::from_str(sheet.text)
        .map_err(|_| FormatMismatch("it is no JSON, or is broken off"))?;
    let list = find_mem0_list(&value).ok_or(FormatMismatch(
        "it has no list of objects with a text 'memory'",
    ))?;
    let mut page = CandidateCollector::new(limits);
    (1..)
        .zip(list)
        .for_each(|(n, it)| collect_mem0_memory(&mut page, format!("memory {n}"), it));
    let relations = value
        .get("relations")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default();
    (1..)
        .zip(relations)
        .for_each(|(n, it)| collect_mem0_relation(&mut page, format!("relation {n}"), it));
    Ok(page.into_parsed_file())
}

/// The list of memories, where there is one; an export of nothing has an empty one under its name.
pub(super) fn find_mem0_list(value: &Value) -> Option<&Vec<Value>> {
    let listed = || {
        ["results", "memories"]
            .iter()
            .find_map(|it| value.get(it)?.as_array())
    };
    let is_named_and_empty = |it: &&Vec<Value>| it.is_empty() && value.is_object();
    let is_theirs = |it: &&Vec<Value>| it.iter().any(|it| it["memory"].is_string());
    value
        .as_array()
        .or_else(listed)
        .filter(|it| is_theirs(it) || is_named_and_empty(it))
}

fn collect_mem0_memory(page: &mut CandidateCollector<'_>, at: String, value: &Value) {
    let Some(said) = value["memory"].as_str() else {
        return page.leave_out(at, "it has no text 'memory'");
    };
    let words = |it: &Value| {
        it.as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(Into::into)
            .collect()
    };
    let mut tags: Vec<String> = words(&value["categories"]);
    tags.extend(value["metadata"]["category"].as_str().map(Into::into));
    let time = |key: &str| candidate::parse_foreign_time(value[key].as_str()?);
    let piece = ImportCandidate::new(
        at,
        candidate::infer_memory_kind(&tags.join(" "), said),
        said,
    );
    page.add_candidate(ImportCandidate {
        tags,
        author: value["agent_id"]
            .as_str()
            .filter(|it| !it.is_empty())
            .map(Into::into),
        said_at: time("created_at"),
        stated_at: time("updated_at"),
        ..piece
    });
}

fn collect_mem0_relation(page: &mut CandidateCollector<'_>, at: String, value: &Value) {
    let text = |keys: &[&str]| keys.iter().find_map(|it| value[it].as_str());
    let ends = (
        text(&["source"]),
        text(&["relationship", "relation"]),
        text(&["target", "destination"]),
    );
    let (Some(from), Some(verb), Some(to)) = ends else {
        return page.leave_out(at, "a relation that lacks an end or its name");
    };
    let piece = ImportCandidate::new(
        at,
        Kind::Project,
        candidate::format_relation(from, verb, to),
    );
    page.add_candidate(ImportCandidate {
        subject: Some(from.into()),
        ..piece
    });
}
