//! `breaker`: whose writes are held up, and a person's word that lets them go on.

use apostille_core::breaker;
use apostille_core::{space::Space, store::breaker_state::OpenBreaker};

use crate::json::BreakersReply;
use apostille_terminal::{
    args::{BreakerArgs, BreakerSubcommand},
    breakers::{collect_breakers, describe_breaker, list_breakers_in_play},
    command_context::{CommandContext, CommandOutput, CommandResult, require_person},
    paint::{BOLD, CYAN, DIM, Paint, YELLOW, style_text},
};

/// Lists the breakers that are open, or closes them.
pub fn run(ctx: &CommandContext, args: &BreakerArgs) -> CommandResult {
    let workspace = ctx.open_workspace()?;
    let Some(BreakerSubcommand::Close { actor }) = &args.what else {
        let open = list_breakers_in_play(&workspace)?;
        let none = "no breaker is open\n";
        return Ok(build_breaker_output(ctx, None, &open, none));
    };
    let speaker = ctx.deciding_speaker()?;
    let by = require_person(&speaker, "close a breaker")?;
    // Those of an actor, or all, in the spaces in play.
    let closed = collect_breakers(&workspace, |space| {
        breaker::close_breakers(&workspace.context_for(space), by, space, actor.as_deref())
    })?;
    let none = "no such breaker is open\n";
    Ok(build_breaker_output(ctx, Some("closed"), &closed, none))
}

fn build_breaker_output(
    ctx: &CommandContext,
    outcome: Option<&'static str>,
    trips: &[(Space, OpenBreaker)],
    none: &str,
) -> CommandOutput {
    let json = BreakersReply::new(outcome, trips);
    ctx.render_output(&json, |paint| match trips {
        [] => none.to_owned(),
        _ => format_breaker_page(paint, outcome, trips),
    })
    .nothing_if(trips.is_empty() && outcome.is_some())
}

fn format_breaker_page(
    paint: &Paint,
    outcome: Option<&str>,
    trips: &[(Space, OpenBreaker)],
) -> String {
    let mut out = String::new();
    for (space, it) in trips {
        let when = format!("{space}, {}", paint.format_time(it.at));
        out += &format!(
            "{YELLOW}{}{YELLOW:#}  {BOLD}{}{BOLD:#}  {DIM}{when}{DIM:#}\n{}",
            outcome.unwrap_or("open"),
            it.breaker,
            paint.wrap_text(&describe_breaker(it, outcome.is_none()), 2)
        );
    }
    if outcome.is_some() {
        return out + &style_text(DIM, "pending memories stay pending: apostille review\n");
    }
    let way = |command: &str| format!("  {CYAN}{command}{CYAN:#}\n");
    let before =
        "what came before it is in use: look at it, and take it back where it must not be\n";
    [
        out,
        way("apostille review"),
        way("apostille breaker close"),
        style_text(DIM, paint.wrap_text(before, 0)),
        way("apostille list"),
        way("apostille rollback --to TIME --dry-run"),
    ]
    .concat()
}
