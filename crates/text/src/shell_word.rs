//! A word as a shell reads it.

/// A word that a POSIX shell takes for one word, whatever is in it: nothing of it is expanded or run.
pub fn quote_shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
