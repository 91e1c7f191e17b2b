//! `breaker`: whose writes are held up, and a person's word that lets them go on.

use apostille_core::breaker;
use apostille_core::refusal::Refusal;
use apostille_core::space::Space;
use apostille_core::speaker::Person;
use apostille_core::store::watch::Trip;

use crate::args::{Breaker, BreakerWhat};
use crate::json::BreakersReply;
use crate::paint::{BOLD, CYAN, DIM, Paint, YELLOW, ink, one_line};
use crate::shell::{Answer, Shell};
use apostille_workspace::desk::Desk;
use apostille_workspace::error;
use apostille_workspace::error::Fault;

/// Lists the breakers that are open, or closes them.
pub fn run(shell: &Shell, args: &Breaker) -> Result<Answer, Fault> {
    let desk = shell.desk()?;
    let Some(BreakerWhat::Close { actor }) = &args.what else {
        return Ok(answer(shell, None, &open(&desk)?, "no breaker is open\n"));
    };
    let speaker = shell.world.speaker();
    let Some(by) = speaker.person() else {
        return Ok(shell.refused(&Refusal::PersonDecides {
            verb: "close a breaker",
        }));
    };
    let closed = closed(&desk, by, actor.as_deref())?;
    Ok(answer(
        shell,
        Some("closed"),
        &closed,
        "no such breaker is open\n",
    ))
}

/// The breakers that are open in the spaces in play.
pub fn open(desk: &Desk) -> Result<Vec<(Space, Trip)>, Fault> {
    each(desk, |space| breaker::open(&desk.cx_for(space), space))
}

/// Closes the breakers of an actor, or all, in the spaces in play.
pub fn closed(desk: &Desk, by: &Person, actor: Option<&str>) -> Result<Vec<(Space, Trip)>, Fault> {
    each(desk, |space| {
        breaker::close(&desk.cx_for(space), by, space, actor)
    })
}

fn each(
    desk: &Desk,
    trips: impl Fn(&Space) -> Result<Vec<Trip>, apostille_core::Error>,
) -> Result<Vec<(Space, Trip)>, Fault> {
    let mut all = Vec::new();
    for space in desk.spaces() {
        all.extend(trips(&space)?.into_iter().map(|it| (space.clone(), it)));
    }
    Ok(all)
}

/// Whose writes wait, and why, in a few words.
pub fn told(trip: &Trip) -> String {
    let actor = trip
        .actor
        .as_deref()
        .map_or_else(|| "everybody but you".into(), one_line);
    format!("what {actor} writes waits: {}", one_line(&trip.why))
}

/// The same once it is closed.
fn told_of_closed(trip: &Trip) -> String {
    let actor = trip
        .actor
        .as_deref()
        .map_or_else(|| "everybody but you".into(), one_line);
    format!("what {actor} wrote waited: {}", one_line(&trip.why))
}

fn answer(
    shell: &Shell,
    outcome: Option<&'static str>,
    trips: &[(Space, Trip)],
    none: &str,
) -> Answer {
    let code = if trips.is_empty() && outcome.is_some() {
        error::NOTHING
    } else {
        error::OK
    };
    shell.answer(
        code,
        &BreakersReply::new(outcome, trips),
        |paint| match trips {
            [] => none.to_owned(),
            _ => page(paint, outcome, trips),
        },
    )
}

fn page(paint: &Paint, outcome: Option<&str>, trips: &[(Space, Trip)]) -> String {
    let mut out = String::new();
    for (space, it) in trips {
        let word = outcome.unwrap_or("open");
        let when = paint.time(it.at);
        out += &format!(
            "{}  {}  {}\n",
            ink(YELLOW, word),
            ink(BOLD, it.breaker),
            ink(DIM, format!("{space}, {when}"))
        );
        out += &paint.wrapped(
            &if outcome.is_some() {
                told_of_closed(it)
            } else {
                told(it)
            },
            2,
        );
    }
    let way = |command: &str| format!("  {}\n", ink(CYAN, command));
    match outcome {
        Some(_) => out + &ink(DIM, "what waits goes on waiting: apostille review\n"),
        None => {
            let before = "what came before it is in use: look at it, and take it back where it must not be\n";
            let rollback = way("apostille rollback --to TIME --dry-run");
            let before = ink(DIM, paint.wrapped(before, 0)) + &way("apostille list") + &rollback;
            out + &way("apostille review") + &way("apostille breaker close") + &before
        }
    }
}
