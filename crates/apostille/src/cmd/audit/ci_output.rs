//! The findings for programs: annotations for GitHub's checks, and SARIF.

use apostille_audit::{AuditFinding, AuditReport, Class, Severity};
use serde_json::{Value, json};

use crate::cmd::verify::{ci, sarif};
use apostille_terminal::paint::flatten_to_line;

/// A workflow command for each finding, then the counts.
pub fn format_audit_annotations(found: &AuditReport) -> String {
    let command = |it: &AuditFinding| {
        let level = if it.severity == Severity::Note {
            "notice"
        } else {
            it.severity.as_str()
        };
        let place = it.memories.iter().find_map(|it| it.place.as_ref());
        ci::format_workflow_command(level, place, it.class.as_str(), &format_audit_message(it))
    };
    found
        .findings
        .iter()
        .map(command)
        .chain([flatten_to_line(&found.summary()) + "\n"])
        .collect()
}

/// What is the matter, with which memories, and the way out, on one line. What a memory says is not repeated.
fn format_audit_message(it: &AuditFinding) -> String {
    let handles: Vec<String> = it.memories.iter().map(|it| it.handle.to_string()).collect();
    let more = if it.n_more > 0 {
        format!(" and {} more", it.n_more)
    } else {
        String::new()
    };
    let who = if handles.is_empty() {
        String::new()
    } else {
        format!("{}{more}: ", handles.join(" "))
    };
    format!("{who}{}; {}", flatten_to_line(&it.what), it.way_out)
}

/// The log of one run. A code host shows a result beside code: what is about none is said beside the results.
pub fn build_audit_sarif(found: &AuditReport) -> Value {
    let rules: Vec<Value> = Class::ALL.iter().map(|it| build_audit_rule(*it)).collect();
    let results: Vec<Value> = found
        .findings
        .iter()
        .filter_map(build_audit_result)
        .collect();
    let is_placeless = |it: &&AuditFinding| it.memories.iter().all(|it| it.place.is_none());
    let mut notes: Vec<String> = found
        .findings
        .iter()
        .filter(is_placeless)
        .map(|it| format!("{}: {}", it.class, format_audit_message(it)))
        .collect();
    notes.extend(
        (found.n_unknown > 0).then(|| format!("{} could not be looked up", found.n_unknown)),
    );
    sarif::build_sarif_log(&rules, &results, &notes)
}

fn build_audit_rule(it: Class) -> Value {
    json!({"id": it.as_str(), "shortDescription": {"text": it.description()}})
}

fn build_audit_result(it: &AuditFinding) -> Option<Value> {
    let memory = it.memories.iter().find(|it| it.place.is_some())?;
    Some(json!({
        "ruleId": it.class.as_str(),
        "ruleIndex": Class::ALL.iter().position(|class| *class == it.class),
        "level": it.severity.as_str(),
        "message": {"text": format_audit_message(it)},
        "locations": [sarif::build_sarif_location(memory.place.as_ref()?)],
        "partialFingerprints": {"apostilleFinding/v1": format!("{}:{}", it.class, memory.id)},
    }))
}
