//! What was found, as people read it: what holds in a line, what does not in full, the sum last.

use std::collections::BTreeMap;

use anstyle::Style;
use apostille_cite::{
    standing::Standing,
    verdict::{Verdict, find_worst_verdict},
};
use apostille_core::{
    branches::OtherVersion,
    standing_text::describe_other_version,
    verify::{VerifiedMemory, VerifyAction},
};
use apostille_terminal::paint::{
    BOLD, CYAN, DIM, GREEN, Paint, RED, YELLOW, flatten_to_line, format_if, join_texts, memory,
    style_text,
};

/// Up to how many lines something is listed that needs no attention.
const FEW: usize = 20;

const UNMERGED: &str = "Recorded on a branch that is not merged here";
const REPLACED: &str = "Replaced here by a correction";
const SUPERSEDED: &str = "No longer in use";

/// How a memory is shown and counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum VerifyGroup {
    Stands,
    Moved,
    Edited,
    Uncited,
    Unknown,
    Unmerged,
    Replaced,
    Superseded,
    Check,
    Contradicted,
    Gone,
}

fn classify_verified(it: &VerifiedMemory) -> VerifyGroup {
    let worst = find_worst_verdict(&it.verdicts);
    match (it.standing(), worst) {
        _ if it.is_superseded() => VerifyGroup::Superseded,
        (Standing::Stated, _) | (_, None) => VerifyGroup::Uncited,
        (standing, _) if standing.is_refuted() && it.is_unmerged => VerifyGroup::Unmerged,
        _ if it.is_outranked && matches!(it.beside, Some(OtherVersion::Replaces(_))) => {
            VerifyGroup::Unmerged
        }
        _ if it.is_outranked => VerifyGroup::Replaced,
        (Standing::Stands, Some(Verdict::Holds)) => VerifyGroup::Stands,
        (Standing::Stands, Some(Verdict::Moved { .. })) => VerifyGroup::Moved,
        (Standing::Stands, _) => VerifyGroup::Edited,
        (Standing::Check, _) => VerifyGroup::Check,
        (Standing::Contradicted, _) => VerifyGroup::Contradicted,
        (Standing::Gone, _) => VerifyGroup::Gone,
        (Standing::Unknown, _) => VerifyGroup::Unknown,
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
        let mut parts = vec![
            self.format_good(paint),
            self.format_unknown(paint),
            self.format_versions(paint, VerifyGroup::Unmerged, UNMERGED),
            self.format_versions(paint, VerifyGroup::Replaced, REPLACED),
            self.format_versions(paint, VerifyGroup::Superseded, SUPERSEDED),
            self.format_entries(paint, |it| it >= VerifyGroup::Check),
            self.format_counts() + &self.format_next_step(paint),
        ];
        parts.retain(|it| !it.is_empty());
        parts.join("\n")
    }

    fn memories_in(&self, wanted: impl Fn(VerifyGroup) -> bool) -> Vec<&VerifiedMemory> {
        self.memories
            .iter()
            .filter(|it| wanted(classify_verified(it)))
            .collect()
    }

    /// What holds, a line each; where there are many, only what moved or changed a little.
    fn format_good(&self, paint: &Paint) -> String {
        let mut good = self.memories_in(|it| it <= VerifyGroup::Edited);
        let is_folded = good.len() > FEW && !self.is_verbose;
        good.retain(|it| !is_folded || classify_verified(it) != VerifyGroup::Stands);
        let shown = if self.is_verbose {
            good.len()
        } else {
            good.len().min(FEW)
        };
        let rows = good.iter().take(shown).map(|it| {
            [
                style_text(BOLD, it.memory.handle()),
                style_text(
                    choose_group_style(classify_verified(it)),
                    it.standing().as_str(),
                ),
                format_verified_places(it),
            ]
        });
        let n_more = good.len() - shown;
        let more = format!("… and {n_more} more; --verbose lists them\n");
        paint.format_table(0, rows) + &format_if(n_more > 0, || style_text(DIM, more))
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

    /// What another branch says, and what was superseded. Nothing is shown against it: here it was never said, or another
    /// version stands.
    fn format_versions(&self, paint: &Paint, group: VerifyGroup, title: &str) -> String {
        let beside = |it: &VerifiedMemory| it.beside.as_ref().map(describe_other_version);
        let row = |it: &VerifiedMemory| {
            let place = it
                .memory
                .citations
                .first()
                .map(|it| memory::format_place(&it.location()));
            let version = match it.deed {
                Some(deed) => Some(deed.to_string()),
                None => it.describe_stage().or_else(|| beside(it)),
            };
            let version = version.map(|it| style_text(DIM, format!("{it}; ")));
            [
                style_text(BOLD, it.memory.handle()),
                style_text(DIM, place.unwrap_or_default()),
                version.unwrap_or_default() + &flatten_to_line(&it.memory.fact),
            ]
        };
        let versions = self.memories_in(|it| it == group);
        format_if(!versions.is_empty(), || {
            let table = paint.format_table(0, versions.into_iter().map(row));
            format!("{BOLD}{title}:{BOLD:#}\n{table}")
        })
    }

    fn format_entries(&self, paint: &Paint, wanted: impl Fn(VerifyGroup) -> bool) -> String {
        let entry = |it: &VerifiedMemory| {
            let deed = it.deed.map(|deed| {
                let handle = it.memory.handle();
                let told = format!("{deed}; `apostille show {handle}` has why");
                format!("      {BOLD}{told}{BOLD:#}\n")
            });
            memory::format_memory_entry(paint, it.into()) + &deed.unwrap_or_default()
        };
        join_texts(self.memories_in(wanted).into_iter().map(entry), "\n")
    }

    /// The counts on one line, the best first, and how often something was done.
    pub fn format_counts(&self) -> String {
        let mut counts: BTreeMap<VerifyGroup, usize> = BTreeMap::new();
        for it in self.memories {
            *counts.entry(classify_verified(it)).or_default() += 1;
        }
        let words = counts
            .into_iter()
            .map(|(group, n)| style_text(choose_group_style(group), format_group_count(group, n)));
        let deeds = VerifyAction::ALL.iter().filter_map(|deed| {
            let n = self
                .memories
                .iter()
                .filter(|it| it.deed == Some(*deed))
                .count();
            (n > 0).then(|| format!("{BOLD}{n} {deed}{BOLD:#}"))
        });
        join_texts(words.chain(deeds), &style_text(DIM, " · ")) + "\n"
    }

    /// What to do about it.
    fn format_next_step(&self, paint: &Paint) -> String {
        let mut out = String::new();
        let is_open =
            |it: &VerifiedMemory| it.deed.is_none() && classify_verified(it) == VerifyGroup::Moved;
        if let Some(why) = self.unsettled.filter(|_| self.memories.iter().any(is_open)) {
            let text = format!("what moved was followed and not written down, because {why}");
            out += &style_text(DIM, paint.wrap_text(&text, 0));
        }
        let is_wrong = |it: &VerifiedMemory| classify_verified(it) >= VerifyGroup::Check;
        let fix = "`apostille verify --fix` says what could take their place\n";
        out + &format_if(self.memories.iter().any(is_wrong), || style_text(DIM, fix))
    }
}

/// What could not be looked up, a line for each reason, the most frequent first.
pub fn list_unknown_reasons(memories: &[VerifiedMemory]) -> Vec<String> {
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    let unknown = memories
        .iter()
        .filter(|it| classify_verified(it) == VerifyGroup::Unknown);
    for it in unknown {
        let why = it.verdicts.iter().find_map(|it| match it {
            Verdict::Unknown { why } => Some(flatten_to_line(why)),
            _ => None,
        });
        *reasons.entry(why.unwrap_or_default()).or_default() += 1;
    }
    let mut reasons: Vec<(String, usize)> = reasons.into_iter().collect();
    reasons.sort_by_key(|it| std::cmp::Reverse(it.1));
    let line = |(why, n)| format!("{n} could not be looked up: {why}");
    reasons.into_iter().map(line).collect()
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
    join_texts(places, ", ") + &deed
}

fn choose_group_style(group: VerifyGroup) -> Style {
    match group {
        VerifyGroup::Stands => GREEN,
        VerifyGroup::Moved | VerifyGroup::Edited => CYAN,
        VerifyGroup::Check => YELLOW,
        VerifyGroup::Contradicted | VerifyGroup::Gone => RED,
        VerifyGroup::Uncited
        | VerifyGroup::Unknown
        | VerifyGroup::Unmerged
        | VerifyGroup::Replaced
        | VerifyGroup::Superseded => DIM,
    }
}

fn format_group_count(group: VerifyGroup, n: usize) -> String {
    let words = match group {
        VerifyGroup::Stands if n == 1 => "stands",
        VerifyGroup::Stands => "stand",
        VerifyGroup::Moved if n == 1 => "stands elsewhere now",
        VerifyGroup::Moved => "stand elsewhere now",
        VerifyGroup::Edited if n == 1 => "stands in edited code",
        VerifyGroup::Edited => "stand in edited code",
        VerifyGroup::Uncited => "without citation",
        VerifyGroup::Unknown => "could not be looked up",
        VerifyGroup::Unmerged => "not merged here",
        VerifyGroup::Replaced => "replaced here",
        VerifyGroup::Superseded => "superseded",
        VerifyGroup::Check => "to check",
        VerifyGroup::Contradicted => "contradicted",
        VerifyGroup::Gone => "gone",
    };
    format!("{n} {words}")
}
