//! Commands that a person may paste.

use super::make_terminal_safe;
use apostille_text::shell_word::quote_shell_word;

/// A word as a shell takes it for one, to be pasted: nothing hidden in it, and no line break that would run half of it.
pub fn quote_pasted_word(word: &str) -> String {
    let word = make_terminal_safe(word).replace(['\n', '\t'], " ");
    quote_shell_word(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_one_word_whatever_they_hold() {
        let check =
            |word: &str, expected: &str| assert_eq!(quote_pasted_word(word), expected, "{word:?}");
        check("src/a.rs:1-2", "src/a.rs:1-2");
        check("it's so", r"'it'\''s so'");
        check("$(rm -rf ~)`x`", "'$(rm -rf ~)`x`'");
        check("a\nrm x", "'a rm x'");
        check("", "''");
    }
}
