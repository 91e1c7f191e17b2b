//! `rollback`: a space is taken back to how it stood.

use std::io::Write as _;

use apostille_core::event::What;
use apostille_core::format;
use apostille_core::refusal::Refusal;
use apostille_core::rollback::{self, Plan, Point, Turn};
use apostille_core::space::Space;
use apostille_core::store::EventPage;
use apostille_tasks::report;
use jiff::Timestamp;
use serde::Serialize;

use crate::args::Rollback;
use crate::paint::{BOLD, DIM, GREEN, Paint, YELLOW, count, cut, ink, one_line};
use crate::shell::{Answer, Shell};
use apostille_workspace::desk::Desk;
use apostille_workspace::error;
use apostille_workspace::error::Fault;

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
        Self {
            handle: turn.memory.handle().to_string(),
            from: turn.memory.status.stage().as_str(),
            to,
        }
    }
}

/// Takes a space back, on a person's word.
pub fn run(shell: &Shell, args: &Rollback) -> Result<Answer, Fault> {
    let speaker = shell.world.speaker();
    let person = speaker.person();
    if !args.dry_run && person.is_none() {
        return Ok(shell.refused(&Refusal::PersonDecides {
            verb: "roll a space back",
        }));
    }
    let desk = shell.desk()?;
    let [repo, user] = desk.spaces();
    let space = if args.user { user } else { repo };
    let (point, cx) = (point(args, shell.world.now)?, desk.cx_for(&space));
    let is_asked = !args.yes && shell.world.terminal.stdin && shell.world.terminal.stderr;
    if args.dry_run || is_asked {
        let Some(plan) = rollback::plan(&cx, &space, point)? else {
            return Err(nowhere(args, &desk, &space)?);
        };
        let word = match () {
            () if plan.turns.is_empty() => Some("unchanged"),
            () if args.dry_run => Some("planned"),
            () => (!is_agreed(shell, &space, &plan)).then_some("kept"),
        };
        if let Some(word) = word {
            return Ok(told(shell, word, &space, &plan));
        }
    }
    // Decided anew: what a person thought about for a minute may have moved.
    let plan = match person {
        Some(by) => rollback::rollback(&cx, by, &space, point)?,
        None => None,
    };
    let Some(plan) = plan else {
        return Err(nowhere(args, &desk, &space)?);
    };
    if plan.turns.is_empty() {
        return Ok(told(shell, "unchanged", &space, &plan));
    }
    // Whoever was asked has read the list.
    Ok(told(
        shell,
        if is_asked { "agreed" } else { "rolled back" },
        &space,
        &plan,
    ))
}

fn point(args: &Rollback, now: Timestamp) -> Result<Point, Fault> {
    let Some(text) = args.to.as_deref() else {
        return Ok(Point::Undo);
    };
    if let Ok(place) = text.trim_start_matches('#').parse() {
        return Ok(Point::Event(place));
    }
    let time = text.parse().ok().or_else(|| report::since(text, now));
    let wrong = || {
        Fault::usage(format!("--to '{text}' is no time, no age such as 2h, and no event's place"))
        .hint("as in: 2h, '5 weeks ago', 2026-02-26, '2026-02-26 12:00' (UTC), or 41 for event 41 of `apostille log`")
    };
    time.map(Point::Time).ok_or_else(wrong)
}

fn nowhere(args: &Rollback, desk: &Desk, space: &Space) -> Result<Fault, Fault> {
    let Some(text) = args.to.as_deref() else {
        return Ok(Fault::usage(format!(
            "{space} was never rolled back, there is nothing to undo"
        )));
    };
    let fault = Fault::usage(format!("{space} has no event {text}"));
    let [repo, user] = desk.spaces();
    let (other, way) = if args.user {
        (repo, "leave out --user")
    } else {
        (user, "add --user")
    };
    Ok(match has_event(desk, &other, text)? {
        true => fault.hint(format!("event {text} is one of {other}: {way}")),
        false => fault.hint("`apostille log` shows the place of each event"),
    })
}

fn has_event(desk: &Desk, space: &Space, text: &str) -> Result<bool, Fault> {
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
        .events(space, &page)?
        .first()
        .is_some_and(|it| it.seq == place))
}

fn told(shell: &Shell, outcome: &'static str, space: &Space, plan: &Plan) -> Answer {
    let json = Reply {
        ok: outcome != "kept",
        outcome: if outcome == "agreed" {
            "rolled back"
        } else {
            outcome
        },
        space: space.as_str(),
        to: plan.to,
        at: plan.at.map(format::timestamp),
        restored: plan.restored(),
        retired: plan.retired(),
        lost: plan.lost,
        memories: plan.turns.iter().take(TOLD).map(View::of).collect(),
    };
    let code = if matches!(outcome, "kept" | "unchanged") {
        error::NOTHING
    } else {
        error::OK
    };
    shell.answer(code, &json, |paint| match outcome {
        "kept" => "nothing was rolled back\n".into(),
        "unchanged" => {
            format!(
                "{space} stands as it stood {}: nothing to do\n{}",
                then(paint, plan),
                lost(plan)
            )
        }
        "planned" => page(paint, space, plan, "would go back to how it stood"),
        "agreed" => head(paint, space, plan, "stands again as it stood") + &undo(space),
        _ => page(paint, space, plan, "stands again as it stood") + &undo(space),
    })
}

fn undo(space: &Space) -> String {
    format!(
        "{} apostille rollback {}--undo\n",
        ink(DIM, "to take it back:"),
        flag(space)
    )
}

fn flag(space: &Space) -> &'static str {
    if space.is_user() { "--user " } else { "" }
}

fn then(paint: &Paint, plan: &Plan) -> String {
    plan.at.map_or_else(
        || "before anything was remembered".into(),
        |at| paint.time(at),
    )
}

fn head(paint: &Paint, space: &Space, plan: &Plan, verb: &str) -> String {
    let restored = format!("{} restored", count(plan.restored(), "memory", "memories"));
    format!(
        "{} {verb} {}\n  {}, {} retired\n",
        ink(BOLD, space),
        then(paint, plan),
        ink(GREEN, restored),
        plan.retired()
    )
}

/// What changes, in numbers and the first memories by name.
fn page(paint: &Paint, space: &Space, plan: &Plan, verb: &str) -> String {
    let mut out = head(paint, space, plan, verb);
    for turn in plan.turns.iter().take(TOLD) {
        let View { handle, from, to } = View::of(turn);
        let way = if from == to {
            format!("{to}, as before")
        } else {
            format!("{from} → {to}")
        };
        let head = format!("  {}  {way}", ink(BOLD, &handle));
        let room = paint.columns().map_or(usize::MAX, |it| {
            it.saturating_sub(handle.len() + way.len() + 6)
        });
        out += &format!(
            "{head}  {}\n",
            ink(DIM, cut(&one_line(&turn.memory.fact), room))
        );
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
    format!(
        "{} {n} forgotten since and cannot come back: no text is left\n",
        ink(YELLOW, "note:")
    )
}

/// Asks a person; the question says where it goes, exactly.
fn is_agreed(shell: &Shell, space: &Space, plan: &Plan) -> bool {
    let to = match plan.at {
        Some(at) => format!("event {}, {}", plan.to, format::timestamp(at)),
        None => "the beginning".into(),
    };
    let page = page(&shell.paint, space, plan, "would go back to how it stood");
    let ask = format!("{page}roll {space} back to {to}? [y/N] ");
    let _ = anstream::AutoStream::new(std::io::stderr(), anstream::ColorChoice::Auto)
        .write_all(ask.as_bytes());
    matches!(shell.world.read_line().trim(), "y" | "Y" | "yes")
}
