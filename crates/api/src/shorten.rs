//! Cutting a text that is too long, everywhere at a character and never inside one.

/// The first so many characters of a text that has more of them.
pub fn take_first_chars(text: &str, most: usize) -> Option<&str> {
    let (end, _) = text.char_indices().nth(most)?;
    Some(&text[..end])
}

/// A text of at most so many characters, and a sign that it was cut.
pub fn shorten_with_ellipsis(text: &str, most: usize) -> String {
    take_first_chars(text, most).map_or_else(|| text.to_owned(), |it| format!("{it}…"))
}
