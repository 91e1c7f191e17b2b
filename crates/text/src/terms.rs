//! The one analyser: what a text is indexed under, and what a question asks for.
//!
//! A text falls into *names* (`useCheckoutTotals`, `rate-limit`, `plain`), and names into *parts*.
//! A name of several parts gives each part, stemmed, and the whole name, lower-cased, without its
//! separators and unstemmed: `use_checkout_totals` and `useCheckoutTotals` are one term, while
//! `getUser` and `getUsers` stay two. A dotted name (`client.rs`) is also kept whole, with its dots;
//! a path is its names, so its file name stays whole. Scripts written without spaces give bigrams.
//!
//! A document's length for ranking is the sum of its counts. A name of n parts counts n + 1, one
//! more than the same words in prose; with a mild length penalty that is not worth a second count.

use std::collections::HashMap;
use std::{
    hash::{BuildHasherDefault, DefaultHasher},
    sync::LazyLock,
};

use rust_stemmers::{Algorithm, Stemmer};

use crate::word_lists::{WordSet, collect_words};

/// The longest term, in bytes. What is longer is cut, alike in documents and in questions.
pub const MAX_TERM_BYTES: usize = 40;

/// The analyser reads this many characters of a text and ignores the rest. No text gives more terms
/// than twice this number.
pub const MAX_CHARS: usize = 8192;

/// A stopword is weighed down, not dropped: "to be" must still find something.
const STOPWORD: f32 = 0.3;
/// A part says less than the name it came from.
const PART: f32 = 0.8;
/// Two neighbouring words written as one: "front end" asks for "frontend" too.
const JOINED: f32 = 0.5;
/// A word about the conversation itself: "what did I mention about the cart" is about the cart.
const CHAT: f32 = 0.3;

static STEMMER: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));

/// Where a token stands, which decides its weight in a question.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TermKind {
    /// A word that is a name by itself.
    Plain,
    /// One part of a longer name.
    Part,
    /// A name of several parts, or a dotted name: never stemmed.
    Whole,
    /// Two characters of a script without spaces.
    Bigram,
}

/// Terms with how often each occurs.
type TermCounts = Vec<(String, u32)>;

/// A text as the terms it is indexed under, each with its count, in order of first appearance.
///
/// A term is lower-case, stemmed unless it is a whole name, and at most [`MAX_TERM_BYTES`] long.
pub fn extract_terms(text: &str) -> TermCounts {
    extract_terms_by(text, stem_by_kind)
}

fn extract_terms_by(text: &str, mut term: impl FnMut(TermKind, &str) -> String) -> TermCounts {
    let mut tally = TermTally::new();
    analyse_text(text, |kind, word| {
        *tally.value_mut(term(kind, word)) += 1;
    });
    tally.into_vec()
}

/// Analyses many texts one after the other: the stem of a word is worked out once.
#[derive(Debug, Default)]
pub struct StemCache {
    /// What is known of a word that may have a stem.
    known: HashMap<String, KnownWord, BuildHasherDefault<DefaultHasher>>,
}

#[derive(Debug)]
struct KnownWord {
    term: String,
    is_stopword: bool,
}

impl KnownWord {
    fn new(kind: TermKind, word: &str) -> Self {
        Self {
            term: stem_by_kind(kind, word),
            is_stopword: is_stopword(word),
        }
    }
}

impl StemCache {
    /// How many words are remembered.
    const MOST: usize = 1 << 16;

    /// What [`extract_terms`] finds in a text.
    pub fn extract_terms(&mut self, text: &str) -> TermCounts {
        extract_terms_by(text, |kind, word| match kind {
            TermKind::Whole | TermKind::Bigram => word.to_owned(),
            TermKind::Plain | TermKind::Part => self.look_up(kind, word, |it| it.term.clone()),
        })
    }

    /// Goes through what [`extract_term_sequence`] finds in a text.
    pub fn each_sequence_term(&mut self, text: &str, mut see: impl FnMut(&str)) {
        analyse_text(text, |kind, word| {
            if kind != TermKind::Whole {
                self.look_up(kind, word, |it| {
                    if !it.is_stopword {
                        see(&it.term);
                    }
                });
            }
        });
    }

    fn look_up<T>(&mut self, kind: TermKind, word: &str, see: impl FnOnce(&KnownWord) -> T) -> T {
        if let Some(known) = self.known.get(word) {
            return see(known);
        }
        let known = KnownWord::new(kind, word);
        let seen = see(&known);
        if self.known.len() < Self::MOST {
            self.known.insert(word.to_owned(), known);
        }
        seen
    }

    /// What [`extract_terms_with_len`] finds in a text.
    #[must_use]
    pub fn extract_terms_with_len(&mut self, text: &str) -> (TermCounts, u32) {
        sum_term_counts(self.extract_terms(text))
    }
}

/// The version of the analyser: an index made by another version is made anew.
pub const VERSION: u32 = 1;

/// What a text is indexed under, and its length in terms.
pub fn extract_terms_with_len(text: &str) -> (TermCounts, u32) {
    sum_term_counts(extract_terms(text))
}

fn sum_term_counts(terms: TermCounts) -> (TermCounts, u32) {
    let len = terms.iter().map(|(_, count)| count).sum();
    (terms, len)
}

/// A term that a question asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryTerm {
    /// The term.
    pub term: String,
    /// The word that it was made of, as it was asked, in lower case.
    pub word: String,
    /// How much it counts.
    pub weight: f32,
    /// What it says about the question.
    pub role: TermRole,
}

/// What a term says about what is asked, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TermRole {
    /// Next to nothing.
    Stopword,
    /// A word about the conversation: "remember", "mentioned".
    Chat,
    /// Two neighbours written as one, which may be no word at all.
    Joined,
    /// What it is about.
    Content,
}

impl QueryTerm {
    /// Whether it says what the question is about; a stopword does not.
    pub fn is_content(&self) -> bool {
        self.role != TermRole::Stopword
    }
}

/// The terms a question asks for, each with its weight, in order of first appearance.
///
/// A stopword counts little and a part of a name less than the whole; two plain neighbours are also
/// asked for as one word. A term asked twice weighs twice.
pub fn extract_query_terms(text: &str) -> Vec<QueryTerm> {
    let mut tally = TermTally::<AskedTerm>::new();
    let mut previous = String::new();
    analyse_text(text, |kind, word| {
        let place = if kind == TermKind::Part { PART } else { 1.0 };
        let (role, weight) = weigh_query_word(word);
        let asked = tally.value_mut(stem_by_kind(kind, word));
        asked.add_word(word, role, place * weight);
        if let Some(joined) = join_neighbour_words(&previous, kind, word) {
            let asked = tally.value_mut(joined);
            asked.add_word(&format!("{previous} {word}"), TermRole::Joined, JOINED);
        }
        previous.clear();
        if kind == TermKind::Plain {
            previous.push_str(word);
        }
    });
    let terms = tally.into_vec().into_iter();
    let terms = terms.map(|(term, asked)| QueryTerm {
        term,
        word: asked.word,
        weight: asked.weight,
        role: asked.role.unwrap_or(TermRole::Stopword),
    });
    terms.collect()
}

/// A term while the words of a question are read.
#[derive(Default)]
struct AskedTerm {
    word: String,
    weight: f32,
    role: Option<TermRole>,
}

impl AskedTerm {
    fn add_word(&mut self, word: &str, role: TermRole, weight: f32) {
        if self.role < Some(role) {
            self.word = word.to_owned();
            self.role = Some(role);
        }
        self.weight += weight;
    }
}

fn weigh_query_word(word: &str) -> (TermRole, f32) {
    if is_stopword(word) {
        (TermRole::Stopword, STOPWORD)
    } else if CHAT_WORDS.contains(word) {
        (TermRole::Chat, CHAT)
    } else {
        (TermRole::Content, 1.0)
    }
}

/// The terms of a text one after the other, as they stand in it: without stopwords, and without names as a whole, whose parts
/// are there. Two terms side by side in a question that stand side by side in a text are more than two terms.
pub fn extract_term_sequence(text: &str) -> Vec<String> {
    let mut sequence = Vec::new();
    analyse_text(text, |kind, word| {
        if kind != TermKind::Whole && !is_stopword(word) {
            sequence.push(stem_by_kind(kind, word));
        }
    });
    sequence
}

/// The words of a question that may be misspelt, as typed and as the term they are looked up under.
///
/// These are words of four letters and more, and parts of names, without stopwords and numbers: a
/// number one digit off is another number. Recall uses them to mend typing errors.
pub fn extract_misspellable_words(text: &str) -> Vec<(String, String)> {
    let mut words: Vec<(String, String)> = Vec::new();
    analyse_text(text, |kind, word| {
        let simple = matches!(kind, TermKind::Plain | TermKind::Part)
            && word.chars().all(char::is_alphabetic);
        let long = word.chars().nth(3).is_some();
        if simple && long && !is_stopword(word) && words.iter().all(|(seen, _)| seen != word) {
            words.push((word.to_owned(), stem_by_kind(kind, word)));
        }
    });
    words
}

/// The English stem of a lower-case ASCII word; any other word as it is, for the stemmer knows
/// nothing of it.
pub fn stem_word(word: &str) -> String {
    if word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        STEMMER.stem(word).into_owned()
    } else {
        word.to_owned()
    }
}

fn stem_by_kind(kind: TermKind, word: &str) -> String {
    match kind {
        // A stopword has no stem worth the time, and half of all words are stopwords.
        TermKind::Plain | TermKind::Part if !is_stopword(word) => stem_word(word),
        _ => word.to_owned(),
    }
}

/// Two plain words as one. Stopwords stay apart: "in put" is rarer than "in" before "put".
fn join_neighbour_words(previous: &str, kind: TermKind, word: &str) -> Option<String> {
    let both = kind == TermKind::Plain && previous.len() > 1 && word.len() > 1;
    if !both || previous.len() + word.len() > MAX_TERM_BYTES {
        return None;
    }
    let content = !is_stopword(previous) && !is_stopword(word);
    content.then(|| stem_word(&format!("{previous}{word}")))
}

/// Values by term that remember the order in which the terms came. The hasher has no random state,
/// which saves time; the order of the result never depends on it.
struct TermTally<T>(HashMap<String, (usize, T), BuildHasherDefault<DefaultHasher>>);

impl<T: Default> TermTally<T> {
    fn new() -> Self {
        Self(HashMap::with_capacity_and_hasher(
            64,
            BuildHasherDefault::default(),
        ))
    }

    fn value_mut(&mut self, term: String) -> &mut T {
        let place = self.0.len();
        let entry = self.0.entry(term);
        &mut entry.or_insert_with(|| (place, T::default())).1
    }

    fn into_vec(self) -> Vec<(String, T)> {
        let mut all: Vec<_> = self.0.into_iter().collect();
        all.sort_unstable_by_key(|(_, (place, _))| *place);
        all.into_iter()
            .map(|(term, (_, value))| (term, value))
            .collect()
    }
}

/// Hands every token of the text to `sink`, lower-case and cut to length but not yet stemmed.
fn analyse_text(text: &str, sink: impl FnMut(TermKind, &str)) {
    let chars: Vec<char> = text
        .chars()
        .take(MAX_CHARS)
        .filter_map(normalise_term_char)
        .collect();
    let word = String::with_capacity(MAX_TERM_BYTES);
    let mut sink = LowercaseSink { sink, word };
    let mut at = 0;
    while at < chars.len() {
        at = if is_bigram_char(chars[at]) {
            let end = find_run_end(&chars, at, is_bigram_char);
            // A single character is a pair of its own.
            for pair in chars[at..end].windows(2.min(end - at)) {
                sink.emit_token(TermKind::Bigram, pair);
            }
            end
        } else if is_term_char(chars[at]) {
            let end = find_dotted_end(&chars, at);
            sink.emit_dotted_name(&chars[at..end]);
            skip_contraction(&chars, sink.emit_symbol_name(&chars, at, end))
        } else {
            at + 1
        };
    }
}

/// Lower-cases, folds and cuts each token into one buffer that is used again and again.
struct LowercaseSink<F: FnMut(TermKind, &str)> {
    sink: F,
    word: String,
}

impl<F: FnMut(TermKind, &str)> LowercaseSink<F> {
    fn emit_token<'c>(&mut self, kind: TermKind, chars: impl IntoIterator<Item = &'c char>) {
        self.word.clear();
        for &letter in chars {
            push_folded_lowercase(&mut self.word, letter);
            if self.word.len() > MAX_TERM_BYTES {
                let end = self.word.floor_char_boundary(MAX_TERM_BYTES);
                self.word.truncate(end);
                break;
            }
        }
        if !self.word.is_empty() {
            (self.sink)(kind, &self.word);
        }
    }

    /// `C#` and `C++` are words that end in signs; every other sign is a gap. Gives where to read on.
    fn emit_symbol_name(&mut self, chars: &[char], at: usize, end: usize) -> usize {
        let signs = match &chars[end..] {
            ['+', '+', ..] => 2,
            ['#', ..] => 1,
            _ => return end,
        };
        let open = chars.get(end + signs).is_none_or(|&c| !is_term_char(c));
        if end - at == 1 && chars[at].is_ascii_alphabetic() && open {
            self.emit_token(TermKind::Whole, &chars[at..end + signs]);
        }
        end + signs
    }

    fn emit_dotted_name(&mut self, chars: &[char]) {
        if !chars.contains(&'.') {
            return self.emit_name(chars, TermKind::Plain);
        }
        for one in chars.split(|&c| c == '.') {
            self.emit_name(one, TermKind::Part);
        }
        self.emit_token(TermKind::Whole, chars);
    }

    /// The parts of one name, then the name itself if it has several.
    fn emit_name(&mut self, chars: &[char], alone: TermKind) {
        let end = find_part_end(chars, 0);
        if end == chars.len() {
            self.emit_token(alone, chars);
            return self.emit_number_parts(chars);
        }
        let mut at = 0;
        while at < chars.len() {
            let end = find_part_end(chars, at);
            // A single letter of a longer name (`x_axis`, `iOS`) finds nothing worth finding.
            if let part @ ([_, _, ..] | ['0'..='9']) = &chars[at..end] {
                self.emit_token(TermKind::Part, part);
                self.emit_number_parts(part);
            }
            at = find_run_end(chars, end, is_name_joint);
        }
        // A date or a range without its separators would be another number.
        let digits = chars
            .iter()
            .all(|&c| c.is_ascii_digit() || is_name_joint(c));
        self.emit_token(
            TermKind::Whole,
            chars.iter().filter(|&&c| digits || !is_name_joint(c)),
        );
    }

    /// Letters and number of `utf8`, `sha256`, `30s`, `p99` one by one; `v2`, `s3` and `k8s` mean
    /// something only as they stand.
    fn emit_number_parts(&mut self, chars: &[char]) {
        let Some(&first) = chars.first() else { return };
        let same = |c: char| c.is_numeric() == first.is_numeric();
        let (head, tail) = chars.split_at(find_run_end(chars, 0, same));
        if tail.is_empty() || tail.iter().any(|&c| same(c)) || chars.len() < 3 {
            return;
        }
        for side in [head, tail] {
            if side.len() > 1 || side.iter().all(|c| c.is_numeric()) {
                self.emit_token(TermKind::Part, side);
            }
        }
    }
}

fn push_folded_lowercase(word: &mut String, letter: char) {
    if letter.is_ascii() {
        word.push(letter.to_ascii_lowercase());
        return;
    }
    for lower in letter.to_lowercase().filter_map(normalise_term_char) {
        match fold_accented_letter(lower) {
            Some(ascii) => word.push_str(ascii),
            None => word.push(lower),
        }
    }
}

/// Full-width letters become ASCII, and marks that only decorate the letter before them go: "é"
/// may be one character or two, and must be one term.
fn normalise_term_char(c: char) -> Option<char> {
    let code = u32::from(c);
    match code {
        0xAD | 0x300..=0x36F | 0x200B..=0x200F | 0x2060 | 0xFEFF => None,
        0x2019 => Some('\''),
        0x2010 | 0x2011 => Some('-'),
        0xFF01..=0xFF5E => char::from_u32(code - 0xFEE0),
        _ => Some(c),
    }
}

/// Lower-case Latin letters with an accent, and how ASCII writes them.
#[rustfmt::skip]
const ACCENTED: &[(&str, &str)] = &[
    ("àáâãäåāăąǎ", "a"),
    ("æ", "ae"),
    ("çćĉċč", "c"),
    ("ďđð", "d"),
    ("èéêëēĕėęě", "e"),
    ("ĝğġģ", "g"),
    ("ĥħ", "h"),
    ("ìíîïĩīĭįı", "i"),
    ("ĵ", "j"),
    ("ķ", "k"),
    ("ĺļľŀł", "l"),
    ("ñńņň", "n"),
    ("òóôõöøōŏő", "o"),
    ("œ", "oe"),
    ("ŕŗř", "r"),
    ("śŝşšș", "s"),
    ("ß", "ss"),
    ("ţťŧț", "t"),
    ("þ", "th"),
    ("ùúûüũūŭůűų", "u"),
    ("ŵ", "w"),
    ("ýÿŷ", "y"),
    ("źżž", "z"),
];

/// A lower-case Latin letter with an accent, as ASCII.
fn fold_accented_letter(c: char) -> Option<&'static str> {
    static FOLDED: LazyLock<HashMap<char, &str>> = LazyLock::new(|| {
        let rows = ACCENTED.iter();
        rows.flat_map(|(letters, plain)| letters.chars().map(|it| (it, *plain)))
            .collect()
    });
    // No other script comes before the phonetic letters.
    if c < '\u{250}' {
        FOLDED.get(&c).copied()
    } else {
        None
    }
}

/// Scripts written without spaces: Han, kana and Hangul (spaced, but its words carry particles),
/// Thai, Lao, Myanmar, Khmer.
fn is_bigram_char(c: char) -> bool {
    matches!(u32::from(c),
        0xE01..=0xEFF | 0x1000..=0x11FF | 0x1780..=0x17FF
        | 0x3005..=0x3007 | 0x3041..=0x30FA | 0x30FC..=0x30FF
        | 0x3131..=0x318E | 0x31F0..=0x31FF | 0x3400..=0x4DBF
        | 0x4E00..=0x9FFF | 0xAC00..=0xD7A3 | 0xF900..=0xFAFF
        | 0xFF66..=0xFF9F | 0x20000..=0x323AF)
}

fn is_term_char(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_alphanumeric()
    } else {
        c.is_alphanumeric() && !is_bigram_char(c)
    }
}

fn find_run_end(chars: &[char], from: usize, holds: impl Fn(char) -> bool) -> usize {
    from + chars[from..].iter().take_while(|&&c| holds(c)).count()
}

/// The end of a name and of the names joined to it by one `.` or `-`, or by any number of `_`.
fn find_dotted_end(chars: &[char], from: usize) -> usize {
    let mut end = find_run_end(chars, from, is_term_char);
    loop {
        let next = match chars.get(end) {
            Some('_') => find_run_end(chars, end, |c| c == '_'),
            Some('.' | '-') => end + 1,
            _ => return end,
        };
        if !chars.get(next).is_some_and(|&c| is_term_char(c)) {
            return end;
        }
        end = find_run_end(chars, next, is_term_char);
    }
}

/// Steps over the end of "don't", "it's", "they'll"; leaves "o'brien" to be two words.
fn skip_contraction(chars: &[char], at: usize) -> usize {
    if chars.get(at) != Some(&'\'') {
        return at;
    }
    let end = find_run_end(chars, at + 1, is_term_char);
    if end - at <= 3 { end } else { at + 1 }
}

fn is_name_joint(c: char) -> bool {
    c == '_' || c == '-'
}

/// Where a part ends: at a joint, before a capital after a small letter or digit, and before the
/// last capital of a row when a small letter follows (`HTTPServer`), unless it is a plural (`URLs`).
fn find_part_end(chars: &[char], from: usize) -> usize {
    for at in from + 1..chars.len() {
        let (before, here) = (chars[at - 1], chars[at]);
        if is_name_joint(here)
            || here.is_uppercase() && (!before.is_uppercase() || is_word_opening(&chars[at + 1..]))
        {
            return at;
        }
    }
    chars.len()
}

fn is_word_opening(rest: &[char]) -> bool {
    match rest {
        ['s', after, ..] => after.is_lowercase(),
        ['s'] => false,
        _ => rest.first().is_some_and(|c| c.is_lowercase()),
    }
}

/// Words that say little about what is asked. One row a group.
static STOPWORDS: WordSet = WordSet::new(|| {
    collect_words(
        "a an the this that these those some any each both all such same other another own \
        i me my mine we us our ours you your yours he him his she her hers it its they them their theirs \
        myself yourself himself herself itself ourselves themselves \
        what which who whom whose when where why how \
        am is are was were be been being do does did doing done have has had having \
        can could will would shall should may might must \
        don doesn didn isn aren wasn weren won wouldn couldn shouldn hasn haven hadn ain \
        and or but nor if then else than because as while until although though so \
        of at by for with about against between into through during before after above below to from \
        up down in out on off over under again further once here there upon within without \
        no not only too very just also more most few much many \
        please tell give get got let",
    )
});

/// Words about a conversation rather than its subject. Few, and none that a developer asks about: "list", "type" and "file"
/// in their place cost one in a hundred answers about code.
static CHAT_WORDS: WordSet = WordSet::new(|| {
    collect_words(
        "remember remembered recall mention mentioned mentioning told telling said saying say says talk talked talking \
        discuss discussed discussing conversation conversations chat chats chatted earlier previously ago couple",
    )
});

fn is_stopword(word: &str) -> bool {
    STOPWORDS.contains(word)
}

#[cfg(test)]
mod tests {
    use super::{
        MAX_CHARS, MAX_TERM_BYTES, StemCache, extract_misspellable_words, extract_query_terms,
        extract_terms,
    };

    fn check(text: &str, expected: &str) {
        let mut stems = StemCache::default();
        assert_eq!(
            [stems.extract_terms(text), stems.extract_terms(text)],
            [extract_terms(text), extract_terms(text)],
            "terms of {text:?}"
        );
        let found: Vec<String> = extract_terms(text)
            .into_iter()
            .map(|(term, _)| term)
            .collect();
        assert_eq!(found.join(" "), expected, "terms of {text:?}");
    }

    #[test]
    fn words_are_lower_case_stems() {
        check("Migrations run before deploys.", "migrat run before deploy");
        check("caching cached caches", "cach");
        check("", "");
        check(" \t\n -- .. __ ::", "");
        check("it's they'll don't", "it they don");
        check(
            "O'Brien's \u{2018}quoted\u{2019} words",
            "o brien quot word",
        );
    }

    #[test]
    fn names_give_parts_and_whole() {
        check("useCheckoutTotals", "use checkout total usecheckouttotals");
        check(
            "use_checkout_totals",
            "use checkout total usecheckouttotals",
        );
        check(
            "use-checkout-totals",
            "use checkout total usecheckouttotals",
        );
        check("MAX_RETRY_COUNT", "max retri count maxretrycount");
        check("HTTPServer", "http server httpserver");
        check("parseHTTPBody", "pars http bodi parsehttpbody");
        check("__init__", "init");
        check("a__b_cd", "cd abcd");
        check("URLs APIs userIDs", "url api user id userids");
        check("iOS", "os ios");
        check("--no-verify", "no verifi noverify");
        check("std::sync::Arc", "std sync arc");
        check("C# C++ c F#x", "c c# c++ f x");
    }

    #[test]
    fn dotted_names_and_paths() {
        check("foo.bar", "foo bar foo.bar");
        check("src/api/client.rs", "src api client rs client.rs");
        check(
            "src\\api\\HttpClient.cs",
            "src api http client httpclient cs httpclient.cs",
        );
        check("end. Next", "end next");
        check(
            "tsconfig.base.json",
            "tsconfig base json tsconfig.base.json",
        );
        check(".env", "env");
    }

    #[test]
    fn numbers_stay() {
        check("port 5432", "port 5432");
        check("v2 s3 k8s i18n", "v2 s3 k8s i18n");
        check("utf8", "utf8 utf 8");
        check("UTF-8", "utf 8 utf8");
        check("sha256 p99 30s", "sha256 sha 256 p99 99 30s 30");
        check("python 3.11", "python 3 11 3.11");
        check("2024-01-15", "2024 01 15 2024-01-15");
        check("10,000", "10 000");
    }

    #[test]
    fn other_scripts() {
        check("数据库连接", "数据 据库 库连 连接");
        check("库 用户ID", "库 用户 id");
        check("サーバー を", "サー ーバ バー を");
        check("데이터", "데이 이터");
        check("База ДАННЫХ", "база данных");
        check("Café CAFE\u{301} naïve Straße", "cafe naiv strass");
        check("ＡＰＩ　１２", "api 12");
        check("İstanbul Œuvre Łódź", "istanbul oeuvr lodz");
        check("👍🏽 🇫🇷 ok", "ok");
    }

    #[test]
    fn counts_are_kept_in_order() {
        let expected = [
            ("cart".to_owned(), 2),
            ("total".to_owned(), 1),
            ("carttotal".to_owned(), 1),
        ];
        assert_eq!(extract_terms("cart CartTotal"), expected);
    }

    #[test]
    fn odd_text_is_bounded() {
        let odd = [
            "\u{0}",
            "\u{301}",
            "aB",
            "A.",
            "a_",
            "字",
            "\u{10FFFF}",
            "ß",
            "İ",
            "'",
            "9a",
            "ﬁ",
            "ก็",
        ];
        for text in odd
            .iter()
            .flat_map(|one| [one.repeat(20_000), format!("x{}y", one.repeat(3))])
        {
            let found = extract_terms(&text);
            assert!(found.len() <= 2 * MAX_CHARS, "{} terms", found.len());
            assert!(
                found
                    .iter()
                    .all(|(term, _)| !term.is_empty() && term.len() <= MAX_TERM_BYTES)
            );
            assert_eq!(extract_query_terms(&text).is_empty(), found.is_empty());
        }
    }

    #[test]
    fn every_pair_of_odd_characters_is_safe() {
        let odd = [
            'a', 'B', '1', '_', '-', '.', '\'', '#', '+', 's', 'é', '字', '\u{301}', 'ß', ' ', '٣',
            'ǅ',
        ];
        for first in odd {
            for (second, third) in odd.iter().flat_map(|&b| odd.iter().map(move |&c| (b, c))) {
                let text: String = [first, second, third, 'x', first].iter().collect();
                assert!(!extract_terms(&text).is_empty(), "{text:?}");
            }
        }
    }

    fn check_question(text: &str, expected: &str) {
        let found: Vec<String> = extract_query_terms(text)
            .iter()
            .map(|it| format!("{}={:.2}", it.term, it.weight))
            .collect();
        assert_eq!(found.join(" "), expected, "question {text:?}");
    }

    #[test]
    fn questions_are_weighed() {
        check_question("where is the cart", "where=0.30 is=0.30 the=0.30 cart=1.00");
        check_question("cartTotal", "cart=0.80 total=0.80 carttotal=1.00");
        check_question("front end", "front=1.00 end=1.00 frontend=0.50");
        check_question("cart of carts", "cart=2.00 of=0.30");
    }

    fn check_spelled(text: &str, expected: &str) {
        let found: Vec<String> = extract_misspellable_words(text)
            .iter()
            .map(|(word, term)| format!("{word}>{term}"))
            .collect();
        assert_eq!(found.join(" "), expected, "spelled {text:?}");
    }

    #[test]
    fn only_words_can_be_misspelt() {
        check_spelled(
            "which postgers migratoins on 5432",
            "postgers>postger migratoins>migratoin",
        );
        check_spelled("useChekoutTotals api", "chekout>chekout totals>total");
    }
}
