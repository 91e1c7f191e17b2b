//! The name of a task in files, trailers and commands: its title in kebab-case.

use std::fmt;
use std::str::FromStr;

use apostille_text::{digest::Digest, secrets::mask_secrets};

/// The longest slug, in characters, and in bytes, so that file names stay within what file systems take.
const MAX_CHARS: usize = 60;
const MAX_BYTES: usize = 180;

/// Names that some systems take for devices.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

/// A slug: lower-case letters and digits of any script, with single dashes between them. It is one part of a path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskSlug(String);

/// Text that is no slug.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a task name such as fix-the-login; `apostille task list` shows them")]
pub struct BadTaskSlug(String);

impl TaskSlug {
    /// The slug of a title; one that says nothing in letters is named by its digest.
    pub fn from_title(title: &str) -> Self {
        let kebab = to_kebab_case(title);
        let kebab = shorten_slug(&kebab, MAX_CHARS);
        if kebab.is_empty() || DEVICES.contains(&kebab) {
            let digest = Digest::hash_bytes(title.as_bytes()).short_hex();
            return Self(format!("task-{}", &digest[..8]));
        }
        Self(kebab.to_owned())
    }

    /// The same with a number, where that name is taken: `fix-the-login-2`.
    pub fn unique_from_title(title: &str, is_taken: impl Fn(&Self) -> bool) -> Self {
        let first = Self::from_title(title);
        let numbered = |n: u32| {
            let ending = format!("-{n}");
            let kept = shorten_slug(&first.0, MAX_CHARS - ending.len());
            Self(format!("{kept}{ending}"))
        };
        let mut names = std::iter::once(first.clone()).chain((2..).map(numbered));
        names.find(|it| !is_taken(it)).unwrap_or(first)
    }

    /// As text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TaskSlug {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl FromStr for TaskSlug {
    type Err = BadTaskSlug;
    fn from_str(text: &str) -> Result<Self, BadTaskSlug> {
        let is_slug = !text.is_empty()
            && to_kebab_case(text) == text
            && shorten_slug(text, MAX_CHARS) == text
            && !DEVICES.contains(&text);
        if is_slug {
            return Ok(Self(text.to_owned()));
        }
        let masked = mask_secrets(text);
        let shown = masked.chars().filter(|c| !c.is_control()).take(60);
        Err(BadTaskSlug(shown.collect()))
    }
}

fn to_kebab_case(title: &str) -> String {
    let mut out = String::new();
    for c in title.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            out.push(c);
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
    }
    out.truncate(out.trim_end_matches('-').len());
    out
}

/// The beginning that is short enough, cut between words where there is one to cut at.
fn shorten_slug(kebab: &str, chars: usize) -> &str {
    let ends = kebab.char_indices().map(|(at, c)| at + c.len_utf8());
    let end = ends
        .take(chars)
        .take_while(|it| *it <= MAX_BYTES)
        .last()
        .unwrap_or(0);
    if end == kebab.len() {
        return kebab;
    }
    let kept = &kebab[..end];
    let whole = if kebab[end..].starts_with('-') {
        Some(end)
    } else {
        kept.rfind('-')
    };
    kept[..whole.unwrap_or(end)].trim_end_matches('-')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn slug_is_the_title_in_kebab_case() {
        let check = |title: &str, expected: &str| {
            assert_eq!(TaskSlug::from_title(title).as_str(), expected, "{title:?}")
        };
        check("Feature X", "feature-x");
        check(
            "  Fix: the login race (again)! ",
            "fix-the-login-race-again",
        );
        check("../../etc/passwd", "etc-passwd");
        check("Täglicher Bericht", "täglicher-bericht");
        check("日本語の検索", "日本語の検索");
        check(
            "???",
            &format!("task-{}", &Digest::hash_bytes(b"???").short_hex()[..8]),
        );
        check(
            "NUL",
            &format!("task-{}", &Digest::hash_bytes(b"NUL").short_hex()[..8]),
        );
        check(
            &"many words ".repeat(20),
            "many-words-many-words-many-words-many-words-many-words-many",
        );
    }

    #[test]
    fn a_name_that_is_taken_gets_a_number() {
        let taken = ["a-b", "a-b-2"];
        assert_eq!(
            TaskSlug::unique_from_title("A b", |it| taken.contains(&it.as_str())).as_str(),
            "a-b-3"
        );
        assert_eq!(
            TaskSlug::unique_from_title("A c", |it| taken.contains(&it.as_str())).as_str(),
            "a-c"
        );
    }

    #[test]
    fn only_slugs_are_read_as_slugs() {
        let check = |text: &str, expected: bool| {
            assert_eq!(text.parse::<TaskSlug>().is_ok(), expected, "{text:?}")
        };
        check("fix-the-login", true);
        check("a/b", false);
        check("..", false);
        check("", false);
        check("-a", false);
        check("A", false);
        check("con", false);
        check("a\n", false);
    }

    proptest! {
        #[test]
        fn slug_of_any_title_parses_back(title in ".*") {
            let slug = TaskSlug::from_title(&title);
            prop_assert_eq!(slug.as_str().parse::<TaskSlug>(), Ok(slug.clone()));
            let other = TaskSlug::unique_from_title(&title, |it| *it == slug);
            prop_assert!(other != slug && other.as_str().parse::<TaskSlug>().is_ok());
        }
    }
}
