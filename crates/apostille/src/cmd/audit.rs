//! `audit`: what needs attention, and the way out. Nothing is changed.

mod ci_output;
mod page;

use std::fs;

use apostille_audit::AuditOptions;
use apostille_tasks::notes_audit;

use crate::json::AuditReply;
use apostille_terminal::args::AuditArgs;
use apostille_terminal::command_context::{CommandContext, CommandOutput};
use apostille_terminal::paint::make_terminal_safe;
use apostille_workspace::error;
use apostille_workspace::error::CommandError;
use apostille_workspace::task::CheckoutTasks;
use apostille_workspace::workspace::Workspace;

/// How many findings of a class are shown to a person who did not ask for all.
const FEW: usize = 5;

/// Looks everything over.
pub fn run(shell: &CommandContext, args: &AuditArgs) -> Result<CommandOutput, CommandError> {
    let desk = shell.open_workspace_at(args.at.as_deref())?;
    let found = run_audit(shell, &desk, args)?;
    let code = if found.has_problems() {
        error::NOTHING
    } else {
        error::OK
    };
    let is_told = args.machine.ci;
    let text = |paint: &_| match () {
        () if is_told => ci_output::format_audit_annotations(&found),
        () if args.markdown => found.to_markdown(),
        () => page::format_audit_page(paint, &found, args.verbose),
    };
    match args
        .machine
        .sarif
        .as_ref()
        .map(|file| (file, ci_output::build_audit_sarif(&found)))
    {
        None => Ok(shell.render_output(code, &AuditReply::from(&found), text)),
        Some((file, log)) if file.as_os_str() == "-" => {
            let answer = shell.render_output(code, &log, |_| format!("{log:#}\n"));
            let err = if is_told {
                ci_output::format_audit_annotations(&found)
            } else {
                String::new()
            };
            Ok(CommandOutput { err, ..answer })
        }
        Some((file, log)) => {
            fs::write(shell.world.cwd.join(file), format!("{log:#}\n")).map_err(|error| {
                CommandError::usage(format!("cannot write '{}': {error}", file.display()))
            })?;
            let answer = shell.render_output(code, &AuditReply::from(&found), text);
            Ok(CommandOutput {
                err: format!(
                    "wrote {}\n",
                    make_terminal_safe(&file.display().to_string())
                ),
                ..answer
            })
        }
    }
}

fn run_audit(
    shell: &CommandContext,
    desk: &Workspace,
    args: &AuditArgs,
) -> Result<apostille_audit::AuditReport, CommandError> {
    let tasks = CheckoutTasks::for_folder(&shell.world, &desk.place, &desk.settings)?;
    let beside = match tasks.read_notes() {
        Some(notes) => notes_audit::audit_notes_file(&notes, &tasks.list_tasks()?),
        None => Vec::new(),
    };
    let machine = args.machine.ci || args.machine.sarif.is_some() || shell.flags.json;
    let options = AuditOptions {
        only: args.only.clone(),
        limit: if args.verbose || machine {
            usize::MAX
        } else {
            FEW
        },
        is_whole: args.verbose || machine,
        is_thorough: true,
        own: Some(desk.user_policy()),
        beside: &beside,
    };
    Ok(apostille_audit::audit(
        &desk.context(),
        &desk.spaces(),
        &options,
    )?)
}
