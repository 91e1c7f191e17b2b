//! Lines as words and signs: what two texts have in common when their layout differs.

/// A word, or a single sign. White space is none of either.
pub(super) type Token<'a> = &'a [u8];

/// The tokens of these lines.
pub(super) fn of<'a>(lines: &[&'a [u8]]) -> Vec<Token<'a>> {
    lines.iter().flat_map(|line| Tokens(line)).collect()
}

struct Tokens<'a>(&'a [u8]);

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        let rest = self.0.trim_ascii_start();
        let first = *rest.first()?;
        let len = if is_word(first) {
            rest.iter().take_while(|it| is_word(**it)).count()
        } else {
            1
        };
        let (token, rest) = rest.split_at(len);
        self.0 = rest;
        Some(token)
    }
}

/// Letters, digits, the underscore, and all of what is not ASCII.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}
