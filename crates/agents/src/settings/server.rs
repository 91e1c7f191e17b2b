//! The server in a client's settings: one entry, by the name of this program.

mod check;
mod json;
mod toml;

use serde_json::Value;

pub(super) use json::remove_json_server;
pub(super) use toml::remove_toml_server;

/// What a client that starts its servers in a bare environment has to pass on, because the store depends on it: hooks and
/// server must find the same one.
pub const PASSED_ON: [&str; 7] = [
    "APOSTILLE_CONFIG",
    "APOSTILLE_REPO",
    "APOSTILLE_STORE",
    "APOSTILLE_USER",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
];

/// How a client writes its servers down.
#[derive(Debug)]
pub struct ServerEntry {
    /// What its file is written in.
    pub format: ServerFormat,
    /// The object or table that lists them.
    pub list: &'static str,
    /// The entry that starts this command as a server.
    pub make: fn(command: &str) -> Value,
}

/// What a file with servers is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerFormat {
    /// JSON, with comments.
    Json,
    /// TOML.
    Toml,
}

/// Whose word a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingsOwner {
    /// Whoever could write to the repository.
    Anybody,
    /// The user's own.
    User,
}

/// Two clients that write the same entry into one file write it once.
impl PartialEq for ServerEntry {
    fn eq(&self, other: &Self) -> bool {
        self.format == other.format
            && self.list == other.list
            && (self.make)("") == (other.make)("")
    }
}

impl Eq for ServerEntry {}

impl ServerEntry {
    /// The entry by the name of this program, if there is one; why there cannot be, where the text has another shape.
    pub fn find_in(&self, text: &str) -> Result<Option<Value>, String> {
        match self.format {
            ServerFormat::Json => json::find_json_server(text, self),
            ServerFormat::Toml => toml::find_toml_server(text, self.list),
        }
    }

    /// The program that an entry starts.
    pub fn entry_program(entry: &Value) -> Option<&str> {
        check::split_entry_command(entry).map(|it| it.0)
    }

    /// The text with the server in it.
    pub(super) fn put_into(
        &self,
        text: &str,
        whose: SettingsOwner,
        command: &str,
    ) -> Result<String, String> {
        match self.format {
            ServerFormat::Json => json::put_json_server(text, self, whose, command),
            ServerFormat::Toml => toml::put_toml_server(text, self, whose, command),
        }
    }
}
