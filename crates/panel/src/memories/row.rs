//! One memory in a list.

use apostille_core::memory::{Channel, Layer, Memory, Stage};
use apostille_core::verify::Verified;
use maud::{Markup, html};

use crate::parts::{badge, cut, handle, said, time, way};
use apostille_api::visit::Visit;

/// How much of a fact is put into a list; what is seen of it is cut to three lines.
const FACT: usize = 600;

/// A memory in a list: its handle and verdict in the margin, what it says, where it comes from, and how often it was shown.
#[must_use]
pub fn row(visit: &Visit<'_>, it: &Verified, score: Option<f32>) -> Markup {
    row_with(visit, it, score, &html! {})
}

/// The same with more to say about it.
#[must_use]
pub fn row_with(visit: &Visit<'_>, it: &Verified, score: Option<f32>, more: &Markup) -> Markup {
    let mut memory = it.memory.clone();
    memory.withhold_secret();
    html! {
        li.entry {
            div.margin { (handle(visit, memory.handle())) (badge(it.standing())) }
            div.body {
                @if let Some(it) = &memory.subject { p.subject dir="auto" { (said(it)) } }
                p.fact.clamp dir="auto" { (cut(&said(&memory.fact), FACT)) }
                (meta(visit, &memory, score))
                (more)
            }
            div.use { b { (how_often(&memory)) } " shown" }
        }
    }
}

/// How often it was shown. Who somebody is, is shown in every session, and nobody counts that.
#[must_use]
pub fn how_often(memory: &Memory) -> String {
    match memory.is_active() && memory.layer == Layer::Identity {
        true => "always".into(),
        false => format!("{}×", memory.usage.recalls),
    }
}

fn meta(visit: &Visit<'_>, memory: &Memory, score: Option<f32>) -> Markup {
    let stage = memory.status.stage();
    html! {
        p.meta {
            @if stage != Stage::Active { (badge(stage.as_str())) }
            span { (memory.layer) ", " (memory.kind) }
            span { (said_by(memory)) }
            (time(memory.recorded_at, visit.cx.now))
            @if let Some(it) = score { span { "score " (format!("{it:.2}")) } }
            @for it in &memory.tags {
                a.tag href=(way(visit, "/", &[("tag", it)])) { (said(it)) }
            }
        }
    }
}

/// Who said it, and how it came in.
#[must_use]
pub fn said_by(memory: &Memory) -> String {
    let voice = &memory.voice;
    let author = voice
        .author
        .as_deref()
        .map(|it| format!(" {}", cut(&said(it), 60)))
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
