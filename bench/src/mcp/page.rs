//! Everything that a run found out, as text and as JSON.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::{
    bars,
    crowd::Worked,
    tables,
    tool::{Came, Tool},
};
use crate::{
    machine::Machine,
    stats::{Sample, Summary},
    table,
};

/// How many errors are told.
const FEW: usize = 5;

/// One tool on one size of the store, called each way.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Calls {
    /// The tool.
    pub(crate) tool: Tool,
    /// How many memories the repository has.
    pub(crate) store: usize,
    /// The echo of the same arguments.
    pub(crate) echo: Sample,
    /// The server.
    pub(crate) server: Sample,
    /// The same in this process.
    pub(crate) library: Sample,
    /// How many memories were found, by the server, in all.
    pub(crate) found: usize,
    /// How many facts wait for a person.
    pub(crate) pending: usize,
    /// How many calls were no measure of a write, because the fact was taken for something known.
    pub(crate) known: usize,
}

impl Calls {
    /// No calls yet.
    pub(crate) fn new(tool: Tool, store: usize) -> Self {
        let (echo, server, library) = Default::default();
        Self {
            tool,
            store,
            echo,
            server,
            library,
            found: 0,
            pending: 0,
            known: 0,
        }
    }

    /// Adds one turn: the echo, the server, the library, with what each came to.
    pub(crate) fn add(&mut self, [echo, server, library]: [(Duration, Came); 3]) {
        if server.1 == Came::Known || library.1 == Came::Known {
            self.known += 1;
            return;
        }
        match server.1 {
            Came::Found(n) => self.found += n,
            Came::Kept { is_pending } => self.pending += usize::from(is_pending),
            Came::Known => {}
        }
        self.echo.push(echo.0);
        self.server.push(server.0);
        self.library.push(library.0);
    }

    /// What the server takes beyond the work itself at p50, in microseconds.
    pub(crate) fn overhead(&self) -> Option<f64> {
        Some(self.server.summary()?.p50 - self.library.summary()?.p50)
    }

    /// What is to be known about the figures.
    fn note(&self) -> Option<String> {
        let n = self.server.summary()?.n;
        let name = format!(
            "{} on {} memories",
            self.tool.name(),
            table::count(self.store)
        );
        let mean = self.found as f64 / n as f64;
        let found = (self.found > 0).then(|| format!("{mean:.1} memories found in the mean"));
        let pending =
            (self.pending > 0).then(|| format!("{} of {n} facts wait for a person", self.pending));
        let known = (self.known > 0).then(|| {
            format!(
                "{} calls left out, their facts were taken for something known",
                self.known
            )
        });
        let parts: Vec<String> = [found, pending, known].into_iter().flatten().collect();
        (!parts.is_empty()).then(|| format!("{name}: {}", parts.join("; ")))
    }
}

/// Several servers at once.
#[derive(Debug)]
pub(crate) struct Crowd {
    /// How many memories the repository had before.
    pub(crate) store: usize,
    /// What each server did.
    pub(crate) works: Vec<Worked>,
    /// How long it took.
    pub(crate) time: Duration,
    /// How many memories the store has too few, or too many, for what was answered.
    pub(crate) lost: u64,
}

impl Crowd {
    /// All calls per second.
    pub(crate) fn rate(&self) -> f64 {
        let n_calls: usize = self.works.iter().map(|it| it.times.len()).sum();
        n_calls as f64 / self.time.as_secs_f64()
    }

    /// What went wrong.
    pub(crate) fn errors(&self) -> Vec<&String> {
        self.works.iter().flat_map(|it| &it.errors).collect()
    }

    /// The times of all calls, of each tool, and of each server.
    pub(crate) fn samples(&self) -> Vec<(String, Sample)> {
        let of = |is_meant: &dyn Fn(usize, Tool) -> bool| {
            let mut sample = Sample::default();
            for (at, work) in self.works.iter().enumerate() {
                let meant = work.times.iter().filter(|it| is_meant(at, it.0));
                meant.for_each(|it| sample.push(it.1));
            }
            sample
        };
        let tool = |tool: Tool| (tool.name().to_owned(), of(&|_, it| it == tool));
        let server = |at: usize| {
            (
                format!("server {}, all tools", at + 1),
                of(&|it, _| it == at),
            )
        };
        let all = ("all calls".to_owned(), of(&|_, _| true));
        let (tools, servers) = (
            Tool::ALL.into_iter().map(tool),
            (0..self.works.len()).map(server),
        );
        std::iter::once(all).chain(tools).chain(servers).collect()
    }

    fn notes(&self) -> Vec<String> {
        let known: usize = self.works.iter().map(|it| it.known).sum();
        let mut notes = vec![format!(
            "{} servers on one store of {} memories, every other one a notebook, each with its two tools in turns: {:.0} calls a second in all; {known} \
             facts were taken for something known",
            self.works.len(),
            table::count(self.store),
            self.rate()
        )];
        notes.extend(
            self.errors()
                .into_iter()
                .take(FEW)
                .map(|it| format!("ERROR: {it}")),
        );
        notes
    }
}

/// What a run found out.
pub(crate) struct Page {
    machine: Machine,
    /// The calls.
    pub(crate) calls: Vec<Calls>,
    /// The starts.
    pub(crate) starts: Vec<(&'static str, Sample)>,
    /// The servers at once.
    pub(crate) crowd: Option<Crowd>,
    /// What was not measured, and why.
    pub(crate) left_out: Vec<String>,
    /// How long the run took, in seconds.
    pub(crate) seconds: f64,
}

impl Page {
    /// Nothing found out yet.
    pub(crate) fn new(machine: Machine) -> Self {
        let (calls, starts, crowd, left_out) = Default::default();
        Self {
            machine,
            calls,
            starts,
            crowd,
            left_out,
            seconds: 0.0,
        }
    }

    /// The tables.
    pub(crate) fn text(&self, markdown: bool) -> String {
        let mut out = table::machine(&self.machine, markdown);
        let tables = [
            ("Calls, p50 / p99", tables::calls(&self.calls)),
            ("Starts", tables::starts(&self.starts)),
            ("Eight servers at once", tables::crowd(self.crowd.as_ref())),
            ("Bars", tables::bars(&bars::of(self))),
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

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.machine.is_busy() {
            notes.push(
                "BUSY: other programs wanted more than half of the cores when this run began. Times are too long, and PASS \
                 or FAIL may be an accident; run again when it is idle."
                    .into(),
            );
        }
        notes.extend(self.calls.iter().filter_map(Calls::note));
        notes.extend(self.crowd.iter().flat_map(Crowd::notes));
        notes
    }

    /// The figures, times in microseconds.
    pub(crate) fn json(&self) -> Value {
        let machine = self
            .machine
            .0
            .iter()
            .map(|(name, value)| ((*name).to_owned(), json!(value)));
        let bar = |it: &crate::bars::Bar| json!({"what": it.what, "bar": it.bar, "figure": it.figure, "holds": it.holds});
        let start = |(what, sample): &(&str, Sample)| json!({"what": what, "time": times(sample)});
        json!({
            "machine": machine.collect::<Map<_, _>>(),
            "calls": self.calls.iter().map(calls).collect::<Vec<_>>(),
            "starts": self.starts.iter().map(start).collect::<Vec<_>>(),
            "at_once": self.crowd.as_ref().map(crowd),
            "bars": bars::of(self).iter().map(bar).collect::<Vec<_>>(),
            "notes": self.notes(),
            "left_out": self.left_out,
            "seconds": self.seconds,
        })
    }
}

fn times(sample: &Sample) -> Option<Value> {
    let Summary { n, p50, p99 } = sample.summary()?;
    Some(json!({"n": n, "p50_us": p50, "p99_us": p99}))
}

fn calls(it: &Calls) -> Value {
    json!({
        "tool": it.tool.name(),
        "store": it.store,
        "echo": times(&it.echo),
        "library": times(&it.library),
        "server": times(&it.server),
        "overhead_p50_us": it.overhead(),
    })
}

fn crowd(it: &Crowd) -> Value {
    let samples = it.samples();
    let time = |(what, sample): &(String, Sample)| json!({"what": what, "time": times(sample)});
    json!({
        "servers": it.works.len(),
        "store": it.store,
        "calls_per_second": it.rate(),
        "errors": it.errors(),
        "lost": it.lost,
        "times": samples.iter().map(time).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEPT: Came = Came::Kept { is_pending: false };

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    fn filled() -> Page {
        let mut page = Page::new(Machine(vec![("CPU", "fast".into())]));
        let mut store = Calls::new(Tool::Store, 1_000);
        store.add([(ms(1), KEPT), (ms(5), KEPT), (ms(3), KEPT)]);
        store.add([(ms(1), Came::Known), (ms(90), Came::Known), (ms(90), KEPT)]);
        let worked = |error: &str| Worked {
            times: vec![(Tool::Recall, ms(2))],
            errors: vec![error.into()],
            ..Worked::default()
        };
        page.calls.push(store);
        page.crowd = Some(Crowd {
            store: 1_000,
            works: vec![worked("e1"), worked("e2")],
            time: ms(500),
            lost: 0,
        });
        page.left_out.push("the rest".into());
        page
    }

    #[test]
    fn overhead_is_what_the_server_takes_beyond_the_work() {
        let page = filled();
        assert_eq!(page.calls[0].overhead().map(f64::round), Some(2_000.0));
        assert_eq!(
            (
                page.calls[0].server.summary().unwrap().n,
                page.calls[0].known
            ),
            (1, 1)
        );
        assert_eq!(Calls::new(Tool::Recall, 1).overhead(), None);
    }

    #[test]
    fn both_forms_hold_every_figure() {
        for markdown in [false, true] {
            let text = filled().text(markdown);
            for part in [
                "fast",
                "memory_store",
                "5.00 ms",
                "server 2",
                "4 calls a second",
                "ERROR: e2",
                "the rest",
            ] {
                assert!(text.contains(part), "{part} in {text}");
            }
        }
        let json = filled().json();
        assert_eq!(json["at_once"]["errors"], json!(["e1", "e2"]));
        assert_eq!(json["calls"][0]["server"]["n"], 1);
    }
}
