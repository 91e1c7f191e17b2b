//! A page line by line: headings, texts with how deep they stand, and what is neither.

use super::line::{MarkdownLine, is_check_box};
use apostille_text::delimiters::INSTRUCTION_BLOCK;

/// A part of a page before lead-ins and nesting are looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum MarkdownNode {
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

pub(super) fn scan_markdown_nodes(text: &str, head: usize) -> Vec<MarkdownNode> {
    let lines: Vec<&str> = text.lines().collect();
    let (mut scan, mut at) = (MarkdownScanner::default(), head);
    while let Some(line) = lines.get(at) {
        at += 1;
        at += scan.take_line(at, line, &lines[at..]);
    }
    scan.nodes
}

#[derive(Default)]
struct MarkdownScanner {
    nodes: Vec<MarkdownNode>,
    /// Whether the last node is a text that goes on, as long as no blank line ends it.
    is_open: bool,
    /// Whether a blank line was seen since.
    is_apart: bool,
}

impl MarkdownScanner {
    /// Takes a line, and as many of those behind it as belong to it; says how many.
    fn take_line(&mut self, n: usize, line: &str, rest: &[&str]) -> usize {
        let through = |is_last: &dyn Fn(&str) -> bool| {
            let last = rest.iter().position(|it| is_last(it));
            last.map_or(rest.len(), |it| it + 1)
        };
        let run = |is_more: &dyn Fn(&str) -> bool| rest.iter().take_while(|it| is_more(it)).count();
        let (what, n_more) = match MarkdownLine::from_text(line) {
            MarkdownLine::Fence(mark) => ("a code block", through(&|it| it.trim() == mark)),
            MarkdownLine::Comment if line.contains(INSTRUCTION_BLOCK[0]) => (
                "apostille's own block",
                through(&|it| it.contains(INSTRUCTION_BLOCK[1])),
            ),
            MarkdownLine::Comment if line.contains("-->") => ("a comment", 0),
            MarkdownLine::Comment => ("a comment", through(&|it| it.contains("-->"))),
            MarkdownLine::Row => ("a table", run(&|it| it.contains('|'))),
            MarkdownLine::Words(..)
                if line.contains('|') && rest.first().is_some_and(|it| is_table_ruler(it)) =>
            {
                ("a table", run(&|it| it.contains('|')))
            }
            MarkdownLine::Words(indent, _)
                if indent >= CODE_INDENT && !self.is_continuation(indent) =>
            {
                let is_code = |it: &str| it.starts_with("    ") || it.starts_with('\t');
                ("a code block", run(&is_code))
            }
            plain => {
                self.take_plain_line(n, plain);
                return 0;
            }
        };
        self.push_other(n, what);
        n_more
    }

    fn take_plain_line(&mut self, n: usize, line: MarkdownLine) {
        match line {
            MarkdownLine::Blank => self.is_apart = true,
            MarkdownLine::Heading(text) => self.push_node(MarkdownNode::Heading(text.to_owned())),
            MarkdownLine::Underline => self.take_underline(),
            MarkdownLine::Useless(why) => self.push_other(n, why),
            MarkdownLine::Bullet(_, text) if is_check_box(text) => {
                self.push_other(n, "a check box")
            }
            MarkdownLine::Bullet(indent, text) => self.push_text(n, indent + 1, text),
            MarkdownLine::Words(indent, text) => self.take_words(n, indent, text),
            MarkdownLine::Fence(_)
            | MarkdownLine::Comment
            | MarkdownLine::Row
            | MarkdownLine::Across => self.is_open = false,
        }
    }

    /// Whether words this far in belong to the text before them.
    fn is_continuation(&self, indent: usize) -> bool {
        match self.nodes.last() {
            Some(MarkdownNode::Text { depth, .. }) if self.is_open => {
                !self.is_apart || (*depth > 0 && indent > *depth - 1)
            }
            _ => false,
        }
    }

    fn take_words(&mut self, n: usize, indent: usize, words: &str) {
        if words.is_empty() {
            return;
        }
        if self.is_continuation(indent)
            && let Some(MarkdownNode::Text { text, .. }) = self.nodes.last_mut()
        {
            *text += &format!(" {words}");
            self.is_apart = false;
            return;
        }
        match parse_bold_title(words) {
            Some(title) => self.push_node(MarkdownNode::Heading(title.to_owned())),
            None => self.push_text(n, 0, words),
        }
    }

    /// What stands right above a line of `=` or `-` is a heading.
    fn take_underline(&mut self) {
        let is_right_above = self.is_open && !self.is_apart;
        if is_right_above
            && let Some(MarkdownNode::Text { depth: 0, text, .. }) = self.nodes.last_mut()
        {
            let text = std::mem::take(text);
            self.nodes.pop();
            self.push_node(MarkdownNode::Heading(text));
        }
        self.is_open = false;
    }

    fn push_text(&mut self, line: usize, depth: usize, text: &str) {
        self.push_node(MarkdownNode::Text {
            line,
            depth,
            text: text.to_owned(),
        });
        self.is_open = true;
    }

    fn push_other(&mut self, line: usize, why: &'static str) {
        self.push_node(MarkdownNode::Other { line, why });
    }

    fn push_node(&mut self, node: MarkdownNode) {
        (self.is_open, self.is_apart) = (false, false);
        self.nodes.push(node);
    }
}

fn is_table_ruler(line: &str) -> bool {
    line.contains('|')
        && line.contains('-')
        && line.chars().all(|it| matches!(it, '|' | '-' | ':' | ' '))
}

/// The words of a line that is nothing but a few words in bold.
fn parse_bold_title(text: &str) -> Option<&str> {
    let inner = text
        .trim_end_matches(':')
        .strip_prefix("**")?
        .strip_suffix("**")?
        .trim_end_matches(':');
    let is_sentence = inner.ends_with(['.', '!', '?']) || inner.contains("**");
    (!is_sentence && inner.split_whitespace().count() <= TITLE_WORDS).then_some(inner)
}
