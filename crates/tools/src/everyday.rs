//! The tools that an agent is given unless somebody asks for others: five verbs, and answers with few fields.
//!
//! They are the same words as on the command line: recall, remember, revise, verify, forget.

mod output;

use std::str::FromStr;

use apostille_agents::task_opening::OPENING_TOKENS;
use apostille_cite::citation::RepoPath;
use apostille_core::{
    archive::{
        ArchiveFilter,
        recall::{SaidRequest, recall_said},
    },
    list,
    memory::{Draft, Kind, Layer, Memory, MemoryName, ReplacementKind},
    policy::InjectMode,
    project::ProjectName,
    recall::{self, RecallOutcome, RecallRequest},
    remember::classify,
    revise,
    scratch::recall_session_notes,
    space::Space,
    verify::{VerifiedMemory, VerifyOptions, follow_memory_citations, verify as look_up},
};
use apostille_text::words::UnknownWord;
use schemars::{JsonSchema, Schema, json_schema};
use serde::Deserialize;
use serde_json::json;

use crate::{
    ToolAnswer,
    outcome::{
        WriteOutcome, convert_revise_outcome, forget_for_tool, invalidate_for_tool,
        supersede_for_tool, write_draft,
    },
    tool::{CallMarks, Tool, ToolCall, ToolEffect, ToolResult},
};
use apostille_api::{
    CallFault, choose_duplicate_handling, find_memories_to_verify,
    host::ActivityStore,
    json::{SaidReply, read_memory_history},
    task_start::{TaskStart, find_titled_task, open_starting_task},
    wire::{
        self, BoundedList, CitationTexts, InputSchema, OptionalText, RecallFilterInput,
        ResultLimit, TextEncoded, TextSchema,
    },
};
use output::{
    DiscardedMemory, MAX_TOLD, RecallToolReply, RefusedToolReply, VerifyToolReply, WriteToolReply,
    is_discarded,
};

/// How many memories one call may name.
const MAX_IDS: usize = 1_000;
/// How many memories one recall shows at most.
const MAX_SHOWN: usize = 50;
/// How many conversations one recall shows at most.
const MAX_SAID: usize = 10;
/// How many tokens one recall takes at most.
const MAX_TOKENS: usize = 20_000;

/// What a model is told of the server as a whole.
pub const GUIDANCE: &str = "\
Apostille is memory across sessions, with the code that proves it.
Call memory_recall before you plan, and before you ask what the user may have said. Memories are hypotheses, each looked up in \
this checkout: rely on `stands` and `stated`; at `check`, memory_verify shows what changed: confirm or correct it.
Call memory_remember for lasting facts, preferences and corrections, one sentence each, citing code, or the user's words \
for what they want; memory_revise to correct one; memory_forget when the user wants it gone.
Never store secrets, task progress, git history, or what the code says anyway.
If the user says \"ignore memory\", pass ignore_memory: true or do not call, for that turn.
";

/// The tools of this set.
pub(super) fn list_everyday_tools() -> Vec<Tool> {
    vec![
        describe_recall_tool(),
        describe_remember_tool(),
        describe_revise_tool(),
        describe_verify_tool(),
        describe_forget_tool(),
    ]
}

/// A question.
#[derive(Deserialize, JsonSchema)]
struct RecallInput {
    /// The task or question in plain words
    #[serde(default)]
    query: String,
    /// A file you are about to work on
    #[serde(default)]
    path: OptionalText<RepoPath>,
    /// Also what happened in earlier tasks
    #[serde(default)]
    episodes: bool,
    /// session: your own notes of this session, whatever the query; archive: what the user said in past conversations
    layer: Option<TextEncoded<RecallLayer>>,
    /// At most so many
    limit: Option<ResultLimit>,
    /// At most so many tokens
    tokens: Option<ResultLimit>,
    /// The task that starts now: knowledge and past tasks like it; in archive, the task it was said in
    #[serde(default)]
    task: OptionalText<String>,
    /// In archive, the branch it was said on
    #[serde(default)]
    branch: OptionalText<String>,
}

fn describe_recall_tool() -> Tool {
    Tool {
        name: "memory_recall",
        title: "Recall",
        about: "What earlier sessions learned about this repository and its user, each checked against the code as it is now. \
                Call it when a task starts, before you edit a file you have not worked on, and before you ask the user. Use only \
                what it returns; ids under `withheld` no longer match the code.",
        input: InputSchema::from_type::<RecallInput>()
            .merge_with(InputSchema::from_type::<RecallFilterInput>())
            .merge_with(CallMarks::select_schema(&["ignore_memory", "repo"]))
            .with_example(
                &json!({"query": "how are API versions kept in step?", "path": "src/api.rs"}),
            ),
        effect: ToolEffect::Reads,
        run: run_recall_tool,
    }
}

/// What is known that matters to a question, each with how it stands in this checkout.
fn run_recall_tool(call: &ToolCall) -> ToolResult {
    let question: RecallInput = call.read_input()?;
    let layer = match question.layer.map(|it| it.0) {
        Some(RecallLayer::Archive) => return answer_from_archive(call, &question),
        Some(RecallLayer::Memories(Layer::Session)) => {
            return answer_session_notes(call, question.limit);
        }
        Some(RecallLayer::Memories(layer)) => Some(layer),
        None => None,
    };
    let only: RecallFilterInput = call.read_input()?;
    let (filter, spaces) = only.resolve(call.now, call.spaces())?;
    if let Some(title) = &question.task.0 {
        return run_task_opening(call, title, &spaces, question.tokens);
    }
    let path = question.path.0;
    let is_open = question.query.is_empty() && path.is_none();
    let mut layers: Vec<Layer> = layer.into_iter().collect();
    if question.episodes {
        let knowledge = layers.is_empty().then_some(Layer::Knowledge);
        layers.extend(knowledge.into_iter().chain([Layer::Episode]));
    }
    let ask = RecallRequest {
        text: question.query,
        spaces,
        layers,
        filter,
        paths: path.into_iter().collect(),
        mode: Some(if is_open {
            InjectMode::RecentOnly
        } else {
            InjectMode::Relevant
        }),
        count: question.limit.map(|it| it.capped_at(MAX_SHOWN)),
        tokens: question.tokens.map(|it| it.capped_at(MAX_TOKENS)),
        ..RecallRequest::default()
    };
    let recalled = recall::recall(call, &ask)?.with_overruled_preferences(call, &ask)?;
    let recalled = recalled.with_episode_count(call, &ask)?;
    let identity = match call.caller.user {
        Some(user) if is_open => recall::recall_identity(call, user)?,
        _ => Vec::new(),
    };
    let identity: Vec<Memory> = follow_memory_citations(call, identity)
        .into_iter()
        .filter(VerifiedMemory::is_good)
        .map(|it| it.memory)
        .collect();
    ToolAnswer::new_json(&RecallToolReply::new(&recalled, &identity, is_open))
}

/// Where a question looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RecallLayer {
    /// In a layer of memories.
    Memories(Layer),
    /// In what was said.
    Archive,
}

impl FromStr for RecallLayer {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        match word {
            "archive" => Ok(Self::Archive),
            layer => layer.parse().map(Self::Memories),
        }
    }
}

impl TextSchema for RecallLayer {
    fn text_schema() -> Schema {
        json_schema!({"type": "string", "enum": ["knowledge", "episode", "session", "archive"]})
    }
}

/// What the user said about something in past conversations.
fn answer_from_archive(call: &ToolCall, question: &RecallInput) -> ToolResult {
    let only: RecallFilterInput = call.read_input()?;
    let (filter, _) = only.resolve(call.now, call.spaces())?;
    let request = SaidRequest {
        space: call.caller.repo,
        text: &question.query,
        filter: ArchiveFilter {
            since: filter.since,
            until: filter.until,
            path: filter.citing.or_else(|| question.path.0.clone()),
            task: question.task.0.clone(),
            branch: question.branch.0.clone(),
        },
        count: question.limit.as_ref().map(|it| it.capped_at(MAX_SAID)),
    };
    match recall_said(call, &request)? {
        Some(hits) => ToolAnswer::new_json(&SaidReply::new(&hits)),
        None => ToolAnswer::new_refusal(&RefusedToolReply::archive_off()),
    }
}

/// The notes that this session left for itself.
fn answer_session_notes(call: &ToolCall, limit: Option<ResultLimit>) -> ToolResult {
    let limit = limit.map_or(MAX_SHOWN, |it| it.capped_at(MAX_SHOWN));
    let notes = recall_session_notes(call, &call.spaces(), call.caller.session, limit)?;
    ToolAnswer::new_json(&RecallToolReply::new(&notes, &[], true))
}

/// What helps with a task that begins: what is known about it, then what happened in similar tasks.
fn run_task_opening(
    call: &ToolCall,
    title: &str,
    spaces: &[Space],
    tokens: Option<ResultLimit>,
) -> ToolResult {
    let beside = call.caller.activity;
    let notes = beside.and_then(ActivityStore::read_notes);
    let task = find_titled_task(beside, title);
    let start = TaskStart {
        title,
        task: task.as_ref(),
        spaces,
        notes: notes.as_deref(),
        tokens: tokens.map_or(OPENING_TOKENS, |it| it.capped_at(MAX_TOKENS)),
    };
    let opening = open_starting_task(call, &start);
    let recalled = RecallOutcome {
        block: opening.block,
        shown: [opening.knowledge, opening.episodes].concat(),
        withheld: opening.withheld,
        n_unfit: opening.n_unfit,
        n_episodes: 0,
        verified_at: call.source.describe_tree(),
        problems: opening.problems,
    };
    let reply = RecallToolReply::new(&recalled, &[], false);
    ToolAnswer::new_json(&reply.with_notes(opening.notes))
}

/// A fact to keep.
#[derive(Deserialize, JsonSchema)]
struct RememberInput {
    /// One sentence, at most 500 characters
    fact: String,
    /// Code that proves it, as path:start-end or path::Item::name from the repository's root
    #[serde(default)]
    citations: CitationTexts,
    /// The user's own words that say it, copied from their message, or a passage's handle: c-12.3
    said: Option<String>,
    /// A command of yours that shows it, as you ran it
    ran: Option<String>,
    /// project and reference need proof; feedback is a correction, user a preference
    #[schemars(extend("enum" = ["project", "reference", "feedback", "user"]))]
    kind: Option<TextEncoded<Kind>>,
    /// knowledge unless said
    #[schemars(extend("enum" = ["knowledge", "identity", "episode", "session"]))]
    layer: Option<TextEncoded<Layer>>,
    /// Topic in a few words
    subject: Option<String>,
    /// Why it matters
    reason: Option<String>,
    /// Up to 5
    #[serde(default)]
    tags: Vec<String>,
    /// Project it belongs to
    #[serde(default)]
    project: OptionalText<ProjectName>,
    // Known to those who write episodes; no agent is told of it.
    #[schemars(skip)]
    task: Option<String>,
    /// Id of a memory that this replaces, keeping its citations
    merge_with: Option<TextEncoded<MemoryName>>,
    /// Why both are needed
    rationale: Option<String>,
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
        run: run_remember_tool,
    }
}

/// Keeps a fact, with the code that proves it.
fn run_remember_tool(call: &ToolCall) -> ToolResult {
    let fact: RememberInput = call.read_input()?;
    let (layer, kind) = (fact.layer.map(|it| it.0), fact.kind.map(|it| it.0));
    let is_cited = !fact.citations.0.is_empty();
    let space = if !classify::belongs_to_user(layer, kind, &fact.fact, is_cited) {
        Some(call.caller.repo)
    } else if layer == Some(Layer::Identity) || kind == Some(Kind::User) {
        call.caller.user
    } else {
        // Its words alone say that it is the user's; where nobody knows the user, the repository keeps it.
        call.caller.user.or(Some(call.caller.repo))
    };
    let Some(space) = space else {
        return ToolAnswer::new_refusal(&RefusedToolReply::no_user());
    };
    let project = fact.project.0.map(|it| it.to_tag());
    let draft = Draft {
        layer,
        kind,
        subject: fact.subject,
        reason: fact.reason,
        citations: fact.citations.0,
        said: fact.said,
        ran: fact.ran,
        tags: fact.tags.into_iter().chain(project).collect(),
        task: fact.task,
        on_duplicate: choose_duplicate_handling(fact.merge_with.map(|it| it.0), fact.rationale),
        ..call.draft(space, fact.fact)
    };
    answer_write_outcome(&write_draft(&call.context_for(space), draft)?)
}

fn answer_write_outcome(outcome: &WriteOutcome) -> ToolResult {
    let answer = match outcome {
        WriteOutcome::Done(it) => ToolAnswer::new_json(&WriteToolReply::new(it)),
        WriteOutcome::Similar(near) => {
            ToolAnswer::new_refusal(&RefusedToolReply::from_similar(near))
        }
        WriteOutcome::Refused(refusal) => ToolAnswer::new_refusal(&RefusedToolReply::new(refusal)),
    };
    Ok(answer?.with_question(outcome.question()))
}

/// The memory that something is done to.
#[derive(Deserialize, JsonSchema)]
struct MemoryIdInput {
    /// Such as m-12
    id: TextEncoded<MemoryName>,
}

/// What to do to a memory.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(tag = "action")]
enum ReviseAction {
    /// It was wrong, and this is so instead.
    Correct(ReplacementInput),
    /// This says it better.
    Supersede(ReplacementInput),
    /// It is wrong.
    Invalidate { reason: String },
    /// Its code was edited, and it is still true there.
    Confirm {
        /// The lines that prove it now; those that its lines became, unless said
        #[serde(default)]
        citations: CitationTexts,
    },
    /// It was used in a task.
    Apply,
    /// It still holds and is of use.
    Refresh,
}

/// What takes the place of a memory.
#[derive(Deserialize, JsonSchema)]
struct ReplacementInput {
    /// What is so instead
    fact: String,
    /// Code that proves it, as path:start-end or path::Item::name from the repository's root
    #[serde(default)]
    citations: CitationTexts,
    /// Why; needed to invalidate
    reason: Option<String>,
}

fn describe_revise_tool() -> Tool {
    Tool {
        name: "memory_revise",
        title: "Revise",
        about: "Correct what is remembered. Call it as soon as a memory proves wrong (correct with the right fact, or \
                invalidate), when you know it better (supersede), when its code was edited and it is still true (confirm), when it \
                helped (apply), or when it still holds (refresh).",
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
        run: run_revise_tool,
    }
}

/// Does something to a memory that is there.
fn run_revise_tool(call: &ToolCall) -> ToolResult {
    let MemoryIdInput {
        id: TextEncoded(name),
    } = call.read_input()?;
    match wire::read_tagged_arguments(call.arguments, "action")? {
        ReviseAction::Refresh => run_refresh_action(call, name),
        ReviseAction::Confirm { citations } => {
            let voice = call.draft(call.caller.repo, String::new()).voice;
            let confirmed =
                revise::confirm_memory(call, &call.spaces(), name, &citations.0, &voice);
            answer_write_outcome(&convert_revise_outcome("confirmed", confirmed)?)
        }
        ReviseAction::Apply => {
            let applied = revise::mark_memory_applied(call, &call.spaces(), name);
            answer_write_outcome(&convert_revise_outcome("applied", applied)?)
        }
        ReviseAction::Invalidate { reason } => {
            answer_write_outcome(&invalidate_for_tool(call, name, &reason)?)
        }
        ReviseAction::Correct(it) => {
            run_replace_action(call, name, it, ReplacementKind::Correction)
        }
        ReviseAction::Supersede(it) => run_replace_action(call, name, it, ReplacementKind::Better),
    }
}

/// Puts something in the place of a memory.
fn run_replace_action(
    call: &ToolCall,
    name: MemoryName,
    it: ReplacementInput,
    how: ReplacementKind,
) -> ToolResult {
    let spaces = call.spaces();
    let old = list::find_named_memory(call, &spaces, name)?;
    let space = old.map_or_else(|| call.caller.repo.clone(), |it| it.space);
    let draft = Draft {
        citations: it.citations.0,
        reason: it.reason,
        ..call.draft(&space, it.fact)
    };
    let cx = call.context_for(&space);
    match supersede_for_tool(&cx, call.caller.speaker, &spaces, name, draft, how)? {
        WriteOutcome::Refused(refusal) => {
            ToolAnswer::new_refusal(&RefusedToolReply::for_revision(&refusal))
        }
        outcome => answer_write_outcome(&outcome),
    }
}

/// A memory is only called fresh again when nothing speaks against it here.
fn run_refresh_action(call: &ToolCall, name: MemoryName) -> ToolResult {
    let memory = list::find_named_memory(call, &call.spaces(), name)?.filter(Memory::is_active);
    let looked = look_up(
        call,
        memory.into_iter().collect(),
        VerifyOptions::default(),
        |_| (),
    )?;
    if let Some(bad) = looked.memories.iter().find(|it| !it.can_be_refreshed()) {
        return ToolAnswer::new_refusal(&RefusedToolReply::for_stale_memory(bad));
    }
    let refreshed = revise::refresh_memory(call, &call.spaces(), name);
    answer_write_outcome(&convert_revise_outcome("refreshed", refreshed)?)
}

/// Which memories are looked up.
#[derive(Deserialize, JsonSchema)]
struct VerifyMemoriesInput {
    /// These memories; all if empty
    #[serde(default)]
    ids: BoundedList<TextEncoded<MemoryName>, MAX_IDS>,
    /// Those that cite this file or folder
    #[serde(default)]
    path: OptionalText<RepoPath>,
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
        run: run_verify_tool,
    }
}

/// Looks up the citations of some memories, or of all; nothing is changed.
fn run_verify_tool(call: &ToolCall) -> ToolResult {
    let which: VerifyMemoriesInput = call.read_input()?;
    let ids = which.ids.into_values();
    let memories = match find_memories_to_verify(call, call.spaces(), ids, which.path.0)? {
        Ok(memories) => memories,
        Err(refusal) => return ToolAnswer::new_refusal(&RefusedToolReply::new(&refusal)),
    };
    let report = look_up(call, memories, VerifyOptions::default(), |_| ())?;
    let discarded = report.memories.iter().filter(|it| is_discarded(it));
    let discarded = discarded.take(MAX_TOLD).map(|it| {
        let history = read_memory_history(call.store, &it.memory, true)?;
        Ok(DiscardedMemory::new(it, &history))
    });
    let discarded = discarded.collect::<Result<Vec<_>, CallFault>>()?;
    ToolAnswer::new_json(&VerifyToolReply::new(&report, discarded))
}

/// Why a memory is to be forgotten.
#[derive(Deserialize, JsonSchema)]
struct ForgetInput {
    // For the log; an agent that is asked for it makes something up.
    #[schemars(skip)]
    reason: Option<String>,
}

fn describe_forget_tool() -> Tool {
    Tool {
        name: "memory_forget",
        title: "Forget",
        about: "Erase a memory for good. Only when the user asks for it; otherwise use memory_revise invalidate. What the user \
                said is erased on the user's own word.",
        input: InputSchema::from_type::<MemoryIdInput>()
            .merge_with(CallMarks::select_schema(&["repo"]))
            .with_example(&json!({"id": "u-3"})),
        effect: ToolEffect::Removes,
        run: run_forget_tool,
    }
}

/// Removes a memory for good, on a person's word.
fn run_forget_tool(call: &ToolCall) -> ToolResult {
    let MemoryIdInput {
        id: TextEncoded(name),
    } = call.read_input()?;
    let it: ForgetInput = call.read_input()?;
    let reason = it.reason.as_deref().unwrap_or("");
    answer_write_outcome(&forget_for_tool(call, name, reason)?)
}
