//! What the installer knows about a client: by what it is recognised, where its files are, and what they say.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{hooks::HooksLayout, server::ServerEntry};
use crate::hook::Names;

/// A client as the installer knows it.
#[derive(Debug)]
pub struct ClientSettings {
    /// Paths in a repository that only it has.
    pub marks: Names,
    /// Its programs.
    pub programs: Names,
    /// The file of a repository with its servers: the first of these that is there, or else the first. None: it reads
    /// servers from the user's own files alone.
    pub servers: Names,
    /// What its server's entry says there.
    pub server: &'static ServerEntry,
    /// The file of a repository with its hooks, where it has hooks.
    pub hooks_file: Option<&'static str>,
    /// The instructions that it reads in a repository.
    pub instructions: &'static [Instructions],
    /// Where it keeps what it remembers by itself, where that is on this machine.
    pub own_notes: Option<&'static OwnNotesPlaces>,
    /// A file of these that is personal and is kept out of commits, as git's list of files to pass over names it.
    pub excluded: Option<&'static str>,
    /// What its server's entry says in the user's home.
    pub user_server: &'static ServerEntry,
    /// Where its files are in the user's home.
    pub find_user_files: fn(&UserFolders<'_>) -> UserFiles,
    /// What its hooks file says, where it has hooks. Of a client that reads another one's file, that of the other.
    pub hooks: Option<&'static HooksLayout>,
    /// What the client itself calls the events of its hooks file, where that is another name. An event that is not here
    /// is none of its own.
    pub own_events: Option<&'static [(&'static str, &'static str)]>,
    /// What it wants of a person before it uses what a repository brings.
    pub trust_note: &'static str,
    /// What it wants of a person before it runs any hook.
    pub hooks_note: Option<&'static str>,
    /// What to say where it reads none of the files with the block of rules.
    pub rules_note: Option<RulesNote>,
}

/// Where a client keeps its files in the user's home.
#[derive(Debug, Clone)]
pub struct UserFiles {
    /// The folder that is there when the client is in use.
    pub folder: PathBuf,
    /// The file with its servers.
    pub servers: PathBuf,
    /// The file with its hooks, where it has hooks.
    pub hooks: Option<PathBuf>,
    /// The user's own instructions, and whether they are made when they are not there.
    pub instructions: Option<(PathBuf, bool)>,
}

/// Instructions that a client reads in a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instructions {
    /// The file.
    pub file: &'static str,
    /// Whether it is made when it is not there.
    pub is_made: bool,
}

/// The instructions that most clients read.
pub const AGENTS_MD: Instructions = Instructions {
    file: "AGENTS.md",
    is_made: true,
};

/// What to say where a client reads none of the files with the block of rules.
#[derive(Debug)]
pub struct RulesNote {
    /// The file that it would read.
    pub file: &'static str,
    /// Whether its settings name a file with the rules.
    pub is_settled: fn(settings: &Value) -> bool,
    /// What to say.
    pub text: &'static str,
}

/// Where a client keeps what it remembers by itself.
#[derive(Debug)]
pub struct OwnNotesPlaces {
    /// The places for this checkout and for the user, whether or not they are there.
    pub(crate) list: fn(user: &UserFolders<'_>, root: &Path) -> Vec<OwnNotes>,
    /// What turns that off.
    pub(crate) way_off: &'static str,
}

/// A place: a folder of Markdown files, or one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnNotes {
    /// Where.
    pub path: PathBuf,
    /// Whether they are the user's, for every repository.
    pub is_users: bool,
    /// The heading that they stand under, where the file has more in it.
    pub(crate) heading: Option<&'static str>,
}

impl OwnNotes {
    /// Notes about one repository.
    pub(crate) fn of_repository(path: PathBuf) -> Self {
        Self {
            path,
            is_users: false,
            heading: None,
        }
    }

    /// Notes of the user, for every repository.
    pub(crate) fn of_user(path: PathBuf) -> Self {
        Self {
            is_users: true,
            ..Self::of_repository(path)
        }
    }
}

/// The first of these files of a folder that is there, or else the first.
pub fn choose_settings_file(folder: &Path, names: Names) -> Option<PathBuf> {
    let paths = || names.iter().map(|it| folder.join(it));
    paths().find(|it| it.exists()).or_else(|| paths().next())
}

/// Where a user's folders are.
pub struct UserFolders<'e> {
    /// The user's home.
    pub home: PathBuf,
    /// The path that a variable of the environment holds.
    pub variable: &'e dyn Fn(&str) -> Option<PathBuf>,
}

impl UserFolders<'_> {
    /// The folder that a variable names, or else this one in the home.
    #[must_use]
    pub fn variable_or(&self, variable: &str, usual: &str) -> PathBuf {
        (self.variable)(variable).unwrap_or_else(|| self.home.join(usual))
    }

    /// Where programs keep their settings that follow the XDG directories on every system.
    #[must_use]
    pub fn xdg_config_folder(&self) -> PathBuf {
        self.variable_or("XDG_CONFIG_HOME", ".config")
    }

    /// Where this system's programs keep their settings.
    #[must_use]
    pub fn config_folder(&self) -> PathBuf {
        match () {
            () if cfg!(windows) => self.variable_or("APPDATA", "AppData/Roaming"),
            () if cfg!(target_os = "macos") => self.home.join("Library/Application Support"),
            () => self.variable_or("XDG_CONFIG_HOME", ".config"),
        }
    }
}
