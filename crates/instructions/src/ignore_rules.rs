//! What `.gitignore` files say: a path that git ignores is made by somebody, and is not missed in the tree.

/// One line of a `.gitignore` file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct IgnoreRule {
    /// The folder of the file that has it, with a slash at its end, or nothing for the root.
    folder: String,
    /// The pattern, without its first and last slash.
    pattern: String,
    is_anchored: bool,
    is_negated: bool,
}

/// The rules of a tree, the outermost file first. The last rule that matches counts.
#[derive(Debug, Clone, Default)]
pub(crate) struct IgnoreRules {
    rules: Vec<IgnoreRule>,
}

impl IgnoreRules {
    /// Adds the lines of the `.gitignore` file in a folder.
    pub(crate) fn add_file(&mut self, folder: &str, text: &str) {
        let rule = |line: &str| parse_ignore_line(folder, line);
        self.rules.extend(text.lines().filter_map(rule));
    }

    /// Whether git ignores a path, itself or through a folder above it. What is asked for may be a folder.
    pub(crate) fn is_ignored(&self, path: &str) -> bool {
        let ends = path.match_indices('/').map(|it| it.0);
        ends.map(|end| &path[..end])
            .any(|above| self.is_matched(above))
            || self.is_matched(path)
    }

    fn is_matched(&self, path: &str) -> bool {
        let last = self.rules.iter().rev().find(|it| it.matches(path));
        last.is_some_and(|it| !it.is_negated)
    }
}

impl IgnoreRule {
    fn matches(&self, path: &str) -> bool {
        let Some(path) = path.strip_prefix(&self.folder) else {
            return false;
        };
        if self.is_anchored {
            return matches_glob(self.pattern.as_bytes(), path.as_bytes());
        }
        let name = path.rsplit('/').next().unwrap_or(path);
        matches_glob(self.pattern.as_bytes(), name.as_bytes())
    }
}

fn parse_ignore_line(folder: &str, line: &str) -> Option<IgnoreRule> {
    let line = line.trim_end();
    let (is_negated, line) = match line.strip_prefix('!') {
        Some(rest) => (true, rest),
        None => (false, line.strip_prefix('\\').unwrap_or(line)),
    };
    if line.is_empty() || line.starts_with('#') {
        return None;
    }
    let bare = line.trim_end_matches('/');
    let is_anchored = bare.contains('/');
    // A pattern of a whole tree says which files are listed again behind it, not that everything is made.
    let pattern = bare.trim_start_matches('/').to_owned();
    let is_everything = pattern.bytes().all(|it| matches!(it, b'*' | b'/'));
    (!is_everything).then(|| IgnoreRule {
        folder: folder.to_owned(),
        pattern,
        is_anchored,
        is_negated,
    })
}

/// Whether a pattern matches a whole text: `*` and `?` within a part of a path, `**` across parts.
pub(crate) fn matches_glob(pattern: &[u8], text: &[u8]) -> bool {
    match pattern {
        [] => text.is_empty(),
        [b'*', b'*', b'/', rest @ ..] => {
            let mut starts = (0..text.len()).filter(|at| *at == 0 || text[at - 1] == b'/');
            starts.any(|at| matches_glob(rest, &text[at..]))
        }
        [b'*', b'*', rest @ ..] => (0..=text.len()).any(|at| matches_glob(rest, &text[at..])),
        [b'*', rest @ ..] => {
            let end = text.iter().position(|it| *it == b'/').unwrap_or(text.len());
            (0..=end).any(|at| matches_glob(rest, &text[at..]))
        }
        [b'?', rest @ ..] => text
            .split_first()
            .is_some_and(|(it, text)| *it != b'/' && matches_glob(rest, text)),
        [b'[', rest @ ..] => matches_class(rest, text),
        [b'\\', byte, rest @ ..] | [byte, rest @ ..] => text
            .split_first()
            .is_some_and(|(it, text)| it == byte && matches_glob(rest, text)),
    }
}

/// A class such as `[cod]` or `[!a-z]`, behind its opening bracket.
fn matches_class(pattern: &[u8], text: &[u8]) -> bool {
    let Some(end) = pattern.iter().skip(1).position(|it| *it == b']') else {
        return false;
    };
    let (class, rest) = (&pattern[..=end], &pattern[end + 2..]);
    let Some((byte, text)) = text.split_first() else {
        return false;
    };
    let (is_negated, class) = match class {
        [b'!' | b'^', class @ ..] => (true, class),
        class => (false, class),
    };
    let is_in_range = class
        .windows(3)
        .any(|it| it[1] == b'-' && (it[0]..=it[2]).contains(byte));
    (class.contains(byte) || is_in_range) != is_negated && matches_glob(rest, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_paths_follow_gits_rules() {
        let mut rules = IgnoreRules::default();
        rules.add_file(
            "",
            "/target\n*.log\n# no\nout/\n!keep.log\na/**/gen\n[Bb]uild\n*\n",
        );
        rules.add_file("web/", "/cache\nfig-?.png");
        let check =
            |path: &str, expected: bool| assert_eq!(rules.is_ignored(path), expected, "{path}");
        check("target/debug/x", true);
        check("sub/target/x", false);
        check("sub/a.log", true);
        check("sub/keep.log", false);
        check("sub/out/x.js", true);
        check("a/b/c/gen/x.rs", true);
        check("b/gen", false);
        check("build/x", true);
        check("web/cache/x", true);
        check("cache/x", false);
        check("web/fig-1.png", true);
        check("web/fig-12.png", false);
        check("src/lib.rs", false);
    }
}
