//! The graph of the reference memory server: entities with observations, and relations between them.

use serde_json::Value;

use super::piece::{self, Page, Piece, Reading, Unfit};
use super::sheet::Sheet;
use apostille_core::memory::Kind;
use apostille_core::policy::Limits;

/// Takes the observations and relations out of lines, or out of one object with both lists.
pub(super) fn read(sheet: &Sheet<'_>, limits: &Limits) -> Result<Reading, Unfit> {
    let mut page = Page::new(limits);
    let has_any = match serde_json::from_str(sheet.text)
        .ok()
        .as_ref()
        .and_then(lists)
    {
        Some([entities, relations]) => {
            (1..)
                .zip(entities)
                .for_each(|(n, it)| entity(&mut page, &format!("entity {n}"), it));
            (1..)
                .zip(relations)
                .for_each(|(n, it)| related(&mut page, &format!("relation {n}"), it));
            true
        }
        None => lines(&mut page, sheet.text),
    };
    if has_any {
        Ok(page.done())
    } else {
        Err(Unfit("no line of it is an entity or a relation"))
    }
}

/// The two lists of a whole graph.
pub(super) fn lists(value: &Value) -> Option<[&Vec<Value>; 2]> {
    Some([
        value["entities"].as_array()?,
        value["relations"].as_array()?,
    ])
}

fn lines(page: &mut Page<'_>, text: &str) -> bool {
    let mut has_any = false;
    for (n, line) in (1..)
        .zip(text.lines())
        .filter(|(_, it)| !it.trim().is_empty())
    {
        let at = format!("line {n}");
        let value: Value = serde_json::from_str(line).unwrap_or_default();
        let word = value["type"].as_str();
        has_any |= matches!(word, Some("entity" | "relation"));
        match word {
            Some("entity") => entity(page, &at, &value),
            Some("relation") => related(page, &at, &value),
            _ if value.is_object() => page.leave(at, "neither an entity nor a relation"),
            _ => page.leave(at, "it is no JSON object, or is broken off"),
        }
    }
    has_any
}

fn entity(page: &mut Page<'_>, at: &str, value: &Value) {
    let Some(name) = text(value, "name") else {
        return page.leave(at, "an entity without a name");
    };
    let sort = text(value, "entityType").unwrap_or_default();
    let seen = value["observations"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    if seen.is_empty() {
        page.leave(at, "an entity without observations");
    }
    for (n, it) in (1..).zip(seen) {
        let at = if seen.len() > 1 {
            format!("{at}, observation {n}")
        } else {
            at.to_owned()
        };
        let Some(said) = it.as_str().or_else(|| text(it, "content")) else {
            page.leave(at, "an observation that is no text");
            continue;
        };
        let kind = if is_user(name, sort) {
            Kind::User
        } else {
            piece::kind(sort, said)
        };
        let piece = Piece::new(
            at,
            kind,
            if said.trim().is_empty() {
                String::new()
            } else {
                piece::about(name, said)
            },
        );
        page.keep(Piece {
            subject: Some(name.into()),
            tags: vec![sort.into()],
            ..piece
        });
    }
}

fn related(page: &mut Page<'_>, at: &str, value: &Value) {
    let ends = (
        text(value, "from"),
        text(value, "relationType"),
        text(value, "to"),
    );
    let (Some(from), Some(verb), Some(to)) = ends else {
        return page.leave(at, "a relation that lacks an end or its name");
    };
    let piece = Piece::new(at, Kind::Project, piece::relation(from, verb, to));
    page.keep(Piece {
        subject: Some(from.into()),
        ..piece
    });
}

/// Whether an entity is the person whose memory it is.
fn is_user(name: &str, sort: &str) -> bool {
    let is_word = |it: &str| {
        ["user", "default_user"]
            .iter()
            .any(|word| it.eq_ignore_ascii_case(word))
    };
    is_word(name) || is_word(sort)
}

fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value[key]
        .as_str()
        .map(str::trim)
        .filter(|it| !it.is_empty())
}
