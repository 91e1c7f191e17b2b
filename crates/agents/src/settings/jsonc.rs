//! JSON as people write it, with comments and a comma too many: read with the place of everything, so that one entry can
//! be changed and every other byte stays.

mod edit;
mod style;

use jsonc_parser::{
    CollectOptions, CommentCollectionStrategy, ParseOptions, ast,
    common::{Range, Ranged as _},
    parse_to_ast,
    tokens::{Token, TokenAndRange},
};
use serde::de::DeserializeOwned;
use serde_json::Value;

#[cfg(test)]
pub(crate) use edit::documents;
pub(super) use edit::{follow_json_path, push_jsonc_element, remove_jsonc_entry, set_jsonc_value};

/// The mark that some editors put before UTF-8.
pub(super) const BOM: char = '\u{feff}';
/// JSON with comments and a comma too many, and nothing else that programs forgive: the clients do not.
const AS_TYPED: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_extended_string_escapes: false,
    allow_non_finite_numbers: false,
};

/// A value and where it stands.
pub(super) struct JsonNode {
    /// Its first byte.
    pub(super) start: usize,
    /// The byte after its last.
    pub(super) end: usize,
    /// What it is.
    pub(super) kind: JsonKind,
}

/// What a value is.
pub(super) enum JsonKind {
    /// `{…}`
    Object(Vec<JsonItem>),
    /// `[…]`
    Array(Vec<JsonItem>),
    /// Anything else.
    Scalar(Value),
}

/// A member of an object, or an element of an array.
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
#[derive(Clone, Copy)]
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
    pub(super) fn find_position(&self, step: JsonStep) -> Option<usize> {
        match step {
            JsonStep::Key(key) => self
                .items()
                .iter()
                .rposition(|it| it.key.as_deref() == Some(key)),
            JsonStep::At(n) => (n < self.items().len()).then_some(n),
        }
    }

    /// The value that a path leads to.
    pub(super) fn descendant(&self, path: &[JsonStep<'_>]) -> Option<&Self> {
        path.iter().try_fold(self, |node, step| {
            Some(&node.items()[node.find_position(*step)?].value)
        })
    }

    /// The member by this key.
    pub(super) fn member(&self, key: &str) -> Option<&Self> {
        self.descendant(&[JsonStep::Key(key)])
    }

    /// The value as a program sees it.
    pub(super) fn to_value(&self) -> Value {
        match &self.kind {
            JsonKind::Scalar(value) => value.clone(),
            JsonKind::Array(items) => items.iter().map(|it| it.value.to_value()).collect(),
            JsonKind::Object(items) => items
                .iter()
                .map(|it| (it.key.clone().unwrap_or_default(), it.value.to_value()))
                .collect(),
        }
    }
}

/// Reads a text; nothing, if it holds no value at all. What is wrong is said with its line.
pub(super) fn parse_jsonc(text: &str) -> Result<Option<JsonNode>, String> {
    let options = CollectOptions {
        comments: CommentCollectionStrategy::Off,
        tokens: true,
    };
    let parsed = parse_to_ast(text, &options, &AS_TYPED).map_err(|error| {
        let mut said = error.kind().to_string();
        if let Some(first) = said.get_mut(..1) {
            first.make_ascii_lowercase();
        }
        format!("line {}: {said}", error.line_display())
    })?;
    let is_comma = |it: &&TokenAndRange<'_>| it.token == Token::Comma;
    let tokens = parsed.tokens.unwrap_or_default();
    let commas = tokens.iter().filter(is_comma).map(|it| it.range.start);
    let tree = JsonNodeBuilder {
        text,
        commas: commas.collect(),
    };
    parsed.value.map(|it| tree.build_node(it)).transpose()
}

/// Whether a text had something at this path; one that cannot be read had.
pub(super) fn has_jsonc_path(text: Option<&str>, path: &[&str]) -> bool {
    let Some(text) = text else { return false };
    let Ok(root) = parse_jsonc(text) else {
        return true;
    };
    root.is_some_and(|root| {
        let mut path = path.iter();
        path.try_fold(&root, |node, key| node.member(key)).is_some()
    })
}

/// What makes nodes of a syntax tree: it knows where the commas are, which the tree does not.
struct JsonNodeBuilder<'t> {
    text: &'t str,
    commas: Vec<usize>,
}

impl JsonNodeBuilder<'_> {
    fn build_node(&self, value: ast::Value) -> Result<JsonNode, String> {
        let Range { start, end } = value.range();
        let kind = match value {
            ast::Value::Object(it) => {
                let members = it.properties.into_iter();
                let members = members.map(|it| (it.start(), Some(it.name.range()), it.value));
                JsonKind::Object(self.build_items(members, end)?)
            }
            ast::Value::Array(it) => {
                let elements = it.elements.into_iter();
                let elements = elements.map(|it| (it.start(), None, it));
                JsonKind::Array(self.build_items(elements, end)?)
            }
            scalar => JsonKind::Scalar(self.parse_scalar(scalar.range())?),
        };
        Ok(JsonNode { start, end, kind })
    }

    /// The value that stands here, read as strictly as clients read it: the syntax tree takes line ends in texts.
    fn parse_scalar<T: DeserializeOwned>(&self, range: Range) -> Result<T, String> {
        serde_json::from_str(&self.text[range.start..range.end]).map_err(|_| {
            let line = self.text[..range.start].matches('\n').count() + 1;
            format!("line {line}: invalid value")
        })
    }

    /// The items of a list that ends here, with the comma behind each: the first one before the next item.
    fn build_items<'a>(
        &self,
        items: impl DoubleEndedIterator<Item = (usize, Option<Range>, ast::Value<'a>)>,
        end: usize,
    ) -> Result<Vec<JsonItem>, String> {
        let (mut found, mut next) = (Vec::new(), end);
        for (start, key, value) in items.rev() {
            let key = key.map(|it| self.parse_scalar(it)).transpose()?;
            let value = self.build_node(value)?;
            let first = self.commas.partition_point(|at| *at < value.end);
            let comma = self.commas.get(first).copied().filter(|at| *at < next);
            found.push(JsonItem {
                start,
                key,
                value,
                comma,
            });
            next = start;
        }
        found.reverse();
        Ok(found)
    }
}
