//! `why`: which memories an agent was shown in a session, and why.

use std::collections::BTreeMap;

use apostille_core::memory::{Memory, MemoryId};
use apostille_core::session::{Moment, Session, Shown};
use apostille_core::verify::{self, Verified};
use jiff::Timestamp;
use serde::Serialize;

use crate::args::Why;
use crate::error::{self, Fault};
use crate::json::WhyView;
use crate::paint::{BOLD, CYAN, DIM, GREEN, Paint, YELLOW, count, explained, ink, one_line, safe};
use crate::shell::{Answer, Shell};
use crate::world::desk::Desk;
use crate::world::sessions;

#[derive(Serialize)]
struct Reply {
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    client: Option<&'static str>,
    moments: Vec<View>,
}

/// A moment of the session.
#[derive(Serialize)]
struct View {
    turn: usize,
    at: String,
    moment: &'static str,
    ignored: bool,
    shown: Vec<Line>,
    withheld: Vec<Line>,
}

/// A memory that was shown, as it was then and as it is now.
#[derive(Serialize)]
struct Line {
    handle: String,
    id: String,
    fact: Option<String>,
    /// How it stood when it was shown.
    standing: String,
    /// How it stands now, where it is still there.
    now: Option<&'static str>,
    applied: bool,
    score: f32,
    why: WhyView,
}

/// Says what a session was shown, and why.
pub fn run(shell: &Shell, args: &Why) -> Result<Answer, Fault> {
    let desk = shell.desk()?;
    let sessions = sessions::ledger(&shell.world)?.all();
    if args.list {
        return Ok(listed(shell, &sessions));
    }
    let is_meant = |it: &&Session| match &args.session {
        Some(name) => it.entries.iter().any(|entry| entry.session.starts_with(name.as_str())),
        None => it.entries.iter().any(|entry| entry.space == desk.settings.repo.value),
    };
    let Some(session) = sessions.iter().find(is_meant) else {
        let json = Reply { ok: true, session: None, client: None, moments: Vec::new() };
        let answer = shell.answer(error::NOTHING, &json, |_| String::new());
        return Ok(Answer { err: "no such session was seen here; `apostille why --list` shows those there are, `apostille init` has agents report theirs\n".into(), ..answer });
    };
    let moments = moments(&desk, session, args.all)?;
    let first = session.entries.first();
    let json = Reply {
        ok: true,
        session: first.map(|it| it.session.clone()),
        client: first.map(|it| it.client.as_str()),
        moments,
    };
    Ok(shell.answer(error::OK, &json, |paint| page(paint, session, &json.moments)))
}

#[derive(Serialize)]
struct Rows {
    ok: bool,
    sessions: Vec<Row>,
}

/// A session in a list.
#[derive(Serialize)]
struct Row {
    session: String,
    client: &'static str,
    repo: String,
    at: String,
    turns: usize,
    shown: usize,
}

fn listed(shell: &Shell, sessions: &[Session]) -> Answer {
    let row = |it: &Session| {
        let last = it.entries.last()?;
        Some(Row {
            session: last.session.clone(),
            client: last.client.as_str(),
            repo: last.space.to_string(),
            at: last.at.to_string(),
            turns: n_turns(it),
            shown: it.seen().len(),
        })
    };
    let json = Rows { ok: true, sessions: sessions.iter().filter_map(row).collect() };
    let code = if json.sessions.is_empty() { error::NOTHING } else { error::OK };
    let times = sessions.iter().filter_map(|it| it.entries.last()).map(|it| it.at);
    let line = |paint: &Paint, (it, at): (&Row, Timestamp)| {
        let told =
            format!("{}, {} shown, {}", count(it.turns as u64, "turn", "turns"), it.shown, paint.time(at));
        format!("{}  {} in {}  {}\n", ink(BOLD, safe(&it.session)), it.client, safe(&it.repo), ink(DIM, told))
    };
    shell.answer(code, &json, |paint| json.sessions.iter().zip(times).map(|it| line(paint, it)).collect())
}

fn n_turns(session: &Session) -> usize {
    session.entries.iter().filter(|it| it.moment == Moment::Prompt).count()
}

/// The moments to tell: those of the last turn, or all at which something was shown.
fn moments(desk: &Desk, session: &Session, is_all: bool) -> Result<Vec<View>, Fault> {
    let ids: Vec<MemoryId> = session.seen().union(&session.doubted()).copied().collect();
    let now: BTreeMap<MemoryId, Verified> =
        verify::look(&desk.cx(), desk.store.get(&ids)?).into_iter().map(|it| (it.memory.id, it)).collect();
    let is_applied = |id: MemoryId| {
        session.entries.iter().any(|it| it.moment == Moment::Done && it.shown.iter().any(|it| it.id == id))
    };
    let n_turns = n_turns(session);
    let mut turn = 0;
    let mut views = Vec::new();
    for entry in session.entries.iter().filter(|it| it.moment != Moment::Done) {
        turn += usize::from(entry.moment == Moment::Prompt);
        let is_telling =
            !entry.shown.is_empty() || !entry.withheld.is_empty() || entry.moment == Moment::Prompt;
        if is_telling && (is_all || turn == n_turns) {
            let line = |it: &Shown| told(it, now.get(&it.id), is_applied(it.id));
            views.push(View {
                turn,
                at: entry.at.to_string(),
                moment: entry.moment.as_str(),
                ignored: entry.is_ignored,
                shown: entry.shown.iter().map(line).collect(),
                withheld: entry.withheld.iter().map(line).collect(),
            });
        }
    }
    Ok(views)
}

fn told(it: &Shown, now: Option<&Verified>, applied: bool) -> Line {
    // What does not hold here is named, and not told.
    let fact = now.filter(|it| it.is_good()).map(|it| fact(&it.memory));
    Line {
        handle: it.handle.to_string(),
        id: it.id.to_string(),
        fact,
        standing: it.verdict.clone(),
        now: now.map(Verified::standing),
        applied,
        score: it.score,
        why: WhyView::from(&it.why),
    }
}

fn fact(memory: &Memory) -> String {
    one_line(&memory.fact)
}

fn page(paint: &Paint, session: &Session, moments: &[View]) -> String {
    let Some(last) = session.entries.last() else { return String::new() };
    let mut out = format!(
        "{} {}\n",
        ink(BOLD, safe(&last.session)),
        ink(DIM, format!("{} in {}, {}", last.client, last.space, paint.time(last.at)))
    );
    for view in moments {
        out += &format!("\n{}\n", ink(BOLD, format!("turn {}, {}", view.turn, view.moment)));
        if view.ignored {
            out += "  nothing: you asked to leave memory out of it\n";
        } else if view.shown.is_empty() && view.withheld.is_empty() {
            out += "  nothing: no memory that was new to this session was clearly to the point\n";
        }
        out.extend(view.shown.iter().map(|it| line(paint, it, "")));
        out.extend(view.withheld.iter().map(|it| line(paint, it, "withheld, ")));
    }
    out
}

fn line(paint: &Paint, it: &Line, how: &str) -> String {
    let then = match it.now {
        Some(now) if now == it.standing => it.standing.clone(),
        Some(now) => format!("{} then, {now} now", it.standing),
        None => format!("{}, forgotten since", it.standing),
    };
    let applied = if it.applied { ink(GREEN, "  of use") } else { String::new() };
    let fact = it.fact.as_deref().unwrap_or("(its text is not shown: it does not hold here, or is gone)");
    let style = if how.is_empty() { CYAN } else { YELLOW };
    format!(
        "  {}  {}{applied}\n{}{}",
        ink(BOLD, &it.handle),
        ink(style, format!("{how}{then}")),
        paint.wrapped(fact, 6),
        explained(paint, &it.why, it.score)
    )
}
