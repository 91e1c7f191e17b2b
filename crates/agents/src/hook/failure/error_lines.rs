//! The lines of an output that say what went wrong, and their words without what differs from run to run.

use apostille_text::moderate::strip_hidden_chars_in_place;

use crate::hook::shell::{is_listed, program_base_name};

/// How much of the end of an output is read, in bytes.
const READ_BYTES: usize = 32 * 1024;
/// How many lines are taken from the first that tell something, and from the last.
const FIRST_LINES: usize = 4;
const LAST_LINES: usize = 2;
/// How much of a line is read, in characters.
const MAX_LINE: usize = 240;

/// What a line has that tells of a failure.
const TELLING: &[&str] = &[
    "error",
    "fail",
    "cannot",
    "can't",
    "could not",
    "couldn't",
    "not found",
    "no such",
    "panicked",
    "undefined",
    "unresolved",
    "denied",
    "refused",
    "exception",
    "fatal",
    "missing",
    "invalid",
    "unexpected",
    "unable",
    "timed out",
    "does not exist",
    "mismatch",
    "conflict",
    "assert",
    "unknown",
    "not installed",
    "stale",
    "***",
    "err!",
];

/// What tells that nothing failed, or is only a heading.
const HARMLESS: &[&str] = &[
    "0 error",
    "0 fail",
    "no error",
    "error: 0",
    "errors: 0",
    "failures:",
    "0 warnings",
    "rust_backtrace",
    "for more information about",
];

/// Words of every failure and of every task, which tell nothing of what it is about.
const EVERY_FAILURE: &str = "a abort aborted aborting add also an and any are at be been build by call called can cannot caused change \
    changed check code command continue could couldn create delete did directory do does done due edit ensure \
    err error errors exception exit exited expected explain fail failed failing failure failures fatal file \
    files find first fix follow for found from function go good got has have help here if implement improve in \
    info install is issue it its keep know last let line list look main make mean missing more most move must \
    name need new next no not note now of ok old on open option or panicked please previous problem process \
    project put read recent remove rename replace repo return returned returning rewrite right run running \
    script see set should show simple src stack start started status stderr stdout still stop such sure tell \
    test tests than thank that the there thing think this thread time to traceback try understand unexpected \
    unknown update use used user using want warn warning warnings was way were with work write wrong yes you";

/// The lines that tell what went wrong: the first of them and the last; where none does, the last lines.
pub(super) fn list_telling_lines(output: &str) -> Vec<String> {
    let lines = list_last_lines(output);
    let telling: Vec<&String> = lines.iter().filter(|it| is_telling_line(it)).collect();
    if telling.is_empty() {
        let n = lines.len().saturating_sub(LAST_LINES);
        return lines[n..].to_vec();
    }
    let n_last = telling.len().saturating_sub(LAST_LINES).max(FIRST_LINES);
    let last = telling.iter().skip(n_last);
    let mut taken: Vec<String> = Vec::new();
    for line in telling.iter().take(FIRST_LINES).chain(last) {
        if !taken.contains(line) {
            taken.push((*line).clone());
        }
    }
    taken
}

/// The lines at the end of an output that say something, without what drives a terminal.
pub(super) fn list_last_lines(output: &str) -> Vec<String> {
    let mut text =
        output[output.ceil_char_boundary(output.len().saturating_sub(READ_BYTES))..].to_owned();
    strip_hidden_chars_in_place(&mut text);
    let lines = text
        .lines()
        .map(|it| it.trim().chars().take(MAX_LINE).collect());
    lines
        .filter(|it: &String| it.chars().any(char::is_alphabetic))
        .collect()
}

fn is_telling_line(line: &str) -> bool {
    let line = line.to_lowercase();
    let has_any = |list: &[&str]| list.iter().any(|it| line.contains(it));
    has_any(TELLING) && !has_any(HARMLESS)
}

/// The words of a line that may be known elsewhere: no numbers, addresses or times, of a path the name of the file, and
/// neither the words of every failure nor the names of these programs.
pub(super) fn normalize_words(line: &str, programs: &[&str]) -> String {
    let words = line.split(|c: char| c.is_whitespace() || "()[]{}<>\"'`,;=|".contains(c));
    let words = words.filter_map(normalize_word);
    let is_telling = |it: &&str| {
        let lower = it.to_lowercase();
        !is_listed(EVERY_FAILURE, &lower) && !programs.contains(&lower.as_str())
    };
    words.filter(is_telling).collect::<Vec<_>>().join(" ")
}

fn normalize_word(word: &str) -> Option<&str> {
    if word.contains("://") {
        return None;
    }
    let word = program_base_name(word.trim_end_matches('/'))
        .rsplit('\\')
        .next()?;
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
    // A place behind a file's name: `api.rs:12:5`.
    let word = word.split_once(':').map_or(word, |(name, place)| {
        let is_place = place.chars().all(|c| c.is_ascii_digit() || c == ':');
        if is_place { name } else { word }
    });
    let is_word = word.chars().any(char::is_alphabetic) && word.chars().nth(1).is_some();
    (is_word && !is_varying_word(word)).then_some(word)
}

/// Whether a word is another one at every run: a time, a length of time, an address, a hash.
fn is_varying_word(word: &str) -> bool {
    let has_digit = word.chars().any(|c| c.is_ascii_digit());
    let is_hex = word.len() >= 6 && word.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
    word.starts_with(|c: char| c.is_ascii_digit()) || has_digit && is_hex
}
