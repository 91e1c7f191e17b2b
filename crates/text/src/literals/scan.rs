//! A text as tokens: words, numbers, and the marks between them. One scanner for facts and for code.

use super::chars::{is_unspaced_script_char, is_word_char};
use super::number::{LiteralNumber, NumberLexeme, lex_number, lex_separate_unit, lex_version};

/// A token and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LiteralToken {
    pub kind: LiteralTokenKind,
    pub start: usize,
    /// Where it ends; the unit of a number that stands apart comes after.
    pub end: usize,
}

/// What a token is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum LiteralTokenKind {
    /// Letters, digits and underscores.
    Word,
    /// A number, and where its unit ends.
    Number(LiteralNumber, usize),
    /// `3rd`.
    Ordinal,
    /// Anything else but white space.
    ModerationMark(char),
}

impl LiteralToken {
    /// What it says.
    pub(super) fn slice_from<'a>(&self, text: &'a str) -> &'a str {
        &text[self.start..self.end]
    }

    pub(super) fn is_mark(&self, mark: char) -> bool {
        self.kind == LiteralTokenKind::ModerationMark(mark)
    }

    pub(super) fn is_word(&self) -> bool {
        self.kind == LiteralTokenKind::Word
    }
}

/// The tokens of a text, in order.
pub(super) fn scan_literal_tokens(text: &str) -> Vec<LiteralToken> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let (kind, len) = scan_next_literal_token(text, at, first);
        tokens.push(LiteralToken {
            kind,
            start: at,
            end: at + len,
        });
        at += len;
    }
    tokens
}

fn scan_next_literal_token(text: &str, at: usize, first: char) -> (LiteralTokenKind, usize) {
    let rest = &text[at..];
    if first.is_ascii_digit() {
        return match lex_number(rest) {
            (NumberLexeme::Number(number), len) => {
                let (number, more) =
                    lex_separate_unit(&number, &rest[len..]).unwrap_or((number, 0));
                (LiteralTokenKind::Number(number, at + len + more), len)
            }
            (NumberLexeme::Ordinal, len) => (LiteralTokenKind::Ordinal, len),
            (NumberLexeme::Word, len) => (LiteralTokenKind::Word, len),
        };
    }
    if let Some((version, len)) = lex_version(rest) {
        return (LiteralTokenKind::Number(version, at + len), len);
    }
    let continues = if is_word_char(first) {
        is_word_char
    } else {
        is_unspaced_script_char
    };
    if continues(first) {
        let len = rest.find(|it| !continues(it)).unwrap_or(rest.len());
        return (LiteralTokenKind::Word, len);
    }
    (LiteralTokenKind::ModerationMark(first), first.len_utf8())
}
