//! One word per idea: enums that are written as fixed words in every face and on disk.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// Words that are looked up again and again.
pub(crate) type WordSet = LazyLock<HashSet<&'static str>>;

/// The words of a list, separated by blanks.
pub(crate) fn collect_words(list: &'static str) -> HashSet<&'static str> {
    list.split(' ').collect()
}

/// A word that is not one of the words an idea has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown {idea} '{word}', expected one of: {known}")]
pub struct UnknownWord {
    /// What was asked for, such as `kind`.
    pub idea: &'static str,
    /// The word given.
    pub word: String,
    /// The words there are, separated by commas.
    pub known: String,
}

/// Whether a list of words, separated by blanks, holds this one.
pub(crate) fn is_in_word_list(list: &str, word: &str) -> bool {
    list.split(' ').any(|it| it == word)
}

/// The value of each word in a table whose rows are words, separated by blanks, and the value that they share.
#[must_use]
pub fn index_words<V: Copy>(rows: &[(&'static str, V)]) -> HashMap<&'static str, V> {
    let words = rows
        .iter()
        .flat_map(|(words, value)| words.split(' ').map(|it| (it, *value)));
    words.collect()
}

/// Declares a field-less enum together with its words.
#[macro_export]
macro_rules! words {
    ($(#[$meta:meta])* $name:ident as $idea:literal { $($(#[$vmeta:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$vmeta])* $variant,)+ }

        impl $name {
            /// Every value, in order.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            /// The word it is written as, everywhere.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $($name::$variant => $word),+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::words::UnknownWord;
            fn from_str(word: &str) -> Result<Self, Self::Err> {
                Self::ALL.iter().copied().find(|it| it.as_str() == word).ok_or_else(|| $crate::words::UnknownWord {
                    idea: $idea,
                    word: $crate::secrets::mask_secrets(word).chars().take(40).collect(),
                    known: Self::ALL.iter().map(|it| it.as_str()).collect::<Vec<_>>().join(", "),
                })
            }
        }
    };
}
pub use words;
