//! What kind of difference lies between the cited text and what stands there now.

use std::collections::HashMap;

use super::hunks;
use crate::{
    comments::CommentSyntax,
    tokens::{CodeToken, is_word_byte, split_code_tokens, split_line_tokens},
    verdict::Change,
};

/// The kind of the difference, and how much is the same in percent.
pub(super) fn grade_change(path: &str, was: &[&[u8]], now: &[&[u8]]) -> (Change, u8) {
    let old = split_code_tokens(was);
    let new = split_code_tokens(now);
    let (diff, _) = hunks::diff_sequences(&old, &new);
    let n_same = 2 * (old.len() - diff.count_removals() as usize);
    let percent = n_same * 100 / (old.len() + new.len()).max(1);
    let change = classify_change(path, was, now, &old, &new);
    (change, u8::try_from(percent).unwrap_or(100))
}

fn classify_change(
    path: &str,
    was: &[&[u8]],
    now: &[&[u8]],
    old: &[CodeToken],
    new: &[CodeToken],
) -> Change {
    if old == new {
        return if split_nonblank_line_tokens(was) == split_nonblank_line_tokens(now) {
            Change::Whitespace
        } else {
            Change::Formatting
        };
    }
    if !old.is_empty() && drop_formatting_tokens(old) == drop_formatting_tokens(new) {
        return Change::Formatting;
    }
    let comments = CommentSyntax::from_path(path);
    let is_spaced = || remove_line_whitespace(was) == remove_line_whitespace(now);
    if comments.is_unknown() && is_spaced() {
        return Change::Whitespace;
    }
    let (code_was, code_now) = (comments.strip_lines(was), comments.strip_lines(now));
    let bare_was = split_owned_tokens(&code_was);
    let bare_now = split_owned_tokens(&code_now);
    let has_code = !bare_was.is_empty();
    if bare_was == bare_now && is_spaced() {
        return Change::Whitespace;
    }
    if has_code && drop_formatting_tokens(&bare_was) == drop_formatting_tokens(&bare_now) {
        return Change::Comment;
    }
    if has_only_inserted_lines(was, now) {
        return Change::Inserted;
    }
    if !comments.is_unknown() && is_consistent_rename(&bare_was, &bare_now) {
        Change::Rename
    } else {
        Change::Substance
    }
}

/// The tokens of each line that has any.
fn split_nonblank_line_tokens<'a>(lines: &[&'a [u8]]) -> Vec<Vec<CodeToken<'a>>> {
    let mut lines = split_line_tokens(lines);
    lines.retain(|it| !it.is_empty());
    lines
}

/// The text without any white space: in prose, two words made one are still the same text.
fn remove_line_whitespace(lines: &[&[u8]]) -> Vec<u8> {
    let bytes = lines.concat().into_iter();
    bytes.filter(|it| !it.is_ascii_whitespace()).collect()
}

fn split_owned_tokens(lines: &[Vec<u8>]) -> Vec<CodeToken<'_>> {
    let lines: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
    split_code_tokens(&lines)
}

/// The tokens without what formatters put in and take out: commas before a closing bracket, the kind of quotes,
/// semicolons at the end.
fn drop_formatting_tokens<'a>(tokens: &[CodeToken<'a>]) -> Vec<CodeToken<'a>> {
    let mut plain: Vec<CodeToken<'a>> = Vec::with_capacity(tokens.len());
    for token in tokens {
        let is_closer = matches!(*token, b")" | b"]" | b"}" | b">");
        if is_closer && plain.last() == Some(&&b","[..]) {
            plain.pop();
        }
        let is_quote = matches!(*token, b"'" | b"\"" | b"`");
        plain.push(if is_quote { b"\"" } else { token });
    }
    while matches!(plain.last(), Some(&b"," | &b";")) {
        plain.pop();
    }
    plain
}

/// Whether every old line still stands, in order, with new ones between them.
fn has_only_inserted_lines(was: &[&[u8]], now: &[&[u8]]) -> bool {
    let mut rest = now.iter().map(|it| it.trim_ascii());
    now.len() > was.len()
        && was
            .iter()
            .all(|line| rest.any(|it| it == line.trim_ascii()))
}

/// Whether only names differ, each always in the same way. What stands in quotes is no name.
fn is_consistent_rename(was: &[CodeToken], now: &[CodeToken]) -> bool {
    if was.is_empty() || was.len() != now.len() {
        return false;
    }
    let mut names: HashMap<CodeToken<'_>, CodeToken<'_>> = HashMap::new();
    let is_name = |token: CodeToken<'_>| is_word_byte(token[0]) && !token[0].is_ascii_digit();
    let mut is_quoted = false;
    was.iter().zip(now).all(|(old, new)| {
        is_quoted ^= matches!(*old, b"\"" | b"`");
        if !is_quoted && is_name(old) && is_name(new) {
            *names.entry(old).or_insert(new) == *new
        } else {
            old == new
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file_lines::FileLines;

    #[test]
    fn kinds_of_change_are_told_apart() {
        let check = |path: &str, was: &str, now: &str, expected: &str| {
            let (was, now) = (
                FileLines::from_bytes(was.as_bytes()),
                FileLines::from_bytes(now.as_bytes()),
            );
            assert_eq!(
                grade_change(path, was.lines(), now.lines()).0.as_str(),
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
        check("a.py", "a()  # nocover", "a()  # no cover", "whitespace");
    }

    #[test]
    fn similarity_is_the_share_of_common_words() {
        let check = |was: &str, now: &str, expected: u8| {
            assert_eq!(
                grade_change("a.rs", &[was.as_bytes()], &[now.as_bytes()]).1,
                expected,
                "{was} {now}"
            );
        };
        check("a b c d", "a b c d", 100);
        check("a b c d", "a b c x", 75);
        check("a b", "x y", 0);
    }
}
