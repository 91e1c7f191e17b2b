//! How servers are started.

use std::path::Path;
use std::process::Command;

use anyhow::Result;
use apostille_server::profile::Profile;

use super::echo;
use super::tool::SPACE;
use crate::ours::{self, Code};

/// A notebook keeps 500 notes unless somebody sets more: with these stores it would retire the most of them at once.
pub(crate) const MAX_TOTAL: usize = 1_000_000;

/// What servers are started with.
pub(crate) struct Servers<'a> {
    /// The scratch folder, which also is their home.
    pub(crate) dir: &'a Path,
    /// The checkout that they are started in.
    pub(crate) code: &'a Code,
    /// The program.
    pub(crate) bin: &'a Path,
}

impl Servers<'_> {
    /// A server of this store, as an agent starts it, without anything of the user's own.
    pub(crate) fn ours(&self, store: &Path, profile: Profile) -> Result<Command> {
        let mut command = self.bare(self.bin);
        command.env("APOSTILLE_MAX_TOTAL", MAX_TOTAL.to_string());
        command.arg("--store").arg(format!("sqlite:{}", store.display()));
        command.args(["--repo", ours::space(SPACE)?.as_str(), "mcp", "--profile", profile.as_str()]);
        Ok(command)
    }

    /// The server that only echoes.
    pub(crate) fn echo(&self) -> Result<Command> {
        let mut command = self.bare(&std::env::current_exe()?);
        command.arg(echo::WORD);
        Ok(command)
    }

    fn bare(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("HOME", self.dir).env("PATH", "/usr/bin:/bin").current_dir(&self.code.root);
        command
    }
}
