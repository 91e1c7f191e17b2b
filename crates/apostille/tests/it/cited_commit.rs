//! A caller that says at which commit it read: the lines are read there and followed to now.

use std::process::Command;

use serde_json::{Value, json};

use crate::{
    env::Env,
    mcp::{Era, Talk},
};

fn head(env: &Env) -> String {
    let repo = env.repo();
    let output = Command::new("git")
        .args(["-C", repo.to_str().unwrap(), "rev-parse", "HEAD"])
        .output();
    let text = String::from_utf8(output.unwrap().stdout).unwrap();
    text.trim().to_owned()
}

/// Has an agent store a fact in this folder that cites the third line of a file at a commit.
fn store(env: &Env, folder: &str, fact: &str, path: &str, sha: &str) -> Value {
    let folder = env.home().join(folder);
    let arguments = ["--profile", "verified"];
    let mut talk = Talk::new(env, &folder, &arguments, Era::Legacy, json!({}));
    let place = json!({"path": path, "line_start": 3, "line_end": 3, "sha": sha});
    let stated = json!({"subject": "limits", "fact": fact, "citations": [place]});
    let (answer, _) = talk.call("memory_store", stated);
    talk.end();
    answer
}

const FACT: &str = "MAX_UPLOAD is 10 MB";

#[test]
fn citation_is_read_at_its_commit_and_followed_to_now() {
    let env = Env::new();
    let then = head(&env);
    env.git(&["mv", "src/limits.rs", "src/quota.rs"]);
    env.commit();
    let kept = store(&env, "app", FACT, "src/limits.rs", &then[..12]);
    assert_eq!(kept["ok"], true, "{kept}");
    let citation = &kept["memory"]["citations"][0];
    assert_eq!(
        (&citation["path"], &citation["sha"]),
        (&json!("src/limits.rs"), &json!(then))
    );
    let recalled = env.ok(&["recall", "upload"]);
    assert!(
        recalled.contains("src/limits.rs:3 → src/quota.rs:3"),
        "{recalled}"
    );
}

#[test]
fn citation_that_was_true_at_its_commit_only_is_refused() {
    let env = Env::new();
    let then = head(&env);
    env.live_on();
    env.commit();
    let refused = store(&env, "app", FACT, "src/limits.rs", &then);
    let error = refused["error"].as_str().unwrap();
    assert!(
        error
            .starts_with("cannot cite src/limits.rs:3: it was so at that commit, and no longer is"),
        "{error}"
    );
    let kept = store(&env, "app", "API_VERSION is 7", "src/api.rs", &then);
    assert_eq!(kept["ok"], true, "{kept}");
}

#[test]
fn citation_at_an_unknown_commit_is_refused() {
    let env = Env::new();
    let unknown = "deadbeefdeadbeefdeadbeefdeadbeefdeadbeef";
    let refused = store(&env, "app", FACT, "src/limits.rs", unknown);
    assert_eq!(
        refused["error"],
        format!(
            "cannot cite src/limits.rs:3: there is no commit '{unknown}' here; leave the commit out to cite the lines \
             as they are now"
        )
    );
    let mut talk = Talk::here(&env, Era::Legacy);
    let place = json!({"path": "src/limits.rs", "line_start": 3, "sha": unknown});
    let (refused, _) = talk.call(
        "memory_remember",
        json!({"fact": FACT, "citations": [place]}),
    );
    assert_eq!(refused["class"], "bad_citation", "{refused}");
    assert_eq!(env.run(&["list"]).code, 1);
}

#[test]
fn citation_that_a_shallow_clone_cannot_read_waits_as_unknown() {
    let env = Env::new();
    let then = head(&env);
    env.write("src/api.rs", "//! Another API.\n");
    env.commit();
    let from = format!("file://{}", env.repo().display());
    let clone = env.home().join("shallow");
    let to = clone.to_str().unwrap();
    env.git(&["clone", "--quiet", "--depth=1", &from, to]);
    let url = "https://git.example.com/acme/app.git";
    env.git(&["-C", to, "remote", "set-url", "origin", url]);
    let kept = store(&env, "shallow", FACT, "src/limits.rs", &then);
    assert_eq!(kept["status"], "pending", "{kept}");
    let why = kept["status_why"].as_str().unwrap();
    assert!(why.starts_with("src/limits.rs:3 was not read:"), "{why}");
    assert!(why.contains("this clone is shallow"), "{why}");
    let shown = env.ok(&["-C", to, "show", "m-1"]);
    assert!(shown.starts_with("m-1  unknown"), "{shown}");
    // In a clone that has the commit it is read, and stands.
    let shown = env.ok(&["show", "m-1"]);
    assert!(shown.starts_with("m-1  stands"), "{shown}");
    let again = store(&env, "app", FACT, "src/limits.rs", &then);
    assert_eq!(again["status"], Value::Null, "{again}");
    assert!(env.ok(&["recall", "upload"]).contains("m-1   stands"));
}
