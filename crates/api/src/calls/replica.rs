//! The server as a replica: what it holds of a space is asked for in parts, and lines are brought to it.

use apostille_core::{replica::parts::PartName, space::Space};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    api_call_scope::{
        ApiCallScope, ApiResult, answer_query, build_custom_refusal_reply, build_done_reply,
    },
    call::ApiCall,
};
use crate::{
    CallFault,
    access_token::Access,
    host::{BroughtLines, ExchangeFault, ReplicaExchange},
    json::{ReplicaReply, TakenLinesReply},
    request_scope::{
        HttpMethod::{Get, Post},
        HttpReply,
    },
    wire::ArgumentError,
};

const LINES: &str = "application/x-ndjson";

/// The calls of this part.
pub(super) const CALLS: &[ApiCall] = &[
    ApiCall::new(Get, "/api/replica", Access::Read, |scope, asked| {
        answer_query(scope, asked, handle_summary_call)
    })
    .with_description(
        "replica",
        "replicas",
        "How the lines look that replicas of a space exchange with this server; short for who has seen the same",
    )
    .with_query::<SummaryQuery>()
    .with_answer::<ReplicaReply>()
    .with_refusals(),
    ApiCall::new(Get, "/api/replica/lines", Access::Read, |scope, asked| {
        answer_query(scope, asked, handle_read_call)
    })
    .with_description(
        "readReplicaLines",
        "replicas",
        "The lines of some parts, as they travel between replicas",
    )
    .with_query::<PartsQuery>()
    .with_answer_kinds(&[LINES])
    .with_refusals(),
    ApiCall::new(Post, "/api/replica/lines", Access::Write, |scope, asked| {
        answer_query(scope, asked, handle_take_call)
    })
    .with_description(
        "bringReplicaLines",
        "replicas",
        "Unite what is held with these lines, one in each row of the body; nothing is taken where `seen` is not what is held now",
    )
    .with_query::<BringQuery>()
    .with_file_body()
    .with_answer::<TakenLinesReply>()
    .with_refusals(),
];

/// What was seen before.
#[derive(Deserialize, JsonSchema)]
struct SummaryQuery {
    /// Whether the person's own space is meant, and not the repository's.
    user: Option<bool>,
    /// The fingerprint that was seen last.
    seen: Option<String>,
}

/// Which lines.
#[derive(Deserialize, JsonSchema)]
struct PartsQuery {
    /// Whether the person's own space is meant, and not the repository's.
    user: Option<bool>,
    /// The names of the parts, between commas, as in 0a,ff.
    parts: Option<String>,
}

/// What the lines were decided on.
#[derive(Deserialize, JsonSchema)]
struct BringQuery {
    /// Whether the person's own space is meant, and not the repository's.
    user: Option<bool>,
    /// The fingerprint that was seen before the lines were chosen.
    seen: Option<String>,
    /// Whether very much may be forgotten at once; a token that reviews may say so.
    accept_forgotten: Option<bool>,
}

fn handle_summary_call(it: &ApiCallScope, query: SummaryQuery) -> ApiResult {
    exchange(it, query.user, |replicas, space| {
        let seen = query.seen.as_deref();
        let summary = replicas.summarize_lines(&it.context_for(space), space, seen)?;
        Ok(build_done_reply(&ReplicaReply::new(
            space.as_str(),
            summary,
        )))
    })
}

fn handle_read_call(it: &ApiCallScope, query: PartsQuery) -> ApiResult {
    let names = parse_part_names(query.parts.as_deref().unwrap_or_default())?;
    exchange(it, query.user, |replicas, space| {
        let lines = replicas.read_lines(&it.context_for(space), space, &names)?;
        // What travels is what was written, to the byte. It is moderated where it arrives.
        Ok(Ok(HttpReply::new(200, LINES, lines)))
    })
}

fn handle_take_call(it: &ApiCallScope, query: BringQuery) -> ApiResult {
    let texts = std::str::from_utf8(&it.asked.body)
        .map_err(|_| ArgumentError::new("body", "the lines are not UTF-8"))?;
    exchange(it, query.user, |replicas, space| {
        let lines = BroughtLines {
            texts,
            seen: query.seen.as_deref().unwrap_or_default(),
            accepts_forgotten: query.accept_forgotten == Some(true) && it.can_review(),
            by: it.scope.speaker(),
        };
        let taken = replicas.take_lines(&it.context_for(space), space, &lines)?;
        if let Some(forgot) = it.scope.caller.forgot {
            forgot.borrow_mut().extend(&taken.erased);
        }
        let is_change = taken.new > 0;
        let reply = build_done_reply(&TakenLinesReply::from(taken));
        Ok(reply.map(|it| HttpReply { is_change, ..it }))
    })
}

/// Does something with the lines of the space that is meant, where this server has any.
fn exchange(
    it: &ApiCallScope,
    is_users: Option<bool>,
    work: impl FnOnce(&dyn ReplicaExchange, &Space) -> Result<ApiResult, ExchangeFault>,
) -> ApiResult {
    let Some(replicas) = it.scope.caller.replicas else {
        return build_custom_refusal_reply("no_replica", "nothing is exchanged with replicas here");
    };
    let Some(space) = it.find_space(is_users == Some(true)) else {
        let why = "the token does not reach that space";
        return build_custom_refusal_reply("no_replica", why);
    };
    match work(replicas, space) {
        Ok(reply) => reply,
        Err(ExchangeFault::Refused { class, why }) => build_custom_refusal_reply(class, why),
        Err(ExchangeFault::Broken(error)) => Err(CallFault::Broken(error)),
    }
}

fn parse_part_names(text: &str) -> Result<Vec<PartName>, ArgumentError> {
    let names = text.split(',').filter(|it| !it.is_empty());
    let names: Result<Vec<PartName>, ()> = names.map(str::parse).collect();
    names.map_err(|()| ArgumentError::new("parts", "a part is named by two hexadecimal digits"))
}
