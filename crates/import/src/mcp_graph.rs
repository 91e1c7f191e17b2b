//! The graph of the reference memory server: entities with observations, and relations between them.

use serde_json::Value;

use super::{
    candidate::{self, CandidateCollector, FormatMismatch, ImportCandidate},
    foreign_file::iter_filled_lines,
};
use apostille_core::memory::Kind;

/// Takes the observations and relations out of lines, or out of one object with both lists.
pub(super) fn collect_mcp_graph(
    page: &mut CandidateCollector,
    text: &str,
) -> Result<(), FormatMismatch> {
    let whole: Value = serde_json::from_str(text).unwrap_or_default();
    if let Some([entities, relations]) = find_graph_lists(&whole) {
        for (n, it) in (1..).zip(entities) {
            collect_graph_entity(page, &format!("entity {n}"), it);
        }
        for (n, it) in (1..).zip(relations) {
            collect_graph_relation(page, &format!("relation {n}"), it);
        }
    } else if !collect_graph_lines(page, text) {
        return Err(FormatMismatch("no line of it is an entity or a relation"));
    }
    Ok(())
}

/// The two lists of a whole graph.
pub(super) fn find_graph_lists(value: &Value) -> Option<[&Vec<Value>; 2]> {
    Some([
        value["entities"].as_array()?,
        value["relations"].as_array()?,
    ])
}

fn collect_graph_lines(page: &mut CandidateCollector, text: &str) -> bool {
    let mut has_any = false;
    for (n, line) in iter_filled_lines(text) {
        let at = format!("line {n}");
        let value: Value = serde_json::from_str(line).unwrap_or_default();
        let word = value["type"].as_str();
        has_any |= matches!(word, Some("entity" | "relation"));
        match word {
            Some("entity") => collect_graph_entity(page, &at, &value),
            Some("relation") => collect_graph_relation(page, &at, &value),
            _ if value.is_object() => page.leave_out(at, "neither an entity nor a relation"),
            _ => page.leave_out(at, "it is not a JSON object, or it is cut off"),
        }
    }
    has_any
}

fn collect_graph_entity(page: &mut CandidateCollector, at: &str, value: &Value) {
    let Some(name) = get_nonempty_text(value, "name") else {
        return page.leave_out(at, "an entity without a name");
    };
    let sort = get_nonempty_text(value, "entityType").unwrap_or_default();
    let seen = value["observations"].as_array().map_or(&[][..], |it| it);
    if seen.is_empty() {
        page.leave_out(at, "an entity without observations");
    }
    for (n, it) in (1..).zip(seen) {
        let at = if seen.len() > 1 {
            format!("{at}, observation {n}")
        } else {
            at.to_owned()
        };
        let Some(said) = it.as_str().or_else(|| get_nonempty_text(it, "content")) else {
            page.leave_out(at, "an observation that is not text");
            continue;
        };
        let kind = if is_user_entity(name, sort) {
            Kind::User
        } else {
            candidate::infer_memory_kind(sort, said)
        };
        page.add_candidate(ImportCandidate {
            subject: Some(name.into()),
            tags: vec![sort.into()],
            ..ImportCandidate::new(at, kind, candidate::format_observation(name, said))
        });
    }
}

fn collect_graph_relation(page: &mut CandidateCollector, at: &str, value: &Value) {
    let ends = ["from", "relationType", "to"].map(|it| get_nonempty_text(value, it));
    page.add_relation(at, ends);
}

/// Whether an entity is the person whose memory it is.
fn is_user_entity(name: &str, sort: &str) -> bool {
    [name, sort]
        .iter()
        .any(|it| matches!(&*it.to_ascii_lowercase(), "user" | "default_user"))
}

fn get_nonempty_text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    let text = value[key].as_str()?.trim();
    (!text.is_empty()).then_some(text)
}
