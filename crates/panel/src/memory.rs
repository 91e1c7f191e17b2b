//! One memory: what it says, what proves it, what became of it, and what can be done about it.

mod actions;
pub mod evidence;
pub mod handlers;
mod history;
mod past_status;

use apostille_core::{
    format, memory::Memory, standing_text::describe_other_version, verify::VerifiedMemory,
};
use apostille_text::secrets::mask_secrets;
use maud::{Markup, html};

use super::{
    PanelResult,
    components::{
        render_badge, render_field_list, render_relative_time, render_toned_badge,
        sanitize_shown_text, shorten_shown_text, truncate_shown_text,
    },
    frame::{PanelTab, render_missing_page, render_page_with_status},
    memories::{format_memory_source, format_shown_count, render_tag_link},
    submitted_form::SubmittedForm,
    undo,
};
use apostille_api::{
    json::MemoryDetails,
    request_scope::{RequestInput, RequestScope},
};

pub(super) use actions::format_current_places;

/// How much of a fact is the title of its page.
const TITLE: usize = 80;

/// The page of one memory.
pub fn render_memory_page(scope: &RequestScope, asked: &RequestInput) -> PanelResult {
    let Some(memory) = find_memory_in_path(scope, asked)? else {
        return render_missing_memory(scope, asked);
    };
    let told = undo::render_done_notice(scope, asked, &memory.handle().to_string());
    let mut next = SubmittedForm::default();
    if asked.query_value("did") == Some("pending") {
        next.verb = "approve";
    }
    render_memory_details(scope, memory, 200, &told, &next)
}

/// The memory that the path names.
fn find_memory_in_path(scope: &RequestScope, asked: &RequestInput) -> PanelResult<Option<Memory>> {
    let name = asked.path_part("name").parse().ok();
    Ok(undo::find_named_memories(scope, name)?.pop())
}

fn render_missing_memory(scope: &RequestScope, asked: &RequestInput) -> PanelResult {
    let name = shorten_shown_text(&mask_secrets(asked.path_part("name")), 60);
    let why = html! { p { code { (name) } " was never given, was forgotten, or belongs to another repository." } };
    let title = "There is no such memory here";
    render_missing_page(
        scope,
        PanelTab::Memories,
        title,
        &why,
        ("/", "All memories"),
    )
}

/// The page of a memory, with what is to be said first, and what somebody typed.
fn render_memory_details(
    scope: &RequestScope,
    memory: Memory,
    status: u16,
    first: &Markup,
    tried: &SubmittedForm,
) -> PanelResult {
    let mut details = MemoryDetails::gather_details(scope.cx, memory)?;
    let is_withheld = details.memory.memory.withhold_secret();
    let looked_up = &details.memory;
    let memory = &looked_up.memory;
    let body = html! {
        (first)
        (render_memory_statement(looked_up))
        div.columns {
            div {
                (evidence::render_evidence_section(scope, looked_up, is_withheld))
                (history::render_memory_history(scope, &details)?)
            }
            aside aria-label="About this memory" {
                div.deeds {
                    h2 { "What can be done" }
                    (actions::render_memory_actions(scope, looked_up, is_withheld, tried)?)
                }
                h2 { "About it" }
                (render_memory_fields(scope, memory))
            }
        }
    };
    let subject = memory.subject.as_deref().unwrap_or(&memory.fact);
    let subject = sanitize_shown_text(subject);
    let words: Vec<&str> = subject.split_whitespace().collect();
    let title = format!(
        "{} {}",
        memory.handle(),
        truncate_shown_text(&words.join(" "), TITLE)
    );
    render_page_with_status(status, scope, PanelTab::Memories, &title, &body)
}

/// What was sent could be read, and was not done.
const UNPROCESSABLE: u16 = 422;

fn render_memory_statement(it: &VerifiedMemory) -> Markup {
    let memory = &it.memory;
    let stage = memory.status.stage();
    html! {
        p.buttons {
            (render_badge(it.standing().as_str()))
            (render_badge(stage.as_str()))
            @for mark in memory.current_marks() { (render_toned_badge("warn", "M8 2.5L14 13H2z", mark.as_str())) }
        }
        div.card {
            p.fact.large dir="auto" { (sanitize_shown_text(&memory.fact)) }
            @if let Some(reason) = &memory.reason { p.hint dir="auto" { "Because: " (sanitize_shown_text(reason)) } }
            @if let Some(other) = &it.beside { p.hint { (describe_other_version(other)) } }
            @if let Some(why) = memory.status.why() { p.why { (stage) ": " (sanitize_shown_text(why)) } }
        }
    }
}

fn render_memory_fields(scope: &RequestScope, memory: &Memory) -> Markup {
    let text = |it: String| html! { (it) };
    let optional =
        |it: &Option<String>| html! { @if let Some(it) = it { (sanitize_shown_text(it)) } };
    let vouchers = memory.vouchers.iter().map(|it| sanitize_shown_text(it));
    let vouchers: Vec<String> = vouchers.collect();
    let usage = memory.usage;
    render_field_list(&[
        ("Layer", text(memory.layer.to_string())),
        ("Kind", text(memory.kind.to_string())),
        ("Status", render_badge(memory.status.stage().as_str())),
        ("Said by", text(format_memory_source(memory))),
        ("Also said by", text(vouchers.join(", "))),
        (
            "Tags",
            html! { @for (n, it) in memory.tags.iter().enumerate() { @if n > 0 { " " } (render_tag_link(scope, it)) } },
        ),
        ("Task", optional(&memory.task)),
        ("Session", optional(&memory.voice.session)),
        ("Recorded", render_relative_time(scope, memory.recorded_at)),
        (
            "Refreshed",
            render_relative_time(scope, memory.refreshed_at),
        ),
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
