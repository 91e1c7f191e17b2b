//! The figures for people.

use super::page::{Calls, Crowd};
use crate::{
    bars::Bar,
    stats::{Sample, Summary},
    table::{Table, count, time},
};

/// The calls, each way.
pub(crate) fn calls(calls: &[Calls]) -> Table {
    let row = |it: &Calls| {
        let n = it.server.summary().map_or(0, |it| it.n);
        let overhead = it.overhead().map_or_else(none, difference);
        let head = [it.tool.name().into(), count(it.store), n.to_string()];
        let ways = [&it.echo, &it.library, &it.server].map(both);
        head.into_iter().chain(ways).chain([overhead]).collect()
    };
    let head = vec![
        "tool",
        "store",
        "n",
        "echo",
        "library",
        "server",
        "server − library, p50",
    ];
    Table {
        head,
        rows: calls.iter().map(row).collect(),
    }
}

/// The starts.
pub(crate) fn starts(starts: &[(&'static str, Sample)]) -> Table {
    let rows = starts
        .iter()
        .filter_map(|(what, sample)| row(what, sample))
        .collect();
    Table {
        head: vec!["start", "n", "p50", "p99"],
        rows,
    }
}

/// The servers at once.
pub(crate) fn crowd(crowd: Option<&Crowd>) -> Table {
    let samples = crowd.map(Crowd::samples).unwrap_or_default();
    let rows = samples
        .iter()
        .filter_map(|(what, sample)| row(what, sample))
        .collect();
    Table {
        head: vec!["calls", "n", "p50", "p99"],
        rows,
    }
}

/// The bars.
pub(crate) fn bars(bars: &[Bar]) -> Table {
    let row = |it: &Bar| {
        let figure = it.figure.clone().unwrap_or_else(none);
        vec![
            it.what.to_owned(),
            it.bar.to_owned(),
            figure,
            it.verdict().to_owned(),
        ]
    };
    Table {
        head: vec!["what", "bar", "figure", "verdict"],
        rows: bars.iter().map(row).collect(),
    }
}

fn row(what: &str, sample: &Sample) -> Option<Vec<String>> {
    let Summary { n, p50, p99 } = sample.summary()?;
    Some(vec![what.to_owned(), n.to_string(), time(p50), time(p99)])
}

fn both(sample: &Sample) -> String {
    sample
        .summary()
        .map_or_else(none, |it| format!("{} / {}", time(it.p50), time(it.p99)))
}

/// A duration that may be less than nothing, when two that differ by little are compared.
pub(crate) fn difference(micros: f64) -> String {
    if micros < 0.0 {
        format!("−{}", time(-micros))
    } else {
        time(micros)
    }
}

fn none() -> String {
    "–".into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_may_be_negative() {
        assert_eq!(
            (difference(340.0), difference(-1_500.0)),
            ("340 µs".into(), "−1.50 ms".into())
        );
    }
}
