//! Characters that hide, reorder or drive a terminal go; visible text of every script stays byte for byte.
//!
//! Most of them never show. A few do, in the right place: a joiner between Persian or Indic letters or between the
//! parts of an emoji, a selector after a sign that has two faces, the tags of three flags. They stay there and only
//! there, one at a time, so that a run of them cannot carry a message.

use std::borrow::Cow;

use super::{
    ansi,
    emoji::{
        has_emoji_variation, is_emoji_picture, is_joining_script_char, is_mongolian_letter,
        is_skin_tone, is_zero_width_break_script,
    },
};
use crate::characters::is_hidden_char;

/// How many joiners one picture may hold, as Unicode's longest do.
const MOST_JOINS: usize = 3;
/// The regions whose flags are spelled in tags.
const REGIONS: [&str; 4] = ["gbeng", "gbsct", "gbwls", "gbnir"];
/// The tag that ends a flag.
const CANCEL: char = '\u{e007f}';
/// How often a text is gone over: what goes may bring together what stood apart.
const PASSES: usize = 4;

/// The text without them.
pub(super) fn strip_hidden_chars(text: &str) -> Cow<'_, str> {
    if has_only_ink(text) {
        return Cow::Borrowed(text);
    }
    let mut text = Cow::Borrowed(text);
    for _ in 0..PASSES {
        let next = strip_hidden_chars_once(&text, false);
        if next == *text {
            return text;
        }
        text = Cow::Owned(next);
    }
    Cow::Owned(strip_hidden_chars_once(&text, true))
}

/// Whether every character shows by itself, so that nothing can hide: this is so for nearly every text, and every memory is
/// looked at whenever it is read.
fn has_only_ink(text: &str) -> bool {
    text.chars().all(|c| match c {
        ' '..='~' | '\n' | '\t' => true,
        '\0'..='\u{9f}' | '\u{2028}' | '\u{2029}' => false,
        _ => !is_hidden_char(c),
    })
}

/// One pass over the text. A strict one lets nothing stay that needs a neighbour, so that nothing can be left to do.
fn strip_hidden_chars_once(text: &str, is_strict: bool) -> String {
    let mut kept = VisibleText {
        out: String::with_capacity(text.len()),
        is_strict,
        ..VisibleText::default()
    };
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let flag = if is_strict {
            0
        } else {
            measure_region_flag(rest)
        };
        let gone = ansi::measure_ansi_sequence(rest);
        match (flag, gone) {
            (0, 0) => {
                at += c.len_utf8();
                kept.take_char(c, &text[at..]);
            }
            (0, gone) => at += gone,
            (flag, _) => {
                kept.out.push_str(&rest[..flag]);
                (kept.last, kept.base, kept.joins) = (Some(CANCEL), Some('\u{1f3f4}'), 0);
                at += flag;
            }
        }
    }
    kept.out
}

/// How many bytes the flag of a region takes that a text begins with.
fn measure_region_flag(text: &str) -> usize {
    let Some(tags) = text.strip_prefix('\u{1f3f4}') else {
        return 0;
    };
    let spelled = |region: &&&str| {
        let letters = region
            .bytes()
            .map(|it| char::from_u32(0xe0000 + u32::from(it)));
        letters
            .chain([Some(CANCEL)])
            .eq(tags.chars().take(region.len() + 1).map(Some))
    };
    let region = REGIONS.iter().find(spelled);
    region.map_or(0, |it| 4 * (it.len() + 2))
}

/// What was kept so far.
#[derive(Default)]
struct VisibleText {
    out: String,
    is_strict: bool,
    /// The last character, and the last that has ink.
    last: Option<char>,
    base: Option<char>,
    /// How many joiners the picture at the end holds, and how many letters stand behind the last joiner.
    joins: usize,
    since: Option<usize>,
}

impl VisibleText {
    fn take_char(&mut self, c: char, rest: &str) {
        match c {
            '\n' | '\t' => self.push_char(c),
            '\u{2028}' | '\u{2029}' => self.push_char('\n'),
            _ if !is_hidden_char(c) => self.push_visible(c),
            _ if !self.is_strict && self.can_keep_hidden(c, rest) => self.push_char(c),
            // A picture that was joined too often takes no part in the next one either.
            '\u{200d}' if self.joins == MOST_JOINS => self.joins += 1,
            _ => {}
        }
    }

    fn push_visible(&mut self, c: char) {
        let is_joined = self.last == Some('\u{200d}') && is_emoji_picture(c);
        let is_endless = self.joins > MOST_JOINS && is_emoji_picture(c);
        if !is_joined && !is_endless && !is_skin_tone(c) {
            self.joins = 0;
        }
        self.base = Some(c);
        self.since = self.since.map(|it| it + 1);
        self.push_char(c);
    }

    fn push_char(&mut self, c: char) {
        if matches!(c, '\u{200b}'..='\u{200d}') {
            self.joins += 1;
            self.since = Some(0);
        }
        self.out.push(c);
        self.last = Some(c);
    }

    /// Whether a character without ink does something here.
    fn can_keep_hidden(&self, c: char, rest: &str) -> bool {
        let Some(last) = self.last else { return false };
        let next = rest.chars().find(|it| !is_hidden_char(*it));
        match c {
            '\u{fe0e}' | '\u{fe0f}' if last.is_ascii() => {
                // The keys of a telephone become emoji by a selector and a frame.
                matches!(last, '0'..='9' | '#' | '*') && rest.starts_with('\u{20e3}')
            }
            '\u{fe0e}' | '\u{fe0f}' => has_emoji_variation(last),
            '\u{200d}' if self.is_picture_end(last) => {
                self.joins < MOST_JOINS && next.is_some_and(is_emoji_picture)
            }
            '\u{200c}' | '\u{200d}' => self.can_join_letters(last, next),
            '\u{200b}' => {
                self.is_far_from_joiner()
                    && is_zero_width_break_script(last)
                    && next.is_some_and(is_zero_width_break_script)
            }
            '\u{180b}'..='\u{180d}' | '\u{180f}' => is_mongolian_letter(last),
            '\u{180e}' => is_mongolian_letter(last) && next.is_some_and(is_mongolian_letter),
            _ => false,
        }
    }

    fn is_picture_end(&self, last: char) -> bool {
        let is_face = matches!(last, '\u{fe0e}' | '\u{fe0f}');
        is_skin_tone(last)
            || is_emoji_picture(last)
            || is_face && self.base.is_some_and(is_emoji_picture)
    }

    fn can_join_letters(&self, last: char, next: Option<char>) -> bool {
        let is_between = next.is_none_or(|it| {
            is_joining_script_char(it) || !it.is_alphanumeric() && !is_emoji_picture(it)
        });
        self.is_far_from_joiner() && is_joining_script_char(last) && is_between
    }

    /// Whether enough stands between this joiner and the one before.
    fn is_far_from_joiner(&self) -> bool {
        self.since.is_none_or(|it| it >= 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(strip_hidden_chars(text), expected, "{text:?}");
    }

    fn stays(text: &str) {
        check(text, text);
    }

    #[test]
    fn what_shows_stays() {
        stays("plain text\n\twith lines");
        stays("日本語 العربية ไทย हिन्दी 한국어");
        stays(
            "👩\u{200d}💻 👨🏻\u{200d}❤\u{fe0f}\u{200d}💋\u{200d}👨🏾 🧎🏽\u{200d}♀\u{fe0f}\u{200d}➡\u{fe0f}",
        );
        stays("👩\u{200d}👩\u{200d}👧\u{200d}👦 🏳\u{fe0f}\u{200d}🌈 🏴\u{200d}☠\u{fe0f}");
        stays("❤\u{fe0f} ❤\u{fe0e} ⭐\u{fe0f} 1\u{fe0f}\u{20e3} #\u{fe0f}\u{20e3} ☝🏽");
        stays("🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f} 🇩🇪🇯🇵");
        stays("می\u{200c}خواهم کتاب\u{200c}ها");
        stays("ക\u{d4d}\u{200d} ශ\u{dca}\u{200d}ර\u{dd3} র\u{200c}\u{9cd}য");
        stays("ភាសា\u{200b}ខ្មែរ");
    }

    #[test]
    fn what_hides_goes() {
        check("a\u{200b}b\u{202e}c\u{e0041}d", "abcd");
        check("red \u{1b}[31mtext", "red text");
        check(
            "\u{1b}]8;;https://a.example\u{7}name\u{1b}]8;;\u{7}",
            "name",
        );
        check("pass\u{200d}word", "password");
        check("a\u{fe01}b", "ab");
        check("line\nline\r", "line\nline");
        check("one\u{2028}two", "one\ntwo");
        check("\u{3000}\u{200c}🏴", "\u{3000}🏴");
        check("x\u{e000}y\u{f8ff}\u{10fffd}\u{fffe}", "xy");
        check("\u{115f}\u{3164}\u{ffa0}\u{ad}\u{2064}", "");
    }

    #[test]
    fn a_look_of_order_carries_nothing() {
        check("😀\u{e0139}\u{e015e}\u{fe0f}", "😀");
        check("❤\u{fe0f}\u{fe0f}\u{fe0e}\u{fe0f}", "❤\u{fe0f}");
        check("👩\u{200d}\u{200d}\u{200d}💻", "👩\u{200d}💻");
        check("🏴\u{e0068}\u{e0069}\u{e007f}", "🏴");
        check(
            "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e0041}\u{e007f}",
            "🏴",
        );
        check("م\u{200c}\u{200d}\u{200c}ن", "م\u{200c}ن");
        check("م\u{200c}ن\u{200d}م\u{200c}ن", "م\u{200c}نم\u{200c}ن");
        check("1\u{fe0f}2\u{fe0f}", "12");
        check("م\u{200c}abc", "مabc");
        let endless = "😀\u{200d}".repeat(9);
        assert_eq!(
            strip_hidden_chars(&endless).matches('\u{200d}').count(),
            MOST_JOINS
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn twice_is_once_and_nothing_grows(text in any_text()) {
            let once = strip_hidden_chars(&text).into_owned();
            prop_assert!(once.len() <= text.len());
            prop_assert_eq!(strip_hidden_chars(&once).into_owned(), once);
        }

        #[test]
        fn only_ink_is_what_stays(text in any_text()) {
            prop_assert!(!has_only_ink(&text) || strip_hidden_chars_once(&text, false) == text);
            prop_assert!(!has_only_ink(&text) || strip_hidden_chars_once(&text, true) == text);
        }

        #[test]
        fn what_has_ink_stays(text in "[\\PC&&[^\\p{Co}\\p{Cn}\\p{Cf}]]*") {
            let inked = |text: &str| text.chars().filter(|it| !is_hidden_char(*it)).collect::<String>();
            prop_assert_eq!(inked(&strip_hidden_chars(&text)), inked(&text));
        }
    }

    /// Ordinary text, and text dense with what this file is about.
    fn any_text() -> impl Strategy<Value = String> {
        let odd = "[\u{200b}-\u{200f}\u{fe0e}\u{fe0f}\u{20e3}1#❤😀👩🏽🏴\u{e0062}\u{e0067}\u{e0073}\u{e0063}\u{e0074}\u{e007f}من\u{94d}क\u{1b}\u{9b}\\[;m\u{180b}\u{1820}ក]{0,40}";
        prop_oneof![any::<String>(), odd]
    }
}
