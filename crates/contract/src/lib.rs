//! The suite that every store passes: one story, and random operations compared with the RAM twin.
//!
//! A store's tests call [`check_memory_lifecycle`] and [`check_store_against_ram`] with a function that opens the same store again and again.
//!
//! ```
//! use apostille_contract::check_memory_lifecycle;
//! use apostille_core::store::ram::RamStore;
//!
//! let store = RamStore::default();
//! check_memory_lifecycle(&|| Box::new(store.clone()));
//! ```

#![expect(clippy::expect_used, reason = "a suite fails by panicking")]

pub mod derivation;
mod embeddings;
mod event_traces;
mod logs;
mod replicas;
mod rollback;
mod store_copy;
pub mod tokens;

pub use event_traces::check_event_traces;
pub use replicas::{TeamStep, check_replicas_converge, random_team_steps};
pub use rollback::check_rollback;

pub use store_copy::check_store_copy;

use std::{cell::Cell, collections::BTreeMap, sync::LazyLock};

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;

use apostille_cite::{
    citation::RepoPath,
    source::{Source, SourceBlob, SourceError, SourceTree},
};
use apostille_core::{
    Context, CoreError,
    event::{Breaker, EventBody, Precondition},
    forget::{ForgetOutcome, forget},
    memory::{
        Draft, DuplicateChoice, Handle, Kind, Layer, Memory, MemoryName, Origin, ReplacementKind,
        Stage, Status, Voice, Vouching,
    },
    policy::{BreakerPolicy, MemoryLimits, Policy},
    recall::{RecallRequest, recall},
    remember::{RememberOutcome, remember},
    revise,
    revise::ReviseOutcome,
    rollback::{RollbackPlan, RollbackPoint, rollback},
    space::Space,
    speaker::{Person, Speaker, TerminalFacts},
    store::{ListOrder, MemoryFilter, Store, StoreError, ram::RamStore},
    unchecked,
};
use apostille_text::terms;

/// Code that lives in a map: what citations of the suite point to.
#[derive(Debug, Clone, Default)]
pub struct MapSource(pub BTreeMap<String, String>);

impl MapSource {
    /// Two small files.
    pub fn with_sample_files() -> Self {
        let api = "fn a() {}\nconst RETRIES: u32 = 3;\nfn b() {}\n";
        let files = [("src/api.rs", api), ("docs/deploy.md", "one\ntwo\n")];
        Self(files.map(|(path, text)| (path.into(), text.into())).into())
    }
}

impl Source for MapSource {
    fn read_tree(&self) -> Result<SourceTree, SourceError> {
        Ok(SourceTree {
            commit: Some("0".repeat(40)),
            branch: Some("main".into()),
            is_worktree: true,
        })
    }

    fn read_file(&self, path: &RepoPath) -> Result<Option<SourceBlob>, SourceError> {
        Ok(self.0.get(path.as_str()).map(|text| SourceBlob {
            id: None,
            bytes: text.clone().into_bytes(),
        }))
    }
}

/// A world in which time and chance are fixed: the same calls give the same memories in every store.
pub struct ContractFixture<'a> {
    store: Box<dyn Store + 'a>,
    source: MapSource,
    policy: Policy,
    ticks: Cell<u32>,
    /// How much was done so far.
    serial: Cell<u32>,
    /// Which of several worlds: their memories have ids of their own.
    lane: u8,
}

impl<'a> ContractFixture<'a> {
    /// A world around a store.
    pub fn new(store: Box<dyn Store + 'a>) -> Self {
        Self {
            store,
            source: MapSource::with_sample_files(),
            // Random writes come faster than any agent's, and all of them are to be kept.
            policy: Policy {
                breakers: BreakerPolicy::OFF,
                ..Policy::default()
            },
            ticks: Cell::new(0),
            serial: Cell::new(0),
            lane: 0,
        }
    }

    /// When the last thing was done.
    fn current_time(&self) -> Timestamp {
        seconds_after_start(self.ticks.get().into())
    }

    /// Does something at the next second.
    fn run_at_next_second<T>(&self, act: impl FnOnce(&Context) -> T) -> T {
        let tick = self.ticks.get() + 1;
        self.ticks.set(tick);
        let serial = self.serial.get() + 1;
        self.serial.set(serial);
        let drawn = Cell::new(u128::from(serial) << 64 | u128::from(self.lane) << 4);
        let random = || {
            drawn.set(drawn.get() + (1 << 60));
            drawn.get().reverse_bits()
        };
        let now = self.current_time();
        act(&Context {
            store: &*self.store,
            source: &self.source,
            policy: &self.policy,
            now,
            random: &random,
            late: &|| false,
            actor: Some("contract"),
            other_spaces: &[],
            guardian: None,
            testimony: None,
            embedder: None,
            archive: None,
            commit_reasons: None,
        })
    }
}

/// So long after the suite began.
fn seconds_after_start(seconds: i64) -> Timestamp {
    let start = SignedDuration::from_hours(24 * 365 * 56);
    Timestamp::UNIX_EPOCH + start + SignedDuration::from_secs(seconds)
}

/// One thing that is done to a store.
#[derive(Debug, Clone)]
pub enum StoreStep {
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
    /// Do something to a memory, chosen by number, of a space chosen by number.
    Act(SampleAct, u8, u8),
    /// Replace it by other words.
    Supersede(u8, u8, Vec<u8>),
    /// Take a space back by so many steps.
    Back(u8, u8),
    /// Take the last rollback of a space back.
    Undo(u8),
    /// Ask for words.
    Recall(Vec<u8>),
    /// Keep vectors for memories of a space, chosen by numbers; or drop those of a model.
    Embed(u8, Vec<u8>),
    /// Open the store anew.
    Reopen,
}

/// What is done to a memory, or to the breakers of its space.
#[derive(Debug, Clone, Copy)]
pub enum SampleAct {
    /// Refresh it.
    Refresh,
    /// Invalidate it.
    Invalidate,
    /// Note that it was applied.
    Apply,
    /// Forget it.
    Forget,
    /// Let it out of quarantine.
    Approve,
    /// Open a breaker, for one of two actors or for everybody.
    Trip,
    /// Close those of one of them, or all.
    Close,
}

const ACTS: [SampleAct; 7] = [
    SampleAct::Refresh,
    SampleAct::Invalidate,
    SampleAct::Apply,
    SampleAct::Forget,
    SampleAct::Approve,
    SampleAct::Trip,
    SampleAct::Close,
];

/// Random steps, biased towards remembering.
pub fn random_store_steps() -> BoxedStrategy<Vec<StoreStep>> {
    let words = || prop::collection::vec(0_u8..40, 1..6);
    let remember = (
        0_u8..3,
        words(),
        any::<bool>(),
        0_u8..10,
        prop::bool::weighted(0.1),
    )
        .prop_map(
            |(space, words, cited, layer, tainted)| StoreStep::Remember {
                space,
                words,
                cited,
                layer,
                tainted,
            },
        );
    let step = prop_oneof![
        8 => remember,
        7 => (prop::sample::select(&ACTS), 0_u8..3, 1_u8..12)
            .prop_map(|(act, space, n)| StoreStep::Act(act, space, n)),
        2 => (0_u8..3, 1_u8..12, words()).prop_map(|(space, n, words)| StoreStep::Supersede(space, n, words)),
        1 => (0_u8..3, 0_u8..40).prop_map(|(space, n)| StoreStep::Back(space, n)),
        1 => (0_u8..3).prop_map(StoreStep::Undo),
        3 => words().prop_map(StoreStep::Recall),
        2 => (0_u8..3, prop::collection::btree_set(1_u8..12, 0..5))
            .prop_map(|(space, numbers)| StoreStep::Embed(space, numbers.into_iter().collect())),
        1 => Just(StoreStep::Reopen),
    ];
    prop::collection::vec(step, 1..60).boxed()
}

const WORDS: &str = "parser, retry, timeout, useCheckoutTotals, snake_case_name, deploy, migration, Postgres, token, \
    cache, 日本語の設定, naïve, src/api.rs, version, schema, handler, queue, worker, flag, lint, the, is, \
    must, never, before, after, release, branch, config, secretary, port 5432, v2, HTTPServer, cart, \
    invoice, render, batch, index, event, layer";

fn join_sample_words(words: &[u8]) -> String {
    let known: Vec<&str> = WORDS.split(", ").collect();
    let word = |it: &u8| known[usize::from(*it) % known.len()];
    words.iter().map(word).collect::<Vec<_>>().join(" ")
}

fn sample_spaces() -> [Space; 3] {
    ["acme/shop", "acme/tools", "users/ana"].map(|it| it.parse().expect("a valid name"))
}

fn sample_space(space: u8) -> Space {
    sample_spaces()[usize::from(space)].clone()
}

/// A draft with all that a step says about it.
fn fill_sample_draft(draft: Draft, words: &[u8], cited: bool, layer: u8) -> Draft {
    let layers = [Layer::Identity, Layer::Episode, Layer::Session];
    let is_fit = |it: &Layer| *it != Layer::Identity || draft.space.is_user();
    Draft {
        layer: layers.get(usize::from(layer)).copied().filter(is_fit),
        kind: Some(if cited { Kind::Project } else { Kind::Feedback }),
        citations: "src/api.rs:2"
            .parse()
            .into_iter()
            .filter(|_| cited)
            .collect(),
        tags: vec!["contract".into()],
        task: sample_task_name(words),
        ..draft
    }
}

/// Does a step; what it came to, in a form that two stores can be compared by.
fn run_store_step(bench: &ContractFixture, step: &StoreStep) -> Result<String, CoreError> {
    let voice = |tainted| Voice {
        tainted,
        ..Voice::from_origin(Origin::Agent)
    };
    bench.run_at_next_second(|cx| {
        Ok(match step {
            StoreStep::Remember {
                space,
                words,
                cited,
                layer,
                tainted,
            } => {
                let fact = join_sample_words(words);
                let draft = Draft::new(sample_space(*space), fact, voice(*tainted));
                let draft = fill_sample_draft(draft, words, *cited, *layer);
                format!("{:?}", remember(cx, draft)?)
            }
            StoreStep::Act(act, space, n) => run_sample_act(cx, *act, &sample_space(*space), *n)?,
            StoreStep::Supersede(space, n, words) => {
                let (space, how) = (sample_space(*space), ReplacementKind::Better);
                let name = sample_memory_name(&space, *n);
                let draft = Draft::new(space.clone(), join_sample_words(words), voice(false));
                let done =
                    revise::supersede_memory(cx, sample_speaker(), &[space], name, draft, how)?;
                format!("{done:?}")
            }
            StoreStep::Back(space, n) => {
                let time = cx.now - SignedDuration::from_secs(i64::from(*n));
                roll_back_sample_space(cx, *space, RollbackPoint::Time(time))?
            }
            StoreStep::Undo(space) => roll_back_sample_space(cx, *space, RollbackPoint::Undo)?,
            StoreStep::Recall(words) => {
                let ask = RecallRequest {
                    text: join_sample_words(words),
                    spaces: sample_spaces().to_vec(),
                    ..RecallRequest::default()
                };
                format!("{:?}", recall(cx, &ask)?)
            }
            StoreStep::Embed(space, numbers) => {
                let space = sample_space(*space);
                embeddings::write_sample_embeddings(cx.store, &space, numbers)?
            }
            StoreStep::Reopen => String::new(),
        })
    })
}

fn sample_memory_name(space: &Space, number: u8) -> MemoryName {
    MemoryName::Handle(Handle {
        letter: space.handle_letter(),
        number: number.into(),
    })
}

fn run_sample_act(cx: &Context, act: SampleAct, space: &Space, n: u8) -> Result<String, CoreError> {
    let (here, name) = (std::slice::from_ref(space), sample_memory_name(space, n));
    // Whom a breaker is about: nobody in particular, or one of two.
    let actor = (!n.is_multiple_of(3)).then(|| format!("actor {}", n % 3));
    let done = match act {
        SampleAct::Refresh => revise::refresh_memory(cx, here, name)?,
        SampleAct::Invalidate => {
            revise::invalidate_memory(cx, sample_speaker(), here, name, "it is wrong")?
        }
        SampleAct::Apply => revise::mark_memory_applied(cx, here, name)?,
        SampleAct::Approve => revise::approve_memory(cx, sample_person(), here, name)?,
        SampleAct::Forget => {
            let done = forget(cx, sample_speaker(), here, name, "asked to")?;
            return Ok(format!("{done:?}"));
        }
        SampleAct::Trip => {
            let tripped = EventBody::Tripped {
                breaker: Breaker::ALL[usize::from(n) % Breaker::ALL.len()],
                actor,
                why: format!("{n} at once"),
            };
            return append_space_event(cx, space, tripped);
        }
        SampleAct::Close => return append_space_event(cx, space, EventBody::Closed { actor }),
    };
    Ok(format!("{done:?}"))
}

/// Takes a space back. Places in the log are the store's own business: a file that is rewritten counts anew.
fn roll_back_sample_space(
    cx: &Context,
    space: u8,
    point: RollbackPoint,
) -> Result<String, CoreError> {
    let done = rollback(cx, sample_person(), &sample_space(space), point)?;
    Ok(format!(
        "{:?}",
        done.map(|plan| RollbackPlan { to: 0, ..plan })
    ))
}

/// Writes what belongs to a space and to no memory.
fn append_space_event(cx: &Context, space: &Space, what: EventBody) -> Result<String, CoreError> {
    let event = unchecked::new_event(cx, space, None, what);
    let batch = unchecked::durable_batch(vec![event], Vec::new());
    cx.store.append_batch(&batch)?;
    Ok(String::new())
}

/// Does the same to a store and to the RAM twin, and compares all that can be seen.
///
/// # Panics
/// When the two differ.
pub fn check_store_against_ram<'a>(open: &dyn Fn() -> Box<dyn Store + 'a>, steps: &[StoreStep]) {
    let mut ours = ContractFixture::new(open());
    let twin = ContractFixture::new(Box::new(RamStore::default()));
    for (n, step) in steps.iter().enumerate() {
        if matches!(step, StoreStep::Reopen) {
            ours.store = open();
        }
        let (found, expected) = (run_store_step(&ours, step), run_store_step(&twin, step));
        match (found, expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected, "step {n}: {step:?}"),
            (found, expected) => panic!("step {n}: {step:?}: {found:?}, the twin {expected:?}"),
        }
    }
    compare_stores(&*ours.store, &*twin.store);
    ours.store = open();
    compare_stores(&*ours.store, &*twin.store);
}

/// A crowd in one space, so that whatever a store does in bulk is done: then some are forgotten, replaced, invalidated.
///
/// # Panics
/// When the store and the twin differ.
pub fn check_crowded_space<'a>(open: &dyn Fn() -> Box<dyn Store + 'a>) {
    let word = |n: u8, k: u8| n.wrapping_mul(k).wrapping_add(n / 7) % 40;
    let told = |n: u8| {
        let others = [3, 7, 11, 13, 17].map(|k| word(n, k));
        [&[n % 40][..], &others].concat()
    };
    let mut steps: Vec<StoreStep> = Vec::new();
    for n in 0..220 {
        steps.push(StoreStep::Remember {
            space: 0,
            words: told(n),
            cited: n % 3 == 0,
            layer: 9,
            tainted: n % 31 == 0,
        });
        match n % 20 {
            5 => steps.push(StoreStep::Act(SampleAct::Forget, 0, n / 2)),
            9 => steps.push(StoreStep::Supersede(0, n / 3, told(n ^ 0x55))),
            14 => steps.push(StoreStep::Act(SampleAct::Invalidate, 0, n / 4)),
            17 => steps.push(StoreStep::Recall(told(n))),
            _ => {}
        }
    }
    // Most of it is retired at once and comes back.
    let asked = || StoreStep::Recall(vec![0, 7, 14, 21]);
    steps.extend([
        StoreStep::Back(0, 200),
        asked(),
        StoreStep::Reopen,
        asked(),
        StoreStep::Undo(0),
        asked(),
    ]);
    check_store_against_ram(open, &steps);
    let n_active = open()
        .summarize_space(&sample_spaces()[0])
        .map(|it| it.count_in_stage(Stage::Active));
    assert!(
        n_active.as_ref().is_ok_and(|n| *n > 100),
        "a crowd was to be kept: {n_active:?}"
    );
}

/// The task that a draft of these words belongs to: one of two, the second with a name that is written escaped, or none.
fn sample_task_name(words: &[u8]) -> Option<String> {
    match words.first()? % 3 {
        0 => Some("fix-the-parser".into()),
        1 => Some("\"quoted\" task".into()),
        _ => None,
    }
}

fn sample_filters() -> Vec<MemoryFilter> {
    let all = MemoryFilter {
        limit: 1_000,
        ..MemoryFilter::default()
    };
    let some = MemoryFilter {
        spaces: sample_spaces()[..1].to_vec(),
        limit: 3,
        ..MemoryFilter::default()
    };
    vec![
        all.clone(),
        MemoryFilter {
            order: ListOrder::Oldest,
            ..all.clone()
        },
        MemoryFilter {
            order: ListOrder::Refreshed,
            ..all.clone()
        },
        MemoryFilter {
            stages: vec![Stage::Active, Stage::Pending],
            ..some.clone()
        },
        MemoryFilter {
            layers: vec![Layer::Episode],
            ..all.clone()
        },
        MemoryFilter {
            text: Some("PARSER".into()),
            ..all.clone()
        },
        MemoryFilter {
            tags: vec!["contract".into()],
            stages: vec![Stage::Active],
            ..some
        },
        MemoryFilter {
            task: sample_task_name(&[0]),
            ..all.clone()
        },
        MemoryFilter {
            task: sample_task_name(&[1]),
            layers: vec![Layer::Episode],
            ..all.clone()
        },
        MemoryFilter {
            tags: vec!["contract".into(), "other".into()],
            ..all.clone()
        },
        all.clone().at_address("/acme/shop/episodes/".parse().ok()),
        all.clone()
            .at_address("/acme/shop/review-rules/".parse().ok()),
        MemoryFilter {
            path: "src".parse().ok(),
            ..all.clone()
        },
        MemoryFilter {
            path: "src/api.rs".parse().ok(),
            kinds: vec![Kind::Project],
            ..all.clone()
        },
        MemoryFilter {
            origins: vec![Origin::Agent],
            tags: vec!["contract".into()],
            ..all.clone()
        },
        MemoryFilter {
            since: Some(seconds_after_start(3)),
            until: Some(seconds_after_start(9)),
            ..all.clone()
        },
        MemoryFilter {
            until: Some(seconds_after_start(5)),
            order: ListOrder::Refreshed,
            ..all
        },
    ]
}

/// Going on behind any memory of a listing gives the rest of it, in every order.
fn check_listing_resumes(store: &dyn Store) {
    for order in [ListOrder::Newest, ListOrder::Oldest, ListOrder::Refreshed] {
        let filter = MemoryFilter {
            order,
            limit: usize::MAX,
            ..MemoryFilter::default()
        };
        let all = store.list_memories(&filter).expect("a listing");
        for (at, memory) in all.iter().enumerate() {
            let rest = MemoryFilter {
                after: Some(filter.cursor_after(memory)),
                ..filter.clone()
            };
            assert_eq!(
                store.list_memories(&rest).expect("the rest"),
                all[at + 1..],
                "{order:?} behind {}",
                memory.handle()
            );
        }
    }
}

/// What was made to take the place of each memory that there is, or was.
fn filters_of_replacements(store: &dyn Store) -> Vec<MemoryFilter> {
    let all = MemoryFilter {
        limit: usize::MAX,
        ..MemoryFilter::default()
    };
    let memories = store.list_memories(&all).expect("a listing");
    let mut replaced: Vec<_> = memories.iter().filter_map(|it| it.supersedes).collect();
    let each = replaced.clone().into_iter().map(|id| vec![id]);
    let mut filters: Vec<MemoryFilter> = each
        .map(|supersedes| MemoryFilter {
            supersedes,
            ..all.clone()
        })
        .collect();
    replaced.extend(memories.iter().map(|it| it.id));
    filters.push(MemoryFilter {
        supersedes: replaced,
        stages: vec![Stage::Active],
        ..all
    });
    filters
}

fn compare_stores(ours: &dyn Store, twin: &dyn Store) {
    let same = |what: &str, found: &dyn Fn(&dyn Store) -> String| {
        assert_eq!(found(ours), found(twin), "{what}")
    };
    same("spaces", &|it| format!("{:?}", it.list_spaces()));
    for filter in sample_filters() {
        same(&format!("{filter:?}"), &|it| {
            format!("{:#?}", it.list_memories(&filter))
        });
    }
    check_listing_resumes(ours);
    for space in twin.list_spaces().expect("spaces") {
        let layers = Layer::ALL.iter().map(|it| vec![*it]);
        for (layers, most) in layers
            .chain([vec![], Layer::ALL.to_vec()])
            .zip((1..4).cycle())
        {
            same(&format!("{most} of {layers:?} in {space}"), &|it| {
                format!("{:?}", it.list_active_numbers(&space, &layers, most))
            });
            same(&format!("those of {layers:?} in {space}"), &|it| {
                format!(
                    "{:?}",
                    it.retain_active_numbers(&space, &[9, 3, 1, 2, 999], &layers)
                )
            });
        }
    }
    for filter in filters_of_replacements(twin) {
        same(&format!("{filter:?}"), &|it| {
            format!("{:#?}", it.list_memories(&filter))
        });
    }
    let asked: Vec<String> = terms::extract_terms(WORDS)
        .into_iter()
        .map(|(term, _)| term)
        .collect();
    for space in &sample_spaces() {
        same(&format!("postings of {space}"), &|it| {
            format!("{:?}", it.read_postings(space, &asked))
        });
        for secs in [0, 5, 30] {
            let since = seconds_after_start(secs);
            same(&format!("watch of {space}"), &|it| {
                format!("{:#?}", it.read_breaker_state(space, since))
            });
        }
        for (secs, limit) in [(0, usize::MAX), (5, usize::MAX), (0, 3)] {
            let since = seconds_after_start(secs);
            same(&format!("traces of {space}"), &|it| {
                format!("{:#?}", it.read_event_traces(space, since, limit))
            });
        }
        same(&format!("tally of {space}"), &|it| {
            format!("{:#?}", it.summarize_space(space))
        });
        for model in embeddings::sample_models() {
            same(&format!("vectors of {space}"), &|it| {
                format!("{:?}", it.read_embeddings(space, &model))
            });
        }
        same(&format!("cited paths of {space}"), &|it| {
            format!("{:?}", it.list_cited_paths(space))
        });
        for initial in ['p', 't', '日', 'z'] {
            same(&format!("vocabulary of {space}"), &|it| {
                format!("{:?}", it.list_terms(space, initial))
            });
        }
    }
    logs::compare_logs(ours, twin);
}

/// The life of a few memories, told through the verbs, with the store opened anew between the chapters.
///
/// # Panics
/// When the store tells it otherwise.
pub fn check_memory_lifecycle<'a>(open: &dyn Fn() -> Box<dyn Store + 'a>) {
    let [shop, ..] = sample_spaces();
    let here = std::slice::from_ref(&shop);
    let mut bench = ContractFixture::new(open());
    let kept = remember_sample(
        &bench,
        "Retries of the payment gateway stop after 3 attempts",
        DuplicateChoice::Ask,
    );
    assert_eq!(
        (kept.handle().to_string().as_str(), &kept.status),
        ("m-1", &Status::Active)
    );
    assert_eq!(kept.citations[0].snippet, "const RETRIES: u32 = 3;");

    bench.store = open();
    let again = try_sample(
        &bench,
        "retries of the payment gateway stop after 3 attempts!",
        DuplicateChoice::Ask,
    );
    assert!(
        matches!(&again, RememberOutcome::Refreshed { memory } if memory.id == kept.id),
        "{again:?}"
    );
    let near = try_sample(
        &bench,
        "Retries of the payment gateway stop after the 3 attempts",
        DuplicateChoice::Ask,
    );
    assert!(
        matches!(&near, RememberOutcome::Similar { near } if near[0].id == kept.id),
        "{near:?}"
    );
    let beside = remember_sample(
        &bench,
        "Retries of the payment gateway stop after the 3 attempts",
        DuplicateChoice::Create("two facts".into()),
    );
    assert_eq!(beside.number, 2);

    bench.store = open();
    let name = MemoryName::Id(beside.id);
    let better = sample_draft("Retries wait a second each", DuplicateChoice::Ask);
    let outcome = bench
        .run_at_next_second(|cx| {
            revise::supersede_memory(
                cx,
                sample_speaker(),
                here,
                name,
                better,
                ReplacementKind::Correction,
            )
        })
        .expect("it");
    let corrected = expect_kept(outcome);
    assert_eq!(corrected.supersedes, Some(beside.id));
    let old = bench
        .store
        .get_by_ids(&[beside.id])
        .expect("get")
        .pop()
        .expect("the old one stays in the history");
    assert_eq!(old.status, Status::Superseded { by: corrected.id });
    let replacing = MemoryFilter {
        supersedes: vec![beside.id, kept.id],
        ..MemoryFilter::active_in(here, 9)
    };
    let replacing = bench.store.list_memories(&replacing).expect("listed");
    assert_eq!(replacing, std::slice::from_ref(&corrected));
    let refreshed = bench.run_at_next_second(|cx| revise::refresh_memory(cx, here, name));
    assert!(matches!(refreshed.expect("it"), ReviseOutcome::Refused(_)));

    bench.store = open();
    let ask = RecallRequest {
        text: "how often do retries happen".into(),
        spaces: here.to_vec(),
        ..RecallRequest::default()
    };
    let recalled = bench
        .run_at_next_second(|cx| recall(cx, &ask))
        .expect("recall");
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

    let name = MemoryName::Id(corrected.id);
    let gone = bench
        .run_at_next_second(|cx| forget(cx, sample_speaker(), here, name, "told to"))
        .expect("forget");
    assert!(matches!(gone, ForgetOutcome::Done(_)));
    bench.store = open();
    let left = bench.store.get_by_ids(&[corrected.id]).expect("get");
    assert!(left.is_empty());
    let next = remember_sample(&bench, "Handlers are pure functions", DuplicateChoice::Ask);
    assert_eq!(next.number, 4, "a number is never reused");
    check_rewritten_claim(&bench, &next);
    assert_eq!(
        bench.store.check_health().expect("health").problems,
        Vec::<String>::new()
    );
}

/// The same words with other punctuation take the place of the memory that said them.
fn check_rewritten_claim(bench: &ContractFixture, old: &Memory) {
    let louder = format!("{}!", old.fact.to_uppercase());
    let draft = sample_draft(&louder, DuplicateChoice::Ask);
    let (here, name) = (std::slice::from_ref(&old.space), MemoryName::Id(old.id));
    let how = ReplacementKind::Better;
    let outcome = bench
        .run_at_next_second(|cx| {
            revise::supersede_memory(cx, sample_speaker(), here, name, draft, how)
        })
        .expect("supersede");
    let memory = expect_kept(outcome);
    assert_eq!(
        (memory.claim_digest(), memory.supersedes),
        (old.claim_digest(), Some(old.id))
    );
    let claimed = bench
        .store
        .get_by_claim(&old.space, &old.claim_digest())
        .expect("claimed");
    assert_eq!(claimed.map(|it| it.id), Some(memory.id));
}

fn sample_draft(fact: &str, twin: DuplicateChoice) -> Draft {
    let citations = "src/api.rs:2".parse().into_iter().collect();
    let [shop, ..] = sample_spaces();
    Draft {
        citations,
        on_duplicate: twin,
        ..Draft::new(shop, fact, Voice::from_origin(Origin::Agent))
    }
}

fn try_sample(bench: &ContractFixture, fact: &str, twin: DuplicateChoice) -> RememberOutcome {
    let draft = sample_draft(fact, twin);
    bench
        .run_at_next_second(|cx| remember(cx, draft))
        .expect("remember")
}

fn remember_sample(bench: &ContractFixture, fact: &str, twin: DuplicateChoice) -> Memory {
    expect_kept(try_sample(bench, fact, twin))
}

fn expect_kept(outcome: RememberOutcome) -> Memory {
    match outcome {
        RememberOutcome::Remembered { memory, .. } => *memory,
        other => panic!("{other:?}"),
    }
}

/// With a total of three, the oldest give way, and the store says which.
///
/// # Panics
/// When another number is active.
pub fn check_total_limit<'a>(open: &dyn Fn() -> Box<dyn Store + 'a>) {
    let mut bench = ContractFixture::new(open());
    bench.policy = Policy {
        limits: MemoryLimits {
            max_total: Some(3),
            ..bench.policy.limits
        },
        ..Policy::for_notebook()
    };
    for fact in "alpha one, beta two, gamma three, delta four, epsilon five".split(", ") {
        remember_sample(&bench, fact, DuplicateChoice::Ask);
    }
    let numbers = |stage| -> Vec<u64> {
        let filter = MemoryFilter {
            stages: vec![stage],
            order: ListOrder::Oldest,
            limit: 9,
            ..MemoryFilter::default()
        };
        let listed = bench.store.list_memories(&filter).expect("list");
        listed.iter().map(|it| it.number).collect()
    };
    assert_eq!(numbers(Stage::Active), [3, 4, 5]);
    assert_eq!(numbers(Stage::Retired), [1, 2]);
}

/// A memory that a person vouches for, so that it is active.
fn remember_vouched_sample(bench: &ContractFixture, fact: &str) -> Memory {
    let [shop, ..] = sample_spaces();
    let draft = Draft {
        on_duplicate: DuplicateChoice::Create("test".into()),
        vouching: sample_vouching(),
        ..Draft::new(shop, fact, Voice::from_origin(Origin::User))
    };
    let outcome = bench.run_at_next_second(|cx| remember(cx, draft));
    expect_kept(outcome.expect("remember"))
}

/// A large batch that was decided on the ground that a hundred memories stand as they stood is refused whole when one of
/// them moved, the first or the last.
///
/// # Panics
/// When a part of it is written, or it is not refused.
pub fn check_large_batch_conflict<'a>(open: &dyn Fn() -> Box<dyn Store + 'a>) {
    let bench = ContractFixture::new(open());
    let all: Vec<Memory> = (0..100)
        .map(|n| remember_vouched_sample(&bench, &format!("alpha {n}")))
        .collect();
    let retire = |it: &Memory| {
        let reason = "room".into();
        bench.run_at_next_second(|cx| {
            unchecked::new_event(cx, &it.space, Some(it.id), EventBody::Retired { reason })
        })
    };
    let unmoved = |it: &Memory| Precondition::Unmoved(it.id, Status::Active);
    let retired = || {
        let tally = bench.store.summarize_space(&all[0].space);
        tally.expect("tally").count_in_stage(Stage::Retired)
    };
    let append = |of: &[Memory], on: &[Memory]| {
        let expects = on.iter().map(unmoved).collect();
        let batch = unchecked::durable_batch(of.iter().map(retire).collect(), expects);
        bench.store.append_batch(&batch)
    };
    for it in [&all[0], &all[99]] {
        let (spaces, name) = (sample_spaces(), MemoryName::Id(it.id));
        bench
            .run_at_next_second(|cx| {
                revise::invalidate_memory(cx, sample_speaker(), &spaces, name, "wrong")
            })
            .expect("invalidate");
    }
    // What is expected of a memory holds, whether the batch changes it or not.
    for (of, on) in [
        (&all[..], &all[..]),
        (&all[1..], &all[1..]),
        (&all[1..99], &all[1..]),
    ] {
        let refused = append(of, on);
        assert!(
            matches!(refused, Err(StoreError::Conflict { .. })),
            "{refused:?}"
        );
        assert_eq!(retired(), 0);
    }
    append(&all[1..99], &all[1..99]).expect("nothing of it moved");
    assert_eq!(retired(), 98);
}

static A_PERSON: LazyLock<Speaker> = LazyLock::new(|| {
    Speaker::at_terminal(&TerminalFacts {
        is_manned: true,
        ..TerminalFacts::default()
    })
});

/// A person at a terminal, for tests of what only a person may do.
pub fn sample_speaker() -> &'static Speaker {
    &A_PERSON
}

/// The person of [`sample_speaker`].
pub fn sample_person() -> &'static Person {
    sample_speaker()
        .person()
        .expect("a person is at the terminal")
}

/// A person's word for a draft.
pub fn sample_vouching() -> Vouching {
    unchecked::given_vouching()
}
