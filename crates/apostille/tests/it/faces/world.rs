//! The world that is put before every face: memories of every kind, each with a bird in it that stands nowhere else.

use std::{fs, ops::Deref, path::PathBuf};

use crate::env::Env;

/// A memory, known by a word that nothing else in this world has.
pub struct Marked {
    pub mark: &'static str,
    /// What may stand beside it, to say how it stands.
    pub standing: &'static [&'static str],
    /// Whether one may rely on it.
    pub is_good: bool,
}

const fn good(mark: &'static str, standing: &'static [&'static str]) -> Marked {
    Marked {
        mark,
        standing,
        is_good: true,
    }
}

const fn doubtful(mark: &'static str, standing: &'static [&'static str]) -> Marked {
    Marked {
        is_good: false,
        ..good(mark, standing)
    }
}

pub const STANDS: &str = "heron";
pub const CONTRADICTED: &str = "egret";
/// The version of a memory that the code of the reader's branch proves.
pub const TRUE_HERE: &str = "sandpiper";

/// The session that notes were kept in.
pub const SESSION: &str = "s-notes";

pub const MEMORIES: &[Marked] = &[
    good(STANDS, &["stands", "holds"]),
    doubtful("ibis", &["check"]),
    doubtful(CONTRADICTED, &["contradicted", "no longer true"]),
    doubtful("stork", &["gone", "no longer true"]),
    doubtful("plover", &["unknown", "could not be verified"]),
    good("pelican", &["stated"]),
    good("curlew", &["stated"]),
    good("crane", &["stated", "identity"]),
    good("dunlin", &["stated"]),
    good("osprey", &["stated"]),
    doubtful(
        "puffin",
        &["contradicted", "no longer true", "invalidated", "invalid"],
    ),
    good("kestrel", &["stated", "noted", "session"]),
    // The queue says why each waits, and has nothing that does not.
    doubtful("godwit", &["pending", "outside"]),
    // What was replaced is no longer said, however its own code stands; and what replaced it was edited away since.
    doubtful("avocet", &["superseded", "replaced by"]),
    doubtful("whimbrel", &["contradicted", "no longer true"]),
    // Two versions, until the branch is merged that has the second: each is told with the other one.
    doubtful(
        "bittern",
        &["contradicted", "once its branch is merged", "replaced by"],
    ),
    good(TRUE_HERE, &["stands", "holds", "once merged"]),
];

const CHECKOUT: &str = "//! The checkout.

// the gateway answers 503 under load
const RETRIES: u32 = 3;

// so long the checkout waits for the gateway, in seconds
const MAX_WAIT: u64 = 10;

/// The backoff of the checkout.
fn backoff(n: u32) -> u64 {
    let base = 100;
    base * 2u64.pow(n)
}

fn round_fee(cents: u64) -> u64 {
    cents / 10 * 10
}

// the queue holds this many
const QUEUE: usize = 64;

// so long the checkout keeps a basket, in days
const BASKET_DAYS: u64 = 30;
";

/// How long a lease lasts, in a file of its own.
const LEASES: &str = "// so long the checkout holds a lease, in minutes\nconst LEASE: u64 = 20;\n";
const LEASE: &str = "--cite=src/lease.rs:1-2";

/// Where the checkout says how long it keeps a basket.
const BASKET: &str = "--cite=src/checkout.rs:22-23";

/// What is true of the code, and the lines that say it.
const FACTS: [(&str, &str); 5] = [
    (
        "the checkout retries three times, because the gateway answers 503 under load (heron)",
        "src/checkout.rs:3-4",
    ),
    (
        "the backoff of the checkout doubles with every retry (ibis)",
        "src/checkout.rs:10-13",
    ),
    (
        "the checkout waits MAX_WAIT = 10 seconds for the gateway (egret)",
        "src/checkout.rs:6-7",
    ),
    (
        "the checkout rounds fees with round_fee (stork)",
        "src/checkout.rs:15-17",
    ),
    (
        "the checkout signs its retries with RETRY_KEY (plover)",
        "src/keys.rs:1",
    ),
];

/// What people and pages say.
const STATEMENTS: [&[&str]; 6] = [
    &[
        "--kind=feedback",
        "never retry the checkout on a Friday: pelican freeze",
    ],
    &[
        "--kind=reference",
        "`make regen` writes schema.lock again when it cannot be found (curlew)",
    ],
    &["--user", "--layer=identity", "Ana, backend, crane keeper"],
    &["--user", "prefers small dunlin commits"],
    &[
        "--layer=episode",
        "raised the retries of the checkout from two to three (osprey)",
    ],
    &[
        "--from=web",
        "--kind=feedback",
        "the checkout retries forever, says a godwit page",
    ],
];

/// The names of all memories.
pub fn list_handles() -> impl Iterator<Item = String> {
    let in_repo = (1..=15).map(|n| format!("m-{n}"));
    in_repo.chain(["u-1".to_owned(), "u-2".to_owned()])
}

/// A repository in which each memory stands in another way.
pub struct FaceWorld {
    pub env: Env,
}

impl Deref for FaceWorld {
    type Target = Env;

    fn deref(&self) -> &Env {
        &self.env
    }
}

impl FaceWorld {
    pub fn new() -> Self {
        let mut env = Env::new();
        env.set("APOSTILLE_HOOK_ALONE", "1");
        env.write("src/checkout.rs", CHECKOUT.replace("= 30", "= 20"));
        env.write("src/lease.rs", LEASES);
        env.write("src/keys.rs", "const RETRY_KEY: u32 = 1;\n");
        env.commit();
        let world = Self { env };
        world.remember_all();
        world.replace_one();
        world.correct_one_on_a_branch();
        world.edit_code();
        copy_files(&world.data(), &world.saved());
        world
    }

    fn remember_all(&self) {
        for (fact, place) in FACTS {
            self.stated(&["remember", fact, "--cite", place]);
        }
        for arguments in STATEMENTS {
            self.stated(&[&["remember"], arguments].concat());
        }
        let note = "the gateway mock of the checkout drops the kestrel trailer";
        let session = format!("--session={SESSION}");
        self.ok(&["remember", "--layer=session", &session, note]);
        self.ok(&["task", "start", "retry the checkout", "--tokens=0"]);
        let decision = "the queue of the checkout holds QUEUE = 64 (puffin)";
        let place = "--cite=src/checkout.rs:19-20";
        self.ok(&["task", "note", "--decision", decision, place]);
    }

    /// The code is changed for everybody, and so is what is said of it.
    fn replace_one(&self) {
        let old = "the checkout keeps a basket for BASKET_DAYS = 20 days (avocet)";
        self.stated(&["remember", old, BASKET]);
        self.write("src/checkout.rs", CHECKOUT);
        self.commit();
        let new = "the checkout keeps a basket for BASKET_DAYS = 30 days (whimbrel)";
        self.stated(&["supersede", "m-12", new, BASKET]);
    }

    /// The reader works on a branch that changed the code, and says so; the default branch did not.
    fn correct_one_on_a_branch(&self) {
        let old = "the checkout holds a lease for LEASE = 20 minutes (bittern)";
        self.stated(&["remember", old, LEASE]);
        self.git(&["checkout", "--quiet", "-b", "feature"]);
        self.write("src/lease.rs", LEASES.replace("= 20", "= 45"));
        self.commit();
        let new = "the checkout holds a lease for LEASE = 45 minutes (sandpiper)";
        let told = self.stated(&["supersede", "m-14", "--correct", new, LEASE]);
        assert!(told.contains("beside m-14"), "{told}");
    }

    /// Nothing of this is committed: how a memory stands belongs to the reader's own checkout.
    fn edit_code(&self) {
        let fee = "fn round_fee(cents: u64) -> u64 {\n    cents / 10 * 10\n}\n\n";
        let edited = CHECKOUT
            .replace("MAX_WAIT: u64 = 10", "MAX_WAIT: u64 = 25")
            .replace("let base = 100;", "let base = start_of(n);")
            .replace("QUEUE: usize = 64", "QUEUE: usize = 16")
            .replace("BASKET_DAYS: u64 = 30", "BASKET_DAYS: u64 = 45")
            .replace(fee, "");
        self.write("src/checkout.rs", edited);
        // Links are not followed, so nobody can look.
        fs::remove_file(self.repo().join("src/keys.rs")).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("/nowhere", self.repo().join("src/keys.rs")).unwrap();
    }

    fn data(&self) -> PathBuf {
        self.home().join(".local/share/apostille")
    }

    fn saved(&self) -> PathBuf {
        self.home().join("saved")
    }

    /// Takes back what was written since the world was made.
    pub fn restore(&self) {
        fs::remove_dir_all(self.data()).unwrap();
        copy_files(&self.saved(), &self.data());
    }
}

fn copy_files(from: &PathBuf, to: &PathBuf) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        match entry.file_type().unwrap().is_dir() {
            true => copy_files(&from, &to),
            false => drop(fs::copy(from, to).unwrap()),
        }
    }
}
