//! Months and years that a question names.

use crate::word_lists::is_in_word_list;

/// The names of months, each with the short ones.
const MONTHS: [&str; 12] = [
    "january jan",
    "february feb",
    "march mar",
    "april apr",
    "may",
    "june jun",
    "july jul",
    "august aug",
    "september sep sept",
    "october oct",
    "november nov",
    "december dec",
];
/// Names of months that are words by themselves: they count beside a number only.
const AMBIGUOUS: &str = "may mar march jan sep dec";
/// The years that a number of four digits may mean.
const YEARS: std::ops::RangeInclusive<i16> = 1990..=2099;

/// A month or a year, as far as it was named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedDate {
    /// The year; any where none is named.
    pub year: Option<i16>,
    /// The month, from 1; any where none is named.
    pub month: Option<i8>,
}

impl NamedDate {
    /// Whether a day lies in it.
    pub fn covers(&self, year: i16, month: i8) -> bool {
        self.year.is_none_or(|it| it == year) && self.month.is_none_or(|it| it == month)
    }
}

/// The months and years that a text names. "may" is a month only beside a number.
pub fn find_named_dates(text: &str) -> Vec<NamedDate> {
    let words: Vec<&str> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|it| !it.is_empty())
        .collect();
    let mut dates = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let (date, width) = read_date_at(&words, at);
        dates.extend(date);
        at += width;
    }
    dates
}

/// The date that begins at a word, and how many words it has.
fn read_date_at(words: &[&str], at: usize) -> (Option<NamedDate>, usize) {
    if let Some(year) = parse_year(words[at]) {
        // `2023-05`: what follows a year is its month.
        let month = words.get(at + 1).and_then(|it| parse_month_number(it));
        let width = 1 + usize::from(month.is_some());
        return (
            Some(NamedDate {
                year: Some(year),
                month,
            }),
            width,
        );
    }
    let Some(month) = parse_month_name(words[at]) else {
        return (None, 1);
    };
    // `May 3, 2023` and `May 2023`.
    let next = words[at + 1..].iter().take(2);
    let year_at = next.clone().position(|it| parse_year(it).is_some());
    let is_numbered = year_at.is_some()
        || words.get(at + 1).is_some_and(|it| is_day(it))
        || at.checked_sub(1).is_some_and(|it| is_day(words[it]));
    if !is_numbered && is_in_word_list(AMBIGUOUS, &words[at].to_lowercase()) {
        return (None, 1);
    }
    let year = year_at.and_then(|it| parse_year(words[at + 1 + it]));
    let date = NamedDate {
        year,
        month: Some(month),
    };
    (Some(date), 1 + year_at.map_or(0, |it| it + 1))
}

fn parse_year(word: &str) -> Option<i16> {
    let year = word.parse().ok().filter(|it| YEARS.contains(it));
    year.filter(|_| word.len() == 4)
}

fn parse_month_number(word: &str) -> Option<i8> {
    let month = word.parse().ok().filter(|it| (1..=12).contains(it));
    month.filter(|_| word.len() == 2)
}

fn parse_month_name(word: &str) -> Option<i8> {
    let word = word.to_lowercase();
    let month = MONTHS.iter().position(|it| is_in_word_list(it, &word))?;
    i8::try_from(month + 1).ok()
}

/// `3`, `03`, `3rd`.
fn is_day(word: &str) -> bool {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let day: Option<u8> = digits.parse().ok();
    word.len() - digits.len() <= 2 && day.is_some_and(|it| (1..=31).contains(&it))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let told = |it: NamedDate| {
            let year = it.year.map_or("*".into(), |it| it.to_string());
            let month = it.month.map_or("*".into(), |it| it.to_string());
            format!("{year}-{month}")
        };
        let found: Vec<String> = find_named_dates(text).into_iter().map(told).collect();
        assert_eq!(found.join(" "), expected, "{text:?}");
    }

    #[test]
    fn months_and_years_are_found() {
        check("what did we decide in June?", "*-6");
        check("who had dinner on May 3, 2023", "2023-5");
        check("in May 2023 and in 2024", "2023-5 2024-*");
        check("on 3 May", "*-5");
        check("since 2023-05", "2023-5");
        check("on the 21st of October", "*-10");
    }

    #[test]
    fn words_and_numbers_that_are_no_dates() {
        check("you may use port 8080", "");
        check("march on", "");
        check("ES2022 and 20230501", "");
        check("dec and inc", "");
    }
}
