//! Files that change together, counted over commits and sessions.
//!
//! A pair is ranked by the lower end of the interval of how often both change when one does (Wilson), so that five of five come before
//! two of two and behind forty of forty-five. The lift keeps out what changes with everything, such as a changelog.

use std::collections::BTreeMap;

/// Of a change of more files nobody learns what belongs together: a rename of everything, a formatter, an import.
const MAX_FILES: usize = 30;

/// From when on a pair is told.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CoChangeLimits {
    /// How often both changed, at least.
    pub support: u32,
    /// How many times more often than by chance.
    pub lift: f64,
    /// The lower end of the interval of how often both change when one does.
    pub share: f64,
}

impl Default for CoChangeLimits {
    fn default() -> Self {
        Self {
            support: 5,
            lift: 3.0,
            share: 0.3,
        }
    }
}

/// Two files that change together.
#[derive(Debug, Clone, PartialEq)]
pub struct FilePair {
    /// One of them.
    pub a: String,
    /// The other.
    pub b: String,
    /// How often both changed.
    pub both: u32,
    /// How often either changed.
    pub either: u32,
    /// How many times more often both changed than by chance.
    pub lift: f64,
    /// The lower end of the interval of the share.
    pub share: f64,
}

/// How often files changed, and how often together.
#[derive(Debug, Clone, Default)]
pub struct ChangeHistory {
    n_changes: u32,
    files: BTreeMap<String, u32>,
    pairs: BTreeMap<(String, String), u32>,
}

impl ChangeHistory {
    /// Counts changes: each one the files of a commit, or of a session.
    #[must_use]
    pub fn from_changes(changes: &[Vec<String>]) -> Self {
        let mut history = Self::default();
        for files in changes {
            history.add_change(files);
        }
        history
    }

    fn add_change(&mut self, files: &[String]) {
        let mut files: Vec<&String> = files.iter().collect();
        files.sort();
        files.dedup();
        if files.is_empty() || files.len() > MAX_FILES {
            return;
        }
        self.n_changes += 1;
        for (n, a) in files.iter().enumerate() {
            *self.files.entry((*a).clone()).or_default() += 1;
            for b in &files[n + 1..] {
                *self.pairs.entry(((*a).clone(), (*b).clone())).or_default() += 1;
            }
        }
    }

    /// How many changes were counted.
    #[must_use]
    pub fn n_changes(&self) -> u32 {
        self.n_changes
    }

    /// The files that changed so often at least.
    pub fn list_active_files(&self, support: u32) -> impl Iterator<Item = &str> {
        let is_active = move |it: &(&String, &u32)| *it.1 >= support;
        self.files
            .iter()
            .filter(is_active)
            .map(|(file, _)| file.as_str())
    }

    /// The pairs that are told, the surest first.
    #[must_use]
    pub fn find_pairs(&self, limits: &CoChangeLimits) -> Vec<FilePair> {
        let frequent = self.pairs.iter().filter(|it| *it.1 >= limits.support);
        let mut found: Vec<FilePair> = frequent
            .filter_map(|((a, b), both)| self.weigh_pair(a, b, *both))
            .filter(|it| it.lift >= limits.lift && it.share >= limits.share)
            .collect();
        found.sort_by(|x, y| {
            let by_share = y.share.total_cmp(&x.share);
            by_share.then_with(|| (&x.a, &x.b).cmp(&(&y.a, &y.b)))
        });
        found
    }

    fn weigh_pair(&self, a: &str, b: &str, both: u32) -> Option<FilePair> {
        let (in_a, in_b) = (*self.files.get(a)?, *self.files.get(b)?);
        let either = in_a + in_b - both;
        let expected = f64::from(in_a) * f64::from(in_b) / f64::from(self.n_changes);
        Some(FilePair {
            a: a.to_owned(),
            b: b.to_owned(),
            both,
            either,
            lift: f64::from(both) / expected,
            share: find_lower_share(both, either),
        })
    }
}

/// The lower end of Wilson's interval, with 95 % confidence.
#[must_use]
pub fn find_lower_share(n: u32, of: u32) -> f64 {
    const Z: f64 = 1.96;
    if of == 0 {
        return 0.0;
    }
    let (of, share) = (f64::from(of), f64::from(n) / f64::from(of));
    let centre = share + Z * Z / (2.0 * of);
    let half = Z * (share * (1.0 - share) / of + Z * Z / (4.0 * of * of)).sqrt();
    ((centre - half) / (1.0 + Z * Z / of)).max(0.0)
}

/// Whether anybody sees by the names that two files belong together: a file and its test, a manifest and its lock file.
#[must_use]
pub fn is_obvious_pair(pair: &FilePair) -> bool {
    let is_lock = |it: &str| {
        let name = it.rsplit('/').next().unwrap_or(it);
        name.contains("lock") || name == "go.sum"
    };
    let (a, b) = (name_stem(&pair.a), name_stem(&pair.b));
    is_lock(&pair.a) || is_lock(&pair.b) || a == b
}

/// The name of a file without what says that it is a test of another.
fn name_stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    let stem = stem.strip_prefix("test_").unwrap_or(stem);
    let ends = ["_test", "_tests", "-test", "_spec", "Test", "Tests"];
    let short = ends.iter().find_map(|it| stem.strip_suffix(it));
    short.unwrap_or(stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(files: &[&str]) -> Vec<String> {
        files.iter().map(|it| (*it).to_owned()).collect()
    }

    #[test]
    fn pairs_are_ranked_by_how_sure_they_are() {
        let mut changes = Vec::new();
        for n in 0..40 {
            changes.push(change(&["CHANGELOG.md", &format!("src/{n}.rs")]));
        }
        for _ in 0..20 {
            changes.push(change(&["CHANGELOG.md", "src/a.rs", "docs/a.md"]));
        }
        for _ in 0..5 {
            changes.push(change(&["src/b.rs", "docs/b.md"]));
        }
        // A change of everything tells nothing.
        let all: Vec<String> = (0..40).map(|n| format!("src/{n}.rs")).collect();
        changes.extend(vec![all; 9]);
        let history = ChangeHistory::from_changes(&changes);
        assert_eq!(history.n_changes(), 65);
        let pairs = history.find_pairs(&CoChangeLimits::default());
        let told: Vec<String> = pairs
            .iter()
            .map(|it| format!("{} {} {}/{}", it.a, it.b, it.both, it.either))
            .collect();
        assert_eq!(told, ["docs/a.md src/a.rs 20/20", "docs/b.md src/b.rs 5/5"]);
    }

    #[test]
    fn names_tell_what_is_obvious() {
        let check = |a: &str, b: &str, expected: bool| {
            let pair = FilePair {
                a: a.into(),
                b: b.into(),
                both: 9,
                either: 9,
                lift: 9.0,
                share: 0.9,
            };
            assert_eq!(is_obvious_pair(&pair), expected, "{a} {b}");
        };
        check("Cargo.lock", "Cargo.toml", true);
        check("src/api.py", "tests/test_api.py", true);
        check("pkg/api.go", "pkg/api_test.go", true);
        check("src/api.ts", "src/api.spec.ts", true);
        check("src/limits.rs", "docs/format.md", false);
    }
}
