//! What clients and models are told about these tools.

use serde_json::{Value, json};

use crate::tools::tool::{Effect, Tool, arguments, count, text, word};

const REPO: &str = "owner/name; the repository here unless said";

/// The tools of this set. Each is also known with a dot, as in `memory.store`.
#[must_use]
pub fn tools() -> Vec<Tool> {
    let [store, supersede] = writing();
    let [recent, by_path, stats] = looking();
    let [refresh, invalidate, applied] = one();
    let [read, verify] = citing();
    vec![
        store, recent, by_path, refresh, invalidate, supersede, applied, read, verify, stats,
    ]
}

fn citation() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": text("File, from the repository's root"),
            "line_start": count("First line"),
            "line_end": count("Last line"),
            "sha": text("Commit at which it was read"),
            "snippet_hash": text("SHA-256 of the cited lines"),
        },
        "required": ["path", "line_start"],
    })
}

fn citations() -> Value {
    json!({"type": "array", "items": citation(), "description": "The code that proves it"})
}

fn place() -> Value {
    json!({"path": "src/api.rs", "line_start": 12, "line_end": 18})
}

fn writing() -> [Tool; 2] {
    let said = json!({
        "subject": text("Topic in a few words"),
        "fact": text("The rule or convention, one sentence"),
        "citations": citations(),
        "reason": text("Why it matters"),
        "created_by": text("Name of the agent"),
    });
    let (mut new, mut instead) = (said.clone(), said);
    new["repo"] = text(REPO);
    new["rationale"] = text("Why it is kept beside one much like it");
    new["merge_with"] = text("Id of the memory to merge into");
    instead["memory_id"] = text("The memory to replace");
    instead["how"] = word(&["correction", "better"], "correction unless said");
    let fact = "API_VERSION in server and client must be equal";
    [
        Tool {
            name: "memory_store",
            title: "Store a memory",
            about: "Store a durable convention or invariant with the code that proves it. Not for temporary workarounds, TODOs or \
                    one-time fixes.",
            input: arguments(
                &["subject", "fact", "citations"],
                new,
                json!({"subject": "API version", "fact": fact, "citations": [place()]}),
            ),
            effect: Effect::Adds,
        },
        Tool {
            name: "memory_supersede",
            title: "Supersede a memory",
            about: "Replace a memory that is outdated or wrong by its correction, with the code that proves it.",
            input: arguments(
                &["memory_id", "fact"],
                instead,
                json!({"memory_id": "m-12", "fact": fact, "citations": [place()]}),
            ),
            effect: Effect::Changes,
        },
    ]
}

fn looking() -> [Tool; 3] {
    [
        Tool {
            name: "memory_get_recent",
            title: "Recent memories",
            about: "The active memories of a repository, those refreshed last first. Call it when a task starts; verify what you use.",
            input: arguments(
                &[],
                json!({"repo": text(REPO), "limit": count("50 unless said")}),
                json!({"limit": 20}),
            ),
            effect: Effect::Reads,
        },
        Tool {
            name: "memory_search_by_path",
            title: "Memories that cite a path",
            about: "The active memories that cite a file or a folder. Call it before you edit there.",
            input: arguments(
                &["path"],
                json!({"path": text("File or folder"), "repo": text(REPO), "limit": count("50 unless said")}),
                json!({"path": "src/api.rs"}),
            ),
            effect: Effect::Reads,
        },
        Tool {
            name: "memory_stats",
            title: "Figures",
            about: "How many memories there are, how they stand, and how often they were of use.",
            input: arguments(&[], json!({"repo": text(REPO)}), json!({})),
            effect: Effect::Reads,
        },
    ]
}

fn one() -> [Tool; 3] {
    let id = || text("Id or handle, such as m-12");
    [
        Tool {
            name: "memory_refresh",
            title: "Refresh a memory",
            about: "Say that a memory was verified and is still useful; it ranks as fresh again. Refused when its citations do not hold.",
            input: arguments(
                &["memory_id"],
                json!({"memory_id": id()}),
                json!({"memory_id": "m-12"}),
            ),
            effect: Effect::Changes,
        },
        Tool {
            name: "memory_invalidate",
            title: "Invalidate a memory",
            about: "Mark a memory as wrong when the code contradicts it.",
            input: arguments(
                &["memory_id", "reason"],
                json!({"memory_id": id(), "reason": text("What contradicts it")}),
                json!({"memory_id": "m-12", "reason": "the constant was removed"}),
            ),
            effect: Effect::Changes,
        },
        Tool {
            name: "memory_log_applied",
            title: "Log a use",
            about: "Note that a memory was used in a task. Call it after you relied on one.",
            input: arguments(
                &["memory_id"],
                json!({"memory_id": id()}),
                json!({"memory_id": "m-12"}),
            ),
            effect: Effect::Adds,
        },
    ]
}

fn citing() -> [Tool; 2] {
    [
        Tool {
            name: "memory_read_citation",
            title: "Read a citation",
            about: "The code at a cited place, as it is here or at a ref. Call it for every citation before you use a memory.",
            input: arguments(
                &["path", "line_start"],
                json!({
                    "path": text("File"),
                    "line_start": count("First line"),
                    "line_end": count("Last line"),
                    "ref": text("Commit or branch; the working tree unless said"),
                    "repo": text(REPO),
                }),
                place(),
            ),
            effect: Effect::Reads,
        },
        Tool {
            name: "memory_verify_citations",
            title: "Verify citations",
            about: "Whether cited code is still there: followed through edits, moves and renames.",
            input: arguments(
                &["citations"],
                json!({"citations": citations(), "ref": text("Commit or branch"), "repo": text(REPO)}),
                json!({"citations": [place()]}),
            ),
            effect: Effect::Reads,
        },
    ]
}
