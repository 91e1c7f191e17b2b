//! Other forms of a text: in plain letters, and with broken tokens put together again.

use std::borrow::Cow;

use super::is_blob_byte;
use crate::characters::{find_ascii_form, is_hidden_char};

/// Shortest token that is looked for across a line break.
const SPLIT_MIN: usize = 16;

/// The text in plain letters: what a reader does not see is dropped, what merely looks like ASCII
/// becomes ASCII.
pub(super) fn fold_to_ascii(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().filter_map(fold_char_to_ascii).collect())
}

fn fold_char_to_ascii(c: char) -> Option<char> {
    match c {
        _ if c.is_ascii() => Some(c),
        '\u{2028}' | '\u{2029}' => Some('\n'),
        // The apostrophe as people type it: `parola d’ordine`.
        '‘' | '’' | 'ʼ' => Some('\''),
        // Tag characters carry invisible ASCII.
        '\u{e0020}'..='\u{e007e}' => char::from_u32(u32::from(c) - 0xe0000),
        _ if is_hidden_char(c) => None,
        _ => Some(find_ascii_form(c).unwrap_or(c)),
    }
}

/// The text without its line breaks and the blanks around them, if a token may be whole only then.
pub(super) fn join_broken_lines(text: &str) -> Option<String> {
    if !text.bytes().any(|it| matches!(it, b'\n' | b'\r')) {
        return None;
    }
    let lines = text
        .split(['\n', '\r'])
        .map(|line| line.trim().trim_end_matches('\\'));
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    let broken = lines
        .windows(2)
        .any(|pair| matches!(pair, [above, below] if is_token_split(above, below)));
    broken.then(|| lines.concat())
}

/// Whether the last word above and the first word below could be the halves of one token.
fn is_token_split(above: &str, below: &str) -> bool {
    let tail = above.rsplit(char::is_whitespace).next().unwrap_or_default();
    let head = below.split(char::is_whitespace).next().unwrap_or_default();
    let digits = tail
        .bytes()
        .chain(head.bytes())
        .any(|byte| byte.is_ascii_digit());
    let len = tail.len() + head.len();
    (digits && len >= SPLIT_MIN) || len >= 2 * SPLIT_MIN
}

/// The text with its strings put together, as in `"ghp_abc" + "def"`, if there are such strings.
pub(super) fn splice_string_literals(text: &str) -> Option<String> {
    let mut out = String::new();
    let (mut done, mut at) = (0, 0);
    while let Some(step) = text.as_bytes()[at..]
        .iter()
        .position(|it| matches!(it, b'"' | b'\'' | b'`'))
    {
        at += step;
        let joint = measure_string_joint(&text[at..]);
        if joint > 0 {
            out.push_str(&text[done..at]);
            done = at + joint;
        }
        at += joint.max(1);
    }
    (done > 0).then(|| out + &text[done..])
}

/// How long the joint of two strings is that begins with this quote; 0 when there is none.
fn measure_string_joint(quoted: &str) -> usize {
    let behind = quoted[1..].trim_start();
    let operator = behind.trim_start_matches(['+', '.', '&', '|', '\\']);
    let next = operator.trim_start();
    let is_near = behind.len() - operator.len() <= 2 && quoted.len() - next.len() <= 12;
    let is_quote = next.starts_with(['"', '\'', '`']);
    if is_near && is_quote {
        quoted.len() - next.len() + 1
    } else {
        0
    }
}

/// The text with neighbouring pieces of a token put together, as in `ghp_ a1B2 c3D4`, if there are such pieces.
pub(super) fn join_token_pieces(text: &str) -> Option<String> {
    let mut out = String::new();
    let (mut done, mut at, mut was_piece) = (0, 0, false);
    for word in text.split(' ') {
        let is_piece = is_token_piece(word);
        if was_piece && is_piece {
            // Without the space before this word.
            out.push_str(&text[done..at - 1]);
            done = at;
        }
        at += word.len() + 1;
        was_piece = is_piece;
    }
    (done > 0).then(|| out + &text[done..])
}

/// Shortest and longest pieces of a token that was cut into equal ones.
const PIECE: std::ops::RangeInclusive<usize> = 4..=16;
/// So many pieces are counted: a long text of equal words is not counted again from each of them.
const PIECES_MAX: usize = 256;
/// Shortest token that is looked for in equal pieces.
const PIECES_MIN: usize = 16;

/// The text with the equal pieces of a token put together, as in `ghp_a1B2 c3D4e5F6 g7H8`, wherever the cuts are. `None` when
/// there are no such pieces.
pub(super) fn join_equal_pieces(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split(' ').collect();
    let (mut out, mut index, mut is_joined) = (String::with_capacity(text.len()), 0, false);
    while let Some(word) = words.get(index) {
        let count = count_equal_pieces(&words[index..]);
        out.push_str(if index > 0 { " " } else { "" });
        out.push_str(word);
        out.extend(words[index + 1..index + count].iter().copied());
        is_joined |= count > 1;
        index += count;
    }
    is_joined.then_some(out)
}

/// How many words from the first on are pieces of one token: all of one length, but for the last; 1 when there is none.
fn count_equal_pieces(words: &[&str]) -> usize {
    let first = words.first().copied().unwrap_or_default();
    let tail = &first[first.rfind(is_piece_edge).map_or(0, |it| it + 1)..];
    let is_full = |it: &&&str| it.len() == tail.len() && it.bytes().all(is_piece_byte);
    if !PIECE.contains(&tail.len()) || !tail.bytes().all(is_piece_byte) {
        return 1;
    }
    let more = words[1..].iter().take(PIECES_MAX);
    let full = 1 + more.take_while(is_full).count();
    let rest = words
        .get(full)
        .map_or("", |it| it.split(is_piece_edge).next().unwrap_or_default());
    let is_rest = !rest.is_empty() && rest.len() <= tail.len() && rest.bytes().all(is_piece_byte);
    let count = full + usize::from(is_rest);
    let pieces = || words[..count].iter().flat_map(|it| it.bytes());
    let digits = pieces().filter(u8::is_ascii_digit).count();
    let is_token = tail.len() * full + rest.len() >= PIECES_MIN && digits >= 2 && full >= 2;
    if is_token { count } else { 1 }
}

/// Where a token begins or ends inside a word.
fn is_piece_edge(c: char) -> bool {
    matches!(
        c,
        '"' | '\'' | '`' | '(' | ')' | '<' | '>' | ',' | ';' | '='
    )
}

fn is_piece_byte(byte: u8) -> bool {
    is_blob_byte(byte) || b".:~$@%!".contains(&byte)
}

/// Whether a word could be a piece of a token: letters and digits mixed, or the prefix of a token.
fn is_token_piece(word: &str) -> bool {
    if !(3..=64).contains(&word.len()) {
        return false;
    }
    let has = |is: fn(&u8) -> bool| word.as_bytes().iter().any(is);
    let is_mixed = || has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
    let is_cased = || {
        word.len() <= 8
            && word.bytes().skip(1).any(|it| it.is_ascii_uppercase())
            && has(u8::is_ascii_lowercase)
    };
    let is_prefix = word.ends_with(['_', '-']);
    (is_prefix || is_mixed() || is_cased()) && word.bytes().all(is_blob_byte)
}
