//! One that waits, as a person reads it before deciding.

use apostille_audit::review::{ReviewCare, ReviewItem};
use apostille_core::memory::{Mark, Memory};
use apostille_core::remember::quarantine::INSTRUCTION;
use apostille_text::moderate;
use maud::{Markup, html};

use super::FailedDecision;
use crate::components::{
    render_badge, render_field_list, render_handle_link, render_post_form, render_relative_time,
    render_text_input, render_textarea, sanitize_shown_text, truncate_shown_text,
};
use crate::memories::format_memory_source;
use crate::memory::evidence::render_cited_place;
use crate::memory::format_current_places;
use apostille_api::access_token::Access;
use apostille_api::request_scope::RequestScope;

/// How many citations are shown, and how many copies are named.
const CITATIONS: usize = 3;
const COPIES: usize = 5;
const TEXT: usize = 400;

/// Where a card stands in the queue.
pub(super) struct QueuePosition {
    pub(super) at: usize,
    pub(super) from: usize,
    pub(super) of: usize,
}

pub(super) fn render_review_card(
    visit: &RequestScope<'_>,
    it: &ReviewItem,
    spot: &QueuePosition,
    failed: Option<&FailedDecision<'_>>,
) -> Markup {
    let mut memory = it.memory().clone();
    memory.withhold_secret();
    let id = format!("w-{}", spot.at + 1);
    html! {
        article.card.waiting id=(id) tabindex="-1" aria-labelledby=(format!("{id}-title")) {
            div.head {
                h2 id=(format!("{id}-title")) { (render_handle_link(visit, memory.handle())) }
                (render_badge(it.care.as_str()))
                (render_badge(it.verified.standing()))
                span.hint { (spot.from + spot.at + 1) " of " (spot.of) }
            }
            @if let Some(failed) = failed { (failed.told) }
            @if let Some(subject) = &memory.subject { p.subject dir="auto" { (sanitize_shown_text(subject)) } }
            p.fact dir="auto" { (sanitize_shown_text(&memory.fact)) }
            (render_waiting_fields(visit, &memory))
            (render_waiting_evidence(visit, it))
            (render_waiting_relations(visit, it, spot))
            @if visit.pass.allows_access(Access::Review) { (render_decision_forms(visit, it, &memory, spot, failed)) }
        }
    }
}

fn render_waiting_fields(visit: &RequestScope<'_>, memory: &Memory) -> Markup {
    let text = |it: &Option<String>| html! { @if let Some(it) = it { (sanitize_shown_text(it)) } };
    let marks = memory
        .marks
        .iter()
        .map(|it| it.as_str())
        .collect::<Vec<_>>()
        .join(", ");
    html! {
        div.said { (render_field_list(&[
            ("Waits because", html! { (sanitize_shown_text(&explain_waiting(memory))) }),
            ("Marked", html! { (marks) }),
            ("Reason given", text(&memory.reason)),
            ("Said by", html! { (format_memory_source(memory)) ", " (render_relative_time(memory.recorded_at, visit.cx.now)) }),
            ("Kept as", html! { (memory.kind) ", " (memory.layer) " of " (memory.space) }),
            ("Tags", html! { (sanitize_shown_text(&memory.tags.join(", "))) }),
        ])) }
    }
}

/// Why it waits. What reads like an instruction is said to do so first, whatever else holds it up.
fn explain_waiting(memory: &Memory) -> String {
    let why = memory.status.why().unwrap_or_default();
    match memory.marks.contains(&Mark::Instruction) && !why.contains(INSTRUCTION) {
        true => format!("{INSTRUCTION}; {why}"),
        false => why.to_owned(),
    }
}

fn render_waiting_evidence(visit: &RequestScope<'_>, it: &ReviewItem) -> Markup {
    let citations = &it.memory().citations;
    let more = citations.len().saturating_sub(CITATIONS);
    html! {
        @for (citation, verdict) in citations.iter().zip(&it.verified.verdicts).take(CITATIONS) {
            (render_cited_place(visit, citation, verdict))
        }
        @if more > 0 { p.hint { "and " (more) " more; " (render_handle_link(visit, it.memory().handle())) " shows them" } }
        @if citations.is_empty() { p.hint { "Nothing is cited." } }
        @if !it.unsaid.is_empty() {
            p.against {
                "The lines do not say "
                @for (n, it) in it.unsaid.iter().enumerate() { @if n > 0 { ", " } code { (sanitize_shown_text(it)) } }
                "."
            }
        }
    }
}

/// What it would replace, what is much like it, and its copies.
fn render_waiting_relations(
    visit: &RequestScope<'_>,
    it: &ReviewItem,
    spot: &QueuePosition,
) -> Markup {
    let can_decide = visit.pass.allows_access(Access::Review);
    let copies = it.copies.len();
    html! {
        @if let Some(old) = &it.replaces {
            p.near { "Would replace " (render_handle_link(visit, old.handle())) ": " span dir="auto" { (truncate_shown_text(&sanitize_shown_text(&old.fact), TEXT)) } }
        }
        @for (n, near) in it.near.iter().enumerate() {
            div.near {
                p { "Much like " (render_handle_link(visit, near.handle)) " (" (near.relation.as_str()) "): "
                    span dir="auto" { (truncate_shown_text(&sanitize_shown_text(&near.fact), TEXT)) } }
                @if can_decide {
                    (render_post_form(visit, &build_review_path(it, "merge"), &html! {
                        (render_decision_fields(it, spot))
                        input type="hidden" name="into" value=(near.handle);
                        button.quiet type="submit" data-key=[(n == 0).then_some("m")] { "Merge into " (near.handle) }
                    }))
                }
            }
        }
        @if copies > 0 {
            p.near {
                "Said " (copies + 1) " times in nearly the same words; one decision is for all: "
                @for (n, copy) in it.copies.iter().take(COPIES).enumerate() { @if n > 0 { ", " } (render_handle_link(visit, copy.handle())) }
                @if copies > COPIES { " and " (copies - COPIES) " more" }
            }
        }
    }
}

fn build_review_path(it: &ReviewItem, verb: &str) -> String {
    format!("/review/{}/{verb}", it.memory().handle())
}

/// What a decision carries: where it was made, and which copies it is for.
fn render_decision_fields(it: &ReviewItem, spot: &QueuePosition) -> Markup {
    let copies: Vec<String> = it.copies.iter().map(|it| it.handle().to_string()).collect();
    html! {
        input type="hidden" name="from" value=(spot.from);
        input type="hidden" name="at" value=(spot.at);
        input type="hidden" name="copies" value=(copies.join(","));
    }
}

fn render_decision_forms(
    visit: &RequestScope<'_>,
    it: &ReviewItem,
    memory: &Memory,
    spot: &QueuePosition,
    failed: Option<&FailedDecision<'_>>,
) -> Markup {
    // What needs care is not what the eye is led to.
    let is_quiet = it.care > ReviewCare::Unproven;
    let accept = html! { (render_decision_fields(it, spot)) button.quiet[is_quiet] type="submit" data-key="a" { "Accept" } };
    let reason = format!("w{}-reason", spot.at + 1);
    let typed = |name: &str| {
        failed
            .and_then(|it| it.tried.field(name))
            .unwrap_or_default()
            .to_owned()
    };
    let reject = html! {
        (render_decision_fields(it, spot))
        label.unseen for=(reason) { "Why it is rejected" }
        // The key leads here and not to the button: whoever types why must not do anything else by it.
        input type="text" id=(reason) name="reason" value=(typed("reason")) placeholder="why, if you like" autocomplete="off" data-key="r";
        button.danger type="submit" { "Reject" }
    };
    html! {
        div.decide { (render_post_form(visit, &build_review_path(it, "accept"), &accept)) (render_post_form(visit, &build_review_path(it, "reject"), &reject)) }
        (render_review_edit_form(visit, it, memory, spot, failed))
    }
}

fn render_review_edit_form(
    visit: &RequestScope<'_>,
    it: &ReviewItem,
    memory: &Memory,
    spot: &QueuePosition,
    failed: Option<&FailedDecision<'_>>,
) -> Markup {
    let is_open = failed.is_some_and(|it| it.tried.field("fact").is_some());
    let id = |name: &str| format!("w{}e-{name}", spot.at + 1);
    let text = |name: &str, now: &str| {
        let typed = failed
            .filter(|_| is_open)
            .and_then(|it| it.tried.field(name));
        typed.map_or_else(|| moderate::neutralise_text(now), Into::into)
    };
    let body = html! {
        (render_decision_fields(it, spot))
        p { "Your words take the place of what waits, on your word, and agents are shown them from now on." }
        (render_textarea(&id("fact"), "Fact", &text("fact", &memory.fact), 3, ""))
        (render_text_input(&id("subject"), "Subject", &text("subject", memory.subject.as_deref().unwrap_or_default()), ""))
        (render_text_input(&id("reason"), "Reason", &text("reason", memory.reason.as_deref().unwrap_or_default()), ""))
        (render_textarea(&id("citations"), "Citations", &text("citations", &format_current_places(&it.verified)), 2, "one place a line, such as src/api.rs:12-18; left empty, those that still hold stay"))
        button type="submit" { "Keep these words" }
    };
    html! { details.act data-key="e" open[is_open] { summary { "Edit" } (render_post_form(visit, &build_review_path(it, "edit"), &body)) } }
}
