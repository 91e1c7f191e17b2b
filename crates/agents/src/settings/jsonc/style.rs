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

    /// A value: over several lines, each but the first behind this indent, or else on one line. What holds only plain
    /// values in a list is on one line too.
    pub(super) fn format_value(&self, value: &Value, indent: Option<&str>) -> String {
        let is_tall = match value {
            Value::Object(map) => !map.is_empty(),
            Value::Array(list) => list.iter().any(|it| it.is_object() || it.is_array()),
            _ => false,
        };
        let indent = indent.filter(|_| is_tall);
        let inner = indent.map(|it| format!("{it}{}", self.unit));
        let item = |it| self.format_value(it, inner.as_deref());
        let colon = indent.map_or(self.colon(), |_| ": ");
        let member =
            |(key, it): (&String, _)| format!("{}{colon}{}", quote_json_text(key), item(it));
        let (open, close, items): (_, _, Vec<String>) = match value {
            Value::Object(map) => ('{', '}', map.iter().map(member).collect()),
            Value::Array(list) => ('[', ']', list.iter().map(item).collect()),
            scalar => return scalar.to_string(),
        };
        let (Some(indent), Some(inner)) = (indent, &inner) else {
            return format!("{open}{}{close}", items.join(self.comma()));
        };
        let newline = self.newline;
        let lines = items.join(&format!(",{newline}{inner}"));
        format!("{open}{newline}{inner}{lines}{newline}{indent}{close}")
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
