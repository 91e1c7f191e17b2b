//! `verify --citations`: citations that somebody brings, one JSON object a line in, one a line out. No store is opened.

mod commit_sources;
mod input_line;
mod record;

use std::{
    collections::BTreeMap,
    io::{self, BufRead, Write},
    path::Path,
};

use apostille_cite::{
    citation::Citation,
    follow::{CitationFollower, FAR, PartialCitation},
    source::Source,
};
use apostille_core::policy::Policy;

use apostille_terminal::{
    args::VerifyArgs,
    command_context::{CommandContext, CommandOutput, CommandResult},
    paint::{format_if, make_terminal_safe},
};
use apostille_workspace::{error, error::CommandError};
use commit_sources::CommitSources;
use input_line::{CitationQuery, MalformedCitationLine};
use record::{CitationLookupRecord, CitationLookupResult};

/// How many lines are looked up together, in one walk through the history.
const BATCH: usize = 2_000;

/// What a line asks, or its number and what is wrong with it.
type NumberedQuery = Result<CitationQuery, (usize, MalformedCitationLine)>;
/// What was found, and where in the batch it was asked for.
type PlacedResult = (usize, CitationLookupResult);

/// What became of all lines.
#[derive(Default)]
struct CitationTotals {
    n_lines: usize,
    n_invalid: usize,
    n_malformed: usize,
    first_malformed: Option<String>,
}

/// Looks up the citations of a file.
pub fn run(ctx: &CommandContext, args: &VerifyArgs, file: &Path) -> CommandResult {
    let trees = CommitSources::open(ctx.find_project_folder()?, args.at.as_deref())?;
    let mut input = ctx.system.open_input(file)?;
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut sum = CitationTotals::default();
    let clock = ctx.system.stopwatch();
    let lookup = CitationLookup {
        trees: &trees,
        clock: &clock,
    };
    loop {
        let batch = read_citation_batch(&mut *input, &mut sum).map_err(|error| {
            let file = file.display();
            CommandError::usage(format!("cannot read '{file}' to its end: {error}"))
        })?;
        if batch.is_empty() {
            return Ok(sum.into_answer(ctx));
        }
        match write_citation_records(&mut out, &mut sum, lookup.look_up_batch(batch)) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                return Ok(sum.into_answer(ctx));
            }
            written => written.map_err(CommandError::internal)?,
        }
    }
}

/// The next lines, each with its number where it was not understood.
fn read_citation_batch(
    input: &mut dyn BufRead,
    sum: &mut CitationTotals,
) -> io::Result<Vec<NumberedQuery>> {
    let mut batch = Vec::new();
    while batch.len() < BATCH
        && let Some((n_read, asked)) = input_line::read_citation_line(input)?
    {
        sum.n_lines += n_read;
        batch.push(asked.map_err(|it| (sum.n_lines, it)));
    }
    Ok(batch)
}

fn write_citation_records(
    out: &mut impl Write,
    sum: &mut CitationTotals,
    records: Vec<CitationLookupRecord>,
) -> io::Result<()> {
    for record in records {
        sum.n_invalid += usize::from(record.invalid_count);
        if let (Some(line), Some(error)) = (record.line, &record.error) {
            sum.n_malformed += 1;
            sum.first_malformed
                .get_or_insert_with(|| format!("line {line}: {error}"));
        }
        serde_json::to_writer(&mut *out, &record)?;
        out.write_all(b"\n")?;
    }
    out.flush()
}

impl CitationTotals {
    /// Everything was said already; what is left is the number, and what was not understood.
    fn into_answer(self, ctx: &CommandContext) -> CommandOutput {
        let code = match (self.n_malformed, self.n_invalid) {
            (0, 0) => error::OK,
            (0, _) => error::NOTHING,
            _ => error::USAGE,
        };
        let more = self.n_malformed.saturating_sub(1);
        let more = format_if(more > 0, || format!(", and {more} more"));
        let told = self
            .first_malformed
            .map(|it| make_terminal_safe(&format!("not understood: {it}{more}\n")));
        CommandOutput {
            code,
            err: told.unwrap_or_default(),
            color: ctx.flags.color,
            ..CommandOutput::default()
        }
    }
}

/// Looks up one batch after the other.
struct CitationLookup<'a> {
    trees: &'a CommitSources,
    clock: &'a dyn Fn() -> u64,
}

impl CitationLookup<'_> {
    /// What was found at each line, in order.
    fn look_up_batch(&self, batch: Vec<NumberedQuery>) -> Vec<CitationLookupRecord> {
        let mut by_ref: BTreeMap<Option<&str>, Vec<(usize, &PartialCitation)>> = BTreeMap::new();
        let mut seen: BTreeMap<usize, CitationLookupResult> = BTreeMap::new();
        for (at, asked) in batch.iter().enumerate() {
            let Ok(asked) = asked else { continue };
            match &asked.pin {
                Ok(pin) => {
                    by_ref
                        .entry(asked.reference.as_deref())
                        .or_default()
                        .push((at, pin));
                }
                Err(why) => {
                    seen.insert(at, CitationLookupResult::new_uncitable(why.clone()));
                }
            }
        }
        for (reference, pins) in by_ref {
            seen.extend(self.look_up_at_ref(reference, pins));
        }
        let record = |(at, asked): (usize, NumberedQuery)| match asked {
            Ok(asked) => {
                let found = seen.remove(&at);
                let nobody = || CitationLookupResult::new_unknown("not looked up");
                CitationLookupRecord::new(asked, found.unwrap_or_else(nobody))
            }
            Err((line, malformed)) => CitationLookupRecord::from_malformed(line, malformed),
        };
        batch.into_iter().enumerate().map(record).collect()
    }

    fn look_up_at_ref(
        &self,
        reference: Option<&str>,
        pins: Vec<(usize, &PartialCitation)>,
    ) -> Vec<PlacedResult> {
        match reference.map(|it| self.trees.source_at(it)) {
            None => self.look_up_in_source(&*self.trees.usual, pins),
            Some(Ok(source)) => self.look_up_in_source(&*source, pins),
            Some(Err(why)) => pins
                .into_iter()
                .map(|(at, _)| (at, CitationLookupResult::new_unknown(why.clone())))
                .collect(),
        }
    }

    /// Reads what was cited, commit by commit; then looks all of it up in one walk.
    fn look_up_in_source(
        &self,
        now: &dyn Source,
        mut pins: Vec<(usize, &PartialCitation)>,
    ) -> Vec<PlacedResult> {
        pins.sort_by_key(|(at, pin)| (pin.commit.clone(), *at));
        let mut done: Vec<PlacedResult> = Vec::new();
        let mut open: Vec<(usize, Citation, u64)> = Vec::new();
        for same in pins.chunk_by(|a, b| a.1.commit == b.1.commit) {
            let then = same[0]
                .1
                .commit
                .as_deref()
                .and_then(|it| self.trees.cited_commit(it));
            for (at, pin) in same {
                let began = (self.clock)();
                let citation = pin.resolve_citation(then.as_ref().map(|it| it as &dyn Source), now);
                let micros = (self.clock)() - began;
                match citation {
                    Ok(citation) => open.push((*at, citation, micros)),
                    Err(verdict) => {
                        let found = CitationLookupResult::from_verdict(verdict);
                        done.push((*at, CitationLookupResult { micros, ..found }));
                    }
                }
            }
        }
        done.extend(self.follow_timed(now, open));
        done
    }

    fn follow_timed(
        &self,
        now: &dyn Source,
        open: Vec<(usize, Citation, u64)>,
    ) -> Vec<PlacedResult> {
        let began = (self.clock)();
        let citations: Vec<&Citation> = open.iter().map(|it| &it.1).collect();
        let found = CitationFollower::new(now, Policy::default().tolerance, &|| false, FAR)
            .follow_citations(&citations);
        // What is looked up together takes its time together.
        let share = ((self.clock)() - began) / (open.len() as u64).max(1);
        open.into_iter()
            .zip(found)
            .map(|((at, citation, micros), found)| {
                let result = CitationLookupResult {
                    snippet: Some(citation.snippet),
                    micros: micros + share,
                    ..CitationLookupResult::from_verdict(found.verdict)
                };
                (at, result)
            })
            .collect()
    }
}
