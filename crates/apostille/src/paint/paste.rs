//! Commands that a person may paste.

use super::safe;
use crate::args::Everywhere;

/// A text that a person may paste: nothing hidden in it, and no line break that would run half of it.
pub fn harmless(text: &str) -> String {
    safe(text).replace(['\n', '\t'], " ")
}

/// A word as a shell takes it for one.
pub fn quoted(word: &str) -> String {
    let word = harmless(word);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word;
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The program's name, with the flags that say which store and whose memory is meant.
pub fn program(flags: &Everywhere) -> String {
    let dir = flags
        .dir
        .as_ref()
        .map(|it| it.to_string_lossy().into_owned());
    let said = [
        ("-C", &dir),
        ("--store", &flags.store),
        ("--repo", &flags.repo),
        ("--as", &flags.as_user),
    ];
    let said = said
        .iter()
        .filter_map(|(flag, value)| Some(format!(" {flag} {}", quoted(value.as_ref()?))));
    std::iter::once("apostille".to_owned())
        .chain(said)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_one_word_whatever_they_hold() {
        let check = |word: &str, expected: &str| assert_eq!(quoted(word), expected, "{word:?}");
        check("src/a.rs:1-2", "src/a.rs:1-2");
        check("it's so", r"'it'\''s so'");
        check("$(rm -rf ~)`x`", "'$(rm -rf ~)`x`'");
        check("a\nrm x", "'a rm x'");
        check("", "''");
        let flags = Everywhere {
            repo: Some("a b/c".into()),
            ..Everywhere::default()
        };
        assert_eq!(program(&flags), "apostille --repo 'a b/c'");
    }
}
