//! What a person decides: what waits, and whose writes are held up.

use apostille_core::memory::{Draft, Name};
use apostille_core::space::Space;
use apostille_core::store::watch::Trip;
use apostille_core::{Error, breaker, review, revise};

use super::args::{NoArguments, PageLimit, arguments};
use super::beside::PageQuery;
use super::call::ApiCall;
use super::errand::{Errand, refused, reply};
use super::memories::ReasonArguments;
use super::revise::revise_memory;
use crate::Fault;
use crate::json::schema::Written;
use crate::json::{BreakersReply, KeptReply, QueueReply, RevisedReply, WhenSimilar};
use crate::pass::Access;
use crate::visit::{Asked, Method, Reply, Visit};

/// What waits.
pub(super) const QUEUE: ApiCall =
    ApiCall::new(Method::Get, "/api/review", Access::Read, list_queue)
        .about(
            "reviewQueue",
            "review",
            "What waits for a person, each with everything needed to decide, the safest first",
        )
        .query::<PageQuery>()
        .answers::<QueueReply>();

fn list_queue(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let (it, query): (_, PageQuery) = Errand::begin(visit, asked)?;
    let limit = PageLimit::or(query.limit, 50);
    reply(
        200,
        &QueueReply::new(&review::queue(&it.cx(), &it.spaces)?, limit),
    )
}

/// Lets a memory out of quarantine.
pub(super) const APPROVE: ApiCall = ApiCall::new(
    Method::Post,
    "/api/memories/{name}/approve",
    Access::Review,
    approve_memory,
)
.about(
    "approve",
    "review",
    "Let a memory be used that waits, or was rejected",
)
.body::<NoArguments>("{}")
.answers::<RevisedReply>()
.may_refuse();

fn approve_memory(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let (it, NoArguments {}) = Errand::begin_with_body(visit, asked)?;
    let by = visit.deciding_person()?;
    revise_memory(&it, "approved", |cx, name| {
        revise::reconsider(cx, by, &it.spaces, name)
    })
}

/// Turns a memory away.
pub(super) const REJECT: ApiCall = ApiCall::new(
    Method::Post,
    "/api/memories/{name}/reject",
    Access::Review,
    reject_memory,
)
.about(
    "reject",
    "review",
    "Turn a memory away that waits; it stays in the history",
)
.body::<ReasonArguments>(r#"{"reason":"nobody knows"}"#)
.answers::<RevisedReply>()
.may_refuse();

fn reject_memory(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let (it, body): (_, ReasonArguments) = Errand::begin_with_body(visit, asked)?;
    let reason = body.reason.unwrap_or_default();
    let by = visit.deciding_person()?;
    revise_memory(&it, "rejected", |cx, name| {
        revise::reject(cx, by, &it.spaces, name, &reason)
    })
}

/// Lets a memory go up in another.
pub(super) const MERGE: ApiCall = ApiCall::new(
    Method::Post,
    "/api/memories/{name}/merge",
    Access::Review,
    merge_memory,
)
.about(
    "merge",
    "review",
    "Let a memory that waits go up in one that is in use, which gains its citations",
)
.body::<MergeBody>(r#"{"into":"m-1"}"#)
.answers::<RevisedReply>()
.may_refuse();

arguments! {
    /// Where a memory goes.
    struct MergeBody {
        /// The memory that is in use.
        into: Written<Name>,
    }
}

fn merge_memory(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let (it, body): (_, MergeBody) = Errand::begin_with_body(visit, asked)?;
    revise_memory(&it, "merged", |cx, name| {
        revise::absorb(cx, &it.spaces, name, body.into.0)
    })
}

/// Says a memory in other words.
pub(super) const REWORD: ApiCall = ApiCall::new(
    Method::Post,
    "/api/memories/{name}/reword",
    Access::Review,
    reword_memory,
)
.about(
    "reword",
    "review",
    "Keep what a person says instead of what waits, as that person's own words",
)
.body::<RewordBody>(r#"{"fact":"tests take a minute","subject":"tests"}"#)
.answers::<KeptReply>()
.creates::<KeptReply>()
.may_refuse();

arguments! {
    /// What a person says instead.
    struct RewordBody {
        #[schemars(length(min = 1))]
        fact: String,
        subject: Option<String>,
        reason: Option<String>,
    }
}

fn reword_memory(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let (it, body): (_, RewordBody) = Errand::begin_with_body(visit, asked)?;
    let old = match it.memory()? {
        Ok(old) => old,
        Err(refusal) => return refused(&refusal),
    };
    // Whoever says it anew has seen what the lines do not say, and decides.
    let draft = Draft {
        subject: body.subject,
        reason: body.reason,
        tags: old.tags.clone(),
        ..Draft::new(old.space.clone(), body.fact, it.persons_voice())
    }
    .vouched_if(true, visit.person());
    let outcome = revise::reword(&it.cx_for(&old.space), &it.spaces, Name::Id(old.id), draft)?;
    it.kept("remembered", outcome, WhenSimilar::Choose)
}

/// Whose writes are held up.
pub(super) const BREAKERS: ApiCall =
    ApiCall::new(Method::Get, "/api/breakers", Access::Read, list_breakers)
        .about(
            "openBreakers",
            "review",
            "Whose writes are held up, and why",
        )
        .answers::<BreakersReply>();

fn list_breakers(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let (it, NoArguments {}) = Errand::begin(visit, asked)?;
    let open = collect_trips(&it, |space| breaker::open(&it.cx_for(space), space))?;
    reply(200, &BreakersReply::new(None, &open))
}

/// Lets them go on.
pub(super) const CLOSE: ApiCall = ApiCall::new(
    Method::Post,
    "/api/breakers/close",
    Access::Review,
    close_breakers,
)
.about(
    "closeBreakers",
    "review",
    "Let those go on whose writes are held up; what waits goes on waiting",
)
.body::<CloseBody>(r#"{"actor":"ci"}"#)
.answers::<BreakersReply>();

arguments! {
    /// Whose breakers are closed.
    struct CloseBody {
        /// Only this one's; everybody's unless said.
        actor: Option<String>,
    }
}

fn close_breakers(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let (it, body): (_, CloseBody) = Errand::begin_with_body(visit, asked)?;
    let by = visit.deciding_person()?;
    let closed = collect_trips(&it, |space| {
        breaker::close(&it.cx_for(space), by, space, body.actor.as_deref())
    })?;
    let answer = reply(200, &BreakersReply::new(Some("closed"), &closed))?;
    Ok(if closed.is_empty() {
        answer
    } else {
        answer.changed()
    })
}

fn collect_trips(
    it: &Errand<'_>,
    trips: impl Fn(&Space) -> Result<Vec<Trip>, Error>,
) -> Result<Vec<(Space, Trip)>, Fault> {
    let mut all = Vec::new();
    for space in &it.spaces {
        all.extend(trips(space)?.into_iter().map(|it| (space.clone(), it)));
    }
    Ok(all)
}
