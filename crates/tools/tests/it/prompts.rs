//! What a client can fetch as a prompt.

use apostille_tools::everyday::GUIDANCE;
use apostille_tools::{Profile, layers, prompts, verified};
use serde_json::{Map, Value, json};

fn render_prompt(name: &str, arguments: &Value) -> Result<String, String> {
    let arguments: Map<String, Value> = arguments.as_object().unwrap().clone();
    prompts::render_prompt(name, &arguments, Profile::Verified).map_err(|it| it.to_string())
}

fn text(name: &str) -> String {
    render_prompt(name, &json!({})).unwrap()
}

fn has(text: &str, words: &[&str]) {
    for word in words {
        assert!(text.contains(word), "{word} in {text}");
    }
}

/// The headings of the second rank.
fn sections(text: &str) -> Vec<&str> {
    text.lines()
        .filter_map(|it| it.strip_prefix("## "))
        .collect()
}

#[test]
fn prompts_are_bounded_and_deterministic() {
    let names: Vec<&str> = prompts::list_known_prompts()
        .iter()
        .map(|it| it.name)
        .collect();
    assert_eq!(
        names,
        [
            "memory-rules",
            "memory-writing",
            "session-notes",
            "promotion-checklist"
        ]
    );
    for name in names {
        assert_eq!(text(name), text(name));
        assert!((200..3_000).contains(&text(name).chars().count()), "{name}");
    }
}

#[test]
fn memory_rules_are_the_verified_guidance() {
    assert_eq!(text("memory-rules"), verified::GUIDANCE);
}

#[test]
fn the_rules_name_tools_that_are_offered() {
    for profile in Profile::ALL.iter().copied() {
        let rules = prompts::render_prompt("memory-rules", &Map::new(), profile).unwrap();
        let named = rules
            .split(|it: char| !(it.is_ascii_lowercase() || it == '_'))
            .filter(|it| it.starts_with("memory_"));
        named.for_each(|it| {
            assert!(
                profile.find_tool(it).is_some(),
                "{profile}: {it} in {rules}"
            )
        });
    }
}

#[test]
fn memory_writing_holds_guidance_and_correction_rule() {
    let text = text("memory-writing");
    assert!(text.contains(layers::RECORDING) && layers::GUIDANCE.contains(layers::RECORDING));
    has(
        &text,
        &[
            "Do record: user corrections, explicit preferences, stable facts, tool environment, relationships",
            "Don't record: task progress, transient in-session state, information that expires quickly, \
             data that can be queried live from external systems",
            "declarative facts, not instructions",
            "check whether an existing wrong memory caused the error, and if so update or remove it",
        ],
    );
}

#[test]
fn memory_writing_names_what_not_to_store() {
    has(
        &text("memory-writing"),
        &["secrets or tokens", "stands in a file", "500 characters"],
    );
}

#[test]
fn session_notes_template_has_five_sections() {
    let expected = [
        "Current State",
        "Files and Functions",
        "Errors & Corrections",
        "Key Results",
        "Worklog",
    ];
    assert_eq!(sections(&text("session-notes")), expected);
}

#[test]
fn session_notes_heading_names_the_task() {
    let check = |task: Value, expected: &str| {
        let text = render_prompt("session-notes", &json!({"task": task})).unwrap();
        assert_eq!(text.lines().next(), Some(expected));
        assert_eq!(sections(&text).len(), 5);
    };
    check(json!("Add login"), "# Session notes: Add login");
    check(json!("a\n## Worklog\nb"), "# Session notes: a ## Worklog b");
    check(
        json!("x".repeat(500)),
        &format!("# Session notes: {}…", "x".repeat(120)),
    );
    check(json!("  "), "# Session notes");
    check(json!(null), "# Session notes");
}

#[test]
fn promotion_checklist_names_criteria_and_five_fields() {
    let text = text("promotion-checklist");
    has(
        &text,
        &[
            "Durable",
            "Independently actionable",
            "Unlikely to change",
            "Not derivable",
            "cite the lines",
        ],
    );
    has(
        &text,
        &["- user:", "- feedback:", "- project:", "- reference:"],
    );
    has(
        &text,
        &[
            "derivable code state",
            "git history",
            "ephemeral task state",
        ],
    );
    let fields = text
        .split("## Five fields")
        .nth(1)
        .unwrap()
        .split("##")
        .next()
        .unwrap();
    let fields: Vec<&str> = fields
        .lines()
        .filter_map(|it| it.strip_prefix("- ")?.split(':').next())
        .collect();
    assert_eq!(fields, ["subject", "fact", "citations", "reason", "kind"]);
}

#[test]
fn what_there_is_not_is_named() {
    let check = |name: &str, arguments: Value, expected: &str| {
        assert_eq!(render_prompt(name, &arguments).unwrap_err(), expected);
    };
    check(
        "rules",
        json!({}),
        "there is no prompt 'rules'; there are: memory-rules, memory-writing, session-notes, promotion-checklist",
    );
    check(
        "memory-rules",
        json!({"task": "x"}),
        "the prompt memory-rules takes no 'task'; it takes no arguments",
    );
    check(
        "session-notes",
        json!({"goal": "x"}),
        "the prompt session-notes takes no 'goal'; it takes task",
    );
    check("session-notes", json!({"task": 7}), "task: expected a text");
}

#[test]
fn instructions_are_short_and_name_the_tools() {
    assert!(
        GUIDANCE.chars().count() < 700,
        "{}",
        GUIDANCE.chars().count()
    );
    has(
        GUIDANCE,
        &[
            "memory_recall",
            "memory_remember",
            "memory_revise",
            "memory_verify",
            "memory_forget",
            "hypotheses",
            "stands",
            "ignore_memory: true",
            "Never store secrets",
        ],
    );
}
