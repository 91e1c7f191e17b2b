//! Everything that a run found out, as text and as JSON.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::bars;
use crate::{
    bars::Bar,
    machine::Machine,
    stats::{Sample, Summary},
    table::{self, Table, time},
};

/// How many errors are told.
const FEW: usize = 5;

/// A page that was opened many times.
pub(crate) struct Opened {
    /// Which.
    pub(crate) path: &'static str,
    /// How long it took first.
    pub(crate) first: Duration,
    /// How long it took later.
    pub(crate) times: Sample,
    /// The longest of those.
    pub(crate) most: Duration,
    /// How large it is.
    pub(crate) bytes: usize,
}

/// Too much at once.
#[derive(Debug, Default)]
pub(crate) struct Rush {
    /// What it is called.
    pub(crate) name: &'static str,
    /// The answers, by status.
    pub(crate) statuses: BTreeMap<u16, usize>,
    /// The handles of writes that were acknowledged.
    pub(crate) kept: Vec<String>,
    /// What went wrong.
    pub(crate) errors: Vec<String>,
    /// How many acknowledged writes are not there.
    pub(crate) lost: usize,
}

impl Rush {
    /// How many were told to come back.
    pub(crate) fn shed(&self) -> usize {
        [429, 503]
            .iter()
            .filter_map(|it| self.statuses.get(it))
            .sum()
    }

    /// Whether a status is neither an answer nor a word to come back. What is taken for something known is an answer, too.
    pub(crate) fn is_odd(status: u16) -> bool {
        !matches!(status, 200 | 201 | 422 | 429 | 503)
    }

    /// How much went wrong.
    pub(crate) fn odd(&self) -> usize {
        self.errors.len()
    }
}

/// What a run found out.
pub(crate) struct Page {
    machine: Machine,
    /// Reads at a fixed rate, by kind.
    pub(crate) reads: Vec<(&'static str, Sample)>,
    /// All of them.
    pub(crate) reads_all: Sample,
    /// The pages.
    pub(crate) pages: Vec<Opened>,
    /// Too much at once.
    pub(crate) rushes: Vec<Rush>,
    /// What was not measured, and why.
    pub(crate) left_out: Vec<String>,
    /// How long the run took, in seconds.
    pub(crate) seconds: f64,
}

impl Page {
    /// Nothing found out yet.
    pub(crate) fn new(machine: Machine) -> Self {
        let (reads, reads_all, pages, rushes, left_out) = Default::default();
        Self {
            machine,
            reads,
            reads_all,
            pages,
            rushes,
            left_out,
            seconds: 0.0,
        }
    }

    /// The tables.
    pub(crate) fn text(&self, markdown: bool) -> String {
        let mut out = table::machine(&self.machine, markdown);
        let tables = [
            (
                "Reads at 200 a second, from when each was due",
                self.read_table(),
            ),
            ("Pages of the panel, 10k memories", self.page_table()),
            ("Far too much at once", self.rush_table()),
            ("Bars", bar_table(&bars::of(self))),
        ];
        for (name, table) in tables.iter().filter(|it| !it.1.rows.is_empty()) {
            out.push_str(&table::title(name, markdown));
            out.push_str(&table.text(markdown));
        }
        for (name, lines) in [("Notes", &self.notes()), ("Left out", &self.left_out)] {
            if !lines.is_empty() {
                out.push_str(&table::title(name, markdown));
                out.extend(lines.iter().map(|it| format!("- {it}\n")));
            }
        }
        out.push_str(&format!("\nThe run took {:.0} s.\n", self.seconds));
        out
    }

    fn read_table(&self) -> Table {
        let all = ("all", &self.reads_all);
        let rows = std::iter::once(all).chain(self.reads.iter().map(|it| (it.0, &it.1)));
        let row = |(what, sample): (&str, &Sample)| {
            let Summary { n, p50, p99 } = sample.summary()?;
            Some(vec![what.to_owned(), n.to_string(), time(p50), time(p99)])
        };
        Table {
            head: vec!["read", "n", "p50", "p99"],
            rows: rows.filter_map(row).collect(),
        }
    }

    fn page_table(&self) -> Table {
        let row = |it: &Opened| {
            let p50 = it.times.summary().map_or(0.0, |it| it.p50);
            let kb = format!("{} KB", it.bytes.div_ceil(1024));
            vec![
                it.path.to_owned(),
                time(micros(it.first)),
                time(p50),
                time(micros(it.most)),
                kb,
            ]
        };
        Table {
            head: vec!["page", "first", "p50", "most", "size"],
            rows: self.pages.iter().map(row).collect(),
        }
    }

    fn rush_table(&self) -> Table {
        let row = |it: &Rush| {
            let all: usize = it.statuses.values().sum();
            let share = it.shed() as f64 * 100.0 / all.max(1) as f64;
            let statuses: Vec<String> = it
                .statuses
                .iter()
                .map(|(status, n)| format!("{n} × {status}"))
                .collect();
            let cells = [
                format!("{share:.0} %"),
                statuses.join(", "),
                it.kept.len().to_string(),
                it.lost.to_string(),
            ];
            [it.name.to_owned()].into_iter().chain(cells).collect()
        };
        let head = vec![
            "limits",
            "told to come back",
            "answers",
            "writes acknowledged",
            "lost",
        ];
        Table {
            head,
            rows: self.rushes.iter().map(row).collect(),
        }
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.machine.is_busy() {
            notes.push("BUSY: other programs wanted more than half of the cores when this run began. Times are too long.".into());
        }
        let errors = self.rushes.iter().flat_map(|it| it.errors.iter().take(FEW));
        notes.extend(errors.map(|it| format!("ERROR: {it}")));
        notes
    }

    /// The figures, times in microseconds.
    pub(crate) fn json(&self) -> Value {
        let machine = self
            .machine
            .0
            .iter()
            .map(|(name, value)| ((*name).to_owned(), json!(value)));
        let bar = |it: &Bar| json!({"what": it.what, "bar": it.bar, "figure": it.figure, "holds": it.holds});
        let read = |(what, it): &(&str, Sample)| json!({"what": what, "time": times(it)});
        let opened = |it: &Opened| json!({"path": it.path, "first_us": micros(it.first), "time": times(&it.times), "most_us": micros(it.most), "bytes": it.bytes});
        let rush = |it: &Rush| json!({"limits": it.name, "statuses": it.statuses, "acknowledged": it.kept.len(), "lost": it.lost, "errors": it.errors.len()});
        json!({
            "machine": machine.collect::<Map<_, _>>(),
            "reads": {"all": times(&self.reads_all), "each": self.reads.iter().map(read).collect::<Vec<_>>()},
            "pages": self.pages.iter().map(opened).collect::<Vec<_>>(),
            "overload": self.rushes.iter().map(rush).collect::<Vec<_>>(),
            "bars": bars::of(self).iter().map(bar).collect::<Vec<_>>(),
            "notes": self.notes(),
            "left_out": self.left_out,
            "seconds": self.seconds,
        })
    }
}

fn bar_table(bars: &[Bar]) -> Table {
    let row = |it: &Bar| {
        let figure = it.figure.clone().unwrap_or_else(|| "–".into());
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

/// A duration in microseconds.
pub(crate) fn micros(it: Duration) -> f64 {
    it.as_secs_f64() * 1e6
}

fn times(sample: &Sample) -> Option<Value> {
    let Summary { n, p50, p99 } = sample.summary()?;
    Some(json!({"n": n, "p50_us": p50, "p99_us": p99}))
}
