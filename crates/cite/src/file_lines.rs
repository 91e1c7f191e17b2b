//! A file as lines: what citations are captured from and looked up in.

use std::collections::HashSet;

use crate::citation::LineSpan;
use apostille_text::digest::Digest;

/// The lines of a file, without their endings.
#[derive(Debug)]
pub struct FileLines<'a> {
    lines: Vec<&'a [u8]>,
}

impl<'a> FileLines<'a> {
    /// The lines of this content. Windows line endings count as plain ones.
    pub fn from_bytes(bytes: &'a [u8]) -> Self {
        let mut lines: Vec<&[u8]> = bytes.split(|b| *b == b'\n').collect();
        if lines.last().is_some_and(|it| it.is_empty()) {
            lines.pop();
        }
        for line in &mut lines {
            *line = line.strip_suffix(b"\r").unwrap_or(line);
        }
        Self { lines }
    }

    /// The first lines of this content only: enough for a citation near the top of a long file.
    pub fn from_head(bytes: &'a [u8], n_lines: usize) -> Self {
        let end = bytes
            .iter()
            .enumerate()
            .filter(|(_, b)| **b == b'\n')
            .nth(n_lines.saturating_sub(1));
        Self::from_bytes(end.map_or(bytes, |(at, _)| &bytes[..=at]))
    }

    /// All lines.
    pub fn lines(&self) -> &[&'a [u8]] {
        &self.lines
    }

    /// The part of a range that exists, counted from 0 with the end left out.
    #[must_use]
    pub fn clip_rows(&self, rows: &std::ops::Range<u32>) -> &[&'a [u8]] {
        let end = (rows.end as usize).min(self.lines.len());
        self.lines.get(rows.start as usize..end).unwrap_or(&[])
    }

    /// How many lines there are.
    #[must_use]
    pub fn line_count(&self) -> u32 {
        count_as_u32(self.lines.len())
    }

    /// The lines of a range; `None` when it reaches beyond the end.
    #[must_use]
    pub fn get_span(&self, lines: LineSpan) -> Option<&[&'a [u8]]> {
        let rows = lines.rows();
        self.lines.get(rows.start as usize..rows.end as usize)
    }

    /// Short digests of up to `n` lines before this one, nearest last.
    #[must_use]
    pub fn fingerprints_before(&self, line: u32, n: usize) -> Vec<String> {
        let end = (line as usize - 1).min(self.lines.len());
        self.lines[end.saturating_sub(n)..end]
            .iter()
            .map(|it| fingerprint_line(it))
            .collect()
    }

    /// Short digests of up to `n` lines after this one, nearest first.
    pub fn fingerprints_after(&self, line: u32, n: usize) -> Vec<String> {
        self.lines
            .iter()
            .skip(line as usize)
            .take(n)
            .map(|it| fingerprint_line(it))
            .collect()
    }

    /// Short digests of the lines that have a letter or a digit.
    #[must_use]
    pub fn telling_fingerprints(&self) -> HashSet<String> {
        let is_telling = |line: &&&[u8]| {
            line.iter()
                .any(|it| it.is_ascii_alphanumeric() || !it.is_ascii())
        };
        let telling = self.lines.iter().filter(is_telling);
        telling.map(|it| fingerprint_line(it)).collect()
    }

    /// Every line with this short digest.
    #[must_use]
    pub fn lines_with_fingerprint(&self, short: &str) -> Vec<u32> {
        let lines = (1..).zip(&self.lines);
        lines
            .filter(|(_, it)| fingerprint_line(it) == short)
            .map(|(line, _)| line)
            .collect()
    }
}

/// Lines joined by newlines, as they are kept and digested.
pub fn join_cited_lines(lines: &[&[u8]]) -> Vec<u8> {
    lines.join(&b"\n"[..])
}

/// Whether this is no text: a NUL byte near the beginning, as git judges it.
#[must_use]
pub fn is_binary_content(bytes: &[u8]) -> bool {
    bytes[..bytes.len().min(8_000)].contains(&0)
}

/// The short digest of a line, the spaces around it not counted.
pub fn fingerprint_line(line: &[u8]) -> String {
    Digest::hash_bytes(line.trim_ascii()).short_hex()
}

/// A count of lines or words as citations count them.
pub(crate) fn count_as_u32(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found() {
        let sheet = FileLines::from_bytes(b"a\r\nb\nc\na\nb");
        assert_eq!(sheet.line_count(), 5);
        assert_eq!(
            sheet.lines_with_fingerprint(&fingerprint_line(b" a")),
            [1, 4]
        );
        assert_eq!(
            sheet
                .get_span(LineSpan::new(2, 3).unwrap())
                .map(join_cited_lines),
            Some(b"b\nc".to_vec())
        );
        assert!(sheet.get_span(LineSpan::new(5, 6).unwrap()).is_none());
        assert_eq!(sheet.clip_rows(&(4..6)).len(), 1);
        assert_eq!(sheet.clip_rows(&(8..9)).len(), 0);
        assert_eq!(sheet.fingerprints_before(2, 3).len(), 1);
        assert_eq!(sheet.fingerprints_after(4, 3).len(), 1);
        assert_eq!(FileLines::from_bytes(b"").line_count(), 0);
        assert_eq!(FileLines::from_head(b"a\nb\nc", 2).line_count(), 2);
        assert_eq!(FileLines::from_head(b"a\nb\nc", 9).line_count(), 3);
    }
}
