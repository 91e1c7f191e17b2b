//! `import`: an export, or the file of another tool, is kept. It passes the same checks as a new memory.

mod folder;
mod told;

use std::path::Path;

use apostille_core::refusal::Refusal;
use apostille_core::speaker::Person;
use apostille_import::file;
use apostille_import::file::{Done, How, Shelf, Taken, Unreadable};
use apostille_import::format::{Format, detect, lacking};

use crate::args::Import;
use crate::shell::{Answer, Shell};
use apostille_workspace::desk::Desk;
use apostille_workspace::error::Fault;
use folder::Page;

/// Reads everything whole, and only then keeps what it holds.
pub fn run(shell: &Shell, args: &Import) -> Result<Answer, Fault> {
    let speaker = shell.world.speaker();
    let by = speaker.person().filter(|_| args.trust);
    if args.trust && by.is_none() {
        return Ok(shell.refused(&Refusal::PersonDecides {
            verb: "vouch for a file",
        }));
    }
    let path = shell.world.cwd.join(&args.file);
    match args.file != Path::new("-") && path.is_dir() {
        true => of_folder(shell, args, by, &path),
        false => of_file(shell, args, by, &path),
    }
}

fn desk(shell: &Shell, args: &Import) -> Result<Desk, Fault> {
    if args.dry_run {
        shell.looking_desk()
    } else {
        shell.desk()
    }
}

/// A file that was named: it is of a known format, or that is a mistake.
fn of_file(
    shell: &Shell,
    args: &Import,
    by: Option<&Person>,
    path: &Path,
) -> Result<Answer, Fault> {
    let page = folder::page(shell, path, &args.file)?;
    if page.text.trim().is_empty() {
        return Err(Fault::usage("there is nothing in it to import"));
    }
    let format = args.format.or_else(|| detect(&page.sheet()));
    let format =
        format.ok_or_else(|| unknown(&format!("'{}' is {}", page.name, mistaken(&page.text))))?;
    // A file that turns out to be none makes no store.
    let taken = taken(&shell.looking_desk()?, args, &page, format)?;
    let done = kept(&desk(shell, args)?, args, by, vec![taken])?;
    Ok(told::answer(shell, args, &done, None))
}

/// A folder: whatever is of a known format in it.
fn of_folder(
    shell: &Shell,
    args: &Import,
    by: Option<&Person>,
    path: &Path,
) -> Result<Answer, Fault> {
    let pages = folder::pages(path, &args.file)?;
    let looking = shell.looking_desk()?;
    let taken = pages
        .iter()
        .filter_map(|it| in_folder(&looking, args, it).transpose());
    let taken = taken.collect::<Result<Vec<Taken>, Fault>>()?;
    if taken.is_empty() {
        let name = args.file.display();
        return Err(unknown(&format!(
            "nothing in '{name}' is of a format that can be read"
        )));
    }
    let passed_over = pages.len() - taken.len();
    let done = kept(&desk(shell, args)?, args, by, taken)?;
    Ok(told::answer(shell, args, &done, Some(passed_over)))
}

/// What a text is that is of no format.
fn mistaken(text: &str) -> String {
    let is_json = text.trim_start().starts_with(['{', '[']);
    let broken = || {
        let error = serde_json::from_str::<serde::de::IgnoredAny>(text).err()?;
        Some(format!(
            "it begins like JSON, and is none from line {} on",
            error.line()
        ))
    };
    let why = if is_json {
        lacking(text).or_else(broken)
    } else {
        None
    };
    let why = why.map_or(String::new(), |it| format!(": {it}"));
    format!("of no format that can be read{why}")
}

fn unknown(what: &str) -> Fault {
    let names = Format::names();
    Fault::usage(what).hint(format!(
        "the formats are {names}; --format says which; nothing was imported"
    ))
}

/// A file that was come upon: it may be anything.
fn in_folder(desk: &Desk, args: &Import, page: &Page) -> Result<Option<Taken>, Fault> {
    let found = detect(&page.sheet());
    match (found, args.format) {
        (Some(found), None) => taken(desk, args, page, found).map(Some),
        (Some(found), Some(wanted)) if found == wanted => taken(desk, args, page, found).map(Some),
        // What nothing speaks for is tried, where the person said what it is; what it is not is passed over.
        (None, Some(wanted)) if page.may_be(wanted) => Ok(taken(desk, args, page, wanted).ok()),
        _ => Ok(None),
    }
}

fn taken(desk: &Desk, args: &Import, page: &Page, format: Format) -> Result<Taken, Fault> {
    let [repo, user] = desk.spaces();
    let shelf = Shelf {
        repo: Some(&repo),
        user: Some(&user),
        is_persons: args.user,
    };
    let cx = desk.cx();
    file::taken(
        &page.sheet(),
        &page.name,
        format,
        &shelf,
        (&cx.policy.limits, cx.now),
    )
    .map_err(unread)
}

/// Why a file cannot be read, with the way out.
fn unread(why: Unreadable) -> Fault {
    let told = why.to_string();
    match why {
        Unreadable::NotOfFormat { .. } => unknown(&told),
        Unreadable::Newer { .. } => Fault::usage(told),
        Unreadable::Line { .. } => Fault::usage(told).hint("nothing was imported"),
        Unreadable::NoExport { .. } => Fault::usage(told)
            .hint("`apostille import --help` shows the formats; nothing was imported"),
    }
}

fn kept(
    desk: &Desk,
    args: &Import,
    by: Option<&Person>,
    taken: Vec<Taken>,
) -> Result<Vec<Done>, Fault> {
    let how = How {
        is_rehearsed: args.dry_run,
        vouched_by: by,
    };
    Ok(file::keep(
        &desk.cx(),
        |space| desk.cx_for(space),
        taken,
        how,
    )?)
}
