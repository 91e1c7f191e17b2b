//! What a file defines: functions, types, values and sections, with their names and where they begin and end.
//!
//! A light scanner, not a parser: it reads headers line by line and matches brackets in code whose comments and strings are
//! blanked out. Parsers for every language would weigh more than the program. What they would add is not needed: an
//! outline only has to find the same item in two versions of a file. Where it is wrong, it is mostly wrong in both.
//! Nothing is called valid because of an outline alone; it says where to look.

mod go_constants;
mod header;
mod mask;
mod parts;
mod symbol;

use std::ops::Range;

use crate::{
    citation::{CitedItem, ItemKind, LineSpan, last_path_part},
    file_lines::{FileLines, count_as_u32},
};
use header::{Header, HeaderReader, Layout, LineBrackets};
pub(crate) use parts::ItemParts;
pub use symbol::SymbolError;

/// Something that a file defines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeItem {
    /// Its name with those of what it stands in: `Server::bind`.
    pub path: String,
    /// What it is.
    pub kind: ItemKind,
    /// Its rows, from its header to its end, counted from 0.
    pub rows: Range<u32>,
    /// The row and column of its name; `None` where it is known to be around an excerpt that begins behind its header.
    pub(crate) name_at: Option<(u32, usize)>,
    /// Whether an excerpt ends before the item does.
    pub(crate) is_cut: bool,
    /// Whether it is a block of a type's methods, and not the type itself.
    pub(crate) is_block: bool,
    /// How deep it stands: 0 for what stands in nothing else.
    depth: usize,
}

impl CodeItem {
    /// Its own name.
    #[must_use]
    pub fn name(&self) -> &str {
        last_path_part(&self.path)
    }

    /// Its lines, counted from 1.
    #[must_use]
    pub fn lines(&self) -> LineSpan {
        LineSpan::from_rows(&self.rows)
    }
}

/// A path of names as outlines write it: `Server.bind`, `Server#bind` and `Server->bind` are `Server::bind`.
#[must_use]
pub fn normalise_item_path(path: &str) -> String {
    let path = path.trim().trim_end_matches("()").trim_end_matches('!');
    let path = path.replace("->", "::").replace(['.', '#'], "::");
    let parts: Vec<&str> = path.split("::").filter(|it| !it.is_empty()).collect();
    parts.join("::")
}

/// A file with what it defines.
#[derive(Debug)]
pub struct FileOutline {
    items: Vec<CodeItem>,
    masks: Vec<Vec<u8>>,
}

impl FileOutline {
    /// The outline of a file of this name.
    #[must_use]
    pub fn from_lines(path: &str, lines: &FileLines) -> Self {
        Self::read_items(path, lines, None)
    }

    /// The outline of cited lines alone, where the rest of their file is not at hand but the item around them is known.
    #[must_use]
    pub(crate) fn from_excerpt(
        path: &str,
        lines: &FileLines,
        cited: LineSpan,
        item: &CitedItem,
    ) -> Self {
        let starts = item.lines.first_line() == cited.first_line();
        let first = starts.then(|| Self::from_lines(path, lines).items.into_iter().next());
        let first = first.flatten();
        let header = first.filter(|it| it.rows.start == 0 && it.name() == item.own_name());
        let around = CodeItem {
            path: item.path.clone(),
            kind: item.kind,
            rows: 0..lines.line_count(),
            name_at: header.as_ref().and_then(|it| it.name_at),
            is_block: header.is_some_and(|it| it.is_block),
            is_cut: item.lines.last_line() > cited.last_line(),
            depth: 0,
        };
        Self::read_items(path, lines, Some(around))
    }

    /// Everything that is defined in these lines, and what is known to be around them.
    fn read_items(path: &str, lines: &FileLines, around: Option<CodeItem>) -> Self {
        let masks = mask::mask_lines(path, lines.lines());
        let reader = HeaderReader::from_path(path);
        let brackets = match reader.layout() {
            Layout::Braces => masks.iter().map(|it| LineBrackets::count(it)).collect(),
            Layout::Indent | Layout::Headings | Layout::Settings => Vec::new(),
        };
        let mut open: Vec<(u32, usize)> = around.iter().map(|it| (it.rows.end, 0)).collect();
        let header = around.as_ref().and_then(|it| it.name_at);
        let first_row = header.map_or(0, |(row, _)| row + 1);
        let mut outline = Self {
            items: around.into_iter().collect(),
            masks,
        };
        for row in first_row..count_as_u32(lines.lines().len()) {
            open.retain(|(end, _)| row < *end);
            let container = open.last().map(|it| outline.items[it.1].kind);
            let header = reader.read_header(&outline.masks, lines.lines(), row, container);
            let Some(header) = header else { continue };
            let end = outline.find_end(&reader, lines, &brackets, row, &header);
            let scope = header.scope.clone().or_else(|| {
                let parent = open.last().map(|it| &outline.items[it.1].path);
                parent.cloned()
            });
            let path = scope.map_or(header.name.clone(), |it| format!("{it}::{}", header.name));
            outline.items.push(CodeItem {
                path,
                kind: header.kind,
                rows: header.start_row..end,
                name_at: Some((row, header.column)),
                is_cut: false,
                is_block: header.is_block,
                depth: open.len(),
            });
            open.push((end, outline.items.len() - 1));
        }
        outline
    }

    /// The row behind the last one of an item.
    fn find_end(
        &self,
        reader: &HeaderReader,
        lines: &FileLines,
        brackets: &[LineBrackets],
        row: u32,
        header: &Header,
    ) -> u32 {
        match reader.layout() {
            Layout::Braces => header::find_bracket_end(&self.masks, brackets, row, header),
            Layout::Indent => header::find_indent_end(&self.masks, lines.lines(), row, header),
            Layout::Headings => header::find_heading_end(lines.lines(), row),
            Layout::Settings => header::find_setting_end(&self.masks, lines.lines(), row, header),
        }
    }

    /// Everything that is defined, in order.
    #[must_use]
    pub fn items(&self) -> &[CodeItem] {
        &self.items
    }

    /// The code without comments and strings, line by line.
    pub(crate) fn masks(&self) -> &[Vec<u8>] {
        &self.masks
    }

    /// The names of what an item defines directly.
    pub(crate) fn list_children(&self, item: &CodeItem) -> Vec<String> {
        let is_child = |it: &&CodeItem| {
            it.depth == item.depth + 1
                && item.rows.start <= it.rows.start
                && it.rows.end <= item.rows.end
        };
        let children = self.items.iter().filter(is_child);
        children.map(|it| it.name().to_owned()).collect()
    }

    /// The innermost item that a range of rows stands in.
    #[must_use]
    pub fn find_enclosing(&self, rows: &Range<u32>) -> Option<&CodeItem> {
        let holds = |it: &&CodeItem| it.rows.start <= rows.start && rows.end <= it.rows.end;
        self.items.iter().filter(holds).max_by_key(|it| it.depth)
    }

    /// The items of this path: all parts of it that are given must fit, the last ones first.
    pub fn find_by_path<'s, 'p>(
        &'s self,
        path: &'p str,
    ) -> impl Iterator<Item = &'s CodeItem> + use<'s, 'p> {
        self.items.iter().filter(move |it| {
            let rest = it.path.strip_suffix(path);
            rest.is_some_and(|it| it.is_empty() || it.ends_with("::"))
        })
    }
}

#[cfg(test)]
mod tests;
