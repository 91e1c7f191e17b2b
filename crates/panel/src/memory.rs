//! One memory: what it says, what proves it, what became of it, and what can be done about it.

mod actions;
pub mod deeds;
pub mod evidence;
mod history;
mod restore;
mod tried;

use apostille_core::format;
use apostille_core::list;
use apostille_core::memory::{Memory, Name};
use apostille_core::verify::Verified;
use apostille_text::secrets::masked;
use maud::{Markup, html};

use super::frame::{Tab, stated};
use super::memories::{how_often, said_by};
use super::parts::{badge, cut, empty, fields, link, said, time, way};
use super::undo;
use apostille_api::Fault;
use apostille_api::json::MemoryDetails;
use apostille_api::visit::{Asked, Reply, Visit};
use deeds::Tried;

pub(super) use actions::places;

/// How much of a fact is the title of its page.
const TITLE: usize = 80;

/// The page of one memory.
pub fn page(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    match named(visit, asked)? {
        Some(memory) => {
            let told = undo::told(visit, asked, &memory.handle().to_string());
            let is_waiting = asked.query("did") == Some("pending");
            show(
                visit,
                memory,
                200,
                &told,
                &Tried::next(if is_waiting { "approve" } else { "" }),
            )
        }
        None => Ok(absent(visit, asked)),
    }
}

/// The memory that the path names.
fn named(visit: &Visit<'_>, asked: &Asked) -> Result<Option<Memory>, Fault> {
    let Ok(name) = asked.part("name").parse::<Name>() else {
        return Ok(None);
    };
    Ok(list::named(visit.cx, &visit.spaces(), name)?)
}

fn absent(visit: &Visit<'_>, asked: &Asked) -> Reply {
    let name = cut(&said(&masked(asked.part("name"))), 60);
    let body = empty(
        "There is no such memory here",
        &html! {
            p { code { (name) } " was never given, was forgotten, or belongs to another repository." }
            p { a href=(link(visit, "/")) { "All memories" } }
        },
    );
    stated(404, visit, Tab::Memories, "Not found", &body)
}

/// The page of a memory, with what is to be said first, and what somebody typed.
fn show(
    visit: &Visit<'_>,
    memory: Memory,
    status: u16,
    first: &Markup,
    tried: &Tried,
) -> Result<Reply, Fault> {
    let mut details = MemoryDetails::of(visit.cx, memory)?;
    let is_withheld = details.memory.memory.withhold_secret();
    let looked_up = &details.memory;
    let memory = &looked_up.memory;
    let body = html! {
        (first)
        (statement(looked_up))
        div.columns {
            div {
                (evidence::section(visit, looked_up, is_withheld))
                (history::section(visit, &details)?)
            }
            aside aria-label="About this memory" {
                div.deeds {
                    h2 { "What can be done" }
                    (actions::section(visit, looked_up, is_withheld, tried)?)
                }
                h2 { "About it" }
                (about(visit, memory))
            }
        }
    };
    let subject = memory.subject.as_deref().unwrap_or(&memory.fact);
    let title = format!(
        "{} {}",
        memory.handle(),
        cut(&one_line(&said(subject)), TITLE)
    );
    Ok(stated(status, visit, Tab::Memories, &title, &body))
}

/// What was sent could be read, and was not done.
const UNPROCESSABLE: u16 = 422;

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn statement(it: &Verified) -> Markup {
    let memory = &it.memory;
    let stage = memory.status.stage();
    html! {
        p.buttons {
            (badge(it.standing()))
            (badge(stage.as_str()))
            @for mark in &memory.marks { (super::parts::toned("warn", "M8 2.5L14 13H2z", mark.as_str())) }
        }
        div.card {
            p.fact.large dir="auto" { (said(&memory.fact)) }
            @if let Some(reason) = &memory.reason { p.hint dir="auto" { "Because: " (said(reason)) } }
            @if let Some(why) = memory.status.why() { p.why { (stage) ": " (said(why)) } }
        }
    }
}

fn about(visit: &Visit<'_>, memory: &Memory) -> Markup {
    let text = |it: String| html! { (it) };
    let optional = |it: &Option<String>| html! { @if let Some(it) = it { (said(it)) } };
    let usage = memory.usage;
    let now = visit.cx.now;
    fields(&[
        ("Layer", text(memory.layer.to_string())),
        ("Kind", text(memory.kind.to_string())),
        ("Status", badge(memory.status.stage().as_str())),
        ("Said by", text(said_by(memory))),
        (
            "Also said by",
            text(
                memory
                    .vouchers
                    .iter()
                    .map(|it| said(it))
                    .collect::<Vec<_>>()
                    .join(", "),
            ),
        ),
        ("Tags", tags(visit, memory)),
        ("Task", optional(&memory.task)),
        ("Session", optional(&memory.voice.session)),
        ("Recorded", time(memory.recorded_at, now)),
        ("Refreshed", time(memory.refreshed_at, now)),
        ("Shown", text(how_often(memory))),
        ("Applied", text(format!("{}×", usage.applied))),
        ("Found to hold", text(format!("{}×", usage.verified))),
        ("Space", text(memory.space.to_string())),
        ("Id", html! { code { (memory.id) } }),
        (
            "SHA-256",
            html! { code { (memory.digest()) } " (format " (format::VERSION) ")" },
        ),
    ])
}

fn tags(visit: &Visit<'_>, memory: &Memory) -> Markup {
    html! {
        @for (n, it) in memory.tags.iter().enumerate() {
            @if n > 0 { " " }
            a.tag href=(way(visit, "/", &[("tag", it)])) { (said(it)) }
        }
    }
}
