//! `import`: an export, or the file of another tool, is kept. It passes the same checks as a new memory.

mod folder;
mod own;
mod told;

use std::collections::BTreeSet;
use std::path::Path;

use apostille_core::digest::Digest;
use apostille_core::import::format::{Format, detect};
use apostille_core::import::piece::{LeftOut, Piece};
use apostille_core::import::{Imported, Rehearsal, import};
use apostille_core::memory::{Kind, Mark, Memory, Stage, claim_digest};
use apostille_core::refusal::Refusal;
use apostille_core::space::Space;

use crate::args::Import;
use crate::error::Fault;
use crate::shell::{Answer, Shell};
use crate::world::desk::Desk;
use folder::Page;
use told::Done;

/// A file that was read: what it holds, and what was left out of it.
struct Taken {
    name: String,
    format: Format,
    items: Vec<Item>,
    left_out: Vec<LeftOut>,
}

/// Something that is to be kept.
struct Item {
    /// Where it stands.
    at: String,
    memory: Memory,
    /// What was altered to make it fit.
    changes: Vec<String>,
}

/// Reads everything whole, and only then keeps what it holds.
pub fn run(shell: &Shell, args: &Import) -> Result<Answer, Fault> {
    if args.trust && !shell.world.has_person() {
        return Ok(shell.refused(&Refusal::PersonDecides { verb: "vouch for a file" }));
    }
    let path = shell.world.cwd.join(&args.file);
    match args.file != Path::new("-") && path.is_dir() {
        true => of_folder(shell, args, &path),
        false => of_file(shell, args, &path),
    }
}

fn desk(shell: &Shell, args: &Import) -> Result<Desk, Fault> {
    if args.dry_run { shell.looking_desk() } else { shell.desk() }
}

/// A file that was named: it is of a known format, or that is a mistake.
fn of_file(shell: &Shell, args: &Import, path: &Path) -> Result<Answer, Fault> {
    let page = folder::page(shell, path, &args.file)?;
    if page.text.trim().is_empty() {
        return Err(Fault::usage("there is nothing in it to import"));
    }
    let format = args.format.or_else(|| detect(&page.sheet()));
    let format = format.ok_or_else(|| unknown(&format!("'{}' is {}", page.name, mistaken(&page.text))))?;
    // A file that turns out to be none makes no store.
    let taken = taken(&shell.looking_desk()?, args, &page, format)?;
    let done = kept(&desk(shell, args)?, args, vec![taken])?;
    Ok(told::answer(shell, args, &done, None))
}

/// A folder: whatever is of a known format in it.
fn of_folder(shell: &Shell, args: &Import, path: &Path) -> Result<Answer, Fault> {
    let pages = folder::pages(path, &args.file)?;
    let looking = shell.looking_desk()?;
    let taken = pages.iter().filter_map(|it| in_folder(&looking, args, it).transpose());
    let taken = taken.collect::<Result<Vec<Taken>, Fault>>()?;
    if taken.is_empty() {
        let name = args.file.display();
        return Err(unknown(&format!("nothing in '{name}' is of a format that can be read")));
    }
    let passed_over = pages.len() - taken.len();
    let done = kept(&desk(shell, args)?, args, taken)?;
    Ok(told::answer(shell, args, &done, Some(passed_over)))
}

/// What a text is that is of no format.
fn mistaken(text: &str) -> String {
    let is_json = text.trim_start().starts_with(['{', '[']);
    match serde_json::from_str::<serde::de::IgnoredAny>(text) {
        Err(error) if is_json => {
            format!(
                "of no format that can be read: it begins like JSON, and is none from line {} on",
                error.line()
            )
        }
        _ => "of no format that can be read".into(),
    }
}

fn unknown(what: &str) -> Fault {
    let names = Format::names();
    Fault::usage(what).hint(format!("the formats are {names}; --format says which; nothing was imported"))
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
    let name = page.name.clone();
    let own = |items| Ok(Taken { name: page.name.clone(), format, items, left_out: Vec::new() });
    let Some(parser) = format.parser() else {
        return match format {
            Format::Notes => own(own::notes(desk, page)?),
            _ => own(own::exported(page)?),
        };
    };
    let reading = parser(&page.sheet(), &desk.cx().policy.limits)
        .map_err(|why| unknown(&format!("'{}' is not of the format {format}: {why}", page.name)))?;
    let items = reading.pieces.into_iter().map(|it| item(desk, args, it)).collect();
    Ok(Taken { name, format, items, left_out: reading.left_out })
}

/// A piece in its space: a preference is its user's, the rest is the repository's unless the person says otherwise.
fn item(desk: &Desk, args: &Import, piece: Piece) -> Item {
    let [repo, user] = desk.spaces();
    let space = if args.user || piece.kind == Kind::User { user } else { repo };
    let kind = if args.user && piece.kind == Kind::Project { Kind::User } else { piece.kind };
    let piece = Piece { kind, ..piece };
    let (at, changes) = (piece.at.clone(), piece.changes.clone());
    Item { at, changes, memory: piece.memory(space, desk.cx().now) }
}

fn kept(desk: &Desk, args: &Import, taken: Vec<Taken>) -> Result<Vec<Done>, Fault> {
    let known: BTreeSet<Space> = desk.store.spaces()?.into_iter().collect();
    let mut rehearsal = args.dry_run.then(Rehearsal::default);
    // Rule files repeat each other, under headings of their own.
    let mut said: BTreeSet<(Space, Digest)> = BTreeSet::new();
    let mut files = Vec::new();
    for Taken { name, format, items, left_out } in taken {
        let mut done = Done::new(name, format, left_out);
        for Item { at, memory, changes } in items {
            let words = (memory.space.clone(), claim_digest(memory.layer, None, None, &memory.fact));
            if format.parser().is_some() && said.contains(&words) {
                done.known += 1;
                continue;
            }
            let (before, is_new_space) = (memory.clone(), !known.contains(&memory.space));
            let cx = desk.cx_for(&memory.space);
            let imported = match &mut rehearsal {
                Some(it) => it.import(&cx, memory, args.trust)?,
                None => import(&cx, memory, is_new_space, args.trust)?,
            };
            if !matches!(imported, Imported::Refused(_)) {
                said.insert(words);
            }
            count(&mut done, at, &before, changes, imported);
        }
        files.push(done);
    }
    Ok(files)
}

fn count(done: &mut Done, at: String, before: &Memory, changes: Vec<String>, imported: Imported) {
    match imported {
        Imported::Kept(memory) => {
            done.kept += 1;
            done.waiting += u64::from(memory.status.stage() == Stage::Pending);
            changes.into_iter().for_each(|it| done.change(&at, it));
            if is_altered(before, &memory) {
                done.change(&at, "moderation altered its text".into());
            }
        }
        Imported::LetIn(_) => done.let_in += 1,
        Imported::Known(_) => done.known += 1,
        Imported::Refused(refusal) => done.refused.push((at, refusal)),
    }
}

fn is_altered(before: &Memory, after: &Memory) -> bool {
    let is_marked = |it: &Memory| it.marks.contains(&Mark::Neutralised);
    (is_marked(after) && !is_marked(before))
        || (&before.fact, &before.subject, &before.reason, &before.tags)
            != (&after.fact, &after.subject, &after.reason, &after.tags)
}
