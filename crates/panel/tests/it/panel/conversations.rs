//! Conversations, as a person finds, reads, keeps and forgets them.

use apostille_core::{
    archive::{
        Archive as _, ArchiveKind, ArchivePassage, ArchiveRecord, PassageSpeaker, ram::RamArchive,
    },
    memory::Memory,
};
use std::collections::BTreeSet;

use super::*;

pub(super) const PAGES: &[&str] = &[
    "/conversations",
    "/conversations?q=how+many+attempts+does+the+retrier+make",
    "/conversations?branch=main&since=2026-01-01",
    "/conversations/c-1",
    "/conversations/c-2",
];

/// Words that would act, if a page let them.
const HOSTILE: &str = "<script>alert(1)</script> \"><img src=x onerror=alert(2)>";

/// A conversation of a day, in which the user and the agent spoke in turns.
fn conversation(month: u8, name: &str, turns: &[&str]) -> ArchiveRecord {
    let at = |minute: usize| {
        format!("2026-{month:02}-02T10:{minute:02}:00Z")
            .parse()
            .unwrap()
    };
    let speakers = [PassageSpeaker::User, PassageSpeaker::Agent];
    let passage = |(n, text): (usize, &&str)| ArchivePassage {
        number: u32::try_from(n + 1).unwrap(),
        speaker: speakers[n % 2],
        at: at(n),
        text: (*text).to_owned(),
        pasted: None,
    };
    ArchiveRecord {
        number: 0,
        kind: ArchiveKind::Conversation,
        space: repo(),
        name: name.into(),
        author: Some("claude-code".into()),
        started_at: at(0),
        ended_at: at(turns.len() - 1),
        task: None,
        branch: Some("main".into()),
        paths: BTreeSet::new(),
        is_exposed: false,
        passages: turns.iter().enumerate().map(passage).collect(),
        related: BTreeSet::new(),
    }
}

/// A decision, its amendment, and one about something else in which everything hostile was pasted.
pub(super) fn archive() -> RamArchive {
    let archive = RamArchive::default();
    let mut old = conversation(
        1,
        "s-old",
        &[
            "The upstream blocks our retrier with 429s, look at the backoff",
            "I lower the attempts to 5. Is that fine?",
            "No. The retrier makes at most 7 attempts.",
        ],
    );
    old.paths = ["src/retry.rs".parse().unwrap()].into();
    archive.keep_record(&old).unwrap();
    let new = conversation(
        2,
        "s-new",
        &[
            "The upstream widened its window, the retrier may make more attempts",
            "How many?",
            "The retrier makes at most 9 attempts.",
        ],
    );
    let new = ArchiveRecord {
        related: [1].into(),
        ..new
    };
    archive.keep_record(&new).unwrap();
    let mut odd = conversation(1, "s-<b>", &[&format!("Uploads: {HOSTILE}")]);
    odd.is_exposed = true;
    odd.task = Some(HOSTILE.into());
    odd.passages[0].pasted = Some(format!("{HOSTILE} \u{202e}evil"));
    archive.keep_record(&odd).unwrap();
    let elsewhere = ArchiveRecord {
        space: Space::repo("other/app").unwrap(),
        ..conversation(1, "s-far", &["The retrier of another app makes 3 attempts"])
    };
    archive.keep_record(&elsewhere).unwrap();
    archive
}

/// The episode that tells of the first conversation.
fn keep_episode(world: &World) -> Memory {
    world.kept(Draft {
        layer: Some(Layer::Episode),
        tags: vec!["session".into()],
        voice: Voice {
            session: Some("s-old".into()),
            ..agent()
        },
        ..note("Lowered the attempts of the retrier")
    })
}

#[test]
fn conversations_are_found_with_the_later_one_first() {
    let (world, archive) = (World::verified(), archive());
    let ana = Person::of(&world).archived(&archive);
    insta::assert_snapshot!(ana.reads("/conversations?q=how+many+attempts+does+the+retrier+make"));
    // Without a question, the latest.
    assert_eq!(listed(&ana.sees("/conversations")), ["c-2", "c-1", "c-3"]);
}

#[test]
fn conversations_are_filtered_by_date_file_and_branch() {
    let (world, archive) = (World::verified(), archive());
    let ana = Person::of(&world).archived(&archive);
    let check = |query: &str, expected: &[&str]| {
        let page = ana.sees(&format!("/conversations?{query}"));
        assert_eq!(listed(&page), expected, "{query}");
    };
    check("branch=main&since=2026-02-01", &["c-2"]);
    // What may have amended an answer is not left out by a filter.
    check("until=2026-01-31&q=retrier", &["c-2", "c-1"]);
    check("path=src/retry.rs&q=attempts", &["c-2", "c-1"]);
    check("path=src/other.rs", &[]);
    check("branch=other", &[]);
    check("q=kubernetes", &[]);
    let wrong = ana.reads("/conversations?since=yesterday-ish");
    assert!(
        wrong.contains("expected 7d, 24h, 2w, a date or a time"),
        "{wrong}"
    );
}

#[test]
fn conversation_is_shown_with_who_said_what() {
    let (world, archive) = (World::verified(), archive());
    keep_episode(&world);
    let ana = Person::of(&world).archived(&archive);
    insta::assert_snapshot!(ana.reads("/conversations/c-1"));
    let odd = ana.sees("/conversations/c-3");
    assert!(!odd.contains("<script>a") && !odd.contains("<img") && !odd.contains('\u{202e}'));
    let odd = text(main(&odd));
    assert!(
        odd.contains("another's words") && odd.contains("words from outside"),
        "{odd}"
    );
    for missing in [
        "/conversations/c-4",
        "/conversations/c-9",
        "/conversations/m-1",
    ] {
        assert_eq!(
            ana.asks(HttpMethod::Get, missing, "").status,
            404,
            "{missing}"
        );
    }
}

#[test]
fn passage_becomes_a_memory_in_one_step() {
    let (world, archive) = (World::verified(), archive());
    let ana = Person::of(&world).archived(&archive);
    let fields = [
        ("fact", "The retrier makes at most 9 attempts"),
        ("whose", "repo"),
    ];
    let page = ana.does("/conversations/c-2.3/remember", &fields);
    assert!(page.contains("at most 9 attempts"));
    let kept = world.look("m-1");
    assert!(kept.is_active() && kept.voice.is_person());
    assert!(
        matches!(&kept.evidence[..], [apostille_core::evidence::Evidence::Said(it)]
            if it.session == "s-new" && it.quote == "The retrier makes at most 9 attempts.")
    );
    assert!(text(main(&page)).contains("Undo"));
    assert!(
        ana.reads("/conversations/c-2")
            .contains("Remembered from it: m-1")
    );
    // What the agent said is nobody's word.
    let refused = ana.sends("/conversations/c-2.2/remember", &fields);
    assert_eq!(refused.status, 422);
    assert!(text(main(&refused.body)).contains("what an agent said"));
    // Again: it is known.
    let again = ana.sends("/conversations/c-2.3/remember", &fields);
    assert!(place(&again).contains("did=known"));
    // What was typed is not lost.
    let long = "It is so. And so. And also so. And so on.";
    let refused = ana.sends("/conversations/c-1.3/remember", &[("fact", long)]);
    assert_eq!(refused.status, 422);
    assert!(refused.body.contains(long), "{}", text(main(&refused.body)));
}

#[test]
fn person_forgets_a_passage_and_a_conversation_with_its_episode() {
    let (world, archive) = (World::verified(), archive());
    keep_episode(&world);
    let ana = Person::of(&world).archived(&archive);
    let unsure = ana.sends("/conversations/c-1.3/forget", &[]);
    assert_eq!(unsure.status, 422);
    assert!(text(main(&unsure.body)).contains("tick the box first"));
    let page = ana.does("/conversations/c-1.3/forget", &[("sure", "yes")]);
    let told = text(main(&page));
    assert!(
        !told.contains("at most 7") && told.contains("no byte of these words is left"),
        "{told}"
    );
    assert!(
        world
            .words()
            .iter()
            .all(|it| !it.contains("Lowered the attempts"))
    );
    let page = ana.does("/conversations/c-1/forget", &[("sure", "yes")]);
    assert_eq!(listed(&page), ["c-2", "c-3"]);
    // Of another repository, and of nobody.
    let far = ana.sends("/conversations/c-4/forget", &[("sure", "yes")]);
    assert_eq!(far.status, 404);
    assert_eq!(archive.read_records(&[4]).unwrap().len(), 1);
}

#[test]
fn conversations_are_changed_by_a_person_alone() {
    let (world, archive) = (World::verified(), archive());
    for access in [Access::Read, Access::Write] {
        let other = Person::with(&world, access).archived(&archive);
        let page = other.sees("/conversations/c-1");
        assert!(!page.contains("/forget"), "{access}");
        assert_eq!(
            page.contains("/remember"),
            access == Access::Write,
            "{access}"
        );
    }
}

#[test]
fn page_without_an_archive_says_why() {
    let world = World::verified();
    let told = Person::of(&world).reads("/conversations");
    assert!(told.contains("Conversations are not open to you"), "{told}");
    let reply = Person::of(&world).asks(HttpMethod::Get, "/conversations/c-1", "");
    assert_eq!(reply.status, 404);
    let empty = RamArchive::default();
    let told = Person::of(&world).archived(&empty).reads("/conversations");
    assert!(told.contains("No conversation is kept yet"), "{told}");
}
