//! What was found, as people read it: what holds in a line, what does not in full, the sum last.

use std::collections::BTreeMap;

use anstyle::Style;
use apostille_cite::verdict::Verdict;
use apostille_core::verify::{Deed, Verified};

use crate::paint::{
    BOLD, CYAN, DIM, GREEN, Paint, RED, Table, YELLOW, ink, memory, one_line, standing,
};

/// Up to how many lines something is listed that needs no attention.
const FEW: usize = 20;

/// How a memory is shown and counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Shelf {
    Holds,
    Moved,
    Harmless,
    Uncited,
    Unknown,
    Unmerged,
    Changed,
    Gone,
}

fn shelf(it: &Verified) -> Shelf {
    match it.standing() {
        _ if it.verdicts.is_empty() => Shelf::Uncited,
        "holds" => Shelf::Holds,
        "moved" => Shelf::Moved,
        _ if it.is_good() => Shelf::Harmless,
        _ if it.is_bad() && it.is_unmerged => Shelf::Unmerged,
        "changed" => Shelf::Changed,
        "gone" => Shelf::Gone,
        _ => Shelf::Unknown,
    }
}

/// The page.
pub struct Page<'a> {
    /// What was found.
    pub memories: &'a [Verified],
    /// Whether what holds is shown one by one, however many there are.
    pub is_verbose: bool,
    /// Why nothing was changed, where that is so.
    pub unsettled: Option<&'a str>,
}

impl Page<'_> {
    /// The page as text.
    pub fn text(&self, paint: &Paint) -> String {
        let parts = [
            self.good(paint),
            self.unknown(paint),
            self.unmerged(paint),
            self.entries(paint, |it| it >= Shelf::Changed),
            self.sum(paint),
        ];
        parts
            .into_iter()
            .filter(|it| !it.is_empty())
            .collect::<Vec<_>>()
            .join("\n")
    }

    fn on(&self, wanted: impl Fn(Shelf) -> bool) -> Vec<&Verified> {
        self.memories
            .iter()
            .filter(|it| wanted(shelf(it)))
            .collect()
    }

    /// What holds, a line each; where there are many, only what moved or changed a little.
    fn good(&self, paint: &Paint) -> String {
        let mut good = self.on(|it| it <= Shelf::Harmless);
        let is_folded = good.len() > FEW && !self.is_verbose;
        good.retain(|it| !is_folded || shelf(it) != Shelf::Holds);
        let n_more = if self.is_verbose {
            0
        } else {
            good.len().saturating_sub(FEW)
        };
        let mut table = Table::default();
        for it in &good[..good.len() - n_more] {
            table.row([
                ink(BOLD, it.memory.handle()),
                ink(colour(shelf(it)), it.standing()),
                line(it),
            ]);
        }
        let more =
            (n_more > 0).then(|| ink(DIM, format!("… and {n_more} more; --verbose lists them\n")));
        table.text(paint, 0) + &more.unwrap_or_default()
    }

    /// What could not be looked up, where that is much by the reason.
    fn unknown(&self, paint: &Paint) -> String {
        if self.on(|it| it == Shelf::Unknown).len() <= FEW || self.is_verbose {
            return self.entries(paint, |it| it == Shelf::Unknown);
        }
        let lines = unknown_by_reason(self.memories);
        let more =
            (lines.len() > FEW).then(|| ink(DIM, "… for other reasons; --verbose lists them\n"));
        lines
            .iter()
            .take(FEW)
            .map(|it| paint.wrapped(it, 0))
            .chain(more)
            .collect()
    }

    /// What another branch says. Nothing is shown against it: here it was never said.
    fn unmerged(&self, paint: &Paint) -> String {
        let mut table = Table::default();
        for it in self.on(|it| it == Shelf::Unmerged) {
            let place = it
                .memory
                .citations
                .first()
                .map(|it| one_line(&it.place().to_string()));
            let place = ink(DIM, place.unwrap_or_default());
            table.row([
                ink(BOLD, it.memory.handle()),
                place,
                one_line(&it.memory.fact),
            ]);
        }
        let (title, lines) = (
            ink(BOLD, "Recorded on a branch that is not merged here:"),
            table.text(paint, 0),
        );
        if lines.is_empty() {
            lines
        } else {
            format!("{title}\n{lines}")
        }
    }

    fn entries(&self, paint: &Paint, wanted: impl Fn(Shelf) -> bool) -> String {
        let entry = |it: &&Verified| memory::entry(paint, &it.memory, &it.verdicts) + &done(it);
        self.on(wanted)
            .iter()
            .map(entry)
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// The counts, the best first, and what to do about it.
    fn sum(&self, paint: &Paint) -> String {
        let (words, counts) = self.counted();
        words + "\n" + &self.next(paint, &counts)
    }

    /// The counts on one line.
    pub fn counts(&self) -> String {
        self.counted().0 + "\n"
    }

    fn counted(&self) -> (String, BTreeMap<Shelf, usize>) {
        let mut counts: BTreeMap<Shelf, usize> = BTreeMap::new();
        for it in self.memories {
            *counts.entry(shelf(it)).or_default() += 1;
        }
        let count = |word: Deed| {
            self.memories
                .iter()
                .filter(|it| it.deed == Some(word))
                .count()
        };
        let deeds = Deed::ALL
            .iter()
            .map(|it| (*it, count(*it)))
            .filter(|it| it.1 > 0);
        let words = counts
            .iter()
            .map(|(shelf, n)| ink(colour(*shelf), counted(*shelf, *n)));
        let words = words.chain(deeds.map(|(deed, n)| ink(BOLD, format!("{n} {deed}"))));
        let words = words.collect::<Vec<_>>().join(&ink(DIM, " · "));
        (words, counts)
    }

    fn next(&self, paint: &Paint, counts: &BTreeMap<Shelf, usize>) -> String {
        let mut out = String::new();
        let is_open = |it: &Verified| it.deed.is_none() && matches!(shelf(it), Shelf::Moved);
        if let Some(why) = self.unsettled.filter(|_| self.memories.iter().any(is_open)) {
            let text = format!("what moved was followed and not written down, because {why}");
            out += &ink(DIM, paint.wrapped(&text, 0));
        }
        if counts.keys().any(|it| *it >= Shelf::Changed) {
            out += &ink(
                DIM,
                "`apostille verify --fix` says what could take their place\n",
            );
        }
        out
    }
}

/// What could not be looked up, a line for each reason, the most frequent first.
pub fn unknown_by_reason(memories: &[Verified]) -> Vec<String> {
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for it in memories.iter().filter(|it| shelf(it) == Shelf::Unknown) {
        let why = it.verdicts.iter().find_map(|it| match it {
            Verdict::Unknown { why } => Some(one_line(why)),
            _ => None,
        });
        *reasons.entry(why.unwrap_or_default()).or_default() += 1;
    }
    let mut reasons: Vec<(String, usize)> = reasons.into_iter().collect();
    reasons.sort_by_key(|it| std::cmp::Reverse(it.1));
    reasons
        .into_iter()
        .map(|(why, n)| format!("{n} could not be looked up: {why}"))
        .collect()
}

/// The places, how they stand, and what was done.
fn line(it: &Verified) -> String {
    let places = it
        .memory
        .citations
        .iter()
        .zip(&it.verdicts)
        .map(|(c, v)| memory::judged(c, v));
    let deed = it.deed.map(|it| format!(" · {it}")).unwrap_or_default();
    places.collect::<Vec<_>>().join(", ") + &deed
}

fn done(it: &Verified) -> String {
    let handle = it.memory.handle();
    match it.deed {
        Some(deed) => format!(
            "      {}\n",
            ink(BOLD, format!("{deed}; `apostille show {handle}` has why"))
        ),
        None => String::new(),
    }
}

fn colour(shelf: Shelf) -> Style {
    match shelf {
        Shelf::Holds => GREEN,
        Shelf::Moved | Shelf::Harmless => CYAN,
        Shelf::Changed => YELLOW,
        Shelf::Gone => RED,
        Shelf::Uncited | Shelf::Unknown | Shelf::Unmerged => standing("unknown"),
    }
}

fn counted(shelf: Shelf, n: usize) -> String {
    match (shelf, n) {
        (Shelf::Holds, 1) => "1 holds".into(),
        (Shelf::Holds, _) => format!("{n} hold"),
        (Shelf::Moved, _) => format!("{n} moved"),
        (Shelf::Harmless, _) => format!("{n} changed harmlessly"),
        (Shelf::Uncited, _) => format!("{n} without citation"),
        (Shelf::Unknown, _) => format!("{n} could not be looked up"),
        (Shelf::Unmerged, _) => format!("{n} not merged here"),
        (Shelf::Changed, _) => format!("{n} changed"),
        (Shelf::Gone, _) => format!("{n} gone"),
    }
}
