//! The suite that every store passes: one story, and random operations compared with the RAM twin.
//!
//! A store's tests call [`story`] and [`agrees`] with a function that opens the same store again and again.

pub mod derive;
mod logs;
mod outline;

pub use outline::outlines;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;

use crate::Context;
use crate::event::{Batch, Breaker, Expect, What};
use crate::forget::{Forgotten, forget};
use crate::memory::{
    Draft, Handle, Kind, Layer, Memory, Name, Origin, Replacement, Stage, Status, Twin, Usage,
    Voice, Vouch, Vouching,
};
use crate::policy::{Breakers, Limits, Policy};
use crate::recall::{Ask, Recalled, recall};
use crate::remember::{Outcome, remember};
use crate::revise::{self, Revised};
use crate::rollback::{Plan, Point, rollback};
use crate::space::Space;
use crate::speaker::{Person, Speaker, TerminalFacts};
use crate::store::ram::Ram;
use crate::store::{Filter, Order, Store, StoreError};
use apostille_cite::citation::{Cite, RepoPath};
use apostille_cite::source::{Blob, Source, SourceError, Tree};
use apostille_text::terms;

/// Code that lives in a map: what citations of the suite point to.
#[derive(Debug, Clone, Default)]
pub struct Shelf(pub BTreeMap<String, String>);

impl Shelf {
    /// Two small files.
    #[must_use]
    pub fn stocked() -> Self {
        let files = [
            (
                "src/api.rs",
                "fn a() {}\nconst RETRIES: u32 = 3;\nfn b() {}\n",
            ),
            ("docs/deploy.md", "one\ntwo\n"),
        ];
        Self(
            files
                .into_iter()
                .map(|(path, text)| (path.into(), text.into()))
                .collect(),
        )
    }
}

impl Source for Shelf {
    fn tree(&self) -> Result<Tree, SourceError> {
        Ok(Tree {
            commit: Some("0".repeat(40)),
            branch: Some("main".into()),
            is_worktree: true,
        })
    }

    fn read(&self, path: &RepoPath) -> Result<Option<Blob>, SourceError> {
        Ok(self.0.get(path.as_str()).map(|text| Blob {
            id: None,
            bytes: text.clone().into_bytes(),
        }))
    }
}

/// A world in which time and chance are fixed: the same calls give the same memories in every store.
pub struct Bench<'a> {
    store: Box<dyn Store + 'a>,
    source: Shelf,
    policy: Policy,
    ticks: Cell<u32>,
}

impl<'a> Bench<'a> {
    /// A world around a store.
    #[must_use]
    pub fn new(store: Box<dyn Store + 'a>) -> Self {
        // Random writes come faster than any agent's, and all of them are to be kept.
        let policy = Policy {
            breakers: Breakers::OFF,
            ..Policy::default()
        };
        Self {
            store,
            source: Shelf::stocked(),
            policy,
            ticks: Cell::new(0),
        }
    }

    /// When the last thing was done.
    fn now(&self) -> Timestamp {
        start() + SignedDuration::from_secs(self.ticks.get().into())
    }

    /// Does something at the next second.
    fn at_next<T>(&self, act: impl FnOnce(&Context<'_>) -> T) -> T {
        let tick = self.ticks.get() + 1;
        self.ticks.set(tick);
        let drawn = Cell::new(u128::from(tick) << 64);
        let random = || {
            drawn.set(drawn.get() + (1 << 60));
            drawn.get().reverse_bits()
        };
        let now = self.now();
        act(&Context {
            store: &*self.store,
            source: &self.source,
            policy: &self.policy,
            now,
            random: &random,
            late: &|| false,
            actor: Some("contract"),
            beside: &[],
            guardian: None,
        })
    }
}

/// When the suite begins.
fn start() -> Timestamp {
    Timestamp::UNIX_EPOCH + SignedDuration::from_hours(24 * 365 * 56)
}

fn at(seconds: i64) -> Option<Timestamp> {
    Some(start() + SignedDuration::from_secs(seconds))
}

/// One thing that is done to a store.
#[derive(Debug, Clone)]
pub enum Step {
    /// Remember a fact, chosen by number, in a space chosen by number.
    Remember {
        /// Which space.
        space: u8,
        /// Which words.
        words: Vec<u8>,
        /// With a citation.
        cited: bool,
        /// In which layer.
        layer: u8,
        /// From outside.
        tainted: bool,
    },
    /// Refresh a memory, chosen by number.
    Refresh(u8, u8),
    /// Invalidate it.
    Invalidate(u8, u8),
    /// Replace it by other words.
    Supersede(u8, u8, Vec<u8>),
    /// Note that it was applied.
    Apply(u8, u8),
    /// Forget it.
    Forget(u8, u8),
    /// Open a breaker of a space, for one of two actors or for everybody.
    Trip(u8, u8),
    /// Close those of one of them, or all.
    Close(u8, u8),
    /// Let it out of quarantine.
    Approve(u8, u8),
    /// Take a space back by so many steps.
    Back(u8, u8),
    /// Take the last rollback of a space back.
    Undo(u8),
    /// Ask for words.
    Recall(Vec<u8>),
    /// Open the store anew.
    Reopen,
}

/// Random steps, biased towards remembering.
pub fn steps() -> BoxedStrategy<Vec<Step>> {
    let words = || prop::collection::vec(0_u8..40, 1..6);
    let pick = || (0_u8..3, 1_u8..12);
    let remember = (
        0_u8..3,
        words(),
        any::<bool>(),
        0_u8..10,
        prop::bool::weighted(0.1),
    )
        .prop_map(|(space, words, cited, layer, tainted)| Step::Remember {
            space,
            words,
            cited,
            layer,
            tainted,
        });
    let step = prop_oneof![
        8 => remember,
        1 => pick().prop_map(|(space, n)| Step::Refresh(space, n)),
        1 => pick().prop_map(|(space, n)| Step::Invalidate(space, n)),
        2 => (0_u8..3, 1_u8..12, words()).prop_map(|(space, n, words)| Step::Supersede(space, n, words)),
        1 => pick().prop_map(|(space, n)| Step::Apply(space, n)),
        1 => pick().prop_map(|(space, n)| Step::Forget(space, n)),
        1 => pick().prop_map(|(space, n)| Step::Approve(space, n)),
        1 => (0_u8..3, 0_u8..40).prop_map(|(space, n)| Step::Back(space, n)),
        1 => (0_u8..3).prop_map(Step::Undo),
        1 => pick().prop_map(|(space, n)| Step::Trip(space, n)),
        1 => pick().prop_map(|(space, n)| Step::Close(space, n)),
        3 => words().prop_map(Step::Recall),
        1 => Just(Step::Reopen),
    ];
    prop::collection::vec(step, 1..60).boxed()
}

const WORDS: [&str; 40] = [
    "parser",
    "retry",
    "timeout",
    "useCheckoutTotals",
    "snake_case_name",
    "deploy",
    "migration",
    "Postgres",
    "token",
    "cache",
    "日本語の設定",
    "naïve",
    "src/api.rs",
    "version",
    "schema",
    "handler",
    "queue",
    "worker",
    "flag",
    "lint",
    "the",
    "is",
    "must",
    "never",
    "before",
    "after",
    "release",
    "branch",
    "config",
    "secretary",
    "port 5432",
    "v2",
    "HTTPServer",
    "cart",
    "invoice",
    "render",
    "batch",
    "index",
    "event",
    "layer",
];

fn said(words: &[u8]) -> String {
    words
        .iter()
        .map(|it| WORDS[usize::from(*it) % WORDS.len()])
        .collect::<Vec<_>>()
        .join(" ")
}

fn spaces() -> [Space; 3] {
    ["acme/shop", "acme/tools", "users/ana"].map(|it| match it.parse() {
        Ok(space) => space,
        Err(_) => unreachable!("the names are valid"),
    })
}

fn name(space: u8, number: u8) -> (Space, Name) {
    let space = spaces()[usize::from(space)].clone();
    let letter = space.letter();
    (
        space,
        Name::Handle(Handle {
            letter,
            number: number.into(),
        }),
    )
}

/// What a step came to, in a form that two stores can be compared by.
#[derive(Debug, PartialEq)]
enum Seen {
    Outcome(Outcome),
    Revised(Revised),
    Forgotten(Forgotten),
    Recalled(Box<Recalled>),
    Back(Option<Plan>),
    Nothing,
}

/// A draft with all that a step says about it.
fn furnished(draft: Draft, words: &[u8], cited: bool, layer: u8) -> Draft {
    let layers = [Layer::Identity, Layer::Episode, Layer::Session];
    let is_fit = |it: &Layer| *it != Layer::Identity || draft.space.is_user();
    Draft {
        layer: layers.get(usize::from(layer)).copied().filter(is_fit),
        kind: Some(if cited { Kind::Project } else { Kind::Feedback }),
        citations: "src/api.rs:2"
            .parse::<Cite>()
            .into_iter()
            .filter(|_| cited)
            .collect(),
        tags: vec!["contract".into()],
        task: task(words),
        ..draft
    }
}

fn act(bench: &Bench<'_>, step: &Step) -> Result<Seen, crate::Error> {
    let voice = |tainted| Voice {
        tainted,
        ..Voice::of(Origin::Agent)
    };
    bench.at_next(|cx| {
        Ok(match step {
            Step::Remember {
                space,
                words,
                cited,
                layer,
                tainted,
            } => {
                let draft = Draft::new(
                    spaces()[usize::from(*space)].clone(),
                    said(words),
                    voice(*tainted),
                );
                Seen::Outcome(remember(cx, furnished(draft, words, *cited, *layer))?)
            }
            Step::Refresh(space, n) => {
                let (space, name) = name(*space, *n);
                Seen::Revised(revise::refresh(cx, &[space], name)?)
            }
            Step::Invalidate(space, n) => {
                let (space, name) = name(*space, *n);
                Seen::Revised(revise::invalidate(cx, &[space], name, "it is wrong")?)
            }
            Step::Apply(space, n) => {
                let (space, name) = name(*space, *n);
                Seen::Revised(revise::apply(cx, &[space], name)?)
            }
            Step::Supersede(space, n, words) => {
                let (space, name) = name(*space, *n);
                let draft = Draft::new(space.clone(), said(words), voice(false));
                Seen::Outcome(revise::supersede(
                    cx,
                    &[space],
                    name,
                    draft,
                    Replacement::Better,
                )?)
            }
            Step::Forget(space, n) => {
                let (space, name) = name(*space, *n);
                Seen::Forgotten(forget(cx, a_speaker(), &[space], name, "asked to")?)
            }
            Step::Approve(space, n) => {
                let (space, name) = name(*space, *n);
                Seen::Revised(revise::approve(cx, a_person(), &[space], name)?)
            }
            Step::Back(space, n) => {
                let time = cx.now - SignedDuration::from_secs(i64::from(*n));
                back(cx, *space, Point::Time(time))?
            }
            Step::Undo(space) => back(cx, *space, Point::Undo)?,
            Step::Trip(space, n) => {
                let (breaker, actor) = (
                    Breaker::ALL[usize::from(*n) % Breaker::ALL.len()],
                    actor(*n),
                );
                noted(
                    cx,
                    *space,
                    What::Tripped {
                        breaker,
                        actor,
                        why: format!("{n} at once"),
                    },
                )?
            }
            Step::Close(space, n) => noted(cx, *space, What::Closed { actor: actor(*n) })?,
            Step::Recall(words) => {
                let ask = Ask {
                    text: said(words),
                    spaces: spaces().to_vec(),
                    ..Ask::default()
                };
                Seen::Recalled(Box::new(recall(cx, &ask)?))
            }
            Step::Reopen => Seen::Nothing,
        })
    })
}

/// Takes a space back. Places in the log are the store's own business: a file that is rewritten counts anew.
fn back(cx: &Context<'_>, space: u8, point: Point) -> Result<Seen, crate::Error> {
    let done = rollback(cx, a_person(), &spaces()[usize::from(space)], point)?;
    Ok(Seen::Back(done.map(|plan| Plan { to: 0, ..plan })))
}

/// Whom a breaker is about: nobody in particular, or one of two.
fn actor(n: u8) -> Option<String> {
    (!n.is_multiple_of(3)).then(|| format!("actor {}", n % 3))
}

/// Writes what belongs to a space and to no memory.
fn noted(cx: &Context<'_>, space: u8, what: What) -> Result<Seen, crate::Error> {
    let event = cx.event(&spaces()[usize::from(space)], None, what);
    cx.store.append(&Batch::durable(vec![event], Vec::new()))?;
    Ok(Seen::Nothing)
}

/// Does the same to a store and to the RAM twin, and compares all that can be seen.
///
/// # Panics
/// When the two differ.
pub fn agrees<'a>(open: &dyn Fn() -> Box<dyn Store + 'a>, steps: &[Step]) {
    let mut ours = Bench::new(open());
    let twin = Bench::new(Box::new(Ram::default()));
    for (n, step) in steps.iter().enumerate() {
        if matches!(step, Step::Reopen) {
            ours.store = open();
        }
        let (found, expected) = (act(&ours, step), act(&twin, step));
        match (found, expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected, "step {n}: {step:?}"),
            (found, expected) => panic!("step {n}: {step:?}: {found:?}, the twin {expected:?}"),
        }
    }
    compare(&*ours.store, &*twin.store);
    ours.store = open();
    compare(&*ours.store, &*twin.store);
}

/// A crowd in one space, so that whatever a store does in bulk is done: then some are forgotten, replaced, invalidated.
///
/// # Panics
/// When the store and the twin differ.
pub fn crowd<'a>(open: &dyn Fn() -> Box<dyn Store + 'a>) {
    let word = |n: u8, k: u8| n.wrapping_mul(k).wrapping_add(n / 7) % 40;
    let told = |n: u8| {
        vec![
            n % 40,
            word(n, 3),
            word(n, 7),
            word(n, 11),
            word(n, 13),
            word(n, 17),
        ]
    };
    let mut steps: Vec<Step> = Vec::new();
    for n in 0..220 {
        steps.push(Step::Remember {
            space: 0,
            words: told(n),
            cited: n % 3 == 0,
            layer: 9,
            tainted: n % 31 == 0,
        });
        match n % 20 {
            5 => steps.push(Step::Forget(0, n / 2)),
            9 => steps.push(Step::Supersede(0, n / 3, told(n ^ 0x55))),
            14 => steps.push(Step::Invalidate(0, n / 4)),
            17 => steps.push(Step::Recall(told(n))),
            _ => {}
        }
    }
    // Most of it is retired at once and comes back.
    let asked = || Step::Recall(vec![0, 7, 14, 21]);
    steps.extend([
        Step::Back(0, 200),
        asked(),
        Step::Reopen,
        asked(),
        Step::Undo(0),
        asked(),
    ]);
    agrees(open, &steps);
    let n_active = open()
        .summary(&spaces()[0])
        .map(|it| it.stage(Stage::Active));
    assert!(
        n_active.as_ref().is_ok_and(|n| *n > 100),
        "a crowd was to be kept: {n_active:?}"
    );
}

/// The task that a draft of these words belongs to: one of two, the second with a name that is written escaped, or none.
fn task(words: &[u8]) -> Option<String> {
    match words.first()? % 3 {
        0 => Some("fix-the-parser".into()),
        1 => Some("\"quoted\" task".into()),
        _ => None,
    }
}

fn filters() -> Vec<Filter> {
    let all = Filter {
        limit: 1_000,
        ..Filter::default()
    };
    let some = Filter {
        spaces: spaces()[..1].to_vec(),
        limit: 3,
        ..Filter::default()
    };
    vec![
        all.clone(),
        Filter {
            order: Order::Oldest,
            ..all.clone()
        },
        Filter {
            order: Order::Refreshed,
            ..all.clone()
        },
        Filter {
            stages: vec![Stage::Active, Stage::Pending],
            ..some.clone()
        },
        Filter {
            layers: vec![Layer::Episode],
            ..all.clone()
        },
        Filter {
            text: Some("PARSER".into()),
            ..all.clone()
        },
        Filter {
            tag: Some("contract".into()),
            stages: vec![Stage::Active],
            ..some
        },
        Filter {
            task: task(&[0]),
            ..all.clone()
        },
        Filter {
            task: task(&[1]),
            layers: vec![Layer::Episode],
            ..all.clone()
        },
        Filter {
            path: "src".parse().ok(),
            ..all.clone()
        },
        Filter {
            path: "src/api.rs".parse().ok(),
            kinds: vec![Kind::Project],
            ..all.clone()
        },
        Filter {
            origins: vec![Origin::Agent],
            tag: Some("contract".into()),
            ..all.clone()
        },
        Filter {
            since: at(3),
            until: at(9),
            ..all.clone()
        },
        Filter {
            until: at(5),
            order: Order::Refreshed,
            ..all
        },
    ]
}

/// Going on behind any memory of a listing gives the rest of it, in every order.
#[expect(clippy::expect_used, reason = "a suite fails by panicking")]
fn goes_on(store: &dyn Store) {
    for order in [Order::Newest, Order::Oldest, Order::Refreshed] {
        let filter = Filter {
            order,
            limit: usize::MAX,
            ..Filter::default()
        };
        let all = store.list(&filter).expect("a listing");
        for (at, memory) in all.iter().enumerate() {
            let rest = Filter {
                after: Some(filter.behind(memory)),
                ..filter.clone()
            };
            assert_eq!(
                store.list(&rest).expect("the rest"),
                all[at + 1..],
                "{order:?} behind {}",
                memory.handle()
            );
        }
    }
}

fn compare(ours: &dyn Store, twin: &dyn Store) {
    let same = |what: &str, found: &dyn Fn(&dyn Store) -> String| {
        assert_eq!(found(ours), found(twin), "{what}")
    };
    same("spaces", &|it| format!("{:?}", it.spaces()));
    for filter in filters() {
        same(&format!("{filter:?}"), &|it| {
            format!("{:#?}", it.list(&filter))
        });
    }
    goes_on(ours);
    let asked: Vec<String> = terms::terms(&WORDS.join(" "))
        .into_iter()
        .map(|(term, _)| term)
        .collect();
    for space in &spaces() {
        same(&format!("postings of {space}"), &|it| {
            format!("{:?}", it.postings(space, &asked))
        });
        for secs in [0, 5, 30] {
            let since = start() + SignedDuration::from_secs(secs);
            same(&format!("watch of {space}"), &|it| {
                format!("{:#?}", it.watch(space, since))
            });
        }
        for (secs, limit) in [(0, usize::MAX), (5, usize::MAX), (0, 3)] {
            let since = start() + SignedDuration::from_secs(secs);
            same(&format!("traces of {space}"), &|it| {
                format!("{:#?}", it.traces(space, since, limit))
            });
        }
        same(&format!("tally of {space}"), &|it| {
            format!("{:#?}", it.summary(space))
        });
        for initial in ['p', 't', '日', 'z'] {
            same(&format!("vocabulary of {space}"), &|it| {
                format!("{:?}", it.vocabulary(space, initial))
            });
        }
    }
    logs::compare_logs(ours, twin);
}

/// Random steps with the standing of one space written down after each; then the space is taken back to one of these
/// moments and must stand exactly as it stood, and the rollback is taken back and must leave no trace.
///
/// # Panics
/// When anything stands otherwise.
#[expect(clippy::expect_used, reason = "a suite fails by panicking")]
pub fn rolls_back<'a>(open: &dyn Fn() -> Box<dyn Store + 'a>, steps: &[Step], chosen: usize) {
    let bench = Bench::new(open());
    let [space, ..] = spaces();
    let mut moments = vec![(start(), standing(&*bench.store, &space))];
    for step in steps {
        act(&bench, step).expect("a step");
        moments.push((bench.now(), standing(&*bench.store, &space)));
    }
    let (moment, before) = &moments[chosen % moments.len()];
    let last = standing(&*bench.store, &space);
    for _ in 0..2 {
        let plan = bench
            .at_next(|cx| rollback(cx, a_person(), &space, Point::Time(*moment)))
            .expect("rollback");
        stands_as(&standing(&*bench.store, &space), before);
        if plan.is_some_and(|it| !it.turns.is_empty()) {
            let after = standing(&*bench.store, &space);
            bench
                .at_next(|cx| rollback(cx, a_person(), &space, Point::Undo))
                .expect("undo")
                .expect("a rollback");
            assert_eq!(standing(&*bench.store, &space), last, "taken back");
            bench
                .at_next(|cx| rollback(cx, a_person(), &space, Point::Undo))
                .expect("redo")
                .expect("a rollback");
            assert_eq!(standing(&*bench.store, &space), after, "done again");
            bench
                .at_next(|cx| rollback(cx, a_person(), &space, Point::Undo))
                .expect("undo")
                .expect("a rollback");
            assert_eq!(
                standing(&*bench.store, &space),
                last,
                "and taken back again"
            );
        }
    }
    assert_eq!(
        bench.store.health().expect("health").problems,
        Vec::<String>::new()
    );
    compare(&*open(), &*bench.store);
}

/// The memories of a space by number, without their counters, which are history.
#[expect(clippy::expect_used, reason = "a suite fails by panicking")]
fn standing(store: &dyn Store, space: &Space) -> BTreeMap<u64, Memory> {
    let filter = Filter {
        spaces: vec![space.clone()],
        limit: usize::MAX,
        ..Filter::default()
    };
    let uncounted = |it: Memory| {
        (
            it.number,
            Memory {
                usage: Usage::default(),
                ..it
            },
        )
    };
    store
        .list(&filter)
        .expect("list")
        .into_iter()
        .map(uncounted)
        .collect()
}

/// Every memory stands as it did, and what came since is retired. What was forgotten since cannot be there.
fn stands_as(now: &BTreeMap<u64, Memory>, before: &BTreeMap<u64, Memory>) {
    for (number, memory) in now {
        match before.get(number) {
            Some(old) => assert_eq!(memory, old, "it stands as it stood"),
            None => assert_eq!(
                memory.status.stage(),
                Stage::Retired,
                "it came since: {memory:?}"
            ),
        }
    }
}

/// The life of a few memories, told through the verbs, with the store opened anew between the chapters.
///
/// # Panics
/// When the store tells it otherwise.
#[expect(clippy::expect_used, reason = "a suite fails by panicking")]
pub fn story<'a>(open: &dyn Fn() -> Box<dyn Store + 'a>) {
    let [shop, ..] = spaces();
    let here = std::slice::from_ref(&shop);
    let mut bench = Bench::new(open());
    let kept = remembered(
        &bench,
        "Retries of the payment gateway stop after 3 attempts",
        Twin::Ask,
    );
    assert_eq!(
        (kept.handle().to_string().as_str(), &kept.status),
        ("m-1", &Status::Active)
    );
    assert_eq!(kept.citations[0].snippet, "const RETRIES: u32 = 3;");

    bench.store = open();
    let again = bench
        .at_next(|cx| {
            remember(
                cx,
                draft(
                    "retries of the payment gateway stop after 3 attempts!",
                    Twin::Ask,
                ),
            )
        })
        .expect("refresh");
    assert!(
        matches!(&again, Outcome::Refreshed { memory } if memory.id == kept.id),
        "{again:?}"
    );
    let near = bench
        .at_next(|cx| {
            remember(
                cx,
                draft(
                    "Retries of the payment gateway stop after the 3 attempts",
                    Twin::Ask,
                ),
            )
        })
        .expect("near");
    assert!(
        matches!(&near, Outcome::Similar { near } if near[0].id == kept.id),
        "{near:?}"
    );
    let beside = remembered(
        &bench,
        "Retries of the payment gateway stop after the 3 attempts",
        Twin::Create("two facts".into()),
    );
    assert_eq!(beside.number, 2);

    bench.store = open();
    let name = Name::Id(beside.id);
    let better = Draft {
        twin: Twin::Ask,
        ..draft("Retries wait a second each", Twin::Ask)
    };
    let outcome = bench
        .at_next(|cx| revise::supersede(cx, here, name, better, Replacement::Correction))
        .expect("it");
    let Outcome::Remembered {
        memory: corrected, ..
    } = outcome
    else {
        panic!("{outcome:?}")
    };
    assert_eq!(corrected.supersedes, Some(beside.id));
    let old = bench
        .store
        .get_by_ids(&[beside.id])
        .expect("get")
        .pop()
        .expect("the old one stays in the history");
    assert_eq!(old.status, Status::Superseded { by: corrected.id });
    assert!(matches!(
        bench
            .at_next(|cx| revise::refresh(cx, here, name))
            .expect("it"),
        Revised::Refused(_)
    ));

    bench.store = open();
    let ask = Ask {
        text: "how often do retries happen".into(),
        spaces: here.to_vec(),
        ..Ask::default()
    };
    let recalled = bench.at_next(|cx| recall(cx, &ask)).expect("recall");
    let shown: Vec<u64> = recalled
        .shown
        .iter()
        .map(|it| it.hit.memory.number)
        .collect();
    assert!(
        shown.contains(&1) && shown.contains(&3) && !shown.contains(&2),
        "{shown:?}"
    );
    assert_eq!(
        bench.store.get_by_ids(&[kept.id]).expect("get")[0]
            .usage
            .recalls,
        1
    );

    let gone = bench
        .at_next(|cx| forget(cx, a_speaker(), here, Name::Id(corrected.id), "told to"))
        .expect("forget");
    assert!(matches!(gone, Forgotten::Done(_)));
    bench.store = open();
    assert!(
        bench
            .store
            .get_by_ids(&[corrected.id])
            .expect("get")
            .is_empty()
    );
    let next = remembered(&bench, "Handlers are pure functions", Twin::Ask);
    assert_eq!(next.number, 4, "a number is never reused");
    rewritten(&bench, &next);
    assert_eq!(
        bench.store.health().expect("health").problems,
        Vec::<String>::new()
    );
}

/// The same words with other punctuation take the place of the memory that said them.
#[expect(clippy::expect_used, reason = "a suite fails by panicking")]
fn rewritten(bench: &Bench<'_>, old: &Memory) {
    let draft = draft(&format!("{}!", old.fact.to_uppercase()), Twin::Ask);
    let here = std::slice::from_ref(&old.space);
    let supersede = |cx: &Context<'_>| {
        revise::supersede(
            cx,
            here,
            Name::Id(old.id),
            draft.clone(),
            Replacement::Better,
        )
    };
    let outcome = bench.at_next(supersede).expect("supersede");
    let Outcome::Remembered { memory, .. } = outcome else {
        panic!("{outcome:?}")
    };
    assert_eq!(
        (memory.claim(), memory.supersedes),
        (old.claim(), Some(old.id))
    );
    let claimed = bench
        .store
        .get_by_claim(&old.space, &old.claim())
        .expect("claimed");
    assert_eq!(claimed.map(|it| it.id), Some(memory.id));
}

fn draft(fact: &str, twin: Twin) -> Draft {
    let citations = "src/api.rs:2".parse().into_iter().collect();
    let [shop, ..] = spaces();
    Draft {
        citations,
        twin,
        ..Draft::new(shop, fact, Voice::of(Origin::Agent))
    }
}

#[expect(clippy::expect_used, reason = "a suite fails by panicking")]
fn remembered(bench: &Bench<'_>, fact: &str, twin: Twin) -> Memory {
    match bench
        .at_next(|cx| remember(cx, draft(fact, twin)))
        .expect("remember")
    {
        Outcome::Remembered { memory, .. } => *memory,
        other => panic!("{fact}: {other:?}"),
    }
}

/// With a total of three, the oldest give way, and the store says which.
///
/// # Panics
/// When another number is active.
#[expect(clippy::expect_used, reason = "a suite fails by panicking")]
pub fn prunes<'a>(open: &dyn Fn() -> Box<dyn Store + 'a>) {
    let mut bench = Bench::new(open());
    bench.policy = Policy {
        limits: Limits {
            max_total: Some(3),
            ..bench.policy.limits
        },
        ..Policy::notebook()
    };
    for fact in [
        "alpha one",
        "beta two",
        "gamma three",
        "delta four",
        "epsilon five",
    ] {
        remembered(&bench, fact, Twin::Ask);
    }
    let filter = |stage| Filter {
        stages: vec![stage],
        order: Order::Oldest,
        limit: 9,
        ..Filter::default()
    };
    let numbers = |stage| -> Vec<u64> {
        bench
            .store
            .list(&filter(stage))
            .expect("list")
            .iter()
            .map(|it| it.number)
            .collect()
    };
    assert_eq!(numbers(Stage::Active), [3, 4, 5]);
    assert_eq!(numbers(Stage::Retired), [1, 2]);
}

/// A memory that a person vouches for, so that it is active.
#[expect(clippy::expect_used, reason = "a suite fails by panicking")]
fn vouched_memory(bench: &Bench<'_>, fact: &str) -> Memory {
    let [shop, ..] = spaces();
    let draft = Draft {
        twin: Twin::Create("test".into()),
        vouching: vouched(),
        ..Draft::new(shop, fact, Voice::of(Origin::User))
    };
    match bench.at_next(|cx| remember(cx, draft)).expect("remember") {
        Outcome::Remembered { memory, .. } => *memory,
        other => panic!("{fact}: {other:?}"),
    }
}

/// A large batch that was decided on the ground that a hundred memories stand as they stood is refused whole when one of
/// them moved, the first or the last.
///
/// # Panics
/// When a part of it is written, or it is not refused.
#[expect(clippy::expect_used, reason = "a suite fails by panicking")]
pub fn holds_many<'a>(open: &dyn Fn() -> Box<dyn Store + 'a>) {
    let bench = Bench::new(open());
    let all: Vec<Memory> = (0..100)
        .map(|n| vouched_memory(&bench, &format!("alpha {n}")))
        .collect();
    let retire = |it: &Memory| {
        bench.at_next(|cx| {
            cx.event(
                &it.space,
                Some(it.id),
                What::Retired {
                    reason: "room".into(),
                },
            )
        })
    };
    let unmoved = |it: &Memory| Expect::Unmoved(it.id, Status::Active);
    let retired = || {
        bench
            .store
            .summary(&all[0].space)
            .expect("tally")
            .stage(Stage::Retired)
    };
    let batch = |of: &[Memory], on: &[Memory]| {
        Batch::durable(
            of.iter().map(retire).collect(),
            on.iter().map(unmoved).collect(),
        )
    };
    let moved = [&all[0], &all[99]];
    for it in moved {
        let named = Name::Id(it.id);
        bench
            .at_next(|cx| revise::invalidate(cx, &spaces(), named, "wrong"))
            .expect("invalidate");
    }
    // What is expected of a memory holds, whether the batch changes it or not.
    for (of, on) in [
        (&all[..], &all[..]),
        (&all[1..], &all[1..]),
        (&all[1..99], &all[1..]),
    ] {
        let refused = bench.store.append(&batch(of, on));
        assert!(
            matches!(refused, Err(StoreError::Conflict { .. })),
            "{refused:?}"
        );
        assert_eq!(retired(), 0);
    }
    bench
        .store
        .append(&batch(&all[1..99], &all[1..99]))
        .expect("nothing of it moved");
    assert_eq!(retired(), 98);
}

static A_PERSON: LazyLock<Speaker> = LazyLock::new(|| {
    Speaker::at_terminal(&TerminalFacts {
        is_manned: true,
        ..TerminalFacts::default()
    })
});

/// A person at a terminal, for tests of what only a person may do.
pub fn a_speaker() -> &'static Speaker {
    &A_PERSON
}

/// The person of [`a_speaker`].
#[expect(
    clippy::expect_used,
    reason = "whoever sits at a terminal that no agent started is a person"
)]
pub fn a_person() -> &'static Person {
    a_speaker().person().expect("a person is at the terminal")
}

/// A person's word for a draft.
pub fn vouched() -> Vouching {
    Vouching::Given(Vouch::given())
}
