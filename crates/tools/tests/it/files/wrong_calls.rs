//! Every text that says why something was not done.

use serde_json::{Value, json};

use super::{create, delete, insert, rename, replace, stocked, tried, view, wrong};
use crate::world::World;

const NOTES: &str = "/memories/notes.md";
const MISSING: &str = "The path /memories/no.md does not exist. Please provide a valid path.";

/// In a world with a file in every scope, each call is answered by this text and not done.
fn check(rows: &[(Value, &str)]) {
    let world = stocked().called_by_agent();
    for (arguments, expected) in rows {
        assert_eq!(wrong(&world, arguments.clone()), *expected, "{arguments}");
    }
}

#[test]
fn view_errors() {
    let lines = |range: [i64; 2]| json!({"command": "view", "path": NOTES, "view_range": range});
    check(&[
        (view("/memories/no.md"), MISSING),
        (
            lines([0, 2]),
            "Error: Invalid view_range: [0, 2]. The file has the lines [1, 6].",
        ),
        (
            lines([3, 2]),
            "Error: Invalid view_range: [3, 2]. The file has the lines [1, 6].",
        ),
        (
            lines([7, -1]),
            "Error: Invalid view_range: [7, -1]. The file has the lines [1, 6].",
        ),
    ]);
}

#[test]
fn create_errors_of_paths() {
    check(&[
        (create(NOTES, "x"), "File /memories/notes.md already exists"),
        (
            create("/memories/work", "x"),
            "File /memories/work already exists",
        ),
        (create("/memories", "x"), "File /memories already exists"),
        (
            create("/memories/session", "x"),
            "File /memories/session already exists",
        ),
        (
            create("/memories/tasks/", "x"),
            "File /memories/tasks already exists",
        ),
        (
            create("/memories/notes.md/more.md", "x"),
            "/memories/notes.md is a file and not a directory; choose another path",
        ),
        (
            create("/memories/tasks/loose.md", "x"),
            "a task's notes stand in a folder of their own; create them as in /memories/tasks/fix-login-race/notes.md",
        ),
        (
            create("/memories/tasks/Fix Login/a.md", "x"),
            "'Fix Login' is not a task slug; write it in kebab-case, as in /memories/tasks/fix-login-race/a.md",
        ),
    ]);
}

#[test]
fn create_errors_of_texts() {
    check(&[
        (
            create("/memories/other.md", "Prefers tabs\n"),
            "nothing was written: /memories/work/style.md says exactly this already; edit or rename that file",
        ),
        (
            create("/memories/empty.md", " \n"),
            "fact is empty; say what was learned in a sentence; a file that is of no more use is deleted",
        ),
        (
            create("/memories/repo/bare.md", "Builds are slow."),
            "a project memory needs a citation of the code that proves it, as in src/api.rs:12-18, or words of the user \
             or a run of a command in this session that show it; name the code in file_text, as in a last line `Citations: \
             src/api.rs:12-18`, or keep a preference in /memories/",
        ),
        (
            create("/memories/repo/far.md", "It says so in src/none.rs:4."),
            "cannot cite src/none.rs:4: there is no such file",
        ),
        (
            create("/memories/todo.md", "TODO: add tests"),
            "this reads like ephemeral task state (it will be stale tomorrow; put it into the task's notes, \
             or keep the lesson); what matters for now goes to /memories/session/ \
             or /memories/tasks/<task-slug>/",
        ),
    ]);
}

#[test]
fn str_replace_errors() {
    check(&[
        (
            replace(NOTES, "six", "x"),
            "No replacement was performed, old_str `six` did not appear verbatim in /memories/notes.md.",
        ),
        (
            replace(NOTES, "", "x"),
            "No replacement was performed, old_str `` did not appear verbatim in /memories/notes.md.",
        ),
        (
            replace(NOTES, "two", "x"),
            "No replacement was performed. Multiple occurrences of old_str `two` in lines: 2, 4. Please ensure it is \
             unique",
        ),
        (replace("/memories/no.md", "a", "b"), MISSING),
        (
            replace("/memories/work", "a", "b"),
            "The path /memories/work is not a file.",
        ),
    ]);
}

#[test]
fn insert_errors() {
    check(&[
        (
            insert(NOTES, 7, "x"),
            "Invalid `insert_line` parameter: 7. It should be within the range [0, 6].",
        ),
        (
            insert(NOTES, -1, "x"),
            "Invalid `insert_line` parameter: -1. It should be within the range [0, 6].",
        ),
        (insert("/memories/no.md", 0, "x"), MISSING),
        (
            insert("/memories", 0, "x"),
            "The path /memories is not a file.",
        ),
    ]);
}

#[test]
fn delete_errors() {
    check(&[
        (
            delete("/memories/no.md"),
            "The path /memories/no.md does not exist",
        ),
        (
            delete("/memories"),
            "Cannot delete the /memories directory itself",
        ),
        (
            delete("/memories/session/"),
            "Cannot delete the /memories/session directory itself",
        ),
        (
            delete("/memories/tasks"),
            "Cannot delete the /memories/tasks directory itself",
        ),
    ]);
}

#[test]
fn rename_errors() {
    const ACROSS: &str = "Error: Cannot rename across different memory scopes.";
    check(&[
        (
            rename("/memories/no.md", "/memories/a.md"),
            "The path /memories/no.md does not exist",
        ),
        (
            rename("/memories/work", "/memories/play"),
            "The path /memories/work is not a file. Rename its files one by one.",
        ),
        (
            rename(NOTES, "/memories/work/style.md"),
            "The destination /memories/work/style.md already exists",
        ),
        (
            rename(NOTES, NOTES),
            "The destination /memories/notes.md already exists",
        ),
        (rename(NOTES, "/memories/session/notes.md"), ACROSS),
        (rename(NOTES, "/memories/repo/notes.md"), ACROSS),
        (
            rename(
                "/memories/tasks/fix-login/log.md",
                "/memories/tasks/other/log.md",
            ),
            ACROSS,
        ),
    ]);
}

#[test]
fn repository_facts_are_created_and_viewed_only() {
    let (world, path) = (stocked(), "/memories/repo/api.md");
    let check = |arguments: Value, word: &str| {
        let expected = format!(
            "Error: The '{word}' operation is not supported for repository memories at {path}. Only 'create' is \
             allowed for /memories/repo/."
        );
        assert_eq!(wrong(&world, arguments), expected);
    };
    check(replace(path, "a", "b"), "str_replace");
    check(insert(path, 0, "x"), "insert");
    check(delete(path), "delete");
    check(rename(path, "/memories/repo/b.md"), "rename");
}

#[test]
fn paths_do_not_lead_out() {
    const TRAVERSAL: &str = "Error: Path traversal is not allowed";
    let world = stocked();
    let check = |path: &str, expected: &str| {
        for arguments in [
            view(path),
            create(path, "x"),
            delete(path),
            rename("/memories/notes.md", path),
        ] {
            assert_eq!(wrong(&world, arguments.clone()), expected, "{arguments}");
        }
    };
    check(
        "/etc/passwd",
        "Path must start with /memories, got: /etc/passwd",
    );
    check(
        "memories/a.md",
        "Path must start with /memories, got: memories/a.md",
    );
    check(
        "/memoriesx/a.md",
        "Path must start with /memories, got: /memoriesx/a.md",
    );
    check("", "Path must start with /memories, got: ");
    for path in [
        "/memories/../etc/passwd",
        "/memories/..",
        "/memories/a/../../b",
        "/memories/./a",
        "/memories/a/.",
        "/memories//a",
        "/memories/a//b",
        "/memories/a\\..\\b",
        "/memories/%2e%2e/b",
        "/memories/%%32%65%%32%65/b",
        "/memories/%c0%ae%c0%ae/b",
        "/memories/%u2215b",
        "/memories/C:../b",
        "/memories/%2E%2e%2fb",
        "/memories/%252e%252e/b",
        "/memories/a%5cb",
        "/memories/a%00b",
        "/memories/a\0b",
        "/memories/.../b",
        "/memories/.. /b",
    ] {
        check(path, TRAVERSAL);
    }
    check(
        "/memories/.env",
        "'.env' begins with a dot, and hidden names are not kept; choose another name",
    );
    check(
        "/memories/a\u{7}b",
        "'ab' has characters that cannot be seen; choose another name",
    );
    check(
        "/memories/a\u{200b}b",
        "'ab' has characters that cannot be seen; choose another name",
    );
    check(
        "/memories/ a",
        "' a' begins or ends with a space; choose another name",
    );
    check(
        "/memories/1/2/3/4/5/6/7",
        "7 levels below /memories, at most 6 are kept; choose a shorter path",
    );
    check(
        &format!("/memories/{}", "a".repeat(191)),
        "a path has at most 200 characters; choose a shorter one",
    );
}

#[test]
fn malformed_calls_are_faults() {
    let check = |arguments: Value, expected: &str| {
        let error = tried(&World::verified(), None, arguments).unwrap_err();
        assert_eq!(error.to_string(), expected);
    };
    check(json!({}), "command: it is required");
    check(Value::Null, "command: it is required");
    check(json!({"command": 1}), "command: expected a text");
    check(
        json!({"command": "eat"}),
        "command: expected view, create, str_replace, insert, delete or rename",
    );
    check(json!({"command": "view"}), "path: it is required");
    check(
        json!({"command": "view", "path": 1}),
        "path: expected a text",
    );
    check(
        json!({"command": "view", "path": "/memories", "view_range": [1]}),
        "view_range: expected two numbers, the first and the last line",
    );
    check(
        json!({"command": "view", "path": "/memories", "view_range": [1, "x"]}),
        "view_range[1]: expected a whole number",
    );
    check(
        json!({"command": "create", "path": "/memories/a"}),
        "file_text: it is required",
    );
    check(
        json!({"command": "str_replace", "path": "/memories/a", "old_str": "a"}),
        "new_str: it is required",
    );
    check(
        json!({"command": "insert", "path": "/memories/a", "insert_text": "a"}),
        "insert_line: it is required",
    );
    check(
        json!({"command": "insert", "path": "/memories/a", "insert_line": 1}),
        "insert_text: it is required",
    );
    check(
        json!({"command": "rename", "old_path": "/memories/a"}),
        "new_path: it is required",
    );
}
