//! `why`: which memories an agent was shown in a session, and why.

use apostille_agents::session::AgentSession;
use jiff::Timestamp;

use crate::json::{MomentView, SessionReply, SessionRow, SessionsReply, ShownMemoryView};
use apostille_terminal::{
    args::WhyArgs,
    command_context::{CommandContext, CommandOutput, CommandResult},
    paint::{
        BOLD, CYAN, DIM, GREEN, Paint, YELLOW, format_count, format_if, format_score_breakdown,
        make_terminal_safe, style_text,
    },
};
use apostille_workspace::sessions;

/// Says what a session was shown, and why.
pub fn run(ctx: &CommandContext, args: &WhyArgs) -> CommandResult {
    let workspace = ctx.open_workspace()?;
    let sessions = sessions::open_session_ledger(&ctx.system)?.list_sessions();
    if args.list {
        return Ok(build_sessions_output(ctx, &sessions));
    }
    let is_meant = |it: &&AgentSession| {
        it.entries.iter().any(|entry| match &args.session {
            Some(name) => entry.session.starts_with(name.as_str()),
            None => entry.space == workspace.settings.repo,
        })
    };
    let Some(session) = sessions.iter().find(is_meant) else {
        let json = SessionReply {
            ok: true,
            ..SessionReply::default()
        };
        let none = "no such session was seen here; `apostille why --list` shows those there are, `apostille init` has agents report theirs\n";
        let answer = ctx.render_output(&json, |_| String::new());
        return Ok(answer.or_nothing(true, none));
    };
    let spaces = workspace.store.list_spaces()?;
    let json = SessionReply::from_session(&workspace.context(), &spaces, session, args.all)?;
    Ok(ctx.render_output(&json, |paint| {
        format_session_page(paint, session, &json.moments)
    }))
}

fn build_sessions_output(ctx: &CommandContext, sessions: &[AgentSession]) -> CommandOutput {
    let json = SessionsReply::new(sessions);
    let times = sessions.iter().filter_map(|it| it.entries.last());
    let line = |paint: &Paint, it: &SessionRow, at: Timestamp| {
        let turns = format_count(it.turns as u64, "turn", "turns");
        let told = format!("{turns}, {} shown, {}", it.shown, paint.format_time(at));
        format!(
            "{BOLD}{}{BOLD:#}  {} in {}  {DIM}{told}{DIM:#}\n",
            make_terminal_safe(&it.session),
            it.client,
            make_terminal_safe(&it.repo)
        )
    };
    ctx.render_output(&json, |paint| {
        json.sessions
            .iter()
            .zip(times)
            .map(|(it, last)| line(paint, it, last.at))
            .collect()
    })
    .nothing_if(json.sessions.is_empty())
}

fn format_session_page(paint: &Paint, session: &AgentSession, moments: &[MomentView]) -> String {
    let Some(last) = session.entries.last() else {
        return String::new();
    };
    let when = paint.format_time(last.at);
    let told = format!("{} in {}, {when}", last.client, last.space);
    let name = make_terminal_safe(&last.session);
    let mut out = format!("{BOLD}{name}{BOLD:#} {DIM}{told}{DIM:#}\n");
    for view in moments {
        let title = format!("turn {}, {}", view.turn, view.moment);
        out += &format!("\n{BOLD}{title}{BOLD:#}\n");
        if view.ignored {
            out += "  nothing: you asked to leave memory out of it\n";
        } else if view.shown.is_empty() && view.withheld.is_empty() {
            out += "  nothing: no memory that was new to this session was clearly to the point\n";
        }
        let shown = view.shown.iter().map(|it| (it, ""));
        let withheld = view.withheld.iter().map(|it| (it, "withheld, "));
        let all = shown.chain(withheld);
        out.extend(all.map(|(it, how)| format_shown_memory(paint, it, how)));
    }
    out
}

fn format_shown_memory(paint: &Paint, it: &ShownMemoryView, how: &str) -> String {
    let then = match it.now {
        Some(now) if now == it.standing => it.standing.clone(),
        Some(now) => format!("{} then, {now} now", it.standing),
        None => format!("{}, forgotten since", it.standing),
    };
    let applied = format_if(it.applied, || style_text(GREEN, "  of use"));
    let fact = it
        .fact
        .as_deref()
        .unwrap_or("(its text is not shown: it does not hold here, or is gone)");
    let style = if how.is_empty() { CYAN } else { YELLOW };
    format!(
        "  {BOLD}{}{BOLD:#}  {style}{how}{then}{style:#}{applied}\n{}{}",
        &it.handle,
        paint.wrap_text(fact, 6),
        format_score_breakdown(paint, &it.why, it.score)
    )
}
