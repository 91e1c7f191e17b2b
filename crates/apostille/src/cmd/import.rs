//! `import`: an export, or the file of another tool, is kept. It passes the same checks as a new memory.

mod folder;
mod output;

use std::path::Path;

use apostille_core::refusal::Refusal;
use apostille_core::speaker::Person;
use apostille_import::file;
use apostille_import::file::{
    FileImportReport, ImportFileError, ImportOptions, ImportPlan, ImportTarget,
};
use apostille_import::format::{Format, detect_import_format, explain_unknown_json};

use apostille_terminal::args::ImportArgs;
use apostille_terminal::command_context::{CommandContext, CommandOutput};
use apostille_workspace::error::CommandError;
use apostille_workspace::workspace::Workspace;
use folder::ImportSourceFile;

/// Reads everything whole, and only then keeps what it holds.
pub fn run(shell: &CommandContext, args: &ImportArgs) -> Result<CommandOutput, CommandError> {
    let speaker = shell.world.speaker();
    let by = speaker.person().filter(|_| args.trust);
    if args.trust && by.is_none() {
        return Ok(shell.render_refusal(&Refusal::PersonDecides {
            verb: "vouch for a file",
        }));
    }
    let path = shell.world.cwd.join(&args.file);
    match args.file != Path::new("-") && path.is_dir() {
        true => import_folder(shell, args, by, &path),
        false => import_single_file(shell, args, by, &path),
    }
}

fn open_import_workspace(
    shell: &CommandContext,
    args: &ImportArgs,
) -> Result<Workspace, CommandError> {
    if args.dry_run {
        shell.open_existing_workspace()
    } else {
        shell.open_workspace()
    }
}

/// A file that was named: it is of a known format, or that is a mistake.
fn import_single_file(
    shell: &CommandContext,
    args: &ImportArgs,
    by: Option<&Person>,
    path: &Path,
) -> Result<CommandOutput, CommandError> {
    let page = folder::read_import_file(shell, path, &args.file)?;
    if page.text.trim().is_empty() {
        return Err(CommandError::usage("there is nothing in it to import"));
    }
    let format = args
        .format
        .or_else(|| detect_import_format(&page.as_foreign_file()));
    let format = format.ok_or_else(|| {
        build_unknown_format_error(&format!(
            "'{}' is {}",
            page.name,
            describe_unknown_format(&page.text)
        ))
    })?;
    // A file that turns out to be none makes no store.
    let taken = plan_import_file(&shell.open_existing_workspace()?, args, &page, format)?;
    let done = run_import_plans(&open_import_workspace(shell, args)?, args, by, vec![taken])?;
    Ok(output::build_import_output(shell, args, &done, None))
}

/// A folder: whatever is of a known format in it.
fn import_folder(
    shell: &CommandContext,
    args: &ImportArgs,
    by: Option<&Person>,
    path: &Path,
) -> Result<CommandOutput, CommandError> {
    let pages = folder::read_import_folder(path, &args.file)?;
    let looking = shell.open_existing_workspace()?;
    let taken = pages
        .iter()
        .filter_map(|it| plan_folder_file(&looking, args, it).transpose());
    let taken = taken.collect::<Result<Vec<ImportPlan>, CommandError>>()?;
    if taken.is_empty() {
        let name = args.file.display();
        return Err(build_unknown_format_error(&format!(
            "nothing in '{name}' is of a format that can be read"
        )));
    }
    let passed_over = pages.len() - taken.len();
    let done = run_import_plans(&open_import_workspace(shell, args)?, args, by, taken)?;
    Ok(output::build_import_output(
        shell,
        args,
        &done,
        Some(passed_over),
    ))
}

/// What a text is that is of no format.
fn describe_unknown_format(text: &str) -> String {
    let is_json = text.trim_start().starts_with(['{', '[']);
    let broken = || {
        let error = serde_json::from_str::<serde::de::IgnoredAny>(text).err()?;
        Some(format!(
            "it begins like JSON, and is none from line {} on",
            error.line()
        ))
    };
    let why = if is_json {
        explain_unknown_json(text).or_else(broken)
    } else {
        None
    };
    let why = why.map_or(String::new(), |it| format!(": {it}"));
    format!("of no format that can be read{why}")
}

fn build_unknown_format_error(what: &str) -> CommandError {
    let names = Format::join_names();
    CommandError::usage(what).with_hint(format!(
        "the formats are {names}; --format says which; nothing was imported"
    ))
}

/// A file that was come upon: it may be anything.
fn plan_folder_file(
    desk: &Workspace,
    args: &ImportArgs,
    page: &ImportSourceFile,
) -> Result<Option<ImportPlan>, CommandError> {
    let found = detect_import_format(&page.as_foreign_file());
    match (found, args.format) {
        (Some(found), None) => plan_import_file(desk, args, page, found).map(Some),
        (Some(found), Some(wanted)) if found == wanted => {
            plan_import_file(desk, args, page, found).map(Some)
        }
        // What nothing speaks for is tried, where the person said what it is; what it is not is passed over.
        (None, Some(wanted)) if page.can_be_format(wanted) => {
            Ok(plan_import_file(desk, args, page, wanted).ok())
        }
        _ => Ok(None),
    }
}

fn plan_import_file(
    desk: &Workspace,
    args: &ImportArgs,
    page: &ImportSourceFile,
    format: Format,
) -> Result<ImportPlan, CommandError> {
    let [repo, user] = desk.spaces();
    let shelf = ImportTarget {
        repo: Some(&repo),
        user: Some(&user),
        is_persons: args.user,
    };
    let cx = desk.context();
    file::plan_import(
        &page.as_foreign_file(),
        &page.name,
        format,
        &shelf,
        (&cx.policy.limits, cx.now),
    )
    .map_err(convert_import_error)
}

/// Why a file cannot be read, with the way out.
fn convert_import_error(why: ImportFileError) -> CommandError {
    let told = why.to_string();
    match why {
        ImportFileError::NotOfFormat { .. } => build_unknown_format_error(&told),
        ImportFileError::Newer { .. } => CommandError::usage(told),
        ImportFileError::Line { .. } => CommandError::usage(told).with_hint("nothing was imported"),
        ImportFileError::NoExport { .. } => CommandError::usage(told)
            .with_hint("`apostille import --help` shows the formats; nothing was imported"),
    }
}

fn run_import_plans(
    desk: &Workspace,
    args: &ImportArgs,
    by: Option<&Person>,
    taken: Vec<ImportPlan>,
) -> Result<Vec<FileImportReport>, CommandError> {
    let how = ImportOptions {
        is_rehearsed: args.dry_run,
        vouched_by: by,
    };
    Ok(file::import_planned_files(
        &desk.context(),
        |space| desk.context_for(space),
        taken,
        how,
    )?)
}
