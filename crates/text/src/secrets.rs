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
mod login;
mod mask;
mod named_value;
mod policy;
mod public;
mod rules;
mod sentence;
pub(crate) mod word_index;

use fold::{
    fold_to_ascii, join_broken_lines, join_equal_pieces, join_token_pieces, splice_string_literals,
};
use judge::SecretJudge;
pub use mask::{SecretPlace, find_secret_places, mask_secrets};
use named_value::{ByteCursor, NOUNS, SecretNoun, SecretWord, WAYS};
pub use policy::{SecretPolicy, SecretPolicyError, install_secret_policy, let_values_pass};
use regex::bytes::{Regex, RegexBuilder};
use rules::ROWS;
use std::{
    ops::Range,
    sync::{LazyLock, OnceLock},
};
use word_index::WordIndex;

use crate::word_lists::is_in_word_list;

/// Shortest text that can hold a secret: `pwd: abc`.
const SHORTEST: usize = 8;
/// Shortest run that counts as a blob when nothing around it says what it is.
const BLOB_MIN: usize = 32;
/// Name that [`find_secret`] gives for such a blob.
const BLOB: &str = "high-entropy-blob";
/// So much of a value is judged: what is random is so from its beginning.
const JUDGED_MAX: usize = 256;
/// How often a row looks into a value that it has let pass.
const TRIES: usize = 64;
/// How many words that name a secret are read with the sentence around them.
const WORDS_MAX: usize = 512;
/// A value beyond all measure counts as several tries.
const LONG: usize = 4_096;

/// What was done to a text before it is looked through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TextForm {
    /// Nothing that could glue unrelated words together.
    Whole,
    /// Pieces were put together or read out of escapes, so a value must be random to the eye unless it has a shape of
    /// its own.
    Joined,
    /// Words were put together on a guess: only a shape of its own counts.
    Guessed,
}

impl TextForm {
    /// How a value is judged in this form; `None` when it is not even looked at.
    fn adapt_judge(self, judge: SecretJudge) -> Option<SecretJudge> {
        match self {
            Self::Joined if !judge.has_own_shape() => Some(SecretJudge::Strong),
            Self::Guessed
                if !matches!(
                    judge,
                    SecretJudge::Shape | SecretJudge::Prefixed | SecretJudge::SecretKey
                ) =>
            {
                None
            }
            _ => Some(judge),
        }
    }
}

/// What was taken for a secret, and the rule that found it. It has no `Debug`: the value is for the mask only.
#[derive(Clone)]
pub struct SecretMatch {
    /// The rule.
    pub rule: &'static str,
    value: String,
    /// The word that the value stands in: the same whichever rule finds it.
    word: String,
}

/// A rule, and where its value stands.
type SecretHit = (&'static str, Range<usize>);

/// The rule that a text trips, if it looks as if it held a secret. Never carries the secret itself.
pub fn find_secret(text: &str) -> Option<&'static str> {
    find_secret_match(text).map(|it| it.rule)
}

/// What a text holds that looks like a secret, and the rule that says so.
pub fn find_secret_match(text: &str) -> Option<SecretMatch> {
    find_secret_match_with(policy::installed_policy(), text)
}

/// What a text holds that looks like a secret to a user with this policy.
pub fn find_secret_match_with(policy: &SecretPolicy, text: &str) -> Option<SecretMatch> {
    if text.len() < SHORTEST {
        return None;
    }
    let folded = fold_to_ascii(text);
    let run = measure_longest_blob_run(&folded);
    let look_into = |text: Option<String>, form| find_secret_in_form(policy, &text?, form);
    find_secret_in_form(policy, &folded, TextForm::Whole)
        .or_else(|| look_into(join_broken_lines(&folded), TextForm::Joined))
        .or_else(|| look_into(splice_string_literals(&folded), TextForm::Joined))
        .or_else(|| look_into(decode::decode_hidden_text(&folded, run), TextForm::Joined))
        .or_else(|| look_into(join_equal_pieces(&folded), TextForm::Joined))
        .or_else(|| look_into(join_token_pieces(&folded), TextForm::Guessed))
}

/// Looks through one form of the text.
fn find_secret_in_form(policy: &SecretPolicy, text: &str, form: TextForm) -> Option<SecretMatch> {
    let run = measure_longest_blob_run(text);
    let plain = public::blank_public_values(text, run);
    let lower = lower_in_place(&plain);
    let (rows, words) = find_secret_candidates(&lower);
    let match_row = |index: usize| {
        let judge = form.adapt_judge(ROWS[index].judge)?;
        Some((
            ROWS[index].name,
            find_secret_rule_value(policy, index, judge, &plain, &lower)?,
        ))
    };
    let is_whole = form == TextForm::Whole;
    let texts = (&*plain, &*lower);
    let hit = policy
        .find_own_rule(text)
        .or_else(|| rows.into_iter().find_map(match_row))
        .or_else(|| find_secret_after_word(policy, &words, texts, form))
        .or_else(|| is_whole.then(|| find_password_in_sentence(policy, &words, texts))?)
        .or_else(|| (is_whole && run >= BLOB_MIN).then(|| find_random_blob(policy, &plain))?);
    hit.map(|(rule, at)| {
        let subject = if rule == policy::OWN_RULE {
            text
        } else {
            &plain
        };
        SecretMatch::new(rule, subject.as_bytes(), at)
    })
}

impl SecretMatch {
    /// What a rule found at this place.
    fn new(rule: &'static str, text: &[u8], at: Range<usize>) -> Self {
        let at = trim_value(text, at);
        let read = |it: Range<usize>| String::from_utf8_lossy(&text[it]).into_owned();
        Self {
            rule,
            word: read(policy::widen_to_word(text, &at)),
            value: read(at),
        }
    }
}

/// The way in which a word that names a secret is followed by one.
fn find_secret_after_word(
    policy: &SecretPolicy,
    words: &[(SecretNoun, Range<usize>)],
    (plain, lower): (&str, &str),
    form: TextForm,
) -> Option<SecretHit> {
    let (plain, lower) = (plain.as_bytes(), lower.as_bytes());
    WAYS.iter()
        .find_map(|(name, takes_word, find_value, judge)| {
            let judge = form.adapt_judge(*judge)?;
            let (mut tries, mut done) = (0, 0);
            let at = words.iter().find_map(|(noun, at)| {
                // A long text of nothing but such words is not judged again from each of them.
                if tries >= TRIES && at.start < done {
                    return None;
                }
                let word = SecretWord {
                    noun: *noun,
                    before: &lower[..at.start],
                };
                // What follows is quicker to tell than what the word is.
                let value =
                    find_value(ByteCursor::new(&lower[at.end..])).filter(|_| takes_word(&word))?;
                (tries, done) = (tries + 1, at.end + value.end);
                let value = at.end + value.start..done;
                is_secret_value(policy, judge, plain, value.clone()).then_some(value)
            })?;
            Some((*name, at))
        })
}

/// A password that a sentence tells: behind a word for one, before it, or behind the name of an account.
fn find_password_in_sentence(
    policy: &SecretPolicy,
    words: &[(SecretNoun, Range<usize>)],
    (plain, lower): (&str, &str),
) -> Option<SecretHit> {
    words.iter().take(WORDS_MAX).find_map(|(noun, at)| {
        let at = at.start..at.end + measure_plural(&lower[at.end..]);
        let (before, after) = (&lower[..at.start], &lower[at.end..]);
        let word = SecretWord {
            noun: *noun,
            before: before.as_bytes(),
        };
        let shift = |it: Range<usize>| at.end + it.start..at.end + it.end;
        let accepts = |judge, it| is_secret_value(policy, judge, plain.as_bytes(), it);
        let behind = |judge, it| accepts(judge, shift(it));
        if *noun == SecretNoun::Account {
            let found = sentence::find_after_account(before, after, behind)?;
            return Some(("login-pair", shift(found)));
        }
        if matches!(noun, SecretNoun::Login | SecretNoun::LoginWord) {
            let is_noun = *noun == SecretNoun::Login;
            let found = is_noun.then(|| sentence::find_after_login(after, behind).map(shift));
            let found = found
                .flatten()
                .or_else(|| login::find_login_pair(lower, &at, accepts))?;
            return Some(("login-pair", found));
        }
        if !word.is_password() {
            return None;
        }
        let found = sentence::find_after_noun(&word, &lower[at.clone()], after, behind).map(shift);
        let found = found.or_else(|| sentence::find_before_noun(before, after, accepts))?;
        Some(("password-in-sentence", found))
    })
}

/// The text in lower case, with every character where it was.
fn lower_in_place(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let lower = |c: char| {
        let low = c.to_lowercase().next().unwrap_or(c);
        if low.len_utf8() == c.len_utf8() {
            low
        } else {
            c
        }
    };
    text.chars().map(lower).collect()
}

/// The length of the `s` that makes a plural of the word before it.
fn measure_plural(after: &str) -> usize {
    let rest = after.strip_prefix('s');
    usize::from(rest.is_some_and(|it| !it.starts_with(|c: char| c.is_alphanumeric() || c == '_')))
}

/// The value that the row's pattern, compiled on first use, finds and that the judge takes for a secret.
fn find_secret_rule_value(
    policy: &SecretPolicy,
    index: usize,
    judge: SecretJudge,
    plain: &str,
    lower: &str,
) -> Option<Range<usize>> {
    static COMPILED: [OnceLock<Regex>; ROWS.len()] = [const { OnceLock::new() }; ROWS.len()];
    let row = &ROWS[index];
    let pattern = COMPILED[index].get_or_init(|| compile_byte_pattern(&row.expand_pattern()));
    let subject = if row.is_caseless() { lower } else { plain }.as_bytes();
    let (mut at, mut tries) = (0, 0);
    while at <= subject.len()
        && let Some(found) = pattern.captures_at(subject, at)
        && let Some(value) = found.get(1).or(found.get(0))
    {
        // Lower-casing ASCII moves nothing, so the range holds in both forms.
        if is_secret_value(policy, judge, plain.as_bytes(), value.range()) {
            return Some(value.range());
        }
        // Go on right behind the start of the value: a keyword may hide inside a harmless one. Not for ever, though:
        // a long text of nothing but keywords would be read again and again.
        tries += 1 + value.len() / LONG;
        at = value.start() + 1;
        if tries >= TRIES {
            at = at.max(value.end());
        }
    }
    None
}

/// Whether the value at this place passes for a secret.
fn is_secret_value(
    policy: &SecretPolicy,
    judge: SecretJudge,
    plain: &[u8],
    value: Range<usize>,
) -> bool {
    // What is called is code, whatever its name looks like.
    let is_called = !judge.has_own_shape() && plain.get(value.end) == Some(&b'(');
    // The text is read lossily, since an edge may cut through a character before the value.
    let judged = value.start..value.end.min(value.start + JUDGED_MAX);
    !is_called
        && judge.accepts_value(&String::from_utf8_lossy(&plain[judged]))
        && !policy.allows_value(plain, &trim_value(plain, value))
}

/// The value without the marks at its ends that belong to the sentence, and without the edge that a pattern looks at.
fn trim_value(plain: &[u8], value: Range<usize>) -> Range<usize> {
    let text = &plain[value.clone()];
    let head = text.iter().take_while(|it| is_value_edge(**it)).count();
    let text = &text[head..];
    let is_end = |it: &&u8| is_value_edge(**it) || matches!(it, b'.' | b'?' | b':');
    let tail = text.iter().rev().take_while(is_end).count();
    value.start + head..value.end - tail
}

/// Whether a value ends at this character: blanks, quotes, brackets and what an assignment is written with.
fn is_value_edge(byte: u8) -> bool {
    byte.is_ascii_whitespace() || b"\"'`<>(){}[],;=:|".contains(&byte)
}

/// Compiles for bytes: neighbouring CJK text must not count as part of a word.
#[expect(
    clippy::expect_used,
    reason = "patterns are constants; a test compiles every row"
)]
pub(crate) fn compile_byte_pattern(pattern: &str) -> Regex {
    RegexBuilder::new(pattern)
        .unicode(false)
        .build()
        .expect("pattern in the rule table is valid")
}

/// The keywords of all rows, and behind the rows the nouns.
static KEYWORDS: LazyLock<WordIndex> = LazyLock::new(|| {
    let lists = ROWS
        .iter()
        .map(|it| it.keywords)
        .chain(NOUNS.iter().map(|it| it.1));
    WordIndex::new(lists.enumerate().flat_map(|(index, words)| {
        let words = words.split(',').filter(|it| !it.is_empty());
        words.map(move |word| (word, index))
    }))
});

/// The rows that can match a text in lower case, in their order, and the words in it that name a secret, with where they
/// stand. Rows may need a long run as well, or instead.
fn find_secret_candidates(lower: &str) -> (Vec<usize>, Vec<(SecretNoun, Range<usize>)>) {
    let run = measure_longest_digit_run(lower);
    let by_run = (0..ROWS.len()).filter(|it| ROWS[*it].keywords.is_empty());
    let (mut rows, mut words): (Vec<usize>, _) = (by_run.collect(), Vec::new());
    KEYWORDS.for_each_match(lower.as_bytes(), |index, at| {
        match index.checked_sub(ROWS.len()) {
            Some(noun) => words.push((NOUNS[noun].0, at)),
            None => rows.push(index),
        }
    });
    rows.retain(|it| ROWS[*it].run <= run);
    rows.sort_unstable();
    rows.dedup();
    (rows, words)
}

/// The length of the longest run that has digits in it, as few names do.
fn measure_longest_digit_run(text: &str) -> usize {
    let (mut longest, mut len, mut digits) = (0, 0, 0);
    for byte in text.bytes() {
        if byte == b'/' || !is_blob_byte(byte) {
            (len, digits) = (0, 0);
            continue;
        }
        len += 1;
        digits += usize::from(byte.is_ascii_digit());
        if digits > 2 && len > longest {
            longest = len;
        }
    }
    longest
}

fn measure_longest_blob_run(text: &str) -> usize {
    let (mut longest, mut len) = (0, 0);
    for byte in text.bytes() {
        len = if is_blob_byte(byte) { len + 1 } else { 0 };
        longest = longest.max(len);
    }
    longest
}

fn is_blob_char(c: char) -> bool {
    u8::try_from(c).is_ok_and(is_blob_byte)
}

fn is_blob_byte(byte: u8) -> bool {
    const TABLE: [bool; 256] = {
        let (mut table, mut at) = ([false; 256], 0);
        while at < 256 {
            let byte = at as u8;
            table[at] = byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'_' | b'-');
            at += 1;
        }
        table
    };
    TABLE[usize::from(byte)]
}

/// Words behind which a long random run is public: it names content, a place in a list or an account.
const PUBLIC_NAMES: &str = "cursor continuation bookmark checksum digest fingerprint thumbprint etag kid address wallet contract solana \
    sitekey site-key site_key";

/// A long random run outside of an address.
fn find_random_blob(policy: &SecretPolicy, text: &str) -> Option<SecretHit> {
    let words =
        text.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '('));
    let run = words
        .filter(|word| word.len() >= BLOB_MIN && !word.contains("://"))
        .flat_map(|word| word.split(|c| !is_blob_char(c)))
        .find(|run| {
            run.len() >= BLOB_MIN && judge::is_random_blob(run) && !decode::is_base64_text(run)
        })?;
    let start = text.find(run)?;
    let at = start..start + run.len();
    let is_allowed = is_named_public(&text[..start]) || policy.allows_value(text.as_bytes(), &at);
    (!is_allowed).then_some((BLOB, at))
}

/// Whether the word before a run says that it is public.
fn is_named_public(before: &str) -> bool {
    let before = before.trim_end_matches(|c: char| c.is_whitespace() || "\"'`:=(/".contains(c));
    let before = before
        .strip_suffix(" W")
        .unwrap_or(before)
        .to_ascii_lowercase();
    let last = before
        .rsplit(char::is_whitespace)
        .next()
        .unwrap_or_default();
    is_in_word_list(PUBLIC_NAMES, last.trim_matches(['"', '\'', ':', '=']))
        || before.ends_with("site key")
}

#[cfg(test)]
mod tests;
