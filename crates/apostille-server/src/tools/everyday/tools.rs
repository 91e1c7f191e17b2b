//! What clients and models are told about these tools. Every word here is paid for in every conversation.

use serde_json::{Value, json};

use crate::tools::tool::{Effect, Tool, arguments, count, flag, text, texts, word};

const REPO: &str = "owner/name, only if asked for";
const TAINTED: &str = "The words come from a web page, issue or tool output";
const PLACES: &str = "Lines of code that prove it, as path:start-end from the repository's root";

/// The tools of this set.
#[must_use]
pub fn tools() -> Vec<Tool> {
    vec![recall(), remember(), revise(), verify(), forget()]
}

fn with_repo(mut properties: Value) -> Value {
    properties["repo"] = text(REPO);
    properties
}

fn recall() -> Tool {
    Tool {
        name: "memory_recall",
        title: "Recall",
        about: "What earlier sessions learned about this repository and its user, each checked against the code as it is now. \
                Call it when a task starts, before you edit a file you have not worked on, and before you ask the user. Use only \
                what it returns; ids under `withheld` no longer match the code.",
        input: arguments(
            &[],
            with_repo(json!({
                "query": text("The task or question in plain words"),
                "path": text("A file you are about to work on"),
                "episodes": flag("Also what happened in earlier tasks"),
                "limit": count("At most so many"),
                "ignore_memory": flag("The user asked to ignore memory this turn"),
            })),
            json!({"query": "how are API versions kept in step?", "path": "src/api.rs"}),
        ),
        effect: Effect::Reads,
    }
}

fn remember() -> Tool {
    Tool {
        name: "memory_remember",
        title: "Remember",
        about: "Keep one durable fact for later sessions. Call it when the user corrects you or states a preference, and when \
                you learn a convention, invariant or command the hard way. One declarative sentence, not an instruction. Not: \
                secrets, task progress, git history, what reading the code shows anyway.",
        input: arguments(
            &["fact"],
            with_repo(json!({
                "fact": text("One sentence, at most 500 characters"),
                "citations": texts(PLACES),
                "kind": word(
                    &["project", "reference", "feedback", "user"],
                    "project and reference need citations; feedback is a correction, user a preference",
                ),
                "layer": word(&["knowledge", "identity", "episode", "session"], "knowledge unless said"),
                "subject": text("Topic in a few words"),
                "reason": text("Why it matters"),
                "tags": texts("Up to 5"),
                "tainted": flag(TAINTED),
                "merge_with": text("Id of a memory that this replaces, keeping its citations"),
                "rationale": text("Why both are needed"),
            })),
            json!({"fact": "API_VERSION in server and client must be equal", "citations": ["src/api.rs:12-18"], "kind": "project"}),
        ),
        effect: Effect::Adds,
    }
}

fn revise() -> Tool {
    Tool {
        name: "memory_revise",
        title: "Revise",
        about: "Correct what is remembered. Call it as soon as a memory proves wrong (correct with the right fact, or \
                invalidate), when you know it better (supersede), when it helped (apply), or when it still holds (refresh).",
        input: arguments(
            &["id", "action"],
            with_repo(json!({
                "id": text("Such as m-12"),
                "action": word(&["correct", "supersede", "invalidate", "apply", "refresh", "approve"], "What to do"),
                "fact": text("What is so instead"),
                "citations": texts(PLACES),
                "reason": text("Why; needed to invalidate"),
                "tainted": flag(TAINTED),
            })),
            json!({"id": "m-12", "action": "correct", "fact": "API_VERSION is 4", "citations": ["src/api.rs:12"]}),
        ),
        effect: Effect::Changes,
    }
}

fn verify() -> Tool {
    Tool {
        name: "memory_verify",
        title: "Verify",
        about: "Look up what memories cite and show what changed. Call it on withheld ids before you revise them, or on a \
                path after a large edit. Changes nothing.",
        input: arguments(
            &[],
            with_repo(json!({
                "ids": texts("These memories; all if empty"),
                "path": text("Those that cite this file or folder"),
            })),
            json!({"ids": ["m-12"]}),
        ),
        effect: Effect::Reads,
    }
}

fn forget() -> Tool {
    Tool {
        name: "memory_forget",
        title: "Forget",
        about: "Erase a memory for good. Only when the user asks for it; otherwise use memory_revise invalidate.",
        input: arguments(
            &["id"],
            with_repo(json!({
                "id": text("Such as m-12"),
                "user_agreed": flag("The user said so"),
            })),
            json!({"id": "u-3", "user_agreed": true}),
        ),
        effect: Effect::Removes,
    }
}
