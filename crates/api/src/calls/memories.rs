//! Memories: listed, kept, looked at, forgotten.

use apostille_cite::citation::RepoPath;
use apostille_core::{
    address::MemoryAddress,
    list as core_list,
    memory::{Draft, Kind, Layer, Memory, MemoryName, Origin, Stage},
    project::ProjectName,
    remember::{self as core_remember, classify},
    store::{ListCursor, ListOrder, MemoryFilter},
    verify::follow_memory_citations,
};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    api_call_scope::{
        ApiCallScope, ApiResult, answer_body, answer_query, build_custom_refusal_reply,
        build_done_reply, build_refusal_reply,
    },
    args::{NoArguments, PageLimit, read_body_arguments},
    call::ApiCall,
};
use crate::{
    CallFault,
    access_token::Access,
    choose_duplicate_handling,
    json::{
        ForgetReply, ForgottenView, KeptReply, MemoriesReply, MemoryDetails, MemoryDetailsReply,
        SkippedReply, WhenSimilar, build_memory_views,
    },
    request_scope::HttpMethod::{Delete, Get, Post},
    wire::{
        ArgumentError, BoundedList, CitationTexts, OptionalText, TextEncoded, TimeArgument,
        narrow_to_address,
    },
};

/// How many memories are listed unless said.
const LISTED: usize = 50;

/// The calls of this part.
pub(super) const CALLS: &[ApiCall] = &[
    ApiCall::new(Get, "/api/memories", Access::Read, |scope, asked| {
        answer_query(scope, asked, handle_list_memories_call)
    })
    .with_description(
        "listMemories",
        "memories",
        "Memories by what they are, each with how it stands in this checkout",
    )
    .with_query::<ListMemoriesQuery>()
    .with_answer::<MemoriesReply>(),
    ApiCall::new(Post, "/api/memories", Access::Write, |scope, asked| answer_body(scope, asked, handle_remember_call))
        .with_description(
            "remember",
            "memories",
            "Keep one fact with the code that proves it; what is much like it is answered with 422 and `similar`",
        )
        .with_body::<RememberBody>(
            r#"{"fact":"The version of the API is v3","citations":["src/api.rs:3"],"subject":"api","reason":"clients pin it","tags":["api"]}"#,
        )
        .with_kept_answer::<KeptOrSkipped>(),
    ApiCall::new(Get, "/api/memories/{name}", Access::Read, |scope, asked| answer_query(scope, asked, handle_show_memory_call))
        .with_description(
            "showMemory",
            "memories",
            "One memory: its evidence and what is there now, what it replaced and what replaced it, what happened to it",
        )
        .with_answer::<MemoryDetailsReply>(),
    ApiCall::new(Delete, "/api/memories/{name}", Access::Write, |scope, asked| answer_query(scope, asked, handle_forget_call))
        .with_description(
            "forget",
            "memories",
            "Remove the text of a memory everywhere, for good; what a person said only for passes that review",
        )
        .with_query::<ReasonArguments>()
        .with_body::<ReasonArguments>(r#"{"reason":"done"}"#)
        .with_answer::<ForgetReply>()
        .with_refusals(),
];

/// Which memories are listed.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct ListMemoriesQuery {
    layer: BoundedList<TextEncoded<Layer>, 10>,
    kind: BoundedList<TextEncoded<Kind>, 10>,
    /// Active and pending unless said.
    status: BoundedList<TextEncoded<Stage>, 10>,
    origin: BoundedList<TextEncoded<Origin>, 10>,
    tag: Option<String>,
    /// Of this project.
    project: OptionalText<ProjectName>,
    /// At this address or below it, such as /owner/name/episodes/.
    address: OptionalText<MemoryAddress>,
    /// Citing this file, or a file below this folder.
    #[schemars(with = "Option<String>")]
    path: Option<TextEncoded<RepoPath>>,
    task: Option<String>,
    /// With this text in subject or fact.
    text: Option<String>,
    /// Recorded since: 7d, 24h, 2w, a date or a time.
    since: Option<TimeArgument>,
    /// Recorded before.
    until: Option<TimeArgument>,
    /// newest unless said.
    #[schemars(extend("enum" = list_order_words()))]
    order: Option<String>,
    /// At most so many; 50 unless said.
    limit: Option<PageLimit<200>>,
    /// What the page before said as `next`.
    after: Option<String>,
}

const ORDERS: [(&str, ListOrder); 3] = [
    ("newest", ListOrder::Newest),
    ("oldest", ListOrder::Oldest),
    ("refreshed", ListOrder::Refreshed),
];

fn list_order_words() -> Vec<&'static str> {
    ORDERS.iter().map(|it| it.0).collect()
}

/// Lists memories.
fn handle_list_memories_call(it: &ApiCallScope, query: ListMemoriesQuery) -> ApiResult {
    let filter = build_list_filter(it, query)?;
    let (cx, limit) = (it.context(), filter.limit - 1);
    let mut memories = core_list::list_memories(&cx, &filter)?;
    let is_more = memories.len() > limit;
    memories.truncate(limit);
    let last = memories
        .last()
        .filter(|_| is_more)
        .map(|it| format_api_cursor(&filter, it));
    build_done_reply(&MemoriesReply {
        ok: true,
        memories: build_memory_views(&follow_memory_citations(&cx, memories)),
        next: last,
    })
}

/// What is asked for, and one more, to know whether there are more.
fn build_list_filter(
    it: &ApiCallScope,
    query: ListMemoriesQuery,
) -> Result<MemoryFilter, CallFault> {
    let now = it.scope.cx.now;
    let order = parse_list_order(query.order.as_deref())?;
    let mut stages = query.status.into_values();
    if stages.is_empty() {
        stages = vec![Stage::Active, Stage::Pending];
    }
    let after = query
        .after
        .map(|text| parse_api_cursor(&text, order))
        .transpose()?;
    let project = query.project.0.map(|it| it.to_tag());
    let address = query.address.0;
    let filter = MemoryFilter {
        spaces: narrow_to_address(it.spaces.clone(), address.as_ref())?,
        layers: query.layer.into_values(),
        kinds: query.kind.into_values(),
        stages,
        origins: query.origin.into_values(),
        supersedes: Vec::new(),
        tags: query.tag.into_iter().chain(project).collect(),
        address: None,
        task: query.task,
        path: query.path.map(|it| it.0),
        text: query.text,
        since: TimeArgument::resolve_time(query.since, "since", now)?,
        until: TimeArgument::resolve_time(query.until, "until", now)?,
        after,
        order,
        limit: PageLimit::limit_or(query.limit, LISTED) + 1,
    };
    Ok(filter.at_address(address))
}

fn parse_list_order(word: Option<&str>) -> Result<ListOrder, ArgumentError> {
    let Some(word) = word else {
        return Ok(ListOrder::Newest);
    };
    let known = ORDERS.iter().find(|it| it.0 == word);
    known.map(|it| it.1).ok_or_else(|| {
        ArgumentError::new(
            "order",
            format!("expected one of: {}", list_order_words().join(", ")),
        )
    })
}

/// Where a listing goes on, as a text: the order, the time, the number, the space.
fn format_api_cursor(filter: &MemoryFilter, memory: &Memory) -> String {
    let ListCursor { at, number, space } = filter.cursor_after(memory);
    let word = ORDERS
        .iter()
        .find(|it| it.1 == filter.order)
        .map_or("", |it| it.0);
    // The whole name: what people read leaves out the host, and would be another place in the order.
    let space = space.as_str();
    format!("{word}.{}.{number}.{space}", at.as_millisecond())
}

fn parse_api_cursor(text: &str, order: ListOrder) -> Result<ListCursor, ArgumentError> {
    let read = || {
        let mut parts = text.splitn(4, '.');
        let word = parts.next()?;
        ORDERS.iter().find(|it| it.0 == word && it.1 == order)?;
        Some(ListCursor {
            at: Timestamp::from_millisecond(parts.next()?.parse().ok()?).ok()?,
            number: parts.next()?.parse().ok()?,
            space: parts.next()?.parse().ok()?,
        })
    };
    read().ok_or_else(|| {
        ArgumentError::new(
            "after",
            "expected what `next` said, of a listing in the same order",
        )
    })
}

/// A memory that was kept before, or that nothing had to be done.
#[derive(JsonSchema)]
#[schemars(untagged, inline)]
#[expect(
    dead_code,
    reason = "read by its derive alone; what is answered is a `RememberReply`"
)]
enum KeptOrSkipped {
    Kept(Box<KeptReply>),
    Skipped(SkippedReply),
}

/// A fact to keep.
#[derive(Deserialize, JsonSchema)]
struct RememberBody {
    /// One sentence.
    #[schemars(length(min = 1))]
    fact: String,
    /// Lines of code that prove it, as path:start-end.
    #[serde(default)]
    citations: CitationTexts,
    /// project and reference need citations; user goes to the person's own space.
    kind: Option<TextEncoded<Kind>>,
    /// knowledge unless said.
    layer: Option<TextEncoded<Layer>>,
    subject: Option<String>,
    reason: Option<String>,
    /// The user's own words that say it, to be found in the session.
    said: Option<String>,
    /// A command that shows it, to be found in the session.
    ran: Option<String>,
    #[serde(default)]
    tags: BoundedList<String, 100>,
    /// The project it belongs to, kept as the tag project:NAME.
    #[serde(default)]
    project: OptionalText<ProjectName>,
    task: Option<String>,
    /// Be content where much the same is known.
    #[serde(default)]
    skip: bool,
    /// The memory that this replaces, keeping its citations.
    merge_with: Option<TextEncoded<MemoryName>>,
    /// Why both are needed.
    rationale: Option<String>,
    /// A person's word that overrides a check; for passes that review.
    #[serde(default)]
    force: bool,
    /// The words come from outside.
    #[serde(default)]
    tainted: bool,
}

/// Keeps a fact.
fn handle_remember_call(it: &ApiCallScope, body: RememberBody) -> ApiResult {
    let when = if body.skip {
        WhenSimilar::Skip
    } else {
        WhenSimilar::Choose
    };
    let Some(draft) = build_remember_draft(it, body) else {
        let why = format!(
            "'{}' does not reach the space that this belongs to",
            it.scope.token.name
        );
        return build_custom_refusal_reply("out_of_reach", why);
    };
    let outcome = core_remember::remember(&it.context_for(&draft.space.clone()), draft)?;
    it.reply_to_draft("remembered", outcome, when)
}

/// A draft in its space; `None` where the token does not reach it. What only its words call a preference stays with the
/// repository where the token reaches no user.
fn build_remember_draft(it: &ApiCallScope, body: RememberBody) -> Option<Draft> {
    let (kind, layer) = (body.kind.map(|it| it.0), body.layer.map(|it| it.0));
    let is_cited = !body.citations.0.is_empty();
    let is_users = classify::belongs_to_user(layer, kind, &body.fact, is_cited);
    let is_named = layer == Some(Layer::Identity) || kind == Some(Kind::User);
    let space = it.find_space(is_users);
    let space = space.or_else(|| it.find_space(false).filter(|_| !is_named))?;
    let voice = it.choose_voice(body.force, body.tainted);
    let project = body.project.0.map(|it| it.to_tag());
    let draft = Draft {
        kind,
        layer,
        subject: body.subject,
        reason: body.reason,
        citations: body.citations.0,
        said: body.said,
        ran: body.ran,
        tags: body.tags.0.into_iter().chain(project).collect(),
        task: body.task,
        on_duplicate: choose_duplicate_handling(body.merge_with.map(|it| it.0), body.rationale),
        ..Draft::new(space.clone(), body.fact, voice)
    };
    Some(draft.with_vouching(body.force, it.scope.person()))
}

/// Everything about one memory.
fn handle_show_memory_call(it: &ApiCallScope, _: NoArguments) -> ApiResult {
    match it.find_memory()? {
        Err(refusal) => build_refusal_reply(&refusal),
        Ok(memory) => build_done_reply(&MemoryDetailsReply::new(
            it.context().store,
            &MemoryDetails::gather_details(&it.context(), memory)?,
        )?),
    }
}

/// Why it is done.
#[derive(Deserialize, JsonSchema)]
pub(super) struct ReasonArguments {
    pub(super) reason: Option<String>,
}

/// Forgets a memory.
fn handle_forget_call(it: &ApiCallScope, query: ReasonArguments) -> ApiResult {
    let body: ReasonArguments = read_body_arguments(&it.asked.body)?;
    let reason = body.reason.or(query.reason).unwrap_or_default();
    let memory = match it.find_memory()? {
        Ok(memory) => memory,
        Err(refusal) => return build_refusal_reply(&refusal),
    };
    let caller = crate::Caller {
        user: None,
        repo: &memory.space,
        speaker: it.scope.speaker(),
        ..*it.scope.caller
    };
    match crate::forget_with_cleanup(&it.context(), &caller, MemoryName::Id(memory.id), &reason)? {
        Err(refusal) => build_refusal_reply(&refusal),
        Ok(forgotten) => {
            let done = ForgetReply {
                ok: true,
                outcome: forgotten.word(),
                memories: vec![ForgottenView::from(forgotten.memory())],
            };
            Ok(build_done_reply(&done)?.mark_changed())
        }
    }
}
