//! One memory: what it says, what proves it, what became of it, and what can be done about it.

mod actions;
pub mod evidence;
pub mod handlers;
mod history;
mod past_status;
mod submitted_form;

use apostille_core::format;
use apostille_core::list;
use apostille_core::memory::{Memory, MemoryName};
use apostille_core::verify::VerifiedMemory;
use apostille_text::secrets::mask_secrets;
use maud::{Markup, html};

use super::components::{
    link_to_page, link_with_query, render_badge, render_empty_state, render_field_list,
    render_relative_time, sanitize_shown_text, truncate_shown_text,
};
use super::frame::{PanelTab, render_page_with_status};
use super::memories::{format_memory_source, format_shown_count};
use super::undo;
use apostille_api::CallFault;
use apostille_api::json::MemoryDetails;
use apostille_api::request_scope::{HttpReply, RequestInput, RequestScope};
use handlers::SubmittedForm;

pub(super) use actions::format_current_places;

/// How much of a fact is the title of its page.
const TITLE: usize = 80;

/// The page of one memory.
pub fn render_memory_page(
    visit: &RequestScope<'_>,
    asked: &RequestInput,
) -> Result<HttpReply, CallFault> {
    match find_memory_in_path(visit, asked)? {
        Some(memory) => {
            let told = undo::render_done_notice(visit, asked, &memory.handle().to_string());
            let is_waiting = asked.query_value("did") == Some("pending");
            render_memory_details(
                visit,
                memory,
                200,
                &told,
                &SubmittedForm::for_next_step(if is_waiting { "approve" } else { "" }),
            )
        }
        None => Ok(render_missing_memory(visit, asked)),
    }
}

/// The memory that the path names.
fn find_memory_in_path(
    visit: &RequestScope<'_>,
    asked: &RequestInput,
) -> Result<Option<Memory>, CallFault> {
    let Ok(name) = asked.path_part("name").parse::<MemoryName>() else {
        return Ok(None);
    };
    Ok(list::find_named_memory(
        visit.cx,
        &visit.reachable_spaces(),
        name,
    )?)
}

fn render_missing_memory(visit: &RequestScope<'_>, asked: &RequestInput) -> HttpReply {
    let name = truncate_shown_text(
        &sanitize_shown_text(&mask_secrets(asked.path_part("name"))),
        60,
    );
    let body = render_empty_state(
        "There is no such memory here",
        &html! {
            p { code { (name) } " was never given, was forgotten, or belongs to another repository." }
            p { a href=(link_to_page(visit, "/")) { "All memories" } }
        },
    );
    render_page_with_status(404, visit, PanelTab::Memories, "Not found", &body)
}

/// The page of a memory, with what is to be said first, and what somebody typed.
fn render_memory_details(
    visit: &RequestScope<'_>,
    memory: Memory,
    status: u16,
    first: &Markup,
    tried: &SubmittedForm,
) -> Result<HttpReply, CallFault> {
    let mut details = MemoryDetails::gather_details(visit.cx, memory)?;
    let is_withheld = details.memory.memory.withhold_secret();
    let looked_up = &details.memory;
    let memory = &looked_up.memory;
    let body = html! {
        (first)
        (render_memory_statement(looked_up))
        div.columns {
            div {
                (evidence::render_evidence_section(visit, looked_up, is_withheld))
                (history::render_memory_history(visit, &details)?)
            }
            aside aria-label="About this memory" {
                div.deeds {
                    h2 { "What can be done" }
                    (actions::render_memory_actions(visit, looked_up, is_withheld, tried)?)
                }
                h2 { "About it" }
                (render_memory_fields(visit, memory))
            }
        }
    };
    let subject = memory.subject.as_deref().unwrap_or(&memory.fact);
    let title = format!(
        "{} {}",
        memory.handle(),
        truncate_shown_text(
            &collapse_title_whitespace(&sanitize_shown_text(subject)),
            TITLE
        )
    );
    Ok(render_page_with_status(
        status,
        visit,
        PanelTab::Memories,
        &title,
        &body,
    ))
}

/// What was sent could be read, and was not done.
const UNPROCESSABLE: u16 = 422;

fn collapse_title_whitespace(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn render_memory_statement(it: &VerifiedMemory) -> Markup {
    let memory = &it.memory;
    let stage = memory.status.stage();
    html! {
        p.buttons {
            (render_badge(it.standing()))
            (render_badge(stage.as_str()))
            @for mark in &memory.marks { (super::components::render_toned_badge("warn", "M8 2.5L14 13H2z", mark.as_str())) }
        }
        div.card {
            p.fact.large dir="auto" { (sanitize_shown_text(&memory.fact)) }
            @if let Some(reason) = &memory.reason { p.hint dir="auto" { "Because: " (sanitize_shown_text(reason)) } }
            @if let Some(why) = memory.status.why() { p.why { (stage) ": " (sanitize_shown_text(why)) } }
        }
    }
}

fn render_memory_fields(visit: &RequestScope<'_>, memory: &Memory) -> Markup {
    let text = |it: String| html! { (it) };
    let optional =
        |it: &Option<String>| html! { @if let Some(it) = it { (sanitize_shown_text(it)) } };
    let usage = memory.usage;
    let now = visit.cx.now;
    render_field_list(&[
        ("Layer", text(memory.layer.to_string())),
        ("Kind", text(memory.kind.to_string())),
        ("Status", render_badge(memory.status.stage().as_str())),
        ("Said by", text(format_memory_source(memory))),
        (
            "Also said by",
            text(
                memory
                    .vouchers
                    .iter()
                    .map(|it| sanitize_shown_text(it))
                    .collect::<Vec<_>>()
                    .join(", "),
            ),
        ),
        ("Tags", render_memory_tags(visit, memory)),
        ("Task", optional(&memory.task)),
        ("Session", optional(&memory.voice.session)),
        ("Recorded", render_relative_time(memory.recorded_at, now)),
        ("Refreshed", render_relative_time(memory.refreshed_at, now)),
        ("Shown", text(format_shown_count(memory))),
        ("Applied", text(format!("{}×", usage.applied))),
        ("Found to hold", text(format!("{}×", usage.verified))),
        ("Space", text(memory.space.to_string())),
        ("Id", html! { code { (memory.id) } }),
        (
            "SHA-256",
            html! { code { (memory.content_digest()) } " (format " (format::VERSION) ")" },
        ),
    ])
}

fn render_memory_tags(visit: &RequestScope<'_>, memory: &Memory) -> Markup {
    html! {
        @for (n, it) in memory.tags.iter().enumerate() {
            @if n > 0 { " " }
            a.tag href=(link_with_query(visit, "/", &[("tag", it)])) { (sanitize_shown_text(it)) }
        }
    }
}
