//! Lists of words in one text, separated by blanks, and how they are looked up.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// Words that are looked up again and again.
pub(crate) type WordSet = LazyLock<HashSet<&'static str>>;

/// The words of a list, separated by blanks.
pub(crate) fn collect_words(list: &'static str) -> HashSet<&'static str> {
    list.split(' ').collect()
}

/// A list of words in one text, separated by blanks, in which most words that are not of it are turned down at once.
///
/// Every word of every outlined file is looked up in several lists: going through the lists was a twelfth of a recall.
#[derive(Debug)]
pub struct WordList {
    words: &'static str,
    /// For each first byte, a bit for each length that words with it have; the last bit is for all that are longer.
    lengths: [u32; 256],
}

impl WordList {
    /// The list of these words.
    #[must_use]
    pub const fn new(words: &'static str) -> Self {
        let bytes = words.as_bytes();
        let mut lengths = [0; 256];
        let (mut start, mut end) = (0, 0);
        while end <= bytes.len() {
            if end == bytes.len() || bytes[end] == b' ' {
                if start < end {
                    lengths[bytes[start] as usize] |= Self::length_bit(end - start);
                }
                start = end + 1;
            }
            end += 1;
        }
        Self { words, lengths }
    }

    const fn length_bit(len: usize) -> u32 {
        1 << if len < 31 { len } else { 31 }
    }

    /// Whether this word is one of them.
    #[must_use]
    pub fn contains(&self, word: &str) -> bool {
        let first = word.as_bytes().first();
        let lengths = first.map_or(0, |it| self.lengths[usize::from(*it)]);
        lengths & Self::length_bit(word.len()) != 0 && is_in_word_list(self.words, word)
    }
}

/// Whether a list of words, separated by blanks, holds this one.
#[must_use]
pub fn is_in_word_list(list: &str, word: &str) -> bool {
    let (mut rest, word) = (list.as_bytes(), word.as_bytes());
    let Some(first) = word.first() else {
        return false;
    };
    while rest.len() >= word.len() {
        if rest[0] == *first && rest.starts_with(word) && is_end(rest, word.len()) {
            return true;
        }
        let Some(blank) = rest.iter().position(|it| *it == b' ') else {
            return false;
        };
        rest = &rest[blank + 1..];
    }
    false
}

fn is_end(rest: &[u8], len: usize) -> bool {
    rest.get(len).is_none_or(|it| *it == b' ')
}

/// The value of each word in a table whose rows are words, separated by blanks, and the value that they share.
pub fn index_words<V: Copy>(rows: &[(&'static str, V)]) -> HashMap<&'static str, V> {
    let words = rows
        .iter()
        .flat_map(|(words, value)| words.split(' ').map(|it| (it, *value)));
    words.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_whole() {
        let check = |list: &'static str, word: &str, expected: bool| {
            let found = [
                is_in_word_list(list, word),
                WordList::new(list).contains(word),
            ];
            assert_eq!(found, [expected; 2], "{word:?} in {list:?}")
        };
        check("fn func function", "fn", true);
        check("fn func function", "func", true);
        check("fn func function", "function", true);
        check("fn func function", "f", false);
        check("fn func function", "unc", false);
        check("fn func function", "functions", false);
        check("für où", "où", true);
        check("für où", "o", false);
        check("fn", "", false);
        check("", "fn", false);
        let long = "a_word_that_is_longer_than_the_filter_tells";
        check("fn a_word_that_is_longer_than_the_filter_tells", long, true);
        check("fn a_word_that_is_longer_than_the_filter_has", long, false);
    }
}
