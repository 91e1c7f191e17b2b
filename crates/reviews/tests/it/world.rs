//! A repository at a host: people comment, time passes, and what is remembered can be asked for.

use std::cell::{Cell, RefCell};

use apostille_cite::source::NoRepositorySource;
use apostille_core::{
    Context,
    evidence::ReviewAuthority,
    memory::{Memory, MemoryId, MemoryName, Stage},
    policy::Policy,
    recall::{RecallRequest, recall},
    review_remarks::{list_remarks, scope::RuleScope},
    revise,
    space::Space,
    speaker::{Person, Speaker, TerminalFacts},
    store::{EventLog as _, ListOrder, MemoryFilter, ram::RamStore},
};
use apostille_reviews::{
    codeowners::CodeOwners,
    payload::{ReviewComment, ReviewEvent},
    process::{ReviewChanges, ReviewSurroundings, process_event},
    seen::SeenReviews,
};
use jiff::{SignedDuration, Timestamp};

pub(crate) struct World {
    pub(crate) store: RamStore,
    pub(crate) policy: Policy,
    pub(crate) now: Cell<Timestamp>,
    pub(crate) seen: RefCell<SeenReviews>,
    pub(crate) owners: CodeOwners,
    pub(crate) shown: Vec<MemoryId>,
    pub(crate) drawn: Cell<u128>,
    pub(crate) comments: Cell<u64>,
}

pub(crate) fn repo() -> Space {
    Space::repo("github.com/acme/app").unwrap()
}

impl World {
    pub(crate) fn new() -> Self {
        Self {
            store: RamStore::default(),
            policy: Policy::default(),
            now: Cell::new("2026-03-02T09:00:00Z".parse().unwrap()),
            seen: RefCell::default(),
            owners: CodeOwners::from_text("src/billing/ @carol\n"),
            shown: Vec::new(),
            drawn: Cell::new(0),
            comments: Cell::new(0),
        }
    }

    pub(crate) fn with<T>(&self, work: impl FnOnce(&Context) -> T) -> T {
        let random = || {
            self.drawn.set(self.drawn.get() + 1);
            self.drawn.get() << 64
        };
        work(&Context {
            store: &self.store,
            source: &NoRepositorySource,
            policy: &self.policy,
            now: self.now.get(),
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

    pub(crate) fn pass_days(&self, days: i64) {
        let later = SignedDuration::from_hours(24 * days);
        self.now.set(self.now.get() + later);
    }

    pub(crate) fn process(&self, event: &ReviewEvent) -> ReviewChanges {
        let around = ReviewSurroundings {
            owners: &self.owners,
            person: &|login| Space::user(login).ok(),
            shown_in: &|_| self.shown.clone(),
        };
        let mut seen = self.seen.borrow_mut();
        self.with(|cx| process_event(cx, &around, &mut seen, event).unwrap())
    }

    /// A comment as it would be made now.
    pub(crate) fn comment(&self, who: &str, pull_request: u64, body: &str) -> ReviewComment {
        self.comments.set(self.comments.get() + 1);
        self.now.set(self.now.get() + SignedDuration::from_secs(60));
        ReviewComment {
            repo: repo(),
            pull_request,
            comment: format!("discussion_r{}", self.comments.get()),
            reviewer: who.into(),
            authority: match who {
                "alice" | "bob" => ReviewAuthority::Maintainer,
                "carol" | "dave" | "mallory" => ReviewAuthority::Collaborator,
                _ => ReviewAuthority::Stranger,
            },
            author: Some("erin".into()),
            path: Some("src/api/users.rs".parse().unwrap()),
            body: body.into(),
            at: self.now.get(),
            is_new: true,
        }
    }

    /// Somebody comments; what became of each sentence, in a word each.
    pub(crate) fn say(&self, who: &str, pull_request: u64, body: &str) -> String {
        let comment = self.comment(who, pull_request, body);
        describe(&self.process(&ReviewEvent::Commented(Box::new(comment))))
    }

    /// The rules and candidates as a person reads them.
    pub(crate) fn list(&self) -> String {
        let mut filter = MemoryFilter {
            order: ListOrder::Oldest,
            limit: 1_000,
            ..MemoryFilter::default()
        };
        filter.spaces = self.store.list_spaces().unwrap();
        let memories = self.store.list_memories(&filter).unwrap();
        let lines: Vec<String> = memories.iter().map(describe_memory).collect();
        lines.join("\n")
    }

    pub(crate) fn in_stage(&self, stage: Stage) -> Vec<Memory> {
        let filter = MemoryFilter {
            stages: vec![stage],
            limit: 1_000,
            ..MemoryFilter::default()
        };
        self.store.list_memories(&filter).unwrap()
    }

    /// What an agent is told who asks, and who is about to edit a file.
    pub(crate) fn recall(&self, text: &str, path: &str) -> String {
        let ask = RecallRequest {
            text: text.into(),
            spaces: vec![repo()],
            paths: vec![path.parse().unwrap()],
            ..RecallRequest::default()
        };
        self.with(|cx| recall(cx, &ask).unwrap().block)
    }

    pub(crate) fn approve(&self, handle: &str) {
        let facts = TerminalFacts {
            is_manned: true,
            ..TerminalFacts::default()
        };
        let speaker = Speaker::at_terminal(&facts);
        let person: &Person = speaker.person().unwrap();
        let name: MemoryName = handle.parse().unwrap();
        let done = self.with(|cx| revise::approve_memory(cx, person, &[repo()], name).unwrap());
        assert!(matches!(done, revise::ReviseOutcome::Done(_)), "{done:?}");
    }
}

pub(crate) fn describe(changes: &ReviewChanges) -> String {
    use apostille_core::review_rules::RuleOutcome::{
        Approved, Ignored, Proposed, Refused, Supported,
    };
    let rules = changes.rules.iter().map(|it| match it {
        Proposed(it) => format!("proposed {}", it.handle()),
        Supported(it) => format!("supported {}", it.handle()),
        Approved(it) => format!("approved {}", it.handle()),
        Ignored(why) => format!("ignored: {why}"),
        Refused(it) => format!("refused: {}", it.class()),
    });
    let withdrawn = changes.withdrawn.iter();
    let withdrawn = withdrawn.map(|it| format!("withdrawn {} {}", it.handle(), it.status.stage()));
    let told: Vec<String> = withdrawn.chain(rules).collect();
    match (told.is_empty(), changes.ignored) {
        (true, Some(why)) => why.to_owned(),
        (true, None) => "nothing".to_owned(),
        (false, _) => told.join("; "),
    }
}

fn describe_memory(it: &Memory) -> String {
    let asked = list_remarks(it).map(|it| format!("{}#{}", it.reviewer, it.pull_request));
    let asked: Vec<String> = asked.collect();
    let why = it
        .status
        .why()
        .map_or(String::new(), |it| format!(" ({it})"));
    format!(
        "{} {}{why} {} [{}] {}",
        it.handle(),
        it.status.stage(),
        it.fact,
        asked.join(" "),
        RuleScope::of_memory(it)
    )
}
