//! Patterns that are compiled when they are first used, by a library that compiles quickly: a hook goes through a prompt once and
//! ends. 133 of them took 13.9 ms to compile with `regex` and take 2.1 with `regex-lite`; a sentence is matched in .5 ms then, not .04.

use std::ops::Range;
use std::sync::LazyLock;

use regex_lite::{Captures, Regex};

/// A pattern over lower-case text.
pub(super) struct Pattern(pub(super) LazyLock<Regex>);

impl Pattern {
    pub(super) fn is_in(&self, text: &str) -> bool {
        self.0.is_match(text)
    }

    pub(super) fn find(&self, text: &str) -> Option<Range<usize>> {
        Some(self.0.find(text)?.range())
    }

    pub(super) fn captures<'a>(&self, text: &'a str) -> Option<Captures<'a>> {
        self.0.captures(text)
    }

    /// What a group of it stands for.
    pub(super) fn group<'a>(&self, text: &'a str, n: usize) -> Option<&'a str> {
        text.get(self.captures(text)?.get(n)?.range())
    }

    /// What stands behind the match.
    pub(super) fn text_after_match<'a>(&self, text: &'a str) -> Option<&'a str> {
        text.get(self.find(text)?.end..)
    }

    /// Takes out whatever matches, also what only matches then.
    pub(super) fn strip_from(&self, text: &mut String) {
        while let Some(found) = self.find(text) {
            text.replace_range(found, "");
        }
    }
}

#[expect(
    clippy::expect_used,
    reason = "the patterns are constants, and the tests use every one"
)]
pub(super) fn compile_pattern(parts: &[String]) -> Regex {
    Regex::new(&parts.concat()).expect("the pattern is valid")
}

/// A list of words, set apart by spaces, as the alternatives of a pattern.
pub(super) fn join_alternatives(words: &str) -> String {
    let words: Vec<&str> = words.split_whitespace().collect();
    format!("(?:{})", words.join("|").replace('_', " "))
}

/// Declares a pattern that is compiled once.
macro_rules! pattern {
    ($name:ident, $($pattern:expr),+) => {
        pub(super) static $name: $crate::extract::pattern::Pattern = $crate::extract::pattern::Pattern(
            std::sync::LazyLock::new(|| $crate::extract::pattern::compile_pattern(&[$($pattern.to_string()),+])),
        );
    };
}
pub(super) use pattern;
