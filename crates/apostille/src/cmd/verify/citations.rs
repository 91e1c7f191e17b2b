//! `verify --citations`: citations that somebody brings, one JSON object a line in, one a line out. No store is opened.

mod line;
mod record;
mod trees;

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::path::Path;

use apostille_cite::citation::Citation;
use apostille_cite::look::{FAR, Pin, Reader};
use apostille_cite::source::Source;
use apostille_cite::verdict::Verdict;
use apostille_core::policy::Policy;

use crate::args::Verify;
use crate::shell::{Answer, Shell};
use apostille_workspace::error;
use apostille_workspace::error::Fault;
use line::{Asked, Malformed};
use record::{Record, Seen};
use trees::{Then, Trees};

/// How many lines are looked up together, in one walk through the history.
const BATCH: usize = 2_000;

/// What became of all lines.
#[derive(Default)]
struct Sum {
    n_lines: usize,
    n_invalid: usize,
    n_malformed: usize,
    first_malformed: Option<String>,
}

/// Looks up the citations of a file.
pub fn run(shell: &Shell, args: &Verify, file: &Path) -> Result<Answer, Fault> {
    let trees = Trees::open(shell.place()?, args.at.as_deref())?;
    let mut input = shell.world.input(file)?;
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut sum = Sum::default();
    let clock = shell.world.stopwatch();
    let lookup = Lookup {
        trees: &trees,
        clock: &clock,
    };
    loop {
        let batch = batch(&mut *input, &mut sum).map_err(|error| unread(file, &error))?;
        if batch.is_empty() {
            return Ok(sum.answer(shell));
        }
        match written(&mut out, &mut sum, lookup.records(batch)) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(sum.answer(shell)),
            Err(error) => return Err(Fault::internal(error)),
        }
    }
}

fn unread(file: &Path, error: &io::Error) -> Fault {
    Fault::usage(format!(
        "cannot read '{}' to its end: {error}",
        file.display()
    ))
}

/// The next lines, each with its number where it was not understood.
fn batch(
    input: &mut dyn BufRead,
    sum: &mut Sum,
) -> io::Result<Vec<Result<Asked, (usize, Malformed)>>> {
    let mut batch = Vec::new();
    while batch.len() < BATCH
        && let Some((n_read, asked)) = line::next(input)?
    {
        sum.n_lines += n_read;
        batch.push(asked.map_err(|it| (sum.n_lines, it)));
    }
    Ok(batch)
}

fn written(out: &mut impl Write, sum: &mut Sum, records: Vec<Record>) -> io::Result<()> {
    for record in records {
        sum.count(&record);
        serde_json::to_writer(&mut *out, &record)?;
        out.write_all(b"\n")?;
    }
    out.flush()
}

impl Sum {
    fn count(&mut self, record: &Record) {
        self.n_invalid += usize::from(record.invalid_count);
        if let (Some(line), Some(error)) = (record.line, &record.error) {
            self.n_malformed += 1;
            self.first_malformed
                .get_or_insert_with(|| format!("line {line}: {error}"));
        }
    }

    /// Everything was said already; what is left is the number, and what was not understood.
    fn answer(self, shell: &Shell) -> Answer {
        let code = match (self.n_malformed, self.n_invalid) {
            (0, 0) => error::OK,
            (0, _) => error::NOTHING,
            _ => error::USAGE,
        };
        let more = self.n_malformed.saturating_sub(1);
        let more = if more == 0 {
            String::new()
        } else {
            format!(", and {more} more")
        };
        let told = self
            .first_malformed
            .map(|it| crate::paint::safe(&format!("not understood: {it}{more}\n")));
        Answer {
            code,
            err: told.unwrap_or_default(),
            color: shell.flags.color,
            ..Answer::default()
        }
    }
}

/// The citation that a pin names. Where its commit is gone and nothing else is known, nothing can be looked for.
fn cited(pin: &Pin, then: Option<&Then>, now: &dyn Source) -> Result<Citation, Verdict> {
    let is_bare = pin.text.is_none() && pin.digest.is_none();
    match (&pin.commit, then) {
        (Some(sha), None) if is_bare => Err(Verdict::Unknown {
            why: format!(
                "no commit '{sha}' here, and neither text nor snippet_hash says what stood there"
            ),
        }),
        _ => pin.citation(then.map(|it| it as &dyn Source), now),
    }
}

/// Looks up one batch after the other.
struct Lookup<'a> {
    trees: &'a Trees,
    clock: &'a dyn Fn() -> u64,
}

impl Lookup<'_> {
    /// What was found at each line, in order.
    fn records(&self, batch: Vec<Result<Asked, (usize, Malformed)>>) -> Vec<Record> {
        let mut by_ref: BTreeMap<Option<&str>, Vec<(usize, &Pin)>> = BTreeMap::new();
        let mut seen: Vec<Option<Seen>> = Vec::with_capacity(batch.len());
        for (at, asked) in batch.iter().enumerate() {
            let Ok(asked) = asked else {
                seen.push(None);
                continue;
            };
            seen.push(
                asked
                    .pin
                    .as_ref()
                    .err()
                    .map(|why| Seen::uncitable(why.clone())),
            );
            if let Ok(pin) = &asked.pin {
                by_ref
                    .entry(asked.reference.as_deref())
                    .or_default()
                    .push((at, pin));
            }
        }
        for (reference, pins) in by_ref {
            for (at, found) in self.at_ref(reference, pins) {
                seen[at] = Some(found);
            }
        }
        let record = |(asked, seen): (Result<Asked, (usize, Malformed)>, Option<Seen>)| match asked
        {
            Ok(asked) => Record::new(
                asked,
                seen.unwrap_or_else(|| Seen::unknown("nobody looked")),
            ),
            Err((line, malformed)) => Record::malformed(line, malformed),
        };
        batch.into_iter().zip(seen).map(record).collect()
    }

    fn at_ref(&self, reference: Option<&str>, pins: Vec<(usize, &Pin)>) -> Vec<(usize, Seen)> {
        match reference.map(|it| self.trees.at(it)) {
            None => self.look(self.trees.usual(), pins),
            Some(Ok(source)) => self.look(&*source, pins),
            Some(Err(why)) => pins
                .into_iter()
                .map(|(at, _)| (at, Seen::unknown(why.clone())))
                .collect(),
        }
    }

    /// Reads what was cited, commit by commit; then looks all of it up in one walk.
    fn look(&self, now: &dyn Source, mut pins: Vec<(usize, &Pin)>) -> Vec<(usize, Seen)> {
        pins.sort_by_key(|(at, pin)| (pin.commit.clone(), *at));
        let mut done: Vec<(usize, Seen)> = Vec::new();
        let mut open: Vec<(usize, Citation, u64)> = Vec::new();
        for same in pins.chunk_by(|a, b| a.1.commit == b.1.commit) {
            let then = same[0]
                .1
                .commit
                .as_deref()
                .and_then(|it| self.trees.then(it));
            for (at, pin) in same {
                let began = (self.clock)();
                let citation = cited(pin, then.as_ref(), now);
                let micros = (self.clock)() - began;
                match citation {
                    Ok(citation) => open.push((*at, citation, micros)),
                    Err(verdict) => done.push((
                        *at,
                        Seen {
                            micros,
                            ..Seen::of(verdict)
                        },
                    )),
                }
            }
        }
        done.extend(self.walked(now, open));
        done
    }

    fn walked(&self, now: &dyn Source, open: Vec<(usize, Citation, u64)>) -> Vec<(usize, Seen)> {
        let began = (self.clock)();
        let citations: Vec<&Citation> = open.iter().map(|it| &it.1).collect();
        let verdicts = self.verdicts(now, &citations);
        // What is looked up together takes its time together.
        let share = ((self.clock)() - began) / (open.len() as u64).max(1);
        let seen = |((at, citation, micros), verdict): ((usize, Citation, u64), Verdict)| {
            (
                at,
                Seen {
                    verdict,
                    snippet: Some(citation.snippet),
                    error: None,
                    micros: micros + share,
                },
            )
        };
        open.into_iter().zip(verdicts).map(seen).collect()
    }

    fn verdicts(&self, now: &dyn Source, citations: &[&Citation]) -> Vec<Verdict> {
        Reader::new(now, Policy::default().tolerance, &|| false, FAR)
            .look(citations)
            .into_iter()
            .map(|it| it.verdict)
            .collect()
    }
}
