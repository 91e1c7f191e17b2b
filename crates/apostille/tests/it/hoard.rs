//! Three hundred memories as a team has them after a year: most are sound, some are said twice or otherwise, some are
//! stale, junk, unused or waiting. The same on every machine.

use apostille_text::digest::Digest;
use serde_json::{Value, json};

use crate::env::Env;

/// What parts of the code are about, each a folder with one file.
const MODULES: [&str; 6] = ["api", "auth", "billing", "jobs", "search", "web"];
/// What a line of each file names.
const NAMES: [&str; 20] = [
    "TIMEOUT",
    "RETRIES",
    "BATCH",
    "LEASE",
    "QUOTA",
    "WINDOW",
    "BACKOFF",
    "SHARDS",
    "WORKERS",
    "PAGE",
    "CACHE",
    "BUFFER",
    "POOL",
    "DEPTH",
    "RATE",
    "LIMIT",
    "GRACE",
    "KEEPALIVE",
    "PREFIX",
    "SALT",
];
/// How such a thing is spoken of.
const SAYINGS: [(&str, &str); 10] = [
    (
        "must stay in step with the value in the deployment manifest",
        "a rollout stalls otherwise",
    ),
    (
        "is read once at the start, so that a change needs a restart",
        "people wondered why nothing happened",
    ),
    (
        "may only be raised together with the memory limit of the container",
        "it was killed twice",
    ),
    (
        "is shared with the mobile client, which has a copy of its own",
        "old clients break",
    ),
    (
        "has to be a power of two, because the ring masks with it",
        "the mask silently drops entries",
    ),
    (
        "was chosen after the load test and is not to be tuned by feeling",
        "the tests are in the wiki",
    ),
    (
        "is overridden on staging, which hides mistakes there",
        "two incidents began like that",
    ),
    (
        "counts requests and not bytes, whatever the dashboard says",
        "the dashboard label is wrong",
    ),
    (
        "needs the approval of the platform team before it is changed",
        "they carry the pager",
    ),
    (
        "is checked by the linter, so that renaming it means renaming the rule",
        "CI fails late",
    ),
];
const EVALS: [&str; 6] = [
    "The test command is `cd evals && npm test`",
    "Run tests with `cd evals && npm test`",
    "To run the eval suite use `cd evals && npm test`",
    "Tests are run by `cd evals && npm test`.",
    "Before a commit, run `cd evals && npm test`",
    "The eval tests live in evals; run them with cd evals && npm test",
];
const OPPOSED: [(&str, &str, &str); 6] = [
    (
        "test runner",
        "the team uses Jest",
        "the team migrated to Vitest",
    ),
    (
        "package manager",
        "The package manager is npm",
        "The package manager is pnpm",
    ),
    (
        "upload limit",
        "Uploads are limited to 10 MB",
        "Uploads are limited to 25 MB",
    ),
    (
        "squash",
        "Always squash before a merge",
        "Never squash before a merge",
    ),
    ("linter", "We lint with `eslint`", "We lint with `oxlint`"),
    (
        "default branch",
        "The default branch is `main`",
        "The default branch is `develop`",
    ),
];
const ALIKE: [[&str; 2]; 8] = [
    [
        "Migrations run before the new version is rolled out",
        "Migrations run before the new version gets rolled out",
    ],
    [
        "Feature flags are removed within two sprints",
        "Feature flags must be removed within two sprints",
    ],
    [
        "Errors carry a code and a hint for people",
        "Errors carry a code and one hint for people",
    ],
    [
        "Public endpoints need a rate limit and an owner",
        "All public endpoints need a rate limit and an owner",
    ],
    [
        "Dates are kept in UTC and shown in local time",
        "Dates are kept in UTC, and shown in the local time",
    ],
    [
        "The changelog is written by hand at each release",
        "The changelog is written by hand at every release",
    ],
    [
        "Fixtures are made by builders and never by hand",
        "Fixtures are made by builders, never by hand",
    ],
    [
        "Logs never hold the address of a customer",
        "The logs never hold the address of a customer",
    ],
];
const JUNK: [&str; 8] = [
    "iteration 3 passed at 14:32",
    "Commit 3f2a9bc fixed the login race",
    "Branch feature/login was merged into main",
    "Currently working on the parser refactor",
    "The function parse_args is defined in src/cli.rs at line 40",
    "The file src/main.rs has 412 lines",
    "I just fixed the flaky test",
    "TODO: add tests for the importer",
];

/// The hoard as an export, and the files that it cites.
pub struct Hoard {
    memories: Vec<Value>,
}

fn path(module: &str) -> String {
    format!("src/{module}/mod.rs")
}

fn code(n: usize) -> String {
    format!("pub const {}: u32 = {};", NAMES[n], 10 + n)
}

fn citation(module: &str, n: usize) -> Value {
    let snippet = code(n);
    let hash = Digest::hash_bytes(snippet.as_bytes()).to_string();
    let line = n + 1;
    json!({"path": path(module), "line_start": line, "line_end": line, "snippet": snippet, "snippet_hash": hash})
}

impl Hoard {
    /// The three hundred.
    pub fn new() -> Self {
        let mut it = Self {
            memories: Vec::new(),
        };
        it.sound();
        it.doubled();
        it.opposed();
        it.poor();
        it.waiting();
        it.personal();
        assert_eq!(it.memories.len(), 300);
        it
    }

    /// Adds a memory; what is said of it takes the place of what is usual.
    fn add(&mut self, fact: &str, said: Value) {
        let n = self.memories.len() + 1;
        let mut memory = json!({
            "id": format!("0190a000-0000-7000-8000-{n:012x}"),
            "space": "git.example.com/acme/app",
            "layer": "knowledge",
            "kind": "feedback",
            "fact": fact,
            "origin": "agent",
            "status": "active",
            "recorded_at": format!("2026-02-{:02}T12:00:00Z", n % 27 + 1),
            "refreshed_at": format!("2026-02-{:02}T12:00:00Z", n % 27 + 1),
            "recalls": n % 7,
            "applied": n % 3,
        });
        let Value::Object(said) = said else {
            panic!("not an object")
        };
        said.into_iter()
            .for_each(|(name, value)| memory[name.as_str()] = value);
        self.memories.push(memory);
    }

    /// A hundred and eighty that say what the code says, with all they need.
    fn sound(&mut self) {
        for n in 0..180 {
            let (module, name, (says, why)) =
                (MODULES[n % 6], n / 6 % 20, SAYINGS[(n / 6 + n / 60) % 10]);
            let fact = format!("`{}` of {module} {says}", NAMES[name]);
            let subject = format!("{} in {module}", NAMES[name].to_lowercase());
            let cited = json!([citation(module, name)]);
            self.add(
                &fact,
                json!({"subject": subject, "reason": why, "kind": "project", "citations": cited}),
            );
        }
    }

    fn doubled(&mut self) {
        let full = |subject: &str| json!({"subject": subject, "reason": "it was asked often"});
        EVALS.iter().for_each(|fact| self.add(fact, full("tests")));
        ALIKE
            .iter()
            .flatten()
            .for_each(|fact| self.add(fact, full("conventions")));
    }

    fn opposed(&mut self) {
        for (subject, old, new) in OPPOSED {
            for fact in [old, new] {
                self.add(
                    fact,
                    json!({"subject": subject, "reason": "it was asked often"}),
                );
            }
        }
    }

    /// Junk, what lacks fields, what nobody was shown for a year, and what is shown in vain.
    fn poor(&mut self) {
        JUNK.iter()
            .for_each(|fact| self.add(fact, json!({"subject": "state", "reason": "noted"})));
        for n in 0..24 {
            let fact = format!(
                "The {} people of {} like to be asked first",
                NAMES[n % 20].to_lowercase(),
                MODULES[n % 6]
            );
            self.add(
                &fact,
                json!({"kind": if n % 4 == 0 { "project" } else { "feedback" }}),
            );
        }
        for n in 0..16 {
            let fact = format!(
                "Room {n} of the old office had the {} server",
                MODULES[n % 6]
            );
            let at = "2025-01-05T12:00:00Z";
            let old = json!({"recorded_at": at, "refreshed_at": at, "recalls": 0, "applied": 0});
            let vain = json!({"recalls": 60 + n, "applied": 0});
            let mut said = if n % 2 == 0 { old } else { vain };
            said["subject"] = json!(format!("office {n}"));
            said["reason"] = json!("somebody asked");
            self.add(&fact, said);
        }
    }

    fn waiting(&mut self) {
        for (n, name) in NAMES.iter().enumerate() {
            let fact = format!(
                "A page of the web says that {} is better set to {n}00",
                name
            );
            let at = if n % 2 == 0 {
                "2026-01-02T12:00:00Z"
            } else {
                "2026-02-27T12:00:00Z"
            };
            self.add(
                &fact,
                json!({"tainted": true, "status": "pending", "status_why": "the text comes from outside",
                    "recorded_at": at, "refreshed_at": at}),
            );
        }
    }

    fn personal(&mut self) {
        for n in 0..18 {
            let fact = format!(
                "Ana likes answers about {} with an example of {}",
                MODULES[n % 6],
                NAMES[n]
            );
            self.add(
                &fact,
                json!({"space": "users/ana", "kind": "user", "origin": "user"}),
            );
        }
    }

    /// Puts the code and the memories into a world, then lets the code go on: one file is gone, and in another one some
    /// lines are others.
    pub fn fill(&self, env: &Env) {
        let file = |edited: bool| -> String {
            let line = |n: usize| {
                if edited && n < 4 {
                    code(n).replace("= 1", "= 9")
                } else {
                    code(n)
                }
            };
            (0..NAMES.len()).map(|n| line(n) + "\n").collect()
        };
        MODULES
            .iter()
            .for_each(|it| env.write(&path(it), file(false)));
        env.commit();
        let export = json!({"format": "apostille", "version": 1, "exported_at": "2026-03-01T00:00:00Z", "memories": self.memories});
        let export = env.beside("hoard.json", &export.to_string());
        let ran = env.person(&["import", &export, "--trust"]);
        assert_eq!(ran.code, 0, "{ran}");
        std::fs::remove_file(env.repo().join(path("search"))).unwrap();
        env.write(&path("billing"), file(true));
        env.write(
            "NOTES.md",
            "# Notes\n\nGoal: ship the panel\n- [x] the table\n- Branch x was merged into main\n",
        );
        env.commit();
    }
}
