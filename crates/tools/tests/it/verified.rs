//! The ten tools of verified memory, field by field.

use apostille_api::{CallFault, Caller};
use apostille_cite::source::{Source, SourceError};
use apostille_core::event::EventBody;
use apostille_text::digest::Digest;
use apostille_tools::{Profile, verified};
use serde_json::{Value, json};

use crate::world::{COMMIT, ReadOnly, Shelf, World, repo};

const LINE: &str = "pub const API_VERSION: &str = \"v3\";";
const OLD: &str = "0ld0000000000000000000000000000000000000";

/// The repository as it was at an earlier commit.
fn open_old(at: &str) -> Result<Box<dyn Source>, SourceError> {
    if at != OLD {
        return Err(SourceError::NoSuchRef(at.into()));
    }
    let shelf = Shelf::default();
    shelf.write(
        "src/api.rs",
        "use std;\n\npub const API_VERSION: &str = \"v2\";\n",
    );
    Ok(Box::new(shelf))
}

fn tried(world: &World, tool: &str, arguments: Value) -> Result<Value, CallFault> {
    let repo = repo();
    let caller = Caller {
        session: Some("s-1"),
        at: Some(&open_old),
        ..Caller::in_repo(&repo)
    };
    let answer =
        world.with(|cx| Profile::Verified.call_tool(cx, &caller, tool, arguments.clone()))?;
    world.advance(1);
    Ok(serde_json::from_str(&answer.text).unwrap())
}

fn call(world: &World, tool: &str, arguments: Value) -> Value {
    tried(world, tool, arguments).unwrap()
}

fn fact(fact: &str) -> Value {
    json!({
        "repo": "myorg/myapp", "subject": "API version", "fact": fact, "created_by": "coding-agent",
        "reason": "Prevents breakage.",
        "citations": [
            {"path": "src/api.rs", "line_start": 3, "line_end": 3},
            {"path": "docs/api.md", "line_start": 3, "line_end": 3},
        ],
    })
}

#[test]
fn store_cites_by_symbol() {
    let world = World::verified();
    let mut arguments = fact("API_VERSION is v3");
    arguments["citations"] = json!([{"path": "src/api.rs", "symbol": "API_VERSION"}]);
    let stored = call(&world, "memory_store", arguments);
    assert_eq!(stored["ok"], true, "{stored}");
    let recent = call(&world, "memory_get_recent", json!({}));
    let cited = &recent[0]["citations"][0];
    assert_eq!(
        (&cited["line_start"], &cited["line_end"]),
        (&json!(3), &json!(3)),
        "{recent}"
    );
}

/// A world with one memory, and its UUID.
fn stored() -> (World, String) {
    let world = World::verified();
    let answer = call(
        &world,
        "memory_store",
        fact("API_VERSION must match the docs."),
    );
    let id = answer["memory"]["id"].as_str().unwrap().to_owned();
    (world, id)
}

fn recent(world: &World) -> Vec<Value> {
    call(world, "memory_get_recent", json!({"repo": "myorg/myapp"}))
        .as_array()
        .unwrap()
        .clone()
}

fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    keys.sort_unstable();
    keys
}

#[test]
fn memory_record_has_exactly_its_fields() {
    let (world, id) = stored();
    let record = recent(&world).remove(0);
    let fields = [
        "citations",
        "fact",
        "id",
        "reason",
        "refreshed_at",
        "repo",
        "subject",
        "verification_count",
    ];
    assert_eq!(keys(&record), fields);
    assert_eq!((record["id"].as_str(), id.len()), (Some(id.as_str()), 36));
    assert_eq!(
        (&record["repo"], &record["subject"]),
        (&json!("myorg/myapp"), &json!("API version"))
    );
    assert_eq!(record["fact"], json!("API_VERSION must match the docs."));
    assert_eq!(record["reason"], json!("Prevents breakage."));
    assert_eq!(record["refreshed_at"], json!("2026-02-26T12:00:00Z"));
    assert_eq!(record["verification_count"], json!(0));
}

#[test]
fn record_citation_has_exactly_its_fields() {
    let (world, _) = stored();
    let hash = Digest::hash_bytes(LINE.as_bytes()).to_string();
    let expected = json!({"path": "src/api.rs", "line_start": 3, "line_end": 3, "sha": COMMIT, "snippet_hash": hash});
    assert_eq!(recent(&world)[0]["citations"][0], expected);
}

#[test]
fn memory_record_reason_defaults_to_null() {
    let world = World::verified();
    let mut input = fact("API_VERSION must match the docs.");
    input["reason"] = Value::Null;
    call(&world, "memory_store", input);
    assert_eq!(recent(&world)[0].get("reason"), Some(&Value::Null));
}

#[test]
fn store_records_author_and_agent_origin() {
    let (world, _) = stored();
    let voice = world.look("m-1").voice;
    assert_eq!(
        (voice.author.as_deref(), voice.origin.as_str()),
        (Some("coding-agent"), "agent")
    );
    assert_eq!(voice.session.as_deref(), Some("s-1"));
}

#[test]
fn store_refuses_memory_without_citations() {
    let check = |citations: Value| {
        let mut input = fact("The api is versioned.");
        input["citations"] = citations;
        let answer = call(&World::verified(), "memory_store", input);
        assert_eq!(
            (&answer["ok"], &answer["class"]),
            (&json!(false), &json!("needs_citation"))
        );
    };
    check(json!([]));
    check(Value::Null);
}

#[test]
fn store_needs_citations_whatever_the_policy() {
    let world = World::notebook();
    let answer = call(&world, "memory_store", json!({"subject": "s", "fact": "f"}));
    assert_eq!(answer["class"], json!("needs_citation"));
}

#[test]
fn store_again_refreshes_the_memory() {
    let (world, id) = stored();
    let answer = call(
        &world,
        "memory_store",
        fact("api_version must match the docs"),
    );
    assert_eq!(
        (&answer["action"], &answer["memory"]["id"]),
        (&json!("refreshed"), &json!(id))
    );
}

#[test]
fn store_refuses_stale_snippet_hash() {
    let check = |text: &str, expected: bool| {
        let mut input = fact("The api is versioned.");
        input["citations"][0]["snippet_hash"] =
            json!(Digest::hash_bytes(text.as_bytes()).to_string());
        let answer = call(&World::verified(), "memory_store", input);
        assert_eq!(answer["ok"], json!(expected), "{answer}");
    };
    check(LINE, true);
    check("something else", false);
}

#[test]
fn store_keeps_ungrounded_fact_pending() {
    let answer = call(
        &World::verified(),
        "memory_store",
        fact("`RETRY_LIMIT` is 5."),
    );
    assert_eq!(
        (&answer["ok"], &answer["action"]),
        (&json!(true), &json!("created"))
    );
    let why = "the cited lines do not say `RETRY_LIMIT` or `5`";
    assert_eq!(
        (&answer["status"], &answer["status_why"]),
        (&json!("pending"), &json!(why))
    );
}

#[test]
fn store_refuses_repo_not_checked_out() {
    let mut input = fact("The api is versioned.");
    input["repo"] = json!("myorg/other");
    let answer = call(&World::verified(), "memory_store", input);
    assert_eq!(
        (&answer["ok"], &answer["class"]),
        (&json!(false), &json!("bad_citation"))
    );
}

#[test]
fn store_names_near_duplicate_and_choices() {
    let text = "Integration tests of the api need the docker daemon running on the build machine";
    let world = World::verified();
    let id = call(&world, "memory_store", fact(text))["memory"]["id"].clone();
    let near = fact(&format!("{text} first"));
    let answer = call(&world, "memory_store", near.clone());
    assert_eq!(
        (&answer["ok"], &answer["similar"][0]["id"]),
        (&json!(false), &id)
    );
    assert_eq!(answer["similar"][0]["relation"], json!("near-duplicate"));
    let mut merge = near.clone();
    merge["merge_with"] = id;
    assert_eq!(
        call(&world, "memory_store", merge)["supersedes"],
        answer["similar"][0]["id"]
    );
    let mut create = fact(text);
    create["rationale"] = json!("both are needed");
    assert_eq!(
        call(&world, "memory_store", create)["action"],
        json!("created")
    );
}

#[test]
fn get_recent_gives_50_last_refreshed() {
    let (world, id) = stored();
    for n in 0..54 {
        let mut input = fact(&format!("Rule {n} is v3."));
        input["rationale"] = json!("each rule is its own");
        assert_eq!(call(&world, "memory_store", input)["ok"], json!(true));
    }
    assert_eq!(recent(&world).len(), 50);
    call(&world, "memory_refresh", json!({"memory_id": id}));
    assert_eq!(recent(&world)[0]["id"], json!(id));
    let two = call(&world, "memory_get_recent", json!({"limit": 2}));
    assert_eq!(two.as_array().map(Vec::len), Some(2));
}

#[test]
fn get_recent_logs_the_standing_it_found() {
    let (world, _) = stored();
    let check = |words: &[&str], standing: &str| {
        recent(&world);
        let log = world.log();
        let words_now: Vec<_> = log.iter().map(|it| it.what.event_kind().as_str()).collect();
        assert_eq!(words_now[words_now.len() - words.len()..], *words);
        let retrieved = log.iter().rev().find_map(|it| match &it.what {
            EventBody::Retrieved { shown, .. } => Some(shown[0].verdict.as_str()),
            _ => None,
        });
        assert_eq!(retrieved, Some(standing));
    };
    check(&["remembered", "retrieved", "verified_valid"], "stands");
    assert_eq!(world.look("m-1").usage.recalls, 1);
    world.shelf.remove("docs/api.md");
    check(&["retrieved", "verified_invalid"], "gone");
    world.shelf.break_file("src/api.rs");
    world
        .shelf
        .write("docs/api.md", "# API\n\nThe version is v3.\n");
    check(&["verified_invalid", "retrieved"], "unknown");
}

#[test]
fn get_recent_answers_with_unwritable_log() {
    let (world, id) = stored();
    let (store, repo) = (ReadOnly(&world.store), repo());
    let answer = world.with_store(&store, |cx| {
        Profile::Verified.call_tool(
            cx,
            &Caller::in_repo(&repo),
            "memory_get_recent",
            Value::Null,
        )
    });
    assert!(answer.unwrap().text.contains(&id));
}

#[test]
fn search_by_path_finds_files_and_folders() {
    let (world, id) = stored();
    let found = |path: &str| {
        call(
            &world,
            "memory_search_by_path",
            json!({"repo": "myorg/myapp", "path": path}),
        )
    };
    assert_eq!(found("docs/api.md")[0]["id"], json!(id));
    assert_eq!(found("docs")[0]["id"], json!(id));
    assert_eq!(found("src/other.rs"), json!([]));
}

#[test]
fn refresh_verifies_first_and_counts() {
    let (world, id) = stored();
    let answer = call(&world, "memory_refresh", json!({"memory_id": id}));
    assert_eq!(answer["ok"], json!(true));
    assert_eq!(answer["memory"]["verification_count"], json!(1));
    assert_eq!(
        answer["memory"]["refreshed_at"],
        json!("2026-02-26T12:00:01Z")
    );
    assert_eq!(world.words(), ["remembered", "verified_valid", "refreshed"]);
}

#[test]
fn refresh_refuses_memory_with_gone_citation() {
    let (world, id) = stored();
    world.shelf.remove("docs/api.md");
    let answer = call(&world, "memory_refresh", json!({"memory_id": id}));
    assert_eq!(answer["ok"], json!(false));
    assert!(
        answer["error"].as_str().unwrap().contains("gone"),
        "{answer}"
    );
    assert_eq!(world.words(), ["remembered", "verified_invalid"]);
}

#[test]
fn refresh_accepts_memory_with_unreadable_citation() {
    let (world, id) = stored();
    world.shelf.break_file("docs/api.md");
    let answer = call(&world, "memory_refresh", json!({"memory_id": id}));
    assert_eq!(
        (&answer["ok"], &answer["memory"]["verification_count"]),
        (&json!(true), &json!(0))
    );
}

#[test]
fn invalidate_tool_keeps_the_reason() {
    let (world, id) = stored();
    let answer = call(
        &world,
        "memory_invalidate",
        json!({"memory_id": id, "reason": "Invalid citations: 1 missing"}),
    );
    assert_eq!(
        (&answer["ok"], &answer["status"]),
        (&json!(true), &json!("invalid"))
    );
    assert_eq!(
        world.look("m-1").status.why(),
        Some("Invalid citations: 1 missing")
    );
    assert_eq!(recent(&world).len(), 0);
}

#[test]
fn supersede_defaults_to_a_correction() {
    let check = |how: Value, expected: &str| {
        let (world, id) = stored();
        let input =
            json!({"memory_id": id, "fact": "API_VERSION is v3 in every file.", "how": how});
        let answer = call(&world, "memory_supersede", input);
        assert_eq!(
            (&answer["ok"], &answer["supersedes"]),
            (&json!(true), &json!(id))
        );
        assert_eq!(answer["memory"]["subject"], json!("API version"));
        assert_eq!(world.words(), ["remembered", expected, "remembered"]);
        assert_eq!(recent(&world)[0]["id"], answer["memory"]["id"]);
    };
    check(Value::Null, "corrected");
    check(json!("correction"), "corrected");
    check(json!("better"), "superseded");
}

#[test]
fn supersede_refuses_invalid_memory() {
    let (world, id) = stored();
    call(
        &world,
        "memory_invalidate",
        json!({"memory_id": id, "reason": "wrong"}),
    );
    let answer = call(
        &world,
        "memory_supersede",
        json!({"memory_id": id, "fact": "It is v3."}),
    );
    assert_eq!(
        (&answer["ok"], &answer["class"]),
        (&json!(false), &json!("not_active"))
    );
}

#[test]
fn log_applied_refuses_unknown_memory() {
    let (world, id) = stored();
    assert_eq!(
        call(&world, "memory_log_applied", json!({"memory_id": id}))["ok"],
        json!(true)
    );
    assert_eq!(world.words(), ["remembered", "applied", "refreshed"]);
    let unknown = call(&world, "memory_log_applied", json!({"memory_id": "m-77"}));
    assert_eq!(unknown["class"], json!("no_such_memory"));
}

#[test]
fn log_applied_refuses_memory_that_does_not_stand() {
    let (world, id) = stored();
    world.shelf.remove("docs/api.md");
    let refused = call(&world, "memory_log_applied", json!({"memory_id": id}));
    assert_eq!(
        (&refused["ok"], &refused["class"]),
        (&json!(false), &json!("does_not_hold"))
    );
    assert_eq!(world.look("m-1").usage.applied, 0);
}

fn read(world: &World, extra: &Value) -> Value {
    let mut input =
        json!({"repo": "myorg/myapp", "path": "src/api.rs", "line_start": 3, "line_end": 3});
    for (key, value) in extra.as_object().unwrap() {
        input[key] = value.clone();
    }
    call(world, "memory_read_citation", input)
}

#[test]
fn read_citation_returns_code_at_location() {
    let expected = json!({"path": "src/api.rs", "line_start": 3, "line_end": 3, "exists": true, "content": LINE});
    assert_eq!(read(&World::verified(), &json!({})), expected);
}

#[test]
fn read_citation_reads_at_a_ref() {
    let check = |at: &str, exists: bool, expected: &str| {
        let found = read(&World::verified(), &json!({"ref": at}));
        assert_eq!(found["exists"], json!(exists), "{found}");
        let text = if exists {
            &found["content"]
        } else {
            &found["error"]
        };
        assert!(text.as_str().unwrap().contains(expected), "{found}");
    };
    check("HEAD", true, "v3");
    check("main", true, "v3");
    check(COMMIT, true, "v3");
    check(OLD, true, "v2");
    check(
        "nobranch",
        false,
        "unknown: no commit or branch 'nobranch' here",
    );
}

#[test]
fn read_citation_says_what_is_missing() {
    let check = |extra: Value, expected: &str| {
        let found = read(&World::verified(), &extra);
        assert_eq!(
            (&found["exists"], &found["error"]),
            (&json!(false), &json!(expected))
        );
    };
    check(json!({"path": "src/none.rs"}), "there is no such file");
    check(
        json!({"line_start": 9, "line_end": 9}),
        "the file has 5 lines",
    );
    check(
        json!({"path": "../x"}),
        "cannot cite '../x': a path does not leave the repository",
    );
    check(
        json!({"repo": "myorg/other"}),
        "unknown: myorg/other is not checked out here, myorg/myapp is",
    );
}

/// Looks up one citation: valid, invalid and unknown, and the error.
fn verify(world: &World, citation: &Value) -> (bool, [u64; 3], String) {
    let result = call(
        world,
        "memory_verify_citations",
        json!({"repo": "myorg/myapp", "citations": [citation]}),
    );
    let counts =
        ["valid_count", "invalid_count", "unknown_count"].map(|it| result[it].as_u64().unwrap());
    let error = result["citations"][0]["error"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    (result["valid"].as_bool().unwrap(), counts, error)
}

#[test]
fn verification_result_has_exactly_its_fields() {
    let (world, _) = stored();
    let citations = recent(&world)[0]["citations"].clone();
    let result = call(
        &world,
        "memory_verify_citations",
        json!({"repo": "myorg/myapp", "citations": citations}),
    );
    assert_eq!(
        keys(&result),
        [
            "citations",
            "invalid_count",
            "unknown_count",
            "valid",
            "valid_count"
        ]
    );
    assert_eq!(
        keys(&result["citations"][0]),
        ["content", "exists", "line_end", "line_start", "path"]
    );
    assert_eq!(
        (&result["valid"], &result["valid_count"]),
        (&json!(true), &json!(2))
    );
}

#[test]
fn verify_citations_compares_snippet_hash() {
    let world = World::verified();
    let check = |line: u32, text: &str, valid: bool, error: &str| {
        let hash = Digest::hash_bytes(text.as_bytes()).to_string();
        let citation = json!({"path": "src/api.rs", "line_start": line, "line_end": line, "snippet_hash": hash});
        let counts = if valid { [1, 0, 0] } else { [0, 1, 0] };
        assert_eq!(verify(&world, &citation), (valid, counts, error.to_owned()));
    };
    check(3, LINE, true, "");
    check(3, "something else", false, "another text stands there now");
    check(5, LINE, true, "");
    check(8, LINE, true, "");
}

#[test]
fn moved_citation_is_valid_with_its_new_place() {
    let world = World::verified();
    let code = "fn delay(attempt: u32) -> u32 {\n    let base = 250;\n    base * attempt\n}";
    world.shelf.write("src/retry.rs", &format!("{code}\n"));
    let place = json!({"path": "src/retry.rs", "line_start": 1, "line_end": 4});
    let stated = json!({"subject": "retry", "fact": "delay begins with 250", "citations": [place]});
    call(&world, "memory_store", stated);
    let kept = recent(&world)[0]["citations"].clone();
    world.shelf.rename("src/retry.rs", "src/backoff.rs");
    let verified = |citations: &Value| {
        let arguments = json!({"citations": citations});
        call(&world, "memory_verify_citations", arguments)
    };
    let found = verified(&kept);
    assert_eq!(
        (&found["valid"], &found["valid_count"]),
        (&json!(true), &json!(1))
    );
    let moved = json!({
        "path": "src/retry.rs", "line_start": 1, "line_end": 4,
        "exists": true, "content": code, "moved_to": "src/backoff.rs:1-4",
    });
    assert_eq!(found["citations"][0], moved);
    assert_eq!(read(&world, &place), moved, "a memory cites it");
    let now = recent(&world)[0]["citations"].clone();
    assert_eq!(
        (&now[0]["path"], &now[0]["sha"]),
        (&json!("src/backoff.rs"), &Value::Null)
    );
    assert_eq!(verified(&now)["valid"], json!(true));
    let refreshed = call(&world, "memory_refresh", json!({"memory_id": "m-1"}));
    assert_eq!(refreshed["ok"], json!(true));
}

#[test]
fn citation_of_an_unknown_commit_is_unknown() {
    let world = World::verified();
    let check = |extra: Value, counts: [u64; 3], expected: &str| {
        let mut citation =
            json!({"path": "src/api.rs", "line_start": 3, "line_end": 3, "sha": "deadbeef"});
        for (key, value) in extra.as_object().unwrap() {
            citation[key] = value.clone();
        }
        let (_, found, error) = verify(&world, &citation);
        assert_eq!((found, error.as_str()), (counts, expected), "{citation}");
    };
    let hash =
        |text: &str| json!({"snippet_hash": Digest::hash_bytes(text.as_bytes()).to_string()});
    let bare = "unknown: no commit 'deadbeef' here, and neither text nor snippet_hash says what stood there";
    check(json!({}), [0, 0, 1], bare);
    check(json!({"path": "src/none.rs"}), [0, 0, 1], bare);
    check(hash(LINE), [1, 0, 0], "");
    check(
        hash("something else"),
        [0, 0, 1],
        "unknown: no commit 'deadbeef' here, and the file has no lines with this snippet_hash",
    );
}

#[test]
fn verify_citations_compares_with_pinned_commit() {
    let world = World::verified();
    let pinned =
        |line: u32| json!({"path": "src/api.rs", "line_start": line, "line_end": line, "sha": OLD});
    assert_eq!(verify(&world, &pinned(1)), (true, [1, 0, 0], String::new()));
    assert_eq!(
        verify(&world, &pinned(3)),
        (false, [0, 1, 0], "another text stands there now".into())
    );
}

#[test]
fn verify_citations_ignores_changed_spacing() {
    let world = World::verified();
    let pinned = json!({"path": "src/api.rs", "line_start": 1, "line_end": 1, "sha": OLD});
    let text =
        |world: &World| read(world, &json!({"line_start": 1, "line_end": 1}))["content"].clone();
    let first = text(&world).as_str().unwrap().to_owned();
    world.shelf.write(
        "src/api.rs",
        &format!("  {}\n", first.replacen(' ', "  ", 1)),
    );
    assert_eq!(verify(&world, &pinned), (true, [1, 0, 0], String::new()));
    world
        .shelf
        .write("src/api.rs", &format!("//\n//\n{first}\n"));
    assert_eq!(verify(&world, &pinned), (true, [1, 0, 0], String::new()));
}

#[test]
fn verify_citations_counts_unreadable_as_unknown() {
    let world = World::verified();
    world.shelf.break_file("src/api.rs");
    let (valid, counts, error) = verify(
        &world,
        &json!({"path": "src/api.rs", "line_start": 3, "line_end": 3}),
    );
    assert_eq!((valid, counts), (false, [0, 0, 1]));
    assert!(
        error.starts_with("unknown: cannot read src/api.rs"),
        "{error}"
    );
}

#[test]
fn verify_citations_logs_for_their_memory() {
    let (world, _) = stored();
    let citations = recent(&world)[0]["citations"].clone();
    call(
        &world,
        "memory_verify_citations",
        json!({"citations": citations}),
    );
    assert_eq!(world.look("m-1").usage.verified, 2);
    world.shelf.remove("docs/api.md");
    let result = call(
        &world,
        "memory_verify_citations",
        json!({"citations": citations}),
    );
    assert_eq!(
        (&result["valid"], &result["invalid_count"]),
        (&json!(false), &json!(1))
    );
    assert_eq!(
        world.words(),
        [
            "remembered",
            "retrieved",
            "verified_valid",
            "verified_valid",
            "verified_invalid"
        ]
    );
}

#[test]
fn verify_citations_answers_with_unwritable_log() {
    let (world, _) = stored();
    let citations = recent(&world)[0]["citations"].clone();
    let (store, repo) = (ReadOnly(&world.store), repo());
    let answer = world.with_store(&store, |cx| {
        Profile::Verified.call_tool(
            cx,
            &Caller::in_repo(&repo),
            "memory_verify_citations",
            json!({"citations": citations}),
        )
    });
    assert!(answer.unwrap().text.starts_with(r#"{"valid":true"#));
}

#[test]
fn verify_citations_of_no_memory_writes_nothing() {
    let (world, _) = stored();
    verify(
        &world,
        &json!({"path": "src/api.rs", "line_start": 3, "line_end": 3}),
    );
    assert_eq!(world.words(), ["remembered"]);
}

#[test]
fn stats_count_memories_and_events() {
    let (world, id) = stored();
    recent(&world);
    call(&world, "memory_refresh", json!({"memory_id": id}));
    let stats = call(&world, "memory_stats", json!({"repo": "myorg/myapp"}));
    assert_eq!(
        (&stats["repo"], &stats["total"], &stats["active"]),
        (&json!("myorg/myapp"), &json!(1), &json!(1))
    );
    assert_eq!(
        (&stats["soft_limit"], &stats["over_soft_limit"]),
        (&json!(1000), &json!(false))
    );
    assert_eq!(
        stats["events"],
        json!({"created": 1, "refreshed": 1, "retrieved": 1, "verified_valid": 2})
    );
    assert_eq!(stats["by_status"]["superseded"], json!(0));
    assert_eq!(stats["verified_share"], json!(1.0));
}

#[test]
fn stats_have_a_word_for_each_event() {
    let (world, id) = stored();
    recent(&world);
    call(&world, "memory_refresh", json!({"memory_id": id}));
    call(&world, "memory_log_applied", json!({"memory_id": id}));
    call(
        &world,
        "memory_supersede",
        json!({"memory_id": "m-1", "fact": "It is v3 now.", "how": "better"}),
    );
    call(
        &world,
        "memory_supersede",
        json!({"memory_id": "m-2", "fact": "It has been v3."}),
    );
    world.shelf.remove("docs/api.md");
    call(&world, "memory_refresh", json!({"memory_id": "m-3"}));
    let stats = call(&world, "memory_stats", Value::Null);
    for word in [
        "created",
        "retrieved",
        "verified_valid",
        "verified_invalid",
        "corrected",
        "refreshed",
        "superseded",
        "applied",
    ] {
        assert!(
            stats["events"][word].as_u64().is_some_and(|it| it > 0),
            "{word} in {stats}"
        );
    }
}

#[test]
fn verify_and_invalidate_loop_leaves_nothing_stale() {
    let (world, _) = stored();
    call(
        &world,
        "memory.store",
        fact("The first line imports std, as every file does."),
    );
    world
        .shelf
        .write("docs/api.md", "# API\n\nThe version is v4.\n");
    for memory in recent(&world) {
        let (id, citations) = (&memory["id"], &memory["citations"]);
        let result = call(
            &world,
            "memory.verify_citations",
            json!({"repo": "myorg/myapp", "citations": citations}),
        );
        assert_eq!(result["valid"], json!(false));
        let reason = format!("Invalid citations: {} missing", result["invalid_count"]);
        call(
            &world,
            "memory.invalidate",
            json!({"memory_id": id, "reason": reason}),
        );
    }
    assert_eq!(recent(&world).len(), 0);
}

#[test]
fn tools_are_known_by_both_spellings() {
    for tool in Profile::Verified.tools() {
        for name in [tool.name.to_owned(), tool.name.replacen('_', ".", 1)] {
            let fault = tried(&World::verified(), &name, json!([])).unwrap_err();
            assert!(matches!(fault, CallFault::Malformed(_)), "{name}: {fault}");
        }
    }
    assert_eq!(Profile::Verified.tools().len(), 10);
    assert!(matches!(
        tried(&World::verified(), "store", json!({})),
        Err(CallFault::NoSuchTool { .. })
    ));
}

#[test]
fn guidance_names_its_tools() {
    for word in [
        "read_citation",
        "invalidate",
        "supersede",
        "refresh",
        "log_applied",
    ] {
        assert!(
            verified::GUIDANCE.contains(&format!("memory_{word}")),
            "{word}"
        );
    }
}
