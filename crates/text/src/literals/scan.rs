//! A text as tokens: words, numbers, and the marks between them. One scanner for facts and for code.

use super::chars::{is_unspaced, is_word_char};
use super::number::{self, Lexeme, Number};

/// A token and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
    /// Where it ends; the unit of a number that stands apart comes after.
    pub(super) end: usize,
}

/// What a token is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    /// Letters, digits and underscores.
    Word,
    /// A number, and where its unit ends.
    Number(Number, usize),
    /// `3rd`.
    Ordinal,
    /// Anything else but white space.
    Mark(char),
}

impl Token {
    /// What it says.
    pub(super) fn of<'a>(&self, text: &'a str) -> &'a str {
        &text[self.start..self.end]
    }

    pub(super) fn is_mark(&self, mark: char) -> bool {
        self.kind == Kind::Mark(mark)
    }

    pub(super) fn is_word(&self) -> bool {
        self.kind == Kind::Word
    }
}

/// The tokens of a text, in order.
pub(super) fn scan(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let (kind, len) = token(text, at, first);
        tokens.push(Token {
            kind,
            start: at,
            end: at + len,
        });
        at += len;
    }
    tokens
}

fn token(text: &str, at: usize, first: char) -> (Kind, usize) {
    let rest = &text[at..];
    if first.is_ascii_digit() {
        return match number::read(rest) {
            (Lexeme::Number(number), len) => {
                let (number, more) = number::apart(&number, &rest[len..]).unwrap_or((number, 0));
                (Kind::Number(number, at + len + more), len)
            }
            (Lexeme::Ordinal, len) => (Kind::Ordinal, len),
            (Lexeme::Word, len) => (Kind::Word, len),
        };
    }
    if let Some((version, len)) = number::version(rest) {
        return (Kind::Number(version, at + len), len);
    }
    let continues = |it: &char| {
        if is_word_char(first) {
            is_word_char(*it)
        } else {
            is_unspaced(*it)
        }
    };
    if is_word_char(first) || is_unspaced(first) {
        let len = rest.chars().take_while(continues).map(char::len_utf8).sum();
        return (Kind::Word, len);
    }
    (Kind::Mark(first), first.len_utf8())
}
