//! Lines as words and signs: what two texts have in common when their layout differs.

/// A word, or a single sign. White space is none of either.
pub(super) type CodeToken<'a> = &'a [u8];

/// The tokens of these lines.
pub(super) fn split_code_tokens<'a>(lines: &[&'a [u8]]) -> Vec<CodeToken<'a>> {
    lines.iter().flat_map(|line| CodeTokenIter(line)).collect()
}

/// The tokens of each of these lines.
pub(super) fn split_line_tokens<'a>(lines: &[&'a [u8]]) -> Vec<Vec<CodeToken<'a>>> {
    let lines = lines.iter();
    lines.map(|line| CodeTokenIter(line).collect()).collect()
}

struct CodeTokenIter<'a>(&'a [u8]);

impl<'a> Iterator for CodeTokenIter<'a> {
    type Item = CodeToken<'a>;

    fn next(&mut self) -> Option<CodeToken<'a>> {
        let rest = self.0.trim_ascii_start();
        let first = *rest.first()?;
        let len = if is_word_byte(first) {
            rest.iter().take_while(|it| is_word_byte(**it)).count()
        } else {
            1
        };
        let (token, rest) = rest.split_at(len);
        self.0 = rest;
        Some(token)
    }
}

/// Letters, digits, the underscore, and all of what is not ASCII.
pub(super) fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}
