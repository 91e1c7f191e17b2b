//! What a text says: its words in plain dress, one after another, and its numbers with what is calculated of them.

use super::Literal;
use super::{
    chars::is_word_char,
    number::{self, LiteralNumber},
    scan::{LiteralToken, LiteralTokenKind, scan_literal_tokens},
};

/// A text, read once.
pub(super) struct ScannedText<'a> {
    pub text: &'a str,
    /// Its words and numbers, lower-case and without separators, joined: `max_retries: 5` is `maxretries5`.
    plain: String,
    /// For each of them: where it begins in `plain`, and where it ends in the text.
    joints: Vec<(usize, usize)>,
    /// Its numbers, and where each begins.
    pub numbers: Vec<(usize, LiteralNumber)>,
}

/// A word in plain dress: `MAX_RETRIES`, `maxRetries` and `max-retries` are one.
pub(super) fn normalise_identifier(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push_normalised_identifier(&mut out, text);
    out
}

fn push_normalised_identifier(out: &mut String, text: &str) {
    for c in text.chars().filter(|it| it.is_alphanumeric()) {
        if c.is_ascii() {
            out.push(c.to_ascii_lowercase())
        } else {
            out.extend(c.to_lowercase())
        }
    }
}

impl<'a> ScannedText<'a> {
    pub(super) fn from_text(text: &'a str) -> Self {
        let tokens = scan_literal_tokens(text);
        let mut said = Self {
            text,
            plain: String::with_capacity(text.len()),
            joints: Vec::new(),
            numbers: Vec::new(),
        };
        for (n, token) in tokens.iter().enumerate() {
            if matches!(token.kind, LiteralTokenKind::ModerationMark(_)) {
                continue;
            }
            said.joints.push((said.plain.len(), token.end));
            push_normalised_identifier(&mut said.plain, token.slice_from(text));
            said.note_numbers(&tokens, n);
        }
        said
    }

    /// Notes the numbers that begin at a token.
    fn note_numbers(&mut self, tokens: &[LiteralToken], n: usize) {
        let token = &tokens[n];
        let mut note = |it: LiteralNumber| self.numbers.push((token.start, it));
        match &token.kind {
            LiteralTokenKind::Word => {
                let value = number::parse_spelled_number(token.slice_from(self.text));
                value.map(LiteralNumber::from_value).map(note);
            }
            LiteralTokenKind::Number(number, _) => {
                let number = infer_number_unit(self.text, tokens, n, number);
                evaluate_number_expression(self.text, tokens, n, &number).map(&mut note);
                note(number);
            }
            LiteralTokenKind::Ordinal | LiteralTokenKind::ModerationMark(_) => {}
        }
    }

    /// Whether the text says this.
    pub(super) fn has_literal(&self, literal: &Literal) -> bool {
        match literal {
            Literal::Number(text) => match parse_literal_number(text) {
                Some(number) => {
                    self.numbers.iter().any(|(_, it)| number.agrees_with(it))
                        || (number.is_version && self.has_word_part(text))
                }
                None => self.has_name(text),
            },
            Literal::Name(text) => split_name_segments(text).any(|it| self.has_name(it)),
            Literal::Value(text) => self.has_name(text),
            Literal::Path(text) => self.has_path(text),
            Literal::Quoted(text) => {
                self.text.contains(text.as_str()) || self.has_half_of_words(text)
            }
        }
    }

    /// Whether the text says this, and all of it.
    pub(super) fn has_whole_literal(&self, literal: &Literal) -> bool {
        match literal {
            Literal::Number(text) => self.has_whole_number(text),
            Literal::Name(text) => {
                let last = text.rsplit(['.', ':', '>', '#']).next().unwrap_or(text);
                self.has_exact_name(last)
            }
            Literal::Value(text) => self.has_delimited(text),
            Literal::Path(text) => self.text.contains(text.as_str()) || self.has_path(text),
            Literal::Quoted(text) => {
                let bare = |it: &str| {
                    it.chars()
                        .filter(|it| !it.is_whitespace())
                        .collect::<String>()
                };
                self.text.contains(text.as_str()) || bare(self.text).contains(&bare(text))
            }
        }
    }

    /// A number with a unit in whatever dress; a plain one as it is written.
    fn has_whole_number(&self, text: &str) -> bool {
        let is_plain = text
            .chars()
            .all(|it| it.is_ascii_digit() || "._-".contains(it));
        if !is_plain {
            return self.has_literal(&Literal::Number(text.to_owned())) || self.has_delimited(text);
        }
        let digits = |it: &str| it.replace('_', "");
        let text = digits(text);
        let is_part = |it: char| it.is_ascii_alphanumeric() || matches!(it, '.' | '_');
        let words = self.text.split(|it| !is_part(it)).map(digits);
        words.map(|it| it.trim_matches('.').to_owned()).any(|it| {
            let rest = it.strip_prefix(text.trim_start_matches('-'));
            rest.is_some_and(is_number_suffix)
        })
    }

    /// An identifier as it is written, with nothing of another beside it.
    fn has_exact_name(&self, name: &str) -> bool {
        let is_word = |it: char| it.is_alphanumeric() || it == '_';
        self.text.match_indices(name).any(|(at, it)| {
            let before = self.text[..at].chars().next_back();
            let after = self.text[at + it.len()..].chars().next();
            !before.is_some_and(is_word) && !after.is_some_and(is_word)
        })
    }

    /// A text with nothing of a word beside it.
    fn has_delimited(&self, text: &str) -> bool {
        let is_word = |it: char| it.is_alphanumeric() || matches!(it, '_' | '.' | '-');
        self.text.match_indices(text).any(|(at, it)| {
            let before = self.text[..at].chars().next_back();
            let after = self.text[at + it.len()..].chars().next();
            !before.is_some_and(is_word) && !after.is_some_and(|it| is_word(it) && it != '.')
        })
    }

    /// One of a few things is one of them: `RepoPaths` stands where `RepoPath` does.
    fn has_name(&self, name: &str) -> bool {
        let name = normalise_identifier(name);
        let one = name.strip_suffix('s').filter(|it| it.len() > 3);
        self.has_word(&name)
            || one.is_some_and(|it| self.has_word(it))
            || self.has_word(&format!("{name}s"))
    }

    /// Whether the text has this as an identifier of its own: the last part of a dotted name, letter by letter.
    pub(super) fn has_identifier(&self, name: &str) -> bool {
        let last = name
            .rsplit(['.', ':'])
            .next()
            .unwrap_or(name)
            .trim_end_matches("()");
        let words = || self.text.split(|it: char| !is_word_char(it));
        last.chars().nth(1).is_some() && words().any(|it| it == last)
    }

    /// Whether one of its words has this word, in lower case, as a part: `max_upload` has `upload`, and `V0` is in
    /// `HISTORY_VERSION_V0`.
    pub(super) fn has_word_part(&self, part: &str) -> bool {
        let words = self.text.split(|it: char| !is_word_char(it));
        let mut parts = words.flat_map(split_word_parts);
        parts.any(|it| it.eq_ignore_ascii_case(part))
    }

    /// Whether a word in plain dress is among its words.
    pub(super) fn has_word(&self, plain: &str) -> bool {
        self.find_word_ends(plain).next().is_some()
    }

    /// Where in the text the mentions of a word in plain dress end: whole words only.
    pub(super) fn find_word_ends<'b>(&'b self, plain: &'b str) -> impl Iterator<Item = usize> + 'b {
        let hits = (!plain.is_empty()).then(|| self.plain.match_indices(plain));
        hits.into_iter().flatten().filter_map(|(at, _)| {
            self.joints.binary_search_by_key(&at, |it| it.0).ok()?;
            let next = self.joints.partition_point(|it| it.0 < at + plain.len());
            let is_end =
                self.joints.get(next).map_or(self.plain.len(), |it| it.0) == at + plain.len();
            is_end.then(|| self.joints[next - 1].1)
        })
    }

    /// The path, or the name of its file, as an import or a script would write it.
    fn has_path(&self, path: &str) -> bool {
        let file = path
            .trim_end_matches('/')
            .rsplit('/')
            .next()
            .unwrap_or(path);
        let stem = file.split('.').next().filter(|it| it.len() > 3);
        self.has_name(path) || self.has_name(file) || stem.is_some_and(|it| self.has_name(it))
    }

    /// A command or an expression in quotes stands when half of its words do: `npm run build` is `"build": …` there.
    fn has_half_of_words(&self, text: &str) -> bool {
        if self.has_word(&normalise_identifier(text)) {
            return true;
        }
        let tokens = scan_literal_tokens(text);
        let words: Vec<_> = tokens
            .iter()
            .filter(|it| !matches!(it.kind, LiteralTokenKind::ModerationMark(_)))
            .collect();
        let is_said =
            |it: &&&LiteralToken| self.has_word(&normalise_identifier(it.slice_from(text)));
        let n_said = words.iter().filter(is_said).count();
        !words.is_empty() && n_said >= (words.len() / 2).max(1)
    }
}

/// What may follow the digits of a number without making it another: nothing, or the type that a language writes there.
fn is_number_suffix(rest: &str) -> bool {
    const SUFFIXES: &str =
        "u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 l ul ull ll u f n .0 px ms s";
    let rest = rest.to_ascii_lowercase();
    rest.is_empty() || SUFFIXES.split(' ').any(|it| it == rest)
}

/// The parts of an identifier: `max`, `Upload` and `V0` of `max_UploadV0`.
fn split_word_parts(word: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for piece in word.split('_') {
        let mut start = 0;
        let chars = piece.char_indices().zip(piece.chars().skip(1));
        for ((at, a), b) in chars {
            if a.is_lowercase() && b.is_uppercase() {
                parts.push(&piece[start..at + a.len_utf8()]);
                start = at + a.len_utf8();
            }
        }
        parts.push(&piece[start..]);
    }
    parts
}

/// The number that a literal is.
pub(super) fn parse_literal_number(text: &str) -> Option<LiteralNumber> {
    let mut tokens = scan_literal_tokens(text).into_iter().map(|it| it.kind);
    match tokens.find(|it| !matches!(it, LiteralTokenKind::ModerationMark(_)))? {
        LiteralTokenKind::Number(number, _) => Some(number),
        _ => None,
    }
}

/// The segments of a dotted name that may stand for it: the last, and those that only code would write.
fn split_name_segments(name: &str) -> impl Iterator<Item = &str> {
    let last = name.rsplit(['.', ':', '>', '#']).next();
    let segments = name.split(['.', ':', '>', '#', '-']);
    last.into_iter()
        .chain(segments.filter(|it| super::find::is_code_shaped(it)))
}

/// A number in the unit that its name gives it (`from_secs(30)`, `minutes=5`), or a version where it is pinned.
fn infer_number_unit(
    text: &str,
    tokens: &[LiteralToken],
    n: usize,
    number: &LiteralNumber,
) -> LiteralNumber {
    let before = |back: usize| n.checked_sub(back).map(|it| &tokens[it]);
    let pins = |it: &LiteralToken| {
        it.end == tokens[n].start
            && matches!(
                it.kind,
                LiteralTokenKind::ModerationMark(':' | '@' | '^' | '~')
            )
    };
    let mut number = number.clone();
    number.is_version |= number.is_unitless() && before(1).is_some_and(pins);
    let gap = tokens[..n].iter().rev().take(4).take_while(|it| {
        matches!(
            it.kind,
            LiteralTokenKind::ModerationMark('(' | '=' | ':' | '"' | '\'' | '*')
        )
    });
    let n_gap = gap.count();
    let name = before(n_gap + 1)
        .filter(|it| n_gap > 0 && it.is_word())
        .map(|it| it.slice_from(text));
    let unit = name
        .and_then(number::find_unit_in_name)
        .filter(|_| number.is_unitless());
    unit.and_then(|it| number.with_unit(it)).unwrap_or(number)
}

/// How many factors are multiplied; days in milliseconds have five.
const MAX_FACTORS: usize = 6;

/// What is calculated from a number on: `5 * 1024 * 1024`, `10 * MB`, `30 * time.Second`, `1 << 20`, `2 ** 10`.
fn evaluate_number_expression(
    text: &str,
    tokens: &[LiteralToken],
    n: usize,
    first: &LiteralNumber,
) -> Option<LiteralNumber> {
    parse_number_operator(&tokens[n + 1..])?;
    let mut result = None;
    let (mut at, mut so_far) = (n + 1, first.clone());
    for _ in 0..MAX_FACTORS {
        let Some((operator, next)) = parse_number_operator(&tokens[at.min(tokens.len())..]) else {
            break;
        };
        at += next;
        so_far = match &tokens.get(at)?.kind {
            LiteralTokenKind::Number(number, _) => so_far.calculate_with(number, operator)?,
            LiteralTokenKind::Word => {
                let path = tokens[at..]
                    .iter()
                    .take(5)
                    .take_while(|it| it.is_word() || it.is_mark('.') || it.is_mark(':'));
                let last = path.filter(|it| it.is_word()).last()?;
                return so_far.with_unit(last.slice_from(text)).or(result);
            }
            _ => return result,
        };
        result = Some(so_far.clone());
        at += 1;
    }
    result
}

type NumberOperator = fn(f64, f64) -> f64;

fn parse_number_operator(tokens: &[LiteralToken]) -> Option<(NumberOperator, usize)> {
    let mark = |n: usize, it: char| tokens.get(n).is_some_and(|token| token.is_mark(it));
    if mark(0, '*') && mark(1, '*') {
        Some((f64::powf, 2))
    } else if mark(0, '*') {
        Some((|a, b| a * b, 1))
    } else {
        (mark(0, '<') && mark(1, '<')).then_some((|a, b| a * b.exp2(), 2))
    }
}
