//! The API: a request as text, the answer as text. Every answer is held against the document that is told of it.

mod calls;
mod document;
mod refusals;
mod schema;
mod spoilt;

use apostille_agents::{
    client::Client,
    session::{AgentSession, Moment, SessionEntry},
};
use apostille_api::{
    CallFault, Caller,
    access_token::{Access, AccessToken},
    calls::{call::ApiCall, list_api_calls},
    host::{ActivityStore, PlaceError},
    request_scope::{HttpMethod, HttpReply, RequestInput, RequestScope},
};
use apostille_core::{
    memory::{Draft, Layer, MemoryId},
    recall::VerifiedHit,
    space::Space,
};
use apostille_tasks::task::{GateAction, GateEvent, Task, TaskSlug, gate::GateStart};
use serde_json::{Value, json};

use crate::world::{World, cited, note, preference, repo, user};

/// What is kept beside the store of these tests.
pub(super) struct Shelf {
    sessions: Vec<AgentSession>,
    tasks: Vec<Task>,
}

impl ActivityStore for Shelf {
    fn list_sessions(&self, limit: usize) -> Result<Vec<AgentSession>, PlaceError> {
        Ok(self.sessions.iter().take(limit).cloned().collect())
    }

    fn find_session(&self, name: &str) -> Result<Option<AgentSession>, PlaceError> {
        let is_meant = |it: &&AgentSession| it.entries.iter().any(|it| it.session == name);
        Ok(self.sessions.iter().find(is_meant).cloned())
    }

    fn list_tasks(&self) -> Result<Vec<Task>, PlaceError> {
        Ok(self.tasks.clone())
    }

    fn active_task(&self) -> Option<TaskSlug> {
        self.tasks.first().map(|it| it.slug.clone())
    }

    fn is_started_here(&self, task: &TaskSlug) -> bool {
        task.as_str() != "from-afar"
    }

    fn list_gate_events(&self, _: &TaskSlug) -> Result<Vec<GateEvent>, PlaceError> {
        Ok(Vec::new())
    }
}

/// A store with something of everything: what holds, what changed, what waits, a preference, a note, a session, a task.
pub(super) struct Desk {
    pub(super) world: World,
    pub(super) shelf: Shelf,
}

impl Desk {
    pub(super) fn new() -> Self {
        let world = World::verified();
        world.shelf.write("src/old.rs", "let retries = 3;\n");
        world.kept(cited("API_VERSION is v3", &["src/api.rs:3"]));
        world.kept(cited("retries is 3", &["src/old.rs:1"]));
        world.kept(preference("prefers tabs over spaces"));
        let waits = Draft {
            layer: Some(Layer::Knowledge),
            ..cited("the answer is 42", &["docs/api.md:3"])
        };
        world.kept(waits);
        world.shelf.write("src/old.rs", "let retries = 5;\n");
        let task = task(&world);
        let noted = Draft {
            layer: Some(Layer::Episode),
            task: Some(task.slug.to_string()),
            ..note("saw that the cache is cold")
        };
        let mut task = task;
        task.apply_event(&passage(
            &world,
            &task,
            GateAction::Noted(world.kept(noted).id),
        ));
        let recalled = world.ask("API_VERSION");
        let entry = |moment| SessionEntry::new(world.now(), "s-1", Client::Codex, repo(), moment);
        let prompt = SessionEntry {
            shown: recalled.shown.iter().map(shown).collect(),
            withheld: recalled.withheld.iter().map(shown).collect(),
            ..entry(Moment::Prompt)
        };
        let sessions = vec![AgentSession {
            entries: vec![entry(Moment::Start), prompt],
        }];
        Self {
            world,
            shelf: Shelf {
                sessions,
                tasks: vec![task],
            },
        }
    }
}

fn shown(it: &VerifiedHit) -> apostille_agents::session::ShownMemory {
    it.into()
}

fn passage(world: &World, task: &Task, what: GateAction) -> GateEvent {
    GateEvent {
        at: world.now(),
        task: task.slug.clone(),
        session: None,
        what,
    }
}

fn task(world: &World) -> Task {
    let start = GateStart {
        title: "Warm the cache".into(),
        phases: vec!["look".into()],
        phase: Some("look".into()),
        commit: None,
        by: Some("ana".into()),
    };
    let first = GateEvent {
        at: world.now(),
        task: "warm-the-cache".parse().unwrap(),
        session: None,
        what: GateAction::Started(start),
    };
    Task::from_events(&[first]).unwrap()
}

/// Somebody with a token.
pub(super) struct TestCaller<'a> {
    desk: &'a Desk,
    access: Access,
    spaces: Option<Vec<Space>>,
}

impl<'a> TestCaller<'a> {
    pub(super) fn new(desk: &'a Desk, access: Access) -> Self {
        Self {
            desk,
            access,
            spaces: None,
        }
    }

    pub(super) fn in_spaces(self, spaces: &[&str]) -> Self {
        Self {
            spaces: Some(spaces.iter().map(|it| it.parse().unwrap()).collect()),
            ..self
        }
    }

    /// Asks as a line says it: `POST /api/recall {"query":"x"}`. The answer fits what the document says of it.
    pub(super) fn asks(&self, line: &str) -> HttpReply {
        let (method, rest) = line.split_once(' ').unwrap();
        let (address, body) = rest.split_once(' ').unwrap_or((rest, ""));
        let (path, query) = address.split_once('?').unwrap_or((address, ""));
        let (call, parts) = found(method, path);
        let query = query
            .split('&')
            .filter(|it| !it.is_empty())
            .map(pair)
            .collect();
        self.sends(
            call,
            &RequestInput {
                parts,
                query,
                body: body.as_bytes().to_vec(),
            },
        )
    }

    pub(super) fn sends(&self, call: &ApiCall, asked: &RequestInput) -> HttpReply {
        let reply = self.answered(call, asked);
        schema::fits(call, &reply);
        self.desk.world.advance(1);
        reply
    }

    fn answered(&self, call: &ApiCall, asked: &RequestInput) -> HttpReply {
        let (repo, user) = (repo(), user());
        let caller = Caller {
            user: Some(&user),
            activity: Some(&self.desk.shelf),
            ..Caller::in_repo(&repo)
        };
        let (name, spaces) = ("ci".into(), self.spaces.clone());
        let token = AccessToken {
            name,
            user: None,
            spaces,
            access: self.access,
            is_panel: false,
        };
        if !token.allows_access(call.route.need) {
            return turned(403, "the token does not allow this");
        }
        let answer = self
            .desk
            .world
            .with(|cx| (call.route.run)(&RequestScope::new(cx, &caller, &token, ""), asked));
        match answer {
            Ok(reply) => reply,
            Err(CallFault::Malformed(it)) => turned(400, &it.to_string()),
            Err(fault) => panic!("broken: {fault}"),
        }
    }

    /// What is answered to each line, on a line.
    pub(super) fn told(&self, lines: &[&str]) -> String {
        lines
            .iter()
            .map(|line| format!("{line}\n  → {}\n", told(&self.asks(line))))
            .collect()
    }
}

fn turned(status: u16, why: &str) -> HttpReply {
    HttpReply::new_json(status, &json!({"ok": false, "error": {"message": why}})).unwrap()
}

fn found(method: &str, path: &str) -> (&'static ApiCall, Vec<(String, String)>) {
    let method = match method {
        "GET" => HttpMethod::Get,
        "POST" => HttpMethod::Post,
        _ => HttpMethod::Delete,
    };
    let mut calls: Vec<&ApiCall> = list_api_calls()
        .filter(|it| it.route.method == method)
        .collect();
    calls.sort_by_key(|it| it.route.path.matches('{').count());
    let mut meant = calls
        .into_iter()
        .filter_map(|it| Some((it, matched(it.route.path, path)?)));
    meant.next().unwrap_or_else(|| panic!("no call at {path}"))
}

fn matched(pattern: &str, path: &str) -> Option<Vec<(String, String)>> {
    let (pattern, path): (Vec<_>, Vec<_>) =
        (pattern.split('/').collect(), path.split('/').collect());
    let part = |(want, have): (&&str, &&str)| match want.strip_prefix('{') {
        Some(name) => Some(Some((
            name.trim_end_matches('}').to_owned(),
            (*have).to_owned(),
        ))),
        None => (want == have).then_some(None),
    };
    let parts = pattern
        .iter()
        .zip(&path)
        .map(part)
        .collect::<Option<Vec<_>>>()?;
    (pattern.len() == path.len()).then(|| parts.into_iter().flatten().collect())
}

fn pair(text: &str) -> (String, String) {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    (name.to_owned(), value.replace('+', " "))
}

/// An answer on one line, without what every memory has.
fn told(reply: &HttpReply) -> String {
    let change = if reply.is_change { " changed" } else { "" };
    let body = match serde_json::from_str(&reply.body) {
        Ok(value) => brief(value).to_string(),
        Err(_) => reply.body.replace('\n', "⏎"),
    };
    format!("{}{change} {body}", reply.status)
}

/// What is the same everywhere, or another one each time.
const NOISE: [&str; 22] = [
    "id",
    "number",
    "space",
    "recorded_at",
    "refreshed_at",
    "citations",
    "author",
    "channel",
    "origin",
    "at",
    "ok",
    "score",
    "why",
    "layer",
    "kind",
    "seq",
    "similarity",
    "harmless",
    "place",
    "digest",
    "v",
    "actor",
];

fn brief(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(brief).collect(),
        Value::Object(fields) => {
            let kept = fields
                .into_iter()
                .filter(|(name, _)| !NOISE.contains(&name.as_str()));
            kept.map(|(name, value)| (name, brief(value))).collect()
        }
        other => other,
    }
}

/// The id of a memory.
pub(super) fn id(desk: &Desk, name: &str) -> MemoryId {
    desk.world.look(name).id
}
