//! Who owns a file, by `CODEOWNERS` of the default branch.

/// How much of the file is read.
const MAX_LINES: usize = 5_000;
/// The longest pattern.
const MAX_PATTERN: usize = 300;

/// The people who own files. Teams are not: who is in one cannot be told from the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CodeOwners(Vec<OwnedPattern>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct OwnedPattern {
    pattern: String,
    owners: Vec<String>,
}

impl CodeOwners {
    /// Reads the file.
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        let lines = text.lines().take(MAX_LINES);
        let lines = lines.map(|it| it.split('#').next().unwrap_or_default());
        let read = |line: &str| {
            let mut words = line.split_whitespace();
            let pattern = words.next().filter(|it| it.len() <= MAX_PATTERN)?;
            let owners = words.filter_map(|it| it.strip_prefix('@'));
            let people = owners.filter(|it| !it.contains('/'));
            Some(OwnedPattern {
                pattern: pattern.to_owned(),
                owners: people.map(str::to_lowercase).collect(),
            })
        };
        Self(lines.filter_map(read).collect())
    }

    /// Whether this person owns the file. The last pattern that fits counts, as at the host.
    #[must_use]
    pub fn is_owner(&self, login: &str, path: &str) -> bool {
        let mut fitting = self.0.iter().rev();
        let fitting = fitting.find(|it| fits_path(&it.pattern, path));
        fitting.is_some_and(|it| it.owners.contains(&login.to_lowercase()))
    }
}

/// Whether a pattern of `CODEOWNERS` means a path: as in `.gitignore`, without ranges and negation.
fn fits_path(pattern: &str, path: &str) -> bool {
    let is_folder = pattern.ends_with('/');
    let bare = pattern.trim_end_matches('/');
    let is_rooted = bare.trim_start_matches('/').contains('/') || bare.starts_with('/');
    let bare = bare.trim_start_matches('/');
    let names: Vec<&str> = path.split('/').collect();
    let wanted: Vec<&str> = bare.split('/').collect();
    let starts = if is_rooted { 0..1 } else { 0..names.len() };
    starts.into_iter().any(|from| {
        let rest = names.get(from..).unwrap_or_default();
        // What a folder is called by means all that is in it; `docs/*` only what is directly there.
        let is_open = wanted.last().is_none_or(|it| *it != "*") || wanted.len() == 1;
        let ends = 1..=rest.len();
        ends.into_iter().any(|to| {
            let is_whole = to == rest.len();
            let is_below = is_open && !is_whole;
            (is_whole && !is_folder || is_below) && fits_names(&wanted, &rest[..to])
        })
    })
}

fn fits_names(wanted: &[&str], names: &[&str]) -> bool {
    match (wanted, names) {
        ([], []) => true,
        (["**", rest @ ..], _) => {
            (0..=names.len()).any(|it| fits_names(rest, names.get(it..).unwrap_or_default()))
        }
        ([want, wanted @ ..], [name, names @ ..]) => {
            fits_name(want.as_bytes(), name.as_bytes()) && fits_names(wanted, names)
        }
        _ => false,
    }
}

/// A name with `*` for any letters. Greedy, with one place to go back to, so that no pattern takes long.
fn fits_name(want: &[u8], name: &[u8]) -> bool {
    let (mut at, mut in_name, mut star) = (0, 0, None);
    while in_name < name.len() {
        if want.get(at) == Some(&b'*') {
            star = Some((at, in_name));
            at += 1;
        } else if want.get(at) == Some(&name[in_name]) || want.get(at) == Some(&b'?') {
            at += 1;
            in_name += 1;
        } else if let Some((place, from)) = star {
            star = Some((place, from + 1));
            at = place + 1;
            in_name = from + 1;
        } else {
            return false;
        }
    }
    want[at..].iter().all(|it| *it == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_pattern_that_fits_counts() {
        let owners = CodeOwners::from_text(
            "# all\n*  @alice @acme/core\n/docs/ @bob # people\n*.rs @carol\nsrc/api/** @Dan\nvendor/* @eve\n/only.txt @fay\nnone/\n",
        );
        let check = |login: &str, path: &str, expected: bool| {
            assert_eq!(owners.is_owner(login, path), expected, "{login} {path}");
        };
        check("alice", "README.md", true);
        check("ALICE", "README.md", true);
        check("alice", "docs/a.md", false);
        check("bob", "docs/a/b.md", true);
        check("bob", "src/docs/a.md", false);
        check("carol", "src/main.rs", true);
        check("carol", "src/api/x.rs", false);
        check("dan", "src/api/x.rs", true);
        check("eve", "vendor/a.c", true);
        check("eve", "vendor/a/b.c", false);
        check("fay", "only.txt", true);
        check("fay", "src/only.txt", false);
        check("alice", "none/x", false);
        check("core", "README.md", false);
    }

    #[test]
    fn hostile_pattern_takes_no_time() {
        let stars = "*a".repeat(140);
        let owners = CodeOwners::from_text(&format!("{stars} @mallory"));
        assert!(!owners.is_owner("mallory", &"a".repeat(60)));
    }
}
