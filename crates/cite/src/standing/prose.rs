//! Facts in plain words: what can be said of them is whether their item is the same code, and whether a comment there still
//! says them.

use super::FileSide;
use crate::{comments::CommentSyntax, outline::CodeItem, tokens::split_text_tokens};

/// The fewest words that make a sentence.
const MIN_WORDS: usize = 4;
/// How many rows of comments above an item are read.
const MAX_LEAD: u32 = 120;

/// Whether two texts are the same code but for comments and layout.
pub(super) fn is_same_code(path: &str, was: &str, now: &str) -> bool {
    let code = |text: &str| {
        let lines: Vec<&[u8]> = text.lines().map(str::as_bytes).collect();
        let bare = CommentSyntax::from_path(path)
            .strip_lines(&lines)
            .join(&b'\n');
        split_text_tokens(&String::from_utf8_lossy(&bare))
    };
    code(was) == code(now)
}

/// Whether the comment of an item, or the item itself, says a fact word for word.
///
/// The authors of the code keep such a sentence, or change it with the code: of sentences that stayed while the body below
/// was edited, 41 of 42 that were read were still true.
pub(super) fn is_said_at_item(fact: &str, side: &FileSide, item: &CodeItem) -> bool {
    let sentence = list_words(drop_subject(fact));
    let from = find_lead(side, item.rows.start);
    let text = list_words(&side.text(&(from..item.rows.end)));
    sentence.len() >= MIN_WORDS && text.windows(sentence.len()).any(|it| it == sentence)
}

/// A fact without the name that was put before its sentence.
fn drop_subject(fact: &str) -> &str {
    let rest = fact.strip_prefix('`').and_then(|it| it.split_once("`: "));
    rest.map_or(fact, |it| it.1)
}

/// The first row of the comments and attributes right above an item.
fn find_lead(side: &FileSide, start: u32) -> u32 {
    let mut from = start;
    while from > start.saturating_sub(MAX_LEAD) && from > 0 {
        let row = from as usize - 1;
        let line = side.lines.lines()[row].trim_ascii();
        let is_comment = !line.is_empty() && side.outline.masks()[row].trim_ascii().is_empty();
        let is_attribute = line.starts_with(b"#[") || line.starts_with(b"@");
        if !is_comment && !is_attribute {
            break;
        }
        from -= 1;
    }
    from
}

/// The words of a text in small letters, without the marks of comments and markup.
fn list_words(text: &str) -> Vec<String> {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    // `:func:`x`` and `{@link x}` are x.
    while let Some(at) = rest.find([':', '{']) {
        plain.push_str(&rest[..at]);
        let behind = &rest[at..];
        let role = behind
            .strip_prefix(':')
            .and_then(|it| it.split_once(":`"))
            .filter(|it| {
                !it.0.is_empty() && it.0.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
            });
        let link = behind.strip_prefix("{@").and_then(|it| it.split_once(' '));
        plain.push(' ');
        rest = match (role, link) {
            (Some((_, rest)), _) => rest,
            (None, Some((word, rest))) if word.chars().all(char::is_alphabetic) => rest,
            _ => &behind[1..],
        };
    }
    plain.push_str(rest);
    let words = plain.split(|it: char| !it.is_alphanumeric());
    words
        .filter(|it| !it.is_empty())
        .map(str::to_lowercase)
        .collect()
}
