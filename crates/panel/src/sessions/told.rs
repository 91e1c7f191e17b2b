//! The turns of a session: each moment with what was shown at it, how it stood then and stands today, and why.

use std::collections::{BTreeMap, BTreeSet};

use apostille_agents::session::{Entry, Moment, Session, Shown};
use apostille_core::memory::MemoryId;
use apostille_core::recall::Why;
use apostille_core::verify::Verified;
use maud::{Markup, html};

use super::{MOMENTS, applied, exposed};
use crate::ask::factors;
use crate::parts::{badge, cut, said, time, toned, url};
use apostille_api::visit::Visit;

/// How much of a fact is told.
const FACT: usize = 400;
/// A tick.
const TICK: &str = "M3 8.5l3.2 3.2L13 4.8";

type Today = BTreeMap<MemoryId, Verified>;

/// The turns, in their order; of many moments the last ones.
pub(super) fn turns(visit: &Visit<'_>, session: &Session, today: &Today) -> Markup {
    let used = applied(session);
    let mut turns: Vec<(usize, Vec<&Entry>)> = vec![(0, Vec::new())];
    for entry in session
        .entries
        .iter()
        .filter(|it| it.moment != Moment::Done)
    {
        if entry.moment == Moment::Prompt {
            turns.push((turns.len(), Vec::new()));
        }
        if let Some(turn) = turns.last_mut() {
            turn.1.push(entry);
        }
    }
    let n: usize = turns.iter().map(|it| it.1.len()).sum();
    let mut left_out = n.saturating_sub(MOMENTS);
    for turn in &mut turns {
        let here = left_out.min(turn.1.len());
        turn.1.drain(..here);
        left_out -= here;
    }
    html! {
        @if n > MOMENTS { p.hint { (n - MOMENTS) " earlier moments are not told here." } }
        @for (number, moments) in turns.iter().filter(|it| !it.1.is_empty()) {
            section.turn aria-labelledby=(format!("turn-{number}")) {
                h2 id=(format!("turn-{number}")) { @if *number == 0 { "Beginning" } @else { "Turn " (number) } }
                ol.moments { @for it in moments { (moment(visit, it, session.entries.first() == Some(*it), today, &used)) } }
            }
        }
    }
}

fn moment(
    visit: &Visit<'_>,
    entry: &Entry,
    is_first: bool,
    today: &Today,
    used: &BTreeSet<MemoryId>,
) -> Markup {
    let line = |it: &Shown, is_withheld| {
        showing(it, today.get(&it.id), is_withheld, used.contains(&it.id))
    };
    html! {
        li.moment {
            p.meta {
                b { (entry.moment) }
                (time(entry.at, visit.cx.now))
                @if let Some(it) = entry.took { span { (format!("{:.1} ms", f64::from(it) / 1_000.0)) } }
                @if entry.is_outside { (exposed()) }
                @if entry.is_fresh && !is_first { span { "what was said before is no longer before the agent" } }
            }
            @if let Some(it) = nothing(entry) { p.hint { (it) } }
            @if !entry.shown.is_empty() || !entry.withheld.is_empty() {
                ul.showings {
                    @for it in &entry.shown { (line(it, false)) }
                    @for it in &entry.withheld { (line(it, true)) }
                }
            }
        }
    }
}

/// Why nothing was shown at a moment at which something could have been.
fn nothing(entry: &Entry) -> Option<&'static str> {
    let is_empty = entry.shown.is_empty() && entry.withheld.is_empty();
    match entry.moment {
        _ if entry.is_ignored => Some("Nothing: you asked to leave memory out of it."),
        Moment::Prompt if is_empty => {
            Some("Nothing: no memory that was new to this session was clearly to the point.")
        }
        _ => None,
    }
}

fn showing(it: &Shown, today: Option<&Verified>, is_withheld: bool, is_used: bool) -> Markup {
    html! {
        li.showing {
            p.meta {
                (named(it, today))
                @if is_withheld { b { "withheld" } }
                (standing(it, today))
                @if is_used { (toned("good", TICK, "of use")) }
            }
            @if let Some(now) = today { p.fact dir="auto" { (fact(now)) } }
            (why(it.score, &it.why))
        }
    }
}

/// The way to the memory, in the space it belongs to.
fn named(it: &Shown, today: Option<&Verified>) -> Markup {
    let path = format!("/memories/{}", it.handle);
    let repo = today
        .map(|it| &it.memory.space)
        .filter(|it| !it.is_user())
        .map_or("", |it| it.as_str());
    html! {
        @match today {
            Some(_) => a.handle href=(url(&path, &[("repo", repo)])) { (it.handle) },
            None => span.handle { (it.handle) },
        }
    }
}

/// How it stood when it was shown, and how it stands today.
fn standing(it: &Shown, today: Option<&Verified>) -> Markup {
    let now = today.map(now);
    html! {
        (badge(&it.verdict))
        @match now {
            None => span { "then; forgotten since" },
            Some(now) if now == it.verdict => {},
            Some(now) => { span { "then," } (badge(now)) span { "now" } },
        }
    }
}

/// How a memory stands today; what cannot be looked up here is unknown.
fn now(it: &Verified) -> &'static str {
    match it.verdicts.is_empty() && !it.memory.citations.is_empty() {
        true => "unknown",
        false => it.standing(),
    }
}

fn fact(it: &Verified) -> String {
    let mut memory = it.memory.clone();
    memory.withhold_secret();
    cut(&said(&memory.fact), FACT)
}

/// Where the score came from.
fn why(score: f32, why: &Why) -> Markup {
    if score == 0.0 {
        return html! { p.hint { "Not ranked: it is shown at this moment whatever is asked." } };
    }
    html! { details.why { summary { "Score " (format!("{score:.2}")) } (factors(why)) } }
}
