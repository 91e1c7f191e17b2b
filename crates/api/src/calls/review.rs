//! What a person decides: what waits, and whose writes are held up.

use apostille_audit::review;
use apostille_core::{
    CoreError, breaker,
    memory::{Draft, MemoryName},
    revise,
    space::Space,
    store::breaker_state::OpenBreaker,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    activity::PageQuery,
    api_call_scope::{
        ApiCallScope, ApiResult, answer_body, answer_query, build_done_reply, build_refusal_reply,
    },
    args::{NoArguments, PageLimit},
    call::ApiCall,
    memories::ReasonArguments,
    revise::revise_memory_in_path,
};
use crate::{
    CallFault,
    access_token::Access,
    json::{BreakersReply, KeptReply, QueueReply, RevisedReply, WhenSimilar},
    request_scope::{
        HttpMethod::{Get, Post},
        HttpReply,
    },
    wire::TextEncoded,
};

/// The calls of this part.
pub(super) const CALLS: &[ApiCall] = &[
    ApiCall::new(
        Post,
        "/api/memories/{name}/approve",
        Access::Review,
        |scope, asked| {
            answer_body(scope, asked, |it, _: NoArguments| {
                let by = it.scope.deciding_person()?;
                revise_memory_in_path(it, "approved", |cx, name| {
                    revise::reconsider_memory(cx, by, &it.spaces, name)
                })
            })
        },
    )
    .with_description(
        "approve",
        "review",
        "Let a memory be used that waits, or was rejected",
    )
    .with_body::<NoArguments>("{}")
    .with_answer::<RevisedReply>()
    .with_refusals(),
    ApiCall::new(
        Post,
        "/api/memories/{name}/reject",
        Access::Review,
        |scope, asked| {
            answer_body(scope, asked, |it, body: ReasonArguments| {
                let reason = body.reason.unwrap_or_default();
                let by = it.scope.deciding_person()?;
                revise_memory_in_path(it, "rejected", |cx, name| {
                    revise::reject_memory(cx, by, &it.spaces, name, &reason)
                })
            })
        },
    )
    .with_description(
        "reject",
        "review",
        "Turn a memory away that waits; it stays in the history",
    )
    .with_body::<ReasonArguments>(r#"{"reason":"nobody knows"}"#)
    .with_answer::<RevisedReply>()
    .with_refusals(),
    ApiCall::new(
        Post,
        "/api/memories/{name}/reword",
        Access::Review,
        |scope, asked| answer_body(scope, asked, handle_reword_call),
    )
    .with_description(
        "reword",
        "review",
        "Replace a pending memory by what a person says, as that person's own words",
    )
    .with_body::<RewordBody>(r#"{"fact":"tests take a minute","subject":"tests"}"#)
    .with_kept_answer::<KeptReply>(),
    ApiCall::new(
        Post,
        "/api/memories/{name}/merge",
        Access::Review,
        |scope, asked| {
            answer_body(scope, asked, |it, body: MergeBody| {
                let by = it.scope.deciding_person()?;
                revise_memory_in_path(it, "merged", |cx, name| {
                    revise::merge_pending_memory(cx, by, &it.spaces, name, body.into.0)
                })
            })
        },
    )
    .with_description(
        "merge",
        "review",
        "Let a memory that waits go up in one that is in use, which gains its citations",
    )
    .with_body::<MergeBody>(r#"{"into":"m-1"}"#)
    .with_answer::<RevisedReply>()
    .with_refusals(),
    ApiCall::new(Get, "/api/review", Access::Read, |scope, asked| {
        answer_query(scope, asked, |it, query: PageQuery| {
            let queue = review::list_review_queue(&it.context(), &it.spaces)?;
            let places = review::place_review_queue(&it.context(), &it.spaces, &queue)?;
            let limit = PageLimit::limit_or(query.limit, 50);
            build_done_reply(&QueueReply::new(&queue, limit).with_due(&queue, &places))
        })
    })
    .with_description(
        "reviewQueue",
        "review",
        "Pending memories, each with everything needed to decide, the safest first",
    )
    .with_query::<PageQuery>()
    .with_answer::<QueueReply>(),
    ApiCall::new(Get, "/api/breakers", Access::Read, |scope, asked| {
        answer_query(scope, asked, handle_list_breakers_call)
    })
    .with_description(
        "openBreakers",
        "review",
        "Whose writes are held up, and why",
    )
    .with_answer::<BreakersReply>(),
    ApiCall::new(
        Post,
        "/api/breakers/close",
        Access::Review,
        |scope, asked| answer_body(scope, asked, handle_close_breakers_call),
    )
    .with_description(
        "closeBreakers",
        "review",
        "Close breakers, so that writes are accepted again; pending memories stay pending",
    )
    .with_body::<CloseBreakersBody>(r#"{"actor":"ci"}"#)
    .with_answer::<BreakersReply>(),
];

/// Where a memory goes.
#[derive(Deserialize, JsonSchema)]
struct MergeBody {
    /// The memory that is in use.
    into: TextEncoded<MemoryName>,
}

/// What a person says instead.
#[derive(Deserialize, JsonSchema)]
struct RewordBody {
    #[schemars(length(min = 1))]
    fact: String,
    subject: Option<String>,
    reason: Option<String>,
}

/// Says a memory in other words.
fn handle_reword_call(it: &ApiCallScope, body: RewordBody) -> ApiResult {
    let old = match it.find_memory()? {
        Ok(old) => old,
        Err(refusal) => return build_refusal_reply(&refusal),
    };
    // Whoever says it anew has seen what the lines do not say, and decides.
    let draft = Draft {
        subject: body.subject,
        reason: body.reason,
        tags: old.tags.clone(),
        ..Draft::new(old.space.clone(), body.fact, it.persons_voice())
    }
    .with_vouching(true, it.scope.person());
    let outcome = revise::reword_memory(
        &it.context_for(&old.space),
        &it.spaces,
        MemoryName::Id(old.id),
        draft,
    )?;
    it.reply_to_draft("remembered", outcome, WhenSimilar::Choose)
}

/// Whose writes are held up.
fn handle_list_breakers_call(it: &ApiCallScope, _: NoArguments) -> ApiResult {
    let open = collect_breakers_by_space(it, |space| {
        breaker::list_open_breakers(&it.context_for(space), space)
    })?;
    build_done_reply(&BreakersReply::new(None, &open))
}

/// Whose breakers are closed.
#[derive(Deserialize, JsonSchema)]
struct CloseBreakersBody {
    /// Only this one's; everybody's unless said.
    actor: Option<String>,
}

/// Lets them go on.
fn handle_close_breakers_call(it: &ApiCallScope, body: CloseBreakersBody) -> ApiResult {
    let by = it.scope.deciding_person()?;
    let closed = collect_breakers_by_space(it, |space| {
        breaker::close_breakers(&it.context_for(space), by, space, body.actor.as_deref())
    })?;
    Ok(HttpReply {
        is_change: !closed.is_empty(),
        ..build_done_reply(&BreakersReply::new(Some("closed"), &closed))?
    })
}

fn collect_breakers_by_space(
    it: &ApiCallScope,
    trips: impl Fn(&Space) -> Result<Vec<OpenBreaker>, CoreError>,
) -> Result<Vec<(Space, OpenBreaker)>, CallFault> {
    let mut all = Vec::new();
    for space in &it.spaces {
        all.extend(trips(space)?.into_iter().map(|it| (space.clone(), it)));
    }
    Ok(all)
}
