//! The figures of a run, before they are written anywhere.

use serde_json::{Value, json};

use crate::{
    machine::Machine,
    stats::{Sample, Summary},
};

/// Appending a line of 300 bytes and waiting for the disk.
pub(crate) const FSYNC: &str = "fsync append, 300 bytes";
/// One row and its FTS5 row, durably.
pub(crate) const INSERT: &str = "bare SQLite + FTS5 insert";
/// Ten texts by FTS5's rank.
pub(crate) const QUERY: &str = "bare FTS5 query";
/// The same without stopwords.
pub(crate) const QUERY_CONTENT: &str = "bare FTS5 query, no stopwords";
/// The whole write path.
pub(crate) const REMEMBER: &str = "remember";
/// The whole read path.
pub(crate) const RECALL: &str = "recall, top 10";
/// The same on the smallest store, measured in turns with the larger one.
pub(crate) const RECALL_BESIDE: &str = "recall, 1k store in turns";
/// The whole read path for a question with a misspelt word.
pub(crate) const MISSPELT: &str = "recall, a word misspelt";
/// Starting the program to recall once.
pub(crate) const COLD: &str = "cold recall, whole process";
/// Starting the program as a client's hook, for the first prompt of a session.
pub(crate) const HOOK: &str = "hook on a prompt, whole process";
/// Starting the program to recall once, in turns with the hook.
pub(crate) const COLD_BESIDE: &str = "cold recall, in turns with the hook";
/// The same for a prompt of three questions.
pub(crate) const HOOK_LONG: &str = "the same, a prompt of three questions";
/// The hook before an edit of a file that 50 memories cite: it is noted, and what cites it is shown.
pub(crate) const BEFORE_EDIT: &str = "hook before an edit, 50 memories on the file";
/// The hook after an edit: it is noted.
pub(crate) const NOTE_EDIT: &str = "hook after an edit: noted";
/// The hook of the next tool: the 50 memories are judged, and those told that got worse.
pub(crate) const JUDGE_EDIT: &str = "hook of the next tool: 50 memories judged";
/// The same where nothing is known of the commit yet.
pub(crate) const JUDGE_EDIT_FIRST: &str = "the same, no verdict kept from before";
/// The hook of a tool when nothing is due.
pub(crate) const NOTHING_DUE: &str = "hook of a tool, nothing due";
/// Starting a program that does nothing.
pub(crate) const TRUE: &str = "cold /bin/true";

/// How much longer one fsync may take than another before a run is called unsteady.
const UNSTEADY: f64 = 2.0;

/// One measure.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    /// What was measured.
    pub(crate) what: &'static str,
    /// Memories in the file.
    pub(crate) store: usize,
    /// Memories in the space that was written or asked.
    pub(crate) space: usize,
    /// How long it took.
    pub(crate) time: Summary,
}

/// How large a file is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Size {
    /// Which file.
    pub(crate) what: &'static str,
    /// Memories in it.
    pub(crate) memories: usize,
    /// Its bytes.
    pub(crate) bytes: u64,
}

impl Size {
    /// Bytes for each memory.
    #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
    pub(crate) fn each(&self) -> f64 {
        self.bytes as f64 / self.memories.max(1) as f64
    }
}

/// What is known of the program itself.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Program {
    /// The most memory it had while it recalled, in bytes.
    pub(crate) rss: Option<u64>,
    /// The size of the binary, in bytes.
    pub(crate) size: Option<u64>,
    /// How many packages the lock file names.
    pub(crate) packages: Option<usize>,
}

/// Everything that a run found out.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Report {
    /// The machine.
    pub(crate) machine: Machine,
    /// The measures.
    pub(crate) rows: Vec<Row>,
    /// The files.
    pub(crate) sizes: Vec<Size>,
    /// The program.
    pub(crate) program: Program,
    /// How it was done.
    pub(crate) notes: Vec<String>,
    /// What was not measured, and why.
    pub(crate) left_out: Vec<String>,
    /// How long the run took, in seconds.
    pub(crate) seconds: f64,
}

impl Report {
    /// An empty report of this machine.
    pub(crate) fn new(machine: Machine) -> Self {
        let (rows, sizes, notes, left_out) = Default::default();
        Self {
            machine,
            rows,
            sizes,
            program: Program::default(),
            notes,
            left_out,
            seconds: 0.0,
        }
    }

    /// Adds a measure, unless it has no values.
    pub(crate) fn add(&mut self, what: &'static str, store: usize, space: usize, sample: &Sample) {
        self.rows.extend(sample.summary().map(|time| Row {
            what,
            store,
            space,
            time,
        }));
    }

    /// A measure by name and sizes.
    pub(crate) fn find(&self, what: &str, store: usize, space: usize) -> Option<&Summary> {
        let fits = |it: &&Row| it.what == what && it.store == store && it.space == space;
        self.rows.iter().find(fits).map(|it| &it.time)
    }

    /// Says so when the disk did not answer evenly: a slow one hides what a write costs beside it, and flatters every
    /// ratio of durable writes.
    pub(crate) fn note_unsteady_disk(&mut self) {
        let waits = || {
            self.rows
                .iter()
                .filter(|it| it.what == FSYNC)
                .map(|it| it.time.p50)
        };
        let (least, most) = (
            waits().fold(f64::INFINITY, f64::min),
            waits().fold(0.0, f64::max),
        );
        if most > UNSTEADY * least {
            let (least, most) = (crate::table::time(least), crate::table::time(most));
            self.notes.push(format!(
                "UNSTEADY: a bare fsync took from {least} to {most} (p50) in this run, so the machine was busy with \
                 something else. The ratios of remember are not to be trusted; run again when it is idle."
            ));
        }
    }

    /// Says so when the machine was busy from the start: then an fsync may wait for a core rather than for the disk.
    pub(crate) fn note_busy_machine(&mut self) {
        if self.machine.is_busy() {
            let note = "BUSY: other programs wanted more than half of the cores when this run began. Absolute times \
                        are too long, and PASS or FAIL of remember may be an accident; run again when it is idle.";
            self.notes.push(note.into());
        }
    }

    /// The figures as JSON, times in microseconds.
    pub(crate) fn json(&self) -> Value {
        let machine = self
            .machine
            .0
            .iter()
            .map(|(name, value)| ((*name).to_owned(), json!(value)));
        let row = |it: &Row| {
            let Summary { n, p50, p99 } = it.time;
            json!({"what": it.what, "store": it.store, "space": it.space, "n": n, "p50_us": p50, "p99_us": p99})
        };
        let size = |it: &Size| json!({"what": it.what, "memories": it.memories, "bytes": it.bytes, "bytes_each": it.each()});
        let bar = |it: &crate::bars::Bar| json!({"what": it.what, "bar": it.bar, "figure": it.figure, "holds": it.holds});
        json!({
            "machine": machine.collect::<serde_json::Map<_, _>>(),
            "measures": self.rows.iter().map(row).collect::<Vec<_>>(),
            "files": self.sizes.iter().map(size).collect::<Vec<_>>(),
            "bars": crate::bars::of(self).iter().map(bar).collect::<Vec<_>>(),
            "notes": self.notes,
            "left_out": self.left_out,
            "seconds": self.seconds,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unsteady_disk_is_noted() {
        let check = |times: &[f64], expected: usize| {
            let mut report = Report::new(Machine(Vec::new()));
            let row = |p50: &f64| Row {
                what: FSYNC,
                store: 1,
                space: 1,
                time: Summary {
                    n: 1,
                    p50: *p50,
                    p99: *p50,
                },
            };
            report.rows = times.iter().map(row).collect();
            report.note_unsteady_disk();
            assert_eq!(report.notes.len(), expected, "{times:?}");
        };
        check(&[], 0);
        check(&[250.0, 300.0], 0);
        check(&[250.0, 3_900.0], 1);
    }
}
