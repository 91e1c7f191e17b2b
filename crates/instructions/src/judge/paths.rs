//! Whether a path is there, from which folder it may be meant, and where it is now.

use std::collections::BTreeSet;

use super::{Disagreement, MentionHome, MentionJudge, MentionJudgement};
use crate::{
    discover::is_instruction_file,
    doubt::{Doubt, find_doubt},
    finding::InstructionRule,
    mention::{CommandFolder, Mention, MentionForm, MentionKind, has_file_ending, read_bare_pair},
    symbols::WordUse,
    tree_index::{join_paths, split_last},
    word_list::is_listed,
};

/// Names of files that every folder may have: that one is left says nothing about another.
const COMMON_NAMES: &str = "mod.rs lib.rs main.rs index.ts index.js index.tsx index.mjs __init__.py __main__.py README.md \
    package.json Cargo.toml pyproject.toml main.go main.py types.ts utils.ts utils.py config.ts \
    config.py config.json config.yaml config.toml settings.json tsconfig.json conftest.py Makefile \
    setup.py AGENTS.md CLAUDE.md SKILL.md Dockerfile types.py test.ts constants.ts constants.py \
    models.py base.py errors.ts server.ts server.py client.ts client.py app.py app.ts cli.ts cli.py";

/// Folders that code lies in: a path that begins with one is a path, also where it is gone.
const USUAL_FOLDERS: &str = "src lib crates packages tests test scripts docs internal pkg cmd";

impl MentionJudge<'_> {
    /// Whether a file speaks of this tree: two of its paths are there.
    pub(super) fn knows_tree(&self, mentions: &[Mention]) -> bool {
        let paths = mentions
            .iter()
            .filter(|it| it.kind == MentionKind::Path && it.drawing.is_none());
        let paths: BTreeSet<&str> = paths.map(|it| it.name.trim_matches(['.', '/'])).collect();
        let is_there = |it: &&&str| it.contains('/') && !self.tree.paths_ending_with(it).is_empty();
        paths.iter().filter(is_there).count() >= 2
    }

    pub(super) fn judge_path(&self, mention: &Mention, home: &MentionHome) -> MentionJudgement {
        let path = mention.name.trim_end_matches('/').trim_start_matches("./");
        let bases = self.list_bases(mention, home.folder);
        let joined: Vec<String> = bases.iter().filter_map(|it| join_paths(it, path)).collect();
        if joined
            .iter()
            .any(|it| self.tree.has_path(it) || self.tree.has_stem(it))
            || self.is_elsewhere_in_tree(path)
            || self.is_symbol_of_module(path, &bases)
            || self.is_import_of_source(mention, &joined)
        {
            return MentionJudgement::Found;
        }
        if joined.is_empty() || path.contains("..") && mention.form != MentionForm::Link {
            return MentionJudgement::Doubted(Doubt::NoFolder);
        }
        if joined.iter().any(|it| self.tree.is_ignored(it)) {
            return MentionJudgement::Doubted(Doubt::Ignored);
        }
        // `sources/page_sources` may be two tables.
        let is_word = |it: &str| self.symbols.find_word(it) != Some(WordUse::Absent);
        if read_bare_pair(mention).is_some_and(is_word) {
            return MentionJudgement::Doubted(Doubt::Vague);
        }
        // Programs that read such files name them all, and those of other repositories are meant.
        if is_instruction_file(path) || is_tool_setting(mention, path) {
            return MentionJudgement::Doubted(Doubt::Elsewhere);
        }
        if let Some(doubt) = find_doubt(mention) {
            return MentionJudgement::Doubted(doubt);
        }
        let moved = self.find_moved(path, &bases);
        match self.find_anchor_doubt(mention, path, &bases, home) {
            Some(doubt) if moved.is_none() || !path.contains('/') => {
                MentionJudgement::Doubted(doubt)
            }
            _ => MentionJudgement::Wrong(self.describe_path(mention, &mention.name, moved)),
        }
    }

    /// Whether a path is a module with one of its names behind it: `lib/contracts.Job`.
    fn is_symbol_of_module(&self, path: &str, bases: &[String]) -> bool {
        let Some((module, symbol)) = path.rsplit_once('.') else {
            return false;
        };
        let is_module = |it: String| self.tree.has_stem(&it) || self.tree.is_folder(&it);
        let is_there = || {
            let joined = bases.iter().filter_map(|it| join_paths(it, module));
            joined.into_iter().any(is_module) || self.is_elsewhere_in_tree(module)
        };
        symbol.starts_with(|c: char| c.is_ascii_uppercase()) && module.contains('/') && is_there()
    }

    /// Whether a path is what TypeScript imports another file by: `import … from "kernel/types.js"` is `kernel/types.ts`.
    fn is_import_of_source(&self, mention: &Mention, joined: &[String]) -> bool {
        let is_import = || mention.near.sentence.to_lowercase().contains("import");
        let is_source = |it: &String| {
            let source = it.strip_suffix(".js").map(|it| format!("{it}.ts"));
            source.is_some_and(|it| !self.tree.paths_ending_with(&it).is_empty())
        };
        mention.name.ends_with(".js") && is_import() && joined.iter().any(is_source)
    }

    /// Whether a path is there from some other folder, or without the name of the repository before it.
    pub(super) fn is_elsewhere_in_tree(&self, path: &str) -> bool {
        let is_below = !self.tree.paths_ending_with(path).is_empty();
        let behind = path.split_once('/').map(|it| it.1);
        let is_behind = behind.is_some_and(|it| it.contains('/') && self.tree.has_path(it));
        let stem = format!("/{path}.");
        let is_stem = !has_file_ending(path)
            && path.contains('/')
            && self.tree.files().any(|it| it.contains(&stem));
        is_below || is_behind || is_stem
    }

    /// The folders that a path may be relative to.
    pub(super) fn list_bases(&self, mention: &Mention, home: &str) -> Vec<String> {
        let mut bases = vec![home.to_owned()];
        let ends = home.match_indices('/').map(|it| home[..it.0].to_owned());
        bases.extend(ends);
        bases.push(String::new());
        let near = format!(
            "{} {} {}",
            mention.headings.join(" "),
            mention.near.lead,
            mention.near.sentence
        );
        let words = near.split(|c: char| !(c.is_alphanumeric() || "_-./".contains(c)));
        let folders = words
            .map(|it| it.trim_matches('/'))
            .filter(|it| !it.is_empty() && self.tree.is_folder(it));
        bases.extend(folders.map(str::to_owned));
        if let CommandFolder::Below(folder) = &mention.folder {
            let below: Vec<String> = bases
                .iter()
                .filter_map(|it| join_paths(it, folder))
                .collect();
            bases.extend(below);
        }
        bases.dedup();
        bases
    }

    /// Why it is not sure that a path is one of this tree: none of it is there.
    fn find_anchor_doubt(
        &self,
        mention: &Mention,
        path: &str,
        bases: &[String],
        home: &MentionHome,
    ) -> Option<Doubt> {
        let Some((first, _)) = path.split_once('/') else {
            let is_sure = mention.form == MentionForm::Link;
            return (!is_sure).then_some(Doubt::Vague);
        };
        let is_file = has_file_ending(path);
        let start = if is_file || mention.name.ends_with('/') || mention.form == MentionForm::Link {
            first
        } else {
            split_last(path).0
        };
        let is_folder =
            |base: &String| join_paths(base, start).is_some_and(|it| self.tree.is_folder(&it));
        // A repository without a folder of such a name had one.
        let is_usual = home.knows_tree
            && is_listed(USUAL_FOLDERS, first)
            && (is_file || mention.name.ends_with('/'));
        if !is_usual && !bases.iter().any(is_folder) {
            return Some(Doubt::NoFolder);
        }
        // `package/part` may be what a package exports.
        let is_package = |base: &String| {
            let manifests = ["package.json", "Cargo.toml", "pyproject.toml", "go.mod"];
            join_paths(base, start).is_some_and(|it| {
                manifests
                    .iter()
                    .any(|name| self.tree.is_file(&format!("{it}/{name}")))
            })
        };
        let is_bare = start != first || !is_file && !mention.name.ends_with('/');
        (is_bare && !is_file && bases.iter().any(is_package)).then_some(Doubt::Elsewhere)
    }

    /// Where a path is now: in other letters, as a folder of its own, or at the one other place that has its last name.
    pub(super) fn find_moved(&self, path: &str, bases: &[String]) -> Option<String> {
        let joined = bases.iter().filter_map(|it| join_paths(it, path));
        let at_home = joined.flat_map(|it| self.find_renamed(&it)).next();
        at_home.or_else(|| self.find_elsewhere(path, bases))
    }

    fn find_renamed(&self, path: &str) -> Option<String> {
        let (stem, _) = path.rsplit_once('.').filter(|_| has_file_ending(path))?;
        let entries = ["mod.rs", "__init__.py", "index.ts", "index.js", "index.tsx"];
        let is_split = entries
            .iter()
            .any(|it| self.tree.is_file(&format!("{stem}/{it}")));
        if is_split {
            return Some(format!("{stem}/"));
        }
        let (folder, name) = split_last(path);
        let letters = |it: &str| it.replace(['-', '_'], "").to_lowercase();
        let wanted = letters(name);
        let beside = self.tree.files().find(|it| {
            let (other, it) = split_last(it);
            other == folder && letters(it) == wanted
        });
        beside.map(str::to_owned)
    }

    /// The one other place that has the last name of a path: in the whole tree for a file, below the same folder for a
    /// folder. A name that many things have says nothing.
    fn find_elsewhere(&self, path: &str, bases: &[String]) -> Option<String> {
        let (folder, name) = split_last(path);
        let is_file = has_file_ending(path);
        let found = self.tree.paths_named(name);
        let mut found: Vec<&String> = found
            .iter()
            .filter(|it| self.tree.is_file(it) == is_file)
            .collect();
        if !is_file {
            let above = self.find_folder_above(path, bases)?;
            found.retain(|it| it.starts_with(&above));
        }
        let [only] = found.as_slice() else {
            return None;
        };
        let beside = split_last(split_last(only).0).1;
        let is_beside = !beside.is_empty() && folder.split('/').any(|it| it == beside);
        // It went into a folder below the one that is named.
        let is_below = !folder.is_empty() && format!("/{only}").contains(&format!("/{folder}/"));
        let is_telling = is_telling_name(name) || is_file && (is_beside || is_below);
        (is_telling && !is_listed(COMMON_NAMES, name)).then(|| (*only).clone())
    }

    /// The innermost folder above a path that is there, with a slash at its end; the root is none.
    fn find_folder_above(&self, path: &str, bases: &[String]) -> Option<String> {
        let mut above = split_last(path).0;
        while !above.is_empty() {
            let joined = bases.iter().filter_map(|it| join_paths(it, above));
            if let Some(found) = joined
                .filter(|it| self.tree.is_folder(it))
                .max_by_key(String::len)
            {
                return Some(format!("{found}/"));
            }
            above = split_last(above).0;
        }
        None
    }

    pub(super) fn describe_path(
        &self,
        mention: &Mention,
        path: &str,
        moved: Option<String>,
    ) -> Disagreement {
        let thing = if path.ends_with('/') {
            "folder"
        } else {
            "file or folder"
        };
        let path = path.trim_end_matches('/');
        let written = if mention.drawing.is_some() {
            path
        } else {
            &mention.name
        };
        Disagreement {
            rule: if moved.is_some() {
                InstructionRule::Moved
            } else {
                InstructionRule::Gone
            },
            looked_for: format!("{thing} {path}"),
            looked_in: format!("{} files, from every folder", self.tree.n_files()),
            message: match &moved {
                Some(to) => format!("`{written}` is now `{to}`"),
                None => format!("`{written}` is not in the tree"),
            },
            now: moved,
        }
    }
}

/// Whether a path is in a hidden folder that a program of the reader's keeps its settings in.
fn is_tool_setting(mention: &Mention, path: &str) -> bool {
    let first = path.split('/').next().unwrap_or(path);
    let is_of_repository = [
        ".github",
        ".circleci",
        ".cargo",
        ".config",
        ".changeset",
        ".gitlab",
        ".husky",
    ]
    .contains(&first);
    first.starts_with('.') && !is_of_repository && mention.form != MentionForm::Link
}

/// Whether a name has two words, or a long one: another thing of the same name is then the same thing.
fn is_telling_name(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name);
    let has_words = stem.trim_matches('_').contains(['_', '-'])
        || stem.chars().skip(1).any(|c| c.is_ascii_uppercase());
    has_words && stem.len() >= 8 || stem.len() >= 10
}
