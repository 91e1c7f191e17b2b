//! What clients remember by themselves, beside this program: where it lies on this machine. Nothing of it is changed.

use std::path::{Path, PathBuf};

use apostille_files::regular_file::read_regular_start;

use crate::{
    client::Client,
    clients::list_client_profiles,
    past_transcripts::{has_ending, list_files_below},
    settings::layout::{OwnNotes, UserFolders},
};

/// How many files of one place are looked at.
const MAX_FILES: usize = 100;
/// How much of one of them.
const MAX_FILE_BYTES: u64 = 256 * 1024;

/// Notes of a client that are there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundNotes {
    /// Whose.
    pub client: Client,
    /// Where.
    pub notes: OwnNotes,
    /// Their files.
    pub files: Vec<PathBuf>,
    /// What turns that off.
    pub way_off: &'static str,
}

impl OwnNotes {
    /// The files, where something is in them. No link is followed.
    fn list_files(&self) -> Vec<PathBuf> {
        let is_note = |it: &Path| has_ending(it, &[".md", ".json"]);
        // In the folder itself, and in the folders in it.
        let at_depth = |depth| list_files_below(&self.path, depth, &is_note);
        let mut files = match self.path.is_dir() {
            true => [at_depth(0), at_depth(1)].concat(),
            false => vec![self.path.clone()],
        };
        files.truncate(MAX_FILES);
        files.retain(|it| !self.read_file(it).trim().is_empty());
        files
    }

    /// What one of the files says, as far as it is notes; nothing, where it cannot be read.
    pub fn read_file(&self, file: &Path) -> String {
        let bytes = read_regular_start(file, MAX_FILE_BYTES).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        match self.heading {
            None => text,
            Some(heading) => take_section(&text, heading),
        }
    }
}

/// What the clients remember by themselves about this checkout, and about the user.
pub fn find_own_notes(user: &UserFolders<'_>, root: &Path) -> Vec<FoundNotes> {
    let found = list_client_profiles().flat_map(|profile| {
        let places = profile.settings.own_notes.into_iter();
        places.flat_map(move |it| {
            let all = (it.list)(user, root).into_iter();
            all.map(|notes| FoundNotes {
                client: profile.client,
                files: notes.list_files(),
                notes,
                way_off: it.way_off,
            })
        })
    });
    found.filter(|it| !it.files.is_empty()).collect()
}

/// The lines under a heading, to the next one.
fn take_section(text: &str, heading: &str) -> String {
    let lines = text.lines().skip_while(|it| it.trim_end() != heading);
    let section = lines.skip(1).take_while(|it| !it.starts_with('#'));
    section.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn notes_of_clients_are_found_where_something_is_in_them() {
        let home = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let file = home.path().join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        };
        let user = UserFolders {
            home: home.path().into(),
            variable: &|_| None,
        };
        let root = Path::new("/home/ada/my.shop");
        assert_eq!(find_own_notes(&user, root), []);
        write(
            ".claude/projects/-home-ada-my-shop/memory/MEMORY.md",
            "- a\n",
        );
        write(".claude/projects/-home-ada-my-shop/memory/empty.md", "\n");
        write(".claude/projects/-home-ada-other/memory/MEMORY.md", "- b\n");
        write(
            ".gemini/GEMINI.md",
            "# Mine\n\n## Gemini Added Memories\n- likes tea\n\n# More\n- no\n",
        );
        let found = find_own_notes(&user, root);
        let told: Vec<_> = found
            .iter()
            .map(|it| (it.client, it.notes.is_users, it.files.len()))
            .collect();
        assert_eq!(
            told,
            [(Client::ClaudeCode, false, 1), (Client::Gemini, true, 1)]
        );
        let text = found[1].notes.read_file(&found[1].files[0]);
        assert_eq!(text.trim(), "- likes tea");
        write(".gemini/GEMINI.md", "# Mine\n- what I wrote myself\n");
        assert_eq!(find_own_notes(&user, root).len(), 1);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn memory_tool_of_vscode_is_found_by_the_folder_of_its_window() {
        let home = tempfile::tempdir().unwrap();
        let user = UserFolders {
            home: home.path().into(),
            variable: &|_| None,
        };
        let storage = home.path().join(".config/Code/User/workspaceStorage");
        for (id, folder) in [
            ("a1", "file:///home/ada/shop"),
            ("b2", "file:///home/ada/other"),
        ] {
            let notes = storage
                .join(id)
                .join("GitHub.copilot-chat/memory-tool/memories/repo");
            fs::create_dir_all(&notes).unwrap();
            fs::write(notes.join("build.md"), "- build with make\n").unwrap();
            let window = format!("{{\"folder\": \"{folder}\"}}");
            fs::write(storage.join(id).join("workspace.json"), window).unwrap();
        }
        let found = find_own_notes(&user, Path::new("/home/ada/shop"));
        assert_eq!(found.len(), 1);
        assert!(found[0].notes.path.starts_with(storage.join("a1")));
        assert!(!found[0].notes.is_users);
    }
}
