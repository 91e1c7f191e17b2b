//! The skeleton of a text: what a reader takes it for. Full-width, mathematical and circled letters become the letters
//! they show, look-alikes of other scripts become the Latin letters they pass for, what hides is dropped. Screens read
//! the skeleton; the text itself is kept as it is.
//!
//! A screen that looks for "ignore previous instructions" is passed by the same words with one Cyrillic letter in them, and a
//! model reads them all the same. Folding everything to Latin would catch that and ruin honest texts: a Russian sentence
//! has words made only of letters that look Latin. So a word is folded only where it poses: it mixes
//! Latin letters with look-alikes, or it is made of look-alikes alone in a text that otherwise has nothing of that script.
//!
//! Two habits of honest writers look like posing and are let through when the text is only *marked*: an English word with a
//! Russian ending, in a text that has Russian words, and a Greek letter before one or two Latin ones, as in formulas. For
//! matching they are folded too, since folding a word that nobody looks for does no harm.
//!
//! Nearly every text is ASCII, and that has a path of its own without any table.

use std::borrow::Cow;

use crate::characters::{find_latin_lookalike, fold_compatible_char, is_hidden_char};

/// The skeleton in lower case, with every stretch of white space as one space, or one line end if it holds one.
pub fn fold_to_skeleton(text: &str) -> String {
    if text.is_ascii() {
        return fold_ascii_skeleton(text);
    }
    let mut out = String::with_capacity(text.len());
    // In a text of that script a word of look-alikes is just a word.
    let is_foreign = text
        .chars()
        .any(|it| is_lookalike_script(it) && find_latin_lookalike(it).is_none());
    let poses = |word: &str| {
        is_mixed_script_word(word)
            || !is_foreign && word.chars().all(|it| find_latin_lookalike(it).is_some())
    };
    for (word, has_letters) in split_skeleton_words(text) {
        let is_posing = has_letters && poses(word);
        for c in word
            .chars()
            .filter(|it| !is_hidden_char(*it) || it.is_whitespace())
        {
            let c = fold_compatible_char(c);
            let c = if is_posing {
                find_latin_lookalike(c).unwrap_or(c)
            } else {
                c
            };
            c.to_lowercase()
                .for_each(|it| push_skeleton_char(&mut out, it));
        }
    }
    out
}

/// The same for ASCII, which is nearly every text.
fn fold_ascii_skeleton(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut last = 0;
    for byte in text.bytes() {
        last = match (byte, last) {
            (b'\n' | b'\r', b' ') => {
                out.pop();
                b'\n'
            }
            (b'\n' | b'\r', b'\n') | (b' ' | b'\t', b' ' | b'\n') => continue,
            (b'\n' | b'\r', _) => b'\n',
            (b' ' | b'\t', _) => b' ',
            (it, _) if it.is_ascii_control() => continue,
            (it, _) => it.to_ascii_lowercase(),
        };
        out.push(char::from(last));
    }
    out
}

fn push_skeleton_char(out: &mut String, c: char) {
    match (c, out.as_bytes().last()) {
        ('\n' | '\r' | '\u{2028}' | '\u{2029}', Some(b' ')) => {
            out.pop();
            out.push('\n');
        }
        ('\n' | '\r' | '\u{2028}' | '\u{2029}', last) if last != Some(&b'\n') => out.push('\n'),
        (c, last) if c.is_whitespace() => {
            if !matches!(last, Some(b' ' | b'\n')) {
                out.push(' ');
            }
        }
        (c, _) if c.is_ascii_control() => {}
        (c, _) => out.push(c),
    }
}

/// Whether a word passes for another: Latin letters with look-alikes of another script among them.
///
/// `α-β`, `Δt` and `µs` are none. Nor is a Latin word with an ending of the script that the text is written in
/// (`commit` + `а`, as Russian writers inflect), or a Greek letter before one or two Latin ones (`αx`).
pub fn has_confusable_word(text: &str) -> bool {
    if text.is_ascii() {
        return false;
    }
    let text = &blank_escape_letters(text);
    let is_posing = |word: &str| {
        let latin = word.bytes().filter(u8::is_ascii_alphabetic).count();
        let is_greek = |c| matches!(c, '\u{370}'..='\u{3ff}');
        latin > 2 || !word.chars().all(|it| it.is_ascii() || is_greek(it))
    };
    split_skeleton_words(text).any(|(word, has_letters)| {
        has_letters
            && is_mixed_script_word(word)
            && is_posing(word)
            && !is_inflected_word(text, word)
    })
}

/// The text without the letters of escapes, as in `\\bслово`: they belong to no word.
fn blank_escape_letters(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut is_escaped = false;
    let kept = text.chars().map(|c| {
        let was_escaped = std::mem::replace(&mut is_escaped, c == '\\');
        let is_letter = was_escaped && c.is_ascii_alphabetic();
        if is_letter { ' ' } else { c }
    });
    Cow::Owned(kept.collect())
}

/// Whether a word holds both Latin letters and letters that pass for Latin ones.
fn is_mixed_script_word(word: &str) -> bool {
    word.bytes().any(|it| it.is_ascii_alphabetic())
        && word.chars().any(|it| {
            find_latin_lookalike(fold_compatible_char(it)).is_some() || is_styled_latin(it)
        })
}

/// Whether the foreign letters are an ending, in a text that has words of their script.
fn is_inflected_word(text: &str, word: &str) -> bool {
    let ending = word.trim_start_matches(|c: char| c.is_ascii());
    let is_ending =
        ending.len() < word.len() && ending.chars().all(is_cyrillic) && ending.chars().count() <= 4;
    let is_native = |it: &str| it.chars().count() > 2 && it.chars().all(is_cyrillic);
    is_ending && split_skeleton_words(text).any(|(it, _)| is_native(it))
}

fn is_cyrillic(c: char) -> bool {
    matches!(c, '\u{400}'..='\u{52f}')
}

/// A Latin letter in another dress: full-width or mathematical.
fn is_styled_latin(c: char) -> bool {
    matches!(u32::from(c), 0xff21..=0xff5a | 0x1d400..=0x1d6a3)
}

/// The words of a text with what stands between them, and whether each has letters beyond ASCII.
fn split_skeleton_words(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let is_part =
        |c: char| c.is_alphanumeric() || c == '_' || is_hidden_char(c) && !c.is_whitespace();
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = is_part(rest.chars().next()?);
        let end = rest.find(|it| is_part(it) != first).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        rest = after;
        Some((word, first && !word.is_ascii()))
    })
}

fn is_lookalike_script(c: char) -> bool {
    c.is_alphabetic() && matches!(u32::from(c), 0x370..=0x58f | 0x13a0..=0x13ff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_as_it_looks() {
        let check =
            |text: &str, expected: &str| assert_eq!(fold_to_skeleton(text), expected, "{text:?}");
        check("Ignore  ALL\n\n previous", "ignore all\nprevious");
        check("Ｉｇｎｏｒｅ ａｌｌ：", "ignore all:");
        check("𝐈𝐠𝐧𝐨𝐫𝐞 𝒶𝓁𝓁 𝕡𝕣𝕖 𝟙𝟚", "ignore all pre 12");
        check("Іgnоrе аll рrеvіоus", "ignore all previous");
        check("Ⓘⓖⓝⓞⓡⓔ ɪɢɴᴏʀᴇ ᵃˡˡ", "ignore ignore all");
        check("i\u{200b}g\u{ad}nore", "ignore");
        check("игнорируй все указания", "игнорируй все указания");
        check("see сору", "see copy");
        check("“don’t” – naïve", "\"don't\" - naïve");
    }

    #[test]
    fn words_that_pose_as_others_are_told() {
        let check = |text: &str, expected: bool| {
            assert_eq!(has_confusable_word(text), expected, "{text:?}")
        };
        check("con.create_function(\"аlice\", 0)", true);
        check("say_һello();", true);
        check("sayНello()", true);
        check("pаypal", true);
        check("αdmin", true);
        check("ａdmin", true);
        check("𝐚dmin", true);
        check("the adminа account", true);
        check("naïve café Straße", false);
        check("µs μs Ω Δt α-β αx λ-calculus", false);
        check("Привет мир, все хорошо", false);
        check("после commitа и PRов", false);
        check("API-ключ", false);
        check(r"\bразвернул\s+{name}", false);
        check("ＡＰＩ キー", false);
        check("日本語のAPI", false);
        check("ελληνικά and english", false);
        check("E=mc², 10⁻³, x₁, nᵗʰ", false);
    }
}
