//! The lines between two `---` at the head of a Markdown file: as much of YAML as such heads use.

use jiff::Timestamp;

use super::candidate::parse_foreign_time;

/// How many lines a head may have.
const MAX_LINES: usize = 200;

/// The fields of a head, and how many lines it takes up. Of a field that is said twice the first counts; nested ones
/// count as if they stood outside.
#[derive(Debug, Default)]
pub(super) struct FrontMatter {
    fields: Vec<(String, Vec<String>)>,
    pub(super) n_lines: usize,
}

impl FrontMatter {
    /// The head of a text; none where it is not closed.
    pub(super) fn parse_leading(text: &str) -> Self {
        let mut lines = text.lines().take(MAX_LINES).map(str::trim_end);
        let first = lines.next();
        let body: Vec<&str> = lines.collect();
        match body.iter().position(|it| *it == "---") {
            Some(end) if first == Some("---") => Self {
                fields: parse_front_matter_fields(&body[..end]),
                n_lines: end + 2,
            },
            _ => Self::default(),
        }
    }

    /// Whether a text begins with a head that is never closed: the rest of the file is missing, or nobody can tell where
    /// it begins.
    pub(super) fn is_unclosed(text: &str) -> bool {
        let mut lines = text.lines().map(str::trim_end);
        lines.next() == Some("---")
            && lines.next().and_then(parse_front_matter_field).is_some()
            && Self::parse_leading(text).n_lines == 0
    }

    /// Whether a field is there.
    pub(super) fn has_field(&self, key: &str) -> bool {
        self.fields.iter().any(|it| it.0 == key)
    }

    /// The first value of a field that has one.
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        let first = self.values_of(key).first()?;
        (!first.is_empty()).then_some(first)
    }

    /// All values of a field.
    pub(super) fn values_of(&self, key: &str) -> &[String] {
        let field = self.fields.iter().find(|it| it.0 == key);
        field.map_or(&[], |it| &it.1)
    }

    /// When the page was first written, where it says so.
    pub(super) fn said_at(&self) -> Option<Timestamp> {
        ["created", "created_at", "date"]
            .iter()
            .find_map(|it| parse_foreign_time(self.get(it)?))
    }
}

fn parse_front_matter_fields(lines: &[&str]) -> Vec<(String, Vec<String>)> {
    let mut fields: Vec<(String, Vec<String>)> = Vec::new();
    // Whether what follows belongs to the last field: not behind one that was said before.
    let mut is_open = false;
    for text in lines.iter().map(|it| it.trim()) {
        let open = fields.last_mut().filter(|_| is_open);
        match (
            parse_front_matter_field(text),
            text.strip_prefix("- "),
            open,
        ) {
            (_, Some(item), Some((_, values))) => values.push(strip_value_quotes(item)),
            (Some((key, value)), ..) => {
                is_open = fields.iter().all(|it| it.0 != key);
                if is_open {
                    fields.push((key.to_owned(), parse_front_matter_value(value)));
                }
            }
            (None, None, Some((_, values))) if !text.is_empty() => match values.last_mut() {
                Some(value) => *value += &format!(" {text}"),
                None => values.push(text.to_owned()),
            },
            _ => {}
        }
    }
    fields
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
    let Some(items) = value.strip_prefix('[').and_then(|it| it.strip_suffix(']')) else {
        return vec![strip_value_quotes(value)];
    };
    let items = items.split(',').map(strip_value_quotes);
    items.filter(|it| !it.is_empty()).collect()
}

/// A value without its quotes.
fn strip_value_quotes(value: &str) -> String {
    let value = value.trim();
    let quoted = |mark: char| value.strip_prefix(mark)?.strip_suffix(mark);
    let inner = quoted('"').or_else(|| quoted('\''));
    inner.unwrap_or(value).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_read_as_they_are_written() {
        let text = "---\r\ntitle: \"A: b\"\r\ntags: [x, 'y']\r\nglobs:\r\n  - '*.ts'\r\n  - src/**\r\n\
                    description: >\r\n  two\r\n  lines\r\nmetadata:\r\n  type: user\r\nempty:\r\n---\r\nbody\r\n";
        let front = FrontMatter::parse_leading(text);
        assert_eq!(front.n_lines, 13);
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
            assert_eq!(FrontMatter::parse_leading(text).n_lines, 0, "{text:?}");
        }
        assert!(FrontMatter::is_unclosed("---\ntitle: a\n"));
        assert!(!FrontMatter::is_unclosed("---\n- a rule\n"));
        assert!(!FrontMatter::is_unclosed("---\ntitle: a\n---\n"));
    }
}
