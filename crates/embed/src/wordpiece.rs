//! Texts as pieces of words, as BERT's uncased models were trained on them: letters without case and accents, words and
//! signs apart, and a word that is not in the vocabulary cut into the longest pieces that are.

use std::collections::HashMap;

use serde::Deserialize;
use unicode_normalization::UnicodeNormalization as _;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory as _};

use crate::ModelFileError;

/// A longer word is one unknown piece.
const MAX_WORD_CHARS: usize = 100;

/// The pieces a model knows.
#[derive(Debug)]
pub struct WordPieceVocabulary {
    pieces: HashMap<String, u32>,
    unknown: u32,
    start: u32,
    end: u32,
}

/// What is read of a `tokenizer.json`.
#[derive(Deserialize)]
struct TokenizerFile {
    model: TokenizerModel,
}

#[derive(Deserialize)]
struct TokenizerModel {
    vocab: HashMap<String, u32>,
}

impl WordPieceVocabulary {
    /// Reads the vocabulary out of a `tokenizer.json`.
    pub fn from_tokenizer_json(json: &[u8]) -> Result<Self, ModelFileError> {
        let file: TokenizerFile = serde_json::from_slice(json)
            .map_err(|error| ModelFileError::Vocabulary(error.to_string()))?;
        let pieces = file.model.vocab;
        let special = |name: &str| {
            let id = pieces.get(name).copied();
            id.ok_or_else(|| ModelFileError::Vocabulary(format!("it has no {name}")))
        };
        let (unknown, start, end) = (special("[UNK]")?, special("[CLS]")?, special("[SEP]")?);
        let n = pieces.len();
        if pieces.values().any(|it| *it as usize >= n) {
            return Err(ModelFileError::Vocabulary("its numbers have gaps".into()));
        }
        Ok(Self {
            pieces,
            unknown,
            start,
            end,
        })
    }

    /// How many pieces there are.
    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// The numbers of a text's pieces between a start and an end mark, at most so many in all.
    pub fn encode_text(&self, text: &str, limit: usize) -> Vec<u32> {
        let mut ids = vec![self.start];
        let limit = limit.saturating_sub(1);
        for word in split_words(text) {
            if ids.len() >= limit {
                break;
            }
            self.push_word(&word, &mut ids);
        }
        ids.truncate(limit.max(1));
        ids.push(self.end);
        ids
    }

    /// Adds the pieces of a word: the longest known one first, then the longest known continuation, to its end.
    fn push_word(&self, word: &str, ids: &mut Vec<u32>) {
        let start = ids.len();
        let mut rest = word;
        let is_short = word.chars().count() <= MAX_WORD_CHARS;
        while is_short && !rest.is_empty() {
            let Some((id, len)) = self.find_longest_piece(rest, rest.len() < word.len()) else {
                break;
            };
            ids.push(id);
            rest = &rest[len..];
        }
        if !rest.is_empty() {
            ids.truncate(start);
            ids.push(self.unknown);
        }
    }

    fn find_longest_piece(&self, text: &str, is_continuation: bool) -> Option<(u32, usize)> {
        let mark = if is_continuation { "##" } else { "" };
        let mut piece = format!("{mark}{text}");
        while piece.len() > mark.len() {
            if let Some(id) = self.pieces.get(&piece) {
                return Some((*id, piece.len() - mark.len()));
            }
            piece.pop();
        }
        None
    }
}

/// Words and signs, without case and accents.
fn split_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let letters = text.chars().filter(|it| !is_dropped(*it));
    let letters = letters
        .nfd()
        .filter(|it| it.general_category() != GeneralCategory::NonspacingMark);
    for letter in letters.flat_map(char::to_lowercase) {
        if letter.is_whitespace() || is_sign(letter) {
            words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
            words.extend(is_sign(letter).then(|| letter.to_string()));
        } else {
            word.push(letter);
        }
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

/// Characters that nobody sees.
fn is_dropped(letter: char) -> bool {
    let is_other = letter.general_category_group() == GeneralCategoryGroup::Other;
    letter == '\u{fffd}' || (is_other && !matches!(letter, '\t' | '\n' | '\r'))
}

/// Punctuation, and characters of scripts that put no space between words: each is a word of its own.
fn is_sign(letter: char) -> bool {
    letter.is_ascii_punctuation()
        || letter.general_category_group() == GeneralCategoryGroup::Punctuation
        || is_ideograph(letter)
}

fn is_ideograph(letter: char) -> bool {
    matches!(letter,
        '\u{4e00}'..='\u{9fff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{20000}'..='\u{2a6df}'
        | '\u{2a700}'..='\u{2ceaf}'
        | '\u{f900}'..='\u{faff}'
        | '\u{2f800}'..='\u{2fa1f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vocabulary() -> WordPieceVocabulary {
        let pieces = [
            "[PAD]", "[UNK]", "[CLS]", "[SEP]", "up", "##load", "##s", "cafe", "10", ".", "三",
        ];
        let vocab: HashMap<&str, usize> = pieces.into_iter().zip(0..).collect();
        let json = serde_json::json!({"model": {"vocab": vocab}}).to_string();
        WordPieceVocabulary::from_tokenizer_json(json.as_bytes()).unwrap()
    }

    #[test]
    fn text_is_cut_into_known_pieces() {
        let check = |text: &str, expected: &[u32]| {
            assert_eq!(vocabulary().encode_text(text, 8), expected, "{text:?}");
        };
        check("", &[2, 3]);
        check("Uploads", &[2, 4, 5, 6, 3]);
        check("CAFÉ. 10", &[2, 7, 9, 8, 3]);
        check("up\u{200b}load\0s\u{fffd}", &[2, 4, 5, 6, 3]);
        check("三三up", &[2, 10, 10, 4, 3]);
        check("upx up", &[2, 1, 4, 3]);
        check(&"up".repeat(51), &[2, 1, 3]);
        check("up up up up up up up up up", &[2, 4, 4, 4, 4, 4, 4, 3]);
        check("up up up up up uploads", &[2, 4, 4, 4, 4, 4, 4, 3]);
    }

    #[test]
    fn vocabulary_without_its_marks_is_refused() {
        let check = |json: &str, expected: &str| {
            let error = WordPieceVocabulary::from_tokenizer_json(json.as_bytes()).unwrap_err();
            assert_eq!(error.to_string(), expected);
        };
        check(
            r#"{"model":{"vocab":{"a":0}}}"#,
            "the vocabulary cannot be read: it has no [UNK]",
        );
        check(
            r#"{"model":{"vocab":{"[UNK]":0,"[CLS]":1,"[SEP]":7}}}"#,
            "the vocabulary cannot be read: its numbers have gaps",
        );
        check(
            r#"{"model":"#,
            "the vocabulary cannot be read: EOF while parsing a value at line 1 column 9",
        );
    }
}
