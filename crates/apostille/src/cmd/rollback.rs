//! `rollback`: a space is taken back to how it stood.

use apostille_core::event::EventBody;
use apostille_core::{
    format,
    rollback::{self, RollbackPlan, RollbackPoint, RollbackStep},
    space::Space,
    store::EventPage,
};
use apostille_tasks::report;
use jiff::Timestamp;
use serde::Serialize;

use apostille_terminal::{
    args::RollbackArgs,
    command_context::{CommandContext, CommandOutput, CommandResult, require_person},
    paint::{BOLD, DIM, GREEN, Paint, YELLOW, format_count, format_if, style_text},
};
use apostille_workspace::{error::CommandError, workspace::Workspace};

/// How many memories are told one by one.
const TOLD: usize = 20;
/// What is said of a space that was not rolled back yet.
const PLANNED: &str = "would go back to how it stood";

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
        Self {
            handle: turn.memory.handle().to_string(),
            from: turn.memory.status.stage().as_str(),
            to: match &turn.what {
                EventBody::Restored { status, .. } => status.stage().as_str(),
                _ => "retired",
            },
        }
    }
}

/// Takes a space back, on a person's word.
pub fn run(ctx: &CommandContext, args: &RollbackArgs) -> CommandResult {
    let speaker = if args.dry_run {
        ctx.speaker()?
    } else {
        ctx.deciding_speaker()?
    };
    let person = if args.dry_run {
        None
    } else {
        Some(require_person(&speaker, "roll a space back")?)
    };
    let workspace = ctx.open_workspace()?;
    let [repo, user] = workspace.spaces();
    let (space, other) = if args.user {
        (user, repo)
    } else {
        (repo, user)
    };
    let point = parse_rollback_point(args, ctx.system.now)?;
    let cx = workspace.context_for(&space);
    let is_asked = !args.yes && ctx.can_ask_beside();
    let planned = |plan: Option<RollbackPlan>| match plan {
        Some(plan) => Ok(plan),
        None => Err(build_no_such_point_error(args, &workspace, &space, &other)?),
    };
    if args.dry_run || is_asked {
        let plan = planned(rollback::plan_rollback(&cx, &space, point)?)?;
        let word = match () {
            () if plan.turns.is_empty() => Some("unchanged"),
            () if args.dry_run => Some("planned"),
            () => (!confirm_rollback(ctx, &space, &plan)).then_some("kept"),
        };
        if let Some(word) = word {
            return Ok(build_rollback_output(ctx, word, &space, &plan));
        }
    }
    // Decided anew: what a person thought about for a minute may have moved.
    let plan = planned(match person {
        Some(by) => rollback::rollback(&cx, by, &space, point)?,
        None => None,
    })?;
    let outcome = match plan.turns.is_empty() {
        true => "unchanged",
        // Whoever was asked has read the list.
        false if is_asked => "agreed",
        false => "rolled back",
    };
    Ok(build_rollback_output(ctx, outcome, &space, &plan))
}

fn parse_rollback_point(args: &RollbackArgs, now: Timestamp) -> CommandResult<RollbackPoint> {
    let Some(text) = args.to.as_deref() else {
        return Ok(RollbackPoint::Undo);
    };
    if let Ok(place) = text.trim_start_matches('#').parse() {
        return Ok(RollbackPoint::Event(place));
    }
    let time = text.parse().ok().or_else(|| report::parse_since(text, now));
    let wrong = || {
        CommandError::usage(format!("--to '{text}' is not a time, an age such as 2h, or the number of an event"))
        .with_hint("as in: 2h, '5 weeks ago', 2026-02-26, '2026-02-26 12:00' (UTC), or 41 for event 41 of `apostille log`")
    };
    time.map(RollbackPoint::Time).ok_or_else(wrong)
}

fn build_no_such_point_error(
    args: &RollbackArgs,
    workspace: &Workspace,
    space: &Space,
    other: &Space,
) -> CommandResult<CommandError> {
    let Some(text) = args.to.as_deref() else {
        return Ok(CommandError::usage(format!(
            "{space} was never rolled back, there is nothing to undo"
        )));
    };
    let way = if args.user {
        "leave out --user"
    } else {
        "add --user"
    };
    let fault = CommandError::usage(format!("{space} has no event {text}"));
    Ok(if has_event_at_place(workspace, other, text)? {
        fault.with_hint(format!("event {text} is one of {other}: {way}"))
    } else {
        fault.with_hint("`apostille log` shows the place of each event")
    })
}

fn has_event_at_place(workspace: &Workspace, space: &Space, text: &str) -> CommandResult<bool> {
    let Ok(place @ 1..) = text.trim_start_matches('#').parse::<u64>() else {
        return Ok(false);
    };
    let page = EventPage {
        after: place - 1,
        limit: 1,
        ..EventPage::default()
    };
    Ok(workspace
        .store
        .read_events(space, &page)?
        .first()
        .is_some_and(|it| it.seq == place))
}

fn build_rollback_output(
    ctx: &CommandContext,
    outcome: &'static str,
    space: &Space,
    plan: &RollbackPlan,
) -> CommandOutput {
    let first = plan.turns.iter().take(TOLD);
    let json = RollbackReply {
        ok: outcome != "kept",
        outcome: match outcome {
            "agreed" => "rolled back",
            _ => outcome,
        },
        space: space.as_str(),
        to: plan.to,
        at: plan.at.map(format::format_timestamp),
        restored: plan.count_restored(),
        retired: plan.count_retired(),
        lost: plan.lost,
        memories: first.map(RollbackStepView::from_step).collect(),
    };
    ctx.render_output(&json, |paint| {
        let user = if space.is_user() { "--user " } else { "" };
        let again = "stands again as it stood";
        let undo = style_text(DIM, "to take it back:");
        let undo = format!("{undo} apostille rollback {user}--undo\n");
        match outcome {
            "kept" => "nothing was rolled back\n".into(),
            "unchanged" => format!(
                "{space} stands as it stood {}: nothing to do\n{}",
                format_point_time(paint, plan),
                format_lost_note(plan)
            ),
            "planned" => format_rollback_page(paint, space, plan, PLANNED),
            "agreed" => format_rollback_heading(paint, space, plan, again) + &undo,
            _ => format_rollback_page(paint, space, plan, again) + &undo,
        }
    })
    .nothing_if(matches!(outcome, "kept" | "unchanged"))
}

fn format_point_time(paint: &Paint, plan: &RollbackPlan) -> String {
    match plan.at {
        Some(at) => paint.format_time(at),
        None => "before anything was remembered".into(),
    }
}

fn format_rollback_heading(
    paint: &Paint,
    space: &Space,
    plan: &RollbackPlan,
    verb: &str,
) -> String {
    let restored = format_count(plan.count_restored(), "memory", "memories");
    format!(
        "{BOLD}{space}{BOLD:#} {verb} {}\n  {GREEN}{restored} restored{GREEN:#}, {} retired\n",
        format_point_time(paint, plan),
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
        let fact = paint.fit_to_line(&turn.memory.fact, handle.len() + way.len() + 6);
        let handle = style_text(BOLD, handle);
        let fact = style_text(DIM, fact);
        out += &format!("  {handle}  {way}  {fact}\n");
    }
    if plan.turns.len() > TOLD {
        out += &format!("  … and {} more\n", plan.turns.len() - TOLD);
    }
    out + &format_lost_note(plan)
}

fn format_lost_note(plan: &RollbackPlan) -> String {
    format_if(plan.lost > 0, || {
        let n = format_count(plan.lost, "memory was", "memories were");
        format!(
            "{YELLOW}note:{YELLOW:#} {n} forgotten since and cannot come back: no text is left\n"
        )
    })
}

/// Asks a person; the question says where it goes, exactly.
fn confirm_rollback(ctx: &CommandContext, space: &Space, plan: &RollbackPlan) -> bool {
    let to = match plan.at {
        Some(at) => format!("event {}, {}", plan.to, format::format_timestamp(at)),
        None => "the beginning".into(),
    };
    let page = format_rollback_page(&ctx.paint, space, plan, PLANNED);
    ctx.ask_beside(&format!("{page}roll {space} back to {to}? [y/N] "))
}
