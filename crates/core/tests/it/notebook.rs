//! The plain notebook: limits, pruning, search, scoring and injection. The JSON of its three tools is tested with the
//! tools.

use crate::world::a_speaker;
use std::collections::BTreeSet;

use apostille_core::{
    forget::{ForgetOutcome, forget},
    list::{SEARCH_LIMIT, search_memories},
    memory::{Draft, DuplicateChoice, Kind, Layer, Origin, Stage, Voice},
    policy::{InjectMode, MemoryLimits, Policy, Scoring},
    recall::{RecallOutcome, RecallRequest, Style, overlap},
    remember::RememberOutcome,
    revise::mark_memory_applied,
    store::{EventLog as _, MemoryFilter},
};
use apostille_text::secrets;

use crate::world::{World, note, preference, repo, user};

fn tagged(fact: &str, tags: &[&str]) -> Draft {
    Draft {
        tags: tags.iter().map(|it| (*it).to_owned()).collect(),
        ..note(fact)
    }
}

/// Three memories, five minutes apart.
fn three() -> World {
    let world = World::notebook();
    world.kept(Draft {
        kind: Some(Kind::User),
        voice: Voice::from_origin(Origin::User),
        ..tagged("User prefers Python over JavaScript", &["preference"])
    });
    world.advance(300);
    world.kept(tagged(
        "Project uses PostgreSQL 16 on port 5432",
        &["infra"],
    ));
    world.advance(300);
    world.kept(tagged(
        "Deploy target is AWS us-east-1",
        &["infra", "deploy"],
    ));
    world
}

fn inject(world: &World, message: &str) -> RecallOutcome {
    inject_as(world, message, None)
}

fn inject_as(world: &World, message: &str, mode: Option<InjectMode>) -> RecallOutcome {
    let layers = vec![Layer::Knowledge, Layer::Session];
    let (text, spaces) = (message.into(), vec![repo(), user()]);
    world.recall(&RecallRequest {
        text,
        spaces,
        layers,
        mode,
        style: Some(Style::Plain),
        ..RecallRequest::default()
    })
}

fn handles(recalled: &RecallOutcome) -> String {
    recalled
        .shown
        .iter()
        .map(|it| it.hit.memory.handle().to_string())
        .collect::<Vec<_>>()
        .join(" ")
}

fn found(world: &World, query: Option<&str>, tag: Option<&str>) -> String {
    let found = world
        .with(|cx| search_memories(cx, &[repo(), user()], query, tag))
        .unwrap();
    found
        .iter()
        .map(|it| it.handle().to_string())
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn note_has_id_text_tags_and_time() {
    let world = World::notebook();
    let memory = world.kept(tagged(
        "Deploy target is AWS us-east-1",
        &["infra", "deploy"],
    ));
    assert_eq!(memory.handle().to_string(), "m-1");
    assert_eq!(memory.fact, "Deploy target is AWS us-east-1");
    assert_eq!(memory.tags, ["infra", "deploy"]);
    assert_eq!(memory.recorded_at.to_string(), "2026-02-26T12:00:00Z");
}

#[test]
fn note_scope_picks_space_and_layer() {
    let world = World::notebook();
    let workspace = world.kept(note("The workspace is a monorepo"));
    let person = world.kept(preference("Prefers tabs"));
    let session = world.kept(Draft {
        layer: Some(Layer::Session),
        ..note("Trying the blue theme")
    });
    assert_eq!(
        [&workspace.space, &person.space, &session.space],
        [&repo(), &user(), &repo()]
    );
    assert_eq!(
        [workspace.layer, person.layer, session.layer],
        [Layer::Knowledge, Layer::Knowledge, Layer::Session]
    );
    assert_eq!(person.handle().to_string(), "u-1");
}

#[test]
fn note_ids_count_up_without_reuse() {
    let world = World::notebook();
    let names = ["apples", "pears", "plums"].map(|it| world.kept(note(it)).handle().to_string());
    assert_eq!(names, ["m-1", "m-2", "m-3"]);
    world
        .with(|cx| forget(cx, a_speaker(), &[repo()], "m-3".parse().unwrap(), "wrong"))
        .unwrap();
    assert_eq!(world.kept(note("cherries")).handle().to_string(), "m-4");
    assert_eq!(world.kept(note("plums")).handle().to_string(), "m-5");
}

#[test]
fn note_length_counts_characters_not_bytes() {
    let check = |text: &str, expected: &str| {
        let outcome = match World::notebook().remember(note(text)) {
            RememberOutcome::Remembered { .. } => "kept",
            RememberOutcome::Refused(refusal) => refusal.class(),
            _ => "other",
        };
        assert_eq!(outcome, expected, "{} characters", text.chars().count());
    };
    check("", "empty");
    check("   ", "empty");
    check("x", "kept");
    check(&"x".repeat(500), "kept");
    check(&"x".repeat(501), "too_long");
    check(&"é".repeat(500), "kept");
    check(&"語".repeat(500), "kept");
    check(&"語".repeat(501), "too_long");
}

#[test]
fn note_has_at_most_5_tags() {
    let check = |n: usize, expected: bool| {
        let tags = (0..n).map(|it| format!("tag{it}")).collect();
        let outcome = World::notebook().remember(Draft {
            tags,
            ..note("a fact")
        });
        assert_eq!(
            matches!(outcome, RememberOutcome::Remembered { .. }),
            expected,
            "{n} tags"
        );
    };
    check(0, true);
    check(5, true);
    check(6, false);
}

#[test]
fn note_correction_gets_a_new_id() {
    let world = three();
    world
        .with(|cx| {
            forget(
                cx,
                a_speaker(),
                &[repo()],
                "m-2".parse().unwrap(),
                "outdated",
            )
        })
        .unwrap();
    let new = world.kept(tagged(
        "Project uses PostgreSQL 17 on port 5432",
        &["infra"],
    ));
    assert_eq!(new.handle().to_string(), "m-4");
    assert_eq!(found(&world, Some("postgresql"), None), "m-4");
}

#[test]
fn remember_refuses_each_kind_of_secret() {
    let random = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0";
    let check = |start: &str, rest: &str| {
        let world = World::notebook();
        let text = format!("remember {start}{rest}");
        let RememberOutcome::Refused(refusal) = world.remember(note(&text)) else {
            panic!("kept: {start}")
        };
        assert_eq!(
            refusal.to_string(),
            "text appears to contain a secret — not stored",
            "{start}"
        );
        assert!(!world.log_text().contains(rest), "the log keeps {start}");
        assert_eq!(found(&world, None, None), "");
    };
    check("sk-", random);
    check("sk-", "abc123...");
    check("ghp_", &random[..36]);
    check("gho_", &random[..36]);
    check("glpat-", &random[..20]);
    check("xoxb-", &format!("1234567890-{}", &random[..24]));
    check("xoxp-", &format!("1234567890-{}", &random[..24]));
    check("Bearer ", random);
    check("token: ", "abcd1234efgh");
    check("password: ", "hunter2");
    check("", random);
}

#[test]
fn secret_scan_passes_talk_about_secrets() {
    let check = |text: &str| assert_eq!(secrets::find_secret(text), None, "{text}");
    check("Tokens are read from the keychain, never from the environment");
    check("Password fields are masked in the logs");
    check("keys start with `sk-`, see the docs");
}

#[test]
fn prune_retires_oldest_over_max_total() {
    let mut world = World::notebook();
    world.policy.limits.max_total = Some(3);
    for fact in ["apples are red", "pears are green", "plums are blue"] {
        assert!(matches!(
            world.remember(note(fact)),
            RememberOutcome::Remembered { retired: 0, .. }
        ));
        world.advance(1);
    }
    assert!(matches!(
        world.remember(note("cherries are dark")),
        RememberOutcome::Remembered { retired: 1, .. }
    ));
    assert_eq!(found(&world, None, None), "m-4 m-3 m-2");
    assert_eq!(world.look("m-1").status.stage(), Stage::Retired);
    assert_eq!(
        inject(&world, "apples")
            .shown
            .iter()
            .filter(|it| it.hit.memory.number == 1)
            .count(),
        0
    );
}

#[test]
fn prune_makes_room_after_lowered_limit() {
    let mut world = World::notebook();
    for n in 0..10 {
        world.kept(note(&format!("number {n}")));
    }
    world.policy.limits.max_total = Some(4);
    assert!(matches!(
        world.remember(note("the eleventh")),
        RememberOutcome::Remembered { retired: 7, .. }
    ));
    assert_eq!(found(&world, None, None), "m-11 m-10 m-9 m-8");
}

#[test]
fn prune_leaves_identity_layer_alone() {
    let mut world = World::notebook();
    world.policy.limits.max_total = Some(2);
    world.kept(Draft {
        layer: Some(Layer::Identity),
        ..preference("Speaks German")
    });
    for fact in [
        "prefers tabs",
        "likes short answers",
        "works in the evening",
    ] {
        world.kept(preference(fact));
    }
    assert_eq!(
        ["u-1", "u-2", "u-3"].map(|it| world.look(it).is_active()),
        [true, false, true]
    );
}

#[test]
fn prune_takes_least_used_knowledge_and_no_episode() {
    let mut world = World::notebook();
    world.policy.limits.max_total = Some(2);
    world.kept(Draft {
        layer: Some(Layer::Episode),
        ..note("the outage of March")
    });
    for fact in ["apples are red", "pears are green"] {
        world.kept(note(fact));
        world.advance(1);
    }
    world.with(|cx| {
        let name = "m-2".parse().unwrap();
        mark_memory_applied(cx, &[repo()], name).unwrap()
    });
    world.kept(note("plums are blue"));
    world.kept(Draft {
        layer: Some(Layer::Episode),
        ..note("the outage of April")
    });
    let active = ["m-1", "m-2", "m-3", "m-4", "m-5"].map(|it| world.look(it).is_active());
    assert_eq!(active, [true, true, false, true, true]);
}

/// What an agent writes, or only proposes, does not push out what a person said.
#[test]
fn prune_keeps_a_persons_words_from_agents() {
    let mut world = World::notebook();
    world.policy.limits.max_total = Some(1);
    world.kept(Draft {
        voice: Voice::from_origin(Origin::User),
        ..note("releases are on Tuesdays")
    });
    let agents = |fact: &str, tainted: bool| Draft {
        voice: Voice {
            tainted,
            ..Voice::from_origin(Origin::Agent)
        },
        ..note(fact)
    };
    world.kept(agents("apples are red", false));
    world.kept(agents("pears are green", true));
    let active = ["m-1", "m-2", "m-3"].map(|it| world.look(it).is_active());
    assert_eq!(active, [true, true, false]);
    world.kept(agents("plums are blue", false));
    let active = ["m-1", "m-2", "m-4"].map(|it| world.look(it).is_active());
    assert_eq!(active, [true, false, true]);
}

#[test]
fn prune_retires_nothing_for_restatement() {
    let mut world = World::notebook();
    world.policy.limits.max_total = Some(2);
    world.kept(note("apples are red"));
    world.kept(note("pears are green"));
    assert!(matches!(
        world.remember(note("Apples are red!")),
        RememberOutcome::Refreshed { .. }
    ));
    assert_eq!(found(&world, None, None), "m-2 m-1");
}

#[test]
fn search_filters_by_text_and_tag() {
    let world = three();
    let check = |query, tag, expected: &str| {
        assert_eq!(found(&world, query, tag), expected, "{query:?} {tag:?}")
    };
    check(Some("postgresql"), None, "m-2");
    check(Some("POSTGRES"), None, "m-2");
    check(Some("gres"), None, "m-2");
    check(Some("us"), None, "m-3 m-2 m-1");
    check(None, Some("infra"), "m-3 m-2");
    check(None, Some("deploy"), "m-3");
    check(None, Some("Infra"), "");
    check(Some("port"), Some("infra"), "m-2");
    check(Some("python"), Some("infra"), "");
    check(Some("nothing like it"), None, "");
    check(None, None, "m-3 m-2 m-1");
}

#[test]
fn search_ignores_case_beyond_ascii() {
    let world = World::notebook();
    world.kept(note("Die Straße heißt ÄPFELGASSE"));
    assert_eq!(found(&world, Some("äpfelgasse"), None), "m-1");
}

#[test]
fn search_returns_20_newest_first() {
    let world = World::notebook();
    for n in 1..=25 {
        world.kept(note(&format!("item number {n}")));
    }
    let newest: Vec<String> = (6..=25).rev().map(|n| format!("m-{n}")).collect();
    assert_eq!(found(&world, None, None), newest.join(" "));
    assert_eq!(found(&world, Some("item"), None), newest.join(" "));
}

#[test]
fn forget_removes_note_and_refuses_unknown_id() {
    let world = three();
    let delete = |name: &str| {
        world
            .with(|cx| {
                forget(
                    cx,
                    a_speaker(),
                    &[repo(), user()],
                    name.parse().unwrap(),
                    "",
                )
            })
            .unwrap()
    };
    assert!(matches!(delete("m-2"), ForgetOutcome::Done(_)));
    assert_eq!(found(&world, None, None), "m-3 m-1");
    assert!(matches!(delete("m-2"), ForgetOutcome::Refused(it) if it.class() == "no_such_memory"));
    assert!(matches!(delete("m-99"), ForgetOutcome::Refused(_)));
}

#[test]
fn notebook_block_lists_ids_and_tags() {
    let world = three();
    let block = inject(
        &world,
        "Is Python or JavaScript used for the deploy target, and PostgreSQL?",
    )
    .block;
    let mut lines: Vec<&str> = block.lines().collect();
    assert_eq!(lines.remove(0), "[Memories]");
    lines.sort_unstable();
    assert_eq!(
        lines,
        [
            "- (m-1, preference) User prefers Python over JavaScript",
            "- (m-2, infra) Project uses PostgreSQL 16 on port 5432",
            "- (m-3, infra) Deploy target is AWS us-east-1",
        ]
    );
}

#[test]
fn notebook_block_lists_untagged_note_by_id() {
    let world = World::notebook();
    world.kept(note("Tabs, not spaces"));
    assert_eq!(
        inject(&world, "tabs?").block,
        "[Memories]\n- (m-1) Tabs, not spaces\n"
    );
}

#[test]
fn overlap_counts_shared_unique_words() {
    let world = three();
    let check = |message: &str, expected: &str| {
        assert_eq!(handles(&inject(&world, message)), expected, "{message}")
    };
    check("which port does postgresql use", "m-2");
    check("POSTGRESQL", "m-2");
    check("deploy deploy deploy postgresql port", "m-2 m-3");
    check("aws deploy target, python", "m-3 m-1");
}

#[test]
fn overlap_score_adds_recency_bonus() {
    let world = three();
    world.advance(3_600);
    let hits = inject(&world, "deploy target").shown;
    let age = f64::from(3_601) / 3_600.0;
    assert!(
        (f64::from(hits[0].hit.score) - (2.0 + 0.1 / age)).abs() < 1e-5,
        "{}",
        hits[0].hit.score
    );
}

#[test]
fn recency_bonus_is_capped_and_breaks_ties() {
    let world = World::notebook();
    world.kept(note("Lint with ruff"));
    world.advance(7_200);
    world.kept(note("Lint with clippy"));
    assert_eq!(handles(&inject(&world, "lint")), "m-2 m-1");
    let score = inject(&world, "lint").shown[0].hit.score;
    assert!((score - 2.0).abs() < 1e-6, "{score}");
}

#[test]
fn overlap_words_are_alphanumeric_and_not_short() {
    let check = |text: &str, expected: &[&str]| {
        let expected: BTreeSet<String> = expected.iter().map(|it| (*it).to_owned()).collect();
        assert_eq!(overlap::split_overlap_words(text), expected, "{text}");
    };
    check("us-east-1 on AWS", &["east", "aws"]);
    check("snake_case/path.rs", &["snake", "case", "path"]);
    check("Go is ok v2", &[]);
    check("Deploy DEPLOY deploy", &["deploy"]);
}

#[test]
fn overlap_words_leave_out_every_stopword() {
    let list = "the and for are but not you all can has her was one our out its use how may who did get had him his \
        let say she too own way about could from have into just like make many some than that them then this very \
        when what with will would been each more most much must only also back being come every first here know \
        made need over such take where which while work project please help want using thing file should";
    assert_eq!(list.split_whitespace().count(), 84);
    for word in list.split_whitespace() {
        assert!(overlap::split_overlap_words(word).is_empty(), "{word}");
        assert!(
            overlap::split_overlap_words(&word.to_uppercase()).is_empty(),
            "{word}"
        );
    }
    assert_eq!(
        overlap::split_overlap_words("database their there these").len(),
        4
    );
}

#[test]
fn injection_stops_at_2000_characters() {
    let world = World::notebook();
    for n in 0..8 {
        world.kept(note(&format!("build {n} {}", "x".repeat(450))));
    }
    let shown = inject(&world, "build").shown;
    assert_eq!(shown.len(), 4);
    assert!(
        shown
            .iter()
            .map(|it| it.hit.memory.fact.chars().count())
            .sum::<usize>()
            <= 2_000
    );
}

#[test]
fn injection_stops_at_10_memories() {
    let world = World::notebook();
    for n in 0..15 {
        world.kept(note(&format!("build target {n}")));
    }
    assert_eq!(inject(&world, "build").shown.len(), 10);
}

#[test]
fn injection_falls_back_to_5_recent() {
    let world = World::notebook();
    for n in 1..=8 {
        world.kept(note(&format!("item number {n}")));
    }
    assert_eq!(
        handles(&inject(&world, "kubernetes ingress")),
        "m-8 m-7 m-6 m-5 m-4"
    );
    assert_eq!(handles(&inject(&world, "")), "m-8 m-7 m-6 m-5 m-4");
    assert_eq!(
        handles(&inject(&world, "please help with the project")),
        "m-8 m-7 m-6 m-5 m-4"
    );
}

#[test]
fn injection_follows_the_inject_mode() {
    let world = three();
    let check = |mode, expected: &str| {
        assert_eq!(handles(&inject_as(&world, "postgresql", mode)), expected)
    };
    check(None, "m-2");
    check(Some(InjectMode::Relevant), "m-2");
    check(Some(InjectMode::RecentOnly), "m-3 m-2 m-1");
    check(Some(InjectMode::Off), "");
    assert_eq!(
        inject_as(&world, "postgresql", Some(InjectMode::Off)).block,
        ""
    );
    assert_eq!(found(&world, Some("postgresql"), None), "m-2");
}

#[test]
fn injection_includes_every_scope() {
    let world = World::notebook();
    world.kept(note("The theme of the workspace is blue"));
    world.kept(preference("The theme of the editor is dark"));
    world.kept(Draft {
        layer: Some(Layer::Session),
        ..note("Trying the theme solarized")
    });
    assert_eq!(inject(&world, "theme").shown.len(), 3);
}

#[test]
fn notebook_policy_has_its_defaults() {
    let policy = Policy::for_notebook();
    let inject = policy.inject;
    assert_eq!(
        (
            inject.mode.as_str(),
            inject.chars,
            inject.count,
            inject.fallback
        ),
        ("relevant", 2_000, 10, 5)
    );
    assert_eq!(policy.limits.max_total, Some(500));
    assert_eq!(
        (policy.scoring, policy.require_citations),
        (Scoring::Overlap, false)
    );
    let MemoryLimits {
        fact_chars, tags, ..
    } = policy.limits;
    assert_eq!((fact_chars, tags), (500, 5));
}

#[test]
fn notebook_policy_can_be_overridden() {
    let mut world = three();
    world.policy.inject.count = 1;
    assert_eq!(handles(&inject(&world, "postgresql deploy target")), "m-3");
    world.policy.inject.count = 10;
    world.policy.inject.chars = 30;
    assert_eq!(handles(&inject(&world, "postgresql deploy target")), "m-3");
    world.policy.inject.mode = InjectMode::Off;
    assert_eq!(handles(&inject(&world, "postgresql")), "");
}

#[test]
fn notebook_injects_preference_and_finds_fact() {
    let world = World::notebook();
    world.kept(preference("I prefer tabs over spaces for indentation"));
    world.kept(Draft {
        on_duplicate: DuplicateChoice::Create("asked".into()),
        ..note("The database is PostgreSQL on port 5432")
    });
    let asked = inject(&world, "What indentation style should I use?");
    assert_eq!(handles(&asked), "u-1");
    assert_eq!(found(&world, Some("database"), None), "m-1");
}

/// What a search found before it asked the index: every memory is read.
fn found_by_reading(world: &World, text: &str) -> String {
    let filter = MemoryFilter {
        text: Some(text.into()),
        ..MemoryFilter::active_in([repo(), user()], SEARCH_LIMIT)
    };
    let found = world.store.list_memories(&filter).unwrap();
    let handles = found.iter().map(|it| it.handle().to_string());
    handles.collect::<Vec<_>>().join(" ")
}

#[test]
fn search_finds_in_the_index_what_reading_finds() {
    let world = World::notebook();
    let facts = [
        "The databases run PostgreSQL 16 on port 5432",
        "useCheckoutTotals must not call getUsersById twice",
        "MAX_UPLOAD_SIZE is 10 MB; see src/limits/upload-limits.rs",
        "Operations are configured by the operator, running nightly",
        "Frequencies of retries: happily relational, conditionally nationalized",
        "a name that is longer than a term may be: theQuickBrownFoxJumpsOverTheLazyDogAndTheConfigurationLoader",
        "Die Straße heißt ÄPFELGASSE und der Dienst läuft auf Überwachung",
        "don't use o'brien's re-exports of foo.bar.bazQux, C++ or k8s",
        "数据库database在这里",
    ];
    for n in 0..60 {
        world.kept(note(&format!("{} ({n})", facts[n % facts.len()])));
    }
    let mut texts: Vec<String> = Vec::new();
    for fact in facts {
        let chars: Vec<char> = fact.chars().collect();
        // Every piece of five lengths: parts of words and identifiers, words, phrases.
        for len in [2, 4, 7, 12, 25] {
            texts.extend(chars.windows(len).map(|it| it.iter().collect()));
        }
    }
    texts.extend(["nothing like it", "POSTGRES", "operate", "x"].map(Into::into));
    for text in texts {
        assert_eq!(
            found(&world, Some(&text), None),
            found_by_reading(&world, &text),
            "{text:?}"
        );
    }
}
