//! `rollback`: a space is taken back to how it stood.

use std::io::Write as _;

use apostille_core::event::What;
use apostille_core::format;
use apostille_core::refusal::Refusal;
use apostille_core::report;
use apostille_core::rollback::{self, Plan, Point, Turn};
use apostille_core::space::Space;
use jiff::Timestamp;
use serde::Serialize;

use crate::args::Rollback;
use crate::error::{self, Fault};
use crate::paint::{BOLD, DIM, GREEN, Paint, YELLOW, count, cut, ink, one_line};
use crate::shell::{Answer, Shell};

/// How many memories are told one by one.
const TOLD: usize = 20;

#[derive(Serialize)]
struct Reply<'a> {
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
    memories: Vec<View>,
}

#[derive(Serialize)]
struct View {
    handle: String,
    from: &'static str,
    to: &'static str,
}

impl View {
    fn of(turn: &Turn) -> Self {
        let to = match &turn.what {
            What::Restored { status, .. } => status.stage().as_str(),
            _ => "retired",
        };
        Self { handle: turn.memory.handle().to_string(), from: turn.memory.status.stage().as_str(), to }
    }
}

/// Takes a space back, on a person's word.
pub fn run(shell: &Shell, args: &Rollback) -> Result<Answer, Fault> {
    if !args.dry_run && !shell.world.has_person() {
        return Ok(shell.refused(&Refusal::NotAPerson));
    }
    let desk = shell.desk()?;
    let [repo, user] = desk.spaces();
    let space = if args.user { user } else { repo };
    let (point, cx) = (point(args, shell.world.now)?, desk.cx_for(&space));
    let Some(plan) = rollback::plan(&cx, &space, point)? else { return Err(nowhere(args, &space)) };
    if plan.turns.is_empty() {
        return Ok(told(shell, "unchanged", &space, &plan));
    }
    if args.dry_run {
        return Ok(told(shell, "planned", &space, &plan));
    }
    if !args.yes && !is_agreed(shell, &space, &plan) {
        return Ok(told(shell, "kept", &space, &plan));
    }
    // Decided anew: what a person thought about for a minute may have moved.
    let Some(plan) = rollback::rollback(&cx, &space, point)? else { return Err(nowhere(args, &space)) };
    Ok(told(shell, "rolled back", &space, &plan))
}

fn point(args: &Rollback, now: Timestamp) -> Result<Point, Fault> {
    let Some(text) = args.to.as_deref() else { return Ok(Point::Undo) };
    if let Ok(place) = text.trim_start_matches('#').parse() {
        return Ok(Point::Event(place));
    }
    let time = text.parse().ok().or_else(|| report::since(text, now));
    let wrong = || Fault::usage(format!("--to '{text}' is no time, no age such as 2h, and no event's place"));
    time.map(Point::Time).ok_or_else(wrong)
}

fn nowhere(args: &Rollback, space: &Space) -> Fault {
    match args.to.as_deref() {
        Some(place) => Fault::usage(format!("{space} has no event {place}"))
            .hint("`apostille log` shows the place of each event"),
        None => Fault::usage(format!("{space} was never rolled back, there is nothing to undo")),
    }
}

fn told(shell: &Shell, outcome: &'static str, space: &Space, plan: &Plan) -> Answer {
    let json = Reply {
        ok: outcome != "kept",
        outcome,
        space: space.as_str(),
        to: plan.to,
        at: plan.at.map(format::timestamp),
        restored: plan.restored(),
        retired: plan.retired(),
        lost: plan.lost,
        memories: plan.turns.iter().take(TOLD).map(View::of).collect(),
    };
    let code = if matches!(outcome, "kept" | "unchanged") { error::NOTHING } else { error::OK };
    shell.answer(code, &json, |paint| match outcome {
        "kept" => "nothing was rolled back\n".into(),
        "unchanged" => {
            format!("{space} stands as it stood {}: nothing to do\n{}", then(paint, plan), lost(plan))
        }
        "planned" => page(paint, space, plan, "would go back to how it stood"),
        _ => {
            let undo = format!("{} apostille rollback {}--undo\n", ink(DIM, "to take it back:"), flag(space));
            page(paint, space, plan, "stands again as it stood") + &undo
        }
    })
}

fn flag(space: &Space) -> &'static str {
    if space.is_user() { "--user " } else { "" }
}

fn then(paint: &Paint, plan: &Plan) -> String {
    plan.at.map_or_else(|| "before anything was remembered".into(), |at| paint.time(at))
}

/// What changes, in numbers and the first memories by name.
fn page(paint: &Paint, space: &Space, plan: &Plan, verb: &str) -> String {
    let mut out = format!("{} {verb} {}\n", ink(BOLD, space), then(paint, plan));
    let memories = |n: u64| count(n, "memory", "memories");
    out += &format!(
        "  {}, {} set aside\n",
        ink(GREEN, format!("{} restored", memories(plan.restored()))),
        plan.retired()
    );
    for turn in plan.turns.iter().take(TOLD) {
        let View { handle, from, to } = View::of(turn);
        let way = if from == to { format!("{to}, as before") } else { format!("{from} → {to}") };
        let head = format!("  {}  {way}", ink(BOLD, &handle));
        let room = paint.columns().map_or(usize::MAX, |it| it.saturating_sub(handle.len() + way.len() + 6));
        out += &format!("{head}  {}\n", ink(DIM, cut(&one_line(&turn.memory.fact), room)));
    }
    if plan.turns.len() > TOLD {
        out += &format!("  … and {} more\n", plan.turns.len() - TOLD);
    }
    out + &lost(plan)
}

fn lost(plan: &Plan) -> String {
    if plan.lost == 0 {
        return String::new();
    }
    let n = count(plan.lost, "memory was", "memories were");
    format!("{} {n} forgotten since and cannot come back: no text is left\n", ink(YELLOW, "note:"))
}

/// Asks a person, where there is one.
fn is_agreed(shell: &Shell, space: &Space, plan: &Plan) -> bool {
    let terminal = shell.world.terminal;
    if !(terminal.stdin && terminal.stderr) {
        return true;
    }
    let ask = page(&shell.paint, space, plan, "would go back to how it stood") + "roll back? [y/N] ";
    let _ =
        anstream::AutoStream::new(std::io::stderr(), anstream::ColorChoice::Auto).write_all(ask.as_bytes());
    matches!(shell.world.read_line().trim(), "y" | "Y" | "yes")
}
