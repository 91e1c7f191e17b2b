//! `why`: which memories an agent was shown in a session, and why.

use apostille_agents::session::Session;
use jiff::Timestamp;

use crate::args::Why;
use crate::json::{MomentView, SessionReply, SessionRow, SessionsReply, ShownMemoryView};
use crate::paint::{BOLD, CYAN, DIM, GREEN, Paint, YELLOW, count, explained, ink, safe};
use crate::shell::{Answer, Shell};
use apostille_workspace::error;
use apostille_workspace::error::Fault;
use apostille_workspace::sessions;

/// Says what a session was shown, and why.
pub fn run(shell: &Shell, args: &Why) -> Result<Answer, Fault> {
    let desk = shell.desk()?;
    let sessions = sessions::ledger(&shell.world)?.all();
    if args.list {
        return Ok(listed(shell, &sessions));
    }
    let is_meant = |it: &&Session| match &args.session {
        Some(name) => it
            .entries
            .iter()
            .any(|entry| entry.session.starts_with(name.as_str())),
        None => it
            .entries
            .iter()
            .any(|entry| entry.space == desk.settings.repo.value),
    };
    let Some(session) = sessions.iter().find(is_meant) else {
        let json = SessionReply {
            ok: true,
            ..SessionReply::default()
        };
        let answer = shell.answer(error::NOTHING, &json, |_| String::new());
        return Ok(Answer { err: "no such session was seen here; `apostille why --list` shows those there are, `apostille init` has agents report theirs\n".into(), ..answer });
    };
    let json = SessionReply::of(&desk.cx(), &desk.store.spaces()?, session, args.all)?;
    Ok(shell.answer(error::OK, &json, |paint| {
        page(paint, session, &json.moments)
    }))
}

fn listed(shell: &Shell, sessions: &[Session]) -> Answer {
    let json = SessionsReply::new(sessions);
    let code = if json.sessions.is_empty() {
        error::NOTHING
    } else {
        error::OK
    };
    let times = sessions
        .iter()
        .filter_map(|it| it.entries.last())
        .map(|it| it.at);
    let line = |paint: &Paint, (it, at): (&SessionRow, Timestamp)| {
        let told = format!(
            "{}, {} shown, {}",
            count(it.turns as u64, "turn", "turns"),
            it.shown,
            paint.time(at)
        );
        format!(
            "{}  {} in {}  {}\n",
            ink(BOLD, safe(&it.session)),
            it.client,
            safe(&it.repo),
            ink(DIM, told)
        )
    };
    shell.answer(code, &json, |paint| {
        json.sessions
            .iter()
            .zip(times)
            .map(|it| line(paint, it))
            .collect()
    })
}

fn page(paint: &Paint, session: &Session, moments: &[MomentView]) -> String {
    let Some(last) = session.entries.last() else {
        return String::new();
    };
    let mut out = format!(
        "{} {}\n",
        ink(BOLD, safe(&last.session)),
        ink(
            DIM,
            format!("{} in {}, {}", last.client, last.space, paint.time(last.at))
        )
    );
    for view in moments {
        out += &format!(
            "\n{}\n",
            ink(BOLD, format!("turn {}, {}", view.turn, view.moment))
        );
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

fn line(paint: &Paint, it: &ShownMemoryView, how: &str) -> String {
    let then = match it.now {
        Some(now) if now == it.standing => it.standing.clone(),
        Some(now) => format!("{} then, {now} now", it.standing),
        None => format!("{}, forgotten since", it.standing),
    };
    let applied = if it.applied {
        ink(GREEN, "  of use")
    } else {
        String::new()
    };
    let fact = it
        .fact
        .as_deref()
        .unwrap_or("(its text is not shown: it does not hold here, or is gone)");
    let style = if how.is_empty() { CYAN } else { YELLOW };
    format!(
        "  {}  {}{applied}\n{}{}",
        ink(BOLD, &it.handle),
        ink(style, format!("{how}{then}")),
        paint.wrapped(fact, 6),
        explained(paint, &it.why, it.score)
    )
}
