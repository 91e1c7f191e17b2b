//! What a method says about a citation, in the words that the cases are scored in.

use apostille_cite::citation::CodeLocation;
use apostille_cite::verdict::{Change, Verdict};

use super::case::Place;

/// The five answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Word {
    /// It stands where it stood.
    Valid,
    /// It stands elsewhere.
    Relocated,
    /// Only spaces or the layout differ.
    Drifted,
    /// Other text stands there.
    Changed,
    /// It is nowhere.
    Missing,
}

impl Word {
    /// The word as it is written.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Relocated => "relocated",
            Self::Drifted => "drifted",
            Self::Changed => "changed",
            Self::Missing => "missing",
        }
    }

    /// Whether it speaks against the citation.
    pub(crate) fn is_flag(self) -> bool {
        matches!(self, Self::Changed | Self::Missing)
    }
}

/// What a method says about one citation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Guess {
    /// An answer, with the place it is about.
    Says(Word, Option<Place>),
    /// It could not be looked up, and why.
    Unknown(String),
}

impl Guess {
    /// The answer, where there is one.
    pub(crate) fn word(&self) -> Option<Word> {
        match self {
            Self::Says(word, _) => Some(*word),
            Self::Unknown(_) => None,
        }
    }

    /// The place, where one is named.
    pub(crate) fn place(&self) -> Option<&Place> {
        match self {
            Self::Says(_, place) => place.as_ref(),
            Self::Unknown(_) => None,
        }
    }

    /// Whether it speaks against the citation.
    pub(crate) fn is_flag(&self) -> bool {
        self.word().is_some_and(Word::is_flag)
    }

    /// Text that stands at this place, cited at that one.
    pub(crate) fn stands(at: Place, cited: &Place) -> Self {
        Self::Says(
            if at == *cited {
                Word::Valid
            } else {
                Word::Relocated
            },
            Some(at),
        )
    }

    /// Text that is nowhere.
    pub(crate) fn missing() -> Self {
        Self::Says(Word::Missing, None)
    }

    /// What one of our verdicts means in these words.
    pub(crate) fn of(verdict: &Verdict, cited: &Place) -> Self {
        match verdict {
            Verdict::Holds => Self::Says(Word::Valid, Some(cited.clone())),
            Verdict::Moved { to } => Self::Says(Word::Relocated, Some(place(to))),
            Verdict::Changed(it) => {
                let is_drift = matches!(it.change, Change::Whitespace | Change::Formatting);
                Self::Says(
                    if is_drift {
                        Word::Drifted
                    } else {
                        Word::Changed
                    },
                    Some(place(&it.at)),
                )
            }
            Verdict::Gone { .. } => Self::missing(),
            Verdict::Unknown { why } => Self::Unknown(why.clone()),
        }
    }
}

fn place(cite: &CodeLocation) -> Place {
    Place(
        cite.path.to_string(),
        cite.lines.first_line(),
        cite.lines.last_line(),
    )
}

/// A guess, and what it took.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer {
    /// The guess.
    pub(crate) guess: Guess,
    /// How many milliseconds: an even part of what its batch took.
    pub(crate) ms: f64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use apostille_cite::verdict::{Difference, Loss};

    #[test]
    fn verdicts_are_put_in_the_words_of_the_cases() {
        let cited = Place("a.rs".into(), 3, 4);
        let at = CodeLocation::new("b.rs", 7, 8).unwrap();
        let changed = |change| {
            let (now, at) = (String::new(), at.clone());
            let (since, contradicted) = (None, Vec::new());
            let it = Difference {
                change,
                at,
                now,
                similarity: 9,
                since,
                is_harmless: true,
                contradicted,
            };
            Verdict::Changed(Box::new(it))
        };
        let check = |verdict: &Verdict, word: Option<Word>, place: Option<u32>| {
            let guess = Guess::of(verdict, &cited);
            assert_eq!(
                (guess.word(), guess.place().map(|it| it.1)),
                (word, place),
                "{verdict:?}"
            );
        };
        check(&Verdict::Holds, Some(Word::Valid), Some(3));
        check(
            &Verdict::Moved { to: at.clone() },
            Some(Word::Relocated),
            Some(7),
        );
        check(&changed(Change::Whitespace), Some(Word::Drifted), Some(7));
        check(&changed(Change::Formatting), Some(Word::Drifted), Some(7));
        check(&changed(Change::Comment), Some(Word::Changed), Some(7));
        check(
            &Verdict::Gone {
                loss: Loss::File,
                since: None,
            },
            Some(Word::Missing),
            None,
        );
        check(&Verdict::Unknown { why: "late".into() }, None, None);
    }
}
