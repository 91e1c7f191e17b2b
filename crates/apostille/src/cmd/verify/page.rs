//! What was found, as people read it: what holds in a line, what does not in full, the sum last.

use std::collections::BTreeMap;

use anstyle::Style;
use apostille_cite::verdict::Verdict;
use apostille_core::verify::{Deed, VerifiedMemory};

use apostille_terminal::paint::{
    BOLD, CYAN, DIM, GREEN, Paint, RED, TextTable, YELLOW, flatten_to_line, memory,
    pick_standing_style, style_text,
};

/// Up to how many lines something is listed that needs no attention.
const FEW: usize = 20;

/// How a memory is shown and counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum VerifyGroup {
    Holds,
    Moved,
    Harmless,
    Uncited,
    Unknown,
    Unmerged,
    Changed,
    Gone,
}

fn classify_verified(it: &VerifiedMemory) -> VerifyGroup {
    match it.standing() {
        _ if it.verdicts.is_empty() => VerifyGroup::Uncited,
        "holds" => VerifyGroup::Holds,
        "moved" => VerifyGroup::Moved,
        _ if it.is_good() => VerifyGroup::Harmless,
        _ if it.is_bad() && it.is_unmerged => VerifyGroup::Unmerged,
        "changed" => VerifyGroup::Changed,
        "gone" => VerifyGroup::Gone,
        _ => VerifyGroup::Unknown,
    }
}

/// The page.
pub struct VerifyPage<'a> {
    /// What was found.
    pub memories: &'a [VerifiedMemory],
    /// Whether what holds is shown one by one, however many there are.
    pub is_verbose: bool,
    /// Why nothing was changed, where that is so.
    pub unsettled: Option<&'a str>,
}

impl VerifyPage<'_> {
    /// The page as text.
    pub fn to_text(&self, paint: &Paint) -> String {
        let parts = [
            self.format_good(paint),
            self.format_unknown(paint),
            self.format_unmerged(paint),
            self.format_entries(paint, |it| it >= VerifyGroup::Changed),
            self.format_sum(paint),
        ];
        parts
            .into_iter()
            .filter(|it| !it.is_empty())
            .collect::<Vec<_>>()
            .join("\n")
    }

    fn memories_in(&self, wanted: impl Fn(VerifyGroup) -> bool) -> Vec<&VerifiedMemory> {
        self.memories
            .iter()
            .filter(|it| wanted(classify_verified(it)))
            .collect()
    }

    /// What holds, a line each; where there are many, only what moved or changed a little.
    fn format_good(&self, paint: &Paint) -> String {
        let mut good = self.memories_in(|it| it <= VerifyGroup::Harmless);
        let is_folded = good.len() > FEW && !self.is_verbose;
        good.retain(|it| !is_folded || classify_verified(it) != VerifyGroup::Holds);
        let n_more = if self.is_verbose {
            0
        } else {
            good.len().saturating_sub(FEW)
        };
        let mut table = TextTable::default();
        for it in &good[..good.len() - n_more] {
            table.add_row([
                style_text(BOLD, it.memory.handle()),
                style_text(choose_group_style(classify_verified(it)), it.standing()),
                format_verified_places(it),
            ]);
        }
        let more = (n_more > 0)
            .then(|| style_text(DIM, format!("… and {n_more} more; --verbose lists them\n")));
        table.to_text(paint, 0) + &more.unwrap_or_default()
    }

    /// What could not be looked up, where that is much by the reason.
    fn format_unknown(&self, paint: &Paint) -> String {
        if self.memories_in(|it| it == VerifyGroup::Unknown).len() <= FEW || self.is_verbose {
            return self.format_entries(paint, |it| it == VerifyGroup::Unknown);
        }
        let lines = list_unknown_reasons(self.memories);
        let more = (lines.len() > FEW)
            .then(|| style_text(DIM, "… for other reasons; --verbose lists them\n"));
        lines
            .iter()
            .take(FEW)
            .map(|it| paint.wrap_text(it, 0))
            .chain(more)
            .collect()
    }

    /// What another branch says. Nothing is shown against it: here it was never said.
    fn format_unmerged(&self, paint: &Paint) -> String {
        let mut table = TextTable::default();
        for it in self.memories_in(|it| it == VerifyGroup::Unmerged) {
            let place = it
                .memory
                .citations
                .first()
                .map(|it| flatten_to_line(&it.location().to_string()));
            let place = style_text(DIM, place.unwrap_or_default());
            table.add_row([
                style_text(BOLD, it.memory.handle()),
                place,
                flatten_to_line(&it.memory.fact),
            ]);
        }
        let (title, lines) = (
            style_text(BOLD, "Recorded on a branch that is not merged here:"),
            table.to_text(paint, 0),
        );
        if lines.is_empty() {
            lines
        } else {
            format!("{title}\n{lines}")
        }
    }

    fn format_entries(&self, paint: &Paint, wanted: impl Fn(VerifyGroup) -> bool) -> String {
        let entry = |it: &&VerifiedMemory| {
            memory::format_memory_entry(paint, &it.memory, &it.verdicts) + &format_verify_deed(it)
        };
        self.memories_in(wanted)
            .iter()
            .map(entry)
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// The counts, the best first, and what to do about it.
    fn format_sum(&self, paint: &Paint) -> String {
        let (words, counts) = self.count_groups();
        words + "\n" + &self.format_next_step(paint, &counts)
    }

    /// The counts on one line.
    pub fn format_counts(&self) -> String {
        self.count_groups().0 + "\n"
    }

    fn count_groups(&self) -> (String, BTreeMap<VerifyGroup, usize>) {
        let mut counts: BTreeMap<VerifyGroup, usize> = BTreeMap::new();
        for it in self.memories {
            *counts.entry(classify_verified(it)).or_default() += 1;
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
        let words = counts.iter().map(|(shelf, n)| {
            style_text(choose_group_style(*shelf), format_group_count(*shelf, *n))
        });
        let words = words.chain(deeds.map(|(deed, n)| style_text(BOLD, format!("{n} {deed}"))));
        let words = words.collect::<Vec<_>>().join(&style_text(DIM, " · "));
        (words, counts)
    }

    fn format_next_step(&self, paint: &Paint, counts: &BTreeMap<VerifyGroup, usize>) -> String {
        let mut out = String::new();
        let is_open = |it: &VerifiedMemory| {
            it.deed.is_none() && matches!(classify_verified(it), VerifyGroup::Moved)
        };
        if let Some(why) = self.unsettled.filter(|_| self.memories.iter().any(is_open)) {
            let text = format!("what moved was followed and not written down, because {why}");
            out += &style_text(DIM, paint.wrap_text(&text, 0));
        }
        if counts.keys().any(|it| *it >= VerifyGroup::Changed) {
            out += &style_text(
                DIM,
                "`apostille verify --fix` says what could take their place\n",
            );
        }
        out
    }
}

/// What could not be looked up, a line for each reason, the most frequent first.
pub fn list_unknown_reasons(memories: &[VerifiedMemory]) -> Vec<String> {
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for it in memories
        .iter()
        .filter(|it| classify_verified(it) == VerifyGroup::Unknown)
    {
        let why = it.verdicts.iter().find_map(|it| match it {
            Verdict::Unknown { why } => Some(flatten_to_line(why)),
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
fn format_verified_places(it: &VerifiedMemory) -> String {
    let places = it
        .memory
        .citations
        .iter()
        .zip(&it.verdicts)
        .map(|(c, v)| memory::format_judged_place(c, v));
    let deed = it.deed.map(|it| format!(" · {it}")).unwrap_or_default();
    places.collect::<Vec<_>>().join(", ") + &deed
}

fn format_verify_deed(it: &VerifiedMemory) -> String {
    let handle = it.memory.handle();
    match it.deed {
        Some(deed) => format!(
            "      {}\n",
            style_text(BOLD, format!("{deed}; `apostille show {handle}` has why"))
        ),
        None => String::new(),
    }
}

fn choose_group_style(shelf: VerifyGroup) -> Style {
    match shelf {
        VerifyGroup::Holds => GREEN,
        VerifyGroup::Moved | VerifyGroup::Harmless => CYAN,
        VerifyGroup::Changed => YELLOW,
        VerifyGroup::Gone => RED,
        VerifyGroup::Uncited | VerifyGroup::Unknown | VerifyGroup::Unmerged => {
            pick_standing_style("unknown")
        }
    }
}

fn format_group_count(shelf: VerifyGroup, n: usize) -> String {
    match (shelf, n) {
        (VerifyGroup::Holds, 1) => "1 holds".into(),
        (VerifyGroup::Holds, _) => format!("{n} hold"),
        (VerifyGroup::Moved, _) => format!("{n} moved"),
        (VerifyGroup::Harmless, _) => format!("{n} changed harmlessly"),
        (VerifyGroup::Uncited, _) => format!("{n} without citation"),
        (VerifyGroup::Unknown, _) => format!("{n} could not be looked up"),
        (VerifyGroup::Unmerged, _) => format!("{n} not merged here"),
        (VerifyGroup::Changed, _) => format!("{n} changed"),
        (VerifyGroup::Gone, _) => format!("{n} gone"),
    }
}
