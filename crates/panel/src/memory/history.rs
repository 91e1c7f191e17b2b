//! What became of a memory: what it replaced, what happened to it, and where it was shown.

use apostille_agents::session::{AgentSession, Moment, SessionEntry};
use apostille_core::{
    event::{EventBody, LoggedEvent},
    memory::{Memory, MemoryId, Stage},
    verify::VerifiedMemory,
};
use maud::{Markup, html};

use crate::{
    PanelResult,
    components::{
        format_shown_fact, link_to_named_page, render_badge, render_handle_link,
        render_relative_time, shorten_shown_text,
    },
};
use apostille_api::{
    json::{MemoryDetails, read_memory_history},
    request_scope::RequestScope,
};

/// How much of a text in the log is shown.
const TEXT: usize = 200;
/// How many sessions are looked through.
const SESSIONS: usize = 50;

pub(super) fn render_memory_history(
    scope: &RequestScope,
    details: &MemoryDetails,
) -> PanelResult<Markup> {
    let (memory, uses) = (&details.memory.memory, &details.history);
    let changes = read_memory_history(scope.cx.store, memory, true)?;
    Ok(html! {
        (render_related_memories(scope, "Replaced by", &details.newer)) (render_related_memories(scope, "Replaces", &details.older))
        section aria-labelledby="shown" { h2 #shown { "Where it was shown" } (render_memory_showings(scope, memory, uses)) }
        section aria-labelledby="history" { h2 #history { "History" } (render_event_table(scope, &changes, uses)) }
    })
}

fn render_related_memories(
    scope: &RequestScope,
    title: &str,
    memories: &[VerifiedMemory],
) -> Markup {
    html! {
        @if !memories.is_empty() {
            h3 { (title) }
            ul.chain { @for it in memories { li { (render_related_memory(scope, it)) } } }
        }
    }
}

/// It is told how it stands here: what took the place of another may be edited away by now.
fn render_related_memory(scope: &RequestScope, it: &VerifiedMemory) -> Markup {
    let (memory, stage) = (&it.memory, it.memory.status.stage());
    html! {
        (render_handle_link(scope, memory.handle())) " " (render_badge(it.standing().as_str())) " "
        @if stage != Stage::Active { (render_badge(stage.as_str())) " " }
        span dir="auto" { (format_shown_fact(memory, TEXT)) }
    }
}

fn render_memory_showings(scope: &RequestScope, memory: &Memory, log: &[LoggedEvent]) -> Markup {
    let showings = log.iter().filter_map(|logged| match &logged.event.what {
        EventBody::Retrieved { query, shown } => {
            let it = shown.iter().find(|it| it.id == memory.id)?;
            Some((logged.event.at, query, it))
        }
        _ => None,
    });
    let showings: Vec<_> = showings.collect();
    let sessions = list_sessions_showing(scope, memory.id);
    html! {
        @if showings.is_empty() && sessions.is_empty() {
            p.hint { "No agent was shown it yet, as far as the log tells." }
        }
        @if !sessions.is_empty() {
            ul.chain { @for it in &sessions { (render_session_showing(scope, it, memory.id)) } }
        }
        @if !showings.is_empty() {
            div.wide tabindex="0" role="group" aria-label="Where it was shown" { table {
                caption { "As the log has it, the last first" }
                thead { tr { th scope="col" { "When" } th scope="col" { "Words that matched" } th scope="col" { "Verdict then" } th.n scope="col" { "Score" } } }
                tbody { @for (at, query, it) in showings { tr {
                    td { (render_relative_time(scope, at)) }
                    td dir="auto" { (shorten_shown_text(query, TEXT)) }
                    td { (render_badge(&it.verdict)) }
                    td.n { (format!("{:.2}", it.score)) }
                } } }
            } }
        }
    }
}

/// The sessions of this user's agents in which it was shown. What cannot be read is left out.
fn list_sessions_showing(scope: &RequestScope, id: MemoryId) -> Vec<AgentSession> {
    let listed = scope.caller.activity.map(|it| it.list_sessions(SESSIONS));
    let mut sessions = listed.and_then(Result::ok).unwrap_or_default();
    let is_reached = |it: &SessionEntry| scope.token.reaches_space(&it.space);
    sessions.retain(|it| it.entries.iter().all(is_reached) && it.shown_ids().contains(&id));
    sessions
}

fn render_session_showing(scope: &RequestScope, session: &AgentSession, id: MemoryId) -> Markup {
    let Some(last) = session.entries.last() else {
        return html! {};
    };
    let has = |it: &&SessionEntry| it.shown.iter().any(|it| it.id == id);
    let mut entries = session.entries.iter().filter(has);
    let is_applied = entries.clone().any(|it| it.moment == Moment::Done);
    let first = entries.find(|it| it.moment != Moment::Done);
    html! {
        li {
            a href=(link_to_named_page(scope, "/sessions", &last.session)) { (shorten_shown_text(&last.session, 40)) }
            span.hint {
                " " (last.client)
                @if let Some(it) = first { ", at " (it.moment) " " (render_relative_time(scope, it.at)) }
                @if is_applied { ", of use there" }
            }
        }
    }
}

/// The changes, and how often what merely counts happened.
fn render_event_table(
    scope: &RequestScope,
    changes: &[LoggedEvent],
    uses: &[LoggedEvent],
) -> Markup {
    use EventBody::{Applied, Verified};
    let counted = uses
        .iter()
        .filter(|it| matches!(it.event.what, Applied | Verified { .. }));
    let mut all: Vec<&LoggedEvent> = changes.iter().chain(counted).collect();
    all.sort_by_key(|it| std::cmp::Reverse(it.seq));
    html! {
        div.wide tabindex="0" role="group" aria-label="History" { table {
            caption { "What happened to it, the last first" }
            thead { tr { th scope="col" { "When" } th scope="col" { "What" } th scope="col" { "Who" } th scope="col" { "More" } } }
            tbody { @for it in all { tr {
                td { (render_relative_time(scope, it.event.at)) }
                td { (it.event.what.event_kind()) }
                td { (shorten_shown_text(it.event.actor.as_deref().unwrap_or_default(), 60)) }
                td dir="auto" { (shorten_shown_text(&describe_event_details(&it.event.what), TEXT)) }
            } } }
        } }
    }
}

/// What an event says beyond its word.
fn describe_event_details(what: &EventBody) -> String {
    match what {
        EventBody::Remembered {
            rationale, forced, ..
        } => {
            let forced = forced.then_some("on a person's word");
            let parts: Vec<&str> = forced.into_iter().chain(rationale.as_deref()).collect();
            parts.join(": ")
        }
        EventBody::Refreshed { followed, .. } if !followed.is_empty() => followed.join(", "),
        EventBody::Refreshed {
            citations: Some(_), ..
        } => "with new citations".into(),
        EventBody::Superseded { reason, .. } | EventBody::Corrected { reason, .. } => {
            reason.clone().unwrap_or_default()
        }
        EventBody::Invalidated { reason, .. } | EventBody::Retired { reason } => reason.clone(),
        EventBody::Verified { found, .. } => found.join(", "),
        EventBody::Restored { status, .. } => status.stage().to_string(),
        _ => String::new(),
    }
}
