//! A file that was renamed: what cites it is found by its new name, before and after the citations are healed.

use serde_json::{Value, json};

use crate::{
    env::Env,
    hook::edit,
    mcp::{Era, Talk},
};

/// A fact about a file that is called otherwise since.
pub(crate) fn renamed() -> Env {
    let env = Env::new();
    env.with_facts();
    env.git(&["mv", "src/limits.rs", "src/quota.rs"]);
    env.commit();
    env
}

fn call(talk: &mut Talk, tool: &str, arguments: &Value) -> String {
    let asked = json!({"name": tool, "arguments": arguments});
    let answer = talk.request("tools/call", asked);
    answer["result"]["content"][0]["text"]
        .as_str()
        .unwrap()
        .to_owned()
}

/// The new place, as every face says it that is asked by the new name.
fn check_faces(env: &Env, session: &str) {
    let place = "src/quota.rs:3";
    let at = ["--path", "src/quota.rs"];
    let json = |arguments: &[&str]| env.ok(&[&["--json"], arguments].concat());
    for out in [
        env.ok(&[&["recall"], &at[..], &["what"]].concat()),
        env.ok(&[&["verify", "--dry-run"], &at[..]].concat()),
        json(&[&["verify", "--dry-run"], &at[..]].concat()),
        json(&[&["recall"], &at[..], &["what"]].concat()),
        edit(env, session, "src/quota.rs"),
    ] {
        assert!(out.contains(place) && out.contains("stands"), "{out}");
    }
    for out in [
        env.ok(&[&["list"], &at[..]].concat()),
        env.ok(&["list", "--path", "src/quota.rs", "--tag", "limits"]),
    ] {
        assert!(out.starts_with("m-2"), "{out}");
    }
    assert_eq!(env.run(&["list", "--path", "src/none.rs"]).code, 1);
    let mut talk = Talk::new(
        env,
        &env.repo(),
        &["--profile", "all"],
        Era::Legacy,
        json!({}),
    );
    let quota = json!({"path": "src/quota.rs"});
    for (tool, expected) in [
        ("memory_recall", r#""at":["src/quota.rs:3"]"#),
        ("memory_verify", r#"{"verified":1,"good":1}"#),
        (
            "memory_search_by_path",
            r#""path":"src/quota.rs","line_start":3"#,
        ),
    ] {
        let answer = call(&mut talk, tool, &quota);
        assert!(answer.contains(expected), "{tool}: {answer}");
    }
    talk.end();
}

#[test]
fn renamed_file_is_found_by_its_new_name_before_and_after_healing() {
    let env = renamed();
    check_faces(&env, "s1");
    let old = env.ok(&["list", "--path", "src/limits.rs"]);
    assert!(old.starts_with("m-2"), "{old}");
    env.ok(&["verify"]);
    check_faces(&env, "s2");
    assert_eq!(env.run(&["list", "--path", "src/limits.rs"]).code, 1);
}

#[test]
fn renamed_file_is_found_while_nothing_is_committed() {
    let env = Env::new();
    env.with_facts();
    env.git(&["mv", "src/limits.rs", "src/quota.rs"]);
    check_faces(&env, "s1");
}

#[test]
fn edited_line_of_a_renamed_file_is_found_by_its_new_name() {
    let env = renamed();
    env.write(
        "src/quota.rs",
        "const MB: u64 = 1024 * 1024;\n\npub const MAX_UPLOAD: u64 = 25 * MB;\n",
    );
    env.commit();
    let told = edit(&env, "s1", "src/quota.rs");
    assert!(told.contains("10 → 25"), "{told}");
}
