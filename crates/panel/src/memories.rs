//! Memories: everything that is known, by layer; or what was looked for.

mod query;
mod results;
mod row;

use apostille_core::{
    list,
    memory::{Layer, Stage},
    store::{ListOrder, MemoryFilter, SpaceSummary},
    verify,
};
use apostille_import::export::{ExportFormat, export, withhold_secrets};
use maud::{Markup, html};

use super::{
    PanelResult,
    components::{
        link_to_page, link_with_query, pluralize_count, render_empty_state, render_page_navigation,
        render_problem, render_usage_meter,
    },
    frame::{PanelTab, render_page_with_status, render_panel_page},
    undo,
};
use apostille_api::{
    access_token::Access,
    request_scope::{HttpReply, RequestInput, RequestScope},
};
use query::MemorySearch;
use results::SearchResults;

use row::render_other_version;
pub use row::{format_memory_source, format_shown_count, render_memory_row, render_tag_link};

/// How many of a layer are on the first page.
const FIRST: usize = 12;
/// How many characters of identity there may be is little, so all of it is on the page.
const IDENTITY: usize = 100;

/// The statuses, what is in use first.
pub const STAGES: [Stage; 5] = [
    Stage::Active,
    Stage::Pending,
    Stage::Superseded,
    Stage::Invalid,
    Stage::Retired,
];

/// The ways to what needs a look.
const WAYS: [(&str, &str); 4] = [
    ("check", "what to check"),
    ("contradicted", "what the code contradicts"),
    ("gone", "what is gone"),
    ("unknown", "what could not be looked up"),
];

/// What is known, by layer, or what was looked for.
pub fn render_memories_page(scope: &RequestScope, asked: &RequestInput) -> PanelResult {
    let sought = MemorySearch::from_query(scope, asked);
    let body = if sought.raw.is_empty() {
        render_all_layers(scope)?
    } else {
        render_search_results(scope, &sought)?
    };
    let page = html! {
        (undo::render_done_notice(scope, asked, ""))
        (query::render_search_form(scope, &sought))
        @for it in &sought.problems { (render_problem(it)) }
        (body)
    };
    render_panel_page(scope, PanelTab::Memories, "Memories", &page)
}

/// A file with everything in it.
pub fn handle_export_download(scope: &RequestScope, asked: &RequestInput) -> PanelResult {
    let Ok(format) = asked.query_value("format").unwrap_or("json").parse() else {
        let body = html! { p { "An export is json, markdown or jsonl." } };
        return render_page_with_status(400, scope, PanelTab::Memories, "No such format", &body);
    };
    let filter = MemoryFilter {
        spaces: scope.reachable_spaces(),
        order: ListOrder::Oldest,
        limit: usize::MAX,
        ..MemoryFilter::default()
    };
    let mut memories = list::list_memories(scope.cx, &filter)?;
    withhold_secrets(&mut memories);
    let (kind, ending) = match format {
        ExportFormat::Json => ("application/json", "json"),
        ExportFormat::Markdown => ("text/markdown; charset=utf-8", "md"),
        ExportFormat::Jsonl | ExportFormat::Notebook => ("application/jsonl", "jsonl"),
    };
    let mut reply = HttpReply::new(200, kind, export(&memories, format, scope.cx.now)?);
    let name = scope.caller.repo.short_name().replace('/', "-");
    reply.headers.push((
        "content-disposition",
        format!("attachment; filename=\"{name}.{ending}\""),
    ));
    Ok(reply)
}

fn render_all_layers(scope: &RequestScope) -> PanelResult<Markup> {
    let mut tallies = Vec::new();
    for space in scope.reachable_spaces() {
        tallies.push(scope.cx.store.summarize_space(&space)?);
    }
    if tallies.iter().all(|it| it.memories.is_empty()) {
        return Ok(html! { (render_empty_store()) p { (render_remember_link(scope)) } });
    }
    Ok(html! {
        (render_stage_overview(scope, &tallies))
        @for layer in Layer::ALL { (render_layer_section(scope, *layer, &tallies)?) }
        (render_export_links(scope))
    })
}

/// What there is beside what the layers show.
fn render_stage_overview(scope: &RequestScope, tallies: &[SpaceSummary]) -> Markup {
    let n = |stage| -> u64 { tallies.iter().map(|it| it.count_in_stage(stage)).sum() };
    html! {
        div.summary {
            p.meta {
                @for stage in STAGES.iter().filter(|it| n(**it) > 0) {
                    a href=(link_with_query(scope, "/", &[("status", stage.as_str())])) { (n(*stage)) " " (stage) }
                }
            }
            (render_remember_link(scope))
        }
        // Finding what needs a look takes a while, so it is done when somebody wants it.
        p.meta {
            span { "Look up" }
            @for (verdict, told) in WAYS { a href=(link_with_query(scope, "/", &[("verdict", verdict)])) { (told) } }
        }
    }
}

/// The way to remember something, for whoever may.
fn render_remember_link(scope: &RequestScope) -> Markup {
    html! {
        @if scope.token.allows_access(Access::Write) {
            a.button.quiet href=(link_to_page(scope, "/remember")) { "Remember something" }
        }
    }
}

fn render_layer_section(
    scope: &RequestScope,
    layer: Layer,
    tallies: &[SpaceSummary],
) -> PanelResult<Markup> {
    let is_identity = layer == Layer::Identity;
    let filter = MemoryFilter {
        spaces: scope.reachable_spaces(),
        layers: vec![layer],
        stages: query::IN_PLAY.to_vec(),
        limit: if is_identity { IDENTITY } else { FIRST },
        ..MemoryFilter::default()
    };
    let memories =
        verify::follow_memory_citations(scope.cx, list::list_memories(scope.cx, &filter)?);
    let counts = tallies.iter().flat_map(|it| &it.memories);
    let n = counts.filter(|((stage, of), _)| *of == layer && query::IN_PLAY.contains(stage));
    let n: u64 = n.map(|it| it.1).sum();
    let used: usize = tallies.iter().map(|it| it.identity_chars).sum();
    let (title, told, example) = describe_layer(layer);
    Ok(html! {
        section aria-labelledby=(layer) {
            div.group {
                h2 id=(layer) { (title) }
                p { (told) }
                @if n > memories.len() as u64 {
                    a.all href=(link_with_query(scope, "/", &[("layer", layer.as_str())])) { "all " (n) }
                } @else if n > 0 { p.all { (n) } }
            }
            @if is_identity {
                (render_usage_meter("In use", used, scope.cx.policy.limits.identity_chars))
                p.meta { a href=(link_to_page(scope, "/identity")) { "As one text" } }
            }
            @if memories.is_empty() { p.hint { (example) } } @else {
                ol.entries { @for it in &memories { (render_memory_row(scope, &it.memory, it.standing().as_str(), None, &render_other_version(it.beside.as_ref()))) } }
            }
        }
    })
}

/// The title of a layer, what it is for, and how something gets there.
fn describe_layer(layer: Layer) -> (&'static str, &'static str, Markup) {
    match layer {
        Layer::Identity => (
            "Identity",
            "who you are; shown at the start of every session",
            html! {
                "Nothing yet. " code { "apostille remember --layer identity \"answers in French, works on macOS\"" }
                " is shown to every agent from then on."
            },
        ),
        Layer::Knowledge => (
            "Knowledge",
            "facts; shown when they matter",
            html! {
                "Nothing yet. " code { "apostille remember \"the API version is v3\" --cite src/api.rs:12" }
                " keeps a fact with the lines that prove it."
            },
        ),
        Layer::Episode => (
            "Episodes",
            "what happened in a task; shown when history is asked for",
            html! { "Nothing yet. " code { "apostille task start \"…\"" } " begins a task; its notes come here." },
        ),
        Layer::Session => (
            "Session scratch",
            "notes of one session, cleared at its end",
            html! { "Nothing now. Agents put down here what matters until their session ends." },
        ),
    }
}

fn render_empty_store() -> Markup {
    render_empty_state(
        "Nothing is remembered here yet",
        &html! {
            p { code { "apostille init" } " connects the agents that work here; what they learn appears on this page." }
            p { "Or begin yourself: " code { "apostille remember \"tests run with cargo nextest\" --cite README.md:12" } }
            p { "Do you come from another tool? " code { "apostille import FILE" } " reads its memories." }
        },
    )
}

fn render_export_links(scope: &RequestScope) -> Markup {
    html! {
        section aria-labelledby="export" {
            div.group { h2 #export { "Take it with you" } p { "everything, all layers and statuses" } }
            p.buttons {
                @for (format, told) in [("json", "JSON"), ("markdown", "Markdown"), ("jsonl", "JSON lines")] {
                    a.button.quiet href=(link_with_query(scope, "/export", &[("format", format)])) download { (told) }
                }
            }
        }
    }
}

fn render_search_results(scope: &RequestScope, sought: &MemorySearch) -> PanelResult<Markup> {
    let found = results::run_memory_search(scope, sought)?;
    Ok(html! {
        (render_search_summary(scope, sought, &found))
        @if found.rows.is_empty() && found.next.is_none() {
            (render_empty_state("Nothing is like that", &html! {
                p { "Try fewer words or filters, or " a href=(link_to_page(scope, "/")) { "see everything" } "." }
            }))
        } @else {
            ol.entries { @for it in &found.rows { (render_memory_row(scope, &it.memory, it.standing, it.score, &render_other_version(it.beside.as_ref()))) } }
        }
        (render_search_paging(scope, sought, &found))
    })
}

/// What was done to find this.
fn render_search_summary(
    scope: &RequestScope,
    sought: &MemorySearch,
    found: &SearchResults,
) -> Markup {
    let anywhere = sought.link_with(scope, "status", "any");
    html! {
        p.hint role="status" {
            @if found.is_ranked {
                (pluralize_count(found.rows.len() as u64, "memory", "memories")) ", ranked as recall ranks, among what is in use. "
                a href=(anywhere) { "Look for these very words in every status" }
            } @else if found.n_looked_up > 0 {
                (pluralize_count(found.n_looked_up as u64, "memory", "memories")) " looked up, "
                (found.rows.len()) " of them here."
            } @else { "The newest first." }
        }
    }
}

fn render_search_paging(
    scope: &RequestScope,
    sought: &MemorySearch,
    found: &SearchResults,
) -> Markup {
    let next = found
        .next
        .as_ref()
        .map(|it| sought.link_with(scope, "after", it));
    let first = sought
        .after
        .as_ref()
        .map(|_| sought.link_with(scope, "after", ""));
    let told = match (found.is_cut_short, &next) {
        (true, Some(_)) => "There is more to look through: go on with Next.",
        (false, Some(_)) => "",
        _ => "That was all.",
    };
    render_page_navigation(first, next, told)
}
