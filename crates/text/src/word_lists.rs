//! Lists of words in one text, separated by blanks, and how they are looked up.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// Words that are looked up again and again.
pub(crate) type WordSet = LazyLock<HashSet<&'static str>>;

/// The words of a list, separated by blanks.
pub(crate) fn collect_words(list: &'static str) -> HashSet<&'static str> {
    list.split(' ').collect()
}

/// Whether a list of words, separated by blanks, holds this one.
#[must_use]
pub fn is_in_word_list(list: &str, word: &str) -> bool {
    list.split(' ').any(|it| it == word)
}

/// The value of each word in a table whose rows are words, separated by blanks, and the value that they share.
pub fn index_words<V: Copy>(rows: &[(&'static str, V)]) -> HashMap<&'static str, V> {
    let words = rows
        .iter()
        .flat_map(|(words, value)| words.split(' ').map(|it| (it, *value)));
    words.collect()
}
