//! The name of a task in files, trailers and commands: its title in kebab-case.

use std::fmt;
use std::str::FromStr;

use apostille_text::digest::Digest;

use apostille_text::secrets::masked;

/// The longest slug, in characters, and in bytes, so that file names stay within what file systems take.
const MAX_CHARS: usize = 60;
const MAX_BYTES: usize = 180;

/// Names that some systems take for devices.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

/// A slug: lower-case letters and digits of any script, with single dashes between them. It is one part of a path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slug(String);

/// Text that is no slug.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no task's name such as fix-the-login; `apostille task list` shows them")]
pub struct BadSlug(String);

impl Slug {
    /// The slug of a title; one that says nothing in letters is named by its digest.
    #[must_use]
    pub fn of(title: &str) -> Self {
        let kebab = kebab(title);
        let kebab = cut(&kebab, MAX_CHARS);
        if kebab.is_empty() || DEVICES.contains(&kebab) {
            return Self(format!(
                "task-{}",
                &Digest::of(title.as_bytes()).short()[..8]
            ));
        }
        Self(kebab.to_owned())
    }

    /// The same with a number, where that name is taken: `fix-the-login-2`.
    #[must_use]
    pub fn unique(title: &str, is_taken: impl Fn(&Self) -> bool) -> Self {
        let first = Self::of(title);
        let numbered = |n: u32| {
            let ending = format!("-{n}");
            Self(format!(
                "{}{ending}",
                cut(&first.0, MAX_CHARS - ending.len())
            ))
        };
        let mut names = std::iter::once(first.clone()).chain((2..).map(numbered));
        names.find(|it| !is_taken(it)).unwrap_or(first)
    }

    /// As text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Slug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl FromStr for Slug {
    type Err = BadSlug;
    fn from_str(text: &str) -> Result<Self, BadSlug> {
        let is_slug = !text.is_empty() && kebab(text) == text && cut(text, MAX_CHARS) == text;
        let shown = || {
            masked(text)
                .chars()
                .filter(|c| !c.is_control())
                .take(60)
                .collect()
        };
        if is_slug && !DEVICES.contains(&text) {
            Ok(Self(text.to_owned()))
        } else {
            Err(BadSlug(shown()))
        }
    }
}

fn kebab(title: &str) -> String {
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
fn cut(kebab: &str, chars: usize) -> &str {
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
    fn seed_001_a_slug_is_the_title_in_kebab_case() {
        let check = |title: &str, expected: &str| {
            assert_eq!(Slug::of(title).as_str(), expected, "{title:?}")
        };
        check("Feature X", "feature-x");
        check(
            "  Fix: the login race (again)! ",
            "fix-the-login-race-again",
        );
        check("../../etc/passwd", "etc-passwd");
        check("Täglicher Bericht", "täglicher-bericht");
        check("日本語の検索", "日本語の検索");
        check("???", &format!("task-{}", &Digest::of(b"???").short()[..8]));
        check("NUL", &format!("task-{}", &Digest::of(b"NUL").short()[..8]));
        check(
            &"many words ".repeat(20),
            "many-words-many-words-many-words-many-words-many-words-many",
        );
    }

    #[test]
    fn a_name_that_is_taken_gets_a_number() {
        let taken = ["a-b", "a-b-2"];
        assert_eq!(
            Slug::unique("A b", |it| taken.contains(&it.as_str())).as_str(),
            "a-b-3"
        );
        assert_eq!(
            Slug::unique("A c", |it| taken.contains(&it.as_str())).as_str(),
            "a-c"
        );
    }

    #[test]
    fn only_slugs_are_read_as_slugs() {
        let check = |text: &str, expected: bool| {
            assert_eq!(text.parse::<Slug>().is_ok(), expected, "{text:?}")
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
        fn every_title_has_a_slug_that_is_read_back(title in ".*") {
            let slug = Slug::of(&title);
            prop_assert_eq!(slug.as_str().parse::<Slug>(), Ok(slug.clone()));
            let other = Slug::unique(&title, |it| *it == slug);
            prop_assert!(other != slug && other.as_str().parse::<Slug>().is_ok());
        }
    }
}
