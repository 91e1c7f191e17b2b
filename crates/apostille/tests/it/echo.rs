//! A secret that was typed in the wrong place, or refused, is nowhere afterwards: not in what is printed, not on disk.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::env::{Env, Ran};

/// In pieces, so that scanners do not stumble over this file.
const TOKEN: [&str; 2] = ["ghp_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"];
/// So little of it is enough to say that it was repeated.
const PART: &str = "a1B2c3D4e5";

fn told(ran: &Ran, how: &str) {
    let wrong: Vec<&str> = ran
        .out
        .lines()
        .chain(ran.err.lines())
        .filter(|it| it.contains(PART))
        .collect();
    assert_eq!(wrong, Vec::<&str>::new(), "{how}");
}

/// Every file below a folder that holds a part of the secret.
fn holding(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if entry.file_type().unwrap().is_dir() {
            found.extend(holding(&path));
        } else {
            let bytes = fs::read(&path).unwrap();
            let has_part = bytes.windows(PART.len()).any(|it| it == PART.as_bytes());
            found.extend(has_part.then(|| path.display().to_string()));
        }
    }
    found
}

#[test]
fn a_secret_on_the_command_line_is_nowhere_afterwards() {
    let env = Env::new();
    env.with_facts();
    let token = TOKEN.concat();
    let cited = format!("src/{token}.rs:3");
    let flag = format!("--{token}");
    let sentence = format!("the deploy token is {token}");
    let lines: &[&[&str]] = &[
        &["remember", &sentence],
        &["remember", "--subject", &token, "builds are slow"],
        &["remember", "--tag", &token, "builds are slow"],
        &["remember", "--reason", &token, "builds are slow"],
        &["remember", "--kind", &token, "builds are slow"],
        &["remember", "--cite", &token, "builds are slow"],
        &["remember", "--cite", &cited, "builds are slow"],
        &["remember", "--merge", &token, "builds are slow"],
        &["remember", "--user", &token],
        &["recall", &token],
        &["recall", "--kind", &token, "x"],
        &["list", "--kind", &token],
        &["show", &token],
        &["why", &token],
        &["forget", &token],
        &["forget", "m-1", "--reason", &token],
        &["invalidate", "m-1", "--reason", &token],
        &["supersede", "m-1", &token],
        &["approve", &token],
        &["verify", "--at", &token],
        &["log", "--event", &token],
        &["config", &token],
        &["config", "set", &token, "1"],
        &["task", "start", &token],
        &["task", "note", &token],
        &["task", &token],
        &["hook", &token],
        &["export", "--format", &token],
        &[&token],
        &[&flag],
    ];
    for line in lines {
        told(
            &env.run(line),
            &format!("{:?}", &line[..line.len().min(2)]).replace(&token, "TOKEN"),
        );
        told(&env.run(&[*line, &["--json"]].concat()), "--json");
    }
    told(
        &env.fed(&["remember", "-"], &sentence),
        "from standard input",
    );
    told(
        &env.fed(
            &["import", "-"],
            &format!("{{\"text\":\"{sentence}\"}}\n{token}\n"),
        ),
        "import",
    );
    assert_eq!(holding(env.home()), Vec::<String>::new());
}

/// Every argument of every tool, each in turn a secret.
#[test]
fn a_secret_in_a_call_is_nowhere_afterwards() {
    let env = Env::new();
    env.with_facts();
    let token = TOKEN.concat();
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18",
        "capabilities": {}, "clientInfo": {"name": "probe", "version": "1"}}});
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let arguments = ["mcp", "--profile", "all"];
    let listed = env.fed(&arguments, &format!("{hello}\n{ready}\n{list}\n"));
    let tools = listed
        .out
        .lines()
        .filter_map(|it| serde_json::from_str::<Value>(it).ok());
    let tools = tools
        .filter(|it| it["id"] == 1)
        .map(|it| it["result"]["tools"].clone())
        .next()
        .unwrap();
    let mut lines = vec![hello.to_string(), ready.to_string()];
    let mut add = |method: &str, params: Value| {
        let id = lines.len();
        lines.push(
            json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string(),
        );
    };
    for tool in tools.as_array().unwrap() {
        let schema = &tool["inputSchema"];
        for (name, kind) in schema["properties"].as_object().unwrap() {
            let mut spoilt = schema["examples"][0].clone();
            spoilt[name] = if kind["type"] == "array" {
                json!([token])
            } else {
                json!(token)
            };
            add(
                "tools/call",
                json!({"name": tool["name"], "arguments": spoilt}),
            );
        }
        add(
            "tools/call",
            json!({"name": tool["name"], "arguments": {"text": token, &token: token}}),
        );
    }
    add("tools/call", json!({"name": token, "arguments": {}}));
    add(
        "resources/read",
        json!({"uri": format!("memory://{token}")}),
    );
    add("prompts/get", json!({"name": token}));
    lines.push(format!("{{\"jsonrpc\": \"2.0\", \"id\": {token}}}"));
    let ran = env.fed(&arguments, &(lines.join("\n") + "\n"));
    assert!(ran.out.lines().count() > 20, "{ran}");
    told(&ran, "mcp");
    assert_eq!(holding(env.home()), Vec::<String>::new());
}
