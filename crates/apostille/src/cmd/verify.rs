//! `verify`: do the citations still hold?

use std::collections::BTreeMap;
use std::io::Write as _;

use apostille_core::list;
use apostille_core::memory::{Memory, Stage};
use apostille_core::refusal::Refusal;
use apostille_core::store::{Filter, Order};
use apostille_core::verify::{self, Orders, Verified};
use serde::Serialize;

use crate::args::Verify;
use crate::error::{self, Fault};
use crate::json::{self, MemoryView};
use crate::paint::{BOLD, DIM, Paint, Table, ink, memory, standing};
use crate::shell::{Answer, Shell};
use crate::world::desk::Desk;

/// From how many memories on a person is told how far it is.
const MANY: usize = 50;
/// The standings, the best first.
const WORDS: [&str; 6] = ["holds", "moved", "unverified", "unknown", "changed", "gone"];

#[derive(Serialize)]
struct Reply {
    ok: bool,
    counts: BTreeMap<&'static str, usize>,
    memories: Vec<MemoryView>,
}

/// Looks up citations. Nothing is invalidated here: what fails on one branch may hold on another.
pub fn run(shell: &Shell, args: &Verify) -> Result<Answer, Fault> {
    let desk = shell.desk_at(args.at.as_deref())?;
    let memories = match chosen(&desk, args)? {
        Ok(memories) => memories,
        Err(refusal) => return Ok(shell.refused(&refusal)),
    };
    let mut progress = Progress::new(shell, memories.len());
    let orders = Orders { heal: true, invalidate: false };
    let report = verify::verify(&desk.cx(), memories, orders, |_| progress.step())?;
    progress.done();
    Ok(answer(shell, &report.memories))
}

fn chosen(desk: &Desk, args: &Verify) -> Result<Result<Vec<Memory>, Refusal>, Fault> {
    if !args.names.is_empty() {
        return desk.named(&args.names);
    }
    let filter = Filter {
        spaces: desk.spaces().to_vec(),
        stages: vec![Stage::Active],
        path: args.path.as_deref().map(|it| desk.place.path(it).map_err(Fault::usage)).transpose()?,
        order: Order::Oldest,
        limit: usize::MAX,
        ..Filter::default()
    };
    Ok(Ok(list::list(&desk.cx(), &filter)?))
}

fn answer(shell: &Shell, verified: &[Verified]) -> Answer {
    let is_bad = verified.iter().any(Verified::is_bad);
    let code = if is_bad || verified.is_empty() { error::NOTHING } else { error::OK };
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    for it in verified {
        *counts.entry(it.standing()).or_default() += 1;
    }
    let json = Reply { ok: !is_bad, counts: counts.clone(), memories: json::views(verified) };
    let answer = shell.answer(code, &json, |paint| page(paint, verified, &counts));
    let err = if verified.is_empty() { "there is nothing to verify here\n".into() } else { String::new() };
    Answer { err, ..answer }
}

/// What holds, a line each; then what does not, with the diff; then the sum.
fn page(paint: &Paint, verified: &[Verified], counts: &BTreeMap<&'static str, usize>) -> String {
    let mut table = Table::default();
    for it in verified.iter().filter(|it| it.is_good() && !it.verdicts.is_empty()) {
        let place = it.memory.citations.iter().zip(&it.verdicts).map(|(c, v)| memory::place(c, v));
        let word = it.standing();
        table.row([
            ink(BOLD, it.memory.handle()),
            ink(standing(word), word),
            place.collect::<Vec<_>>().join(", "),
        ]);
    }
    let mut out = table.text(paint, 0);
    for it in verified.iter().filter(|it| !it.is_good()) {
        let gap = if out.is_empty() { "" } else { "\n" };
        out += &format!("{gap}{}", memory::entry(paint, &it.memory, &it.verdicts));
    }
    let sum = WORDS.iter().filter_map(|word| Some(sum(word, *counts.get(word)?)));
    let sum = sum.collect::<Vec<_>>().join(&ink(DIM, " · "));
    if out.is_empty() || sum.is_empty() { out + &sum + "\n" } else { format!("{out}\n{sum}\n") }
}

fn sum(word: &str, n: usize) -> String {
    let text = match (word, n) {
        ("holds", 1) => "1 holds".into(),
        ("holds", _) => format!("{n} hold"),
        ("unverified", _) => format!("{n} without citation"),
        ("unknown", _) => format!("{n} could not be looked up"),
        _ => format!("{n} {word}"),
    };
    ink(standing(word), text)
}

/// How far it is, beside the output, for a person who waits.
struct Progress {
    total: usize,
    done: usize,
    is_shown: bool,
}

impl Progress {
    fn new(shell: &Shell, total: usize) -> Self {
        let is_shown = shell.world.terminal.stderr && total > MANY;
        Self { total, done: 0, is_shown }
    }

    fn step(&mut self) {
        self.done += 1;
        if self.is_shown && (self.done.is_multiple_of(10) || self.done == self.total) {
            let _ = write!(std::io::stderr(), "\rlooking … {}/{}", self.done, self.total);
        }
    }

    fn done(&self) {
        if self.is_shown {
            let _ = write!(std::io::stderr(), "\r{:30}\r", "");
        }
    }
}
