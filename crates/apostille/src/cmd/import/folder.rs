//! The files that are read: one that was named, or those of a folder that may be of a known format.

use std::fs;
use std::path::{Path, PathBuf};

use apostille_import::{foreign_file::ForeignFile, format::ForeignFormat};
use apostille_terminal::command_context::{CommandContext, CommandResult};
use apostille_workspace::error::CommandError;

/// The largest file that is read when it is named, and when it is come upon in a folder.
const MAX_BYTES: u64 = 256 * 1024 * 1024;
const MAX_FOUND_BYTES: u64 = 16 * 1024 * 1024;
/// How many files a folder may have, and how many folders deep they are looked for.
const MAX_FILES: usize = 1_000;
const MAX_DEPTH: usize = 6;
/// Folders whose name begins with a dot are passed over, except those that hold rules.
const DOTTED: [&str; 2] = [".cursor", ".github"];
/// Folders of other people's code, and of what a build made.
const FOREIGN: [&str; 3] = ["node_modules", "target", "vendor"];
/// How the names end of files that may be of a known format.
const ENDINGS: [&str; 5] = [".md", ".mdc", ".json", ".jsonl", ".cursorrules"];

/// A file that was read.
pub(super) struct ImportSourceFile {
    /// As it was named.
    pub(super) name: String,
    file_name: Option<String>,
    is_beside_index: bool,
    pub(super) text: String,
}

impl ImportSourceFile {
    /// What a parser is given.
    pub(super) fn as_foreign_file(&self) -> ForeignFile<'_> {
        ForeignFile {
            name: self.file_name.as_deref(),
            is_beside_index: self.is_beside_index,
            text: &self.text,
        }
    }

    /// Whether its name does not speak against a format.
    pub(super) fn can_be_format(&self, format: ForeignFormat) -> bool {
        let is_json = self
            .file_name
            .as_deref()
            .is_some_and(|it| it.ends_with(".json") || it.ends_with(".jsonl"));
        let wants_json = !matches!(
            format,
            ForeignFormat::Claude | ForeignFormat::Rules | ForeignFormat::BasicMemory
        );
        is_json == wants_json
    }
}

/// The file that was named, or the standard input.
pub(super) fn read_import_file(
    ctx: &CommandContext,
    path: &Path,
    name: &Path,
) -> CommandResult<ImportSourceFile> {
    if name == Path::new("-") {
        return Ok(ImportSourceFile {
            name: "-".into(),
            file_name: None,
            is_beside_index: false,
            text: strip_byte_order_mark(ctx.system.read_stdin()?),
        });
    }
    let shown = name.display().to_string();
    let failed = |why: String| CommandError::usage(format!("cannot read '{shown}': {why}"));
    if fs::metadata(path).is_ok_and(|it| it.len() > MAX_BYTES) {
        return Err(failed("it is larger than 256 MB".into()));
    }
    let text = fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
    Ok(build_import_file(path, shown, text))
}

fn build_import_file(path: &Path, name: String, text: String) -> ImportSourceFile {
    ImportSourceFile {
        name,
        file_name: path.file_name().map(|it| it.to_string_lossy().into_owned()),
        is_beside_index: path.with_file_name("MEMORY.md").is_file(),
        text: strip_byte_order_mark(text),
    }
}

/// A text without the mark that some systems put before it.
fn strip_byte_order_mark(text: String) -> String {
    text.strip_prefix('\u{feff}')
        .map(Into::into)
        .unwrap_or(text)
}

/// The files of a folder that may be of a known format, by name. What cannot be read is passed over.
pub(super) fn read_import_folder(root: &Path, name: &Path) -> CommandResult<Vec<ImportSourceFile>> {
    let mut paths = Vec::new();
    gather_import_paths(root, 0, &mut paths);
    if paths.len() > MAX_FILES {
        let name = name.display();
        return Err(CommandError::usage(format!(
            "'{name}' holds more than {MAX_FILES} files that could be memories"
        ))
        .with_hint("name a folder in it; nothing was imported"));
    }
    let read = |path: &PathBuf| {
        let text = fs::read_to_string(path).ok()?;
        let shown = name.join(path.strip_prefix(root).unwrap_or(path));
        Some(build_import_file(path, shown.display().to_string(), text))
    };
    let mut files: Vec<_> = paths.iter().filter_map(read).collect();
    files.retain(|it| !it.text.trim().is_empty());
    Ok(files)
}

/// Links are not followed: they may lead anywhere.
fn gather_import_paths(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let mut entries: Vec<_> = entries.flatten().collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Ok(what) = entry.metadata() else { continue };
        let is_wanted =
            ENDINGS.iter().any(|it| name.ends_with(it)) && what.len() <= MAX_FOUND_BYTES;
        let name = name.as_str();
        let is_open =
            (!name.starts_with('.') || DOTTED.contains(&name)) && !FOREIGN.contains(&name);
        if found.len() > MAX_FILES {
            return;
        } else if what.is_file() && is_wanted {
            found.push(entry.path());
        } else if what.is_dir() && depth < MAX_DEPTH && is_open {
            gather_import_paths(&entry.path(), depth + 1, found);
        }
    }
}
