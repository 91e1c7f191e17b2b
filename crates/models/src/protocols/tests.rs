use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use apostille_core::model::{Model, ModelError, ModelRequest};
use serde_json::{Value, json};

use super::{ModelApi, ModelOptions, ModelOwner, RemoteModel, call::MAX_ANSWER};
use apostille_web::client::scripted_server::{ScriptedReply, ScriptedServer};

/// What no message may hold.
const KEY: &str = "sk-S3cr3tS3cr3tS3cr3t";
const ANSWER: &str = r#"{"found":[]}"#;

/// An owner who writes down what is done in their name.
#[derive(Clone)]
struct Ana {
    key: Option<&'static str>,
    per_day: usize,
    spent: Arc<Mutex<usize>>,
    pauses: Arc<Mutex<Vec<Duration>>>,
}

impl ModelOwner for Ana {
    fn read_key(&self) -> Result<Option<String>, ModelError> {
        Ok(self.key.map(str::to_owned))
    }

    fn count_request(&self) -> Result<(), ModelError> {
        let mut spent = self.spent.lock().unwrap();
        if *spent == self.per_day {
            return Err(ModelError::Spent {
                per_day: u32::try_from(self.per_day).unwrap(),
            });
        }
        *spent += 1;
        Ok(())
    }

    fn pause(&self, time: Duration) {
        self.pauses.lock().unwrap().push(time);
    }
}

/// A server with a model, and its owner.
struct Rig {
    server: ScriptedServer,
    api: ModelApi,
    owner: Ana,
}

impl Rig {
    fn new(api: ModelApi, replies: impl IntoIterator<Item = ScriptedReply>) -> Self {
        let server = ScriptedServer::start("POST");
        let target = if api == ModelApi::OpenAi {
            "/v1/chat/completions"
        } else {
            "/v1/messages"
        };
        server.set_replies(target, replies);
        let owner = Ana {
            key: Some(KEY),
            per_day: 50,
            spent: Arc::default(),
            pauses: Arc::default(),
        };
        Self { server, api, owner }
    }

    fn options(&self) -> ModelOptions {
        ModelOptions {
            api: self.api,
            base: format!("{}/v1/", self.server.base_url()),
            name: "little-model".into(),
            timeout: Duration::from_secs(60),
            proxy: None,
            authorities: None,
        }
    }

    fn remote(&self) -> RemoteModel {
        RemoteModel::new(&self.options(), self.owner.clone()).unwrap()
    }

    /// What the model says, or the whole error.
    fn said(&self) -> String {
        said(&self.remote())
    }

    fn bodies(&self) -> Vec<Value> {
        self.server
            .take_requests()
            .iter()
            .map(|it| serde_json::from_slice(&it.body).unwrap())
            .collect()
    }

    fn pauses(&self) -> Vec<u64> {
        self.owner
            .pauses
            .lock()
            .unwrap()
            .iter()
            .map(Duration::as_secs)
            .collect()
    }
}

fn said(remote: &RemoteModel) -> String {
    let schema = json!({ "type": "object" });
    let ask = ModelRequest {
        system: "be brief",
        user: "what?",
        schema: &schema,
        max_tokens: 77,
    };
    remote.complete(&ask).unwrap_or_else(|error| told(&error))
}

/// An error with its causes, in one line.
fn told(error: &ModelError) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(it) = cause {
        text += &format!(": {it}");
        cause = it.source();
    }
    text
}

/// An answer as each protocol writes it.
fn answer(api: ModelApi, text: &str) -> ScriptedReply {
    let body = match api {
        ModelApi::OpenAi => json!({
            "id": "c1", "object": "chat.completion", "created": 1, "model": "little-model",
            "choices": [{ "index": 0, "message": { "role": "assistant", "content": text }, "finish_reason": "stop" }],
            "usage": { "prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15 },
        }),
        ModelApi::Anthropic => json!({
            "id": "msg_1", "type": "message", "role": "assistant", "model": "little-model",
            "content": [{ "type": "text", "text": text }], "stop_reason": "end_turn", "stop_sequence": null,
            "usage": { "input_tokens": 10, "output_tokens": 5 },
        }),
    };
    ScriptedReply::ok(body.to_string())
}

/// A complaint that repeats what nobody should repeat.
fn complaint(status: u16, message: &str) -> ScriptedReply {
    ScriptedReply::new(
        status,
        json!({ "error": { "message": format!("{message}: {KEY}") } }).to_string(),
    )
}

#[test]
fn a_chat_completion_is_asked_for() {
    let rig = Rig::new(ModelApi::OpenAi, [answer(ModelApi::OpenAi, ANSWER)]);
    assert_eq!(rig.said(), ANSWER);
    let request = rig.server.take_requests().remove(0);
    assert_eq!(request.target, "/v1/chat/completions");
    assert_eq!(
        request.header("authorization"),
        Some(format!("Bearer {KEY}").as_str())
    );
    assert_eq!(request.header("x-api-key"), None);
    let expected = json!({
        "model": "little-model",
        "messages": [{ "role": "system", "content": "be brief" }, { "role": "user", "content": "what?" }],
        "max_tokens": 77,
        "stream": false,
        "response_format": {
            "type": "json_schema",
            "json_schema": { "name": "answer", "strict": true, "schema": { "type": "object" } },
        },
    });
    assert_eq!(
        serde_json::from_slice::<Value>(&request.body).unwrap(),
        expected
    );
}

#[test]
fn a_message_is_asked_for() {
    let called = json!({
        "type": "message", "role": "assistant", "stop_reason": "tool_use",
        "content": [
            { "type": "text", "text": "Let me see." },
            { "type": "tool_use", "id": "toolu_1", "name": "answer", "input": { "found": [] } },
        ],
    });
    let rig = Rig::new(
        ModelApi::Anthropic,
        [
            ScriptedReply::ok(called.to_string()),
            answer(ModelApi::Anthropic, "plain"),
        ],
    );
    assert_eq!(rig.said(), ANSWER);
    assert_eq!(rig.said(), "plain");
    let request = rig.server.take_requests().remove(0);
    assert_eq!(request.header("x-api-key"), Some(KEY));
    assert_eq!(request.header("anthropic-version"), Some("2023-06-01"));
    assert_eq!(request.header("authorization"), None);
    let expected = json!({
        "model": "little-model",
        "max_tokens": 77,
        "system": "be brief",
        "messages": [{ "role": "user", "content": "what?" }],
        "tools": [{ "name": "answer", "description": "Gives the answer.", "input_schema": { "type": "object" } }],
        "tool_choice": { "type": "tool", "name": "answer" },
    });
    assert_eq!(
        serde_json::from_slice::<Value>(&request.body).unwrap(),
        expected
    );
}

#[test]
fn the_address_is_taken_with_its_version_and_without() {
    let check = |api: ModelApi, base: &str, expected: &str| {
        let rig = Rig::new(api, []);
        let options = ModelOptions {
            base: format!("{}{base}", rig.server.base_url()),
            ..rig.options()
        };
        said(&RemoteModel::new(&options, rig.owner.clone()).unwrap());
        assert_eq!(rig.server.take_targets(), [expected], "{base}");
    };
    check(ModelApi::OpenAi, "/v1", "/v1/chat/completions");
    check(ModelApi::OpenAi, "", "/chat/completions");
    check(
        ModelApi::OpenAi,
        "/openai/v1/",
        "/openai/v1/chat/completions",
    );
    check(ModelApi::Anthropic, "", "/v1/messages");
    check(ModelApi::Anthropic, "/v1/", "/v1/messages");
    check(ModelApi::Anthropic, "/proxy", "/proxy/v1/messages");
}

#[test]
fn a_server_that_knows_less_is_asked_for_less() {
    let no = || complaint(400, "response_format is not supported");
    let yes = |api| answer(api, ANSWER);
    let check = |api: ModelApi, replies: Vec<ScriptedReply>, expected: &str, said: &str| {
        let rig = Rig::new(api, replies);
        assert_eq!(rig.said(), said);
        let shape = |body: Value| {
            let form = body["response_format"]["type"]
                .as_str()
                .or(body["tool_choice"]["type"].as_str());
            let limit = if body["max_completion_tokens"].is_null() {
                ""
            } else {
                "+"
            };
            format!("{}{limit}", form.unwrap_or("words"))
        };
        assert_eq!(
            rig.bodies()
                .into_iter()
                .map(shape)
                .collect::<Vec<_>>()
                .join(" "),
            expected
        );
    };
    let open = ModelApi::OpenAi;
    check(
        open,
        vec![no(), yes(open)],
        "json_schema json_object",
        ANSWER,
    );
    check(
        open,
        vec![no(), no(), yes(open)],
        "json_schema json_object words",
        ANSWER,
    );
    check(
        open,
        vec![complaint(422, "extra"), yes(open)],
        "json_schema json_object",
        ANSWER,
    );
    let refused = "the model's server answered with status 400; look at model.name and model.api";
    check(open, vec![no()], "json_schema json_object words", refused);
    let limit = || complaint(400, "Use 'max_completion_tokens' instead of 'max_tokens'");
    check(
        open,
        vec![limit(), yes(open)],
        "json_schema json_schema+",
        ANSWER,
    );
    check(
        open,
        vec![limit()],
        "json_schema json_schema+ json_object+ words+",
        refused,
    );
    check(
        ModelApi::Anthropic,
        vec![no(), yes(ModelApi::Anthropic)],
        "tool words",
        ANSWER,
    );
    check(ModelApi::Anthropic, vec![no()], "tool words", refused);
}

#[test]
fn a_busy_server_gets_one_second_chance() {
    let check = |replies: Vec<ScriptedReply>, pauses: &[u64], n_requests: usize, expected: &str| {
        for &api in ModelApi::ALL {
            let last = replies.iter().cloned().chain([answer(api, ANSWER)]);
            let rig = Rig::new(api, last);
            assert_eq!(rig.said(), expected);
            assert_eq!(
                (rig.pauses(), rig.bodies().len()),
                (pauses.to_vec(), n_requests),
                "{expected}"
            );
        }
    };
    let busy = |status: u16| complaint(status, "slow down");
    let again =
        |status: u16| format!("the model's server answered with status {status}; try again later");
    check(
        vec![busy(429).with_header("retry-after: 2")],
        &[2],
        2,
        ANSWER,
    );
    check(
        vec![busy(429).with_header("retry-after: 0")],
        &[0],
        2,
        ANSWER,
    );
    check(vec![busy(503)], &[1], 2, ANSWER);
    check(vec![busy(529)], &[1], 2, ANSWER);
    check(vec![busy(429), busy(429)], &[1], 2, &again(429));
    check(vec![busy(500), busy(502)], &[1], 2, &again(502));
    check(
        vec![busy(429).with_header("retry-after: 6")],
        &[],
        1,
        &again(429),
    );
    check(
        vec![busy(429).with_header("retry-after: Fri, 31 Dec 1999 23:59:59 GMT")],
        &[],
        1,
        &again(429),
    );
    check(vec![busy(400), busy(500)], &[1], 3, ANSWER);
}

#[test]
fn what_is_refused_is_not_tried_again() {
    let check = |reply: ScriptedReply, expected: &str| {
        for &api in ModelApi::ALL {
            let rig = Rig::new(api, [reply.clone()]);
            let said = rig.said();
            assert!(said.contains(expected), "{said}");
            assert_eq!(rig.bodies().len(), 1, "{said}");
        }
    };
    check(
        complaint(401, "Incorrect API key"),
        "status 401; look at the key that model.key_env names",
    );
    check(complaint(403, "no"), "status 403; look at the key");
    check(
        complaint(404, "no such model"),
        "status 404; look at model.url, model.name",
    );
    check(
        ScriptedReply::redirect(307, "https://evil.example.com/v1"),
        "status 307; redirects are not followed",
    );
    check(ScriptedReply::new(204, ""), "status 204");
    check(complaint(413, "too much"), "status 413");
}

#[test]
fn an_answer_that_is_none_is_told() {
    let openai = |message: Value, end: &str| {
        ScriptedReply::ok(
            json!({ "choices": [{ "message": message, "finish_reason": end }] }).to_string(),
        )
    };
    let messages = |content: Value, end: &str| {
        ScriptedReply::ok(json!({ "content": content, "stop_reason": end }).to_string())
    };
    let check = |api: ModelApi, reply: ScriptedReply, expected: &str| {
        let said = Rig::new(api, [reply]).said();
        assert_eq!(
            said,
            format!("the model's answer cannot be used: {expected}")
        );
    };
    let none = "there is no text in it";
    for &api in ModelApi::ALL {
        check(
            api,
            ScriptedReply::ok("<html>Sign in to the airport's network"),
            "the server did not answer in JSON",
        );
        check(
            api,
            ScriptedReply::ok(""),
            "the server did not answer in JSON",
        );
        check(api, ScriptedReply::ok("{}"), none);
        check(api, ScriptedReply::ok("[1]"), none);
        check(api, ScriptedReply::ok("null"), none);
        check(api, answer(api, ""), none);
    }
    let open = ModelApi::OpenAi;
    check(
        open,
        openai(json!({ "content": null, "refusal": "I cannot" }), "stop"),
        none,
    );
    check(
        open,
        openai(json!({ "content": "{\"fou" }), "length"),
        "it was cut off at its limit",
    );
    check(
        open,
        openai(json!({ "content": "x" }), "content_filter"),
        "the server filtered it",
    );
    check(
        ModelApi::Anthropic,
        messages(json!([]), "refusal"),
        "the model declined",
    );
    check(
        ModelApi::Anthropic,
        messages(json!([{ "type": "text", "text": "{" }]), "max_tokens"),
        "it was cut off at its limit",
    );
    check(
        ModelApi::Anthropic,
        messages(
            json!([{ "type": "thinking", "thinking": "hm" }]),
            "end_turn",
        ),
        none,
    );
    let parts = json!({ "content": [{ "type": "text", "text": "{\"found\":" }, { "type": "text", "text": "[]}" }] });
    assert_eq!(Rig::new(open, [openai(parts, "stop")]).said(), ANSWER);
}

#[test]
fn an_answer_has_a_size() {
    let length = usize::try_from(MAX_ANSWER).unwrap();
    for &api in ModelApi::ALL {
        let said = Rig::new(api, [answer(api, &"x".repeat(length))]).said();
        assert_eq!(said, "the model's answer is longer than 262144 bytes");
        assert_eq!(
            Rig::new(api, [answer(api, &"x".repeat(length / 2))])
                .said()
                .len(),
            length / 2
        );
        let cut = Rig::new(api, [answer(api, ANSWER).cut_short(5)]).said();
        assert!(cut.starts_with("the model cannot be reached: "), "{cut}");
    }
}

#[test]
fn a_server_that_does_not_answer_is_left() {
    let rig = Rig::new(ModelApi::OpenAi, [ScriptedReply::hang()]);
    let options = ModelOptions {
        timeout: Duration::from_millis(300),
        ..rig.options()
    };
    let remote = RemoteModel::new(&options, rig.owner.clone()).unwrap();
    assert!(said(&remote).starts_with("the model did not answer within 300ms"));
    assert_eq!(rig.bodies().len(), 1, "it is not tried again");
    let none = ModelOptions {
        timeout: Duration::ZERO,
        ..rig.options()
    };
    assert!(
        said(&RemoteModel::new(&none, rig.owner.clone()).unwrap())
            .starts_with("the model did not answer")
    );
    assert_eq!(rig.bodies().len(), 0);
}

#[test]
fn a_server_that_is_not_there_is_told() {
    let rig = Rig::new(ModelApi::OpenAi, []);
    // A port that nobody has used in decades.
    let gone = ModelOptions {
        base: "http://127.0.0.1:1/v1".into(),
        ..rig.options()
    };
    let said = said(&RemoteModel::new(&gone, rig.owner.clone()).unwrap());
    assert!(said.starts_with("the model cannot be reached: "), "{said}");
}

#[test]
fn every_request_is_counted_before_it_is_made() {
    let mut rig = Rig::new(ModelApi::OpenAi, [complaint(400, "no")]);
    rig.owner.per_day = 2;
    assert!(
        rig.said()
            .starts_with("none of today's requests to the model is left, of 2")
    );
    assert_eq!(rig.bodies().len(), 2);
    assert!(rig.said().starts_with("none of today's"));
    assert_eq!(rig.bodies().len(), 0);
}

#[test]
fn a_key_is_sent_where_nobody_can_read_it_on_the_way() {
    let check = |base: &str, key: Option<&'static str>, expected: &str| {
        let mut rig = Rig::new(ModelApi::OpenAi, []);
        rig.owner.key = key;
        let options = ModelOptions {
            base: base.into(),
            timeout: Duration::from_millis(300),
            ..rig.options()
        };
        let said = match RemoteModel::new(&options, rig.owner.clone()) {
            Ok(remote) => said(&remote),
            Err(error) => told(&error),
        };
        assert!(said.starts_with(expected), "{base}: {said}");
        assert_eq!(rig.server.take_targets(), Vec::<String>::new());
    };
    let key = "the model's key cannot be used: ";
    check(
        "http://model.example.com/v1",
        Some(KEY),
        &format!("{key}it is sent over https only"),
    );
    check(
        "http://127.0.0.1:1/v1",
        Some("two words"),
        &format!("{key}it is not one word"),
    );
    check(
        "http://127.0.0.1:1/v1",
        Some(""),
        &format!("{key}it is not one word"),
    );
    check(
        "https://ana:hunter2@example.com",
        None,
        "the model cannot be reached: its address holds a name or a password",
    );
    check(
        "example.com",
        None,
        "the model cannot be reached: its address is not a URL",
    );
}

#[test]
fn without_a_key_none_is_sent() {
    for &api in ModelApi::ALL {
        let mut rig = Rig::new(api, [answer(api, ANSWER)]);
        rig.owner.key = None;
        assert_eq!(rig.said(), ANSWER);
        let request = rig.server.take_requests().remove(0);
        assert_eq!(
            (request.header("authorization"), request.header("x-api-key")),
            (None, None)
        );
    }
}

#[test]
fn the_key_is_nowhere_but_in_the_request() {
    for &api in ModelApi::ALL {
        let mut seen = String::new();
        for status in [200, 301, 400, 401, 404, 422, 429, 500] {
            let rig = Rig::new(api, [complaint(status, "you sent")]);
            let options = ModelOptions {
                proxy: Some(format!("http://ana:{KEY}@127.0.0.1:9")),
                ..rig.options()
            };
            let remote = RemoteModel::new(&options, rig.owner.clone()).unwrap();
            seen += &format!("{options:?} {remote:?} {} ", said(&remote));
            let schema = json!({});
            let ask = ModelRequest {
                system: "",
                user: "",
                schema: &schema,
                max_tokens: 1,
            };
            seen += &format!("{:?}\n", remote.complete(&ask).unwrap_err());
        }
        assert!(
            seen.contains("little-model") && !seen.contains(KEY),
            "{seen}"
        );
    }
}
