//! Markdown as pieces of text that may name something, each with what is written around it.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use crate::word_list::is_listed;

/// How a piece stands in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PieceKind {
    /// Between backticks, in a sentence.
    CodeSpan,
    /// Where a link leads.
    LinkTarget,
    /// A whole block of code that a shell reads.
    ShellBlock,
    /// A whole block without a language.
    PlainBlock,
    /// A stretch of plain words.
    Prose,
}

/// A piece of text, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextPiece {
    /// How it stands in the text.
    pub(crate) kind: PieceKind,
    /// The text itself, as it is written.
    pub(crate) text: String,
    /// Its first byte in the file.
    pub(crate) start: usize,
    /// The headings above it, the outermost first.
    pub(crate) headings: Vec<String>,
}

const SHELLS: &str = "bash sh shell zsh console shellsession shell-session terminal fish";

/// The pieces of a file that may name something. Blocks in other languages are examples, and are left out.
pub(crate) fn split_markdown(text: &str) -> Vec<TextPiece> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_STRIKETHROUGH;
    let mut splitter = MarkdownSplitter {
        source: text,
        pieces: Vec::new(),
        headings: Vec::new(),
        state: SplitState::Prose,
        is_in_address: false,
    };
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        splitter.take_event(event, range);
    }
    splitter.pieces
}

/// What the splitter stands in.
enum SplitState {
    Prose,
    /// A heading with its level, and its words so far.
    Heading(usize, String),
    /// A block of code, and where its text begins and ends so far.
    Block(Option<PieceKind>, Option<Range<usize>>),
    /// What says nothing about the tree: front matter, struck text.
    Skipped,
}

struct MarkdownSplitter<'a> {
    source: &'a str,
    pieces: Vec<TextPiece>,
    headings: Vec<(usize, String)>,
    state: SplitState,
    /// Whether this is the text of a link to another place, which names what is there.
    is_in_address: bool,
}

impl MarkdownSplitter<'_> {
    fn take_event(&mut self, event: Event, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.open_tag(tag, range),
            Event::End(tag) => self.close_tag(tag),
            Event::Code(code) => self.take_code(&code, range),
            Event::Text(text) => self.take_text(&text, range),
            _ => {}
        }
    }

    fn open_tag(&mut self, tag: Tag, range: Range<usize>) {
        match tag {
            Tag::Heading { level, .. } => {
                self.state = SplitState::Heading(level as usize, String::new());
            }
            Tag::CodeBlock(kind) => {
                self.state = SplitState::Block(choose_block_kind(&kind), None);
            }
            Tag::Link { dest_url, .. } => {
                self.is_in_address = dest_url.contains("://");
                self.push_link(&dest_url, range);
            }
            Tag::MetadataBlock(_) | Tag::Strikethrough | Tag::HtmlBlock => {
                self.state = SplitState::Skipped;
            }
            _ => {}
        }
    }

    fn close_tag(&mut self, tag: TagEnd) {
        self.is_in_address &= tag != TagEnd::Link;
        let is_end = matches!(
            tag,
            TagEnd::Heading(_)
                | TagEnd::CodeBlock
                | TagEnd::MetadataBlock(_)
                | TagEnd::Strikethrough
                | TagEnd::HtmlBlock
        );
        if !is_end {
            return;
        }
        match std::mem::replace(&mut self.state, SplitState::Prose) {
            SplitState::Heading(level, words) => {
                self.headings.retain(|(it, _)| *it < level);
                self.headings.push((level, words));
            }
            SplitState::Block(Some(kind), Some(range)) => self.push_piece(kind, range),
            _ => {}
        }
    }

    /// Code between backticks. Its text begins behind them, and may have been trimmed.
    fn take_code(&mut self, code: &str, range: Range<usize>) {
        if let SplitState::Heading(_, words) = &mut self.state {
            words.push_str(code);
        }
        if matches!(self.state, SplitState::Skipped) || self.is_in_address {
            return;
        }
        if let Some(at) = self.source[range.clone()].find(code) {
            let start = range.start + at;
            self.push_piece(PieceKind::CodeSpan, start..start + code.len());
        }
    }

    fn take_text(&mut self, text: &str, range: Range<usize>) {
        match &mut self.state {
            SplitState::Heading(_, words) => words.push_str(text),
            SplitState::Block(_, body) => {
                let start = body.as_ref().map_or(range.start, |it| it.start);
                *body = Some(start..range.end);
            }
            SplitState::Prose if !self.is_in_address => self.push_piece(PieceKind::Prose, range),
            SplitState::Prose | SplitState::Skipped => {}
        }
    }

    fn push_link(&mut self, target: &str, range: Range<usize>) {
        if matches!(self.state, SplitState::Skipped) {
            return;
        }
        if let Some(at) = self.source[range.clone()].rfind(target) {
            let start = range.start + at;
            self.push_piece(PieceKind::LinkTarget, start..start + target.len());
        }
    }

    fn push_piece(&mut self, kind: PieceKind, range: Range<usize>) {
        self.pieces.push(TextPiece {
            kind,
            text: self.source[range.clone()].to_owned(),
            start: range.start,
            headings: self.headings.iter().map(|it| it.1.clone()).collect(),
        });
    }
}

fn choose_block_kind(kind: &CodeBlockKind) -> Option<PieceKind> {
    let CodeBlockKind::Fenced(info) = kind else {
        return Some(PieceKind::PlainBlock);
    };
    let language = info.split([' ', ',', '{']).next().unwrap_or_default();
    let language = language.to_ascii_lowercase();
    if is_listed(SHELLS, language.as_str()) {
        return Some(PieceKind::ShellBlock);
    }
    matches!(
        language.as_str(),
        "" | "text" | "txt" | "plaintext" | "plain" | "tree"
    )
    .then_some(PieceKind::PlainBlock)
}

/// The sentence that a piece stands in, and the line that introduces it, such as `For example:` above a list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Surroundings {
    /// The sentence, list item or row.
    pub(crate) sentence: String,
    /// Where in the sentence the piece begins.
    pub(crate) offset: usize,
    /// The line above that ends with a colon.
    pub(crate) lead: String,
    /// Whether the list item or row begins with a date: it tells what was done then, not what is there now.
    pub(crate) is_dated: bool,
}

/// What is written around a place of the file.
pub(crate) fn read_surroundings(source: &str, at: Range<usize>) -> Surroundings {
    let start = find_sentence_start(source, at.start);
    let end = find_sentence_end(source, at.end);
    Surroundings {
        sentence: source[start..end].to_owned(),
        offset: at.start - start,
        lead: find_lead_line(source, start).to_owned(),
        is_dated: has_date(find_block_line(source, at.start)),
    }
}

/// The line that the paragraph, list item or row of a place begins with.
fn find_block_line(source: &str, at: usize) -> &str {
    let mut start = source[..at].rfind('\n').map_or(0, |it| it + 1);
    while start > 0 && !is_block_line(&source[start..]) {
        let above = source[..start - 1].rfind('\n').map_or(0, |it| it + 1);
        if source[above..start].trim().is_empty() {
            break;
        }
        start = above;
    }
    source[start..].lines().next().unwrap_or_default()
}

/// Whether a line begins with a date such as 2026-08-03, behind the marks of a list or a table.
pub(crate) fn has_date(line: &str) -> bool {
    let is_mark = |c: char| !c.is_alphanumeric();
    let bare = line.trim_start_matches(is_mark).as_bytes();
    let is_digit = |at: usize| bare.get(at).is_some_and(u8::is_ascii_digit);
    let is_joint = |at: usize| matches!(bare.get(at), Some(b'-' | b'/' | b'.'));
    bare.starts_with(b"20") && (2..4).all(is_digit) && is_joint(4) && is_digit(5)
}

/// What is written around a place in a block of code: the line that introduces the block, and the comments at its line.
pub(crate) fn read_block_surroundings(source: &str, block: usize, at: usize) -> Surroundings {
    let start = source[..at].rfind('\n').map_or(0, |it| it + 1).max(block);
    let line = source[start..].lines().next().unwrap_or_default();
    let beside = line.split_once(" #").map_or("", |it| it.1);
    let above = source[block..start]
        .trim_end()
        .lines()
        .last()
        .unwrap_or_default();
    let above = above.trim_start().strip_prefix('#').unwrap_or_default();
    let fence = source[..block]
        .trim_end()
        .rfind('\n')
        .map_or(0, |it| it + 1);
    Surroundings {
        sentence: format!("{above} {beside}"),
        offset: 0,
        lead: find_lead_line(source, fence).to_owned(),
        is_dated: false,
    }
}

fn is_block_line(line: &str) -> bool {
    let line = line.trim_start();
    let is_numbered = line
        .split_once(['.', ')'])
        .is_some_and(|(it, _)| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit()));
    line.is_empty()
        || is_numbered
        || line.starts_with(['|', '#', '>'])
        || ["- ", "* ", "+ ", "```"]
            .iter()
            .any(|it| line.starts_with(it))
}

fn find_sentence_start(source: &str, at: usize) -> usize {
    let mut line_start = source[..at].rfind('\n').map_or(0, |it| it + 1);
    if let Some(end) = rfind_sentence_end(&source[line_start..at]) {
        return line_start + end;
    }
    while line_start > 0 && !is_block_line(&source[line_start..]) {
        let above = source[..line_start - 1].rfind('\n').map_or(0, |it| it + 1);
        let line = &source[above..line_start - 1];
        if line.trim().is_empty() {
            break;
        }
        if let Some(end) = rfind_sentence_end(&format!("{line} ")) {
            return (above + end).min(line_start);
        }
        line_start = above;
    }
    line_start
}

/// Where the last whole sentence of a text ends.
fn rfind_sentence_end(text: &str) -> Option<usize> {
    let ends = [". ", "! ", "? "].iter();
    ends.filter_map(|it| {
        text.rmatch_indices(it)
            .find(|(at, _)| !is_abbreviation(&text[..*at]))
    })
    .map(|(at, _)| at + 2)
    .max()
}

fn is_abbreviation(before: &str) -> bool {
    let word = before.rsplit([' ', '(']).next().unwrap_or_default();
    let word = word.to_ascii_lowercase();
    matches!(
        word.as_str(),
        "e.g" | "i.e" | "etc" | "vs" | "cf" | "approx"
    ) || word.bytes().all(|it| it.is_ascii_digit())
}

fn find_sentence_end(source: &str, at: usize) -> usize {
    let mut end = at;
    for line in source[at..].split_inclusive('\n') {
        if end > at && is_block_line(line) {
            break;
        }
        let found = [". ", "! ", "? "].iter().filter_map(|it| {
            let mut all = line.match_indices(it);
            all.find(|(at, _)| !is_abbreviation(&line[..*at]))
        });
        if let Some(at) = found.map(|(at, _)| at + 1).min() {
            return end + at;
        }
        end += line.len();
    }
    end
}

/// The nearest line above that introduces what follows, not beyond a heading or another paragraph.
fn find_lead_line(source: &str, start: usize) -> &str {
    let mut is_first = true;
    for line in source[..start].lines().rev() {
        let bare = line.trim().trim_end_matches(['*', '_', ' ']);
        if line.trim_start().starts_with('#') {
            return line;
        }
        if bare.ends_with(':') {
            return line;
        }
        let is_part = is_block_line(line) || line.starts_with([' ', '\t']) || is_first;
        if !is_part {
            return "";
        }
        is_first = bare.is_empty() && is_first;
    }
    ""
}
