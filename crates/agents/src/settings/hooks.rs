//! A client's hooks in its JSON: one entry for each moment, beside those of others.

use crate::client::Client;
use serde_json::{Value, json};

use super::hook_line::{HookLine, resembles_hook_line};
use super::jsonc::{self, BOM, JsonKind, JsonNode, JsonStep, has_jsonc_path};
use super::program::{NAME, ProgramCommand};

/// What a client's hooks file says.
#[derive(Debug, PartialEq, Eq)]
pub struct HooksLayout {
    /// Whose file it is: what its command lines name.
    pub owner: Client,
    /// How an entry looks.
    pub shape: HookShape,
    /// The events at which this program is asked.
    pub events: &'static [HookEvent],
}

/// An event at which this program is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HookEvent {
    /// The client's own name for it.
    pub name: &'static str,
    /// The tools that it is about, where it is about tools.
    pub matcher: Option<&'static str>,
    /// How long the client waits, in seconds.
    pub seconds: u64,
}

/// How an entry of a hooks file looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookShape {
    /// Groups of handlers, with so many ticks of the clock to a second.
    Groups {
        /// 1 where times are in seconds, 1,000 where they are in milliseconds.
        ticks: u64,
        /// Whether a handler says whose it is.
        is_named: bool,
    },
    /// A flat list with a command for each shell.
    Shells,
    /// A flat list.
    Flat,
}

/// How long a client may wait for an answer, in seconds. The answer itself has a far shorter deadline.
const PATIENCE: u64 = 5;

impl HooksLayout {
    /// Whether this program is asked at an event.
    #[must_use]
    pub fn has_event(&self, name: &str) -> bool {
        self.events.iter().any(|it| it.name == name)
    }

    /// Whether a line is what the client is to run at this event today.
    #[must_use]
    pub fn is_line_for(&self, line: &HookLine, event: &str) -> bool {
        self.has_event(event) && line.client == self.owner && line.event == event
    }
}

impl HookEvent {
    /// An event that is not about tools.
    pub(crate) const fn new(name: &'static str) -> Self {
        Self {
            name,
            matcher: None,
            seconds: PATIENCE,
        }
    }

    /// An event that is about these tools.
    pub(crate) const fn for_tools(name: &'static str, tools: &'static str) -> Self {
        Self {
            name,
            matcher: Some(tools),
            seconds: PATIENCE,
        }
    }

    /// The entry of a hooks file that runs this command line, and the same line for the other shell.
    fn build_entry(&self, shape: HookShape, line: &str, powershell: &str) -> Value {
        let mut entry = match shape {
            HookShape::Groups { ticks, is_named } => {
                let mut handler =
                    json!({"type": "command", "command": line, "timeout": self.seconds * ticks});
                if is_named {
                    handler["name"] = NAME.into();
                }
                json!({"hooks": [handler]})
            }
            // One line for both shells is one that other clients understand too.
            HookShape::Shells if line == powershell => {
                json!({"type": "command", "command": line, "timeoutSec": self.seconds})
            }
            HookShape::Shells => {
                json!({"type": "command", "bash": line, "powershell": powershell, "timeoutSec": self.seconds})
            }
            HookShape::Flat => json!({"command": line, "timeout": self.seconds}),
        };
        if let (Some(tools), Some(map)) = (self.matcher, entry.as_object_mut()) {
            map.shift_insert(0, "matcher".into(), tools.into());
        }
        entry
    }
}

const HOOKS: &str = "hooks";
/// Where an entry says what to run.
const COMMANDS: [&str; 3] = ["command", "bash", "powershell"];

/// A handler of ours: the event it is under, the number of its entry there, and its own within a group.
struct OwnHandler {
    event: String,
    entry: usize,
    handler: Option<usize>,
}

/// The text with these hooks in it. Entries of ours that say something else are replaced, those of others stay.
pub(super) fn put_hooks(
    text: &str,
    layout: &HooksLayout,
    program: &ProgramCommand,
) -> Result<String, String> {
    let mut text = ensure_hooks_version(text, layout.shape)?;
    for event in layout.events {
        let line = program.hook_line(layout.owner, event.name);
        let powershell = program.powershell_line(layout.owner, event.name);
        let wanted = event.build_entry(layout.shape, &line, &powershell);
        let mine = list_own_entries(&text, event.name)?;
        if mine.iter().filter(|it| **it == wanted).count() == 1
            && count_own_handlers(&text, event.name)? == 1
        {
            continue;
        }
        text = remove_handlers_where(&text, |it| it.event == event.name)?;
        text = jsonc::push_jsonc_element(&text, &[HOOKS, event.name], &wanted)?;
    }
    let mut old: Vec<String> = find_own_handlers(&text)?
        .into_iter()
        .map(|it| it.event)
        .collect();
    old.retain(|it| !layout.has_event(it));
    text = remove_handlers_where(&text, |it| !layout.has_event(&it.event))?;
    remove_empty_events(text, &old, None)
}

/// The text without our hooks, and without the lists that `first` had not.
pub(super) fn remove_hooks(text: &str, first: Option<&str>) -> Result<String, String> {
    let events: Vec<String> = find_own_handlers(text)?
        .into_iter()
        .map(|it| it.event)
        .collect();
    if events.is_empty() {
        return Ok(text.to_owned());
    }
    let text = remove_empty_events(remove_handlers_where(text, |_| true)?, &events, first)?;
    match jsonc::parse_jsonc(&text)?
        .as_ref()
        .and_then(|it| it.child(JsonStep::Key(HOOKS)))
    {
        Some(hooks) if hooks.items().is_empty() && !has_jsonc_path(first, &[HOOKS]) => {
            jsonc::remove_jsonc_entry(&text, &[JsonStep::Key(HOOKS)])
        }
        _ => Ok(text),
    }
}

/// Whether nothing is left but what a hooks file begins with.
pub(super) fn is_bare_hooks_file(text: &str) -> bool {
    let Ok(Some(root)) = jsonc::parse_jsonc(text) else {
        return false;
    };
    let value = root.to_value();
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
pub fn find_hook_lines(text: &str) -> Result<Vec<(String, String)>, String> {
    let Some(root) = jsonc::parse_jsonc(text.trim_start_matches(BOM))? else {
        return Ok(Vec::new());
    };
    if !matches!(root.kind, JsonKind::Object(_)) {
        return Err("it is not an object".into());
    }
    let Some(hooks) = root.child(JsonStep::Key(HOOKS)) else {
        return Ok(Vec::new());
    };
    if !matches!(hooks.kind, JsonKind::Object(_)) {
        return Err(format!("`{HOOKS}` is not an object"));
    }
    let mut lines = Vec::new();
    for item in hooks.items() {
        let event = item.key.clone().unwrap_or_default();
        if !matches!(item.value.kind, JsonKind::Array(_)) {
            return Err(format!("`{HOOKS}.{event}` is not a list"));
        }
        let handlers = item.value.items().iter().flat_map(|it| {
            let inner = it
                .value
                .child(JsonStep::Key(HOOKS))
                .map(JsonNode::items)
                .unwrap_or_default();
            std::iter::once(&it.value).chain(inner.iter().map(|it| &it.value))
        });
        lines.extend(
            handlers
                .filter_map(find_handler_line)
                .map(|line| (event.clone(), line)),
        );
    }
    Ok(lines)
}

/// The line that a handler runs, if it speaks of our hooks. One for another shell counts only where it is not ours.
fn find_handler_line(handler: &JsonNode) -> Option<String> {
    let line = |key: &&str| {
        handler
            .child(JsonStep::Key(key))?
            .to_value()
            .as_str()
            .map(str::to_owned)
    };
    let lines: Vec<String> = COMMANDS
        .iter()
        .filter_map(line)
        .filter(|it| resembles_hook_line(it))
        .collect();
    let odd = lines.iter().find(|it| HookLine::parse(it).is_none());
    odd.or_else(|| lines.first()).cloned()
}

/// The text with the version that flat files begin with.
fn ensure_hooks_version(text: &str, shape: HookShape) -> Result<String, String> {
    match shape {
        HookShape::Groups { .. } => Ok(text.to_owned()),
        _ if has_jsonc_path(Some(text), &["version"]) => Ok(text.to_owned()),
        _ => jsonc::set_jsonc_value(text, &["version"], &json!(1)),
    }
}

/// The entries under an event that hold something of ours.
fn list_own_entries(text: &str, event: &str) -> Result<Vec<Value>, String> {
    let Some(root) = jsonc::parse_jsonc(text)? else {
        return Ok(Vec::new());
    };
    let whole = root.to_value();
    let mine = find_own_handlers(text)?
        .into_iter()
        .filter(|it| it.event == event);
    Ok(mine
        .map(|it| whole[HOOKS][event][it.entry].clone())
        .collect())
}

fn count_own_handlers(text: &str, event: &str) -> Result<usize, String> {
    Ok(find_own_handlers(text)?
        .iter()
        .filter(|it| it.event == event)
        .count())
}

/// Every handler of ours.
fn find_own_handlers(text: &str) -> Result<Vec<OwnHandler>, String> {
    let root = jsonc::parse_jsonc(text)?;
    let Some(hooks) = root.as_ref().and_then(|it| it.child(JsonStep::Key(HOOKS))) else {
        return Ok(Vec::new());
    };
    let mut all = Vec::new();
    for item in hooks.items() {
        let event = item.key.clone().unwrap_or_default();
        for (entry, it) in item.value.items().iter().enumerate() {
            let mut add = |handler| {
                all.push(OwnHandler {
                    event: event.clone(),
                    entry,
                    handler,
                })
            };
            if is_own_handler(&it.value) {
                add(None);
            }
            let handlers = it
                .value
                .child(JsonStep::Key(HOOKS))
                .map(JsonNode::items)
                .unwrap_or_default();
            handlers
                .iter()
                .enumerate()
                .filter(|(_, it)| is_own_handler(&it.value))
                .for_each(|(n, _)| add(Some(n)));
        }
    }
    Ok(all)
}

/// Whether every command of a handler is ours: one that is not is somebody's, and stays with all that it has.
fn is_own_handler(node: &JsonNode) -> bool {
    let lines: Vec<_> = COMMANDS
        .iter()
        .filter_map(|key| node.child(JsonStep::Key(key)))
        .map(JsonNode::to_value)
        .collect();
    let is_ours = |it: &Value| it.as_str().is_some_and(|it| HookLine::parse(it).is_some());
    !lines.is_empty() && lines.iter().all(is_ours)
}

/// The text without these handlers, and without the groups that they leave empty.
fn remove_handlers_where(
    text: &str,
    is_gone: impl Fn(&OwnHandler) -> bool,
) -> Result<String, String> {
    let mut text = text.to_owned();
    // From the back, so that the numbers of the others stay right.
    for it in find_own_handlers(&text)?
        .iter()
        .filter(|it| is_gone(it))
        .rev()
    {
        let (event, entry) = (JsonStep::Key(&it.event), JsonStep::At(it.entry));
        let path = [
            JsonStep::Key(HOOKS),
            event,
            entry,
            JsonStep::Key(HOOKS),
            JsonStep::At(it.handler.unwrap_or(0)),
        ];
        let root = jsonc::parse_jsonc(&text)?;
        let group = root
            .as_ref()
            .and_then(|root| path[..4].iter().try_fold(root, |node, it| node.child(*it)));
        let is_shared = it.handler.is_some() && group.is_some_and(|it| it.items().len() > 1);
        text = jsonc::remove_jsonc_entry(&text, if is_shared { &path } else { &path[..3] })?;
    }
    Ok(text)
}

/// The text without the lists of these events, where they are empty and `first` had them not.
fn remove_empty_events(
    mut text: String,
    events: &[String],
    first: Option<&str>,
) -> Result<String, String> {
    for event in events {
        let path = [JsonStep::Key(HOOKS), JsonStep::Key(event)];
        let root = jsonc::parse_jsonc(&text)?;
        let list = root
            .as_ref()
            .and_then(|root| path.iter().try_fold(root, |node, it| node.child(*it)));
        if list.is_some_and(|it| it.items().is_empty()) && !has_jsonc_path(first, &[HOOKS, event]) {
            text = jsonc::remove_jsonc_entry(&text, &path)?;
        }
    }
    Ok(text)
}
