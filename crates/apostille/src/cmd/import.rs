//! `import`: an export, or the file of another tool, is kept. It passes the same checks as a new memory.

mod folder;
mod output;

use std::path::Path;

use apostille_import::{
    file,
    file::{ImportFileError, ImportOptions, ImportPlan, ImportTarget},
    format::{ForeignFormat, detect_import_format, explain_unknown_json},
};

use apostille_terminal::{
    args::ImportArgs,
    command_context::{CommandContext, CommandResult, require_person},
};
use apostille_workspace::{error::CommandError, workspace::Workspace};
use folder::ImportSourceFile;

/// Reads everything whole, and only then keeps what it holds.
pub fn run(ctx: &CommandContext, args: &ImportArgs) -> CommandResult {
    let speaker = if args.trust {
        ctx.deciding_speaker()?
    } else {
        ctx.speaker()?
    };
    let by = if args.trust {
        Some(require_person(&speaker, "vouch for a file")?)
    } else {
        None
    };
    let path = ctx.system.cwd.join(&args.file);
    let (plans, passed_over) = if args.file != Path::new("-") && path.is_dir() {
        plan_folder(ctx, args, &path)?
    } else {
        (vec![plan_single_file(ctx, args, &path)?], None)
    };
    let workspace = if args.dry_run {
        ctx.open_existing_workspace()?
    } else {
        ctx.open_workspace()?
    };
    let how = ImportOptions {
        is_rehearsed: args.dry_run,
        vouched_by: by,
    };
    let cx = workspace.context();
    let done = file::import_planned_files(&cx, |space| workspace.context_for(space), plans, how)?;
    Ok(output::build_import_output(ctx, args, &done, passed_over))
}

/// A file that was named: it is of a known format, or that is a mistake.
fn plan_single_file(
    ctx: &CommandContext,
    args: &ImportArgs,
    path: &Path,
) -> CommandResult<ImportPlan> {
    let page = folder::read_import_file(ctx, path, &args.file)?;
    if page.text.trim().is_empty() {
        return Err(CommandError::usage("there is nothing in it to import"));
    }
    let format = args
        .format
        .or_else(|| detect_import_format(&page.as_foreign_file()));
    let format = format.ok_or_else(|| {
        let what = describe_unknown_format(&page.text);
        build_unknown_format_error(&format!("'{}' is {what}", page.name))
    })?;
    // A file that turns out to be none makes no store.
    plan_import_file(&ctx.open_existing_workspace()?, args, &page, format)
}

/// A folder: whatever is of a known format in it, and how many files are not.
fn plan_folder(
    ctx: &CommandContext,
    args: &ImportArgs,
    path: &Path,
) -> CommandResult<(Vec<ImportPlan>, Option<usize>)> {
    let pages = folder::read_import_folder(path, &args.file)?;
    let looking = ctx.open_existing_workspace()?;
    let plans = pages
        .iter()
        .filter_map(|it| plan_folder_file(&looking, args, it).transpose())
        .collect::<CommandResult<Vec<_>>>()?;
    if plans.is_empty() {
        let name = args.file.display();
        return Err(build_unknown_format_error(&format!(
            "nothing in '{name}' is of a format that can be read"
        )));
    }
    let passed_over = pages.len() - plans.len();
    Ok((plans, Some(passed_over)))
}

/// What a text is that is of no format.
fn describe_unknown_format(text: &str) -> String {
    let broken = || {
        let line = serde_json::from_str::<serde::de::IgnoredAny>(text)
            .err()?
            .line();
        Some(format!(
            "it begins like JSON, and is none from line {line} on"
        ))
    };
    let why = match text.trim_start().starts_with(['{', '[']) {
        true => explain_unknown_json(text).or_else(broken),
        false => None,
    };
    let why = why.map(|it| format!(": {it}")).unwrap_or_default();
    format!("of no format that can be read{why}")
}

fn build_unknown_format_error(what: &str) -> CommandError {
    let names = ForeignFormat::join_names();
    CommandError::usage(what).with_hint(format!(
        "the formats are {names}; --format says which; nothing was imported"
    ))
}

/// A file that was come upon: it may be anything.
fn plan_folder_file(
    workspace: &Workspace,
    args: &ImportArgs,
    page: &ImportSourceFile,
) -> CommandResult<Option<ImportPlan>> {
    let found = detect_import_format(&page.as_foreign_file());
    match (found, args.format) {
        (Some(found), wanted) if wanted.is_none_or(|it| it == found) => {
            plan_import_file(workspace, args, page, found).map(Some)
        }
        // What nothing speaks for is tried, where the person said what it is; what it is not is passed over.
        (None, Some(wanted)) if page.can_be_format(wanted) => {
            Ok(plan_import_file(workspace, args, page, wanted).ok())
        }
        _ => Ok(None),
    }
}

fn plan_import_file(
    workspace: &Workspace,
    args: &ImportArgs,
    page: &ImportSourceFile,
    format: ForeignFormat,
) -> CommandResult<ImportPlan> {
    let [repo, user] = workspace.spaces();
    let shelf = ImportTarget {
        repo: Some(&repo),
        user: Some(&user),
        is_persons: args.user,
    };
    let cx = workspace.context();
    let limits = (&cx.policy.limits, cx.now);
    let page_file = page.as_foreign_file();
    file::plan_import(&page_file, &page.name, format, &shelf, limits).map_err(convert_import_error)
}

/// Why a file cannot be read, with the way out.
fn convert_import_error(why: ImportFileError) -> CommandError {
    let fault = CommandError::usage(&why);
    match why {
        ImportFileError::NotOfFormat { .. } => build_unknown_format_error(&why.to_string()),
        ImportFileError::Newer { .. } => fault,
        ImportFileError::Line { .. } => fault.with_hint("nothing was imported"),
        ImportFileError::NoExport { .. } => {
            fault.with_hint("`apostille import --help` shows the formats; nothing was imported")
        }
    }
}
