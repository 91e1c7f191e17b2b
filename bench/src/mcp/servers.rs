//! How servers are started.

use std::path::Path;
use std::process::Command;

use anyhow::Result;
use apostille_tools::Profile;

use super::{echo, tool::SPACE};
use crate::ours::{self, Code};

/// How many memories a server of this set keeps active. A notebook keeps 500 unless somebody sets more, and would retire
/// most of these stores at once; the other sets keep everything, and need not count.
pub(crate) fn max_total(profile: Profile) -> Option<usize> {
    (profile == Profile::Simple).then_some(1_000_000)
}

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
        command.envs(max_total(profile).map(|it| ("APOSTILLE_MAX_TOTAL", it.to_string())));
        command
            .arg("--store")
            .arg(format!("sqlite:{}", store.display()));
        command.args([
            "--repo",
            ours::space(SPACE)?.as_str(),
            "mcp",
            "--profile",
            profile.as_str(),
        ]);
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
        command
            .env_clear()
            .env("HOME", self.dir)
            .env("PATH", "/usr/bin:/bin")
            .current_dir(&self.code.root);
        // A benchmark writes faster than any agent.
        for breaker in ["BURST", "COPIES", "DRIFT", "INVALIDATIONS"] {
            command.env(format!("APOSTILLE_BREAKERS_{breaker}"), "0");
        }
        command
    }
}
