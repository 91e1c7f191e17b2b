//! Numbers as people and programs write them, and whether two of them are the same number in another dress.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::chars::is_word_char;
use crate::word_lists::{index_words, is_in_word_list};

/// What a unit measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dimension {
    Time,
    Size,
    Share,
    Count,
}

use Dimension::{Count, Share, Size, Time};

/// What a unit may mean: `5m` are minutes, megabytes or millions, and a megabyte has two sizes.
type NumberUnit = &'static [(Dimension, f64)];

/// The words that are units after a number.
#[rustfmt::skip]
const UNITS: &[(&str, NumberUnit)] = &[
    ("ns nanos nanoseconds Nanosecond", &[(Time, 1e-9)]),
    ("us µs μs micros microseconds Microsecond", &[(Time, 1e-6)]),
    ("ms Ms MS msec msecs millis Millis MILLIS millisecond milliseconds Millisecond Milliseconds MILLISECONDS", &[(Time, 1e-3)]),
    ("s sec secs Secs SECS second seconds Second Seconds SECONDS Sekunde Sekunden secondes segundos secondi 秒", &[(Time, 1.0)]),
    ("min mins minute minutes Minute Minutes MINUTES Minuten minutos minuti 分钟", &[(Time, 60.0)]),
    ("h hr hrs hour hours Hour Hours HOURS Stunde Stunden heures horas 小时", &[(Time, 3600.0)]),
    ("d day days Day Days DAYS Tage Tagen jours días", &[(Time, 86_400.0)]),
    ("week weeks Wochen", &[(Time, 604_800.0)]),
    ("B byte bytes Bytes BYTES", &[(Size, 1.0)]),
    ("kb kB KB Kb KiB kib Ki", &[(Size, 1e3), (Size, 1024.0)]),
    ("mb MB Mb MiB mib Mi megabytes", &[(Size, 1e6), (Size, 1_048_576.0)]),
    ("gb GB Gb GiB gib Gi g G gigabytes", &[(Size, 1e9), (Size, 1_073_741_824.0)]),
    ("tb TB TiB tib Ti", &[(Size, 1e12), (Size, 1_099_511_627_776.0)]),
    ("k K", &[(Count, 1e3), (Size, 1e3), (Size, 1024.0)]),
    ("m", &[(Time, 60.0), (Count, 1e6), (Size, 1e6), (Size, 1_048_576.0)]),
    ("M", &[(Count, 1e6), (Size, 1e6), (Size, 1_048_576.0)]),
    ("% percent pct Prozent Percent PERCENT", &[(Share, 0.01)]),
    ("thousand", &[(Count, 1e3)]),
    ("million millions Millionen", &[(Count, 1e6)]),
    ("billion", &[(Count, 1e9)]),
];

/// The unit that a word is after a number.
fn parse_number_unit(word: &str) -> Option<NumberUnit> {
    static BY_WORD: LazyLock<HashMap<&str, NumberUnit>> = LazyLock::new(|| index_words(UNITS));
    BY_WORD.get(word).copied()
}

/// The value that a word spells, as prose writes small numbers.
pub(super) fn parse_spelled_number(word: &str) -> Option<f64> {
    const WORDS: [&str; 15] = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
        "eleven", "twelve", "once", "twice",
    ];
    if !(3..=6).contains(&word.len()) {
        return None;
    }
    let at = WORDS.iter().position(|it| it.eq_ignore_ascii_case(word))?;
    u8::try_from(if at > 12 { at - 12 } else { at })
        .ok()
        .map(f64::from)
}

/// A number, with its unit where it has one.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct LiteralNumber {
    /// What it may be: `5.000` is five, or in German five thousand.
    values: [Option<f64>; 2],
    /// What else a reader may see: in `f(1,200)` also 1 and 200.
    parts: Vec<f64>,
    /// Its digits and dots as written, where the value does not tell them.
    dotted: Option<Box<str>>,
    /// Whether it is a version, of which a fact may say the beginning.
    pub is_version: bool,
    unit: Option<NumberUnit>,
}

/// What begins with a digit.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum NumberLexeme {
    /// A number.
    Number(LiteralNumber),
    /// A place in an order: `3rd`.
    Ordinal,
    /// A word that begins with digits: `3f2a9bc`, `5xx`.
    Word,
}

impl LiteralNumber {
    pub(super) fn from_value(value: f64) -> Self {
        Self {
            values: [Some(value), None],
            ..Self::default()
        }
    }

    pub(super) fn is_unitless(&self) -> bool {
        self.unit.is_none()
    }

    /// The value as written, where there is one.
    pub(super) fn value(&self) -> Option<f64> {
        self.values().next()
    }

    fn values(&self) -> impl Iterator<Item = f64> + Clone {
        self.values.into_iter().flatten()
    }

    fn to_dotted(&self) -> String {
        let value = || self.value().map(|it| it.to_string()).unwrap_or_default();
        self.dotted.as_deref().map_or_else(value, Into::into)
    }

    /// A small whole number without unit: it may just count what the sentence lists.
    pub(super) fn is_small_count(&self) -> bool {
        let is_small = |it: f64| it.fract() == 0.0 && it <= 12.0;
        self.is_unitless() && !self.is_version && self.value().is_some_and(is_small)
    }

    /// The same number, measured in what a word says, if it is a unit.
    pub(super) fn with_unit(&self, word: &str) -> Option<Self> {
        parse_number_unit(word).map(|it| Self {
            unit: Some(it),
            ..self.clone()
        })
    }

    /// What comes of calculating with another number.
    pub(super) fn calculate_with(
        &self,
        other: &Self,
        calculate: impl Fn(f64, f64) -> f64,
    ) -> Option<Self> {
        let value = calculate(self.value()?, other.value()?);
        value.is_finite().then(|| Self {
            unit: self.unit.or(other.unit),
            ..Self::from_value(value)
        })
    }

    /// Whether a text that writes `said` says this number.
    pub(super) fn agrees_with(&self, said: &Self) -> bool {
        self.is_same_value(said)
            || ((self.is_version || said.is_version) && self.is_same_version(said))
    }

    fn is_same_value(&self, said: &Self) -> bool {
        match (self.unit, said.unit) {
            (Some(_), Some(_)) => self.measures().any(|mine| {
                said.measures()
                    .any(|theirs| mine.0 == theirs.0 && is_nearly_equal(mine.1, theirs.1))
            }),
            (None, None) => self.values().any(|it| said.has_value(it)),
            (Some(_), None) => self
                .equivalent_values()
                .iter()
                .any(|it| said.has_value(*it)),
            (None, Some(_)) => said
                .equivalent_values()
                .iter()
                .any(|it| self.values().any(|mine| is_nearly_equal(mine, *it))),
        }
    }

    fn has_value(&self, value: f64) -> bool {
        self.values()
            .chain(self.parts.iter().copied())
            .any(|it| is_nearly_equal(it, value))
    }

    fn is_same_version(&self, said: &Self) -> bool {
        let (mine, theirs) = (self.to_dotted(), said.to_dotted());
        let is_beginning = theirs
            .strip_prefix(&mine)
            .is_some_and(|it| it.starts_with('.'));
        mine.trim_end_matches(".0") == theirs.trim_end_matches(".0")
            || (self.is_unitless() && is_beginning)
    }

    /// What it may be in each meaning of its unit.
    fn measures(&self) -> impl Iterator<Item = (Dimension, f64)> {
        self.unit
            .unwrap_or_default()
            .iter()
            .flat_map(|(dimension, scale)| self.values().map(move |it| (*dimension, it * scale)))
    }

    /// Every bare number that code may write for this one: 30 s is 30 and 30000, 2 GB is 2048 too.
    fn equivalent_values(&self) -> Vec<f64> {
        let mut all: Vec<f64> = self.values().collect();
        for (dimension, base) in self.measures() {
            let scales: &[f64] = match dimension {
                Time => &[1.0, 1e3, 1e6, 1e9, 1.0 / 60.0, 1.0 / 3600.0, 1.0 / 86_400.0],
                Size => &[1.0, 1e-3, 1e-6, 1.0 / 1024.0, 1.0 / 1_048_576.0],
                Share => &[1.0, 100.0],
                Count => &[1.0],
            };
            // A minute is no reason to take every 1 for it.
            let is_telling = |it: &f64| dimension == Share || *it >= 2.0;
            all.extend(scales.iter().map(|it| base * it).filter(is_telling));
        }
        all
    }
}

fn is_nearly_equal(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

/// Suffixes that say of a number what type it is, and no unit.
const SUFFIXES: &str =
    "x u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 f n l L u U ul UL ull ULL";

/// Reads what begins with a digit: what it is, and how many bytes it has. A unit that stands apart is not read.
pub(super) fn lex_number(text: &str) -> (NumberLexeme, usize) {
    let (number, end) = lex_radix_number(text).unwrap_or_else(|| lex_decimal_number(text));
    let tail = take_number_suffix(&text[end..]);
    let word = tail.trim_start_matches('_');
    let number = match number {
        Some(number) if word.is_empty() || is_in_word_list(SUFFIXES, word) => {
            NumberLexeme::Number(number)
        }
        Some(_) if matches!(word, "st" | "nd" | "rd" | "th") => NumberLexeme::Ordinal,
        Some(number) => number
            .with_unit(word)
            .map_or(NumberLexeme::Word, NumberLexeme::Number),
        None => NumberLexeme::Word,
    };
    (number, end + tail.len())
}

/// The version that a word such as `v3` or `v1.2` begins with, and its length.
pub(super) fn lex_version(text: &str) -> Option<(LiteralNumber, usize)> {
    let rest = text.strip_prefix(['v', 'V'])?;
    let len = rest.find(|it: char| !it.is_ascii_digit() && it != '.');
    let dotted = rest[..len.unwrap_or(rest.len())].trim_end_matches('.');
    let is_whole = !rest[dotted.len()..].starts_with(is_word_char);
    let is_version = is_whole && dotted.starts_with(|it: char| it.is_ascii_digit());
    let number = LiteralNumber {
        dotted: Some(dotted.into()),
        is_version: true,
        ..LiteralNumber::default()
    };
    is_version.then_some((number, dotted.len() + 1))
}

/// The unit word that stands apart behind a number, as in `30 s` or `30-second`: the number in it, and its length.
pub(super) fn lex_separate_unit(
    number: &LiteralNumber,
    rest: &str,
) -> Option<(LiteralNumber, usize)> {
    let gap = rest
        .chars()
        .next()
        .filter(|it| matches!(it, ' ' | '\u{a0}' | '\u{202f}' | '-'))
        .map_or(0, char::len_utf8);
    let word = take_number_suffix(&rest[gap..]);
    let is_letter = word.len() == 1 && !matches!(word, "s" | "h" | "m" | "d" | "B" | "%");
    let is_unit = number.is_unitless() && !number.is_version && !is_letter;
    let number = is_unit.then(|| number.with_unit(word))??;
    Some((number, gap + word.len()))
}

/// The unit in which a name says that it is counted: `from_secs`, `timeoutMs`, `minutes`.
pub(super) fn find_unit_in_name(name: &str) -> Option<&str> {
    let last = name.rsplit('_').next().unwrap_or(name);
    let is_upper = last.chars().all(char::is_uppercase);
    let camel = last
        .rfind(char::is_uppercase)
        .filter(|_| !is_upper)
        .unwrap_or(0);
    let word = &last[camel..];
    let is_clear = match word {
        // It is more often the least than a minute.
        "min" => false,
        "Ms" => camel > 0,
        // One letter is a variable.
        _ => word.len() > 1,
    };
    (is_clear && parse_number_unit(word).is_some()).then_some(word)
}

/// What is attached to a number: letters, digits, a percent sign.
fn take_number_suffix(text: &str) -> &str {
    let len = if text.starts_with('%') {
        1
    } else {
        text.find(|it| !is_word_char(it)).unwrap_or(text.len())
    };
    &text[..len]
}

/// `0xff`, `0b1010`, `0o755`.
fn lex_radix_number(text: &str) -> Option<(Option<LiteralNumber>, usize)> {
    let radix = match text.get(..2)? {
        "0x" | "0X" => 16,
        "0b" | "0B" => 2,
        "0o" | "0O" => 8,
        _ => return None,
    };
    let rest = &text[2..];
    let len = rest
        .find(|it: char| !it.is_digit(radix) && it != '_')
        .unwrap_or(rest.len());
    let digits = rest[..len].replace('_', "");
    let value = u64::from_str_radix(&digits, radix).ok()?;
    let number = convert_exact_f64(value).map(LiteralNumber::from_value);
    Some((number, 2 + len))
}

/// A whole number that an `f64` holds exactly.
#[expect(
    clippy::cast_precision_loss,
    reason = "what would be lost is turned away"
)]
fn convert_exact_f64(value: u64) -> Option<f64> {
    (value < 1 << 53).then_some(value as f64)
}

/// The most digits that are taken for a number; more are a name.
const MAX_DIGITS: usize = 15;

/// Digits with underscores, thousands, a fraction, an exponent, or the dots of a version.
fn lex_decimal_number(text: &str) -> (Option<LiteralNumber>, usize) {
    let bytes = text.as_bytes();
    let run = |from: usize| {
        from + bytes[from..]
            .iter()
            .take_while(|it| it.is_ascii_digit() || **it == b'_')
            .count()
    };
    // A trailing underscore belongs to a suffix: `5_u64`.
    let first = text[..run(0)].trim_end_matches('_').len();
    let mut end = first;
    let mut joints: Vec<(u8, usize)> = Vec::new();
    while first == run(0)
        && let [joint @ (b'.' | b',' | b'\''), b'0'..=b'9', ..] = bytes[end..]
    {
        let len = run(end + 1) - end - 1;
        let is_group = len == 3 && first <= 3;
        let is_fraction = joint == b'.' || (joint == b',' && len <= 2 && joints.is_empty());
        let is_other = |last: &(u8, usize)| last.0 != joint && joint != b'.';
        if !is_group && !is_fraction || joints.last().is_some_and(is_other) {
            break;
        }
        joints.push((joint, len));
        end += len + 1;
    }
    let power = measure_exponent(&text[end..]);
    let number = build_decimal_number(&text[..end], &text[end..end + power], &joints);
    (number, end + power)
}

fn measure_exponent(rest: &str) -> usize {
    let Some(digits) = rest.strip_prefix(['e', 'E']) else {
        return 0;
    };
    let digits = digits.strip_prefix(['+', '-']).unwrap_or(digits);
    let len = digits.bytes().take_while(u8::is_ascii_digit).count();
    let is_power = (1..4).contains(&len) && !digits[len..].starts_with(is_word_char);
    if is_power {
        rest.len() - digits.len() + len
    } else {
        0
    }
}

/// The number that digits and their joints make.
fn build_decimal_number(text: &str, power: &str, joints: &[(u8, usize)]) -> Option<LiteralNumber> {
    if joints.is_empty() && power.is_empty() && text.len() <= MAX_DIGITS && !text.contains('_') {
        return text.parse().ok().map(LiteralNumber::from_value);
    }
    let dotted = text.replace(['_', ',', '\''], "");
    let digits = dotted.replace('.', "");
    if digits.len() > MAX_DIGITS {
        return None;
    }
    let parse = |it: &str| {
        let value = format!("{it}{power}").parse().ok();
        value.filter(|it: &f64| it.is_finite())
    };
    let is_grouped = |joint: u8| !joints.is_empty() && joints.iter().all(|it| *it == (joint, 3));
    let dots = text.matches('.').count();
    let has_fraction = match dots {
        0 => !joints.is_empty() && !is_grouped(b',') && !is_grouped(b'\''),
        _ => dots == 1,
    };
    // Underscores at the end are counted in a joint, and are no digits.
    let fraction = joints.last().map_or(0, |it| it.1.min(digits.len()));
    let (head, tail) = digits.split_at(digits.len() - fraction);
    let decimal = has_fraction
        .then(|| parse(&format!("{head}.{tail}")))
        .flatten();
    let is_whole = dots == 0 && !has_fraction || is_grouped(b'.');
    let whole = is_whole.then(|| parse(&digits)).flatten();
    let parts = text.split(',').filter(|_| text.contains(','));
    Some(LiteralNumber {
        values: [decimal, whole],
        parts: parts.filter_map(parse).collect(),
        dotted: (dots > 0).then(|| dotted.into()),
        is_version: dots > 1,
        unit: None,
    })
}
