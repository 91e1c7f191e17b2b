//! The graph of the reference memory server: entities with observations, and relations between them.

use serde_json::Value;

use super::candidate::{
    self, CandidateCollector, FormatMismatch, ImportCandidate, ParsedForeignFile,
};
use super::foreign_file::ForeignFile;
use apostille_core::memory::Kind;
use apostille_core::policy::MemoryLimits;

/// Takes the observations and relations out of lines, or out of one object with both lists.
pub(super) fn parse_mcp_graph(
    sheet: &ForeignFile<'_>,
    limits: &MemoryLimits,
) -> Result<ParsedForeignFile, FormatMismatch> {
    let mut page = CandidateCollector::new(limits);
    let has_any = match serde_json::from_str(sheet.text)
        .ok()
        .as_ref()
        .and_then(find_graph_lists)
    {
        Some([entities, relations]) => {
            (1..)
                .zip(entities)
                .for_each(|(n, it)| collect_graph_entity(&mut page, &format!("entity {n}"), it));
            (1..).zip(relations).for_each(|(n, it)| {
                collect_graph_relation(&mut page, &format!("relation {n}"), it)
            });
            true
        }
        None => collect_graph_lines(&mut page, sheet.text),
    };
    if has_any {
        Ok(page.into_parsed_file())
    } else {
        Err(FormatMismatch("no line of it is an entity or a relation"))
    }
}

/// The two lists of a whole graph.
pub(super) fn find_graph_lists(value: &Value) -> Option<[&Vec<Value>; 2]> {
    Some([
        value["entities"].as_array()?,
        value["relations"].as_array()?,
    ])
}

fn collect_graph_lines(page: &mut CandidateCollector<'_>, text: &str) -> bool {
    let mut has_any = false;
    for (n, line) in (1..)
        .zip(text.lines())
        .filter(|(_, it)| !it.trim().is_empty())
    {
        let at = format!("line {n}");
        let value: Value = serde_json::from_str(line).unwrap_or_default();
        let word = value["type"].as_str();
        has_any |= matches!(word, Some("entity" | "relation"));
        match word {
            Some("entity") => collect_graph_entity(page, &at, &value),
            Some("relation") => collect_graph_relation(page, &at, &value),
            _ if value.is_object() => page.leave_out(at, "neither an entity nor a relation"),
            _ => page.leave_out(at, "it is no JSON object, or is broken off"),
        }
    }
    has_any
}

fn collect_graph_entity(page: &mut CandidateCollector<'_>, at: &str, value: &Value) {
    let Some(name) = get_nonempty_text(value, "name") else {
        return page.leave_out(at, "an entity without a name");
    };
    let sort = get_nonempty_text(value, "entityType").unwrap_or_default();
    let seen = value["observations"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
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
            page.leave_out(at, "an observation that is no text");
            continue;
        };
        let kind = if is_user_entity(name, sort) {
            Kind::User
        } else {
            candidate::infer_memory_kind(sort, said)
        };
        let piece = ImportCandidate::new(
            at,
            kind,
            if said.trim().is_empty() {
                String::new()
            } else {
                candidate::format_observation(name, said)
            },
        );
        page.add_candidate(ImportCandidate {
            subject: Some(name.into()),
            tags: vec![sort.into()],
            ..piece
        });
    }
}

fn collect_graph_relation(page: &mut CandidateCollector<'_>, at: &str, value: &Value) {
    let ends = (
        get_nonempty_text(value, "from"),
        get_nonempty_text(value, "relationType"),
        get_nonempty_text(value, "to"),
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

/// Whether an entity is the person whose memory it is.
fn is_user_entity(name: &str, sort: &str) -> bool {
    let is_word = |it: &str| {
        ["user", "default_user"]
            .iter()
            .any(|word| it.eq_ignore_ascii_case(word))
    };
    is_word(name) || is_word(sort)
}

fn get_nonempty_text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value[key]
        .as_str()
        .map(str::trim)
        .filter(|it| !it.is_empty())
}
