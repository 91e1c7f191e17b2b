//! The findings as SARIF 2.1.0, which code hosts show beside the code.

use std::fs;
use std::path::Path;

use crate::cmd::export::new_write_fault;
use apostille_cite::citation::CodeLocation;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use super::finding::{VerifyFinding, VerifyRule};
use apostille_terminal::{
    command_context::{CommandContext, CommandOutput, CommandResult},
    paint::make_terminal_safe,
};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The log of one run. `unknown` is what could not be looked up: no result, but not kept quiet.
pub fn build_verify_sarif(findings: &[VerifyFinding], unknown: &[String]) -> Value {
    let rule = |it: &VerifyRule| {
        json!({
            "id": it.as_str(),
            "shortDescription": {"text": it.description()},
            "defaultConfiguration": {"level": choose_verify_level(*it)},
        })
    };
    let rules: Vec<Value> = VerifyRule::ALL.iter().map(rule).collect();
    let results: Vec<Value> = findings.iter().map(build_verify_result).collect();
    build_sarif_log(&rules, &results, unknown)
}

/// The answer of a command whose findings may also go into a file; `-` is the output, and what else is said goes beside it.
pub fn answer_with_sarif(
    ctx: &CommandContext,
    file: Option<&Path>,
    log: impl FnOnce() -> Value,
    beside: impl FnOnce() -> String,
    answer: impl FnOnce() -> CommandOutput,
) -> CommandResult {
    if let Some(file) = file {
        let log = log();
        let text = format!("{log:#}\n");
        if file == Path::new("-") {
            return Ok(ctx.render_output(&log, |_| text).with_err(beside()));
        }
        write_report_file(ctx, file, &text)?;
    }
    Ok(answer())
}

/// Writes what a program reads beside the answer.
pub fn write_report_file(ctx: &CommandContext, file: &Path, text: &str) -> CommandResult<()> {
    fs::write(ctx.system.cwd.join(file), text).map_err(|error| new_write_fault(file, error))
}

/// A log with these rules and results. What is only said beside them are notes.
pub fn build_sarif_log(rules: &[Value], results: &[Value], notes: &[String]) -> Value {
    let note = |it: &String| json!({"level": "note", "message": {"text": make_terminal_safe(it)}});
    let notes: Vec<Value> = notes.iter().map(note).collect();
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
pub fn build_sarif_location(place: &CodeLocation) -> Value {
    json!({"physicalLocation": {
        "artifactLocation": {"uri": encode_sarif_uri(place.path.as_str()), "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": place.lines.first_line(), "endLine": place.lines.last_line()},
    }})
}

fn choose_verify_level(rule: VerifyRule) -> &'static str {
    match rule {
        VerifyRule::Contradicted => "error",
        VerifyRule::Changed | VerifyRule::Gone => "warning",
        VerifyRule::Moved => "note",
    }
}

fn build_verify_result(it: &VerifyFinding) -> Value {
    json!({
        "ruleId": it.rule.as_str(),
        "ruleIndex": VerifyRule::ALL.iter().position(|rule| *rule == it.rule),
        "level": choose_verify_level(it.rule),
        "message": {"text": make_terminal_safe(&it.message)},
        "locations": [build_sarif_location(&it.place)],
        "partialFingerprints": {"apostilleCitation/v1": format!("{}:{}", it.id, it.nth)},
    })
}

/// What stands for itself in a path.
const PATH: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'/');

/// A path as a relative reference: what means something in a URI is written out.
fn encode_sarif_uri(path: &str) -> String {
    utf8_percent_encode(path, PATH).to_string()
}

#[cfg(test)]
mod tests {
    #[test]
    fn paths_are_relative_references() {
        assert_eq!(
            super::encode_sarif_uri("src/naïve file#1.rs"),
            "src/na%C3%AFve%20file%231.rs"
        );
        assert_eq!(super::encode_sarif_uri("a:b"), "a%3Ab");
    }
}
