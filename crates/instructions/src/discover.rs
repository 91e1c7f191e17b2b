//! Which files of a tree tell agents what to do.

use std::collections::BTreeSet;

use apostille_cite::citation::RepoPath;

use crate::{tree_index::split_last, word_list::is_listed};

/// Names that instruction files have in any folder.
const NAMES: &str =
    "AGENTS.md AGENT.md CLAUDE.md GEMINI.md .cursorrules .windsurfrules .clinerules";

/// Folders of other repositories' files, and of what tests are fed with.
const FOREIGN: &str =
    "node_modules vendor third_party testdata fixtures __fixtures__ templates template";

/// The instruction files of a tree, in order.
pub fn find_instruction_files(paths: &BTreeSet<RepoPath>) -> Vec<RepoPath> {
    let is_wanted = |it: &&RepoPath| is_instruction_file(it.as_str());
    paths.iter().filter(is_wanted).cloned().collect()
}

/// Whether a path is that of an instruction file.
pub(crate) fn is_instruction_file(path: &str) -> bool {
    let (folder, name) = split_last(path);
    let is_foreign = folder.split('/').any(|it| is_listed(FOREIGN, it));
    let is_cursor_rule = path.starts_with(".cursor/rules/") && name.ends_with(".mdc");
    let is_copilot = path == ".github/copilot-instructions.md"
        || folder == ".github/instructions" && name.ends_with(".instructions.md");
    !is_foreign && (is_listed(NAMES, name) || is_cursor_rule || is_copilot)
}
