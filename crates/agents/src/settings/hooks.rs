//! A client's hooks in its JSON: one entry for each moment, beside those of others.

use crate::client::Client;
use crate::hook::Names;
use serde_json::{Value, json};

use super::{
    EditedText,
    hook_line::{HookLine, resembles_hook_line},
    jsonc::{self, BOM, JsonStep, has_jsonc_path},
    plugin,
    program::{NAME, ProgramCommand},
};

/// What a client's hooks file says.
#[derive(Debug, PartialEq, Eq)]
pub struct HooksLayout {
    /// Whose file it is: what its command lines name.
    pub owner: Client,
    /// How an entry looks.
    pub shape: HookShape,
    /// The events at which this program is asked, by the client's own names.
    pub events: Names,
    /// Those of them that are about tools, each with the tools.
    pub tool_events: &'static [(&'static str, &'static str)],
    /// The one of them at which the client allows no more than three seconds.
    pub quick_event: Option<&'static str>,
}

/// How an entry of a hooks file looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookShape {
    /// Groups of handlers.
    Groups,
    /// Groups of handlers that say whose they are, and count in milliseconds.
    NamedGroups,
    /// A flat list with a command for each shell.
    Shells,
    /// A flat list.
    Flat,
    /// No entries: a file of code that is wholly ours, with the program where it says `APOSTILLE_PROGRAM`.
    Plugin(&'static str),
}

/// How long a client may wait for an answer, in seconds. The answer itself has a far shorter deadline.
const PATIENCE: u64 = 5;

impl HooksLayout {
    /// Whether this program is asked at an event.
    pub fn has_event(&self, name: &str) -> bool {
        self.events.contains(&name)
    }

    /// Whether a line is what the client is to run at this event today.
    #[must_use]
    pub fn is_line_for(&self, line: &HookLine, event: &str) -> bool {
        self.has_event(event) && line.client == self.owner && line.event == event
    }

    /// Every command line in a text of this layout that speaks of our hooks, with its event; why the text is none of this
    /// layout, where it is not. A plugin has no lines: they are those that it stands for.
    pub fn find_lines(&self, text: &str) -> Result<Vec<(String, String)>, String> {
        if !matches!(self.shape, HookShape::Plugin(_)) {
            return find_hook_lines(text);
        }
        let program = plugin::find_plugin_program(text)?.map(ProgramCommand::new);
        let line = |program: &ProgramCommand, event: &str| program.hook_line(self.owner, event);
        let lines = program.iter().flat_map(|program| {
            let events = self.events.iter();
            events.map(|it| ((*it).to_owned(), line(program, it)))
        });
        Ok(lines.collect())
    }

    /// The entry of a hooks file that runs this program at an event.
    fn build_entry(&self, event: &str, program: &ProgramCommand) -> Value {
        let line = program.hook_line(self.owner, event);
        let powershell = program.powershell_line(self.owner, event);
        let is_quick = self.quick_event == Some(event);
        let seconds = if is_quick { 3 } else { PATIENCE };
        let mut entry = match self.shape {
            HookShape::Groups => {
                json!({"hooks": [{"type": "command", "command": line, "timeout": seconds}]})
            }
            HookShape::NamedGroups => {
                let timeout = seconds * 1_000;
                json!({"hooks": [{"type": "command", "command": line, "timeout": timeout, "name": NAME}]})
            }
            // One line for both shells is one that other clients understand too.
            HookShape::Shells if line == powershell => {
                json!({"type": "command", "command": line, "timeoutSec": seconds})
            }
            HookShape::Shells => {
                json!({"type": "command", "bash": line, "powershell": powershell, "timeoutSec": seconds})
            }
            HookShape::Flat | HookShape::Plugin(_) => {
                json!({"command": line, "timeout": seconds})
            }
        };
        let mut matchers = self.tool_events.iter().filter(|it| it.0 == event);
        if let (Some((_, tools)), Some(map)) = (matchers.next(), entry.as_object_mut()) {
            map.shift_insert(0, "matcher".into(), (*tools).into());
        }
        entry
    }
}

const HOOKS: &str = "hooks";
/// Where an entry says what to run.
const COMMANDS: [&str; 3] = ["command", "bash", "powershell"];

/// A handler of ours: the event it is under, its entry there with its number, and its own number within a group.
struct OwnHandler {
    event: String,
    at: usize,
    entry: Value,
    handler: Option<usize>,
}

/// The text with these hooks in it. Entries of ours that say something else are replaced, those of others stay.
pub(super) fn put_hooks(text: &str, layout: &HooksLayout, program: &ProgramCommand) -> EditedText {
    if let HookShape::Plugin(code) = layout.shape {
        return plugin::put_plugin(text, code, program);
    }
    let is_flat = matches!(layout.shape, HookShape::Shells | HookShape::Flat);
    let mut text = text.to_owned();
    // Flat files begin with a version.
    if is_flat && !has_jsonc_path(Some(&text), &["version"]) {
        text = jsonc::set_jsonc_value(&text, &["version"], &json!(1))?;
    }
    for event in layout.events {
        let wanted = layout.build_entry(event, program);
        let mut mine = find_own_handlers(&text)?;
        mine.retain(|it| it.event == *event);
        if mine.len() != 1 || mine[0].entry != wanted {
            text = remove_handlers_where(&text, |it| it == *event)?;
            text = jsonc::push_jsonc_element(&text, &[HOOKS, event], &wanted)?;
        }
    }
    let is_old = |it: &str| !layout.has_event(it);
    let mut old = list_own_events(&text)?;
    old.retain(|it| is_old(it));
    remove_empty_events(remove_handlers_where(&text, is_old)?, &old, None)
}

/// The text without our hooks, and without the lists that `first` had not.
pub(super) fn remove_hooks(text: &str, first: Option<&str>) -> EditedText {
    let events = list_own_events(text)?;
    if events.is_empty() {
        return Ok(text.to_owned());
    }
    let text = remove_empty_events(remove_handlers_where(text, |_| true)?, &events, first)?;
    remove_if_empty(text, &[HOOKS], first)
}

/// Whether nothing is left but what a hooks file begins with.
pub(super) fn is_bare_hooks_file(text: &str) -> bool {
    let Ok(Some(root)) = jsonc::parse_jsonc(text) else {
        return false;
    };
    [
        json!({}),
        json!({"version": 1}),
        json!({"version": 1, "hooks": {}}),
        json!({"hooks": {}}),
        // opencode adds it to a file that lacks it.
        json!({"$schema": "https://opencode.ai/config.json"}),
    ]
    .contains(&root.to_value())
}

/// Every command line in a text that speaks of our hooks, ours or not, with the event that it is for; why the text is no
/// hooks file, where it is none.
pub fn find_hook_lines(text: &str) -> Result<Vec<(String, String)>, String> {
    let Some(root) = jsonc::parse_jsonc(text.trim_start_matches(BOM))? else {
        return Ok(Vec::new());
    };
    let Value::Object(whole) = root.to_value() else {
        return Err("it is not an object".into());
    };
    let events = match whole.get(HOOKS) {
        None => return Ok(Vec::new()),
        Some(Value::Object(events)) => events,
        Some(_) => return Err(format!("`{HOOKS}` is not an object")),
    };
    let mut lines = Vec::new();
    for (event, list) in events {
        let not_list = || format!("`{HOOKS}.{event}` is not a list");
        for entry in list.as_array().ok_or_else(not_list)? {
            let found = list_handlers(entry).filter_map(|(_, it)| find_handler_line(it));
            lines.extend(found.map(|it| (event.clone(), it)));
        }
    }
    Ok(lines)
}

/// What may be a handler in an entry: the entry itself, and the handlers of a group with their numbers.
fn list_handlers(entry: &Value) -> impl Iterator<Item = (Option<usize>, &Value)> {
    let group = entry[HOOKS].as_array().into_iter().flatten().enumerate();
    std::iter::once((None, entry)).chain(group.map(|(n, it)| (Some(n), it)))
}

/// The commands of a handler.
fn list_commands(handler: &Value) -> impl Iterator<Item = &Value> + Clone {
    COMMANDS.iter().filter_map(|key| handler.get(key))
}

/// The line that a handler runs, if it speaks of our hooks. One for another shell counts only where it is not ours.
fn find_handler_line(handler: &Value) -> Option<String> {
    let lines = list_commands(handler).filter_map(Value::as_str);
    let mut lines = lines.filter(|it| resembles_hook_line(it));
    let odd = lines.clone().find(|it| HookLine::parse(it).is_none());
    odd.or_else(|| lines.next()).map(str::to_owned)
}

/// Whether every command of a handler is ours: one that is not is somebody's, and stays with all that it has.
fn is_own_handler(handler: &Value) -> bool {
    let mut commands = list_commands(handler);
    let is_ours = |it: &Value| it.as_str().is_some_and(|it| HookLine::parse(it).is_some());
    commands.clone().next().is_some() && commands.all(is_ours)
}

/// The events under which something of ours stands, as often as it does.
fn list_own_events(text: &str) -> Result<Vec<String>, String> {
    let handlers = find_own_handlers(text)?.into_iter();
    Ok(handlers.map(|it| it.event).collect())
}

/// Every handler of ours.
fn find_own_handlers(text: &str) -> Result<Vec<OwnHandler>, String> {
    let whole = jsonc::parse_jsonc(text)?.map_or(Value::Null, |it| it.to_value());
    let mut all = Vec::new();
    for (event, list) in whole[HOOKS].as_object().into_iter().flatten() {
        for (at, entry) in list.as_array().into_iter().flatten().enumerate() {
            let mine = list_handlers(entry).filter(|(_, it)| is_own_handler(it));
            all.extend(mine.map(|(handler, _)| OwnHandler {
                event: event.clone(),
                at,
                entry: entry.clone(),
                handler,
            }));
        }
    }
    Ok(all)
}

/// The text without our handlers at such events, and without the groups that they leave empty.
fn remove_handlers_where(text: &str, is_gone: impl Fn(&str) -> bool) -> EditedText {
    let mut handlers = find_own_handlers(text)?;
    handlers.retain(|it| is_gone(&it.event));
    // From the back, so that the numbers of the others stay right.
    handlers.iter().rev().try_fold(text.to_owned(), |text, it| {
        let path = [
            JsonStep::Key(HOOKS),
            JsonStep::Key(&it.event),
            JsonStep::At(it.at),
            JsonStep::Key(HOOKS),
            JsonStep::At(it.handler.unwrap_or(0)),
        ];
        let root = jsonc::parse_jsonc(&text)?;
        let group = root.as_ref().and_then(|it| it.descendant(&path[..4]));
        let is_shared = it.handler.is_some() && group.is_some_and(|it| it.items().len() > 1);
        jsonc::remove_jsonc_entry(&text, if is_shared { &path } else { &path[..3] })
    })
}

/// The text without the lists of these events, where they are empty and `first` had them not.
fn remove_empty_events(text: String, events: &[String], first: Option<&str>) -> EditedText {
    let mut events = events.iter();
    events.try_fold(text, |text, event| {
        remove_if_empty(text, &[HOOKS, event], first)
    })
}

/// The text without what stands at a path, where that is empty and `first` had it not.
fn remove_if_empty(text: String, path: &[&str], first: Option<&str>) -> EditedText {
    let steps: Vec<_> = path.iter().map(|it| JsonStep::Key(it)).collect();
    let root = jsonc::parse_jsonc(&text)?;
    let list = root.as_ref().and_then(|it| it.descendant(&steps));
    match list.is_some_and(|it| it.items().is_empty()) && !has_jsonc_path(first, path) {
        true => jsonc::remove_jsonc_entry(&text, &steps),
        false => Ok(text),
    }
}
