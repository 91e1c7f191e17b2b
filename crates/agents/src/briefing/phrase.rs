//! Turns of speech. A hook asks about one prompt and ends, so a pattern is made only where a word of it is there: making
//! all of them would take longer than recalling.

use regex_lite::Regex;

/// How much of a prompt is looked at, in characters.
const READ_CHARS: usize = 4_000;

/// Words of which one stands in whatever matches, and the pattern.
pub(super) type PhrasePattern = (&'static [&'static str], &'static str);

/// Whether a text has one of these phrases.
pub(super) fn has_any_phrase(text: &str, phrases: &[PhrasePattern]) -> bool {
    let text = text
        .chars()
        .take(READ_CHARS)
        .collect::<String>()
        .to_lowercase()
        .replace('’', "'");
    let may_match = |(hints, _): &&PhrasePattern| hints.iter().any(|it| text.contains(it));
    phrases
        .iter()
        .filter(may_match)
        .any(|(_, pattern)| compile_phrase_regex(pattern).is_some_and(|it| it.is_match(&text)))
}

fn compile_phrase_regex(pattern: &str) -> Option<Regex> {
    Regex::new(pattern).ok()
}

#[cfg(test)]
pub(super) mod tests {
    /// Makes sure that every pattern can be made.
    pub(in crate::briefing) fn assert_phrases_compile(phrases: &[super::PhrasePattern]) {
        phrases.iter().for_each(|(_, pattern)| {
            assert!(super::compile_phrase_regex(pattern).is_some(), "{pattern}");
        });
    }
}
