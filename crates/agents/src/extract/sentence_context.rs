//! Where a sentence stands: what the agent did before it, and what the prompt around it is about.

use super::generality::has_work_class;
use super::{
    lexicon::{WAYS, has_listed_word},
    opening::SentenceOpening,
    own_sentences::Sentence,
    pattern::{Pattern, join_alternatives, pattern},
    phrase::{StatementPhrase, parse_statement_phrase},
};
use crate::transcript::{TranscriptTurn, TurnSpeaker, is_shell_tool};

/// Where a sentence stands.
pub(super) struct SentenceContext<'a> {
    /// What the agent said and did before, back to the prompt before this one.
    before: Vec<&'a TranscriptTurn>,
    /// What the agent said last before the prompt, and first after it.
    pub(super) agent_before: Option<&'a str>,
    pub(super) agent_after: Option<&'a str>,
    /// Whether an agent spoke at all before.
    pub(super) is_answer: bool,
    /// Whether the prompt asks for a piece of work: rules in it are rules for that work.
    pub(super) has_task: bool,
    /// Whether the prompt says please.
    pub(super) is_polite: bool,
    /// Whether the prompt begins with a cry alone: "omg no."
    pub(super) is_outcry: bool,
    /// Whether the person does not want it kept.
    pub(super) is_off_record: bool,
}

pattern!(
    TASK,
    r"^(?:(?:please|ok|okay|now|then|and|so|next|first|also|great|good|thanks|yes|can you|could you|would you|i want you to|i need you to|let's|go ahead and),? )*",
    join_alternatives(
        "write implement add create build make fix refactor change update generate convert remove delete rename move translate review draft put set show explain find look check investigate design port migrate replace extract render parse rewrite improve optimi[sz]e clean debug finish continue handle give list summari[sz]e"
    ),
    r"\b|^i (?:want|need) (?:a|an|the|some|you)\b"
);
pattern!(
    OFF_RECORD,
    r"\b(?:don't|do not|no need to) (?:remember|store|save|memori[sz]e|keep|note|write (?:that|this|it) down)\b(?: (?:that|this|it))?|\boff the record\b|\bignore memory\b"
);

pattern!(
    IN_MESSAGES,
    r"^(?:please )?(?:also )?(?:always )?(?:(?:use|include|put|mention|write|add|reference|link) .*\b(?:in|into|to|on) (?:all |every )?|(?:keep|prefix|start|end|name|write) (?:your |all )?)(?:commit messages|commit subjects|commit titles|prs|pull requests|pr descriptions|pr titles|branch names|test names|variable names|function names|answers|replies|changelog entries)\b"
);
pattern!(
    EVERY_STEP,
    r"^(?:please )?(?:also )?(?:always )?",
    join_alternatives(WAYS),
    r"\b [^,]*\b(?:before|after|with|for) (?:every|each|any) (?:single )?(?:commit|push|pr|pull request|merge|release|deploy|bug ?fix|new (?:feature|module|file|function|dependency))s?$"
);

/// What is left of a sentence behind its opening, and where it stands.
pub(super) struct SentenceBody<'a> {
    /// As it was written.
    pub(super) text: &'a str,
    /// In lower case, quotations blotted out.
    pub(super) lower: &'a str,
    pub(super) lead: SentenceOpening,
    pub(super) setting: &'a SentenceContext<'a>,
}

impl SentenceBody<'_> {
    pub(super) fn is(&self, pattern: &Pattern) -> bool {
        pattern.is_in(self.lower)
    }

    /// What it says, where it is such a statement.
    pub(super) fn phrase_if(&self, is_stated: bool) -> Option<StatementPhrase> {
        parse_statement_phrase(self.text, self.lower).filter(|_| is_stated)
    }
}

impl<'a> SentenceContext<'a> {
    pub(super) fn from_turns(
        turns: &'a [TranscriptTurn],
        at: usize,
        sentences: &[Sentence],
    ) -> Self {
        let before = turns[..at].iter();
        let is_agent = |it: &&TranscriptTurn| it.speaker == TurnSpeaker::Agent;
        let is_any = |is_such: fn(&str) -> bool| sentences.iter().any(|it| is_such(&it.lower));
        let later = before.clone().rev();
        let before_prompt: Vec<&TranscriptTurn> = later
            .take_while(|it| it.speaker != TurnSpeaker::Person)
            .filter(is_agent)
            .collect();
        let text_of = |it: &&'a TranscriptTurn| Some(it.text.trim()).filter(|it| !it.is_empty());
        let mut answers = turns[at + 1..]
            .iter()
            .take_while(|it| it.speaker != TurnSpeaker::Person);
        Self {
            agent_before: before_prompt.iter().find_map(text_of),
            agent_after: answers.find_map(|it| text_of(&it)),
            before: before_prompt,
            is_answer: before.clone().any(|it| is_agent(&it)),
            has_task: is_any(|it| TASK.is_in(it) && !is_standing_order(it)),
            is_outcry: sentences.first().is_some_and(|it| {
                !it.lower.is_empty() && measure_outcry(&format!("{},", it.lower)) > it.lower.len()
            }),
            is_polite: is_any(|it| it.contains("please")),
            is_off_record: is_any(|it| OFF_RECORD.is_in(it)),
        }
    }

    /// Whether the agent has just run such a command.
    pub(super) fn has_run_command(&self, command: &str) -> bool {
        let is_gap = |it: char| !(it.is_alphanumeric() || matches!(it, '-' | '_'));
        let mut calls = self.before.iter().flat_map(|it| &it.uses);
        calls.any(|it| {
            let mut words = it.input.split(is_gap);
            is_shell_tool(&it.tool) && words.any(|it| it.eq_ignore_ascii_case(command))
        })
    }
}

/// "put the ticket number into commit messages", "add an entry with every PR": no piece of work, however it begins.
pub(super) fn is_standing_order(lower: &str) -> bool {
    IN_MESSAGES.is_in(lower) && has_work_class(lower) || EVERY_STEP.is_in(lower)
}

/// Exclamations: what follows them puts something right.
const OUTCRIES: &str = "oh ah ahh ahm hm hmm hmmm uh uhm um ugh argh sigh duh nope nah no omg ouch eh ehm er erm wait careful wow yikes oops whoa huh nono noo \
    hold on stop not that wrong again";

/// How many bytes of it are cries before what is said: "hm, …", "oh duh, …".
pub(super) fn measure_outcry(lower: &str) -> usize {
    let mut end = 0;
    for piece in lower.split_inclusive([' ', ',']) {
        let word = strip_marks(piece.trim());
        if !word.is_empty() && !has_listed_word(OUTCRIES, word) {
            break;
        }
        end += piece.len();
    }
    // "no tests", "not that file": words that also begin a statement count only with a mark behind them.
    let cry = &lower[..end];
    let is_soft = cry
        .split_whitespace()
        .any(|it| has_listed_word("no not stop that on wrong again wait", strip_marks(it)));
    let is_marked = cry.trim_end().ends_with([',', '.', ':', '-', '!']);
    if is_soft && !is_marked { 0 } else { end }
}

fn strip_marks(word: &str) -> &str {
    word.trim_matches(|it: char| matches!(it, ',' | ';' | ':' | '.' | '!' | '(' | ')' | '*'))
}
