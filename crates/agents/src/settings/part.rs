//! What belongs into a file, and how it gets there: bytes in, bytes out.

use serde_json::Value;

use super::hooks::{self, HooksLayout};
use super::jsonc::{self, BOM};
use super::program::Program;
use super::server::{self, ServerEntry, ServerFormat, Whose};
use super::sharing::Shared;
use super::{exclude, rules};

/// What belongs into a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingsPart {
    /// The server.
    Server(&'static ServerEntry, Whose),
    /// A client's hooks.
    Hooks(&'static HooksLayout),
    /// The block of rules.
    Rules,
    /// The line that keeps this personal file out of git.
    Exclude(&'static str),
    /// What a team needs to share memories.
    Shared(Shared),
}

/// What may be of ours in the settings of any client.
#[derive(Debug)]
pub struct OwnTraces {
    /// Lines in git's list of files to pass over.
    pub excluded: Vec<&'static str>,
    /// Entries of the server.
    pub servers: Vec<&'static ServerEntry>,
}

impl OwnTraces {
    /// The lists of servers in files of this format, each once.
    fn lists(&self, format: ServerFormat) -> Vec<&'static str> {
        let servers = self.servers.iter().filter(|it| it.format == format);
        let mut lists: Vec<&str> = servers.map(|it| it.list).collect();
        lists.sort_unstable();
        lists.dedup();
        lists
    }
}

/// What becomes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditOutcome {
    /// It is as it should be.
    Nothing,
    /// It gets these bytes.
    Bytes(Vec<u8>),
    /// It is left alone, and why.
    Refused(String),
}

impl SettingsPart {
    fn put_into(self, text: &str, program: &Program) -> Result<String, String> {
        match self {
            Self::Server(server, whose) => server.put_into(text, whose, program.command()),
            Self::Hooks(layout) => hooks::put_hooks(text, layout, program),
            Self::Rules => rules::with(text),
            Self::Exclude(line) => Ok(exclude::put_line(text, line)),
            Self::Shared(file) => file.with(text),
        }
    }
}

/// What becomes of a file that is to hold these parts.
pub fn planned(bytes: Option<&[u8]>, parts: &[SettingsPart], program: &Program) -> EditOutcome {
    edited(bytes, |text| {
        parts
            .iter()
            .try_fold(text.to_owned(), |text, part| part.put_into(&text, program))
    })
}

/// What becomes of a file of a kind that is to hold nothing of ours; `first` is what it was before anything of ours came,
/// and `traces` is what may have come.
pub fn cleared(bytes: &[u8], first: Option<&[u8]>, kind: &str, traces: &OwnTraces) -> EditOutcome {
    let first = first.map(|it| String::from_utf8_lossy(it).into_owned());
    if let Some(file) = Shared::named(kind) {
        return edited(Some(bytes), |text| Ok(file.without(text, first.as_deref())));
    }
    edited(Some(bytes), |text| match kind {
        "exclude" => Ok(exclude::remove_lines(text, &traces.excluded)),
        "toml" => server::remove_toml_server(text, &traces.lists(ServerFormat::Toml)),
        "md" => rules::without(text),
        _ => {
            let first = first.as_deref().map(|it| it.trim_start_matches(BOM));
            let text = hooks::remove_hooks(text, first)?;
            server::remove_json_server(&text, first, &traces.lists(ServerFormat::Json))
        }
    })
}

/// Whether nothing is left in a file but what we would have put there ourselves.
pub fn is_bare(bytes: &[u8], kind: &str) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches(BOM).trim();
    text.is_empty() || kind == "json" && hooks::is_bare(text)
}

/// A JSON text with comments as a value, if it is one.
pub fn value(text: &str) -> Option<Value> {
    let root = jsonc::parse(text.trim_start_matches(BOM)).ok()??;
    Some(root.value())
}

fn edited(bytes: Option<&[u8]>, edit: impl FnOnce(&str) -> Result<String, String>) -> EditOutcome {
    let bytes = bytes.unwrap_or_default();
    let Ok(whole) = std::str::from_utf8(bytes) else {
        return EditOutcome::Refused("it is not UTF-8".into());
    };
    // Some editors mark UTF-8 with a character of no width; it stays in front.
    let text = whole.strip_prefix(BOM).unwrap_or(whole);
    match edit(text) {
        Err(why) => EditOutcome::Refused(why),
        Ok(new) if new == text => EditOutcome::Nothing,
        Ok(new) => {
            EditOutcome::Bytes([&bytes[..whole.len() - text.len()], new.as_bytes()].concat())
        }
    }
}
