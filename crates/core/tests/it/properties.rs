//! What holds for every input.

use apostille_cite::citation::{Citation, CitedItem, CodeLocation, ItemKind, LineSpan, RepoPath};
use apostille_cite::{citation_request::CitationRequest, standing::Standing};
use apostille_core::{
    event::{Event, EventBody, RetrievedMemory},
    evidence::{
        CommandRun, Evidence, NameKind, NamedThing, ReviewAuthority, ReviewRemark, RunTally,
        SaidQuote,
    },
    format::{EventRecord, MemoryRecord},
    memory::{
        Channel, Handle, Kind, Layer, Memory, MemoryId, MemoryName, ModerationMark, Origin, Status,
        UsageCounts, Voice,
    },
    policy::{Policy, Scoring},
    recall::{
        RecallHit, RecallRequest, VerifiedHit, query, rank,
        render::{Style, render_block},
    },
    remember::{classify, moderate::moderate_draft},
    space::Space,
};
use apostille_text::{digest::Digest, moderate};
use jiff::Timestamp;
use proptest::prelude::*;

use crate::world::{World, note, repo};

/// Any text, and text that is nearly something.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        ".*",
        "\\PC*",
        "[a-z ]{0,40}",
        "[a-z/.:0-9-]{0,30}",
        "[mu]-[0-9]{0,25}"
    ]
}

/// Text full of what hides, joins and reorders.
fn hidden() -> impl Strategy<Value = String> {
    let odd = "[aé👩1 \u{3000}\u{200c}\u{200d}\u{200b}\u{fe0f}\u{fe01}\u{e0041}\u{1f3f4}\u{202e}\u{61c}\u{1b}\n]{0,12}";
    prop_oneof![odd, ".*"]
}

fn short() -> impl Strategy<Value = String> {
    "\\PC{1,30}"
}

fn time() -> impl Strategy<Value = Timestamp> {
    // To the millisecond, as times are written.
    (0_i64..4_000_000_000_000).prop_map(|it| Timestamp::from_millisecond(it).unwrap())
}

fn id() -> impl Strategy<Value = MemoryId> {
    any::<[u8; 16]>().prop_map(MemoryId::from_bytes)
}

fn one_of<T: Copy + std::fmt::Debug + 'static>(all: &'static [T]) -> impl Strategy<Value = T> {
    proptest::sample::select(all)
}

fn status() -> impl Strategy<Value = Status> {
    prop_oneof![
        Just(Status::Active),
        kept().prop_map(|why| Status::Pending { why }),
        kept().prop_map(|why| Status::Invalid { why }),
        kept().prop_map(|why| Status::Retired { why }),
        id().prop_map(|by| Status::Superseded { by }),
    ]
}

fn citation() -> impl Strategy<Value = Citation> {
    let place = ("[a-z]{1,8}/[a-z]{1,8}\\.rs", 1_u32..5_000, 0_u32..200);
    let hex = || proptest::collection::vec("[0-9a-f]{16}", 0..4);
    let known = || proptest::option::of("[0-9a-f]{40}");
    let item = proptest::option::of(cited_item());
    (place, known(), known(), ".*", hex(), hex(), item).prop_map(
        |(place, commit, blob, snippet, before, after, item)| {
            let place = CodeLocation::new(&place.0, place.1, place.1 + place.2.min(199)).unwrap();
            let digest = Digest::hash_bytes(snippet.as_bytes());
            Citation {
                path: place.path,
                lines: place.lines,
                commit,
                blob,
                snippet,
                digest,
                before,
                after,
                item,
            }
        },
    )
}

fn cited_item() -> impl Strategy<Value = CitedItem> {
    let lines = (1_u32..5_000, 0_u32..5_000);
    (".*", one_of(ItemKind::ALL), lines).prop_map(|(path, kind, lines)| CitedItem {
        path,
        kind,
        lines: LineSpan::new(lines.0, lines.0 + lines.1).unwrap(),
    })
}

/// A text as moderation leaves it: on the way in and on the way out nothing else is kept.
fn kept() -> impl Strategy<Value = String> {
    ".*".prop_map(|it| moderate::sanitise_text(&it).into_owned())
}

fn voice() -> impl Strategy<Value = Voice> {
    let known = || proptest::option::of(kept());
    (
        one_of(Origin::ALL),
        one_of(Channel::ALL),
        any::<[bool; 2]>(),
        known(),
        known(),
    )
        .prop_map(
            |(origin, channel, [tainted, exposed], author, session)| Voice {
                origin,
                channel,
                tainted,
                exposed,
                author,
                session,
            },
        )
}

fn run() -> impl Strategy<Value = CommandRun> {
    let session = proptest::option::of(kept());
    (kept(), any::<bool>(), session, time()).prop_map(|(command, has_succeeded, session, at)| {
        CommandRun {
            command,
            has_succeeded,
            session,
            at,
        }
    })
}

fn remark() -> impl Strategy<Value = ReviewRemark> {
    let named = (any::<u64>(), kept(), kept(), any::<bool>(), time());
    named.prop_map(
        |(pull_request, comment, reviewer, is_known, at)| ReviewRemark {
            pull_request,
            comment,
            author: is_known.then(|| reviewer.clone()),
            reviewer,
            authority: ReviewAuthority::Maintainer,
            path: is_known.then(|| "src/api/users.rs".parse().unwrap()),
            at,
        },
    )
}

fn evidence() -> impl Strategy<Value = Evidence> {
    let said = (kept(), kept(), any::<u32>(), proptest::option::of(time()));
    let said = said.prop_map(|(quote, session, turn, at)| SaidQuote {
        quote,
        session,
        turn,
        at,
    });
    prop_oneof![
        said.prop_map(Evidence::Said),
        run().prop_map(Evidence::Ran),
        remark().prop_map(Evidence::Review),
    ]
}

fn runs() -> impl Strategy<Value = RunTally> {
    proptest::collection::vec(run(), 0..5).prop_map(|runs| {
        let mut tally = RunTally::default();
        runs.iter().for_each(|it| tally.add_run(it));
        tally
    })
}

fn memory() -> impl Strategy<Value = Memory> {
    let space = prop_oneof![Just(repo()), Just(Space::user("ana").unwrap())];
    let nature = (
        id(),
        any::<u64>(),
        space,
        one_of(Layer::ALL),
        one_of(Kind::ALL),
        status(),
    );
    let known = || proptest::option::of(kept());
    let words = (
        known(),
        kept(),
        known(),
        proptest::collection::vec(kept(), 0..5),
        known(),
        voice(),
    );
    let marks = proptest::sample::subsequence(ModerationMark::ALL, 0..=ModerationMark::ALL.len());
    let proof = (
        proptest::collection::vec(citation(), 0..3),
        marks,
        proptest::option::of(id()),
        proptest::collection::vec(evidence(), 0..3),
        proptest::collection::vec((one_of(NameKind::ALL), kept()), 0..3),
        runs(),
    );
    let past = (
        time(),
        time(),
        any::<[u32; 3]>(),
        proptest::collection::vec(kept(), 0..3),
    );
    (nature, words, proof, past).prop_map(|(nature, words, proof, past)| {
        let (id, number, space, layer, kind, status) = nature;
        let (subject, fact, reason, tags, task, voice) = words;
        let (citations, marks, supersedes, evidence, names, runs) = proof;
        let names = names.into_iter();
        let names = names.map(|(kind, name)| NamedThing {
            kind,
            name,
            path: None,
        });
        let (recorded_at, refreshed_at, [recalls, applied, verified], vouchers) = past;
        let usage = UsageCounts {
            recalls,
            applied,
            verified,
        };
        Memory {
            id,
            number,
            space,
            layer,
            kind,
            subject,
            fact,
            reason,
            citations,
            evidence,
            names: names.collect(),
            runs,
            tags,
            voice,
            task,
            marks,
            status,
            supersedes,
            vouchers,
            recorded_at,
            refreshed_at,
            usage,
        }
    })
}

fn what() -> impl Strategy<Value = EventBody> {
    let citations = proptest::option::of(proptest::collection::vec(citation(), 0..3));
    let showing = (id(), 0.0_f32..1e6, "[a-z]*").prop_map(|(id, score, verdict)| RetrievedMemory {
        id,
        score,
        verdict,
    });
    let shown = proptest::collection::vec(showing, 0..3);
    let known = || proptest::option::of(kept());
    prop_oneof![
        (memory().prop_map(Box::new), any::<bool>(), known()).prop_map(
            |(memory, forced, rationale)| EventBody::Remembered {
                memory,
                forced,
                rationale
            }
        ),
        (citations, proptest::collection::vec(kept(), 0..2), known()).prop_map(
            |(citations, followed, voucher)| EventBody::Refreshed {
                citations,
                evidence: None,
                names: None,
                followed,
                voucher
            }
        ),
        (id(), known()).prop_map(|(by, reason)| EventBody::Superseded { by, reason }),
        (id(), known()).prop_map(|(by, reason)| EventBody::Corrected { by, reason }),
        (kept(), proptest::option::of(kept()))
            .prop_map(|(reason, diff)| EventBody::Invalidated { reason, diff }),
        kept().prop_map(|reason| EventBody::Retired { reason }),
        (any::<u64>(), kept()).prop_map(|(number, reason)| EventBody::Forgotten { number, reason }),
        kept().prop_map(|class| EventBody::Refused { class }),
        (
            any::<bool>(),
            proptest::collection::vec(kept(), 0..3),
            known()
        )
            .prop_map(|(valid, found, commit)| EventBody::Verified {
                valid,
                found,
                commit
            }),
        (kept(), shown).prop_map(|(query, shown)| EventBody::Retrieved { query, shown }),
        Just(EventBody::Approved),
        Just(EventBody::Applied),
        run().prop_map(EventBody::Ran),
        (any::<bool>(), any::<u64>()).prop_map(|(is_merged, pull_request)| {
            EventBody::PullEnded {
                is_merged,
                pull_request,
            }
        }),
    ]
}

fn checked(memory: Memory) -> VerifiedHit {
    let candidate = RecallHit::new(memory, 1.0, 1.0, Vec::new());
    let query = query::complete_query(&Policy::default(), &RecallRequest::default());
    let hit = rank::rank_candidates(Timestamp::UNIX_EPOCH, &query, vec![candidate])
        .0
        .remove(0);
    VerifiedHit {
        hit,
        verdicts: Vec::new(),
        judgement: Standing::Stated.into(),
        is_unmerged: false,
        beside: None,
        overruled_by: None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_memory_survives_being_written_and_read(memory in memory()) {
        let json = serde_json::to_string(&MemoryRecord::from(&memory)).unwrap();
        let record: MemoryRecord = serde_json::from_str(&json).unwrap();
        prop_assert_eq!(Memory::try_from(record).unwrap(), memory);
    }

    #[test]
    fn a_memory_edited_by_hand_is_read_without_what_hides(memory in memory(), odd in "[\\u{200b}\\u{202e}\\u{e0041}\\u{1b}<a-z]{1,20}") {
        let record = MemoryRecord {
            subject: Some(odd.clone()),
            fact: odd.clone(),
            reason: Some(odd.clone()),
            tags: vec![odd.clone()],
            author: Some(odd.clone()),
            session: Some(odd.clone()),
            task: Some(odd.clone()),
            ..MemoryRecord::from(&memory)
        };
        let memory = Memory::try_from(record).unwrap();
        let clean = moderate::sanitise_text(&odd).into_owned();
        prop_assert_eq!(memory.marks.contains(&ModerationMark::Neutralised) || clean == odd, true);
        prop_assert_eq!(memory.fact, clean.clone());
        let others = [memory.subject, memory.reason, memory.voice.author, memory.voice.session, memory.task];
        prop_assert!(others.into_iter().flatten().chain(memory.tags).all(|it| it == clean));
    }

    #[test]
    fn an_event_survives_being_written_and_read(at in time(), about in proptest::option::of(id()), what in what()) {
        let event = Event { at, space: repo(), memory: about, actor: Some("tester".into()), what };
        let json = serde_json::to_string(&EventRecord::from(&event)).unwrap();
        let record: EventRecord = serde_json::from_str(&json).unwrap();
        prop_assert_eq!(Event::try_from(record).unwrap(), event);
    }

    #[test]
    fn the_budget_is_never_exceeded(
        facts in proptest::collection::vec("build \\PC{1,60}", 1..12),
        chars in 0_usize..300,
        count in 0_usize..6,
        overlap in any::<bool>(),
    ) {
        let scoring = if overlap { Scoring::Overlap } else { Scoring::Bm25 };
        let world = World::new(Policy { require_citations: false, scoring, ..Policy::default() });
        facts.iter().for_each(|it| drop(world.remember(note(it))));
        let ask = RecallRequest { text: "build".into(), spaces: vec![repo()], chars: Some(chars), count: Some(count), ..RecallRequest::default() };
        let shown = world.recall(&ask).shown;
        prop_assert!(shown.len() <= count);
        prop_assert!(shown.iter().map(|it| it.hit.memory.fact.chars().count()).sum::<usize>() <= chars);
    }

    #[test]
    fn a_block_has_a_line_for_each_memory_and_one_end(memories in proptest::collection::vec(memory(), 1..5)) {
        let shown: Vec<VerifiedHit> = memories.into_iter().map(checked).collect();
        let text = render_block(&shown, Style::Verified);
        prop_assert_eq!(&text, &render_block(&shown, Style::Verified));
        prop_assert_eq!(text.lines().count(), shown.len() + 3);
        prop_assert_eq!(text.matches("</memory-context>").count(), 1);
        let said: usize = shown.iter().map(|it| it.hit.memory.fact.chars().count() + tag_chars(it)).sum();
        // Behind each fact stands who said it and when, or the place that proves it, and how its command fared.
        prop_assert!(text.chars().count() <= said + 160 * shown.len() + 60);
    }

    #[test]
    fn ranking_does_not_depend_on_the_order_of_the_candidates(
        (memories, shuffled) in proptest::collection::vec((memory(), 0_u8..3), 0..8)
            .prop_flat_map(|it| (Just(it.clone()), Just(it).prop_shuffle())),
    ) {
        let query = query::complete_query(&Policy::default(), &RecallRequest::default());
        let order = |all: Vec<(Memory, u8)>| -> Vec<MemoryId> {
            let candidate = |(memory, relevance): (Memory, u8)| {
                RecallHit::new(memory, f32::from(relevance), 0.0, Vec::new())
            };
            let candidates = all.into_iter().map(candidate).collect();
            rank::rank_candidates(Timestamp::UNIX_EPOCH, &query, candidates).0.into_iter().map(|it| it.memory.id).collect()
        };
        prop_assert_eq!(order(memories), order(shuffled));
    }

    #[test]
    fn cleaning_twice_is_cleaning_once(fact in text(), subject in proptest::option::of(short())) {
        let draft = apostille_core::memory::Draft { subject, ..note(&fact) };
        let world = World::new(Policy { require_citations: false, ..Policy::default() });
        if moderate_draft(draft.clone()).is_ok()
            && let apostille_core::remember::RememberOutcome::Remembered { memory, .. } = world.remember(draft)
        {
            let again = apostille_core::memory::Draft { subject: memory.subject.clone(), ..note(&memory.fact) };
            let outcome = world.remember(again);
            let same = matches!(outcome, apostille_core::remember::RememberOutcome::Refreshed { .. });
            prop_assert!(same, "{:?} became {:?}", memory.fact, outcome);
        }
    }

    #[test]
    fn neutralising_is_idempotent_among_characters_that_hide(text in hidden()) {
        let once = moderate::neutralise_text(&text).trim().to_owned();
        let twice = moderate::neutralise_text(&once).trim().to_owned();
        prop_assert_eq!(twice, once);
    }

    #[test]
    fn parsers_never_panic(text in text()) {
        let _ = text.parse::<CitationRequest>();
        let _ = text.parse::<RepoPath>();
        let _ = text.parse::<Handle>();
        let _ = text.parse::<MemoryName>();
        let _ = text.parse::<MemoryId>();
        let _ = text.parse::<Digest>();
        let _ = text.parse::<Kind>();
        let _ = text.parse::<Space>();
        let _ = Space::repo(&text);
        let _ = Space::user(&text);
        let _ = classify::find_exclusion(&text);
        let _ = moderate::neutralise_text(&text);
        let _ = apostille_text::secrets::find_secret(&text);
        let _ = apostille_text::literals::extract_literals(&text);
    }

    #[test]
    fn what_parses_is_printed_so_that_it_parses_again(text in text()) {
        if let Ok(cite) = text.parse::<CitationRequest>() {
            prop_assert_eq!(cite.to_string().parse(), Ok(cite));
        }
        if let Ok(handle) = text.parse::<Handle>() {
            prop_assert_eq!(handle.to_string().parse(), Ok(handle));
        }
        if let Ok(space) = Space::user(&text) {
            prop_assert_eq!(space.to_string().parse(), Ok(space));
        }
    }

    #[test]
    fn a_path_that_parses_stays_inside(text in "[a-z./~ \\\\:]{0,20}") {
        if let Ok(path) = text.parse::<RepoPath>() {
            let path = path.as_str();
            prop_assert!(!path.starts_with('/') && !path.contains('\\'));
            prop_assert!(path.split('/').all(|it| !matches!(it, "" | "." | "..")));
        }
    }

    #[test]
    fn recall_answers_any_question(question in text()) {
        let world = World::new(Policy { require_citations: false, ..Policy::default() });
        world.remember(note("The build needs docker"));
        prop_assert!(world.ask(&question).shown.len() <= 1);
    }
}

fn tag_chars(it: &VerifiedHit) -> usize {
    it.hit
        .memory
        .tags
        .first()
        .map_or(0, |tag| tag.chars().count())
}
