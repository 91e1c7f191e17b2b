//! `promote`: scratch becomes an episode, a note becomes knowledge.

use apostille_core::memory::Layer;
use apostille_core::{
    promote::{Promotion, promote},
    remember::RememberOutcome,
};

use super::remember::{
    RememberIntent, build_not_promoted_output, build_remember_output, resolve_citations,
};
use apostille_terminal::{
    args::PromoteArgs,
    command_context::{CommandContext, CommandResult},
};
use apostille_workspace::task::find_active_task;

/// Promotes a note.
pub fn run(ctx: &CommandContext, args: &PromoteArgs) -> CommandResult {
    let workspace = ctx.open_workspace()?;
    let note = workspace.find_named(&[args.name])?.remove(0);
    let active = || {
        find_active_task(&ctx.system, &workspace.place, &workspace.settings)
            .map(|it| it.slug.to_string())
    };
    let promotion = Promotion {
        layer: args.layer,
        kind: args.kind,
        subject: args.subject.clone(),
        fact: args.fact.clone(),
        reason: args.reason.clone(),
        citations: resolve_citations(&workspace, &args.cites)?,
        task: args.task.clone().or_else(active),
        ..Promotion::new(args.name, ctx.speaker()?.voice().clone())
    };
    let cx = workspace.context_for(&note.space);
    match promote(&cx, &workspace.spaces(), promotion)? {
        RememberOutcome::Similar { near } => Ok(build_not_promoted_output(ctx, args.name, &near)),
        outcome => {
            let asked = RememberIntent {
                instead: Some(args.name).filter(|_| note.layer == Layer::Session),
                word: "promoted",
                ..RememberIntent::new(args.fact.as_deref().unwrap_or(""))
            };
            Ok(build_remember_output(ctx, &asked, outcome))
        }
    }
}
