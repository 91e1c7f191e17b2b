//! The parts of an item that facts speak of: its parameters, what it returns, its members, its value.

use std::ops::Range;

use super::{CodeItem, FileOutline, go_constants::list_go_constants};
use crate::{citation::ItemKind, file_lines::FileLines};

/// An item as one text: the code beside its mask, byte for byte.
pub(crate) struct ItemParts {
    raw: Vec<u8>,
    mask: Vec<u8>,
    /// Where the name stands; `None` where the header is not in the text.
    name: Option<Range<usize>>,
    is_cut: bool,
    kind: ItemKind,
    style: ParameterStyle,
    /// What the language writes among the parameters for the value that a method is called on.
    receivers: &'static [&'static str],
    /// What it defines itself, where no brackets around its body tell it.
    children: Option<Vec<String>>,
}

/// Where a parameter has its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ParameterStyle {
    /// Before its type: `name: T`, `name T`, `name = 1`.
    NameFirst,
    /// Behind its type: `T name`.
    TypeFirst,
}

impl ItemParts {
    /// The parts of an item of a file of this name.
    pub(crate) fn new(
        path: &str,
        lines: &FileLines,
        outline: &FileOutline,
        item: &CodeItem,
    ) -> Self {
        let raw = lines.clip_rows(&item.rows).join(&b'\n');
        let masks = &outline.masks()[item.rows.start as usize..item.rows.end as usize];
        let mask = masks.join(&b'\n');
        let name = item.name_at.map(|(row, column)| {
            let before = &lines.lines()[item.rows.start as usize..row as usize];
            let start = before.iter().map(|it| it.len() + 1).sum::<usize>() + column;
            start..start + item.name().len()
        });
        let extension = path.rsplit('.').next().unwrap_or_default();
        let is_type_first = matches!(
            extension,
            "c" | "h" | "cc" | "cpp" | "cxx" | "hpp" | "hh" | "java" | "cs" | "dart"
        );
        Self {
            name,
            is_cut: item.is_cut,
            raw,
            mask,
            kind: item.kind,
            receivers: match extension {
                "py" | "pyi" => &["self", "cls"],
                "rs" => &["self"],
                "ts" | "tsx" => &["this"],
                _ => &[],
            },
            children: match extension {
                "py" | "pyi" | "rb" => Some(outline.list_children(item)),
                "go" if item.kind == ItemKind::Type => {
                    Some(list_go_constants(outline.masks(), item.name()))
                        .filter(|it| !it.is_empty())
                }
                _ => None,
            },
            style: if is_type_first {
                ParameterStyle::TypeFirst
            } else {
                ParameterStyle::NameFirst
            },
        }
    }

    /// The text of a part.
    pub(crate) fn slice(&self, span: &Range<usize>) -> &[u8] {
        &self.raw[span.start..span.end.min(self.raw.len())]
    }

    /// The parameters of a function, each as a part; `None` where there is no list of them.
    pub(crate) fn find_parameters(&self) -> Option<Vec<Range<usize>>> {
        let open = self.find_parameter_list()?;
        self.find_close(open)?;
        Some(self.split_list(open))
    }

    /// The names of a function's parameters, in order, without the receiver of a method.
    pub(crate) fn list_parameter_names(&self) -> Option<Vec<String>> {
        let parameters = self.find_parameters()?;
        let name = |span: &Range<usize>| self.name_parameter(span);
        let mut names: Vec<String> = parameters.iter().filter_map(name).collect();
        if names
            .first()
            .is_some_and(|it| self.receivers.contains(&it.as_str()))
        {
            names.remove(0);
        }
        Some(names)
    }

    fn find_parameter_list(&self) -> Option<usize> {
        let mut at = self.name.as_ref()?.end;
        if self.kind != ItemKind::Function {
            // A value that is a function: `name = (a, b) => …`.
            let head = &self.mask[at..];
            let equals = at + head.iter().position(|it| *it == b'=')?;
            let open = equals + self.mask[equals..].iter().position(|it| *it == b'(')?;
            let close = self.find_close(open)?;
            let behind =
                String::from_utf8_lossy(&self.mask[close..]).replace(char::is_whitespace, "");
            return behind
                .get(1..)
                .is_some_and(|it| it.starts_with("=>") || it.starts_with(':'))
                .then_some(open);
        }
        while let Some(byte) = self.mask.get(at) {
            match byte {
                b'(' => return Some(at),
                b'<' | b'[' => at = self.find_close(at)? + 1,
                b'{' | b';' => return None,
                _ => at += 1,
            }
        }
        None
    }

    fn name_parameter(&self, span: &Range<usize>) -> Option<String> {
        let text = String::from_utf8_lossy(&self.mask[span.clone()]).into_owned();
        let cut =
            |text: &str, marks: &[char]| text.split(marks).next().unwrap_or_default().to_owned();
        let is_typed = text.contains(':') || self.style == ParameterStyle::NameFirst;
        let head = cut(&text, if is_typed { &[':', '='] } else { &['=', '['] });
        let words = head.split(|it: char| !(it.is_alphanumeric() || it == '_' || it == '$'));
        let mut words = words.filter(|it| {
            !it.is_empty()
                && !matches!(
                    *it,
                    "mut" | "ref" | "const" | "readonly" | "public" | "private" | "final" | "this_"
                )
        });
        let name = if is_typed && !text.contains(':') {
            words.next()
        } else {
            words.next_back()
        };
        name.map(str::to_owned)
    }

    /// What a function returns, as text; `None` where that is not written.
    pub(crate) fn find_return_type(&self) -> Option<Range<usize>> {
        let open = self.find_parameter_list()?;
        let close = self.find_close(open)?;
        if self.style == ParameterStyle::TypeFirst {
            let start = self.name.as_ref()?.start;
            return (start > 0).then_some(0..start);
        }
        let mut depth = 0_i32;
        let mut end = close + 1;
        while let Some(byte) = self.mask.get(end) {
            match byte {
                // Go writes an interface or a struct in place: `interface{}`.
                b'{' if depth == 0
                    && self.mask.get(end + 1) == Some(&b'}')
                    && self.mask.get(end.wrapping_sub(1)) != Some(&b' ') =>
                {
                    end += 1
                }
                b'{' | b';' if depth == 0 => break,
                b'=' if depth == 0 && self.mask.get(end + 1) == Some(&b'>') => break,
                b':' if depth == 0
                    && self.raw[..end].last() != Some(&b':')
                    && self.mask.get(end + 1) != Some(&b':')
                    && self.is_python_colon(end) =>
                {
                    break;
                }
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth -= 1,
                _ => {}
            }
            end += 1;
        }
        let text = &self.mask[close + 1..end];
        let is_written = text.iter().any(u8::is_ascii_alphanumeric);
        is_written.then_some(close + 1..end)
    }

    /// Whether a colon ends the header: only blanks and comments follow on its line.
    fn is_python_colon(&self, at: usize) -> bool {
        let rest = &self.mask[at + 1..];
        let line = rest.split(|it| *it == b'\n').next().unwrap_or_default();
        line.trim_ascii().is_empty()
    }

    /// The names at the top of an item's body: members, fields, variants, keys.
    pub(crate) fn list_members(&self) -> Option<Vec<String>> {
        let from = self.name.as_ref()?.end;
        if self.kind == ItemKind::Function || self.is_cut {
            return None;
        }
        if let Some(children) = &self.children {
            return Some(children.clone());
        }
        let open = from + self.mask[from..].iter().position(|it| *it == b'{')?;
        let close = self.find_close(open)?;
        let mut names: Vec<String> = Vec::new();
        let mut at = open + 1;
        let mut is_start = true;
        while at < close {
            match self.mask[at] {
                b'(' | b'[' | b'{' => at = self.find_close(at).unwrap_or(close),
                b',' | b';' | b'\n' => is_start = true,
                b'#' | b'@' => is_start = false,
                byte if is_start
                    && (byte.is_ascii_alphabetic()
                        || byte == b'_'
                        || byte == b'$'
                        || byte == b'"') =>
                {
                    let name = self.read_member_name(at);
                    at += name.len().saturating_sub(1);
                    let is_modifier = matches!(
                        &*name,
                        "pub"
                            | "public"
                            | "private"
                            | "protected"
                            | "readonly"
                            | "static"
                            | "final"
                            | "case"
                            | "export"
                            | "const"
                    );
                    if !is_modifier {
                        names.push(name);
                        is_start = false;
                    }
                }
                byte if !byte.is_ascii_whitespace() => is_start = false,
                _ => {}
            }
            at += 1;
        }
        Some(names)
    }

    fn read_member_name(&self, at: usize) -> String {
        if self.mask[at] == b'"' {
            let rest = &self.raw[at + 1..];
            let len = rest
                .iter()
                .position(|it| *it == self.raw[at])
                .unwrap_or(rest.len());
            return String::from_utf8_lossy(&rest[..len]).into_owned();
        }
        let word = self.mask[at..]
            .iter()
            .take_while(|it| it.is_ascii_alphanumeric() || **it == b'_' || **it == b'$');
        String::from_utf8_lossy(&word.copied().collect::<Vec<u8>>()).into_owned()
    }

    /// What a value is: everything behind its `=`, or its `:` in a file of keys.
    pub(crate) fn find_value(&self) -> Option<Range<usize>> {
        if self.kind != ItemKind::Value {
            return None;
        }
        let from = self.name.as_ref()?.end;
        let rest = &self.mask[from..];
        let is_equals =
            |at: usize| rest[at] == b'=' && !matches!(rest.get(at + 1), Some(b'=' | b'>'));
        let equals = (0..rest.len()).find(|at| is_equals(*at));
        let at = equals.or_else(|| rest.iter().position(|it| *it == b':'))?;
        let start = from + at + 1;
        Some(start..self.raw.len())
    }

    /// Every element of every list in brackets, the outer ones first.
    pub(crate) fn list_elements(&self) -> Vec<Range<usize>> {
        let opens = (0..self.mask.len()).filter(|at| matches!(self.mask[*at], b'(' | b'[' | b'{'));
        opens.flat_map(|open| self.split_list(open)).collect()
    }

    /// The elements of the list that opens here: what stands between its commas.
    fn split_list(&self, open: usize) -> Vec<Range<usize>> {
        let close = self.find_close(open).unwrap_or(self.mask.len());
        let mut elements = Vec::new();
        let mut start = open + 1;
        let mut at = open + 1;
        while at < close {
            match self.mask[at] {
                b'(' | b'[' | b'{' => at = self.find_close(at).unwrap_or(close),
                b'<' => at = self.find_angle_close(at, close).unwrap_or(at),
                b',' | b';' => {
                    elements.push(start..at);
                    start = at + 1;
                }
                _ => {}
            }
            at += 1;
        }
        elements.push(start..close);
        elements.retain(|it| !self.mask[it.clone()].trim_ascii().is_empty());
        elements
    }

    /// Where the bracket that opens here closes.
    fn find_close(&self, open: usize) -> Option<usize> {
        let (mut depth, own) = (0_i32, self.mask[open]);
        let (up, down): (&[u8], &[u8]) = match own {
            b'<' => (b"<", b">"),
            _ => (b"([{", b")]}"),
        };
        for at in open..self.mask.len() {
            if up.contains(&self.mask[at]) {
                depth += 1;
            } else if down.contains(&self.mask[at]) {
                depth -= 1;
            }
            if depth == 0 {
                return Some(at);
            }
        }
        None
    }

    /// Where the type arguments that open here close, if these are some.
    fn find_angle_close(&self, open: usize, end: usize) -> Option<usize> {
        let mut depth = 0_i32;
        for at in open..end {
            match self.mask[at] {
                b'<' => depth += 1,
                b'>' if !matches!(self.mask[at - 1], b'-' | b'=') => depth -= 1,
                b';' | b'{' => return None,
                _ => {}
            }
            if depth == 0 {
                return Some(at);
            }
        }
        None
    }
}
