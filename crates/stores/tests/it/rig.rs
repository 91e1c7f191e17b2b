//! What the tests share: stores by name, facts to write, and a child process that writes them.
#![expect(
    clippy::disallowed_methods,
    reason = "a child process is told what to write through its environment"
)]

use std::{
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, ChildStdout, Command, Stdio},
};

use apostille_contract::MapSource;
use apostille_core::{
    Context, CoreError,
    memory::{Draft, DuplicateChoice, Kind, Memory, Origin, Voice},
    policy::{BreakerPolicy, Policy},
    remember::{RememberOutcome, remember},
    space::Space,
    store::{MemoryFilter, Store, StoreError},
};
use apostille_stores::{jsonl::JsonlStore, sqlite::SqliteStore};

/// The stores on disk, by name, with the name of their file.
pub(crate) const STORES: [(&str, &str); 2] =
    [("sqlite", "memories.db"), ("jsonl", "memories.jsonl")];

pub(crate) fn space() -> Space {
    "acme/shop".parse().unwrap()
}

pub(crate) fn open(kind: &str, path: &Path) -> Result<Box<dyn Store>, StoreError> {
    match kind {
        "sqlite" => Ok(Box::new(SqliteStore::open(path)?)),
        _ => {
            let folder = path.parent().map(|it| it.join("embeddings"));
            let store = JsonlStore::open(path, &space())?;
            Ok(Box::new(store.with_embedding_folder(folder.as_deref())))
        }
    }
}

/// A context whose ids never collide between processes and calls.
pub(crate) fn with_context<T>(store: &dyn Store, act: impl FnOnce(&Context<'_>) -> T) -> T {
    let random = || u128::from_be_bytes(std::array::from_fn(|_| rand_byte()));
    act(&Context {
        store,
        source: &MapSource::with_sample_files(),
        // Tests write faster than any agent.
        policy: &Policy {
            breakers: BreakerPolicy::OFF,
            ..Policy::default()
        },
        now: jiff::Timestamp::now(),
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

/// A byte that differs between processes: the standard library's hasher is seeded by the system.
fn rand_byte() -> u8 {
    use std::hash::{BuildHasher as _, Hasher as _};
    std::collections::hash_map::RandomState::new()
        .build_hasher()
        .finish()
        .to_le_bytes()[3]
}

pub(crate) fn fact(text: impl Into<String>) -> Draft {
    let draft = Draft::new(space(), text, Voice::from_origin(Origin::Agent));
    Draft {
        kind: Some(Kind::Feedback),
        on_duplicate: DuplicateChoice::Create("test".into()),
        ..draft
    }
}

pub(crate) fn keep(store: &dyn Store, draft: Draft) -> Result<Memory, CoreError> {
    match with_context(store, |cx| remember(cx, draft))? {
        RememberOutcome::Remembered { memory, .. } | RememberOutcome::Refreshed { memory } => {
            Ok(*memory)
        }
        other => panic!("{other:?}"),
    }
}

pub(crate) fn all(store: &dyn Store) -> Result<Vec<Memory>, StoreError> {
    store.list_memories(&MemoryFilter {
        limit: usize::MAX,
        ..MemoryFilter::default()
    })
}

const CHILD: &str = "APOSTILLE_TEST_CHILD";

/// A process that writes facts until it has written so many, and says `ack <id>` after each.
pub(crate) struct Writer {
    pub(crate) child: Child,
    pub(crate) said: BufReader<ChildStdout>,
}

impl Writer {
    pub(crate) fn spawn(kind: &str, path: &Path, name: usize, count: usize) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["rig::child", "--exact", "--nocapture"]);
        Self::start(command, kind, path, name, count)
    }

    /// The same, in a process whose files may not grow beyond so many blocks of 512 bytes.
    pub(crate) fn spawn_cramped(kind: &str, path: &Path, blocks: usize) -> Self {
        let mut command = Command::new("sh");
        let limited = format!("ulimit -f {blocks}; trap '' XFSZ; exec \"$0\" \"$@\"");
        command
            .arg("-c")
            .arg(limited)
            .arg(std::env::current_exe().unwrap());
        command.args(["rig::child", "--exact", "--nocapture"]);
        Self::start(command, kind, path, 0, 100_000)
    }

    fn start(mut command: Command, kind: &str, path: &Path, name: usize, count: usize) -> Self {
        let spec = format!("{kind}|{}|{name}|{count}", path.display());
        let mut child = command
            .env(CHILD, spec)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the test binary runs");
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
            if let Some(at) = line.find("ack ").or_else(|| line.find("failed ")) {
                return Some(line[at..].trim_end().to_owned());
            }
        }
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
fn child() {
    let Ok(spec) = std::env::var(CHILD) else {
        return;
    };
    let parts: Vec<&str> = spec.split('|').collect();
    let store = match open(parts[0], Path::new(parts[1])) {
        Ok(store) => store,
        Err(error) => return println!("failed {error}"),
    };
    for n in 0..parts[3].parse().unwrap() {
        match keep(
            &*store,
            fact(format!(
                "writer {} notes fact {n} about the parser",
                parts[2]
            )),
        ) {
            Ok(memory) => println!("ack {}", memory.id),
            Err(error) => return println!("failed {error}"),
        }
        // Every writer states this one too: it must be there once.
        if n == 3
            && let Err(error) = keep(&*store, fact("everybody knows this"))
        {
            return println!("failed {error}");
        }
    }
}
