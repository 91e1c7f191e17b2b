//! How many sentences a text has, and where one ends.

use crate::word_lists::is_in_word_list;

/// Words that end with a full stop inside a sentence.
const ABBREVIATIONS: &str = "e.g i.e etc vs cf approx no nr fig eq incl resp ca z.b d.h u.a bzw ggf p.ej mr mrs dr st inc ltd";
/// The fewest words of a sentence: "Note. …" is none.
const FEWEST_WORDS: usize = 2;

/// How many sentences a text has; each item of a list is one.
///
/// Too few is better than too many: a full stop ends a sentence only where another begins with a capital, a digit or a
/// quote, and neither an abbreviation nor what is in backticks is torn.
pub fn count_sentences(text: &str) -> usize {
    let lines = text.lines().filter(|it| !it.trim().is_empty());
    let is_list = text.lines().filter(|it| is_list_item(it)).count() > 1;
    if is_list {
        lines.map(count_line_sentences).sum()
    } else {
        count_line_sentences(&lines.collect::<Vec<_>>().join(" "))
    }
}

fn is_list_item(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("- ") || line.starts_with("* ") || line.starts_with("• ")
}

fn count_line_sentences(line: &str) -> usize {
    let words: Vec<&str> = line.split_whitespace().collect();
    // Who begins with a small letter begins every sentence with one.
    let is_small = line.trim_start().starts_with(char::is_lowercase);
    let mut is_quoted = false;
    let (mut n_sentences, mut n_words) = (0, 0);
    for (n, word) in words.iter().enumerate() {
        n_words += 1;
        is_quoted ^= word.matches('`').count() % 2 == 1;
        let is_end = n + 1 == words.len()
            || (!is_quoted && ends_sentence(word) && begins_sentence(words[n + 1], is_small));
        if is_end && (n_words >= FEWEST_WORDS || n_sentences == 0) {
            n_sentences += 1;
            n_words = 0;
        }
    }
    // Scripts that put no space after the full stop.
    n_sentences + line.trim_end_matches('。').matches('。').count()
}

/// The pieces of a text, each with the mark or the line's end behind it. A mark ends a piece only before white space: one inside a
/// word, as passwords, addresses and versions have, tears nothing in two.
pub fn split_at_marks<'a>(text: &'a str, marks: &[char]) -> Vec<&'a str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let is_next_space = chars.peek().is_none_or(|it| it.1.is_whitespace());
        if c == '\n' || marks.contains(&c) && is_next_space {
            let end = at + c.len_utf8();
            pieces.push(&text[start..end]);
            start = end;
        }
    }
    pieces.extend(Some(&text[start..]).filter(|it| !it.is_empty()));
    pieces
}

/// Whether a word ends a sentence: it has a full stop, and is not an abbreviation.
pub(crate) fn ends_sentence(word: &str) -> bool {
    let bare = word.trim_end_matches([')', '"', '\'', '”', '’', '`']);
    let Some(word) = bare.strip_suffix(['.', '!', '?']) else {
        return false;
    };
    let word = word.trim_start_matches(['(', '"', '\'']).to_lowercase();
    word.chars().nth(1).is_some() && !is_in_word_list(ABBREVIATIONS, &word)
}

fn begins_sentence(word: &str, is_small: bool) -> bool {
    let first = word
        .trim_start_matches(['(', '"', '\'', '“', '„'])
        .chars()
        .next();
    let is_first = |it: char| it.is_uppercase() || it == '`' || it.is_ascii_digit();
    first.is_some_and(|it| is_first(it) || is_small && it.is_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mark_inside_a_word_ends_no_piece() {
        let check = |text: &str, expected: &[&str]| {
            assert_eq!(split_at_marks(text, &['.', '!', '?', ';']), expected);
        };
        check("Keep 7. Never 8!", &["Keep 7.", " Never 8!"]);
        check(
            "it is a!b.c;d for v1.2\nDone",
            &["it is a!b.c;d for v1.2\n", "Done"],
        );
        check("", &[]);
    }

    #[test]
    fn sentences_are_counted() {
        let check =
            |text: &str, expected: usize| assert_eq!(count_sentences(text), expected, "{text}");
        check("Use pnpm", 1);
        check("Use pnpm. Never npm.", 2);
        check("use pnpm. never npm! we pay for it. it is slow", 4);
        check("the docs, e.g. of v2, i.e. the new ones, are in docs/", 1);
        check("It reads a.toml. Then b.toml. Then c.toml.", 3);
        check(
            "Tools such as e.g. Jest vs. Vitest, i.e. Runners, are fine",
            1,
        );
        check("See v1.2. of the docs, approx. 3 MB", 1);
        check("`a. B. C. D` is a path", 1);
        check(
            "Redis caches tokens.  They expire (see Foo.) after 5 minutes",
            2,
        );
        check("Steps:\n- install Docker\n- run make\n- log in", 4);
        check("one line\nwrapped to the next", 1);
        check("日付は常にUTCで保存する。表示のときだけ変換する。", 2);
        check("", 0);
    }
}
