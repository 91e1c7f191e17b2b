//! What a team needs in a repository to share its memories there: the name of the store, a way to merge it, and what
//! stays on everybody's own machine.

use std::path::Path;

use toml::Table;

/// Where a repository's memories are kept by default.
const STORE: &str = ".apostille/memories.jsonl";

/// A file of the repository that sharing needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SharingFile {
    /// The repository's settings, which name the store.
    Config,
    /// How git merges it.
    Attributes,
    /// What git passes over.
    Ignore,
}

impl SharingFile {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Config, Self::Attributes, Self::Ignore];

    /// Its name in the repository's folder.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Config => "apostille.toml",
            Self::Attributes => ".gitattributes",
            Self::Ignore => ".gitignore",
        }
    }

    /// The file of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.as_str() == name)
    }

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
        let lines = self.expected_lines().into_iter();
        match self {
            Self::Config if has_shared_store(text)? => Ok(text.to_owned()),
            Self::Config => Ok(prepend_lines(text, lines)),
            Self::Attributes if is_union_merged(text, STORE) => Ok(text.to_owned()),
            Self::Attributes => Ok(append_lines(text, lines)),
            Self::Ignore => {
                let is_missing = |(path, _): &(String, String)| !is_git_ignored(text, path);
                let missing = list_private_store_files(STORE)
                    .into_iter()
                    .zip(lines)
                    .filter(is_missing);
                Ok(append_lines(text, missing.map(|(_, line)| line)))
            }
        }
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

fn detect_newline(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// A key in front of everything else is in no table.
fn prepend_lines(text: &str, lines: impl Iterator<Item = String>) -> String {
    let newline = detect_newline(text);
    let lines: String = lines.map(|it| format!("{it}{newline}")).collect();
    format!("{lines}{text}")
}

fn append_lines(text: &str, lines: impl Iterator<Item = String>) -> String {
    let newline = detect_newline(text);
    let lines: String = lines.map(|it| format!("{it}{newline}")).collect();
    let gap = if text.is_empty() || text.ends_with('\n') || lines.is_empty() {
        ""
    } else {
        newline
    };
    format!("{text}{gap}{lines}")
}

/// Whether git keeps both sides' lines of this file when it merges: the last line that names it decides.
pub fn is_union_merged(attributes: &str, path: &str) -> bool {
    let merge = |line: &str| {
        let mut words = line.split_whitespace();
        let is_named = words.next().is_some_and(|it| matches_git_pattern(it, path));
        let is_merge =
            |it: &&str| it.trim_start_matches(['-', '!']).split('=').next() == Some("merge");
        words
            .rfind(|it| is_named && (is_merge(it) || *it == "binary"))
            .map(|it| it == "merge=union")
    };
    attributes
        .lines()
        .filter_map(merge)
        .next_back()
        .unwrap_or(false)
}

/// Whether git passes over this file.
fn is_git_ignored(ignore: &str, path: &str) -> bool {
    let lines = ignore
        .lines()
        .map(str::trim_end)
        .filter(|it| !it.is_empty() && !it.starts_with('#'));
    let said = |line: &str| match line.strip_prefix('!') {
        Some(pattern) => matches_git_pattern(pattern, path).then_some(false),
        None => matches_git_pattern(line, path).then_some(true),
    };
    lines.filter_map(said).next_back().unwrap_or(false)
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
        None => {
            pattern == whole
                || pattern
                    .strip_suffix('/')
                    .is_some_and(|it| is_inside_folder(path, it))
        }
        Some((start, end)) => {
            let middle = whole
                .strip_prefix(start)
                .and_then(|it| it.strip_suffix(end.trim_start_matches('*')));
            middle.is_some_and(|it| !it.contains('/') || end.starts_with('*'))
        }
    }
}

fn is_inside_folder(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder)
        .is_some_and(|it| it.starts_with('/'))
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
