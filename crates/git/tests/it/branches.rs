//! Corrections made on branches: two working trees, one store, merges, and a branch that nobody merges.

use std::{cell::Cell, path::Path};

use apostille_cite::source::{DefaultBranch, Source, SourceBlob, SourceResult, SourceTree};
use apostille_contract::{sample_person, sample_speaker};
use apostille_core::{
    Context, forget,
    memory::{Draft, DuplicateChoice, Kind, MemoryName, Origin, ReplacementKind, Voice},
    policy::{BreakerPolicy, Policy},
    recall::{RecallRequest, VerifiedHit, preview_recall, recall},
    remember::{RememberOutcome, remember},
    revise,
    rollback::{RollbackPoint, rollback},
    store::Store,
    verify::{VerifiedMemory, VerifyOptions, follow_memory_citations, verify},
};
use apostille_git::{git::Checkout, worktree::WorkTree};

use crate::{
    follow::story::Story,
    rig::{self, STORES, space},
};

/// A limit of so many retries, in a file that other things are edited in as well.
fn limits(n: u32) -> String {
    format!(
        "// limits\nuse std::time;\n\npub const MAX_RETRIES: u32 = {n};\n\npub fn retry() -> u32 {{\n    MAX_RETRIES\n}}\n"
    )
}

fn fact(n: u32) -> String {
    format!("MAX_RETRIES is {n}, because the gateway gives up after that.")
}

/// A repository whose default branch allows 5 retries, working trees beside it, and one store for all of them.
struct Team {
    story: Story,
    store: Box<dyn Store>,
    hour: Cell<i64>,
}

impl Team {
    /// The team, with m-1 about the limit.
    fn new(kind: &str, file: &str) -> Self {
        let story = Story::new()
            .write("src/limits.rs", limits(5))
            .commit("limits");
        let store = rig::open(kind, &story.beside(file)).unwrap();
        let team = Self {
            story,
            store,
            hour: Cell::new(0),
        };
        assert_eq!(team.remember("app", 5), "m-1");
        team
    }

    fn with_sqlite() -> Self {
        Self::new(STORES[0].0, STORES[0].1)
    }

    /// A new branch from the default one in a working tree of its own, which has the branch's name.
    fn branch(self, name: &str) -> Self {
        let place = self.story.beside(name);
        let place = place.to_str().unwrap();
        self.git("app", &format!("worktree add --quiet -b {name} {place}"));
        self
    }

    /// Runs git in one of the trees.
    fn git(&self, tree: &str, words: &str) -> &Self {
        self.story.said_in(&self.story.beside(tree), words);
        self
    }

    /// Sets the limit in one of the trees, without a commit.
    fn edit(&self, tree: &str, n: u32) -> &Self {
        std::fs::write(self.story.beside(tree).join("src/limits.rs"), limits(n)).unwrap();
        self
    }

    fn commit(&self, tree: &str) -> &Self {
        self.git(tree, "commit --quiet --all --no-verify --message work")
    }

    fn merge(&self, branch: &str) -> &Self {
        self.git("app", &format!("merge --quiet --no-edit {branch}"))
    }

    fn open(&self, tree: &str) -> WorkTree {
        open_tree(&self.story.beside(tree))
    }

    /// Does something in one of the trees, an hour after what was done before.
    fn with<T>(&self, tree: &str, verb: impl FnOnce(&Context<'_>) -> T) -> T {
        self.with_source(&self.open(tree), verb)
    }

    fn with_source<T>(&self, source: &dyn Source, verb: impl FnOnce(&Context<'_>) -> T) -> T {
        self.hour.set(self.hour.get() + 1);
        let hour = self.hour.get();
        verb(&Context {
            store: &*self.store,
            source,
            policy: &Policy {
                breakers: BreakerPolicy::OFF,
                ..Policy::default()
            },
            now: jiff::Timestamp::from_second(1_772_000_000 + 3_600 * hour).unwrap(),
            random: &|| u128::from(hour.unsigned_abs()) << 48,
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

    fn draft(n: u32) -> Draft {
        Draft {
            kind: Some(Kind::Project),
            subject: Some("retries".into()),
            on_duplicate: DuplicateChoice::Create("test".into()),
            citations: vec!["src/limits.rs:4".parse().unwrap()],
            ..Draft::new(space(), fact(n), Voice::from_origin(Origin::Agent))
        }
    }

    fn remember(&self, tree: &str, n: u32) -> String {
        describe_outcome(&self.with(tree, |cx| remember(cx, Self::draft(n))).unwrap())
    }

    /// Corrects a memory in one of the trees: what it became, and what it is kept beside.
    fn correct(&self, tree: &str, name: &str, n: u32) -> String {
        let outcome = self.with(tree, |cx| {
            let (draft, how) = (Self::draft(n), ReplacementKind::Correction);
            revise::supersede_memory(
                cx,
                apostille_contract::sample_speaker(),
                &[space()],
                name.parse().unwrap(),
                draft,
                how,
            )
        });
        describe_outcome(&outcome.unwrap())
    }

    /// What a reader of a tree is shown, and what is withheld from them. Nothing is written.
    fn look(&self, tree: &str) -> String {
        let found = self.with(tree, |cx| preview_recall(cx, &question()));
        let found = found.unwrap();
        describe_hits(&found.shown, &found.withheld)
    }

    /// The same, and whatever follows from having looked.
    fn recall(&self, tree: &str) -> String {
        let found = self.with(tree, |cx| recall(cx, &question())).unwrap();
        assert_eq!(found.problems, Vec::<String>::new());
        describe_hits(&found.shown, &found.withheld)
    }

    /// Verifies everything that is in use; what was done, and to which.
    fn verify(&self, tree: &str) -> Vec<String> {
        let orders = VerifyOptions {
            heal: true,
            invalidate: true,
            by: None,
        };
        let mut active = rig::all(&*self.store).unwrap();
        active.retain(|it| it.is_active());
        let report = self.with(tree, |cx| verify(cx, active, orders, |_| ()));
        let deed = |it: &VerifiedMemory| Some(format!("{} {}", it.memory.handle(), it.deed?));
        report.unwrap().memories.iter().filter_map(deed).collect()
    }

    /// Every memory that was not forgotten, and where it stands.
    fn stages(&self) -> String {
        let mut memories = rig::all(&*self.store).unwrap();
        memories.sort_by_key(|it| it.number);
        let describe =
            |it: &apostille_core::memory::Memory| format!("{} {}", it.handle(), it.status.stage());
        let stages: Vec<String> = memories.iter().map(describe).collect();
        stages.join(", ")
    }

    /// What is wrong in a tree: what does not stand there, and no other version does.
    fn wrong(&self, tree: &str) -> Vec<String> {
        let mut active = rig::all(&*self.store).unwrap();
        active.retain(|it| it.is_active());
        let found = self.with(tree, |cx| follow_memory_citations(cx, active));
        let wrong = found.iter().filter(|it| it.is_bad());
        wrong.map(|it| it.memory.handle().to_string()).collect()
    }

    fn forget(&self, name: &str) {
        let name: MemoryName = name.parse().unwrap();
        let by = sample_speaker();
        self.with("app", |cx| forget::forget(cx, by, &[space()], name, "test"))
            .unwrap();
    }

    fn invalidate(&self, name: &str) {
        let name: MemoryName = name.parse().unwrap();
        self.with("app", |cx| {
            revise::invalidate_memory(
                cx,
                apostille_contract::sample_speaker(),
                &[space()],
                name,
                "it is not so",
            )
        })
        .unwrap();
    }
}

fn open_tree(root: &Path) -> WorkTree {
    WorkTree::open(&Checkout::discover(root).unwrap().unwrap()).unwrap()
}

fn question() -> RecallRequest {
    RecallRequest {
        text: "how many retries?".into(),
        spaces: vec![space()],
        ..RecallRequest::default()
    }
}

fn describe_outcome(outcome: &RememberOutcome) -> String {
    match outcome {
        RememberOutcome::Remembered { memory, beside, .. } => {
            let beside = beside.map(|it| format!(" beside {it}"));
            format!("{}{}", memory.handle(), beside.unwrap_or_default())
        }
        RememberOutcome::Refreshed { memory } => format!("{} refreshed", memory.handle()),
        other => panic!("{other:?}"),
    }
}

fn describe_hits(shown: &[VerifiedHit], withheld: &[VerifiedHit]) -> String {
    let names = |hits: &[VerifiedHit]| {
        let names: Vec<String> = hits
            .iter()
            .map(|it| it.hit.memory.handle().to_string())
            .collect();
        names.join(" ")
    };
    match (names(shown), names(withheld)) {
        (shown, withheld) if withheld.is_empty() => shown,
        (shown, withheld) => format!("{shown} withheld {withheld}"),
    }
}

#[test]
fn a_correction_on_a_branch_waits_for_the_default_branch() {
    for (kind, file) in STORES {
        let team = Team::new(kind, file).branch("feature").branch("spike");
        team.edit("feature", 7).commit("feature");
        team.edit("spike", 9).commit("spike");
        assert_eq!(team.correct("feature", "m-1", 7), "m-2 beside m-1");
        assert_eq!(team.correct("spike", "m-1", 9), "m-3 beside m-1");

        // Each reader sees what is true in their tree, and nothing is to be repaired in any.
        assert_eq!(team.recall("app"), "m-1");
        assert_eq!(team.recall("feature"), "m-2");
        assert_eq!(team.recall("spike"), "m-3");
        for tree in ["app", "feature", "spike"] {
            assert_eq!(team.wrong(tree), Vec::<String>::new(), "{tree}");
            assert_eq!(team.verify(tree), Vec::<String>::new(), "{tree}");
        }
        assert_eq!(team.stages(), "m-1 active, m-2 active, m-3 active");

        // The merge is noticed by the next look on the default branch.
        team.merge("feature");
        assert_eq!(team.look("app"), "m-2");
        assert_eq!(team.stages(), "m-1 active, m-2 active, m-3 active");
        assert_eq!(team.recall("app"), "m-2");
        assert_eq!(team.stages(), "m-1 superseded, m-2 active, m-3 active");

        // The other branch is abandoned: what it says stays its own, for ever.
        assert_eq!(team.verify("app"), Vec::<String>::new());
        assert_eq!(team.recall("app"), "m-2");
        assert_eq!(team.recall("spike"), "m-3");
        assert_eq!(team.wrong("app"), Vec::<String>::new());
        team.git("app", "worktree remove spike --force")
            .git("app", "branch --quiet -D spike");
        assert_eq!(team.look("app"), "m-2");
        assert_eq!(team.verify("app"), Vec::<String>::new());
        assert_eq!(team.stages(), "m-1 superseded, m-2 active, m-3 active");
    }
}

#[test]
fn verify_settles_a_merged_correction_from_any_tree() {
    for tree in ["app", "feature", "spike"] {
        let team = Team::with_sqlite().branch("feature").branch("spike");
        team.edit("feature", 7).commit("feature");
        team.correct("feature", "m-1", 7);
        assert_eq!(team.verify(tree), Vec::<String>::new());
        team.merge("feature");
        assert_eq!(team.verify(tree), ["m-1 superseded"], "{tree}");
        assert_eq!(team.stages(), "m-1 superseded, m-2 active");
        assert_eq!(team.verify(tree), Vec::<String>::new());
        // The spike has the old value still, and nobody told it otherwise.
        assert_eq!(team.look("spike"), " withheld m-2");
    }
}

#[test]
fn a_squashed_or_rebased_branch_counts_as_merged() {
    let team = Team::with_sqlite().branch("feature");
    team.edit("feature", 7).commit("feature");
    team.correct("feature", "m-1", 7);
    team.git("app", "merge --quiet --squash feature")
        .commit("app");
    assert_eq!(team.recall("app"), "m-2");
    assert_eq!(team.stages(), "m-1 superseded, m-2 active");
}

#[test]
fn edits_that_no_commit_holds_replace_nothing_yet() {
    let team = Team::with_sqlite();
    team.edit("app", 7);
    assert_eq!(team.correct("app", "m-1", 7), "m-2 beside m-1");
    assert_eq!(team.recall("app"), "m-2");
    assert_eq!(team.stages(), "m-1 active, m-2 active");
    team.git("app", "checkout --quiet -- src/limits.rs");
    assert_eq!(team.recall("app"), "m-1");
    team.edit("app", 7).commit("app");
    assert_eq!(team.recall("app"), "m-2");
    assert_eq!(team.stages(), "m-1 superseded, m-2 active");
}

#[test]
fn what_the_default_branch_has_is_replaced_at_once() {
    let team = Team::with_sqlite();
    team.edit("app", 7).commit("app");
    let team = team.branch("feature");
    // It is corrected on a branch, and the code is that of the default branch.
    assert_eq!(team.correct("feature", "m-1", 7), "m-2");
    assert_eq!(team.stages(), "m-1 superseded, m-2 active");
    // Other words for the same lines.
    let reworded = team.with("feature", |cx| {
        let draft = Draft {
            fact: "The gateway gives up after MAX_RETRIES, which is 7.".into(),
            ..Team::draft(7)
        };
        let how = ReplacementKind::Better;
        revise::supersede_memory(
            cx,
            apostille_contract::sample_speaker(),
            &[space()],
            "m-2".parse().unwrap(),
            draft,
            how,
        )
    });
    assert_eq!(describe_outcome(&reworded.unwrap()), "m-3");
    assert_eq!(team.stages(), "m-1 superseded, m-2 superseded, m-3 active");
}

#[test]
fn a_correction_is_corrected_again_on_its_branch() {
    let team = Team::with_sqlite().branch("feature");
    team.edit("feature", 7).commit("feature");
    team.correct("feature", "m-1", 7);
    team.edit("feature", 8).commit("feature");
    assert_eq!(team.look("feature"), " withheld m-2");
    assert_eq!(team.correct("feature", "m-2", 8), "m-3 beside m-2");
    assert_eq!(team.look("feature"), "m-3");
    assert_eq!(team.look("app"), "m-1");
    team.merge("feature");
    assert_eq!(team.recall("app"), "m-3");
    assert_eq!(team.stages(), "m-1 superseded, m-2 superseded, m-3 active");
}

#[test]
fn the_default_branch_corrects_it_meanwhile() {
    let team = Team::with_sqlite().branch("feature");
    team.edit("feature", 7).commit("feature");
    team.correct("feature", "m-1", 7);
    team.edit("app", 6).commit("app");
    // Neither is true there: the one that everybody knows is offered for repair.
    assert_eq!(team.look("app"), " withheld m-1");
    assert_eq!(team.correct("app", "m-1", 6), "m-3");
    assert_eq!(team.stages(), "m-1 superseded, m-2 active, m-3 active");
    assert_eq!(team.recall("app"), "m-3");
    assert_eq!(team.recall("feature"), "m-2");
    assert_eq!(team.wrong("app"), Vec::<String>::new());
    assert_eq!(team.wrong("feature"), Vec::<String>::new());
    team.git(
        "app",
        "merge --quiet --no-edit --strategy-option theirs feature",
    );
    assert_eq!(team.recall("app"), "m-2");
    assert_eq!(team.stages(), "m-1 superseded, m-2 active, m-3 superseded");
}

#[test]
fn one_version_without_the_other_is_an_ordinary_memory() {
    let prepare = || {
        let team = Team::with_sqlite().branch("feature");
        team.edit("feature", 7).commit("feature");
        team.correct("feature", "m-1", 7);
        team
    };
    for drop in [Team::forget, Team::invalidate] {
        let team = prepare();
        drop(&team, "m-1");
        assert_eq!(team.look("app"), " withheld m-2");
        assert_eq!(team.look("feature"), "m-2");
        let team = prepare();
        drop(&team, "m-2");
        assert_eq!(team.look("app"), "m-1");
        assert_eq!(team.look("feature"), " withheld m-1");
    }
}

#[test]
fn rollback_takes_a_settled_correction_back() {
    let team = Team::with_sqlite().branch("feature");
    team.edit("feature", 7).commit("feature");
    team.correct("feature", "m-1", 7);
    let undo = |at: &str| {
        let point = RollbackPoint::Time(at.parse().unwrap());
        team.with("app", |cx| rollback(cx, sample_person(), &space(), point))
            .unwrap()
            .unwrap()
    };
    let corrected = jiff::Timestamp::from_second(1_772_000_000 + 3_600 * 2).unwrap();
    team.merge("feature").recall("app");
    assert_eq!(team.stages(), "m-1 superseded, m-2 active");
    undo(&corrected.to_string());
    assert_eq!(team.stages(), "m-1 active, m-2 active");
    assert_eq!(team.recall("feature"), "m-2");
}

#[test]
fn what_is_approved_on_a_branch_waits_as_well() {
    let team = Team::with_sqlite().branch("feature");
    team.edit("feature", 7).commit("feature");
    let waiting = team.with("feature", |cx| {
        let draft = Draft {
            voice: Voice {
                tainted: true,
                ..Voice::from_origin(Origin::Agent)
            },
            ..Team::draft(7)
        };
        let how = ReplacementKind::Correction;
        revise::supersede_memory(
            cx,
            apostille_contract::sample_speaker(),
            &[space()],
            "m-1".parse().unwrap(),
            draft,
            how,
        )
    });
    assert_eq!(describe_outcome(&waiting.unwrap()), "m-2");
    assert_eq!(team.stages(), "m-1 active, m-2 pending");
    let name = "m-2".parse().unwrap();
    team.with("app", |cx| {
        revise::approve_memory(cx, sample_person(), &[space()], name)
    })
    .unwrap();
    assert_eq!(team.stages(), "m-1 active, m-2 active");
    assert_eq!(
        (team.look("app"), team.look("feature")),
        ("m-1".into(), "m-2".into())
    );
}

#[test]
fn what_contradicts_a_memory_by_itself_waits_as_well() {
    let team = Team::with_sqlite().branch("feature").branch("other");
    let state = |tree: &str, n: u32| {
        team.edit(tree, n).commit(tree);
        let draft = Draft {
            on_duplicate: DuplicateChoice::Ask,
            ..Team::draft(n)
        };
        describe_outcome(&team.with(tree, |cx| remember(cx, draft)).unwrap())
    };
    assert_eq!(state("feature", 7), "m-2 beside m-1");
    // What another branch says is not in the way of what this one does.
    assert_eq!(state("other", 9), "m-3 beside m-1");
    assert_eq!(state("app", 6), "m-4");
    assert_eq!(
        team.stages(),
        "m-1 superseded, m-2 active, m-3 active, m-4 active"
    );
    for (tree, shown) in [("app", "m-4"), ("feature", "m-2"), ("other", "m-3")] {
        assert_eq!(team.recall(tree), shown);
    }
}

#[test]
fn a_correction_that_is_known_replaces_nothing_on_another_branch() {
    let team = Team::with_sqlite().branch("feature").branch("copy");
    team.edit("feature", 7).commit("feature");
    team.edit("copy", 7).commit("copy");
    assert_eq!(team.correct("feature", "m-1", 7), "m-2 beside m-1");
    assert_eq!(team.correct("copy", "m-1", 7), "m-2 refreshed");
    assert_eq!(team.stages(), "m-1 active, m-2 active");
    assert_eq!(
        (team.look("app"), team.look("copy")),
        ("m-1".into(), "m-2".into())
    );
}

/// A tree that loses a memory while its default branch is read.
struct Hasty<'a> {
    tree: WorkTree,
    meanwhile: Box<dyn Fn() + Send + Sync + 'a>,
}

impl Source for Hasty<'_> {
    fn read_tree(&self) -> SourceResult<SourceTree> {
        self.tree.read_tree()
    }

    fn read_file(
        &self,
        path: &apostille_cite::citation::RepoPath,
    ) -> SourceResult<Option<SourceBlob>> {
        self.tree.read_file(path)
    }

    fn open_default_branch(&self) -> SourceResult<Option<DefaultBranch>> {
        (self.meanwhile)();
        self.tree.open_default_branch()
    }
}

#[test]
fn a_version_that_changes_meanwhile_replaces_nothing() {
    let team = Team::with_sqlite().branch("feature");
    team.edit("feature", 7).commit("feature");
    team.correct("feature", "m-1", 7);
    team.merge("feature");
    let path = team.story.beside(STORES[0].1);
    let meanwhile = || {
        // Another process, with a connection of its own.
        let store = rig::open(STORES[0].0, &path).unwrap();
        rig::with_context(&*store, |cx| {
            let name = "m-2".parse().unwrap();
            revise::invalidate_memory(
                cx,
                apostille_contract::sample_speaker(),
                &[space()],
                name,
                "it is not so",
            )
        })
        .unwrap();
    };
    let hasty = Hasty {
        tree: team.open("app"),
        meanwhile: Box::new(meanwhile),
    };
    let orders = VerifyOptions {
        heal: true,
        invalidate: false,
        by: None,
    };
    let active = rig::all(&*team.store).unwrap();
    team.with_source(&hasty, |cx| verify(cx, active, orders, |_| ()))
        .unwrap();
    assert_eq!(team.stages(), "m-1 active, m-2 invalid");
}
