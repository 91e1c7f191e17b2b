//! A client's hooks in its JSON: one entry for each moment, beside those of others.

use crate::client::Client;
use serde_json::{Value, json};

use super::super::jsonc::{self, Kind, Node, Step};
use super::super::line::{Line, resembles};
use super::super::program::Program;
use super::super::table::{self, Shape};
use super::server::has;

const HOOKS: &str = "hooks";
/// Where an entry says what to run.
const COMMANDS: [&str; 3] = ["command", "bash", "powershell"];

/// A handler of ours: the event it is under, the number of its entry there, and its own within a group.
struct Found {
    event: String,
    entry: usize,
    handler: Option<usize>,
}

/// The text with these hooks in it. Entries of ours that say something else are replaced, those of others stay.
pub fn with(text: &str, client: Client, program: &Program) -> Result<String, String> {
    let row = table::row(client);
    let mut text = versioned(text, row.shape)?;
    for moment in row.moments {
        let (line, powershell) = (
            program.line(client, moment.event),
            program.powershell(client, moment.event),
        );
        let wanted = moment.entry(row.shape, &line, &powershell);
        let mine = entries(&text, moment.event)?;
        if mine.iter().filter(|it| **it == wanted).count() == 1 && count(&text, moment.event)? == 1
        {
            continue;
        }
        text = remove_where(&text, |it| it.event == moment.event)?;
        text = jsonc::push(&text, &[HOOKS, moment.event], &wanted)?;
    }
    let is_known = |event: &str| row.moments.iter().any(|it| it.event == event);
    let old: Vec<String> = found(&text)?
        .into_iter()
        .map(|it| it.event)
        .filter(|it| !is_known(it))
        .collect();
    text = remove_where(&text, |it| !is_known(&it.event))?;
    emptied(text, &old, None)
}

/// The text without our hooks, and without the lists that `first` had not.
pub fn without(text: &str, first: Option<&str>) -> Result<String, String> {
    let events: Vec<String> = found(text)?.into_iter().map(|it| it.event).collect();
    if events.is_empty() {
        return Ok(text.to_owned());
    }
    let text = emptied(remove_where(text, |_| true)?, &events, first)?;
    match jsonc::parse(&text)?
        .as_ref()
        .and_then(|it| it.child(Step::Key(HOOKS)))
    {
        Some(hooks) if hooks.items().is_empty() && !has(first, &[HOOKS]) => {
            jsonc::remove(&text, &[Step::Key(HOOKS)])
        }
        _ => Ok(text),
    }
}

/// Whether nothing is left but what a hooks file begins with.
pub fn is_bare(text: &str) -> bool {
    let Ok(Some(root)) = jsonc::parse(text) else {
        return false;
    };
    let value = root.value();
    [
        json!({}),
        json!({"version": 1}),
        json!({"version": 1, "hooks": {}}),
        json!({"hooks": {}}),
    ]
    .contains(&value)
}

/// Every command line in a text that speaks of our hooks, ours or not, with the event that it is for; why the text is no
/// hooks file, where it is none.
pub fn lines(text: &str) -> Result<Vec<(String, String)>, String> {
    let Some(root) = jsonc::parse(text.trim_start_matches(super::BOM))? else {
        return Ok(Vec::new());
    };
    if !matches!(root.kind, Kind::Object(_)) {
        return Err("it is not an object".into());
    }
    let Some(hooks) = root.child(Step::Key(HOOKS)) else {
        return Ok(Vec::new());
    };
    if !matches!(hooks.kind, Kind::Object(_)) {
        return Err(format!("`{HOOKS}` is not an object"));
    }
    let mut lines = Vec::new();
    for item in hooks.items() {
        let event = item.key.clone().unwrap_or_default();
        if !matches!(item.value.kind, Kind::Array(_)) {
            return Err(format!("`{HOOKS}.{event}` is not a list"));
        }
        let handlers = item.value.items().iter().flat_map(|it| {
            let inner = it
                .value
                .child(Step::Key(HOOKS))
                .map(Node::items)
                .unwrap_or_default();
            std::iter::once(&it.value).chain(inner.iter().map(|it| &it.value))
        });
        lines.extend(handlers.filter_map(run).map(|line| (event.clone(), line)));
    }
    Ok(lines)
}

/// The line that a handler runs, if it speaks of our hooks. One for another shell counts only where it is not ours.
fn run(handler: &Node) -> Option<String> {
    let line = |key: &&str| {
        handler
            .child(Step::Key(key))?
            .value()
            .as_str()
            .map(str::to_owned)
    };
    let lines: Vec<String> = COMMANDS
        .iter()
        .filter_map(line)
        .filter(|it| resembles(it))
        .collect();
    let odd = lines.iter().find(|it| Line::read(it).is_none());
    odd.or_else(|| lines.first()).cloned()
}

/// The text with the version that flat files begin with.
fn versioned(text: &str, shape: Shape) -> Result<String, String> {
    match shape {
        Shape::Groups { .. } => Ok(text.to_owned()),
        _ if has(Some(text), &["version"]) => Ok(text.to_owned()),
        _ => jsonc::set(text, &["version"], &json!(1)),
    }
}

/// The entries under an event that hold something of ours.
fn entries(text: &str, event: &str) -> Result<Vec<Value>, String> {
    let Some(root) = jsonc::parse(text)? else {
        return Ok(Vec::new());
    };
    let whole = root.value();
    let mine = found(text)?.into_iter().filter(|it| it.event == event);
    Ok(mine
        .map(|it| whole[HOOKS][event][it.entry].clone())
        .collect())
}

fn count(text: &str, event: &str) -> Result<usize, String> {
    Ok(found(text)?.iter().filter(|it| it.event == event).count())
}

/// Every handler of ours.
fn found(text: &str) -> Result<Vec<Found>, String> {
    let root = jsonc::parse(text)?;
    let Some(hooks) = root.as_ref().and_then(|it| it.child(Step::Key(HOOKS))) else {
        return Ok(Vec::new());
    };
    let mut all = Vec::new();
    for item in hooks.items() {
        let event = item.key.clone().unwrap_or_default();
        for (entry, it) in item.value.items().iter().enumerate() {
            let mut add = |handler| {
                all.push(Found {
                    event: event.clone(),
                    entry,
                    handler,
                })
            };
            if is_mine(&it.value) {
                add(None);
            }
            let handlers = it
                .value
                .child(Step::Key(HOOKS))
                .map(Node::items)
                .unwrap_or_default();
            handlers
                .iter()
                .enumerate()
                .filter(|(_, it)| is_mine(&it.value))
                .for_each(|(n, _)| add(Some(n)));
        }
    }
    Ok(all)
}

/// Whether every command of a handler is ours: one that is not is somebody's, and stays with all that it has.
fn is_mine(node: &Node) -> bool {
    let lines: Vec<_> = COMMANDS
        .iter()
        .filter_map(|key| node.child(Step::Key(key)))
        .map(Node::value)
        .collect();
    let is_ours = |it: &Value| it.as_str().is_some_and(|it| Line::read(it).is_some());
    !lines.is_empty() && lines.iter().all(is_ours)
}

/// The text without these handlers, and without the groups that they leave empty.
fn remove_where(text: &str, is_gone: impl Fn(&Found) -> bool) -> Result<String, String> {
    let mut text = text.to_owned();
    // From the back, so that the numbers of the others stay right.
    for it in found(&text)?.iter().filter(|it| is_gone(it)).rev() {
        let (event, entry) = (Step::Key(&it.event), Step::At(it.entry));
        let path = [
            Step::Key(HOOKS),
            event,
            entry,
            Step::Key(HOOKS),
            Step::At(it.handler.unwrap_or(0)),
        ];
        let root = jsonc::parse(&text)?;
        let group = root
            .as_ref()
            .and_then(|root| path[..4].iter().try_fold(root, |node, it| node.child(*it)));
        let is_shared = it.handler.is_some() && group.is_some_and(|it| it.items().len() > 1);
        text = jsonc::remove(&text, if is_shared { &path } else { &path[..3] })?;
    }
    Ok(text)
}

/// The text without the lists of these events, where they are empty and `first` had them not.
fn emptied(mut text: String, events: &[String], first: Option<&str>) -> Result<String, String> {
    for event in events {
        let path = [Step::Key(HOOKS), Step::Key(event)];
        let root = jsonc::parse(&text)?;
        let list = root
            .as_ref()
            .and_then(|root| path.iter().try_fold(root, |node, it| node.child(*it)));
        if list.is_some_and(|it| it.items().is_empty()) && !has(first, &[HOOKS, event]) {
            text = jsonc::remove(&text, &path)?;
        }
    }
    Ok(text)
}
