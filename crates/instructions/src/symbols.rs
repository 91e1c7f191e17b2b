//! Which words of symbols the code has, found in one pass over the tree.

use std::collections::{BTreeSet, HashMap};

use apostille_cite::source::Source;

use crate::word_list::is_listed;

/// Words behind which a name is defined, in the languages that instructions speak of.
const DEFINERS: &str = "fn def class struct enum trait interface type const let var function func mod module object record \
    static union namespace package protocol macro_rules defmodule";

/// How a word occurs in the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum WordUse {
    /// Nowhere.
    #[default]
    Absent,
    /// Somewhere.
    Used,
    /// Behind a word that defines.
    Defined,
}

/// The words of symbols, as the code has them.
#[derive(Debug, Default)]
pub(crate) struct SymbolIndex {
    words: HashMap<String, WordUse>,
    is_whole: bool,
}

impl SymbolIndex {
    /// Looks for words in all text files but documents, until there is no more time.
    pub(crate) fn search(
        source: &dyn Source,
        wanted: BTreeSet<String>,
        is_late: &dyn Fn() -> bool,
    ) -> Self {
        let mut words: HashMap<String, WordUse> =
            wanted.into_iter().map(|it| (it, WordUse::Absent)).collect();
        if words.is_empty() {
            return Self {
                words,
                is_whole: true,
            };
        }
        let mut in_time = true;
        let shown = source.visit_files(&mut |path, blob| {
            in_time = !is_late();
            if in_time && !is_document(path.as_str()) {
                note_words(&String::from_utf8_lossy(&blob.bytes), &mut words);
            }
            in_time
        });
        let is_whole = in_time && shown.unwrap_or(false);
        Self { words, is_whole }
    }

    /// How the code has a word; `None` where the tree was not searched to its end and nothing was found.
    pub(crate) fn find_word(&self, word: &str) -> Option<WordUse> {
        let found = self.words.get(word).copied().unwrap_or_default();
        (self.is_whole || found > WordUse::Absent).then_some(found)
    }
}

/// Whether a file only speaks about code: that a word stands there proves nothing.
#[must_use]
pub fn is_document(path: &str) -> bool {
    let ending = path.rsplit('.').next().unwrap_or_default();
    let name = path.rsplit('/').next().unwrap_or(path);
    matches!(
        ending,
        "md" | "mdc" | "mdx" | "rst" | "txt" | "adoc" | "markdown"
    ) || matches!(name, ".cursorrules" | ".windsurfrules" | ".clinerules")
}

fn note_words(text: &str, words: &mut HashMap<String, WordUse>) {
    let mut before = "";
    for word in text.split(|c: char| !c.is_alphanumeric() && c != '_') {
        if word.is_empty() {
            continue;
        }
        // A name that is private by its first letter is known by the rest, too.
        let bare = word.trim_start_matches('_');
        let known = if words.contains_key(word) { word } else { bare };
        if let Some(found) = words.get_mut(known) {
            let now = if is_listed(DEFINERS, before) {
                WordUse::Defined
            } else {
                WordUse::Used
            };
            *found = now.max(*found);
        }
        before = word;
    }
}
