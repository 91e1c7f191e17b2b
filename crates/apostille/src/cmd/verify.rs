//! `verify`: do the citations still hold?

pub(super) mod ci;
mod citations;
mod finding;
mod fix;
mod page;
mod progress;
pub(super) mod sarif;
mod settled;

use apostille_core::{
    Context, list,
    memory::{Memory, Stage},
    refusal::Refusal,
    store::{ListOrder, MemoryFilter},
    verify::{self, VerifiedMemory, VerifyOptions, VerifyReport},
};
use serde::Serialize;
use serde_json::Value;

use super::list::resolve_optional_path;
use crate::json::VerifyReply;
use apostille_terminal::{
    args::VerifyArgs,
    command_context::{CommandContext, CommandOutput, CommandResult},
    paint::{Paint, format_if, join_texts},
};
use apostille_workspace::workspace::Workspace;
use finding::VerifyRule;
use fix::VerifyFix;
use page::VerifyPage;
use progress::VerifyProgress;

/// The answer with what to say instead, with `--fix`.
#[derive(Serialize)]
struct VerifyFixReply {
    #[serde(flatten)]
    found: VerifyReply,
    drafts: Vec<Value>,
}

/// Looks up citations, and lets those that moved follow the code where that is safe.
pub fn run(shell: &CommandContext, args: &VerifyArgs) -> CommandResult {
    if let Some(file) = &args.machine.citations {
        return citations::run(shell, args, file);
    }
    let desk = if args.github {
        shell.open_github_workspace(args.at.as_deref())?
    } else {
        shell.open_workspace_at(args.at.as_deref())?
    };
    let memories = select_memories_to_verify(&desk, args)?;
    let why = || settled::explain_unsettled(&desk, args);
    if args.change.invalidate && !settled::is_settled_checkout(&desk) {
        return Err(Refusal::NotSettled { why: why() }.into());
    }
    let report = verify_with_progress(shell, &desk, args, memories)?;
    if args.fix {
        return answer_verify_fix(shell, &desk, args, &report);
    }
    let unsettled = (!report.is_settled && !args.is_read_only()).then(why);
    answer_verify(shell, args, &report, unsettled.as_deref())
}

fn select_memories_to_verify(desk: &Workspace, args: &VerifyArgs) -> CommandResult<Vec<Memory>> {
    if !args.names.is_empty() {
        return desk.find_named(&args.names);
    }
    let filter = MemoryFilter {
        spaces: desk.spaces().to_vec(),
        stages: vec![Stage::Active],
        path: resolve_optional_path(desk, args.path.as_deref())?,
        order: ListOrder::Oldest,
        limit: usize::MAX,
        ..MemoryFilter::default()
    };
    Ok(list::list_memories(&desk.context(), &filter)?)
}

/// Verifies, and shows how far it is: whether there is time left is asked before each step.
fn verify_with_progress(
    shell: &CommandContext,
    desk: &Workspace,
    args: &VerifyArgs,
    memories: Vec<Memory>,
) -> CommandResult<VerifyReport> {
    let progress = VerifyProgress::new(shell, memories.iter().map(|it| it.citations.len()).sum());
    let late = || {
        progress.add_step();
        false
    };
    let cx = Context {
        late: &late,
        ..desk.context()
    };
    // With `--json`, proposals are only told to a program.
    if args.is_read_only() || (args.fix && shell.flags.json) {
        return Ok(VerifyReport {
            memories: verify::follow_memory_citations(&cx, memories),
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
) -> CommandResult {
    let verified = &report.memories;
    let page = VerifyPage {
        memories: verified,
        is_verbose: args.verbose,
        unsettled,
    };
    if args.machine.ci || args.machine.sarif.is_some() {
        return answer_verify_ci(shell, args, report, &page);
    }
    Ok(shell
        .render_output(&VerifyReply::from(report), |paint| {
            format_if(!verified.is_empty(), || page.to_text(paint))
        })
        .nothing_if(verified.iter().any(VerifiedMemory::is_invalid))
        .or_nothing(verified.is_empty(), "there is nothing to verify here\n"))
}

/// What to say instead of what does not hold: a person is asked, everybody else is told.
fn answer_verify_fix(
    shell: &CommandContext,
    desk: &Workspace,
    args: &VerifyArgs,
    report: &VerifyReport,
) -> CommandResult {
    let fixes = fix::propose_verify_fixes(shell, &report.memories);
    let terminal = shell.world.terminal;
    let is_asked = terminal.stdin && terminal.stdout && !shell.flags.json && !args.change.dry_run;
    if is_asked && !fixes.is_empty() {
        fix::ask_about_fixes(shell, desk, &fixes)?;
        return Ok(CommandOutput::default());
    }
    let json = VerifyFixReply {
        found: VerifyReply::from(report),
        drafts: fixes.iter().map(VerifyFix::to_view).collect(),
    };
    let answer = shell.render_output(&json, |paint| {
        if fixes.is_empty() {
            "there is nothing to fix\n".into()
        } else {
            join_texts(fixes.iter().map(|it| it.to_text(paint)), "\n")
        }
    });
    let is_invalid = report.memories.iter().any(VerifiedMemory::is_invalid);
    Ok(answer.nothing_if(is_invalid))
}

/// The answer for a program that checks the code: annotations, a file for the code host, or both.
fn answer_verify_ci(
    shell: &CommandContext,
    args: &VerifyArgs,
    report: &VerifyReport,
    page: &VerifyPage,
) -> CommandResult {
    let verified = &report.memories;
    let findings = finding::collect_verify_findings(verified);
    let unknown = page::list_unknown_reasons(verified);
    let told = |paint: &Paint| {
        if args.machine.ci {
            let unknown = unknown.iter().map(|it| format!("{it}\n"));
            ci::format_verify_annotations(&findings)
                + &unknown.collect::<String>()
                + &page.format_counts()
        } else {
            page.to_text(paint)
        }
    };
    Ok(sarif::answer_with_sarif(
        shell,
        args.machine.sarif.as_deref(),
        || sarif::build_verify_sarif(&findings, &unknown),
        || format_if(args.machine.ci, || told(&shell.paint)),
        || shell.render_output(&VerifyReply::from(report), told),
    )?
    .nothing_if(findings.iter().any(|it| it.rule != VerifyRule::Moved)))
}
