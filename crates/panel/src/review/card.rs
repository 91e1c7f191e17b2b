//! One that waits, as a person reads it before deciding.

use apostille_audit::review::{ReviewCare, ReviewItem};
use apostille_core::{
    memory::{Memory, ModerationMark},
    remember::quarantine::INSTRUCTION,
};
use apostille_text::moderate;
use maud::{Markup, html};

use crate::{
    components::{
        can_review, render_badge, render_field_list, render_handle_link, render_post_form,
        render_relative_time, render_text_input, render_textarea, sanitize_shown_text,
        shorten_shown_text,
    },
    memories::format_memory_source,
    memory::{
        evidence::{render_cited_place, render_values_against},
        format_current_places,
    },
    submitted_form::SubmittedForm,
};
use apostille_api::request_scope::RequestScope;

/// How many citations are shown, and how many copies are named.
const CITATIONS: usize = 3;
const COPIES: usize = 5;
const TEXT: usize = 400;

/// One that waits, and where it stands in the queue.
pub(super) struct ReviewCard<'a> {
    pub(super) scope: &'a RequestScope<'a>,
    pub(super) item: &'a ReviewItem,
    pub(super) at: usize,
    pub(super) from: usize,
    pub(super) of: usize,
    /// What somebody tried to do about it, and why that was not done.
    pub(super) failed: Option<(&'a SubmittedForm, &'a Markup)>,
}

impl ReviewCard<'_> {
    pub(super) fn render_card(&self) -> Markup {
        let mut memory = self.item.memory().clone();
        memory.withhold_secret();
        let id = format!("w-{}", self.at + 1);
        let title = format!("{id}-title");
        html! {
            article.card.waiting id=(id) tabindex="-1" aria-labelledby=(title) {
                div.head {
                    h2 id=(title) { (render_handle_link(self.scope, memory.handle())) }
                    (render_badge(self.item.care.as_str()))
                    (render_badge(self.item.verified.standing().as_str()))
                    span.hint { (self.from + self.at + 1) " of " (self.of) }
                }
                @if let Some((_, told)) = self.failed { (told) }
                @if let Some(subject) = &memory.subject { p.subject dir="auto" { (sanitize_shown_text(subject)) } }
                p.fact dir="auto" { (sanitize_shown_text(&memory.fact)) }
                (self.render_fields(&memory))
                (self.render_evidence())
                (self.render_relations())
                @if can_review(self.scope) { (self.render_decisions()) (self.render_edit_form(&memory)) }
            }
        }
    }

    fn render_fields(&self, memory: &Memory) -> Markup {
        let marks: Vec<&str> = memory.marks.iter().map(|it| it.as_str()).collect();
        let reason = memory.reason.as_deref().unwrap_or_default();
        html! {
            div.said { (render_field_list(&[
                ("Waits because", html! { (sanitize_shown_text(&explain_waiting(memory))) }),
                ("Marked", html! { (marks.join(", ")) }),
                ("Reason given", html! { (sanitize_shown_text(reason)) }),
                ("Said by", html! { (format_memory_source(memory)) ", " (render_relative_time(self.scope, memory.recorded_at)) }),
                ("Kept as", html! { (memory.kind) ", " (memory.layer) " of " (memory.space) }),
                ("Tags", html! { (sanitize_shown_text(&memory.tags.join(", "))) }),
            ])) }
        }
    }

    fn render_evidence(&self) -> Markup {
        let citations = &self.item.memory().citations;
        let more = citations.len().saturating_sub(CITATIONS);
        html! {
            @for (citation, verdict) in citations.iter().zip(&self.item.verified.verdicts).take(CITATIONS) {
                (render_cited_place(self.scope, citation, verdict))
            }
            @if more > 0 { p.hint { "and " (more) " more; " (render_handle_link(self.scope, self.item.memory().handle())) " shows them" } }
            @if citations.is_empty() { p.hint { "Nothing is cited." } }
            (render_values_against("The lines do not say ", &self.item.unsaid))
        }
    }

    /// What it would replace, what is much like it, and its copies.
    fn render_relations(&self) -> Markup {
        let (scope, it) = (self.scope, self.item);
        let copies = it.copies.len();
        html! {
            @if let Some(old) = &it.replaces {
                p.near { "Would replace " (render_handle_link(scope, old.handle())) ": " span dir="auto" { (shorten_shown_text(&old.fact, TEXT)) } }
            }
            @for (n, near) in it.near.iter().enumerate() {
                div.near {
                    p { "Much like " (render_handle_link(scope, near.handle)) " (" (near.relation.as_str()) "): "
                        span dir="auto" { (shorten_shown_text(&near.fact, TEXT)) } }
                    @if can_review(scope) {
                        (self.render_decision_form("merge", &html! {
                            input type="hidden" name="into" value=(near.handle);
                            button.quiet type="submit" data-key=[(n == 0).then_some("m")] { "Merge into " (near.handle) }
                        }))
                    }
                }
            }
            @if copies > 0 {
                p.near {
                    "Said " (copies + 1) " times in nearly the same words; one decision is for all: "
                    @for (n, copy) in it.copies.iter().take(COPIES).enumerate() { @if n > 0 { ", " } (render_handle_link(scope, copy.handle())) }
                    @if copies > COPIES { " and " (copies - COPIES) " more" }
                }
            }
        }
    }

    /// A form that decides. It carries where that was done, and which copies it is for.
    fn render_decision_form(&self, verb: &str, body: &Markup) -> Markup {
        let copies = self.item.copies.iter().map(|it| it.handle().to_string());
        let path = format!("/review/{}/{verb}", self.item.memory().handle());
        let body = html! {
            input type="hidden" name="from" value=(self.from);
            input type="hidden" name="at" value=(self.at);
            input type="hidden" name="copies" value=(copies.collect::<Vec<_>>().join(","));
            (body)
        };
        render_post_form(self.scope, &path, &body)
    }

    /// What was typed into a field, where that was not done.
    fn typed_value(&self, name: &str) -> Option<&str> {
        self.failed?.0.field(name)
    }

    fn render_decisions(&self) -> Markup {
        // What needs care is not what the eye is led to.
        let is_quiet = self.item.care > ReviewCare::Unproven;
        let reason = format!("w{}-reason", self.at + 1);
        html! {
            div.decide {
                (self.render_decision_form("accept", &html! { button.quiet[is_quiet] type="submit" data-key="a" { "Accept" } }))
                (self.render_decision_form("reject", &html! {
                    label.unseen for=(reason) { "Why it is rejected" }
                    // The key leads here and not to the button: whoever types why must not do anything else by it.
                    input type="text" id=(reason) name="reason" value=(self.typed_value("reason").unwrap_or_default()) placeholder="why, if you like" autocomplete="off" data-key="r";
                    button.danger type="submit" { "Reject" }
                }))
            }
        }
    }

    fn render_edit_form(&self, memory: &Memory) -> Markup {
        let is_open = self.typed_value("fact").is_some();
        let id = |name: &str| format!("w{}e-{name}", self.at + 1);
        let text = |name: &str, now: &str| {
            let typed = self.typed_value(name).filter(|_| is_open);
            typed.map_or_else(|| moderate::neutralise_text(now), Into::into)
        };
        let body = html! {
            p { "Your words replace the pending memory, and agents are shown them from now on." }
            (render_textarea(&id("fact"), "Fact", &text("fact", &memory.fact), 3, ""))
            (render_text_input(&id("subject"), "Subject", &text("subject", memory.subject.as_deref().unwrap_or_default()), ""))
            (render_text_input(&id("reason"), "Reason", &text("reason", memory.reason.as_deref().unwrap_or_default()), ""))
            (render_textarea(&id("citations"), "Citations", &text("citations", &format_current_places(&self.item.verified)), 2, "one place a line, such as src/api.rs:12-18; left empty, those that still hold stay"))
            button type="submit" { "Keep these words" }
        };
        html! { details.act data-key="e" open[is_open] { summary { "Edit" } (self.render_decision_form("edit", &body)) } }
    }
}

/// Why it waits. What reads like an instruction is said to do so first, whatever else holds it up.
fn explain_waiting(memory: &Memory) -> String {
    let why = memory.status.why().unwrap_or_default();
    match memory.marks.contains(&ModerationMark::Instruction) && !why.contains(INSTRUCTION) {
        true => format!("{INSTRUCTION}; {why}"),
        false => why.to_owned(),
    }
}
