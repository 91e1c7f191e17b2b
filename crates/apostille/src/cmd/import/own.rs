//! Our own files, and plain notes: read whole, or not at all.

use apostille_core::export::{Exported, FORMAT};
use apostille_core::format::{self, MemoryRecord};
use apostille_core::memory::Memory;
use apostille_core::notebook::{Note, Scope};

use super::Item;
use super::folder::Page;
use crate::error::Fault;
use crate::paint::safe;
use crate::world::desk::Desk;

fn unfit(page: &Page, why: &str) -> Fault {
    Fault::usage(format!("'{}' is no export of apostille that can be read: {why}", page.name))
        .hint("`apostille import --help` shows the formats; nothing was imported")
}

fn newer(found: u32) -> Fault {
    let known = format::VERSION;
    Fault::usage(format!("the export has format {found}, this program reads up to {known}; update apostille"))
}

/// An export, as one object or one record a line.
pub(super) fn exported(page: &Page) -> Result<Vec<Item>, Fault> {
    match serde_json::from_str::<Exported>(&page.text) {
        Ok(it) if it.format != FORMAT => Err(unfit(page, &format!("its format is '{}'", safe(&it.format)))),
        Ok(it) if it.version > format::VERSION => Err(newer(it.version)),
        Ok(it) => (1..).zip(it.memories).map(|(n, it)| item(page, format!("memory {n}"), it)).collect(),
        Err(_) if is_lines(&page.text) => lines(page),
        Err(error) => Err(unfit(page, &error.to_string())),
    }
}

/// Whether the first line is a record by itself.
fn is_lines(text: &str) -> bool {
    let first = text.lines().find(|it| !it.trim().is_empty());
    first.is_some_and(|it| serde_json::from_str::<MemoryRecord>(it).is_ok())
}

fn lines(page: &Page) -> Result<Vec<Item>, Fault> {
    let lines = (1..).zip(page.text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let record = |(n, line): (usize, &str)| {
        let at = format!("line {n}");
        let it = serde_json::from_str(line).map_err(|error| unfit(page, &format!("{at}: {error}")))?;
        item(page, at, it)
    };
    lines.map(record).collect()
}

fn item(page: &Page, at: String, record: MemoryRecord) -> Result<Item, Fault> {
    if let Some(found) = record.v.filter(|it| *it > format::VERSION) {
        return Err(newer(found));
    }
    let memory = Memory::try_from(record).map_err(|error| unfit(page, &format!("{at}: {error}")))?;
    Ok(Item { at, memory, changes: Vec::new() })
}

/// Plain notes, one a line.
pub(super) fn notes(desk: &Desk, page: &Page) -> Result<Vec<Item>, Fault> {
    let lines = (1..).zip(page.text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let [repo, user] = desk.spaces();
    let note = |(n, line): (usize, &str)| {
        let at = format!("line {n}");
        let bad = |why: String| Fault::usage(format!("{at}: {why}")).hint("nothing was imported");
        let note = Note::parse(line).map_err(|error| bad(error.to_string()))?;
        let space = if note.scope == Scope::User { user.clone() } else { repo.clone() };
        Ok(Item { at, memory: Memory { number: 0, ..note.memory(space) }, changes: Vec::new() })
    };
    lines.map(note).collect()
}
