//! The figures for people.

use std::time::Duration;

use super::{
    bars,
    batch::Batch,
    outcome::{Outcome, Part},
    score::Share,
    speed::{Row, Speed},
    watched::{PARTS, Seen},
};
use crate::{bars::Bar, table::Table};

/// Every method, one row each.
pub(crate) fn methods(outcomes: &[Outcome]) -> Table {
    let head = vec![
        "method",
        "cases",
        "detection",
        "fp",
        "fp_broad",
        "locate",
        "misplaced",
        "grade",
        "edit_loc",
        "unknown",
        "ms p50",
        "p95",
        "max",
        "mean",
    ];
    let row = |it: &Outcome| {
        let mut cells = vec![it.method.name().to_owned(), it.scores.cases.to_string()];
        cells.extend(
            it.scores.shares()[..7]
                .iter()
                .map(|(_, share)| percent(*share)),
        );
        cells.push(it.scores.unknown.to_string());
        let times = [it.times.p50, it.times.p95, it.times.max, it.times.mean];
        cells.extend(times.map(|it| format!("{it:.2}")));
        cells
    };
    Table {
        head,
        rows: outcomes.iter().map(row).collect(),
    }
}

/// The cases by one property.
pub(crate) fn part(part: &Part) -> Table {
    let head = vec![
        part.by,
        "cases",
        "detection",
        "fp",
        "fp_broad",
        "locate",
        "misplaced",
        "grade",
        "edit_loc",
        "review flagged",
        "unknown",
    ];
    let rows = part.rows.iter().map(|(value, scores)| {
        let mut cells = vec![value.clone(), scores.cases.to_string()];
        cells.extend(scores.shares().iter().map(|(_, share)| percent(*share)));
        cells.push(scores.unknown.to_string());
        cells
    });
    Table {
        head,
        rows: rows.collect(),
    }
}

fn percent(share: Share) -> String {
    share
        .percent()
        .map_or_else(|| "–".into(), |it| format!("{it:.2}"))
}

/// Where the time of ours goes.
pub(crate) fn parts_of_time(outcomes: &[Outcome]) -> Table {
    let ours = outcomes.iter().filter(|it| it.method.is_ours());
    let rows = ours
        .flat_map(|it| time_rows(it.method.name(), &it.seen, it.total))
        .collect();
    Table {
        head: time_head("method"),
        rows,
    }
}

fn time_head(of: &'static str) -> Vec<&'static str> {
    vec![of, "part", "calls", "seconds", "share"]
}

/// One row for each part of a time, and what is left for the engine itself.
fn time_rows(name: &str, seen: &Seen, total: f64) -> Vec<Vec<String>> {
    let row = |part: &str, calls: String, ms: f64| {
        let share = format!("{:.1} %", 100.0 * ms / total.max(f64::MIN_POSITIVE));
        vec![
            name.to_owned(),
            part.to_owned(),
            calls,
            format!("{:.3}", ms / 1e3),
            share,
        ]
    };
    let asked = PARTS.iter().map(|(asked, part)| {
        let tally = seen.tally(*asked);
        row(part, tally.calls.to_string(), millis(tally.time))
    });
    let own = row("the engine itself", "–".into(), total - millis(seen.time()));
    asked.chain([own]).collect()
}

/// The batches that took longest for each citation, and what took long.
pub(crate) fn slowest(outcome: &Outcome) -> Table {
    let head = vec![
        "repository",
        "commit",
        "citations",
        "ms each",
        "ms",
        "steps",
        "files",
        "history",
        "objects",
        "visit",
        "engine",
    ];
    let row = |it: &Batch| {
        let mut cells = vec![
            it.repo.clone(),
            it.now.chars().take(10).collect(),
            it.size.to_string(),
        ];
        cells.extend([it.each(), it.ms].map(|it| format!("{it:.1}")));
        cells.push(it.seen.steps.to_string());
        cells.extend(
            PARTS[..4]
                .iter()
                .map(|(asked, _)| format!("{:.1}", millis(it.seen.tally(*asked).time))),
        );
        cells.push(format!("{:.1}", it.ms - millis(it.seen.time())));
        cells
    };
    Table {
        head,
        rows: outcome.slowest.iter().map(row).collect(),
    }
}

/// The timed batch.
pub(crate) fn speed(speed: &Speed) -> Table {
    let head = vec![
        "source",
        "citations",
        "verdicts",
        "cold, all",
        "cold, each",
        "warm cache, each",
    ];
    let row = |it: &Row| {
        let verdicts: Vec<String> = it
            .verdicts
            .iter()
            .map(|(word, n)| format!("{word} {n}"))
            .collect();
        vec![
            it.source.to_owned(),
            it.citations.to_string(),
            verdicts.join(", "),
            format!("{:.0} ms", millis(it.cold)),
            format!("{:.3} ms", it.cold_ms()),
            it.warm_us()
                .map_or_else(|| "not measured".into(), |it| format!("{it:.1} µs")),
        ]
    };
    Table {
        head,
        rows: speed.rows.iter().map(row).collect(),
    }
}

/// Where the time of the timed batch goes.
pub(crate) fn parts_of_speed(speed: &Speed) -> Table {
    let rows = speed
        .rows
        .iter()
        .flat_map(|it| time_rows(it.source, &it.seen, millis(it.cold)));
    Table {
        head: time_head("source"),
        rows: rows.collect(),
    }
}

/// The bars.
pub(crate) fn bars(bars: &[Bar]) -> Table {
    let row = |it: &Bar| {
        let figure = it.figure.clone().unwrap_or_else(|| "–".into());
        vec![
            it.what.to_owned(),
            it.bar.to_owned(),
            figure,
            bars::verdict(it).to_owned(),
        ]
    };
    Table {
        head: vec!["what", "bar", "figure", "verdict"],
        rows: bars.iter().map(row).collect(),
    }
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
