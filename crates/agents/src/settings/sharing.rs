//! What a team needs in a repository to share its memories there: the name of the store, a way to merge it, and what
//! stays on everybody's own machine.

use std::path::Path;

use apostille_text::words::words;
use toml::Table;

use super::detect_newline;

/// Where a repository's memories are kept by default.
pub const STORE: &str = ".apostille/memories.jsonl";

words! {
    /// A file of the repository that sharing needs, by its name in the repository's folder.
    SharingFile as "file" {
        /// The repository's settings, which name the store.
        Config = "apostille.toml",
        /// How git merges it.
        Attributes = ".gitattributes",
        /// What git passes over.
        Ignore = ".gitignore",
    }
}

impl SharingFile {
    /// The lines that belong into it.
    fn expected_lines(self) -> Vec<String> {
        match self {
            Self::Config => vec![format!("store = \"jsonl:{STORE}\"")],
            Self::Attributes => vec![format!("/{STORE} merge=union")],
            Self::Ignore => list_private_store_files(STORE)
                .map(|it| format!("/{it}"))
                .into(),
        }
    }

    /// The text with what belongs into it.
    pub fn put_into(self, text: &str) -> Result<String, String> {
        let mut missing = self.expected_lines();
        match self {
            Self::Config if has_shared_store(text)? => missing.clear(),
            Self::Attributes if is_union_merged(text, STORE) => missing.clear(),
            Self::Ignore => missing.retain(|it| !is_git_ignored(text, &it[1..])),
            _ => {}
        }
        let newline = detect_newline(text);
        let lines: String = missing.into_iter().map(|it| it + newline).collect();
        let is_whole = text.is_empty() || text.ends_with('\n') || lines.is_empty();
        let gap = if is_whole { "" } else { newline };
        Ok(match self {
            // A key in front of everything else is in no table.
            Self::Config => lines + text,
            _ => format!("{text}{gap}{lines}"),
        })
    }

    /// The text without what we put there; `first` is what it was before.
    pub fn remove_from(self, text: &str, first: Option<&str>) -> String {
        let was_there = |line: &str| first.is_some_and(|it| it.lines().any(|it| it == line));
        let ours: Vec<String> = self
            .expected_lines()
            .into_iter()
            .filter(|it| !was_there(it))
            .collect();
        text.split_inclusive('\n')
            .filter(|it| !ours.iter().any(|line| line == it.trim_end()))
            .collect()
    }
}

/// The files beside a store that are nobody else's: what was shown here, the lock, and a store that is being rewritten.
fn list_private_store_files(store: &str) -> [String; 3] {
    ["local.jsonl", "lock", "rewrite"].map(|it| {
        Path::new(store)
            .with_extension(it)
            .to_string_lossy()
            .into_owned()
    })
}

/// Whether the settings name our store; why they cannot, where they name another.
fn has_shared_store(text: &str) -> Result<bool, String> {
    let table: Table = text
        .parse()
        .map_err(|it: toml::de::Error| it.message().to_owned())?;
    match table.get("store").map(|it| it.as_str().unwrap_or_default()) {
        None => Ok(false),
        Some(store) if store.strip_prefix("jsonl:").unwrap_or(store) == STORE => Ok(true),
        Some(_) => Err(format!(
            "it names another store; take that line out, or set merge=union for that store yourself instead of {STORE}"
        )),
    }
}

/// Whether git keeps both sides' lines of this file when it merges: the last line that names it decides.
pub fn is_union_merged(attributes: &str, path: &str) -> bool {
    let is_merge = |it: &&str| {
        *it == "binary" || it.trim_start_matches(['-', '!']).split('=').next() == Some("merge")
    };
    let merge = attributes.lines().rev().find_map(|line| {
        let (pattern, said) = line.trim_start().split_once(char::is_whitespace)?;
        let mut said = said.split_whitespace();
        said.rfind(|it| is_merge(it) && matches_git_pattern(pattern, path))
    });
    merge == Some("merge=union")
}

/// Whether git passes over this file.
fn is_git_ignored(ignore: &str, path: &str) -> bool {
    let said = |line: &str| {
        let pattern = line.trim_end();
        let wanted = pattern.strip_prefix('!');
        let is_named =
            !pattern.starts_with('#') && matches_git_pattern(wanted.unwrap_or(pattern), path);
        is_named.then_some(wanted.is_none())
    };
    ignore.lines().rev().find_map(said).unwrap_or(false)
}

/// The file beside a store that holds what was shown here, where git does not pass over it.
pub fn find_unignored_local(ignore: &str, store: &str) -> Option<String> {
    let [local, ..] = list_private_store_files(store);
    (!is_git_ignored(ignore, &local)).then_some(local)
}

/// Whether a pattern of git names a file. Patterns that are more than a name with a star in front or behind are not
/// understood, and name nothing.
fn matches_git_pattern(pattern: &str, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_anchored = pattern.trim_end_matches('/').contains('/');
    let (pattern, whole) = match pattern.strip_prefix("**/") {
        Some(rest) if !rest.contains('/') => (rest, name),
        _ if is_anchored => (pattern.trim_start_matches('/'), path),
        _ => (pattern, name),
    };
    match pattern.split_once('*') {
        None => pattern == whole || pattern.ends_with('/') && path.starts_with(pattern),
        Some((start, end)) => {
            let middle = whole
                .strip_prefix(start)
                .and_then(|it| it.strip_suffix(end.trim_start_matches('*')));
            middle.is_some_and(|it| !it.contains('/') || end.starts_with('*'))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_stays_and_twice_is_once() {
        let check = |file: SharingFile, text: &str, expected: &str| {
            assert_eq!(file.put_into(text).as_deref(), Ok(expected));
            assert_eq!(
                file.put_into(expected).as_deref(),
                Ok(expected),
                "twice is once"
            );
            let back = file.remove_from(expected, Some(text));
            assert_eq!(back.trim_end(), text.trim_end());
        };
        let line = "/.apostille/memories.jsonl merge=union";
        check(SharingFile::Attributes, "", &format!("{line}\n"));
        check(
            SharingFile::Attributes,
            "*.png binary",
            &format!("*.png binary\n{line}\n"),
        );
        check(
            SharingFile::Attributes,
            "# ours\r\n* text=auto\r\n",
            &format!("# ours\r\n* text=auto\r\n{line}\r\n"),
        );
        check(
            SharingFile::Attributes,
            "*.jsonl merge=union\n",
            "*.jsonl merge=union\n",
        );
        check(
            SharingFile::Attributes,
            "*.jsonl -merge\n",
            &format!("*.jsonl -merge\n{line}\n"),
        );
        let (local, lock) = (
            "/.apostille/memories.local.jsonl",
            "/.apostille/memories.lock",
        );
        let rewrite = "/.apostille/memories.rewrite";
        check(
            SharingFile::Ignore,
            "",
            &format!("{local}\n{lock}\n{rewrite}\n"),
        );
        check(
            SharingFile::Ignore,
            "# mine\n*.lock\n",
            &format!("# mine\n*.lock\n{local}\n{rewrite}\n"),
        );
        check(
            SharingFile::Ignore,
            &format!("{lock}\n"),
            &format!("{lock}\n{local}\n{rewrite}\n"),
        );
        let store = "store = \"jsonl:.apostille/memories.jsonl\"";
        check(SharingFile::Config, "", &format!("{store}\n"));
        check(
            SharingFile::Config,
            "[task]\r\nnotes = true",
            &format!("{store}\r\n[task]\r\nnotes = true"),
        );
        check(
            SharingFile::Config,
            &format!("# us\n{store} # kept\n"),
            &format!("# us\n{store} # kept\n"),
        );
    }

    #[test]
    fn another_store_is_somebodys_word() {
        let check = |text: &str, why: &str| {
            assert!(
                SharingFile::Config
                    .put_into(text)
                    .unwrap_err()
                    .contains(why),
                "{text}"
            );
        };
        check("store = \"jsonl:notes.jsonl\"\n", "another store");
        check("store = 7\n", "another store");
        check("store = \n", "string");
    }

    #[test]
    fn the_last_line_decides() {
        let check = |text: &str, expected: bool| {
            assert_eq!(is_union_merged(text, STORE), expected, "{text}")
        };
        check("", false);
        check(".apostille/* merge=union", true);
        check(".apostille/** merge=union eol=lf", true);
        check("**/memories.jsonl text merge=union", true);
        check("memories.jsonl merge=union\n*.jsonl merge=binary", false);
        check("* -merge\n/.apostille/memories.jsonl merge=union", true);
        check("#/.apostille/memories.jsonl merge=union", false);
        check("/memories.jsonl merge=union", false);
        check("docs/*.jsonl merge=union", false);
        check("* text=auto", false);
    }
}
