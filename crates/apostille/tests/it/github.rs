//! `verify --github`: a repository that is not checked out, served here from a git repository as GitHub would.

use std::io::{BufRead as _, BufReader, Write as _};
use std::{
    net::{TcpListener, TcpStream},
    path::PathBuf,
    process::Command,
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};

use crate::{
    env::Env,
    mcp::{Era, Talk},
};

/// A request: the target, and who asked.
type Request = (String, Option<String>);

/// A server that answers as GitHub's API does. It ends with the test's process.
struct Hub {
    base: String,
    log: Arc<Mutex<Vec<Request>>>,
}

impl Hub {
    /// Serves a repository; with `limit`, says instead that so many seconds must pass.
    fn start(env: &Env, limit: Option<u32>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let (repo, log) = (env.repo(), Arc::<Mutex<Vec<_>>>::default());
        let seen = Arc::clone(&log);
        std::thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                let (target, token) = request(&stream);
                seen.lock().unwrap().push((target.clone(), token));
                let _ = stream.write_all(&reply(&repo, &target, limit));
            }
        });
        Self { base, log }
    }

    fn asked(&self) -> Vec<Request> {
        std::mem::take(&mut self.log.lock().unwrap())
    }
}

fn request(stream: &TcpStream) -> Request {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let target = lines
        .next()
        .unwrap_or_default()
        .split(' ')
        .nth(1)
        .unwrap_or_default()
        .to_owned();
    let headers: Vec<String> = lines.take_while(|it| !it.is_empty()).collect();
    let token = headers.iter().find_map(|it| {
        it.to_ascii_lowercase()
            .strip_prefix("authorization: ")
            .map(str::to_owned)
    });
    (target, token)
}

fn reply(repo: &PathBuf, target: &str, limit: Option<u32>) -> Vec<u8> {
    if let Some(seconds) = limit {
        let body = json!({"message": "API rate limit exceeded"}).to_string();
        return http(
            "403 Forbidden",
            &format!("retry-after: {seconds}\r\nx-ratelimit-remaining: 0\r\n"),
            &body,
        );
    }
    match found(repo, target.trim_start_matches("/repos/acme/app/")) {
        Some(body) => http("200 OK", "", &body),
        None => http(
            "404 Not Found",
            "",
            &json!({"message": "No commit found for SHA"}).to_string(),
        ),
    }
}

fn http(status: &str, headers: &str, body: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 {status}\r\nconnection: close\r\n{headers}content-length: {}\r\n\r\n{body}",
        body.len()
    )
    .into()
}

fn found(repo: &PathBuf, path: &str) -> Option<String> {
    if let Some(reference) = path.strip_prefix("commits/") {
        return git(repo, &["rev-parse", "--verify", reference]).map(|it| it.trim().to_owned());
    }
    if let Some(tree) = path.strip_prefix("git/trees/") {
        let commit = tree.trim_end_matches("?recursive=1");
        let listing = git(repo, &["ls-tree", "-r", "-t", commit])?;
        let items: Vec<Value> = listing.lines().filter_map(item).collect();
        return Some(json!({"sha": commit, "tree": items, "truncated": false}).to_string());
    }
    let id = path.strip_prefix("git/blobs/")?;
    let content = git(repo, &["cat-file", "blob", id])?;
    Some(json!({"sha": id, "size": content.len(), "content": base64(content.as_bytes()), "encoding": "base64"}).to_string())
}

/// `<mode> <type> <id>\t<path>`
fn item(line: &str) -> Option<Value> {
    let (front, path) = line.split_once('\t')?;
    let mut words = front.split(' ');
    Some(json!({"mode": words.next()?, "type": words.next()?, "sha": words.next()?, "path": path}))
}

fn git(repo: &PathBuf, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .args(arguments)
        .current_dir(repo)
        .output()
        .unwrap();
    output
        .status
        .success()
        .then(|| String::from_utf8(output.stdout).unwrap())
}

fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for three in bytes.chunks(3) {
        let word = three
            .iter()
            .fold(0, |word, byte| word << 8 | usize::from(*byte))
            << (8 * (3 - three.len()));
        for at in 0..4 {
            let six = word >> (18 - 6 * at) & 63;
            out.push(if at <= three.len() {
                char::from(ALPHABET[six])
            } else {
                '='
            });
        }
    }
    out
}

/// A repository that lived on, and a folder beside it from which only GitHub can be asked.
fn apart() -> (Env, String) {
    let env = Env::new();
    // The host that the API of the test is on.
    let url = "https://127.0.0.1/acme/app.git";
    env.git(&["remote", "set-url", "origin", url]);
    env.with_facts();
    env.live_on();
    env.commit();
    let folder = env.beside("elsewhere/note", "");
    (env, folder.trim_end_matches("/note").to_owned())
}

#[test]
fn a_repository_is_verified_without_a_checkout() {
    let (mut env, folder) = apart();
    let hub = Hub::start(&env, None);
    env.set("APOSTILLE_GITHUB_URL", &hub.base)
        .set("GH_TOKEN", "t-2")
        .set("GITHUB_TOKEN", "t-1");
    let arguments = ["-C", &folder, "verify", "--github", "--repo", "acme/app"];
    insta::assert_snapshot!("github", env.run(&arguments));
    let asked = hub.asked();
    assert!(
        asked.iter().all(|it| it.1.as_deref() == Some("bearer t-1")),
        "{asked:?}"
    );
    let n_first = asked.len();
    assert!(env.home().join(".cache/apostille/github").is_dir());
    assert_eq!(env.run(&arguments).code, 1);
    let again: Vec<String> = hub.asked().into_iter().map(|it| it.0).collect();
    assert_eq!(
        again,
        ["/repos/acme/app/commits/HEAD"],
        "the rest of {n_first} answers was kept"
    );
    let old = env.run(&[&arguments[..], &["--at", "HEAD~1"]].concat());
    assert!(old.code == 0 && old.out.contains("2 stand"), "{old}");
    assert_eq!(
        env.run(&[&arguments[..], &["--at", "nowhere"]].concat())
            .code,
        2
    );
    assert_eq!(
        env.run(&[&arguments[..], &["--invalidate"]].concat()).code,
        3
    );
}

#[test]
fn a_limit_is_said_with_its_end_and_is_no_failure() {
    let (mut env, folder) = apart();
    let hub = Hub::start(&env, Some(2_160));
    env.set("APOSTILLE_GITHUB_URL", &hub.base);
    let ran = env.run(&["-C", &folder, "verify", "--github", "--repo", "acme/app"]);
    assert_eq!(ran.code, 0, "{ran}");
    assert!(ran.out.contains("try again in 36 minutes"), "{ran}");
    assert!(
        ran.out
            .ends_with("1 without citation · 2 could not be looked up\n"),
        "{ran}"
    );
    assert!(env.ok(&["show", "m-1"]).contains("active"));
}

#[test]
fn the_address_comes_from_the_user_and_never_from_a_repository() {
    let (env, _) = apart();
    let hub = Hub::start(&env, None);
    env.beside(
        ".config/apostille/config.toml",
        &format!(
            "trust.allow = \"127.0.0.1/acme/*\"\n[github]\nurl = \"{}/\"\n",
            hub.base
        ),
    );
    assert!(
        env.run(&["verify", "--github"])
            .out
            .contains("1 stands elsewhere now")
    );
    env.write(
        "apostille.toml",
        "github.url = \"https://evil.example.com\"\n",
    );
    let ran = env.run(&["verify", "--github"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.err
            .contains("a repository does not choose where your token is sent"),
        "{ran}"
    );
}

/// Asks a tool over MCP, from a folder in which there is no repository.
fn call_tool(talk: &mut Talk, tool: &str, mut arguments: Value) -> Value {
    arguments["repo"] = "acme/app".into();
    let answer = talk.request("tools/call", json!({"name": tool, "arguments": arguments}));
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}

#[test]
fn tools_read_listed_repository_through_github() {
    let (mut env, folder) = apart();
    let hub = Hub::start(&env, None);
    env.set("APOSTILLE_GITHUB_URL", &hub.base);
    let ask = |env: &Env| {
        let mut talk = Talk::new(
            env,
            folder.as_ref(),
            &["--profile", "all"],
            Era::Legacy,
            json!({}),
        );
        let found = call_tool(&mut talk, "memory_verify", json!({}));
        let kept = call_tool(
            &mut talk,
            "memory_remember",
            json!({"fact": "`API_VERSION` is 7", "reason": "clients older than that are refused", "citations": ["src/api.rs:4"]}),
        );
        let again = call_tool(&mut talk, "memory_verify", json!({}));
        talk.end();
        [found, kept, again]
    };
    let [unlisted, refused, _] = ask(&env);
    assert_eq!(unlisted["good"], 0, "{unlisted}");
    let why = "there is no repository here to look into";
    assert!(unlisted.to_string().contains(why), "{unlisted}");
    assert!(!refused.to_string().contains("remembered"), "{refused}");
    assert_eq!(hub.asked(), [], "what is not listed is not asked for");
    env.set("APOSTILLE_GITHUB_READ", "acme/*");
    let [listed, kept, again] = ask(&env);
    insta::assert_snapshot!("github_tools", format!("{listed:#}\n{kept:#}\n{again:#}"));
}
