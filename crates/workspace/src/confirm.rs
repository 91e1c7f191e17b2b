//! The confirmation that a person may set up for what only a person decides at a terminal, because an agent with a shell can
//! make a terminal too (`script -qec`) and detach itself from its own shell (`setsid -f`).
//!
//! Two things ask for it: `confirm` in the user's own configuration, and a PIN that is set beside the store. Each counts without
//! the other, so that neither another configuration nor a deleted PIN file opens the door.

use std::{fs, path::PathBuf};

use apostille_core::speaker::Confirmation;
use jiff::Timestamp;

use crate::{
    config::{ConfirmMode, Settings, StoreUrl},
    error::CommandError,
    hidden_input::read_hidden_line,
    pin::{PinCheck, PinFile},
    system::System,
};

/// What a decision at a terminal takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequiredConfirmation {
    /// Nothing more than a person's terminal.
    Nothing,
    /// It is made in the panel.
    Panel,
    /// A PIN, which is yet to be set.
    UnsetPin,
    /// This PIN.
    Pin(PinFile),
}

impl RequiredConfirmation {
    /// What to do where it is missing.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Nothing => None,
            Self::Panel => Some(
                "your configuration says confirm = \"panel\": start 'apostille serve', open its link, \
                 and decide on the page /review or /memories/HANDLE",
            ),
            Self::UnsetPin => Some(
                "your configuration says confirm = \"pin\", and no PIN is set: apostille pin set",
            ),
            Self::Pin(_) => Some("it takes your PIN, typed at a terminal"),
        }
    }
}

impl System {
    /// The PIN in force: beside this user's data, or beside the store that is named instead of the usual one.
    pub fn find_pin(&self, settings: &Settings) -> Option<PinFile> {
        let data = self.env.data_dir().map(|it| PinFile::in_folder(&it));
        let mut files = data.into_iter().chain(list_store_pins(settings));
        files.find(PinFile::is_set)
    }

    /// What a decision at this terminal takes.
    pub fn required_confirmation(&self, settings: &Settings) -> RequiredConfirmation {
        match (settings.confirm, self.find_pin(settings)) {
            (ConfirmMode::Panel, _) => RequiredConfirmation::Panel,
            (_, Some(file)) => RequiredConfirmation::Pin(file),
            (ConfirmMode::Pin, None) => RequiredConfirmation::UnsetPin,
            (ConfirmMode::Off, None) => RequiredConfirmation::Nothing,
        }
    }

    /// Whether the user set up a confirmation, given or not.
    pub(crate) fn needs_confirmation(&self, settings: &Settings) -> bool {
        !matches!(
            self.required_confirmation(settings),
            RequiredConfirmation::Nothing
        )
    }

    /// Whether the confirmation was given.
    pub(crate) fn confirmation(&self, settings: &Settings) -> Confirmation {
        match self.required_confirmation(settings) {
            RequiredConfirmation::Nothing => Confirmation::NotRequired,
            _ if self.is_confirmed() => Confirmation::Given,
            _ => Confirmation::Missing,
        }
    }

    /// Asks for the confirmation, once in a run. Where it cannot be asked for, nothing happens: the verb then refuses.
    pub fn ask_confirmation(&self, settings: &Settings) -> Result<(), CommandError> {
        if let RequiredConfirmation::Pin(file) = self.required_confirmation(settings)
            && !self.is_confirmed()
            && self.speaker(settings).voice().is_person()
        {
            self.ask_pin(&file, "PIN: ")?;
            self.mark_confirmed();
        }
        Ok(())
    }

    /// Whether the panel that this terminal opens may decide. In the panel a person confirms by a click, so its link is given
    /// to a person's terminal, after the PIN where one is set.
    pub fn ask_for_panel(&self, settings: &Settings) -> Result<bool, CommandError> {
        let is_person = self.speaker(settings).voice().is_person();
        match self.find_pin(settings) {
            Some(file) if is_person && self.terminal.stdin => {
                self.ask_pin(&file, "PIN, for a panel that decides: ")?;
                Ok(true)
            }
            None => Ok(is_person && settings.confirm != ConfirmMode::Pin),
            Some(_) => Ok(false),
        }
    }

    /// Asks for a PIN; an error where it is not the one.
    pub fn ask_pin(&self, file: &PinFile, question: &str) -> Result<(), CommandError> {
        let typed = ask_hidden(question)?;
        let draw = (self.random_source())();
        match file.check_pin(&typed, self.wall_clock(), draw)? {
            PinCheck::Right => Ok(()),
            PinCheck::Wrong => Err(CommandError::unconfirmed("this is not the PIN")),
            PinCheck::Locked { until } => Err(describe_lock(until)),
        }
    }
}

/// A line that is typed unseen at the terminal; an error where nobody can be asked.
pub fn ask_hidden(question: &str) -> Result<String, CommandError> {
    let cannot = |error: std::io::Error| {
        CommandError::unconfirmed(format!(
            "a PIN is typed at a terminal, and there is none: {error}"
        ))
    };
    read_hidden_line(question)
        .map_err(cannot)?
        .ok_or_else(|| CommandError::unconfirmed("nothing was typed"))
}

fn describe_lock(until: Timestamp) -> CommandError {
    let until = until.strftime("%Y-%m-%d %H:%M:%S UTC");
    CommandError::unconfirmed(format!(
        "too many wrong PINs; the next try counts at {until}"
    ))
}

/// The PINs beside SQLite stores, by their names and by where their names lead. A file of lines lies in a repository, which does
/// not say how its user is recognised.
fn list_store_pins(settings: &Settings) -> impl Iterator<Item = PinFile> {
    let stores = [Some(&settings.store), settings.own_store.as_ref()];
    let paths = stores.into_iter().flatten().filter_map(|it| match it {
        StoreUrl::Sqlite(path) => Some(path),
        StoreUrl::Jsonl(_) | StoreUrl::Postgres(_) => None,
    });
    let real = |it: &PathBuf| fs::canonicalize(it).ok();
    let paths = paths.flat_map(move |it| [Some(it.clone()), real(it)]);
    let folders = paths
        .flatten()
        .filter_map(|it| Some(it.parent()?.to_owned()));
    folders.map(|it| PinFile::in_folder(&it))
}
