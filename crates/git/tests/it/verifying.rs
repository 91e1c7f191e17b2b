//! Verifying as people do it: a real repository, a real store, branches that merge and some that do not. And
//! memories that are stale, wrong, forged or of a deleted branch.

use apostille_contract::sample_person;
use std::{cell::Cell, sync::Arc};

use apostille_cite::{
    follow::{CitationFinding, FAR},
    source::{Source, SourceError},
    verdict::Verdict,
};
use apostille_core::{
    Context, CoreError,
    event::{EventBody, EventKind},
    memory::{Draft, DuplicateChoice, Kind, Memory, Origin, Stage, Voice},
    policy::Policy,
    recall::{RecallOutcome, RecallRequest, recall},
    remember::{RememberOutcome, remember},
    revise,
    store::{EventLog as _, EventPage},
    verify::{VerifyAction, VerifyOptions, VerifyReport, proposal::propose_replacement, verify},
};
use apostille_git::verdict_cache::{CachedSource, VerdictCacheFile};
use apostille_stores::sqlite::SqliteStore;

use crate::{follow::story::Story, rig::space};

const LIMITS: &str = "// limits\nuse std::time;\n\npub const MAX_RETRIES: u32 = 5;\n\npub fn retry() -> u32 {\n    MAX_RETRIES\n}\n";
const FACT: &str = "MAX_RETRIES is 5, because the gateway gives up after that.";
const ALL: VerifyOptions = VerifyOptions {
    heal: true,
    invalidate: true,
    by: None,
};

/// A repository with a store beside it.
struct Desk {
    story: Story,
    store: SqliteStore,
    drawn: Cell<u128>,
}

impl Desk {
    fn new() -> Self {
        let story = Story::new().write("src/limits.rs", LIMITS).commit("limits");
        let store = SqliteStore::open(&story.beside("memories.db")).unwrap();
        Self {
            story,
            store,
            drawn: Cell::new(0),
        }
    }

    /// A memory that cites the limit.
    fn with_fact() -> Self {
        let desk = Self::new();
        desk.kept(FACT, &["src/limits.rs:4"]);
        desk
    }

    fn then(self, tell: impl FnOnce(Story) -> Story) -> Self {
        Self {
            story: tell(self.story),
            ..self
        }
    }

    fn with<T>(&self, source: &dyn Source, verb: impl FnOnce(&Context<'_>) -> T) -> T {
        let random = || {
            self.drawn.set(self.drawn.get() + 1);
            self.drawn.get() << 48
        };
        verb(&Context {
            store: &self.store,
            source,
            policy: &Policy::default(),
            now: "2026-02-26T12:00:00Z".parse().unwrap(),
            random: &random,
            late: &|| false,
            actor: Some("ana"),
            other_spaces: &[],
            guardian: None,
            testimony: None,
            embedder: None,
            archive: None,
            commit_reasons: None,
        })
    }

    fn told(&self, fact: &str, places: &[&str]) -> RememberOutcome {
        let draft = Draft {
            kind: Some(Kind::Project),
            on_duplicate: DuplicateChoice::Create("test".into()),
            citations: places.iter().map(|it| it.parse().unwrap()).collect(),
            ..Draft::new(space(), fact, Voice::from_origin(Origin::Agent))
        };
        self.with(&self.story.worktree(), |cx| remember(cx, draft))
            .unwrap()
    }

    fn kept(&self, fact: &str, places: &[&str]) -> Memory {
        match self.told(fact, places) {
            RememberOutcome::Remembered { memory, .. } => *memory,
            other => panic!("{other:?}"),
        }
    }

    fn memory(&self) -> Memory {
        crate::rig::all(&self.store).unwrap().remove(0)
    }

    fn verified(&self, orders: VerifyOptions) -> VerifyReport {
        self.verified_in(&self.story.worktree(), orders)
    }

    fn verified_in(&self, source: &dyn Source, orders: VerifyOptions) -> VerifyReport {
        self.with(source, |cx| verify(cx, vec![self.memory()], orders, |_| ()))
            .unwrap()
    }

    fn recalled(&self) -> RecallOutcome {
        let ask = RecallRequest {
            text: "how many retries?".into(),
            spaces: vec![space()],
            ..RecallRequest::default()
        };
        self.with(&self.story.worktree(), |cx| recall(cx, &ask))
            .unwrap()
    }

    fn events(&self, word: EventKind) -> Vec<EventBody> {
        let events = self
            .store
            .read_events(
                &space(),
                &EventPage {
                    limit: 100,
                    ..EventPage::default()
                },
            )
            .unwrap();
        events
            .into_iter()
            .map(|it| it.event.what)
            .filter(|it| it.event_kind() == word)
            .collect()
    }

    fn places(&self) -> Vec<String> {
        self.memory()
            .citations
            .iter()
            .map(|it| it.location().to_string())
            .collect()
    }
}

#[test]
fn verify_heals_moves_on_default_branch() {
    let desk =
        Desk::with_fact().then(|it| it.git("mv src/limits.rs src/retry.rs").commit("rename"));
    let before = desk.memory();
    let report = desk.verified(VerifyOptions {
        heal: true,
        invalidate: false,
        by: None,
    });
    assert_eq!(
        (report.is_settled, report.memories[0].deed),
        (true, Some(VerifyAction::Healed))
    );
    assert_eq!(desk.places(), ["src/retry.rs:4"]);
    assert_eq!(
        desk.memory().refreshed_at,
        before.refreshed_at,
        "it was found, not stated again"
    );
    assert_ne!(
        desk.memory().citations[0].commit,
        before.citations[0].commit,
        "it is anchored at today's commit"
    );
    let followed = desk.events(EventKind::Refreshed);
    let [EventBody::Refreshed { followed, .. }] = &followed[..] else {
        panic!("{followed:?}")
    };
    assert_eq!(followed[..], ["src/limits.rs:4 → src/retry.rs:4"]);
    assert_eq!(
        desk.verified(ALL).memories[0].deed,
        None,
        "there is nothing left to do"
    );
}

#[test]
fn verify_changes_nothing_on_unsettled_tree() {
    let moved = |it: Story| it.git("mv src/limits.rs src/retry.rs");
    let check = |desk: Desk, what: &str| {
        let report = desk.verified(ALL);
        assert_eq!(
            (report.is_settled, report.memories[0].deed),
            (false, None),
            "{what}"
        );
        assert_eq!(desk.places(), ["src/limits.rs:4"], "{what}");
    };
    check(
        Desk::with_fact().then(|it| moved(it.git("switch --quiet -c other")).commit("rename")),
        "a branch",
    );
    check(Desk::with_fact().then(moved), "a dirty tree");
    let broken = |it: Story| it.write("src/limits.rs", LIMITS.replace('5', "7"));
    check(
        Desk::with_fact().then(broken),
        "a dirty tree that contradicts",
    );
}

#[test]
fn verify_invalidates_with_reason_and_diff() {
    let desk = Desk::with_fact().then(|it| {
        it.write("src/limits.rs", LIMITS.replace('5', "7"))
            .commit("seven")
    });
    let healing = desk.verified(VerifyOptions {
        heal: true,
        invalidate: false,
        by: None,
    });
    assert_eq!(
        healing.memories[0].deed, None,
        "only who orders it marks memories as wrong"
    );
    assert_eq!(
        desk.verified(ALL).memories[0].deed,
        Some(VerifyAction::Invalidated)
    );
    assert_eq!(desk.memory().status.stage(), Stage::Invalid);
    let events = desk.events(EventKind::Invalidated);
    let [
        EventBody::Invalidated {
            reason,
            diff: Some(diff),
        },
    ] = &events[..]
    else {
        panic!("{events:?}")
    };
    assert!(
        reason.starts_with("src/limits.rs:4 changed (substance) by "),
        "{reason}"
    );
    assert!(
        diff.contains("-pub const MAX_RETRIES: u32 = 5;\n+pub const MAX_RETRIES: u32 = 7;"),
        "{diff}"
    );
}

#[test]
fn invalidation_drops_diff_with_secret() {
    let secret = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let line = format!("pub const MAX_RETRIES: &str = \"{secret}\";");
    let text = LIMITS.replace("pub const MAX_RETRIES: u32 = 5;", &line);
    let desk = Desk::with_fact().then(|it| it.write("src/limits.rs", text).commit("leak"));
    assert_eq!(
        desk.verified(ALL).memories[0].deed,
        Some(VerifyAction::Invalidated)
    );
    assert!(matches!(
        &desk.events(EventKind::Invalidated)[..],
        [EventBody::Invalidated { diff: None, .. }]
    ));
}

#[test]
fn a_draft_says_what_the_code_says_now() {
    let desk = Desk::with_fact().then(|it| {
        it.write("src/limits.rs", LIMITS.replace('5', "7"))
            .commit("seven")
    });
    let draft = propose_replacement(&desk.verified(VerifyOptions::default()).memories[0]).unwrap();
    assert_eq!(draft.fact, FACT.replace('5', "7"));
    assert_eq!(
        draft
            .cites
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>(),
        ["src/limits.rs:4"]
    );
    let desk = desk.then(|it| it.remove("src/limits.rs").commit("gone"));
    assert_eq!(
        propose_replacement(&desk.verified(VerifyOptions::default()).memories[0]),
        None
    );
}

#[test]
fn branch_memory_is_withheld_until_merged() {
    let text = LIMITS
        .replace("limits", "more")
        .replace("MAX_RETRIES", "MAX_WAITS");
    let desk = Desk::new().then(|it| {
        it.git("switch --quiet -c feature")
            .write("src/waits.rs", text)
            .commit("waits")
    });
    desk.kept(
        "MAX_WAITS is 5, because of the gateway and its retries.",
        &["src/waits.rs:4"],
    );
    let stands = |desk: &Desk| {
        (
            desk.recalled().shown.len(),
            desk.verified(ALL).memories[0].is_unmerged,
        )
    };
    assert_eq!(stands(&desk), (1, false));
    let desk = desk.then(|it| {
        it.git("switch --quiet main")
            .write("README", "on we go")
            .commit("on")
    });
    assert_eq!(stands(&desk), (0, true));
    assert!(desk.memory().is_active(), "what is not merged is not wrong");
    let desk = desk.then(|it| it.git("merge --quiet --no-edit feature"));
    assert_eq!(stands(&desk), (1, false));
}

/// A working tree whose history cannot be read.
struct Mute<'a>(&'a dyn Source);

impl Source for Mute<'_> {
    fn read_tree(&self) -> Result<apostille_cite::source::SourceTree, SourceError> {
        self.0.read_tree()
    }

    fn read_file(
        &self,
        path: &apostille_cite::citation::RepoPath,
    ) -> Result<Option<apostille_cite::source::SourceBlob>, SourceError> {
        self.0.read_file(path)
    }

    fn is_settled(&self) -> Result<bool, SourceError> {
        Ok(true)
    }

    fn walk_history(
        &self,
        _: &std::collections::BTreeSet<String>,
        _: usize,
    ) -> Result<apostille_cite::source::CommitHistory, SourceError> {
        Err(SourceError::Unavailable {
            what: "the history".into(),
            source: "the disk hums".into(),
        })
    }
}

#[test]
fn what_could_not_be_read_is_never_invalidated() {
    let desk = Desk::with_fact().then(|it| it.remove("src/limits.rs").commit("gone"));
    let report = desk.verified_in(&Mute(&desk.story.worktree()), ALL);
    assert!(matches!(
        report.memories[0].verdicts[..],
        [Verdict::Unknown { .. }]
    ));
    assert_eq!(report.memories[0].deed, None);
    assert!(desk.memory().is_active());
}

#[test]
fn verify_leaves_memory_changed_meanwhile() {
    let desk = Desk::with_fact().then(|it| {
        it.write("src/limits.rs", LIMITS.replace('5', "7"))
            .commit("seven")
    });
    let old = desk.memory();
    let tree = desk.story.worktree();
    let name = old.handle().to_string().parse().unwrap();
    desk.with(&tree, |cx| {
        revise::invalidate_memory(
            cx,
            apostille_contract::sample_speaker(),
            &[space()],
            name,
            "a person was first",
        )
    })
    .unwrap();
    let report: Result<VerifyReport, CoreError> =
        desk.with(&tree, |cx| verify(cx, vec![old], ALL, |_| ()));
    assert_eq!(report.unwrap().memories[0].deed, None);
    assert_eq!(desk.events(EventKind::Invalidated).len(), 1);
}

// Memories that must not be believed: stale, wrong, forged, of a deleted branch.

#[test]
fn verify_follows_moves_and_invalidates_deletions() {
    let desk = Desk::with_fact().then(|it| {
        it.write("src/limits.rs", format!("// new\n{LIMITS}"))
            .commit("shift")
    });
    let shown = &desk.recalled().shown;
    assert_eq!(
        shown[0].verdicts,
        [Verdict::Moved {
            to: "src/limits.rs:5".parse().unwrap()
        }]
    );
    let desk = desk.then(|it| it.write("src/limits.rs", "// nothing\n").commit("cut"));
    assert!(desk.recalled().shown.is_empty());
    desk.verified(ALL);
    assert_eq!(desk.memory().status.stage(), Stage::Invalid);
}

#[test]
fn incorrect_fact_is_pending_or_invalidated() {
    let desk = Desk::new();
    let lie = desk.kept(
        "MAX_RETRIES is 9, because the gateway gives up after that.",
        &["src/limits.rs:4"],
    );
    assert_eq!(
        lie.status.stage(),
        Stage::Pending,
        "code that says otherwise lets no fact in"
    );
    let desk = Desk::with_fact().then(|it| {
        it.write("src/limits.rs", LIMITS.replace('5', "7"))
            .commit("seven")
    });
    let withheld = &desk.recalled().withheld;
    let [Verdict::Changed(found)] = &withheld[0].verdicts[..] else {
        panic!("{withheld:?}")
    };
    assert_eq!(found.contradicted, ["5"]);
    desk.verified(ALL);
    assert_eq!(desk.memory().status.stage(), Stage::Invalid);
}

#[test]
fn forged_citation_is_refused_or_invalidated() {
    let desk = Desk::new();
    for place in [
        "src/nowhere.rs:1",
        "src/limits.rs:900",
        "../../etc/passwd.txt:1",
    ] {
        let Ok(cite) = place.parse() else { continue };
        let draft = Draft {
            kind: Some(Kind::Project),
            citations: vec![cite],
            ..Draft::new(space(), FACT, Voice::from_origin(Origin::Agent))
        };
        let outcome = desk
            .with(&desk.story.worktree(), |cx| remember(cx, draft))
            .unwrap();
        assert!(
            matches!(outcome, RememberOutcome::Refused(_)),
            "{place}: {outcome:?}"
        );
    }
    // A forged record that reached the store by another way: its lines never said what it claims.
    let mut forged = Desk::with_fact().memory();
    forged.citations[0].snippet = "pub const MAX_RETRIES: u32 = 500;".into();
    forged.citations[0].digest =
        apostille_text::digest::Digest::hash_bytes(b"pub const MAX_RETRIES: u32 = 500;");
    let report = desk.with(&desk.story.worktree(), |cx| {
        apostille_core::import::import(cx, forged, false, Some(sample_person())).unwrap();
        assert!(
            recall(
                cx,
                &RecallRequest {
                    text: "retries".into(),
                    spaces: vec![space()],
                    ..RecallRequest::default()
                }
            )
            .unwrap()
            .shown
            .is_empty()
        );
        verify(cx, vec![desk.memory()], ALL, |_| ()).unwrap()
    });
    assert_eq!(report.memories[0].deed, Some(VerifyAction::Invalidated));
}

#[test]
fn recall_withholds_memory_of_deleted_branch() {
    let text = LIMITS.replace("MAX_RETRIES", "MAX_WAITS");
    let desk = Desk::new().then(|it| {
        it.git("switch --quiet -c dead")
            .write("src/waits.rs", text)
            .commit("waits")
    });
    desk.kept(
        "MAX_WAITS is 5, because of the gateway and its retries.",
        &["src/waits.rs:4"],
    );
    let desk = desk.then(|it| it.git("switch --quiet main").git("branch --quiet -D dead"));
    assert!(desk.recalled().shown.is_empty());
    let desk = desk.then(|it| {
        it.git("reflog expire --expire=now --all")
            .git("gc --quiet --prune=now")
    });
    assert!(desk.recalled().shown.is_empty());
}

// Every use is verified and logged. Detection and false alarms are measured by `bench citations`.

#[test]
fn recall_verifies_every_citation_before_use() {
    let desk = Desk::new();
    for n in 0..30 {
        let text = LIMITS.replace("MAX_RETRIES", &format!("MAX_RETRIES_{n}"));
        std::fs::write(desk.story.root.join(format!("src/retries_{n}.rs")), text).unwrap();
    }
    let desk = desk.then(|it| it.commit("many"));
    for n in 0..30 {
        desk.kept(
            &format!("MAX_RETRIES_{n} is 5 in module number {n} of the gateway."),
            &[&format!("src/retries_{n}.rs:4")],
        );
    }
    let desk = desk.then(|it| {
        it.remove("src/retries_3.rs")
            .write("src/retries_4.rs", "// cut\n")
            .commit("change")
    });
    let recalled = desk.recalled();
    assert!(!recalled.shown.is_empty());
    for it in recalled.shown.iter().chain(&recalled.withheld) {
        assert_eq!(it.verdicts.len(), it.hit.memory.citations.len());
    }
    assert!(
        recalled
            .shown
            .iter()
            .all(|it| it.verdicts.iter().all(Verdict::is_good))
    );
}

#[test]
fn refresh_on_valid_use_is_logged() {
    let desk = Desk::with_fact();
    let name = desk.memory().handle().to_string().parse().unwrap();
    assert_eq!(desk.recalled().shown.len(), 1);
    desk.with(&desk.story.worktree(), |cx| {
        revise::refresh_memory(cx, &[space()], name)
    })
    .unwrap();
    assert_eq!(desk.events(EventKind::Refreshed).len(), 1);
    assert_eq!(desk.verified(VerifyOptions::default()).memories.len(), 1);
    let n_looks = desk.events(EventKind::VerifiedValid).len();
    assert_eq!(n_looks, 2, "one for the recall, one for the look");
}

#[test]
fn log_has_every_recall_and_verdict() {
    let desk = Desk::with_fact();
    desk.recalled();
    desk.verified(ALL);
    let desk = desk.then(|it| {
        it.write("src/limits.rs", LIMITS.replace('5', "7"))
            .commit("seven")
    });
    desk.recalled();
    desk.verified(ALL);
    let count = |word| desk.events(word).len();
    assert_eq!(
        [
            EventKind::Remembered,
            EventKind::Retrieved,
            EventKind::VerifiedValid,
            EventKind::Invalidated
        ]
        .map(count),
        [1, 1, 2, 1]
    );
    assert_eq!(
        count(EventKind::VerifiedInvalid),
        2,
        "once withheld, once verified"
    );
}

type Open = fn(&Story) -> Box<dyn Source>;

fn verdicts(sights: Vec<CitationFinding>) -> Vec<Verdict> {
    sights.into_iter().map(|it| it.verdict).collect()
}

#[test]
fn cached_source_gives_the_same_verdicts() {
    let desk = Desk::with_fact();
    desk.kept(
        "retry returns MAX_RETRIES to whoever asks the gateway.",
        &["src/limits.rs:6-8"],
    );
    let text = format!("// new\n{}", LIMITS.replace('5', "7"));
    let desk = desk.then(|it| it.write("src/limits.rs", text).commit("seven"));
    let citations: Vec<_> = crate::rig::all(&desk.store)
        .unwrap()
        .into_iter()
        .flat_map(|it| it.citations)
        .collect();
    let citations: Vec<_> = citations.iter().cycle().take(60).collect();
    let memo = desk.story.beside("findings");
    let look = |source: Box<dyn Source>| {
        let source = CachedSource::with_cache(source, Arc::new(VerdictCacheFile::new(&memo)));
        verdicts(desk.with(&source, |cx| {
            cx.citation_follower(FAR).follow_citations(&citations)
        }))
    };
    let sources: [Open; 2] = [|it| Box::new(it.worktree()), |it| Box::new(it.at("HEAD"))];
    for open in sources {
        let first = look(open(&desk.story));
        assert_eq!(look(open(&desk.story)), first);
        let plain = desk.with(&*open(&desk.story), |cx| {
            cx.citation_follower(FAR).follow_citations(&citations)
        });
        assert_eq!(
            verdicts(plain),
            first,
            "with or without what was found before"
        );
    }
    let desk = desk.then(|it| it.write("src/limits.rs", LIMITS));
    let source = CachedSource::with_cache(
        Box::new(desk.story.worktree()),
        Arc::new(VerdictCacheFile::new(&memo)),
    );
    let now = desk.with(&source, |cx| {
        cx.citation_follower(FAR).follow_citations(&citations)
    });
    assert!(
        now.iter().all(|it| it.verdict == Verdict::Holds),
        "an edit is seen at once"
    );
}
