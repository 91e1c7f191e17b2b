//! Cutting a text to a length.

/// The beginning of a text that has at most so many characters, with an ellipsis where something was cut.
pub fn shorten_text(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        None => text.to_owned(),
        Some(_) => {
            let kept: String = text.chars().take(chars.saturating_sub(1)).collect();
            format!("{}…", kept.trim_end())
        }
    }
}

/// The beginning of a text that has at most so many characters, without the word that the cut would go through. Of half a secret
/// nobody can tell that it is one.
pub fn cut_before_word(text: &str, chars: usize) -> &str {
    match text.char_indices().nth(chars) {
        None => text,
        Some((end, _)) => &text[..text[..end].rfind(char::is_whitespace).unwrap_or(0)],
    }
}
