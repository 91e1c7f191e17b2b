//! `rollback`: a space is taken back to how it stood.

use std::io::Write as _;

use apostille_core::event::EventBody;
use apostille_core::format;
use apostille_core::refusal::Refusal;
use apostille_core::rollback::{self, RollbackPlan, RollbackPoint, RollbackStep};
use apostille_core::space::Space;
use apostille_core::store::EventPage;
use apostille_tasks::report;
use jiff::Timestamp;
use serde::Serialize;

use apostille_terminal::args::RollbackArgs;
use apostille_terminal::command_context::{CommandContext, CommandOutput};
use apostille_terminal::paint::{
    BOLD, DIM, GREEN, Paint, YELLOW, flatten_to_line, format_count, style_text, truncate_to_width,
};
use apostille_workspace::error;
use apostille_workspace::error::CommandError;
use apostille_workspace::workspace::Workspace;

/// How many memories are told one by one.
const TOLD: usize = 20;

#[derive(Serialize)]
struct RollbackReply<'a> {
    ok: bool,
    outcome: &'static str,
    space: &'a str,
    /// The place of the last event that counts.
    to: u64,
    /// When that was.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<String>,
    restored: u64,
    retired: u64,
    /// Forgotten since: no text is left of them.
    lost: u64,
    /// What changes, the first of it.
    memories: Vec<RollbackStepView>,
}

#[derive(Serialize)]
struct RollbackStepView {
    handle: String,
    from: &'static str,
    to: &'static str,
}

impl RollbackStepView {
    fn from_step(turn: &RollbackStep) -> Self {
        let to = match &turn.what {
            EventBody::Restored { status, .. } => status.stage().as_str(),
            _ => "retired",
        };
        Self {
            handle: turn.memory.handle().to_string(),
            from: turn.memory.status.stage().as_str(),
            to,
        }
    }
}

/// Takes a space back, on a person's word.
pub fn run(shell: &CommandContext, args: &RollbackArgs) -> Result<CommandOutput, CommandError> {
    let speaker = shell.world.speaker();
    let person = speaker.person();
    if !args.dry_run && person.is_none() {
        return Ok(shell.render_refusal(&Refusal::PersonDecides {
            verb: "roll a space back",
        }));
    }
    let desk = shell.open_workspace()?;
    let [repo, user] = desk.spaces();
    let space = if args.user { user } else { repo };
    let (point, cx) = (
        parse_rollback_point(args, shell.world.now)?,
        desk.context_for(&space),
    );
    let is_asked = !args.yes && shell.world.terminal.stdin && shell.world.terminal.stderr;
    if args.dry_run || is_asked {
        let Some(plan) = rollback::plan_rollback(&cx, &space, point)? else {
            return Err(build_no_such_point_error(args, &desk, &space)?);
        };
        let word = match () {
            () if plan.turns.is_empty() => Some("unchanged"),
            () if args.dry_run => Some("planned"),
            () => (!confirm_rollback(shell, &space, &plan)).then_some("kept"),
        };
        if let Some(word) = word {
            return Ok(build_rollback_output(shell, word, &space, &plan));
        }
    }
    // Decided anew: what a person thought about for a minute may have moved.
    let plan = match person {
        Some(by) => rollback::rollback(&cx, by, &space, point)?,
        None => None,
    };
    let Some(plan) = plan else {
        return Err(build_no_such_point_error(args, &desk, &space)?);
    };
    if plan.turns.is_empty() {
        return Ok(build_rollback_output(shell, "unchanged", &space, &plan));
    }
    // Whoever was asked has read the list.
    Ok(build_rollback_output(
        shell,
        if is_asked { "agreed" } else { "rolled back" },
        &space,
        &plan,
    ))
}

fn parse_rollback_point(
    args: &RollbackArgs,
    now: Timestamp,
) -> Result<RollbackPoint, CommandError> {
    let Some(text) = args.to.as_deref() else {
        return Ok(RollbackPoint::Undo);
    };
    if let Ok(place) = text.trim_start_matches('#').parse() {
        return Ok(RollbackPoint::Event(place));
    }
    let time = text.parse().ok().or_else(|| report::parse_since(text, now));
    let wrong = || {
        CommandError::usage(format!("--to '{text}' is no time, no age such as 2h, and no event's place"))
        .with_hint("as in: 2h, '5 weeks ago', 2026-02-26, '2026-02-26 12:00' (UTC), or 41 for event 41 of `apostille log`")
    };
    time.map(RollbackPoint::Time).ok_or_else(wrong)
}

fn build_no_such_point_error(
    args: &RollbackArgs,
    desk: &Workspace,
    space: &Space,
) -> Result<CommandError, CommandError> {
    let Some(text) = args.to.as_deref() else {
        return Ok(CommandError::usage(format!(
            "{space} was never rolled back, there is nothing to undo"
        )));
    };
    let fault = CommandError::usage(format!("{space} has no event {text}"));
    let [repo, user] = desk.spaces();
    let (other, way) = if args.user {
        (repo, "leave out --user")
    } else {
        (user, "add --user")
    };
    Ok(match has_event_at_place(desk, &other, text)? {
        true => fault.with_hint(format!("event {text} is one of {other}: {way}")),
        false => fault.with_hint("`apostille log` shows the place of each event"),
    })
}

fn has_event_at_place(desk: &Workspace, space: &Space, text: &str) -> Result<bool, CommandError> {
    let Ok(place @ 1..) = text.trim_start_matches('#').parse::<u64>() else {
        return Ok(false);
    };
    let page = EventPage {
        after: place - 1,
        limit: 1,
        ..EventPage::default()
    };
    Ok(desk
        .store
        .read_events(space, &page)?
        .first()
        .is_some_and(|it| it.seq == place))
}

fn build_rollback_output(
    shell: &CommandContext,
    outcome: &'static str,
    space: &Space,
    plan: &RollbackPlan,
) -> CommandOutput {
    let json = RollbackReply {
        ok: outcome != "kept",
        outcome: if outcome == "agreed" {
            "rolled back"
        } else {
            outcome
        },
        space: space.as_str(),
        to: plan.to,
        at: plan.at.map(format::format_timestamp),
        restored: plan.count_restored(),
        retired: plan.count_retired(),
        lost: plan.lost,
        memories: plan
            .turns
            .iter()
            .take(TOLD)
            .map(RollbackStepView::from_step)
            .collect(),
    };
    let code = if matches!(outcome, "kept" | "unchanged") {
        error::NOTHING
    } else {
        error::OK
    };
    shell.render_output(code, &json, |paint| match outcome {
        "kept" => "nothing was rolled back\n".into(),
        "unchanged" => {
            format!(
                "{space} stands as it stood {}: nothing to do\n{}",
                format_point_time(paint, plan),
                format_lost_note(plan)
            )
        }
        "planned" => format_rollback_page(paint, space, plan, "would go back to how it stood"),
        "agreed" => {
            format_rollback_heading(paint, space, plan, "stands again as it stood")
                + &format_undo_hint(space)
        }
        _ => {
            format_rollback_page(paint, space, plan, "stands again as it stood")
                + &format_undo_hint(space)
        }
    })
}

fn format_undo_hint(space: &Space) -> String {
    format!(
        "{} apostille rollback {}--undo\n",
        style_text(DIM, "to take it back:"),
        choose_user_flag(space)
    )
}

fn choose_user_flag(space: &Space) -> &'static str {
    if space.is_user() { "--user " } else { "" }
}

fn format_point_time(paint: &Paint, plan: &RollbackPlan) -> String {
    plan.at.map_or_else(
        || "before anything was remembered".into(),
        |at| paint.format_time(at),
    )
}

fn format_rollback_heading(
    paint: &Paint,
    space: &Space,
    plan: &RollbackPlan,
    verb: &str,
) -> String {
    let restored = format!(
        "{} restored",
        format_count(plan.count_restored(), "memory", "memories")
    );
    format!(
        "{} {verb} {}\n  {}, {} retired\n",
        style_text(BOLD, space),
        format_point_time(paint, plan),
        style_text(GREEN, restored),
        plan.count_retired()
    )
}

/// What changes, in numbers and the first memories by name.
fn format_rollback_page(paint: &Paint, space: &Space, plan: &RollbackPlan, verb: &str) -> String {
    let mut out = format_rollback_heading(paint, space, plan, verb);
    for turn in plan.turns.iter().take(TOLD) {
        let RollbackStepView { handle, from, to } = RollbackStepView::from_step(turn);
        let way = if from == to {
            format!("{to}, as before")
        } else {
            format!("{from} → {to}")
        };
        let head = format!("  {}  {way}", style_text(BOLD, &handle));
        let room = paint.columns().map_or(usize::MAX, |it| {
            it.saturating_sub(handle.len() + way.len() + 6)
        });
        out += &format!(
            "{head}  {}\n",
            style_text(
                DIM,
                truncate_to_width(&flatten_to_line(&turn.memory.fact), room)
            )
        );
    }
    if plan.turns.len() > TOLD {
        out += &format!("  … and {} more\n", plan.turns.len() - TOLD);
    }
    out + &format_lost_note(plan)
}

fn format_lost_note(plan: &RollbackPlan) -> String {
    if plan.lost == 0 {
        return String::new();
    }
    let n = format_count(plan.lost, "memory was", "memories were");
    format!(
        "{} {n} forgotten since and cannot come back: no text is left\n",
        style_text(YELLOW, "note:")
    )
}

/// Asks a person; the question says where it goes, exactly.
fn confirm_rollback(shell: &CommandContext, space: &Space, plan: &RollbackPlan) -> bool {
    let to = match plan.at {
        Some(at) => format!("event {}, {}", plan.to, format::format_timestamp(at)),
        None => "the beginning".into(),
    };
    let page = format_rollback_page(&shell.paint, space, plan, "would go back to how it stood");
    let ask = format!("{page}roll {space} back to {to}? [y/N] ");
    let _ = anstream::AutoStream::new(std::io::stderr(), anstream::ColorChoice::Auto)
        .write_all(ask.as_bytes());
    matches!(shell.world.read_line().trim(), "y" | "Y" | "yes")
}
