//! The names that a tree's own manifests declare: scripts, targets, recipes, packages, tasks.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{
    mention::MentionKind,
    tree_index::{TreeIndex, split_last},
};

/// How many manifests of a kind are read.
const MAX_MANIFESTS: usize = 5_000;

/// The names of one kind, and where they were read.
#[derive(Debug, Default)]
pub(crate) struct DeclaredNames {
    /// The names.
    pub(crate) names: BTreeSet<String>,
    /// The files that declare such names, the outermost first.
    pub(crate) files: Vec<String>,
    /// Whether there may be names that cannot be read without running something.
    pub(crate) is_open: bool,
}

impl DeclaredNames {
    /// Reads all manifests that declare names of a kind.
    pub(crate) fn read(tree: &TreeIndex, kind: MentionKind) -> Self {
        let mut declared = Self::default();
        let mut files: Vec<&str> = tree.files().filter(|it| is_manifest(it, kind)).collect();
        files.sort_by_key(|it| it.matches('/').count());
        declared.is_open = files.len() > MAX_MANIFESTS;
        for file in files.into_iter().take(MAX_MANIFESTS) {
            declared.files.push(file.to_owned());
            match tree.read_text(file) {
                Some(text) => declared.add_manifest(kind, file, &text),
                None => declared.is_open = true,
            }
        }
        declared.add_target_files(tree, kind);
        declared
    }

    fn add_manifest(&mut self, kind: MentionKind, file: &str, text: &str) {
        match kind {
            MentionKind::Script => self.add_package_json(text),
            MentionKind::MakeTarget => self.add_makefile(text),
            MentionKind::JustRecipe => self.add_justfile(text),
            MentionKind::Task => self.add_taskfile(text),
            _ if split_last(file).1 == "Cargo.lock" => self.add_cargo_lock(text),
            _ => match text.parse() {
                Ok(table) => self.add_toml(kind, &table),
                Err(_) => self.is_open = true,
            },
        }
    }

    fn add_package_json(&mut self, text: &str) {
        let Ok(package) = serde_json::from_str::<Value>(text) else {
            self.is_open = true;
            return;
        };
        let scripts = package.get("scripts").and_then(Value::as_object);
        self.names
            .extend(scripts.into_iter().flat_map(|it| it.keys().cloned()));
    }

    /// Targets that are written out. A variable, a pattern for everything or a function may make others.
    fn add_makefile(&mut self, text: &str) {
        for line in text.lines() {
            let Some((targets, _)) = line.split_once(':').filter(|_| is_rule_line(line)) else {
                self.is_open |= line.contains("$(eval") || line.starts_with("define ");
                continue;
            };
            for target in targets.split_whitespace() {
                self.is_open |= target.contains(['$', '%']) && !target.contains('.');
                self.names.insert(target.to_owned());
            }
        }
        // The names that are declared as no files are targets, too.
        let phony = text.lines().filter_map(|it| it.strip_prefix(".PHONY:"));
        let names = phony.flat_map(str::split_whitespace).map(str::to_owned);
        self.names.extend(names);
    }

    fn add_justfile(&mut self, text: &str) {
        for line in text.lines() {
            self.is_open |= line.starts_with("mod ") || line.starts_with("mod? ");
            if let Some((name, _)) = line
                .strip_prefix("alias ")
                .and_then(|it| it.split_once(":="))
            {
                self.names.insert(name.trim().to_owned());
            } else if line.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '@'))
                && let Some((head, rest)) = line.split_once(':')
                && !rest.starts_with('=')
            {
                let name = head.split_whitespace().next().unwrap_or_default();
                self.names.insert(name.trim_start_matches('@').to_owned());
            }
        }
    }

    /// The keys below `tasks:`; included files make others.
    fn add_taskfile(&mut self, text: &str) {
        let mut indent = None;
        let mut is_in_tasks = false;
        for line in text.lines().filter(|it| !it.trim().is_empty()) {
            let depth = line.len() - line.trim_start().len();
            if depth == 0 {
                is_in_tasks = line.starts_with("tasks:");
                self.is_open |= line.starts_with("includes:");
            } else if is_in_tasks && depth == *indent.get_or_insert(depth) {
                let key = line.trim().trim_matches(['"', '\'']);
                let end = key.rfind(':').unwrap_or(key.len());
                self.names
                    .insert(key[..end].trim_matches(['"', '\'']).to_owned());
                self.is_open |= key.contains('*');
            }
        }
    }

    fn add_cargo_lock(&mut self, text: &str) {
        let names = text.lines().filter_map(|it| it.strip_prefix("name = "));
        self.names
            .extend(names.map(|it| it.trim_matches('"').to_owned()));
    }

    fn add_toml(&mut self, kind: MentionKind, table: &toml::Table) {
        let at = |keys: &[&str]| {
            let mut value = table.get(keys[0])?;
            for key in &keys[1..] {
                value = value.get(key)?;
            }
            Some(value)
        };
        let keys = |value: Option<&toml::Value>| -> Vec<String> {
            let table = value.and_then(toml::Value::as_table);
            table
                .into_iter()
                .flat_map(|it| it.keys().cloned())
                .collect()
        };
        let package = at(&["package", "name"]).and_then(toml::Value::as_str);
        match kind {
            MentionKind::CargoPackage => {
                self.names.extend(package.map(str::to_owned));
                let kinds = ["dependencies", "dev-dependencies", "build-dependencies"];
                self.names
                    .extend(kinds.iter().flat_map(|it| keys(table.get(*it))));
                self.names.extend(keys(at(&["workspace", "dependencies"])));
            }
            MentionKind::CargoBinary => {
                self.names.extend(package.map(str::to_owned));
                self.add_toml_names(table.get("bin"));
            }
            MentionKind::CargoTest => self.add_toml_names(table.get("test")),
            MentionKind::CargoExample => self.add_toml_names(table.get("example")),
            MentionKind::CargoAlias => {
                self.names.extend(package.map(str::to_owned));
                self.names.extend(keys(table.get("alias")));
            }
            MentionKind::PoeTask => {
                let tasks = at(&["tool", "poe", "tasks"]);
                // Other files, and functions of Python, may bring more.
                let is_split =
                    at(&["tool", "poe", "include"]).or(at(&["tool", "poe", "include_script"]));
                self.is_open |= is_split.is_some();
                self.names.extend(keys(tasks));
            }
            MentionKind::MiseTask => {
                self.is_open |= table.contains_key("task_config");
                self.names.extend(keys(table.get("tasks")));
            }
            _ => {}
        }
    }

    fn add_toml_names(&mut self, value: Option<&toml::Value>) {
        let tables = value.and_then(toml::Value::as_array).into_iter().flatten();
        let names = tables.filter_map(|it| it.get("name")?.as_str());
        self.names.extend(names.map(str::to_owned));
    }

    /// Names that are those of files: a program in `src/bin`, a test in `tests`.
    fn add_target_files(&mut self, tree: &TreeIndex, kind: MentionKind) {
        let folders: &[&str] = match kind {
            MentionKind::CargoBinary => &["src/bin"],
            MentionKind::CargoTest => &["tests"],
            MentionKind::CargoExample => &["examples"],
            MentionKind::MiseTask => &[
                "mise-tasks",
                ".mise/tasks",
                ".mise-tasks",
                "mise/tasks",
                ".config/mise/tasks",
            ],
            _ => return,
        };
        for file in tree.files() {
            for folder in folders {
                let below = format!("/{folder}/");
                let whole = format!("/{file}");
                let Some((_, rest)) = whole.rsplit_once(&below) else {
                    continue;
                };
                let name = rest.split('/').next().unwrap_or(rest);
                let name = name.split('.').next().unwrap_or(name);
                self.names.insert(name.to_owned());
                if kind == MentionKind::MiseTask {
                    self.names.insert(rest.replace('/', ":"));
                }
            }
        }
    }

    /// The declared name that is nearest to one that is not, if one is near.
    pub(crate) fn find_nearest(&self, name: &str) -> Option<&str> {
        let bare = |it: &str| it.replace(['-', '_', ':', '.'], "").to_lowercase();
        let wanted = bare(name);
        let near = |it: &&String| {
            let it = bare(it);
            let errors = apostille_text::typo::count_spelling_errors(&wanted, &it);
            let is_part = wanted.len() >= 4
                && it.len() >= 4
                && (it.starts_with(&wanted) || wanted.starts_with(&it));
            match errors {
                Some(n) => Some(usize::from(n)),
                None => is_part.then(|| 3 + it.len().abs_diff(wanted.len())),
            }
        };
        let found = self.names.iter().filter_map(|it| Some((near(&it)?, it)));
        found.min().map(|it| it.1.as_str())
    }
}

/// Whether a line of a Makefile begins a rule, and does not set a variable.
fn is_rule_line(line: &str) -> bool {
    let is_head = !line.starts_with(['\t', ' ', '#', '.']) || line.starts_with(".PHONY");
    let Some((head, rest)) = line.split_once(':') else {
        return false;
    };
    is_head && !head.contains('=') && !rest.starts_with('=') && !rest.starts_with(":=")
}

fn is_manifest(path: &str, kind: MentionKind) -> bool {
    let (folder, name) = split_last(path);
    match kind {
        MentionKind::Script => {
            name == "package.json" && !folder.split('/').any(|it| it == "node_modules")
        }
        MentionKind::MakeTarget => {
            matches!(
                name,
                "Makefile" | "makefile" | "GNUmakefile" | "Makefile.am"
            ) || name.ends_with(".mk")
                || name.starts_with("Makefile.")
        }
        MentionKind::JustRecipe => {
            name.eq_ignore_ascii_case("justfile") || name == ".justfile" || name.ends_with(".just")
        }
        MentionKind::Task => matches!(
            name.to_ascii_lowercase().as_str(),
            "taskfile.yml" | "taskfile.yaml" | "taskfile.dist.yml" | "taskfile.dist.yaml"
        ),
        MentionKind::CargoPackage => matches!(name, "Cargo.toml" | "Cargo.lock"),
        MentionKind::CargoBinary | MentionKind::CargoTest | MentionKind::CargoExample => {
            name == "Cargo.toml"
        }
        MentionKind::CargoAlias => {
            name == "Cargo.toml"
                || path.ends_with(".cargo/config.toml")
                || path.ends_with(".cargo/config")
        }
        MentionKind::PoeTask => matches!(name, "pyproject.toml" | "poe_tasks.toml"),
        MentionKind::MiseTask => {
            matches!(name, "mise.toml" | ".mise.toml") || path.ends_with("mise/config.toml")
        }
        MentionKind::Path | MentionKind::PythonModule | MentionKind::Symbol => false,
    }
}
