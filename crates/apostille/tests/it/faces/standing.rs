//! What a text shows of the world's memories, and whether each has its standing beside it.

use serde_json::Value;

use super::world::{MEMORIES, Marked};

/// How a face says how memories stand.
#[derive(Clone, Copy, PartialEq)]
pub enum Marking {
    /// Beside each memory.
    Each,
    /// Beside those that one should not rely on. Such a face has a form that somebody else gave it, or tells what happened.
    Doubts,
    /// Not at all: the face hands over what is kept, or what its reader wrote, as it is.
    Nothing,
}

/// The marks of the memories that a text shows.
pub fn list_shown_memories(text: &str) -> Vec<&'static str> {
    let shown = MEMORIES.iter().filter(|it| text.contains(it.mark));
    shown.map(|it| it.mark).collect()
}

/// The memories that a text shows without how they stand, each with the place.
pub fn find_unmarked_memories(text: &str, marking: Marking) -> Vec<String> {
    let mut search = UnmarkedSearch {
        marking,
        page: text,
        head: find_head(text),
        found: Vec::new(),
    };
    match serde_json::from_str(text) {
        Ok(value @ (Value::Object(_) | Value::Array(_))) => {
            search.visit_value(&value, &mut Vec::new())
        }
        _ => search.visit_text(text),
    }
    search.found
}

/// What an answer begins with: the field `memory` of a record, the first paragraph of a text that shows a memory.
fn find_head(text: &str) -> String {
    let is_telling = |it: &&str| !list_shown_memories(it).is_empty();
    match serde_json::from_str::<Value>(text) {
        Ok(value) => value["memory"].to_string(),
        Err(_) => text.split("\n\n").find(is_telling).unwrap_or("").to_owned(),
    }
}

struct UnmarkedSearch<'t> {
    marking: Marking,
    /// The whole answer: a face that marks doubts may name them at its end.
    page: &'t str,
    /// What an answer about one memory says of it first; that goes for its history below, and for no other memory.
    head: String,
    found: Vec<String>,
}

impl UnmarkedSearch<'_> {
    /// Goes through JSON, with the records on the way down: a memory is judged by those that have no other in them, and by the
    /// names of the fields that it stands in.
    fn visit_value(&mut self, value: &Value, above: &mut Vec<String>) {
        match value {
            Value::String(text) if is_page(text) => self.visit_page(text),
            Value::String(text) => self.judge(text, above),
            Value::Array(items) => items.iter().for_each(|it| self.visit_value(it, above)),
            Value::Object(fields) => {
                for (name, it) in fields {
                    above.extend([value.to_string(), name.clone()]);
                    self.visit_value(it, above);
                    above.truncate(above.len() - 2);
                }
            }
            _ => {}
        }
    }

    /// Goes through a text inside an answer.
    fn visit_page(&mut self, text: &str) {
        match serde_json::from_str(text) {
            Ok(value @ (Value::Object(_) | Value::Array(_))) => {
                self.visit_value(&value, &mut Vec::new())
            }
            _ => self.visit_text(text),
        }
    }

    /// Goes through a text: a memory is judged by its line, its entry, its paragraph and its page.
    fn visit_text(&mut self, text: &str) {
        for paragraph in text.split("\n\n") {
            for entry in split_entries(paragraph) {
                for line in entry.lines() {
                    let scopes = [text, paragraph, &entry, line].map(str::to_owned);
                    self.judge(line, &scopes);
                }
            }
        }
    }

    fn judge(&mut self, text: &str, scopes: &[String]) {
        let shown = MEMORIES.iter().filter(|it| text.contains(it.mark));
        let unmarked = shown.filter(|it| !self.is_marked(it, scopes));
        let found: Vec<String> = unmarked.map(|it| format!("{}: {text}", it.mark)).collect();
        self.found.extend(found);
    }

    fn is_marked(&self, it: &Marked, scopes: &[String]) -> bool {
        let is_own = |scope: &&String| {
            list_shown_memories(scope)
                .iter()
                .all(|mark| *mark == it.mark)
        };
        let head = Some(&self.head).filter(|head| head.contains(it.mark));
        let mut own = scopes.iter().chain(head).filter(is_own);
        match self.marking {
            Marking::Nothing => true,
            Marking::Doubts if it.is_good => true,
            _ => own.any(|scope| has_phrase(scope, it.standing) || self.is_named_aside(scope, it)),
        }
    }

    /// Whether the answer says elsewhere how the memory of a record stands: `ID (gone)`.
    fn is_named_aside(&self, record: &str, it: &Marked) -> bool {
        let record: Value = serde_json::from_str(record).unwrap_or_default();
        let id = record["id"].as_str().unwrap_or("no id");
        let mut words = it.standing.iter();
        self.marking == Marking::Doubts
            && words.any(|word| self.page.contains(&format!("{id} ({word}")))
    }
}

/// Whether a text in JSON is an answer of its own.
fn is_page(text: &str) -> bool {
    text.trim_end().contains('\n') || text.starts_with(['{', '['])
}

/// The entries of a paragraph: a line, with those below it that stand further in.
fn split_entries(paragraph: &str) -> Vec<String> {
    let mut entries: Vec<String> = Vec::new();
    for line in paragraph.lines() {
        match entries.last_mut().filter(|_| line.starts_with("  ")) {
            Some(entry) => *entry += &format!("\n{line}"),
            None => entries.push(line.to_owned()),
        }
    }
    entries
}

/// Whether one of these stands in a text as whole words.
fn has_phrase(text: &str, phrases: &[&str]) -> bool {
    let is_whole = |(at, phrase): (usize, &str)| {
        let around = [
            text[..at].chars().next_back(),
            text[at + phrase.len()..].chars().next(),
        ];
        around.iter().flatten().all(|it| !it.is_alphanumeric())
    };
    phrases
        .iter()
        .any(|it| text.match_indices(it).any(is_whole))
}
