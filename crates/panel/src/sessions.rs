//! Sessions: what agents were shown, turn by turn, and why. It is what their hooks wrote down; no text of a memory is in
//! it, so every memory is looked up as it is today.

mod turns;

use std::collections::{BTreeMap, BTreeSet};

use apostille_agents::session::{AgentSession, Moment, SessionEntry};
use apostille_core::{
    memory::MemoryId,
    verify::{self, VerifiedMemory},
};
use apostille_text::secrets::mask_secrets;
use maud::{Markup, html};

use super::{
    PanelResult,
    components::{
        link_to_named_page, link_to_page, pluralize_count, render_empty_state, render_field_list,
        render_problem, render_relative_time, render_toned_badge, sanitize_shown_text,
        shorten_shown_text,
    },
    frame::{PanelTab, render_missing_page, render_panel_page},
};
use apostille_api::{
    host::{ActivityStore, PlaceError},
    request_scope::{RequestInput, RequestScope},
};
use turns::SessionTurns;

/// How many sessions are listed, and how many moments of one are told.
const LISTED: usize = 100;
const MOMENTS: usize = 200;
/// How much of a session's name is shown.
const NAME: usize = 48;
/// An arrow that comes in from outside.
const OUTSIDE: &str = "M9 3h4v4M13 3L7 9M7 4H3v9h9V9";

/// The sessions of this user's agents, the last first.
pub fn render_sessions_page(scope: &RequestScope, _: &RequestInput) -> PanelResult {
    let body = match read_beside_store(scope, |it| it.list_sessions(LISTED)) {
        Err(problem) => problem,
        Ok(mut sessions) => {
            sessions.retain_mut(|it| keep_reachable_entries(scope, it));
            render_session_list(scope, &sessions)
        }
    };
    render_panel_page(scope, PanelTab::Sessions, "Sessions", &body)
}

/// What is kept beside the store; where it cannot be read, what to say about it.
pub(super) fn read_beside_store<T: Default>(
    scope: &RequestScope,
    look: impl FnOnce(&dyn ActivityStore) -> Result<T, PlaceError>,
) -> Result<T, Markup> {
    let found = scope.caller.activity.map_or_else(|| Ok(T::default()), look);
    found.map_err(|error| render_problem(&sanitize_shown_text(&error.to_string())))
}

/// Keeps the moments of a session in spaces that the token reaches; whether there are any.
pub(super) fn keep_reachable_entries(scope: &RequestScope, session: &mut AgentSession) -> bool {
    session
        .entries
        .retain(|it| scope.token.reaches_space(&it.space));
    !session.entries.is_empty()
}

fn render_session_list(scope: &RequestScope, sessions: &[AgentSession]) -> Markup {
    if sessions.is_empty() {
        return render_empty_state(
            "No session was seen yet",
            &html! {
                p { code { "apostille init" } " has the agents that work here report what they are shown. Their sessions appear on this page." }
            },
        );
    }
    html! {
        p.hint { "What the hooks of your agents wrote down, the last first." }
        ol.entries { @for it in sessions { (render_session_row(scope, it)) } }
        @if sessions.len() == LISTED { p.hint { "Older ones: " code { "apostille why --list" } } }
    }
}

fn render_session_row(scope: &RequestScope, session: &AgentSession) -> Markup {
    let Some(last) = session.entries.last() else {
        return html! {};
    };
    let figures = SessionFigures::from_session(session);
    html! {
        li.entry {
            div.margin { span.client { (last.client) } }
            div.body {
                p.subject { a href=(link_to_named_page(scope, "/sessions", &last.session)) { (shorten_shown_text(&last.session, NAME)) } }
                p.meta {
                    span { (last.space) }
                    (render_relative_time(scope, last.at))
                    span { (pluralize_count(figures.moments as u64, "moment", "moments")) }
                    @if figures.withheld > 0 { span { (figures.withheld) " withheld" } }
                    @if figures.applied > 0 { span { (figures.applied) " of use" } }
                    @if session.is_exposed() { (render_exposed_badge()) }
                }
            }
            div.use { b { (figures.shown) } " shown" }
        }
    }
}

fn render_exposed_badge() -> Markup {
    render_toned_badge("warn", OUTSIDE, "words from outside")
}

/// What a session comes to in numbers.
struct SessionFigures {
    moments: usize,
    turns: usize,
    shown: usize,
    withheld: usize,
    applied: usize,
}

impl SessionFigures {
    fn from_session(session: &AgentSession) -> Self {
        let moments = || session.entries.iter().map(|it| it.moment);
        let withheld = session.entries.iter().flat_map(|it| &it.withheld);
        let withheld: BTreeSet<MemoryId> = withheld.map(|it| it.id).collect();
        Self {
            moments: moments().filter(|it| *it != Moment::Done).count(),
            turns: moments().filter(|it| *it == Moment::Prompt).count(),
            shown: session.shown_ids().len(),
            withheld: withheld.len(),
            applied: collect_applied_memories(session).len(),
        }
    }
}

/// The memories that were of use, as going through the session found out.
fn collect_applied_memories(session: &AgentSession) -> BTreeSet<MemoryId> {
    let is_done = |it: &&SessionEntry| it.moment == Moment::Done;
    let done = session.entries.iter().filter(is_done);
    done.flat_map(|it| &it.shown).map(|it| it.id).collect()
}

/// One session.
pub fn render_session_page(scope: &RequestScope, asked: &RequestInput) -> PanelResult {
    let tab = PanelTab::Sessions;
    let found = match read_beside_store(scope, |it| it.find_session(asked.path_part("name"))) {
        Err(problem) => return render_panel_page(scope, tab, "Session", &problem),
        Ok(mut found) => found.take_if(|it| keep_reachable_entries(scope, it)),
    };
    let Some(session) = found else {
        let name = shorten_shown_text(&mask_secrets(asked.path_part("name")), NAME);
        let why = html! { p { code { (name) } " was never seen, was cleared away, or worked in a repository that is not open to you." } };
        let title = "There is no such session here";
        return render_missing_page(scope, tab, title, &why, ("/sessions", "All sessions"));
    };
    let turns = SessionTurns {
        scope,
        session: &session,
        today: verify_session_memories(scope, &session)?,
        used: collect_applied_memories(&session),
    };
    let name = session.entries.last().map_or("", |it| &it.session);
    let body = html! {
        p { a href=(link_to_page(scope, "/sessions")) { "← All sessions" } }
        (render_session_summary(scope, &session))
        (turns.render_turns())
    };
    let title = format!("Session {}", shorten_shown_text(name, NAME));
    render_panel_page(scope, tab, &title, &body)
}

/// The memories of a session as they are now. Those of other repositories have no checkout here to be looked up in.
fn verify_session_memories(
    scope: &RequestScope,
    session: &AgentSession,
) -> PanelResult<BTreeMap<MemoryId, VerifiedMemory>> {
    let all = session
        .entries
        .iter()
        .flat_map(|it| it.shown.iter().chain(&it.withheld));
    let ids: BTreeSet<MemoryId> = all.map(|it| it.id).collect();
    let ids: Vec<MemoryId> = ids.into_iter().collect();
    let found = scope.cx.store.get_by_ids(&ids)?.into_iter();
    let found = found.filter(|it| scope.token.reaches_space(&it.space));
    let spaces = scope.caller.spaces();
    let (ours, others): (Vec<_>, Vec<_>) = found.partition(|it| spaces.contains(&it.space));
    let looked_up = verify::follow_memory_citations(scope.cx, ours)
        .into_iter()
        .chain(others.into_iter().map(VerifiedMemory::without_look));
    Ok(looked_up.map(|it| (it.memory.id, it)).collect())
}

fn render_session_summary(scope: &RequestScope, session: &AgentSession) -> Markup {
    let (Some(first), Some(last)) = (session.entries.first(), session.entries.last()) else {
        return html! {};
    };
    let figures = SessionFigures::from_session(session);
    let numbers = format!(
        "{}, {} shown, {} withheld, {} of use",
        pluralize_count(figures.turns as u64, "turn", "turns"),
        figures.shown,
        figures.withheld,
        figures.applied
    );
    render_field_list(&[
        ("Client", html! { (last.client) }),
        ("Repository", html! { (last.space) }),
        ("Began", render_relative_time(scope, first.at)),
        ("Last moment", render_relative_time(scope, last.at)),
        ("In numbers", html! { (numbers) }),
        (
            "Hooks took",
            html! { @if let Some(it) = format_hook_waits(session) { (it) } },
        ),
        (
            "From outside",
            html! { @if session.is_exposed() { (render_exposed_badge()) " What was learned after that waits for a person." } },
        ),
    ])
}

/// How long the agent waited for its hooks.
fn format_hook_waits(session: &AgentSession) -> Option<String> {
    let mut waits: Vec<u32> = session.entries.iter().filter_map(|it| it.took).collect();
    waits.sort_unstable();
    let (half, most) = (waits.get(waits.len() / 2)?, waits.last()?);
    let (half, most) = (format_milliseconds(*half), format_milliseconds(*most));
    Some(format!("{half} in the middle, {most} at most"))
}

fn format_milliseconds(micros: u32) -> String {
    format!("{:.1} ms", f64::from(micros) / 1_000.0)
}
