//! Misspelt words of a question.
//!
//! The index holds stems, and a typing error often sits in the ending that stemming would have cut:
//! "migratoins" is no longer stemmed to "migrat". So a misspelt word is compared *as typed* with
//! each index term, and with the words such a stem may come from ("migrat" + "ions").
//!
//! How a store uses it, after the ordinary look-up:
//! 1. take [`crate::terms::extract_misspellable_words`] of the question, and of it only the words whose term has no
//!    postings;
//! 2. read the terms of the space that begin with one of [`first_letters`];
//! 3. give them to [`find_spelling_corrections`], and look up each result with its weight.

use std::cmp::Reverse;
use std::sync::LazyLock;

use crate::terms::{MAX_TERM_BYTES, stem_word};

/// A word may stand for this many terms; more would drown what was spelled right.
const MAX_CORRECTIONS: usize = 4;

/// What English stemming cuts off. A wrong guess costs time only: a form counts if it has the stem.
static ENDINGS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    "s e y es ed er or al ly ic ing ion ive ity ate ize ers ors ies ied ous ful ent ant ions ings ment \
    ator able ness ates ated ical ence ance ency ents ying ation ments ators ities ating icate ering ered \
    ations encies ically ization ication icating izations ely ally ional ative ively ability ibility"
    .split(' ')
    .collect()
});

/// Endings before which a last consonant is doubled: log, logging.
const AFTER_DOUBLE: [&str; 4] = ["ing", "ed", "er", "ers"];

const LONGEST_ENDING: usize = 8;

/// The errors between two words, if a person may have meant `candidate` when typing `word`.
///
/// A changed, missing, extra or swapped letter is one error. Words of 4 to 7 letters may have one,
/// longer words two, shorter words none. The first letter must be right, unless the word has six
/// letters or more and this is its only error.
pub fn count_spelling_errors(word: &str, candidate: &str) -> Option<u8> {
    Letters::new(word)?.count_errors(&Letters::new(candidate)?)
}

/// The terms that a misspelt word may stand for, nearest first, each with its weight.
///
/// Only the nearest count: when some term is one error away, none with two errors is given. Among
/// equals the longer term comes first, since a short stem is near too many words.
pub fn find_spelling_corrections<'a>(
    word: &str,
    terms: impl IntoIterator<Item = &'a str>,
) -> Vec<(&'a str, f32)> {
    let Some(word) = Letters::new(word) else {
        return Vec::new();
    };
    let distance = |term: &'a str| word.count_term_errors(term).map(|errors| (errors, term));
    let mut found: Vec<(u8, &str)> = terms.into_iter().filter_map(distance).collect();
    found.sort_unstable_by_key(|&(errors, term)| (errors, Reverse(term.len()), term));
    found.dedup();
    let least = found.first().map_or(0, |(errors, _)| *errors);
    found.retain(|(errors, _)| *errors == least);
    found.truncate(MAX_CORRECTIONS);
    // A guess counts less than a word that was spelled right.
    let weigh = |errors| match errors {
        0 => 1.0,
        1 => 0.7,
        _ => 0.4,
    };
    found
        .into_iter()
        .map(|(errors, term)| (term, weigh(errors)))
        .collect()
}

/// The letters that a term meant by `word` may begin with: its first, and for a word of six letters
/// and more also its second, since the first may be swapped with it or be one too many.
pub fn first_letters(word: &str) -> impl Iterator<Item = char> {
    let long = word.chars().nth(5).is_some();
    let first = word.chars().next();
    let second = word.chars().nth(1);
    first
        .into_iter()
        .chain(second.filter(move |_| long && second != first))
}

/// A row of the distance table: a cell for each letter of a word, one before and one after them.
type DistanceRow = [u8; MAX_TERM_BYTES + 2];

/// A distance that no cell in reach can have; one more must still fit its type.
const FAR: u8 = 200;

/// A word as letters without allocation: terms are short, and longer words are not compared.
#[derive(Clone, Copy)]
struct Letters {
    all: [char; MAX_TERM_BYTES],
    len: usize,
}

impl Letters {
    fn new(word: &str) -> Option<Self> {
        let mut letters = Self {
            all: ['\0'; MAX_TERM_BYTES],
            len: 0,
        };
        letters.push_str(word).then_some(letters)
    }

    /// False when there is no more room.
    fn push_str(&mut self, word: &str) -> bool {
        for letter in word.chars() {
            let Some(cell) = self.all.get_mut(self.len) else {
                return false;
            };
            *cell = letter;
            self.len += 1;
        }
        true
    }

    fn as_slice(&self) -> &[char] {
        &self.all[..self.len]
    }

    fn allowed_errors(&self) -> u8 {
        match self.len {
            0..=3 => 0,
            4..=7 => 1,
            _ => 2,
        }
    }

    fn count_errors(&self, candidate: &Self) -> Option<u8> {
        let mut allowed = self.allowed_errors();
        if self.all[0] != candidate.all[0] {
            allowed = if self.len >= 6 { allowed.min(1) } else { 0 };
        }
        if self.len.abs_diff(candidate.len) > usize::from(allowed) {
            return None;
        }
        let (word, candidate) = (self.as_slice(), candidate.as_slice());
        let mut table = DistanceTable::new(allowed);
        let hopeful = (0..candidate.len()).all(|at| table.add_row(word, candidate, at) <= allowed);
        let errors = table.rows[1][word.len()];
        (hopeful && errors <= allowed).then_some(errors)
    }

    /// Like `count_errors`, for an index term: the term may also be the stem of the word that was meant.
    fn count_term_errors(&self, term: &str) -> Option<u8> {
        let room = self.len + usize::from(self.allowed_errors());
        if term.len() + LONGEST_ENDING + usize::from(self.allowed_errors()) < self.len {
            return None;
        }
        let stem = Self::new(term).filter(|stem| stem.len <= room && self.may_begin_with(stem))?;
        let as_it_is = self.count_errors(&stem);
        if as_it_is == Some(0) || !term.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return as_it_is;
        }
        let single = ENDINGS.iter().map(|ending| (0, *ending));
        let forms = single.chain(AFTER_DOUBLE.map(|ending| (1, ending)));
        let spelled = forms
            .filter_map(|(doubled, ending)| self.count_form_errors(&stem, doubled, ending, term));
        as_it_is.into_iter().chain(spelled).min()
    }

    /// A quick no for nearly every term: the stem, but for a last letter that stemming may have
    /// changed, must be near some beginning of the word. Two errors in a short stem leave no stem.
    fn may_begin_with(&self, stem: &Self) -> bool {
        let start = &stem.as_slice()[..stem.len.saturating_sub(1)];
        if self.len < 6 && self.all[0] != stem.all[0] {
            return false;
        }
        let most = if stem.len < 7 { 1 } else { u8::MAX };
        let allowed = self.allowed_errors().min(most);
        let mut table = DistanceTable::new(allowed);
        (0..start.len()).all(|at| table.add_row(self.as_slice(), start, at) <= allowed)
    }

    /// The distance to the stem with an ending, if that word truly has this stem.
    fn count_form_errors(
        &self,
        stem: &Self,
        doubled: usize,
        ending: &str,
        term: &str,
    ) -> Option<u8> {
        let last = *stem.as_slice().last()?;
        // The stem of query and queries is "queri", that of closed and closing "close": such a last
        // letter gives way to the ending.
        let gives_way = last == 'i' && ending.starts_with(['y', 'i'])
            || last == 'e' && ending.starts_with(['e', 'i']);
        let len = stem.len - usize::from(gives_way);
        let long = len + doubled + ending.len();
        if long.abs_diff(self.len) > usize::from(self.allowed_errors()) {
            return None;
        }
        let mut form = Self { len, ..*stem };
        let fits =
            (doubled == 0 || form.push_str(last.encode_utf8(&mut [0; 4]))) && form.push_str(ending);
        let errors = self.count_errors(&form).filter(|_| fits)?;
        let spelled: String = form.as_slice().iter().collect();
        (stem_word(&spelled) == term).then_some(errors)
    }
}

/// Optimal string alignment: three rows of the table, for a swap looks two rows back. Only the cells
/// within `allowed` of the diagonal are worked out; any other cell would already be too far.
struct DistanceTable {
    allowed: usize,
    rows: [DistanceRow; 3],
}

impl DistanceTable {
    fn new(allowed: u8) -> Self {
        let mut first: DistanceRow = [FAR; MAX_TERM_BYTES + 2];
        for (cell, count) in first.iter_mut().zip(0..=allowed) {
            *cell = count;
        }
        Self {
            allowed: usize::from(allowed),
            rows: [first; 3],
        }
    }

    /// Adds the row of `candidate[at]` and gives its least cell: the distance cannot come out lower.
    fn add_row(&mut self, word: &[char], candidate: &[char], at: usize) -> u8 {
        let [before, above, mut row] = self.rows;
        let from = (at + 1).saturating_sub(self.allowed).max(1);
        let to = (at + 1 + self.allowed).min(word.len());
        row[from - 1] = if from == 1 { above[0] + 1 } else { FAR };
        let mut least = row[from - 1];
        for column in from..=to {
            let letter = word[column - 1];
            let changed = above[column - 1] + u8::from(letter != candidate[at]);
            let mut cell = changed.min(above[column] + 1).min(row[column - 1] + 1);
            if at > 0
                && column > 1
                && letter == candidate[at - 1]
                && word[column - 2] == candidate[at]
            {
                cell = cell.min(before[column - 2] + 1);
            }
            row[column] = cell;
            least = least.min(cell);
        }
        row[to + 1] = FAR;
        self.rows = [above, row, before];
        least
    }
}

#[cfg(test)]
mod tests {
    use super::{Letters, count_spelling_errors, find_spelling_corrections, first_letters};

    fn check(word: &str, candidate: &str, expected: Option<u8>) {
        assert_eq!(
            count_spelling_errors(word, candidate),
            expected,
            "{word} ~ {candidate}"
        );
    }

    #[test]
    fn errors_are_counted() {
        check("cart", "cart", Some(0));
        check("crat", "cart", Some(1));
        check("cat", "cart", None);
        check("caart", "cart", Some(1));
        check("carts", "charms", None);
        check("postgers", "postgres", Some(1));
        check("migratoins", "migrations", Some(1));
        check("migrtaoins", "migrations", Some(2));
        check("mgirtaoins", "migrations", None);
        check("", "", Some(0));
        check("", "cart", None);
        check("serveur", "сервер", None);
        check("севрер", "сервер", Some(1));
        check(&"x".repeat(99), &"x".repeat(99), None);
    }

    #[test]
    fn the_first_letter_is_seldom_wrong() {
        check("dart", "cart", None);
        check("opstgres", "postgres", Some(1));
        check("bostgres", "postgres", Some(1));
        check("opstgers", "postgres", None);
    }

    fn check_term(word: &str, term: &str, expected: Option<u8>) {
        assert_eq!(
            Letters::new(word).and_then(|it| it.count_term_errors(term)),
            expected,
            "{word} ~ {term}"
        );
    }

    #[test]
    fn stems_are_spelled_out() {
        check_term("migratoins", "migrat", Some(1));
        check_term("migraitons", "migrat", Some(1));
        check_term("postgers", "postgr", Some(1));
        check_term("qeury", "queri", Some(1));
        check_term("qureies", "queri", Some(1));
        check_term("loggign", "log", Some(1));
        check_term("cahce", "cach", Some(1));
        check_term("cacehd", "cach", Some(1));
        check_term("authetication", "authent", Some(1));
        check_term("configuraton", "configur", Some(1));
        check_term("usecheckouttotals", "usecheckouttotals", Some(0));
        check_term("depolyment", "deploy", Some(1));
        check_term("dependancies", "depend", Some(1));
        check_term("migratoins", "mig", None);
        check_term("serveice", "servic", Some(1));
        check_term("colsed", "close", Some(1));
        check_term("clsoing", "close", Some(1));
        check_term("dart", "cart", None);
        check_term("bostgres", "postgr", Some(1));
    }

    #[test]
    fn only_the_nearest_are_given() {
        let terms = ["migrat", "mitig", "postgr", "migrant", "posit"];
        assert_eq!(
            find_spelling_corrections("migratoins", terms),
            [("migrat", 0.7)]
        );
        assert_eq!(find_spelling_corrections("kubernetes", terms), []);
    }

    #[test]
    fn long_words_may_begin_with_their_second_letter() {
        let letters = |word| first_letters(word).collect::<String>();
        assert_eq!(
            [
                letters("cart"),
                letters("opstgres"),
                letters("llamas"),
                letters("")
            ],
            ["c", "op", "l", ""]
        );
    }
}
