//! What may stand beside a character that has no ink of its own: which signs take a variation selector or a joiner.
//!
//! By hand: the libraries know which signs are emoji, and not which of them have two faces. Taken for that, their list
//! keeps a selector behind 1,067 signs more, where it shows nothing and carries a bit.

/// Whether a sign takes a selector for its text or emoji face: it exists as both, says Unicode's own list.
#[rustfmt::skip]
pub(super) fn has_emoji_variation(c: char) -> bool {
    matches!(u32::from(c), 0xa9 | 0xae | 0x203c | 0x2049 | 0x2122 | 0x2139 | 0x2194..=0x2199 | 0x21a9..=0x21aa | 0x231a..=0x231b
        | 0x2328 | 0x23cf | 0x23e9..=0x23f3 | 0x23f8..=0x23fa | 0x24c2 | 0x25aa..=0x25ab | 0x25b6 | 0x25c0
        | 0x25fb..=0x25fe | 0x2600..=0x27bf | 0x2934..=0x2935 | 0x2b05..=0x2b07 | 0x2b1b..=0x2b1c | 0x2b50
        | 0x2b55 | 0x3030 | 0x303d | 0x3297 | 0x3299 | 0x1f004 | 0x1f170..=0x1f171 | 0x1f17e..=0x1f17f | 0x1f202
        | 0x1f21a | 0x1f22f | 0x1f237 | 0x1f30d..=0x1f30f | 0x1f315 | 0x1f31c | 0x1f321..=0x1f32c | 0x1f336
        | 0x1f378 | 0x1f37d | 0x1f393..=0x1f397 | 0x1f399..=0x1f39f | 0x1f3a7 | 0x1f3ac..=0x1f3ae | 0x1f3c2
        | 0x1f3c4 | 0x1f3c6 | 0x1f3ca..=0x1f3ce | 0x1f3d4..=0x1f3e0 | 0x1f3ed | 0x1f3f3..=0x1f3f7 | 0x1f408
        | 0x1f415 | 0x1f41f | 0x1f426 | 0x1f43f | 0x1f441..=0x1f442 | 0x1f446..=0x1f449 | 0x1f44d..=0x1f44e
        | 0x1f453 | 0x1f46a | 0x1f47d | 0x1f4a3 | 0x1f4b0 | 0x1f4b3 | 0x1f4bb | 0x1f4bf | 0x1f4cb | 0x1f4da
        | 0x1f4df | 0x1f4e4..=0x1f4e6 | 0x1f4ea..=0x1f4ed | 0x1f4f7 | 0x1f4f9..=0x1f4fd | 0x1f508 | 0x1f50d
        | 0x1f512..=0x1f513 | 0x1f549..=0x1f579 | 0x1f587..=0x1f590 | 0x1f5a5..=0x1f5fa | 0x1f610 | 0x1f687
        | 0x1f68d | 0x1f691 | 0x1f694 | 0x1f698 | 0x1f6ad | 0x1f6b2 | 0x1f6b9..=0x1f6ba | 0x1f6bc
        | 0x1f6cb..=0x1f6cf | 0x1f6e0..=0x1f6f3)
}

/// Whether a sign can be joined with others to one picture.
pub(super) fn is_emoji_picture(c: char) -> bool {
    matches!(u32::from(c), 0x1f000..=0x1faff) && !is_skin_tone(c) || has_emoji_variation(c)
}

/// The tones of skin: they follow a person, and a joiner may follow them.
pub(super) fn is_skin_tone(c: char) -> bool {
    matches!(u32::from(c), 0x1f3fb..=0x1f3ff)
}

/// Scripts whose letters join or stack, so that a joiner between them shows: Arabic and its kin, the scripts of India
/// and around it, Mongolian.
#[rustfmt::skip]
fn is_joining_script(c: char) -> bool {
    matches!(u32::from(c), 0x0600..=0x08ff | 0x0900..=0x0dff | 0x0f00..=0x0fff | 0x1000..=0x109f | 0x1780..=0x17ff
        | 0x1800..=0x18af | 0x1900..=0x1cff | 0xa800..=0xa8ff | 0xa900..=0xaadf | 0xabc0..=0xabff
        | 0xfb50..=0xfdcf | 0xfe70..=0xfefc | 0x10a00..=0x10fff | 0x11000..=0x11fff)
}

/// Whether a joiner beside this letter, or beside a sign that stands above, below or after one, changes how it looks. No
/// joiner belongs beside the stops of the Arabic and Indic scripts.
pub(super) fn is_joining_script_char(c: char) -> bool {
    let is_stop = matches!(c, '،' | '؛' | '؟' | '۔' | '।' | '॥' | '٪' | '٫' | '٬');
    is_joining_script(c) && !is_stop && !c.is_whitespace()
}

/// Scripts without spaces between words, where a break may be written as a space of no width.
pub(super) fn is_zero_width_break_script(c: char) -> bool {
    matches!(u32::from(c), 0x0e00..=0x0fff | 0x1000..=0x109f | 0x1780..=0x17ff | 0x1900..=0x1aaf | 0xaa60..=0xaadf)
}

/// The letters of traditional Mongolian, which take selectors of their own.
pub(super) fn is_mongolian_letter(c: char) -> bool {
    matches!(u32::from(c), 0x1820..=0x18aa)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_hold_as_many_signs_as_they_should() {
        let count = |is_it: fn(char) -> bool| ('\0'..=char::MAX).filter(|c| is_it(*c)).count();
        assert_eq!(count(has_emoji_variation), 796);
        assert_eq!(count(is_joining_script), 11005);
    }

    #[test]
    fn signs_and_letters_are_told_apart() {
        let check = |c: char, is_it: fn(char) -> bool, expected: bool| {
            assert_eq!(is_it(c), expected, "{c:?}")
        };
        check('❤', has_emoji_variation, true);
        check('⭐', has_emoji_variation, true);
        check('😀', has_emoji_variation, false);
        check('a', has_emoji_variation, false);
        check('😀', is_emoji_picture, true);
        check('🏽', is_emoji_picture, false);
        check('م', is_joining_script_char, true);
        check('्', is_joining_script_char, true);
        check('।', is_joining_script_char, false);
        check('n', is_joining_script_char, false);
        check('ក', is_zero_width_break_script, true);
    }
}
