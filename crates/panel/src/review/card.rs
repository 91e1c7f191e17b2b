//! One that waits, as a person reads it before deciding.

use apostille_core::memory::{Mark, Memory};
use apostille_core::remember::trusted::INSTRUCTION;
use apostille_core::review::{Care, Waiting};
use apostille_text::moderate;
use maud::{Markup, html};

use super::Failed;
use crate::memories::said_by;
use crate::memory::evidence::place;
use crate::memory::places;
use crate::parts::{area, badge, cut, fields, form, handle, line, said, time};
use apostille_api::pass::Access;
use apostille_api::visit::Visit;

/// How many citations are shown, and how many copies are named.
const CITATIONS: usize = 3;
const COPIES: usize = 5;
const TEXT: usize = 400;

/// Where a card stands in the queue.
pub(super) struct Spot {
    pub(super) at: usize,
    pub(super) from: usize,
    pub(super) of: usize,
}

pub(super) fn card(
    visit: &Visit<'_>,
    it: &Waiting,
    spot: &Spot,
    failed: Option<&Failed<'_>>,
) -> Markup {
    let mut memory = it.memory().clone();
    memory.withhold_secret();
    let id = format!("w-{}", spot.at + 1);
    html! {
        article.card.waiting id=(id) tabindex="-1" aria-labelledby=(format!("{id}-title")) {
            div.head {
                h2 id=(format!("{id}-title")) { (handle(visit, memory.handle())) }
                (badge(it.care.as_str()))
                (badge(it.verified.standing()))
                span.hint { (spot.from + spot.at + 1) " of " (spot.of) }
            }
            @if let Some(failed) = failed { (failed.told) }
            @if let Some(subject) = &memory.subject { p.subject dir="auto" { (said(subject)) } }
            p.fact dir="auto" { (said(&memory.fact)) }
            (told(visit, &memory))
            (evidence(visit, it))
            (known(visit, it, spot))
            @if visit.pass.allows(Access::Review) { (decisions(visit, it, &memory, spot, failed)) }
        }
    }
}

fn told(visit: &Visit<'_>, memory: &Memory) -> Markup {
    let text = |it: &Option<String>| html! { @if let Some(it) = it { (said(it)) } };
    let marks = memory
        .marks
        .iter()
        .map(|it| it.as_str())
        .collect::<Vec<_>>()
        .join(", ");
    html! {
        div.said { (fields(&[
            ("Waits because", html! { (said(&why(memory))) }),
            ("Marked", html! { (marks) }),
            ("Reason given", text(&memory.reason)),
            ("Said by", html! { (said_by(memory)) ", " (time(memory.recorded_at, visit.cx.now)) }),
            ("Kept as", html! { (memory.kind) ", " (memory.layer) " of " (memory.space) }),
            ("Tags", html! { (said(&memory.tags.join(", "))) }),
        ])) }
    }
}

/// Why it waits. What reads like an instruction is said to do so first, whatever else holds it up.
fn why(memory: &Memory) -> String {
    let why = memory.status.why().unwrap_or_default();
    match memory.marks.contains(&Mark::Instruction) && !why.contains(INSTRUCTION) {
        true => format!("{INSTRUCTION}; {why}"),
        false => why.to_owned(),
    }
}

fn evidence(visit: &Visit<'_>, it: &Waiting) -> Markup {
    let citations = &it.memory().citations;
    let more = citations.len().saturating_sub(CITATIONS);
    html! {
        @for (citation, verdict) in citations.iter().zip(&it.verified.verdicts).take(CITATIONS) {
            (place(visit, citation, verdict))
        }
        @if more > 0 { p.hint { "and " (more) " more; " (handle(visit, it.memory().handle())) " shows them" } }
        @if citations.is_empty() { p.hint { "Nothing is cited." } }
        @if !it.unsaid.is_empty() {
            p.against {
                "The lines do not say "
                @for (n, it) in it.unsaid.iter().enumerate() { @if n > 0 { ", " } code { (said(it)) } }
                "."
            }
        }
    }
}

/// What it would replace, what is much like it, and its copies.
fn known(visit: &Visit<'_>, it: &Waiting, spot: &Spot) -> Markup {
    let can_decide = visit.pass.allows(Access::Review);
    let copies = it.copies.len();
    html! {
        @if let Some(old) = &it.replaces {
            p.near { "Would replace " (handle(visit, old.handle())) ": " span dir="auto" { (cut(&said(&old.fact), TEXT)) } }
        }
        @for (n, near) in it.near.iter().enumerate() {
            div.near {
                p { "Much like " (handle(visit, near.handle)) " (" (near.relation.as_str()) "): "
                    span dir="auto" { (cut(&said(&near.fact), TEXT)) } }
                @if can_decide {
                    (form(visit, &path(it, "merge"), &html! {
                        (carried(it, spot))
                        input type="hidden" name="into" value=(near.handle);
                        button.quiet type="submit" data-key=[(n == 0).then_some("m")] { "Merge into " (near.handle) }
                    }))
                }
            }
        }
        @if copies > 0 {
            p.near {
                "Said " (copies + 1) " times in nearly the same words; one decision is for all: "
                @for (n, copy) in it.copies.iter().take(COPIES).enumerate() { @if n > 0 { ", " } (handle(visit, copy.handle())) }
                @if copies > COPIES { " and " (copies - COPIES) " more" }
            }
        }
    }
}

fn path(it: &Waiting, verb: &str) -> String {
    format!("/review/{}/{verb}", it.memory().handle())
}

/// What a decision carries: where it was made, and which copies it is for.
fn carried(it: &Waiting, spot: &Spot) -> Markup {
    let copies: Vec<String> = it.copies.iter().map(|it| it.handle().to_string()).collect();
    html! {
        input type="hidden" name="from" value=(spot.from);
        input type="hidden" name="at" value=(spot.at);
        input type="hidden" name="copies" value=(copies.join(","));
    }
}

fn decisions(
    visit: &Visit<'_>,
    it: &Waiting,
    memory: &Memory,
    spot: &Spot,
    failed: Option<&Failed<'_>>,
) -> Markup {
    // What needs care is not what the eye is led to.
    let is_quiet = it.care > Care::Unproven;
    let accept = html! { (carried(it, spot)) button.quiet[is_quiet] type="submit" data-key="a" { "Accept" } };
    let reason = format!("w{}-reason", spot.at + 1);
    let typed = |name: &str| {
        failed
            .and_then(|it| it.tried.field(name))
            .unwrap_or_default()
            .to_owned()
    };
    let reject = html! {
        (carried(it, spot))
        label.unseen for=(reason) { "Why it is rejected" }
        // The key leads here and not to the button: whoever types why must not do anything else by it.
        input type="text" id=(reason) name="reason" value=(typed("reason")) placeholder="why, if you like" autocomplete="off" data-key="r";
        button.danger type="submit" { "Reject" }
    };
    html! {
        div.decide { (form(visit, &path(it, "accept"), &accept)) (form(visit, &path(it, "reject"), &reject)) }
        (edit(visit, it, memory, spot, failed))
    }
}

fn edit(
    visit: &Visit<'_>,
    it: &Waiting,
    memory: &Memory,
    spot: &Spot,
    failed: Option<&Failed<'_>>,
) -> Markup {
    let is_open = failed.is_some_and(|it| it.tried.field("fact").is_some());
    let id = |name: &str| format!("w{}e-{name}", spot.at + 1);
    let text = |name: &str, now: &str| {
        let typed = failed
            .filter(|_| is_open)
            .and_then(|it| it.tried.field(name));
        typed.map_or_else(|| moderate::neutralised(now), Into::into)
    };
    let body = html! {
        (carried(it, spot))
        p { "Your words take the place of what waits, on your word, and agents are shown them from now on." }
        (area(&id("fact"), "Fact", &text("fact", &memory.fact), 3, ""))
        (line(&id("subject"), "Subject", &text("subject", memory.subject.as_deref().unwrap_or_default()), ""))
        (line(&id("reason"), "Reason", &text("reason", memory.reason.as_deref().unwrap_or_default()), ""))
        (area(&id("citations"), "Citations", &text("citations", &places(&it.verified)), 2, "one place a line, such as src/api.rs:12-18; left empty, those that still hold stay"))
        button type="submit" { "Keep these words" }
    };
    html! { details.act data-key="e" open[is_open] { summary { "Edit" } (form(visit, &path(it, "edit"), &body)) } }
}
