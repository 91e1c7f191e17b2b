//! The figures for people: plain tables for a terminal, or the same as Markdown.

use std::fmt::Write as _;

use crate::{
    bars,
    machine::Machine,
    report::{Report, Row, Size},
};

/// A table: its head, and rows as long as the head.
pub(crate) struct Table {
    /// The names of the columns.
    pub(crate) head: Vec<&'static str>,
    /// The cells.
    pub(crate) rows: Vec<Vec<String>>,
}

/// The whole report as text.
pub(crate) fn text(report: &Report, markdown: bool) -> String {
    let mut out = String::new();
    let title = |name: &str| title(name, markdown);
    out.push_str(&machine(&report.machine, markdown));
    let tables = [
        ("Times", times(report)),
        ("Files", files(report)),
        ("Bars", judged(report)),
    ];
    for (name, table) in tables.iter().filter(|(_, table)| !table.rows.is_empty()) {
        out.push_str(&title(name));
        out.push_str(&table.text(markdown));
    }
    for (name, lines) in [("Notes", &report.notes), ("Left out", &report.left_out)] {
        if !lines.is_empty() {
            out.push_str(&title(name));
            out.extend(lines.iter().map(|it| format!("- {it}\n")));
        }
    }
    let _ = writeln!(out, "\nThe run took {:.0} s.", report.seconds);
    out
}

/// The line above a table.
pub(crate) fn title(name: &str, markdown: bool) -> String {
    if markdown {
        format!("\n### {name}\n\n")
    } else {
        format!("\n{name}\n")
    }
}

/// What it was measured on.
pub(crate) fn machine(machine: &Machine, markdown: bool) -> String {
    let line = |(name, value): &(&str, String)| {
        if markdown {
            format!("- {name}: {value}\n")
        } else {
            format!("{name:>18}  {value}\n")
        }
    };
    machine.0.iter().map(line).collect()
}

fn times(report: &Report) -> Table {
    let head = vec!["measure", "store", "space", "n", "p50", "p99"];
    let row = |it: &Row| {
        let (store, space) = (count(it.store), count(it.space));
        vec![
            it.what.into(),
            store,
            space,
            it.time.n.to_string(),
            time(it.time.p50),
            time(it.time.p99),
        ]
    };
    Table {
        head,
        rows: report.rows.iter().map(row).collect(),
    }
}

fn files(report: &Report) -> Table {
    let row = |it: &Size| {
        let bytes = format!("{:.1} MB", it.bytes as f64 / 1e6);
        vec![
            it.what.to_owned(),
            count(it.memories),
            bytes,
            format!("{:.0}", it.each()),
        ]
    };
    let rows = report.sizes.iter().map(row).collect();
    Table {
        head: vec!["file", "memories", "size", "bytes per memory"],
        rows,
    }
}

fn judged(report: &Report) -> Table {
    let row = |it: &bars::Bar| {
        let figure = it.figure.clone().unwrap_or_else(|| "–".into());
        vec![
            it.what.to_owned(),
            it.bar.to_owned(),
            figure,
            it.verdict().to_owned(),
        ]
    };
    let rows = bars::of(report).iter().map(row).collect();
    Table {
        head: vec!["what", "bar", "figure", "verdict"],
        rows,
    }
}

/// A duration of so many microseconds, with the unit that suits it.
pub(crate) fn time(micros: f64) -> String {
    match micros {
        it if it < 1_000.0 => format!("{it:.0} µs"),
        it if it < 10_000.0 => format!("{:.2} ms", it / 1e3),
        it => format!("{:.1} ms", it / 1e3),
    }
}

/// A number of memories, short.
pub(crate) fn count(n: usize) -> String {
    match n {
        0 => "–".into(),
        it if it.is_multiple_of(1_000_000) => format!("{}M", it / 1_000_000),
        it if it.is_multiple_of(1_000) => format!("{}k", it / 1_000),
        it => it.to_string(),
    }
}

impl Table {
    /// The table as text.
    pub(crate) fn text(&self, markdown: bool) -> String {
        if markdown {
            self.markdown()
        } else {
            self.plain()
        }
    }

    fn plain(&self) -> String {
        let width = |at: usize| {
            let cells = self.rows.iter().map(|row| row[at].chars().count());
            cells.chain([self.head[at].len()]).max().unwrap_or(0)
        };
        let line = |cells: Vec<&str>| {
            let padded = cells.iter().enumerate().map(|(at, cell)| {
                let width = width(at);
                if at == 0 {
                    format!("{cell:<width$}")
                } else {
                    format!("{cell:>width$}")
                }
            });
            format!("  {}\n", padded.collect::<Vec<_>>().join("  "))
        };
        let rows = self
            .rows
            .iter()
            .map(|row| line(row.iter().map(String::as_str).collect()));
        std::iter::once(line(self.head.clone()))
            .chain(rows)
            .collect()
    }

    fn markdown(&self) -> String {
        let line = |cells: Vec<&str>| format!("| {} |\n", cells.join(" | "));
        let rule = self
            .head
            .iter()
            .enumerate()
            .map(|(at, _)| if at == 0 { "---" } else { "---:" })
            .collect();
        let rows = self
            .rows
            .iter()
            .map(|row| line(row.iter().map(String::as_str).collect()));
        [line(self.head.clone()), line(rule)]
            .into_iter()
            .chain(rows)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Summary;

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            (time(12.4), time(1_234.0), time(45_678.0)),
            ("12 µs".into(), "1.23 ms".into(), "45.7 ms".into())
        );
        assert_eq!(
            (count(1_000), count(1_000_000), count(0), count(1_500)),
            ("1k".into(), "1M".into(), "–".into(), "1500".into())
        );
    }

    #[test]
    fn both_forms_hold_every_row() {
        let mut report = Report::new(Machine(vec![("CPU", "fast".into())]));
        let time = Summary {
            n: 3,
            p50: 5.0,
            p99: 9.0,
        };
        report.rows.push(Row {
            what: "recall",
            store: 1_000,
            space: 1_000,
            time,
        });
        report.left_out.push("the rest".into());
        for markdown in [false, true] {
            let text = text(&report, markdown);
            for part in ["fast", "recall", "9 µs", "not measured", "the rest"] {
                assert!(text.contains(part), "{part} in {text}");
            }
        }
        assert!(super::text(&report, true).contains("| recall | 1k | 1k | 3 | 5 µs | 9 µs |"));
    }
}
