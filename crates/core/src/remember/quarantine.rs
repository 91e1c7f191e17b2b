//! Who is believed at once, and what waits for a person, for proof, or for another voice.

use super::prove::UnsaidLiterals;
use crate::memory::{Layer, Memory, ModerationMark, Origin, Stage, Voice};

/// Whether the program found it by itself. What it writes down of a task or a session is a record, not a finding.
pub(super) fn is_gleaned(voice: &Voice, layer: Layer) -> bool {
    voice.origin == Origin::System && layer.is_lasting()
}

/// Why something waits that reads like an instruction.
pub const INSTRUCTION: &str = "it reads like an instruction to a model";

/// Why something waits for a person: text from outside, what the program gleaned, what reads like an instruction and no
/// person said, and what the cited lines do not say. An episode tells what was done or decided, often about lines that are
/// to change, and claims nothing of them.
pub(super) fn explain_quarantine(
    voice: &Voice,
    layer: Layer,
    marks: &[ModerationMark],
    unsaid: &UnsaidLiterals,
) -> Option<String> {
    let is_marked = |mark| marks.contains(&mark) && !voice.is_person();
    let why = if voice.tainted {
        "the text comes from outside"
    } else if is_gleaned(voice, layer) {
        "it was gleaned from a session, and nobody has confirmed it"
    } else if is_marked(ModerationMark::Instruction) {
        INSTRUCTION
    } else if is_marked(ModerationMark::Confusable) {
        "a word of it is spelled with letters that only look like its own"
    } else {
        let is_unsaid = !unsaid.literals.is_empty() && layer != Layer::Episode;
        return is_unsaid.then(|| format_unsaid_reason(unsaid));
    };
    Some(why.into())
}

/// How many of the missing literals a reason names, and how much of each, in characters.
const NAMED: usize = 5;
const NAME_CHARS: usize = 60;

fn format_unsaid_reason(unsaid: &UnsaidLiterals) -> String {
    let name = |it: &String| format!("`{}`", shorten_literal(it));
    let names: Vec<String> = unsaid.literals.iter().take(NAMED).map(name).collect();
    let listed = match &*names {
        [most @ .., last] if !most.is_empty() => format!("{} or {last}", most.join(", ")),
        _ => names.concat(),
    };
    let place = unsaid.said_at.as_ref();
    let place = place.map(|it| format!("; {it} says it"));
    format!(
        "the cited lines do not say {listed}{}",
        place.unwrap_or_default()
    )
}

/// A literal on one line and short enough for a reason.
fn shorten_literal(literal: &str) -> String {
    let line = literal.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(NAME_CHARS) {
        Some(_) => line.chars().take(NAME_CHARS - 1).chain(['…']).collect(),
        None => line,
    }
}

/// Whether a memory waits for nothing but lines that say what it states.
pub fn is_awaiting_proof(memory: &Memory) -> bool {
    memory.status.stage() == Stage::Pending
        && memory.marks.contains(&ModerationMark::Ungrounded)
        && explain_quarantine(
            &memory.voice,
            memory.layer,
            &memory.marks,
            &UnsaidLiterals::default(),
        )
        .is_none()
}

/// Whether a memory waits for nothing but somebody who states it too.
pub(super) fn awaits_second_voice(memory: &Memory) -> bool {
    memory.status.stage() == Stage::Pending
        && is_gleaned(&memory.voice, memory.layer)
        && !memory.voice.tainted
        && !memory.marks.iter().any(|it| {
            matches!(
                it,
                ModerationMark::Instruction
                    | ModerationMark::Ungrounded
                    | ModerationMark::Confusable
            )
        })
}
