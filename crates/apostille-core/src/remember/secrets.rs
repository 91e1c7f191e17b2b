//! Refuses texts that look as if they held a secret.
//!
//! A text is folded first (zero-width characters dropped, full-width letters mapped to ASCII),
//! then one pass over it finds which rows of the table can match at all, and which words that name
//! a secret stand in it. Only those rows compile their pattern, and what a pattern or a word finds
//! is judged once more: a placeholder, a path or an ordinary word is no secret. Then the same is
//! done with the forms that put together what was broken up and read what was written in escapes.

mod decode;
mod fold;
mod judge;
mod mask;
mod named;
mod public;
mod rules;

use judge::Judge;
pub use mask::masked;
use named::{NOUNS, Noun, WAYS, Word};
use regex::bytes::{Regex, RegexBuilder};
use rules::{ROWS, Row};
use std::sync::{LazyLock, OnceLock};

/// Shortest text that can hold a secret: `pwd: abc`.
const SHORTEST: usize = 8;
/// Shortest run that counts as a blob when nothing around it says what it is.
const BLOB_MIN: usize = 32;
/// Name that [`find`] gives for such a blob.
const BLOB: &str = "high-entropy-blob";
/// Buckets of the keyword index: a power of two, so that a mask picks one.
const BUCKETS: usize = 1024;
/// So much of a value is judged: what is random is so from its beginning.
const JUDGED_MAX: usize = 256;
/// How often a row looks into a value that it has let pass.
const TRIES: usize = 64;
/// One bit per row; a test keeps the table within it.
type RowSet = [u64; 8];

/// What was done to a text before it is looked through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Nothing that could glue unrelated words together.
    Whole,
    /// Pieces were put together or read out of escapes, so a value must be random to the eye unless it has a shape of
    /// its own.
    Joined,
    /// Words were put together on a guess: only a shape of its own counts.
    Guessed,
}

impl Form {
    /// How a value is judged in this form; `None` when it is not even looked at.
    fn judge(self, judge: Judge) -> Option<Judge> {
        match self {
            Self::Whole => Some(judge),
            Self::Joined if judge.has_own_shape() => Some(judge),
            Self::Joined => Some(Judge::Strong),
            Self::Guessed => matches!(judge, Judge::Shape | Judge::Prefixed).then_some(judge),
        }
    }
}

/// The rule that a text trips, if it looks as if it held a secret. Never carries the secret itself.
pub fn find(text: &str) -> Option<&'static str> {
    if text.len() < SHORTEST {
        return None;
    }
    let folded = fold::fold(text);
    find_in(&folded, Form::Whole)
        .or_else(|| find_in(&fold::unbroken(&folded)?, Form::Joined))
        .or_else(|| find_in(&fold::spliced(&folded)?, Form::Joined))
        .or_else(|| find_in(&decode::decoded(&folded)?, Form::Joined))
        .or_else(|| find_in(&fold::closed_up(&folded)?, Form::Guessed))
}

/// Looks through one form of the text.
fn find_in(text: &str, form: Form) -> Option<&'static str> {
    let plain = public::without(text);
    let lower = plain.to_ascii_lowercase();
    let seen = Seen::of(&lower);
    let by_row = ROWS.iter().enumerate().find(|&(index, row)| {
        let judge = form.judge(row.judge).filter(|_| has(&seen.rows, index));
        judge.is_some_and(|judge| row_matches(index, row, judge, &plain, &lower))
    });
    by_row
        .map(|(_, row)| row.name)
        .or_else(|| by_word(&seen, &plain, &lower, form))
        .or_else(|| (form == Form::Whole && has_blob(&plain)).then_some(BLOB))
}

/// The way in which a word that names a secret is followed by one.
fn by_word(seen: &Seen, plain: &str, lower: &str, form: Form) -> Option<&'static str> {
    let (plain, lower) = (plain.as_bytes(), lower.as_bytes());
    let holds = |judge: Judge, noun: Noun, range: &std::ops::Range<usize>, way: &named::Way| {
        let value = way.find(&Word::new(noun, &lower[..range.start]), &lower[range.end..]);
        value.is_some_and(|it| is_secret(judge, plain, range.end + it.start..range.end + it.end))
    };
    WAYS.iter().find_map(|way| {
        let judge = form.judge(way.judge)?;
        let is_found = seen.words.iter().any(|(noun, range)| holds(judge, *noun, range, way));
        is_found.then_some(way.name)
    })
}

/// Whether the row's pattern finds something that the judge takes for a secret.
fn row_matches(index: usize, row: &Row, judge: Judge, plain: &str, lower: &str) -> bool {
    let pattern = pattern(index, row);
    let subject = if row.is_caseless() { lower } else { plain }.as_bytes();
    let (mut at, mut tries) = (0, 0);
    while let Some(found) = pattern.captures_at(subject, at) {
        let Some(value) = found.get(1).or_else(|| found.get(0)) else {
            return false;
        };
        // Lower-casing ASCII moves nothing, so the range holds in both forms.
        if is_secret(judge, plain.as_bytes(), value.range()) {
            return true;
        }
        // Go on right behind the start of the value: a keyword may hide inside a harmless one. Not for ever, though:
        // a long text of nothing but keywords would be read again and again.
        tries += 1;
        at = if tries < TRIES { value.start() + 1 } else { value.end().max(value.start() + 1) };
        if at > subject.len() {
            return false;
        }
    }
    false
}

/// Whether the value at this place passes for a secret.
fn is_secret(judge: Judge, plain: &[u8], value: std::ops::Range<usize>) -> bool {
    // What is called is code, whatever its name looks like.
    let is_called = !judge.has_own_shape() && plain.get(value.end) == Some(&b'(');
    // The text is read lossily, since an edge may cut through a character before the value.
    let judged = value.start..value.end.min(value.start + JUDGED_MAX);
    !is_called && judge.accepts(&String::from_utf8_lossy(&plain[judged]))
}

/// The row's pattern, compiled on first use.
fn pattern(index: usize, row: &Row) -> &'static Regex {
    static COMPILED: [OnceLock<Regex>; ROWS.len()] = [const { OnceLock::new() }; ROWS.len()];
    COMPILED[index].get_or_init(|| compile(&rules::expand(row)))
}

/// Compiles for bytes: neighbouring CJK text must not count as part of a word.
#[expect(clippy::expect_used, reason = "patterns are constants; a test compiles every row")]
fn compile(pattern: &str) -> Regex {
    RegexBuilder::new(pattern).unicode(false).build().expect("pattern in the rule table is valid")
}

/// Keywords that share a start, each with the index of its row; behind the rows come the nouns.
type Bucket = Vec<(&'static [u8], usize)>;

/// The keywords of all rows and all nouns, bucketed by their first two bytes.
static KEYWORDS: LazyLock<Vec<Bucket>> = LazyLock::new(|| {
    let mut buckets = vec![Vec::new(); BUCKETS];
    let rows = ROWS.iter().map(|row| row.keywords).enumerate();
    let of_rows = rows.flat_map(|(index, words)| words.iter().map(move |word| (*word, index)));
    let of_nouns = NOUNS.iter().enumerate().map(|(index, (word, _))| (*word, ROWS.len() + index));
    for (word, index) in of_rows.chain(of_nouns) {
        buckets[bucket(word.as_bytes())].push((word.as_bytes(), index));
    }
    buckets
});

/// Bucket of the first two bytes; every keyword has at least two.
fn bucket(start: &[u8]) -> usize {
    match start {
        [first, second, ..] => (usize::from(*first) * 37 + usize::from(*second)) & (BUCKETS - 1),
        _ => 0,
    }
}

/// What one pass over a text finds.
#[derive(Default)]
struct Seen {
    /// Rows that can match.
    rows: RowSet,
    /// Words that name a secret, and where.
    words: Vec<(Noun, std::ops::Range<usize>)>,
}

impl Seen {
    /// Looks for keywords, whatever their case was. Rows may need a long run as well, or instead.
    fn of(lower: &str) -> Self {
        let run = longest_odd_run(lower);
        let mut seen = Self::default();
        for (index, row) in ROWS.iter().enumerate() {
            if row.keywords.is_empty() && row.run <= run {
                add(&mut seen.rows, index);
            }
        }
        let lower = lower.as_bytes();
        for start in 0..lower.len() {
            let rest = &lower[start..];
            for &(keyword, index) in &KEYWORDS[bucket(rest)] {
                if rest.starts_with(keyword) {
                    seen.add(index, start..start + keyword.len(), run);
                }
            }
        }
        seen
    }

    fn add(&mut self, index: usize, at: std::ops::Range<usize>, run: usize) {
        match index.checked_sub(ROWS.len()) {
            Some(noun) => self.words.push((NOUNS[noun].1, at)),
            None if ROWS[index].run <= run => add(&mut self.rows, index),
            None => {}
        }
    }
}

fn add(rows: &mut RowSet, index: usize) {
    rows[index / 64] |= 1 << (index % 64);
}

fn has(seen: &RowSet, index: usize) -> bool {
    seen[index / 64] & (1 << (index % 64)) != 0
}

/// The length of the longest run that has digits in it, as few names do.
fn longest_odd_run(text: &str) -> usize {
    let runs = text.split(|c: char| c == '/' || !is_blob_char(c));
    let odd = runs.filter(|run| run.bytes().filter(u8::is_ascii_digit).nth(2).is_some());
    odd.map(str::len).max().unwrap_or(0)
}

fn longest_run(text: &str) -> usize {
    let runs = text.split(|c| !is_blob_char(c));
    runs.map(str::len).max().unwrap_or(0)
}

fn is_blob_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '_' | '-')
}

/// Whether the text holds a long random run outside of an address.
fn has_blob(text: &str) -> bool {
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '('));
    words
        .filter(|word| word.len() >= BLOB_MIN && !word.contains("://"))
        .flat_map(|word| word.split(|c| !is_blob_char(c)))
        .any(|run| run.len() >= BLOB_MIN && judge::is_blob(run))
}

#[cfg(test)]
mod tests;
