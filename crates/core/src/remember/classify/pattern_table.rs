//! Patterns that are compiled when they are first worth trying.

use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};

/// A pattern over a text in lower case.
pub(super) struct LazyPattern {
    /// Words of which one must stand in the text: looking for them is cheap, compiling and trying the pattern is not.
    words: &'static [&'static str],
    pattern: &'static str,
    compiled: OnceLock<Regex>,
}

impl LazyPattern {
    pub(super) const fn new(words: &'static [&'static str], pattern: &'static str) -> Self {
        Self {
            words,
            pattern,
            compiled: OnceLock::new(),
        }
    }

    /// Whether a text in lower case has it.
    pub(super) fn matches_text(&self, lower: &str) -> bool {
        let is_worth = self.words.iter().any(|word| lower.contains(word));
        is_worth && self.compile_pattern().is_match(lower.as_bytes())
    }

    #[expect(
        clippy::expect_used,
        reason = "the patterns are constants, and tests compile them all"
    )]
    fn compile_pattern(&self) -> &Regex {
        self.compiled.get_or_init(|| {
            RegexBuilder::new(self.pattern)
                .unicode(false)
                .build()
                .expect("every row's pattern is valid")
        })
    }
}
