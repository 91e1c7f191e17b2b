//! Memories: listed, kept, looked at, forgotten.

use apostille_cite::citation::RepoPath;
use apostille_core::forget::PERSONS_VERB;
use apostille_core::memory::{Draft, Kind, Layer, Memory, Name, Origin, Stage, Twin};
use apostille_core::refusal::Refusal;
use apostille_core::store::{After, Filter, Order};
use apostille_core::verify::look;
use apostille_core::{list as core_list, remember as core_remember};
use jiff::Timestamp;
use schemars::JsonSchema;

use super::args::{Citations, Few, NoArguments, PageLimit, TagList, When, arguments, read_body};
use super::call::ApiCall;
use super::errand::{Errand, refused, reply, turned_away};
use crate::Fault;
use crate::json::schema::Written;
use crate::json::{
    ForgetReply, ForgottenView, KeptReply, MemoriesReply, MemoryDetails, MemoryDetailsReply,
    SkippedReply, WhenSimilar, views,
};
use crate::pass::Access;
use crate::visit::{Asked, Method, Reply, Visit};
use crate::wire::Malformed;

/// How many memories are listed unless said.
const LISTED: usize = 50;

/// Lists memories.
pub(super) const LIST: ApiCall =
    ApiCall::new(Method::Get, "/api/memories", Access::Read, list_memories)
        .about(
            "listMemories",
            "memories",
            "Memories by what they are, each with how it stands in this checkout",
        )
        .query::<ListQuery>()
        .answers::<MemoriesReply>();

arguments! {
    /// Which memories are listed.
    struct ListQuery {
        layer: Few<Written<Layer>, 10>,
        kind: Few<Written<Kind>, 10>,
        /// Active and pending unless said.
        status: Few<Written<Stage>, 10>,
        origin: Few<Written<Origin>, 10>,
        tag: Option<String>,
        /// Citing this file, or a file below this folder.
        #[schemars(with = "Option<String>")]
        path: Option<Written<RepoPath>>,
        task: Option<String>,
        /// With this text in subject or fact.
        text: Option<String>,
        /// Recorded since: 7d, 24h, 2w, a date or a time.
        since: Option<When>,
        /// Recorded before.
        until: Option<When>,
        /// newest unless said.
        #[schemars(extend("enum" = orders()))]
        order: Option<String>,
        /// At most so many; 50 unless said.
        limit: Option<PageLimit<200>>,
        /// What the page before said as `next`.
        after: Option<String>,
    }
}

const ORDERS: [(&str, Order); 3] = [
    ("newest", Order::Newest),
    ("oldest", Order::Oldest),
    ("refreshed", Order::Refreshed),
];

fn orders() -> Vec<&'static str> {
    ORDERS.iter().map(|it| it.0).collect()
}

fn list_memories(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let (it, query) = Errand::begin(visit, asked)?;
    let filter = read_filter(&it, query)?;
    let (cx, limit) = (it.cx(), filter.limit - 1);
    let mut memories = core_list::list(&cx, &filter)?;
    let is_more = memories.len() > limit;
    memories.truncate(limit);
    let last = memories
        .last()
        .filter(|_| is_more)
        .map(|it| write_cursor(&filter, it));
    reply(
        200,
        &MemoriesReply {
            ok: true,
            memories: views(&look(&cx, memories)),
            next: last,
        },
    )
}

/// What is asked for, and one more, to know whether there are more.
fn read_filter(it: &Errand<'_>, query: ListQuery) -> Result<Filter, Fault> {
    let now = it.visit.cx.now;
    let order = read_order(query.order.as_deref())?;
    let mut stages = query.status.into_values();
    if stages.is_empty() {
        stages = vec![Stage::Active, Stage::Pending];
    }
    let after = query
        .after
        .map(|text| read_cursor(&text, order))
        .transpose()?;
    Ok(Filter {
        spaces: it.spaces.clone(),
        layers: query.layer.into_values(),
        kinds: query.kind.into_values(),
        stages,
        origins: query.origin.into_values(),
        tag: query.tag,
        task: query.task,
        path: query.path.map(|it| it.0),
        text: query.text,
        since: When::at(query.since, "since", now)?,
        until: When::at(query.until, "until", now)?,
        after,
        order,
        limit: PageLimit::or(query.limit, LISTED) + 1,
    })
}

fn read_order(word: Option<&str>) -> Result<Order, Malformed> {
    let Some(word) = word else {
        return Ok(Order::Newest);
    };
    let known = ORDERS.iter().find(|it| it.0 == word);
    known
        .map(|it| it.1)
        .ok_or_else(|| Malformed::new("order", format!("expected one of: {}", orders().join(", "))))
}

/// Where a listing goes on, as a text: the order, the time, the number, the space.
fn write_cursor(filter: &Filter, memory: &Memory) -> String {
    let After { at, number, space } = filter.behind(memory);
    let word = ORDERS
        .iter()
        .find(|it| it.1 == filter.order)
        .map_or("", |it| it.0);
    format!("{word}.{}.{number}.{space}", at.as_millisecond())
}

fn read_cursor(text: &str, order: Order) -> Result<After, Malformed> {
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
pub(super) const REMEMBER: ApiCall =
    ApiCall::new(Method::Post, "/api/memories", Access::Write, remember_fact)
        .about(
            "remember",
            "memories",
            "Keep one fact with the code that proves it; what is much like it is answered with 422 and `similar`",
        )
        .body::<RememberBody>(
            r#"{"fact":"The version of the API is v3","citations":["src/api.rs:3"],"subject":"api","reason":"clients pin it","tags":["api"]}"#,
        )
        .answers::<KeptOrSkipped>()
        .creates::<KeptReply>()
        .may_refuse();

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

arguments! {
    /// A fact to keep.
    struct RememberBody {
        /// One sentence.
        #[schemars(length(min = 1))]
        fact: String,
        /// Lines of code that prove it, as path:start-end.
        citations: Citations,
        /// project and reference need citations; user goes to the person's own space.
        kind: Option<Written<Kind>>,
        /// knowledge unless said.
        layer: Option<Written<Layer>>,
        subject: Option<String>,
        reason: Option<String>,
        tags: TagList,
        task: Option<String>,
        /// Be content where much the same is known.
        skip: bool,
        /// The memory that this replaces, keeping its citations.
        merge_with: Option<Written<Name>>,
        /// Why both are needed.
        rationale: Option<String>,
        /// A person's word that overrides a check; for passes that review.
        force: bool,
        /// The words come from outside.
        tainted: bool,
    }
}

fn remember_fact(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let (it, body): (_, RememberBody) = Errand::begin_with_body(visit, asked)?;
    let when = if body.skip {
        WhenSimilar::Skip
    } else {
        WhenSimilar::Choose
    };
    let Some(draft) = build_draft(&it, body) else {
        let why = format!(
            "'{}' does not reach the space that this belongs to",
            visit.pass.name
        );
        return turned_away("out_of_reach", why);
    };
    let outcome = core_remember::remember(&it.cx_for(&draft.space.clone()), draft)?;
    it.kept("remembered", outcome, when)
}

/// A draft in its space; `None` where the pass does not reach it. A person's preferences and identity are the person's,
/// everything else is the repository's.
fn build_draft(it: &Errand<'_>, body: RememberBody) -> Option<Draft> {
    let (kind, layer) = (body.kind.map(|it| it.0), body.layer.map(|it| it.0));
    let is_persons = layer == Some(Layer::Identity) || kind == Some(Kind::User);
    let merged = body.merge_with.map(|it| Twin::Merge(it.0));
    let twin = merged.or(body.rationale.map(Twin::Create));
    let voice = it.voice(body.force, body.tainted);
    let draft = Draft {
        kind,
        layer,
        subject: body.subject,
        reason: body.reason,
        citations: body.citations.0,
        tags: body.tags.into_texts(),
        task: body.task,
        twin: twin.unwrap_or(Twin::Ask),
        ..Draft::new(it.space(is_persons)?.clone(), body.fact, voice)
    };
    Some(draft.vouched_if(body.force, it.visit.person()))
}

/// Everything about one memory.
pub(super) const ONE: ApiCall =
    ApiCall::new(Method::Get, "/api/memories/{name}", Access::Read, show_memory)
        .about(
            "showMemory",
            "memories",
            "One memory: its evidence and what is there now, what it replaced and what replaced it, what happened to it",
        )
        .answers::<MemoryDetailsReply>();

fn show_memory(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let (it, NoArguments {}) = Errand::begin(visit, asked)?;
    match it.memory()? {
        Err(refusal) => refused(&refusal),
        Ok(memory) => reply(
            200,
            &MemoryDetailsReply::new(it.cx().store, &MemoryDetails::of(&it.cx(), memory)?)?,
        ),
    }
}

/// Forgets a memory.
pub(super) const FORGET: ApiCall =
    ApiCall::new(Method::Delete, "/api/memories/{name}", Access::Write, forget_memory)
        .about(
            "forget",
            "memories",
            "Remove the text of a memory everywhere, for good; what a person said only for passes that review",
        )
        .query::<ReasonArguments>()
        .body::<ReasonArguments>(r#"{"reason":"done"}"#)
        .answers::<ForgetReply>()
        .may_refuse();

arguments! {
    /// Why it is done.
    struct ReasonArguments {
        reason: Option<String>,
    }
}

fn forget_memory(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let (it, query): (_, ReasonArguments) = Errand::begin(visit, asked)?;
    let body: ReasonArguments = read_body(&asked.body)?;
    let reason = body.reason.or(query.reason).unwrap_or_default();
    let memory = match it.memory()? {
        Ok(memory) if memory.needs_person_to_forget() && !it.is_review() => {
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
    match crate::forgotten(&it.cx(), &here, Name::Id(memory.id), &reason)? {
        Err(refusal) => refused(&refusal),
        Ok(memory) => {
            let memories = vec![ForgottenView::from(&*memory)];
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
