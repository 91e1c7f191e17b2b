//! What became of a memory: what it replaced, what happened to it, and where it was shown.

use apostille_agents::session::{Moment, Session};
use apostille_core::event::{Logged, Showing, What};
use apostille_core::memory::{Memory, MemoryId};
use apostille_core::verify::Verified;
use maud::{Markup, html};

use crate::parts::{badge, cut, handle, link, part, said, time};
use apostille_api::Fault;
use apostille_api::json::{MemoryDetails, read_history};
use apostille_api::visit::Visit;

/// How much of a text in the log is shown.
const TEXT: usize = 200;
/// How many sessions are looked through.
const SESSIONS: usize = 50;

pub(super) fn section(visit: &Visit<'_>, details: &MemoryDetails) -> Result<Markup, Fault> {
    let (memory, uses) = (&details.memory.memory, &details.history);
    let changes = read_history(visit.cx.store, memory, true)?;
    Ok(html! {
        (relatives(visit, "Replaced by", &details.newer)) (relatives(visit, "Replaces", &details.older))
        section aria-labelledby="shown" { h2 #shown { "Where it was shown" } (shown(visit, memory, uses)) }
        section aria-labelledby="history" { h2 #history { "History" } (events(visit, &changes, uses)) }
    })
}

fn relatives(visit: &Visit<'_>, title: &str, memories: &[Verified]) -> Markup {
    html! {
        @if !memories.is_empty() {
            h3 { (title) }
            ul.chain { @for it in memories.iter().map(|it| &it.memory) {
                li { (handle(visit, it.handle())) " " (badge(it.status.stage().as_str())) " "
                    span dir="auto" { (cut(&said(&it.fact), TEXT)) } }
            } }
        }
    }
}

fn shown(visit: &Visit<'_>, memory: &Memory, log: &[Logged]) -> Markup {
    let showings: Vec<(&Logged, &str, &Showing)> =
        log.iter().filter_map(|it| showing(it, memory.id)).collect();
    let sessions = sessions(visit, memory.id);
    html! {
        @if showings.is_empty() && sessions.is_empty() {
            p.hint { "No agent was shown it yet, as far as the log tells." }
        }
        @if !sessions.is_empty() {
            ul.chain { @for it in &sessions { (in_session(visit, it, memory.id)) } }
        }
        @if !showings.is_empty() {
            div.wide tabindex="0" role="group" aria-label="Where it was shown" { table {
                caption { "As the log has it, the last first" }
                thead { tr { th scope="col" { "When" } th scope="col" { "What was asked" } th scope="col" { "Verdict then" } th.n scope="col" { "Score" } } }
                tbody { @for (logged, query, it) in &showings { tr {
                    td { (time(logged.event.at, visit.cx.now)) }
                    td dir="auto" { (cut(&said(query), TEXT)) }
                    td { (badge(&it.verdict)) }
                    td.n { (format!("{:.2}", it.score)) }
                } } }
            } }
        }
    }
}

fn showing(logged: &Logged, id: MemoryId) -> Option<(&Logged, &str, &Showing)> {
    match &logged.event.what {
        What::Retrieved { query, shown } => shown
            .iter()
            .find(|it| it.id == id)
            .map(|it| (logged, query.as_str(), it)),
        _ => None,
    }
}

/// The sessions of this user's agents in which it was shown. What cannot be read is left out.
fn sessions(visit: &Visit<'_>, id: MemoryId) -> Vec<Session> {
    let all = visit
        .here
        .beside
        .and_then(|it| it.sessions(SESSIONS).ok())
        .unwrap_or_default();
    let is_reached = |it: &Session| it.entries.iter().all(|it| visit.pass.reaches(&it.space));
    all.into_iter()
        .filter(|it| is_reached(it) && it.shown().contains(&id))
        .collect()
}

fn in_session(visit: &Visit<'_>, session: &Session, id: MemoryId) -> Markup {
    let Some(last) = session.entries.last() else {
        return html! {};
    };
    let has = |it: &&apostille_agents::session::Entry| it.shown.iter().any(|it| it.id == id);
    let first = session
        .entries
        .iter()
        .find(|it| it.moment != Moment::Done && has(it));
    let is_applied = session
        .entries
        .iter()
        .any(|it| it.moment == Moment::Done && has(&it));
    html! {
        li {
            a href=(link(visit, &format!("/sessions/{}", part(&last.session)))) { (cut(&said(&last.session), 40)) }
            span.hint {
                " " (last.client)
                @if let Some(it) = first { ", at " (it.moment) " " (time(it.at, visit.cx.now)) }
                @if is_applied { ", of use there" }
            }
        }
    }
}

/// The changes, and how often what merely counts happened.
fn events(visit: &Visit<'_>, changes: &[Logged], uses: &[Logged]) -> Markup {
    let mut all: Vec<&Logged> = changes
        .iter()
        .chain(
            uses.iter()
                .filter(|it| matches!(it.event.what, What::Applied | What::Verified { .. })),
        )
        .collect();
    all.sort_by_key(|it| std::cmp::Reverse(it.seq));
    html! {
        div.wide tabindex="0" role="group" aria-label="History" { table {
            caption { "What happened to it, the last first" }
            thead { tr { th scope="col" { "When" } th scope="col" { "What" } th scope="col" { "Who" } th scope="col" { "More" } } }
            tbody { @for it in all { tr {
                td { (time(it.event.at, visit.cx.now)) }
                td { (it.event.what.happening()) }
                td { (cut(&said(it.event.actor.as_deref().unwrap_or_default()), 60)) }
                td dir="auto" { (cut(&said(&happened(&it.event.what)), TEXT)) }
            } } }
        } }
    }
}

/// What an event says beyond its word.
fn happened(what: &What) -> String {
    match what {
        What::Remembered {
            rationale, forced, ..
        } => {
            let forced = forced.then(|| "on a person's word".to_owned());
            forced
                .into_iter()
                .chain(rationale.clone())
                .collect::<Vec<_>>()
                .join(": ")
        }
        What::Refreshed { followed, .. } if !followed.is_empty() => followed.join(", "),
        What::Refreshed {
            citations: Some(_), ..
        } => "with new citations".into(),
        What::Superseded { reason, .. } | What::Corrected { reason, .. } => {
            reason.clone().unwrap_or_default()
        }
        What::Invalidated { reason, .. } | What::Retired { reason } => reason.clone(),
        What::Verified { found, .. } => found.join(", "),
        What::Restored { status, .. } => status.stage().to_string(),
        _ => String::new(),
    }
}
