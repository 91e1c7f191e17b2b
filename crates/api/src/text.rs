//! Cutting a text that is too long, everywhere at a character and never inside one.

/// The first so many characters of a text that has more of them.
pub fn beginning(text: &str, most: usize) -> Option<&str> {
    let (end, _) = text.char_indices().nth(most)?;
    Some(&text[..end])
}

/// A text of at most so many characters, and a sign that it was cut.
pub fn cut_text(text: &str, most: usize) -> String {
    beginning(text, most).map_or_else(|| text.to_owned(), |it| format!("{it}…"))
}
