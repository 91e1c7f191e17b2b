//! How often a text is sorted as a reader would: kept, turned away or asked to be split, and to which kind.

use apostille_core::memory::{Draft, Origin, Voice};
use apostille_core::policy::Policy;
use apostille_core::remember::RememberOutcome;

use crate::world::{World, repo};

/// Texts that the patterns were tuned on, and texts that they were not.
const TUNED: &str = include_str!("../data/sorting_tuned.tsv");
const UNSEEN: &str = include_str!("../data/sorting_unseen.tsv");
/// Texts by somebody who had only the description of the kinds: never tuned on, rates only.
const INDEPENDENT: &str = include_str!("../data/sorting_independent.tsv");

/// One labelled text.
struct LabelledText<'a> {
    /// The kinds that are right, or `drop`, or `split`.
    expected: &'a str,
    draft: Draft,
}

impl<'a> LabelledText<'a> {
    fn parse_line(line: &'a str) -> Self {
        let fields: Vec<&str> = line.split('\t').collect();
        let [expected, speaker, reason, text] = *fields else {
            panic!("four fields are wanted: {line}");
        };
        let origin = match speaker {
            "person" => Origin::User,
            "agent" => Origin::Agent,
            other => panic!("who is {other}?"),
        };
        let reason = (reason == "given").then(|| "callers elsewhere rely on it".into());
        let draft = Draft {
            reason,
            ..Draft::new(repo(), text, Voice::from_origin(origin))
        };
        Self { expected, draft }
    }

    /// What becomes of it, as a label.
    fn sort_text(&self) -> String {
        let world = World::new(Policy {
            require_citations: false,
            ..Policy::default()
        });
        match world.remember(self.draft.clone()) {
            RememberOutcome::Remembered { memory, .. } => memory.kind.to_string(),
            RememberOutcome::Refused(refusal)
                if matches!(refusal.class(), "excluded" | "empty") =>
            {
                "drop".into()
            }
            RememberOutcome::Refused(refusal) if refusal.class() == "several_facts" => {
                "split".into()
            }
            other => panic!("{}: {other:?}", self.draft.fact),
        }
    }
}

/// How many of how many were sorted right.
#[derive(Default)]
struct SortingRate {
    right: usize,
    all: usize,
}

impl SortingRate {
    fn count(&mut self, is_right: bool) {
        self.right += usize::from(is_right);
        self.all += 1;
    }

    fn percent(&self) -> usize {
        100 * self.right / self.all.max(1)
    }
}

/// The rates of a file – kept, turned away, split, and of the kept those of the right kind – and a report of them with every
/// text that was sorted wrong.
fn measure_sorting(texts: &str) -> ([SortingRate; 4], String) {
    let [mut kept, mut dropped, mut split, mut kinds] = <[SortingRate; 4]>::default();
    let mut report = Vec::new();
    let lines = texts.lines().filter(|it| !it.starts_with('#'));
    for text in lines.map(LabelledText::parse_line) {
        let found = text.sort_text();
        let is_kept = !matches!(&*found, "drop" | "split");
        let is_right = text.expected.split('/').any(|it| it == found);
        match text.expected {
            "drop" => dropped.count(is_right),
            "split" => split.count(is_right),
            _ => kept.count(is_kept),
        }
        if is_kept && !matches!(text.expected, "drop" | "split") {
            kinds.count(is_right);
        }
        if !is_right {
            report.push(format!("{} → {found}: {}", text.expected, text.draft.fact));
        }
    }
    let rates = [kept, dropped, split, kinds];
    let words = ["kept", "turned away", "split", "of the right kind"];
    report.extend(words.iter().zip(&rates).map(|(word, it)| {
        let (right, all, percent) = (it.right, it.all, it.percent());
        format!("{word}: {right} of {all} ({percent} %)")
    }));
    (rates, report.join("\n"))
}

fn check_floors(rates: &[SortingRate; 4], floors: [usize; 4]) {
    for (rate, floor) in rates.iter().zip(floors) {
        assert!(rate.percent() >= floor, "{} % < {floor} %", rate.percent());
    }
}

#[test]
fn texts_are_sorted_as_a_reader_would() {
    let (rates, report) = measure_sorting(TUNED);
    check_floors(&rates, [97, 95, 100, 95]);
    insta::assert_snapshot!("sorting_tuned", report);
    let (rates, report) = measure_sorting(UNSEEN);
    check_floors(&rates, [97, 75, 100, 90]);
    insta::assert_snapshot!("sorting_unseen", report);
    let (rates, report) = measure_sorting(INDEPENDENT);
    check_floors(&rates, [97, 70, 95, 85]);
    insta::assert_snapshot!("sorting_independent", report);
}
