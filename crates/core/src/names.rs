//! What a memory names without citing it: files, scripts and symbols, found in the tree when it is written and looked up again
//! before it is shown.
//!
//! A person's plain statement has nothing that could be verified line by line. But "run scripts/smoke.sh before a release" is
//! surely to be checked once that script is gone. Only what the tree had when the memory was written counts: a name that was
//! never there may be meant otherwise.

use std::{cell::Cell, collections::BTreeSet};

use apostille_cite::{
    citation::{Citation, RepoPath},
    outline::normalise_item_path,
    source::{Source, SourceBlob},
};
use apostille_instructions::{
    InstructionFile, InstructionReport, JudgedMention, check_instructions, is_document,
};

use crate::{
    evidence::{NameKind, NamedThing},
    memory::Memory,
    space::Space,
};

/// How many names of a memory are looked up.
const MAX_NAMES: usize = 8;
/// How many files are read to find a symbol. Beyond it nobody can tell, and nothing is held against the memory.
const MAX_FILES: usize = 20_000;
/// A fact is read as an instruction file at the root would be.
const AS_FILE: &str = "AGENTS.md";

/// What a memory is to be looked up by beside its citations. What cites code is judged by that code, and what is kept for a
/// user goes with them into every repository.
pub(crate) fn name_things(
    fact: &str,
    space: &Space,
    citations: &[Citation],
    source: &dyn Source,
) -> Vec<NamedThing> {
    if space.is_user() || !citations.is_empty() {
        return Vec::new();
    }
    find_named_things(fact, source)
}

/// What a fact names that the tree has.
fn find_named_things(fact: &str, source: &dyn Source) -> Vec<NamedThing> {
    if !may_name_something(fact) {
        return Vec::new();
    }
    let left = Cell::new(MAX_FILES);
    let is_enough = || {
        left.set(left.get().saturating_sub(1));
        left.get() == 0
    };
    let Some(report) = check_fact(fact, source, &is_enough) else {
        return Vec::new();
    };
    let found = report
        .mentions
        .into_iter()
        .filter(|it| it.judged == "found");
    let mut names: Vec<NamedThing> = Vec::new();
    for name in found.map(to_named_thing) {
        if !names.contains(&name) && names.len() < MAX_NAMES {
            names.push(name);
        }
    }
    for name in &mut names {
        if name.kind == NameKind::Symbol {
            name.path = find_symbol_file(&name.name, source).map(|it| it.to_string());
        }
    }
    // A symbol that no file was found for could not be looked up quickly.
    names.retain(|it| it.kind != NameKind::Symbol || it.path.is_some());
    names
}

/// Programs whose scripts and targets a manifest declares.
const RUNNERS: &[&str] = &[
    "npm", "pnpm", "yarn", "bun", "make", "just", "task", "mise", "poe", "cargo", "python",
    "python3",
];

/// Whether a text has anything that could be a name, so that the tree has to be listed: most statements have not.
fn may_name_something(fact: &str) -> bool {
    let is_inside = |word: &str| word.trim_matches(['.', '/', ',', ')']).contains(['/', '.']);
    let is_name = |word: &str| RUNNERS.contains(&word) || is_inside(word);
    fact.contains('`') || fact.split_whitespace().any(is_name)
}

fn check_fact(
    fact: &str,
    source: &dyn Source,
    is_late: &dyn Fn() -> bool,
) -> Option<InstructionReport> {
    let file = InstructionFile {
        path: AS_FILE.parse().ok()?,
        text: fact.to_owned(),
    };
    check_instructions(&[file], source, is_late).ok()
}

fn to_named_thing(it: JudgedMention) -> NamedThing {
    let kind = match it.kind {
        "path" => NameKind::Path,
        "symbol" => NameKind::Symbol,
        _ => NameKind::Script,
    };
    NamedThing {
        kind,
        name: it.name,
        path: None,
    }
}

/// The first file of code that has a symbol's word.
fn find_symbol_file(symbol: &str, source: &dyn Source) -> Option<RepoPath> {
    let (word, mut found, mut left) = (last_word(symbol), None, MAX_FILES);
    let mut see = |path: &RepoPath, blob: &SourceBlob| {
        left -= 1;
        if has_word(path, &blob.bytes, &word) {
            found = Some(path.clone());
        }
        found.is_none() && left > 0
    };
    source.visit_files(&mut see).ok()?;
    found
}

/// The word by which a symbol is looked for: `Server::bind()` is found by `bind`.
fn last_word(symbol: &str) -> String {
    let path = normalise_item_path(symbol);
    path.rsplit("::").next().unwrap_or(&path).to_owned()
}

fn has_word(path: &RepoPath, bytes: &[u8], word: &str) -> bool {
    let is_word = |it: &u8| it.is_ascii_alphanumeric() || *it == b'_' || !it.is_ascii();
    !is_document(path.as_str())
        && bytes
            .split(|it| !is_word(it))
            .any(|it| it == word.as_bytes())
}

/// Looks up the names of memories in one tree, which is listed once at most.
pub(crate) struct NameLookup<'a> {
    source: &'a dyn Source,
    late: &'a dyn Fn() -> bool,
    paths: Option<Option<BTreeSet<RepoPath>>>,
}

impl<'a> NameLookup<'a> {
    pub(crate) fn new(source: &'a dyn Source, late: &'a dyn Fn() -> bool) -> Self {
        Self {
            source,
            late,
            paths: None,
        }
    }

    /// The names of a memory that are not there any more. What could not be looked up is not among them.
    pub(crate) fn list_missing_names(&mut self, memory: &Memory) -> Vec<String> {
        let names = memory.names.iter();
        names
            .filter(|it| !(self.late)() && self.is_missing(it, &memory.fact))
            .map(|it| it.name.clone())
            .collect()
    }

    fn is_missing(&mut self, name: &NamedThing, fact: &str) -> bool {
        match name.kind {
            NameKind::Path => self.is_path_missing(&name.name),
            NameKind::Script => is_script_missing(&name.name, fact, self.source),
            NameKind::Symbol => self.is_symbol_missing(name),
        }
    }

    fn is_path_missing(&mut self, name: &str) -> bool {
        let source = self.source;
        let paths = self
            .paths
            .get_or_insert_with(|| source.list_paths().ok().flatten());
        let name = name.trim_start_matches("./").trim_end_matches('/');
        let is_it = |path: &RepoPath| {
            let rest = path.as_str().strip_suffix(name);
            let is_file = rest.is_some_and(|it| it.is_empty() || it.ends_with('/'));
            is_file || format!("/{path}/").contains(&format!("/{name}/"))
        };
        paths.as_ref().is_some_and(|it| !it.iter().any(is_it))
    }

    fn is_symbol_missing(&self, name: &NamedThing) -> bool {
        let word = last_word(&name.name);
        let known = name.path.as_deref().and_then(|it| it.parse().ok());
        let is_there = |path: &RepoPath| {
            let blob = self.source.read_file(path).ok().flatten();
            blob.is_some_and(|it| has_word(path, &it.bytes, &word))
        };
        if known.as_ref().is_some_and(is_there) {
            return false;
        }
        let (mut is_found, mut left) = (false, MAX_FILES);
        let shown = self.source.visit_files(&mut |path, blob| {
            left -= 1;
            is_found |= has_word(path, &blob.bytes, &word);
            !is_found && left > 0 && !(self.late)()
        });
        // Only a search that saw every file can tell that something is nowhere.
        !is_found && left > 0 && !(self.late)() && shown.unwrap_or(false)
    }
}

/// Whether no manifest declares a script any more. Symbols are not searched for it.
fn is_script_missing(name: &str, fact: &str, source: &dyn Source) -> bool {
    let report = check_fact(fact, source, &|| true);
    report.is_some_and(|it| it.findings.iter().any(|it| it.name == name))
}
