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
