//! What became of each file, for people and for programs.

use std::collections::BTreeMap;

use apostille_core::import::format::Format;
use apostille_core::import::piece::LeftOut;
use apostille_core::refusal::Refusal;
use serde::Serialize;

use crate::args::Import;
use crate::error;
use crate::json::RefusalView;
use crate::paint::{BOLD, DIM, GREEN, YELLOW, count, ink, safe};
use crate::shell::{Answer, Shell};

/// How many lines of each sort are printed beside the sum; `--json` has all.
const TOLD: usize = 20;
/// How many places are named for one reason.
const PLACES: usize = 8;

/// What became of a file.
pub(super) struct Done {
    name: String,
    format: Format,
    pub(super) kept: u64,
    pub(super) known: u64,
    pub(super) waiting: u64,
    pub(super) let_in: u64,
    changed: Vec<(String, String)>,
    pub(super) refused: Vec<(String, Refusal)>,
    left_out: Vec<LeftOut>,
}

impl Done {
    pub(super) fn new(name: String, format: Format, left_out: Vec<LeftOut>) -> Self {
        let (changed, refused) = (Vec::new(), Vec::new());
        Self { name, format, kept: 0, known: 0, waiting: 0, let_in: 0, changed, refused, left_out }
    }

    /// Notes what was altered; the parts of one text say it once.
    pub(super) fn change(&mut self, at: &str, what: String) {
        let change = (at.to_owned(), what);
        let mut of_this = self.changed.iter().rev().take_while(|(it, _)| it == at);
        if !of_this.any(|it| *it == change) {
            self.changed.push(change);
        }
    }
}

#[derive(Serialize)]
struct Reply {
    ok: bool,
    /// Whether nothing was kept because a rehearsal was asked for.
    dry_run: bool,
    kept: u64,
    known: u64,
    /// How many of those that were kept wait for a person.
    waiting: u64,
    /// How many waited since they were first imported, and are in use now.
    let_in: u64,
    refused: Vec<RefusedAt>,
    files: Vec<FileView>,
    /// Of a folder: how many files in it are of no format that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    passed_over: Option<usize>,
}

#[derive(Serialize)]
struct FileView {
    file: String,
    format: &'static str,
    kept: u64,
    known: u64,
    waiting: u64,
    let_in: u64,
    changed: Vec<ChangedAt>,
    refused: Vec<RefusedAt>,
    left_out: Vec<LeftOutAt>,
}

#[derive(Serialize)]
struct ChangedAt {
    at: String,
    what: String,
}

#[derive(Serialize)]
struct LeftOutAt {
    at: String,
    why: String,
}

#[derive(Serialize)]
struct RefusedAt {
    file: String,
    at: String,
    #[serde(flatten)]
    refusal: RefusalView,
}

fn refused(done: &Done) -> Vec<RefusedAt> {
    let view = |(at, it): &(String, Refusal)| {
        let (file, refusal) = (done.name.clone(), RefusalView::from(it));
        RefusedAt { file, at: at.clone(), refusal }
    };
    done.refused.iter().map(view).collect()
}

impl From<&Done> for FileView {
    fn from(it: &Done) -> Self {
        let changed = it.changed.iter().cloned().map(|(at, what)| ChangedAt { at, what });
        let left_out = it.left_out.iter().map(|it| LeftOutAt { at: it.at.clone(), why: it.why.clone() });
        Self {
            file: it.name.clone(),
            format: it.format.as_str(),
            kept: it.kept,
            known: it.known,
            waiting: it.waiting,
            let_in: it.let_in,
            changed: changed.collect(),
            refused: refused(it),
            left_out: left_out.collect(),
        }
    }
}

fn sum(files: &[Done], of: impl Fn(&Done) -> u64) -> u64 {
    files.iter().map(of).sum()
}

/// The answer: a sum, a line for each file of a folder, and what was altered, refused and left out beside it.
pub(super) fn answer(shell: &Shell, args: &Import, files: &[Done], passed_over: Option<usize>) -> Answer {
    let is_whole = files.iter().all(|it| it.refused.is_empty());
    let json = Reply {
        ok: is_whole,
        dry_run: args.dry_run,
        kept: sum(files, |it| it.kept),
        known: sum(files, |it| it.known),
        waiting: sum(files, |it| it.waiting),
        let_in: sum(files, |it| it.let_in),
        refused: files.iter().flat_map(refused).collect(),
        files: files.iter().map(FileView::from).collect(),
        passed_over,
    };
    let code = if is_whole { error::OK } else { error::REFUSED };
    let answer = shell.answer(code, &json, |_| match (passed_over, files) {
        (None, [file]) => single(args, file),
        _ => several(args, &json, files),
    });
    Answer { err: beside(shell, files, passed_over.is_some()), ..answer }
}

fn verb(args: &Import) -> String {
    ink(GREEN, if args.dry_run { "would import" } else { "imported" })
}

/// One file on one line.
fn single(args: &Import, it: &Done) -> String {
    let is_foreign = it.format.parser().is_some();
    let format = if is_foreign { format!(" ({})", it.format) } else { String::new() };
    let is_told = it.known > 0 || it.waiting + it.let_in == 0;
    let known = if is_told { format!(", {} known already", it.known) } else { String::new() };
    let more = [(it.changed.len(), "changed"), (it.left_out.len(), "left out")];
    format!(
        "{} {}{format}{}{known}{}{}\n",
        verb(args),
        it.kept,
        let_in(it.let_in),
        waiting(args, it.waiting, it.kept),
        numbers(&more)
    )
}

fn let_in(n: u64) -> String {
    if n == 0 { String::new() } else { format!(", {n} let in that waited") }
}

fn waiting(args: &Import, n: u64, kept: u64) -> String {
    let way = if args.dry_run { "would wait" } else { "wait: apostille review" };
    match n {
        0 => String::new(),
        n if n == kept => format!(", all of them {way}"),
        n => format!(", {n} of them {way}"),
    }
}

/// What there is of each, where there is some.
fn numbers(of: &[(usize, &str)]) -> String {
    of.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!(", {n} {word}")).collect()
}

fn several(args: &Import, sum: &Reply, files: &[Done]) -> String {
    let n_files = count(files.len() as u64, "file", "files");
    let head = format!(
        "{} {} from {n_files}{}, {} known already{}\n",
        verb(args),
        sum.kept,
        let_in(sum.let_in),
        sum.known,
        waiting(args, sum.waiting, sum.kept)
    );
    let line = |it: &Done| {
        let counts = [
            (usize::try_from(it.known).unwrap_or(usize::MAX), "known already"),
            (it.changed.len(), "changed"),
            (it.refused.len(), "refused"),
            (it.left_out.len(), "left out"),
        ];
        let format = ink(DIM, format!("({})", it.format));
        let let_in = let_in(it.let_in);
        format!("  {} {format} {}{let_in}{}\n", ink(BOLD, safe(&it.name)), it.kept, numbers(&counts))
    };
    let passed_over = sum.passed_over.filter(|it| *it > 0).map(|n| {
        ink(DIM, format!("  {} of another kind passed over", count(n as u64, "file", "files"))) + "\n"
    });
    head + &files.iter().map(line).collect::<String>() + &passed_over.unwrap_or_default()
}

/// What was altered, refused and left out, with the place.
fn beside(shell: &Shell, files: &[Done], is_folder: bool) -> String {
    let mut out = String::new();
    for it in files {
        let file = if is_folder { format!("{}: ", safe(&it.name)) } else { String::new() };
        let refused = it.refused.iter().map(|(at, it)| format!("{at}: {}", safe(&it.to_string())));
        let refused: Vec<String> = refused.collect();
        out += &lines("refused:", &file, &refused, usize::MAX);
        if !shell.flags.json {
            let left_out = it.left_out.iter().map(|it| (it.why.as_str(), it.at.as_str()));
            let changed = it.changed.iter().map(|(at, what)| (what.as_str(), at.as_str()));
            out += &lines("changed:", &file, &grouped(changed), TOLD);
            out += &lines("left out:", &file, &grouped(left_out), TOLD);
        }
    }
    out
}

fn lines(title: &str, file: &str, of: &[String], limit: usize) -> String {
    let line = |it: &String| format!("{} {file}{it}\n", ink(YELLOW.bold(), title));
    let more = of.len().saturating_sub(limit);
    let rest =
        if more > 0 { format!("{title} {file}and {more} more; --json has all\n") } else { String::new() };
    of.iter().take(limit).map(line).collect::<String>() + &rest
}

/// Reasons with the places they hold for, in the order in which they first came up.
fn grouped<'a>(of: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<String> {
    let (mut order, mut places) = (Vec::new(), BTreeMap::<&str, Vec<&str>>::new());
    for (why, at) in of {
        let list = places.entry(why).or_default();
        if list.is_empty() {
            order.push(why);
        }
        list.push(at);
    }
    let told = |why: &&str| {
        let list = &places[*why];
        let named = list.iter().take(PLACES).copied().collect::<Vec<_>>().join(", ");
        let more = list.len().saturating_sub(PLACES);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{named}{more}: {why}")
    };
    order.iter().map(told).collect()
}
