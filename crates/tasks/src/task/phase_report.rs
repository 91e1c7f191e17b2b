//! The report that a phase leaves: what was done, what was verified, what is open, what is next. The next phase reads it, and what
//! was verified once is held against what is reported later.

use std::collections::BTreeSet;

use apostille_core::memory::{Draft, DuplicateChoice, Layer, Memory, Voice};
use apostille_core::space::Space;
use apostille_text::{
    shorten::shorten_text, terms::extract_terms, word_lists::is_in_word_list, words::words,
};

use super::{NoteSort, Task};

/// The tag of the memory that is a report.
pub const REPORT: &str = "phase-report";
/// The longest item, in characters.
pub const ITEM_CHARS: usize = 200;
/// How many items a part has at most.
pub const MAX_ITEMS: usize = 12;
/// The longest report, in characters: as long as an episode may be, and some room.
const MAX_CHARS: usize = 3_800;
/// How many items that were verified before are named.
const MAX_HELD: usize = 8;
/// Words that tell how something went, and not what it is.
const OUTCOMES: &str = "pass passes passed passing fail fails failed failing failure work works worked working broken breaks again \
    still ok okay green red now not no longer verified checked tested test tests flaky error errors is are was does";
/// The share of the words of the shorter of two items that the other has, where they are about one thing.
const SHARED: f32 = 0.75;

words! {
    /// A part of a report.
    ReportPart as "part of a report" {
        /// What was done.
        Done = "done",
        /// What was checked.
        Verified = "verified",
        /// What is left, or fails.
        Open = "open",
        /// What comes next.
        Next = "next",
        /// What was verified before and is open again.
        Regressed = "regressed",
        /// What was verified before and is not mentioned.
        NotMentioned = "not mentioned",
    }
}

/// A report on a phase.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PhaseReport {
    /// The phase; none of a task without phases.
    pub phase: Option<String>,
    /// Its items, part by part, in their order.
    pub items: Vec<(ReportPart, String)>,
}

/// Something that was verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedItem {
    /// What.
    pub text: String,
    /// In which phase.
    pub phase: Option<String>,
}

impl VerifiedItem {
    /// The item with where it was verified.
    pub fn describe(&self) -> String {
        let text = shorten_text(&self.text, ITEM_CHARS);
        match &self.phase {
            Some(phase) => format!("{text} (was verified in phase {phase})"),
            None => format!("{text} (was verified before)"),
        }
    }
}

impl PhaseReport {
    /// The items of a part.
    pub fn list_items(&self, part: ReportPart) -> impl Iterator<Item = &str> {
        let items = self.items.iter().filter(move |it| it.0 == part);
        items.map(|it| it.1.as_str())
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Adds an item, unless the part has it already.
    pub fn push_item(&mut self, part: ReportPart, text: &str) {
        let text = fit_item(text);
        let is_known = self.items.iter().any(|it| it.0 == part && it.1 == text);
        if !text.is_empty() && !is_known {
            self.items.push((part, text));
        }
    }

    /// The same with what the notes of its phase say: what was decided was done, unless somebody says what was; what was checked
    /// is verified; what stands in the way is open. The notes are not copied into what is kept.
    #[must_use]
    pub fn with_notes(mut self, task: &Task, memories: &[Memory]) -> Self {
        let has_done = self.list_items(ReportPart::Done).next().is_some();
        let sorts = [
            (NoteSort::Decision, ReportPart::Done),
            (NoteSort::Verified, ReportPart::Verified),
            (NoteSort::Blocker, ReportPart::Open),
        ];
        for (sort, part) in sorts {
            let is_wanted = part != ReportPart::Done || !has_done;
            for (entry, memory) in task.find_notes(sort, memories).filter(|_| is_wanted) {
                if entry.phase == self.phase {
                    self.push_item(part, &memory.fact);
                }
            }
        }
        self
    }

    /// Holds a report, and what the notes of its phase say, against what was verified before: what it says is open was verified
    /// once, and what it does not mention may have been dropped silently. Of a phase about which nobody said anything, nobody
    /// expects that it mentions everything.
    pub fn hold_against(&mut self, verified: &[VerifiedItem], whole: &Self) {
        let list = |part| -> Vec<&str> { whole.list_items(part).collect() };
        let is_among = |items: &[&str], it: &VerifiedItem| {
            items.iter().any(|item| is_about_same(item, &it.text))
        };
        let (own, open) = (list(ReportPart::Verified), list(ReportPart::Open));
        let mentioned: Vec<&str> = whole.items.iter().map(|it| it.1.as_str()).collect();
        let held = verified.iter().filter(|it| !is_among(&own, it));
        let (regressed, mut silent): (Vec<_>, Vec<_>) = held.partition(|it| is_among(&open, it));
        silent.retain(|it| !self.is_empty() && !is_among(&mentioned, it));
        self.push_held(ReportPart::Regressed, &regressed);
        self.push_held(ReportPart::NotMentioned, &silent);
    }

    fn push_held(&mut self, part: ReportPart, items: &[&VerifiedItem]) {
        for it in items.iter().take(MAX_HELD) {
            self.items.push((part, it.describe()));
        }
        if items.len() > MAX_HELD {
            let more = items.len() - MAX_HELD;
            self.items.push((part, format!("{more} more")));
        }
    }

    /// As the fact of a memory: an item a line.
    pub fn to_fact(&self) -> String {
        let phase = self.phase.as_deref();
        let mut fact = match phase {
            Some(phase) => format!("report on phase {phase}"),
            None => "report".to_owned(),
        };
        let mut skipped = 0;
        for (part, text) in &self.items {
            let line = format!("\n{part}: {text}");
            if fact.chars().count() + line.chars().count() > MAX_CHARS {
                skipped += 1;
            } else {
                fact += &line;
            }
        }
        if skipped > 0 {
            fact += &format!("\n{skipped} more had no room");
        }
        fact
    }

    /// A report out of its memory.
    pub fn from_fact(phase: Option<String>, fact: &str) -> Self {
        let items = fact.lines().skip(1).filter_map(|line| {
            let (part, text) = line.split_once(": ")?;
            Some((part.parse().ok()?, text.to_owned()))
        });
        Self {
            phase,
            items: items.collect(),
        }
    }
}

/// The draft of a report. It names what was verified before, so it is trusted no more than the least of that.
pub fn draft_phase_report(
    space: &Space,
    task: &Task,
    memories: &[Memory],
    report: &PhaseReport,
    voice: Voice,
) -> Draft {
    let repeated = task.find_notes(NoteSort::Verified, memories).map(|it| it.1);
    let reports = list_kept_reports(task, memories);
    let repeated = repeated.chain(reports.into_iter().map(|it| it.0));
    let voice = repeated.fold(voice, |voice, it| voice.lowered_to(&it.voice));
    Draft {
        layer: Some(Layer::Episode),
        subject: Some(task.title.clone()),
        tags: vec![REPORT.into()],
        task: Some(task.slug.to_string()),
        on_duplicate: DuplicateChoice::Create("the report of a phase".into()),
        ..Draft::new(space.clone(), report.to_fact(), voice)
    }
}

/// The reports that were kept of a task and are in use, in their order.
fn list_kept_reports<'m>(task: &Task, memories: &'m [Memory]) -> Vec<(&'m Memory, PhaseReport)> {
    let reports = task.reports.iter().filter_map(|entry| {
        let mut known = memories.iter().filter(|it| it.is_active());
        let memory = known.find(|it| it.id == entry.id)?;
        let report = PhaseReport::from_fact(entry.phase.clone(), &memory.fact);
        Some((memory, report))
    });
    reports.collect()
}

/// What every phase but the one that goes on left behind, phase by phase: its reports with what its notes say, or that alone.
pub fn list_phase_reports<'m>(
    task: &Task,
    memories: &'m [Memory],
) -> Vec<(Option<&'m Memory>, PhaseReport)> {
    let kept = list_kept_reports(task, memories);
    let mut reports = Vec::new();
    for phase in task.passed.iter().cloned().map(Some).chain([None]) {
        let own = kept.iter().filter(|it| it.1.phase == phase);
        let own = own.map(|(memory, report)| (Some(*memory), report.clone()));
        let mut own: Vec<(Option<&Memory>, PhaseReport)> = own.collect();
        let is_over = phase != task.phase || !task.is_open();
        if own.is_empty() && is_over {
            let items = Vec::new();
            own.push((None, PhaseReport { phase, items }));
        }
        if let Some((memory, last)) = own.pop() {
            own.push((memory, last.with_notes(task, memories)));
        }
        reports.extend(own.into_iter().filter(|it| !it.1.is_empty()));
    }
    reports
}

/// What is verified: by the reports, and by notes of other phases than the one that goes on; without what a later report says is
/// open again.
pub fn list_verified_items(task: &Task, memories: &[Memory]) -> Vec<VerifiedItem> {
    let mut verified = Vec::new();
    for (entry, memory) in task.find_notes(NoteSort::Verified, memories) {
        if entry.phase != task.phase {
            replace_verified(&mut verified, &fit_item(&memory.fact), &entry.phase);
        }
    }
    for (_, report) in list_kept_reports(task, memories) {
        for text in report.list_items(ReportPart::Verified) {
            replace_verified(&mut verified, text, &report.phase);
        }
        for text in report.list_items(ReportPart::Open) {
            verified.retain(|it| !is_about_same(&it.text, text));
        }
    }
    verified
}

fn replace_verified(verified: &mut Vec<VerifiedItem>, text: &str, phase: &Option<String>) {
    verified.retain(|it| !is_about_same(&it.text, text));
    verified.push(VerifiedItem {
        text: text.to_owned(),
        phase: phase.clone(),
    });
}

/// The item among those verified that a text says is open again.
pub fn find_regressed<'v>(verified: &'v [VerifiedItem], text: &str) -> Option<&'v VerifiedItem> {
    verified.iter().find(|it| is_about_same(&it.text, text))
}

/// Whether two items are about one thing: most of the words of the shorter one stand in the other, those left out that tell how it
/// went.
fn is_about_same(a: &str, b: &str) -> bool {
    let (a, b) = (list_subject_terms(a), list_subject_terms(b));
    let shorter = a.len().min(b.len());
    let shared = a.intersection(&b).count();
    match shorter {
        0 => false,
        1 => shared == 1 && a.len().max(b.len()) <= 2,
        n => shared as f32 >= SHARED * n as f32,
    }
}

fn list_subject_terms(text: &str) -> BTreeSet<String> {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric() && c != '_');
    let telling: Vec<&str> = words.filter(|it| !is_in_word_list(OUTCOMES, it)).collect();
    extract_terms(&telling.join(" "))
        .into_iter()
        .map(|it| it.0)
        .collect()
}

fn fit_item(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    shorten_text(&words.join(" "), ITEM_CHARS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_about_the_same_whatever_came_of_it() {
        let check = |a: &str, b: &str, expected: bool| {
            assert_eq!(is_about_same(a, b), expected, "{a} | {b}");
            assert_eq!(is_about_same(b, a), expected, "{b} | {a}");
        };
        check("the lease test passes", "the lease test fails again", true);
        check(
            "uploads above 10 MB are refused",
            "uploads above 10 MB are not refused any more",
            true,
        );
        check("the login works", "login is broken", true);
        check("the lease test passes", "the panel loads", false);
        check("the login test passes", "the logout test fails", false);
        check("tests pass", "tests fail", false);
    }

    #[test]
    fn report_is_held_against_what_was_verified() {
        let item = |text: &str, phase: &str| VerifiedItem {
            text: text.into(),
            phase: Some(phase.into()),
        };
        let verified = [
            item("the lease test passes", "build"),
            item("the migration runs on staging", "build"),
            item("the panel loads without scripts", "plan"),
        ];
        let mut report = PhaseReport {
            phase: Some("ship".into()),
            items: Vec::new(),
        };
        report.push_item(ReportPart::Done, "shipped; the panel loads without scripts");
        report.push_item(ReportPart::Open, "the lease test fails again");
        let whole = report.clone();
        report.hold_against(&verified, &whole);
        let expected = "report on phase ship\n\
            done: shipped; the panel loads without scripts\n\
            open: the lease test fails again\n\
            regressed: the lease test passes (was verified in phase build)\n\
            not mentioned: the migration runs on staging (was verified in phase build)";
        assert_eq!(report.to_fact(), expected);
        let again = PhaseReport::from_fact(report.phase.clone(), &report.to_fact());
        assert_eq!(again, report);
    }
}
