//! `verify --citations`: lines in, lines out, in order, without a store.

use serde_json::{Value, json};

use crate::env::{Env, Ran};

/// Looks up these citations: what was said, and the answers.
fn looked_up(env: &Env, arguments: &[&str], lines: &[Value]) -> (Ran, Vec<Value>) {
    let input: String = lines.iter().map(|it| format!("{it}\n")).collect();
    let ran = env.fed(
        &[&["verify", "--citations", "-"], arguments].concat(),
        &input,
    );
    let answers = ran
        .out
        .lines()
        .map(|it| serde_json::from_str(it).unwrap())
        .collect();
    (ran, answers)
}

fn head(env: &Env) -> String {
    let output = std::process::Command::new("git")
        .args(["rev-parse", "HEAD"])
        .current_dir(env.repo())
        .output();
    String::from_utf8(output.unwrap().stdout)
        .unwrap()
        .trim()
        .to_owned()
}

/// A repository whose second commit moves a line, changes one, and deletes a file; with the first commit's id.
fn two_commits() -> (Env, String) {
    let env = Env::new();
    env.write("src/old.rs", "pub fn old() {}\n");
    env.commit();
    let first = head(&env);
    env.live_on();
    std::fs::remove_file(env.repo().join("src/old.rs")).unwrap();
    env.commit();
    (env, first)
}

fn cite(path: &str, line: u32, sha: &str) -> Value {
    json!({"path": path, "line_start": line, "line_end": line, "sha": sha})
}

#[test]
fn each_line_has_its_answer_in_order() {
    let (env, first) = two_commits();
    let mut lines = vec![
        cite("src/api.rs", 3, &first[..8]),
        cite("src/limits.rs", 3, &first),
        cite("src/old.rs", 1, &first),
        cite("src/limits.rs", 1, &first),
        cite("../etc/passwd", 1, &first),
        json!({"path": "src/api.rs", "line_start": 3, "text": "pub const API_VERSION: u32 = 7;"}),
        json!({"path": "src/api.rs", "line_start": 1, "ref": "no-such-branch"}),
        json!({"path": "src/old.rs", "line_start": 1, "ref": "HEAD~1", "repo": "other/one"}),
        cite("src/api.rs", 1, "0123456789"),
    ];
    for (at, line) in lines.iter_mut().enumerate() {
        line["id"] = json!({ "n": at });
    }
    let (ran, mut answers) = looked_up(&env, &[], &lines);
    assert_eq!(ran.code, 1, "{ran}");
    for (at, answer) in answers.iter_mut().enumerate() {
        assert_eq!(answer["id"]["n"], at);
        assert!(answer["micros"].is_u64());
        answer["micros"] = 0.into();
    }
    let told: String = answers.iter().map(|it| format!("{it}\n")).collect();
    insta::assert_snapshot!("citations", told);
}

#[test]
fn what_is_not_understood_is_said_and_the_rest_goes_on() {
    let env = Env::new();
    let input = "{\"id\":1,\"path\":\"src/api.rs\",\"line_start\":3}\n\nnonsense\n{\"id\":2,\"line_start\":3}\n\
                 {\"id\":3,\"path\":\"src/api.rs\",\"line_start\":1}\n";
    let ran = env.fed(&["verify", "--citations", "-"], input);
    let answers: Vec<Value> = ran
        .out
        .lines()
        .map(|it| serde_json::from_str(it).unwrap())
        .collect();
    let told = answers
        .iter()
        .map(|it| (it["id"].clone(), it["valid"].clone(), it["line"].clone()));
    let (null, yes, no) = (Value::Null, Value::Bool(true), Value::Bool(false));
    let expected = [
        (1.into(), yes.clone(), null.clone()),
        (null.clone(), no.clone(), 3.into()),
        (2.into(), no, 4.into()),
        (3.into(), yes, null),
    ];
    assert_eq!(told.collect::<Vec<_>>(), expected);
    assert_eq!(ran.code, 2);
    assert_eq!(
        ran.err,
        "not understood: line 3: not JSON: expected ident at column 2, and 1 more\n"
    );
}

#[test]
fn no_store_is_opened_and_a_bare_repository_will_do() {
    let (env, first) = two_commits();
    let bare = env.home().join("bare.git");
    env.git(&["clone", "--quiet", "--bare", ".", bare.to_str().unwrap()]);
    let lines = [
        cite("src/api.rs", 3, &first),
        cite("src/limits.rs", 3, &first),
    ];
    for folder in [bare.to_str().unwrap(), ".git/refs", "src"] {
        let (ran, answers) = looked_up(&env, &["-C", folder], &lines);
        let words: Vec<&Value> = answers.iter().map(|it| &it["verdict"]).collect();
        assert_eq!(words, ["moved", "changed"], "{folder}: {ran}");
    }
    assert_eq!(looked_up(&env, &["--at", &first], &lines).0.code, 0);
    assert_eq!(looked_up(&env, &["--at", "nowhere"], &lines).0.code, 2);
    assert!(!env.home().join(".local").exists());
}

#[test]
fn what_could_not_be_looked_up_alone_is_no_failure() {
    let env = Env::new();
    let (ran, answers) = looked_up(&env, &[], &[cite("src/api.rs", 1, "0123456789")]);
    assert_eq!(
        (ran.code, &answers[0]["unknown_count"]),
        (0, &json!(1)),
        "{ran}"
    );
}

#[test]
fn many_lines_are_answered_in_order_whatever_their_commit() {
    let env = Env::new();
    let mut shas = vec![head(&env)];
    for n in 0..8 {
        env.write("src/grow.rs", "//\n".repeat(n + 1));
        env.commit();
        shas.push(head(&env));
    }
    let line = |n: usize| {
        let mut line = cite("src/api.rs", 3, &shas[n % shas.len()]);
        line["id"] = n.into();
        line
    };
    let lines: Vec<Value> = (0..4_500).map(line).collect();
    let file = env.beside(
        "many.jsonl",
        &lines.iter().map(|it| format!("{it}\n")).collect::<String>(),
    );
    let told = env.ok(&["verify", "--citations", &file]);
    let answers: Vec<Value> = told
        .lines()
        .map(|it| serde_json::from_str(it).unwrap())
        .collect();
    assert_eq!(answers.len(), lines.len());
    assert!(
        answers
            .iter()
            .enumerate()
            .all(|(n, it)| it["id"] == n && it["verdict"] == "holds")
    );
}
