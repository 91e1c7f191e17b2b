//! The settings that a repository brings. They are read once, so that what was judged is what is heard.

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use apostille_files::regular_file::read_regular_start;
use apostille_text::digest::Digest;
use serde_json::Value;

/// The largest file that is read.
const MAX_BYTES: u64 = 1024 * 1024;

/// One of the files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum BroughtFile {
    /// It is not there, or has no settings in it.
    #[default]
    Absent,
    /// What it says.
    Text(String),
    /// It is not read, and why.
    Refused(String),
}

/// The settings that a repository brings.
#[derive(Debug, Clone, Default)]
pub struct BroughtSettings {
    /// Where its own file is.
    pub config_path: PathBuf,
    /// Its own file.
    pub config: BroughtFile,
    /// Where the file of another program is, of which one block is read.
    pub agent_json_path: PathBuf,
    /// That file.
    pub agent_json: BroughtFile,
}

impl BroughtSettings {
    /// Those of the repository in this folder.
    pub fn read_from(root: &Path) -> Self {
        let (config_path, agent_json_path) = (root.join("apostille.toml"), root.join("agent.json"));
        Self {
            config: read_brought_file(&config_path),
            agent_json: match read_brought_file(&agent_json_path) {
                BroughtFile::Text(text) if !has_memory_block(&text) => BroughtFile::Absent,
                found => found,
            },
            config_path,
            agent_json_path,
        }
    }

    /// Whether the repository brings none.
    pub fn is_empty(&self) -> bool {
        [&self.config, &self.agent_json]
            .iter()
            .all(|it| **it == BroughtFile::Absent)
    }

    /// What stands for these settings, none at all included; `None` where one of the files cannot be read.
    pub fn digest(&self) -> Option<Digest> {
        let part = |file: &BroughtFile, pick: fn(&str) -> String| match file {
            BroughtFile::Absent => Some("absent".into()),
            BroughtFile::Text(text) => Some(Digest::hash_bytes(pick(text).as_bytes()).to_string()),
            BroughtFile::Refused(_) => None,
        };
        let config = part(&self.config, str::to_owned)?;
        let agent_json = part(&self.agent_json, pick_memory_block)?;
        Some(Digest::hash_bytes(
            format!("{config} {agent_json}").as_bytes(),
        ))
    }
}

/// Reads a file of a repository. Links are not followed: they would make this program read, and quote, files that the
/// repository's author cannot see. A pipe is not waited for, and a huge file is not read.
fn read_brought_file(path: &Path) -> BroughtFile {
    let refused = |why: &str| BroughtFile::Refused(why.into());
    match fs::symlink_metadata(path) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            BroughtFile::Absent
        }
        Err(error) => refused(&error.to_string()),
        Ok(it) if it.is_symlink() => refused("it is a link, and links are not followed here"),
        Ok(it) if it.is_dir() => BroughtFile::Absent,
        Ok(it) if it.len() > MAX_BYTES => refused("it is larger than 1 MB"),
        Ok(_) => match read_regular_start(path, MAX_BYTES) {
            Ok(bytes) => String::from_utf8(bytes)
                .map_or_else(|_| refused("it is not UTF-8"), BroughtFile::Text),
            Err(error) => refused(&error.to_string()),
        },
    }
}

/// Whether an `agent.json` has something to say here. What cannot be parsed may.
fn has_memory_block(text: &str) -> bool {
    serde_json::from_str::<Value>(text).map_or(true, |it| it.get("memory").is_some())
}

/// The part of an `agent.json` that is read: edits of the rest are another program's business.
fn pick_memory_block(text: &str) -> String {
    let whole = serde_json::from_str::<Value>(text).ok();
    let block = whole.as_ref().and_then(|it| it.get("memory"));
    block.map_or_else(|| text.to_owned(), Value::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brought(files: &[(&str, &str)]) -> BroughtSettings {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        BroughtSettings::read_from(folder.path())
    }

    #[test]
    fn brought_settings_are_empty_without_a_word_for_us() {
        let check = |files: &[(&str, &str)], expected: bool| {
            assert_eq!(brought(files).is_empty(), expected, "{files:?}");
        };
        check(&[], true);
        check(&[("agent.json", r#"{"name":"x"}"#)], true);
        check(&[("agent.json", r#"{"memory":{}}"#)], false);
        check(&[("agent.json", "{")], false);
        check(&[("apostille.toml", "")], false);
    }

    #[test]
    fn digest_changes_with_the_settings_alone() {
        let check = |a: &[(&str, &str)], b: &[(&str, &str)], expected: bool| {
            assert_eq!(brought(a).digest() == brought(b).digest(), expected);
        };
        let toml = |text| [("apostille.toml", text)];
        let json = |text| [("agent.json", text)];
        check(&toml("max_total = 1\n"), &toml("max_total = 1\n"), true);
        check(&toml("max_total = 1\n"), &toml("max_total = 2\n"), false);
        check(&toml("max_total = 1\n"), &[], false);
        check(&toml("{}"), &json("{}"), false);
        check(
            &json(r#"{"memory":{"max_total":1},"name":"x"}"#),
            &json(r#"{"name":"y", "memory": {"max_total": 1}}"#),
            true,
        );
        check(
            &json(r#"{"memory":{"max_total":1}}"#),
            &json(r#"{"memory":{"max_total":2}}"#),
            false,
        );
    }

    #[cfg(unix)]
    #[test]
    fn odd_files_are_refused_and_never_trusted() {
        let check = |make: &dyn Fn(&Path), expected: &str| {
            let folder = tempfile::tempdir().unwrap();
            make(&folder.path().join("apostille.toml"));
            let found = BroughtSettings::read_from(folder.path());
            let told = format!("{:?}", found.config);
            assert!(told.contains(expected), "{told}");
            assert!(!found.is_empty());
            assert_eq!(found.digest(), None);
        };
        let pipe = |path: &Path| {
            let mut command = std::process::Command::new("mkfifo");
            assert!(command.arg(path).status().unwrap().success());
        };
        let huge = |path: &Path| {
            let file = fs::File::create(path).unwrap();
            file.set_len(400 << 20).unwrap();
        };
        let link = |path: &Path| std::os::unix::fs::symlink("/etc/passwd", path).unwrap();
        check(&pipe, "not a file");
        check(&huge, "larger than 1 MB");
        check(&link, "is a link");
        check(&|it| fs::write(it, [0xff]).unwrap(), "not UTF-8");
    }
}
