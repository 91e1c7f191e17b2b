//! The tools that an agent is given unless somebody asks for others: five verbs, and answers with few fields.
//!
//! They are the same words as on the command line: recall, remember, revise, verify, forget.

mod input;
mod output;

use apostille_core::memory::{Draft, Kind, Layer, Memory, Name, Replacement, Stage};
use apostille_core::policy::InjectMode;
use apostille_core::recall::{self, Ask, render};
use apostille_core::refusal::Refusal;
use apostille_core::revise;
use apostille_core::space::Space;
use apostille_core::store::{Filter, Order};
use apostille_core::verify::{Orders, Verified, look, verify as look_up};
use apostille_core::{Context, list};
use serde_json::Value;

use crate::Answer;
use crate::outcome::{
    WriteOutcome, choose_twin, forget_memory, invalidate_memory, revise_outcome, supersede_memory,
    write_draft,
};
use apostille_api::pass::Access;
use apostille_api::text::beginning;
use apostille_api::{Fault, Here, wire};
use input::{Action, Agreement, Checked, Fact, Question, Successor, Which, cites};
use output::{Found, Kept, Looked, NotKept, Told};

pub use input::tools;

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
pub fn call(
    cx: &Context<'_>,
    here: &Here<'_>,
    tool: &str,
    arguments: &Value,
) -> Result<Answer, Fault> {
    match tool {
        "memory_recall" => recall(cx, here, wire::read(arguments)?),
        "memory_remember" => remember(cx, here, wire::read(arguments)?),
        "memory_revise" => {
            let Which { id } = wire::read(arguments)?;
            revise(cx, here, id.0, wire::read_tagged(arguments, "action")?)
        }
        "memory_verify" => verify(cx, here, wire::read(arguments)?),
        "memory_forget" => {
            let Which { id } = wire::read(arguments)?;
            forget(cx, here, id.0, &wire::read(arguments)?)
        }
        _ => Err(Fault::no_such_tool(tool, tools().iter().map(|it| it.name))),
    }
}

/// What is known that matters to a question, each with how it stands in this checkout.
fn recall(cx: &Context<'_>, here: &Here<'_>, question: Question) -> Result<Answer, Fault> {
    let path = question.path.0;
    let is_open = question.query.is_empty() && path.is_none();
    let mut layers = vec![Layer::Knowledge];
    layers.extend(question.episodes.then_some(Layer::Episode));
    let ask = Ask {
        text: question.query,
        spaces: here.spaces(),
        layers,
        paths: path.into_iter().collect(),
        mode: Some(if is_open {
            InjectMode::RecentOnly
        } else {
            InjectMode::Relevant
        }),
        count: question.limit.map(|it| it.within(MAX_SHOWN)),
        ..Ask::default()
    };
    let recalled = recall::recall(cx, &ask)?;
    let identity = match here.user {
        Some(user) if is_open => recall::identity(cx, user)?,
        _ => Vec::new(),
    };
    let identity: Vec<Memory> = look(cx, identity)
        .into_iter()
        .filter(Verified::is_good)
        .map(|it| it.memory)
        .collect();
    Answer::json(&Found::new(&recalled, &identity, is_open))
}

/// Keeps a fact, with the code that proves it.
fn remember(cx: &Context<'_>, here: &Here<'_>, fact: Fact) -> Result<Answer, Fault> {
    let Some(space) = space_of(here, &fact) else {
        return Answer::refused(&NotKept::no_user());
    };
    let draft = Draft {
        layer: fact.layer.map(|it| it.0),
        kind: fact.kind.map(|it| it.0),
        subject: fact.subject,
        reason: fact.reason,
        citations: cites(fact.citations),
        tags: fact.tags,
        task: fact.task,
        twin: choose_twin(fact.merge_with.map(|it| it.0), fact.rationale),
        ..Draft::new(space.clone(), fact.fact, here.voice(cx.actor))
    };
    told(&write_draft(&here.ruled(cx, space), draft)?)
}

/// A person's preferences and identity are the person's; everything else is the repository's.
fn space_of<'a>(here: &Here<'a>, fact: &Fact) -> Option<&'a Space> {
    let is_identity = fact.layer.is_some_and(|it| it.0 == Layer::Identity);
    let is_personal = is_identity || fact.kind.is_some_and(|it| it.0 == Kind::User);
    if is_personal {
        here.user
    } else {
        Some(here.repo)
    }
}

fn told(outcome: &WriteOutcome) -> Result<Answer, Fault> {
    match outcome {
        WriteOutcome::Done(it) => Answer::json(&Kept::new(it)),
        WriteOutcome::Similar(near) => Answer::refused(&NotKept::similar(near)),
        WriteOutcome::Refused(refusal) => Answer::refused(&NotKept::new(refusal)),
    }
}

/// Does something to a memory that is there.
fn revise(cx: &Context<'_>, here: &Here<'_>, name: Name, it: Action) -> Result<Answer, Fault> {
    match it {
        Action::Refresh => refreshed(cx, here, name),
        Action::Apply => {
            let applied = revise::apply(cx, &here.spaces(), name);
            told(&revise_outcome("applied", applied)?)
        }
        Action::Approve => approved(cx, here, name),
        Action::Invalidate { reason } => told(&invalidate_memory(cx, here, name, &reason)?),
        Action::Correct(it) => superseded(cx, here, name, it, Replacement::Correction),
        Action::Supersede(it) => superseded(cx, here, name, it, Replacement::Better),
    }
}

/// Puts something in the place of a memory.
fn superseded(
    cx: &Context<'_>,
    here: &Here<'_>,
    name: Name,
    it: Successor,
    how: Replacement,
) -> Result<Answer, Fault> {
    let spaces = here.spaces();
    let old = list::named(cx, &spaces, name)?;
    let space = old.map_or_else(|| here.repo.clone(), |it| it.space);
    let draft = Draft {
        citations: cites(it.citations),
        reason: it.reason,
        ..Draft::new(space.clone(), it.fact, here.voice(cx.actor))
    };
    match supersede_memory(&here.ruled(cx, &space), &spaces, name, draft, how)? {
        WriteOutcome::Refused(refusal) => Answer::refused(&NotKept::revised(&refusal)),
        outcome => told(&outcome),
    }
}

/// A memory is only called fresh again when nothing speaks against it here.
fn refreshed(cx: &Context<'_>, here: &Here<'_>, name: Name) -> Result<Answer, Fault> {
    let memory = list::named(cx, &here.spaces(), name)?.filter(Memory::is_active);
    let looked = look_up(cx, memory.into_iter().collect(), Orders::default(), |_| ())?;
    if let Some(bad) = looked.memories.iter().find(|it| it.is_bad()) {
        return Answer::refused(&NotKept::does_not_hold(&Looked::new(bad)));
    }
    let refreshed = revise::refresh(cx, &here.spaces(), name);
    told(&revise_outcome("refreshed", refreshed)?)
}

/// Looks up the citations of some memories, or of all; nothing is changed.
fn verify(cx: &Context<'_>, here: &Here<'_>, which: Checked) -> Result<Answer, Fault> {
    let memories = match asked(cx, here, which)? {
        Ok(memories) => memories,
        Err(refusal) => return Answer::refused(&NotKept::new(&refusal)),
    };
    let report = look_up(cx, memories, Orders::default(), |_| ())?;
    Answer::json(&Told::new(&report))
}

fn asked(
    cx: &Context<'_>,
    here: &Here<'_>,
    which: Checked,
) -> Result<Result<Vec<Memory>, Refusal>, Fault> {
    if which.ids.0.is_empty() {
        let filter = Filter {
            spaces: here.spaces(),
            stages: vec![Stage::Active],
            path: which.path.0,
            order: Order::Refreshed,
            limit: MAX_VERIFIED,
            ..Filter::default()
        };
        return Ok(Ok(list::list(cx, &filter)?));
    }
    let names = which.ids.0.into_iter().map(|it| it.0);
    Ok(list::all_named(cx, &here.spaces(), names)?)
}

/// Removes a memory for good, on a person's word.
fn forget(cx: &Context<'_>, here: &Here<'_>, name: Name, it: &Agreement) -> Result<Answer, Fault> {
    if !(it.user_agreed || here.speaker.has_consent())
        && let Some(memory) = list::named(cx, &here.spaces(), name)?
    {
        let question = "Forget it for good? This cannot be undone.";
        return asking(&memory, &NotKept::needs_a_word(&memory), question);
    }
    let reason = it.reason.as_deref().unwrap_or("");
    told(&forget_memory(cx, here, name, reason)?)
}

/// A pending memory is let out by a person; one that is not pending is refused as always.
fn approved(cx: &Context<'_>, here: &Here<'_>, name: Name) -> Result<Answer, Fault> {
    let memory = match revise::find_pending(cx, &here.spaces(), name, "approved")? {
        Ok(memory) => memory,
        Err(refusal) => return told(&WriteOutcome::Refused(refusal)),
    };
    let refusal = NotKept::only_a_person(&memory);
    // Through a socket the holder of the token can answer for the person, so that it takes one that reviews.
    if here.pass.is_some_and(|it| !it.allows(Access::Review)) {
        return Answer::refused(&refusal);
    }
    let by = here.speaker.person();
    let Some(by) = by.filter(|_| here.speaker.has_consent()) else {
        return asking(&memory, &refusal, "Let it be used from now on?");
    };
    // The one who was asked is the user; the client only carried the question.
    let actor = here
        .user
        .map(|it| format!("{it} through {}", cx.actor.unwrap_or("a client")));
    let cx = Context {
        actor: actor.as_deref().or(cx.actor),
        ..*cx
    };
    let approved = revise::approve(&cx, by, &here.spaces(), name);
    told(&revise_outcome("approved", approved)?)
}

/// What needs a person's word is not done without it; the question says what it is about.
fn asking(memory: &Memory, refusal: &NotKept, question: &str) -> Result<Answer, Fault> {
    let fact = render::safe(&memory.fact);
    let fact = beginning(&fact, MAX_ASKED).unwrap_or(&fact);
    let question = format!("{}: \"{fact}\"\n\n{question}", memory.handle());
    Ok(Answer::refused(refusal)?.asking(question))
}
