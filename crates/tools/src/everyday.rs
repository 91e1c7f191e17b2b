//! The tools that an agent is given unless somebody asks for others: five verbs, and answers with few fields.
//!
//! They are the same words as on the command line: recall, remember, revise, verify, forget.

mod input;
mod output;

use apostille_core::memory::{Draft, Kind, Layer, Memory, MemoryName, ReplacementKind, Stage};
use apostille_core::policy::InjectMode;
use apostille_core::recall::{self, RecallRequest, render};
use apostille_core::refusal::Refusal;
use apostille_core::revise;
use apostille_core::space::Space;
use apostille_core::store::{ListOrder, MemoryFilter};
use apostille_core::verify::{
    VerifiedMemory, VerifyOptions, follow_memory_citations, verify as look_up,
};
use apostille_core::{Context, list};
use serde_json::Value;

use crate::ToolAnswer;
use crate::outcome::{
    WriteOutcome, choose_duplicate_handling, convert_revise_outcome, forget_for_tool,
    invalidate_for_tool, supersede_for_tool, write_draft,
};
use apostille_api::access_token::Access;
use apostille_api::shorten::take_first_chars;
use apostille_api::{CallFault, CallPlace, wire};
use input::{
    ForgetInput, MemoryIdInput, RecallInput, RememberInput, ReplacementInput, ReviseAction,
    VerifyMemoriesInput,
};
use output::{MemoryProblem, RecallToolReply, RefusedToolReply, VerifyToolReply, WriteToolReply};

pub use input::list_everyday_tools;

/// How many memories are looked up by one call.
const MAX_VERIFIED: usize = 1_000;
/// How much of a fact a person is shown who is asked about it, in characters.
const MAX_ASKED: usize = 500;
/// How many memories one recall shows at most.
const MAX_SHOWN: usize = 50;

/// What a model is told of the server as a whole.
pub const GUIDANCE: &str = "\
Apostille is memory across sessions, with the code that proves it.
Call memory_recall before you plan, and before you ask what the user may have said. Memories are hypotheses, each with \
a verdict from this checkout: rely on `holds` and `moved`, check the rest with memory_verify.
Call memory_remember for lasting facts, preferences and corrections, one sentence each, citing code for facts of the \
repository; memory_revise to correct one; memory_forget when the user wants it gone.
Never store secrets, task progress, git history, or what the code says anyway.
If the user says \"ignore memory\", pass ignore_memory: true or do not call, for that turn.
";

/// Calls a tool of this set by its name.
pub fn call_everyday_tool(
    cx: &Context<'_>,
    here: &CallPlace<'_>,
    tool: &str,
    arguments: &Value,
) -> Result<ToolAnswer, CallFault> {
    match tool {
        "memory_recall" => run_recall_tool(cx, here, wire::read_arguments(arguments)?),
        "memory_remember" => run_remember_tool(cx, here, wire::read_arguments(arguments)?),
        "memory_revise" => {
            let MemoryIdInput { id } = wire::read_arguments(arguments)?;
            run_revise_tool(
                cx,
                here,
                id.0,
                wire::read_tagged_arguments(arguments, "action")?,
            )
        }
        "memory_verify" => run_verify_tool(cx, here, wire::read_arguments(arguments)?),
        "memory_forget" => {
            let MemoryIdInput { id } = wire::read_arguments(arguments)?;
            run_forget_tool(cx, here, id.0, &wire::read_arguments(arguments)?)
        }
        _ => Err(CallFault::no_such_tool(
            tool,
            list_everyday_tools().iter().map(|it| it.name),
        )),
    }
}

/// What is known that matters to a question, each with how it stands in this checkout.
fn run_recall_tool(
    cx: &Context<'_>,
    here: &CallPlace<'_>,
    question: RecallInput,
) -> Result<ToolAnswer, CallFault> {
    let path = question.path.0;
    let is_open = question.query.is_empty() && path.is_none();
    let mut layers = vec![Layer::Knowledge];
    layers.extend(question.episodes.then_some(Layer::Episode));
    let ask = RecallRequest {
        text: question.query,
        spaces: here.spaces(),
        layers,
        paths: path.into_iter().collect(),
        mode: Some(if is_open {
            InjectMode::RecentOnly
        } else {
            InjectMode::Relevant
        }),
        count: question.limit.map(|it| it.capped_at(MAX_SHOWN)),
        ..RecallRequest::default()
    };
    let recalled = recall::recall(cx, &ask)?;
    let identity = match here.user {
        Some(user) if is_open => recall::recall_identity(cx, user)?,
        _ => Vec::new(),
    };
    let identity: Vec<Memory> = follow_memory_citations(cx, identity)
        .into_iter()
        .filter(VerifiedMemory::is_good)
        .map(|it| it.memory)
        .collect();
    ToolAnswer::new_json(&RecallToolReply::new(&recalled, &identity, is_open))
}

/// Keeps a fact, with the code that proves it.
fn run_remember_tool(
    cx: &Context<'_>,
    here: &CallPlace<'_>,
    fact: RememberInput,
) -> Result<ToolAnswer, CallFault> {
    let Some(space) = choose_fact_space(here, &fact) else {
        return ToolAnswer::new_refusal(&RefusedToolReply::no_user());
    };
    let draft = Draft {
        layer: fact.layer.map(|it| it.0),
        kind: fact.kind.map(|it| it.0),
        subject: fact.subject,
        reason: fact.reason,
        citations: fact.citations.0,
        tags: fact.tags,
        task: fact.task,
        twin: choose_duplicate_handling(fact.merge_with.map(|it| it.0), fact.rationale),
        ..Draft::new(space.clone(), fact.fact, here.agent_voice(cx.actor))
    };
    answer_write_outcome(&write_draft(&here.context_for_space(cx, space), draft)?)
}

/// A person's preferences and identity are the person's; everything else is the repository's.
fn choose_fact_space<'a>(here: &CallPlace<'a>, fact: &RememberInput) -> Option<&'a Space> {
    let is_identity = fact.layer.is_some_and(|it| it.0 == Layer::Identity);
    let is_personal = is_identity || fact.kind.is_some_and(|it| it.0 == Kind::User);
    if is_personal {
        here.user
    } else {
        Some(here.repo)
    }
}

fn answer_write_outcome(outcome: &WriteOutcome) -> Result<ToolAnswer, CallFault> {
    match outcome {
        WriteOutcome::Done(it) => ToolAnswer::new_json(&WriteToolReply::new(it)),
        WriteOutcome::Similar(near) => {
            ToolAnswer::new_refusal(&RefusedToolReply::from_similar(near))
        }
        WriteOutcome::Refused(refusal) => ToolAnswer::new_refusal(&RefusedToolReply::new(refusal)),
    }
}

/// Does something to a memory that is there.
fn run_revise_tool(
    cx: &Context<'_>,
    here: &CallPlace<'_>,
    name: MemoryName,
    it: ReviseAction,
) -> Result<ToolAnswer, CallFault> {
    match it {
        ReviseAction::Refresh => run_refresh_action(cx, here, name),
        ReviseAction::Apply => {
            let applied = revise::mark_memory_applied(cx, &here.spaces(), name);
            answer_write_outcome(&convert_revise_outcome("applied", applied)?)
        }
        ReviseAction::Approve => run_approve_action(cx, here, name),
        ReviseAction::Invalidate { reason } => {
            answer_write_outcome(&invalidate_for_tool(cx, here, name, &reason)?)
        }
        ReviseAction::Correct(it) => {
            run_replace_action(cx, here, name, it, ReplacementKind::Correction)
        }
        ReviseAction::Supersede(it) => {
            run_replace_action(cx, here, name, it, ReplacementKind::Better)
        }
    }
}

/// Puts something in the place of a memory.
fn run_replace_action(
    cx: &Context<'_>,
    here: &CallPlace<'_>,
    name: MemoryName,
    it: ReplacementInput,
    how: ReplacementKind,
) -> Result<ToolAnswer, CallFault> {
    let spaces = here.spaces();
    let old = list::find_named_memory(cx, &spaces, name)?;
    let space = old.map_or_else(|| here.repo.clone(), |it| it.space);
    let draft = Draft {
        citations: it.citations.0,
        reason: it.reason,
        ..Draft::new(space.clone(), it.fact, here.agent_voice(cx.actor))
    };
    match supersede_for_tool(
        &here.context_for_space(cx, &space),
        &spaces,
        name,
        draft,
        how,
    )? {
        WriteOutcome::Refused(refusal) => {
            ToolAnswer::new_refusal(&RefusedToolReply::for_revision(&refusal))
        }
        outcome => answer_write_outcome(&outcome),
    }
}

/// A memory is only called fresh again when nothing speaks against it here.
fn run_refresh_action(
    cx: &Context<'_>,
    here: &CallPlace<'_>,
    name: MemoryName,
) -> Result<ToolAnswer, CallFault> {
    let memory = list::find_named_memory(cx, &here.spaces(), name)?.filter(Memory::is_active);
    let looked = look_up(
        cx,
        memory.into_iter().collect(),
        VerifyOptions::default(),
        |_| (),
    )?;
    if let Some(bad) = looked.memories.iter().find(|it| it.is_bad()) {
        return ToolAnswer::new_refusal(&RefusedToolReply::for_stale_memory(&MemoryProblem::new(
            bad,
        )));
    }
    let refreshed = revise::refresh_memory(cx, &here.spaces(), name);
    answer_write_outcome(&convert_revise_outcome("refreshed", refreshed)?)
}

/// Looks up the citations of some memories, or of all; nothing is changed.
fn run_verify_tool(
    cx: &Context<'_>,
    here: &CallPlace<'_>,
    which: VerifyMemoriesInput,
) -> Result<ToolAnswer, CallFault> {
    let memories = match resolve_memories_to_verify(cx, here, which)? {
        Ok(memories) => memories,
        Err(refusal) => return ToolAnswer::new_refusal(&RefusedToolReply::new(&refusal)),
    };
    let report = look_up(cx, memories, VerifyOptions::default(), |_| ())?;
    ToolAnswer::new_json(&VerifyToolReply::new(&report))
}

fn resolve_memories_to_verify(
    cx: &Context<'_>,
    here: &CallPlace<'_>,
    which: VerifyMemoriesInput,
) -> Result<Result<Vec<Memory>, Refusal>, CallFault> {
    if which.ids.0.is_empty() {
        let filter = MemoryFilter {
            spaces: here.spaces(),
            stages: vec![Stage::Active],
            path: which.path.0,
            order: ListOrder::Refreshed,
            limit: MAX_VERIFIED,
            ..MemoryFilter::default()
        };
        return Ok(Ok(list::list_memories(cx, &filter)?));
    }
    Ok(list::find_all_named(
        cx,
        &here.spaces(),
        which.ids.into_values(),
    )?)
}

/// Removes a memory for good, on a person's word.
fn run_forget_tool(
    cx: &Context<'_>,
    here: &CallPlace<'_>,
    name: MemoryName,
    it: &ForgetInput,
) -> Result<ToolAnswer, CallFault> {
    if !(it.user_agreed || here.speaker.has_consent())
        && let Some(memory) = list::find_named_memory(cx, &here.spaces(), name)?
    {
        let question = "Forget it for good? This cannot be undone.";
        return refuse_until_consent(&memory, &RefusedToolReply::needs_consent(&memory), question);
    }
    let reason = it.reason.as_deref().unwrap_or("");
    answer_write_outcome(&forget_for_tool(cx, here, name, reason)?)
}

/// A pending memory is let out by a person; one that is not pending is refused as always.
fn run_approve_action(
    cx: &Context<'_>,
    here: &CallPlace<'_>,
    name: MemoryName,
) -> Result<ToolAnswer, CallFault> {
    let memory = match revise::find_pending_or_refuse(cx, &here.spaces(), name, "approved")? {
        Ok(memory) => memory,
        Err(refusal) => return answer_write_outcome(&WriteOutcome::Refused(refusal)),
    };
    let refusal = RefusedToolReply::needs_person(&memory);
    // Through a socket the holder of the token can answer for the person, so that it takes one that reviews.
    if here
        .pass
        .is_some_and(|it| !it.allows_access(Access::Review))
    {
        return ToolAnswer::new_refusal(&refusal);
    }
    let by = here.speaker.person();
    let Some(by) = by.filter(|_| here.speaker.has_consent()) else {
        return refuse_until_consent(&memory, &refusal, "Let it be used from now on?");
    };
    // The one who was asked is the user; the client only carried the question.
    let actor = here
        .user
        .map(|it| format!("{it} through {}", cx.actor.unwrap_or("a client")));
    let cx = Context {
        actor: actor.as_deref().or(cx.actor),
        ..*cx
    };
    let approved = revise::approve_memory(&cx, by, &here.spaces(), name);
    answer_write_outcome(&convert_revise_outcome("approved", approved)?)
}

/// What needs a person's word is not done without it; the question says what it is about.
fn refuse_until_consent(
    memory: &Memory,
    refusal: &RefusedToolReply,
    question: &str,
) -> Result<ToolAnswer, CallFault> {
    let fact = render::sanitize_line(&memory.fact);
    let fact = take_first_chars(&fact, MAX_ASKED).unwrap_or(&fact);
    let question = format!("{}: \"{fact}\"\n\n{question}", memory.handle());
    Ok(ToolAnswer::new_refusal(refusal)?.with_question(question))
}
