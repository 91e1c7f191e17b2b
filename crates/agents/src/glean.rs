//! Glean: what a person stated in a session and nobody remembered.
//!
//! There is no model here, only rules, and they favour silence: a statement that is missed is stated again one day,
//! while junk costs the attention of whoever has to approve it.

pub mod applied;
pub mod asked;
mod doubt;
mod draft;
mod foreign;
mod general;
mod habit;
mod lead;
mod lexicon;
mod maxim;
mod pattern;
mod phrase;
mod prose;
mod remembered;
mod rule;
mod setting;
pub mod summary;
mod thought;

use crate::transcript::{Speaker, Turn};
use apostille_text::overlap::normalised;
use apostille_text::words::words;

pub use draft::draft;

use phrase::Phrase;
use prose::Sentence;
use setting::Setting;
use thought::Thought;

/// How many statements are taken from one session.
pub const MOST: usize = 5;

words! {
    /// What sort of statement it is.
    Sort as "sort" {
        /// The person put the agent right.
        Correction = "correction",
        /// The person said how they want things done.
        Preference = "preference",
        /// The person stated a fact about the project.
        Fact = "fact",
    }
}

/// A statement that was found in a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gleaned {
    /// What was stated, in a sentence.
    pub fact: String,
    /// What sort of statement it is.
    pub sort: Sort,
    /// The turn it stands in, by its number: the evidence.
    pub turn: usize,
}

/// What the person stated in a session, explicitly and for good, that the agent did not remember: at most five
/// statements, in the order in which they were made.
#[must_use]
pub fn glean(turns: &[Turn]) -> Vec<Gleaned> {
    let mut found: Vec<Gleaned> = Vec::new();
    let mut last_prompt = None;
    for (at, turn) in turns
        .iter()
        .enumerate()
        .filter(|(_, it)| it.speaker == Speaker::Person)
    {
        hear(turns, at, last_prompt, &mut found);
        last_prompt = Some(turn.number);
    }
    found.retain(|it| !remembered::is_remembered(turns, it));
    found.truncate(MOST);
    found
}

/// Takes in one prompt: what it states, and what it takes back of the prompt before and of itself.
fn hear(turns: &[Turn], at: usize, last_prompt: Option<usize>, found: &mut Vec<Gleaned>) {
    let turn = &turns[at];
    let sentences = prose::sentences(&turn.text);
    let setting = Setting::of(turns, at, &sentences);
    let mut thought: Option<Thought> = None;
    for sentence in &sentences {
        if doubt::takes_back(sentence) {
            found.retain(|it| it.turn != turn.number && Some(it.turn) != last_prompt);
            thought = None;
        } else if let Some((sort, phrase)) =
            stated(sentence, &setting).filter(|_| !thought::is_half(sentence))
        {
            let fact = phrase.declared();
            let is_new = found
                .iter()
                .all(|it| normalised(None, &it.fact) != normalised(None, &fact));
            if is_new {
                found.push(Gleaned {
                    fact,
                    sort,
                    turn: turn.number,
                });
            }
            thought = is_new.then(|| Thought::new(sentence, phrase));
        } else if let (Some(whole), Some(last)) = (
            thought.take().and_then(|it| it.going_on(sentence)),
            found.last_mut(),
        ) {
            last.fact = whole;
        }
    }
}

/// What a sentence states, if it does so beyond doubt.
fn stated(sentence: &Sentence, setting: &Setting<'_>) -> Option<(Sort, Phrase)> {
    if setting.is_off_record || doubt::is_doubtful(sentence) {
        return None;
    }
    let (sort, phrase) =
        foreign::stated(sentence, setting).or_else(|| rule::stated(sentence, setting))?;
    doubt::is_fit(&phrase.declared()).then_some((sort, phrase))
}
