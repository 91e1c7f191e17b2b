//! Memories that are there are corrected, replaced, called fresh, marked as wrong, promoted.

use apostille_core::memory::{Draft, Kind, Layer, Memory, Name, Replacement};
use apostille_core::promote::{Promotion, promote as core_promote};
use apostille_core::remember::Outcome;
use apostille_core::revise::{self, Revised};
use apostille_core::verify::look;
use apostille_core::{Context, Error};

use super::args::{Citations, NoArguments, TagList, arguments};
use super::call::ApiCall;
use super::errand::{Errand, refused, turned_away};
use crate::Fault;
use crate::json::schema::Written;
use crate::json::{KeptReply, RevisedReply, WhenSimilar};
use crate::pass::Access;
use crate::visit::{Asked, Method, Reply, Visit};

arguments! {
    /// What takes the place of a memory.
    struct ReplaceBody {
        /// What is so instead.
        #[schemars(length(min = 1))]
        fact: String,
        /// The old places that still hold, unless said.
        citations: Citations,
        kind: Option<Written<Kind>>,
        subject: Option<String>,
        reason: Option<String>,
        tags: TagList,
        /// A person's word that overrides a check; for passes that review.
        force: bool,
        /// The words come from outside.
        tainted: bool,
    }
}

/// Replaces a memory by a better one.
pub(super) const SUPERSEDE: ApiCall = ApiCall::new(
    Method::Post,
    "/api/memories/{name}/supersede",
    Access::Write,
    supersede_memory,
)
.about(
    "supersede",
    "revise",
    "Replace a memory by a better one; the old one stays in the history",
)
.body::<ReplaceBody>(
    r#"{"fact":"API_VERSION is \"v3\" in src/api.rs","citations":["src/api.rs:3"]}"#,
)
.answers::<KeptReply>()
.creates::<KeptReply>()
.may_refuse();
/// Replaces a memory that was wrong.
pub(super) const CORRECT: ApiCall = ApiCall::new(
    Method::Post,
    "/api/memories/{name}/correct",
    Access::Write,
    correct_memory,
)
.about(
    "correct",
    "revise",
    "Replace a memory that is wrong by what is so",
)
.body::<ReplaceBody>(r#"{"fact":"retries is 5","citations":["src/old.rs:1"]}"#)
.answers::<KeptReply>()
.creates::<KeptReply>()
.may_refuse();

fn supersede_memory(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    replace_memory(visit, asked, Replacement::Better)
}

fn correct_memory(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    replace_memory(visit, asked, Replacement::Correction)
}

fn replace_memory(visit: &Visit<'_>, asked: &Asked, how: Replacement) -> Result<Reply, Fault> {
    let (it, body): (_, ReplaceBody) = Errand::begin_with_body(visit, asked)?;
    let old = match it.memory()? {
        Ok(old) => old,
        Err(refusal) => return refused(&refusal),
    };
    let voice = it.voice(body.force, body.tainted);
    let draft = Draft {
        kind: body.kind.map(|it| it.0),
        citations: body.citations.0,
        tags: body.tags.into_texts(),
        subject: body.subject,
        reason: body.reason,
        ..Draft::new(old.space.clone(), body.fact, voice)
    }
    .vouched_if(body.force, visit.person());
    let outcome = revise::supersede(
        &it.cx_for(&old.space),
        &it.spaces,
        Name::Id(old.id),
        draft,
        how,
    )?;
    it.kept("remembered", outcome, WhenSimilar::Choose)
}

/// Says that a memory still holds.
pub(super) const REFRESH: ApiCall = ApiCall::new(
    Method::Post,
    "/api/memories/{name}/refresh",
    Access::Write,
    refresh_memory,
)
.about(
    "refresh",
    "revise",
    "Say that a memory still holds and is of use; refused where its code speaks against it here",
)
.body::<NoArguments>("{}")
.answers::<RevisedReply>()
.may_refuse();

fn refresh_memory(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let (it, NoArguments {}) = Errand::begin_with_body(visit, asked)?;
    let memory = it.memory()?.ok().filter(Memory::is_active);
    let seen = look(&it.cx(), memory.into_iter().collect());
    if let Some(bad) = seen.iter().find(|it| it.is_bad()) {
        let why = format!(
            "the code that {} cites is {} here; correct it, or invalidate it",
            bad.memory.handle(),
            bad.standing()
        );
        return turned_away("does_not_hold", why);
    }
    revise_memory(&it, "refreshed", |cx, name| {
        revise::refresh(cx, &it.spaces, name)
    })
}

/// Says that a memory was used.
pub(super) const APPLY: ApiCall = ApiCall::new(
    Method::Post,
    "/api/memories/{name}/apply",
    Access::Write,
    apply_memory,
)
.about("apply", "revise", "Say that a memory was used in a task")
.body::<NoArguments>("{}")
.answers::<RevisedReply>()
.may_refuse();

fn apply_memory(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let (it, NoArguments {}) = Errand::begin_with_body(visit, asked)?;
    revise_memory(&it, "applied", |cx, name| {
        revise::apply(cx, &it.spaces, name)
    })
}

/// Marks a memory as wrong.
pub(super) const INVALIDATE: ApiCall = ApiCall::new(
    Method::Post,
    "/api/memories/{name}/invalidate",
    Access::Write,
    invalidate_memory,
)
.about(
    "invalidate",
    "revise",
    "Mark a memory as wrong; it stays in the history",
)
.body::<InvalidateBody>(r#"{"reason":"it is five"}"#)
.answers::<RevisedReply>()
.may_refuse();

arguments! {
    /// Why a memory is wrong.
    struct InvalidateBody {
        #[schemars(length(min = 1))]
        reason: String,
    }
}

fn invalidate_memory(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let (it, body): (_, InvalidateBody) = Errand::begin_with_body(visit, asked)?;
    let by = visit.voice();
    revise_memory(&it, "invalidated", |cx, name| {
        revise::invalidate_as(cx, &it.spaces, name, &body.reason, &by)
    })
}

/// Does something to the memory that the path names.
pub(super) fn revise_memory(
    it: &Errand<'_>,
    word: &'static str,
    revise: impl FnOnce(&Context<'_>, Name) -> Result<Revised, Error>,
) -> Result<Reply, Fault> {
    let revised = match it.memory()? {
        Ok(memory) => revise(&it.cx_for(&memory.space), Name::Id(memory.id))?,
        Err(refusal) => Revised::Refused(refusal),
    };
    it.revised(word, revised)
}

/// Promotes a note.
pub(super) const PROMOTE: ApiCall = ApiCall::new(
    Method::Post,
    "/api/memories/{name}/promote",
    Access::Write,
    promote_memory,
)
.about(
    "promote",
    "revise",
    "Make scratch an episode, or a note knowledge",
)
.body::<PromoteBody>(r#"{"subject":"cache","reason":"it costs a minute","kind":"feedback"}"#)
.answers::<KeptReply>()
.creates::<KeptReply>()
.may_refuse();

arguments! {
    /// What a note becomes.
    struct PromoteBody {
        /// The next one unless said.
        layer: Option<Written<Layer>>,
        kind: Option<Written<Kind>>,
        subject: Option<String>,
        /// It in better words.
        fact: Option<String>,
        reason: Option<String>,
        citations: Citations,
        task: Option<String>,
    }
}

fn promote_memory(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let (it, body): (_, PromoteBody) = Errand::begin_with_body(visit, asked)?;
    let promotion = Promotion {
        layer: body.layer.map(|it| it.0),
        kind: body.kind.map(|it| it.0),
        subject: body.subject,
        fact: body.fact,
        reason: body.reason,
        citations: body.citations.0,
        task: body.task,
        ..Promotion::of(it.name()?, visit.voice())
    };
    let outcome = match it.memory()? {
        Ok(note) => core_promote(&it.cx_for(&note.space), &it.spaces, promotion)?,
        Err(refusal) => Outcome::Refused(refusal),
    };
    it.kept("promoted", outcome, WhenSimilar::Choose)
}
