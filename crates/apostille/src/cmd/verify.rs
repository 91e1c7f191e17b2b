//! `verify`: do the citations still hold?

pub(super) mod ci;
mod citations;
mod comment;
mod finding;
mod fix;
mod instructions;
mod page;
mod progress;
pub(super) mod sarif;
mod settled;

use std::path::Path;

use apostille_core::{
    Context, list,
    memory::{Memory, Stage},
    refusal::Refusal,
    standing_text::StandingView,
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
    paint::{DIM, GREEN, Paint, format_if, memory::format_place, style_text},
};
use apostille_workspace::workspace::Workspace;
use comment::VerifyComment;
use finding::VerifyRule;
use fix::VerifyFix;
use page::VerifyPage;
use progress::VerifyProgress;

const NOTHING_HERE: &str = "there is nothing to verify here; \
    `apostille verify --instructions` looks up what AGENTS.md and its like name\n";

/// The answer with what to say instead, with `--fix`.
#[derive(Serialize)]
struct VerifyFixReply {
    #[serde(flatten)]
    found: VerifyReply,
    drafts: Vec<Value>,
}

/// Looks up citations, and lets those that moved follow the code where that is safe.
pub fn run(ctx: &CommandContext, args: &VerifyArgs) -> CommandResult {
    if let Some(file) = &args.machine.citations {
        return citations::run(ctx, args, file);
    }
    if args.instructions || !args.list_files().is_empty() {
        return instructions::run(ctx, args);
    }
    let workspace = if args.github {
        ctx.open_github_workspace(args.at.as_deref())?
    } else {
        ctx.open_workspace_at(args.at.as_deref())?
    };
    let memories = select_memories_to_verify(&workspace, args)?;
    let why = || settled::explain_unsettled(&workspace, args);
    if args.change.invalidate && !settled::is_settled_checkout(&workspace) {
        return Err(Refusal::NotSettled { why: why() }.into());
    }
    let mut report = verify_with_progress(ctx, &workspace, args, memories)?;
    let unsettled = (!report.is_settled && !args.is_read_only()).then(why);
    if args.fix {
        if args.yes && report.is_settled {
            fix::confirm_safe_fixes(&workspace, &mut report.memories)?;
        }
        let unsettled = unsettled.filter(|_| args.yes);
        return answer_verify_fix(ctx, &workspace, args, &report, unsettled.as_deref());
    }
    let answer = answer_verify(ctx, args, &report, unsettled.as_deref())?;
    match &args.machine.markdown {
        Some(file) => answer_verify_comment(ctx, &workspace, args, file, &report, answer),
        None => Ok(answer),
    }
}

/// The same with the comment for a pull request; on the output it stands alone, with the exit code of the rest.
fn answer_verify_comment(
    ctx: &CommandContext,
    workspace: &Workspace,
    args: &VerifyArgs,
    file: &Path,
    report: &VerifyReport,
    answer: CommandOutput,
) -> CommandResult {
    let verified = &report.memories;
    let fixes = fix::propose_verify_fixes(ctx, verified);
    let base = args.machine.base.as_deref();
    let comment = VerifyComment::new(ctx, workspace, base, verified, &fixes)?.to_markdown();
    if file == Path::new("-") {
        return Ok(CommandOutput {
            out: comment,
            ..answer
        });
    }
    sarif::write_report_file(ctx, file, &comment)?;
    Ok(answer)
}

fn select_memories_to_verify(
    workspace: &Workspace,
    args: &VerifyArgs,
) -> CommandResult<Vec<Memory>> {
    let names = args.list_memories();
    if !names.is_empty() {
        return workspace.find_named(&names);
    }
    let filter = MemoryFilter {
        spaces: workspace.spaces().to_vec(),
        stages: vec![Stage::Active],
        path: resolve_optional_path(workspace, args.path.as_deref())?,
        order: ListOrder::Oldest,
        limit: usize::MAX,
        ..MemoryFilter::default()
    };
    Ok(list::list_memories(&workspace.context(), &filter)?)
}

/// Verifies, and shows how far it is: whether there is time left is asked before each step.
fn verify_with_progress(
    ctx: &CommandContext,
    workspace: &Workspace,
    args: &VerifyArgs,
    memories: Vec<Memory>,
) -> CommandResult<VerifyReport> {
    let progress = VerifyProgress::new(ctx, memories.iter().map(|it| it.citations.len()).sum());
    let late = || {
        progress.add_step();
        false
    };
    let cx = Context {
        late: &late,
        ..workspace.context()
    };
    // With `--json`, proposals are only told to a program.
    if args.is_read_only() || (args.fix && ctx.flags.json && !args.yes) {
        return Ok(VerifyReport {
            memories: verify::follow_memory_citations(&cx, memories),
            is_settled: settled::is_settled_checkout(workspace),
            verified_at: None,
        });
    }
    let speaker = ctx.speaker()?;
    let orders = VerifyOptions {
        heal: true,
        invalidate: args.change.invalidate,
        by: speaker.person(),
    };
    Ok(verify::verify(&cx, memories, orders, |_| ())?)
}

fn answer_verify(
    ctx: &CommandContext,
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
    if args.machine.is_report() {
        return answer_verify_ci(ctx, args, report, &page);
    }
    Ok(ctx
        .render_output(&VerifyReply::from(report), |paint| {
            format_if(!verified.is_empty(), || page.to_text(paint))
        })
        .nothing_if(verified.iter().any(VerifiedMemory::is_invalid))
        .or_nothing(verified.is_empty(), NOTHING_HERE))
}

/// What to say instead of what does not hold: a person is asked, everybody else is told.
fn answer_verify_fix(
    ctx: &CommandContext,
    workspace: &Workspace,
    args: &VerifyArgs,
    report: &VerifyReport,
    unsettled: Option<&str>,
) -> CommandResult {
    let fixes = fix::propose_verify_fixes(ctx, &report.memories);
    let terminal = ctx.system.terminal;
    let is_quiet = ctx.flags.json || args.change.dry_run || args.yes;
    if terminal.stdin && terminal.stdout && !is_quiet && !fixes.is_empty() {
        fix::ask_about_fixes(ctx, ctx, workspace, &fixes)?;
        return Ok(CommandOutput::default());
    }
    let json = VerifyFixReply {
        found: VerifyReply::from(report),
        drafts: fixes.iter().map(VerifyFix::to_view).collect(),
    };
    let answer = ctx.render_output(&json, |paint| {
        let mut parts = vec![format_fix_deeds(&report.memories)];
        parts.extend(unsettled.map(|why| {
            let text = format!("nothing was written down, because {why}");
            style_text(DIM, paint.wrap_text(&text, 0))
        }));
        parts.extend(fixes.iter().map(|it| it.to_text(paint)));
        parts.retain(|it| !it.is_empty());
        if parts.is_empty() {
            return "there is nothing to fix\n".into();
        }
        parts.join("\n")
    });
    let is_invalid = report.memories.iter().any(VerifiedMemory::is_invalid);
    Ok(answer.nothing_if(is_invalid))
}

/// What was done without asking, a line for each memory.
fn format_fix_deeds(verified: &[VerifiedMemory]) -> String {
    let done = verified.iter().filter_map(|it| {
        let place = StandingView::from(it).place().map(|it| format_place(&it));
        let handle = it.memory.handle();
        Some(format!(
            "{} {handle}  {DIM}{}{DIM:#}\n",
            style_text(GREEN, it.deed?),
            place.unwrap_or_default()
        ))
    });
    done.collect()
}

/// The answer for a program that checks the code: annotations, a file for the code host, or both.
fn answer_verify_ci(
    ctx: &CommandContext,
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
        ctx,
        args.machine.sarif.as_deref(),
        || sarif::build_verify_sarif(&findings, &unknown),
        || format_if(args.machine.ci, || told(&ctx.paint)),
        || ctx.render_output(&VerifyReply::from(report), told),
    )?
    .nothing_if(findings.iter().any(|it| it.rule != VerifyRule::Moved)))
}
