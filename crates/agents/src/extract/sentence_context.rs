//! Where a sentence stands: what the agent did before it, and what the prompt around it is about.

use super::generality::has_work_class;
use super::lexicon::WAYS;
use super::own_sentences::Sentence;
use super::pattern::{join_alternatives, pattern};
use crate::transcript::{Speaker, TranscriptTurn};

/// Where a sentence stands.
pub(super) struct SentenceContext<'a> {
    /// What the agent said and did before, back to the prompt before this one.
    before: Vec<&'a TranscriptTurn>,
    /// Whether an agent spoke at all before.
    pub(super) is_answer: bool,
    /// Whether the prompt asks for a piece of work: rules in it are rules for that work.
    pub(super) has_task: bool,
    /// Whether the prompt says please.
    pub(super) is_polite: bool,
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

impl<'a> SentenceContext<'a> {
    pub(super) fn from_turns(
        turns: &'a [TranscriptTurn],
        at: usize,
        sentences: &[Sentence],
    ) -> Self {
        let before = &turns[..at];
        let start = before
            .iter()
            .rposition(|it| it.speaker == Speaker::Person)
            .unwrap_or(0);
        Self {
            before: before[start..]
                .iter()
                .filter(|it| it.speaker == Speaker::Agent)
                .collect(),
            is_answer: before.iter().any(|it| it.speaker == Speaker::Agent),
            has_task: sentences
                .iter()
                .any(|it| TASK.is_in(&it.lower) && !is_standing_order(&it.lower)),
            is_polite: sentences.iter().any(|it| it.lower.contains("please")),
            is_off_record: sentences.iter().any(|it| OFF_RECORD.is_in(&it.lower)),
        }
    }

    /// Whether the agent has just run such a command.
    pub(super) fn has_run_command(&self, command: &str) -> bool {
        let words = |text: &str| {
            text.split(|it: char| !(it.is_alphanumeric() || matches!(it, '-' | '_')))
                .any(|it| it.eq_ignore_ascii_case(command))
        };
        self.before
            .iter()
            .flat_map(|it| &it.uses)
            .filter(|it| is_shell_tool(&it.tool))
            .any(|it| words(&it.input))
    }
}

/// Whether a tool runs commands.
pub(super) fn is_shell_tool(tool: &str) -> bool {
    let tool = tool.to_ascii_lowercase();
    ["bash", "shell", "exec", "terminal", "powershell", "command"]
        .iter()
        .any(|it| tool.contains(it))
}

/// "put the ticket number into commit messages", "add an entry with every PR": no piece of work, however it begins.
pub(super) fn is_standing_order(lower: &str) -> bool {
    IN_MESSAGES.is_in(lower) && has_work_class(lower) || EVERY_STEP.is_in(lower)
}
