//! Who is believed at once, and what waits for a person, for proof, or for another voice.

use crate::memory::{Layer, Mark, Memory, Origin, Stage, Status, Voice};

/// Whether the program found it by itself. What it writes down of a task or a session is a record, not a finding.
pub(super) fn is_gleaned(voice: &Voice, layer: Layer) -> bool {
    voice.origin == Origin::System && matches!(layer, Layer::Identity | Layer::Knowledge)
}

/// Why something waits that reads like an instruction.
pub const INSTRUCTION: &str = "it reads like an instruction to a model";

/// Text from outside, what the program gleaned, what reads like an instruction and no person said, and what the cited
/// lines do not say waits for a person. An episode tells what was done or decided, often about lines that are to change,
/// and claims nothing of them.
pub(super) fn decide_initial_status(
    voice: &Voice,
    layer: Layer,
    marks: &[Mark],
    unsaid: &[String],
) -> Status {
    if voice.tainted {
        Status::Pending {
            why: "the text comes from outside".into(),
        }
    } else if is_gleaned(voice, layer) {
        Status::Pending {
            why: "it was gleaned from a session, and nobody has confirmed it".into(),
        }
    } else if marks.contains(&Mark::Instruction) && !voice.is_person() {
        Status::Pending {
            why: INSTRUCTION.into(),
        }
    } else if marks.contains(&Mark::Confusable) && !voice.is_person() {
        Status::Pending {
            why: "a word of it is spelled with letters that only look like its own".into(),
        }
    } else if !unsaid.is_empty() && layer != Layer::Episode {
        Status::Pending {
            why: format_unsaid_reason(unsaid),
        }
    } else {
        Status::Active
    }
}

/// How many of the missing literals a reason names, and how much of each, in characters.
const NAMED: usize = 5;
const NAME_CHARS: usize = 60;

fn format_unsaid_reason(unsaid: &[String]) -> String {
    let name = |it: &String| format!("`{}`", shorten_literal(it));
    let mut names: Vec<String> = unsaid.iter().take(NAMED).map(name).collect();
    let last = names.pop().unwrap_or_default();
    let listed = if names.is_empty() {
        last
    } else {
        format!("{} or {last}", names.join(", "))
    };
    format!("the cited lines do not say {listed}")
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
#[must_use]
pub fn is_awaiting_proof(memory: &Memory) -> bool {
    memory.status.stage() == Stage::Pending
        && memory.marks.contains(&Mark::Ungrounded)
        && decide_initial_status(&memory.voice, memory.layer, &memory.marks, &[]) == Status::Active
}

/// Whether a memory waits for nothing but somebody who states it too.
pub(super) fn awaits_second_voice(memory: &Memory) -> bool {
    memory.status.stage() == Stage::Pending
        && is_gleaned(&memory.voice, memory.layer)
        && !memory.voice.tainted
        && !memory
            .marks
            .iter()
            .any(|it| matches!(it, Mark::Instruction | Mark::Ungrounded | Mark::Confusable))
}
