//! What a character shows, from the tables that others keep: Unicode's categories, compatibility forms and confusables.
//!
//! What stands here by hand beside them was measured to be missing there.

use unicode_normalization::UnicodeNormalization as _;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};
use unicode_security::confusable_detection::skeleton;

/// Whether a character has no ink: control and format characters, fillers, selectors, tags, and what is for private use
/// or no character at all.
pub(crate) fn is_hidden_char(c: char) -> bool {
    match c {
        '\n' | '\t' | ' '..='~' => false,
        // The Arabic, Syriac and Kaithi number signs are format characters that show.
        '\u{600}'..='\u{605}' | '\u{6dd}' | '\u{70f}' | '\u{890}'..='\u{891}' | '\u{8e2}' => false,
        '\u{110bd}' | '\u{110cd}' => false,
        // Letters and marks by their category that show nothing: fillers, inherent vowels, selectors.
        '\u{34f}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}' => {
            true
        }
        '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}' => true,
        // Other unassigned places stay: a table is older than the next emoji.
        '\u{2065}' | '\u{fdd0}'..='\u{fdef}' | '\u{fff0}'..='\u{fff8}' | '\u{40000}'.. => true,
        _ => u32::from(c) & 0xfffe == 0xfffe || is_hidden_category(c.general_category()),
    }
}

fn is_hidden_category(category: GeneralCategory) -> bool {
    matches!(
        category,
        GeneralCategory::Control
            | GeneralCategory::Format
            | GeneralCategory::PrivateUse
            | GeneralCategory::LineSeparator
            | GeneralCategory::ParagraphSeparator
    )
}

/// The ASCII character that a compatibility form stands for, as full-width, mathematical and circled letters do.
pub(crate) fn find_ascii_form(c: char) -> Option<char> {
    if c.is_ascii() || c < '\u{a0}' {
        return None;
    }
    let mut forms = std::iter::once(c).nfkc();
    let first = forms.next().filter(char::is_ascii)?;
    forms.next().is_none().then_some(first)
}

/// The plain letter, digit or sign that a compatibility form shows.
pub(crate) fn fold_compatible_char(c: char) -> char {
    if c < '\u{250}' {
        return c;
    }
    find_ascii_form(c)
        .or_else(|| find_lettered_sign(c))
        .or_else(|| find_paired_char(c, &STYLED))
        .unwrap_or(c)
}

/// Letters in brackets, and white ones on black: Unicode gives them three characters or none.
fn find_lettered_sign(c: char) -> Option<char> {
    let code = u32::from(c);
    let (from, base) = match code {
        0x249c..=0x24b5 => (0x249c, 'a'),
        0x1f110..=0x1f129 => (0x1f110, 'A'),
        0x1f150..=0x1f169 => (0x1f150, 'A'),
        0x1f170..=0x1f189 => (0x1f170, 'A'),
        _ => return None,
    };
    char::from_u32(u32::from(base) + code - from)
}

/// The Latin letter that a letter of another script passes for. Scripts that are joined to Latin words without a blank, as
/// Hebrew is, are left out.
pub(crate) fn find_latin_lookalike(c: char) -> Option<char> {
    match u32::from(c) {
        0x370..=0x58f | 0x13a0..=0x13ff | 0x1d26..=0x1d2b | 0x2c80..=0x2cff => {}
        0xa4d0..=0xa4ff | 0xa730..=0xa7ff | 0x10280..=0x1044f => {}
        _ => return None,
    }
    find_paired_char(c, &ALIKE).or_else(|| find_confusable_letter(c))
}

fn find_confusable_letter(c: char) -> Option<char> {
    let text = c.encode_utf8(&mut [0; 4]).to_owned();
    let mut shown = skeleton(&text);
    let first = shown.next().filter(char::is_ascii_alphabetic)?;
    // Formulas have it in front of words: `σmax`.
    let is_letter = shown.next().is_none() && c != 'σ';
    is_letter.then_some(first)
}

/// Characters, and the ones that they show, in the same order.
type CharPairs = [(&'static str, &'static str)];

fn find_paired_char(c: char, pairs: &CharPairs) -> Option<char> {
    let in_row = |(from, to): &(&str, &str)| {
        let at = from.chars().position(|it| it == c)?;
        to.chars().nth(at)
    };
    pairs.iter().find_map(in_row)
}

/// Small capitals, quotes, dashes and colons: letters and signs of their own to Unicode, which has no plain form of them.
const STYLED: [(&str, &str); 2] = [
    ("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢɡ", "abcdefghijklmnoprstuvwyzg"),
    ("‘’‛′“”„″‐‑‒–—―−﹘﹣꞉∶", "''''\"\"\"\"---------::"),
];

/// Cyrillic, Greek, Armenian and Cherokee letters that Unicode's table of confusables does not give the letter for which
/// writers of disguised orders use them: 34 of the 123 that were met. It takes a capital I for an l, too.
const ALIKE: [(&str, &str); 3] = [
    ("впкмнтԍЗІӀѐёїӧ", "bnkmhtg3IIeeio"),
    ("βεηκτχωΙάέήίόύώ", "benktxwIaeniouw"),
    ("ԱեԼԳᏆ", "UeLKI"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_show_what_readers_see() {
        let check = |c: char, expected: char| assert_eq!(fold_compatible_char(c), expected, "{c}");
        check('Ａ', 'A');
        check('𝒶', 'a');
        check('𝟙', '1');
        check('ⓖ', 'g');
        check('⒜', 'a');
        check('🄰', 'A');
        check('🅐', 'A');
        check('🅰', 'A');
        check('ℂ', 'C');
        check('ℎ', 'h');
        check('ᵃ', 'a');
        check('ₓ', 'x');
        check('ꜱ', 's');
        check('’', '\'');
        check('—', '-');
        check('：', ':');
        check('﹤', '<');
        check('é', 'é');
        check('日', '日');
    }

    #[test]
    fn lookalikes_are_told_by_script() {
        let check =
            |c: char, expected: Option<char>| assert_eq!(find_latin_lookalike(c), expected, "{c}");
        check('а', Some('a'));
        check('І', Some('I'));
        check('н', Some('h'));
        check('ο', Some('o'));
        check('Ꭺ', Some('A'));
        check('ꓐ', Some('B'));
        check('ж', None);
        check('σ', None);
        check('ס', None);
        check('a', None);
        check('ı', None);
    }

    #[test]
    fn pairs_have_equal_length() {
        for (from, to) in STYLED.iter().chain(&ALIKE) {
            assert_eq!(from.chars().count(), to.chars().count(), "{from}");
            assert!(to.is_ascii());
        }
    }
}
