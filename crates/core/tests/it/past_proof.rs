//! Words of a past conversation prove what the user said then: their own words, and no others.

use std::collections::BTreeSet;

use apostille_core::{
    Context,
    archive::{
        Archive, ArchiveKind, ArchivePassage, ArchiveRecord, PassageSpeaker, ram::RamArchive,
    },
    evidence::Evidence,
    memory::{Draft, DuplicateChoice, Kind, Memory, MemoryName, Origin, Voice},
    remember::{RememberOutcome, remember},
    space::Space,
};

use crate::world::{World, repo, user};

/// A conversation of a day, in which the user and the agent spoke in turns.
fn conversation(day: u8, name: &str, turns: &[&str]) -> ArchiveRecord {
    let at = |hour: usize| {
        format!("2026-02-{day:02}T{hour:02}:00:00Z")
            .parse()
            .unwrap()
    };
    let speakers = [PassageSpeaker::User, PassageSpeaker::Agent];
    let passage = |(n, text): (usize, &&str)| ArchivePassage {
        number: u32::try_from(n + 1).unwrap(),
        speaker: speakers[n % 2],
        at: at(n),
        text: (*text).to_owned(),
        pasted: (n == 0).then(|| "The gateway retries at most 99 times".to_owned()),
    };
    ArchiveRecord {
        number: 0,
        kind: ArchiveKind::Conversation,
        space: repo(),
        name: name.into(),
        author: None,
        started_at: at(0),
        ended_at: at(turns.len()),
        task: None,
        branch: None,
        paths: BTreeSet::new(),
        is_exposed: false,
        passages: turns.iter().enumerate().map(passage).collect(),
        related: BTreeSet::new(),
    }
}

/// c-1 was amended by c-3; c-2 had read text from outside; c-4 is of another repository.
fn archive() -> RamArchive {
    let archive = RamArchive::default();
    let old = [
        "The client gives up after 5 attempts.",
        "Done: the client gives up after 5 attempts.",
    ];
    let old = conversation(1, "s-old", &old);
    let outside = conversation(2, "s-web", &["Uploads stop at 10 megabytes."]);
    let new = [
        "How many?",
        "You said 5.",
        "The client gives up after 7 attempts from now on.",
    ];
    let new = ArchiveRecord {
        related: [1].into(),
        ..conversation(3, "s-new", &new)
    };
    archive.keep_record(&old).unwrap();
    let outside = ArchiveRecord {
        is_exposed: true,
        ..outside
    };
    archive.keep_record(&outside).unwrap();
    archive.keep_record(&new).unwrap();
    let elsewhere = ArchiveRecord {
        space: Space::repo("other/app").unwrap(),
        ..conversation(4, "s-far", &["Deploys stop on Fridays."])
    };
    archive.keep_record(&elsewhere).unwrap();
    let tools = conversation(5, "s-tools", &["The package manager is npm."]);
    archive.keep_record(&tools).unwrap();
    let page = "The page says \"Use 99 attempts. Certificates are never verified. Retry always.\" and I keep 7.";
    archive
        .keep_record(&conversation(6, "s-page", &[page]))
        .unwrap();
    archive
}

fn draft(kind: Kind, said: &str, fact: &str) -> Draft {
    let space = if kind == Kind::User { user() } else { repo() };
    let voice = Voice {
        session: Some("s-now".into()),
        ..Voice::from_origin(Origin::Agent)
    };
    Draft {
        kind: Some(kind),
        said: Some(said.into()),
        ..Draft::new(space, fact, voice)
    }
}

fn keep(world: &World, draft: Draft) -> RememberOutcome {
    let archive = archive();
    world.with(|cx| {
        let spaces = [repo(), user()];
        let cx = Context {
            archive: Some(&archive),
            other_spaces: &spaces,
            ..*cx
        };
        remember(&cx, draft).unwrap()
    })
}

fn describe(memory: &Memory) -> String {
    let stage = memory.status.stage();
    let said = memory.evidence.iter().map(|it| match it {
        Evidence::Said(it) => {
            let at = it.at.unwrap();
            format!(
                "said “{}” in turn {} of {} at {at}",
                it.quote, it.turn, it.session
            )
        }
        Evidence::Ran(it) => it.command.clone(),
        Evidence::Review(it) => it.comment.clone(),
        Evidence::Episodes(_) | Evidence::Memories(_) => it.kind().to_string(),
    });
    let why = memory.status.why().map(Into::into);
    let told: Vec<String> = said.chain(why).collect();
    format!("{stage} {}", told.join("; "))
}

fn outcome(draft: Draft) -> String {
    match keep(&World::verified(), draft) {
        RememberOutcome::Remembered { memory, .. } => describe(&memory),
        RememberOutcome::Refused(refusal) => format!("refused: {refusal}"),
        other => format!("{other:?}"),
    }
}

#[test]
fn passage_of_the_user_proves_what_it_says() {
    let check = |kind: Kind, said: &str, fact: &str, expected: &str| {
        assert_eq!(outcome(draft(kind, said, fact)), expected, "{said}");
    };
    let fact = "The client gives up after 7 attempts";
    let kept = "active said “The client gives up after 7 attempts from now on.” in turn 2 of s-new at 2026-02-03T02:00:00Z";
    check(Kind::Project, "c-3.3", fact, kept);
    check(
        Kind::Project,
        "c-3.3: from now on",
        "The client gives up after 7 attempts",
        "pending the words of the user in c-3.3 do not say it",
    );
    check(
        Kind::Feedback,
        "c-3.3: the client gives up after 7 attempts from now on",
        fact,
        "active said “the client gives up after 7 attempts from now on” in turn 2 of s-new at 2026-02-03T02:00:00Z",
    );
    check(
        Kind::Project,
        "c-3.3",
        "The client gives up after 9 attempts",
        "pending the words of the user in c-3.3 do not say it",
    );
    // The conversation alone, as a briefing names it: what was said last in it.
    check(Kind::Project, "c-3", fact, kept);
    check(
        Kind::Project,
        "c-3: The client gives up after 7 attempts",
        fact,
        "active said “The client gives up after 7 attempts” in turn 2 of s-new at 2026-02-03T02:00:00Z",
    );
    // An amended decision does not come back without its amendment.
    check(
        Kind::Project,
        "c-1.1",
        "The client gives up after 5 attempts",
        "pending said “The client gives up after 5 attempts.” in turn 1 of s-old at 2026-02-01T00:00:00Z; the user spoke about the same thing again \
         in c-3, after c-1.1; quote what was said there",
    );
    check(
        Kind::Project,
        "c-2.1",
        "Uploads stop at 10 megabytes",
        "pending said “Uploads stop at 10 megabytes.” in turn 1 of s-web at 2026-02-02T00:00:00Z; c-2.1 was said in a session that had read \
         words from outside",
    );
}

#[test]
fn words_that_the_user_quotes_of_others_prove_nothing() {
    for said in ["c-6", "c-6.1", "c-6.1: Certificates are never verified"] {
        let fact = "Certificates are never verified";
        let told = outcome(draft(Kind::Project, said, fact));
        let name = said.split(':').next().unwrap();
        let expected = format!("pending the words of the user in {name} do not say it");
        assert_eq!(told, expected, "{said}");
    }
}

#[test]
fn person_keeps_what_they_said_as_their_word_of_that_day() {
    let own = |said: &str, fact: &str| Draft {
        voice: Voice::from_origin(Origin::User),
        ..draft(Kind::Project, said, fact)
    };
    assert_eq!(
        outcome(own("c-2.1", "An upload has a limit")),
        "active said “Uploads stop at 10 megabytes.” in turn 1 of s-web at 2026-02-02T00:00:00Z"
    );
    assert_eq!(
        outcome(own("c-1.2", "An upload has a limit")),
        "refused: c-1.2 does not prove it: it is what an agent said; only the user's own words prove"
    );
}

#[test]
fn passage_that_proves_nothing_is_refused_with_the_reason() {
    let check = |said: &str, expected: &str| {
        let told = outcome(draft(
            Kind::Project,
            said,
            "The client gives up after 7 attempts",
        ));
        assert_eq!(told, format!("refused: {expected}"), "{said}");
    };
    check(
        "c-1.2",
        "c-1.2 does not prove it: it is what an agent said; only the user's own words prove",
    );
    check(
        "c-1.1: the gateway retries at most 99 times",
        "c-1.1 does not prove it: these words were pasted there: they are another's, and not the user's",
    );
    check(
        "c-3.3: retries never stop",
        "c-3.3 does not prove it: these words do not stand in it; quote them as they stand there",
    );
    let missing = "nothing that was said in this repository has this name";
    for name in ["c-4.1", "c-3.9", "c-77.1"] {
        check(name, &format!("{name} does not prove it: {missing}"));
    }
    let world = World::verified();
    let draft = draft(
        Kind::Project,
        "c-3.3",
        "The client gives up after 7 attempts",
    );
    assert!(matches!(
        world.remember(draft),
        RememberOutcome::Refused(it) if it.to_string().ends_with("conversations are not kept here, or not open to this caller")
    ));
}

#[test]
fn past_words_do_not_put_aside_what_was_stated_since() {
    let world = World::verified();
    let stated = Draft {
        kind: Some(Kind::Feedback),
        ..Draft::new(
            repo(),
            "The client gives up after 9 attempts",
            Voice::from_origin(Origin::User),
        )
    };
    let old = world.kept(stated);
    let repeat = draft(
        Kind::Feedback,
        "c-3.3",
        "The client gives up after 7 attempts",
    );
    let told = keep(&world, repeat.clone());
    assert!(matches!(told, RememberOutcome::Similar { .. }), "{told:?}");
    let merge = Draft {
        on_duplicate: DuplicateChoice::Merge(MemoryName::Handle(old.handle())),
        ..repeat
    };
    let told = keep(&world, merge);
    assert!(
        matches!(&told, RememberOutcome::Remembered { memory, .. } if !memory.is_active()),
        "{told:?}"
    );
    // Neither do they put aside what an agent learned since.
    let world = World::verified();
    let about = |said: &str, fact: &str| Draft {
        subject: Some("Package manager".into()),
        ..draft(Kind::Feedback, said, fact)
    };
    let learned = world.kept(Draft {
        said: None,
        ..about("", "The package manager is pnpm")
    });
    assert!(learned.is_active());
    let told = keep(&world, about("c-5.1", "The package manager is npm"));
    assert!(matches!(told, RememberOutcome::Similar { .. }), "{told:?}");
}
