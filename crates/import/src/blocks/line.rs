//! What one line of Markdown is.

/// A line, by its beginning and end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MarkdownLine<'a> {
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

impl<'a> MarkdownLine<'a> {
    pub(super) fn from_text(line: &'a str) -> Self {
        let text = line.trim();
        match () {
            () if text.is_empty() => Self::Blank,
            () if text.starts_with("```") || text.starts_with("~~~") => {
                Self::Fence(parse_fence_mark(text))
            }
            () if text.starts_with("<!--") => Self::Comment,
            () if text.starts_with('|') => Self::Row,
            () if is_run_of_mark(text, &['=', '-']) => Self::Underline,
            () if is_run_of_mark(text, &['*', '_', '–', '—']) => Self::Across,
            () => {
                let indent = measure_indent(line);
                let bullet = || Some(Self::Bullet(indent, parse_bullet_text(text)?));
                parse_markdown_heading(text)
                    .map(Self::Heading)
                    .or_else(|| describe_useless_line(text).map(Self::Useless))
                    .or_else(bullet)
                    .unwrap_or(Self::Words(indent, text.trim_start_matches(['>', ' '])))
            }
        }
    }
}

fn parse_fence_mark(text: &str) -> &str {
    let rest = text.trim_start_matches(['`', '~']);
    &text[..text.len() - rest.len()]
}

fn is_run_of_mark(text: &str, marks: &[char]) -> bool {
    let first = text.chars().next();
    text.chars().count() >= 3
        && first.is_some_and(|it| marks.contains(&it) && text.chars().all(|c| c == it))
}

fn parse_markdown_heading(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches('#');
    let depth = text.len() - rest.len();
    let is_heading = (1..=6).contains(&depth) && (rest.is_empty() || rest.starts_with(' '));
    is_heading.then(|| rest.trim().trim_end_matches('#').trim_end())
}

fn describe_useless_line(text: &str) -> Option<&'static str> {
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
fn parse_bullet_text(text: &str) -> Option<&str> {
    let marked = ["- ", "* ", "+ ", "• "]
        .iter()
        .find_map(|it| text.strip_prefix(it));
    let rest = text.trim_start_matches(|it: char| it.is_ascii_digit());
    let numbered = rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") "));
    let numbered = numbered.filter(|_| (1..=3).contains(&(text.len() - rest.len())));
    marked
        .or(numbered)
        .map(str::trim)
        .filter(|it| !it.is_empty())
}

/// Whether a bullet is something to tick off.
pub(crate) fn is_check_box(text: &str) -> bool {
    ["[ ]", "[x]", "[X]", "[-]"]
        .iter()
        .any(|it| text.starts_with(it))
}

/// How far in a line begins; a tab counts for four.
fn measure_indent(line: &str) -> usize {
    let spaces = line.chars().take_while(|it| it.is_whitespace());
    spaces.map(|it| if it == '\t' { 4 } else { 1 }).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_apart() {
        let check = |line: &str, expected: MarkdownLine<'_>| {
            assert_eq!(MarkdownLine::from_text(line), expected, "{line:?}")
        };
        check("  ", MarkdownLine::Blank);
        check("```rust", MarkdownLine::Fence("```"));
        check("## A b ##", MarkdownLine::Heading("A b"));
        check("#hashtag", MarkdownLine::Words(0, "#hashtag"));
        check("---", MarkdownLine::Underline);
        check("* * *", MarkdownLine::Bullet(0, "* *"));
        check("***", MarkdownLine::Across);
        check("- a", MarkdownLine::Bullet(0, "a"));
        check("\t12. a", MarkdownLine::Bullet(4, "a"));
        check("2026. a year", MarkdownLine::Words(0, "2026. a year"));
        check("-", MarkdownLine::Words(0, "-"));
        check("> said", MarkdownLine::Words(0, "said"));
        check(
            "<https://x.example>",
            MarkdownLine::Words(0, "<https://x.example>"),
        );
        check("<br/>", MarkdownLine::Useless("HTML"));
        check("@ana said so", MarkdownLine::Words(0, "@ana said so"));
    }
}
