//! What belongs into a file, and how it gets there: bytes in, bytes out.

mod entry;
mod hooks;
mod server;

use crate::client::Client;
use serde_json::Value;

use super::program::Program;
use super::sharing::Shared;
use super::{exclude, jsonc, rules, toml};

pub use entry::checked;
pub use hooks::lines;
pub use server::Servers;

/// What belongs into a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The server, in JSON.
    Server(Servers, Whose),
    /// The server, in Codex's TOML.
    Toml(Whose),
    /// A client's hooks.
    Hooks(Client),
    /// The block of rules.
    Rules,
    /// The line that keeps personal settings out of git.
    Exclude,
    /// What a team needs to share memories.
    Shared(Shared),
}

/// Whose word a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// Whoever could write to the repository.
    Anybody,
    /// The user's own.
    User,
}

/// What becomes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It is as it should be.
    Nothing,
    /// It gets these bytes.
    Bytes(Vec<u8>),
    /// It is left alone, and why.
    Refused(String),
}

impl Part {
    /// The hooks of a client. Visual Studio Code reads those of Copilot CLI.
    pub fn hooks(client: Client) -> Self {
        match client {
            Client::Vscode => Self::Hooks(Client::Copilot),
            other => Self::Hooks(other),
        }
    }

    /// The entry of the server in a text; why the text cannot have one, where that is so.
    pub fn entry(self, text: &str) -> Result<Option<Value>, String> {
        match self {
            Self::Server(servers, _) => server::entry(text.trim_start_matches(BOM), servers),
            Self::Toml(_) => toml::entry(text),
            Self::Hooks(_) | Self::Rules | Self::Exclude | Self::Shared(_) => Ok(None),
        }
    }

    /// What is wrong with the entry of a server; nothing, if it is one of ours.
    pub fn doubt(self, entry: &Value) -> Option<String> {
        match self {
            Self::Server(servers, whose) => checked(entry, servers.cwd(), whose).err(),
            Self::Toml(whose) => checked(entry, None, whose).err(),
            Self::Hooks(_) | Self::Rules | Self::Exclude | Self::Shared(_) => None,
        }
    }

    fn put(self, text: &str, program: &Program) -> Result<String, String> {
        match self {
            Self::Server(servers, whose) => server::with(text, servers, whose, program.command()),
            Self::Toml(whose) => toml::with(text, whose, program.command()),
            Self::Hooks(client) => hooks::with(text, client, program),
            Self::Rules => rules::with(text),
            Self::Exclude => Ok(exclude::with(text)),
            Self::Shared(file) => file.with(text),
        }
    }
}

/// What becomes of a file that is to hold these parts.
pub fn planned(bytes: Option<&[u8]>, parts: &[Part], program: &Program) -> Outcome {
    edited(bytes, |text| {
        parts
            .iter()
            .try_fold(text.to_owned(), |text, part| part.put(&text, program))
    })
}

/// What becomes of a file of a kind that is to hold nothing of ours; `first` is what it was before anything of ours came.
pub fn cleared(bytes: &[u8], first: Option<&[u8]>, kind: &str) -> Outcome {
    let first = first.map(|it| String::from_utf8_lossy(it).into_owned());
    if let Some(file) = Shared::named(kind) {
        return edited(Some(bytes), |text| Ok(file.without(text, first.as_deref())));
    }
    edited(Some(bytes), |text| match kind {
        "exclude" => Ok(exclude::without(text)),
        "toml" => toml::without(text),
        "md" => rules::without(text),
        _ => {
            let first = first.as_deref().map(|it| it.trim_start_matches(BOM));
            server::without(&hooks::without(text, first)?, first)
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

const BOM: char = '\u{feff}';

fn edited(bytes: Option<&[u8]>, edit: impl FnOnce(&str) -> Result<String, String>) -> Outcome {
    let bytes = bytes.unwrap_or_default();
    let Ok(whole) = std::str::from_utf8(bytes) else {
        return Outcome::Refused("it is not UTF-8".into());
    };
    // Some editors mark UTF-8 with a character of no width; it stays in front.
    let text = whole.strip_prefix(BOM).unwrap_or(whole);
    match edit(text) {
        Err(why) => Outcome::Refused(why),
        Ok(new) if new == text => Outcome::Nothing,
        Ok(new) => Outcome::Bytes([&bytes[..whole.len() - text.len()], new.as_bytes()].concat()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::settings::table::ROWS;

    fn text(outcome: Outcome, before: &str) -> String {
        match outcome {
            Outcome::Nothing => before.to_owned(),
            Outcome::Bytes(bytes) => String::from_utf8(bytes).unwrap(),
            Outcome::Refused(why) => panic!("{why}: {before}"),
        }
    }

    proptest! {
        #[test]
        fn whatever_is_there_twice_is_once_and_it_goes_again(
            (value, typed) in jsonc::documents(), n in 0..ROWS.len(), servers in 0..3_usize,
        ) {
            let servers = [Servers::Claude, Servers::Gemini, Servers::Code][servers];
            let parts = [Part::Server(servers, Whose::Anybody), Part::hooks(ROWS[n].client)];
            let program = Program::new("/opt/my programs/apostille");
            let once = text(planned(Some(typed.as_bytes()), &parts, &program), &typed);
            prop_assert_eq!(planned(Some(once.as_bytes()), &parts, &program), Outcome::Nothing, "{}", once);
            prop_assert_eq!(lines(&once).unwrap().len(), ROWS[n].moments.len());
            let moved = Program::new("/usr/bin/apostille");
            let other = text(planned(Some(once.as_bytes()), &parts, &moved), &once);
            prop_assert!(!other.contains("/opt/"), "{}", other);
            let back = text(cleared(other.as_bytes(), Some(typed.as_bytes()), "json"), &other);
            let mut left = jsonc::parse(&back).unwrap().unwrap().value();
            if value.get("version").is_none() {
                left.as_object_mut().unwrap().shift_remove("version");
            }
            prop_assert_eq!(left, value, "{}", back);
        }
    }
}
