//! The bars that the figures are held against.

use crate::report::{
    COLD, HOOK, INSERT, JUDGE_EDIT, JUDGE_EDIT_FIRST, NOTE_EDIT, NOTHING_DUE, QUERY, RECALL,
    RECALL_BESIDE, REMEMBER, Report,
};
use crate::stats::Summary;

const MB: f64 = 1_000_000.0;
/// A repository's size.
const REPO: usize = 1_000;
/// A large store's size.
const LARGE: usize = 100_000;

/// One bar and the figure beside it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Bar {
    /// What is judged.
    pub(crate) what: &'static str,
    /// The bar.
    pub(crate) bar: &'static str,
    /// The figure; `None` when it was not measured.
    pub(crate) figure: Option<String>,
    /// Whether it holds; `None` when it was not measured.
    pub(crate) holds: Option<bool>,
}

impl Bar {
    /// The word for it.
    pub(crate) fn verdict(&self) -> &'static str {
        match self.holds {
            Some(true) => "PASS",
            Some(false) => "FAIL",
            None => "not measured",
        }
    }
}

/// Every bar, with what this run found.
pub(crate) fn of(report: &Report) -> Vec<Bar> {
    let ratio = |a: &str, b: &str, store: usize| {
        Some(times(
            report.find(a, store, REPO)?,
            report.find(b, store, REPO)?,
        ))
    };
    let program = &report.program;
    let cold = report
        .rows
        .iter()
        .find(|it| it.what == COLD)
        .map(|it| it.time.p50 / 1_000.0);
    let hook = report
        .rows
        .iter()
        .find(|it| it.what == HOOK)
        .map(|it| &it.time);
    let ms = |it: f64| format!("{it:.1} ms");
    let packages = program.packages.map(|it| it as f64);
    let factor = |it: f64| format!("{it:.2} ×");
    let mb = |it: f64| format!("{it:.1} MB");
    let mut bars = vec![
        bar(
            "remember / bare insert, 1k store",
            "≤ 2 ×",
            ratio(REMEMBER, INSERT, REPO),
            |it| it <= 2.0,
            factor,
        ),
        bar(
            "remember / bare insert, 100k store",
            "≤ 2 ×",
            ratio(REMEMBER, INSERT, LARGE),
            |it| it <= 2.0,
            factor,
        ),
        bar(
            "recall of 1k in 100k / bare FTS5 query",
            "≤ 1.5 ×",
            ratio(RECALL, QUERY, LARGE),
            |it| it <= 1.5,
            factor,
        ),
        bar(
            "recall, 100k store / 1k store",
            "≤ 1.3 ×",
            ratio(RECALL, RECALL_BESIDE, LARGE),
            |it| it <= 1.3,
            factor,
        ),
        bar(
            "cold recall, 10k memories, p50",
            "≤ 15 ms",
            cold,
            |it| it <= 15.0,
            ms,
        ),
        bar(
            "hook on a prompt, 10k memories, 10 verified, p50",
            "≤ 15 ms",
            hook.map(|it| it.p50 / 1_000.0),
            |it| it <= 15.0,
            ms,
        ),
        bar(
            "the same, p99",
            "≤ 40 ms",
            hook.map(|it| it.p99 / 1_000.0),
            |it| it <= 40.0,
            ms,
        ),
        bar(
            "memory of a recall",
            "< 20 MB",
            program.rss.map(megabytes),
            |it| it < 20.0,
            mb,
        ),
        bar(
            "release binary",
            "< 12 MB",
            program.size.map(megabytes),
            |it| it < 12.0,
            mb,
        ),
        bar(
            "packages in Cargo.lock",
            "< 250",
            packages,
            |it| it < 250.0,
            |it| format!("{it:.0}"),
        ),
    ];
    bars.extend(judge_edit_moments(report));
    bars
}

/// The bars for the moments around an agent's edit.
fn judge_edit_moments(report: &Report) -> [Bar; 4] {
    let p50 = |what: &str| {
        let row = report.rows.iter().find(|it| it.what == what);
        row.map(|it| it.time.p50 / 1_000.0)
    };
    let ms = |it: f64| format!("{it:.1} ms");
    [
        bar(
            "hook after an edit, p50",
            "≤ 8 ms",
            p50(NOTE_EDIT),
            |it| it <= 8.0,
            ms,
        ),
        bar(
            "hook of a tool, nothing due, p50",
            "≤ 8 ms",
            p50(NOTHING_DUE),
            |it| it <= 8.0,
            ms,
        ),
        bar(
            "50 memories judged after an edit, p50",
            "≤ 15 ms",
            p50(JUDGE_EDIT),
            |it| it <= 15.0,
            ms,
        ),
        bar(
            "the same, no verdict kept from before, p50",
            "≤ 15 ms",
            p50(JUDGE_EDIT_FIRST),
            |it| it <= 15.0,
            ms,
        ),
    ]
}

/// A bar, and whether the figure holds against it.
pub(crate) fn bar(
    what: &'static str,
    bar: &'static str,
    figure: Option<f64>,
    holds: impl Fn(f64) -> bool,
    say: impl Fn(f64) -> String,
) -> Bar {
    Bar {
        what,
        bar,
        figure: figure.map(say),
        holds: figure.map(holds),
    }
}

fn times(a: &Summary, b: &Summary) -> f64 {
    a.p50 / b.p50
}

#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / MB
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Machine;
    use crate::report::Row;

    #[test]
    fn bars_are_judged_on_what_was_measured() {
        let mut report = Report::new(Machine(Vec::new()));
        assert!(of(&report).iter().all(|it| it.verdict() == "not measured"));
        let row = |what, p50| Row {
            what,
            store: LARGE,
            space: REPO,
            time: Summary {
                n: 1,
                p50,
                p99: p50,
            },
        };
        report.rows = vec![
            row(INSERT, 10.0),
            row(REMEMBER, 19.0),
            row(QUERY, 10.0),
            row(RECALL, 16.0),
        ];
        let verdicts: Vec<&str> = of(&report).iter().map(Bar::verdict).collect();
        assert_eq!(
            verdicts[..4],
            ["not measured", "PASS", "FAIL", "not measured"]
        );
        assert_eq!(of(&report)[2].figure.as_deref(), Some("1.60 ×"));
    }
}
