//! A month in the life of a repository, the half that looks back: tasks of an agent on a made repository with real history, lots that
//! are drawn about its memory, a reflection, a consolidation, and the question whether any of it helps.

use std::fmt::Write as _;
use std::fs;

use serde_json::{Value, json};

use crate::{
    env::Env,
    hook::{context, hooked, prompt},
};

/// What an agent did in one go: a tool, what it was given, what it gave back, and whether it went well.
type Call = (&'static str, Value, &'static str, bool);

/// A session of Claude Code, as that writes it down.
struct RecordedSession<'a> {
    env: &'a Env,
    name: String,
    at: String,
    lines: String,
    n: usize,
}

impl<'a> RecordedSession<'a> {
    fn begin(env: &'a Env, name: &str, day: &str) -> Self {
        Self {
            env,
            name: name.into(),
            at: format!("{day}T09:"),
            lines: String::new(),
            n: 0,
        }
    }

    fn write(&mut self, role: &str, content: &Value, tokens: u32) {
        self.n += 1;
        let (n, id) = (self.n, format!("{}-{}", self.name, self.n));
        let line = json!({
            "type": role, "uuid": id, "timestamp": format!("{}{n:02}:00Z", self.at), "sessionId": self.name,
            "message": {
                "id": id, "role": role, "content": content,
                "usage": { "input_tokens": tokens, "output_tokens": 100, "cache_read_input_tokens": 90_000 },
            },
        });
        writeln!(self.lines, "{line}").unwrap();
    }

    fn say(mut self, text: &str) -> Self {
        self.write("user", &json!([{ "type": "text", "text": text }]), 0);
        self.save();
        hooked(
            self.env,
            &self.name,
            "UserPromptSubmit",
            &json!({ "prompt": text }),
        );
        self
    }

    fn answer(mut self, text: &str, calls: &[Call]) -> Self {
        let mut content = vec![json!({ "type": "text", "text": text })];
        let mut results = Vec::new();
        for (at, (tool, input, printed, is_ok)) in calls.iter().enumerate() {
            let id = format!("{}-{}-{at}", self.name, self.n);
            content.push(json!({ "type": "tool_use", "id": id, "name": tool, "input": input }));
            results.push(json!({
                "type": "tool_result", "tool_use_id": id, "content": printed, "is_error": !is_ok,
            }));
        }
        self.write("assistant", &json!(content), 1_000);
        if !results.is_empty() {
            self.write("user", &json!(results), 0);
        }
        self
    }

    fn save(&self) {
        let path = self.env.home().join(format!("{}.jsonl", self.name));
        fs::write(path, &self.lines).unwrap();
    }

    fn end(self) {
        self.save();
        hooked(
            self.env,
            &self.name,
            "SessionEnd",
            &json!({ "reason": "other" }),
        );
        self.env.ok(&["hook", &format!("--after={}", self.name)]);
    }
}

fn run(command: &str, is_ok: bool) -> Call {
    ("Bash", json!({ "command": command }), "", is_ok)
}

fn edit(env: &Env, path: &str) -> Call {
    let input = json!({ "file_path": env.repo().join(path), "old_string": "a", "new_string": "b" });
    ("Edit", input, "done", true)
}

fn read(env: &Env, path: &str) -> Call {
    (
        "Read",
        json!({ "file_path": env.repo().join(path) }),
        "…",
        true,
    )
}

/// A repository with a past: the routes and their description change together.
fn repository() -> Env {
    let env = Env::new();
    let files = [
        "docs/format.md",
        "docs/openapi.md",
        "src/backoff.rs",
        "src/routes.rs",
        "src/sync/pull.rs",
        "src/sync/push.rs",
        "web/client.gen.ts",
        "web/page.ts",
        "infra/cluster.tf",
    ];
    for path in files {
        env.write(path, "first\n");
    }
    env.commit();
    for n in 0..8 {
        env.write("src/routes.rs", format!("route {n}\n"));
        env.write("docs/openapi.md", format!("route {n}\n"));
        env.commit();
        for path in ["web/page.ts", "src/backoff.rs", "src/sync/pull.rs"] {
            env.write(path, format!("{n}\n"));
            env.commit();
        }
    }
    env
}

/// Work on the synchronisation: the word that is looked for is not there, the format is read first, and two things have to run before
/// the tests pass.
fn work_on_sync(env: &Env, name: &str, day: &str, other: &'static str) {
    let grep = (
        "Grep",
        json!({ "pattern": "RetryPolicy" }),
        "No files found",
        true,
    );
    RecordedSession::begin(env, name, day)
        .say("Make the retries of the sync slower.")
        .answer(
            "I'll look for the policy first.",
            &[
                grep,
                read(env, "docs/format.md"),
                edit(env, "src/backoff.rs"),
                edit(env, "src/sync/push.rs"),
            ],
        )
        .say("Fine, run the tests.")
        .answer(
            "They pass now.",
            &[
                run("make test", false),
                run("make deps", true),
                run(other, true),
                run("make test", true),
            ],
        )
        .end();
}

/// Work on the pages, with a correction that the person has made before.
fn work_on_pages(env: &Env, name: &str, day: &str, correction: &str) {
    RecordedSession::begin(env, name, day)
        .say("Show the new field on the page.")
        .answer("I changed the client.", &[edit(env, "web/client.gen.ts")])
        .say(correction)
        .answer(
            "I took it back.",
            &[
                run("git checkout -- web/client.gen.ts", true),
                edit(env, "web/page.ts"),
            ],
        )
        .end();
}

/// Work on the cluster, where the last check fails.
fn work_on_cluster(env: &Env, name: &str, day: &str) {
    RecordedSession::begin(env, name, day)
        .say("Give the cluster another node.")
        .answer(
            "It is planned.",
            &[edit(env, "infra/cluster.tf"), run("make check", false)],
        )
        .end();
}

/// What is in the queue, as a person reads it.
fn queue(env: &Env) -> String {
    let queue: Value = serde_json::from_str(&env.ok(&["review", "--json", "--all"])).unwrap();
    let line = |it: &Value| {
        let memory = &it["memory"];
        let text = |key: &str| memory[key].as_str().unwrap_or("–").to_owned();
        format!("{}\n  {}\n", text("fact"), text("reason"))
    };
    let mut lines: Vec<String> = queue["queue"]
        .as_array()
        .unwrap()
        .iter()
        .map(line)
        .collect();
    lines.sort();
    lines.concat()
}

fn due(env: &Env) -> Vec<String> {
    let told: Value = serde_json::from_str(&env.ok(&["review", "--json"])).unwrap();
    let due = told["due"].as_array().unwrap().iter();
    due.map(|it| it.as_str().unwrap().to_owned()).collect()
}

fn measures(env: &Env) -> String {
    let folder = env.home().join(".local/share/apostille/measures");
    let mut files = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
    let is_measures = |it: &std::path::PathBuf| {
        let name = it.file_name().unwrap().to_string_lossy().into_owned();
        name.ends_with(".jsonl") && !name.ends_with(".files.jsonl")
    };
    fs::read_to_string(files.find(is_measures).unwrap()).unwrap()
}

#[test]
fn month_of_tasks_is_looked_back_at() {
    let mut env = repository();
    env.set("APOSTILLE_CONSOLIDATE_EVERY", "0");
    let syncs = [
        ("a1", "02", "make gen"),
        ("a2", "04", "make proto"),
        ("a3", "06", "make seed"),
        ("a4", "10", "make build"),
    ];
    for (name, day, other) in syncs {
        env.at(&format!("2026-03-{day}T10:00:00Z"));
        work_on_sync(&env, name, &format!("2026-03-{day}"), other);
    }
    let pages = [
        ("b1", "11", "no, don't edit the generated client by hand"),
        (
            "b2",
            "12",
            "I told you, don't edit the generated client by hand",
        ),
        ("b3", "13", "stop, don't edit the generated client by hand"),
    ];
    for (name, day, correction) in pages {
        env.at(&format!("2026-03-{day}T10:00:00Z"));
        work_on_pages(&env, name, &format!("2026-03-{day}"), correction);
    }
    for (name, day) in [("c1", "16"), ("c2", "17")] {
        env.at(&format!("2026-03-{day}T10:00:00Z"));
        work_on_cluster(&env, name, &format!("2026-03-{day}"));
    }
    let before = queue(&env);
    assert!(!before.contains("change together"), "{before}");
    // The tenth finished task is when the program looks back by itself.
    env.at("2026-03-18T10:00:00Z");
    work_on_cluster(&env, "c3", "2026-03-18");
    insta::assert_snapshot!("month_queue", queue(&env));
    assert!(due(&env).len() <= 5, "{:?}", due(&env));
    // Nothing of it is in use.
    assert_eq!(
        env.run(&["recall", "routes openapi change together"]).code,
        1
    );
    // Once these are decided, the others have room; what was turned away does not come again.
    let waiting: Value =
        serde_json::from_str(&env.ok(&["list", "--status", "pending", "--json"])).unwrap();
    let handles = waiting["memories"].as_array().unwrap().iter();
    let handles: Vec<String> = handles
        .map(|it| it["handle"].as_str().unwrap().to_owned())
        .collect();
    for it in &handles {
        let fact = env.ok(&["show", it]);
        match fact.contains("A search for") {
            true => env.person(&["review", "--accept", it]),
            false => env.person(&["review", "--reject", it, "--reason", "not now"]),
        };
    }
    env.at("2026-03-19T10:00:00Z");
    work_on_cluster(&env, "c4", "2026-03-19");
    insta::assert_snapshot!("month_second_look", env.ok(&["reflect"]));
    insta::assert_snapshot!("month_third_look", env.ok(&["reflect"]));
    let shown = env.ok(&["recall", "where is the RetryPolicy?"]);
    assert!(shown.contains("src/backoff.rs"), "{shown}");
}

#[test]
fn what_a_session_left_behind_goes_with_its_conversation() {
    let mut env = repository();
    env.at("2026-03-02T10:00:00Z");
    work_on_sync(&env, "a1", "2026-03-02", "make gen");
    work_on_pages(
        &env,
        "b1",
        "2026-03-02",
        "no, don't touch the generated client, zyzzyva",
    );
    let folder = env.home().join(".local/share/apostille/measures");
    let footprints = || -> String {
        let files = fs::read_dir(&folder).unwrap().map(|it| it.unwrap().path());
        let is_ours = |it: &std::path::PathBuf| it.to_string_lossy().ends_with(".files.jsonl");
        files
            .filter(is_ours)
            .map(|it| fs::read_to_string(it).unwrap())
            .collect()
    };
    assert_eq!(footprints().lines().count(), 2);
    assert!(footprints().contains("web/page.ts"));
    // Nothing that was said is in either of them.
    assert!(!footprints().contains("zyzzyva") && !measures(&env).contains("zyzzyva"));
    env.person(&["forget", "c-2", "--yes"]);
    assert!(!footprints().contains("web/page.ts"), "{}", footprints());
    assert_eq!(footprints().lines().count(), 1);
    assert_eq!(measures(&env).lines().count(), 2);
}

#[test]
fn lots_are_drawn_about_memory_and_told() {
    let mut env = Env::new();
    env.with_facts();
    env.stated(&[
        "remember",
        "--user",
        "--layer",
        "identity",
        "Ana, backend developer",
    ]);
    env.set("APOSTILLE_IMPACT_HOLDOUT", "0.5");
    let folder = env.home().join(".local/share/apostille/measures");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("seed"), "0".repeat(32)).unwrap();
    let mut told = String::new();
    for name in ["s1", "s2", "s3", "s4"] {
        let start = hooked(&env, name, "SessionStart", &json!({ "source": "startup" }));
        let answer: Value = serde_json::from_str(&start.out).unwrap_or_default();
        let notice = answer["systemMessage"].as_str().unwrap_or("–").to_owned();
        let has_identity = start.out.contains("backend developer");
        let asked = prompt(&env, name, "which api version does the client need?");
        let edited = context(&hooked(
            &env,
            name,
            "PreToolUse",
            &json!({
                "tool_name": "Edit", "tool_input": { "file_path": env.repo().join("src/limits.rs") },
            }),
        ));
        let (asked, edited) = (
            asked.contains("API_VERSION"),
            edited.contains("memory-context"),
        );
        writeln!(
            told,
            "{name}: identity {has_identity}, prompt {asked}, edit {edited}\n  {notice}"
        )
        .unwrap();
    }
    insta::assert_snapshot!("month_lots", told);
    // Whoever asks is answered.
    assert!(env.ok(&["recall", "which API_VERSION?"]).contains("m-1"));
    // A session keeps its arm when the setting changes.
    env.set("APOSTILLE_IMPACT_HOLDOUT", "0");
    let asked = prompt(&env, "s5", "which api version does the client need?");
    assert!(asked.contains("API_VERSION"), "{asked}");
    let ledger = fs::read_dir(env.home().join(".local/share/apostille/sessions")).unwrap();
    let drawn = ledger.map(|it| fs::read_to_string(it.unwrap().path()).unwrap_or_default());
    assert_eq!(drawn.filter(|it| it.contains("\"drawn\":")).count(), 4);
}

#[test]
fn impact_compares_the_arms_and_says_when_it_cannot_know() {
    let mut env = repository();
    env.with_facts();
    env.set("APOSTILLE_REFLECT_EVERY", "0")
        .set("APOSTILLE_CONSOLIDATE_EVERY", "0");
    assert!(env.ok(&["impact"]).contains("0 sessions measured"));
    env.set("APOSTILLE_IMPACT_HOLDOUT", "0.5");
    let folder = env.home().join(".local/share/apostille/measures");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("seed"), "0".repeat(32)).unwrap();
    env.person(&["task", "start", "Slower retries"]);
    for n in 1..=6 {
        env.at(&format!("2026-03-{:02}T10:00:00Z", n + 1));
        let (name, day) = (format!("s{n}"), format!("2026-03-{:02}", n + 1));
        let start = RecordedSession::begin(&env, &name, &day)
            .say("which API_VERSION does the client need?");
        start
            .answer(
                "API_VERSION is 7, by m-1.",
                &[edit(&env, "src/api.rs"), run("cargo test", n % 2 == 0)],
            )
            .end();
    }
    env.ok(&["task", "done", "--outcome", "Retries are slower."]);
    let page = env.ok(&["impact"]);
    insta::assert_snapshot!("month_impact_few", page);
    for n in 7..=40 {
        let (name, day) = (format!("s{n}"), format!("2026-03-{:02}", n % 20 + 8));
        env.at(&format!("{day}T10:00:00Z"));
        work_on_pages(
            &env,
            &name,
            &day,
            "no, don't edit the generated client by hand",
        );
    }
    let reply: Value = serde_json::from_str(&env.ok(&["--json", "impact"])).unwrap();
    insta::assert_snapshot!("month_impact", env.ok(&["impact"]));
    assert_eq!(reply["sessions"], 40);
    assert_eq!(reply["comparisons"].as_array().unwrap().len(), 7);
}

fn status(env: &Env, handle: &str) -> String {
    let shown: Value = serde_json::from_str(&env.ok(&["show", handle, "--json"])).unwrap();
    shown["memory"]["status"].as_str().unwrap().to_owned()
}

#[test]
fn consolidation_is_proposed_decided_and_taken_back() {
    let mut env = Env::new();
    env.write("web/app.js", "use(jest)\nuse(vitest)\n");
    env.commit();
    env.ok(&[
        "remember",
        "-s",
        "test runner",
        "--cite",
        "web/app.js:1",
        "the team uses Jest",
    ]);
    env.at("2026-03-08T12:00:00Z");
    env.ok(&[
        "remember",
        "-s",
        "test runner",
        "--create",
        "for the test",
        "--cite",
        "web/app.js:2",
        "the team migrated to Vitest",
    ]);
    env.stated(&[
        "remember",
        "--create",
        "other",
        "releases are tagged by the release script after the changelog was written",
    ]);
    env.stated(&[
        "remember",
        "--create",
        "other",
        "releases are tagged by the release script after the changelog was written down",
    ]);
    insta::assert_snapshot!("month_consolidate", env.ok(&["consolidate"]));
    assert_eq!(due(&env).len(), 2);
    let review = env.ok(&["review"]);
    assert!(review.contains("gives way to"), "{review}");
    // A second look proposes nothing twice.
    assert!(!env.ok(&["consolidate"]).contains("proposals wait for you"));
    assert_eq!(
        ["m-1", "m-2"].map(|it| status(&env, it)),
        ["active", "active"]
    );
    // Deciding is a person's.
    assert_ne!(env.run(&["review", "--accept", "m-5"]).code, 0);
    let accepted = env.person(&["review", "--accept", "m-5"]);
    assert_eq!(accepted.code, 0, "{accepted}");
    assert_eq!(
        ["m-1", "m-2", "m-5"].map(|it| status(&env, it)),
        ["superseded", "active", "superseded"]
    );
    assert!(
        !env.ok(&["recall", "which test runner does the team use?"])
            .contains("Jest")
    );
    // And it can be taken back.
    env.at("2026-03-09T12:00:00Z");
    let back = env.person(&["rollback", "--to", "2026-03-08T11:00:00Z", "--yes"]);
    assert_eq!(back.code, 0, "{back}");
    assert_eq!(status(&env, "m-1"), "active");
}

#[test]
fn rule_of_the_repository_goes_before_a_preference() {
    let env = Env::new();
    env.stated(&[
        "remember",
        "--user",
        "-s",
        "line width",
        "wrap lines at 100 characters",
    ]);
    env.stated(&[
        "remember",
        "-s",
        "line width",
        "wrap lines at 80 characters",
    ]);
    insta::assert_snapshot!(
        "month_overruled",
        context(&hooked(
            &env,
            "s1",
            "SessionStart",
            &json!({ "source": "startup" }),
        ))
    );
    let recalled = env.ok(&["recall", "at how many characters do we wrap lines?"]);
    let (rule, preference) = (
        recalled.find("80 characters"),
        recalled.find("100 characters"),
    );
    assert!(rule < preference, "{recalled}");
}

#[test]
fn description_of_a_task_states_preferences() {
    let env = Env::new();
    let started = env.person(&[
        "task",
        "start",
        "Tidy the exports. From now on always write changelog entries in the past tense.",
    ]);
    assert_eq!(started.code, 0, "{started}");
    assert!(started.err.contains("proposed"), "{started}");
    let shown = queue(&env);
    assert!(
        shown.contains("past tense") && shown.contains("stated in the description of task"),
        "{shown}"
    );
    // What an agent types is not its user's word.
    env.ok(&[
        "task",
        "start",
        "--switch",
        "Fix the login. From now on always sign commits with the release key.",
    ]);
    assert!(!queue(&env).contains("sign commits"));
}
