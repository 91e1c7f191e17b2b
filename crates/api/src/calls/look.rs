//! What is known and how it stands: recall, verify, audit, numbers, the log.

use apostille_audit::{Class, Options, audit as core_audit};
use apostille_cite::citation::RepoPath;
use apostille_core::list;
use apostille_core::memory::{Layer, Memory, Name, Stage};
use apostille_core::policy::InjectMode;
use apostille_core::recall::{self, Ask};
use apostille_core::refusal::Refusal;
use apostille_core::space::Space;
use apostille_core::stats;
use apostille_core::store::{EventPage, Filter, Order};
use apostille_core::verify::{Report, look};
use apostille_tasks::report;
use apostille_tasks::report::Span;
use jiff::SignedDuration;

use super::args::{Few, NoArguments, PageLimit, When, arguments};
use super::beside::PageQuery;
use super::call::ApiCall;
use super::errand::{Errand, refused, reply};
use crate::Fault;
use crate::json::schema::Written;
use crate::json::{
    AuditReply, LogReply, RecallReply, ReportReply, SpaceRow, SpacesReply, StatsReply, VerifyReply,
    viewed,
};
use crate::pass::Access;
use crate::visit::{Asked, Method, Reply, Visit};
use crate::wire::Malformed;

/// How many memories one recall shows at most.
const MAX_SHOWN: usize = 50;
/// How many memories are looked up by one call.
const MAX_VERIFIED: usize = 1_000;
/// How many findings of a class are told unless said.
const FINDINGS: usize = 50;

/// What matters to a question.
pub(super) const RECALL: ApiCall = ApiCall::new(Method::Post, "/api/recall", Access::Read, recall_memories)
    .about(
        "recall",
        "look",
        "What is known that matters to a question, each with its verdict and why, and the text for a model",
    )
    .body::<RecallBody>(r#"{"query":"which API_VERSION?","paths":["src/api.rs"],"limit":5}"#)
    .answers::<RecallReply<'static>>();

arguments! {
    /// What is asked.
    struct RecallBody {
        /// In plain words; nothing asks for the most recent.
        query: Option<String>,
        /// The files in play.
        paths: Few<Written<RepoPath>, 50>,
        limit: Option<PageLimit<MAX_SHOWN>>,
        /// Also what happened in earlier tasks.
        episodes: bool,
        /// Whether it is written down that these were shown; yes unless said.
        log: Option<bool>,
    }
}

fn recall_memories(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let (it, body): (_, RecallBody) = Errand::begin_with_body(visit, asked)?;
    let (text, paths) = (body.query.unwrap_or_default(), body.paths.into_values());
    let is_open = text.trim().is_empty() && paths.is_empty();
    let mut layers = vec![Layer::Knowledge];
    layers.extend(body.episodes.then_some(Layer::Episode));
    let usual = it.visit.cx.policy.inject.count.min(MAX_SHOWN);
    let ask = Ask {
        text,
        spaces: it.spaces.clone(),
        layers,
        paths,
        mode: Some(if is_open {
            InjectMode::RecentOnly
        } else {
            InjectMode::Relevant
        }),
        count: Some(PageLimit::or(body.limit, usual)),
        ..Ask::default()
    };
    let recalled = if body.log.unwrap_or(true) {
        recall::recall(&it.cx(), &ask)?
    } else {
        recall::preview(&it.cx(), &ask)?
    };
    answer_recall(RecallReply::from(&recalled))
}

/// What was recalled. The text for a model is as it was rendered: its delimiters are ours, and not forged.
fn answer_recall(mut it: RecallReply<'_>) -> Result<Reply, Fault> {
    let block = format!(
        "\"block\":{}",
        serde_json::to_string(std::mem::take(&mut it.block))?
    );
    let mut told = reply(200, &it)?;
    told.body = told.body.replacen("\"block\":\"\"", &block, 1);
    Ok(told)
}

/// Do the citations still hold?
pub(super) const VERIFY: ApiCall =
    ApiCall::new(Method::Post, "/api/verify", Access::Read, verify_memories)
        .about(
            "verify",
            "look",
            "Look up what memories cite, at most 1,000 of them; nothing is changed",
        )
        .body::<VerifyBody>(r#"{"names":["m-1"]}"#)
        .answers::<VerifyReply>();

arguments! {
    /// Which memories are looked up.
    struct VerifyBody {
        /// These memories; all that are in use unless said.
        names: Few<Written<Name>, 200>,
        /// Those that cite this file, or a file below this folder.
        #[schemars(with = "Option<String>")]
        path: Option<Written<RepoPath>>,
    }
}

fn verify_memories(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let (it, body): (_, VerifyBody) = Errand::begin_with_body(visit, asked)?;
    let memories = match find_meant(&it, body)? {
        Ok(memories) => memories,
        Err(refusal) => return refused(&refusal),
    };
    let is_settled = it.cx().source.is_settled().unwrap_or(false);
    reply(
        200,
        &VerifyReply::from(&Report {
            memories: look(&it.cx(), memories),
            is_settled,
        }),
    )
}

fn find_meant(it: &Errand<'_>, body: VerifyBody) -> Result<Result<Vec<Memory>, Refusal>, Fault> {
    let names = body.names.into_values();
    let mut memories = Vec::new();
    for name in &names {
        match list::named(&it.cx(), &it.spaces, *name)? {
            Some(memory) => memories.push(memory),
            None => {
                return Ok(Err(Refusal::NoSuchMemory {
                    name: name.to_string(),
                }));
            }
        }
    }
    if !names.is_empty() {
        return Ok(Ok(memories));
    }
    let filter = Filter {
        spaces: it.spaces.clone(),
        stages: vec![Stage::Active],
        path: body.path.map(|it| it.0),
        order: Order::Refreshed,
        limit: MAX_VERIFIED,
        ..Filter::default()
    };
    Ok(Ok(list::list(&it.cx(), &filter)?))
}

/// What needs attention.
pub(super) const AUDIT: ApiCall =
    ApiCall::new(Method::Get, "/api/audit", Access::Read, audit_spaces)
        .about(
            "audit",
            "look",
            "What needs attention, and the way out; nothing is changed",
        )
        .query::<AuditQuery>()
        .answers::<AuditReply<'static>>();

arguments! {
    /// What is looked for.
    struct AuditQuery {
        /// Only findings of these classes.
        only: Few<Written<Class>, 20>,
        /// Whether the store looks itself over, too, which takes a while.
        thorough: bool,
        /// At most so many of a class; `counts` has all.
        limit: Option<PageLimit<200>>,
    }
}

fn audit_spaces(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let (it, query): (_, AuditQuery) = Errand::begin(visit, asked)?;
    let options = Options {
        only: query.only.into_values(),
        limit: PageLimit::or(query.limit, FINDINGS),
        is_whole: false,
        is_thorough: query.thorough,
        own: it.here().own,
        beside: &[],
    };
    reply(
        200,
        &AuditReply::from(&core_audit(&it.cx(), &it.spaces, &options)?),
    )
}

/// What is kept, in numbers.
pub(super) const STATS: ApiCall =
    ApiCall::new(Method::Get, "/api/stats", Access::Read, count_memories)
        .about(
            "stats",
            "look",
            "What is kept in the spaces in play, in numbers",
        )
        .answers::<StatsReply>();

fn count_memories(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let (it, NoArguments {}) = Errand::begin(visit, asked)?;
    let spaces = it
        .spaces
        .iter()
        .map(|space| stats::stats(&it.cx_for(space), space));
    reply(
        200,
        &StatsReply::from(spaces.collect::<Result<Vec<_>, _>>()?.as_slice()),
    )
}

/// The spaces there are.
pub(super) const SPACES: ApiCall =
    ApiCall::new(Method::Get, "/api/spaces", Access::Read, list_spaces)
        .about(
            "spaces",
            "look",
            "The spaces of the store that the pass reaches, with how much they hold",
        )
        .query::<PageQuery>()
        .answers::<SpacesReply>();

fn list_spaces(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let (it, query): (_, PageQuery) = Errand::begin(visit, asked)?;
    let limit = PageLimit::or(query.limit, 50);
    let cx = it.cx();
    let reached = cx
        .store
        .spaces()?
        .into_iter()
        .filter(|it| visit.pass.reaches(it))
        .take(limit);
    let row = |space: Space| Ok::<_, Fault>(SpaceRow::new(&space, &cx.store.summary(&space)?));
    let spaces = reached.map(row).collect::<Result<_, _>>()?;
    reply(200, &SpacesReply { ok: true, spaces })
}

/// The log.
pub(super) const EVENTS: ApiCall =
    ApiCall::new(Method::Get, "/api/events", Access::Read, list_events)
        .about(
            "events",
            "look",
            "What happened in the spaces in play, without the text of memories",
        )
        .query::<EventsQuery>()
        .answers::<LogReply>();

arguments! {
    /// Which part of the log.
    struct EventsQuery {
        /// Only about this memory.
        memory: Option<Written<Name>>,
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
}

fn list_events(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let (it, query): (_, EventsQuery) = Errand::begin(visit, asked)?;
    let newest_first = match query.order.as_deref() {
        None | Some("newest") => true,
        Some("oldest") => false,
        Some(_) => return Err(Malformed::new("order", "expected one of: newest, oldest").into()),
    };
    let limit = PageLimit::or(query.limit, 50);
    let name = query.memory.map(|it| it.0);
    let memory = name
        .map(|name| list::named(&it.cx(), &it.spaces, name))
        .transpose()?
        .flatten();
    if let (Some(name), None) = (name, &memory) {
        return refused(&Refusal::NoSuchMemory {
            name: name.to_string(),
        });
    }
    let page = EventPage {
        memory: memory.map(|it| it.id),
        changes_only: query.changes,
        newest_first,
        after: query.after.map_or(Ok(0), |it| read_place(&it))?,
        limit: limit + 1,
    };
    answer_log(&it, &page, limit)
}

/// A place in the log.
fn read_place(after: &str) -> Result<u64, Malformed> {
    let wrong = |_| Malformed::new("after", "expected what `next` said, a number");
    after.trim().parse().map_err(wrong)
}

/// The events of the spaces in play, in one order.
fn answer_log(it: &Errand<'_>, page: &EventPage, limit: usize) -> Result<Reply, Fault> {
    let store = it.cx().store;
    let mut events = Vec::new();
    for space in &it.spaces {
        events.extend(store.events(space, page)?);
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
    let mut events = viewed(store, &events)?;
    // What a memory says is told with how it stands, and the log does not look.
    events.iter_mut().for_each(|it| it.event.memory = None);
    reply(
        200,
        &LogReply {
            ok: true,
            events,
            next,
        },
    )
}

/// What was done.
pub(super) const REPORT: ApiCall =
    ApiCall::new(Method::Get, "/api/report", Access::Read, report_days)
        .about("report", "look", "What was done, by day, from episodes")
        .query::<ReportQuery>()
        .answers::<ReportReply>();

arguments! {
    /// Of which time.
    struct ReportQuery {
        /// 7d unless said: 24h, 2w, a date or a time.
        since: Option<When>,
        /// Now unless said.
        until: Option<When>,
    }
}

fn report_days(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let (it, query): (_, ReportQuery) = Errand::begin(visit, asked)?;
    let now = visit.cx.now;
    // What was written down this very moment counts.
    let end = now
        .checked_add(SignedDuration::from_millis(1))
        .unwrap_or(now);
    let week = now
        .checked_sub(SignedDuration::from_hours(7 * 24))
        .unwrap_or(now);
    let since = When::at(query.since, "since", now)?.unwrap_or(week);
    let span = Span {
        since,
        until: When::at(query.until, "until", now)?.unwrap_or(end),
    };
    let here = it.space(false).unwrap_or(&it.spaces[0]);
    reply(
        200,
        &ReportReply::new(
            span,
            &report::report(&it.cx(), std::slice::from_ref(here), here, span)?,
        ),
    )
}
