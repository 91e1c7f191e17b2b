//! The default set of tools: five verbs, JSON in, JSON out.

use apostille_api::{CallFault, Caller};
use apostille_core::{
    memory::{Draft, Layer, Origin, Voice},
    speaker::{ConnectionFacts, Consent, Speaker},
};
use apostille_tools::{Profile, ToolAnswer};
use serde_json::{Value, json};

use crate::world::{World, repo, user};

/// A client on standard input, whose user may have agreed to something.
fn client_with_consent(consent: Option<Consent>) -> Speaker {
    Speaker::on_connection(ConnectionFacts {
        session: Some("s-1".into()),
        consent,
        ..ConnectionFacts::default()
    })
}

/// What a tool answers to a client whose user says yes, or cannot be asked.
fn tried(
    world: &World,
    tool: &str,
    arguments: Value,
    says_yes: bool,
) -> Result<(Value, bool), CallFault> {
    let mut answer = answer_client(world, tool, &arguments, None)?;
    if let Some(question) = answer.ask.take().filter(|_| says_yes) {
        answer = answer_client(world, tool, &arguments, Some(question.into_consent()))?;
    }
    Ok((
        serde_json::from_str(&answer.text).unwrap(),
        answer.is_refusal,
    ))
}

fn answer_client(
    world: &World,
    tool: &str,
    arguments: &Value,
    consent: Option<Consent>,
) -> Result<ToolAnswer, CallFault> {
    let (repo, user) = (repo(), user());
    let speaker = client_with_consent(consent);
    let caller = Caller {
        user: Some(&user),
        session: Some("s-1"),
        speaker: &speaker,
        ..Caller::in_repo(&repo)
    };
    world.with(|cx| Profile::Default.call_tool(cx, &caller, tool, arguments.clone()))
}

fn call_everyday_tool(world: &World, tool: &str, arguments: Value) -> Value {
    tried(world, tool, arguments, false).unwrap().0
}

/// A world in which one fact is known.
fn known() -> World {
    let world = World::verified();
    world.shelf.write(
        "src/api.rs",
        "//! The API.\n\npub const API_VERSION: u32 = 7;\n",
    );
    let kept = call_everyday_tool(&world, "memory_remember", fact());
    assert_eq!(
        kept,
        json!({"ok": true, "id": "m-1", "outcome": "remembered"})
    );
    world
}

fn fact() -> Value {
    json!({"fact": "API_VERSION is 7, and must equal the client's", "citations": ["src/api.rs:3"], "kind": "project", "reason": "the client refuses others"})
}

#[test]
fn what_is_remembered_is_recalled_with_its_standing() {
    let found = call_everyday_tool(
        &known(),
        "memory_recall",
        json!({"query": "which API version?"}),
    );
    let memory = json!({"id": "m-1", "fact": "API_VERSION is 7, and must equal the client's", "reason": "the client refuses others", "standing": "stands", "at": ["src/api.rs:3"]});
    assert_eq!(found, json!({"memories": [memory]}));
}

#[test]
fn what_the_code_contradicts_is_withheld_with_what_repairs_it() {
    let world = known();
    world.shelf.write(
        "src/api.rs",
        "//! The API.\n\npub const API_VERSION: u32 = 8;\n",
    );
    let found = call_everyday_tool(&world, "memory_recall", json!({"path": "src/api.rs"}));
    assert_eq!(found["memories"], json!([]));
    let withheld = &found["withheld"][0];
    assert_eq!(
        (&withheld["id"], &withheld["standing"], &withheld["now"]),
        (&json!("m-1"), &json!("contradicted"), &json!(["7 → 8"])),
        "{found}"
    );
    let next = withheld["next"].as_str().unwrap();
    assert!(next.contains(r#"{"id":"m-1","action":"correct""#), "{next}");
}

#[test]
fn a_correction_on_a_branch_is_kept_beside_what_it_corrects() {
    let world = known();
    world.shelf.branch_off();
    world.shelf.write(
        "src/api.rs",
        "//! The API.\n\npub const API_VERSION: u32 = 8;\n",
    );
    let correction = json!({"id": "m-1", "action": "correct", "fact": "API_VERSION is 8, as in the client", "citations": ["src/api.rs:3"]});
    let answer = call_everyday_tool(&world, "memory_revise", correction);
    assert_eq!(answer["beside"], "m-1", "{answer}");
    let note = answer["note"].as_str().unwrap();
    assert!(note.starts_with("m-1 stays in use until"), "{note}");
    let found = call_everyday_tool(&world, "memory_recall", json!({"query": "api version"}));
    let ids: Vec<&Value> = found["memories"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["id"])
        .collect();
    assert!(
        ids.contains(&&answer["id"]) && !ids.contains(&&json!("m-1")),
        "{found}"
    );
    assert_eq!(found.get("withheld"), None, "{found}");
    let verified = call_everyday_tool(&world, "memory_verify", json!({"path": "src/api.rs"}));
    assert_eq!(verified.get("problems"), None, "{verified}");
}

#[test]
fn verify_tool_names_what_replaced_a_memory() {
    let world = known();
    let correction = json!({"id": "m-1", "action": "correct", "fact": "API_VERSION is the number 7 of the protocol"});
    let kept = call_everyday_tool(&world, "memory_revise", correction);
    let verified = call_everyday_tool(&world, "memory_verify", json!({"ids": ["m-1"]}));
    let superseded = json!([{"id": "m-1", "by": kept["id"]}]);
    assert_eq!(
        verified,
        json!({"verified": 0, "good": 0, "superseded": superseded}),
        "{kept}"
    );
}

#[test]
fn what_moved_is_shown_where_it_is() {
    let world = known();
    world.shelf.write(
        "src/api.rs",
        "//! The API.\n//! More.\n\npub const API_VERSION: u32 = 7;\n",
    );
    let found = call_everyday_tool(&world, "memory_recall", json!({"query": "api version"}));
    assert_eq!(found["memories"][0]["standing"], "stands");
    assert_eq!(found["memories"][0]["at"], json!(["src/api.rs:4"]));
}

#[test]
fn a_turn_that_ignores_memory_is_shown_none() {
    let found = call_everyday_tool(
        &known(),
        "memory_recall",
        json!({"query": "api version", "ignore_memory": true}),
    );
    assert_eq!(found, json!({"ignored": true, "memories": []}));
}

#[test]
fn an_open_question_brings_the_identity_and_the_most_recent() {
    let world = known();
    world.remember(Draft {
        layer: Some(Layer::Identity),
        ..Draft::new(
            user(),
            "Ana, backend, Berlin",
            Voice::from_origin(Origin::User),
        )
    });
    let found = call_everyday_tool(&world, "memory_recall", json!({}));
    assert_eq!(
        found["identity"],
        json!([{"id": "u-1", "fact": "Ana, backend, Berlin"}])
    );
    assert_eq!(found["memories"][0]["id"], "m-1");
}

#[test]
fn a_preference_is_the_users_and_an_episode_is_shown_when_history_is_asked_for() {
    let world = known();
    let kept = call_everyday_tool(
        &world,
        "memory_remember",
        json!({"fact": "prefers small commits", "kind": "user"}),
    );
    assert_eq!(kept["id"], "u-1");
    for fact in ["I prefer tabs", "the user prefers concise replies"] {
        let kept = call_everyday_tool(&world, "memory_remember", json!({"fact": fact}));
        let memory = world.look(kept["id"].as_str().unwrap());
        let found = (memory.space.as_str(), memory.kind.as_str());
        assert_eq!(found, ("users/ana", "user"), "{fact}");
    }
    let episode = json!({"fact": "the upload race was fixed by a lock file", "layer": "episode", "task": "upload-race"});
    assert_eq!(
        call_everyday_tool(&world, "memory_remember", episode)["id"],
        "m-2"
    );
    let asked = |episodes: bool| {
        call_everyday_tool(
            &world,
            "memory_recall",
            json!({"query": "upload race", "episodes": episodes}),
        )
    };
    assert!(!asked(false).to_string().contains("lock file"));
    assert_eq!(
        asked(false)["next"],
        "1 episode matches; see it with \"episodes\": true"
    );
    assert!(asked(true).to_string().contains("lock file"));
}

#[test]
fn refusals_say_what_to_do() {
    let check = |arguments: Value, class: &str, next: &str| {
        let (answer, is_refusal) = tried(&known(), "memory_remember", arguments, false).unwrap();
        assert!(is_refusal, "{answer}");
        assert_eq!(
            (&answer["ok"], &answer["class"]),
            (&json!(false), &json!(class)),
            "{answer}"
        );
        assert!(
            answer["next"].as_str().unwrap_or_default().contains(next),
            "{answer}"
        );
    };
    check(
        json!({"fact": "the build needs make"}),
        "needs_citation",
        "\"citations\"",
    );
    check(
        json!({"fact": "the key is ghp_16C7e42F292c6912E7710c838347Ae178B4a", "kind": "user"}),
        "secret",
        "without the secret",
    );
    check(
        json!({"fact": "see there", "citations": ["src/none.rs:3"]}),
        "bad_citation",
        "",
    );
}

#[test]
fn remember_cites_by_symbol() {
    let check = |citation: Value, expected: &str| {
        let world = World::verified();
        let arguments = json!({"fact": "API_VERSION is \"v3\"", "citations": [citation]});
        let (answer, is_refusal) = tried(&world, "memory_remember", arguments, false).unwrap();
        let got = if is_refusal {
            answer["error"].to_string()
        } else {
            let recalled =
                call_everyday_tool(&world, "memory_recall", json!({"query": "API_VERSION"}));
            recalled["memories"][0]["at"].to_string()
        };
        assert!(got.contains(expected), "{citation}: {got} {answer}");
    };
    check(json!("src/api.rs::API_VERSION"), "src/api.rs:3");
    check(
        json!({"path": "src/api.rs", "symbol": "API_VERSION"}),
        "src/api.rs:3",
    );
    check(
        json!("src/api.rs::API_VERSON"),
        "there is API_VERSION (line 3)",
    );
}

#[test]
fn what_is_much_like_a_known_one_names_it_and_the_calls_to_make() {
    let world = World::verified();
    let note = |fact: &str, extra: Value| {
        let mut arguments = json!({"fact": fact, "kind": "feedback"});
        arguments
            .as_object_mut()
            .unwrap()
            .extend(extra.as_object().cloned().unwrap());
        call_everyday_tool(&world, "memory_remember", arguments)
    };
    let fact = "the release notes are written before the tag is pushed and never after it";
    note(fact, json!({}));
    let near = format!("{fact} again");
    let answer = note(&near, json!({}));
    assert_eq!(
        (&answer["class"], &answer["similar"][0]["id"]),
        (&json!("similar"), &json!("m-1")),
        "{answer}"
    );
    assert!(
        answer["next"]
            .as_str()
            .unwrap()
            .contains("\"id\":\"m-1\",\"action\":\"supersede\""),
        "{answer}"
    );
    assert_eq!(
        note(&near, json!({"rationale": "it is said twice"}))["id"],
        "m-2"
    );
}

#[test]
fn malformed_calls_are_faults_that_name_the_field() {
    let check = |tool: &str, arguments: Value, expected: &str| {
        let fault = tried(&World::verified(), tool, arguments, false).unwrap_err();
        assert!(matches!(fault, CallFault::Malformed(_)), "{fault}");
        assert_eq!(fault.to_string(), expected);
    };
    check("memory_remember", json!({}), "fact: it is required");
    check(
        "memory_remember",
        json!({"fact": 7}),
        "fact: expected a text",
    );
    check(
        "memory_remember",
        json!({"fact": "a", "citations": "src/a.rs:1"}),
        "citations: expected a list",
    );
    check(
        "memory_remember",
        json!({"fact": "a", "citations": [{"line_start": 1}]}),
        "citations[0]: expected path, with line_start or symbol",
    );
    check(
        "memory_recall",
        json!({"limit": 0}),
        "limit: ask for at least 1",
    );
    check(
        "memory_recall",
        json!({"episodes": "maybe"}),
        "episodes: expected true or false",
    );
    check(
        "memory_remember",
        json!({"fact": "a", "tainted": "yes"}),
        "tainted: expected true or false",
    );
    check(
        "memory_recall",
        json!({"ignore_memory": 1}),
        "ignore_memory: expected true or false",
    );
    check(
        "memory_revise",
        json!({"id": "m-1"}),
        "action: it is required",
    );
    check(
        "memory_revise",
        json!({"id": "m-1", "action": "invalidate"}),
        "reason: it is required",
    );
    check(
        "memory_revise",
        json!({"id": "m-1", "action": "correct"}),
        "fact: it is required",
    );
    check(
        "memory_revise",
        json!({"id": "m-1", "action": "burn"}),
        "action: expected correct, supersede, invalidate, confirm, apply or refresh",
    );
    check("memory_forget", json!({}), "id: it is required");
    check(
        "memory_verify",
        json!({"ids": ["seven"]}),
        "ids[0]: 'seven' is not a handle such as m-12 or u-3, nor an id",
    );
    check(
        "memory_recall",
        json!(["query"]),
        "arguments: expected an object",
    );
}

#[test]
fn a_memory_is_revised_by_each_action() {
    let check = |arguments: Value, outcome: &str| {
        let answer = call_everyday_tool(&known(), "memory_revise", arguments);
        assert_eq!(
            (&answer["ok"], &answer["outcome"]),
            (&json!(true), &json!(outcome)),
            "{answer}"
        );
    };
    check(json!({"id": "m-1", "action": "refresh"}), "refreshed");
    check(json!({"id": "m-1", "action": "apply"}), "applied");
    check(
        json!({"id": "m-1", "action": "invalidate", "reason": "it is not so"}),
        "invalidated",
    );
    check(
        json!({"id": "m-1", "action": "correct", "fact": "API_VERSION is 7", "citations": ["src/api.rs:3"]}),
        "remembered",
    );
    check(
        json!({"id": "m-1", "action": "supersede", "fact": "API_VERSION is 7 in both"}),
        "remembered",
    );
}

#[test]
fn what_does_not_hold_is_not_refreshed() {
    let world = known();
    world.shelf.write(
        "src/api.rs",
        "//! The API.\n\npub const API_VERSION: u32 = 8;\n",
    );
    let answer = call_everyday_tool(
        &world,
        "memory_revise",
        json!({"id": "m-1", "action": "refresh"}),
    );
    assert_eq!(answer["class"], "does_not_hold");
    assert!(
        answer["next"]
            .as_str()
            .unwrap()
            .contains("memory_verify {\"ids\":[\"m-1\"]}"),
        "{answer}"
    );
}

#[test]
fn verify_shows_what_changed() {
    let world = known();
    assert_eq!(
        call_everyday_tool(&world, "memory_verify", json!({})),
        json!({"verified": 1, "good": 1})
    );
    world.shelf.write(
        "src/api.rs",
        "//! The API.\n\npub const API_VERSION: u32 = 8;\n",
    );
    let told = call_everyday_tool(&world, "memory_verify", json!({"ids": ["m-1"]}));
    let problem = &told["problems"][0];
    assert_eq!(
        (&problem["id"], &problem["standing"]),
        (&json!("m-1"), &json!("contradicted")),
        "{told}"
    );
    assert_eq!(
        problem["citations"][0]["now"],
        "pub const API_VERSION: u32 = 8;"
    );
}

#[test]
fn verify_says_first_what_became_of_what_is_not_in_use() {
    let world = known();
    let invalidate = json!({"id": "m-1", "action": "invalidate", "reason": "the clients moved on"});
    call_everyday_tool(&world, "memory_revise", invalidate);
    let told = call_everyday_tool(&world, "memory_verify", json!({"ids": ["m-1"]}));
    assert_eq!(
        told,
        json!({
            "verified": 0,
            "good": 0,
            "not_in_use": [{
                "id": "m-1",
                "status": "invalid",
                "why": "the clients moved on",
                "since": world.now().to_string(),
                "by": "s-1",
                "standing": "stands",
            }],
        })
    );
}

/// A world in which a person has a rule, `u-1`, and something about the repository, `m-1`.
fn ruled() -> World {
    let world = World::verified();
    for (space, fact) in [(user(), RULE), (repo(), "Releases are cut on Mondays")] {
        let voice = Voice::from_origin(Origin::User);
        world.kept(Draft::new(space, fact, voice));
    }
    world
}

const RULE: &str = "Always ask me before force pushing";

#[test]
fn agent_forgets_what_an_agent_said() {
    let world = known();
    let forget = |id: &str| {
        tried(&world, "memory_forget", json!({"id": id}), false)
            .unwrap()
            .0
    };
    assert_eq!(forget("m-9")["class"], "no_such_memory");
    assert_eq!(
        forget("m-1"),
        json!({"ok": true, "id": "m-1", "outcome": "forgotten"})
    );
}

#[test]
fn agent_cannot_erase_what_a_person_said() {
    let world = ruled();
    for id in ["u-1", "m-1"] {
        let claimed = json!({"id": id, "user_agreed": true});
        let (told, is_refusal) = tried(&world, "memory_forget", claimed, false).unwrap();
        assert_eq!((is_refusal, &told["class"]), (true, &json!("not_a_person")));
        assert!(world.look(id).is_active());
    }
    let yes = tried(&world, "memory_forget", json!({"id": "u-1"}), true).unwrap();
    assert_eq!(yes.0["outcome"], "forgotten");
}

#[test]
fn agent_cannot_call_a_persons_words_wrong() {
    let world = ruled();
    let wrong = json!({"id": "u-1", "action": "invalidate", "reason": "outdated"});
    let (told, is_refusal) = tried(&world, "memory_revise", wrong.clone(), false).unwrap();
    assert_eq!((is_refusal, &told["class"]), (true, &json!("not_a_person")));
    assert!(world.look("u-1").is_active());
    let yes = tried(&world, "memory_revise", wrong, true).unwrap();
    assert_eq!(yes.0["outcome"], "invalidated");
}

#[test]
fn agent_cannot_put_its_words_in_the_place_of_a_persons() {
    for action in ["supersede", "correct"] {
        let world = ruled();
        let other =
            json!({"id": "u-1", "action": action, "fact": "Never ask before force pushing"});
        let (told, _) = tried(&world, "memory_revise", other.clone(), false).unwrap();
        assert!(told["pending"].is_string(), "{told}");
        assert!(world.look("u-1").is_active());
        let (told, _) = tried(&world, "memory_revise", other, true).unwrap();
        assert_eq!(told["pending"], Value::Null, "{told}");
        assert!(!world.look("u-1").is_active() && world.look("u-2").is_active());
    }
}

#[test]
fn a_yes_to_one_question_decides_nothing_else() {
    let world = ruled();
    let asked = json!({"id": "m-1"});
    let question = answer_client(&world, "memory_forget", &asked, None)
        .unwrap()
        .ask
        .unwrap();
    let other = json!({"id": "u-1"});
    let answer = answer_client(
        &world,
        "memory_forget",
        &other,
        Some(question.into_consent()),
    )
    .unwrap();
    assert!(answer.is_refusal);
    assert!(world.look("u-1").is_active());
}

#[test]
fn only_a_person_lets_a_memory_out_of_quarantine() {
    let world = known();
    let tainted = json!({"fact": "API_VERSION 7 is the last one with XML", "citations": ["src/api.rs:3"], "tainted": true});
    let kept = call_everyday_tool(&world, "memory_remember", tainted);
    assert!(kept["pending"].is_string(), "{kept}");
    let approve = json!({"id": "m-2", "action": "approve"});
    assert!(tried(&world, "memory_revise", approve, true).is_err());
    assert!(!world.look("m-2").is_active());
}

#[test]
fn an_id_of_another_space_names_nothing_here() {
    let world = known();
    let id = world.look("m-1").id.to_string();
    let elsewhere = apostille_core::space::Space::repo("myorg/other").unwrap();
    let speaker = client_with_consent(None);
    let caller = Caller {
        speaker: &speaker,
        ..Caller::in_repo(&elsewhere)
    };
    for (tool, arguments) in [
        ("memory_forget", json!({"id": id})),
        ("memory_revise", json!({"id": id, "action": "apply"})),
        ("memory_verify", json!({"ids": [id]})),
    ] {
        let answer = world
            .with(|cx| Profile::Default.call_tool(cx, &caller, tool, arguments))
            .unwrap();
        assert!(
            answer.text.contains("no_such_memory"),
            "{tool}: {}",
            answer.text
        );
    }
}

#[test]
fn recall_of_an_unrelated_question_is_empty_and_says_what_next() {
    let found = call_everyday_tool(&known(), "memory_recall", json!({"query": "zebra quantum"}));
    assert_eq!(found["memories"], json!([]), "{found}");
    assert!(
        found["next"]
            .as_str()
            .is_some_and(|it| it.contains("memory_remember")),
        "{found}"
    );
    let found = call_everyday_tool(&known(), "memory_recall", json!({"query": "api version"}));
    assert_eq!(found.get("next"), None);
}

/// A fact that is still true may be proved by other lines.
#[test]
fn the_same_fact_is_corrected_by_other_lines() {
    let world = known();
    world.shelf.write(
        "src/api.rs",
        "//! The API.\n\npub const API_VERSION: u32 = 7; // since March\n",
    );
    let correct = json!({"id": "m-1", "action": "correct", "fact": "API_VERSION is 7, and must equal the client's", "citations": ["src/api.rs:3"]});
    assert_eq!(
        call_everyday_tool(&world, "memory_revise", correct)["ok"],
        true
    );
    let found = call_everyday_tool(&world, "memory_recall", json!({"query": "api version"}));
    assert_eq!(
        (
            &found["memories"][0]["standing"],
            &found["memories"][0]["at"]
        ),
        (&json!("stands"), &json!(["src/api.rs:3"])),
        "{found}"
    );
}

#[test]
fn a_correction_without_proof_says_how_to_make_it() {
    let world = known();
    world.shelf.write(
        "src/api.rs",
        "//! The API.\n\npub const API_VERSION: u32 = 8;\n",
    );
    let answer = call_everyday_tool(
        &world,
        "memory_revise",
        json!({"id": "m-1", "action": "correct", "fact": "both are equal"}),
    );
    assert!(
        answer["next"]
            .as_str()
            .unwrap()
            .starts_with("call memory_revise again with \"citations\""),
        "{answer}"
    );
}

#[test]
fn whole_paths_into_the_checkout_are_understood() {
    let world = known();
    let repo = repo();
    let caller = Caller {
        root: Some("/home/ana/app"),
        ..Caller::in_repo(&repo)
    };
    let asked = |tool: &str, arguments: Value| {
        world.with(|cx| Profile::Default.call_tool(cx, &caller, tool, arguments))
    };
    let found = asked("memory_recall", json!({"path": "/home/ana/app/src/api.rs"})).unwrap();
    assert!(found.text.contains("m-1"), "{}", found.text);
    let fact = json!({"fact": "the gateway reads API_VERSION once, when it starts", "citations": ["/home/ana/app/src/api.rs:3", {"path": "/home/ana/app/src/api.rs", "line_start": 3}]});
    assert!(!asked("memory_remember", fact).unwrap().is_refusal);
    assert!(
        asked(
            "memory_recall",
            json!({"path": "/home/ana/application/src/api.rs"})
        )
        .is_err()
    );
}

#[test]
fn what_cites_nothing_is_not_counted_as_verified() {
    let world = known();
    let voice = Voice::from_origin(Origin::User);
    world.remember(Draft::new(user(), "I prefer tabs", voice));
    assert_eq!(
        call_everyday_tool(&world, "memory_verify", json!({})),
        json!({"verified": 1, "good": 1, "unverified": 1})
    );
}

#[test]
fn other_sets_show_nothing_that_does_not_hold_without_saying_so() {
    let world = known();
    let repo = repo();
    let caller = Caller::in_repo(&repo);
    let asked = |profile: Profile, tool: &str, arguments: Value| {
        world
            .with(|cx| profile.call_tool(cx, &caller, tool, arguments))
            .unwrap()
    };
    let by_path = || {
        asked(
            Profile::Verified,
            "memory_search_by_path",
            json!({"path": "src/api.rs"}),
        )
    };
    assert_eq!(by_path().note, None, "everything was looked up and holds");
    assert!(
        asked(
            Profile::Simple,
            "memory_search",
            json!({"query": "API_VERSION"})
        )
        .text
        .contains("\"count\":1")
    );
    world.shelf.write(
        "src/api.rs",
        "//! The API.\n\npub const API_VERSION: u32 = 8;\n",
    );
    let id = world.look("m-1").id;
    assert!(
        by_path()
            .note
            .unwrap()
            .contains(&format!("{id} (contradicted)"))
    );
    let recent = asked(Profile::Verified, "memory_get_recent", json!({}));
    assert!(recent.note.unwrap().starts_with("Not to be used"));
    assert!(
        asked(
            Profile::Simple,
            "memory_search",
            json!({"query": "API_VERSION"})
        )
        .text
        .contains("\"count\":0")
    );
}

/// What is tainted waits, whichever tool brings it.
#[test]
fn words_from_outside_are_never_in_use_unattended() {
    let world = known();
    let (repo, user) = (repo(), user());
    let caller = Caller {
        user: Some(&user),
        ..Caller::in_repo(&repo)
    };
    let check = |profile: Profile, tool: &str, mut arguments: Value| {
        arguments["tainted"] = json!(true);
        let answer = world
            .with(|cx| profile.call_tool(cx, &caller, tool, arguments))
            .unwrap();
        assert!(
            answer.text.contains("pending") || answer.text.contains("waits"),
            "{tool}: {}",
            answer.text
        );
    };
    check(
        Profile::Default,
        "memory_remember",
        json!({"fact": "tabs are two wide", "kind": "feedback"}),
    );
    let written =
        json!({"fact": "tabs are four wide in Go", "kind": "feedback", "tainted": "true"});
    let answer = world
        .with(|cx| Profile::Default.call_tool(cx, &caller, "memory_remember", written))
        .unwrap();
    assert!(
        answer.text.contains("pending"),
        "agents write flags as texts: {}",
        answer.text
    );
    let correct = json!({"id": "m-1", "action": "correct", "fact": "API_VERSION is 7", "citations": ["src/api.rs:3"]});
    check(Profile::Default, "memory_revise", correct);
    check(
        Profile::Simple,
        "memory_store",
        json!({"text": "lines are long"}),
    );
    check(
        Profile::Layers,
        "memory_write",
        json!({"action": "add", "layer": "L1", "content": "names are short"}),
    );
    check(
        Profile::Files,
        "memory",
        json!({"command": "create", "path": "/memories/a.md", "file_text": "files are many"}),
    );
    let place = json!([{"path": "src/api.rs", "line_start": 3}]);
    check(
        Profile::Verified,
        "memory_store",
        json!({"subject": "v", "fact": "API_VERSION is a u32", "citations": place}),
    );
}

#[test]
fn what_a_draft_resembles_is_not_repeated_where_it_does_not_hold() {
    let world = World::verified();
    world.shelf.write(
        "src/api.rs",
        "//! The API.\n\npub const API_VERSION: u32 = 7;\n",
    );
    let fact = |extra: &str| {
        let fact = format!(
            "API_VERSION of the server is 7, the one that the mobile client was built with{extra}"
        );
        json!({"fact": fact, "citations": ["src/api.rs:3"]})
    };
    call_everyday_tool(&world, "memory_remember", fact(""));
    world.shelf.write(
        "src/api.rs",
        "//! The API.\n\npub const API_VERSION: u32 = 8;\n",
    );
    let answer = call_everyday_tool(&world, "memory_remember", fact(" too"));
    assert_eq!(
        answer["similar"][0]["fact"], "(not repeated: it is contradicted here)",
        "{answer}"
    );
}

#[test]
fn what_an_agent_makes_up_about_its_user_waits_in_every_set_of_tools() {
    let made_up = "The user wants every test to be skipped";
    let cases = [
        (
            Profile::Default,
            "memory_remember",
            json!({"fact": made_up, "kind": "user"}),
        ),
        (
            Profile::Default,
            "memory_remember",
            json!({"fact": made_up, "layer": "identity"}),
        ),
        (
            Profile::Simple,
            "memory_store",
            json!({"text": made_up, "scope": "user"}),
        ),
        (
            Profile::Layers,
            "memory_write",
            json!({"action": "add", "layer": "L0", "content": made_up}),
        ),
        (
            Profile::Layers,
            "memory_write",
            json!({"action": "add", "layer": "L1", "content": made_up}),
        ),
        (
            Profile::Files,
            "memory",
            json!({"command": "create", "path": "/memories/a.md", "file_text": made_up}),
        ),
    ];
    let (repo, user) = (repo(), user());
    for (profile, tool, arguments) in cases {
        let world = World::verified().called_by_agent();
        let caller = Caller {
            user: Some(&user),
            session: Some("s-1"),
            speaker: world.caller_speaker(),
            ..Caller::in_repo(&repo)
        };
        let answer = world.with(|cx| profile.call_tool(cx, &caller, tool, arguments.clone()));
        let told = answer.unwrap().text;
        assert!(told.contains("pending"), "{tool} {arguments}: {told}");
        assert!(!world.look("u-1").is_active(), "{tool} {arguments}");
    }
}

/// Hooks tell our tools from those of other servers by these names.
#[test]
fn hooks_know_every_tool_by_name() {
    let mut names: Vec<&str> = Profile::All.tool_names().collect();
    let single = Profile::ALL.iter().flat_map(|it| it.tool_names());
    names.extend(single);
    names.sort_unstable();
    names.dedup();
    assert_eq!(names, apostille_agents::hook::exposure::OWN_TOOLS);
}

#[test]
fn recall_answers_within_filters() {
    let world = known();
    let kept = call_everyday_tool(
        &world,
        "memory_remember",
        json!({"fact": "API_VERSION is read by the billing client", "kind": "feedback", "project": "Billing", "tags": ["client"]}),
    );
    assert_eq!(kept["id"], "m-2");
    let check = |filter: Value, expected: &[&str]| {
        let mut arguments = json!({"query": "API_VERSION"});
        let fields = filter.as_object().unwrap().clone();
        arguments.as_object_mut().unwrap().extend(fields);
        let answer = call_everyday_tool(&world, "memory_recall", arguments);
        let memories = answer["memories"].as_array().unwrap();
        let mut ids: Vec<&str> = memories.iter().filter_map(|it| it["id"].as_str()).collect();
        ids.sort_unstable();
        assert_eq!(ids, expected, "{filter}");
    };
    check(json!({}), &["m-1", "m-2"]);
    check(json!({"tag": "client"}), &["m-2"]);
    check(json!({"project": "billing"}), &["m-2"]);
    check(json!({"kind": "project"}), &["m-1"]);
    check(json!({"citing": "src"}), &["m-1"]);
    check(json!({"since": "1h", "until": ""}), &["m-1", "m-2"]);
    check(json!({"until": "2020-01-01"}), &[]);
    check(
        json!({"address": "/myorg/myapp/knowledge/"}),
        &["m-1", "m-2"],
    );
    check(json!({"address": "/myorg/myapp/episodes/"}), &[]);
    for (field, value) in [
        ("address", "knowledge"),
        ("address", "/other/app/knowledge/"),
        ("address", "users/eve/"),
        ("since", "soon"),
        ("project", "two words"),
    ] {
        let fault = tried(
            &world,
            "memory_recall",
            json!({"query": "x", field: value}),
            false,
        );
        let fault = fault.unwrap_err().to_string();
        assert!(fault.starts_with(&format!("{field}: ")), "{fault}");
    }
}

#[test]
fn recall_for_a_task_brings_knowledge_and_past_tasks() {
    let world = known();
    world.kept(Draft {
        layer: Some(Layer::Episode),
        task: Some("bump-the-api".into()),
        ..Draft::new(
            repo(),
            "Bumping API_VERSION broke the old client",
            Voice::from_origin(Origin::Agent),
        )
    });
    let recall = |arguments| call_everyday_tool(&world, "memory_recall", arguments);
    let ids = |answer: &Value| -> Vec<String> {
        let memories = answer["memories"].as_array().unwrap();
        memories.iter().map(|it| it["id"].to_string()).collect()
    };
    let answer = recall(json!({"task": "Bump API_VERSION to 8"}));
    assert_eq!(ids(&answer), ["\"m-1\"", "\"m-2\""], "{answer}");
    let answer = recall(json!({"task": "Bump API_VERSION to 8", "tokens": 60}));
    assert_eq!(ids(&answer).len(), 1, "{answer}");
    let answer = recall(json!({"task": "Paint the shed"}));
    assert_eq!(answer["memories"], json!([]));
    let answer = recall(json!({"query": "API_VERSION", "tokens": 10}));
    assert_eq!(ids(&answer).len(), 0, "{answer}");
}
