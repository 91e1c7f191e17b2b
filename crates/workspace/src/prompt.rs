//! The parts of an agent's prompt that do not vary from run to run: the instruction files of the repository, and the
//! program's own fixed texts.

use std::fs;
use std::path::Path;

use apostille_cite::{citation::RepoPath, source::Source};
use apostille_tasks::task::prompt_version;
use apostille_text::digest::Digest;

/// The files at the root that agents read, in the order they count.
const FILES: [&str; 4] = [
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
    ".github/copilot-instructions.md",
];
/// The folder of rules, each a file.
const RULES: &str = ".cursor/rules";
/// How much of a file counts, and how many rules do.
const MAX_BYTES: u64 = 1024 * 1024;
const MAX_RULES: usize = 200;

/// The version of the prompt that agents are given in this repository, with these texts of ours, and the files that are part of it.
pub fn compute_repo_prompt_version(root: &Path, texts: &[(&str, &str)]) -> (Digest, Vec<String>) {
    let files = list_prompt_files(root);
    let files = files
        .into_iter()
        .filter_map(|name| Some((read_prompt_file(root, &name)?, name)));
    compute_version(files.collect(), texts)
}

/// The same of a tree that is not checked out; `None` where it cannot be read. A file that is a link there is left out.
pub fn compute_source_prompt_version(
    source: &dyn Source,
    texts: &[(&str, &str)],
) -> Option<(Digest, Vec<String>)> {
    let paths = source.list_paths().ok()??;
    let is_rule = |it: &&str| {
        let name = it.strip_prefix(RULES).and_then(|it| it.strip_prefix('/'));
        name.is_some_and(|it| !it.contains('/'))
    };
    let rules = paths.iter().map(RepoPath::as_str).filter(is_rule);
    let names = FILES.into_iter().chain(rules.take(MAX_RULES));
    let read = |name: &str| {
        let blob = source.read_file(&name.parse().ok()?).ok()??;
        let is_read = blob.bytes.len() as u64 <= MAX_BYTES;
        is_read.then(|| (blob.bytes, name.to_owned()))
    };
    Some(compute_version(names.filter_map(read).collect(), texts))
}

fn compute_version(files: Vec<(Vec<u8>, String)>, texts: &[(&str, &str)]) -> (Digest, Vec<String>) {
    let parts = files.iter().map(|(bytes, name)| (&**name, &**bytes));
    let texts = texts.iter().map(|(name, text)| (*name, text.as_bytes()));
    let version = prompt_version::compute_prompt_version(&parts.chain(texts).collect::<Vec<_>>());
    (version, files.into_iter().map(|it| it.1).collect())
}

fn list_prompt_files(root: &Path) -> Vec<String> {
    let rules = fs::read_dir(root.join(RULES)).into_iter().flatten();
    let mut rules: Vec<String> = rules
        .filter_map(|it| it.ok()?.file_name().into_string().ok())
        .collect();
    rules.sort_unstable();
    rules.truncate(MAX_RULES);
    let rules = rules.into_iter().map(|it| format!("{RULES}/{it}"));
    FILES.into_iter().map(String::from).chain(rules).collect()
}

/// What a file holds. Often one of them is a link to another: a link is followed within the repository, and not beyond.
fn read_prompt_file(root: &Path, name: &str) -> Option<Vec<u8>> {
    let root = fs::canonicalize(root).ok()?;
    let path = fs::canonicalize(root.join(name)).ok()?;
    let metadata = fs::metadata(&path).ok()?;
    let is_read = path.starts_with(&root) && metadata.is_file() && metadata.len() <= MAX_BYTES;
    is_read.then(|| fs::read(path).ok())?
}
