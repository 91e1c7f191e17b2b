//! Everything that a run found out, as text and as JSON.

use serde_json::{Map, Value, json};

use super::{BenchDatabase, bars, clients::ClientLoad};
use crate::{
    bars::Bar,
    machine::Machine,
    stats::{Sample, Summary},
    table::{self, Table, count, time},
};

/// The whole write path.
pub(crate) const REMEMBER: &str = "remember";
/// One row with the same text and the bytes of a record, and its GIN entries.
pub(crate) const BARE_INSERT: &str = "bare insert of the same bytes";
/// The whole read path, its log included.
pub(crate) const RECALL: &str = "recall, top 10";
/// The same of the same space where no other is in the database.
pub(crate) const RECALL_ALONE: &str = "recall, the same space alone";
/// The same at one question a second for each client, from when it was due.
pub(crate) const RECALL_PACED: &str = "recall, one a second each";
/// Ten texts by Postgres's own rank.
pub(crate) const BARE_QUERY: &str = "bare GIN query";

/// How many errors are told.
const FEW: usize = 5;

/// One measure.
pub(crate) struct PostgresRow {
    pub(crate) what: &'static str,
    pub(crate) memories: usize,
    pub(crate) clients: usize,
    pub(crate) time: Option<Summary>,
    per_second: Option<f64>,
    /// What a call had computed here and by the server.
    cpu: Option<[f64; 2]>,
    errors: Vec<String>,
}

impl PostgresRow {
    /// Of calls one after the other.
    pub(crate) fn of(
        what: &'static str,
        database: &BenchDatabase,
        clients: usize,
        sample: &Sample,
    ) -> Self {
        Self {
            what,
            memories: database.memories,
            clients,
            time: sample.summary(),
            per_second: None,
            cpu: None,
            errors: Vec::new(),
        }
    }

    /// Of clients that work at once.
    pub(crate) fn of_clients(
        what: &'static str,
        database: &BenchDatabase,
        clients: usize,
        load: &ClientLoad,
    ) -> Self {
        Self {
            per_second: Some(load.per_second),
            cpu: Some(load.cpu),
            errors: load.errors.clone(),
            ..Self::of(what, database, clients, &load.sample)
        }
    }
}

/// What a table takes, with its indexes.
pub(crate) struct TableSize {
    pub(crate) table: String,
    pub(crate) memories: usize,
    pub(crate) bytes: u64,
}

/// What was lost by a fault.
pub(crate) struct FaultRow {
    pub(crate) what: &'static str,
    pub(crate) acknowledged: usize,
    pub(crate) lost: usize,
    pub(crate) doubled: usize,
}

/// What a run found out.
pub(crate) struct PostgresPage {
    machine: Machine,
    /// The server's version.
    pub(crate) server: String,
    rows: Vec<PostgresRow>,
    pub(crate) sizes: Vec<TableSize>,
    pub(crate) faults: Vec<FaultRow>,
    pub(crate) notes: Vec<String>,
    pub(crate) left_out: Vec<String>,
    pub(crate) seconds: f64,
}

impl PostgresPage {
    /// Nothing found out yet.
    pub(crate) fn new(machine: Machine) -> Self {
        Self {
            machine,
            server: String::new(),
            rows: Vec::new(),
            sizes: Vec::new(),
            faults: Vec::new(),
            notes: Vec::new(),
            left_out: Vec::new(),
            seconds: 0.0,
        }
    }

    pub(crate) fn add(&mut self, row: PostgresRow) {
        self.rows.push(row);
    }

    /// The first measure of this kind.
    pub(crate) fn find(&self, what: &str, memories: usize, clients: usize) -> Option<&Summary> {
        let row = self
            .rows
            .iter()
            .find(|it| (it.what, it.memories, it.clients) == (what, memories, clients));
        row.and_then(|it| it.time.as_ref())
    }

    /// The largest database that was measured.
    pub(crate) fn largest(&self) -> usize {
        self.rows.iter().map(|it| it.memories).max().unwrap_or(0)
    }

    /// What clients that work at once took.
    pub(crate) fn find_rush(
        &self,
        what: &str,
        memories: usize,
        clients: usize,
    ) -> Option<&Summary> {
        let mut rows = self.rows.iter().filter(|it| it.per_second.is_some());
        let row = rows.find(|it| (it.what, it.memories, it.clients) == (what, memories, clients));
        row.and_then(|it| it.time.as_ref())
    }

    /// The tables.
    pub(crate) fn text(&self, markdown: bool) -> String {
        let mut out = table::machine(&self.machine, markdown);
        let tables = [
            (
                "Times; one client is measured in turns with what it is compared with",
                self.time_table(),
            ),
            ("Tables with their indexes", self.size_table()),
            ("Faults", self.fault_table()),
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

    fn time_table(&self) -> Table {
        let row = |it: &PostgresRow| {
            let Summary { n, p50, p99 } = it.time?;
            let rate = it.per_second.map_or("–".into(), |it| format!("{it:.0}"));
            Some(vec![
                it.what.to_owned(),
                count(it.memories),
                it.clients.to_string(),
                n.to_string(),
                time(p50),
                time(p99),
                rate,
                it.cpu.map_or("–".into(), |[here, server]| {
                    format!("{} + {}", time(here), time(server))
                }),
                it.errors.len().to_string(),
            ])
        };
        Table {
            head: vec![
                "measure",
                "memories",
                "clients",
                "n",
                "p50",
                "p99",
                "a second",
                "CPU here + server",
                "errors",
            ],
            rows: self.rows.iter().filter_map(row).collect(),
        }
    }

    fn size_table(&self) -> Table {
        let row = |it: &TableSize| {
            let each = it.bytes as f64 / it.memories.max(1) as f64;
            let megabytes = format!("{:.1} MB", it.bytes as f64 / 1e6);
            vec![
                it.table.clone(),
                it.memories.to_string(),
                megabytes,
                format!("{each:.0}"),
            ]
        };
        Table {
            head: vec!["table", "memories", "size", "bytes per memory"],
            rows: self.sizes.iter().map(row).collect(),
        }
    }

    fn fault_table(&self) -> Table {
        let row = |it: &FaultRow| {
            let cells = [it.acknowledged, it.lost, it.doubled].map(|it| it.to_string());
            [it.what.to_owned()].into_iter().chain(cells).collect()
        };
        Table {
            head: vec!["fault", "writes acknowledged", "lost", "doubled"],
            rows: self.faults.iter().map(row).collect(),
        }
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = vec![format!(
            "Postgres {} on this machine, fsync on, shared_buffers 512 MB; without TLS. Owner and members are held to row-level security; the bare table is not.",
            self.server
        )];
        if self.machine.is_busy() {
            notes.push("BUSY: other programs wanted more than half of the cores when this run began. Times are too long.".into());
        }
        notes.extend(self.notes.iter().cloned());
        let errors = self.rows.iter().flat_map(|it| it.errors.iter().take(FEW));
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
        let row = |it: &PostgresRow| {
            let time = it
                .time
                .map(|Summary { n, p50, p99 }| json!({"n": n, "p50_us": p50, "p99_us": p99}));
            json!({"what": it.what, "memories": it.memories, "clients": it.clients, "time": time, "per_second": it.per_second, "cpu_us": it.cpu, "errors": it.errors.len()})
        };
        let size =
            |it: &TableSize| json!({"table": it.table, "memories": it.memories, "bytes": it.bytes});
        let fault = |it: &FaultRow| json!({"what": it.what, "acknowledged": it.acknowledged, "lost": it.lost, "doubled": it.doubled});
        let bar = |it: &Bar| json!({"what": it.what, "bar": it.bar, "figure": it.figure, "holds": it.holds});
        json!({
            "machine": machine.collect::<Map<_, _>>(),
            "server": self.server,
            "rows": self.rows.iter().map(row).collect::<Vec<_>>(),
            "sizes": self.sizes.iter().map(size).collect::<Vec<_>>(),
            "faults": self.faults.iter().map(fault).collect::<Vec<_>>(),
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn every_table_has_its_rows() {
        let mut page = PostgresPage::new(Machine(vec![("CPU", "fast".into())]));
        let database = BenchDatabase {
            name: "d0".into(),
            memories: 10_000,
        };
        let mut load = ClientLoad::default();
        load.sample.push(Duration::from_millis(3));
        load.cpu = [1_000.0, 2_000.0];
        page.add(PostgresRow::of(RECALL, &database, 1, &load.sample));
        page.add(PostgresRow::of_clients(RECALL, &database, 64, &load));
        page.faults.push(FaultRow {
            what: "kill -9",
            acknowledged: 7,
            lost: 1,
            doubled: 0,
        });
        for markdown in [false, true] {
            let text = page.text(markdown);
            for part in [
                "fast",
                "10k",
                "1.00 ms + 2.00 ms",
                "kill -9",
                "FAIL",
                "not measured",
            ] {
                assert!(text.contains(part), "{part} in {text}");
            }
        }
        assert!(page.find_rush(RECALL, 10_000, 1).is_none());
        assert_eq!(page.find(RECALL, 10_000, 64).map(|it| it.n), Some(1));
    }
}
