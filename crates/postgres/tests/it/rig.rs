//! What the tests share: databases, stores of them, and facts to write.

use std::{
    collections::{BTreeSet, hash_map::RandomState},
    hash::{BuildHasher as _, Hasher as _},
    io::{BufRead as _, BufReader},
    process::{Child, ChildStdout, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use apostille_contract::MapSource;
use apostille_core::{
    Context, CoreError,
    event::EventKind,
    memory::{Draft, DuplicateChoice, Kind, Memory, Origin, Voice},
    policy::{BreakerPolicy, Policy},
    remember::{RememberOutcome, remember},
    space::Space,
    store::{EventLog as _, EventPage, MemoryFilter, Store, StoreError},
};
use apostille_postgres::{PostgresEnvironment, PostgresStore};
use apostille_postgres_rig::PostgresServer;

/// Who owns the tables in tests that are not about rights: no superuser, who would be held to no policy.
pub(crate) const OWNER: &str = "team";

/// A new database on the shared server, owned by a role that may make tables in it.
pub(crate) fn create_database(server: &PostgresServer) -> String {
    let database = server.create_database();
    make_role(server, OWNER);
    server.run_sql(
        "postgres",
        &format!("alter database {database} owner to {OWNER}"),
    );
    database
}

/// Makes a role that may log in and nothing else. Another test may have made it, or be making it now.
pub(crate) fn make_role(server: &PostgresServer, name: &str) {
    let made = server.try_sql("postgres", "postgres", &format!("create role {name} login"));
    if let Err(error) = made {
        assert!(
            error.contains("already exists") || error.contains("duplicate key"),
            "{error}"
        );
    }
}

/// Opens the store at an address.
pub(crate) fn try_open(url: &str) -> Result<PostgresStore, StoreError> {
    let url = url.parse().unwrap();
    PostgresStore::open(&url, &PostgresEnvironment::default(), random_number())
}

pub(crate) fn open(url: &str) -> PostgresStore {
    try_open(url).unwrap_or_else(|it| panic!("{it:?}"))
}

pub(crate) fn space() -> Space {
    "acme/shop".parse().unwrap()
}

/// A number that differs between processes and calls: the standard library's hasher is seeded by the system.
pub(crate) fn random_number() -> u128 {
    let half = || u128::from(RandomState::new().build_hasher().finish());
    (half() << 64) | half()
}

/// A context whose ids never collide between processes and calls.
pub(crate) fn with_context<T>(store: &dyn Store, act: impl FnOnce(&Context<'_>) -> T) -> T {
    act(&Context {
        store,
        source: &MapSource::with_sample_files(),
        // Tests write faster than any agent.
        policy: &Policy {
            breakers: BreakerPolicy::OFF,
            ..Policy::default()
        },
        now: current_time(),
        random: &random_number,
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

#[expect(clippy::disallowed_methods, reason = "tests are programs of their own")]
fn current_time() -> jiff::Timestamp {
    jiff::Timestamp::now()
}

pub(crate) fn fact_in(space: Space, text: impl Into<String>) -> Draft {
    let draft = Draft::new(space, text, Voice::from_origin(Origin::Agent));
    Draft {
        kind: Some(Kind::Feedback),
        on_duplicate: DuplicateChoice::Create("test".into()),
        ..draft
    }
}

pub(crate) fn fact(text: impl Into<String>) -> Draft {
    fact_in(space(), text)
}

pub(crate) fn keep(store: &dyn Store, draft: Draft) -> Result<Memory, CoreError> {
    match with_context(store, |cx| remember(cx, draft))? {
        RememberOutcome::Remembered { memory, .. } | RememberOutcome::Refreshed { memory } => {
            Ok(*memory)
        }
        other => panic!("{other:?}"),
    }
}

pub(crate) fn list_all(store: &dyn Store) -> Vec<Memory> {
    let all = MemoryFilter {
        limit: usize::MAX,
        ..MemoryFilter::default()
    };
    store.list_memories(&all).unwrap()
}

const CHILD: &str = "APOSTILLE_TEST_CHILD";

/// A process that writes facts until it has written so many, and says `ack <id>` after each.
pub(crate) struct Writer {
    child: Child,
    said: BufReader<ChildStdout>,
}

impl Writer {
    pub(crate) fn spawn(url: &str, name: usize, count: usize) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["rig::child", "--exact", "--nocapture"])
            .env(CHILD, format!("{url} {name} {count}"))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let said = BufReader::new(child.stdout.take().unwrap());
        Self { child, said }
    }

    /// The next thing it says that is for us; `None` when it has ended.
    pub(crate) fn next(&mut self) -> Option<String> {
        loop {
            let mut line = String::new();
            if self.said.read_line(&mut line).ok()? == 0 {
                return None;
            }
            // The harness of the tests writes on the same lines.
            if let Some(at) = line.find("ack ").or_else(|| line.find("failed ")) {
                return Some(line[at..].trim_end().to_owned());
            }
        }
    }

    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
    }

    /// Everything it says until it ends.
    pub(crate) fn finish(mut self) -> Vec<String> {
        let said = std::iter::from_fn(|| self.next()).collect();
        self.child.wait().unwrap();
        said
    }
}

/// Not a test of its own: what a child process runs.
#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "a child is told what to write through its environment"
)]
fn child() {
    let Ok(spec) = std::env::var(CHILD) else {
        return;
    };
    let parts: Vec<&str> = spec.split(' ').collect();
    let store = match try_open(parts[0]) {
        Ok(store) => store,
        Err(error) => return println!("failed {}", chain(&error)),
    };
    for n in 0..parts[2].parse().unwrap() {
        match keep_patiently(
            &store,
            &format!("writer {} notes fact {n} about the parser", parts[1]),
        ) {
            Ok(memory) => println!("ack {}", memory.id),
            Err(error) => return println!("failed {}", chain(&error)),
        }
        // Every writer states this one too: it must be there once.
        if n == 3
            && let Err(error) = keep_patiently(&store, "everybody knows this")
        {
            return println!("failed {}", chain(&error));
        }
    }
}

/// Says the same again while the store is away, as an agent does that was told so.
fn keep_patiently(store: &dyn Store, text: &str) -> Result<Memory, CoreError> {
    let begun = Instant::now();
    loop {
        match keep(store, fact(text)) {
            Err(error) if is_away(&error) && begun.elapsed() < Duration::from_secs(60) => {
                thread::sleep(Duration::from_millis(50));
            }
            other => return other,
        }
    }
}

fn is_away(error: &CoreError) -> bool {
    let text = error.to_string();
    ["cannot be reached", "went away"]
        .iter()
        .any(|it| text.contains(it))
}

/// An error with what it was caused by.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(it) = source {
        text += &format!(": {it}");
        source = it.source();
    }
    text
}

/// What was acknowledged is there, nothing is there twice, and the log and the index agree with the memories.
pub(crate) fn check_acknowledged(url: &str, acknowledged: &BTreeSet<String>) {
    let store = open(url);
    let memories = list_all(&store);
    let found: BTreeSet<String> = memories.iter().map(|it| format!("ack {}", it.id)).collect();
    let lost: Vec<&String> = acknowledged.difference(&found).collect();
    assert!(
        lost.is_empty(),
        "{} of {} lost: {lost:?}",
        lost.len(),
        acknowledged.len()
    );
    let facts: BTreeSet<&str> = memories.iter().map(|it| it.fact.as_str()).collect();
    assert_eq!(facts.len(), memories.len(), "something is there twice");
    let numbers: BTreeSet<u64> = memories.iter().map(|it| it.number).collect();
    assert_eq!(numbers.len(), memories.len(), "a handle was given twice");
    let page = EventPage {
        limit: usize::MAX,
        ..EventPage::default()
    };
    let events = store.read_events(&space(), &page).unwrap();
    let remembered = events
        .iter()
        .filter(|it| it.event.what.event_kind() == EventKind::Remembered);
    assert_eq!(
        remembered.count(),
        memories.len(),
        "a write is logged otherwise than once"
    );
    let places = events.iter().map(|it| it.seq);
    assert!(places.eq(1..=events.len() as u64), "the log has a gap");
    assert_eq!(store.check_health().unwrap().problems, Vec::<String>::new());
}
