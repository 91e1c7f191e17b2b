//! Everything that a run found out, as text and as JSON.

use serde_json::{Map, Value, json};

use super::{
    bars,
    batch::Batch,
    outcome::{Outcome, Part},
    score::Scores,
    speed::{Row, Speed},
    tables,
    watched::{PARTS, Seen},
};
use crate::{
    machine::Machine,
    table::{self, Table},
};

/// How many examples are told.
const FEW: usize = 5;

/// What a run found out.
pub(crate) struct Page {
    /// The machine.
    pub(crate) machine: Machine,
    /// Every method on the cases; nothing when only the timed batch was run.
    pub(crate) outcomes: Vec<Outcome>,
    /// The timed batch.
    pub(crate) speed: Speed,
    /// What is to be known about the figures.
    pub(crate) notes: Vec<String>,
    /// How long the run took, in seconds.
    pub(crate) seconds: f64,
}

impl Page {
    /// The tables.
    pub(crate) fn text(&self, markdown: bool) -> String {
        let mut out = table::machine(&self.machine, markdown);
        let filled = self
            .sections()
            .into_iter()
            .filter(|it| !it.1.rows.is_empty());
        for (name, table) in filled {
            out.push_str(&table::title(&name, markdown));
            out.push_str(&table.text(markdown));
        }
        out.push_str(&table::title("Notes", markdown));
        out.extend(self.lines().iter().map(|it| format!("- {it}\n")));
        out.push_str(&format!("\nThe run took {:.0} s.\n", self.seconds));
        out
    }

    fn sections(&self) -> Vec<(String, Table)> {
        let mut sections = vec![(
            "Citations of real histories".into(),
            tables::methods(&self.outcomes),
        )];
        for outcome in self.outcomes.iter().filter(|it| it.method.is_ours()) {
            let named = |part: &Part| {
                (
                    format!("{} by {}", outcome.method.name(), part.by),
                    tables::part(part),
                )
            };
            sections.extend(outcome.parts.iter().map(named));
        }
        sections.push((
            "Where the time goes".into(),
            tables::parts_of_time(&self.outcomes),
        ));
        for outcome in self.outcomes.iter().filter(|it| it.method.is_ours()) {
            let name = format!("{}: the slowest batches, in ms", outcome.method.name());
            sections.push((name, tables::slowest(outcome)));
        }
        sections.push(("Timed batch".into(), tables::speed(&self.speed)));
        sections.push((
            "Timed batch: where the time goes".into(),
            tables::parts_of_speed(&self.speed),
        ));
        sections.push((
            "Bars".into(),
            tables::bars(&bars::of(&self.outcomes, &self.speed)),
        ));
        sections
    }

    /// The notes, with what each of our methods could not tell.
    fn lines(&self) -> Vec<String> {
        let ours = self.outcomes.iter().filter(|it| it.method.is_ours());
        let told = ours.flat_map(|it| {
            doubts(it)
                .into_iter()
                .map(|line| format!("{}: {line}", it.method.name()))
        });
        self.notes.iter().cloned().chain(told).collect()
    }

    /// The figures.
    pub(crate) fn json(&self) -> Value {
        let machine = self
            .machine
            .0
            .iter()
            .map(|(name, value)| ((*name).to_owned(), json!(value)));
        let bars = bars::of(&self.outcomes, &self.speed);
        let bar = |it: &crate::bars::Bar| json!({"what": it.what, "bar": it.bar, "figure": it.figure, "holds": it.holds});
        json!({
            "machine": machine.collect::<Map<_, _>>(),
            "methods": self.outcomes.iter().map(outcome).collect::<Vec<_>>(),
            "speed": self.speed.rows.iter().map(speed).collect::<Vec<_>>(),
            "bars": bars.iter().map(bar).collect::<Vec<_>>(),
            "notes": self.lines(),
            "seconds": self.seconds,
        })
    }
}

/// What a method could not tell, and whether that was held against citations; the first few by name.
fn doubts(it: &Outcome) -> Vec<String> {
    let ambiguous = it.ambiguous.iter().map(|(why, [flagged, accepted])| {
        format!("ambiguous ({why}), counted apart: {flagged} flagged, {accepted} accepted")
    });
    let failed = [
        format!("unknown: {}", it.scores.unknown),
        format!(
            "failed reads: {}, counted as invalid: {}",
            it.seen.failures.len(),
            it.blamed.len()
        ),
        format!(
            "one read in ten made to fail: {} failed, {} unknown, counted as invalid: {}",
            it.provoked.failed,
            it.provoked.unknown,
            it.provoked.blamed.len()
        ),
    ];
    let provoked = it
        .provoked
        .blamed
        .iter()
        .take(FEW)
        .map(|it| format!("made to fail: {it}"));
    let reasons = it.unknown.iter().chain(it.blamed.iter().take(FEW)).cloned();
    ambiguous
        .chain(failed)
        .chain(reasons)
        .chain(provoked)
        .collect()
}

fn outcome(it: &Outcome) -> Value {
    let parts = it.parts.iter().map(|part| {
        let rows = part
            .rows
            .iter()
            .map(|(value, it)| (value.clone(), scores(it)));
        (part.by.to_owned(), Value::Object(rows.collect()))
    });
    let ambiguous = it
        .ambiguous
        .iter()
        .map(|(why, n)| (why.clone(), json!({"flagged": n[0], "accepted": n[1]})));
    let batch = |it: &Batch| json!({"repo": it.repo, "commit": it.now, "citations": it.size, "ms": it.ms, "parts": seen(&it.seen)});
    json!({
        "method": it.method.slug(),
        "scores": scores(&it.scores),
        "ms": {"p50": it.times.p50, "p95": it.times.p95, "max": it.times.max, "mean": it.times.mean, "all": it.total},
        "parts": parts.collect::<Map<_, _>>(),
        "ambiguous": ambiguous.collect::<Map<_, _>>(),
        "failed_reads": it.seen.failures.len(),
        "failed_reads_counted_as_invalid": it.blamed.len(),
        "made_to_fail": {"failed": it.provoked.failed, "unknown": it.provoked.unknown, "blamed": it.provoked.blamed},
        "time": seen(&it.seen),
        "slowest": it.slowest.iter().map(batch).collect::<Vec<_>>(),
    })
}

/// Counts rather than percentages: nobody has to wonder how they were rounded.
fn scores(it: &Scores) -> Value {
    let shares = it
        .shares()
        .map(|(name, share)| (name.to_owned(), json!([share.k, share.n])));
    let counts =
        [("cases", it.cases), ("unknown", it.unknown)].map(|(name, n)| (name.to_owned(), json!(n)));
    shares
        .into_iter()
        .chain(counts)
        .collect::<Map<_, _>>()
        .into()
}

fn seen(it: &Seen) -> Value {
    let parts = PARTS.iter().map(|(asked, name)| {
        let tally = it.tally(*asked);
        (
            (*name).to_owned(),
            json!({"calls": tally.calls, "ms": tally.time.as_secs_f64() * 1e3}),
        )
    });
    let steps = [("steps".to_owned(), json!(it.steps))];
    parts.chain(steps).collect::<Map<_, _>>().into()
}

fn speed(it: &Row) -> Value {
    json!({
        "source": it.source,
        "citations": it.citations,
        "verdicts": it.verdicts,
        "cold_ms_each": it.cold_ms(),
        "warm_us_each": it.warm_us(),
        "time": seen(&it.seen),
    })
}
