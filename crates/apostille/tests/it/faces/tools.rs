//! Every tool of every set, every resource and every prompt, as a server gives them.

use apostille_agents::client::Client;
use apostille_tools::{Profile, Tool, ToolEffect};
use serde_json::{Map, Value, json};

use super::{
    FaceAnswer, hooks,
    standing::Marking,
    web,
    world::{FaceWorld, SESSION, list_handles},
};
use crate::{
    mcp::{Era, Talk},
    socket::Server,
};

/// What a field of a tool is given, so that every memory of the world has its turn.
fn list_values(field: &str) -> Vec<Value> {
    let question = "why does the checkout retry and wait for the gateway?";
    match field {
        "query" | "task" => vec![json!(question)],
        "path" | "citing" => vec![json!("src/checkout.rs"), json!("src/keys.rs")],
        "layer" => ["session", "episode", "knowledge"].map(Value::from).into(),
        "id" | "memory_id" | "target_id" | "merge_with" => {
            list_handles().map(Value::from).collect()
        }
        "ids" => vec![list_handles().collect()],
        "episodes" => vec![json!(true)],
        "limit" => vec![json!(50)],
        _ => Vec::new(),
    }
}

/// Calls of a tool: its example, and each field that it takes, alone and in the example.
fn list_calls(tool: &Tool) -> Vec<Value> {
    let example = &tool.input["examples"][0];
    let mut calls = vec![example.clone(), json!({})];
    for field in tool.input["properties"]
        .as_object()
        .into_iter()
        .flat_map(Map::keys)
    {
        for value in list_values(field) {
            let mut beside = example.clone();
            beside[field] = value.clone();
            calls.push(beside);
            // What looks needs no more than one of its fields.
            let is_enough = tool.effect == ToolEffect::Reads;
            calls.extend(is_enough.then(|| json!({ field: value })));
        }
    }
    calls.dedup();
    calls
}

fn list_writing_tools(profile: Profile) -> impl Iterator<Item = &'static Tool> {
    let tools = profile.tools().iter();
    tools.filter(|it| it.effect != ToolEffect::Reads)
}

/// Sets whose answers have a form that others gave them: there, doubts are noted beside.
fn pick_marking(tool: &Tool) -> Marking {
    let foreign = [Profile::Verified, Profile::Simple, Profile::Files];
    match foreign.iter().any(|it| it.find_tool(tool.name).is_some()) {
        true => Marking::Doubts,
        false => Marking::Each,
    }
}

/// A client that talks to a server with a set of tools.
struct ToolClient<'w> {
    world: &'w FaceWorld,
    profile: Profile,
    /// How the client says which session it is.
    meta: Value,
    talk: Talk,
}

impl<'w> ToolClient<'w> {
    fn new(world: &'w FaceWorld, profile: Profile, meta: &Value) -> Self {
        let arguments = ["--profile", profile.as_str()];
        let meta = meta.clone();
        let talk = Talk::new(world, &world.repo(), &arguments, Era::Modern, json!({}));
        Self {
            world,
            profile,
            meta,
            talk,
        }
    }

    fn ask(
        &mut self,
        method: &str,
        params: Value,
        shown: &mut Vec<FaceAnswer>,
        marking: Marking,
    ) -> Value {
        let asked = format!("{method} {params}");
        let mut params = params;
        params["_meta"] = self.meta.clone();
        let said = self.talk.request(method, params);
        let answer = FaceAnswer::new(
            format!("tools {}", self.profile),
            asked,
            said["result"].to_string(),
        );
        shown.push(answer.marked(marking));
        said["result"].clone()
    }

    fn call(&mut self, tool: &Tool, arguments: Value, shown: &mut Vec<FaceAnswer>) -> Value {
        let call = json!({ "name": tool.name, "arguments": arguments });
        self.ask("tools/call", call, shown, pick_marking(tool))
    }

    /// Calls that look, and files that a listing names.
    fn look(&mut self, shown: &mut Vec<FaceAnswer>) {
        for tool in self
            .profile
            .tools()
            .iter()
            .filter(|it| it.effect == ToolEffect::Reads)
        {
            for call in list_calls(tool) {
                self.call(tool, call, shown);
            }
        }
        let Some(files) = self.profile.find_tool("memory") else {
            return;
        };
        let listed = self.call(
            files,
            json!({ "command": "view", "path": "/memories" }),
            shown,
        );
        let listed = listed["content"][0]["text"].as_str().unwrap_or_default();
        for path in listed.split_whitespace().filter(|it| it.ends_with(".md")) {
            self.call(files, json!({ "command": "view", "path": path }), shown);
        }
    }

    /// Whatever can be listed is read.
    fn read(&mut self, shown: &mut Vec<FaceAnswer>) {
        for (list, read, name) in [
            ("resources", "resources/read", "uri"),
            ("prompts", "prompts/get", "name"),
        ] {
            let listed = self.ask(&format!("{list}/list"), json!({}), shown, Marking::Each);
            for it in listed[list].as_array().unwrap() {
                self.ask(read, json!({ name: it[name] }), shown, Marking::Each);
            }
        }
    }
}

/// What a server answers to a client that says its session like this.
fn list_answers_in(world: &FaceWorld, profile: Profile, meta: &Value) -> Vec<FaceAnswer> {
    let mut shown = Vec::new();
    let mut caller = ToolClient::new(world, profile, meta);
    caller.look(&mut shown);
    caller.read(&mut shown);
    caller.talk.end();
    shown
}

/// The same for calls that write, each of them the first.
fn list_write_answers_in(world: &FaceWorld, profile: Profile, meta: &Value) -> Vec<FaceAnswer> {
    let mut shown = Vec::new();
    for tool in list_writing_tools(profile) {
        for call in list_calls(tool) {
            let mut caller = ToolClient::new(world, profile, meta);
            caller.call(tool, call, &mut shown);
            caller.talk.end();
            caller.world.restore();
        }
    }
    shown
}

/// What every set of tools answers.
pub fn list_answers(world: &FaceWorld) -> Vec<FaceAnswer> {
    let meta = json!({ "sessionId": SESSION });
    let answer = |it: &Profile| {
        let looks = list_answers_in(world, *it, &meta);
        let writes = match it {
            // Its tools are those of the others.
            Profile::All => Vec::new(),
            _ => list_write_answers_in(world, *it, &meta),
        };
        looks
            .into_iter()
            .chain(writes.into_iter().map(|it| it.marked(Marking::Doubts)))
    };
    Profile::ALL.iter().flat_map(answer).collect()
}

/// What every set of tools answers in a turn in which memory is to be ignored: to a client that names its session with
/// each call, also through a socket, to one that names itself, and to one that is known by a variable.
pub fn list_answers_while_ignored(world: &mut FaceWorld) -> Vec<FaceAnswer> {
    let meta = |key: &str, value: Value| json!({ key: value });
    let mut shown = Vec::new();
    hooks::ask_to_ignore(world, Client::Codex, SESSION);
    shown.extend(list_all_answers(world, &meta("threadId", json!(SESSION))));
    shown.extend(list_socket_answers(world));
    hooks::ask_to_ignore(world, Client::Gemini, "gemini");
    let name = json!({ "name": "gemini-cli-mcp-client", "version": "1" });
    shown.extend(list_all_answers(
        world,
        &meta("io.modelcontextprotocol/clientInfo", name),
    ));
    hooks::ask_to_ignore(world, Client::ClaudeCode, SESSION);
    world.env.set("CLAUDE_CODE_SESSION_ID", SESSION);
    shown.extend(list_all_answers(world, &json!({})));
    shown
}

fn list_all_answers(world: &FaceWorld, meta: &Value) -> Vec<FaceAnswer> {
    let answer = |it: &Profile| {
        let mut shown = list_answers_in(world, *it, meta);
        let mut caller = ToolClient::new(world, *it, meta);
        for tool in list_writing_tools(*it) {
            for call in list_calls(tool) {
                caller.call(tool, call, &mut shown);
            }
        }
        caller.talk.end();
        shown
    };
    let tools = Profile::ALL.iter().flat_map(answer);
    tools
        .chain(web::list_program_answers(world, meta))
        .collect()
}

/// What a server behind a socket answers to a client that names its session.
fn list_socket_answers(world: &FaceWorld) -> Vec<FaceAnswer> {
    let server = Server::new(world, &[]);
    let ask = |name: &str, arguments: Value| {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "threadId": SESSION,
        });
        let params = json!({ "name": name, "arguments": arguments, "_meta": meta });
        let reply = server.said("tools/call", name, &server.token, &params);
        assert_eq!(reply.status, 200, "{reply}");
        FaceAnswer::new("socket", params.to_string(), reply.body)
    };
    let tools = Profile::Default.tools().iter();
    let calls = tools.flat_map(|it| list_calls(it).into_iter().map(|call| (it.name, call)));
    calls.map(|(name, call)| ask(name, call)).collect()
}
