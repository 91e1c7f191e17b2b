//! The bars that verification is held against.

use super::method::Method;
use super::{
    outcome::Outcome,
    score::{Scores, Share},
    speed::Speed,
};
use crate::bars::Bar;

/// The shares that are held against a bar.
struct Line {
    method: Method,
    what: &'static str,
    bar: &'static str,
    of: fn(&Scores) -> Share,
    holds: fn(f64) -> bool,
}

const LINES: [Line; 9] = [
    Line {
        method: Method::Apostille,
        what: "detection",
        bar: "≥ 99.5 %",
        of: |it| it.detection,
        holds: |it| it >= 99.5,
    },
    Line {
        method: Method::Apostille,
        what: "false alarms",
        bar: "≤ 0.5 %",
        of: |it| it.fp,
        holds: |it| it <= 0.5,
    },
    Line {
        method: Method::Apostille,
        what: "false alarms with harmless edits",
        bar: "≤ 1 %",
        of: |it| it.fp_broad,
        holds: |it| it <= 1.0,
    },
    Line {
        method: Method::Apostille,
        what: "exact place",
        bar: "≥ 98 %",
        of: |it| it.locate,
        holds: |it| it >= 98.0,
    },
    Line {
        method: Method::Apostille,
        what: "invalid memory detection rate",
        bar: "> 95 %",
        of: |it| it.detection,
        holds: |it| it > 95.0,
    },
    Line {
        method: Method::Apostille,
        what: "false positive memory rate",
        bar: "< 5 %",
        of: |it| it.fp,
        holds: |it| it < 5.0,
    },
    Line {
        method: Method::CommitGone,
        what: "commit gone: detection",
        bar: "≥ 97 %",
        of: |it| it.detection,
        holds: |it| it >= 97.0,
    },
    Line {
        method: Method::CommitGone,
        what: "commit gone: false alarms",
        bar: "≤ 8 %",
        of: |it| it.fp,
        holds: |it| it <= 8.0,
    },
    Line {
        method: Method::CommitGone,
        what: "commit gone: exact place",
        bar: "≥ 88 %",
        of: |it| it.locate,
        holds: |it| it >= 88.0,
    },
];

/// Every bar, with what this run found.
pub(crate) fn of(outcomes: &[Outcome], speed: &Speed) -> Vec<Bar> {
    let share = |line: &Line| {
        let found = outcomes.iter().find(|it| it.method == line.method);
        let percent = found.and_then(|it| (line.of)(&it.scores).percent());
        Bar {
            what: line.what,
            bar: line.bar,
            figure: percent.map(|it| format!("{it:.2} %")),
            holds: percent.map(line.holds),
        }
    };
    LINES
        .iter()
        .map(share)
        .chain(blamed(outcomes))
        .chain(times(speed))
        .collect()
}

/// Failed reads that were held against citations: those that failed by themselves, and those that were made to.
fn blamed(outcomes: &[Outcome]) -> [Bar; 2] {
    let bar = |what: &'static str, count: fn(&Outcome) -> usize| {
        let n = (!outcomes.is_empty()).then(|| outcomes.iter().map(count).sum::<usize>());
        Bar {
            what,
            bar: "0",
            figure: n.map(|it| it.to_string()),
            holds: n.map(|it| it == 0),
        }
    };
    [
        bar("failed reads counted as invalid", |it| it.blamed.len()),
        bar("the same, one read in ten made to fail", |it| {
            it.provoked.blamed.len()
        }),
    ]
}

/// The slower of the two sources counts.
fn times(speed: &Speed) -> [Bar; 3] {
    let cold = speed.rows.iter().map(|it| it.cold_ms()).reduce(f64::max);
    let warm = speed
        .rows
        .iter()
        .map(|it| it.warm_us())
        .reduce(|a, b| Some(a?.max(b?)))
        .flatten();
    [
        Bar {
            what: "cold batch, each citation",
            bar: "≤ 2 ms",
            figure: cold.map(|it| format!("{it:.2} ms")),
            holds: cold.map(|it| it <= 2.0),
        },
        Bar {
            what: "citation verification",
            bar: "< 500 ms",
            figure: cold.map(|it| format!("{it:.2} ms")),
            holds: cold.map(|it| it < 500.0),
        },
        Bar {
            what: "warm verdict cache, each citation",
            bar: "≤ 20 µs",
            figure: warm.map(|it| format!("{it:.1} µs")),
            holds: warm.map(|it| it <= 20.0),
        },
    ]
}

/// The word for how a figure stands to its bar.
pub(crate) fn verdict(bar: &Bar) -> &'static str {
    match bar.holds {
        Some(true) => "reached",
        Some(false) => "missed",
        None => "not measured",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unmeasured_bar_has_no_verdict() {
        let bars = of(&[], &Speed::default());
        assert_eq!(bars.len(), LINES.len() + 5);
        assert!(bars.iter().all(|it| verdict(it) == "not measured"));
    }
}
