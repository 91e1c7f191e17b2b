//! What belongs into a file, and how it gets there: bytes in, bytes out.

use serde_json::Value;

use super::{
    EditedText, git_exclude,
    hooks::{self, HooksLayout},
    jsonc::{self, BOM},
    plugin,
    program::ProgramCommand,
    rules_block,
    server::{self, ServerEntry, ServerFormat, SettingsOwner},
    sharing::SharingFile,
};

/// What belongs into a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingsPart {
    /// The server.
    Server(&'static ServerEntry, SettingsOwner),
    /// A client's hooks.
    Hooks(&'static HooksLayout),
    /// The block of rules.
    Rules,
    /// The line that keeps this personal file out of git.
    Exclude(&'static str),
    /// What a team needs to share memories.
    Shared(SharingFile),
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
    fn server_lists(&self, format: ServerFormat) -> Vec<&'static str> {
        let servers = self.servers.iter().filter(|it| it.format == format);
        let mut lists: Vec<&str> = servers.map(|it| it.list).collect();
        lists.sort_unstable();
        lists.dedup();
        lists
    }
}

/// What becomes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingsEdit {
    /// It is as it should be.
    Nothing,
    /// It gets these bytes.
    Bytes(Vec<u8>),
    /// It is left alone, and why.
    Refused(String),
}

impl SettingsPart {
    fn put_into(self, text: &str, program: &ProgramCommand) -> EditedText {
        match self {
            Self::Server(server, whose) => server.put_into(text, whose, program.command()),
            Self::Hooks(layout) => hooks::put_hooks(text, layout, program),
            Self::Rules => rules_block::put_rules_block(text),
            Self::Exclude(line) => Ok(git_exclude::put_exclude_line(text, line)),
            Self::Shared(file) => file.put_into(text),
        }
    }
}

/// What becomes of a file that is to hold these parts.
pub fn plan_settings_edit(
    bytes: Option<&[u8]>,
    parts: &[SettingsPart],
    program: &ProgramCommand,
) -> SettingsEdit {
    edit_settings_text(bytes, |text| {
        parts
            .iter()
            .try_fold(text.to_owned(), |text, part| part.put_into(&text, program))
    })
}

/// What becomes of a file of a kind that is to hold nothing of ours; `first` is what it was before anything of ours came,
/// and `traces` is what may have come.
pub fn plan_settings_removal(
    bytes: &[u8],
    first: Option<&[u8]>,
    kind: &str,
    traces: &OwnTraces,
) -> SettingsEdit {
    let first = first.map(|it| String::from_utf8_lossy(it).into_owned());
    if let Ok(file) = kind.parse::<SharingFile>() {
        return edit_settings_text(Some(bytes), |text| {
            Ok(file.remove_from(text, first.as_deref()))
        });
    }
    edit_settings_text(Some(bytes), |text| match kind {
        "exclude" => Ok(git_exclude::remove_exclude_lines(text, &traces.excluded)),
        "toml" => server::remove_toml_server(text, &traces.server_lists(ServerFormat::Toml)),
        "js" => Ok(plugin::remove_plugin(text)),
        "md" => rules_block::remove_rules_block(text),
        _ => {
            let first = first.as_deref().map(|it| it.trim_start_matches(BOM));
            let text = hooks::remove_hooks(text, first)?;
            server::remove_json_server(&text, first, &traces.server_lists(ServerFormat::Json))
        }
    })
}

/// Whether nothing is left in a file but what we would have put there ourselves.
pub fn is_bare_settings_file(bytes: &[u8], kind: &str) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches(BOM).trim();
    text.is_empty() || kind == "json" && hooks::is_bare_hooks_file(text)
}

/// A JSON text with comments as a value, if it is one.
pub fn parse_jsonc_value(text: &str) -> Option<Value> {
    let root = jsonc::parse_jsonc(text.trim_start_matches(BOM)).ok()??;
    Some(root.to_value())
}

fn edit_settings_text(bytes: Option<&[u8]>, edit: impl FnOnce(&str) -> EditedText) -> SettingsEdit {
    let bytes = bytes.unwrap_or_default();
    let Ok(whole) = std::str::from_utf8(bytes) else {
        return SettingsEdit::Refused("it is not UTF-8".into());
    };
    // Some editors mark UTF-8 with a character of no width; it stays in front.
    let text = whole.strip_prefix(BOM).unwrap_or(whole);
    match edit(text) {
        Err(why) => SettingsEdit::Refused(why),
        Ok(new) if new == text => SettingsEdit::Nothing,
        Ok(new) => {
            SettingsEdit::Bytes([&bytes[..whole.len() - text.len()], new.as_bytes()].concat())
        }
    }
}
