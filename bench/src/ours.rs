//! Apostille itself, through its public interface: filling a store, remembering and recalling.

use apostille_contract::sample_person;
use std::{
    cell::Cell,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, anyhow};
use apostille_cite::citation::{Citation, CodeLocation};
use apostille_core::{
    Context,
    evidence::RunTally,
    import::{self, ImportOutcome},
    memory::{Draft, Kind, Layer, Memory, MemoryId, Origin, Status, UsageCounts, Voice},
    policy::{BreakerPolicy, Policy},
    recall::{self, RecallOutcome, RecallRequest},
    remember::{self, RememberOutcome},
    space::Space,
    store::Store,
};
use apostille_git::worktree::WorkTree;
use apostille_stores::sqlite::SqliteStore;

use crate::{
    checkout,
    facts::{self, Dice, Fact},
};

/// How many memories a space of a store has.
pub(crate) const PER_SPACE: usize = 1_000;

/// The code that is cited, and what is cited of it.
pub(crate) struct Code {
    /// The scratch checkout.
    pub(crate) root: PathBuf,
    tree: WorkTree,
    places: Vec<CodeLocation>,
    citations: Vec<Citation>,
}

impl Code {
    /// Makes the checkout below this folder.
    pub(crate) fn made(root: &Path) -> Result<Self> {
        let tree = checkout::made(root)?;
        let citations = checkout::read(&tree, &checkout::places()?)?;
        // Only what can be cited is cited, also by drafts.
        let places = citations.iter().map(Citation::location).collect();
        Ok(Self {
            root: root.into(),
            tree,
            places,
            citations,
        })
    }

    /// The place that a fact cites.
    pub(crate) fn place(&self, fact: &Fact) -> &CodeLocation {
        &self.places[fact.place % self.places.len()]
    }
}

/// A store that is measured.
pub(crate) struct Ours<'a> {
    store: Box<dyn Store>,
    code: &'a Code,
    policy: Policy,
    dice: Cell<u64>,
}

impl<'a> Ours<'a> {
    /// Opens a store as the program does.
    pub(crate) fn open(path: &Path, code: &'a Code) -> Result<Self> {
        let store = SqliteStore::open(path).context("the store cannot be opened")?;
        Ok(Self::over(Box::new(store), code))
    }

    /// The same with any store.
    pub(crate) fn over(store: Box<dyn Store>, code: &'a Code) -> Self {
        // A benchmark writes faster than any agent.
        let policy = Policy {
            breakers: BreakerPolicy::OFF,
            ..Policy::default()
        };
        Self {
            store,
            code,
            policy,
            dice: Cell::new(0),
        }
    }

    /// The same under other rules.
    pub(crate) fn ruled(self, policy: Policy) -> Self {
        Self { policy, ..self }
    }

    /// Does something with the store and the code, at the time of this index.
    pub(crate) fn with<T>(&self, index: usize, run: impl FnOnce(&Context<'_>) -> T) -> Result<T> {
        let random = || {
            self.dice.set(self.dice.get() + 1);
            let mut dice = Dice::new(index, usize::try_from(self.dice.get()).unwrap_or(0), 7);
            u128::from(dice.roll()) << 64 | u128::from(dice.roll())
        };
        let cx = Context {
            store: &*self.store,
            source: &self.code.tree,
            policy: &self.policy,
            now: checkout::time(index)?,
            random: &random,
            late: &|| false,
            actor: Some("bench"),
            other_spaces: &[],
            guardian: None,
            testimony: None,
            embedder: None,
            archive: None,
            commit_reasons: None,
        };
        Ok(run(&cx))
    }

    /// Keeps a memory as an import does: checked, indexed and logged, but neither read from the code nor compared.
    pub(crate) fn import(&self, space: usize, index: usize) -> Result<()> {
        self.import_as(space, index, Status::Active)
    }

    /// The same, standing like this.
    pub(crate) fn import_as(&self, space: usize, index: usize, status: Status) -> Result<()> {
        let memory = Memory {
            status,
            ..self.memory(space, index)?
        };
        match self.with(index, |cx| {
            import::import(cx, memory, false, Some(sample_person()))
        })?? {
            ImportOutcome::Kept(_) => Ok(()),
            other => Err(anyhow!(
                "memory {index} of space {space} was not imported: {other:?}"
            )),
        }
    }

    /// The memory with this index, as it is kept.
    pub(crate) fn memory(&self, space: usize, index: usize) -> Result<Memory> {
        let fact = facts::fact(space, index);
        let (citation, at) = (
            &self.code.citations[fact.place % self.code.citations.len()],
            checkout::time(index)?,
        );
        let mut dice = Dice::new(space, index, 8);
        Ok(Memory {
            id: MemoryId::new(at, u128::from(dice.roll()) << 64),
            number: 0,
            space: self::space(space)?,
            layer: Layer::Knowledge,
            kind: Kind::Project,
            subject: Some(fact.subject),
            fact: fact.text,
            reason: None,
            citations: vec![citation.clone()],
            evidence: Vec::new(),
            names: Vec::new(),
            runs: RunTally::default(),
            tags: fact.tags,
            voice: Voice::from_origin(Origin::Agent),
            task: None,
            marks: Vec::new(),
            status: Status::Active,
            supersedes: None,
            vouchers: Vec::new(),
            recorded_at: at,
            refreshed_at: at,
            usage: UsageCounts::default(),
        })
    }

    /// The draft of a memory that is not in the store yet.
    pub(crate) fn draft(&self, space: usize, index: usize) -> Result<Draft> {
        let fact = facts::fact(space, index);
        let place = self.code.place(&fact).clone();
        // The facts are made up, and the code does not say them: a person vouches, so that they are kept as active.
        let draft = Draft::new(
            self::space(space)?,
            fact.text,
            Voice::from_origin(Origin::User),
        );
        Ok(Draft {
            subject: Some(fact.subject),
            tags: fact.tags,
            citations: vec![place.into()],
            ..draft
        }
        .with_vouching(true, Some(sample_person())))
    }

    /// The whole write path. `false`: it was taken for something known.
    pub(crate) fn remember(&self, index: usize, draft: Draft) -> Result<bool> {
        match self.with(index, |cx| remember::remember(cx, draft))?? {
            RememberOutcome::Remembered { .. } => Ok(true),
            RememberOutcome::Similar { .. } => Ok(false),
            other => Err(anyhow!("memory {index} was not remembered: {other:?}")),
        }
    }

    /// The whole read path.
    pub(crate) fn recall(&self, index: usize, ask: &RecallRequest) -> Result<RecallOutcome> {
        let recalled = self.with(index, |cx| recall::recall(cx, ask))??;
        match recalled.problems.first() {
            Some(problem) => Err(anyhow!("a recall had a problem: {problem}")),
            None => Ok(recalled),
        }
    }

    /// The store itself.
    pub(crate) fn store(&self) -> &dyn Store {
        &*self.store
    }

    /// How many memories a space has, whatever became of them.
    pub(crate) fn memories(&self, space: &Space) -> Result<u64> {
        Ok(self.store.summarize_space(space)?.memories.values().sum())
    }

    /// How many spaces there are, to be sure of what is measured.
    pub(crate) fn spaces(&self) -> Result<usize> {
        Ok(self.store.list_spaces()?.len())
    }
}

/// A space of the benchmark.
pub(crate) fn space(space: usize) -> Result<Space> {
    Ok(Space::repo(&format!("bench/space-{space}"))?)
}

/// A question to a space.
pub(crate) fn ask(space: usize, question: String) -> Result<RecallRequest> {
    // Room for ten memories of any length, so that ten are verified and shown.
    let room = 10 * facts::LENGTHS.end();
    let spaces = vec![self::space(space)?];
    Ok(RecallRequest {
        text: question,
        spaces,
        count: Some(10),
        chars: Some(room),
        ..RecallRequest::default()
    })
}
