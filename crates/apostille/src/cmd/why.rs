//! `why`: which memories an agent was shown in a session, and why.

use apostille_agents::session::AgentSession;
use jiff::Timestamp;

use crate::json::{MomentView, SessionReply, SessionRow, SessionsReply, ShownMemoryView};
use apostille_terminal::args::WhyArgs;
use apostille_terminal::command_context::{CommandContext, CommandOutput};
use apostille_terminal::paint::{
    BOLD, CYAN, DIM, GREEN, Paint, YELLOW, format_count, format_score_breakdown,
    make_terminal_safe, style_text,
};
use apostille_workspace::error;
use apostille_workspace::error::CommandError;
use apostille_workspace::sessions;

/// Says what a session was shown, and why.
pub fn run(shell: &CommandContext, args: &WhyArgs) -> Result<CommandOutput, CommandError> {
    let desk = shell.open_workspace()?;
    let sessions = sessions::open_session_ledger(&shell.world)?.list_sessions();
    if args.list {
        return Ok(build_sessions_output(shell, &sessions));
    }
    let is_meant = |it: &&AgentSession| match &args.session {
        Some(name) => it
            .entries
            .iter()
            .any(|entry| entry.session.starts_with(name.as_str())),
        None => it
            .entries
            .iter()
            .any(|entry| entry.space == desk.settings.repo),
    };
    let Some(session) = sessions.iter().find(is_meant) else {
        let json = SessionReply {
            ok: true,
            ..SessionReply::default()
        };
        let answer = shell.render_output(error::NOTHING, &json, |_| String::new());
        return Ok(CommandOutput { err: "no such session was seen here; `apostille why --list` shows those there are, `apostille init` has agents report theirs\n".into(), ..answer });
    };
    let json = SessionReply::from_session(
        &desk.context(),
        &desk.store.list_spaces()?,
        session,
        args.all,
    )?;
    Ok(shell.render_output(error::OK, &json, |paint| {
        format_session_page(paint, session, &json.moments)
    }))
}

fn build_sessions_output(shell: &CommandContext, sessions: &[AgentSession]) -> CommandOutput {
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
            format_count(it.turns as u64, "turn", "turns"),
            it.shown,
            paint.format_time(at)
        );
        format!(
            "{}  {} in {}  {}\n",
            style_text(BOLD, make_terminal_safe(&it.session)),
            it.client,
            make_terminal_safe(&it.repo),
            style_text(DIM, told)
        )
    };
    shell.render_output(code, &json, |paint| {
        json.sessions
            .iter()
            .zip(times)
            .map(|it| line(paint, it))
            .collect()
    })
}

fn format_session_page(paint: &Paint, session: &AgentSession, moments: &[MomentView]) -> String {
    let Some(last) = session.entries.last() else {
        return String::new();
    };
    let mut out = format!(
        "{} {}\n",
        style_text(BOLD, make_terminal_safe(&last.session)),
        style_text(
            DIM,
            format!(
                "{} in {}, {}",
                last.client,
                last.space,
                paint.format_time(last.at)
            )
        )
    );
    for view in moments {
        out += &format!(
            "\n{}\n",
            style_text(BOLD, format!("turn {}, {}", view.turn, view.moment))
        );
        if view.ignored {
            out += "  nothing: you asked to leave memory out of it\n";
        } else if view.shown.is_empty() && view.withheld.is_empty() {
            out += "  nothing: no memory that was new to this session was clearly to the point\n";
        }
        out.extend(
            view.shown
                .iter()
                .map(|it| format_shown_memory(paint, it, "")),
        );
        out.extend(
            view.withheld
                .iter()
                .map(|it| format_shown_memory(paint, it, "withheld, ")),
        );
    }
    out
}

fn format_shown_memory(paint: &Paint, it: &ShownMemoryView, how: &str) -> String {
    let then = match it.now {
        Some(now) if now == it.standing => it.standing.clone(),
        Some(now) => format!("{} then, {now} now", it.standing),
        None => format!("{}, forgotten since", it.standing),
    };
    let applied = if it.applied {
        style_text(GREEN, "  of use")
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
        style_text(BOLD, &it.handle),
        style_text(style, format!("{how}{then}")),
        paint.wrap_text(fact, 6),
        format_score_breakdown(paint, &it.why, it.score)
    )
}
