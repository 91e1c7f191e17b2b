//! The findings for programs: annotations for GitHub's checks, and SARIF.

use apostille_audit::{Audit, Class, Finding, Severity};
use serde_json::{Value, json};

use crate::cmd::verify::{ci, sarif};
use crate::paint::one_line;

/// A workflow command for each finding, then the counts.
pub fn commands(found: &Audit) -> String {
    let command = |it: &Finding| {
        let level = if it.severity == Severity::Note {
            "notice"
        } else {
            it.severity.as_str()
        };
        let place = it.memories.iter().find_map(|it| it.place.as_ref());
        ci::annotation(level, place, it.class.as_str(), &message(it))
    };
    found
        .findings
        .iter()
        .map(command)
        .chain([one_line(&found.summary()) + "\n"])
        .collect()
}

/// What is the matter, with which memories, and the way out, on one line. What a memory says is not repeated.
fn message(it: &Finding) -> String {
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
    format!("{who}{}; {}", one_line(&it.what), it.way_out)
}

/// The log of one run. A code host shows a result beside code: what is about none is said beside the results.
pub fn sarif(found: &Audit) -> Value {
    let rules: Vec<Value> = Class::ALL.iter().map(|it| rule(*it)).collect();
    let results: Vec<Value> = found.findings.iter().filter_map(result).collect();
    let is_placeless = |it: &&Finding| it.memories.iter().all(|it| it.place.is_none());
    let mut notes: Vec<String> = found
        .findings
        .iter()
        .filter(is_placeless)
        .map(|it| format!("{}: {}", it.class, message(it)))
        .collect();
    notes.extend(
        (found.n_unknown > 0).then(|| format!("{} could not be looked up", found.n_unknown)),
    );
    sarif::written(&rules, &results, &notes)
}

fn rule(it: Class) -> Value {
    json!({"id": it.as_str(), "shortDescription": {"text": it.told()}})
}

fn result(it: &Finding) -> Option<Value> {
    let memory = it.memories.iter().find(|it| it.place.is_some())?;
    Some(json!({
        "ruleId": it.class.as_str(),
        "ruleIndex": Class::ALL.iter().position(|class| *class == it.class),
        "level": it.severity.as_str(),
        "message": {"text": message(it)},
        "locations": [sarif::location(memory.place.as_ref()?)],
        "partialFingerprints": {"apostilleFinding/v1": format!("{}:{}", it.class, memory.id)},
    }))
}
