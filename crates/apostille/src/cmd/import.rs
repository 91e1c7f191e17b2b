//! `import`: an export, or a file of plain notes, is kept again. It passes the same checks as a new memory.

use std::collections::BTreeSet;
use std::path::Path;

use apostille_core::format::{self, MemoryRecord};
use apostille_core::import::{Imported, import};
use apostille_core::memory::{Memory, Stage};
use apostille_core::notebook::{Note, Scope};
use apostille_core::refusal::Refusal;
use apostille_core::space::Space;
use serde::Serialize;

use super::export::{Exported, FORMAT};
use crate::args::Import;
use crate::error::{self, Fault};
use crate::json::RefusalView;
use crate::paint::{GREEN, Paint, YELLOW, ink, safe};
use crate::shell::{Answer, Shell};
use crate::world::desk::Desk;

/// The largest file that is read.
const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// Reads a file whole, and only then keeps what it holds.
pub fn run(shell: &Shell, args: &Import) -> Result<Answer, Fault> {
    if args.trust && !shell.world.has_person() {
        return Ok(shell.refused(&Refusal::PersonDecides { verb: "vouch for a file" }));
    }
    let text = read(shell, &args.file)?;
    let desk = shell.desk()?;
    let memories = parsed(&desk, &text)?;
    let mut done = Done::default();
    let known: BTreeSet<Space> = desk.store.spaces()?.into_iter().collect();
    for (at, memory) in memories {
        let is_new_space = !known.contains(&memory.space);
        let cx = desk.cx_for(&memory.space);
        match import(&cx, memory, is_new_space, args.trust)? {
            Imported::Kept(memory) => {
                done.kept += 1;
                done.waiting += u64::from(memory.status.stage() == Stage::Pending);
            }
            Imported::LetIn(_) => done.let_in += 1,
            Imported::Known(_) => done.known += 1,
            Imported::Refused(refusal) => done.refused.push((at, refusal)),
        }
    }
    Ok(answer(shell, &done))
}

fn read(shell: &Shell, file: &Path) -> Result<String, Fault> {
    if file == Path::new("-") {
        return shell.world.read_stdin();
    }
    let path = shell.world.cwd.join(file);
    let failed = |why: String| Fault::usage(format!("cannot read '{}': {why}", file.display()));
    match std::fs::metadata(&path) {
        Ok(it) if it.len() > MAX_BYTES => Err(failed("it is larger than 256 MB".into())),
        _ => std::fs::read_to_string(&path).map_err(|error| failed(error.to_string())),
    }
}

/// What the file holds, each with where it stands in it.
fn parsed(desk: &Desk, text: &str) -> Result<Vec<(String, Memory)>, Fault> {
    let text = text.trim_start_matches('\u{feff}');
    let first = text.lines().find(|it| !it.trim().is_empty());
    let first = first.ok_or_else(|| Fault::usage("there is nothing in it to import"))?;
    match Note::parse(first) {
        Ok(_) => notes(desk, text),
        Err(_) => exported(text),
    }
}

fn exported(text: &str) -> Result<Vec<(String, Memory)>, Fault> {
    let unfit = |why: String| {
        Fault::usage(format!("this is no export of apostille, nor a file of notes: {why}"))
            .hint("`apostille import --help` shows both forms; nothing was imported")
    };
    let it: Exported = serde_json::from_str(text).map_err(|error| unfit(error.to_string()))?;
    if it.format != FORMAT {
        return Err(unfit(format!("its format is '{}'", safe(&it.format))));
    }
    if it.version > format::VERSION {
        let (found, known) = (it.version, format::VERSION);
        return Err(Fault::usage(format!(
            "the export has format {found}, this program reads up to {known}; update apostille"
        )));
    }
    let memory = |(n, record): (usize, MemoryRecord)| {
        let at = format!("memory {}", n + 1);
        let memory = Memory::try_from(record).map_err(|error| unfit(format!("{at}: {error}")))?;
        Ok((at, memory))
    };
    it.memories.into_iter().enumerate().map(memory).collect()
}

fn notes(desk: &Desk, text: &str) -> Result<Vec<(String, Memory)>, Fault> {
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let [repo, user] = desk.spaces();
    let note = |(n, line): (usize, &str)| {
        let at = format!("line {n}");
        let bad = |why: String| Fault::usage(format!("{at}: {why}")).hint("nothing was imported");
        let note = Note::parse(line).map_err(|error| bad(error.to_string()))?;
        let space = if note.scope == Scope::User { user.clone() } else { repo.clone() };
        Ok((at, Memory { number: 0, ..note.memory(space) }))
    };
    lines.map(note).collect()
}

#[derive(Default)]
struct Done {
    kept: u64,
    known: u64,
    waiting: u64,
    let_in: u64,
    refused: Vec<(String, Refusal)>,
}

#[derive(Serialize)]
struct Reply {
    ok: bool,
    kept: u64,
    known: u64,
    /// How many of those that were kept wait for a person.
    waiting: u64,
    /// How many waited since they were first imported, and are in use now.
    let_in: u64,
    refused: Vec<RefusedAt>,
}

#[derive(Serialize)]
struct RefusedAt {
    at: String,
    #[serde(flatten)]
    refusal: RefusalView,
}

fn let_in(done: &Done) -> String {
    if done.let_in == 0 { String::new() } else { format!(", {} let in that waited", done.let_in) }
}

fn waiting(done: &Done) -> String {
    match done.waiting {
        0 => String::new(),
        n if n == done.kept => ", all of them wait: apostille review".into(),
        n => format!(", {n} of them wait: apostille review"),
    }
}

fn answer(shell: &Shell, done: &Done) -> Answer {
    let refused =
        done.refused.iter().map(|(at, it)| RefusedAt { at: at.clone(), refusal: RefusalView::from(it) });
    let json = Reply {
        ok: done.refused.is_empty(),
        kept: done.kept,
        known: done.known,
        waiting: done.waiting,
        let_in: done.let_in,
        refused: refused.collect(),
    };
    let code = if done.refused.is_empty() { error::OK } else { error::REFUSED };
    let answer = shell.answer(code, &json, |_: &Paint| {
        let is_told = done.known > 0 || done.waiting + done.let_in == 0;
        let known = if is_told { format!(", {} known already", done.known) } else { String::new() };
        format!("{} {}{}{known}{}\n", ink(GREEN, "imported"), done.kept, let_in(done), waiting(done))
    });
    let line = |(at, it): &(String, Refusal)| {
        format!("{} {at}: {}\n", ink(YELLOW.bold(), "refused:"), safe(&it.to_string()))
    };
    Answer { err: done.refused.iter().map(line).collect(), ..answer }
}
