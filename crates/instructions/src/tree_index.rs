//! The tree by its paths: what is there, under which folder, and by which last name.

use std::collections::{BTreeSet, HashMap};

use apostille_cite::{
    citation::RepoPath,
    source::{Source, SourceError},
};

use crate::ignore_rules::IgnoreRules;

/// Everything in a tree by its path.
pub(crate) struct TreeIndex<'a> {
    source: &'a dyn Source,
    files: BTreeSet<String>,
    folders: BTreeSet<String>,
    /// Files and folders by the last part of their path.
    by_name: HashMap<String, Vec<String>>,
    ignored: IgnoreRules,
}

impl<'a> TreeIndex<'a> {
    /// Lists a tree; `None` where the source cannot.
    pub(crate) fn read(source: &'a dyn Source) -> Result<Option<Self>, SourceError> {
        let Some(paths) = source.list_paths()? else {
            return Ok(None);
        };
        let files: BTreeSet<String> = paths.iter().map(ToString::to_string).collect();
        let folders = collect_folders(&files);
        let mut by_name: HashMap<String, Vec<String>> = HashMap::new();
        for path in files.iter().chain(&folders) {
            let name = split_last(path).1.to_owned();
            by_name.entry(name).or_default().push(path.clone());
        }
        let mut index = Self {
            source,
            files,
            folders,
            by_name,
            ignored: IgnoreRules::default(),
        };
        index.read_ignore_rules();
        Ok(Some(index))
    }

    fn read_ignore_rules(&mut self) {
        let mut found = self.paths_named(".gitignore");
        found.sort_by_key(|it| it.matches('/').count());
        let mut rules = IgnoreRules::default();
        for path in found {
            if let Some(text) = self.read_text(&path) {
                rules.add_file(&path[..path.len() - ".gitignore".len()], &text);
            }
        }
        self.ignored = rules;
    }

    /// How many files there are.
    pub(crate) fn n_files(&self) -> usize {
        self.files.len()
    }

    /// Every file.
    pub(crate) fn files(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(String::as_str)
    }

    /// Whether this is a folder of the tree; the root is one.
    pub(crate) fn is_folder(&self, path: &str) -> bool {
        path.is_empty() || self.folders.contains(path)
    }

    /// Whether this is a file of the tree.
    pub(crate) fn is_file(&self, path: &str) -> bool {
        self.files.contains(path)
    }

    /// Whether something is at a path: in the tree, behind a link or in a repository inside this one, where nobody looks,
    /// or only on the disk.
    pub(crate) fn has_path(&self, path: &str) -> bool {
        let mut above = path.match_indices('/').map(|it| &path[..it.0]);
        self.is_folder(path)
            || self.is_file(path)
            || above.any(|it| self.is_file(it) && !self.is_plain_file(it))
            || self.is_on_disk(path)
    }

    /// Whether nothing can be below an entry: a link and a repository are not read.
    fn is_plain_file(&self, path: &str) -> bool {
        let blob = path.parse().map(|it| self.source.read_file(&it));
        matches!(blob, Ok(Ok(Some(_))))
    }

    fn is_on_disk(&self, path: &str) -> bool {
        let Ok(path) = path.parse::<RepoPath>() else {
            return false;
        };
        // What cannot be read is there, or nobody can tell.
        !matches!(self.source.read_file(&path), Ok(None))
    }

    /// Whether git ignores a path.
    pub(crate) fn is_ignored(&self, path: &str) -> bool {
        self.ignored.is_ignored(path)
    }

    /// Every path whose last part is this name.
    pub(crate) fn paths_named(&self, name: &str) -> Vec<String> {
        self.by_name.get(name).cloned().unwrap_or_default()
    }

    /// The paths that end with this one, in whole parts.
    pub(crate) fn paths_ending_with(&self, path: &str) -> Vec<&str> {
        let behind = format!("/{path}");
        let named = self.by_name.get(split_last(path).1).into_iter().flatten();
        named
            .map(String::as_str)
            .filter(|it| *it == path || it.ends_with(&behind))
            .collect()
    }

    /// Whether a path stands for a file without its ending, such as `src/lib` or a module.
    pub(crate) fn has_stem(&self, path: &str) -> bool {
        let with_dot = format!("{path}.");
        let mut after = self.files.range(with_dot.clone()..);
        after.next().is_some_and(|it| it.starts_with(&with_dot))
    }

    /// The text of a file, where it is one that can be read.
    pub(crate) fn read_text(&self, path: &str) -> Option<String> {
        let blob = self.source.read_file(&path.parse().ok()?).ok()??;
        String::from_utf8(blob.bytes).ok()
    }
}

fn collect_folders(files: &BTreeSet<String>) -> BTreeSet<String> {
    let mut folders = BTreeSet::new();
    for file in files {
        let mut path = file.as_str();
        while let Some((above, _)) = path.rsplit_once('/') {
            if !folders.insert(above.to_owned()) {
                break;
            }
            path = above;
        }
    }
    folders
}

/// The folder of a path, empty for the root, and its last part.
pub(crate) fn split_last(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// A path below a folder, with `.` and `..` taken out; `None` where it leaves the tree.
pub(crate) fn join_paths(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|it| !it.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
