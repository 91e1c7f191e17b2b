//! Who is believed at once, and what waits for a person, for proof, or for another voice.

use super::{classify::is_gleaned, prove::CitationDoubts};
use crate::memory::{Layer, Memory, ModerationMark, Origin, Stage, Voice};

/// Why something waits that reads like an instruction.
pub const INSTRUCTION: &str = "it reads like an instruction to a model";

/// Why something waits that would take the place of what a person said.
pub(super) const OUSTS_PERSON: &str = "it would take the place of what a person said";

/// Every reason why something waits for a person: text from outside, what the program gleaned, what reads like an instruction
/// and no person said, and what the cited lines do not say. All of them are told, because clearing one does not clear the
/// others. An episode tells what was done or decided, often about lines that are to change, and claims nothing of them.
pub(super) fn list_quarantine_reasons(
    voice: &Voice,
    layer: Layer,
    marks: &[ModerationMark],
    doubts: &CitationDoubts,
) -> Vec<String> {
    let is_marked = |mark| marks.contains(&mark) && !voice.is_person();
    let is_order = is_marked(ModerationMark::Instruction);
    let is_unsaid = !doubts.unsaid.is_empty() && layer != Layer::Episode;
    let reasons = [
        (is_order && !doubts.is_cited_order, INSTRUCTION),
        (
            is_order && doubts.is_cited_order,
            "the cited lines read like an instruction to a model",
        ),
        (
            voice.tainted && voice.origin == Origin::Review,
            "a reviewer asked for it, and too few others so far",
        ),
        (
            voice.tainted && voice.origin != Origin::Review,
            "the text comes from outside",
        ),
        (
            is_gleaned(voice, layer) && !voice.tainted,
            "it was extracted from a session and is not confirmed",
        ),
        (
            is_marked(ModerationMark::Confusable),
            "a word of it is spelled with letters that only look like its own",
        ),
    ];
    let reasons = reasons.into_iter().filter(|it| it.0);
    let unsaid = is_unsaid.then(|| format_unsaid_reason(doubts));
    let reasons = reasons.map(|it| it.1.into());
    reasons.chain(doubts.unread.clone()).chain(unsaid).collect()
}

/// Several reasons as one text.
pub(super) fn join_reasons(reasons: &[String]) -> Option<String> {
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

/// How many of the missing literals a reason names, and how much of each, in characters.
const NAMED: usize = 5;
const NAME_CHARS: usize = 60;

fn format_unsaid_reason(doubts: &CitationDoubts) -> String {
    let name = |it: &String| format!("`{}`", shorten_literal(it));
    let names: Vec<String> = doubts.unsaid.iter().take(NAMED).map(name).collect();
    let listed = match &*names {
        [most @ .., last] if !most.is_empty() => format!("{} or {last}", most.join(", ")),
        _ => names.concat(),
    };
    let place = doubts.said_at.as_ref();
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
    let is_ousting = |why: &str| why.contains(OUSTS_PERSON);
    let no_doubts = CitationDoubts::default();
    memory.status.stage() == Stage::Pending
        && memory.marks.contains(&ModerationMark::Ungrounded)
        && !memory.status.why().is_some_and(is_ousting)
        && list_quarantine_reasons(&memory.voice, memory.layer, &memory.marks, &no_doubts)
            .is_empty()
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
