//! `audit`: what needs attention, and the way out. Nothing is changed.

mod ci_output;
mod page;

use apostille_audit::{AuditOptions, AuditReport, audit};
use apostille_tasks::notes_audit;

use super::verify::sarif::answer_with_sarif;
use crate::json::AuditReply;
use apostille_terminal::{
    args::AuditArgs,
    command_context::{CommandContext, CommandResult},
    paint::{Paint, format_if, make_terminal_safe},
};
use apostille_workspace::{task::CheckoutTasks, workspace::Workspace};

/// How many findings of a class are shown to a person who did not ask for all.
const FEW: usize = 5;

/// Looks everything over.
pub fn run(ctx: &CommandContext, args: &AuditArgs) -> CommandResult {
    let workspace = ctx.open_workspace_at(args.at.as_deref())?;
    let found = run_audit(ctx, &workspace, args)?;
    let annotations = || ci_output::format_audit_annotations(&found);
    let text = |paint: &Paint| match () {
        () if args.machine.ci => annotations(),
        () if args.markdown => found.to_markdown(),
        () => page::format_audit_page(paint, &found, args.verbose),
    };
    let file = args.machine.sarif.as_deref();
    let wrote = file.map(|it| {
        let file = make_terminal_safe(&it.display().to_string());
        format!("wrote {file}\n")
    });
    Ok(answer_with_sarif(
        ctx,
        file,
        || ci_output::build_audit_sarif(&found),
        || format_if(args.machine.ci, annotations),
        || {
            ctx.render_output(&AuditReply::from(&found), text)
                .with_err(wrote.unwrap_or_default())
        },
    )?
    .nothing_if(found.has_problems()))
}

fn run_audit(
    ctx: &CommandContext,
    workspace: &Workspace,
    args: &AuditArgs,
) -> CommandResult<AuditReport> {
    let tasks = CheckoutTasks::for_folder(&ctx.system, &workspace.place, &workspace.settings)?;
    let beside = match tasks.read_notes() {
        Some(notes) => notes_audit::audit_notes_file(&notes, &tasks.list_tasks()?),
        None => Vec::new(),
    };
    let machine = args.machine.ci || args.machine.sarif.is_some() || ctx.flags.json;
    let is_whole = args.verbose || machine;
    let options = AuditOptions {
        only: args.only.clone(),
        limit: if is_whole { usize::MAX } else { FEW },
        is_whole,
        is_thorough: true,
        own: Some(workspace.user_policy()),
        beside: &beside,
    };
    Ok(audit(&workspace.context(), &workspace.spaces(), &options)?)
}
