//! A thought in two sentences: "Never commit to main. Always open a branch."

use super::non_statements;
use super::{
    opening::parse_opening,
    own_sentences::Sentence,
    pattern::pattern,
    phrase::{StatementPhrase, parse_statement_phrase},
};

pattern!(
    FORBIDS,
    r"^(?:[a-z]+, )?(?:please )?(?:never|don't|do not|no|stop|avoid|always|you (?:must|should|may) (?:not|never|always))\b"
);
// The other half of a rule: firm, or what to do in place of what is forbidden.
pattern!(
    OTHER_HALF,
    r"^(?:please )?(?:always|never|only|instead,?|rather,?) \w+ |^(?:please )?(?:use|ask|open|wait|create|run) (?:an?|me|for|with|by|before) "
);
pattern!(POINTS, r"\b(?:it|them|this|that|these|those|the)\b");

pattern!(
    HALF,
    r"\b(?:a new|another|the other|the right) one\b|^(?:please )?(?:always|never|only) \w+ \S+ instead$"
);

/// Whether a sentence says little without the one before it: "always add a new one".
pub(super) fn is_half_statement(sentence: &Sentence) -> bool {
    HALF.is_in(&sentence.lower)
}

/// A wish that was just stated, to which the next sentence may belong.
pub(super) struct OpenWish {
    text: String,
    is_open: bool,
    phrase: StatementPhrase,
}

impl OpenWish {
    pub(super) fn new(sentence: &Sentence, phrase: StatementPhrase) -> Self {
        let (_, range) = parse_opening(&sentence.lower);
        let told = sentence.lower.get(range);
        Self {
            text: sentence.text.clone(),
            is_open: told.is_some_and(|it| FORBIDS.is_in(it)),
            phrase,
        }
    }

    /// The whole thought as a fact, where the sentence is its other half.
    pub(super) fn complete_with(self, sentence: &Sentence) -> Option<String> {
        let lower = sentence.lower.as_str();
        let is_half = self.is_open
            && OTHER_HALF.is_in(lower)
            && !POINTS.is_in(lower)
            && !non_statements::is_doubtful_sentence(sentence)
            && !non_statements::has_task_tail(lower);
        let half = parse_statement_phrase(&sentence.text, lower).filter(|_| is_half)?;
        let quoted = || StatementPhrase::Quoted(format!("{}. {}", self.text, sentence.text));
        let whole = self.phrase.merge_wish(half).unwrap_or_else(quoted);
        let whole = whole.to_sentence();
        non_statements::is_keepable_statement(&whole).then_some(whole)
    }
}
