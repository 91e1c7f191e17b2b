//! Lists of words, each written as one text.

/// Whether a list, with blanks between its words, has exactly this one.
pub(crate) fn is_listed(list: &str, word: &str) -> bool {
    list.split(' ').any(|it| it == word)
}

/// Whether a text has one of these phrases, with bars between them, from where a word begins. What is not written in
/// letters of ASCII has no blanks around it.
pub(crate) fn has_any(text: &str, phrases: &str) -> bool {
    phrases.split('|').any(|phrase| {
        let is_free = phrase.starts_with("n't") || !phrase.is_ascii();
        let is_start = |at: usize| !text[..at].ends_with(char::is_alphanumeric);
        text.match_indices(phrase)
            .any(|(at, _)| is_free || is_start(at))
    })
}
