//! Which of the memories that were shown were of use.

use crate::transcript::{TranscriptTurn, TurnSpeaker};
use apostille_core::memory::{Memory, MemoryId};
use apostille_text::literals::{Literal, extract_literals};

/// The shortest literal by which a memory is known again, in characters.
const SHORTEST: usize = 4;

/// The memories that the agent used, of those it was shown, each with the number of the turn after which it was shown
/// (0: at the start). Precise rather than generous: the agent names the handle, or it says or gives a tool a literal of
/// the fact that nobody else had brought up before.
pub fn find_applied_memories(turns: &[TranscriptTurn], shown: &[(Memory, usize)]) -> Vec<MemoryId> {
    let mut used: Vec<MemoryId> = Vec::new();
    for (memory, after) in shown {
        if !used.contains(&memory.id) && is_applied_memory(turns, memory, *after) {
            used.push(memory.id);
        }
    }
    used
}

fn is_applied_memory(turns: &[TranscriptTurn], memory: &Memory, after: usize) -> bool {
    let handle = memory.handle().to_string();
    let is_later = |it: &&TranscriptTurn| it.speaker == TurnSpeaker::Agent && it.number > after;
    let later = turns.iter().filter(is_later);
    later.clone().any(|it| has_whole_word(&it.text, &handle))
        || extract_literals(&memory.fact).iter().any(|literal| {
            let is_said = |it: &&TranscriptTurn| is_literal_in_turn(it, literal);
            is_distinctive_literal(literal)
                && later
                    .clone()
                    .find(is_said)
                    .is_some_and(|it| !is_literal_known_before(turns, it.number, after, literal))
        })
}

/// Whether a text has a word as a whole: `m-12`, and not `m-123` or `spam-12`.
fn has_whole_word(text: &str, word: &str) -> bool {
    let is_joined = |it: char| it.is_alphanumeric() || matches!(it, '-' | '_');
    text.match_indices(word).any(|(at, _)| {
        !text[..at].ends_with(is_joined) && !text[at + word.len()..].starts_with(is_joined)
    })
}

/// A name that only this fact would bring up: not a word, not a small number.
fn is_distinctive_literal(literal: &Literal) -> bool {
    let text = literal.as_str();
    let is_long = text.chars().count() >= SHORTEST;
    match literal {
        Literal::Path(_) | Literal::Quoted(_) => is_long,
        Literal::Name(_) | Literal::Value(_) => {
            is_long && text.chars().any(|it| !it.is_ascii_lowercase())
        }
        Literal::Number(_) => text.chars().filter(char::is_ascii_digit).count() >= 3,
    }
}

/// Whether an agent says a literal, or gives it to a tool that is not a memory's.
fn is_literal_in_turn(turn: &TranscriptTurn, literal: &Literal) -> bool {
    let has = |text: &str| has_whole_word(text, literal.as_str());
    let is_memory = |tool: &str| tool.to_ascii_lowercase().contains("memory");
    has(&turn.text)
        || turn
            .uses
            .iter()
            .any(|it| !is_memory(&it.tool) && has(&it.input))
}

/// Whether the literal was in the session before, without the memory: a person said it, a tool printed it, or the agent
/// had it before it was shown the memory.
fn is_literal_known_before(
    turns: &[TranscriptTurn],
    before: usize,
    after: usize,
    literal: &Literal,
) -> bool {
    let word = literal.as_str().to_lowercase();
    let has = |text: &str| text.to_lowercase().contains(&word);
    turns.iter().any(|it| {
        let is_earlier =
            it.number < before && (it.speaker != TurnSpeaker::Agent || it.number <= after);
        is_earlier && (has(&it.text) || it.uses.iter().any(|it| has(&it.input)))
    })
}
