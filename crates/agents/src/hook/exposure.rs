//! Exposure: whether a use of a tool brings in what strangers wrote. From then on an agent's words may be theirs.
//!
//! Only words are looked at: nothing is run or expanded, and no process is started. What the words leave open (the text of
//! a script, the names of the remotes) is answered by [`Surroundings`], with a bounded read each. The knowledge is data:
//! `tools` has the tools of clients, `programs` the programs of a shell, `places` the folders of others' code.

mod code;
mod commands;
mod git_refs;
mod places;
mod programs;
#[cfg(test)]
mod tests;
mod tools;

use super::{
    payload::Payload,
    touched_paths::{find_named_paths, read_command},
};

pub use tools::OWN_TOOLS;

/// Scripts that run scripts, how deep.
const MAX_SCRIPT_DEPTH: usize = 3;
/// How many scripts of one command are read.
const MAX_SCRIPTS: usize = 8;

/// A use of a tool, as a client reports it.
#[derive(Debug, Clone, Copy, Default)]
pub struct ToolUse<'a> {
    /// The tool, by the client's own name.
    pub tool: &'a str,
    /// What it is given: JSON, or the bare text of a command.
    pub input: &'a str,
    /// Whether it runs commands.
    pub is_shell: bool,
    /// Where the agent stands: a path below it is told from there.
    pub cwd: Option<&'a str>,
}

/// What a use of a tool brings in from outside, and what is still open about it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OutsideText {
    /// Whether it brings in what strangers wrote, whatever the answers to the rest.
    pub is_certain: bool,
    /// Files that are run: it does if their text says so.
    pub scripts: Vec<String>,
    /// Names that git is given, up to their first slash: it does if one of them is a remote.
    pub remotes: Vec<String>,
    /// Programs that are fetched and run where they are not installed: `npx NAME`.
    pub packages: Vec<String>,
}

/// What can be looked up about the place that an agent works in.
pub trait Surroundings {
    /// The beginning of a file that is run; `None` where it cannot be read.
    fn read_script(&self, path: &str) -> Option<String>;
    /// Whether the repository has a remote of this name.
    fn is_remote(&self, name: &str) -> bool;
    /// Whether a program is installed in the folder of the packages.
    fn is_installed(&self, package: &str) -> bool;
}

/// What a use of a tool brings in from outside.
#[must_use]
pub fn weigh_tool_use(it: &ToolUse) -> OutsideText {
    if it.is_shell && !tools::is_outside_tool(it.tool, it.input) {
        let object = Payload::parse_object(it.input);
        let bare = || (it.input.to_owned(), None);
        let (command, folder) = object.map_or_else(bare, |it| read_command(&it));
        return commands::weigh_shell_command(&command, folder.as_deref(), it.cwd);
    }
    let is_outside = tools::is_outside_tool(it.tool, it.input) || is_outside_read(it);
    let found = weigh_unknown_input(it);
    OutsideText {
        is_certain: is_outside || found.is_certain,
        ..found
    }
}

/// What a tool that is not known is given: a command that it runs, or an address that it asks.
fn weigh_unknown_input(it: &ToolUse) -> OutsideText {
    let Some(input) = Payload::parse_object(it.input).filter(|_| !tools::is_own_tool(it.tool))
    else {
        return OutsideText::default();
    };
    let url = input.first_text(&["url"]);
    let command = input.first_text(&["command", "cmd"]).unwrap_or_default();
    let found = commands::weigh_shell_command(&command, None, it.cwd);
    OutsideText {
        is_certain: found.is_certain || url.is_some_and(|it| code::has_other_address(&it)),
        ..found
    }
}

/// Whether a tool of a client is used on a file that others wrote.
fn is_outside_read(it: &ToolUse) -> bool {
    let Some(input) = Payload::parse_object(it.input) else {
        return false;
    };
    let globs = input.list_texts("glob");
    let paths = find_named_paths(&input).into_iter().chain(globs);
    let mut below = paths.map(|path| places::strip_folder(&path, it.cwd).to_owned());
    below.any(|it| places::is_others_place(&it))
}

impl OutsideText {
    /// Whether strangers' words come in, with what is open looked up.
    pub fn is_outside(&self, place: &dyn Surroundings) -> bool {
        self.is_outside_at_depth(place, 0)
    }

    fn is_outside_at_depth(&self, place: &dyn Surroundings, depth: usize) -> bool {
        self.is_certain
            || self.remotes.iter().any(|it| place.is_remote(it))
            || self.packages.iter().any(|it| !place.is_installed(it))
            || depth < MAX_SCRIPT_DEPTH && self.has_outside_script(place, depth)
    }

    fn has_outside_script(&self, place: &dyn Surroundings, depth: usize) -> bool {
        let scripts = self.scripts.iter().take(MAX_SCRIPTS);
        let mut texts = scripts.filter_map(|it| Some((it, place.read_script(it)?)));
        texts.any(|(path, text)| {
            let found = commands::weigh_script_file(path, &text);
            found.is_outside_at_depth(place, depth + 1)
        })
    }
}
