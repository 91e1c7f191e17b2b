//! A small reader of git's configuration files. Includes are not followed and nothing is run.

use std::collections::BTreeMap;
use std::{fmt, iter::Peekable, path::Path, str::Chars};

use apostille_cite::source::SourceResult;

use super::small_file::read_small_text_file;

/// The largest configuration file that is read.
const MAX_CONFIG: u64 = 4 * 1024 * 1024;

/// What a configuration file says, in its order: names as git prints them (`core.bare`, `remote.origin.url`), and values;
/// `None` for a key without `=`, which git takes for true.
#[derive(Clone, Default)]
pub(super) struct GitConfig {
    entries: Vec<(String, Option<String>)>,
}

impl GitConfig {
    /// Reads a configuration; lines that git would refuse are skipped.
    pub(super) fn parse(text: &str) -> Self {
        let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
        let mut parser = GitConfigParser {
            rest: text.chars().peekable(),
            header: None,
            entries: Vec::new(),
        };
        parser.read_entries();
        let entries = parser.entries;
        Self { entries }
    }

    /// Reads a configuration file; one that is not there says nothing.
    pub(super) fn read_file(path: &Path) -> SourceResult<Self> {
        Ok(read_small_text_file(path, MAX_CONFIG)?
            .as_deref()
            .map(Self::parse)
            .unwrap_or_default())
    }

    /// The value of `section.key`; the last one counts.
    pub(super) fn value(&self, section: &str, key: &str) -> Option<&str> {
        self.last_value(section, key)?.as_deref()
    }

    /// Whether `section.key` is set to something that git takes for true.
    pub(super) fn is_enabled(&self, section: &str, key: &str) -> bool {
        self.last_value(section, key)
            .is_some_and(|it| it.as_deref().is_none_or(is_git_true))
    }

    /// Every remote that has a URL, with its first one.
    pub(super) fn remote_urls(&self) -> BTreeMap<&str, &str> {
        let mut remotes = BTreeMap::new();
        for (name, url) in &self.entries {
            let remote = name.strip_prefix("remote.");
            if let (Some(remote), Some(url)) = (remote.and_then(|it| it.strip_suffix(".url")), url)
                && !url.is_empty()
            {
                remotes.entry(remote).or_insert(url.as_str());
            }
        }
        remotes
    }

    /// Whether a remote has promised contents that this clone was made without.
    pub(super) fn has_promisor(&self) -> bool {
        let is_promisor = |name: &str| name.starts_with("remote.") && name.ends_with(".promisor");
        self.value("extensions", "partialclone").is_some()
            || self.entries.iter().any(|it| is_promisor(&it.0))
    }

    fn last_value(&self, section: &str, key: &str) -> Option<&Option<String>> {
        let wanted = format!("{section}.{key}");
        let mut last_first = self.entries.iter().rev();
        last_first.find(|it| it.0 == wanted).map(|it| &it.1)
    }
}

/// Says how much there is, not what: URLs may hold credentials.
impl fmt::Debug for GitConfig {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Config({} entries)", self.entries.len())
    }
}

fn is_git_true(value: &str) -> bool {
    let value = value.to_ascii_lowercase();
    matches!(value.as_str(), "true" | "yes" | "on") || value.parse::<i64>().is_ok_and(|it| it != 0)
}

struct GitConfigParser<'a> {
    rest: Peekable<Chars<'a>>,
    /// The section and subsection that keys belong to; `None` before the first header and after a broken one.
    header: Option<String>,
    entries: Vec<(String, Option<String>)>,
}

impl GitConfigParser<'_> {
    fn read_entries(&mut self) {
        while let Some(c) = self.rest.next() {
            match c {
                '[' => self.header = self.read_header(),
                c if c.is_ascii_alphabetic() => self.read_entry(c),
                c if c.is_whitespace() => {}
                _ => self.skip_line(),
            }
        }
    }

    /// What follows `[`: `section]`, `section "Subsection"]`, or the old `section.subsection]`.
    fn read_header(&mut self) -> Option<String> {
        let name = self.read_name(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.'));
        self.skip_blanks();
        match self.rest.next()? {
            ']' => Some(name),
            '"' => {
                let subsection = self.read_subsection()?;
                self.skip_blanks();
                self.rest.next_if_eq(&']')?;
                Some(format!("{name}.{subsection}"))
            }
            _ => None,
        }
    }

    fn read_subsection(&mut self) -> Option<String> {
        let mut name = String::new();
        loop {
            match self.rest.next_if(|c| *c != '\n')? {
                '"' => return Some(name),
                '\\' => name.push(self.rest.next_if(|c| *c != '\n')?),
                c => name.push(c),
            }
        }
    }

    fn read_entry(&mut self, first: char) {
        let tail = self.read_name(|c| c.is_ascii_alphanumeric() || c == '-');
        let key = format!("{}{tail}", first.to_ascii_lowercase());
        self.skip_blanks();
        let value = match self.rest.peek() {
            Some('=') => {
                self.rest.next();
                Some(self.read_value())
            }
            None | Some('\n' | '#' | ';') => None,
            Some(_) => return self.skip_line(),
        };
        if let Some(header) = &self.header {
            self.entries.push((format!("{header}.{key}"), value));
        }
    }

    fn read_value(&mut self) -> String {
        let mut value = String::new();
        // Spaces count only between words, so they wait here for the next word.
        let mut blanks = String::new();
        let mut is_quoted = false;
        self.skip_blanks();
        while let Some(c) = self.rest.next_if(|c| *c != '\n') {
            match c {
                '#' | ';' if !is_quoted => {
                    self.skip_line();
                    break;
                }
                c if c.is_whitespace() && !is_quoted => blanks.push(c),
                c => {
                    value.push_str(&std::mem::take(&mut blanks));
                    match c {
                        '"' => is_quoted = !is_quoted,
                        '\\' => value.extend(self.rest.next().and_then(unescape_config_char)),
                        c => value.push(c),
                    }
                }
            }
        }
        value
    }

    fn read_name(&mut self, is_part: impl Fn(char) -> bool) -> String {
        let mut name = String::new();
        while let Some(c) = self.rest.next_if(|c| is_part(*c)) {
            name.push(c.to_ascii_lowercase());
        }
        name
    }

    fn skip_blanks(&mut self) {
        while self.rest.next_if(|c| matches!(c, ' ' | '\t')).is_some() {}
    }

    fn skip_line(&mut self) {
        while self.rest.next_if(|c| *c != '\n').is_some() {}
    }
}

/// What stands for a character behind a backslash; a line's end stands for nothing, the value goes on.
fn unescape_config_char(c: char) -> Option<char> {
    match c {
        '\n' => None,
        'n' => Some('\n'),
        't' => Some('\t'),
        'b' => Some('\u{8}'),
        c => Some(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remotes_are_read_as_git_reads_them() {
        let check = |text: &str, expected: &[(&str, &str)]| {
            let config = GitConfig::parse(text);
            assert_eq!(
                config.remote_urls().into_iter().collect::<Vec<_>>(),
                expected,
                "{text:?}"
            );
        };
        check(
            "[remote \"origin\"]\n\turl = https://h/o/n.git\n",
            &[("origin", "https://h/o/n.git")],
        );
        check("[REMOTE \"Origin\"]\r\n\tURL=a\r\n", &[("Origin", "a")]);
        check("[remote \"o\"] url = a # why\n", &[("o", "a")]);
        check("[remote \"o\"]\nurl = \"a # b\" ; c\n", &[("o", "a # b")]);
        check("[remote \"o\"]\nurl = a\\\nb\n", &[("o", "ab")]);
        check("[remote \"o\"]\nurl = a\nurl = b\n", &[("o", "a")]);
        check("[remote \"o\"]\nurl =\nurl = b\n", &[("o", "b")]);
        check("[remote \"a\\\"b\"]\nurl = c\n", &[("a\"b", "c")]);
        check("[remote.Old]\nurl = c\n", &[("old", "c")]);
        check("# [remote \"o\"]\n; x\n[core]\nurl = c\n", &[]);
        check(
            "[remote \"o\"]\n# url = a\n  url  =  a b  \n",
            &[("o", "a b")],
        );
        check(
            "[remote \"broken\nurl = a\n[remote \"o\"]\nurl = b\n",
            &[("o", "b")],
        );
        check("\u{feff}[remote \"o\"]\nurl = b", &[("o", "b")]);
        check("[include]\npath = /elsewhere\n[remote \"o\"]\nurl\n", &[]);
        check("", &[]);
    }

    #[test]
    fn flags_and_values_take_the_last_word() {
        let config = GitConfig::parse(
            "[core]\nbare\nbare = false\n[core]\n\tBare = Yes\n[extensions]\nobjectFormat = sha256",
        );
        assert!(config.is_enabled("core", "bare"));
        assert!(!config.is_enabled("core", "other"));
        assert_eq!(config.value("extensions", "objectformat"), Some("sha256"));
    }

    #[test]
    fn debug_output_holds_no_credentials() {
        let config = GitConfig::parse("[remote \"o\"]\nurl = https://user:s3cret@h/o/n\n");
        assert!(!format!("{config:?}").contains("s3cret"));
    }
}
