//! Sessions: what agents were shown, turn by turn, and why. It is what their hooks wrote down; no text of a memory is in
//! it, so every memory is looked up as it is today.

mod told;

use std::collections::{BTreeMap, BTreeSet};

use apostille_agents::session::{Entry, Moment, Session};
use apostille_core::memory::{Memory, MemoryId};
use apostille_core::verify::{self, Verified};
use apostille_text::secrets::masked;
use maud::{Markup, html};

use super::frame::{Tab, framed, stated};
use super::parts::{Tone, count, cut, empty, fields, link, notice, part, said, time, toned};
use apostille_api::Fault;
use apostille_api::host::Unplaced;
use apostille_api::visit::{Asked, Reply, Visit};

/// How many sessions are listed, and how many moments of one are told.
const LISTED: usize = 100;
const MOMENTS: usize = 200;
/// How much of a session's name is shown.
const NAME: usize = 48;
/// An arrow that comes in from outside.
const OUTSIDE: &str = "M9 3h4v4M13 3L7 9M7 4H3v9h9V9";

/// The sessions of this user's agents, the last first.
pub fn page(visit: &Visit<'_>, _: &Asked) -> Result<Reply, Fault> {
    let body = match read(visit, |it| it.sessions(LISTED)) {
        Err(problem) => problem,
        Ok(sessions) => {
            let reached = sessions.into_iter().filter_map(|it| reached(visit, it));
            listed(visit, &reached.collect::<Vec<_>>())
        }
    };
    Ok(framed(visit, Tab::Sessions, "Sessions", &body))
}

/// What is kept beside the store; where it cannot be read, what to say about it.
pub(super) fn read<T: Default>(
    visit: &Visit<'_>,
    look: impl FnOnce(&dyn apostille_api::host::Beside) -> Result<T, Unplaced>,
) -> Result<T, Markup> {
    let problem = |error: Unplaced| notice(Tone::Bad, &html! { p { (said(&error.to_string())) } });
    visit
        .here
        .beside
        .map_or_else(|| Ok(T::default()), look)
        .map_err(problem)
}

/// The moments of a session in spaces that the pass reaches; `None` where there are none.
fn reached(visit: &Visit<'_>, mut session: Session) -> Option<Session> {
    session.entries.retain(|it| visit.pass.reaches(&it.space));
    (!session.entries.is_empty()).then_some(session)
}

fn listed(visit: &Visit<'_>, sessions: &[Session]) -> Markup {
    if sessions.is_empty() {
        return empty(
            "No session was seen yet",
            &html! {
                p { code { "apostille init" } " has the agents that work here report what they are shown. Their sessions appear on this page." }
            },
        );
    }
    html! {
        p.hint { "What the hooks of your agents wrote down, the last first." }
        ol.entries { @for it in sessions { (row(visit, it)) } }
        @if sessions.len() == LISTED { p.hint { "Older ones: " code { "apostille why --list" } } }
    }
}

fn row(visit: &Visit<'_>, session: &Session) -> Markup {
    let Some(last) = session.entries.last() else {
        return html! {};
    };
    let figures = Figures::of(session);
    html! {
        li.entry {
            div.margin { span.client { (last.client) } }
            div.body {
                p.subject { (to_session(visit, &last.session)) }
                p.meta {
                    span { (last.space) }
                    (time(last.at, visit.cx.now))
                    span { (count(figures.moments as u64, "moment", "moments")) }
                    @if figures.withheld > 0 { span { (figures.withheld) " withheld" } }
                    @if figures.applied > 0 { span { (figures.applied) " of use" } }
                    @if session.is_exposed() { (exposed()) }
                }
            }
            div.use { b { (figures.shown) } " shown" }
        }
    }
}

fn to_session(visit: &Visit<'_>, name: &str) -> Markup {
    let path = format!("/sessions/{}", part(name));
    html! { a href=(link(visit, &path)) { (cut(&said(name), NAME)) } }
}

fn exposed() -> Markup {
    toned("warn", OUTSIDE, "words from outside")
}

/// What a session comes to in numbers.
struct Figures {
    moments: usize,
    turns: usize,
    shown: usize,
    withheld: usize,
    applied: usize,
}

impl Figures {
    fn of(session: &Session) -> Self {
        let of = |is: fn(&Entry) -> bool| session.entries.iter().filter(move |it| is(it));
        let withheld: BTreeSet<MemoryId> = session
            .entries
            .iter()
            .flat_map(|it| &it.withheld)
            .map(|it| it.id)
            .collect();
        Self {
            moments: of(|it| it.moment != Moment::Done).count(),
            turns: of(|it| it.moment == Moment::Prompt).count(),
            shown: session.shown().len(),
            withheld: withheld.len(),
            applied: applied(session).len(),
        }
    }
}

/// The memories that were of use, as going through the session found out.
fn applied(session: &Session) -> BTreeSet<MemoryId> {
    let done = session
        .entries
        .iter()
        .filter(|it| it.moment == Moment::Done);
    done.flat_map(|it| &it.shown).map(|it| it.id).collect()
}

/// One session.
pub fn one(visit: &Visit<'_>, asked: &Asked) -> Result<Reply, Fault> {
    let found = match read(visit, |it| it.session(asked.part("name"))) {
        Err(problem) => return Ok(framed(visit, Tab::Sessions, "Session", &problem)),
        Ok(found) => found.and_then(|it| reached(visit, it)),
    };
    let Some(session) = found else {
        return Ok(absent(visit, asked));
    };
    let today = today(visit, &session)?;
    let name = session.entries.last().map_or("", |it| &it.session);
    let body = html! {
        p { a href=(link(visit, "/sessions")) { "← All sessions" } }
        (summary(visit, &session))
        (told::turns(visit, &session, &today))
    };
    Ok(framed(
        visit,
        Tab::Sessions,
        &format!("Session {}", cut(&said(name), NAME)),
        &body,
    ))
}

fn absent(visit: &Visit<'_>, asked: &Asked) -> Reply {
    let name = cut(&said(&masked(asked.part("name"))), NAME);
    let body = empty(
        "There is no such session here",
        &html! {
            p { code { (name) } " was never seen, was cleared away, or worked in a repository that is not open to you." }
            p { a href=(link(visit, "/sessions")) { "All sessions" } }
        },
    );
    stated(404, visit, Tab::Sessions, "Not found", &body)
}

/// The memories of a session as they are now. Those of other repositories have no checkout here to be looked up in.
fn today(visit: &Visit<'_>, session: &Session) -> Result<BTreeMap<MemoryId, Verified>, Fault> {
    let all = session
        .entries
        .iter()
        .flat_map(|it| it.shown.iter().chain(&it.withheld));
    let ids: BTreeSet<MemoryId> = all.map(|it| it.id).collect();
    let found = visit
        .cx
        .store
        .get_by_ids(&ids.into_iter().collect::<Vec<_>>())?;
    let found = found.into_iter().filter(|it| visit.pass.reaches(&it.space));
    let (ours, others): (Vec<Memory>, Vec<Memory>) =
        found.partition(|it| visit.here.spaces().contains(&it.space));
    let unseen = |memory| Verified {
        memory,
        verdicts: Vec::new(),
        is_unmerged: false,
        deed: None,
    };
    let looked_up = verify::look(visit.cx, ours)
        .into_iter()
        .chain(others.into_iter().map(unseen));
    Ok(looked_up.map(|it| (it.memory.id, it)).collect())
}

fn summary(visit: &Visit<'_>, session: &Session) -> Markup {
    let (Some(first), Some(last)) = (session.entries.first(), session.entries.last()) else {
        return html! {};
    };
    let figures = Figures::of(session);
    let numbers = format!(
        "{}, {} shown, {} withheld, {} of use",
        count(figures.turns as u64, "turn", "turns"),
        figures.shown,
        figures.withheld,
        figures.applied
    );
    fields(&[
        ("Client", html! { (last.client) }),
        ("Repository", html! { (last.space) }),
        ("Began", time(first.at, visit.cx.now)),
        ("Last moment", time(last.at, visit.cx.now)),
        ("In numbers", html! { (numbers) }),
        (
            "Hooks took",
            html! { @if let Some(it) = waits(session) { (it) } },
        ),
        (
            "From outside",
            html! { @if session.is_exposed() { (exposed()) " What was learned after that waits for a person." } },
        ),
    ])
}

/// How long the agent waited for its hooks.
fn waits(session: &Session) -> Option<String> {
    let mut waits: Vec<u32> = session.entries.iter().filter_map(|it| it.took).collect();
    waits.sort_unstable();
    let (half, most) = (waits.get(waits.len() / 2)?, waits.last()?);
    let told = |it: &u32| format!("{:.1} ms", f64::from(*it) / 1_000.0);
    Some(format!(
        "{} in the middle, {} at most",
        told(half),
        told(most)
    ))
}
