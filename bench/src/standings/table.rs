//! The tables of the suite `facts`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use apostille_cite::{follow::JudgedClaim, standing::Showing};

use super::case::{FactCase, Truth};

/// A case with how it stands.
pub(crate) struct FactOutcome<'c> {
    /// The case.
    pub(crate) case: &'c FactCase,
    /// What was found.
    pub(crate) judged: JudgedClaim,
}

impl FactOutcome<'_> {
    fn showing(&self) -> Showing {
        self.judged.judgement.standing.showing()
    }

    /// The group in the table: what is true is told apart by whether its lines were edited.
    fn group(&self) -> &'static str {
        match self.case.truth {
            Truth::True if self.case.touched => "true, edited",
            Truth::True => "true, untouched",
            Truth::False => "false",
            Truth::Gone => "gone",
        }
    }
}

/// How many of a group are shown in each way.
#[derive(Debug, Clone, Copy, Default)]
struct ShownCounts {
    plain: usize,
    marked: usize,
    withheld: usize,
}

impl ShownCounts {
    fn count(&mut self, showing: Showing) {
        match showing {
            Showing::Plain => self.plain += 1,
            Showing::Marked => self.marked += 1,
            Showing::Withheld => self.withheld += 1,
        }
    }

    fn total(self) -> usize {
        self.plain + self.marked + self.withheld
    }
}

/// A bar: in a set and width, so much of the true and edited withheld at most, so much plain at least, and so many false
/// shown plainly and gone not withheld at most.
struct FactBar {
    set: &'static str,
    width: &'static str,
    withheld: f64,
    plain: f64,
    false_plain: usize,
    gone_shown: usize,
}

const BARS: [FactBar; 3] = [
    FactBar {
        set: "S1",
        width: "15",
        withheld: 1.0,
        plain: 65.0,
        false_plain: 1,
        gone_shown: 1,
    },
    FactBar {
        set: "S1",
        width: "fn",
        withheld: 1.0,
        plain: 50.0,
        false_plain: 1,
        gone_shown: 1,
    },
    FactBar {
        set: "S2",
        width: "item",
        withheld: 3.0,
        plain: 12.0,
        false_plain: 1,
        gone_shown: 2,
    },
];

type Groups<'o> = BTreeMap<(&'o str, &'o str, &'static str), ShownCounts>;

/// Everything that is printed.
pub(crate) fn text(outcomes: &[FactOutcome<'_>], markdown: bool) -> String {
    let mut out = String::new();
    let groups = counted(outcomes.iter());
    push_row(
        &mut out,
        markdown,
        &["set", "width", "truth", "n", "plain", "marked", "withheld"],
    );
    if markdown {
        out.push_str("|---|---|---|---:|---:|---:|---:|\n");
    }
    for ((set, width, truth), counts) in &groups {
        push_counts(&mut out, markdown, &[set, width, truth], *counts);
    }
    out.push_str("\nbars (all repositories)\n");
    push_bars(&mut out, &groups, "");
    out.push_str("\none repository at a time\n");
    let mut repos: Vec<&str> = outcomes.iter().map(|it| it.case.repo.as_str()).collect();
    repos.sort_unstable();
    repos.dedup();
    for repo in repos {
        let groups = counted(outcomes.iter().filter(|it| it.case.repo == repo));
        push_bars(&mut out, &groups, repo);
    }
    out
}

fn counted<'o>(outcomes: impl Iterator<Item = &'o FactOutcome<'o>>) -> Groups<'o> {
    let mut groups = Groups::new();
    for it in outcomes {
        let key = (it.case.set.as_str(), it.case.width.as_str(), it.group());
        groups.entry(key).or_default().count(it.showing());
    }
    groups
}

fn push_row(out: &mut String, markdown: bool, cells: &[&str]) {
    if markdown {
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    } else {
        let widths = [4, 6, 16, 6, 7, 7, 9];
        for (cell, width) in cells.iter().zip(widths) {
            let _ = write!(out, "{cell:<width$}");
        }
        out.push('\n');
    }
}

fn push_counts(out: &mut String, markdown: bool, names: &[&str], counts: ShownCounts) {
    let n = counts.total();
    let share = |part: usize| format!("{:.1}", percent(part, n));
    let cells = [
        n.to_string(),
        share(counts.plain),
        share(counts.marked),
        share(counts.withheld),
    ];
    let cells: Vec<&str> = names
        .iter()
        .copied()
        .chain(cells.iter().map(String::as_str))
        .collect();
    push_row(out, markdown, &cells);
}

#[expect(clippy::cast_precision_loss, reason = "a few thousand cases")]
fn percent(part: usize, n: usize) -> f64 {
    if n == 0 {
        0.0
    } else {
        100.0 * part as f64 / n as f64
    }
}

fn push_bars(out: &mut String, groups: &Groups<'_>, repo: &str) {
    for bar in &BARS {
        let counts = |truth| {
            groups
                .get(&(bar.set, bar.width, truth))
                .copied()
                .unwrap_or_default()
        };
        let (edited, wrong, gone) = (counts("true, edited"), counts("false"), counts("gone"));
        let withheld = percent(edited.withheld, edited.total());
        let plain = percent(edited.plain, edited.total());
        let gone_shown = gone.plain + gone.marked;
        let is_reached = withheld <= bar.withheld
            && plain >= bar.plain
            && wrong.plain <= bar.false_plain
            && gone_shown <= bar.gone_shown;
        let word = match (repo.is_empty(), is_reached) {
            (false, _) => "",
            (true, true) => "reached",
            (true, false) => "MISSED",
        };
        let _ = writeln!(
            out,
            "{repo:20} {} {:5} true, edited: withheld {} of {} ({withheld:.1} %, bar {}), plain {plain:.1} % (bar {}); false: plain {} of \
             {} (bar {}); gone: not withheld {} of {} (bar {}) {word}",
            bar.set,
            bar.width,
            edited.withheld,
            edited.total(),
            bar.withheld,
            bar.plain,
            wrong.plain,
            wrong.total(),
            bar.false_plain,
            gone_shown,
            gone.total(),
            bar.gone_shown,
        );
    }
}
