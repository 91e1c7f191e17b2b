//! `audit`: what needs attention, and the way out. Nothing is changed.

mod page;
mod told;

use std::fs;

use apostille_audit;
use apostille_audit::Options;
use apostille_tasks::notes_audit;

use crate::args::Audit;
use crate::json::AuditReply;
use crate::paint::safe;
use crate::shell::{Answer, Shell};
use apostille_workspace::desk::Desk;
use apostille_workspace::error;
use apostille_workspace::error::Fault;
use apostille_workspace::task::Tasks;

/// How many findings of a class are shown to a person who did not ask for all.
const FEW: usize = 5;

/// Looks everything over.
pub fn run(shell: &Shell, args: &Audit) -> Result<Answer, Fault> {
    let desk = shell.desk_at(args.at.as_deref())?;
    let found = looked_over(shell, &desk, args)?;
    let code = if found.is_bad() {
        error::NOTHING
    } else {
        error::OK
    };
    let is_told = args.machine.ci;
    let text = |paint: &_| match () {
        () if is_told => told::commands(&found),
        () if args.markdown => found.markdown(),
        () => page::text(paint, &found, args.verbose),
    };
    match args
        .machine
        .sarif
        .as_ref()
        .map(|file| (file, told::sarif(&found)))
    {
        None => Ok(shell.answer(code, &AuditReply::from(&found), text)),
        Some((file, log)) if file.as_os_str() == "-" => {
            let answer = shell.answer(code, &log, |_| format!("{log:#}\n"));
            let err = if is_told {
                told::commands(&found)
            } else {
                String::new()
            };
            Ok(Answer { err, ..answer })
        }
        Some((file, log)) => {
            fs::write(shell.world.cwd.join(file), format!("{log:#}\n")).map_err(|error| {
                Fault::usage(format!("cannot write '{}': {error}", file.display()))
            })?;
            let answer = shell.answer(code, &AuditReply::from(&found), text);
            Ok(Answer {
                err: format!("wrote {}\n", safe(&file.display().to_string())),
                ..answer
            })
        }
    }
}

fn looked_over(shell: &Shell, desk: &Desk, args: &Audit) -> Result<apostille_audit::Audit, Fault> {
    let tasks = Tasks::at(&shell.world, &desk.place, &desk.settings)?;
    let beside = match tasks.notes() {
        Some(notes) => notes_audit::findings(&notes, &tasks.all()?),
        None => Vec::new(),
    };
    let machine = args.machine.ci || args.machine.sarif.is_some() || shell.flags.json;
    let options = Options {
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
        &desk.cx(),
        &desk.spaces(),
        &options,
    )?)
}
