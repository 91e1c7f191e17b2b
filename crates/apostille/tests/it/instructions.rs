//! `verify AGENTS.md`: what instruction files name, without a store.

use serde_json::Value;

use crate::env::Env;

const TEXT: &str = "# Rules\n\nLimits are in `src/limits.rs`, parsing is in `src/parser.rs`.\n";

fn instructed() -> Env {
    let env = Env::new();
    env.write("AGENTS.md", TEXT);
    env.commit();
    env
}

#[test]
fn instructions_are_checked_without_a_store() {
    let env = instructed();
    insta::assert_snapshot!("instructions", env.run(&["verify", "AGENTS.md"]));
    insta::assert_snapshot!(
        "instructions-ci",
        env.run(&["verify", "--ci", "--instructions"])
    );
    env.write("AGENTS.md", "Limits are in `src/limits.rs`.\n");
    assert_eq!(
        env.ok(&["verify", "--instructions"]),
        "nothing to correct: 1 name looked up in 1 file\n"
    );
    // The commit still has the old text.
    assert_eq!(env.run(&["verify", "AGENTS.md", "--at", "HEAD"]).code, 1);
}

#[test]
fn instructions_are_told_to_programs() {
    let env = instructed();
    let ran = env.run(&["verify", "--json", "AGENTS.md"]);
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((ran.code, &report["ok"]), (1, &Value::Bool(false)));
    let found = &report["findings"][0];
    assert_eq!(found["rule"], "gone");
    assert_eq!((&found["line"], &found["column"]), (&3.into(), &47.into()));
    assert!(report.get("mentions").is_none());

    let ran = env.run(&["verify", "AGENTS.md", "--sarif", "-"]);
    let log: Value = serde_json::from_str(&ran.out).unwrap();
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "instructions-gone");
    let region = &result["locations"][0]["physicalLocation"]["region"];
    assert_eq!(
        (&region["startColumn"], &region["endColumn"]),
        (&47.into(), &60.into())
    );
}

#[test]
fn instructions_that_cannot_be_read_are_wrong_usage() {
    let env = instructed();
    env.write("src/picture.png", b"\x89PNG\0\xff");
    env.write("empty.md", "");
    let outside = env.beside("other.md", TEXT);
    let check = |arguments: &[&str], expected: &str| {
        let ran = env.run(&[&["verify"], arguments].concat());
        assert_eq!(ran.code, 2, "{arguments:?}");
        assert!(ran.err.contains(expected), "{arguments:?}: {}", ran.err);
    };
    check(&["nowhere.md"], "there is no file 'nowhere.md' here");
    check(&["src/picture.png"], "is not text");
    check(&[&outside], "is outside the repository");
    check(&["AGENTS.md", "m-1"], "name memories or files, not both");
    check(&["AGENTS.md", "--fix"], "--fix is for memories");
    check(&["AGENTS.md", "--github"], "--github is for memories");
    check(&["src/"], "is a folder; name a file, or say --instructions");
    check(&["."], "is a folder");
    check(&["AGENTS"], "is not a handle");
    assert_eq!(env.run(&["verify", "empty.md"]).code, 0);
}

#[test]
fn instructions_need_a_tree() {
    let env = Env::new();
    assert!(
        env.run(&["verify", "--instructions"])
            .err
            .contains("there are no instruction files here")
    );
    let folder = env.home().join("plain");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("AGENTS.md"), TEXT).unwrap();
    let ran = env.run(&["-C", folder.to_str().unwrap(), "verify", "AGENTS.md"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("is not in a git repository"),
        "{}",
        ran.err
    );
}

#[cfg(unix)]
#[test]
fn a_link_to_instructions_stands_for_them() {
    let env = instructed();
    std::os::unix::fs::symlink("AGENTS.md", env.repo().join("CLAUDE.md")).unwrap();
    env.commit();
    let ran = env.run(&["verify", "CLAUDE.md"]);
    assert!(ran.out.contains("AGENTS.md:3:47  gone"), "{}", ran.out);
    assert!(
        env.run(&["verify", "--instructions"])
            .out
            .contains("in 1 file")
    );
}
