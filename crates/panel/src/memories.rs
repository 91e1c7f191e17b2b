//! Memories: everything that is known, by layer; or what was looked for.

mod found;
mod row;
mod sought;

use apostille_core::export::{Format, export, withhold};
use apostille_core::list;
use apostille_core::memory::{Layer, Stage};
use apostille_core::store::{Filter, Order, SpaceSummary};
use apostille_core::verify;
use maud::{Markup, html};

use super::frame::{Tab, framed};
use super::parts::{Tone, count, empty, link, meter, notice, pages, way};
use super::undo;
use apostille_api::Fault;
use apostille_api::pass::Access;
use apostille_api::visit::{Asked, Reply, Visit};
use found::Found;
use sought::Sought;

pub use row::{how_often, row, row_with, said_by};

/// How many of a layer are on the first page.
const FIRST: usize = 12;
/// How many characters of identity there may be is little, so all of it is on the page.
const IDENTITY: usize = 100;

/// The statuses, what is in use first.
const STAGES: [Stage; 5] = [
    Stage::Active,
    Stage::Pending,
    Stage::Superseded,
    Stage::Invalid,
    Stage::Retired,
];

/// What is known, by layer, or what was looked for.
pub fn page(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let sought = Sought::read(visit, asked);
    let body = if sought.is_nothing() {
        layers(visit)?
    } else {
        listing(visit, &sought)?
    };
    let page = html! {
        (undo::told(visit, asked, ""))
        (sought::form(visit, &sought))
        @for it in &sought.problems { (notice(Tone::Bad, &html! { p { (it) } })) }
        (body)
    };
    Ok(framed(visit, Tab::Memories, "Memories", &page))
}

/// A file with everything in it.
pub fn download(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let format = asked.query("format").unwrap_or("json").parse::<Format>();
    let Ok(format) = format.map_err(|error| error.to_string()) else {
        let body = html! { p { "An export is json, markdown or jsonl." } };
        return Ok(super::frame::stated(
            400,
            visit,
            Tab::Memories,
            "No such format",
            &body,
        ));
    };
    let filter = Filter {
        spaces: visit.spaces(),
        order: Order::Oldest,
        limit: usize::MAX,
        ..Filter::default()
    };
    let mut memories = list::list(visit.cx, &filter)?;
    withhold(&mut memories);
    let (kind, ending) = match format {
        Format::Json => ("application/json", "json"),
        Format::Markdown => ("text/markdown; charset=utf-8", "md"),
        Format::Jsonl => ("application/jsonl", "jsonl"),
    };
    let mut reply = Reply::of(200, kind, export(&memories, format, visit.cx.now)?);
    let name = visit.here.repo.as_str().replace('/', "-");
    reply.headers.push((
        "content-disposition",
        format!("attachment; filename=\"{name}.{ending}\""),
    ));
    Ok(reply)
}

fn layers(visit: &Visit<'_>) -> Result<Markup, Fault> {
    let mut tallies = Vec::new();
    for space in visit.spaces() {
        tallies.push(visit.cx.store.summary(&space)?);
    }
    let n = |layer, stage| {
        tallies
            .iter()
            .filter_map(|it| it.memories.get(&(stage, layer)))
            .sum::<u64>()
    };
    let mut out = html! { (overview(visit, &tallies)) };
    if tallies.iter().all(|it| it.memories.is_empty()) {
        return Ok(html! { (nothing()) p { (new(visit, "")) } });
    }
    for layer in Layer::ALL {
        let n_here = n(*layer, Stage::Active) + n(*layer, Stage::Pending);
        out.0 += &section(visit, *layer, n_here, &tallies)?.0;
    }
    Ok(html! { (out) (take_away(visit)) })
}

/// What there is beside what the layers show.
fn overview(visit: &Visit<'_>, tallies: &[SpaceSummary]) -> Markup {
    let n = |stage: Stage| tallies.iter().map(|it| it.stage(stage)).sum::<u64>();
    html! {
        div.summary {
            p.meta {
                @for stage in STAGES.iter().filter(|it| n(**it) > 0) {
                    a href=(way(visit, "/", &[("status", stage.as_str())])) { (n(*stage)) " " (stage) }
                }
            }
            (new(visit, ""))
        }
        (to_look_up(visit))
    }
}

/// The ways to what needs a look. Finding it takes a while, so it is done when somebody wants it.
fn to_look_up(visit: &Visit<'_>) -> Markup {
    const WAYS: [(&str, &str); 3] = [
        ("changed", "what changed"),
        ("gone", "what is gone"),
        ("unknown", "what could not be looked up"),
    ];
    html! {
        p.meta {
            span { "Look up" }
            @for (verdict, told) in WAYS { a href=(way(visit, "/", &[("verdict", verdict)])) { (told) } }
        }
    }
}

/// The way to remember something, for whoever may.
fn new(visit: &Visit<'_>, layer: &str) -> Markup {
    html! {
        @if visit.pass.allows(Access::Write) {
            a.button.quiet href=(way(visit, "/remember", &[("layer", layer)])) { "Remember something" }
        }
    }
}

fn section(
    visit: &Visit<'_>,
    layer: Layer,
    n: u64,
    tallies: &[SpaceSummary],
) -> Result<Markup, Fault> {
    let limit = if layer == Layer::Identity {
        IDENTITY
    } else {
        FIRST
    };
    let filter = Filter {
        spaces: visit.spaces(),
        layers: vec![layer],
        stages: sought::IN_PLAY.to_vec(),
        limit,
        ..Filter::default()
    };
    let memories = verify::look(visit.cx, list::list(visit.cx, &filter)?);
    let used: usize = tallies.iter().map(|it| it.identity_chars).sum();
    let has_more = n > memories.len() as u64;
    Ok(html! {
        section aria-labelledby=(layer) {
            div.group {
                h2 id=(layer) { (title(layer)) }
                p { (when(layer)) }
                @if has_more {
                    a.all href=(way(visit, "/", &[("layer", layer.as_str())])) { "all " (n) }
                } @else if n > 0 { p.all { (n) } }
            }
            @if layer == Layer::Identity {
                (meter("In use", used, visit.cx.policy.limits.identity_chars))
            }
            @if memories.is_empty() { p.hint { (lesson(layer)) } } @else {
                ol.entries { @for it in &memories { (row(visit, it, None)) } }
            }
        }
    })
}

fn title(layer: Layer) -> &'static str {
    match layer {
        Layer::Identity => "Identity",
        Layer::Knowledge => "Knowledge",
        Layer::Episode => "Episodes",
        Layer::Session => "Session scratch",
    }
}

fn when(layer: Layer) -> &'static str {
    match layer {
        Layer::Identity => "who you are; shown at the start of every session",
        Layer::Knowledge => "facts; shown when they matter",
        Layer::Episode => "what happened in a task; shown when history is asked for",
        Layer::Session => "notes of one session, cleared at its end",
    }
}

fn lesson(layer: Layer) -> Markup {
    match layer {
        Layer::Identity => html! {
            "Nothing yet. " code { "apostille remember --layer identity \"answers in French, works on macOS\"" }
            " is shown to every agent from then on."
        },
        Layer::Knowledge => html! {
            "Nothing yet. " code { "apostille remember \"the API version is v3\" --cite src/api.rs:12" }
            " keeps a fact with the lines that prove it."
        },
        Layer::Episode => {
            html! { "Nothing yet. " code { "apostille task start \"…\"" } " begins a task; its notes come here." }
        }
        Layer::Session => {
            html! { "Nothing now. Agents put down here what matters until their session ends." }
        }
    }
}

fn nothing() -> Markup {
    empty(
        "Nothing is remembered here yet",
        &html! {
            p { code { "apostille init" } " connects the agents that work here; what they learn appears on this page." }
            p { "Or begin yourself: " code { "apostille remember \"tests run with cargo nextest\" --cite README.md:12" } }
            p { "Do you come from another tool? " code { "apostille import FILE" } " reads its memories." }
        },
    )
}

fn take_away(visit: &Visit<'_>) -> Markup {
    html! {
        section aria-labelledby="export" {
            div.group { h2 #export { "Take it with you" } p { "everything, all layers and statuses" } }
            p.buttons {
                @for (format, told) in [("json", "JSON"), ("markdown", "Markdown"), ("jsonl", "JSON lines")] {
                    a.button.quiet href=(way(visit, "/export", &[("format", format)])) download { (told) }
                }
            }
        }
    }
}

fn listing(visit: &Visit<'_>, sought: &Sought) -> Result<Markup, Fault> {
    let found = found::find(visit, sought)?;
    Ok(html! {
        (told(visit, sought, &found))
        @if found.rows.is_empty() && !found.has_more() { (none(visit)) } @else {
            ol.entries { @for it in &found.rows { (row(visit, &it.verified, it.score)) } }
        }
        (ways(visit, sought, &found))
    })
}

fn none(visit: &Visit<'_>) -> Markup {
    empty(
        "Nothing is like that",
        &html! { p { "Try fewer words or filters, or " a href=(link(visit, "/")) { "see everything" } "." } },
    )
}

/// What was done to find this.
fn told(visit: &Visit<'_>, sought: &Sought, found: &Found) -> Markup {
    let anywhere = sought.with(visit, "status", "any");
    html! {
        p.hint role="status" {
            @if found.is_ranked {
                (count(found.rows.len() as u64, "memory", "memories")) ", ranked as recall ranks, among what is in use. "
                a href=(anywhere) { "Look for these very words in every status" }
            } @else if found.n_looked_up > 0 {
                (count(found.n_looked_up as u64, "memory", "memories")) " looked up, "
                (found.rows.len()) " of them here."
            } @else { "The newest first." }
        }
    }
}

fn ways(visit: &Visit<'_>, sought: &Sought, found: &Found) -> Markup {
    let next = found
        .next
        .as_ref()
        .map(|it| sought.with(visit, "after", it));
    let first = sought
        .after
        .as_ref()
        .map(|_| sought.with(visit, "after", ""));
    if next.is_none() && first.is_none() {
        return html! {};
    }
    let told = match (found.is_cut_short, &next) {
        (true, Some(_)) => "There is more to look through: go on with Next.",
        (false, Some(_)) => "",
        _ => "That was all.",
    };
    pages(first.as_deref(), next.as_deref(), told)
}
