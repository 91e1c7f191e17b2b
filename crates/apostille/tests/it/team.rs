//! A server for a team: no checkout, repositories that it was given, a token for each person and agent.

use std::{fs, path::PathBuf, process::Command};

use serde_json::{Value, json};

use crate::{
    door::made,
    env::Env,
    public::{PublicServer, request},
    socket::{Reply, patiently},
};

/// A server in an empty folder, behind a proxy on this machine.
struct TeamServer(PublicServer);

impl TeamServer {
    fn new(env: &Env, repos: &str) -> Self {
        env.beside(".config/apostille/config.toml", repos);
        let folder = env.home().join("srv");
        fs::create_dir_all(&folder).unwrap();
        let proxied = ["--behind-proxy", "127.0.0.1"];
        let mut command = env.command(
            &[
                &["serve", "--listen", "127.0.0.1:0", "--json"],
                &proxied[..],
            ]
            .concat(),
        );
        command.current_dir(folder);
        Self(PublicServer::started(command))
    }

    fn send(
        &self,
        method: &str,
        path: &str,
        token: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Reply {
        let bearer = format!("Bearer {token}");
        let own = [
            ("Host", "127.0.0.1"),
            ("Authorization", &*bearer),
            ("Content-Type", "application/json"),
        ];
        self.0
            .plain(&request(method, path, &[&own, headers].concat(), body))
    }

    fn post(&self, path: &str, token: &str, body: &Value) -> Value {
        let reply = self.send("POST", path, token, &[], &body.to_string());
        assert!([200, 201].contains(&reply.status), "{reply}");
        reply.json()
    }

    /// Calls a tool, as an agent on another machine does.
    fn call(&self, token: &str, tool: &str, arguments: &Value) -> Value {
        let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}});
        let params = json!({"name": tool, "arguments": arguments, "_meta": meta});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let headers = [
            ("Accept", "application/json, text/event-stream"),
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", tool),
        ];
        let reply = self.send("POST", "/mcp", token, &headers, &body.to_string());
        let line = reply.body.lines().find(|it| it.contains("\"jsonrpc\""));
        let line = line.unwrap_or_else(|| panic!("{reply}"));
        let said: Value = serde_json::from_str(line.trim_start_matches("data: ")).unwrap();
        said["result"].clone()
    }
}

/// A mirror of the repository, as an operator makes it.
fn mirror(env: &Env) -> PathBuf {
    let path = env.home().join("mirrors/app.git");
    let (from, to) = (env.repo(), path.to_str().unwrap().to_owned());
    env.git(&["clone", "--quiet", "--mirror", from.to_str().unwrap(), &to]);
    path
}

fn write_repos(path: &std::path::Path) -> String {
    format!(
        "[repos]\n\"git.example.com/acme/app\" = {{ mirror = \"{}\" }}\n",
        path.display()
    )
}

fn git(folder: &std::path::Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn recall(server: &TeamServer, token: &str, query: &str) -> Value {
    server.post("/api/recall?repo=acme/app", token, &json!({"query": query}))
}

#[test]
fn code_is_judged_at_the_default_branch_of_a_mirror() {
    let env = Env::new();
    env.with_facts();
    let path = mirror(&env);
    let server = TeamServer::new(&env, &write_repos(&path));
    let token = made(&env, &["ci"]);
    let said = recall(&server, &token, "api version");
    let head = git(&path, &["rev-parse", "main"]);
    assert_eq!(said["verified_at"], format!("main@{}", &head[..8]));
    assert_eq!(said["memories"][0]["standing"], "stands", "{said}");

    // What is pushed counts with the next call, and what is only committed elsewhere does not.
    env.write(
        "src/api.rs",
        "//! The API.\n\npub const API_REVISION: u32 = 8;\n\npub fn serve() {}\n",
    );
    env.commit();
    assert_eq!(
        recall(&server, &token, "api version")["memories"][0]["standing"],
        "stands"
    );
    git(&path, &["fetch", "--quiet", "--prune"]);
    let said = recall(&server, &token, "api version");
    let now = git(&path, &["rev-parse", "main"]);
    assert_ne!(now, head);
    assert_eq!(said["verified_at"], format!("main@{}", &now[..8]), "{said}");
    assert!(
        said["memories"]
            .as_array()
            .unwrap()
            .iter()
            .all(|it| it["id"] != "m-1")
    );
    assert_eq!(said["withheld"][0]["standing"], "gone", "{said}");
    let said = server.post("/api/verify?repo=acme/app", &token, &json!({}));
    assert_eq!(said["verified_at"], format!("main@{}", &now[..8]), "{said}");
    assert_eq!(said["settled"], true, "{said}");
}

#[test]
fn default_branch_of_a_mirror_is_the_one_that_it_has_for_its_head() {
    let env = Env::new();
    env.with_facts();
    env.git(&["switch", "--quiet", "--create", "develop"]);
    env.write(
        "src/api.rs",
        "//! The API.\n\n\npub const API_VERSION: u32 = 7;\n",
    );
    env.commit();
    let path = mirror(&env);
    assert_eq!(git(&path, &["symbolic-ref", "HEAD"]), "refs/heads/develop");
    let server = TeamServer::new(&env, &write_repos(&path));
    let said = recall(&server, &made(&env, &["ci"]), "api version");
    assert!(
        said["verified_at"]
            .as_str()
            .unwrap()
            .starts_with("develop@"),
        "{said}"
    );
    assert_eq!(said["memories"][0]["standing"], "stands", "{said}");
}

#[test]
fn configuration_of_a_mirror_runs_nothing() {
    let env = Env::new();
    env.with_facts();
    let path = mirror(&env);
    let marker = env.home().join("it-ran");
    let run = format!("sh -c 'touch {}'", marker.display());
    let external = format!("ext::{run}");
    for (key, value) in [
        ("core.fsmonitor", &*run),
        ("core.pager", &run),
        ("core.editor", &run),
        ("core.sshCommand", &run),
        ("core.gitProxy", &run),
        ("core.alternateRefsCommand", &run),
        ("credential.helper", &run),
        ("diff.external", &run),
        ("diff.evil.textconv", &run),
        ("filter.evil.smudge", &run),
        ("filter.evil.process", &run),
        ("uploadpack.packObjectsHook", &run),
        ("protocol.ext.allow", "always"),
        ("remote.origin.url", &external),
        ("remote.origin.promisor", "true"),
        ("remote.origin.partialclonefilter", "blob:none"),
        ("core.worktree", "/"),
    ] {
        git(&path, &["config", key, value]);
    }
    fs::write(path.join("info/attributes"), "* diff=evil filter=evil\n").unwrap();
    let server = TeamServer::new(&env, &write_repos(&path));
    let token = made(&env, &["ci"]);
    let said = recall(&server, &token, "api version");
    assert_eq!(said["memories"][0]["standing"], "stands", "{said}");
    // An object that is not there is not fetched either.
    let blob = git(&path, &["rev-parse", "main:src/limits.rs"]);
    let object = path.join("objects").join(&blob[..2]).join(&blob[2..]);
    let packs = path.join("objects/pack");
    if !object.exists() {
        let kept = env.home().join("kept");
        fs::rename(&packs, &kept).unwrap();
        fs::create_dir(&packs).unwrap();
        for entry in fs::read_dir(&kept).unwrap().filter_map(Result::ok) {
            if entry.path().extension().is_some_and(|it| it == "pack") {
                let pack = fs::File::open(entry.path()).unwrap();
                let mut unpack = Command::new("git");
                unpack
                    .arg("-C")
                    .arg(&path)
                    .args(["unpack-objects", "-q"])
                    .stdin(pack);
                assert!(unpack.status().unwrap().success());
            }
        }
    }
    fs::remove_file(&object).unwrap();
    fs::remove_dir_all(env.home().join(".cache")).unwrap();
    let server = TeamServer::new(&env, &write_repos(&path));
    let said = recall(&server, &token, "uploads limited");
    assert_eq!(said["withheld"][0]["standing"], "unknown", "{said}");
    assert!(!marker.exists());
}

#[test]
fn what_cannot_be_looked_up_is_unknown_and_no_path_is_told() {
    let env = Env::new();
    env.with_facts();
    let token = made(&env, &["ci"]);
    let check = |repos: &str| {
        let server = TeamServer::new(&env, repos);
        let said = recall(&server, &token, "api version");
        assert_eq!(
            said["withheld"][0]["standing"], "unknown",
            "{repos}: {said}"
        );
        assert_eq!(said.get("verified_at"), None, "{said}");
        assert!(!said.to_string().contains("/secret/place"), "{said}");
    };
    check("[repos]\n\"acme/app\" = { mirror = \"/secret/place/app.git\" }\n");
    // A checkout is no mirror: its files may be half done.
    check(&write_repos(&env.repo()));
    check("");
}

#[test]
fn agent_elsewhere_works_in_the_repository_of_its_token() {
    let env = Env::new();
    env.with_facts();
    let path = mirror(&env);
    let server = TeamServer::new(&env, &write_repos(&path));
    assert_eq!(server.0.said["repo"], Value::Null);
    let token = made(
        &env,
        &["ana-claude", "--space", "acme/app", "--access", "write"],
    );
    let said = server.call(&token, "memory_recall", &json!({"query": "api version"}));
    let said = &said["structuredContent"];
    assert_eq!(said["memories"][0]["standing"], "stands", "{said}");
    assert!(
        said["verified_at"].as_str().unwrap().starts_with("main@"),
        "{said}"
    );

    let fact = "the API is entered through serve";
    let kept = server.call(
        &token,
        "memory_remember",
        &json!({"fact": fact, "citations": ["src/api.rs:5"]}),
    );
    assert_eq!(kept["structuredContent"]["ok"], true, "{kept}");
    let wrong = server.call(
        &token,
        "memory_remember",
        &json!({"fact": "retries are bounded by MAX_RETRIES", "citations": ["src/nowhere.rs:3"]}),
    );
    assert_eq!(wrong["isError"], true, "{wrong}");
    let log = env.ok(&["--json", "log"]);
    assert!(log.contains("\"ana-claude\""), "{log}");
    // What another token reaches is not there for this one.
    let other = made(&env, &["other", "--space", "acme/other"]);
    let said = server.call(
        &other,
        "memory_recall",
        &json!({"query": "x", "repo": "acme/app"}),
    );
    assert!(!said.to_string().contains("API_VERSION"), "{said}");
}

#[test]
fn agent_that_reaches_several_repositories_is_asked_which() {
    let env = Env::new();
    env.with_facts();
    env.ok(&[
        "remember",
        "--repo",
        "acme/other",
        "--kind",
        "feedback",
        "other things matter there",
    ]);
    let server = TeamServer::new(&env, "");
    let token = made(&env, &["bot"]);
    let said = server.call(&token, "memory_recall", &json!({"query": "things"}));
    assert_eq!(said["isError"], true, "{said}");
    let text = said.to_string();
    assert!(
        text.contains("acme/other") && text.contains("git.example.com/acme/app"),
        "{text}"
    );
    let said = server.call(
        &token,
        "memory_recall",
        &json!({"query": "things", "repo": "acme/other"}),
    );
    assert!(
        said.to_string().contains("other things matter there"),
        "{said}"
    );
    let said = server.call(
        &token,
        "memory_recall",
        &json!({"query": "things", "repo": "acme/nobody"}),
    );
    assert!(said.to_string().contains("was not given it"), "{said}");
}

#[test]
fn token_for_a_person_reaches_what_that_person_prefers_and_no_other() {
    let env = Env::new();
    env.with_facts();
    let server = TeamServer::new(&env, "");
    let token = |arguments: &[&str]| made(&env, &[arguments, &["--access", "review"]].concat());
    let (ana, bob) = (
        token(&["ana", "--for", "ana"]),
        token(&["bob", "--for", "bob"]),
    );
    let nobody = token(&["nobody", "--space", "acme/app"]);
    let fact = json!({"fact": "prefers tabs over spaces", "kind": "user", "force": true});
    let kept = server.post("/api/memories?repo=acme/app", &bob, &fact);
    assert_eq!(kept["ok"], true, "{kept}");
    let list = |token: &str| {
        server
            .send("GET", "/api/memories?repo=acme/app", token, &[], "")
            .body
    };
    assert!(list(&bob).contains("tabs over spaces") && !list(&bob).contains("small commits"));
    assert!(list(&ana).contains("small commits") && !list(&ana).contains("tabs over spaces"));
    // Who is nobody's reaches nobody's preferences, not those of the user that the server runs as either.
    let said = list(&nobody);
    assert!(said.contains("API_VERSION"), "{said}");
    assert!(
        !said.contains("small commits") && !said.contains("tabs over"),
        "{said}"
    );
    let listed = env.ok(&["token"]);
    assert!(listed.contains("for users/bob"), "{listed}");
    let refused = env.person(&["token", "create", "x", "--for", "a/b/c"]);
    assert_eq!(refused.code, 2, "{refused}");
}

#[test]
fn servers_on_one_store_are_all_alike() {
    let env = Env::new();
    env.with_facts();
    let repos = write_repos(&mirror(&env));
    let servers = [TeamServer::new(&env, &repos), TeamServer::new(&env, &repos)];
    let token = made(&env, &["bot", "--space", "acme/app", "--access", "write"]);
    let statuses = || {
        let ask = |it: &TeamServer| it.send("GET", "/api/memories", &token, &[], "").status;
        servers.each_ref().map(ask)
    };
    assert_eq!(statuses(), [200, 200]);
    // What one acknowledged, the other has, and its handle.
    let fact = json!({"fact": "the API is entered through serve", "citations": ["src/api.rs:5"]});
    let kept = servers[0].post("/api/memories", &token, &fact);
    let path = format!(
        "/api/memories/{}",
        kept["memory"]["handle"].as_str().unwrap()
    );
    let found = servers[1].send("GET", &path, &token, &[], "");
    assert_eq!(found.status, 200, "{found}");
    assert!(found.body.contains("entered through serve"), "{found}");
    let pages = servers.each_ref().map(|it| {
        let page = it.send("GET", "/metrics", &token, &[], "").body;
        let own =
            |it: &&str| it.starts_with("apostille_memories") || it.starts_with("apostille_events");
        page.lines()
            .filter(own)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    });
    assert!(!pages[0].is_empty());
    assert_eq!(pages[0], pages[1]);
    env.ok(&["token", "revoke", "bot"]);
    assert_eq!(statuses(), [401, 401]);
}

#[test]
fn citations_follow_the_default_branch_of_a_mirror_by_themselves() {
    let env = Env::new();
    env.with_facts();
    let path = mirror(&env);
    env.live_on();
    env.commit();
    git(&path, &["fetch", "--quiet", "--prune"]);
    let cited = || env.ok(&["--json", "show", "m-1"]);
    assert!(cited().contains("\"line_start\":3"), "{}", cited());
    let _server = TeamServer::new(&env, &write_repos(&path));
    patiently("the citation follows", || {
        cited().contains("\"line_start\":4")
    });
}
