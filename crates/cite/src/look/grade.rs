//! What kind of difference lies between the cited text and what stands there now.

use std::collections::HashMap;

use super::comments::Comments;
use super::hunks;
use super::tokens::{self, Token};
use crate::verdict::Change;

/// The kind of the difference, and how much is the same in percent.
pub(super) fn grade(path: &str, was: &[&[u8]], now: &[&[u8]]) -> (Change, u8) {
    let (old, new) = (tokens::of(was), tokens::of(now));
    (kind(path, (was, &old), (now, &new)), similarity(&old, &new))
}

type Text<'t, 'a> = (&'t [&'a [u8]], &'t [Token<'a>]);

fn kind(path: &str, (was, old): Text<'_, '_>, (now, new): Text<'_, '_>) -> Change {
    if old == new {
        return if rows(was) == rows(now) {
            Change::Whitespace
        } else {
            Change::Formatting
        };
    }
    if !old.is_empty() && plain(old) == plain(new) {
        return Change::Formatting;
    }
    let comments = Comments::of(path);
    if comments.are_unknown() && squeezed(was) == squeezed(now) {
        return Change::Whitespace;
    }
    let (code_was, code_now) = (comments.stripped(was), comments.stripped(now));
    let (bare_was, bare_now) = (
        tokens::of(&slices(&code_was)),
        tokens::of(&slices(&code_now)),
    );
    if bare_was.is_empty() && bare_now.is_empty() && squeezed(was) == squeezed(now) {
        return Change::Whitespace;
    }
    if !bare_was.is_empty() && plain(&bare_was) == plain(&bare_now) {
        return Change::Comment;
    }
    if is_interspersed(was, now) {
        return Change::Inserted;
    }
    let is_code = !comments.are_unknown();
    if is_code && is_renamed(&bare_was, &bare_now) {
        Change::Rename
    } else {
        Change::Substance
    }
}

/// The tokens of each line that has any.
fn rows<'a>(lines: &[&'a [u8]]) -> Vec<Vec<Token<'a>>> {
    lines
        .iter()
        .map(|line| tokens::of(&[line]))
        .filter(|it| !it.is_empty())
        .collect()
}

/// The text without any white space: in prose, two words made one are still the same text.
fn squeezed(lines: &[&[u8]]) -> Vec<u8> {
    lines
        .iter()
        .flat_map(|it| it.iter())
        .filter(|it| !it.is_ascii_whitespace())
        .copied()
        .collect()
}

fn slices(lines: &[Vec<u8>]) -> Vec<&[u8]> {
    lines.iter().map(Vec::as_slice).collect()
}

/// The tokens without what formatters put in and take out: commas before a closing bracket, the kind of quotes,
/// semicolons at the end.
fn plain<'a>(tokens: &[Token<'a>]) -> Vec<Token<'a>> {
    let mut plain: Vec<Token<'a>> = Vec::with_capacity(tokens.len());
    for token in tokens {
        let is_closer = matches!(*token, b")" | b"]" | b"}" | b">");
        if is_closer && plain.last() == Some(&&b","[..]) {
            plain.pop();
        }
        plain.push(if matches!(*token, b"'" | b"\"" | b"`") {
            b"\""
        } else {
            token
        });
    }
    while matches!(plain.last(), Some(&b"," | &b";")) {
        plain.pop();
    }
    plain
}

/// Whether every old line still stands, in order, with new ones between them.
fn is_interspersed(was: &[&[u8]], now: &[&[u8]]) -> bool {
    let mut rest = now.iter().map(|it| it.trim_ascii());
    now.len() > was.len()
        && was
            .iter()
            .map(|it| it.trim_ascii())
            .all(|line| rest.any(|it| it == line))
}

/// Whether only names differ, each always in the same way. What stands in quotes is no name.
fn is_renamed(was: &[Token<'_>], now: &[Token<'_>]) -> bool {
    if was.is_empty() || was.len() != now.len() {
        return false;
    }
    let mut names: HashMap<Token<'_>, Token<'_>> = HashMap::new();
    let is_name = |token: Token<'_>| {
        token
            .first()
            .is_some_and(|it| tokens::is_word(*it) && !it.is_ascii_digit())
    };
    let mut is_quoted = false;
    was.iter().zip(now).all(|(old, new)| {
        is_quoted ^= matches!(*old, b"\"" | b"`");
        match !is_quoted && is_name(old) && is_name(new) {
            true => *names.entry(old).or_insert(new) == *new,
            false => old == new,
        }
    })
}

fn similarity(was: &[Token<'_>], now: &[Token<'_>]) -> u8 {
    let all = was.len() + now.len();
    let same = 2 * hunks::common(was, now);
    u8::try_from(same * 100 / all.max(1)).unwrap_or(100)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sheet::Sheet;

    #[test]
    fn kinds_of_change_are_told_apart() {
        let check = |path: &str, was: &str, now: &str, expected: &str| {
            let (was, now) = (Sheet::of(was.as_bytes()), Sheet::of(now.as_bytes()));
            assert_eq!(
                grade(path, was.lines(), now.lines()).0.as_str(),
                expected,
                "{path}: {was:?} {now:?}"
            );
        };
        check("a.rs", "f(a,  b)", "\tf(a, b)", "whitespace");
        check("a.rs", "a();\nb();", "a();\n\nb();", "whitespace");
        check("a.rs", "f(a, b)", "f(\n    a,\n    b,\n)", "formatting");
        check("a.py", "x = 'a'", "x = \"a\"", "formatting");
        check("a.ts", "let a = 1", "let a = 1;", "formatting");
        check("a.rs", "a(); // once", "a(); // twice", "comment");
        check("a.py", "# why\na = 1", "a = 1", "comment");
        check("a.rs", "a(\"// x\")", "a(\"// y\")", "substance");
        check(
            "a.rs",
            "// only a comment",
            "// another comment",
            "substance",
        );
        check("a.rs", "a();\nb();", "a();\nc();\nb();", "inserted");
        check("a.rs", "let a = f(a, 1);", "let b = f(b, 1);", "rename");
        check("a.rs", "let a = f(a, 1);", "let b = f(c, 1);", "substance");
        check(
            "a.rs",
            "const N: u32 = 5;",
            "const N: u32 = 6;",
            "substance",
        );
        check("a.rs", "foo bar", "foobar", "substance");
        check("a.md", "web servers", "webservers", "whitespace");
        check("a.rs", "// web servers", "// webservers", "whitespace");
    }

    #[test]
    fn similarity_is_the_share_of_common_words() {
        let check = |was: &str, now: &str, expected: u8| {
            assert_eq!(
                grade("a.rs", &[was.as_bytes()], &[now.as_bytes()]).1,
                expected,
                "{was} {now}"
            );
        };
        check("a b c d", "a b c d", 100);
        check("a b c d", "a b c x", 75);
        check("a b", "x y", 0);
    }
}
