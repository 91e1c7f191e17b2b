//! The parts of an agent's prompt that do not vary from run to run: the instruction files of the repository, and the
//! program's own fixed texts.

use std::fs;
use std::path::Path;

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

/// The version of the prompt that agents are given in this repository, with these texts of ours.
pub fn compute_repo_prompt_version(root: &Path, texts: &[(&str, &str)]) -> Digest {
    let files: Vec<(Vec<u8>, String)> = list_prompt_files(root)
        .into_iter()
        .filter_map(|name| Some((read_prompt_file(root, &name)?, name)))
        .collect();
    let files = files.iter().map(|(bytes, name)| (&**name, &**bytes));
    let texts = texts.iter().map(|(name, text)| (*name, text.as_bytes()));
    prompt_version::compute_prompt_version(&files.chain(texts).collect::<Vec<_>>())
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
