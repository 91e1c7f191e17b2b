//! These tools as clients and models are told of them, and the arguments they take. Every word here is paid for in every
//! conversation.

use apostille_cite::citation::RepoPath;
use apostille_core::memory::{Kind, Layer, MemoryName};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::tool::{CallMarks, Tool, ToolEffect};
use apostille_api::wire::{
    BoundedList, CitationTexts, InputSchema, OptionalText, ResultLimit, TextEncoded,
};

/// How many memories one call may name.
const MAX_IDS: usize = 1_000;

/// The tools of this set.
pub(crate) fn list_everyday_tools() -> Vec<Tool> {
    vec![
        describe_recall_tool(),
        describe_remember_tool(),
        describe_revise_tool(),
        describe_verify_tool(),
        describe_forget_tool(),
    ]
}

/// A question.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct RecallInput {
    /// The task or question in plain words
    #[serde(default)]
    pub(super) query: String,
    /// A file you are about to work on
    #[serde(default)]
    pub(super) path: OptionalText<RepoPath>,
    /// Also what happened in earlier tasks
    #[serde(default)]
    pub(super) episodes: bool,
    /// At most so many
    pub(super) limit: Option<ResultLimit>,
}

fn describe_recall_tool() -> Tool {
    Tool {
        name: "memory_recall",
        title: "Recall",
        about: "What earlier sessions learned about this repository and its user, each checked against the code as it is now. \
                Call it when a task starts, before you edit a file you have not worked on, and before you ask the user. Use only \
                what it returns; ids under `withheld` no longer match the code.",
        input: InputSchema::from_type::<RecallInput>()
            .merge_with(CallMarks::select_schema(&["ignore_memory", "repo"]))
            .with_example(
                &json!({"query": "how are API versions kept in step?", "path": "src/api.rs"}),
            ),
        effect: ToolEffect::Reads,
        run: super::run_recall_tool,
    }
}

/// A fact to keep.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct RememberInput {
    /// One sentence, at most 500 characters
    pub(super) fact: String,
    /// Lines of code that prove it, as path:start-end from the repository's root
    #[serde(default)]
    pub(super) citations: CitationTexts,
    /// project and reference need citations; feedback is a correction, user a preference
    #[schemars(extend("enum" = ["project", "reference", "feedback", "user"]))]
    pub(super) kind: Option<TextEncoded<Kind>>,
    /// knowledge unless said
    #[schemars(extend("enum" = ["knowledge", "identity", "episode", "session"]))]
    pub(super) layer: Option<TextEncoded<Layer>>,
    /// Topic in a few words
    pub(super) subject: Option<String>,
    /// Why it matters
    pub(super) reason: Option<String>,
    /// Up to 5
    #[serde(default)]
    pub(super) tags: Vec<String>,
    // Known to those who write episodes; no agent is told of it.
    #[schemars(skip)]
    pub(super) task: Option<String>,
    /// Id of a memory that this replaces, keeping its citations
    pub(super) merge_with: Option<TextEncoded<MemoryName>>,
    /// Why both are needed
    pub(super) rationale: Option<String>,
}

fn describe_remember_tool() -> Tool {
    Tool {
        name: "memory_remember",
        title: "Remember",
        about: "Keep one durable fact for later sessions. Call it when the user corrects you or states a preference, and when \
                you learn a convention, invariant or command the hard way. One declarative sentence, not an instruction. Not: \
                secrets, task progress, git history, what reading the code shows anyway.",
        input: InputSchema::from_type::<RememberInput>()
            .merge_with(CallMarks::select_schema(&["tainted", "repo"]))
            .with_example(&json!({
                "fact": "API_VERSION in server and client must be equal",
                "citations": ["src/api.rs:12-18"],
                "kind": "project",
            })),
        effect: ToolEffect::Adds,
        run: super::run_remember_tool,
    }
}

/// The memory that something is done to.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct MemoryIdInput {
    /// Such as m-12
    pub(super) id: TextEncoded<MemoryName>,
}

/// What to do to a memory.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(tag = "action")]
pub(super) enum ReviseAction {
    /// It was wrong, and this is so instead.
    Correct(ReplacementInput),
    /// This says it better.
    Supersede(ReplacementInput),
    /// It is wrong.
    Invalidate { reason: String },
    /// It was used in a task.
    Apply,
    /// It still holds and is of use.
    Refresh,
    /// It may leave the quarantine.
    Approve,
}

/// What takes the place of a memory.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ReplacementInput {
    /// What is so instead
    pub(super) fact: String,
    /// Lines of code that prove it, as path:start-end from the repository's root
    #[serde(default)]
    pub(super) citations: CitationTexts,
    /// Why; needed to invalidate
    pub(super) reason: Option<String>,
}

fn describe_revise_tool() -> Tool {
    Tool {
        name: "memory_revise",
        title: "Revise",
        about: "Correct what is remembered. Call it as soon as a memory proves wrong (correct with the right fact, or \
                invalidate), when you know it better (supersede), when it helped (apply), or when it still holds (refresh).",
        input: InputSchema::from_type::<MemoryIdInput>()
            .merge_with(InputSchema::from_tagged_enum::<ReviseAction>(
                "action",
                "What to do",
            ))
            .merge_with(CallMarks::select_schema(&["tainted", "repo"]))
            .with_example(&json!({
                "id": "m-12",
                "action": "correct",
                "fact": "API_VERSION is 4",
                "citations": ["src/api.rs:12"],
            })),
        effect: ToolEffect::Changes,
        run: super::run_revise_tool,
    }
}

/// Which memories are looked up.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct VerifyMemoriesInput {
    /// These memories; all if empty
    #[serde(default)]
    pub(super) ids: BoundedList<TextEncoded<MemoryName>, MAX_IDS>,
    /// Those that cite this file or folder
    #[serde(default)]
    pub(super) path: OptionalText<RepoPath>,
}

fn describe_verify_tool() -> Tool {
    Tool {
        name: "memory_verify",
        title: "Verify",
        about: "Look up what memories cite and show what changed. Call it on withheld ids before you revise them, or on a \
                path after a large edit. Changes nothing.",
        input: InputSchema::from_type::<VerifyMemoriesInput>()
            .merge_with(CallMarks::select_schema(&["repo"]))
            .with_example(&json!({"ids": ["m-12"]})),
        effect: ToolEffect::Reads,
        run: super::run_verify_tool,
    }
}

/// Why a memory is to be forgotten, and on whose word.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ForgetInput {
    /// The user said so
    #[serde(default)]
    pub(super) user_agreed: bool,
    // For the log; an agent that is asked for it makes something up.
    #[schemars(skip)]
    pub(super) reason: Option<String>,
}

fn describe_forget_tool() -> Tool {
    Tool {
        name: "memory_forget",
        title: "Forget",
        about: "Erase a memory for good. Only when the user asks for it; otherwise use memory_revise invalidate.",
        input: InputSchema::from_type::<MemoryIdInput>()
            .merge_with(InputSchema::from_type::<ForgetInput>())
            .merge_with(CallMarks::select_schema(&["repo"]))
            .with_example(&json!({"id": "u-3", "user_agreed": true})),
        effect: ToolEffect::Removes,
        run: super::run_forget_tool,
    }
}
