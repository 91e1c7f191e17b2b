//! What is known and how it stands: recall, verify, audit, numbers, the log.

use std::mem;

use apostille_audit::{AuditOptions, Class, audit as core_audit};
use apostille_cite::citation::RepoPath;
use apostille_core::{
    address::MemoryAddress,
    list,
    memory::{Kind, Layer, MemoryName},
    policy::InjectMode,
    project::ProjectName,
    recall::{self, RecallRequest},
    stats,
    store::{EventPage, StoreError},
    verify::{VerifyReport, follow_memory_citations},
};
use apostille_tasks::{report, report::ReportSpan};
use jiff::SignedDuration;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    activity::PageQuery,
    api_call_scope::{
        ApiCallScope, ApiResult, answer_body, answer_query, build_done_reply, build_refusal_reply,
    },
    args::{NoArguments, PageLimit},
    call::ApiCall,
};
use crate::{
    access_token::Access,
    find_memories_to_verify,
    json::{
        AuditReply, LogReply, RecallReply, ReportReply, SpaceRow, SpacesReply, StatsReply,
        VerifyReply, build_event_views,
    },
    request_scope::HttpMethod::{Get, Post},
    wire::{
        ArgumentError, BoundedList, OptionalText, RecallFilterInput, TextEncoded, TimeArgument,
    },
};

/// How many memories one recall shows at most.
const MAX_SHOWN: usize = 50;
/// How many tokens one recall takes at most.
const MAX_TOKENS: usize = 20_000;
/// How many findings of a class are told unless said.
const FINDINGS: usize = 50;

/// The calls of this part.
pub(super) const CALLS: &[ApiCall] = &[
    ApiCall::new(Post, "/api/recall", Access::Read, |scope, asked| answer_body(scope, asked, handle_recall_call))
    .with_description(
        "recall",
        "look",
        "What is known that matters to a question, each with its verdict and why, and the text for a model",
    )
    .with_body::<RecallBody>(r#"{"query":"which API_VERSION?","paths":["src/api.rs"],"limit":5}"#)
    .with_answer::<RecallReply<'static>>(),
    ApiCall::new(Post, "/api/verify", Access::Read, |scope, asked| {
        answer_body(scope, asked, handle_verify_call)
    })
    .with_description(
        "verify",
        "look",
        "Look up what memories cite, at most 1,000 of them; nothing is changed",
    )
    .with_body::<VerifyBody>(r#"{"names":["m-1"]}"#)
    .with_answer::<VerifyReply>(),
    ApiCall::new(Get, "/api/audit", Access::Read, |scope, asked| {
    answer_query(scope, asked, handle_audit_call)
})
.with_description(
    "audit",
    "look",
    "What needs attention, and the way out; nothing is changed",
)
.with_query::<AuditQuery>()
.with_answer::<AuditReply<'static>>(),
    ApiCall::new(Get, "/api/stats", Access::Read, |scope, asked| {
    answer_query(scope, asked, handle_stats_call)
})
.with_description(
    "stats",
    "look",
    "What is kept in the spaces in play, in numbers",
)
.with_answer::<StatsReply>(),
    ApiCall::new(Get, "/api/spaces", Access::Read, |scope, asked| {
        answer_query(scope, asked, handle_list_spaces_call)
    })
    .with_description(
        "spaces",
        "look",
        "The spaces of the store that the pass reaches, with how much they hold",
    )
    .with_query::<PageQuery>()
    .with_answer::<SpacesReply>(),
    ApiCall::new(Get, "/api/events", Access::Read, |scope, asked| {
        answer_query(scope, asked, handle_list_events_call)
    })
    .with_description(
        "events",
        "look",
        "What happened in the spaces in play, without the text of memories",
    )
    .with_query::<EventsQuery>()
    .with_answer::<LogReply>(),
    ApiCall::new(Get, "/api/report", Access::Read, |scope, asked| {
        answer_query(scope, asked, handle_report_call)
    })
    .with_description("report", "look", "What was done, by day, from episodes")
    .with_query::<ReportQuery>()
    .with_answer::<ReportReply>(),
];

/// What is asked.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct RecallBody {
    /// In plain words; nothing asks for the most recent.
    query: Option<String>,
    /// The files in play.
    paths: BoundedList<TextEncoded<RepoPath>, 50>,
    limit: Option<PageLimit<MAX_SHOWN>>,
    /// At most so many tokens of a model's context, estimated; 2,000 characters unless said.
    tokens: Option<PageLimit<MAX_TOKENS>>,
    /// Also what happened in earlier tasks.
    episodes: bool,
    /// Whether it is written down that these were shown; yes unless said.
    log: Option<bool>,
    /// Only with this tag.
    tag: OptionalText<String>,
    /// Only of this project.
    project: OptionalText<ProjectName>,
    /// Only of this kind.
    #[schemars(extend("enum" = kind_words()))]
    kind: OptionalText<Kind>,
    /// Only citing this file, or a file below this folder; `paths` are preferred, and leave nothing out.
    citing: OptionalText<RepoPath>,
    /// Recorded since: 7d, 24h, 2w, a date or a time.
    since: OptionalText<String>,
    /// Recorded before.
    until: OptionalText<String>,
    /// Only at this address or below it, such as /owner/name/episodes/.
    address: OptionalText<MemoryAddress>,
}

fn kind_words() -> Vec<&'static str> {
    Kind::ALL.iter().map(|it| it.as_str()).collect()
}

impl RecallBody {
    /// What may answer, taken out of the body.
    fn take_filter(&mut self) -> RecallFilterInput {
        RecallFilterInput {
            tag: mem::take(&mut self.tag),
            project: mem::take(&mut self.project),
            kind: mem::take(&mut self.kind),
            citing: mem::take(&mut self.citing),
            since: mem::take(&mut self.since),
            until: mem::take(&mut self.until),
            address: mem::take(&mut self.address),
        }
    }
}

/// What matters to a question.
fn handle_recall_call(it: &ApiCallScope, mut body: RecallBody) -> ApiResult {
    let only = body.take_filter();
    let (filter, spaces) = only.resolve(it.scope.cx.now, it.spaces.clone())?;
    let (text, paths) = (body.query.unwrap_or_default(), body.paths.into_values());
    let is_open = text.trim().is_empty() && paths.is_empty();
    let mut layers = Vec::new();
    if body.episodes {
        layers.extend([Layer::Knowledge, Layer::Episode]);
    }
    let usual = it.scope.cx.policy.inject.count.min(MAX_SHOWN);
    let ask = RecallRequest {
        text,
        spaces,
        layers,
        paths,
        filter,
        mode: Some(if is_open {
            InjectMode::RecentOnly
        } else {
            InjectMode::Relevant
        }),
        count: Some(PageLimit::limit_or(body.limit, usual)),
        tokens: body
            .tokens
            .map(|it| PageLimit::limit_or(Some(it), MAX_TOKENS)),
        ..RecallRequest::default()
    };
    let recalled = if body.log.unwrap_or(true) {
        recall::recall(&it.context(), &ask)?
    } else {
        recall::preview_recall(&it.context(), &ask)?
    };
    let recalled = recalled.with_overruled_preferences(&it.context(), &ask)?;
    let recalled = recalled.with_episode_count(&it.context(), &ask)?;
    build_recall_reply(RecallReply::from(&recalled))
}

/// What was recalled. The text for a model is as it was rendered: its delimiters are ours, and not forged.
fn build_recall_reply(mut it: RecallReply) -> ApiResult {
    let block = format!(
        "\"block\":{}",
        serde_json::to_string(mem::take(&mut it.block))?
    );
    let mut told = build_done_reply(&it)?;
    told.body = told.body.replacen("\"block\":\"\"", &block, 1);
    Ok(told)
}

/// Which memories are looked up.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct VerifyBody {
    /// These memories; all that are in use unless said.
    names: BoundedList<TextEncoded<MemoryName>, 200>,
    /// Those that cite this file, or a file below this folder.
    #[schemars(with = "Option<String>")]
    path: Option<TextEncoded<RepoPath>>,
}

/// Do the citations still hold?
fn handle_verify_call(it: &ApiCallScope, body: VerifyBody) -> ApiResult {
    let (cx, path) = (it.context(), body.path.map(|it| it.0));
    let names = body.names.into_values();
    let memories = match find_memories_to_verify(&cx, it.spaces.clone(), names, path)? {
        Ok(memories) => memories,
        Err(refusal) => return build_refusal_reply(&refusal),
    };
    let is_settled = it.context().source.is_settled().unwrap_or(false);
    build_done_reply(&VerifyReply::from(&VerifyReport {
        memories: follow_memory_citations(&it.context(), memories),
        is_settled,
        verified_at: cx.source.describe_tree(),
    }))
}

/// What is looked for.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct AuditQuery {
    /// Only findings of these classes.
    only: BoundedList<TextEncoded<Class>, 20>,
    /// Whether the store looks itself over, too, which takes a while.
    thorough: bool,
    /// At most so many of a class; `counts` has all.
    limit: Option<PageLimit<200>>,
}

/// What needs attention.
fn handle_audit_call(it: &ApiCallScope, query: AuditQuery) -> ApiResult {
    let options = AuditOptions {
        only: query.only.into_values(),
        limit: PageLimit::limit_or(query.limit, FINDINGS),
        is_whole: false,
        is_thorough: query.thorough,
        own: it.scope.caller.own,
        beside: &[],
    };
    build_done_reply(&AuditReply::from(&core_audit(
        &it.context(),
        &it.spaces,
        &options,
    )?))
}

/// What is kept, in numbers.
fn handle_stats_call(it: &ApiCallScope, _: NoArguments) -> ApiResult {
    let stats = |space| stats::compute_space_stats(&it.context_for(space), space);
    let stats = it.spaces.iter().map(stats).collect::<Result<Vec<_>, _>>()?;
    build_done_reply(&StatsReply::from(stats.as_slice()))
}

/// The spaces there are.
fn handle_list_spaces_call(it: &ApiCallScope, query: PageQuery) -> ApiResult {
    let limit = PageLimit::limit_or(query.limit, 50);
    let store = it.scope.cx.store;
    let mut reached = store.list_spaces()?;
    reached.retain(|space| it.scope.token.reaches_space(space));
    let row = |space| Ok::<_, StoreError>(SpaceRow::new(space, &store.summarize_space(space)?));
    let spaces = reached.iter().take(limit).map(row);
    let spaces = spaces.collect::<Result<_, _>>()?;
    build_done_reply(&SpacesReply { ok: true, spaces })
}

/// Which part of the log.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct EventsQuery {
    /// Only about this memory.
    memory: Option<TextEncoded<MemoryName>>,
    /// Only what changed where memories stand.
    changes: bool,
    /// newest unless said.
    #[schemars(extend("enum" = ["newest", "oldest"]))]
    order: Option<String>,
    /// At most so many; 50 unless said.
    limit: Option<PageLimit<200>>,
    /// What the page before said as `next`.
    #[schemars(with = "Option<u64>")]
    after: Option<String>,
}

/// The log.
fn handle_list_events_call(it: &ApiCallScope, query: EventsQuery) -> ApiResult {
    let newest_first = match query.order.as_deref().unwrap_or("newest") {
        "newest" => true,
        "oldest" => false,
        _ => return Err(ArgumentError::new("order", "expected one of: newest, oldest").into()),
    };
    let limit = PageLimit::limit_or(query.limit, 50);
    let named = query.memory.map(|it| it.0);
    let named = match list::find_all_named(&it.context(), &it.spaces, named)? {
        Ok(memories) => memories,
        Err(refusal) => return build_refusal_reply(&refusal),
    };
    let wrong = |_| ArgumentError::new("after", "expected what `next` said, a number");
    let page = EventPage {
        memory: named.first().map(|it| it.id),
        changes_only: query.changes,
        newest_first,
        after: query
            .after
            .map_or(Ok(0), |it| it.trim().parse().map_err(wrong))?,
        limit: limit + 1,
    };
    build_log_reply(it, &page, limit)
}

/// The events of the spaces in play, in one order.
fn build_log_reply(it: &ApiCallScope, page: &EventPage, limit: usize) -> ApiResult {
    let store = it.context().store;
    let mut events = Vec::new();
    for space in &it.spaces {
        events.extend(store.read_events(space, page)?);
    }
    events.sort_by_key(|it| {
        if page.newest_first {
            u64::MAX - it.seq
        } else {
            it.seq
        }
    });
    let is_more = events.len() > limit;
    events.truncate(limit);
    let next = events.last().filter(|_| is_more).map(|it| it.seq);
    let mut events = build_event_views(store, &events)?;
    // What a memory says is told with how it stands, and the log does not look.
    events.iter_mut().for_each(|it| it.event.memory = None);
    build_done_reply(&LogReply {
        ok: true,
        events,
        next,
    })
}

/// Of which time.
#[derive(Deserialize, JsonSchema)]
struct ReportQuery {
    /// 7d unless said: 24h, 2w, a date or a time.
    since: Option<TimeArgument>,
    /// Now unless said.
    until: Option<TimeArgument>,
}

/// What was done.
fn handle_report_call(it: &ApiCallScope, query: ReportQuery) -> ApiResult {
    let now = it.scope.cx.now;
    let since = TimeArgument::resolve_time(query.since, "since", now)?;
    let until = TimeArgument::resolve_time(query.until, "until", now)?;
    let week = now.checked_sub(SignedDuration::from_hours(7 * 24));
    // What was written down this very moment counts.
    let end = now.checked_add(SignedDuration::from_millis(1));
    let span = ReportSpan {
        since: since.or(week.ok()).unwrap_or(now),
        until: until.or(end.ok()).unwrap_or(now),
    };
    let repo = it.find_space(false).unwrap_or(&it.spaces[0]);
    build_done_reply(&ReportReply::new(
        span,
        &report::build_work_report(&it.context(), std::slice::from_ref(repo), repo, span)?,
    ))
}
