//! Sessions: what agents were shown, turn by turn, and why. It is what their hooks wrote down; no text of a memory is in
//! it, so every memory is looked up as it is today.

mod turns;

use std::collections::{BTreeMap, BTreeSet};

use apostille_agents::session::{AgentSession, Moment, SessionEntry};
use apostille_core::memory::{Memory, MemoryId};
use apostille_core::verify::{self, VerifiedMemory};
use apostille_text::secrets::mask_secrets;
use maud::{Markup, html};

use super::components::{
    NoticeTone, encode_path_segment, link_to_page, pluralize_count, render_empty_state,
    render_field_list, render_notice, render_relative_time, render_toned_badge,
    sanitize_shown_text, truncate_shown_text,
};
use super::frame::{PanelTab, render_page_with_status, render_panel_page};
use apostille_api::CallFault;
use apostille_api::host::PlaceError;
use apostille_api::request_scope::{HttpReply, RequestInput, RequestScope};

/// How many sessions are listed, and how many moments of one are told.
const LISTED: usize = 100;
const MOMENTS: usize = 200;
/// How much of a session's name is shown.
const NAME: usize = 48;
/// An arrow that comes in from outside.
const OUTSIDE: &str = "M9 3h4v4M13 3L7 9M7 4H3v9h9V9";

/// The sessions of this user's agents, the last first.
pub fn render_sessions_page(
    visit: &RequestScope<'_>,
    _: &RequestInput,
) -> Result<HttpReply, CallFault> {
    let body = match read_beside_store(visit, |it| it.list_sessions(LISTED)) {
        Err(problem) => problem,
        Ok(sessions) => {
            let reached = sessions
                .into_iter()
                .filter_map(|it| keep_reachable_entries(visit, it));
            render_session_list(visit, &reached.collect::<Vec<_>>())
        }
    };
    Ok(render_panel_page(
        visit,
        PanelTab::Sessions,
        "Sessions",
        &body,
    ))
}

/// What is kept beside the store; where it cannot be read, what to say about it.
pub(super) fn read_beside_store<T: Default>(
    visit: &RequestScope<'_>,
    look: impl FnOnce(&dyn apostille_api::host::ActivityStore) -> Result<T, PlaceError>,
) -> Result<T, Markup> {
    let problem = |error: PlaceError| {
        render_notice(
            NoticeTone::Bad,
            &html! { p { (sanitize_shown_text(&error.to_string())) } },
        )
    };
    visit
        .here
        .beside
        .map_or_else(|| Ok(T::default()), look)
        .map_err(problem)
}

/// The moments of a session in spaces that the pass reaches; `None` where there are none.
fn keep_reachable_entries(
    visit: &RequestScope<'_>,
    mut session: AgentSession,
) -> Option<AgentSession> {
    session
        .entries
        .retain(|it| visit.pass.reaches_space(&it.space));
    (!session.entries.is_empty()).then_some(session)
}

fn render_session_list(visit: &RequestScope<'_>, sessions: &[AgentSession]) -> Markup {
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
        ol.entries { @for it in sessions { (render_session_row(visit, it)) } }
        @if sessions.len() == LISTED { p.hint { "Older ones: " code { "apostille why --list" } } }
    }
}

fn render_session_row(visit: &RequestScope<'_>, session: &AgentSession) -> Markup {
    let Some(last) = session.entries.last() else {
        return html! {};
    };
    let figures = SessionFigures::from_session(session);
    html! {
        li.entry {
            div.margin { span.client { (last.client) } }
            div.body {
                p.subject { (render_session_link(visit, &last.session)) }
                p.meta {
                    span { (last.space) }
                    (render_relative_time(last.at, visit.cx.now))
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

fn render_session_link(visit: &RequestScope<'_>, name: &str) -> Markup {
    let path = format!("/sessions/{}", encode_path_segment(name));
    html! { a href=(link_to_page(visit, &path)) { (truncate_shown_text(&sanitize_shown_text(name), NAME)) } }
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
        let of = |is: fn(&SessionEntry) -> bool| session.entries.iter().filter(move |it| is(it));
        let withheld: BTreeSet<MemoryId> = session
            .entries
            .iter()
            .flat_map(|it| &it.withheld)
            .map(|it| it.id)
            .collect();
        Self {
            moments: of(|it| it.moment != Moment::Done).count(),
            turns: of(|it| it.moment == Moment::Prompt).count(),
            shown: session.shown_ids().len(),
            withheld: withheld.len(),
            applied: collect_applied_memories(session).len(),
        }
    }
}

/// The memories that were of use, as going through the session found out.
fn collect_applied_memories(session: &AgentSession) -> BTreeSet<MemoryId> {
    let done = session
        .entries
        .iter()
        .filter(|it| it.moment == Moment::Done);
    done.flat_map(|it| &it.shown).map(|it| it.id).collect()
}

/// One session.
pub fn render_session_page(
    visit: &RequestScope<'_>,
    asked: &RequestInput,
) -> Result<HttpReply, CallFault> {
    let found = match read_beside_store(visit, |it| it.find_session(asked.path_part("name"))) {
        Err(problem) => {
            return Ok(render_panel_page(
                visit,
                PanelTab::Sessions,
                "Session",
                &problem,
            ));
        }
        Ok(found) => found.and_then(|it| keep_reachable_entries(visit, it)),
    };
    let Some(session) = found else {
        return Ok(render_missing_session(visit, asked));
    };
    let today = verify_session_memories(visit, &session)?;
    let name = session.entries.last().map_or("", |it| &it.session);
    let body = html! {
        p { a href=(link_to_page(visit, "/sessions")) { "← All sessions" } }
        (render_session_summary(visit, &session))
        (turns::render_session_turns(visit, &session, &today))
    };
    Ok(render_panel_page(
        visit,
        PanelTab::Sessions,
        &format!(
            "Session {}",
            truncate_shown_text(&sanitize_shown_text(name), NAME)
        ),
        &body,
    ))
}

fn render_missing_session(visit: &RequestScope<'_>, asked: &RequestInput) -> HttpReply {
    let name = truncate_shown_text(
        &sanitize_shown_text(&mask_secrets(asked.path_part("name"))),
        NAME,
    );
    let body = render_empty_state(
        "There is no such session here",
        &html! {
            p { code { (name) } " was never seen, was cleared away, or worked in a repository that is not open to you." }
            p { a href=(link_to_page(visit, "/sessions")) { "All sessions" } }
        },
    );
    render_page_with_status(404, visit, PanelTab::Sessions, "Not found", &body)
}

/// The memories of a session as they are now. Those of other repositories have no checkout here to be looked up in.
fn verify_session_memories(
    visit: &RequestScope<'_>,
    session: &AgentSession,
) -> Result<BTreeMap<MemoryId, VerifiedMemory>, CallFault> {
    let all = session
        .entries
        .iter()
        .flat_map(|it| it.shown.iter().chain(&it.withheld));
    let ids: BTreeSet<MemoryId> = all.map(|it| it.id).collect();
    let found = visit
        .cx
        .store
        .get_by_ids(&ids.into_iter().collect::<Vec<_>>())?;
    let found = found
        .into_iter()
        .filter(|it| visit.pass.reaches_space(&it.space));
    let (ours, others): (Vec<Memory>, Vec<Memory>) =
        found.partition(|it| visit.here.spaces().contains(&it.space));
    let unseen = |memory| VerifiedMemory {
        memory,
        verdicts: Vec::new(),
        is_unmerged: false,
        deed: None,
    };
    let looked_up = verify::follow_memory_citations(visit.cx, ours)
        .into_iter()
        .chain(others.into_iter().map(unseen));
    Ok(looked_up.map(|it| (it.memory.id, it)).collect())
}

fn render_session_summary(visit: &RequestScope<'_>, session: &AgentSession) -> Markup {
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
        ("Began", render_relative_time(first.at, visit.cx.now)),
        ("Last moment", render_relative_time(last.at, visit.cx.now)),
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
    let told = |it: &u32| format!("{:.1} ms", f64::from(*it) / 1_000.0);
    Some(format!(
        "{} in the middle, {} at most",
        told(half),
        told(most)
    ))
}
