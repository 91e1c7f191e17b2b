//! Which characters make a word.

/// Whether a character continues a word of a script that puts spaces between words.
pub(super) fn is_word_char(it: char) -> bool {
    it.is_ascii_alphanumeric()
        || it == '_'
        || (!it.is_ascii() && it.is_alphanumeric() && !is_unspaced_script_char(it))
}

/// Scripts without spaces: a name or a number may stand right beside their letters.
pub(super) fn is_unspaced_script_char(it: char) -> bool {
    matches!(it as u32, 0x0e00..=0x0eff | 0x1000..=0x109f | 0x1780..=0x17ff | 0x3040..=0x30ff | 0x3400..=0x9fff
        | 0xac00..=0xd7af | 0xf900..=0xfaff | 0xff00..=0xffef | 0x20000..=0x3ffff)
}
