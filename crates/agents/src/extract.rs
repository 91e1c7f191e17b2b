//! Glean: what a person stated in a session and nobody remembered.
//!
//! There is no model here, only rules, and they favour silence: a statement that is missed is stated again one day,
//! while junk costs the attention of whoever has to approve it.

pub mod applied;
pub mod by_model;
pub mod command_lessons;
mod convention;
pub mod corrections;
mod draft;
mod english;
mod generality;
mod habit;
pub mod labelled;
mod lasting;
mod lexicon;
mod non_english;
mod non_statements;
mod open_wish;
mod opening;
pub(crate) mod own_sentences;
mod pattern;
mod phrase;
mod remembered;
mod sentence_context;
mod shape;
mod statement_model;
pub mod summary;
mod wording;

use crate::transcript::{TranscriptTurn, TurnSpeaker};
use apostille_text::{overlap::normalise_fact, words::words};

pub use draft::{draft_command_lesson, draft_extracted_statement, draft_task_statement};

use open_wish::OpenWish;
use own_sentences::Sentence;
use phrase::StatementPhrase;
use sentence_context::SentenceContext;
use statement_model::{ScoringMoment, find_stated_passage, phrase_passage};

/// How many statements are taken from one session.
pub const MOST: usize = 5;

words! {
    /// What sort of statement it is.
    StatementSort as "sort" {
        /// The person put the agent right.
        Correction = "correction",
        /// The person said how they want things done.
        Preference = "preference",
        /// The person stated a fact about the project.
        Fact = "fact",
    }
}

/// What was stated, and what sort of statement it is.
type SortedPhrase = (StatementSort, StatementPhrase);

/// A statement that was found in a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtractedStatement {
    /// What was stated, in a sentence.
    pub fact: String,
    /// What sort of statement it is.
    pub sort: StatementSort,
    /// The turn it stands in, by its number: the evidence.
    pub turn: usize,
}

/// What the person stated in a session, explicitly and for good, that the agent did not remember: at most five
/// statements, in the order in which they were made.
pub fn extract_statements(turns: &[TranscriptTurn]) -> Vec<ExtractedStatement> {
    let mut found: Vec<ExtractedStatement> = Vec::new();
    let mut last_prompt = None;
    for (at, turn) in turns
        .iter()
        .enumerate()
        .filter(|(_, it)| it.speaker == TurnSpeaker::Person)
    {
        extract_from_prompt(turns, at, last_prompt, &mut found);
        last_prompt = Some(turn.number);
    }
    found.retain(|it| !remembered::is_statement_remembered(turns, it));
    found.truncate(MOST);
    found
}

/// What a person states for good in the description of a task that they begin.
pub fn extract_task_statements(description: &str) -> Vec<ExtractedStatement> {
    extract_statements(&[TranscriptTurn {
        number: 1,
        at: None,
        speaker: TurnSpeaker::Person,
        text: description.into(),
        uses: Vec::new(),
    }])
}

/// Takes in one prompt: what it states, and what it takes back of the prompt before and of itself.
fn extract_from_prompt(
    turns: &[TranscriptTurn],
    at: usize,
    last_prompt: Option<usize>,
    found: &mut Vec<ExtractedStatement>,
) {
    let turn = &turns[at];
    let sentences = own_sentences::split_own_sentences(&turn.text);
    let setting = SentenceContext::from_turns(turns, at, &sentences);
    let mut thought: Option<OpenWish> = None;
    for sentence in &sentences {
        if non_statements::is_retraction(sentence) {
            found.retain(|it| it.turn != turn.number && Some(it.turn) != last_prompt);
            thought = None;
        } else if let Some((sort, phrase)) = extract_from_sentence(sentence, &setting)
            .filter(|_| !open_wish::is_half_statement(sentence))
        {
            let fact = phrase.to_sentence();
            let is_new = found
                .iter()
                .all(|it| normalise_fact(None, &it.fact) != normalise_fact(None, &fact));
            if is_new {
                found.push(ExtractedStatement {
                    fact,
                    sort,
                    turn: turn.number,
                });
            }
            thought = is_new.then(|| OpenWish::new(sentence, phrase));
        } else if let (Some(whole), Some(last)) = (
            thought.take().and_then(|it| it.complete_with(sentence)),
            found.last_mut(),
        ) {
            last.fact = whole;
        }
    }
    if found.iter().all(|it| it.turn != turn.number) {
        found.extend(extract_passage(&sentences, &setting, turn.number));
    }
}

/// What a turn states in passing, without the words that announce it.
fn extract_passage(
    sentences: &[Sentence],
    setting: &SentenceContext,
    turn: usize,
) -> Option<ExtractedStatement> {
    let passage = find_stated_passage(sentences, setting, ScoringMoment::SessionEnd)?;
    let (sort, phrase) = phrase_passage(&sentences[passage], setting);
    let fact = phrase.to_sentence();
    non_statements::is_keepable_statement(&fact).then_some(ExtractedStatement { fact, sort, turn })
}

/// The sentences of a prompt that state something for good, or may: what an agent is reminded to keep while it is said. `is_answer`
/// tells whether an agent spoke before.
///
/// More generous than what is extracted at the end: the agent decides, and it sees what was meant.
pub fn find_lasting_sentences(prompt: &str, is_answer: bool) -> Vec<String> {
    let turn = |number: usize, speaker: TurnSpeaker, text: &str| TranscriptTurn {
        number,
        at: None,
        speaker,
        text: text.into(),
        uses: Vec::new(),
    };
    let before = is_answer.then(|| turn(1, TurnSpeaker::Agent, ""));
    let turns: Vec<TranscriptTurn> = before
        .into_iter()
        .chain([turn(2, TurnSpeaker::Person, prompt)])
        .collect();
    let sentences = own_sentences::split_own_sentences(prompt);
    let setting = SentenceContext::from_turns(&turns, turns.len() - 1, &sentences);
    if sentences.iter().any(non_statements::is_retraction) {
        return Vec::new();
    }
    let passage = find_stated_passage(&sentences, &setting, ScoringMoment::Prompt);
    let lasting = sentences.iter().enumerate().filter(|(at, it)| {
        passage.as_ref().is_some_and(|it| it.contains(at))
            || extract_from_sentence(it, &setting).is_some()
    });
    lasting.map(|(_, it)| it.text.clone()).collect()
}

/// What a sentence states, if it does so beyond doubt: by the words that announce it.
fn extract_from_sentence(sentence: &Sentence, setting: &SentenceContext) -> Option<SortedPhrase> {
    if setting.is_off_record || non_statements::is_doubtful_sentence(sentence) {
        return None;
    }
    let (sort, phrase) = non_english::extract_non_english(sentence, setting)
        .or_else(|| english::extract_english(sentence, setting))?;
    non_statements::is_keepable_statement(&phrase.to_sentence()).then_some((sort, phrase))
}
