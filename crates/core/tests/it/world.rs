//! A world for tests: a store in memory, files in a map, a clock that is moved by hand, randomness that counts.

use std::cell::Cell;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{LazyLock, Mutex, PoisonError},
};

use apostille_cite::{
    citation::RepoPath,
    source::{DefaultBranch, Source, SourceBlob, SourceError, SourceTree},
};

use apostille_core::{
    Context,
    event::{Batch, Erasure, Event, LoggedEvent},
    memory::{Draft, Kind, Memory, MemoryName, Origin, Voice, Vouching},
    policy::Policy,
    recall::{RecallOutcome, RecallRequest, recall},
    remember::{RememberOutcome, remember},
    space::Space,
    speaker::{ConnectionFacts, Person, Speaker, TerminalFacts},
    store::{
        AppendReceipt, EventLog, EventPage, MemoryFilter, MemoryKeys, Postings, SpaceSummary,
        Store, StoreError, StoreHealth, breaker_state::BreakerState, ram::RamStore,
    },
};
use jiff::{SignedDuration, Timestamp};

pub(crate) const COMMIT: &str = "c0ffee0000000000000000000000000000000001";

/// The end of the default branch, where a test works on another.
const MERGED: &str = "c0ffee0000000000000000000000000000000002";

pub(crate) fn repo() -> Space {
    Space::repo("myorg/myapp").unwrap()
}

pub(crate) fn user() -> Space {
    Space::user("ana").unwrap()
}

/// Files by path; those in `broken` cannot be read.
#[derive(Default)]
pub(crate) struct Shelf {
    files: Mutex<BTreeMap<String, String>>,
    broken: Mutex<BTreeSet<String>>,
    /// What the default branch has, where this is another one.
    merged: Mutex<Option<BTreeMap<String, String>>>,
}

impl Source for Shelf {
    fn read_tree(&self) -> Result<SourceTree, SourceError> {
        Ok(SourceTree {
            commit: Some(COMMIT.into()),
            branch: Some("main".into()),
            is_worktree: true,
        })
    }

    fn read_file(&self, path: &RepoPath) -> Result<Option<SourceBlob>, SourceError> {
        if self
            .broken
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .contains(path.as_str())
        {
            return Err(SourceError::Unavailable {
                what: path.to_string(),
                source: "the disk hums".into(),
            });
        }
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(files.get(path.as_str()).map(|text| SourceBlob {
            id: None,
            bytes: text.clone().into(),
        }))
    }

    fn open_default_branch(&self) -> Result<Option<DefaultBranch>, SourceError> {
        let merged = self.merged.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(merged.clone().map(|files| DefaultBranch {
            commit: MERGED.into(),
            tree: Box::new(Self {
                files: Mutex::new(files),
                ..Self::default()
            }),
        }))
    }

    fn list_paths(&self) -> Result<Option<BTreeSet<RepoPath>>, SourceError> {
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(Some(files.keys().map(|it| it.parse().unwrap()).collect()))
    }

    fn visit_files(
        &self,
        see: &mut dyn FnMut(&RepoPath, &SourceBlob) -> bool,
    ) -> Result<bool, SourceError> {
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        for (path, text) in &*files {
            let blob = SourceBlob {
                id: None,
                bytes: text.clone().into(),
            };
            if !see(&path.parse().unwrap(), &blob) {
                break;
            }
        }
        Ok(true)
    }
}

impl Shelf {
    /// What lies here now is the default branch; what is written from now on is on a branch of its own.
    pub(crate) fn branch_off(&self) {
        let files = self.files.lock().unwrap().clone();
        *self.merged.lock().unwrap() = Some(files);
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        self.files.lock().unwrap().insert(path.into(), text.into());
    }

    pub(crate) fn remove(&self, path: &str) {
        self.files.lock().unwrap().remove(path);
    }

    pub(crate) fn rename(&self, from: &str, to: &str) {
        let mut files = self.files.lock().unwrap();
        let text = files.remove(from).unwrap();
        files.insert(to.into(), text);
    }

    pub(crate) fn break_file(&self, path: &str) {
        self.broken.lock().unwrap().insert(path.into());
    }
}

/// Everything a verb needs.
pub(crate) struct World {
    pub(crate) store: RamStore,
    pub(crate) shelf: Shelf,
    pub(crate) policy: Policy,
    now: Cell<Timestamp>,
    drawn: Cell<u128>,
    late: Cell<bool>,
    /// Whether an agent calls the tools, rather than a person.
    pub(crate) is_agent: Cell<bool>,
}

impl World {
    pub(crate) fn new(policy: Policy) -> Self {
        Self {
            store: RamStore::default(),
            shelf: Shelf::default(),
            policy,
            now: Cell::new("2026-02-26T12:00:00Z".parse().unwrap()),
            drawn: Cell::new(0),
            late: Cell::new(false),
            is_agent: Cell::new(false),
        }
    }

    /// The policy of the plain notebook.
    pub(crate) fn notebook() -> Self {
        Self::new(Policy::for_notebook())
    }

    /// The default policy, and one file that most tests cite.
    pub(crate) fn verified() -> Self {
        let world = Self::new(Policy::default());
        world.shelf.write(
            "src/api.rs",
            "use std;\n\npub const API_VERSION: &str = \"v3\";\n\nfn main() {}\n",
        );
        world
            .shelf
            .write("docs/api.md", "# API\n\nThe version is v3.\n");
        world
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.now.get()
    }

    pub(crate) fn advance(&self, seconds: i64) {
        self.now
            .set(self.now.get() + SignedDuration::from_secs(seconds));
    }

    pub(crate) fn set_late(&self) {
        self.late.set(true);
    }

    pub(crate) fn with<T>(&self, verb: impl FnOnce(&Context<'_>) -> T) -> T {
        self.with_store(&self.store, verb)
    }

    pub(crate) fn with_store<T>(
        &self,
        store: &dyn Store,
        verb: impl FnOnce(&Context<'_>) -> T,
    ) -> T {
        let random = || {
            self.drawn.set(self.drawn.get() + 1);
            // An id takes the upper ten bytes.
            self.drawn.get() << 48
        };
        verb(&Context {
            store,
            source: &self.shelf,
            policy: &self.policy,
            now: self.now.get(),
            random: &random,
            late: &|| self.late.get(),
            actor: Some("tester"),
            other_spaces: &[],
            guardian: None,
            testimony: None,
            embedder: None,
            archive: None,
            commit_reasons: None,
        })
    }

    pub(crate) fn remember(&self, draft: Draft) -> RememberOutcome {
        self.with(|cx| remember(cx, draft)).unwrap()
    }

    /// The memory that a draft becomes; one second passes.
    pub(crate) fn kept(&self, draft: Draft) -> Memory {
        let outcome = self.remember(draft);
        self.advance(1);
        match outcome {
            RememberOutcome::Remembered { memory, .. } => *memory,
            other => panic!("not kept: {other:?}"),
        }
    }

    pub(crate) fn recall(&self, ask: &RecallRequest) -> RecallOutcome {
        self.with(|cx| recall(cx, ask)).unwrap()
    }

    /// Recalls in both spaces.
    pub(crate) fn ask(&self, text: &str) -> RecallOutcome {
        self.recall(&RecallRequest {
            text: text.into(),
            spaces: vec![repo(), user()],
            ..RecallRequest::default()
        })
    }

    /// The memory as it is now.
    pub(crate) fn look(&self, name: &str) -> Memory {
        let name: MemoryName = name.parse().unwrap();
        self.with(|cx| apostille_core::list::find_named_memory(cx, &[repo(), user()], name))
            .unwrap()
            .unwrap()
    }

    pub(crate) fn log(&self) -> Vec<Event> {
        let page = EventPage {
            limit: usize::MAX,
            ..EventPage::default()
        };
        let of_space = |it: &Space| self.store.read_events(it, &page).unwrap();
        let spaces = self.store.list_spaces().unwrap();
        let mut log: Vec<LoggedEvent> = spaces.iter().flat_map(of_space).collect();
        // The store of tests counts all spaces together.
        log.sort_by_key(|it| it.seq);
        log.into_iter().map(|it| it.event).collect()
    }

    /// The words of the log, the oldest first.
    pub(crate) fn words(&self) -> Vec<&'static str> {
        self.log()
            .iter()
            .map(|it| it.what.event_kind().as_str())
            .collect()
    }

    /// Every byte of the log as JSON, to look for what must not be there.
    pub(crate) fn log_text(&self) -> String {
        let record = |it: &Event| {
            serde_json::to_string(&apostille_core::format::EventRecord::from(it)).unwrap()
        };
        self.log().iter().map(record).collect::<Vec<_>>().join("\n")
    }
}

/// An agent's draft for the repository.
pub(crate) fn note(fact: &str) -> Draft {
    Draft::new(repo(), fact, Voice::from_origin(Origin::Agent))
}

/// A preference of the user, which needs no proof.
pub(crate) fn preference(fact: &str) -> Draft {
    Draft {
        kind: Some(Kind::User),
        ..Draft::new(user(), fact, Voice::from_origin(Origin::User))
    }
}

/// An agent's draft for the repository that cites these places.
pub(crate) fn cited(fact: &str, places: &[&str]) -> Draft {
    Draft {
        citations: places.iter().map(|it| it.parse().unwrap()).collect(),
        ..note(fact)
    }
}

/// A store that cannot be written.
pub(crate) struct ReadOnly<'a>(pub(crate) &'a dyn Store);

impl EventLog for ReadOnly<'_> {
    fn append_batch(&self, _: &Batch) -> Result<AppendReceipt, StoreError> {
        Err(StoreError::ReadOnly)
    }
    fn erase_memory(&self, _: &Erasure) -> Result<bool, StoreError> {
        Err(StoreError::ReadOnly)
    }
    fn get_memories(&self, keys: MemoryKeys<'_>) -> Result<Vec<Memory>, StoreError> {
        self.0.get_memories(keys)
    }
    fn list_memories(&self, filter: &MemoryFilter) -> Result<Vec<Memory>, StoreError> {
        self.0.list_memories(filter)
    }
    fn read_events(&self, space: &Space, page: &EventPage) -> Result<Vec<LoggedEvent>, StoreError> {
        self.0.read_events(space, page)
    }
    fn list_spaces(&self) -> Result<Vec<Space>, StoreError> {
        self.0.list_spaces()
    }
    fn summarize_space(&self, space: &Space) -> Result<SpaceSummary, StoreError> {
        self.0.summarize_space(space)
    }
    fn check_health(&self) -> Result<StoreHealth, StoreError> {
        self.0.check_health()
    }
}

impl Store for ReadOnly<'_> {
    fn read_postings(&self, space: &Space, terms: &[String]) -> Result<Postings, StoreError> {
        self.0.read_postings(space, terms)
    }
    fn list_terms(&self, space: &Space, initial: char) -> Result<Vec<String>, StoreError> {
        self.0.list_terms(space, initial)
    }
    fn find_terms(
        &self,
        space: &Space,
        is_wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<String>, StoreError> {
        self.0.find_terms(space, is_wanted)
    }
    fn read_breaker_state(
        &self,
        space: &Space,
        since: jiff::Timestamp,
    ) -> Result<BreakerState, StoreError> {
        self.0.read_breaker_state(space, since)
    }
}

impl World {
    /// The same, called by an agent of whom nothing is known.
    pub(crate) fn called_by_agent(self) -> Self {
        self.is_agent.set(true);
        self
    }

    /// Who calls the tools.
    pub(crate) fn caller_speaker(&self) -> &'static Speaker {
        static AN_AGENT: LazyLock<Speaker> =
            LazyLock::new(|| Speaker::on_connection(ConnectionFacts::default()));
        match self.is_agent.get() {
            true => &AN_AGENT,
            false => a_speaker(),
        }
    }
}

/// A person at a terminal.
pub(crate) fn a_speaker() -> &'static Speaker {
    static A_PERSON: LazyLock<Speaker> = LazyLock::new(|| {
        Speaker::at_terminal(&TerminalFacts {
            is_manned: true,
            ..TerminalFacts::default()
        })
    });
    &A_PERSON
}

/// The person of [`a_speaker`].
pub(crate) fn a_person() -> &'static Person {
    a_speaker().person().unwrap()
}

/// A person's word for a draft.
pub(crate) fn vouched() -> Vouching {
    note("any").with_vouching(true, Some(a_person())).vouching
}
