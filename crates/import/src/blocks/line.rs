//! What one line of Markdown is.

/// A line, by its beginning and end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Line<'a> {
    /// Nothing.
    Blank,
    /// The beginning or end of code: the mark.
    Fence(&'a str),
    /// The beginning of a comment.
    Comment,
    /// `# …`
    Heading(&'a str),
    /// Nothing but `=` or `-`: under a paragraph it makes that a heading.
    Underline,
    /// Another line across the page.
    Across,
    /// It starts a row of a table.
    Row,
    /// It is of no use as a fact, and this is what it is.
    Useless(&'static str),
    /// `- …`, with how far in it begins and where its text does.
    Bullet(usize, &'a str),
    /// Words, with how far in they begin.
    Words(usize, &'a str),
}

impl<'a> Line<'a> {
    pub(super) fn of(line: &'a str) -> Self {
        let text = line.trim();
        match () {
            () if text.is_empty() => Self::Blank,
            () if text.starts_with("```") || text.starts_with("~~~") => Self::Fence(mark(text)),
            () if text.starts_with("<!--") => Self::Comment,
            () if text.starts_with('|') => Self::Row,
            () if is_all(text, &['=', '-']) => Self::Underline,
            () if is_all(text, &['*', '_', '–', '—']) => Self::Across,
            () => heading(text)
                .map(Self::Heading)
                .or_else(|| useless(text).map(Self::Useless))
                .or_else(|| bullet(text).map(|it| Self::Bullet(indent(line), it)))
                .unwrap_or_else(|| Self::Words(indent(line), text.trim_start_matches(['>', ' ']))),
        }
    }
}

fn mark(text: &str) -> &str {
    let end = text.find(|it| it != '`' && it != '~').unwrap_or(text.len());
    &text[..end]
}

fn is_all(text: &str, marks: &[char]) -> bool {
    let first = text.chars().next();
    text.chars().count() >= 3
        && first.is_some_and(|it| marks.contains(&it) && text.chars().all(|c| c == it))
}

fn heading(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches('#');
    let depth = text.len() - rest.len();
    let is_heading = (1..=6).contains(&depth) && (rest.is_empty() || rest.starts_with(' '));
    is_heading.then(|| rest.trim().trim_end_matches('#').trim_end())
}

fn useless(text: &str) -> Option<&'static str> {
    let is_picture = (text.starts_with("![") || text.starts_with("[![")) && text.ends_with(')');
    let second = text.chars().nth(1).unwrap_or(' ');
    let is_tag = text.starts_with('<')
        && text.ends_with('>')
        && (second.is_ascii_alphabetic() || second == '/')
        && !text.starts_with("<http");
    let takes_in =
        text.starts_with('@') && text.contains('.') && !text.contains(char::is_whitespace);
    match () {
        () if is_picture => Some("a picture or a badge"),
        () if is_tag => Some("HTML"),
        () if takes_in => Some("it takes in another file"),
        () => None,
    }
}

/// The words of a bullet, or of a numbered item.
fn bullet(text: &str) -> Option<&str> {
    let marked = ["- ", "* ", "+ ", "• "]
        .iter()
        .find_map(|it| text.strip_prefix(it));
    let numbered = || {
        let rest = text.trim_start_matches(|it: char| it.is_ascii_digit());
        let is_numbered = (1..=3).contains(&(text.len() - rest.len()));
        is_numbered
            .then(|| rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")))
            .flatten()
    };
    marked
        .or_else(numbered)
        .map(str::trim)
        .filter(|it| !it.is_empty())
}

/// How far in a line begins; a tab counts for four.
fn indent(line: &str) -> usize {
    let spaces = line.chars().take_while(|it| it.is_whitespace());
    spaces.map(|it| if it == '\t' { 4 } else { 1 }).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_apart() {
        let check =
            |line: &str, expected: Line<'_>| assert_eq!(Line::of(line), expected, "{line:?}");
        check("  ", Line::Blank);
        check("```rust", Line::Fence("```"));
        check("## A b ##", Line::Heading("A b"));
        check("#hashtag", Line::Words(0, "#hashtag"));
        check("---", Line::Underline);
        check("* * *", Line::Bullet(0, "* *"));
        check("***", Line::Across);
        check("- a", Line::Bullet(0, "a"));
        check("\t12. a", Line::Bullet(4, "a"));
        check("2026. a year", Line::Words(0, "2026. a year"));
        check("-", Line::Words(0, "-"));
        check("> said", Line::Words(0, "said"));
        check("<https://x.example>", Line::Words(0, "<https://x.example>"));
        check("<br/>", Line::Useless("HTML"));
        check("@ana said so", Line::Words(0, "@ana said so"));
    }
}
