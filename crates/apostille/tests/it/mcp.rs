//! The server as an agent talks to it: lines of JSON in, lines of JSON out, in both eras of the protocol.

use std::io::{BufRead as _, BufReader, Write as _};
use std::{
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Stdio},
};

use apostille_tools::Profile;
use serde_json::{Value, json};

use crate::env::Env;

/// Which handshake, if any.
#[derive(Clone, Copy, PartialEq)]
pub enum Era {
    Legacy,
    Modern,
}

const ERAS: [Era; 2] = [Era::Legacy, Era::Modern];

/// A conversation with a server of its own.
pub struct Talk {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    era: Era,
    capabilities: Value,
    /// What the client answers to the server's questions, by method.
    answers: Value,
    next: u64,
    /// What the server said beside its answers.
    heard: Vec<Value>,
}

impl Talk {
    pub fn new(env: &Env, folder: &Path, arguments: &[&str], era: Era, answers: Value) -> Self {
        let mut command = env.command(&[&["mcp"], arguments].concat());
        command
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let (input, output) = (
            child.stdin.take(),
            BufReader::new(child.stdout.take().unwrap()),
        );
        let mut capabilities = json!({});
        for (method, capability) in [
            ("roots/list", "roots"),
            ("elicitation/create", "elicitation"),
        ] {
            if answers.get(method).is_some() {
                capabilities[capability] = json!({});
            }
        }
        let mut talk = Self {
            child,
            input,
            output,
            era,
            capabilities,
            answers,
            next: 0,
            heard: Vec::new(),
        };
        if era == Era::Legacy {
            let hello = json!({"protocolVersion": "2025-06-18", "capabilities": talk.capabilities, "clientInfo": {"name": "probe", "version": "1"}});
            assert_eq!(
                talk.request("initialize", hello)["result"]["protocolVersion"],
                "2025-06-18"
            );
            talk.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        }
        talk
    }

    pub fn here(env: &Env, era: Era) -> Self {
        Self::new(env, &env.repo(), &[], era, json!({}))
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    fn hear(&mut self) -> Value {
        let mut line = String::new();
        assert!(
            self.output.read_line(&mut line).unwrap() > 0,
            "the server went away"
        );
        serde_json::from_str(&line).unwrap()
    }

    /// Asks, answers what is asked back, and returns the response.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let (id, params) = (self.next, self.dressed(params));
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let message = self.hear();
            match message["method"].as_str() {
                Some(asked) if message.get("id").is_some() => {
                    let answer = self.answers[asked].clone();
                    self.send(&json!({"jsonrpc": "2.0", "id": message["id"], "result": answer}));
                }
                Some(_) => self.heard.push(message),
                None if message["id"] == id => return self.continued(method, params, message),
                None => panic!("an answer to nothing: {message}"),
            }
        }
    }

    /// In the current revision the client answers a question by asking again.
    fn continued(&mut self, method: &str, mut params: Value, message: Value) -> Value {
        if message["result"]["resultType"] != "input_required" {
            return message;
        }
        let mut responses = serde_json::Map::new();
        for (key, asked) in message["result"]["inputRequests"].as_object().unwrap() {
            responses.insert(
                key.clone(),
                self.answers[asked["method"].as_str().unwrap()].clone(),
            );
        }
        params["inputResponses"] = Value::Object(responses);
        if let Some(state) = message["result"].get("requestState") {
            params["requestState"] = state.clone();
        }
        self.request(method, params)
    }

    fn dressed(&self, mut params: Value) -> Value {
        if self.era == Era::Modern {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
                self.capabilities.clone();
        }
        params
    }

    /// Calls a tool; its answer, and whether it was refused.
    pub fn call(&mut self, tool: &str, arguments: Value) -> (Value, bool) {
        let message = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        let result = &message["result"];
        let text = result["content"][0]["text"].as_str().unwrap();
        assert_eq!(
            text,
            result["structuredContent"].to_string(),
            "both halves of a result are the same bytes"
        );
        let text: Value = serde_json::from_str(text).unwrap();
        (text, result["isError"] == true)
    }

    /// Closes the input and waits for the end.
    pub fn end(mut self) -> bool {
        self.input = None;
        self.child.wait().unwrap().success()
    }
}

fn both(check: impl Fn(Era)) {
    ERAS.into_iter().for_each(check);
}

#[test]
fn an_agent_remembers_and_recalls_in_both_eras() {
    both(|era| {
        let env = Env::new();
        let mut talk = Talk::here(&env, era);
        let fact =
            json!({"fact": "API_VERSION must equal the client's", "citations": ["src/api.rs:3"]});
        assert_eq!(talk.call("memory_remember", fact).0["id"], "m-1");
        let (found, _) = talk.call("memory_recall", json!({"query": "api version"}));
        assert_eq!(found["memories"][0]["standing"], "stands");
        env.live_on();
        let (found, _) = talk.call("memory_recall", json!({"query": "api version"}));
        assert_eq!(found["memories"][0]["at"], json!(["src/api.rs:4"]));
        assert!(talk.end(), "a client that goes away is no error");
    });
}

#[test]
fn every_revision_is_negotiated() {
    let env = Env::new();
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        // Nothing is said before the handshake that is tried here.
        let mut fresh = Talk::here(&env, Era::Modern);
        fresh.era = Era::Legacy;
        let hello = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "probe", "version": "1"}});
        assert_eq!(
            fresh.request("initialize", hello)["result"]["protocolVersion"],
            version
        );
    }
    let mut talk = Talk::here(&env, Era::Modern);
    let discovered = talk.request("server/discover", json!({}))["result"].clone();
    assert!(
        discovered["supportedVersions"]
            .as_array()
            .unwrap()
            .contains(&json!("2026-07-28")),
        "{discovered}"
    );
    assert!(discovered["instructions"].as_str().unwrap().len() < 700);
}

#[test]
fn a_refusal_is_a_result_and_an_unknown_tool_an_error() {
    both(|era| {
        let env = Env::new();
        let mut talk = Talk::here(&env, era);
        let (answer, is_refused) =
            talk.call("memory_remember", json!({"fact": "the build needs make"}));
        assert!(is_refused);
        assert_eq!(answer["class"], "needs_citation");
        let mut error = |tool: &str, arguments: Value| {
            talk.request("tools/call", json!({"name": tool, "arguments": arguments}))["error"]
                .clone()
        };
        assert_eq!(error("memory_burn", json!({}))["code"], -32602);
        assert!(
            error("memory_burn", json!({}))["message"]
                .as_str()
                .unwrap()
                .contains("memory_recall")
        );
        assert_eq!(
            talk.call("memory_recall", json!({})).0,
            json!({"memories": []}),
            "nothing was half-written"
        );
    });
}

#[test]
fn wrong_arguments_get_one_form_with_the_next_call_in_every_set() {
    let env = Env::new();
    let check = |profile: &str, tool: &str, arguments: Value, error: &str| {
        let arguments_of_server = ["--profile", profile];
        let mut talk = Talk::new(
            &env,
            &env.repo(),
            &arguments_of_server,
            Era::Legacy,
            json!({}),
        );
        let (answer, is_refused) = talk.call(tool, arguments);
        let next = answer["next"].as_str().unwrap_or_default();
        assert!(is_refused && next.contains(tool), "{answer}");
        assert_eq!(
            (&answer["class"], &answer["error"]),
            (&json!("arguments"), &json!(error))
        );
    };
    let (needs, is_unknown) = ("it is required", "is not an argument of");
    let remember = "memory_remember";
    check("default", remember, json!({}), &format!("fact: {needs}"));
    let unknown = format!("fact: {needs}; 'text' {is_unknown} {remember}");
    check("default", remember, json!({"text": "x"}), &unknown);
    check(
        "verified",
        "memory_store",
        json!({"text": 1}),
        &format!("subject: {needs}; 'text' {is_unknown} memory_store"),
    );
    check(
        "simple",
        "memory_store",
        json!({"text": 123}),
        "text: expected a text",
    );
    check(
        "layers",
        "memory_write",
        json!({"x": 1}),
        &format!("layer: {needs}; 'x' {is_unknown} memory_write"),
    );
    check(
        "files",
        "memory",
        json!({"path": "/memories"}),
        &format!("command: {needs}"),
    );
    check(
        "all",
        remember,
        json!({"fact": {"a": 1}}),
        "fact: expected a text",
    );
}

#[test]
fn store_that_is_removed_under_a_server_is_made_anew() {
    let env = Env::new();
    let mut talk = Talk::here(&env, Era::Legacy);
    let fact =
        json!({"fact": "API_VERSION must equal the client's", "citations": ["src/api.rs:3"]});
    assert_eq!(
        talk.call("memory_remember", fact.clone()).0["outcome"],
        "remembered"
    );
    let folder = env.home().join(".local/share/apostille");
    for it in std::fs::read_dir(&folder).unwrap() {
        let path = it.unwrap().path();
        if path.is_file() {
            std::fs::remove_file(path).unwrap();
        }
    }
    assert_eq!(
        talk.call("memory_recall", json!({})).0,
        json!({"memories": []})
    );
    assert_eq!(
        talk.call("memory_remember", fact).0["outcome"],
        "remembered"
    );
    assert!(
        env.ok(&["list"]).contains("API_VERSION"),
        "it is really there"
    );
    assert!(talk.end());
    assert!(env.ok(&["list"]).contains("API_VERSION"), "it stays there");
}

#[test]
fn line_that_is_not_a_message_is_answered_and_the_server_goes_on() {
    let check = |talk: &mut Talk, line: &str, expected: Value| {
        writeln!(talk.input.as_mut().unwrap(), "{line}").unwrap();
        let heard = talk.hear();
        let found = json!([heard["id"], heard["error"]["code"]]);
        assert_eq!((found, line), (expected, line));
    };
    both(|era| {
        let env = Env::new();
        let mut talk = Talk::here(&env, era);
        // A response to nothing ends no server, even before anything else was said.
        talk.send(&json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
        check(&mut talk, "not JSON", json!([null, -32700]));
        let surrogate =
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\ud800"}}"#;
        check(&mut talk, surrogate, json!([null, -32700]));
        check(&mut talk, "[1,2,3]", json!([null, -32600]));
        let null_id = r#"{"jsonrpc":"2.0","id":null,"method":"tools/list"}"#;
        check(&mut talk, null_id, json!([null, -32600]));
        let (found, _) = talk.call("memory_recall", json!({}));
        assert_eq!(found, json!({"memories": []}));
        assert!(talk.end());
    });
}

#[test]
fn outside_a_repository_the_caller_is_asked_for_one() {
    both(|era| {
        let env = Env::new();
        let mut talk = Talk::new(&env, env.home(), &[], era, json!({}));
        let (answer, is_refused) = talk.call("memory_recall", json!({"query": "anything"}));
        assert!(is_refused);
        assert_eq!(answer["class"], "which_repository");
        let (answer, is_refused) = talk.call(
            "memory_recall",
            json!({"query": "anything", "repo": "acme/app"}),
        );
        assert_eq!((&answer["memories"], is_refused), (&json!([]), false));
        let (answer, _) = talk.call(
            "memory_recall",
            json!({"query": "anything", "repo": "no such thing"}),
        );
        assert_eq!(answer["class"], "which_repository");
    });
}

#[test]
fn a_repository_that_is_named_must_be_the_one_here() {
    let env = Env::new();
    let mut talk = Talk::here(&env, Era::Modern);
    let (answer, is_refused) = talk.call("memory_recall", json!({"repo": "acme/other"}));
    assert!(is_refused);
    assert!(
        answer["error"]
            .as_str()
            .unwrap()
            .contains("but this is acme/app"),
        "{answer}"
    );
    assert!(!talk.call("memory_recall", json!({"repo": "acme/app"})).1);
}

#[test]
fn memories_of_a_repository_that_is_not_here_are_withheld_because_nobody_can_look() {
    let env = Env::new();
    env.with_facts();
    let mut talk = Talk::new(&env, env.home(), &[], Era::Modern, json!({}));
    let (found, _) = talk.call(
        "memory_recall",
        json!({"query": "api version", "repo": "acme/app"}),
    );
    assert_eq!(
        (&found["memories"], &found["withheld"][0]["standing"]),
        (&json!([]), &json!("unknown"))
    );
}

fn roots(folders: &[&Path]) -> Value {
    let root = |it: &&Path| json!({"uri": format!("file://{}", it.display())});
    json!({"roots/list": {"roots": folders.iter().map(root).collect::<Vec<_>>()}})
}

#[test]
fn the_clients_roots_say_which_repository() {
    both(|era| {
        let env = Env::new();
        env.with_facts();
        let mut talk = Talk::new(&env, env.home(), &[], era, roots(&[&env.repo()]));
        let (found, _) = talk.call("memory_recall", json!({"query": "api version"}));
        assert_eq!(found["memories"][0]["id"], "m-1");
    });
}

#[test]
fn roots_that_are_not_there_are_no_place() {
    both(|era| {
        let env = Env::new();
        let mut talk = Talk::new(
            &env,
            env.home(),
            &[],
            era,
            roots(&[Path::new("/nowhere/at/all")]),
        );
        let (answer, is_refused) = talk.call("memory_recall", json!({"query": "anything"}));
        assert!(
            is_refused && answer["class"] == "which_repository",
            "{answer}"
        );
    });
}

#[test]
fn several_roots_are_ambiguous_until_one_is_named() {
    both(|era| {
        let env = Env::new();
        env.with_facts();
        let other = env.home().join("other");
        env.git(&["init", "--quiet", other.to_str().unwrap()]);
        let mut talk = Talk::new(&env, env.home(), &[], era, roots(&[&env.repo(), &other]));
        let (answer, is_refused) = talk.call("memory_recall", json!({"query": "api version"}));
        assert!(
            is_refused
                && answer["error"]
                    .as_str()
                    .unwrap()
                    .starts_with("several repositories"),
            "{answer}"
        );
        let (found, _) = talk.call(
            "memory_recall",
            json!({"query": "api version", "repo": "acme/app"}),
        );
        assert_eq!(found["memories"][0]["id"], "m-1");
    });
}

#[test]
fn a_person_is_asked_before_something_is_forgotten() {
    let asked = |era: Era, action: &str, agreed: bool| {
        let env = Env::new();
        env.with_facts();
        env.stated(&["remember", "--kind", "feedback", "never push on a Friday"]);
        let answers =
            json!({"elicitation/create": {"action": action, "content": {"agreed": agreed}}});
        let mut talk = Talk::new(&env, &env.repo(), &[], era, answers);
        talk.call("memory_forget", json!({"id": "m-3"})).0
    };
    both(|era| {
        assert_eq!(asked(era, "accept", true)["outcome"], "forgotten");
        assert_eq!(asked(era, "accept", false)["class"], "declined");
        assert_eq!(asked(era, "decline", false)["class"], "declined");
    });
}

#[test]
fn an_agreement_that_nobody_asked_for_counts_for_nothing() {
    both(|era| {
        let env = Env::new();
        env.with_facts();
        env.stated(&["remember", "--kind", "feedback", "never push on a Friday"]);
        let mut talk = Talk::here(&env, era);
        talk.capabilities = json!({"elicitation": {}});
        let forged = json!({"word": {"action": "accept", "content": {"agreed": true}}});
        for state in [json!(null), json!("guess")] {
            let call = json!({"name": "memory_forget", "arguments": {"id": "m-3"}, "inputResponses": forged, "requestState": state});
            let answer = talk.request("tools/call", call);
            assert_eq!(answer["result"]["isError"], true, "{answer}");
        }
        assert!(env.ok(&["list"]).contains("m-3"));
    });
}

/// A client brings the answers to the last questions only.
#[test]
fn a_person_is_asked_where_the_place_is_asked_for_too() {
    both(|era| {
        let env = Env::new();
        env.with_facts();
        env.stated(&["remember", "--kind", "feedback", "never push on a Friday"]);
        let mut answers = roots(&[&env.repo()]);
        answers["elicitation/create"] = json!({"action": "accept", "content": {"agreed": true}});
        let mut talk = Talk::new(&env, env.home(), &[], era, answers);
        assert_eq!(
            talk.call("memory_forget", json!({"id": "m-3"})).0["outcome"],
            "forgotten"
        );
    });
}

#[test]
fn of_several_roots_the_one_that_the_server_stands_in_is_meant() {
    both(|era| {
        let env = Env::new();
        env.with_facts();
        let other = env.home().join("other");
        env.git(&["init", "--quiet", other.to_str().unwrap()]);
        let mut talk = Talk::new(&env, &env.repo(), &[], era, roots(&[&other, &env.repo()]));
        assert_eq!(
            talk.call("memory_recall", json!({"query": "api version"}))
                .0["memories"][0]["id"],
            "m-1"
        );
    });
}

#[test]
fn a_client_that_says_where_it_works_with_every_call_is_believed() {
    let env = Env::new();
    env.with_facts();
    let mut talk = Talk::new(&env, env.home(), &[], Era::Legacy, json!({}));
    let workspaces = json!({"workspaces": {env.repo().to_str().unwrap(): {}}});
    let call = json!({"name": "memory_recall", "arguments": {"query": "api version"}, "_meta": {"x-codex-turn-metadata": workspaces}});
    let found = talk.request("tools/call", call);
    assert_eq!(
        found["result"]["structuredContent"]["memories"][0]["id"], "m-1",
        "{found}"
    );
}

#[test]
fn what_was_forgotten_leaves_no_finding_behind() {
    let env = Env::new();
    env.with_facts();
    let mut talk = Talk::here(&env, Era::Modern);
    env.live_on();
    talk.call("memory_verify", json!({}));
    talk.call("memory_forget", json!({"id": "m-1"}));
    let kept = env.home().join(".cache/apostille/verdicts");
    assert_eq!(std::fs::read_dir(&kept).map_or(0, Iterator::count), 0);
}

#[test]
fn verifying_many_tells_how_far_it_is() {
    both(|era| {
        let env = Env::new();
        for n in 0..30 {
            let fact =
                format!("rule number {n} says that API_VERSION is kept in step with part {n}");
            env.person(&[
                "remember",
                "--kind",
                "feedback",
                "--cite",
                "src/api.rs:3",
                "--create",
                "it is a rule of its own",
                "--force",
                &fact,
            ]);
        }
        let mut talk = Talk::here(&env, era);
        let call =
            json!({"name": "memory_verify", "arguments": {}, "_meta": {"progressToken": "p-1"}});
        let message = talk.request("tools/call", call);
        assert_eq!(message["result"]["structuredContent"]["verified"], 30);
        let is_progress = |it: &&Value| it["method"] == "notifications/progress";
        let progress: Vec<&Value> = talk.heard.iter().filter(is_progress).collect();
        assert!(!progress.is_empty(), "{:?}", talk.heard);
        assert!(
            progress
                .iter()
                .all(|it| it["params"]["progressToken"] == "p-1")
        );
    });
}

#[test]
fn clients_hear_that_memories_changed() {
    let env = Env::new();
    let mut talk = Talk::here(&env, Era::Legacy);
    talk.call(
        "memory_remember",
        json!({"fact": "prefers small commits", "kind": "user"}),
    );
    let told = if talk.heard.is_empty() {
        talk.hear()
    } else {
        talk.heard.remove(0)
    };
    assert_eq!(told["method"], "notifications/resources/list_changed");

    let mut talk = Talk::here(&env, Era::Modern);
    let listen = talk.dressed(json!({"notifications": {"resourcesListChanged": true}}));
    talk.send(
        &json!({"jsonrpc": "2.0", "id": "l", "method": "subscriptions/listen", "params": listen}),
    );
    assert_eq!(
        talk.hear()["method"],
        "notifications/subscriptions/acknowledged"
    );
    talk.call(
        "memory_remember",
        json!({"fact": "prefers tabs", "kind": "user"}),
    );
    let told = if talk.heard.is_empty() {
        talk.hear()
    } else {
        talk.heard.remove(0)
    };
    assert_eq!(told["method"], "notifications/resources/list_changed");
}

#[test]
fn dotted_names_are_listed_on_request_and_taken_always() {
    let env = Env::new();
    let mut talk = Talk::new(
        &env,
        &env.repo(),
        &["--tool-names", "dotted", "--profile", "verified"],
        Era::Modern,
        json!({}),
    );
    let tools = talk.request("tools/list", json!({}))["result"]["tools"].clone();
    assert_eq!(tools[0]["name"], "memory.store");
    let rules = talk.request("prompts/get", json!({"name": "memory-rules"}));
    let rules = rules["result"]["messages"][0]["content"]["text"].to_string();
    assert!(rules.contains("memory.read_citation"), "{rules}");
    assert!(!rules.contains("memory_"), "{rules}");
    let mut plain = Talk::here(&env, Era::Modern);
    assert_eq!(
        plain.request("tools/list", json!({}))["result"]["tools"][0]["name"],
        "memory_recall"
    );
    assert!(!plain.call("memory.recall", json!({})).1);
}

#[test]
fn every_text_names_tools_as_they_are_listed() {
    let env = Env::new();
    for profile in Profile::ALL {
        let arguments = ["--tool-names", "dotted", "--profile", profile.as_str()];
        let mut talk = Talk::new(&env, &env.repo(), &arguments, Era::Legacy, json!({}));
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "probe", "version": "1"}});
        let mut texts = vec![talk.request("initialize", hello)["result"]["instructions"].clone()];
        for tool in talk.request("tools/list", json!({}))["result"]["tools"]
            .as_array()
            .unwrap()
        {
            texts.extend([tool["name"].clone(), tool["description"].clone()]);
        }
        for name in ["memory-rules", "memory-writing", "promotion-checklist"] {
            texts.push(talk.request("prompts/get", json!({ "name": name })));
        }
        for text in texts {
            let text = text.to_string();
            let named = profile
                .tool_names()
                .find(|it| *it != "memory" && text.contains(it));
            assert_eq!(named, None, "{profile}: {text}");
        }
    }
    let arguments = ["--tool-names", "dotted"];
    let mut talk = Talk::new(&env, &env.repo(), &arguments, Era::Legacy, json!({}));
    let (refused, _) = talk.call("memory.remember", json!({"fact": "the parser is in C"}));
    let next = refused["next"].as_str().unwrap();
    assert!(next.starts_with("call memory.remember again"), "{next}");
}

#[test]
fn resources_and_prompts_are_there() {
    both(|era| {
        let env = Env::new();
        env.with_facts();
        let mut talk = Talk::here(&env, era);
        for uri in [
            "apostille://recent",
            "apostille://briefing",
            "apostille://audit",
            "apostille://memory/m-1",
        ] {
            let read = talk.request("resources/read", json!({"uri": uri}));
            assert!(
                read["result"]["contents"][0]["text"]
                    .as_str()
                    .unwrap()
                    .contains("API_VERSION"),
                "{uri}: {read}"
            );
        }
        let listed = talk.request("resources/list", json!({}))["result"]["resources"].clone();
        let uris: Vec<&str> = listed
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["uri"].as_str().unwrap())
            .collect();
        assert!(
            uris.contains(&"apostille://memory/m-1") && uris.contains(&"apostille://audit"),
            "{uris:?}"
        );
        assert!(
            !listed.to_string().contains("API_VERSION"),
            "what is not looked up is not said: {listed}"
        );
        let missing = talk.request("resources/read", json!({"uri": "apostille://memory/m-99"}));
        let code = if era == Era::Modern { -32602 } else { -32002 };
        assert_eq!(missing["error"]["code"], code, "{missing}");
        let notes = talk.request(
            "prompts/get",
            json!({"name": "session-notes", "arguments": {"task": "upload race"}}),
        );
        let text = notes["result"]["messages"][0]["content"]["text"]
            .as_str()
            .unwrap()
            .to_owned();
        assert!(
            text.contains("upload race") && text.contains("Worklog"),
            "{text}"
        );
        assert_eq!(
            talk.request("prompts/get", json!({"name": "none"}))["error"]["code"],
            -32602
        );
    });
}

/// What was asked before the input ended is answered.
#[test]
fn a_client_that_stops_writing_still_gets_its_answers() {
    let env = Env::new();
    let fact = json!({"name": "memory_remember", "arguments": {"fact": "prefers tabs", "kind": "user"}, "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}});
    let ran = env.fed(
        &["mcp"],
        &format!(
            "{}\n",
            json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": fact})
        ),
    );
    assert!(
        ran.out.contains("\"outcome\\\":\\\"remembered\\\""),
        "{ran}"
    );
}

#[test]
fn nothing_hidden_in_an_edited_store_reaches_a_model() {
    let env = crate::edited::world();
    let mut talk = Talk::here(&env, Era::Legacy);
    let tools = [
        ("memory_recall", json!({"query": "odd limit"})),
        ("memory_recall", json!({})),
        ("memory_verify", json!({"ids": ["m-3"]})),
        ("memory_verify", json!({})),
        (
            "memory_remember",
            json!({"fact": "ODD_LIMIT is 7", "citations": ["src/odd.rs:2"]}),
        ),
        ("memory_revise", json!({"id": "m-3", "action": "refresh"})),
    ];
    for (name, arguments) in tools {
        let answer = talk.request("tools/call", json!({"name": name, "arguments": arguments}));
        crate::edited::check(name, &answer.to_string());
    }
    let listed = talk.request("resources/list", json!({}));
    crate::edited::check("resources/list", &listed.to_string());
    for uri in [
        "apostille://recent",
        "apostille://briefing",
        "apostille://audit",
        "apostille://memory/m-3",
    ] {
        let read = talk.request("resources/read", json!({"uri": uri}));
        crate::edited::check(uri, &read.to_string());
        assert!(
            read["result"]["contents"][0]["text"]
                .as_str()
                .is_some_and(|it| !it.is_empty()),
            "{read}"
        );
    }
    let prompt = talk.request(
        "prompts/get",
        json!({"name": "session-notes", "arguments": {"task": "a\u{200b}b"}}),
    );
    crate::edited::check("prompts/get", &prompt.to_string());
}
