//! Which files a tool is used on. Reading counts: an agent reads before it edits.
//!
//! Only tools that a client's table names are looked at; those that come from elsewhere are not known to be about files.
//! Files that are edited are told apart from files that are read, because what cites them may be true no longer.

use super::payload::Payload;
use super::shell;

/// How many files one use of a tool is about, at most.
pub(crate) const MAX: usize = 8;
/// How many files one use of a tool edits, at most: a patch may be for many.
const MAX_WRITTEN: usize = 32;
/// How long a path may be.
const MAX_PATH: usize = 512;

/// Fields that hold a path, or a list of them.
const PATHS: &[&str] = &[
    "file_path",
    "filePath",
    "path",
    "notebook_path",
    "notebookPath",
    "absolute_path",
    "target_file",
    "files",
    "paths",
    "include",
];
/// Fields that hold a list of edits, each with a path.
const EDITS: &[&str] = &["edits", "replacements"];
/// Fields that hold a patch.
const PATCHES: &[&str] = &["command", "input", "patch"];
/// Fields that say where a command runs.
const FOLDERS: &[&str] = &[
    "working_directory",
    "workdir",
    "dir_path",
    "directory",
    "cwd",
];
/// What a patch writes before a file's name.
const HEADERS: &[&str] = &[
    "*** Update File: ",
    "*** Add File: ",
    "*** Delete File: ",
    "*** Move to: ",
];

/// Fields that hold the code that an edit replaces.
const REPLACED: &[&str] = &["old_string", "old_str", "oldString"];
/// How much of it is read, in bytes.
const MAX_REPLACED: usize = 16_000;

/// What a tool does with the files that it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileUse {
    Reads,
    Edits,
    /// It runs a command, which may do either.
    Runs,
}

/// The files that a tool is used on.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct TouchedPaths {
    /// All of them.
    pub(super) all: Vec<String>,
    /// Those that it edits, as far as words can tell.
    pub(super) written: Vec<String>,
}

/// The files that a tool is used on, by what it is given: it names them, or it runs a command that does. Some are given a
/// bare text.
pub(super) fn find_touched_paths(file_use: FileUse, input: &str) -> TouchedPaths {
    let object = Payload::parse_object(input);
    if file_use == FileUse::Runs {
        let (command, folder) =
            object.map_or_else(|| (input.to_owned(), None), |it| read_command(&it));
        return find_script_paths(&command, folder.as_deref());
    }
    // One client has a single tool for looking and for editing.
    let is_view = object
        .as_ref()
        .is_some_and(|it| it.first_text(&["command"]).as_deref() == Some("view"));
    let named = object.map_or_else(|| find_patch_paths(input), |it| find_named_paths(&it));
    let is_edit = file_use == FileUse::Edits && !is_view;
    TouchedPaths {
        written: normalize_touched_paths(&named, if is_edit { MAX_WRITTEN } else { 0 }),
        all: normalize_touched_paths(&named, MAX),
    }
}

/// The code that an edit replaces, as far as the tool says: its own fields, those of a list of edits, and what a patch takes
/// away or leaves beside it.
pub(super) fn find_replaced_text(input: &str) -> String {
    let object = Payload::parse_object(input);
    let texts = |it: &Payload| {
        let fields = REPLACED.iter().flat_map(|field| it.list_texts(field));
        fields.collect::<Vec<_>>()
    };
    let mut found = object.as_ref().map(texts).unwrap_or_default();
    let mut patches = vec![input.to_owned()];
    if let Some(object) = &object {
        let edits = EDITS.iter().flat_map(|it| object.list_objects(it));
        found.extend(edits.flat_map(|it| texts(&it)));
        let named = PATCHES.iter().flat_map(|it| object.list_texts(it));
        patches = named.collect();
    }
    let is_patch = |it: &&String| !find_patch_paths(it).is_empty();
    let patched = patches.iter().filter(is_patch).flat_map(|it| it.lines());
    found.extend(patched.filter_map(|it| Some(it.strip_prefix(['-', ' '])?.to_owned())));
    let mut text = found.join("\n");
    text.truncate(text.floor_char_boundary(MAX_REPLACED));
    text
}

fn normalize_touched_paths(found: &[String], limit: usize) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    for path in found.iter().filter_map(|it| normalize_touched_path(it)) {
        if paths.len() < limit && !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths
}

pub(crate) fn find_named_paths(input: &Payload) -> Vec<String> {
    let fields = PATHS.iter().flat_map(|it| input.list_texts(it));
    let edits = EDITS
        .iter()
        .flat_map(|it| input.list_objects(it))
        .filter_map(|it| it.first_text(PATHS));
    let patches = PATCHES
        .iter()
        .flat_map(|it| input.list_texts(it))
        .flat_map(|it| find_patch_paths(&it));
    fields.chain(edits).chain(patches).collect()
}

/// A command, and the folder that it runs in. It is a text, or a list of words whose last is the script of a shell.
pub(crate) fn read_command(input: &Payload) -> (String, Option<String>) {
    let words = input.list_texts("command");
    let command = match words.as_slice() {
        [shell, flag, script] if shell::is_shell_script(shell, flag) => script.clone(),
        words => words.join(" "),
    };
    (command, input.first_text(FOLDERS))
}

fn find_script_paths(command: &str, folder: Option<&str>) -> TouchedPaths {
    let patched = find_patch_paths(command);
    let named = shell::find_command_paths(command, folder);
    let texts = named.iter().map(|it| it.path.clone());
    let written = named.iter().filter(|it| it.is_written);
    let written = written.map(|it| it.path.clone());
    let join = |more: Vec<String>| [patched.clone(), more].concat();
    TouchedPaths {
        written: normalize_touched_paths(&join(written.collect()), MAX_WRITTEN),
        all: normalize_touched_paths(&join(texts.collect()), MAX),
    }
}

/// The files that a patch is for.
fn find_patch_paths(patch: &str) -> Vec<String> {
    let lines = patch.lines().map(str::trim_start);
    lines
        .filter_map(strip_patch_header)
        .map(str::to_owned)
        .collect()
}

/// The file that a line of a patch begins with.
pub(crate) fn strip_patch_header(line: &str) -> Option<&str> {
    HEADERS.iter().find_map(|it| line.strip_prefix(it))
}

/// A path on its own, or none when it cannot be one file's.
fn normalize_touched_path(path: &str) -> Option<String> {
    let path = path.trim();
    let path = path.strip_prefix("file://").unwrap_or(path);
    let path = path.strip_prefix("./").unwrap_or(path);
    let is_odd = |c: char| c.is_control() || matches!(c, '*' | '?');
    let is_one = !path.is_empty() && path.len() <= MAX_PATH && !path.contains(is_odd);
    is_one.then(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_in_many_ways() {
        let check = |input: &str, expected: &[&str]| {
            assert_eq!(
                find_touched_paths(FileUse::Reads, input).all,
                expected,
                "{input}"
            )
        };
        check(
            r#"{"file_path":"/w/src/a.rs","old_string":"x"}"#,
            &["/w/src/a.rs"],
        );
        check(r#"{"filePath":"./src/a.rs"}"#, &["src/a.rs"]);
        check(r#"{"files":["a.ts","b.ts","a.ts"]}"#, &["a.ts", "b.ts"]);
        check(r#"{"include":["src/**/*.ts","a.ts"]}"#, &["a.ts"]);
        check(
            r#"{"replacements":[{"filePath":"a"},{"filePath":"b"},{}]}"#,
            &["a", "b"],
        );
        check(r#"{"path":"file:///w/a.rs"}"#, &["/w/a.rs"]);
        check(
            r#"{"command":"*** Begin Patch\n*** Update File: a.rs\n*** Move to: b.rs\n@@\n-x\n+y\n"}"#,
            &["a.rs", "b.rs"],
        );
        check(
            "*** Begin Patch\n*** Add File: new.rs\n+x\n*** Delete File: old.rs\n",
            &["new.rs", "old.rs"],
        );
        check(r#"{"file_path":7}"#, &[]);
        check(r#"{"file_path":"a\nb"}"#, &[]);
        check("{}", &[]);
        check("", &[]);
    }

    #[test]
    fn replaced_code_is_read_from_edits_and_patches() {
        let check = |input: &str, expected: &str| {
            assert_eq!(find_replaced_text(input), expected, "{input}")
        };
        check(
            r#"{"file_path":"a.rs","old_string":"let x = 1;","new_string":"let x = 2;"}"#,
            "let x = 1;",
        );
        check(
            r#"{"filePath":"a","edits":[{"oldString":"one"},{"old_str":"two"},{}]}"#,
            "one\ntwo",
        );
        let patch = "*** Begin Patch\n*** Update File: a.rs\n@@\n same\n-old\n+new\n";
        check(patch, "same\nold");
        check(
            &serde_json::json!({ "input": patch }).to_string(),
            "same\nold",
        );
        check(r#"{"command":"sed -i s/-a/b/ x"}"#, "");
        check("", "");
    }

    #[test]
    fn a_command_is_a_text_or_words() {
        let check = |input: &str, expected: &[&str]| {
            assert_eq!(
                find_touched_paths(FileUse::Runs, input).all,
                expected,
                "{input}"
            )
        };
        check(r#"{"command":"cat src/a.rs"}"#, &["src/a.rs"]);
        check(
            r#"{"command":["bash","-lc","cat src/a.rs"]}"#,
            &["src/a.rs"],
        );
        check(r#"{"command":["cat","src/a.rs"]}"#, &["src/a.rs"]);
        check(
            r#"{"command":"cat a.rs","working_directory":"crates/x"}"#,
            &["crates/x/a.rs"],
        );
        check(r#"{"command":"cat a.rs","cwd":""}"#, &["a.rs"]);
        check(
            r#"{"command":"apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: src/a.rs\n+see docs/x.md\nEOF\n"}"#,
            &["src/a.rs"],
        );
        check("cat src/a.rs", &["src/a.rs"]);
    }

    #[test]
    fn edited_files_are_told_from_files_that_are_read() {
        let check = |file_use: FileUse, input: &str, expected: &[&str]| {
            assert_eq!(
                find_touched_paths(file_use, input).written,
                expected,
                "{input}"
            )
        };
        check(FileUse::Reads, r#"{"file_path":"a.rs"}"#, &[]);
        check(FileUse::Edits, r#"{"file_path":"a.rs"}"#, &["a.rs"]);
        check(FileUse::Edits, r#"{"command":"view","path":"a.rs"}"#, &[]);
        check(
            FileUse::Edits,
            r#"{"command":"str_replace","path":"a.rs"}"#,
            &["a.rs"],
        );
        check(
            FileUse::Edits,
            r#"{"command":"*** Begin Patch\n*** Update File: a.rs\n*** Delete File: b.rs\n"}"#,
            &["a.rs", "b.rs"],
        );
        check(FileUse::Runs, r#"{"command":"cat a.rs"}"#, &[]);
        check(
            FileUse::Runs,
            r#"{"command":"sed -i s/1/2/ a.rs"}"#,
            &["a.rs"],
        );
        check(
            FileUse::Runs,
            r#"{"command":"apply_patch <<'EOF'\n*** Update File: a.rs\n+cat b.rs\nEOF\n"}"#,
            &["a.rs"],
        );
    }

    #[test]
    fn there_are_never_too_many() {
        let files: Vec<String> = (0..100).map(|it| format!("f{it}.rs")).collect();
        let input = serde_json::json!({ "files": files, "command": files.join(" ") }).to_string();
        let edited = find_touched_paths(FileUse::Edits, &input);
        assert_eq!((edited.all.len(), edited.written.len()), (MAX, MAX_WRITTEN));
        assert_eq!(find_touched_paths(FileUse::Runs, &input).all.len(), MAX);
    }
}
