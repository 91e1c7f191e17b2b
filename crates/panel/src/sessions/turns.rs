//! The turns of a session: each moment with what was shown at it, how it stood then and stands today, and why.

use std::collections::{BTreeMap, BTreeSet};

use apostille_agents::session::{AgentSession, Moment, SessionEntry, ShownMemory};
use apostille_core::{memory::MemoryId, recall::ScoreBreakdown, verify::VerifiedMemory};
use maud::{Markup, html};

use super::{MOMENTS, format_milliseconds, render_exposed_badge};
use crate::{
    ask::render_score_factors,
    components::{
        TICK, build_page_url, format_shown_fact, name_repository, render_badge,
        render_relative_time, render_toned_badge,
    },
};
use apostille_api::request_scope::RequestScope;

/// How much of a fact is told.
const FACT: usize = 400;

/// A session, with the memories as they are today and those that were of use.
pub(super) struct SessionTurns<'a> {
    pub(super) scope: &'a RequestScope<'a>,
    pub(super) session: &'a AgentSession,
    pub(super) today: BTreeMap<MemoryId, VerifiedMemory>,
    pub(super) used: BTreeSet<MemoryId>,
}

impl SessionTurns<'_> {
    /// The turns, in their order; of many moments the last ones.
    pub(super) fn render_turns(&self) -> Markup {
        let mut turns: Vec<(usize, Vec<&SessionEntry>)> = vec![(0, Vec::new())];
        let moments = || {
            let entries = self.session.entries.iter();
            entries.filter(|it| it.moment != Moment::Done)
        };
        let left_out = moments().count().saturating_sub(MOMENTS);
        for (n, entry) in moments().enumerate() {
            if entry.moment == Moment::Prompt {
                turns.push((turns.len(), Vec::new()));
            }
            if let Some(turn) = turns.last_mut().filter(|_| n >= left_out) {
                turn.1.push(entry);
            }
        }
        html! {
            @if left_out > 0 { p.hint { (left_out) " earlier moments are not told here." } }
            @for (number, moments) in turns.iter().filter(|it| !it.1.is_empty()) {
                section.turn aria-labelledby=(format!("turn-{number}")) {
                    h2 id=(format!("turn-{number}")) { @if *number == 0 { "Beginning" } @else { "Turn " (number) } }
                    ol.moments { @for it in moments { (self.render_moment(it)) } }
                }
            }
        }
    }

    fn render_moment(&self, entry: &SessionEntry) -> Markup {
        let is_first = self.session.entries.first() == Some(entry);
        html! {
            li.moment {
                p.meta {
                    b { (entry.moment) }
                    (render_relative_time(self.scope, entry.at))
                    @if let Some(it) = entry.took { span { (format_milliseconds(it)) } }
                    @if entry.is_outside { (render_exposed_badge()) }
                    @if entry.is_fresh && !is_first { span { "what was said before is no longer before the agent" } }
                }
                @if !entry.noted.is_empty() { p.hint { "edits " (list_edited_paths(entry)) } }
                @if let Some(it) = explain_empty_moment(entry) { p.hint { (it) } }
                @if !entry.shown.is_empty() || !entry.withheld.is_empty() {
                    ul.showings {
                        @for it in &entry.shown { (self.render_shown_memory(it, false)) }
                        @for it in &entry.withheld { (self.render_shown_memory(it, true)) }
                    }
                }
            }
        }
    }

    fn render_shown_memory(&self, it: &ShownMemory, is_withheld: bool) -> Markup {
        let today = self.today.get(&it.id);
        html! {
            li.showing {
                p.meta {
                    (render_shown_handle(it, today))
                    @if is_withheld { b { "withheld" } }
                    (render_standing_then_and_now(it, today))
                    @if self.used.contains(&it.id) { (render_toned_badge("good", TICK, "of use")) }
                }
                @if let Some(now) = today { p.fact dir="auto" { (format_shown_fact(&now.memory, FACT)) } }
                (render_score_details(it.score, &it.why))
            }
        }
    }
}

/// The files that were edited at a moment.
fn list_edited_paths(entry: &SessionEntry) -> String {
    let paths: Vec<&str> = entry.noted.iter().map(|it| it.path.as_str()).collect();
    paths.join(", ")
}

/// Why nothing was shown at a moment at which something could have been.
fn explain_empty_moment(entry: &SessionEntry) -> Option<&'static str> {
    let is_empty = entry.shown.is_empty() && entry.withheld.is_empty();
    match entry.moment {
        _ if entry.is_ignored => Some("Nothing: you asked to leave memory out of it."),
        Moment::Prompt if is_empty => {
            Some("Nothing: no memory that was new to this session was clearly to the point.")
        }
        _ => None,
    }
}

/// The way to the memory, in the space it belongs to.
fn render_shown_handle(it: &ShownMemory, today: Option<&VerifiedMemory>) -> Markup {
    let path = format!("/memories/{}", it.handle);
    html! {
        @match today {
            Some(now) => a.handle href=(build_page_url(&path, &[("repo", name_repository(&now.memory.space))])) { (it.handle) },
            None => span.handle { (it.handle) },
        }
    }
}

/// How it stood when it was shown, and how it stands today.
fn render_standing_then_and_now(it: &ShownMemory, today: Option<&VerifiedMemory>) -> Markup {
    let now = today.map(find_current_standing);
    html! {
        (render_badge(&it.verdict))
        @match now {
            None => span { "then; forgotten since" },
            Some(now) if now == it.verdict => {},
            Some(now) => { span { "then," } (render_badge(now)) span { "now" } },
        }
    }
}

/// How a memory stands today; what cannot be looked up here is unknown.
fn find_current_standing(it: &VerifiedMemory) -> &'static str {
    match it.verdicts.is_empty() && !it.memory.citations.is_empty() {
        true => "unknown",
        false => it.standing().as_str(),
    }
}

/// Where the score came from.
fn render_score_details(score: f32, why: &ScoreBreakdown) -> Markup {
    if score == 0.0 {
        return html! { p.hint { "Not ranked: it is shown at this moment whatever is asked." } };
    }
    html! { details.why { summary { "Score " (format!("{score:.2}")) } (render_score_factors(why)) } }
}
