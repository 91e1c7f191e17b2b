//! The findings for programs: annotations for GitHub's checks, and SARIF.

use apostille_audit::{AuditFinding, AuditReport, Class, Severity};
use serde_json::{Value, json};

use crate::cmd::verify::{ci, sarif};
use apostille_terminal::paint::{flatten_to_line, format_if, join_texts};

/// A workflow command for each finding, then the counts.
pub fn format_audit_annotations(found: &AuditReport) -> String {
    let command = |it: &AuditFinding| {
        let level = match it.severity {
            Severity::Note => "notice",
            other => other.as_str(),
        };
        let place = it.memories.iter().find_map(|it| it.place.as_ref());
        let title = format!("memory {}", it.class);
        ci::format_workflow_command(level, place, &title, &format_audit_message(it))
    };
    let commands: String = found.findings.iter().map(command).collect();
    format!("{commands}{}\n", flatten_to_line(&found.summary()))
}

/// What is the matter, with which memories, and the way out, on one line. What a memory says is not repeated.
fn format_audit_message(it: &AuditFinding) -> String {
    let handles = join_texts(it.memories.iter().map(|it| it.handle), " ");
    let more = format_if(it.n_more > 0, || format!(" and {} more", it.n_more));
    let who = format_if(!handles.is_empty(), || format!("{handles}{more}: "));
    format!("{who}{}; {}", flatten_to_line(&it.what), it.way_out)
}

/// The log of one run. A code host shows a result beside code: what is about none is said beside the results.
pub fn build_audit_sarif(found: &AuditReport) -> Value {
    let rule =
        |it: &Class| json!({"id": it.as_str(), "shortDescription": {"text": it.description()}});
    let rules: Vec<Value> = Class::ALL.iter().map(rule).collect();
    let mut results = Vec::new();
    let mut notes = Vec::new();
    for it in &found.findings {
        match build_audit_result(it) {
            Some(result) => results.push(result),
            None => notes.push(format!("{}: {}", it.class, format_audit_message(it))),
        }
    }
    let unknown = found.n_unknown;
    notes.extend((unknown > 0).then(|| format!("{unknown} could not be looked up")));
    sarif::build_sarif_log(&rules, &results, &notes)
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
