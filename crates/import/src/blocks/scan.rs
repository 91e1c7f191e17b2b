//! A page line by line: headings, texts with how deep they stand, and what is neither.

use super::line::Line;
use apostille_text::delimiters::INSTRUCTION_BLOCK;

/// A part of a page before lead-ins and nesting are looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Node {
    Heading(String),
    /// Depth 0 is a paragraph, a bullet is as deep as it is indented, and 1 more.
    Text {
        line: usize,
        depth: usize,
        text: String,
    },
    Other {
        line: usize,
        why: &'static str,
    },
}

/// How far in code begins that has no mark.
const CODE_INDENT: usize = 4;
/// A line in bold of at most so many words is a heading.
const TITLE_WORDS: usize = 6;

pub(super) fn nodes(text: &str, head: usize) -> Vec<Node> {
    let lines: Vec<(usize, &str)> = (1..).zip(text.lines()).skip(head).collect();
    let (mut scan, mut i) = (Scan::default(), 0);
    while let Some((n, line)) = lines.get(i) {
        i += scan.take(*n, line, &lines[i + 1..]).max(1);
    }
    scan.nodes
}

#[derive(Default)]
struct Scan {
    nodes: Vec<Node>,
    /// Whether the last node is a text that goes on, as long as no blank line ends it.
    is_open: bool,
    /// Whether a blank line was seen since.
    is_apart: bool,
}

impl Scan {
    /// Takes a line, and as many of those behind it as belong to it; says how many in all.
    fn take(&mut self, n: usize, line: &str, rest: &[(usize, &str)]) -> usize {
        let end = |is_last: &dyn Fn(&str) -> bool| {
            rest.iter()
                .position(|(_, it)| is_last(it))
                .map_or(rest.len() + 1, |it| it + 2)
        };
        match Line::of(line) {
            Line::Fence(mark) => {
                self.other(n, "a code block");
                end(&|it| matches!(Line::of(it), Line::Fence(_)) && it.trim() == mark)
            }
            Line::Comment if line.contains(INSTRUCTION_BLOCK[0]) => {
                self.other(n, "apostille's own block");
                end(&|it| it.contains(INSTRUCTION_BLOCK[1]))
            }
            Line::Comment => {
                self.other(n, "a comment");
                if line.contains("-->") {
                    1
                } else {
                    end(&|it| it.contains("-->"))
                }
            }
            Line::Row => self.table(n, rest),
            Line::Words(..)
                if line.contains('|') && rest.first().is_some_and(|(_, it)| is_ruler(it)) =>
            {
                self.table(n, rest)
            }
            Line::Words(indent, _) if indent >= CODE_INDENT && !self.goes_on(indent) => {
                self.other(n, "a code block");
                1 + rest
                    .iter()
                    .take_while(|(_, it)| it.starts_with("    ") || it.starts_with('\t'))
                    .count()
            }
            plain => {
                self.plain(n, plain);
                1
            }
        }
    }

    fn table(&mut self, n: usize, rest: &[(usize, &str)]) -> usize {
        self.other(n, "a table");
        1 + rest.iter().take_while(|(_, it)| it.contains('|')).count()
    }

    fn plain(&mut self, n: usize, line: Line<'_>) {
        match line {
            Line::Blank => self.is_apart = true,
            Line::Heading(text) => self.push(Node::Heading(text.to_owned())),
            Line::Underline => self.underline(),
            Line::Useless(why) => self.other(n, why),
            Line::Bullet(_, text) if is_check_box(text) => self.other(n, "a check box"),
            Line::Bullet(indent, text) => self.text(n, indent + 1, text),
            Line::Words(indent, text) => self.words(n, indent, text),
            Line::Fence(_) | Line::Comment | Line::Row | Line::Across => self.is_open = false,
        }
    }

    /// Whether words this far in belong to the text before them.
    fn goes_on(&self, indent: usize) -> bool {
        match self.nodes.last() {
            Some(Node::Text { depth, .. }) if self.is_open => {
                !self.is_apart || (*depth > 0 && indent > *depth - 1)
            }
            _ => false,
        }
    }

    fn words(&mut self, n: usize, indent: usize, words: &str) {
        if words.is_empty() {
            return;
        }
        if self.goes_on(indent)
            && let Some(Node::Text { text, .. }) = self.nodes.last_mut()
        {
            *text += &format!(" {words}");
            self.is_apart = false;
            return;
        }
        match title(words) {
            Some(title) => self.push(Node::Heading(title.to_owned())),
            None => self.text(n, 0, words),
        }
    }

    /// What stands right above a line of `=` or `-` is a heading.
    fn underline(&mut self) {
        let is_right_above = self.is_open && !self.is_apart;
        if is_right_above && let Some(Node::Text { depth: 0, text, .. }) = self.nodes.last_mut() {
            let text = std::mem::take(text);
            self.nodes.pop();
            self.push(Node::Heading(text));
        }
        self.is_open = false;
    }

    fn text(&mut self, line: usize, depth: usize, text: &str) {
        self.push(Node::Text {
            line,
            depth,
            text: text.to_owned(),
        });
        self.is_open = true;
    }

    fn other(&mut self, line: usize, why: &'static str) {
        self.push(Node::Other { line, why });
    }

    fn push(&mut self, node: Node) {
        (self.is_open, self.is_apart) = (false, false);
        self.nodes.push(node);
    }
}

fn is_ruler(line: &str) -> bool {
    line.contains('|')
        && line.contains('-')
        && line.chars().all(|it| matches!(it, '|' | '-' | ':' | ' '))
}

fn is_check_box(text: &str) -> bool {
    ["[ ]", "[x]", "[X]", "[-]"]
        .iter()
        .any(|it| text.starts_with(it))
}

/// The words of a line that is nothing but a few words in bold.
fn title(text: &str) -> Option<&str> {
    let inner = text
        .trim_end_matches(':')
        .strip_prefix("**")?
        .strip_suffix("**")?
        .trim_end_matches(':');
    let is_sentence = inner.ends_with(['.', '!', '?']) || inner.contains("**");
    (!is_sentence && inner.split_whitespace().count() <= TITLE_WORDS).then_some(inner)
}
