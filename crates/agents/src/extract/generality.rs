//! Whether a sentence speaks of a class of things and not of one thing: "in tests", not "in the test".

use super::lexicon::{CODE_HABITS, HABITS, MANNERS, WAYS, WORK, has_listed_word};
use super::pattern::pattern;

pattern!(
    PROJECT,
    r"\b(?:in|of|for|across|throughout|within) (?:this|our) (?:repo|repository|project|codebase|monorepo|workspace|team|company|org)\b|\bon our machines\b"
);
pattern!(
    EVERY_PROJECT,
    r"\b(?:in|for|across|of|with) (?:all|every one of|each of|any of) (?:of )?my (?:repos|repositories|projects|code|work)\b|\b(?:in|for) every (?:repo|repository|project)\b|\bwhatever (?:repo|repository|project)\b|\b(?:wherever|no matter where) (?:i|we|you) work\b"
);
pattern!(HERE, r" here(?:[ ,;:.]|$)");
// A scope that is gone with the work in hand. "The end of your answers" is none.
pattern!(
    NARROW,
    r"\b(?:in|for|of|on|to|from|at|into|with|inside) (?:the|this|that|these|those|my) |\b(?:in|for|to|from|of) (?:[\w-]+/)*\w+(?:\.[a-z]{1,4}\b|\(|_\w+)|\b(?:yet|now|first|again|anymore|any more|the (?:new|old)|tests? you (?:just )?(?:wrote|added))\b"
);
pattern!(
    WIDE,
    r"\b(?:in|for|of|on|to|from|at|into|with|inside) (?:the (?:end|start|beginning|top|bottom|code|user|network|repo|repository|project|codebase|imperative|same|first place|main branch|present tense|past tense|active voice|first person)|this (?:repo|repository|project|codebase|monorepo|workspace|team))\b"
);

/// Words that narrow nothing.
const EMPTY: &str = "and or no any more all other old new existing open current extra additional unused remaining slow for from of as than that not ever never always only just like love hate";
/// Words after which a determiner no longer holds.
const BREAKS: &str = "in into on to for with of at from by without before after and or as than that when if not use using";
const DETERMINERS: &str = "the this that these those its my his her their both some two three few";

/// Whether a text says that it holds in the project: "in this repo", "here".
pub(super) fn has_project_scope(lower: &str) -> bool {
    PROJECT.is_in(lower) || HERE.is_in(lower)
}

/// Whether a text says that it holds in all of the person's projects.
pub(super) fn has_every_project(lower: &str) -> bool {
    EVERY_PROJECT.is_in(lower)
}

/// The text without its "here" and "in this project", so that other pointers can be looked for.
pub(super) fn strip_project_scope(lower: &str) -> String {
    let mut text = lower.replace(" in this project", "");
    for it in "repo repository codebase monorepo workspace team".split(' ') {
        text = text.replace(&format!(" in this {it}"), "");
    }
    match text.find(" here") {
        Some(at) if HERE.is_in(&text) => format!("{}{}", &text[..at], &text[at + " here".len()..]),
        _ => text,
    }
}

// Only for the work in hand, or the reason why.
pattern!(
    EXCUSED,
    r", (?:only|just|go|i|we|it|they|so|because|since|but)\b|\b(?:until|till|because|twice|and (?:continue|go|get|move|start|just|instead|do|fix|write)|for a (?:moment|minute|while|second|sec|bit))\b"
);

/// Whether it is about a class of things of the work, and not about a part of the work in hand: the class is a place
/// ("in tests"), it is told from others ("wildcard imports"), or it is good or bad by itself ("emojis").
pub(super) fn is_about_class(lower: &str) -> bool {
    has_class(lower, |it, before| {
        has_listed_word(MANNERS, it) || has_listed_word(WORK, it) && is_class_qualifier(it, before)
    })
}

/// Whether the word before a class narrows it, or makes it a place; a verb does neither.
fn is_class_qualifier(class: &str, before: &str) -> bool {
    let is_none = [WAYS, HABITS, CODE_HABITS, EMPTY]
        .iter()
        .any(|it| has_listed_word(it, before));
    let is_compound = has_listed_word("messages subjects titles names descriptions", class)
        && has_listed_word("commit branch test tag release", before);
    is_compound || !(before.is_empty() || is_none)
}

/// Whether it names things of the work at all, where its form already says that it is about all of them.
pub(super) fn has_work_class(lower: &str) -> bool {
    has_class(lower, |it, _| {
        has_listed_word(WORK, it) || has_listed_word(MANNERS, it)
    })
}

/// The same, for any things at all: enough where the project is named. "Here" alone may be a line of code.
pub(super) fn is_about_class_in_project(lower: &str) -> bool {
    let is_plural =
        |it: &str| it.len() > 3 && it.ends_with('s') && !it.ends_with("ss") && !it.ends_with("us");
    PROJECT.is_in(lower) && has_class(lower, |it, _| is_plural(it))
}

/// Whether such things are spoken of in general, and not only for the work in hand.
fn has_class(lower: &str, is_such: impl Fn(&str, &str) -> bool) -> bool {
    !is_narrow_scope(lower) && !EXCUSED.is_in(lower) && has_bare_noun(lower, is_such)
}

/// Whether it is bound to one place, which is gone tomorrow.
pub(super) fn is_narrow_scope(lower: &str) -> bool {
    let mut text = strip_project_scope(lower);
    WIDE.strip_from(&mut text);
    NARROW.is_in(&text)
}

/// Whether one of such words, given with the word before it, stands without a determiner.
fn has_bare_noun(lower: &str, is_such: impl Fn(&str, &str) -> bool) -> bool {
    let (mut is_definite, mut before) = (false, "");
    for word in lower.split(|it: char| it.is_whitespace() || matches!(it, ',' | ';' | ':')) {
        if has_listed_word(DETERMINERS, word) && word != "that" {
            is_definite = true;
        } else if has_listed_word(BREAKS, word) {
            is_definite = false;
        } else if !is_definite && is_such(word, before) {
            return true;
        }
        before = word;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_is_told_from_a_thing() {
        let check =
            |text: &str, expected: bool| assert_eq!(is_about_class(text), expected, "{text:?}");
        check("don't use sleeps in tests", true);
        check("don't use emojis in commit messages", true);
        check("don't touch the tests", false);
        check("don't use mocks for the parser", false);
        check("don't use mocks in parser_test.rs", false);
        check("don't add tests for now", false);
        check("don't add tests", false);
        check("don't use wildcard imports", true);
        check("no tests, just the fix", false);
        check("no summaries at the end of your answers", true);
        assert!(
            is_about_class_in_project("don't use mocks in this repo")
                && !is_about_class_in_project("don't use mocks here")
        );
    }

    #[test]
    fn the_place_is_taken_out() {
        assert_eq!(
            strip_project_scope("we keep styles here, always"),
            "we keep styles, always"
        );
        assert_eq!(strip_project_scope("no mocks in this repo"), "no mocks");
        assert_eq!(strip_project_scope("adhere to it"), "adhere to it");
    }
}
