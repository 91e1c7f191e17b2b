//! What is known and how it stands: recall, verify, audit, numbers, the log.

use apostille_core::audit::{Options, audit as core_audit};
use apostille_core::list;
use apostille_core::memory::{Layer, Memory, Name, Stage};
use apostille_core::policy::InjectMode;
use apostille_core::recall::{self, Ask};
use apostille_core::refusal::Refusal;
use apostille_core::stats;
use apostille_core::store::{Filter, Order, Page};
use apostille_core::verify::{Report, look};
use apostille_tasks::report;
use apostille_tasks::report::Span;
use jiff::SignedDuration;
use serde::Serialize;

use super::about::Shape::{Count, Few, Flag, Said, Text, UpTo, Words};
use super::about::{About, Body, Call, Content, may};
use super::errand::{Errand, refused, reply};
use super::shapes;
use crate::Fault;
use crate::json::{
    AuditReply, LogReply, RecallReply, ReportReply, StatsReply, VerifyReply, viewed,
};
use crate::pass::Access;
use crate::visit::{Asked, Method, Reply, Route, Visit};
use crate::wire::Malformed;

/// How many memories one recall shows at most.
const MAX_SHOWN: usize = 50;
/// How many memories are looked up by one call.
const MAX_VERIFIED: usize = 1_000;
/// How many findings of a class are told, unless said and at most.
const FINDINGS: (usize, usize) = (50, 200);

/// What matters to a question.
pub(super) const RECALL: Call = Call {
    route: Route {
        method: Method::Post,
        path: "/api/recall",
        need: Access::Read,
        run: recall,
    },
    about: About {
        id: "recall",
        summary: "What is known that matters to a question, each with its verdict and why, and the text for a model",
        tag: "look",
        query: &[],
        body: Body::Fields(&[
            may("query", Text).told("in plain words; nothing asks for the most recent"),
            may("paths", Few(&Said, 50)).told("the files in play"),
            may("limit", UpTo(50)),
            may("episodes", Flag).told("also what happened in earlier tasks"),
            may("log", Flag)
                .told("whether it is written down that these were shown; yes unless said"),
        ]),
        done: &[(200, Content::Json(shapes::RECALLED))],
        may_refuse: false,
    },
};

fn recall(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let mut it = Errand::begin(visit, asked, &RECALL)?;
    let is_logged = it.args.flag_or_yes("log")?;
    let (text, paths) = (
        it.args.text("query")?.unwrap_or_default(),
        it.args.all("paths", 50)?,
    );
    let is_open = text.trim().is_empty() && paths.is_empty();
    let mut layers = vec![Layer::Knowledge];
    layers.extend(it.args.flag("episodes")?.then_some(Layer::Episode));
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
        count: Some(
            it.args
                .limit(it.visit.cx.policy.inject.count.min(MAX_SHOWN), MAX_SHOWN)?,
        ),
        ..Ask::default()
    };
    let recalled = if is_logged {
        recall::recall(&it.cx(), &ask)?
    } else {
        recall::preview(&it.cx(), &ask)?
    };
    answered(RecallReply::from(&recalled))
}

/// What was recalled. The text for a model is as it was rendered: its delimiters are ours, and not forged.
fn answered(mut it: RecallReply<'_>) -> Result<Reply, Fault> {
    let block = format!(
        "\"block\":{}",
        serde_json::to_string(std::mem::take(&mut it.block))?
    );
    let mut told = reply(200, &it)?;
    told.body = told.body.replacen("\"block\":\"\"", &block, 1);
    Ok(told)
}

/// Do the citations still hold?
pub(super) const VERIFY: Call = Call {
    route: Route {
        method: Method::Post,
        path: "/api/verify",
        need: Access::Read,
        run: verify,
    },
    about: About {
        id: "verify",
        summary: "Look up what memories cite, at most 1,000 of them; nothing is changed",
        tag: "look",
        query: &[],
        body: Body::Fields(&[
            may("names", Few(&shapes::NAME, 200))
                .told("these memories; all that are in use unless said"),
            may("path", Text).told("those that cite this file, or a file below this folder"),
        ]),
        done: &[(200, Content::Json(shapes::VERIFIED))],
        may_refuse: false,
    },
};

fn verify(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let mut it = Errand::begin(visit, asked, &VERIFY)?;
    let memories = match meant(&mut it)? {
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

fn meant(it: &mut Errand<'_>) -> Result<Result<Vec<Memory>, Refusal>, Fault> {
    let (names, path): (Vec<Name>, _) = (it.args.all("names", 200)?, it.args.parsed("path")?);
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
        path,
        order: Order::Refreshed,
        limit: MAX_VERIFIED,
        ..Filter::default()
    };
    Ok(Ok(list::list(&it.cx(), &filter)?))
}

/// What needs attention.
pub(super) const AUDIT: Call = Call {
    route: Route {
        method: Method::Get,
        path: "/api/audit",
        need: Access::Read,
        run: audit,
    },
    about: About {
        id: "audit",
        summary: "What needs attention, and the way out; nothing is changed",
        tag: "look",
        query: &[
            may("only", Few(&shapes::CLASS, 20)).told("only findings of these classes"),
            may("thorough", Flag)
                .told("whether the store looks itself over, too, which takes a while"),
            may("limit", UpTo(200)).told("at most so many of a class; `counts` has all"),
        ],
        body: Body::None,
        done: &[(200, Content::Json(shapes::AUDITED))],
        may_refuse: false,
    },
};

fn audit(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let mut it = Errand::begin(visit, asked, &AUDIT)?;
    let options = Options {
        only: it.args.all("only", 20)?,
        limit: it.args.limit(FINDINGS.0, FINDINGS.1)?,
        is_whole: false,
        is_thorough: it.args.flag("thorough")?,
        own: it.here().own,
        beside: &[],
    };
    reply(
        200,
        &AuditReply::from(&core_audit(&it.cx(), &it.spaces, &options)?),
    )
}

/// What is kept, in numbers.
pub(super) const STATS: Call = Call {
    route: Route {
        method: Method::Get,
        path: "/api/stats",
        need: Access::Read,
        run: counted,
    },
    about: About {
        id: "stats",
        summary: "What is kept in the spaces in play, in numbers",
        tag: "look",
        query: &[],
        body: Body::None,
        done: &[(200, Content::Json(shapes::COUNTED))],
        may_refuse: false,
    },
};

fn counted(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let it = Errand::begin(visit, asked, &STATS)?;
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
pub(super) const SPACES: Call = Call {
    route: Route {
        method: Method::Get,
        path: "/api/spaces",
        need: Access::Read,
        run: spaces,
    },
    about: About {
        id: "spaces",
        summary: "The spaces of the store that the pass reaches, with how much they hold",
        tag: "look",
        query: &[shapes::LIMIT],
        body: Body::None,
        done: &[(200, Content::Json(shapes::SPACES))],
        may_refuse: false,
    },
};

#[derive(Serialize)]
struct Spaces {
    ok: bool,
    spaces: Vec<SpaceRow>,
}

#[derive(Serialize)]
struct SpaceRow {
    space: String,
    active: u64,
    pending: u64,
    memories: u64,
}

fn spaces(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let mut it = Errand::begin(visit, asked, &SPACES)?;
    let limit = it.args.limit(50, 200)?;
    let cx = it.cx();
    let reached = cx
        .store
        .spaces()?
        .into_iter()
        .filter(|it| visit.pass.reaches(it))
        .take(limit);
    let row = |space: apostille_core::space::Space| {
        let tally = cx.store.tally(&space)?;
        Ok::<_, Fault>(SpaceRow {
            space: space.to_string(),
            active: tally.stage(Stage::Active),
            pending: tally.stage(Stage::Pending),
            memories: tally.memories.values().sum(),
        })
    };
    reply(
        200,
        &Spaces {
            ok: true,
            spaces: reached.map(row).collect::<Result<_, _>>()?,
        },
    )
}

/// The log.
pub(super) const EVENTS: Call = Call {
    route: Route {
        method: Method::Get,
        path: "/api/events",
        need: Access::Read,
        run: events,
    },
    about: About {
        id: "events",
        summary: "What happened in the spaces in play, without the text of memories",
        tag: "look",
        query: &[
            may("memory", shapes::NAME).told("only about this memory"),
            may("changes", Flag).told("only what changed where memories stand"),
            may("order", Words(|| vec!["newest", "oldest"])).told("newest unless said"),
            shapes::LIMIT,
            may("after", Count).told("what the page before said as `next`"),
        ],
        body: Body::None,
        done: &[(200, Content::Json(shapes::LOG))],
        may_refuse: false,
    },
};

fn events(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let mut it = Errand::begin(visit, asked, &EVENTS)?;
    let newest_first = match it.args.text("order")?.as_deref() {
        None | Some("newest") => true,
        Some("oldest") => false,
        Some(_) => return Err(Malformed::new("order", "expected one of: newest, oldest").into()),
    };
    let limit = it.args.limit(50, 200)?;
    let name: Option<Name> = it.args.parsed("memory")?;
    let memory = name
        .map(|name| list::named(&it.cx(), &it.spaces, name))
        .transpose()?
        .flatten();
    if let (Some(name), None) = (name, &memory) {
        return refused(&Refusal::NoSuchMemory {
            name: name.to_string(),
        });
    }
    let page = Page {
        space: None,
        memory: memory.map(|it| it.id),
        changes_only: it.args.flag("changes")?,
        newest_first,
        after: it.args.place()?.unwrap_or(0),
        limit: limit + 1,
    };
    logged(&it, &page, limit)
}

/// The events of the spaces in play, in one order.
fn logged(it: &Errand<'_>, page: &Page, limit: usize) -> Result<Reply, Fault> {
    let store = it.cx().store;
    let mut events = Vec::new();
    for space in &it.spaces {
        events.extend(store.events(&Page {
            space: Some(space.clone()),
            ..page.clone()
        })?);
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
pub(super) const REPORT: Call = Call {
    route: Route {
        method: Method::Get,
        path: "/api/report",
        need: Access::Read,
        run: reported,
    },
    about: About {
        id: "report",
        summary: "What was done, by day, from episodes",
        tag: "look",
        query: &[
            may("since", shapes::WHEN).told("7d unless said: 24h, 2w, a date or a time"),
            may("until", shapes::WHEN).told("now unless said"),
        ],
        body: Body::None,
        done: &[(200, Content::Json(shapes::REPORT))],
        may_refuse: false,
    },
};

fn reported(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let mut it = Errand::begin(visit, asked, &REPORT)?;
    let now = visit.cx.now;
    // What was written down this very moment counts.
    let end = now
        .checked_add(SignedDuration::from_millis(1))
        .unwrap_or(now);
    let week = now
        .checked_sub(SignedDuration::from_hours(7 * 24))
        .unwrap_or(now);
    let since = it.args.time("since", now)?.unwrap_or(week);
    let span = Span {
        since,
        until: it.args.time("until", now)?.unwrap_or(end),
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
