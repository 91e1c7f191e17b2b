//! One memory in a list.

use apostille_core::memory::{Channel, Layer, Memory, Stage};
use apostille_core::verify::VerifiedMemory;
use maud::{Markup, html};

use crate::components::{
    link_with_query, render_badge, render_handle_link, render_relative_time, sanitize_shown_text,
    truncate_shown_text,
};
use apostille_api::request_scope::RequestScope;

/// How much of a fact is put into a list; what is seen of it is cut to three lines.
const FACT: usize = 600;

/// A memory in a list: its handle and verdict in the margin, what it says, where it comes from, and how often it was shown.
#[must_use]
pub fn render_memory_row(
    visit: &RequestScope<'_>,
    it: &VerifiedMemory,
    score: Option<f32>,
) -> Markup {
    render_memory_row_with_extra(visit, it, score, &html! {})
}

/// The same with more to say about it.
#[must_use]
pub fn render_memory_row_with_extra(
    visit: &RequestScope<'_>,
    it: &VerifiedMemory,
    score: Option<f32>,
    more: &Markup,
) -> Markup {
    let mut memory = it.memory.clone();
    memory.withhold_secret();
    html! {
        li.entry {
            div.margin { (render_handle_link(visit, memory.handle())) (render_badge(it.standing())) }
            div.body {
                @if let Some(it) = &memory.subject { p.subject dir="auto" { (sanitize_shown_text(it)) } }
                p.fact.clamp dir="auto" { (truncate_shown_text(&sanitize_shown_text(&memory.fact), FACT)) }
                (render_memory_meta(visit, &memory, score))
                (more)
            }
            div.use { b { (format_shown_count(&memory)) } " shown" }
        }
    }
}

/// How often it was shown. Who somebody is, is shown in every session, and nobody counts that.
#[must_use]
pub fn format_shown_count(memory: &Memory) -> String {
    match memory.is_active() && memory.layer == Layer::Identity {
        true => "always".into(),
        false => format!("{}×", memory.usage.recalls),
    }
}

fn render_memory_meta(visit: &RequestScope<'_>, memory: &Memory, score: Option<f32>) -> Markup {
    let stage = memory.status.stage();
    html! {
        p.meta {
            @if stage != Stage::Active { (render_badge(stage.as_str())) }
            span { (memory.layer) ", " (memory.kind) }
            span { (format_memory_source(memory)) }
            (render_relative_time(memory.recorded_at, visit.cx.now))
            @if let Some(it) = score { span { "score " (format!("{it:.2}")) } }
            @for it in &memory.tags {
                a.tag href=(link_with_query(visit, "/", &[("tag", it)])) { (sanitize_shown_text(it)) }
            }
        }
    }
}

/// Who said it, and how it came in.
#[must_use]
pub fn format_memory_source(memory: &Memory) -> String {
    let voice = &memory.voice;
    let author = voice
        .author
        .as_deref()
        .map(|it| format!(" {}", truncate_shown_text(&sanitize_shown_text(it), 60)))
        .unwrap_or_default();
    let channel = Some(voice.channel).filter(|it| *it != Channel::Unknown);
    let channel = channel.map(|it| format!(", by {it}")).unwrap_or_default();
    let outside = match (voice.tainted, voice.exposed) {
        (true, _) => ", from outside",
        (false, true) => ", after words from outside were read",
        (false, false) => "",
    };
    format!("{}{author}{channel}{outside}", voice.origin)
}
