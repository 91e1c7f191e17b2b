//! People with a clone each, whose clocks differ, who share a file of lines through real git.
#![expect(
    clippy::disallowed_methods,
    reason = "git is looked for where the machine has it"
)]

use apostille_contract::{MapSource, sample_person, sample_speaker};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use apostille_core::{
    Context,
    forget::{ForgetOutcome, forget},
    memory::{Draft, Memory, MemoryId, MemoryName, ReplacementKind, Stage, Voice},
    policy::{BreakerPolicy, Policy},
    remember::{RememberOutcome, remember},
    revise::{self, ReviseOutcome},
};
use apostille_stores::jsonl::JsonlStore;
use jiff::{SignedDuration, Timestamp};
use tempfile::TempDir;

use crate::rig::{all, fact, space};

/// Chance, the same every time.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % sides
    }
}

/// What was acknowledged to anybody.
#[derive(Default)]
pub(crate) struct Said {
    pub(crate) facts: BTreeMap<MemoryId, String>,
    pub(crate) forgotten: BTreeSet<MemoryId>,
}

pub(crate) struct Team {
    pub(crate) home: TempDir,
    pub(crate) dice: Dice,
    pub(crate) said: Said,
}

/// One person's clone.
pub(crate) struct Mate {
    pub(crate) root: PathBuf,
    /// A store that stays open, as a server's does, while git puts other files in the place of its own.
    pub(crate) live: JsonlStore,
    pub(crate) now: Timestamp,
    /// Whom this one revised since they last heard of each other, and how each stands since.
    pub(crate) revised: BTreeMap<MemoryId, String>,
}

impl Team {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            home: tempfile::tempdir().unwrap(),
            dice: Dice(seed),
            said: Said::default(),
        }
    }

    /// A clone of the first one; the first one is made, with the attribute that `init --shared` writes.
    pub(crate) fn mate(&self, name: &str, skew: SignedDuration) -> Mate {
        let root = self.home.path().join(name);
        let first = self.home.path().join("ana");
        if first.exists() {
            git(self.home.path(), &["clone", "--quiet", "ana", name]);
        } else {
            fs::create_dir(&root).unwrap();
            git(&root, &["init", "--quiet", "--initial-branch=main"]);
            fs::write(root.join(".gitattributes"), "/memories.jsonl merge=union\n").unwrap();
            fs::write(
                root.join(".gitignore"),
                "/memories.local.jsonl\n/memories.lock\n",
            )
            .unwrap();
            git(&root, &["add", "."]);
            git(&root, &["commit", "--quiet", "--message", "share"]);
        }
        let now = "2026-03-01T12:00:00Z".parse::<Timestamp>().unwrap() + skew;
        let live = JsonlStore::open(&root.join("memories.jsonl"), &space()).unwrap();
        Mate {
            root,
            live,
            now,
            revised: BTreeMap::new(),
        }
    }

    /// Somebody does something to some memory, or says something new.
    pub(crate) fn act(&mut self, mate: &mut Mate) {
        let known = all(&mate.store()).unwrap();
        let verb = if known.is_empty() {
            0
        } else {
            self.dice.roll(10)
        };
        let one = known
            .get(self.dice.roll(known.len().max(1) as u64) as usize)
            .cloned();
        let changed = match (verb, one) {
            (4, Some(one)) => self.supersede(mate, &one),
            (5, Some(one)) => self.revise(mate, |cx| {
                revise::invalidate_memory(
                    cx,
                    apostille_contract::sample_speaker(),
                    &[space()],
                    MemoryName::Id(one.id),
                    "it no longer holds",
                )
            }),
            (6 | 7, Some(one)) if one.status.stage() == Stage::Pending => self.revise(mate, |cx| {
                revise::approve_memory(cx, sample_person(), &[space()], MemoryName::Id(one.id))
            }),
            (6 | 7, Some(one)) => self.revise(mate, |cx| {
                revise::refresh_memory(cx, &[space()], MemoryName::Id(one.id))
            }),
            (8, Some(one)) => self.forget(mate, &one),
            _ => self.remember(mate),
        };
        mate.revised
            .extend(changed.into_iter().map(|id| (id, String::new())));
        let stands: BTreeMap<MemoryId, String> = all(&mate.store())
            .unwrap()
            .iter()
            .map(|it| (it.id, told(it)))
            .collect();
        mate.revised = mate
            .revised
            .keys()
            .filter_map(|id| Some((*id, stands.get(id)?.clone())))
            .collect();
    }

    pub(crate) fn remember(&mut self, mate: &mut Mate) -> Option<MemoryId> {
        let word = self.dice.roll(u64::MAX);
        let text = format!("the queue of stage {word:x} drains before the cart is rendered");
        let tainted = self.dice.roll(4) == 0;
        let cite = "src/api.rs:2"
            .parse()
            .ok()
            .filter(|_| !tainted && self.dice.roll(2) == 0);
        let voice = Voice {
            tainted,
            ..fact("").voice
        };
        let draft = Draft {
            voice,
            citations: cite.into_iter().collect(),
            ..fact(text)
        };
        let outcome = mate.with(&mut self.dice, |cx| remember(cx, draft)).unwrap();
        self.kept(outcome)
    }

    fn kept(&mut self, outcome: RememberOutcome) -> Option<MemoryId> {
        let RememberOutcome::Remembered { memory, .. } = outcome else {
            return None;
        };
        self.said.facts.insert(memory.id, memory.fact.clone());
        Some(memory.id)
    }

    fn supersede(&mut self, mate: &mut Mate, old: &Memory) -> Option<MemoryId> {
        let draft = fact(format!(
            "the queue of step {:x} fills again",
            self.dice.roll(u64::MAX)
        ));
        let how = ReplacementKind::Better;
        let name = MemoryName::Id(old.id);
        let outcome = mate
            .with(&mut self.dice, |cx| {
                revise::supersede_memory(
                    cx,
                    apostille_contract::sample_speaker(),
                    &[space()],
                    name,
                    draft,
                    how,
                )
            })
            .unwrap();
        self.kept(outcome).map(|_| old.id)
    }

    pub(crate) fn revise(
        &mut self,
        mate: &mut Mate,
        act: impl FnOnce(&Context<'_>) -> Result<ReviseOutcome, apostille_core::CoreError>,
    ) -> Option<MemoryId> {
        match mate.with(&mut self.dice, act).unwrap() {
            ReviseOutcome::Done(memory) => Some(memory.id),
            ReviseOutcome::Refused(_) => None,
        }
    }

    pub(crate) fn forget(&mut self, mate: &mut Mate, one: &Memory) -> Option<MemoryId> {
        let done = mate.with(&mut self.dice, |cx| {
            forget(
                cx,
                sample_speaker(),
                &[space()],
                MemoryName::Id(one.id),
                "asked to",
            )
        });
        assert!(matches!(done.unwrap(), ForgetOutcome::Done(_)));
        self.said.forgotten.insert(one.id);
        None
    }
}

impl Mate {
    pub(crate) fn file(&self) -> PathBuf {
        self.root.join("memories.jsonl")
    }

    pub(crate) fn store(&self) -> JsonlStore {
        JsonlStore::open(&self.file(), &space()).unwrap()
    }

    fn with<T>(&mut self, dice: &mut Dice, act: impl FnOnce(&Context<'_>) -> T) -> T {
        // Often the same millisecond as before, and as somebody else's.
        self.now += SignedDuration::from_millis(dice.roll(3) as i64);
        let dice = std::sync::Mutex::new(dice);
        let random = || {
            let mut dice = dice.lock().unwrap();
            u128::from(dice.roll(u64::MAX)) << 64 | u128::from(dice.roll(u64::MAX))
        };
        act(&Context {
            store: &self.store(),
            source: &MapSource::with_sample_files(),
            policy: &Policy {
                breakers: BreakerPolicy::OFF,
                ..Policy::default()
            },
            now: self.now,
            random: &random,
            late: &|| false,
            actor: None,
            other_spaces: &[],
            guardian: None,
            testimony: None,
            embedder: None,
            archive: None,
            commit_reasons: None,
        })
    }

    /// Commits what there is.
    pub(crate) fn commit(&self) {
        git(&self.root, &["add", "--all"]);
        git(
            &self.root,
            &[
                "commit",
                "--quiet",
                "--allow-empty",
                "--message",
                "remember",
            ],
        );
    }

    /// Merges what somebody else committed.
    pub(crate) fn pull(&self, other: &Path) {
        let from = other.to_str().unwrap();
        git(
            &self.root,
            &["pull", "--quiet", "--no-rebase", "--no-edit", from, "main"],
        );
    }

    /// Everything that people see, by number.
    pub(crate) fn state(&self) -> Vec<String> {
        let state = told_all(&self.store());
        assert_eq!(told_all(&self.live), state, "a store that stayed open");
        state
    }
}

/// Everything in a store, by number.
pub(crate) fn told_all(store: &JsonlStore) -> Vec<String> {
    let mut memories = all(store).unwrap();
    memories.sort_by_key(|it| it.number);
    memories
        .iter()
        .map(|it| format!("{} {}", it.handle(), told(it)))
        .collect()
}

/// A memory as it stands, without what differs between clones: how often it was shown.
pub(crate) fn told(memory: &Memory) -> String {
    let Memory {
        id,
        fact,
        status,
        citations,
        vouchers,
        refreshed_at,
        ..
    } = memory;
    format!("{id} {status:?} {fact} {citations:?} {vouchers:?} {refreshed_at}")
}

pub(crate) fn git(at: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command
        .env("HOME", at)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("LC_ALL", "C");
    for who in ["AUTHOR", "COMMITTER"] {
        command
            .env(format!("GIT_{who}_NAME"), "Ana")
            .env(format!("GIT_{who}_EMAIL"), "ana@example.com");
        command.env(format!("GIT_{who}_DATE"), "2026-03-01T12:00:00Z");
    }
    let output = command.current_dir(at).args(arguments).output().unwrap();
    assert!(
        output.status.success(),
        "git {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}
