//! The measures, as the scorer that comes with the cases defines them.

use super::case::{Case, Class};
use super::guess::{Answer, Guess, Word};

/// Labels whose text was edited in place, so that there is a region to point at.
const EDITED: [&str; 6] = [
    "edited",
    "replaced",
    "edited_insert",
    "edited_comment",
    "edited_ws",
    "edited_format",
];

/// So many of so many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Share {
    /// For how many it is true.
    pub(crate) k: usize,
    /// Of how many.
    pub(crate) n: usize,
}

impl Share {
    fn add(&mut self, is_so: bool) {
        self.n += 1;
        self.k += usize::from(is_so);
    }

    /// The share in percent; `None` of none.
    #[expect(clippy::cast_precision_loss, reason = "counts of cases are small")]
    pub(crate) fn percent(self) -> Option<f64> {
        (self.n > 0).then(|| (100 * self.k) as f64 / self.n as f64)
    }
}

/// How well a method did. Cases whose truth is ambiguous count nowhere, and an unknown counts as wrong everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Scores {
    /// How many cases count.
    pub(crate) cases: usize,
    /// How many were not answered.
    pub(crate) unknown: usize,
    /// Invalid citations that were flagged.
    pub(crate) detection: Share,
    /// Valid ones that were flagged.
    pub(crate) fp: Share,
    /// Valid ones and harmlessly edited ones that were flagged.
    pub(crate) fp_broad: Share,
    /// Valid ones whose exact place was named.
    pub(crate) locate: Share,
    /// Valid ones that were accepted at a wrong place.
    pub(crate) misplaced: Share,
    /// Those for a person to look at that were flagged.
    pub(crate) review: Share,
    /// Cases with exactly the right word.
    pub(crate) grade: Share,
    /// Edited text of which the right region was named.
    pub(crate) edit_loc: Share,
}

impl Scores {
    /// Scores these cases.
    pub(crate) fn of<'c>(pairs: impl IntoIterator<Item = (&'c Case, &'c Answer)>) -> Self {
        let mut scores = Self::default();
        let counted = pairs
            .into_iter()
            .filter(|(case, _)| case.ambiguous().is_none());
        counted.for_each(|(case, answer)| scores.add(case, &answer.guess));
        scores
    }

    fn add(&mut self, case: &Case, guess: &Guess) {
        self.cases += 1;
        self.unknown += usize::from(guess.word().is_none());
        // Not answering does not pay: it is a false alarm where there was nothing, and a miss where there was something.
        let is_rejected = guess.word().is_none_or(Word::is_flag);
        match case.class {
            Class::Invalid => self.detection.add(guess.is_flag()),
            Class::Valid => {
                let is_there = guess.place().is_some_and(|it| case.expected.contains(it));
                self.fp.add(is_rejected);
                self.fp_broad.add(is_rejected);
                self.locate.add(!is_rejected && is_there);
                self.misplaced.add(!is_rejected && !is_there);
            }
            Class::Harmless => self.fp_broad.add(is_rejected),
            Class::Review => self.review.add(is_rejected),
        }
        self.grade
            .add(guess.word().is_some_and(|it| is_right(case, it)));
        if EDITED.contains(&case.label.as_str()) {
            let overlaps = guess
                .place()
                .is_some_and(|it| case.expected.iter().any(|e| e.overlaps(it)));
            self.edit_loc.add(overlaps);
        }
    }

    /// The shares by name.
    pub(crate) fn shares(&self) -> [(&'static str, Share); 8] {
        [
            ("detection", self.detection),
            ("fp", self.fp),
            ("fp_broad", self.fp_broad),
            ("locate", self.locate),
            ("misplaced", self.misplaced),
            ("grade", self.grade),
            ("edit_loc", self.edit_loc),
            ("review_flagged", self.review),
        ]
    }
}

/// Whether this is the right word for the case.
fn is_right(case: &Case, word: Word) -> bool {
    match (case.class, case.label.as_str()) {
        (Class::Valid, "intact") => word == Word::Valid,
        (Class::Valid, _) => word == Word::Relocated,
        (Class::Harmless, _) => word == Word::Drifted,
        (Class::Review, _) => matches!(word, Word::Drifted | Word::Changed),
        (Class::Invalid, "edited") => word == Word::Changed,
        (Class::Invalid, "deleted_file") => word == Word::Missing,
        (Class::Invalid, _) => word.is_flag(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::case::Place;
    use super::super::case::tests::case;
    use super::*;

    const HERE: (&str, u32, u32) = ("a.rs", 3, 4);

    fn says(word: Word, at: Option<(&str, u32, u32)>) -> Answer {
        Answer {
            guess: Guess::Says(word, at.map(|it| Place(it.0.into(), it.1, it.2))),
            ms: 1.0,
        }
    }

    fn unknown() -> Answer {
        Answer {
            guess: Guess::Unknown("late".into()),
            ms: 1.0,
        }
    }

    fn share(k: usize, n: usize) -> Share {
        Share { k, n }
    }

    #[test]
    fn valid_cases_count_for_alarms_and_places() {
        let intact = case("intact", "valid", &[HERE]);
        let answers = [
            says(Word::Valid, Some(HERE)),
            says(Word::Relocated, Some(("a.rs", 5, 6))),
            says(Word::Missing, None),
            unknown(),
        ];
        let scores = Scores::of(answers.iter().map(|it| (&intact, it)));
        assert_eq!((scores.cases, scores.unknown), (4, 1));
        assert_eq!((scores.fp, scores.fp_broad), (share(2, 4), share(2, 4)));
        assert_eq!(
            (scores.locate, scores.misplaced),
            (share(1, 4), share(1, 4))
        );
        assert_eq!(
            (scores.grade, scores.detection, scores.edit_loc),
            (share(1, 4), share(0, 0), share(0, 0))
        );
    }

    #[test]
    fn invalid_cases_count_for_detection_and_regions() {
        let edited = case("edited", "invalid", &[HERE]);
        let answers = [
            says(Word::Changed, Some(("a.rs", 4, 9))),
            says(Word::Missing, None),
            says(Word::Drifted, Some(("b.rs", 3, 4))),
            unknown(),
        ];
        let scores = Scores::of(answers.iter().map(|it| (&edited, it)));
        assert_eq!(
            (scores.detection, scores.edit_loc, scores.grade),
            (share(2, 4), share(1, 4), share(1, 4))
        );
        assert_eq!((scores.fp, scores.fp_broad), (share(0, 0), share(0, 0)));
    }

    #[test]
    fn harmless_and_ambiguous_cases_count_where_they_belong() {
        let spaced = case("edited_ws", "harmless", &[HERE]);
        let comment = case("edited_comment", "review", &[HERE]);
        let doubtful: Case = {
            let mut value = case("moved_block", "valid", &[HERE]);
            value.set_ambiguous("short_move");
            value
        };
        let (drifted, changed) = (
            says(Word::Drifted, Some(HERE)),
            says(Word::Changed, Some(HERE)),
        );
        let scores = Scores::of([
            (&spaced, &drifted),
            (&spaced, &changed),
            (&comment, &changed),
            (&doubtful, &changed),
        ]);
        assert_eq!(
            (scores.cases, scores.fp, scores.fp_broad),
            (3, share(0, 0), share(1, 2))
        );
        assert_eq!(
            (scores.review, scores.grade, scores.edit_loc),
            (share(1, 1), share(2, 3), share(3, 3))
        );
        assert_eq!(scores.fp.percent(), None);
        assert_eq!(scores.fp_broad.percent(), Some(50.0));
    }

    #[test]
    fn each_label_has_its_words() {
        use Word::{Changed, Drifted, Missing, Relocated, Valid};
        let check = |label: &str, class: &str, right: &[Word]| {
            for word in [Valid, Relocated, Drifted, Changed, Missing] {
                let case = case(label, class, &[HERE]);
                assert_eq!(
                    is_right(&case, word),
                    right.contains(&word),
                    "{label} {word:?}"
                );
            }
        };
        check("intact", "valid", &[Valid]);
        check("moved_file", "valid", &[Relocated]);
        check("edited_format", "harmless", &[Drifted]);
        check("edited_insert", "review", &[Drifted, Changed]);
        check("edited", "invalid", &[Changed]);
        check("replaced", "invalid", &[Changed, Missing]);
        check("deleted", "invalid", &[Changed, Missing]);
        check("deleted_file", "invalid", &[Missing]);
        check("forged", "invalid", &[Changed, Missing]);
    }
}
