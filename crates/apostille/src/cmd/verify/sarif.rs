//! The findings as SARIF 2.1.0, which code hosts show beside the code.

use apostille_cite::citation::Cite;
use serde_json::{Value, json};

use super::finding::{Finding, Rule};
use crate::paint::safe;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The log of one run. `unknown` is what could not be looked up: no result, but not kept quiet.
pub fn log(findings: &[Finding], unknown: &[String]) -> Value {
    written(
        &Rule::ALL.map(rule),
        &findings.iter().map(result).collect::<Vec<_>>(),
        unknown,
    )
}

/// A log with these rules and results. What is only said beside them are notes.
pub fn written(rules: &[Value], results: &[Value], notes: &[String]) -> Value {
    let notes = notes
        .iter()
        .map(|it| json!({"level": "note", "message": {"text": safe(it)}}));
    let notes: Vec<Value> = notes.collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "apostille",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "columnKind": "unicodeCodePoints",
            "invocations": [{"executionSuccessful": true, "toolExecutionNotifications": notes}],
            "results": results,
        }],
    })
}

/// A place as the location of a result.
pub fn location(place: &Cite) -> Value {
    json!({"physicalLocation": {
        "artifactLocation": {"uri": uri(place.path.as_str()), "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": place.lines.start(), "endLine": place.lines.end()},
    }})
}

fn level(rule: Rule) -> &'static str {
    match rule {
        Rule::Contradicted => "error",
        Rule::Changed | Rule::Gone => "warning",
        Rule::Moved => "note",
    }
}

fn rule(it: Rule) -> Value {
    json!({
        "id": it.as_str(),
        "shortDescription": {"text": it.told()},
        "defaultConfiguration": {"level": level(it)},
    })
}

fn result(it: &Finding) -> Value {
    json!({
        "ruleId": it.rule.as_str(),
        "ruleIndex": Rule::ALL.iter().position(|rule| *rule == it.rule),
        "level": level(it.rule),
        "message": {"text": safe(&it.message)},
        "locations": [location(&it.place)],
        "partialFingerprints": {"apostilleCitation/v1": format!("{}:{}", it.id, it.nth)},
    })
}

/// A path as a relative reference: what means something in a URI is written out.
fn uri(path: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let one = |byte: u8| {
        if is_plain(byte) {
            char::from(byte).to_string()
        } else {
            format!("%{byte:02X}")
        }
    };
    path.bytes().map(one).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn paths_are_relative_references() {
        assert_eq!(
            super::uri("src/naïve file#1.rs"),
            "src/na%C3%AFve%20file%231.rs"
        );
        assert_eq!(super::uri("a:b"), "a%3Ab");
    }
}
