//! Replicas that work apart and exchange lines in any order come to the same memories.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use apostille_core::{
    memory::{Layer, Memory, MemoryId, Stage},
    replica::{
        ReplicaLog, ReplicaState,
        apply::{ReplicaChanges, ReplicaRun, apply_replica_log, bury_forgotten},
        collect::collect_local_changes,
    },
    store::{EventPage, MemoryFilter, Store, StoreError, ram::RamStore},
};
use jiff::Timestamp;
use proptest::prelude::*;

use crate::{ContractFixture, StoreStep, random_store_steps, run_store_step, sample_space};

/// One thing that happens in a team of three.
#[derive(Debug, Clone)]
pub enum TeamStep {
    /// Somebody does something at home, so many seconds after what was done last.
    Work(u8, u8, StoreStep),
    /// Two exchange lines.
    Meet(u8, u8),
    /// Somebody fetches the lines of another and hands out none.
    Listen(u8, u8),
    /// The same, and this happens at home when the lines were heard and are not followed yet.
    Overtake(u8, u8, StoreStep),
    /// The same as to listen, and the machine fails when the store has followed and the lines are not kept yet.
    Crash(u8, u8),
}

/// Random work of three replicas, with exchanges in between.
pub fn random_team_steps() -> BoxedStrategy<Vec<TeamStep>> {
    let work = (
        prop::collection::vec((0_u8..3, 0_u8..2), 60),
        random_store_steps(),
    )
        .prop_map(|(whose, steps)| {
            let steps = steps.into_iter().zip(whose);
            let work = steps.map(|(step, (who, pause))| TeamStep::Work(who, pause, step));
            work.collect::<Vec<_>>()
        });
    let meetings = prop::collection::vec((0_usize..60, 0_u8..3, 0_u8..3, 0_u8..6), 0..12);
    (work, meetings, random_store_steps())
        .prop_map(|(mut steps, meetings, overtaking)| {
            let mut overtaking = overtaking.into_iter();
            for (at, a, b, how) in meetings {
                let step = match how {
                    0 | 1 => TeamStep::Meet(a, b),
                    2 | 3 => TeamStep::Listen(a, b),
                    4 => TeamStep::Crash(a, b),
                    _ => match overtaking.next() {
                        Some(step) => TeamStep::Overtake(a, b, step),
                        None => continue,
                    },
                };
                steps.insert(at.min(steps.len()), step);
            }
            steps
        })
        .boxed()
}

/// A store, what it knows of the others, and its own clock.
struct ReplicaBench<'a> {
    fixture: ContractFixture<'a>,
    log: ReplicaLog,
    state: ReplicaState,
}

/// Keeps the state that was saved last, and never stops.
struct KeptRun(ReplicaState);

impl ReplicaRun for KeptRun {
    fn save_state(&mut self, state: &ReplicaState) -> Result<(), StoreError> {
        self.0 = state.clone();
        Ok(())
    }

    fn goes_on(&mut self, _: usize, _: usize) -> bool {
        true
    }
}

impl<'a> ReplicaBench<'a> {
    fn new(store: Box<dyn Store + 'a>, lane: u8) -> Self {
        let mut fixture = ContractFixture::new(store);
        fixture.lane = lane;
        Self {
            fixture,
            log: ReplicaLog::new(sample_space(0)),
            state: ReplicaState::default(),
        }
    }

    fn work(&self, tick: u32, step: &StoreStep) {
        // Whoever has the last number is half a minute behind the others.
        let late = if self.fixture.lane == 2 { 30 } else { 0 };
        self.fixture.ticks.set((1_000 + tick).saturating_sub(late));
        run_store_step(&self.fixture, step).expect("a store that works");
    }

    fn collect(&mut self) -> usize {
        let (log, state) = (&mut self.log, &mut self.state);
        let told = self
            .fixture
            .run_at_next_second(|cx| collect_local_changes(cx, log, state));
        told.expect("a log")
    }

    /// Hears these lines, follows them, and has only what was kept before.
    fn hear_and_crash(&mut self, lines: &[String]) {
        self.collect();
        let (log, state) = (self.log.clone(), self.state.clone());
        let texts = lines.iter().map(String::as_str);
        self.log.insert_foreign_texts(texts, Timestamp::MAX);
        let mut run = KeptRun(state);
        self.follow(&mut run);
        (self.log, self.state) = (log, run.0);
    }

    fn follow(&mut self, run: &mut KeptRun) -> ReplicaChanges {
        let (log, state) = (&mut self.log, &mut self.state);
        self.fixture.run_at_next_second(|cx| {
            bury_forgotten(cx, log, state);
            apply_replica_log(cx, log, state, run).expect("a store that works")
        })
    }

    /// Hears these lines, and follows them after somebody did something in the same store.
    fn hear_and_work(&mut self, lines: &[String], tick: u32, step: &StoreStep) {
        self.collect();
        let texts = lines.iter().map(String::as_str);
        self.log.insert_foreign_texts(texts, Timestamp::MAX);
        self.work(tick, step);
        self.follow(&mut KeptRun(ReplicaState::default()));
    }

    /// Hears these lines and follows them.
    fn hear(&mut self, lines: &[String]) -> (usize, ReplicaChanges) {
        let told = self.collect();
        let texts = lines.iter().map(String::as_str);
        let intake = self.log.insert_foreign_texts(texts, Timestamp::MAX);
        assert_eq!((intake.left_out, intake.why), (0, None));
        let changes = self.follow(&mut KeptRun(ReplicaState::default()));
        (told + intake.new, changes)
    }

    fn texts(&self) -> Vec<String> {
        self.log.lines().map(|it| it.text.clone()).collect()
    }

    /// What is the same in every replica of a memory that the others heard of.
    fn shared_state(&self) -> BTreeMap<MemoryId, String> {
        let all = self.fixture.store.list_memories(&MemoryFilter {
            spaces: vec![sample_space(0)],
            limit: usize::MAX,
            ..MemoryFilter::default()
        });
        let told: Vec<MemoryId> = self.log.lines().map(|it| it.id).collect();
        let all = all.expect("a store that works").into_iter();
        let all = all.filter(|it| told.contains(&it.id));
        all.map(|it| (it.id, describe_shared_memory(&it))).collect()
    }

    fn count_events(&self) -> usize {
        let page = EventPage {
            limit: usize::MAX,
            ..EventPage::default()
        };
        let events = self.fixture.store.read_events(&sample_space(0), &page);
        events.expect("a log").len()
    }
}

fn describe_shared_memory(it: &Memory) -> String {
    // What comes from outside waits wherever it arrives, also where it was let in at home.
    let is_held = it.voice.tainted && matches!(it.status.stage(), Stage::Pending | Stage::Active);
    let status = (it.status.stage(), it.status.superseded_by());
    let status = (!is_held).then_some(status);
    let texts = (
        &it.layer,
        &it.subject,
        &it.fact,
        &it.reason,
        &it.tags,
        &it.task,
    );
    let proof = (&it.citations, &it.evidence, &it.names);
    let times = (it.recorded_at, it.refreshed_at, it.supersedes);
    format!("{status:?} {texts:?} {proof:?} {times:?}")
}

/// Three replicas do all this, and then exchange until nobody hears anything new: they have the same lines and the same
/// memories, as somebody has who only hears of it at the end, and another exchange changes nothing.
///
/// # Panics
/// When they differ.
pub fn check_replicas_converge<'a>(stores: [Box<dyn Store + 'a>; 3], steps: &[TeamStep]) {
    let mut lane = 0..;
    let mut team = stores.map(|it| ReplicaBench::new(it, lane.next().unwrap_or_default()));
    let tick = Cell::new(0);
    for step in steps {
        match step {
            TeamStep::Work(who, pause, step) => {
                tick.set(tick.get() + u32::from(*pause));
                team[usize::from(*who)].work(tick.get(), step);
            }
            TeamStep::Meet(a, b) => {
                exchange(&mut team, *a, *b);
                exchange(&mut team, *b, *a);
            }
            TeamStep::Listen(a, b) => {
                exchange(&mut team, *a, *b);
            }
            TeamStep::Overtake(a, b, step) => {
                team[usize::from(*a)].collect();
                let lines = team[usize::from(*a)].texts();
                tick.set(tick.get() + 1);
                team[usize::from(*b)].hear_and_work(&lines, tick.get(), step);
            }
            TeamStep::Crash(a, b) => {
                team[usize::from(*a)].collect();
                let lines = team[usize::from(*a)].texts();
                team[usize::from(*b)].hear_and_crash(&lines);
            }
        }
    }
    exchange_until_quiet(&mut team);
    compare_team(&mut team);
}

/// Everybody hears everybody. Who forgot what others told meanwhile says so when it hears of it, so that it takes more than one round.
fn exchange_until_quiet(team: &mut [ReplicaBench; 3]) {
    for _ in 0..4 {
        let mut n_new = 0;
        for (a, b) in [(0, 1), (2, 1), (0, 2), (1, 0), (1, 2), (2, 0)] {
            n_new += exchange(team, a, b);
        }
        if n_new == 0 {
            return;
        }
    }
    panic!("the replicas go on telling each other news");
}

/// One hears what another tells; how much of it is new.
fn exchange(team: &mut [ReplicaBench; 3], from: u8, to: u8) -> usize {
    let n_told = team[usize::from(from)].collect();
    let lines = team[usize::from(from)].texts();
    n_told + team[usize::from(to)].hear(&lines).0
}

fn compare_team(team: &mut [ReplicaBench; 3]) {
    let lines = team[0].texts();
    let mut late = ReplicaBench::new(Box::new(RamStore::default()), 3);
    // Neither the order of lines nor how often they come means anything.
    let reversed: Vec<String> = lines.iter().rev().chain(&lines).cloned().collect();
    late.hear(&reversed);
    let expected = late.shared_state();
    for replica in team {
        assert_eq!(replica.texts(), lines, "the sets of lines differ");
        let found = replica.shared_state();
        let ids: BTreeSet<_> = found.keys().chain(expected.keys()).collect();
        for id in ids {
            let who = replica.fixture.lane;
            assert_eq!(found.get(id), expected.get(id), "{id} in replica {who}");
        }
        assert!(replica.session_stays_home());
        let n_events = replica.count_events();
        let again = replica.hear(&reversed);
        assert_eq!(again, (0, ReplicaChanges::default()));
        assert_eq!(replica.count_events(), n_events, "an exchange was no news");
    }
}

impl ReplicaBench<'_> {
    fn session_stays_home(&self) -> bool {
        let told = self.log.lines().filter(|it| !it.is_tombstone());
        let layer = format!("\"layer\":\"{}\"", Layer::Session);
        told.into_iter().all(|it| !it.text.contains(&layer))
    }
}
