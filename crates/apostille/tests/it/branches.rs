//! A correction made on a branch: what each reader is told, in two working trees of one repository.

use std::path::PathBuf;

use serde_json::Value;

use crate::{
    env::{Env, Ran},
    hook,
};

const LIMIT: &str = "const MB: u64 = 1024 * 1024;\n\npub const MAX_UPLOAD: u64 = 25 * MB;\n";
const CORRECTION: &str = "uploads are limited to 25 MB by MAX_UPLOAD";

/// A repository with three facts, and a branch in a working tree beside it that raised the limit and said so.
struct Trees {
    env: Env,
}

impl Trees {
    fn new() -> Self {
        let env = Env::new();
        env.with_facts();
        let trees = Self { env };
        let feature = trees.feature();
        let place = feature.to_str().unwrap();
        trees
            .env
            .git(&["worktree", "add", "--quiet", "-b", "feature", place]);
        std::fs::write(feature.join("src/limits.rs"), LIMIT).unwrap();
        let message = ["commit", "--quiet", "--all", "--no-verify", "-m", "raise"];
        trees.env.git(&[&["-C", place], &message[..]].concat());
        trees
    }

    fn feature(&self) -> PathBuf {
        self.env.home().join("feature")
    }

    fn in_feature(&self, arguments: &[&str]) -> Ran {
        self.feed_in(self.feature(), arguments, "")
    }

    /// Runs the program in one of the trees, with something to read.
    fn feed_in(&self, tree: PathBuf, arguments: &[&str], input: &str) -> Ran {
        let mut command = self.env.command(arguments);
        command.current_dir(tree);
        self.env.feed(command, input)
    }

    fn correct(&self) -> Ran {
        let cite = ["--correct", "--cite", "src/limits.rs:3"];
        let words = [&["supersede", "m-2"], &cite[..], &[CORRECTION]].concat();
        self.in_feature(&words)
    }
}

fn json(ran: &Ran) -> Value {
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {ran}"))
}

fn handles(memories: &Value) -> Vec<&str> {
    let memories = memories.as_array().unwrap().iter();
    memories.map(|it| it["handle"].as_str().unwrap()).collect()
}

const QUESTION: [&str; 3] = ["--json", "recall", "how large may uploads be?"];

#[test]
fn each_tree_is_shown_what_is_true_there() {
    let trees = Trees::new();
    insta::assert_snapshot!("branch_correction", trees.correct());
    let here = json(&trees.env.run(&QUESTION));
    let there = json(&trees.in_feature(&QUESTION));
    assert!(handles(&here["memories"]).contains(&"m-2"), "{here}");
    assert!(!handles(&here["memories"]).contains(&"m-3"), "{here}");
    assert!(handles(&there["memories"]).contains(&"m-3"), "{there}");
    assert!(!handles(&there["memories"]).contains(&"m-2"), "{there}");
    for told in [&here, &there] {
        assert_eq!(told["withheld"], serde_json::json!([]), "{told}");
    }
    insta::assert_snapshot!("branch_list", trees.env.run(&["list"]));
    insta::assert_snapshot!("branch_show", trees.env.run(&["show", "m-3"]));
    insta::assert_snapshot!("branch_verify_main", trees.env.run(&["verify"]));
    insta::assert_snapshot!("branch_verify_feature", trees.in_feature(&["verify"]));
    let listed = json(&trees.env.run(&["--json", "list"]));
    let memories = listed["memories"].as_array().unwrap();
    let of = |handle: &str| memories.iter().find(|it| it["handle"] == handle).unwrap();
    assert_eq!(of("m-3")["replaces_once_merged"], "m-2");
    assert_eq!(of("m-2")["replaced_once_merged_by"], "m-3");
    assert_eq!(of("m-1").get("replaces_once_merged"), None);
    // Neither tree has anything to repair, and an audit finds no contradiction.
    assert_eq!(trees.env.run(&["verify", "--ci"]).code, 0);
    assert_eq!(trees.in_feature(&["verify", "--ci"]).code, 0);
    for class in ["contradiction", "near-duplicate", "stale"] {
        let audited = trees.in_feature(&["--json", "audit", "--only", class]);
        assert_eq!(json(&audited)["findings"], serde_json::json!([]), "{class}");
    }
}

#[test]
fn session_start_repairs_nothing_that_another_branch_says() {
    let trees = Trees::new();
    trees.correct();
    let check = |session: &str, more: &str| {
        let start = hook::hooked(
            &trees.env,
            session,
            "SessionStart",
            &serde_json::json!({"source": "startup"}),
        );
        let told = hook::context(&start);
        assert!(!told.contains("MAX_UPLOAD"), "{more}: {told}");
    };
    check(
        "s1",
        "before the merge the correction is not told as untrue",
    );
    trees.env.git(&["merge", "--quiet", "--no-edit", "feature"]);
    check("s2", "after it the old version is not");
}

#[test]
fn the_merge_decides() {
    let trees = Trees::new();
    trees.correct();
    trees.env.git(&["merge", "--quiet", "--no-edit", "feature"]);
    let shown = json(&trees.env.run(&QUESTION));
    assert!(handles(&shown["memories"]).contains(&"m-3"), "{shown}");
    let old = json(&trees.env.run(&["--json", "show", "m-2"]));
    assert_eq!(old["memory"]["status"], "superseded", "{old}");
    let new = json(&trees.env.run(&["--json", "show", "m-3"]));
    assert_eq!(new["memory"].get("replaces_once_merged"), None);
    assert_eq!(handles(&new["supersedes"]), ["m-2"]);
}

#[test]
fn an_export_carries_both_versions() {
    let trees = Trees::new();
    trees.correct();
    let exported = trees.env.command(&["export", "--format", "json"]).output();
    let exported = String::from_utf8(exported.unwrap().stdout).unwrap();
    let file = trees.env.beside("export.json", &exported);
    let other = ["--store", "sqlite:../other.db"];
    let import = ["import", &file, "--trust"];
    let ran = trees.env.person(&[&import[..], &other].concat());
    assert_eq!(ran.code, 0, "{ran}");
    let here = json(&trees.env.run(&[&QUESTION[..], &other].concat()));
    assert!(handles(&here["memories"]).contains(&"m-2"), "{here}");
    assert!(!handles(&here["memories"]).contains(&"m-3"), "{here}");
}

#[test]
fn a_hook_on_the_branch_says_what_is_true_there() {
    let trees = Trees::new();
    trees.correct();
    let prompt = |session: &str, tree: PathBuf| {
        let payload = serde_json::json!({
            "session_id": session,
            "cwd": tree,
            "hook_event_name": "UserPromptSubmit",
            "prompt": "how large may uploads be, and what is MAX_UPLOAD?",
        });
        let hook = ["hook", "--client", "claude-code", "UserPromptSubmit"];
        trees.feed_in(tree, &hook, &payload.to_string()).out
    };
    let (here, there) = (
        prompt("s-1", trees.env.repo()),
        prompt("s-2", trees.feature()),
    );
    assert!(here.contains("10 MB") && !here.contains("25 MB"), "{here}");
    assert!(
        there.contains("25 MB") && !there.contains("10 MB"),
        "{there}"
    );
}
