//! `promote`: scratch becomes an episode, a note becomes knowledge, and what was said in a conversation a memory.

use apostille_core::archive::{ArchiveHandle, ArchivePassage, PassageSpeaker};
use apostille_core::memory::{Draft, Layer, MemoryName};
use apostille_core::{
    promote::{Promotion, promote},
    refusal::Refusal,
    remember::{RememberOutcome, classify, remember},
};

use super::{
    remember::{
        RememberIntent, build_not_promoted_output, build_remember_output, resolve_citations,
    },
    said::{build_off_error, read_record},
};
use apostille_terminal::{
    args::{KeptName, PromoteArgs},
    command_context::{CommandContext, CommandOutput, CommandResult, format_hint},
    paint::flatten_to_line,
};
use apostille_workspace::{error::CommandError, task::find_active_task, workspace::Workspace};

/// Promotes a note, or what was said in a conversation.
pub fn run(ctx: &CommandContext, args: &PromoteArgs) -> CommandResult {
    match args.name {
        KeptName::Archive(handle) => promote_passage(ctx, args, handle),
        KeptName::Memory(_) if args.user => Err(CommandError::usage(
            "--user is for what you said in a conversation, as c-5.3; a note stays where it is",
        )),
        KeptName::Memory(name) => promote_note(ctx, args, name),
    }
}

/// Keeps what the user said as a memory, with their words as evidence.
fn promote_passage(
    ctx: &CommandContext,
    args: &PromoteArgs,
    handle: ArchiveHandle,
) -> CommandResult {
    let workspace = ctx.open_guarded_workspace()?;
    let passage = read_user_passage(&workspace, handle)?;
    let fact = args.fact.clone();
    let fact = fact.unwrap_or_else(|| flatten_to_line(&passage.text));
    let [repo, user] = workspace.spaces();
    let is_cited = !args.cites.is_empty();
    let is_users = args.user || classify::belongs_to_user(args.layer, args.kind, &fact, is_cited);
    let space = if is_users { user } else { repo };
    let draft = Draft {
        layer: args.layer,
        kind: args.kind,
        subject: args.subject.clone(),
        reason: args.reason.clone(),
        citations: resolve_citations(&workspace, &args.cites)?,
        said: Some(handle.to_string()),
        task: args.task.clone(),
        ..Draft::new(space, &*fact, ctx.speaker()?.voice().clone())
    };
    let outcome = remember(&workspace.context_for(&draft.space), draft)?;
    let is_long = matches!(
        outcome,
        RememberOutcome::Refused(Refusal::SeveralFacts { .. } | Refusal::TooLong { .. })
    );
    let asked = RememberIntent {
        word: "promoted",
        ..RememberIntent::new(&fact)
    };
    let output = match outcome {
        RememberOutcome::Similar { near } => build_not_promoted_output(ctx, handle, &near),
        outcome => build_remember_output(ctx, &asked, outcome),
    };
    let hint = format_hint("say what is to be remembered of it: --fact \"…\"");
    Ok(match is_long && args.fact.is_none() {
        true => CommandOutput {
            err: output.err + &hint,
            ..output
        },
        false => output,
    })
}

/// What was said at one place of a conversation, where the user said it.
fn read_user_passage(
    workspace: &Workspace,
    handle: ArchiveHandle,
) -> CommandResult<ArchivePassage> {
    let cx = workspace.context();
    let archive = cx.archive.ok_or_else(build_off_error)?;
    let record = read_record(workspace, archive, handle)?;
    let number = handle.passage.ok_or_else(|| {
        CommandError::usage(format!("{handle} is a whole conversation")).with_hint(format!(
            "`apostille show {handle}` has its passages; name one, as {handle}.1"
        ))
    })?;
    let passage = record.find_passage(number).cloned();
    let own = passage.filter(|it| it.speaker == PassageSpeaker::User);
    own.ok_or_else(|| {
        CommandError::usage(format!("{handle} is what the agent said"))
            .with_hint("say it in your own words: `apostille remember \"…\"`")
    })
}

fn promote_note(ctx: &CommandContext, args: &PromoteArgs, name: MemoryName) -> CommandResult {
    let workspace = ctx.open_workspace()?;
    let note = workspace.find_named(&[name])?.remove(0);
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
        ..Promotion::new(name, ctx.speaker()?.voice().clone())
    };
    let cx = workspace.context_for(&note.space);
    match promote(&cx, &workspace.spaces(), promotion)? {
        RememberOutcome::Similar { near } => Ok(build_not_promoted_output(ctx, name, &near)),
        outcome => {
            let asked = RememberIntent {
                instead: (note.layer == Layer::Session).then_some(name),
                word: "promoted",
                ..RememberIntent::new(args.fact.as_deref().unwrap_or(""))
            };
            Ok(build_remember_output(ctx, &asked, outcome))
        }
    }
}
