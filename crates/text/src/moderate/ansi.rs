//! Sequences that drive a terminal, as ECMA-48 spells them. They go as a whole: what is left of half a sequence would
//! be noise, and the address in a link sequence is text that nobody sees.

use std::ops::RangeInclusive;

/// How many bytes of the text the sequence takes that it begins with; 0 when it begins with none.
pub(super) fn measure_ansi_sequence(text: &str) -> usize {
    let mut chars = text.chars();
    match chars.next() {
        Some('\u{1b}') => match chars.next() {
            Some('[') => 2 + measure_sequence(&text[2..], b' '..=b'?', b'@'..=b'~'),
            Some(']' | 'P' | 'X' | '^' | '_') => 2 + measure_control_string(&text[2..]),
            // A designation such as the choice of a character set.
            Some(' '..='/') => 1 + measure_sequence(&text[1..], b' '..=b'/', b'0'..=b'~'),
            Some('0'..='~') => 2,
            _ => 1,
        },
        Some('\u{9b}') => 2 + measure_sequence(&text[2..], b' '..=b'?', b'@'..=b'~'),
        Some('\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}') => {
            2 + measure_control_string(&text[2..])
        }
        _ => 0,
    }
}

/// A sequence of bytes of the one range that ends with one of the other; 0 when it ends nowhere: what follows is text.
fn measure_sequence(text: &str, middle: RangeInclusive<u8>, last: RangeInclusive<u8>) -> usize {
    let n = text.bytes().take_while(|it| middle.contains(it)).count();
    let is_ended = text.as_bytes().get(n).is_some_and(|it| last.contains(it));
    if is_ended { n + 1 } else { 0 }
}

/// A string up to the bell or the string terminator. Another control character breaks it off, and then the rest is text.
fn measure_control_string(text: &str) -> usize {
    let Some((at, c)) = text.char_indices().find(|(_, c)| c.is_control()) else {
        return 0;
    };
    match c {
        '\u{7}' => at + 1,
        '\u{9c}' => at + 2,
        _ if text[at..].starts_with("\u{1b}\\") => at + 2,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequence_ends_where_the_standard_says() {
        let check = |text: &str, rest: &str| {
            assert_eq!(&text[measure_ansi_sequence(text)..], rest, "{text:?}")
        };
        check("plain", "plain");
        check("\u{1b}[31mred", "red");
        check("\u{1b}[?25l", "");
        check("\u{1b}[38;5;1 qx", "x");
        check("\u{9b}2Jx", "x");
        check("\u{1b}]0;title\u{7}x", "x");
        check("\u{1b}]8;;https://a.example\u{1b}\\name", "name");
        check("\u{9d}52;c;AAAA\u{9c}x", "x");
        check("\u{1b}P1;2|data\u{1b}\\x", "x");
        check("\u{1b}]never ends", "never ends");
        check("\u{1b}(Bx", "x");
        check("\u{1b}cx", "x");
        check("\u{1b}", "");
        check("\u{1b}é", "é");
    }
}
