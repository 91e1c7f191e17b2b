//! `breaker`: whose writes are held up, and a person's word that lets them go on.

use apostille_core::breaker;
use apostille_core::refusal::Refusal;
use apostille_core::space::Space;
use apostille_core::speaker::Person;
use apostille_core::store::breaker_state::OpenBreaker;

use crate::json::BreakersReply;
use apostille_terminal::args::{BreakerArgs, BreakerSubcommand};
use apostille_terminal::breakers::{
    collect_breakers, describe_open_breaker, list_breakers_in_play,
};
use apostille_terminal::command_context::{CommandContext, CommandOutput};
use apostille_terminal::paint::{BOLD, CYAN, DIM, Paint, YELLOW, flatten_to_line, style_text};
use apostille_workspace::error;
use apostille_workspace::error::CommandError;
use apostille_workspace::workspace::Workspace;

/// Lists the breakers that are open, or closes them.
pub fn run(shell: &CommandContext, args: &BreakerArgs) -> Result<CommandOutput, CommandError> {
    let desk = shell.open_workspace()?;
    let Some(BreakerSubcommand::Close { actor }) = &args.what else {
        return Ok(build_breaker_output(
            shell,
            None,
            &list_breakers_in_play(&desk)?,
            "no breaker is open\n",
        ));
    };
    let speaker = shell.world.speaker();
    let Some(by) = speaker.person() else {
        return Ok(shell.render_refusal(&Refusal::PersonDecides {
            verb: "close a breaker",
        }));
    };
    let closed = close_breakers_in_play(&desk, by, actor.as_deref())?;
    Ok(build_breaker_output(
        shell,
        Some("closed"),
        &closed,
        "no such breaker is open\n",
    ))
}

/// Closes the breakers of an actor, or all, in the spaces in play.
pub fn close_breakers_in_play(
    desk: &Workspace,
    by: &Person,
    actor: Option<&str>,
) -> Result<Vec<(Space, OpenBreaker)>, CommandError> {
    collect_breakers(desk, |space| {
        breaker::close_breakers(&desk.context_for(space), by, space, actor)
    })
}

/// The same once it is closed.
fn describe_closed_breaker(trip: &OpenBreaker) -> String {
    let actor = trip
        .actor
        .as_deref()
        .map_or_else(|| "everybody but you".into(), flatten_to_line);
    format!("what {actor} wrote waited: {}", flatten_to_line(&trip.why))
}

fn build_breaker_output(
    shell: &CommandContext,
    outcome: Option<&'static str>,
    trips: &[(Space, OpenBreaker)],
    none: &str,
) -> CommandOutput {
    let code = if trips.is_empty() && outcome.is_some() {
        error::NOTHING
    } else {
        error::OK
    };
    shell.render_output(
        code,
        &BreakersReply::new(outcome, trips),
        |paint| match trips {
            [] => none.to_owned(),
            _ => format_breaker_page(paint, outcome, trips),
        },
    )
}

fn format_breaker_page(
    paint: &Paint,
    outcome: Option<&str>,
    trips: &[(Space, OpenBreaker)],
) -> String {
    let mut out = String::new();
    for (space, it) in trips {
        let word = outcome.unwrap_or("open");
        let when = paint.format_time(it.at);
        out += &format!(
            "{}  {}  {}\n",
            style_text(YELLOW, word),
            style_text(BOLD, it.breaker),
            style_text(DIM, format!("{space}, {when}"))
        );
        out += &paint.wrap_text(
            &if outcome.is_some() {
                describe_closed_breaker(it)
            } else {
                describe_open_breaker(it)
            },
            2,
        );
    }
    let way = |command: &str| format!("  {}\n", style_text(CYAN, command));
    match outcome {
        Some(_) => out + &style_text(DIM, "what waits goes on waiting: apostille review\n"),
        None => {
            let before = "what came before it is in use: look at it, and take it back where it must not be\n";
            let rollback = way("apostille rollback --to TIME --dry-run");
            let before =
                style_text(DIM, paint.wrap_text(before, 0)) + &way("apostille list") + &rollback;
            out + &way("apostille review") + &way("apostille breaker close") + &before
        }
    }
}
