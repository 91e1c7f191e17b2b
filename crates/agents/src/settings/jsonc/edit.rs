//! Changes one entry of a JSON text; every byte that is not part of it, or the comma beside it, stays.

use serde_json::{Map, Value};

use crate::settings::{EditedText, detect_newline};

use super::{
    JsonKind, JsonNode, JsonStep, parse_jsonc,
    style::{JsonStyle, find_line_indent, quote_json_text},
};

/// The text with a value at this path; objects on the way are made where they are missing.
pub(in crate::settings) fn set_jsonc_value(text: &str, path: &[&str], value: &Value) -> EditedText {
    let Some(root) = parse_jsonc(text)? else {
        return Ok(start_json_text(text, &nest_json_value(path, value)));
    };
    let (node, rest) = follow_json_path(&root, path)?;
    let manner = JsonStyle::detect_from(text, &root);
    match rest {
        [] => Ok(replace_json_node(text, node, &manner, value)),
        [key, deeper @ ..] => {
            let value = nest_json_value(deeper, value);
            Ok(insert_json_item(text, node, &manner, Some(key), &value))
        }
    }
}

/// The text with one more element in the list at this path, which is made if it is missing.
pub(in crate::settings) fn push_jsonc_element(
    text: &str,
    path: &[&str],
    value: &Value,
) -> EditedText {
    let missing = || set_jsonc_value(text, path, &Value::Array(vec![value.clone()]));
    let Some(root) = parse_jsonc(text)? else {
        return missing();
    };
    let (node, rest) = follow_json_path(&root, path)?;
    let manner = JsonStyle::detect_from(text, &root);
    match node.kind {
        _ if !rest.is_empty() => missing(),
        JsonKind::Array(_) => Ok(insert_json_item(text, node, &manner, None, value)),
        _ => Err(describe_wrong_kind(path, rest, "a list")),
    }
}

/// The text without the entry at this path; as it is, if there is none.
pub(in crate::settings) fn remove_jsonc_entry(text: &str, path: &[JsonStep]) -> EditedText {
    let (Some(root), [way @ .., last]) = (parse_jsonc(text)?, path) else {
        return Ok(text.to_owned());
    };
    let found = root
        .descendant(way)
        .and_then(|it| Some(remove_json_item(text, it, it.find_position(*last)?)));
    Ok(found.unwrap_or_else(|| text.to_owned()))
}

/// How far the path leads, and the part of it that is not there.
pub(in crate::settings) fn follow_json_path<'n, 'p>(
    root: &'n JsonNode,
    path: &'p [&'p str],
) -> Result<(&'n JsonNode, &'p [&'p str]), String> {
    let (mut node, mut rest) = (root, path);
    while let [key, deeper @ ..] = rest {
        if !matches!(node.kind, JsonKind::Object(_)) {
            return Err(describe_wrong_kind(path, rest, "an object"));
        }
        let Some(child) = node.member(key) else {
            break;
        };
        (node, rest) = (child, deeper);
    }
    Ok((node, rest))
}

fn describe_wrong_kind(path: &[&str], rest: &[&str], what: &str) -> String {
    match path[..path.len() - rest.len()].join(".") {
        whole if whole.is_empty() => format!("it is not {what}"),
        name => format!("`{name}` is not {what}"),
    }
}

fn nest_json_value(path: &[&str], value: &Value) -> Value {
    let wrap =
        |inner: Value, key: &&str| Value::Object(Map::from_iter([((*key).to_owned(), inner)]));
    path.iter().rev().fold(value.clone(), wrap)
}

/// A text that held no value, only spaces or comments, with one.
fn start_json_text(text: &str, value: &Value) -> String {
    let newline = detect_newline(text);
    let manner = JsonStyle {
        newline,
        unit: "  ",
        is_dense: false,
        is_tight: false,
    };
    let head = text.trim_end();
    let gap = if head.is_empty() { "" } else { newline };
    format!(
        "{head}{gap}{}{newline}",
        manner.format_value(value, Some(""))
    )
}

fn replace_json_node(text: &str, node: &JsonNode, manner: &JsonStyle, value: &Value) -> String {
    let is_tall = text[node.start..node.end].contains('\n');
    let indent = is_tall.then(|| find_line_indent(text, node.start));
    let new = manner.format_value(value, indent);
    format!("{}{new}{}", &text[..node.start], &text[node.end..])
}

fn insert_json_item(
    text: &str,
    node: &JsonNode,
    manner: &JsonStyle,
    key: Option<&str>,
    value: &Value,
) -> String {
    let head = key
        .map(|it| format!("{}{}", quote_json_text(it), manner.colon()))
        .unwrap_or_default();
    let tall = |indent: &str| {
        format!(
            "{}{indent}{head}{}",
            manner.newline,
            manner.format_value(value, Some(indent))
        )
    };
    let flat = || format!("{head}{}", manner.format_value(value, None));
    match node.items().last() {
        None if manner.is_dense => format!(
            "{}{}{}",
            &text[..node.end - 1],
            flat(),
            &text[node.end - 1..]
        ),
        None => {
            let base = find_line_indent(text, node.start);
            let kept = text[..node.end - 1].trim_end();
            let new = tall(&format!("{base}{}", manner.unit));
            format!(
                "{kept}{new}{}{base}{}",
                manner.newline,
                &text[node.end - 1..]
            )
        }
        Some(last) => {
            let end = last.comma.map_or(last.value.end, |it| it + 1);
            if !is_first_on_line(text, last.start) {
                let comma = match last.comma {
                    Some(_) => manner.comma().trim_start_matches(','),
                    None => manner.comma(),
                };
                return format!("{}{comma}{}{}", &text[..end], flat(), &text[end..]);
            }
            // A comment at the end of the last line belongs to that line.
            let line = end + trailing_comment_len(&text[end..]);
            let (before, after) = match last.comma {
                Some(_) => ("", ","),
                None => (",", ""),
            };
            let new = tall(find_line_indent(text, last.start));
            format!(
                "{}{before}{}{new}{after}{}",
                &text[..end],
                &text[end..line],
                &text[line..]
            )
        }
    }
}

fn remove_json_item(text: &str, node: &JsonNode, n: usize) -> String {
    let items = node.items();
    let item = &items[n];
    let mut end = item.comma.map_or(item.value.end, |it| it + 1);
    let mut start = item.start;
    let is_alone = is_first_on_line(text, start);
    let after = &text[end..];
    let blank = after.len() - after.trim_start_matches([' ', '\t']).len();
    end += blank;
    // What else is on the line keeps the line: it may follow a comment that would swallow it.
    if is_alone && after[blank..].starts_with(['\r', '\n']) {
        start = text[..start].trim_end_matches([' ', '\t']).len();
        let above = &text[..start];
        start -= if above.ends_with("\r\n") {
            2
        } else {
            usize::from(above.ends_with('\n'))
        };
    }
    let mut before = text[..start].to_owned();
    if let (None, Some(previous)) = (item.comma, n.checked_sub(1).and_then(|it| items[it].comma)) {
        before.remove(previous);
        if !is_alone {
            before.truncate(before.trim_end_matches([' ', '\t']).len());
        }
    }
    let after = &text[end..];
    let is_bare =
        before[node.start + 1..].trim().is_empty() && text[end..node.end - 1].trim().is_empty();
    match items.len() {
        1 if is_bare => format!("{}{}", &text[..=node.start], &text[node.end - 1..]),
        _ => before + after,
    }
}

fn is_first_on_line(text: &str, at: usize) -> bool {
    text[..at].trim_end_matches([' ', '\t']).ends_with('\n')
}

/// How long the comments are that follow on the same line.
fn trailing_comment_len(text: &str) -> usize {
    let line = text.find(['\r', '\n']).unwrap_or(text.len());
    let mut at = 0;
    loop {
        let rest = text[at..line].trim_start_matches([' ', '\t']);
        let start = line - rest.len();
        if rest.starts_with("//") {
            return line;
        }
        match rest.strip_prefix("/*").and_then(|it| it.find("*/")) {
            Some(end) => at = start + end + 4,
            None => return at,
        }
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) use tests::documents;
