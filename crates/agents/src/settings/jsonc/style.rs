//! Writes a value in the manner of the file that it is put into.

use serde_json::Value;

use super::JsonNode;

/// The manner of a file.
pub(super) struct JsonStyle<'t> {
    /// How its lines end.
    pub(super) newline: &'static str,
    /// How far it indents.
    pub(super) unit: &'t str,
    /// Whether it is all on one line.
    pub(super) is_dense: bool,
    /// Whether it has no spaces either.
    pub(super) is_tight: bool,
}

impl<'t> JsonStyle<'t> {
    /// The manner of this text.
    pub(super) fn detect_from(text: &'t str, root: &JsonNode) -> Self {
        let newline = match text.find('\n') {
            Some(at) if text[..at].ends_with('\r') => "\r\n",
            _ => "\n",
        };
        let first = root
            .items()
            .first()
            .map(|it| find_line_indent(text, it.start))
            .filter(|it| !it.is_empty());
        let is_dense = !root.items().is_empty() && !text.trim().contains('\n');
        let is_tight = is_dense && !text.contains("\": ");
        Self {
            newline,
            unit: first.unwrap_or("  "),
            is_dense,
            is_tight,
        }
    }

    /// A value over several lines, each but the first behind this indent; lists of plain values stay on one.
    pub(super) fn format_multiline(&self, value: &Value, indent: &str) -> String {
        let inner = format!("{indent}{}", self.unit);
        let (open, close, lines) = match value {
            Value::Object(map) if !map.is_empty() => {
                let line = |(key, it): (&String, &Value)| {
                    format!(
                        "{}: {}",
                        quote_json_text(key),
                        self.format_multiline(it, &inner)
                    )
                };
                ('{', '}', map.iter().map(line).collect::<Vec<_>>())
            }
            Value::Array(list) if list.iter().any(|it| it.is_object() || it.is_array()) => (
                '[',
                ']',
                list.iter()
                    .map(|it| self.format_multiline(it, &inner))
                    .collect(),
            ),
            flat => return self.format_inline(flat),
        };
        let newline = self.newline;
        let lines = lines.join(&format!(",{newline}{inner}"));
        format!("{open}{newline}{inner}{lines}{newline}{indent}{close}")
    }

    /// A value on one line.
    pub(super) fn format_inline(&self, value: &Value) -> String {
        let (comma, colon) = (self.comma(), self.colon());
        match value {
            Value::Object(map) => {
                let pairs = map.iter().map(|(key, it)| {
                    format!("{}{colon}{}", quote_json_text(key), self.format_inline(it))
                });
                format!("{{{}}}", pairs.collect::<Vec<_>>().join(comma))
            }
            Value::Array(list) => {
                format!(
                    "[{}]",
                    list.iter()
                        .map(|it| self.format_inline(it))
                        .collect::<Vec<_>>()
                        .join(comma)
                )
            }
            scalar => scalar.to_string(),
        }
    }

    /// What stands between two items on a line.
    pub(super) fn comma(&self) -> &'static str {
        if self.is_tight { "," } else { ", " }
    }

    /// What stands between a key and its value.
    pub(super) fn colon(&self) -> &'static str {
        if self.is_tight { ":" } else { ": " }
    }
}

/// A text in quotes.
pub(super) fn quote_json_text(text: &str) -> String {
    Value::from(text).to_string()
}

/// The spaces that the line of this place begins with.
pub(super) fn find_line_indent(text: &str, at: usize) -> &str {
    let line = text[..at].rfind('\n').map_or(0, |it| it + 1);
    let rest = &text[line..];
    &rest[..rest.len() - rest.trim_start_matches([' ', '\t']).len()]
}
