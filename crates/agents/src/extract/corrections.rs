//! Where a person puts the agent right: what is counted, and what is looked for again in later sessions. Unlike what is proposed as a
//! memory, it need not be lasting: "no, the other file" is a correction, and nothing to remember.

use super::{
    StatementSort, extract_from_sentence, non_statements, opening::SentenceOpening,
    opening::parse_opening, own_sentences, own_sentences::Sentence, pattern::pattern,
    sentence_context::SentenceContext,
};
use crate::transcript::{TranscriptTurn, TurnSpeaker};

pattern!(
    TAKES_BACK,
    r"^(?:please |ok |okay |hm+ )*(?:undo|revert|roll back|take (?:it|that|this) back|put (?:it|that|this) back|stop\b|you (?:broke|forgot|missed|deleted)|that(?:'s| is) not what|why did you|don't touch|i didn't ask)"
);

/// How much of a correction is kept, in characters.
const MAX_CHARS: usize = 160;

/// The prompts that put the agent right, each by the sentence that does.
#[must_use]
pub fn find_corrections(turns: &[TranscriptTurn]) -> Vec<String> {
    let prompts = turns.iter().enumerate();
    let prompts = prompts.filter(|(_, it)| it.speaker == TurnSpeaker::Person);
    let found = prompts.filter_map(|(at, it)| find_correcting_sentence(turns, at, &it.text));
    found.collect()
}

fn find_correcting_sentence(turns: &[TranscriptTurn], at: usize, prompt: &str) -> Option<String> {
    let sentences = own_sentences::split_own_sentences(prompt);
    let setting = SentenceContext::from_turns(turns, at, &sentences);
    if !setting.is_answer || setting.is_off_record {
        return None;
    }
    // "No" to a question is an answer.
    let before = turns[..at].iter().rev();
    let asked = before
        .filter(|it| it.speaker == TurnSpeaker::Agent)
        .find(|it| !it.text.trim().is_empty())
        .is_some_and(|it| it.text.trim_end().ends_with('?'));
    let is_correction = |(n, it): &(usize, &Sentence)| {
        let lead = parse_opening(&it.lower).0;
        let is_first = *n == 0 && !it.is_question;
        let is_told = lead == SentenceOpening::Told
            || is_first && (lead == SentenceOpening::No && !asked || TAKES_BACK.is_in(&it.lower));
        let sort = || extract_from_sentence(it, &setting).map(|it| it.0);
        is_told && !non_statements::is_retraction(it) || sort() == Some(StatementSort::Correction)
    };
    let found = sentences.iter().enumerate().find(is_correction)?.1;
    Some(found.text.chars().take(MAX_CHARS).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(agent: &str, prompt: &str, expected: bool) {
        let turn = |number: usize, speaker: TurnSpeaker, text: &str| TranscriptTurn {
            number,
            at: None,
            speaker,
            text: text.into(),
            uses: Vec::new(),
        };
        let turns = [
            turn(1, TurnSpeaker::Person, "fix the login"),
            turn(2, TurnSpeaker::Agent, agent),
            turn(3, TurnSpeaker::Person, prompt),
        ];
        assert_eq!(!find_corrections(&turns).is_empty(), expected, "{prompt}");
    }

    #[test]
    fn corrections_are_told_from_answers_and_wishes() {
        check("I changed app.rs.", "no, the other file", true);
        check("I changed app.rs.", "No. Use the old one.", true);
        check(
            "I changed app.rs.",
            "I told you to leave the lock file alone",
            true,
        );
        check(
            "I changed app.rs.",
            "revert that, it breaks the build",
            true,
        );
        check("I changed app.rs.", "you forgot the test", true);
        check("I ran npm test.", "no, we use pnpm here", true);
        check("Shall I also change the docs?", "no, leave them", false);
        check("I changed app.rs.", "great, now add a test", false);
        check("I changed app.rs.", "can you undo the last step?", false);
        check("I changed app.rs.", "thanks!", false);
    }
}
