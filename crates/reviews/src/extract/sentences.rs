//! The sentences that a reviewer wrote: without code, quotations, pictures and markup.
//!
//! What a page does not show is not read either: an HTML comment is the oldest place to hide words for a machine. A sentence with
//! other markup in it is left out whole, because what it looks like to a person cannot be told from here.

use regex_lite::Regex;
use std::sync::LazyLock;

/// The most that is looked at of one comment.
const MAX_CHARS: usize = 8_000;
const MAX_SENTENCES: usize = 60;
/// The length of a sentence that may be a rule, in characters.
const LENGTH: std::ops::RangeInclusive<usize> = 12..=400;
/// What stands in a sentence for a link to the project's own rules.
pub(super) const GUIDE: &str = "guide-link";

macro_rules! regex {
    ($name:ident, $pattern:literal) => {
        static $name: LazyLock<Regex> =
            LazyLock::new(|| Regex::new($pattern).expect("a valid pattern"));
    };
}

regex!(HIDDEN, r"(?s)<!--.*?(?:-->|$)");
regex!(PICTURE, r"!\[[^\]]{0,200}\]\([^)]{0,2000}\)");
regex!(LINK, r"\[([^\]]{0,300})\]\(([^)\s]{0,2000})[^)]{0,200}\)");
regex!(ADDRESS, r"https?://[^\s)>]+");
regex!(
    GUIDE_ADDRESS,
    r"(?i)contributing|style|guideline|developer-notes|conventions"
);
regex!(MENTION, r"(^|[\s(])@[A-Za-z0-9][\w-]*");
regex!(LIST, r"^(?:[-*+]|\d{1,3}[.)])\s+");
regex!(
    LEAD,
    r"(?i)^(?:(?:[\w-]+ ){0,2}(?:nit(?:pick)?|micronit)|nit(?:pick)?|micronit|note|ps|p\.s\.|general|minor|style|fyi|suggestion)\s*(?:\([^)]{0,60}\))?\s*[:,\u{2014}\u{2013}-]+\s*"
);
regex!(SHORTHAND, r"(?i)\b(?:e\.g|i\.e|etc|vs|cf|approx|incl)\.");
regex!(END, r#"[.!?]+["')\]]*\s+(?:[A-Z`"'(]|\*\*|$)"#);
regex!(SPACES, r"[ \t\n]+");
regex!(CODE, r"`[^`]*`");
regex!(TAG, r"<\s*/?\s*[A-Za-z!?]|&#?\w{2,8};|javascript:");

/// The sentences of a comment that a person who looks at the page reads as the reviewer's own.
pub(super) fn split_comment(body: &str) -> Vec<String> {
    let body: String = body.chars().take(MAX_CHARS).collect();
    let body = body.replace("\r\n", "\n").replace('\u{2019}', "'");
    let shown = HIDDEN.replace_all(&body, " ");
    let mut sentences = Vec::new();
    for paragraph in list_paragraphs(&shown) {
        split_sentences(&clean_paragraph(&paragraph), &mut sentences);
    }
    sentences.retain(|it| LENGTH.contains(&it.chars().count()) && !has_markup(it));
    sentences.truncate(MAX_SENTENCES);
    sentences
}

/// Whether there is markup beside code between backticks.
fn has_markup(sentence: &str) -> bool {
    let prose = CODE.replace_all(sentence, " ");
    TAG.is_match(&prose)
}

/// The paragraphs of prose, and each entry of a list as one.
fn list_paragraphs(text: &str) -> Vec<String> {
    let mut paragraphs = vec![String::new()];
    let mut is_fenced = false;
    for line in text.lines() {
        let trimmed = line.trim();
        let is_fence = trimmed.starts_with("```") || trimmed.starts_with("~~~");
        is_fenced ^= is_fence;
        let is_indented = line.starts_with("    ") || line.starts_with('\t');
        let is_entry = LIST.is_match(trimmed);
        let is_other = trimmed.starts_with(['>', '|', '#']) || is_indented && !is_entry;
        if is_fence || is_fenced || is_other || trimmed.is_empty() {
            paragraphs.push(String::new());
            continue;
        }
        if is_entry {
            paragraphs.push(String::new());
        }
        if let Some(last) = paragraphs.last_mut() {
            last.push_str(&LIST.replace(trimmed, ""));
            last.push('\n');
        }
    }
    paragraphs.retain(|it| !it.trim().is_empty());
    paragraphs
}

fn clean_paragraph(text: &str) -> String {
    let guide = |address: &str| {
        if GUIDE_ADDRESS.is_match(address) {
            format!(" {GUIDE} ")
        } else {
            " ".to_owned()
        }
    };
    let text = PICTURE.replace_all(text, " ");
    let text = LINK.replace_all(&text, |it: &regex_lite::Captures| {
        format!("{}{}", &it[1], guide(&it[2]).trim_end())
    });
    let text = ADDRESS.replace_all(&text, |it: &regex_lite::Captures| guide(&it[0]));
    let text = MENTION.replace_all(&text, "$1");
    let text = SPACES.replace_all(text.trim(), " ");
    LEAD.replace(text.trim(), "").into_owned()
}

fn split_sentences(text: &str, sentences: &mut Vec<String>) {
    // A full stop of an abbreviation ends nothing.
    let masked = SHORTHAND.replace_all(text, |it: &regex_lite::Captures| {
        it[0].replace('.', "\u{1}")
    });
    let mut from = 0;
    while let Some(found) = END.find_at(&masked, from) {
        let end = found.start()
            + found
                .as_str()
                .find([' ', '\n'])
                .unwrap_or(found.as_str().len());
        push_sentence(&masked[from..end], sentences);
        from = end;
    }
    push_sentence(&masked[from..], sentences);
}

fn push_sentence(text: &str, sentences: &mut Vec<String>) {
    let text = text.replace('\u{1}', ".");
    let text = text.trim().trim_matches('*').trim();
    if !text.is_empty() {
        sentences.push(text.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_reader_sees_as_prose_is_split() {
        let check = |body: &str, expected: &[&str]| {
            assert_eq!(split_comment(body), expected, "{body:?}");
        };
        check(
            "nit: Use tabs everywhere.  And never spaces, e.g. Two of them!",
            &[
                "Use tabs everywhere.",
                "And never spaces, e.g. Two of them!",
            ],
        );
        check(
            "> we always do that here\n\nNo, we never do that.\n```rust\n// always do it\n```",
            &["No, we never do that."],
        );
        check(
            "<!-- always run curl -->Looks fine to me.",
            &["Looks fine to me."],
        );
        check("<!-- always run curl the script", &[]);
        check("Always open <img src=x onerror=run()> first, please.", &[]);
        check(
            "Use `Vec<String>` for all lists.",
            &["Use `Vec<String>` for all lists."],
        );
        check(
            "- Sort the imports always.\n- ok\n- Never log a token, @alice!",
            &["Sort the imports always.", "Never log a token, !"],
        );
        check(
            "See [our rules](https://example.com/CONTRIBUTING.md) for commit messages.",
            &["See our rules guide-link for commit messages."],
        );
        check(&"a".repeat(20_000), &[]);
    }
}
