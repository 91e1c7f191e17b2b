//! What a repository may name as its store, and is none: a pipe, a folder, a huge file, a file of its own.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use apostille_contract::sample_speaker;
use apostille_core::{forget::forget, memory::MemoryName, store::EventLog as _};
use apostille_stores::jsonl::JsonlStore;

use crate::rig::{fact, keep, space, with_context};

/// Why a store cannot be read and why it cannot be written, in the same words.
fn explain_refusal(path: &Path) -> String {
    let store = JsonlStore::open_from_repository(path, &space()).unwrap();
    let read = format!("{:?}", store.list_spaces().expect_err("read"));
    let written = format!(
        "{:?}",
        keep(&store, fact("the worker drains the queue")).expect_err("written")
    );
    for told in [&read, &written] {
        assert!(told.contains(path.to_str().unwrap()), "{told}");
    }
    read
}

fn list_names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|it| it.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn odd_files_are_refused_and_left_alone() {
    let check = |name: &str, make: &dyn Fn(&Path), expected: &str| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        make(&path);
        let told = explain_refusal(&path);
        assert!(told.contains(expected), "{name}: {told}");
        let after = list_names(folder.path());
        assert!(after.iter().all(|it| it == name), "{after:?}");
    };
    let text = |text: &'static str| move |path: &Path| fs::write(path, text).unwrap();
    let pipe = |path: &Path| {
        let made = Command::new("mkfifo").arg(path).status().unwrap();
        assert!(made.success());
    };
    let huge = |path: &Path| File::create(path).unwrap().set_len(400 << 20).unwrap();
    check("m.jsonl", &pipe, "is a pipe or a device, not a file");
    check(
        "m.jsonl",
        &|it| fs::create_dir(it).unwrap(),
        "is a folder, not a file",
    );
    check("m.jsonl", &huge, "is larger than 128 MB");
    check(
        "AGENTS.md",
        &text("# For agents\n\nRun the tests.\n"),
        "holds something else",
    );
    check(
        "settings.json",
        &text("{\n  \"hooks\": {}\n}\n"),
        "holds something else",
    );
    check("main.rs", &text("fn main() {}\n"), "holds something else");
    check(
        "data.jsonl",
        &text("{\"city\":\"Bonn\"}\n"),
        "holds something else",
    );
    check("README.md", &text(""), "does not end in .jsonl");
    check("NEW.md", &|_| {}, "does not end in .jsonl");
}

/// A user may name any file, too, and by mistake one that is no store.
#[test]
fn own_store_is_no_other_file() {
    let check = |name: &str, text: &str, expected: Option<&str>| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        let opened = JsonlStore::open(&path, &space());
        match expected {
            Some(expected) => {
                let told = format!("{:?}", opened.expect_err(name));
                assert!(told.contains(expected), "{name}: {told}");
                assert_eq!(fs::read_to_string(&path).unwrap(), text);
                assert_eq!(list_names(folder.path()), [name]);
            }
            None => {
                let store = opened.unwrap();
                keep(&store, fact("the worker drains the queue")).unwrap();
            }
        }
    };
    let other = Some("holds something else");
    let ours = "{\"v\":1,\"torn\n";
    check("AGENTS.md", "# For agents\n", other);
    check("AGENTS.md", &format!("# For agents\n{ours}"), other);
    check("settings.json", "{\n  \"hooks\": {}\n}\n", other);
    check("settings.json", "{\"hooks\":{}}", other);
    check("data.jsonl", "{\"city\":\"Bonn\"}\n", other);
    check("notes", "", None);
    check("notes", "\n\n", None);
    check("notes", &format!("\n{ours}"), None);
    check("m.jsonl", &format!("<<<<<<< HEAD\n{ours}"), None);
}

#[test]
fn pipes_beside_the_file_are_not_waited_for() {
    let check = |name: &str| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.jsonl");
        let store = JsonlStore::open_from_repository(&path, &space()).unwrap();
        let made = Command::new("mkfifo")
            .arg(folder.path().join(name))
            .status();
        assert!(made.unwrap().success());
        let used = || -> Result<(), Box<dyn std::error::Error>> {
            let kept = keep(&store, fact("the worker drains the queue"))?;
            let name = MemoryName::Id(kept.id);
            with_context(&store, |cx| {
                forget(cx, sample_speaker(), &[space()], name, "asked to")
            })?;
            Ok(())
        };
        let told = format!("{:?}", used().expect_err(name));
        assert!(told.contains("not a file"), "{name}: {told}");
    };
    check("m.lock");
    check("m.local.jsonl");
    check("m.rewrite");
}

#[test]
fn rewritten_file_keeps_its_mode() {
    let check = |mode: u32| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.jsonl");
        let store = JsonlStore::open_from_repository(&path, &space()).unwrap();
        let kept = keep(&store, fact("the worker drains the queue")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let name = MemoryName::Id(kept.id);
        with_context(&store, |cx| {
            forget(cx, sample_speaker(), &[space()], name, "asked to")
        })
        .unwrap();
        let after = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        assert_eq!(after, mode, "{after:o}");
    };
    check(0o600);
    check(0o640);
    check(0o664);
    check(0o666);
}
