//! Memories: listed, kept, looked at, forgotten.

use apostille_core::forget::{PERSONS_VERB, is_persons};
use apostille_core::memory::{Draft, Kind, Layer, Memory, Stage, Twin};
use apostille_core::refusal::Refusal;
use apostille_core::store::{After, Filter, Order};
use apostille_core::verify::look;
use apostille_core::{list as core_list, remember as core_remember};
use jiff::Timestamp;
use serde::Serialize;

use super::about::Shape::{Few, Flag, Said, Text, Words};
use super::about::{About, Body, Call, Content, Field, has, may};
use super::errand::{Errand, refused, reply, turned_away};
use super::shapes;
use crate::Fault;
use crate::json::{ForgetReply, Gone, MemoryView, SimilarReply, Whole, WholeReply, views};
use crate::pass::Access;
use crate::visit::{Asked, Method, Reply, Route, Visit};
use crate::wire::Malformed;

/// How many memories are listed, unless said and at most.
const LISTED: (usize, usize) = (50, 200);

/// Lists memories.
pub(super) const LIST: Call = Call {
    route: Route {
        method: Method::Get,
        path: "/api/memories",
        need: Access::Read,
        run: list,
    },
    about: About {
        id: "listMemories",
        summary: "Memories by what they are, each with how it stands in this checkout",
        tag: "memories",
        query: &[
            may("layer", Few(&shapes::LAYER, 10)),
            may("kind", Few(&shapes::KIND, 10)),
            may("status", Few(&shapes::STAGE, 10)).told("active and pending unless said"),
            may("origin", Few(&shapes::ORIGIN, 10)),
            may("tag", Text),
            may("path", Text).told("citing this file, or a file below this folder"),
            may("task", Text),
            may("text", Text).told("with this text in subject or fact"),
            may("since", shapes::WHEN).told("recorded since: 7d, 24h, 2w, a date or a time"),
            may("until", shapes::WHEN).told("recorded before"),
            may("order", Words(orders)).told("newest unless said"),
            shapes::LIMIT,
            may("after", Text).told("what the page before said as `next`"),
        ],
        body: Body::None,
        done: &[(200, Content::Json(shapes::LISTED))],
        may_refuse: false,
    },
};

const ORDERS: [(&str, Order); 3] = [
    ("newest", Order::Newest),
    ("oldest", Order::Oldest),
    ("refreshed", Order::Refreshed),
];

fn orders() -> Vec<&'static str> {
    ORDERS.iter().map(|it| it.0).collect()
}

#[derive(Serialize)]
struct Listed {
    ok: bool,
    memories: Vec<MemoryView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

fn list(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let mut it = Errand::begin(visit, asked, &LIST)?;
    let filter = filter(&mut it)?;
    let (cx, limit) = (it.cx(), filter.limit - 1);
    let mut memories = core_list::list(&cx, &filter)?;
    let is_more = memories.len() > limit;
    memories.truncate(limit);
    let last = memories
        .last()
        .filter(|_| is_more)
        .map(|it| cursor(&filter, it));
    reply(
        200,
        &Listed {
            ok: true,
            memories: views(&look(&cx, memories)),
            next: last,
        },
    )
}

/// What is asked for, and one more, to know whether there are more.
fn filter(it: &mut Errand<'_>) -> Result<Filter, Fault> {
    let now = it.visit.cx.now;
    let order = order(it.args.text("order")?.as_deref())?;
    let mut stages: Vec<Stage> = it.args.all("status", 10)?;
    if stages.is_empty() {
        stages = vec![Stage::Active, Stage::Pending];
    }
    Ok(Filter {
        spaces: it.spaces.clone(),
        layers: it.args.all("layer", 10)?,
        kinds: it.args.all("kind", 10)?,
        stages,
        origins: it.args.all("origin", 10)?,
        tag: it.args.text("tag")?,
        task: it.args.text("task")?,
        path: it.args.parsed("path")?,
        text: it.args.text("text")?,
        since: it.args.time("since", now)?,
        until: it.args.time("until", now)?,
        after: it
            .args
            .text("after")?
            .map(|text| behind(&text, order))
            .transpose()?,
        order,
        limit: it.args.limit(LISTED.0, LISTED.1)? + 1,
    })
}

fn order(word: Option<&str>) -> Result<Order, Malformed> {
    let Some(word) = word else {
        return Ok(Order::Newest);
    };
    let known = ORDERS.iter().find(|it| it.0 == word);
    known
        .map(|it| it.1)
        .ok_or_else(|| Malformed::new("order", format!("expected one of: {}", orders().join(", "))))
}

/// Where a listing goes on, as a text: the order, the time, the number, the space.
fn cursor(filter: &Filter, memory: &Memory) -> String {
    let After { at, number, space } = filter.behind(memory);
    let word = ORDERS
        .iter()
        .find(|it| it.1 == filter.order)
        .map_or("", |it| it.0);
    format!("{word}.{}.{number}.{space}", at.as_millisecond())
}

fn behind(text: &str, order: Order) -> Result<After, Malformed> {
    let parts: Vec<&str> = text.splitn(4, '.').collect();
    let read = || {
        let [word, at, number, space] = parts.as_slice() else {
            return None;
        };
        ORDERS.iter().find(|it| it.0 == *word && it.1 == order)?;
        let at = Timestamp::from_millisecond(at.parse().ok()?).ok()?;
        Some(After {
            at,
            number: number.parse().ok()?,
            space: space.parse().ok()?,
        })
    };
    read().ok_or_else(|| {
        Malformed::new(
            "after",
            "expected what `next` said, of a listing in the same order",
        )
    })
}

/// Keeps a fact.
pub(super) const REMEMBER: Call = Call {
    route: Route {
        method: Method::Post,
        path: "/api/memories",
        need: Access::Write,
        run: remember,
    },
    about: About {
        id: "remember",
        summary: "Keep one fact with the code that proves it; what is much like it is answered with 422 and `similar`",
        tag: "memories",
        query: &[],
        body: Body::Fields(REMEMBERED),
        done: &[
            (200, Content::Json(shapes::KEPT_OR_SKIPPED)),
            (201, Content::Json(shapes::KEPT)),
        ],
        may_refuse: true,
    },
};

const REMEMBERED: &[Field] = &[
    has("fact", Said).told("one sentence"),
    may("citations", shapes::CITATIONS).told("lines of code that prove it, as path:start-end"),
    may("kind", shapes::KIND)
        .told("project and reference need citations; user goes to the person's own space"),
    may("layer", shapes::LAYER).told("knowledge unless said"),
    may("subject", Text),
    may("reason", Text),
    may("tags", shapes::TAGS),
    may("task", Text),
    may("skip", Flag).told("be content where much the same is known"),
    may("merge_with", shapes::NAME).told("the memory that this replaces, keeping its citations"),
    may("rationale", Text).told("why both are needed"),
    may("force", Flag).told("a person's word that overrides a check; for passes that review"),
    may("tainted", Flag).told("the words come from outside"),
];

fn remember(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let mut it = Errand::begin(visit, asked, &REMEMBER)?;
    let is_skipped = it.args.flag("skip")?;
    let draft = match draft(&mut it)? {
        Some(draft) => draft,
        None => {
            let why = format!(
                "'{}' does not reach the space that this belongs to",
                visit.pass.name
            );
            return turned_away("out_of_reach", why);
        }
    };
    match core_remember::remember(&it.cx_for(&draft.space.clone()), draft)? {
        core_remember::Outcome::Similar { near } if is_skipped => reply(
            200,
            &SimilarReply::skipped(&crate::told_near(&it.cx(), near)?),
        ),
        outcome => it.kept("remembered", outcome),
    }
}

/// A draft in its space; `None` where the pass does not reach it. A person's preferences and identity are the person's,
/// everything else is the repository's.
fn draft(it: &mut Errand<'_>) -> Result<Option<Draft>, Fault> {
    let fact = it.args.required("fact")?;
    let (kind, layer) = (it.args.parsed("kind")?, it.args.parsed("layer")?);
    let force = it.args.flag("force")?;
    let twin = twin(it)?;
    let (citations, tags) = (it.args.cites()?, it.args.texts("tags", 100)?);
    let (subject, reason, task) = (
        it.args.text("subject")?,
        it.args.text("reason")?,
        it.args.text("task")?,
    );
    let voice = it.voice(force)?;
    let is_persons = layer == Some(Layer::Identity) || kind == Some(Kind::User);
    let Some(space) = it.space(is_persons) else {
        return Ok(None);
    };
    let plain = Draft::new(space.clone(), fact, voice);
    Ok(Some(Draft {
        kind,
        layer,
        subject,
        reason,
        citations,
        tags,
        task,
        twin,
        force,
        ..plain
    }))
}

fn twin(it: &mut Errand<'_>) -> Result<Twin, Fault> {
    let merged = it.args.parsed("merge_with")?.map(Twin::Merge);
    let created = it.args.text("rationale")?.map(Twin::Create);
    Ok(merged.or(created).unwrap_or(Twin::Ask))
}

/// Everything about one memory.
pub(super) const ONE: Call = Call {
    route: Route {
        method: Method::Get,
        path: "/api/memories/{name}",
        need: Access::Read,
        run: one,
    },
    about: About {
        id: "showMemory",
        summary: "One memory: its evidence and what is there now, what it replaced and what replaced it, what happened to it",
        tag: "memories",
        query: &[],
        body: Body::None,
        done: &[(200, Content::Json(shapes::WHOLE))],
        may_refuse: false,
    },
};

fn one(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let it = Errand::begin(visit, asked, &ONE)?;
    match it.memory()? {
        Err(refusal) => refused(&refusal),
        Ok(memory) => reply(
            200,
            &WholeReply::new(it.cx().store, &Whole::of(&it.cx(), memory)?)?,
        ),
    }
}

/// Forgets a memory.
pub(super) const FORGET: Call = Call {
    route: Route {
        method: Method::Delete,
        path: "/api/memories/{name}",
        need: Access::Write,
        run: forget,
    },
    about: About {
        id: "forget",
        summary: "Remove the text of a memory everywhere, for good; what a person said only for passes that review",
        tag: "memories",
        query: &[may("reason", Text)],
        body: Body::Fields(&[may("reason", Text)]),
        done: &[(200, Content::Json(shapes::FORGOTTEN))],
        may_refuse: true,
    },
};

fn forget(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let mut it = Errand::begin(visit, asked, &FORGET)?;
    let reason = it.args.text("reason")?.unwrap_or_default();
    let memory = match it.memory()? {
        Ok(memory) if is_persons(&memory) && !it.is_review() => {
            return refused(&Refusal::PersonDecides { verb: PERSONS_VERB });
        }
        Ok(memory) => memory,
        Err(refusal) => return refused(&refusal),
    };
    let here = crate::Here {
        user: None,
        repo: &memory.space,
        ..*it.here()
    };
    match crate::forgotten(
        &it.cx(),
        &here,
        apostille_core::memory::Name::Id(memory.id),
        &reason,
    )? {
        Err(refusal) => refused(&refusal),
        Ok(memory) => {
            let memories = vec![Gone::from(&*memory)];
            Ok(reply(
                200,
                &ForgetReply {
                    ok: true,
                    outcome: "forgotten",
                    memories,
                },
            )?
            .changed())
        }
    }
}
