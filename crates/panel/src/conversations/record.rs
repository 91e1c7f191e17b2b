//! One conversation: who said what, in order; what can be kept of it, and what forgotten.

use apostille_core::{
    archive::{ArchiveHandle, ArchivePassage, ArchiveRecord, PassageSpeaker},
    memory::{Kind, Memory},
    speaker::PersonVerb,
};
use jiff::Timestamp;
use maud::{Markup, html};

use super::{
    NAME, NamedConversation, find_record_in_path, render_conversation_link, render_day,
    render_exposed_badge, render_missing_conversation,
};
use crate::{
    PanelResult,
    components::{
        can_review, link_to_named_page, link_to_page, pluralize_count, render_checkbox,
        render_field_list, render_handle_link, render_notice, render_post_form,
        render_relative_time, render_select, render_text_input, render_textarea,
        render_word_select, sanitize_shown_text, shorten_shown_text,
    },
    frame::{PanelTab, render_page_with_status},
    submitted_form::SubmittedForm,
    undo,
};
use apostille_api::{
    access_token::Access,
    request_scope::{RequestInput, RequestScope},
    said::{list_quoting_episodes, list_resting_memories},
};

/// One conversation.
pub fn render_conversation_page(scope: &RequestScope, asked: &RequestInput) -> PanelResult {
    let Some(named) = find_record_in_path(scope, asked)? else {
        return render_missing_conversation(scope);
    };
    let told = undo::render_done_notice(scope, asked, "");
    named.render_page(scope, 200, &told, &SubmittedForm::default())
}

/// What depends on a conversation.
struct DependentMemories {
    /// Forgotten with it.
    episodes: Vec<Memory>,
    /// Kept for themselves.
    resting: Vec<Memory>,
}

impl NamedConversation<'_> {
    /// The page, with what is to be said first, and what somebody typed.
    pub(super) fn render_page(
        &self,
        scope: &RequestScope,
        status: u16,
        first: &Markup,
        tried: &SubmittedForm,
    ) -> PanelResult {
        let record = &self.record;
        let (store, spaces) = (scope.cx.store, scope.reachable_spaces());
        let own = std::slice::from_ref(record);
        let depending = DependentMemories {
            episodes: list_quoting_episodes(store, scope.caller.repo, own)?,
            resting: list_resting_memories(store, &spaces, record, None)?,
        };
        let numbers: Vec<u64> = record.related.iter().copied().collect();
        let related = self.archive.read_records(&numbers)?;
        let body = html! {
            p { a href=(link_to_page(scope, "/conversations")) { "← All conversations" } }
            (first)
            (render_later_notice(scope, record, &related))
            (render_record_fields(scope, record, &related, &depending))
            h2 { "What was said" }
            ol.moments { @for it in &record.passages { (self.render_passage(scope, it, &depending, tried)) } }
            @if can_forget(scope, &depending) {
                div.card.narrow { (self.render_forget_form(scope, None, &depending, tried)) }
            }
        };
        let title = format!("Conversation {}", ArchiveHandle::record(record.number));
        render_page_with_status(status, scope, PanelTab::Conversations, &title, &body)
    }

    fn render_passage(
        &self,
        scope: &RequestScope,
        it: &ArchivePassage,
        depending: &DependentMemories,
        tried: &SubmittedForm,
    ) -> Markup {
        let is_own = it.speaker == PassageSpeaker::User && !it.text.is_empty();
        html! {
            li.moment id=(format!("p-{}", it.number)) {
                p.meta {
                    b { (describe_speaker(it.speaker)) }
                    span.handle { (self.record.passage_handle(it.number)) }
                    (render_relative_time(scope, it.at))
                }
                @if !it.text.is_empty() { p.fact dir="auto" { (sanitize_shown_text(&it.text)) } }
                @if let Some(pasted) = &it.pasted {
                    p.hint { "Pasted along with it, another's words:" }
                    pre.plain-text dir="auto" tabindex="0" role="group" aria-label="What was pasted" { (sanitize_shown_text(pasted)) }
                }
                @if is_own && scope.token.allows_access(Access::Write) { (self.render_remember_form(scope, it, tried)) }
                @if can_forget(scope, depending) { (self.render_forget_form(scope, Some(it.number), depending, tried)) }
            }
        }
    }

    /// What was typed for this passage, or for the whole conversation.
    fn typed<'t>(
        &self,
        tried: &'t SubmittedForm,
        verb: &str,
        passage: Option<u32>,
    ) -> TypedForm<'t> {
        let is_meant = tried.verb == verb && self.handle.passage == passage;
        TypedForm(is_meant.then_some(tried))
    }

    fn render_remember_form(
        &self,
        scope: &RequestScope,
        it: &ArchivePassage,
        tried: &SubmittedForm,
    ) -> Markup {
        let typed = self.typed(tried, "remember", Some(it.number));
        let id = |field: &str| format!("remember{}-{field}", it.number);
        let words = sanitize_shown_text(&it.text);
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        let whose = [
            ("repo", "this repository's"),
            ("user", "mine, in every repository"),
        ];
        let body = html! {
            p { "It is kept as your word of that day, and agents are shown it from now on." @if can_review(scope) { " It can be taken back." } }
            (render_textarea(&id("fact"), "Fact", typed.field("fact").unwrap_or(&words), 3, "in a sentence that is understood by itself"))
            (render_text_input(&id("subject"), "Subject", typed.field("subject").unwrap_or_default(), "a brief topic"))
            div.grid {
                (render_select(&id("whose"), "Whose is it?", "found out", whose, typed.field("whose").unwrap_or_default()))
                (render_word_select(&id("kind"), "Kind", "found out", Kind::ALL, typed.field("kind").unwrap_or_default()))
            }
            button.main type="submit" { "Remember" }
        };
        let handle = self.record.passage_handle(it.number);
        html! {
            details.act open[typed.is_open()] {
                summary { "Remember this" }
                (render_post_form(scope, &format!("/conversations/{handle}/remember"), &body))
            }
        }
    }

    /// Forgets a passage, or all of it.
    fn render_forget_form(
        &self,
        scope: &RequestScope,
        passage: Option<u32>,
        depending: &DependentMemories,
        tried: &SubmittedForm,
    ) -> Markup {
        let typed = self.typed(tried, "forget", passage);
        let handle = ArchiveHandle {
            passage,
            ..ArchiveHandle::record(self.record.number)
        };
        let (title, what) = match passage {
            Some(_) => ("Forget this", "Removes these words"),
            None => (
                "Forget the whole conversation",
                "Removes all that was said in it",
            ),
        };
        let id = match passage {
            Some(number) => format!("forget{number}-sure"),
            None => "forget-sure".to_owned(),
        };
        let body = html! {
            p { (what) ", the index included; no byte of it is left, and it is not kept again. This cannot be undone." }
            @if !depending.episodes.is_empty() { p { "Forgotten with it, because it quotes it: " (render_handle_list(scope, &depending.episodes)) } }
            @if !depending.resting.is_empty() { p { "Kept for itself, and not forgotten with it: " (render_handle_list(scope, &depending.resting)) } }
            (render_checkbox(&id, "I know that this cannot be undone", false))
            button.danger type="submit" { "Forget for good" }
        };
        html! {
            details.act open[typed.is_open()] {
                summary { (title) }
                (render_post_form(scope, &format!("/conversations/{handle}/forget"), &body))
            }
        }
    }
}

/// What was typed into a form, where it is the form that was sent.
struct TypedForm<'t>(Option<&'t SubmittedForm>);

impl<'t> TypedForm<'t> {
    fn field(&self, name: &str) -> Option<&'t str> {
        self.0.and_then(|it| it.field(name))
    }

    fn is_open(&self) -> bool {
        self.0.is_some()
    }
}

/// Only a person forgets what a person said, with the episodes that quote it.
fn can_forget(scope: &RequestScope, depending: &DependentMemories) -> bool {
    let mut episodes = depending.episodes.iter();
    can_review(scope)
        && scope.person().is_some()
        && episodes.all(|it| scope.speaker().can_decide(PersonVerb::Forget, it))
}

fn render_handle_list(scope: &RequestScope, memories: &[Memory]) -> Markup {
    html! {
        @for (n, it) in memories.iter().enumerate() { @if n > 0 { ", " } (render_handle_link(scope, it.handle())) }
    }
}

fn describe_speaker(speaker: PassageSpeaker) -> &'static str {
    match speaker {
        PassageSpeaker::User => "You",
        PassageSpeaker::Agent => "Agent",
        PassageSpeaker::Author => "Author",
    }
}

/// What was said may have been amended since.
fn render_later_notice(
    scope: &RequestScope,
    record: &ArchiveRecord,
    related: &[ArchiveRecord],
) -> Markup {
    let later = related.iter().filter(|it| it.ended_at > record.ended_at);
    let later: Vec<&ArchiveRecord> = later.collect();
    let body = html! {
        p { strong { "You spoke about the same thing later: " } (render_record_links(scope, &later)) ". What was said there goes before this." }
    };
    html! { @if !later.is_empty() { (render_notice("plain", &body)) } }
}

fn render_record_links(scope: &RequestScope, records: &[&ArchiveRecord]) -> Markup {
    html! {
        @for (n, it) in records.iter().enumerate() {
            @if n > 0 { ", " }
            (render_conversation_link(scope, ArchiveHandle::record(it.number))) " (" (render_day(it)) ")"
        }
    }
}

fn render_record_fields(
    scope: &RequestScope,
    record: &ArchiveRecord,
    related: &[ArchiveRecord],
    depending: &DependentMemories,
) -> Markup {
    let name = |it: &Option<String>| html! { @if let Some(it) = it { span dir="auto" { (shorten_shown_text(it, NAME)) } } };
    let earlier = related.iter().filter(|it| it.ended_at <= record.ended_at);
    let earlier: Vec<&ArchiveRecord> = earlier.collect();
    let passages = pluralize_count(record.passages.len() as u64, "passage", "passages");
    let chars = pluralize_count(record.count_chars() as u64, "character", "characters");
    let minute = |at: Timestamp| at.strftime("%Y-%m-%d %H:%M").to_string();
    let (began, ended) = (minute(record.started_at), minute(record.ended_at));
    let span = match began == ended {
        true => format!("{began} UTC"),
        false => format!("{began} to {ended} UTC"),
    };
    render_field_list(&[
        ("When", html! { (span) }),
        ("Client", name(&record.author)),
        (
            "Session",
            html! { a href=(link_to_named_page(scope, "/sessions", &record.name)) { (shorten_shown_text(&record.name, NAME)) } },
        ),
        ("Task", name(&record.task)),
        ("Branch", name(&record.branch)),
        (
            "Changed",
            html! { @for (n, it) in record.paths.iter().enumerate() { @if n > 0 { ", " } code { (sanitize_shown_text(it.as_str())) } } },
        ),
        ("Size", html! { (passages) ", " (chars) }),
        (
            "From outside",
            html! { @if record.is_exposed { (render_exposed_badge()) " The session had read them. What the agent said after that is not kept." } },
        ),
        ("Said before", render_record_links(scope, &earlier)),
        ("Episode", render_handle_list(scope, &depending.episodes)),
        (
            "Remembered from it",
            render_handle_list(scope, &depending.resting),
        ),
    ])
}
