//! One memory in a list.

use apostille_core::{
    branches::OtherVersion,
    memory::{Channel, Layer, Memory, Stage},
    standing_text::describe_other_version,
};
use maud::{Markup, html};

use crate::components::{
    link_with_query, render_badge, render_handle_link, render_relative_time, sanitize_shown_text,
    shorten_shown_text,
};
use apostille_api::request_scope::RequestScope;

/// How much of a fact is put into a list; what is seen of it is cut to three lines.
const FACT: usize = 600;

/// A memory in a list: its handle and verdict in the margin, what it says, where it comes from, how often it was shown, and
/// what more there is to say about it.
pub fn render_memory_row(
    scope: &RequestScope,
    memory: &Memory,
    standing: &str,
    score: Option<f32>,
    more: &Markup,
) -> Markup {
    let mut memory = memory.clone();
    memory.withhold_secret();
    html! {
        li.entry {
            div.margin { (render_handle_link(scope, memory.handle())) (render_badge(standing)) }
            div.body {
                @if let Some(it) = &memory.subject { p.subject dir="auto" { (sanitize_shown_text(it)) } }
                p.fact.clamp dir="auto" { (shorten_shown_text(&memory.fact, FACT)) }
                (render_memory_meta(scope, &memory, score))
                (more)
            }
            div.use { b { (format_shown_count(&memory)) } " shown" }
        }
    }
}

/// Which other version of a memory there is, below its row.
pub(super) fn render_other_version(other: Option<&OtherVersion>) -> Markup {
    html! { @if let Some(it) = other { p.hint { (describe_other_version(it)) } } }
}

/// How often it was shown. Who somebody is, is shown in every session, and nobody counts that.
pub fn format_shown_count(memory: &Memory) -> String {
    match memory.is_active() && memory.layer == Layer::Identity {
        true => "always".into(),
        false => format!("{}×", memory.usage.recalls),
    }
}

fn render_memory_meta(scope: &RequestScope, memory: &Memory, score: Option<f32>) -> Markup {
    let stage = memory.status.stage();
    html! {
        p.meta {
            @if stage != Stage::Active { (render_badge(stage.as_str())) }
            span { (memory.layer) ", " (memory.kind) }
            span { (format_memory_source(memory)) }
            (render_relative_time(scope, memory.recorded_at))
            @if let Some(it) = score { span { "score " (format!("{it:.2}")) } }
            @for it in &memory.tags {
                (render_tag_link(scope, it))
            }
        }
    }
}

/// A tag, and the way to what else has it.
pub fn render_tag_link(scope: &RequestScope, tag: &str) -> Markup {
    html! { a.tag href=(link_with_query(scope, "/", &[("tag", tag)])) { (sanitize_shown_text(tag)) } }
}

/// Who said it, and how it came in.
pub fn format_memory_source(memory: &Memory) -> String {
    let voice = &memory.voice;
    let author = voice.author.as_deref();
    let author = author.map_or_else(String::new, |it| format!(" {}", shorten_shown_text(it, 60)));
    let channel = match voice.channel {
        Channel::Unknown => String::new(),
        known => format!(", by {known}"),
    };
    let outside = match (voice.tainted, voice.exposed) {
        (true, _) => ", from outside",
        (false, true) => ", after words from outside were read",
        (false, false) => "",
    };
    format!("{}{author}{channel}{outside}", voice.origin)
}
