//! The table of the suite: each bar for either half of the tasks, and for both.

use std::time::Duration;

use apostille_text::tokens::estimate_tokens;
use serde_json::json;

use super::{
    data_set::{DecisionTask, TaskHalf, TaskSource},
    score::AnswerScore,
};
use crate::{
    stats::percentile,
    table::{self, Table},
};

/// A task that was asked about.
pub(super) struct AskedTask<'t> {
    /// The task.
    pub(super) task: &'t DecisionTask,
    /// What the first prompt was answered.
    pub(super) shown: String,
    /// What was said before the edit of the module.
    pub(super) before_edit: Option<String>,
    /// How long the prompt's hook took.
    pub(super) took: Duration,
    /// What the answers are worth.
    pub(super) score: AnswerScore,
}

impl AskedTask<'_> {
    fn n_tokens(&self) -> usize {
        estimate_tokens(&self.shown)
    }

    /// The question with everything that was shown, for inspection.
    pub(super) fn line(&self) -> serde_json::Value {
        let half = match self.task.half() {
            TaskHalf::Even => "even",
            TaskHalf::Odd => "odd",
        };
        json!({
            "task": self.task.name, "half": half, "prompt": self.task.bug_report, "shown": self.shown,
            "before_edit": self.before_edit, "tokens": self.n_tokens(), "found": self.score.is_found,
            "words": self.score.has_words, "all_words": self.score.has_all_words, "policy": self.task.policy,
            "ms": self.took.as_secs_f64() * 1e3,
        })
    }
}

/// What unrelated prompts were answered in one checkout.
#[derive(Debug, Clone, Default)]
pub(super) struct UnrelatedTally {
    /// What the checkout has.
    place: &'static str,
    n_past: usize,
    n_answered: usize,
    tokens: Vec<usize>,
}

impl UnrelatedTally {
    /// Nothing asked yet.
    pub(super) fn new(place: &'static str) -> Self {
        Self {
            place,
            ..Self::default()
        }
    }

    /// Adds what a prompt was answered, and whether that has words of a chat or a commit.
    pub(super) fn add_answer(&mut self, shown: &str, is_past: bool) {
        self.n_past += usize::from(is_past);
        self.n_answered += usize::from(!shown.is_empty());
        self.tokens.push(estimate_tokens(shown));
    }
}

/// A row of the table: what it is about, which tasks, and when the bar holds for one.
struct DecisionBar {
    what: &'static str,
    source: TaskSource,
    holds: fn(&AnswerScore) -> bool,
    bar: &'static str,
}

const BARS: [DecisionBar; 9] = [
    DecisionBar {
        what: "conversation: the deciding chat is shown",
        source: TaskSource::Chat,
        holds: |it| it.is_found,
        bar: "≥ 25 of 27",
    },
    DecisionBar {
        what: "… with words that carry the decision",
        source: TaskSource::Chat,
        holds: |it| it.has_words,
        bar: "≥ 20 of 27",
    },
    DecisionBar {
        what: "… with all of them",
        source: TaskSource::Chat,
        holds: |it| it.has_all_words,
        bar: "",
    },
    DecisionBar {
        what: "amended: the later chat, not after the older",
        source: TaskSource::AmendedChat,
        holds: |it| it.is_found,
        bar: "≥ 5 of 6",
    },
    DecisionBar {
        what: "… with words that carry the decision",
        source: TaskSource::AmendedChat,
        holds: |it| it.is_found && it.has_words,
        bar: "",
    },
    DecisionBar {
        what: "… with all of them",
        source: TaskSource::AmendedChat,
        holds: |it| it.is_found && it.has_all_words,
        bar: "",
    },
    DecisionBar {
        what: "history: the deciding commit is shown",
        source: TaskSource::Commit,
        holds: |it| it.is_found,
        bar: "≥ 24 of 28",
    },
    DecisionBar {
        what: "… before the edit, in a session without the bug report",
        source: TaskSource::Commit,
        holds: |it| it.by_code,
        bar: "",
    },
    DecisionBar {
        what: "… another one before it",
        source: TaskSource::Commit,
        holds: |it| !it.by_code && !it.is_silent,
        bar: "",
    },
];

/// The table of bars; rows of what was not asked are left out.
pub(super) fn build_bar_table(asked: &[AskedTask], unrelated: &[UnrelatedTally]) -> Table {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for bar in &BARS {
        let of: Vec<&AskedTask> = asked
            .iter()
            .filter(|it| it.task.source == bar.source)
            .collect();
        if !of.is_empty() {
            let count = |of: &[&AskedTask]| {
                let n_held = of.iter().filter(|it| (bar.holds)(&it.score)).count();
                format!("{n_held} of {}", of.len())
            };
            rows.push(build_row(bar.what, &of, count, bar.bar));
        }
    }
    let all: Vec<&AskedTask> = asked.iter().collect();
    let median = |of: &[&AskedTask]| show_tokens(of.iter().map(|it| it.n_tokens()), 50);
    let most = |of: &[&AskedTask]| show_tokens(of.iter().map(|it| it.n_tokens()), 100);
    rows.push(build_row(
        "tokens shown a prompt, median",
        &all,
        median,
        "≤ 350",
    ));
    rows.push(build_row(
        "tokens shown a prompt, most",
        &all,
        most,
        "≤ 600",
    ));
    rows.extend(unrelated.iter().flat_map(build_unrelated_rows));
    Table {
        head: vec!["", "even", "odd", "together", "bar"],
        rows,
    }
}

fn build_row(
    what: &str,
    of: &[&AskedTask],
    say: impl Fn(&[&AskedTask]) -> String,
    bar: &str,
) -> Vec<String> {
    let half = |half: TaskHalf| {
        let of: Vec<&AskedTask> = of
            .iter()
            .copied()
            .filter(|it| it.task.half() == half)
            .collect();
        match of.is_empty() {
            true => "–".to_owned(),
            false => say(&of),
        }
    };
    let halves = [half(TaskHalf::Even), half(TaskHalf::Odd)];
    let ends = [say(of), bar.to_owned()];
    let cells = halves.into_iter().chain(ends);
    std::iter::once(what.to_owned()).chain(cells).collect()
}

fn build_unrelated_rows(tally: &UnrelatedTally) -> Vec<Vec<String>> {
    let share = |n: usize| {
        let percent = 100.0 * n as f64 / tally.tokens.len().max(1) as f64;
        format!("{n} of {} ({percent:.1} %)", tally.tokens.len())
    };
    let row = |what: String, figure: String, bar: &str| {
        let none = || "–".to_owned();
        vec![what, none(), none(), figure, bar.to_owned()]
    };
    let tokens = show_tokens(tally.tokens.iter().copied(), 100);
    let place = tally.place;
    vec![
        row(
            format!("unrelated {place}: answered from the past"),
            share(tally.n_past),
            "≤ 3 %",
        ),
        row("… with anything".to_owned(), share(tally.n_answered), ""),
        row("… tokens, most".to_owned(), tokens, ""),
    ]
}

fn show_tokens(tokens: impl Iterator<Item = usize>, percent: usize) -> String {
    let mut sorted: Vec<f64> = tokens.map(|it| it as f64).collect();
    sorted.sort_by(f64::total_cmp);
    percentile(&sorted, percent).map_or("–".to_owned(), |it| format!("{it:.0}"))
}

/// How long the program ran as a hook.
pub(super) struct HookTimes {
    /// At which moment.
    pub(super) moment: &'static str,
    /// Each time.
    pub(super) took: Vec<Duration>,
}

/// The table of times.
pub(super) fn build_time_table(times: &[HookTimes]) -> Table {
    let row = |it: &HookTimes| {
        let mut sorted: Vec<f64> = it.took.iter().map(|it| it.as_secs_f64() * 1e6).collect();
        sorted.sort_by(f64::total_cmp);
        let at = |percent| percentile(&sorted, percent).map_or("–".to_owned(), table::time);
        vec![
            it.moment.to_owned(),
            sorted.len().to_string(),
            at(50),
            at(95),
        ]
    };
    Table {
        head: vec!["hook", "n", "p50", "p95"],
        rows: times.iter().map(row).collect(),
    }
}

/// What is on the disk after so many sessions.
pub(super) struct DiskUse {
    /// How many sessions were lived through.
    pub(super) n_sessions: usize,
    /// How many bytes of data there are.
    pub(super) data: u64,
    /// How many of caches.
    pub(super) cache: u64,
}

/// The table of what is on the disk.
pub(super) fn build_disk_table(uses: &[DiskUse]) -> Table {
    let row = |it: &DiskUse| {
        let each = it.data as f64 / it.n_sessions.max(1) as f64;
        let kilobytes = |it: u64| format!("{:.0} kB", it as f64 / 1e3);
        vec![
            it.n_sessions.to_string(),
            kilobytes(it.data),
            format!("{:.1} kB", each / 1e3),
            kilobytes(it.cache),
        ]
    };
    Table {
        head: vec!["sessions", "data", "a session", "cache"],
        rows: uses.iter().map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(name: &str, source: &str) -> DecisionTask {
        let json = json!({
            "task_id": name, "codebase": name, "source": source, "module": "x.py", "policy": "7",
            "bug_report": "It fails.",
        });
        serde_json::from_value(json).unwrap()
    }

    #[test]
    fn halves_and_both_are_counted() {
        let tasks = ["a", "b", "c", "d", "e"].map(|it| task(it, "history"));
        let score = |is_found| AnswerScore {
            is_found,
            ..AnswerScore::default()
        };
        let asked: Vec<AskedTask> = tasks
            .iter()
            .map(|task| AskedTask {
                task,
                shown: "one two three".into(),
                before_edit: None,
                took: Duration::ZERO,
                score: score(task.half() == TaskHalf::Odd),
            })
            .collect();
        let n_odd = tasks.iter().filter(|it| it.half() == TaskHalf::Odd).count();
        let n_even = tasks.len() - n_odd;
        assert!(n_odd > 0 && n_even > 0);
        let mut tally = UnrelatedTally::new("in x");
        for (shown, is_past) in [
            ("7c556c3 fix: units", true),
            ("a reminder", false),
            ("", false),
        ] {
            tally.add_answer(shown, is_past);
        }
        let table = build_bar_table(&asked, &[tally]);
        let cells = [
            format!("0 of {n_even}"),
            format!("{n_odd} of {n_odd}"),
            format!("{n_odd} of 5"),
        ];
        assert_eq!(table.rows[0][1..4], cells);
        assert_eq!(
            table.rows[3][3],
            estimate_tokens("one two three").to_string()
        );
        assert_eq!(table.rows[5][3], "1 of 3 (33.3 %)");
        assert_eq!(table.rows.len(), 8);
    }
}
