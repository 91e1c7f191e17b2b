//! Every moment of every client, by the payloads that each documents.

use apostille_agents::{
    client::Client,
    clients,
    hook::{HookCall, HookMoment, HookSample},
};
use serde_json::Value;

use super::{
    FaceAnswer,
    world::{FaceWorld, SESSION},
};

/// What two branches answer in different ways.
const VERSIONS: &str = "for how many minutes does the checkout hold a LEASE?";
/// How a user asks to leave memory out.
const IGNORE: &str = "ignore memory: why does the checkout retry three times?";

/// How a session can begin.
const SOURCES: [&str; 3] = ["startup", "resume", "compact"];

/// A payload, and what it is read as.
struct SampleEvent {
    client: Client,
    name: &'static str,
    stdin: String,
    call: HookCall,
}

impl SampleEvent {
    fn read(client: Client, name: &'static str, stdin: String) -> Self {
        let call = clients::read_hook_call(client, name, &stdin, &|_: &str| None).unwrap();
        Self {
            client,
            name,
            stdin,
            call,
        }
    }

    /// The same in this world, and in this session.
    fn moved(&self, world: &FaceWorld, session: &str) -> Self {
        let stdin = self
            .stdin
            .replace("/home/ada/shop", world.repo().to_str().unwrap())
            .replace("src/main.ts", "src/checkout.rs")
            .replace(&find_sample_session(self.client), session);
        Self::read(self.client, self.name, stdin)
    }

    /// The same with another value of a field.
    fn with_field(&self, name: &str, text: &str) -> Self {
        let mut payload: Value = serde_json::from_str(&self.stdin).unwrap();
        payload[name] = text.into();
        Self::read(self.client, self.name, payload.to_string())
    }

    /// Whether a person says something.
    fn is_prompt(&self) -> bool {
        matches!(self.call.moment, HookMoment::Prompt { .. }) && self.call.agent.is_none()
    }

    /// Whether it can happen before a turn is over: the session neither begins nor ends, and the person says nothing more.
    fn is_within_turn(&self) -> bool {
        match self.call.moment {
            HookMoment::Start { is_compacted, .. } => is_compacted,
            HookMoment::End => false,
            _ => !self.is_prompt(),
        }
    }

    fn run(&self, world: &FaceWorld) -> FaceAnswer {
        let client = self.client.as_str();
        let ran = world.fed(&["hook", "--client", client, self.name], &self.stdin);
        assert_eq!(
            (ran.code, &*ran.err),
            (0, ""),
            "{client} {}: {ran}",
            self.name
        );
        FaceAnswer::new(client, &self.stdin, ran.out)
    }
}

/// The session that a client's payloads are about.
fn find_sample_session(client: Client) -> String {
    let mut events = list_samples(client);
    events
        .find(SampleEvent::is_prompt)
        .unwrap()
        .call
        .session
        .unwrap()
}

fn list_samples(client: Client) -> impl Iterator<Item = SampleEvent> {
    let samples = clients::find_client_profile(client).hook_samples();
    let read = move |it: &HookSample| SampleEvent::read(client, it.event, it.stdin.to_owned());
    samples.iter().map(read)
}

/// What a client may send: its payloads, and each start in every way that a session can begin.
fn list_events(client: Client) -> Vec<SampleEvent> {
    let vary = |it: SampleEvent| match it.call.moment {
        HookMoment::Start { .. } => SOURCES.map(|source| it.with_field("source", source)).into(),
        _ => vec![it],
    };
    list_samples(client).flat_map(vary).collect()
}

/// What is answered to each payload in a session of its own, and to all of them in one.
pub fn list_answers(world: &FaceWorld) -> Vec<FaceAnswer> {
    let answer = |client: Client| {
        let events = list_events(client).into_iter().enumerate();
        let ways = events.flat_map(|(n, it)| {
            let own = it.moved(world, &format!("{client}-{n}"));
            [
                own,
                it.moved(world, client.as_str()),
                it.moved(world, SESSION),
            ]
        });
        let versions = list_samples(client).find(SampleEvent::is_prompt).unwrap();
        let versions = versions.moved(world, &format!("{client}-lease"));
        let versions = versions.with_field("prompt", VERSIONS);
        ways.chain([versions])
            .map(|it| it.run(world))
            .collect::<Vec<_>>()
    };
    clients::list_hooked_clients().flat_map(answer).collect()
}

/// What is answered in a turn in which memory is to be ignored.
pub fn list_answers_while_ignored(world: &FaceWorld) -> Vec<FaceAnswer> {
    let answer = |client: Client| {
        let asked = ask_to_ignore(world, client, SESSION);
        let events = list_events(client)
            .into_iter()
            .filter(SampleEvent::is_within_turn);
        let events = events.map(|it| it.moved(world, SESSION).run(world));
        [asked].into_iter().chain(events).collect::<Vec<_>>()
    };
    clients::list_hooked_clients().flat_map(answer).collect()
}

/// The user of a client asks the question of its documentation.
pub fn ask_about_checkout(world: &FaceWorld, client: Client, session: &str) -> FaceAnswer {
    let prompt = list_samples(client).find(SampleEvent::is_prompt).unwrap();
    prompt.moved(world, session).run(world)
}

/// The user of a client asks the same, and to leave memory out of it.
pub fn ask_to_ignore(world: &FaceWorld, client: Client, session: &str) -> FaceAnswer {
    let prompt = list_samples(client).find(SampleEvent::is_prompt).unwrap();
    prompt
        .moved(world, session)
        .with_field("prompt", IGNORE)
        .run(world)
}
