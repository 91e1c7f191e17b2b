//! Facts about the repository: how they are written, and what the code says to them when they are read.

use apostille_cite::source::SourceError;
use apostille_core::memory::{Draft, Layer};

use super::{create, rename, replace, run_file_command, stocked, view, wrong};
use crate::world::{World, cited};

#[test]
fn a_repository_fact_is_read_from_json_and_from_words() {
    let check = |text: &str, fact: &str, places: &[&str]| {
        let world = World::verified();
        run_file_command(&world, create("/memories/repo/api.md", text));
        let memory = world.look("m-1");
        let found: Vec<String> = memory
            .citations
            .iter()
            .map(|it| it.location().to_string())
            .collect();
        assert_eq!(
            (memory.fact.as_str(), found),
            (fact, places.iter().map(ToString::to_string).collect())
        );
        memory
    };
    let is = "API_VERSION is v3.";
    let memory = check(
        r#"{"subject": "API version", "fact": "API_VERSION is v3.", "citations": ["src/api.rs:3", "docs/api.md:3"], "reason": "They drift."}"#,
        is,
        &["src/api.rs:3", "docs/api.md:3"],
    );
    assert_eq!(
        (memory.subject.as_deref(), memory.reason.as_deref()),
        (Some("api.md"), Some("They drift."))
    );
    assert_eq!(memory.tags, ["API version"]);
    check(
        r#"{"fact": "API_VERSION is v3.", "citations": "src/api.rs:3, docs/api.md:3"}"#,
        is,
        &["src/api.rs:3", "docs/api.md:3"],
    );
    check(
        r#"{"fact": "API_VERSION is v3.", "citations": [{"path": "src/api.rs", "line_start": 2, "line_end": 3}]}"#,
        is,
        &["src/api.rs:2-3"],
    );
    check(
        r#"{"fact": "src/api.rs:3 says v3."}"#,
        "src/api.rs:3 says v3.",
        &["src/api.rs:3"],
    );
    check(
        "API_VERSION is v3.\n\nCitations: `src/api.rs:3`, docs/api.md:3\n",
        is,
        &["src/api.rs:3", "docs/api.md:3"],
    );
    check(
        "API_VERSION is v3.\ncitations:\n- src/api.rs:3\n- docs/api.md:3",
        is,
        &["src/api.rs:3", "docs/api.md:3"],
    );
    check(
        "The version is v3 (see src/api.rs:2-3).",
        "The version is v3 (see src/api.rs:2-3).",
        &["src/api.rs:2-3"],
    );
    check(
        "The version is v3, see src/api.rs:3, not https://example.com/a:80.",
        "The version is v3, see src/api.rs:3, not https://example.com/a:80.",
        &["src/api.rs:3"],
    );
}

#[test]
fn a_repository_fact_that_cannot_be_read_is_refused_with_the_way_out() {
    let check = |text: &str, expected: &str| {
        assert_eq!(
            wrong(&World::verified(), create("/memories/repo/a.md", text)),
            expected,
            "{text}"
        );
    };
    check(r#"{"subject": "x"}"#, "file_text: fact: it is required");
    check(r#"{"fact": 1}"#, "file_text: fact: expected a text");
    check(
        r#"{"fact": "x", "citations": ["src/api.rs"]}"#,
        "file_text: citations[0]: cannot cite 'src/api.rs': say which lines, as in src/api.rs:12-18, or which item, as in src/api.rs::Server::bind",
    );
    check(
        "x\nCitations: somewhere",
        "cannot cite 'somewhere': say which lines, as in src/api.rs:12-18, or which item, as in src/api.rs::Server::bind",
    );
    check(
        "x\nCitations: src/api.rs:99",
        "cannot cite src/api.rs:99: the file has 5 lines",
    );
}

#[test]
fn an_ungrounded_repository_fact_waits() {
    let answer = run_file_command(
        &World::verified(),
        create(
            "/memories/repo/a.md",
            "`RETRIES` is 9.\nCitations: src/api.rs:3",
        ),
    );
    assert!(
        answer.starts_with(
            "File created successfully at: /memories/repo/a.md\npending: the cited lines"
        ),
        "{answer}"
    );
}

#[test]
fn a_file_with_citations_is_shown_with_its_verdict() {
    let path = "/memories/repo/api.md";
    let body =
        format!("Here's the content of {path} with line numbers:\n     1\tAPI_VERSION is v3.\n\n");
    let old = "use std;\n\npub const API_VERSION: &str = \"v3\";\n\nfn main() {}\n";
    let check = |change: &dyn Fn(&World), first: &str, evidence: &str, standing: &str| {
        let world = stocked();
        change(&world);
        let first = if first.is_empty() {
            String::new()
        } else {
            format!("{first}\n")
        };
        assert_eq!(
            run_file_command(&world, view(path)),
            format!("{first}{body}evidence: src/api.rs:3 {evidence}")
        );
        let log = world.log_text();
        assert!(
            log.contains(&format!("view {path}")) && log.contains(standing),
            "{log}"
        );
    };
    let wrong = "This memory is no longer true in this checkout: do not use it. The code it cites says something else.";
    let unsure = "This memory could not be verified in this checkout: do not use it before you have read the code it \
                  cites.";
    check(&|_| (), "", "holds", "holds");
    check(
        &|it| it.shelf.write("src/api.rs", &format!("// new\n{old}")),
        "",
        "moved to src/api.rs:4",
        "moved",
    );
    check(
        &|it| it.shelf.write("src/api.rs", &old.replace("v3", "v4")),
        wrong,
        "changed (substance), now at src/api.rs:3",
        "verified_invalid",
    );
    check(
        &|it| it.shelf.remove("src/api.rs"),
        wrong,
        "gone (the file is gone)",
        "verified_invalid",
    );
    check(
        &|it| it.shelf.break_file("src/api.rs"),
        unsure,
        &format!(
            "unknown ({})",
            SourceError::Unavailable {
                what: "src/api.rs".into(),
                source: "the disk hums".into()
            }
            .format_with_causes()
        ),
        "unknown",
    );
}

#[test]
fn what_does_not_hold_is_not_laundered_by_an_edit() {
    let world = World::verified();
    let layer = Some(Layer::Episode);
    let (task, subject) = (Some("a".into()), Some("log.md".into()));
    world.kept(Draft {
        layer,
        task,
        subject,
        ..cited("API_VERSION is v3.", &["src/api.rs:3"])
    });
    world.shelf.remove("src/api.rs");
    let path = "/memories/tasks/a/log.md";
    let refusal = format!(
        "not changed: {path} cites code that does not hold here; view it, then delete it and create what is so now"
    );
    assert_eq!(wrong(&world, replace(path, "v3", "v4")), refusal);
    assert_eq!(
        wrong(&world, rename(path, "/memories/tasks/a/b.md")),
        refusal
    );
}
