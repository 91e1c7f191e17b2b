//! Lines as words and signs: what two texts have in common when their layout differs.

/// A word, or a single sign. White space is none of either.
pub(crate) type CodeToken<'a> = &'a [u8];

/// The tokens of these lines.
pub(crate) fn split_code_tokens<'a>(lines: &[&'a [u8]]) -> Vec<CodeToken<'a>> {
    lines.iter().flat_map(|line| CodeTokenIter(line)).collect()
}

/// The tokens of a text.
pub(crate) fn split_text_tokens(text: &str) -> Vec<String> {
    CodeTokenIter(text.as_bytes())
        .map(|it| String::from_utf8_lossy(it).into_owned())
        .collect()
}

/// The tokens of each of these lines.
pub(crate) fn split_line_tokens<'a>(lines: &[&'a [u8]]) -> Vec<Vec<CodeToken<'a>>> {
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
pub(crate) fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// The bytes of a line that are not white space.
pub(crate) fn remove_spaces(line: &[u8]) -> Vec<u8> {
    line.iter()
        .copied()
        .filter(|it| !it.is_ascii_whitespace())
        .collect()
}

/// Whether two lines differ in white space only.
pub(crate) fn is_same_without_spaces(line: &[u8], other: &[u8]) -> bool {
    let is_told = |it: &&u8| !it.is_ascii_whitespace();
    line.iter().filter(is_told).eq(other.iter().filter(is_told))
}
