//! Where the value of a setting came from.

use std::path::{Path, PathBuf};

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingOrigin {
    /// The command line.
    Flag,
    /// The environment.
    Environment,
    /// The repository's `apostille.toml`.
    Repository(PathBuf),
    /// The repository's `agent.json`.
    AgentJson(PathBuf),
    /// The user's own file.
    User(PathBuf),
    /// What the system calls this user.
    Login,
    /// What the checkout, or the folder, is called.
    Checkout,
    /// Nobody said anything.
    Default,
}

impl SettingOrigin {
    /// The word for it.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Flag => "flag",
            Self::Environment => "environment",
            Self::Repository(_) => "repository file",
            Self::AgentJson(_) => "agent.json",
            Self::User(_) => "user file",
            Self::Login => "login name",
            Self::Checkout => "checkout",
            Self::Default => "default",
        }
    }

    /// The file, where it is one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::Repository(path) | Self::AgentJson(path) | Self::User(path) => Some(path),
            _ => None,
        }
    }

    pub(super) fn is_repository(&self) -> bool {
        matches!(self, Self::Repository(_) | Self::AgentJson(_))
    }
}
