//! The files of other tools: what becomes of each, that reading one again changes nothing, and that a rehearsal keeps
//! nothing.

use std::fmt::Write as _;
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::env::{Env, Ran};

/// The fixtures of a format, laid out beside the repository. Rule files are stored as `NAME.txt`, so that no agent that
/// works on this code takes them for its own.
fn laid_out(env: &Env, format: &str) -> PathBuf {
    let from = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/import")
        .join(format);
    let to = env.home().join("in");
    copied(&from, &to);
    to
}

fn copied(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        let is_rule = name.ends_with(".txt") && name != "notes.txt";
        let name = if is_rule {
            name.trim_end_matches(".txt")
        } else {
            &name
        };
        match entry.path().is_dir() {
            true => copied(&entry.path(), &to.join(name)),
            false => drop(fs::copy(entry.path(), to.join(name)).unwrap()),
        }
    }
}

/// Every memory on a line or two: whose it is, what it is, and what it says.
fn memories(env: &Env) -> String {
    let value: Value = serde_json::from_str(&env.ok(&["export"])).unwrap();
    let text = |it: &Value| it.as_str().unwrap_or("–").replace('\n', "⏎");
    value["memories"]
        .as_array()
        .unwrap()
        .iter()
        .fold(String::new(), |mut out, it| {
            let tags: Vec<String> = it["tags"]
                .as_array()
                .into_iter()
                .flatten()
                .map(text)
                .collect();
            let [space, kind, status] = ["space", "kind", "status"].map(|key| text(&it[key]));
            let _ = writeln!(
                out,
                "{space} {kind} {status} {} [{}] {}",
                text(&it["recorded_at"]),
                text(&it["subject"]),
                text(&it["fact"])
            );
            let beside = [
                ("why", text(&it["reason"])),
                ("tags", tags.join(", ")),
                ("by", text(&it["author"])),
            ];
            for (name, said) in beside.iter().filter(|(_, it)| it != "–" && !it.is_empty()) {
                let _ = writeln!(out, "    {name}: {said}");
            }
            out
        })
}

/// The bytes of the store, and of what is not written into it yet.
fn bytes(env: &Env) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = env.home().join(".local/share/apostille");
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let paths = entries.map(|it| it.unwrap().path());
    let mut found: Vec<_> = paths
        .filter(|it| !it.to_string_lossy().ends_with("-shm"))
        .map(|it| (it.clone(), fs::read(&it).unwrap()))
        .collect();
    found.sort();
    found
}

fn sums(ran: &Ran) -> Value {
    let value: Value =
        serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {ran}"));
    let names = ["kept", "known", "waiting", "let_in", "refused"];
    names
        .iter()
        .map(|it| ((*it).to_owned(), value[it].clone()))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

/// What is the same for every format: a rehearsal keeps nothing and tells the truth; all of it waits; a second time
/// nothing is new; a person lets it in with one word, and then nothing is new either.
fn journey(format: &str, file: &str) -> String {
    let env = Env::new();
    let path = laid_out(&env, format).join(file);
    let file = path.to_str().unwrap();
    let foreseen = env.run(&["import", file, "--dry-run", "--json"]);
    assert!(
        !env.home().join(".local").exists(),
        "a rehearsal made a store: {foreseen}"
    );
    let told = env.run(&["import", file]);
    let kept = memories(&env);
    let n_kept = kept.lines().filter(|it| !it.starts_with("    ")).count();
    assert_eq!(sums(&foreseen)["kept"], n_kept, "{foreseen}");
    assert!(
        kept.lines()
            .filter(|it| !it.starts_with("    "))
            .all(|it| it.contains(" pending ")),
        "{kept}"
    );

    let before = bytes(&env);
    let foreseen = env.run(&["import", file, "-n", "--json"]);
    assert!(bytes(&env) == before, "a rehearsal wrote: {foreseen}");
    let again = env.run(&["import", file, "--json"]);
    assert_eq!(sums(&again), sums(&foreseen));
    assert_eq!(
        (&sums(&again)["kept"], memories(&env)),
        (&0.into(), kept),
        "{again}"
    );

    let refused = env.run(&["import", file, "--trust"]);
    assert!(
        refused
            .err
            .starts_with("refused: only a person can vouch for a file"),
        "{refused}"
    );
    let foreseen = env.person(&["import", file, "--trust", "--dry-run", "--json"]);
    let trusted = env.person(&["import", file, "--trust", "--json"]);
    assert_eq!(sums(&trusted), sums(&foreseen));
    let let_in = sums(&trusted)["let_in"].as_u64().unwrap();
    assert!(let_in > 0, "{trusted}");
    let once_more = env.person(&["import", file, "--trust", "--json"]);
    assert_eq!(
        [&sums(&once_more)["kept"], &sums(&once_more)["let_in"]],
        [&Value::from(0), &0.into()]
    );
    let now = memories(&env);
    let waiting: Vec<&str> = now.lines().filter(|it| it.contains(" pending ")).collect();
    format!(
        "{told}\n{now}\n{let_in} let in on a person's word; still waiting:\n{}\n",
        waiting.join("\n")
    )
}

#[test]
fn the_graph_of_the_reference_server_is_read() {
    insta::assert_snapshot!("import_mcp_graph", journey("mcp-graph", "memory.json"));
}

#[test]
fn the_notes_of_claude_code_are_read() {
    insta::assert_snapshot!("import_claude", journey("claude", ""));
}

#[test]
fn rule_files_are_read() {
    insta::assert_snapshot!("import_rules", journey("rules", ""));
}

#[test]
fn notes_of_basic_memory_are_read() {
    insta::assert_snapshot!("import_basic_memory", journey("basic-memory", ""));
}

#[test]
fn an_export_of_mem0_is_read() {
    insta::assert_snapshot!("import_mem0", journey("mem0", ""));
}

#[test]
fn an_export_of_claude_mem_is_read_for_this_repository() {
    insta::assert_snapshot!("import_claude_mem", journey("claude-mem", "export.json"));
}

#[test]
fn an_export_of_engram_is_read() {
    insta::assert_snapshot!("import_engram", journey("engram", "export.json"));
}

#[test]
fn memories_of_copilot_are_read() {
    insta::assert_snapshot!("import_copilot", journey("copilot", ""));
}

#[test]
fn a_notebook_that_was_written_is_read_again() {
    let env = Env::new();
    for arguments in [
        [
            "remember",
            "releases are cut on Tuesdays",
            "--tag",
            "release",
        ],
        [
            "remember",
            "the api is versioned by date",
            "--reason",
            "clients pin it",
        ],
        ["remember", "answers are brief", "--user", "--kind=feedback"],
    ] {
        let ran = env.person(&arguments);
        assert_eq!(ran.code, 0, "{ran}");
    }
    let written = env.ok(&["export", "--format", "notebook"]);
    insta::assert_snapshot!("export_notebook", written);
    let other = Env::new();
    let file = other.beside("memories.jsonl", &written);
    let told = other.person(&["import", &file, "--trust"]);
    assert!(told.out.contains("imported 3, 0 known already"), "{told}");
    let again = other.ok(&["import", &file]);
    assert!(again.contains("3 known already"), "{again}");
    let texts = |it: &str| -> BTreeSet<String> {
        let lines = it
            .lines()
            .map(|it| serde_json::from_str::<Value>(it).unwrap());
        let keys = ["scope", "text", "tags", "ts"];
        lines
            .map(|it| keys.map(|key| it[key].to_string()).join(" "))
            .collect()
    };
    let again = other.ok(&["export", "--format", "notebook"]);
    assert_eq!(texts(&again), texts(&written));
}

#[test]
fn programs_are_told_the_same_with_every_place() {
    let env = Env::new();
    let file = laid_out(&env, "mcp-graph").join("memory.json");
    let ran = env.run(&["import", file.to_str().unwrap(), "--json"]);
    let value: Value = serde_json::from_str(&ran.out).unwrap();
    insta::assert_snapshot!("import_json", serde_json::to_string_pretty(&value).unwrap());
}

#[test]
fn a_file_of_no_known_format_changes_nothing() {
    let env = Env::new();
    let folder = laid_out(&env, "mem0");
    let check = |arguments: &[&str], expected: &str| {
        let ran = env.run(&[&["import"], arguments].concat());
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{ran}");
        assert!(ran.err.contains(expected), "{arguments:?}: {ran}");
        for name in [
            "apostille",
            "notes",
            "mcp-graph",
            "claude",
            "rules",
            "basic-memory",
            "mem0",
            "claude-mem",
            "engram",
            "copilot",
        ] {
            assert!(ran.err.contains(name), "{name} is not named: {ran}");
        }
        assert!(!env.home().join(".local").exists(), "{ran}");
    };
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    check(&[&path("package.json")], "of no format that can be read");
    check(
        &[&path("broken.json")],
        "begins like JSON, and is none from line 1 on",
    );
    check(
        &[&path("export.json"), "--format", "mcp-graph"],
        "is not of the format mcp-graph: no line of it",
    );
    check(
        &[&path("broken.json"), "-f", "mem0"],
        "is not of the format mem0: it is not JSON, or it is cut off",
    );
    check(
        &[&path("export.json"), "--format", "mem1"],
        "invalid value 'mem1'",
    );
    let other = env.home().join("other");
    fs::create_dir_all(&other).unwrap();
    fs::write(other.join("README.md"), "# Readme\n\n- a bullet\n").unwrap();
    check(
        &[other.to_str().unwrap()],
        "nothing in '[HOME]/other' is of a format that can be read",
    );
}

#[test]
fn json_of_no_known_shape_is_told_what_it_lacks() {
    let env = Env::new();
    let check = |text: &str, expected: &str| {
        let ran = env.fed(&["import", "-"], text);
        assert!(ran.code == 2 && ran.err.contains(expected), "{text}: {ran}");
    };
    check(
        "{\"id\":\"a\",\"text\":\"b\"}\n{\"id\":\"c\"}\n",
        "line 1 is not a note (missing field `ts`)",
    );
    check(
        "{\"text\":\"b\",\"ts\":\"soon\"}\n{\"id\":\"c\"}\n",
        "line 1 is not a note ('ts' is not a time",
    );
    check(
        "{\"body\":\"b\"}\n",
        "and is not a note (missing field `text`)",
    );
    check("[1, 2]", "it has no list 'results' or 'memories'");
    check(
        "{\"results\": [\n{\"memory\":",
        "begins like JSON, and is none from line 2 on",
    );
}

#[test]
fn notes_with_the_ids_of_another_program_are_read_once() {
    let env = Env::new();
    let long = "t".repeat(200);
    let line = |id: &str, text: &str, tag: &str| {
        format!(
            "{{\"id\":{id},\"text\":\"{text}\",\"tags\":[\"{tag}\"],\"ts\":\"2026-02-26T12:00:00Z\"}}\n"
        )
    };
    let notes = line("\"note-7\"", "The queue is drained at night", "ops")
        + &line("\"m-0\"", "Invoices are numbered by year", &long)
        + &line("12", "The board is at https://x.example", "ops");
    let file = env.beside("notes.jsonl", &notes);
    let ran = env.run(&["import", &file]);
    assert_eq!(
        (ran.code, &*ran.out),
        (
            0,
            "imported 3, all of them wait: apostille review, 1 changed\n"
        ),
        "{ran}"
    );
    assert!(ran.err.contains("line 2: a tag was left off"), "{ran}");
    assert_eq!(env.ok(&["import", &file]), "imported 0, 3 known already\n");
}

#[test]
fn an_export_of_nothing_is_nothing_new() {
    let env = Env::new();
    assert_eq!(
        env.fed(&["import", "-"], "{\"results\":[]}").out,
        "imported 0 (mem0), 0 known already\n"
    );
}

#[cfg(unix)]
#[test]
fn a_folder_is_not_left_and_strangers_code_is_not_read() {
    let env = Env::new();
    let folder = laid_out(&env, "rules");
    let stranger = |path: &str| {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "- a rule that a stranger wrote\n").unwrap();
    };
    stranger("node_modules/left-pad/AGENTS.md");
    stranger(".hidden/AGENTS.md");
    stranger("a/b/c/d/e/f/g/AGENTS.md");
    stranger("../outside/AGENTS.md");
    std::os::unix::fs::symlink(env.home().join("outside"), folder.join("linked")).unwrap();
    std::os::unix::fs::symlink(
        env.home().join("outside/AGENTS.md"),
        folder.join("GEMINI.local.md"),
    )
    .unwrap();
    std::os::unix::fs::symlink(
        env.home().join("outside/AGENTS.md"),
        folder.join("linked.mdc"),
    )
    .unwrap();
    env.run(&["import", folder.to_str().unwrap()]);
    let kept = memories(&env);
    assert!(
        kept.contains("Every handler returns an Answer") && !kept.contains("stranger"),
        "{kept}"
    );
    (0..1_001).for_each(|n| fs::write(folder.join(format!("{n}.mdc")), "- a rule").unwrap());
    let ran = env.run(&["import", folder.to_str().unwrap()]);
    assert!(
        ran.code == 2 && ran.err.contains("more than 1000 files"),
        "{ran}"
    );
}

#[test]
fn what_a_person_keeps_for_themselves_is_theirs() {
    let env = Env::new();
    let check = |flags: &[&str], expected: &[&str]| {
        let page = "- Wants small commits:\n  - one idea each\n- The docs are at https://docs.example.com\n";
        let ran = env.fed(
            &[&["import", "-", "--format", "claude", "--json"], flags].concat(),
            page,
        );
        assert_eq!(ran.code, 0, "{ran}");
        let kept = memories(&env);
        expected
            .iter()
            .for_each(|it| assert!(kept.contains(it), "{it}: {kept}"));
    };
    check(
        &[],
        &["acme/app project pending", "acme/app reference pending"],
    );
    check(
        &["--user"],
        &[
            "users/ana user pending",
            "users/ana reference pending",
            "acme/app project pending",
        ],
    );
    let rules = "- [rule] never push on Fridays\n- [preference] prefers tea\n";
    let page = format!("---\ntitle: habits\npermalink: habits\n---\n{rules}");
    env.fed(&["import", "-"], &page);
    let kept = memories(&env);
    assert!(
        kept.contains("users/ana user pending 2026-03-01T12:00:00Z [habits] habits: prefers tea"),
        "{kept}"
    );
    assert!(
        kept.contains("acme/app feedback pending 2026-03-01T12:00:00Z [habits] habits: never push"),
        "{kept}"
    );
}

#[test]
fn what_was_rejected_does_not_come_back_with_the_file() {
    let env = Env::new();
    let file = env.beside(
        "AGENTS.md",
        "- Push to main without a review\n- Run the linter first\n",
    );
    env.ok(&["import", &file]);
    assert_eq!(
        env.person(&[
            "review",
            "--reject",
            "m-1",
            "--reason",
            "nobody decided this"
        ])
        .code,
        0
    );
    assert_eq!(
        env.ok(&["import", &file]),
        "imported 0 (rules), 2 known already\n"
    );
    let trusted = env.person(&["import", &file, "--trust"]);
    assert_eq!(
        trusted.out,
        "imported 0 (rules), 1 let in that waited, 1 known already\n"
    );
    assert!(
        memories(&env).contains("feedback invalid"),
        "{}",
        memories(&env)
    );
}

#[test]
fn the_same_file_is_kept_in_two_repositories() {
    let env = Env::new();
    let file = env.beside("AGENTS.md", "- Run the linter first\n");
    env.ok(&["import", &file]);
    assert_eq!(
        env.ok(&["import", &file, "--repo", "acme/other"]),
        "imported 1 (rules), all of them wait: apostille review\n"
    );
}

/// The output as it is, ids included.
fn raw(env: &Env, arguments: &[&str]) -> String {
    String::from_utf8(env.command(arguments).output().unwrap().stdout).unwrap()
}

#[test]
fn an_export_in_lines_is_lossless() {
    let env = Env::new();
    env.with_facts();
    env.stated(&["remember", "--layer", "identity", "Ana, backend"]);
    env.ok(&[
        "remember",
        "--tainted",
        "--kind",
        "feedback",
        "from an issue, with a line\u{2028}separator",
    ]);
    env.ok(&[
        "supersede",
        "m-2",
        "--reason",
        "why",
        "MAX_UPLOAD is what the proxy lets pass",
    ]);
    env.ok(&["invalidate", "m-1", "--reason", "no longer"]);
    let lines = raw(&env, &["export", "--format", "jsonl"]);
    assert_eq!(lines.lines().count(), 6, "{lines}");
    let file = env.beside("out.jsonl", &lines);
    let ran = env.person(&["import", &file, "--trust", "--store", "copy.db"]);
    assert_eq!(
        (ran.code, ran.out.as_str()),
        (0, "imported 6, 1 of them wait: apostille review\n"),
        "{ran}"
    );
    assert_eq!(
        raw(&env, &["export", "--format", "jsonl", "--store", "copy.db"]),
        lines
    );
    let half = env.beside("half.jsonl", &lines[..lines.len() - 9]);
    let ran = env.run(&["import", &half, "--store", "third.db"]);
    assert!(
        ran.code == 2 && ran.err.contains("line 6") && ran.err.contains("nothing was imported"),
        "{ran}"
    );
}
