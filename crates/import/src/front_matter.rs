//! The lines between two `---` at the head of a Markdown file: as much of YAML as such heads use.

use std::collections::BTreeMap;

/// How many lines a head may have.
const MAX_LINES: usize = 200;

/// The fields of a head. Of a field that is said twice the first counts; nested ones count as if they stood outside.
#[derive(Debug, Default)]
pub(super) struct FrontMatter(BTreeMap<String, Vec<String>>);

impl FrontMatter {
    /// The head of a text, and how many lines it takes up; none where it is not closed.
    pub(super) fn parse_leading(text: &str) -> (Self, usize) {
        let mut lines = text.lines().take(MAX_LINES).map(str::trim_end);
        if lines.next() != Some("---") {
            return (Self::default(), 0);
        }
        let body: Vec<&str> = lines.collect();
        match body.iter().position(|it| *it == "---") {
            Some(end) => (Self::from_lines(&body[..end]), end + 2),
            None => (Self::default(), 0),
        }
    }

    /// Whether a text begins with a head that is never closed: the rest of the file is missing, or nobody can tell where
    /// it begins.
    pub(super) fn is_unclosed(text: &str) -> bool {
        let mut lines = text.lines().map(str::trim_end);
        lines.next() == Some("---")
            && lines.next().and_then(parse_front_matter_field).is_some()
            && Self::parse_leading(text).1 == 0
    }

    fn from_lines(lines: &[&str]) -> Self {
        let (mut fields, mut last) = (BTreeMap::new(), None::<String>);
        for line in lines {
            let text = line.trim();
            match (
                parse_front_matter_field(text),
                text.strip_prefix("- "),
                &last,
            ) {
                (_, Some(item), Some(key)) => {
                    get_field_values(&mut fields, key).push(strip_value_quotes(item))
                }
                (Some((key, value)), _, _) => {
                    last = (!fields.contains_key(key)).then(|| key.to_owned());
                    if last.is_some() {
                        fields.insert(key.to_owned(), parse_front_matter_value(value));
                    }
                }
                (None, None, Some(key)) if !text.is_empty() => {
                    append_continuation(get_field_values(&mut fields, key), text)
                }
                _ => {}
            }
        }
        Self(fields)
    }

    /// Whether a field is there.
    pub(super) fn has_field(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    /// The first value of a field that has one.
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        self.0
            .get(key)?
            .first()
            .map(String::as_str)
            .filter(|it| !it.is_empty())
    }

    /// All values of a field.
    pub(super) fn values_of(&self, key: &str) -> &[String] {
        self.0.get(key).map_or(&[], Vec::as_slice)
    }
}

fn get_field_values<'a>(
    fields: &'a mut BTreeMap<String, Vec<String>>,
    key: &str,
) -> &'a mut Vec<String> {
    fields.entry(key.to_owned()).or_default()
}

fn append_continuation(values: &mut Vec<String>, text: &str) {
    match values.last_mut() {
        Some(value) => *value = format!("{value} {text}"),
        None => values.push(text.to_owned()),
    }
}

/// `key: value`, where the line is one.
fn parse_front_matter_field(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let is_key = !key.is_empty()
        && key
            .chars()
            .all(|it| it.is_alphanumeric() || matches!(it, '_' | '-'));
    let is_apart = value.is_empty() || value.starts_with(char::is_whitespace);
    (is_key && is_apart).then(|| (key, value.trim()))
}

fn parse_front_matter_value(value: &str) -> Vec<String> {
    if matches!(value, "" | ">" | ">-" | "|" | "|-" | "~" | "null") {
        return Vec::new();
    }
    match value.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
        Some(items) => items
            .split(',')
            .map(strip_value_quotes)
            .filter(|it| !it.is_empty())
            .collect(),
        None => vec![strip_value_quotes(value)],
    }
}

/// A value without its quotes.
fn strip_value_quotes(value: &str) -> String {
    let value = value.trim();
    let quoted = |mark: char| value.strip_prefix(mark)?.strip_suffix(mark);
    quoted('"')
        .or_else(|| quoted('\''))
        .unwrap_or(value)
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_read_as_they_are_written() {
        let text = "---\r\ntitle: \"A: b\"\r\ntags: [x, 'y']\r\nglobs:\r\n  - '*.ts'\r\n  - src/**\r\n\
                    description: >\r\n  two\r\n  lines\r\nmetadata:\r\n  type: user\r\nempty:\r\n---\r\nbody\r\n";
        let (front, lines) = FrontMatter::parse_leading(text);
        assert_eq!(lines, 13);
        assert_eq!(front.get("title"), Some("A: b"));
        assert_eq!(front.values_of("tags"), ["x", "y"]);
        assert_eq!(front.values_of("globs"), ["*.ts", "src/**"]);
        assert_eq!(front.get("description"), Some("two lines"));
        assert_eq!(front.get("type"), Some("user"));
        assert_eq!((front.get("empty"), front.has_field("empty")), (None, true));
    }

    #[test]
    fn a_head_that_is_not_closed_is_none() {
        for text in ["---\ntitle: a\n", "title: a\n---\n", "", "--- \n"] {
            assert_eq!(FrontMatter::parse_leading(text).1, 0, "{text:?}");
        }
        assert!(FrontMatter::is_unclosed("---\ntitle: a\n"));
        assert!(!FrontMatter::is_unclosed("---\n- a rule\n"));
        assert!(!FrontMatter::is_unclosed("---\ntitle: a\n---\n"));
    }
}
