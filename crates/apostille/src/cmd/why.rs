//! `why`: which memories an agent was shown in a session, when one memory was shown, and what led to a line or a commit.

mod change;
mod target;

use apostille_agents::session::AgentSession;
use apostille_core::memory::{Memory, MemoryName};
use jiff::Timestamp;
use serde::Serialize;

use target::{WhyTarget, read_why_target};

use crate::json::{MomentView, SessionReply, SessionRow, SessionsReply, ShownMemoryView};
use apostille_terminal::{
    args::WhyArgs,
    command_context::{CommandContext, CommandOutput, CommandResult},
    paint::{
        BOLD, CYAN, DIM, GREEN, Paint, YELLOW, format_count, format_if, format_score_breakdown,
        join_texts, make_terminal_safe, style_text,
    },
};
use apostille_workspace::{sessions, workspace::Workspace};

/// How many sessions are told in which a memory was shown, the latest, and how many are looked at.
const MAX_SESSIONS: usize = 10;
const MAX_LOOKED_AT: usize = 400;

/// Says what a session was shown and why, or what led to what is named.
pub fn run(ctx: &CommandContext, args: &WhyArgs) -> CommandResult {
    let workspace = ctx.open_workspace()?;
    let Some(what) = &args.what else {
        return run_why_session(ctx, &workspace, args);
    };
    match read_why_target(ctx, &workspace, what)? {
        WhyTarget::Memory(name) => run_why_memory(ctx, &workspace, name),
        WhyTarget::Change(target) => change::run_why_change(ctx, &workspace, &target),
    }
}

fn run_why_session(ctx: &CommandContext, workspace: &Workspace, args: &WhyArgs) -> CommandResult {
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

/// The sessions in which a memory was shown, or withheld.
#[derive(Serialize)]
struct WhyMemoryReply {
    ok: bool,
    memory: String,
    sessions: Vec<SessionReply>,
}

/// Says in which sessions a memory was shown, and why.
fn run_why_memory(ctx: &CommandContext, workspace: &Workspace, name: MemoryName) -> CommandResult {
    let memory = workspace.find_named(&[name])?.remove(0);
    let ledger = sessions::open_session_ledger(&ctx.system)?;
    let mut told = ledger.list_recent(MAX_LOOKED_AT, |it| it.told_ids().contains(&memory.id));
    told.truncate(MAX_SESSIONS);
    let replies = told
        .iter()
        .map(|it| only_this_memory(workspace, it, &memory));
    let json = WhyMemoryReply {
        ok: true,
        memory: memory.handle().to_string(),
        sessions: replies.collect::<CommandResult<_>>()?,
    };
    let answer = ctx.render_output(&json, |paint| {
        let pages = told.iter().zip(&json.sessions);
        join_texts(
            pages.map(|(it, view)| format_session_page(paint, it, &view.moments)),
            "\n",
        )
    });
    let none = format!(
        "{} was shown in no session that is still recorded\n",
        json.memory
    );
    Ok(answer.or_nothing(told.is_empty(), &none))
}

/// What a session was shown of one memory.
fn only_this_memory(
    workspace: &Workspace,
    session: &AgentSession,
    memory: &Memory,
) -> CommandResult<SessionReply> {
    let spaces = workspace.spaces();
    let mut reply = SessionReply::from_session(&workspace.context(), &spaces, session, true)?;
    let id = memory.id.to_string();
    for moment in &mut reply.moments {
        moment.shown.retain(|it| it.id == id);
        moment.withheld.retain(|it| it.id == id);
    }
    let is_about = |it: &MomentView| !it.shown.is_empty() || !it.withheld.is_empty();
    reply.moments.retain(is_about);
    Ok(reply)
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
        it.handle,
        paint.wrap_text(fact, 6),
        format_score_breakdown(paint, &it.why, it.score)
    )
}
