//! Conversations: what was said in past sessions, found by its words, with the way to keep it as a memory and to forget it.
//!
//! They are open to the person with the printed link alone: the context of anybody else's request has no archive.

mod handlers;
mod record;
mod search_form;

use apostille_core::{
    archive::{
        Archive, ArchiveHandle, ArchiveKind, ArchiveRecord, ArchiveScope, ArchiveSize,
        recall::{SaidHit, SaidRequest, recall_said},
    },
    format::{format_timestamp, format_utc_day},
};
use maud::{Markup, html};

use super::{
    PanelResult,
    components::{
        link_to_page, pluralize_count, render_empty_state, render_problem, render_toned_badge,
        sanitize_shown_text, shorten_shown_text,
    },
    frame::{PanelTab, render_missing_page, render_panel_page},
    undo,
};
use apostille_api::{
    request_scope::{RequestInput, RequestScope},
    said::find_conversation,
};
use search_form::SaidSearch;

pub use handlers::{handle_forget_form, handle_remember_form};
pub use record::render_conversation_page;

/// How many conversations are listed.
const LISTED: usize = 20;
/// How much of a name of a task, a branch or a session is shown.
const NAME: usize = 48;
/// An arrow that comes in from outside.
const OUTSIDE: &str = "M9 3h4v4M13 3L7 9M7 4H3v9h9V9";
/// An arrow that goes round to where it was.
const LATER: &str = "M3 4l4 4-4 4M8.5 4l4 4-4 4";

/// What was said, the latest first; of a question, what answers it.
pub fn render_conversations_page(scope: &RequestScope, asked: &RequestInput) -> PanelResult {
    let tab = PanelTab::Conversations;
    let Some(archive) = scope.cx.archive else {
        return render_panel_page(scope, tab, "Conversations", &explain_no_archive(scope));
    };
    let search = SaidSearch::new(asked);
    let told = undo::render_done_notice(scope, asked, "");
    let size = archive.measure_size(ArchiveScope {
        space: scope.caller.repo,
        kind: ArchiveKind::Conversation,
    })?;
    let body = html! {
        (told)
        (search.render_form(scope))
        (render_answer(scope, &search, size)?)
        @if size.records > 0 { p.hint.kept { "Kept of this repository, on this machine: " (describe_size(size)) "." } }
    };
    render_panel_page(scope, tab, "Conversations", &body)
}

fn render_answer(
    scope: &RequestScope,
    search: &SaidSearch,
    size: ArchiveSize,
) -> PanelResult<Markup> {
    if size.records == 0 {
        return Ok(render_empty_state(
            "No conversation is kept yet",
            &html! { p { code { "apostille init" } " has your agents' sessions kept when they end, on this machine alone: what you said, and what it answered." } },
        ));
    }
    let filter = match search.resolve_filter(scope) {
        Ok(filter) => filter,
        Err(why) => return Ok(render_problem(&why)),
    };
    let request = SaidRequest {
        space: scope.caller.repo,
        text: search.question(),
        filter,
        count: Some(LISTED),
    };
    let hits = recall_said(scope.cx, &request)?.unwrap_or_default();
    Ok(html! {
        @if hits.is_empty() { p { "Nothing was said about this in a conversation that is kept. Try other words or fewer filters." } }
        @else { h2 { (if request.text.is_empty() { "The latest" } else { "What you said" }) } ol.entries { @for it in &hits { (render_hit_row(scope, it)) } } }
    })
}

/// Why there are no conversations to look at, and the way to them.
fn explain_no_archive(scope: &RequestScope) -> Markup {
    if !scope.token.is_owner() {
        return render_empty_state(
            "Conversations are not open to you",
            &html! { p { "What was said is open to the person whose machine this is, through the link that " code { "apostille serve" } " prints." } },
        );
    }
    render_empty_state(
        "Conversations are not kept",
        &html! {
            p { "Set " code { "archive = \"verbatim\"" } " in your own config file to keep what you say to your agents, on this machine alone." }
            p { "What was kept before is still shown by " code { "apostille show c-1" } " and forgotten by " code { "apostille forget c-1" } "." }
        },
    )
}

fn describe_size(it: ArchiveSize) -> String {
    let conversations = pluralize_count(it.records, "conversation", "conversations");
    let passages = pluralize_count(it.passages, "passage", "passages");
    let chars = pluralize_count(it.chars, "character", "characters");
    format!("{conversations}, {passages}, {chars}")
}

fn render_hit_row(scope: &RequestScope, it: &SaidHit) -> Markup {
    let record = &it.record;
    let (changed, passages) = (record.paths.len() as u64, record.passages.len());
    html! {
        li.entry {
            div.margin {
                (render_day(record))
                @if let Some(client) = &record.author { span.client { (shorten_shown_text(client, NAME)) } }
            }
            div.body {
                p.meta {
                    (render_conversation_link(scope, ArchiveHandle::record(record.number)))
                    @for name in [&record.task, &record.branch].into_iter().flatten() { span dir="auto" { (shorten_shown_text(name, NAME)) } }
                    @if changed > 0 { span { (pluralize_count(changed, "file changed", "files changed")) } }
                    @if record.is_exposed { (render_exposed_badge()) }
                    @if !it.earlier.is_empty() { (render_later_badge(&it.earlier)) }
                }
                @for quote in &it.quotes {
                    p.fact dir="auto" {
                        @if let Some(answered) = &quote.answered { span.hint { "to “" (sanitize_shown_text(answered)) "” " } }
                        "“" (sanitize_shown_text(&quote.text)) "”"
                    }
                }
            }
            div.use { b { (passages) } @if passages == 1 { " passage" } @else { " passages" } }
        }
    }
}

fn render_day(record: &ArchiveRecord) -> Markup {
    let at = record.ended_at;
    html! { time datetime=(format_timestamp(at)) title=(format_timestamp(at)) { (format_utc_day(at)) } }
}

fn render_conversation_link(scope: &RequestScope, handle: ArchiveHandle) -> Markup {
    let record = ArchiveHandle::record(handle.record);
    let place = handle
        .passage
        .map_or(String::new(), |it| format!("#p-{it}"));
    let page = link_to_page(scope, &format!("/conversations/{record}"));
    html! { a.handle href=(format!("{page}{place}")) { (handle) } }
}

fn render_exposed_badge() -> Markup {
    render_toned_badge("warn", OUTSIDE, "words from outside")
}

/// What says that a conversation goes before others about the same thing.
fn render_later_badge(earlier: &[u64]) -> Markup {
    let names = earlier
        .iter()
        .map(|it| ArchiveHandle::record(*it).to_string());
    let names: Vec<String> = names.collect();
    let told = format!("later than {}, about the same thing", names.join(", "));
    render_toned_badge("info", LATER, &told)
}

/// The conversation that the path names, with the archive that it lies in.
fn find_record_in_path<'a>(
    scope: &'a RequestScope,
    asked: &RequestInput,
) -> PanelResult<Option<NamedConversation<'a>>> {
    let (Some(archive), Ok(handle)) = (scope.cx.archive, asked.path_part("name").parse()) else {
        return Ok(None);
    };
    let found = find_conversation(archive, scope.caller.repo, handle)?;
    Ok(found.map(|record| NamedConversation {
        archive,
        handle,
        record,
    }))
}

/// A conversation, as a path names it or a passage of it.
struct NamedConversation<'a> {
    archive: &'a dyn Archive,
    handle: ArchiveHandle,
    record: ArchiveRecord,
}

fn render_missing_conversation(scope: &RequestScope) -> PanelResult {
    let why = html! { p { "It was never kept, was forgotten, or belongs to another repository." } };
    render_missing_page(
        scope,
        PanelTab::Conversations,
        "There is no such conversation here",
        &why,
        ("/conversations", "All conversations"),
    )
}
