//! `promote`: scratch becomes an episode, a note becomes knowledge.

use apostille_core::memory::Layer;
use apostille_core::promote::{Promotion, promote};
use apostille_core::remember::RememberOutcome;

use super::remember::{RememberIntent, build_not_promoted_output, build_remember_output};
use apostille_terminal::args::PromoteArgs;
use apostille_terminal::command_context::{CommandContext, CommandOutput};
use apostille_workspace::error::CommandError;
use apostille_workspace::task::find_active_task;

/// Promotes a note.
pub fn run(shell: &CommandContext, args: &PromoteArgs) -> Result<CommandOutput, CommandError> {
    let desk = shell.open_workspace()?;
    let notes = match desk.find_named(&[args.name])? {
        Ok(memories) => memories,
        Err(refusal) => return Ok(shell.render_refusal(&refusal)),
    };
    let is_scratch = notes.iter().any(|it| it.layer == Layer::Session);
    let cites = args
        .cites
        .iter()
        .map(|it| desk.place.resolve_location(it).map_err(CommandError::usage));
    let active = || {
        find_active_task(&shell.world, &desk.place, &desk.settings).map(|it| it.slug.to_string())
    };
    let promotion = Promotion {
        layer: args.layer,
        kind: args.kind,
        subject: args.subject.clone(),
        fact: args.fact.clone(),
        reason: args.reason.clone(),
        citations: cites.collect::<Result<_, _>>()?,
        task: args.task.clone().or_else(active),
        ..Promotion::new(args.name, shell.world.speaker().voice().clone())
    };
    let cx = notes
        .first()
        .map_or_else(|| desk.context(), |it| desk.context_for(&it.space));
    match promote(&cx, &desk.spaces(), promotion)? {
        RememberOutcome::Similar { near } => Ok(build_not_promoted_output(shell, args.name, &near)),
        outcome => {
            let (fact, instead) = (
                args.fact.as_deref().unwrap_or(""),
                Some(args.name).filter(|_| is_scratch),
            );
            Ok(build_remember_output(
                shell,
                &RememberIntent {
                    is_skipped: false,
                    fact,
                    instead,
                    word: "promoted",
                },
                outcome,
            ))
        }
    }
}
