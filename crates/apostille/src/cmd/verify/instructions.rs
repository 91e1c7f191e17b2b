//! `verify AGENTS.md`: what instruction files name, looked up in the tree. No store is opened.

use std::fs;
use std::path::Path;
use std::time::Duration;

use apostille_cite::{
    citation::{CodeLocation, LineSpan, RepoPath},
    source::Source,
};
use apostille_instructions::{
    InstructionError, InstructionFile, InstructionFinding, InstructionReport, InstructionRule,
    MAX_INSTRUCTIONS, check_instructions, find_instruction_files,
};
use apostille_terminal::{
    args::VerifyArgs,
    command_context::{CommandContext, CommandOutput, CommandResult},
    paint::{
        BOLD, CYAN, DIM, Paint, RED, YELLOW, format_count, format_if, make_terminal_safe,
        style_text,
    },
};
use apostille_workspace::{error::CommandError, project_folder::ProjectFolder};
use serde_json::{Value, json};

use super::{ci, sarif};

/// How long the tree is searched for symbols.
const DEADLINE: Duration = Duration::from_secs(60);
/// What to do where there are no instruction files.
const NONE_HERE: &str =
    "there are no instruction files here; name one, as in `apostille verify docs/AGENTS.md`\n";

/// Checks the files that were named, or those that the repository has.
pub fn run(ctx: &CommandContext, args: &VerifyArgs) -> CommandResult {
    refuse_other_arguments(args)?;
    let place = ctx.find_project_folder()?;
    let source = place.open_source(args.at.as_deref())?;
    let listed = source
        .list_paths()?
        .ok_or_else(|| explain_no_tree(&place))?;
    let files = if args.instructions {
        read_found_files(&*source, find_instruction_files(&listed))
    } else {
        let named = args.list_files();
        named
            .into_iter()
            .map(|it| read_named_file(&place, &*source, it))
            .collect::<Result<Vec<_>, _>>()?
    };
    if files.is_empty() {
        return Ok(CommandOutput::default().with_err(NONE_HERE));
    }
    let clock = ctx.system.stopwatch();
    let is_late = || u128::from(clock()) > DEADLINE.as_micros();
    let report = check_instructions(&files, &*source, &is_late).map_err(explain_fault)?;
    answer_instructions(ctx, args, report)
}

fn refuse_other_arguments(args: &VerifyArgs) -> CommandResult<()> {
    if !args.list_memories().is_empty() {
        let why = "name memories or files, not both";
        return Err(CommandError::usage(why));
    }
    let flags = [
        ("--github", args.github),
        ("--fix", args.fix),
        ("--invalidate", args.change.invalidate),
    ];
    match flags.iter().find(|it| it.1) {
        Some((flag, _)) => Err(CommandError::usage(format!(
            "{flag} is for memories, and instruction files are only read"
        ))),
        None => Ok(()),
    }
}

fn explain_no_tree(place: &ProjectFolder) -> CommandError {
    let folder = place.root.display();
    if place.checkout.is_some() {
        return CommandError::usage(format!(
            "nothing is committed in '{folder}' yet, so there is no tree to look names up in"
        ))
        .with_hint("commit first");
    }
    CommandError::usage(format!(
        "'{folder}' is not in a git repository, so there is no tree to look names up in"
    ))
    .with_hint("go to the repository, or name it with -C")
}

fn explain_fault(error: InstructionError) -> CommandError {
    match error {
        InstructionError::Source(error) => error.into(),
        error @ InstructionError::NoTree => CommandError::usage(error),
    }
}

/// The files that were found. A link leads to a file that is found itself, and what is not text says nothing.
fn read_found_files(source: &dyn Source, paths: Vec<RepoPath>) -> Vec<InstructionFile> {
    let read = |path: RepoPath| {
        let blob = source.read_file(&path).ok()??;
        let text = String::from_utf8(blob.bytes).ok()?;
        (text.len() <= MAX_INSTRUCTIONS).then_some(InstructionFile { path, text })
    };
    paths.into_iter().filter_map(read).collect()
}

fn read_named_file(
    place: &ProjectFolder,
    source: &dyn Source,
    typed: &Path,
) -> CommandResult<InstructionFile> {
    let shown = typed.display();
    let path = resolve_typed_file(place, typed)?;
    let Some(blob) = source.read_file(&path)? else {
        return Err(CommandError::usage(format!(
            "there is no file '{shown}' here"
        )));
    };
    if blob.bytes.len() > MAX_INSTRUCTIONS {
        let n = MAX_INSTRUCTIONS / 1024 / 1024;
        return Err(CommandError::usage(format!(
            "'{shown}' is larger than {n} MB"
        )));
    }
    let text = String::from_utf8(blob.bytes)
        .ok()
        .filter(|it| !it.contains('\0'))
        .ok_or_else(|| CommandError::usage(format!("'{shown}' is not text")))?;
    Ok(InstructionFile { path, text })
}

/// The file that was typed, as a path of the repository. A link to a file inside it stands for that file: `CLAUDE.md` is
/// often one to `AGENTS.md`.
fn resolve_typed_file(place: &ProjectFolder, typed: &Path) -> CommandResult<RepoPath> {
    let shown = typed.display();
    let outside = || {
        let root = place.root.display();
        CommandError::usage(format!("'{shown}' is outside the repository '{root}'"))
            .with_hint("go to its repository, or name it with -C")
    };
    let text = typed
        .to_str()
        .ok_or_else(|| CommandError::usage(format!("'{shown}' is not UTF-8")))?;
    let Ok(full) = fs::canonicalize(place.resolve_typed(typed)) else {
        return place.resolve_path(text).map_err(|_| outside());
    };
    if full.is_dir() {
        let why = format!("'{shown}' is a folder; name a file, or say --instructions");
        return Err(CommandError::usage(why));
    }
    let root = fs::canonicalize(&place.root).unwrap_or_else(|_| place.root.clone());
    let inside = full.strip_prefix(&root).ok().and_then(Path::to_str);
    let inside = inside.ok_or_else(outside)?;
    Ok(inside.replace(std::path::MAIN_SEPARATOR, "/").parse()?)
}

fn answer_instructions(
    ctx: &CommandContext,
    args: &VerifyArgs,
    mut report: InstructionReport,
) -> CommandResult {
    if !args.verbose {
        report.mentions.clear();
    }
    let told = |paint: &Paint| {
        if args.machine.ci {
            format_annotations(&report) + &format_counts(&report)
        } else {
            format_report(paint, &report)
        }
    };
    Ok(sarif::answer_with_sarif(
        ctx,
        args.machine.sarif.as_deref(),
        || build_instruction_sarif(&report),
        || format_if(args.machine.ci, || told(&ctx.paint)),
        || ctx.render_output(&report, told),
    )?
    .nothing_if(!report.ok))
}

fn format_report(paint: &Paint, report: &InstructionReport) -> String {
    let mut out = String::new();
    for it in &report.mentions {
        let place = format!("{}:{}", it.path, it.line);
        out += &make_terminal_safe(&format!(
            "{place}  {}  {} {}\n",
            it.judged, it.kind, it.name
        ));
    }
    for it in &report.findings {
        out += &format_finding(paint, it);
    }
    out + &format_counts(report)
}

fn format_finding(paint: &Paint, it: &InstructionFinding) -> String {
    let style = match it.rule {
        "gone" => RED,
        "moved" => CYAN,
        _ => YELLOW,
    };
    let place = style_text(
        BOLD,
        make_terminal_safe(&format!("{}:{}:{}", it.path, it.line, it.column)),
    );
    let rule = style_text(style, it.rule);
    let text = make_terminal_safe(&it.message);
    let looked = make_terminal_safe(&format!("looked for {} in {}", it.looked_for, it.looked_in));
    format!("{place}  {rule}\n")
        + &paint.wrap_text(&text, 2)
        + &style_text(DIM, paint.wrap_text(&looked, 2))
}

fn format_counts(report: &InstructionReport) -> String {
    let n = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
    let files = format_count(n(report.files.len()), "file", "files");
    let names = format_count(n(report.checked), "name", "names");
    let findings = match report.findings.len() {
        0 => "nothing to correct".to_owned(),
        found => format!("{found} to correct"),
    };
    let open = format_if(report.open > 0, || format!(", {} left open", report.open));
    format!("{findings}: {names} looked up in {files}{open}\n")
}

fn format_annotations(report: &InstructionReport) -> String {
    let annotation = |it: &InstructionFinding| {
        let place = locate_finding(it);
        ci::format_workflow_command(
            "warning",
            place.as_ref(),
            &format!("instructions {}", it.rule),
            &it.message,
        )
    };
    report.findings.iter().map(annotation).collect()
}

fn locate_finding(it: &InstructionFinding) -> Option<CodeLocation> {
    let path = it.path.parse().ok()?;
    let lines = LineSpan::new(it.line, it.line)?;
    Some(CodeLocation { path, lines })
}

/// The findings as SARIF, each with its columns.
fn build_instruction_sarif(report: &InstructionReport) -> Value {
    let rule = |it: &InstructionRule| {
        json!({
            "id": format!("instructions-{it}"),
            "shortDescription": {"text": it.description()},
            "defaultConfiguration": {"level": "warning"},
        })
    };
    let rules: Vec<Value> = InstructionRule::ALL.iter().map(rule).collect();
    let results: Vec<Value> = report
        .findings
        .iter()
        .filter_map(build_instruction_result)
        .collect();
    sarif::build_sarif_log(&rules, &results, &[])
}

fn build_instruction_result(it: &InstructionFinding) -> Option<Value> {
    let mut location = sarif::build_sarif_location(&locate_finding(it)?);
    let region = &mut location["physicalLocation"]["region"];
    region["startColumn"] = it.column.into();
    region["endColumn"] = it.end_column.into();
    Some(json!({
        "ruleId": format!("instructions-{}", it.rule),
        "ruleIndex": InstructionRule::ALL.iter().position(|rule| rule.as_str() == it.rule),
        "level": "warning",
        "message": {"text": make_terminal_safe(&it.message)},
        "locations": [location],
        "partialFingerprints": {"apostilleInstruction/v1": format!("{}:{}:{}", it.path, it.kind, it.name)},
    }))
}
