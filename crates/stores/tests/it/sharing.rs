//! Clones that share a file of lines through git converge: the same memories, under the same names, in every clone.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use apostille_core::{
    memory::{Memory, MemoryId},
    store::EventLog as _,
};
use apostille_stores::jsonl::JsonlStore;
use jiff::SignedDuration;

use crate::{
    rig::{all, space},
    team::{Mate, Team, git, told, told_all},
};

/// Some work in each clone, apart from the others.
fn work(team: &mut Team, mates: &mut [Mate]) {
    for mate in mates {
        for _ in 0..1 + team.dice.roll(5) {
            team.act(mate);
        }
        mate.commit();
    }
}

/// Every clone hears of every other one, each in an order of its own, and from what they had before anybody heard.
fn exchange(team: &Team, mates: &[Mate]) {
    let before: Vec<_> = (0..mates.len())
        .map(|n| team.home.path().join(format!("sent-{n}")))
        .collect();
    for (mate, sent) in mates.iter().zip(&before) {
        let _ = fs::remove_dir_all(sent);
        git(
            team.home.path(),
            &[
                "clone",
                "--quiet",
                mate.root.to_str().unwrap(),
                sent.to_str().unwrap(),
            ],
        );
    }
    for (n, mate) in mates.iter().enumerate() {
        for k in 1..mates.len() {
            mate.pull(&before[(n + k) % mates.len()]);
        }
    }
}

/// What everybody must see after they heard of each other.
fn check(team: &Team, mates: &mut [Mate], label: &str) {
    let states: Vec<Vec<String>> = mates.iter().map(Mate::state).collect();
    for state in &states {
        assert_eq!(state, &states[0], "{label}: clones differ");
    }
    let memories = all(&mates[0].store()).unwrap();
    let facts: BTreeMap<MemoryId, String> =
        memories.iter().map(|it| (it.id, it.fact.clone())).collect();
    let mut expected = team.said.facts.clone();
    expected.retain(|id, _| !team.said.forgotten.contains(id));
    assert_eq!(
        facts, expected,
        "{label}: what was acknowledged and not forgotten"
    );
    let numbers: BTreeSet<u64> = memories.iter().map(|it| it.number).collect();
    assert_eq!(
        numbers.len(),
        memories.len(),
        "{label}: a number names one memory"
    );
    check_revisions(mates, &memories, label);
    for mate in mates.iter() {
        assert_eq!(
            mate.store().check_health().unwrap().problems,
            Vec::<String>::new(),
            "{label}"
        );
        let theirs =
            all(&JsonlStore::open_from_repository(&mate.file(), &space()).unwrap()).unwrap();
        assert_eq!(
            theirs.len(),
            memories.len(),
            "{label}: as a repository's file"
        );
    }
}

/// What only one of them revised stands as that one left it.
fn check_revisions(mates: &mut [Mate], memories: &[Memory], label: &str) {
    let all: Vec<(MemoryId, String)> = mates
        .iter_mut()
        .flat_map(|it| std::mem::take(&mut it.revised))
        .collect();
    for memory in memories {
        let mut said = all.iter().filter(|it| it.0 == memory.id);
        if let (Some((_, stands)), None) = (said.next(), said.next()) {
            assert_eq!(&told(memory), stands, "{label}: a revision was lost");
        }
    }
}

/// Nothing of what was forgotten is in anybody's file once they have written again.
fn check_bytes(team: &mut Team, mates: &mut [Mate], label: &str) {
    for mate in mates {
        team.remember(mate);
        mate.commit();
        let content = fs::read_to_string(mate.file()).unwrap();
        for id in &team.said.forgotten {
            assert!(
                !content.contains(&team.said.facts[id]),
                "{label}: {id} is still in the file"
            );
            let about = format!("\"id\":\"{id}\"");
            let mut about = content.lines().filter(|it| it.contains(&about));
            assert!(
                about.all(|it| it.contains("\"forgotten\"")),
                "{label}: {id} is still spoken of"
            );
        }
    }
}

fn converge(seed: u64, names: &[&str]) {
    let mut team = Team::new(seed);
    let mut mates: Vec<Mate> = Vec::new();
    for (n, name) in (0_i64..).zip(names) {
        // Clocks that are right, an hour slow, and half a second fast.
        mates.push(team.mate(
            name,
            SignedDuration::from_millis([0, -3_600_000, 500][n as usize % 3]),
        ));
    }
    for round in 0..3 {
        let label = format!("seed {seed}, round {round}");
        work(&mut team, &mut mates);
        exchange(&team, &mates);
        check(&team, &mut mates, &label);
        if round == 1 {
            check_bytes(&mut team, &mut mates, &label);
        }
    }
    exchange(&team, &mates);
    check(&team, &mut mates, &format!("seed {seed}, at the end"));
    check_bytes(&mut team, &mut mates, &format!("seed {seed}, at the end"));
}

#[test]
fn two_clones_converge() {
    (0..5).for_each(|seed| converge(seed, &["ana", "ben"]));
}

#[test]
fn three_clones_converge() {
    (100..103).for_each(|seed| converge(seed, &["ana", "ben", "eve"]));
}

/// Two clones that know nothing of each other, each with a memory of its own.
fn two() -> (Team, Mate, Mate) {
    let mut team = Team::new(8);
    let (mut ana, mut ben) = (
        team.mate("ana", SignedDuration::ZERO),
        team.mate("ben", SignedDuration::from_secs(-3_600)),
    );
    team.remember(&mut ana);
    team.remember(&mut ben);
    ana.commit();
    ben.commit();
    (team, ana, ben)
}

fn handles(mate: &Mate) -> Vec<(String, MemoryId)> {
    let mut found: Vec<_> = all(&mate.store())
        .unwrap()
        .iter()
        .map(|it| (it.handle().to_string(), it.id))
        .collect();
    found.sort();
    found
}

#[test]
fn the_older_one_keeps_a_number_and_the_other_keeps_the_one_it_got() {
    let (mut team, mut ana, ben) = two();
    let (hers, his) = (handles(&ana)[0].1, handles(&ben)[0].1);
    ana.pull(&ben.root);
    assert_eq!(handles(&ana), [("m-1".into(), his), ("m-2".into(), hers)]);
    let oldest = all(&ana.store())
        .unwrap()
        .into_iter()
        .find(|it| it.id == his)
        .unwrap();
    team.forget(&mut ana, &oldest);
    assert_eq!(
        handles(&ana),
        [("m-2".into(), hers)],
        "what was forgotten gives no number back"
    );
    team.remember(&mut ana);
    assert_eq!(handles(&ana)[1].0, "m-3");
}

#[test]
fn what_somebody_with_a_slow_clock_revises_is_revised() {
    let (mut team, ana, mut ben) = two();
    ben.pull(&ana.root);
    let hers = handles(&ana)[0].1;
    let name = apostille_core::memory::MemoryName::Id(hers);
    let done = team.revise(&mut ben, |cx| {
        apostille_core::revise::invalidate_memory(
            cx,
            apostille_contract::sample_speaker(),
            &[space()],
            name,
            "it no longer holds",
        )
    });
    assert_eq!(done, Some(hers));
    let found = all(&ben.store())
        .unwrap()
        .into_iter()
        .find(|it| it.id == hers)
        .unwrap();
    assert!(!found.is_active(), "{found:?}");
}

#[test]
fn lines_mean_the_same_however_git_writes_them() {
    let (mut team, mut ana, ben) = two();
    ana.pull(&ben.root);
    team.act(&mut ana);
    let text = fs::read_to_string(ana.file()).unwrap();
    let (state, log) = (ana.state(), ana.store().summarize_space(&space()).unwrap());
    let mut check = |label: &str, written: String| {
        fs::write(ana.file(), written).unwrap();
        let store = ana.store();
        assert_eq!(told_all(&store), state, "{label}");
        assert_eq!(store.summarize_space(&space()).unwrap(), log, "{label}");
        assert_eq!(
            store.check_health().unwrap().problems,
            Vec::<String>::new(),
            "{label}"
        );
        team.remember(&mut ana);
        assert_eq!(
            all(&ana.store()).unwrap().len(),
            state.len() + 1,
            "{label}: one more"
        );
        assert_eq!(
            ana.store().check_health().unwrap().problems,
            Vec::<String>::new(),
            "{label}"
        );
    };
    check("as Windows does", text.replace('\n', "\r\n"));
    check("without an end", text.trim_end().into());
    check("twice", text.repeat(2));
    check(
        "backwards",
        text.lines().rev().map(|it| format!("{it}\n")).collect(),
    );
}
