//! `verify`: do the citations still hold?

pub(super) mod ci;
mod citations;
mod finding;
mod fix;
mod page;
mod progress;
pub(super) mod sarif;
mod settled;

use std::fs;

use apostille_core::memory::{Memory, Stage};
use apostille_core::refusal::Refusal;
use apostille_core::store::{ListOrder, MemoryFilter};
use apostille_core::verify::{self, VerifiedMemory, VerifyOptions, VerifyReport};
use apostille_core::{Context, list};
use serde::Serialize;

use crate::json::VerifyReply;
use apostille_terminal::args::VerifyArgs;
use apostille_terminal::command_context::{CommandContext, CommandOutput};
use apostille_workspace::error;
use apostille_workspace::error::CommandError;
use apostille_workspace::workspace::Workspace;
use finding::VerifyRule;
use fix::{VerifyFix, VerifyFixView};
use page::VerifyPage;
use progress::VerifyProgress;

/// The answer with what to say instead, with `--fix`.
#[derive(Serialize)]
struct VerifyFixReply {
    #[serde(flatten)]
    found: VerifyReply,
    drafts: Vec<VerifyFixView>,
}

/// Looks up citations, and lets those that moved follow the code where that is safe.
pub fn run(shell: &CommandContext, args: &VerifyArgs) -> Result<CommandOutput, CommandError> {
    if let Some(file) = &args.machine.citations {
        return citations::run(shell, args, file);
    }
    let desk = match args.github {
        true => shell.open_github_workspace(args.at.as_deref())?,
        false => shell.open_workspace_at(args.at.as_deref())?,
    };
    let memories = match select_memories_to_verify(&desk, args)? {
        Ok(memories) => memories,
        Err(refusal) => return Ok(shell.render_refusal(&refusal)),
    };
    if args.change.invalidate && !settled::is_settled_checkout(&desk) {
        return Ok(shell.render_refusal(&Refusal::NotSettled {
            why: settled::explain_unsettled(&desk, args),
        }));
    }
    let report = verify_with_progress(shell, &desk, args, memories)?;
    if args.fix {
        return answer_verify_fix(shell, &desk, args, &report);
    }
    let unsettled = (!report.is_settled && !args.is_read_only())
        .then(|| settled::explain_unsettled(&desk, args));
    answer_verify(shell, args, &report, unsettled.as_deref())
}

fn select_memories_to_verify(
    desk: &Workspace,
    args: &VerifyArgs,
) -> Result<Result<Vec<Memory>, Refusal>, CommandError> {
    if !args.names.is_empty() {
        return desk.find_named(&args.names);
    }
    let filter = MemoryFilter {
        spaces: desk.spaces().to_vec(),
        stages: vec![Stage::Active],
        path: args
            .path
            .as_deref()
            .map(|it| desk.place.resolve_path(it).map_err(CommandError::usage))
            .transpose()?,
        order: ListOrder::Oldest,
        limit: usize::MAX,
        ..MemoryFilter::default()
    };
    Ok(Ok(list::list_memories(&desk.context(), &filter)?))
}

/// Verifies, and shows how far it is: whether there is time left is asked before each step.
fn verify_with_progress(
    shell: &CommandContext,
    desk: &Workspace,
    args: &VerifyArgs,
    memories: Vec<Memory>,
) -> Result<VerifyReport, CommandError> {
    let progress = VerifyProgress::new(shell, memories.iter().map(|it| it.citations.len()).sum());
    let late = || {
        progress.add_step();
        false
    };
    let cx = Context {
        late: &late,
        ..desk.context()
    };
    if args.is_read_only() || is_json_fix(shell, args) {
        let memories = verify::follow_memory_citations(&cx, memories);
        return Ok(VerifyReport {
            memories,
            is_settled: settled::is_settled_checkout(desk),
        });
    }
    let orders = VerifyOptions {
        heal: true,
        invalidate: args.change.invalidate,
    };
    Ok(verify::verify(&cx, memories, orders, |_| ())?)
}

fn answer_verify(
    shell: &CommandContext,
    args: &VerifyArgs,
    report: &VerifyReport,
    unsettled: Option<&str>,
) -> Result<CommandOutput, CommandError> {
    let verified = &report.memories;
    let is_invalid = verified.iter().any(VerifiedMemory::is_invalid);
    let page = VerifyPage {
        memories: verified,
        is_verbose: args.verbose,
        unsettled,
    };
    if args.machine.ci || args.machine.sarif.is_some() {
        return answer_verify_ci(shell, args, report, &page);
    }
    let code = if is_invalid || verified.is_empty() {
        error::NOTHING
    } else {
        error::OK
    };
    let page = |paint: &_| {
        if verified.is_empty() {
            String::new()
        } else {
            page.to_text(paint)
        }
    };
    let answer = shell.render_output(code, &VerifyReply::from(report), page);
    let err = if verified.is_empty() {
        "there is nothing to verify here\n".into()
    } else {
        String::new()
    };
    Ok(CommandOutput { err, ..answer })
}

/// Whether proposals are only told to a program.
fn is_json_fix(shell: &CommandContext, args: &VerifyArgs) -> bool {
    args.fix && shell.flags.json
}

/// What to say instead of what does not hold: a person is asked, everybody else is told.
fn answer_verify_fix(
    shell: &CommandContext,
    desk: &Workspace,
    args: &VerifyArgs,
    report: &VerifyReport,
) -> Result<CommandOutput, CommandError> {
    let fixes = fix::propose_verify_fixes(shell, &report.memories);
    let code = if report.memories.iter().any(VerifiedMemory::is_invalid) {
        error::NOTHING
    } else {
        error::OK
    };
    let terminal = shell.world.terminal;
    let is_asked = terminal.stdin && terminal.stdout && !shell.flags.json && !args.change.dry_run;
    if is_asked && !fixes.is_empty() {
        fix::ask_about_fixes(shell, desk, &fixes)?;
        return Ok(CommandOutput {
            code: error::OK,
            ..CommandOutput::default()
        });
    }
    let json = VerifyFixReply {
        found: VerifyReply::from(report),
        drafts: fixes.iter().map(VerifyFix::to_view).collect(),
    };
    Ok(
        shell.render_output(code, &json, |paint| match fixes.is_empty() {
            true => "there is nothing to fix\n".into(),
            false => fixes
                .iter()
                .map(|it| it.to_text(paint))
                .collect::<Vec<_>>()
                .join("\n"),
        }),
    )
}

/// The answer for a program that checks the code: annotations, a file for the code host, or both.
fn answer_verify_ci(
    shell: &CommandContext,
    args: &VerifyArgs,
    report: &VerifyReport,
    page: &VerifyPage<'_>,
) -> Result<CommandOutput, CommandError> {
    let verified = &report.memories;
    let findings = finding::collect_verify_findings(verified);
    let is_invalid = findings.iter().any(|it| it.rule != VerifyRule::Moved);
    let code = if is_invalid {
        error::NOTHING
    } else {
        error::OK
    };
    let unknown = page::list_unknown_reasons(verified);
    let log = args
        .machine
        .sarif
        .as_ref()
        .map(|file| (file, sarif::build_verify_sarif(&findings, &unknown)));
    let told = |paint: &_| match args.machine.ci {
        true => {
            ci::format_verify_annotations(&findings)
                + &join_as_lines(&unknown)
                + &page.format_counts()
        }
        false => page.to_text(paint),
    };
    match log {
        Some((file, log)) if file.as_os_str() == "-" => {
            let answer = shell.render_output(code, &log, |_| format!("{log:#}\n"));
            let err = if args.machine.ci {
                told(&shell.paint)
            } else {
                String::new()
            };
            Ok(CommandOutput { err, ..answer })
        }
        Some((file, log)) => {
            fs::write(shell.world.cwd.join(file), format!("{log:#}\n")).map_err(|error| {
                CommandError::usage(format!("cannot write '{}': {error}", file.display()))
            })?;
            Ok(shell.render_output(code, &VerifyReply::from(report), told))
        }
        None => Ok(shell.render_output(code, &VerifyReply::from(report), told)),
    }
}

fn join_as_lines(texts: &[String]) -> String {
    texts.iter().map(|it| format!("{it}\n")).collect()
}
