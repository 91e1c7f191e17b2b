//! JSON as people write it, with comments and a comma too many: read with the place of everything, so that one entry can
//! be changed and every other byte stays.

mod edit;
mod print;

use serde_json::{Map, Value};

#[cfg(test)]
pub(crate) use edit::documents;
pub(super) use edit::{push, remove, set};

/// The mark that some editors put before UTF-8.
pub(super) const BOM: char = '\u{feff}';
/// Deeper than any settings file; guards the stack.
const DEEPEST: usize = 128;

/// A value and where it stands.
#[derive(Debug)]
pub(super) struct JsonNode {
    /// Its first byte.
    pub(super) start: usize,
    /// The byte after its last.
    pub(super) end: usize,
    /// What it is.
    pub(super) kind: JsonKind,
}

/// What a value is.
#[derive(Debug)]
pub(super) enum JsonKind {
    /// `{…}`
    Object(Vec<JsonItem>),
    /// `[…]`
    Array(Vec<JsonItem>),
    /// Anything else.
    Scalar(Value),
}

/// A member of an object, or an element of an array.
#[derive(Debug)]
pub(super) struct JsonItem {
    /// Where it begins: at its key, if it has one.
    pub(super) start: usize,
    /// Its key, in an object.
    pub(super) key: Option<String>,
    /// Its value.
    pub(super) value: JsonNode,
    /// Where the comma behind it is.
    pub(super) comma: Option<usize>,
}

/// A step on the way to a value.
#[derive(Debug, Clone, Copy)]
pub(super) enum JsonStep<'a> {
    /// To the member with this key.
    Key(&'a str),
    /// To the element with this number.
    At(usize),
}

impl JsonNode {
    /// What is inside, of an object or an array.
    pub(super) fn items(&self) -> &[JsonItem] {
        match &self.kind {
            JsonKind::Object(items) | JsonKind::Array(items) => items,
            JsonKind::Scalar(_) => &[],
        }
    }

    /// The number of the item that a step leads to; of members with the same key the last counts, as everywhere.
    pub(super) fn position(&self, step: JsonStep<'_>) -> Option<usize> {
        match step {
            JsonStep::Key(key) => self
                .items()
                .iter()
                .rposition(|it| it.key.as_deref() == Some(key)),
            JsonStep::At(n) => (n < self.items().len()).then_some(n),
        }
    }

    /// The value that a step leads to.
    pub(super) fn child(&self, step: JsonStep<'_>) -> Option<&Self> {
        self.position(step)
            .and_then(|it| self.items().get(it))
            .map(|it| &it.value)
    }

    /// The value as a program sees it.
    pub(super) fn value(&self) -> Value {
        match &self.kind {
            JsonKind::Scalar(value) => value.clone(),
            JsonKind::Array(items) => items.iter().map(|it| it.value.value()).collect(),
            JsonKind::Object(items) => {
                let pairs = items
                    .iter()
                    .map(|it| (it.key.clone().unwrap_or_default(), it.value.value()));
                Value::Object(pairs.collect::<Map<_, _>>())
            }
        }
    }
}

/// Reads a text; nothing, if it holds no value at all. What is wrong is said with its line.
pub(super) fn parse(text: &str) -> Result<Option<JsonNode>, String> {
    let mut reader = JsonReader { text, at: 0 };
    let read = reader.whole();
    read.map_err(|why| {
        format!(
            "line {}: {why}",
            text[..reader.at].matches('\n').count() + 1
        )
    })
}

/// Whether a text had something at this path; one that cannot be read had.
pub(super) fn has(text: Option<&str>, path: &[&str]) -> bool {
    let Some(text) = text else { return false };
    let Ok(root) = parse(text) else {
        return true;
    };
    root.is_some_and(|root| {
        path.iter()
            .try_fold(&root, |node, key| node.child(JsonStep::Key(key)))
            .is_some()
    })
}

struct JsonReader<'t> {
    text: &'t str,
    at: usize,
}

impl JsonReader<'_> {
    fn whole(&mut self) -> Result<Option<JsonNode>, String> {
        self.skip()?;
        if self.at == self.text.len() {
            return Ok(None);
        }
        let node = self.node(0)?;
        self.skip()?;
        match self.peek() {
            None => Ok(Some(node)),
            Some(c) => Err(format!("'{c}' after the end")),
        }
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn takes(&mut self, c: char) -> bool {
        let is_there = self.peek() == Some(c);
        self.at += if is_there { c.len_utf8() } else { 0 };
        is_there
    }

    /// Passes over spaces and comments.
    fn skip(&mut self) -> Result<(), String> {
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
            let rest = self.rest();
            if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if let Some(comment) = rest.strip_prefix("/*") {
                let end = comment.find("*/").ok_or("a comment without an end")?;
                self.at += end + 4;
            } else {
                return Ok(());
            }
        }
    }

    fn node(&mut self, depth: usize) -> Result<JsonNode, String> {
        let start = self.at;
        let kind = match self.peek() {
            _ if depth > DEEPEST => return Err("nested too deep".into()),
            Some('{') => JsonKind::Object(self.list('}', true, depth)?),
            Some('[') => JsonKind::Array(self.list(']', false, depth)?),
            Some('"') => JsonKind::Scalar(Value::String(self.string()?)),
            _ => JsonKind::Scalar(self.word()?),
        };
        Ok(JsonNode {
            start,
            end: self.at,
            kind,
        })
    }

    fn list(&mut self, close: char, is_keyed: bool, depth: usize) -> Result<Vec<JsonItem>, String> {
        self.at += 1;
        let mut items: Vec<JsonItem> = Vec::new();
        loop {
            self.skip()?;
            if self.takes(close) {
                return Ok(items);
            }
            if items.last().is_some_and(|it| it.comma.is_none()) {
                return Err(format!("expected ',' or '{close}'"));
            }
            items.push(self.item(is_keyed, depth)?);
        }
    }

    fn item(&mut self, is_keyed: bool, depth: usize) -> Result<JsonItem, String> {
        let start = self.at;
        let key = if is_keyed { Some(self.key()?) } else { None };
        let value = self.node(depth + 1)?;
        self.skip()?;
        let at = self.at;
        let comma = self.takes(',').then_some(at);
        Ok(JsonItem {
            start,
            key,
            value,
            comma,
        })
    }

    fn key(&mut self) -> Result<String, String> {
        if self.peek() != Some('"') {
            return Err("expected a key in double quotes".into());
        }
        let key = self.string()?;
        self.skip()?;
        if !self.takes(':') {
            return Err("expected ':'".into());
        }
        self.skip()?;
        Ok(key)
    }

    fn string(&mut self) -> Result<String, String> {
        let mut is_escaped = false;
        let inner = self.rest().get(1..).unwrap_or_default();
        let end = inner.find(|c| {
            let is_end = c == '"' && !is_escaped;
            is_escaped = c == '\\' && !is_escaped;
            is_end
        });
        let end = self.at + end.ok_or("a text without an end")? + 2;
        let read = serde_json::from_str(&self.text[self.at..end])
            .map_err(|_| "a text that is not valid")?;
        self.at = end;
        Ok(read)
    }

    /// A number, `true`, `false` or `null`.
    fn word(&mut self) -> Result<Value, String> {
        let rest = self.rest();
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let read = serde_json::from_str(&rest[..end]);
        let read = read.map_err(|_| match rest.chars().next() {
            Some(c) => format!("'{c}' is no value"),
            None => "the end comes too soon".into(),
        })?;
        self.at += end;
        Ok(read)
    }
}
