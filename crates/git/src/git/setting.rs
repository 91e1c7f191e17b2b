//! What git's configuration says, read from its files. Includes are not followed and nothing is run.

use std::path::{Path, PathBuf};

use super::{config::GitConfig, discover::Checkout};

impl Checkout {
    /// The value of `section.key`, both in lower case: of this working tree, else of the repository, else of the user's
    /// files, the last of which counts most.
    pub fn read_setting(&self, users: &[PathBuf], section: &str, key: &str) -> Option<String> {
        let read = |path: &Path| {
            let config = GitConfig::read_file(path).ok()?;
            config.value(section, key).map(str::to_owned)
        };
        let is_split = self.config.is_enabled("extensions", "worktreeconfig");
        let own = is_split.then(|| read(&self.git_dir().join("config.worktree")));
        own.flatten()
            .or_else(|| self.config.value(section, key).map(Into::into))
            .or_else(|| users.iter().rev().find_map(|it| read(it)))
    }

    /// The folder that git takes hooks from; a path from the configuration is relative to the working tree.
    pub fn find_hooks_dir(&self, users: &[PathBuf], home: Option<&Path>) -> PathBuf {
        let Some(said) = self.read_setting(users, "core", "hookspath") else {
            return self.common_dir().join("hooks");
        };
        match (said.strip_prefix("~/"), home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => self.root().unwrap_or(self.git_dir()).join(said),
        }
    }
}
