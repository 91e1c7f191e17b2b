//! Patterns that are compiled when they are first used.

use regex::bytes::{Captures, Regex, RegexBuilder};

/// A pattern over lower-case text.
pub(super) struct Pattern(Regex);

impl Pattern {
    #[expect(
        clippy::expect_used,
        reason = "the patterns are constants, and the tests use every one"
    )]
    pub(super) fn new(pattern: &str) -> Self {
        Self(
            RegexBuilder::new(pattern)
                .unicode(false)
                .build()
                .expect("the pattern is valid"),
        )
    }

    pub(super) fn is_in(&self, text: &str) -> bool {
        self.0.is_match(text.as_bytes())
    }

    pub(super) fn captures<'a>(&self, text: &'a str) -> Option<Captures<'a>> {
        self.0.captures(text.as_bytes())
    }

    /// What stands behind the match.
    pub(super) fn text_after_match<'a>(&self, text: &'a str) -> Option<&'a str> {
        text.get(self.0.find(text.as_bytes())?.end()..)
    }
}

/// A list of words, set apart by spaces, as the alternatives of a pattern.
pub(super) fn join_alternatives(words: &str) -> String {
    format!(
        "(?:{})",
        words
            .split_whitespace()
            .collect::<Vec<_>>()
            .join("|")
            .replace('_', " ")
    )
}

/// Declares a pattern that is compiled once.
macro_rules! pattern {
    ($name:ident, $($pattern:expr),+) => {
        pub(super) static $name: std::sync::LazyLock<$crate::extract::pattern::Pattern> =
            std::sync::LazyLock::new(|| $crate::extract::pattern::Pattern::new(&[$($pattern.to_string()),+].concat()));
    };
}
pub(super) use pattern;
