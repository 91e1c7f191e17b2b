//! Verified memory: every transition of its lifecycle and every event. The JSON of its ten tools is tested with the
//! tools.

use apostille_core::event::{EventBody, EventKind};
use apostille_core::{
    list::{RECENT_LIMIT, list_citing_memories, list_recent_memories, log_fetched_memories},
    memory::{Draft, Memory, Origin, ReplacementKind, Stage, Status, Voice},
    policy::Policy,
    remember::RememberOutcome,
    revise::{
        ReviseOutcome, invalidate_memory, mark_memory_applied, refresh_memory, supersede_memory,
    },
    space::Space,
    stats::compute_space_stats,
    verify::{VerifiedMemory, VerifyOptions, follow_memory_citations, verify},
};

use crate::world::{COMMIT, World, a_speaker, cited, note, repo};

const FACT: &str = "API_VERSION must match between client and docs.";

fn stored(world: &World) -> Memory {
    world.kept(Draft {
        subject: Some("API version".into()),
        ..cited(FACT, &["src/api.rs:3", "docs/api.md:3"])
    })
}

fn revised(
    outcome: Result<ReviseOutcome, apostille_core::CoreError>,
) -> Result<Memory, &'static str> {
    match outcome.unwrap() {
        ReviseOutcome::Done(memory) => Ok(*memory),
        ReviseOutcome::Refused(refusal) => Err(refusal.class()),
    }
}

fn refreshed(world: &World, name: &str) -> Result<Memory, &'static str> {
    revised(world.with(|cx| refresh_memory(cx, &[repo()], name.parse().unwrap())))
}

fn invalidated(world: &World, name: &str, why: &str) -> Result<Memory, &'static str> {
    revised(
        world.with(|cx| invalidate_memory(cx, a_speaker(), &[repo()], name.parse().unwrap(), why)),
    )
}

fn applied(world: &World, name: &str) -> Result<Memory, &'static str> {
    revised(world.with(|cx| mark_memory_applied(cx, &[repo()], name.parse().unwrap())))
}

fn superseded(
    world: &World,
    name: &str,
    fact: &str,
    how: ReplacementKind,
) -> Result<Memory, &'static str> {
    match world
        .with(|cx| {
            supersede_memory(
                cx,
                a_speaker(),
                &[repo()],
                name.parse().unwrap(),
                note(fact),
                how,
            )
        })
        .unwrap()
    {
        RememberOutcome::Remembered { memory, .. } => Ok(*memory),
        RememberOutcome::Refused(refusal) => Err(refusal.class()),
        other => panic!("{other:?}"),
    }
}

fn verified(world: &World, name: &str) -> VerifiedMemory {
    let memory = world.look(name);
    world
        .with(|cx| verify(cx, vec![memory], VerifyOptions::default(), |_| ()))
        .unwrap()
        .memories
        .remove(0)
}

#[test]
fn remember_keeps_every_field_and_author() {
    let world = World::verified();
    let voice = Voice {
        author: Some("coding-agent".into()),
        ..Voice::from_origin(Origin::Agent)
    };
    let memory = world.kept(Draft {
        subject: Some("API version".into()),
        reason: Some("Prevents breakage.".into()),
        voice: voice.clone(),
        ..cited(FACT, &["src/api.rs:3", "docs/api.md:3"])
    });
    let kept = world.look("m-1");
    assert_eq!(kept, memory);
    assert_eq!(
        (kept.subject.as_deref(), kept.fact.as_str()),
        (Some("API version"), FACT)
    );
    assert_eq!(
        (kept.reason.as_deref(), kept.voice),
        (Some("Prevents breakage."), voice)
    );
    assert_eq!(
        (kept.space, kept.status, kept.usage.verified),
        (repo(), Status::Active, 0)
    );
}

#[test]
fn remember_captures_cited_lines_and_commit() {
    let world = World::verified();
    let citation = &stored(&world).citations[0];
    assert_eq!(citation.location().to_string(), "src/api.rs:3");
    assert_eq!(citation.commit.as_deref(), Some(COMMIT));
    assert_eq!(citation.snippet, "pub const API_VERSION: &str = \"v3\";");
    assert_eq!(
        citation.digest,
        apostille_text::digest::Digest::hash_bytes(citation.snippet.as_bytes())
    );
    assert_eq!((citation.before.len(), citation.after.len()), (2, 2));
}

#[test]
fn remember_refuses_knowledge_without_citation() {
    let world = World::verified();
    let RememberOutcome::Refused(refusal) = world.remember(note(FACT)) else {
        panic!("kept")
    };
    assert_eq!(refusal.class(), "needs_citation");
    assert_eq!(world.words(), ["refused"]);
}

#[test]
fn remember_refuses_citation_of_nothing() {
    let check = |place: &str, why: &str| {
        let RememberOutcome::Refused(refusal) = World::verified().remember(cited(FACT, &[place]))
        else {
            panic!("kept")
        };
        assert_eq!(refusal.class(), "bad_citation");
        assert!(refusal.to_string().contains(why), "{refusal}");
    };
    check("src/nowhere.rs:1", "no such file");
    check("src/api.rs:99", "the file has 5 lines");
    check("src/api.rs:2", "empty");
}

#[test]
fn remembered_memory_is_active() {
    let world = World::verified();
    assert_eq!(stored(&world).status, Status::Active);
    assert_eq!(world.words(), ["remembered"]);
}

#[test]
fn remember_again_refreshes_the_memory() {
    let world = World::verified();
    let first = stored(&world);
    world.advance(60);
    let again = Draft {
        subject: Some("api VERSION".into()),
        ..cited(FACT, &["src/api.rs:3"])
    };
    let RememberOutcome::Refreshed { memory } = world.remember(again) else {
        panic!("kept twice")
    };
    assert_eq!(memory.id, first.id);
    assert!(memory.refreshed_at > first.refreshed_at);
    assert_eq!(memory.citations.len(), 2);
}

#[test]
fn refresh_keeps_memory_active_and_updates_time() {
    let world = World::verified();
    let first = stored(&world);
    world.advance(60);
    let after = refreshed(&world, "m-1").unwrap();
    assert_eq!(
        (after.status, after.refreshed_at),
        (Status::Active, world.now())
    );
    assert_eq!(world.look("m-1").recorded_at, first.recorded_at);
    assert_eq!(world.words(), ["remembered", "refreshed"]);
}

#[test]
fn invalidate_keeps_the_reason() {
    let world = World::verified();
    stored(&world);
    let after = invalidated(&world, "m-1", "Invalid citations: 1 missing").unwrap();
    assert_eq!(
        after.status,
        Status::Invalid {
            why: "Invalid citations: 1 missing".into()
        }
    );
    assert_eq!(world.look("m-1").status, after.status);
    assert_eq!(world.ask("API version").shown.len(), 0);
}

#[test]
fn supersede_links_old_and_new() {
    let world = World::verified();
    let old = stored(&world);
    let new = superseded(
        &world,
        "m-1",
        "API_VERSION must match in client, docs and SDK.",
        ReplacementKind::Better,
    );
    let new = new.unwrap();
    assert_eq!(new.status, Status::Active);
    assert_eq!(new.subject, old.subject);
    assert_eq!(world.look("m-1").status, Status::Superseded { by: new.id });
    assert_eq!(new.supersedes, Some(old.id));
}

#[test]
fn supersede_keeps_changed_tags() {
    let world = World::verified();
    world.kept(Draft {
        tags: vec!["api".into()],
        ..cited(FACT, &["src/api.rs:3", "docs/api.md:3"])
    });
    let check = |name: &str, fact: &str, tags: &[&str], expected: (&str, &[&str])| {
        let draft = Draft {
            tags: tags.iter().map(|it| (*it).to_owned()).collect(),
            ..note(fact)
        };
        let how = ReplacementKind::Better;
        let outcome = world
            .with(|cx| {
                supersede_memory(
                    cx,
                    a_speaker(),
                    &[repo()],
                    name.parse().unwrap(),
                    draft,
                    how,
                )
            })
            .unwrap();
        world.advance(1);
        let (RememberOutcome::Remembered { memory, .. } | RememberOutcome::Refreshed { memory }) =
            outcome
        else {
            panic!("{outcome:?}")
        };
        let tags: Vec<&str> = memory.tags.iter().map(String::as_str).collect();
        assert_eq!((memory.handle().to_string().as_str(), &*tags), expected);
    };
    check("m-1", FACT, &["api"], ("m-1", &["api"]));
    check("m-1", FACT, &[], ("m-1", &["api"]));
    check("m-1", FACT, &["docs"], ("m-2", &["docs"]));
    check("m-2", FACT, &[""], ("m-3", &[]));
}

#[test]
fn supersede_of_a_persons_words_with_other_tags_is_refused() {
    let world = World::verified();
    let voice = Voice::from_origin(Origin::User);
    world.kept(Draft {
        voice,
        ..cited(FACT, &["src/api.rs:3", "docs/api.md:3"])
    });
    let draft = Draft {
        tags: vec!["docs".into()],
        ..note(FACT)
    };
    let name = "m-1".parse().unwrap();
    let how = ReplacementKind::Better;
    let outcome = world.with(|cx| supersede_memory(cx, a_speaker(), &[repo()], name, draft, how));
    assert!(
        matches!(outcome.unwrap(), RememberOutcome::Refused(it) if it.class() == "not_a_person")
    );
    assert!(world.look("m-1").tags.is_empty());
}

#[test]
fn supersede_chain_can_be_walked_both_ways() {
    let world = World::verified();
    stored(&world);
    superseded(
        &world,
        "m-1",
        "The second version is v3.",
        ReplacementKind::Better,
    )
    .unwrap();
    superseded(
        &world,
        "m-2",
        "The third version is v3.",
        ReplacementKind::Correction,
    )
    .unwrap();
    let [one, two, three] = ["m-1", "m-2", "m-3"].map(|it| world.look(it));
    assert_eq!(
        [one.status, two.status],
        [
            Status::Superseded { by: two.id },
            Status::Superseded { by: three.id }
        ]
    );
    assert_eq!(
        [three.supersedes, two.supersedes, one.supersedes],
        [Some(two.id), Some(one.id), None]
    );
    assert_eq!(world.ask("version").shown.len(), 1);
}

#[test]
fn revise_refuses_inactive_memory() {
    let world = World::verified();
    stored(&world);
    invalidated(&world, "m-1", "wrong").unwrap();
    assert_eq!(
        superseded(&world, "m-1", "Something else.", ReplacementKind::Better),
        Err("not_active")
    );
    assert_eq!(refreshed(&world, "m-1"), Err("not_active"));
    assert_eq!(invalidated(&world, "m-1", "again"), Err("not_active"));
    assert_eq!(applied(&world, "m-1"), Err("not_active"));
    assert_eq!(refreshed(&world, "m-9"), Err("no_such_memory"));
}

#[test]
fn supersede_refuses_superseded_memory() {
    let world = World::verified();
    stored(&world);
    superseded(
        &world,
        "m-1",
        "The second version is v3.",
        ReplacementKind::Better,
    )
    .unwrap();
    assert_eq!(
        superseded(&world, "m-1", "A fork of v3.", ReplacementKind::Better),
        Err("not_active")
    );
}

#[test]
fn remember_accepts_invalidated_claim_anew() {
    let world = World::verified();
    stored(&world);
    invalidated(&world, "m-1", "wrong").unwrap();
    assert_eq!(stored(&world).handle().to_string(), "m-2");
}

#[test]
fn supersede_logs_corrections_by_their_word() {
    let check = |how, expected: &str| {
        let world = World::verified();
        stored(&world);
        superseded(&world, "m-1", "API_VERSION is v3 everywhere.", how).unwrap();
        assert_eq!(world.words(), ["remembered", expected, "remembered"]);
        assert_eq!(world.look("m-1").status.stage(), Stage::Superseded);
    };
    check(ReplacementKind::Better, "superseded");
    check(ReplacementKind::Correction, "corrected");
}

#[test]
fn verify_counts_valid_verdict_on_memory() {
    let world = World::verified();
    stored(&world);
    assert!(verified(&world, "m-1").is_good());
    assert_eq!(world.words(), ["remembered", "verified_valid"]);
    assert_eq!(world.look("m-1").usage.verified, 1);
}

#[test]
fn verify_logs_contradicted_fact_as_invalid() {
    let world = World::verified();
    world.kept(cited("API_VERSION is v3.", &["src/api.rs:3"]));
    let raised = "use std;\n\npub const API_VERSION: &str = \"v4\";\n";
    world.shelf.write("src/api.rs", raised);
    let found = verified(&world, "m-1");
    assert_eq!(
        (found.is_bad(), found.standing().as_str()),
        (true, "contradicted")
    );
    assert_eq!(world.words(), ["remembered", "verified_invalid"]);
    assert_eq!(world.look("m-1").usage.verified, 0);
    assert!(
        world.look("m-1").is_active(),
        "a verdict belongs to a tree; only a person or the main branch retires"
    );
}

#[test]
fn verify_detects_missing_moved_and_changed_lines() {
    let check = |change: &dyn Fn(&World), expected: &str| {
        let world = World::verified();
        world.kept(cited("API_VERSION is v3.", &["src/api.rs:3"]));
        change(&world);
        assert_eq!(verified(&world, "m-1").standing().as_str(), expected);
    };
    let api = "pub const API_VERSION: &str = \"v3\";";
    check(&|_| {}, "stands");
    check(&|it| it.shelf.remove("src/api.rs"), "gone");
    check(
        &|it| {
            it.shelf.write(
                "src/api.rs",
                &format!("//\n//\n//\n//\nuse std;\n\n{api}\n"),
            )
        },
        "stands",
    );
    check(
        &|it| {
            it.shelf.write(
                "src/api.rs",
                "use std;\n\npub const API_VERSION: &str = \"v4\";\n",
            )
        },
        "contradicted",
    );
    check(&|it| it.shelf.break_file("src/api.rs"), "unknown");
    check(&World::set_late, "unknown");
}

#[test]
fn verify_logs_no_event_for_unknown() {
    let world = World::verified();
    stored(&world);
    world.shelf.break_file("src/api.rs");
    let found = verified(&world, "m-1");
    assert_eq!((found.is_good(), found.is_bad()), (false, false));
    assert_eq!(world.words(), ["remembered"]);
}

#[test]
fn applied_event_counts_on_memory() {
    let world = World::verified();
    stored(&world);
    assert_eq!(applied(&world, "m-1").unwrap().usage.applied, 1);
    assert_eq!(applied(&world, "m-1").unwrap().usage.applied, 2);
    assert_eq!(
        world.words(),
        ["remembered", "applied", "refreshed", "applied", "refreshed"]
    );
}

#[test]
fn applying_refreshes_what_stands_and_showing_does_not() {
    let check = |prepare: &dyn Fn(&World), expected: Result<bool, &str>| {
        let world = World::verified();
        let recorded = stored(&world).refreshed_at;
        prepare(&world);
        world.ask("API version");
        assert_eq!(world.look("m-1").refreshed_at, recorded, "shown");
        world.advance(60);
        let found = applied(&world, "m-1").map(|it| it.refreshed_at > recorded);
        assert_eq!(found, expected);
        assert_eq!(world.look("m-1").usage.applied, u32::from(found.is_ok()));
    };
    let write = |text: &'static str| move |world: &World| world.shelf.write("src/api.rs", text);
    check(&|_| (), Ok(true));
    check(
        &write("//\n\n\npub const API_VERSION: &str = \"v3\";\n"),
        Ok(true),
    );
    check(&|world| world.shelf.break_file("src/api.rs"), Ok(false));
    check(
        &|world| world.shelf.remove("docs/api.md"),
        Err("does_not_hold"),
    );
}

#[test]
fn retrieved_event_names_fetched_memories() {
    let world = World::verified();
    let memory = stored(&world);
    world.ask("API version");
    let fetched = world
        .with(|cx| list_recent_memories(cx, &[repo()], 5))
        .unwrap();
    let found = world.with(|cx| follow_memory_citations(cx, fetched));
    let problem = world.with(|cx| log_fetched_memories(cx, &found, "the most recent"));
    assert_eq!(problem, None);
    assert_eq!(
        world.words(),
        [
            "remembered",
            "retrieved",
            "verified_valid",
            "retrieved",
            "verified_valid"
        ]
    );
    assert_eq!(world.look("m-1").usage.recalls, 2);
    let EventBody::Retrieved { shown, query } = world.log().remove(3).what else {
        panic!("no event")
    };
    assert_eq!(
        (shown[0].id, &*shown[0].verdict, query.as_str()),
        (memory.id, "stands", "the most recent")
    );
}

#[test]
fn log_has_a_word_for_each_event() {
    let world = World::verified();
    stored(&world);
    world.ask("API version");
    verified(&world, "m-1");
    refreshed(&world, "m-1").unwrap();
    applied(&world, "m-1").unwrap();
    superseded(&world, "m-1", "Version two is v3.", ReplacementKind::Better).unwrap();
    superseded(
        &world,
        "m-2",
        "Version three is v3.",
        ReplacementKind::Correction,
    )
    .unwrap();
    world.shelf.remove("docs/api.md");
    verified(&world, "m-3");
    for word in [
        "remembered",
        "retrieved",
        "verified_valid",
        "verified_invalid",
        "corrected",
        "refreshed",
        "superseded",
        "applied",
    ] {
        assert!(world.words().contains(&word), "{word}");
        assert!(word.parse::<EventKind>().is_ok());
    }
}

#[test]
fn list_recent_orders_by_refresh_time() {
    let world = World::verified();
    for fact in [
        "The first is v3.",
        "Another thing is v3.",
        "Some third matter is v3.",
    ] {
        world.kept(cited(fact, &["src/api.rs:3"]));
    }
    world.advance(60);
    refreshed(&world, "m-1").unwrap();
    let names = |limit| -> Vec<String> {
        world
            .with(|cx| list_recent_memories(cx, &[repo()], limit))
            .unwrap()
            .iter()
            .map(|it| it.handle().to_string())
            .collect()
    };
    assert_eq!(names(RECENT_LIMIT), ["m-1", "m-3", "m-2"]);
    assert_eq!(names(1), ["m-1"]);
    assert_eq!(RECENT_LIMIT, 50);
}

#[test]
fn list_recent_omits_inactive_and_other_repos() {
    let world = World::verified();
    stored(&world);
    world.kept(cited("Another thing is v3.", &["src/api.rs:3"]));
    invalidated(&world, "m-1", "wrong").unwrap();
    let count = |space: Space| {
        world
            .with(|cx| list_recent_memories(cx, &[space], 50))
            .unwrap()
            .len()
    };
    assert_eq!(count(repo()), 1);
    assert_eq!(count(Space::repo("myorg/other").unwrap()), 0);
}

#[test]
fn list_citing_finds_files_and_folders() {
    let world = World::verified();
    stored(&world);
    world.kept(cited("The docs speak of v3.", &["docs/api.md:3"]));
    let check = |path: &str, expected: &[&str]| {
        let found = world
            .with(|cx| list_citing_memories(cx, &[repo()], &path.parse().unwrap(), 50))
            .unwrap();
        assert_eq!(
            found
                .iter()
                .map(|it| it.handle().to_string())
                .collect::<Vec<_>>(),
            expected,
            "{path}"
        );
    };
    check("src/api.rs", &["m-1"]);
    check("docs/api.md", &["m-2", "m-1"]);
    check("docs", &["m-2", "m-1"]);
    check("doc", &[]);
    check("src/api", &[]);
    check("src/other.rs", &[]);
}

#[test]
fn stats_count_stages_and_events() {
    let world = World::verified();
    stored(&world);
    world.kept(cited("Another thing is v3.", &["src/api.rs:3"]));
    world.kept(cited("Some third matter is v3.", &["src/api.rs:3"]));
    verified(&world, "m-1");
    world.shelf.remove("docs/api.md");
    verified(&world, "m-1");
    invalidated(&world, "m-2", "wrong").unwrap();
    superseded(
        &world,
        "m-3",
        "A fourth matter is v3.",
        ReplacementKind::Better,
    )
    .unwrap();
    let stats = world.with(|cx| compute_space_stats(cx, &repo())).unwrap();
    assert_eq!(stats.active, 2);
    assert_eq!(
        [Stage::Invalid, Stage::Superseded].map(|it| stats.tally.count_in_stage(it)),
        [1, 1]
    );
    assert_eq!(
        ["remembered", "verified_valid", "superseded"].map(|it| stats.tally.count_events(it)),
        [4, 1, 1]
    );
    assert_eq!(stats.verified_share, Some(0.5));
}

#[test]
fn soft_limit_is_reported_not_enforced() {
    assert_eq!(Policy::default().limits.soft_active, 1_000);
    let mut world = World::verified();
    world.policy.limits.soft_active = 2;
    let over = |world: &World| {
        world
            .with(|cx| compute_space_stats(cx, &repo()))
            .unwrap()
            .over_soft_limit
    };
    for (fact, expected) in [
        ("One is v3.", false),
        ("Two are v3.", false),
        ("Three make v3.", true),
    ] {
        world.kept(cited(fact, &["src/api.rs:3"]));
        assert_eq!(over(&world), expected, "{fact}");
    }
}

#[test]
fn recall_withholds_stale_memory() {
    let world = World::verified();
    stored(&world);
    world.shelf.remove("docs/api.md");
    let recalled = world.ask("API version");
    assert_eq!(
        (
            recalled.shown.len(),
            recalled.withheld.len(),
            recalled.block.as_str()
        ),
        (0, 1, "")
    );
    assert_eq!(world.words(), ["remembered", "verified_invalid"]);
}

#[test]
fn memories_are_listed_by_the_new_name_of_their_file() {
    let world = World::verified();
    let code = "fn delay(attempt: u32) -> u32 {\n    let base = 250;\n    base * attempt\n}\n";
    world.shelf.write("src/retry.rs", code);
    world.kept(cited("delay begins with 250", &["src/retry.rs:1-4"]));
    stored(&world);
    world.shelf.rename("src/retry.rs", "lib/backoff.rs");
    world.shelf.remove("docs/api.md");
    let check = |path: &str, expected: &[&str]| {
        let path = path.parse().unwrap();
        let found = world.with(|cx| list_citing_memories(cx, &[repo()], &path, RECENT_LIMIT));
        let handles: Vec<_> = found
            .unwrap()
            .iter()
            .map(|it| it.handle().to_string())
            .collect();
        assert_eq!(handles, expected, "{path}");
    };
    check("lib/backoff.rs", &["m-1"]);
    check("lib", &["m-1"]);
    check("src/retry.rs", &["m-1"]);
    check("src/api.rs", &["m-2"]);
    check("src", &["m-2", "m-1"]);
    check("lib/none.rs", &[]);
}

#[test]
fn stats_tell_twelve_good_looks_from_one_bad() {
    let world = World::verified();
    stored(&world);
    for _ in 0..4 {
        world.ask("API version");
        verified(&world, "m-1");
        let fetched = world.with(|cx| list_recent_memories(cx, &[repo()], 5));
        let found = world.with(|cx| follow_memory_citations(cx, fetched.unwrap()));
        world.with(|cx| log_fetched_memories(cx, &found, "the most recent"));
    }
    world.shelf.remove("docs/api.md");
    world.ask("API version");
    let stats = world.with(|cx| compute_space_stats(cx, &repo())).unwrap();
    let count = |kind: EventKind| stats.tally.count_events(kind.as_str());
    assert_eq!(
        (
            count(EventKind::VerifiedValid),
            count(EventKind::VerifiedInvalid)
        ),
        (12, 1)
    );
    assert_eq!(stats.verified_share, Some(12.0 / 13.0));
}
