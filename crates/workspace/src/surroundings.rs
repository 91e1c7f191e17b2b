//! What can be looked up about the place that an agent works in, to know whether it reads what strangers wrote. Hooks ask
//! for it, so each answer is one bounded read.

use std::path::Path;

use apostille_agents::hook::exposure::Surroundings;
use apostille_files::regular_file::read_regular_start;

use crate::project_folder::ProjectFolder;

/// How much of a script is read.
const MAX_SCRIPT: u64 = 64 * 1024;

impl Surroundings for ProjectFolder {
    fn read_script(&self, path: &str) -> Option<String> {
        let path = self.resolve_typed(Path::new(path));
        let bytes = read_regular_start(&path, MAX_SCRIPT).ok()?;
        // A program that was compiled is no script.
        (!bytes.contains(&0)).then(|| String::from_utf8_lossy(&bytes).into_owned())
    }

    fn is_remote(&self, name: &str) -> bool {
        self.checkout.as_ref().is_some_and(|it| it.has_remote(name))
    }

    fn is_installed(&self, package: &str) -> bool {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let bin = |it: &Path| it.join("node_modules/.bin").join(package).exists();
        let cwd = self.resolve_typed(Path::new("."));
        let mut folders = cwd.ancestors().take_while(|it| it.starts_with(&self.root));
        !package.is_empty() && package.chars().all(is_plain) && folders.any(bin)
    }
}
