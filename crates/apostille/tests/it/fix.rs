//! `verify --fix` and `verify --github`.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};

use serde_json::{Value, json};

use crate::env::Env;

fn told(env: &Env, arguments: &[&str]) -> Value {
    let ran = env.run(&[&["--json"], arguments].concat());
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {ran}"))
}

/// A fact about the upload limit, which a commit raises, and one about a file, which it deletes.
fn contradicted() -> Env {
    let env = Env::new();
    env.write("src/old.rs", "pub fn handshake_with_the_old_server() {}\n");
    env.commit();
    env.ok(&["remember", "--cite", "src/limits.rs:3", "MAX_UPLOAD is 10 MB, the proxy's own limit"]);
    env.ok(&["remember", "--cite", "src/old.rs:1", "handshake_with_the_old_server is what old clients need"]);
    env.write("src/limits.rs", "const MB: u64 = 1024 * 1024;\n\npub const MAX_UPLOAD: u64 = 25 * MB;\n");
    std::fs::remove_file(env.repo().join("src/old.rs")).unwrap();
    env.commit();
    env
}

#[test]
fn drafts_show_the_fact_the_diff_and_the_command() {
    insta::assert_snapshot!("fix", contradicted().run(&["verify", "--fix"]));
}

#[test]
fn the_command_of_a_draft_accepts_it() {
    let env = contradicted();
    let drafts = told(&env, &["verify", "--fix"])["drafts"].clone();
    assert_eq!(drafts[0]["fact"], "MAX_UPLOAD is 25 MB, the proxy's own limit");
    assert_eq!(drafts[0]["swapped"], json!([["10", "25"]]));
    assert_eq!(drafts[1].get("fact"), None);
    let script = format!(
        "apostille() {{ '{}' \"$@\"; }}\n{}",
        env!("CARGO_BIN_EXE_apostille"),
        drafts[0]["command"].as_str().unwrap()
    );
    let command = env.command(&[]);
    let mut shell = std::process::Command::new("sh");
    shell.arg("-c").arg(script).current_dir(env.repo()).env_clear();
    shell.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = shell.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let left = told(&env, &["verify", "--fix"])["drafts"].clone();
    assert_eq!(left.as_array().map(Vec::len), Some(1), "{left}");
}

#[test]
fn where_everything_holds_there_is_nothing_to_fix() {
    let env = Env::new();
    env.with_facts();
    assert_eq!(env.ok(&["verify", "--fix"]), "everything holds; there is nothing to fix\n");
}

/// A server that answers each path with a status and a body, on a port of this machine.
fn server(answers: Vec<(String, &'static str, String)>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            answer(stream.unwrap(), &answers);
        }
    });
    base
}

fn answer(mut stream: TcpStream, answers: &[(String, &'static str, String)]) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
    let request = lines.next().unwrap().unwrap();
    let path = request.split(' ').nth(1).unwrap().to_owned();
    while lines.next().is_some_and(|it| !it.unwrap().is_empty()) {}
    let known = answers.iter().find(|it| it.0 == path);
    let (status, body) = known.map_or(("404 Not Found", "{}"), |it| (it.1, it.2.as_str()));
    let head = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
    stream.write_all((head + body).as_bytes()).unwrap();
}

#[test]
fn a_repository_that_is_not_checked_out_is_asked_for_on_github() {
    let mut env = Env::new();
    env.with_facts();
    let commit = "1".repeat(40);
    let tree = json!({"sha": commit, "truncated": false, "tree": [
        {"path": "src", "mode": "040000", "type": "tree", "sha": "2".repeat(40)},
        {"path": "src/api.rs", "mode": "100644", "type": "blob", "size": 69,
         "sha": "0d6bd1b1a4a0d9cf3b7f7ee3e1ae7bd1ce4f1f6a"},
    ]});
    let base = server(vec![
        ("/repos/acme/app/commits/HEAD".into(), "200 OK", commit.clone()),
        (format!("/repos/acme/app/git/trees/{commit}?recursive=1"), "200 OK", tree.to_string()),
    ]);
    env.set("APOSTILLE_GITHUB_URL", &base);
    let found = told(&env, &["verify", "--github"]);
    let standing = |at: usize| found["memories"][at]["standing"].clone();
    assert_eq!(standing(0), "unknown", "its content could not be read: {found}");
    assert_eq!(standing(2), "gone", "the list does not name it: {found}");
    assert_eq!(found["settled"], false);
}

#[test]
fn a_limit_is_unknown_and_says_when_to_try_again() {
    let mut env = Env::new();
    env.with_facts();
    let limited = "{\"message\": \"API rate limit exceeded\"}".to_owned();
    let base = server(vec![(
        "/repos/acme/app/commits/HEAD".into(),
        "403 Forbidden\r\nx-ratelimit-remaining: 0\r\nretry-after: 2220",
        limited,
    )]);
    env.set("APOSTILLE_GITHUB_URL", &base);
    let ran = env.run(&["verify", "--github"]);
    assert_eq!(ran.code, 0, "{ran}");
    assert!(ran.out.contains("try again in 37 minutes"), "{ran}");
}
