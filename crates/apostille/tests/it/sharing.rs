//! A team that shares a repository's memories through git, from `init --shared` to the merge.

use std::fs;
use std::{
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

use crate::env::Env;

const STORE: &str = ".apostille/memories.jsonl";
const ALONE: [&str; 6] = [
    "init",
    "--shared",
    "--no-mcp",
    "--no-hooks",
    "--no-rules",
    "--yes",
];

/// The program in some clone.
fn ok(env: &Env, at: &Path, arguments: &[&str]) -> String {
    succeed(env.command(arguments).current_dir(at))
}

fn git(env: &Env, at: &Path, line: &str) {
    succeed(
        env.shell(&format!(
            "git -c user.name=Ana -c user.email=ana@example.com {line}"
        ))
        .current_dir(at),
    );
}

fn succeed(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let text = |it: &[u8]| String::from_utf8_lossy(it).into_owned();
    assert!(
        output.status.success(),
        "{command:?}: {}{}",
        text(&output.stdout),
        text(&output.stderr)
    );
    text(&output.stdout)
}

/// A repository that is set up to share, and a clone of it.
fn team() -> (Env, PathBuf, PathBuf) {
    let env = Env::new().trusting();
    env.ok(&ALONE);
    env.commit();
    let (ana, ben) = (env.repo(), env.home().join("ben"));
    git(&env, env.home(), "clone --quiet app ben");
    git(
        &env,
        &ben,
        "remote set-url origin https://git.example.com/acme/app.git",
    );
    (env, ana, ben)
}

fn commit(env: &Env, at: &Path) {
    git(env, at, "add --all");
    git(env, at, "commit --quiet --message remember");
}

fn listed(env: &Env, at: &Path) -> Value {
    serde_json::from_str(&ok(env, at, &["list", "--json"])).unwrap()
}

#[test]
fn what_each_remembers_everybody_has_after_the_merge() {
    let (env, ana, ben) = team();
    let cite = ["--cite", "src/api.rs:3"];
    ok(
        &env,
        &ana,
        &[
            &["remember", "the API version is 7", "--subject", "api"][..],
            &cite,
        ]
        .concat(),
    );
    ok(
        &env,
        &ana,
        &["remember", "--user", "prefers tabs in every makefile"],
    );
    let other = [
        "remember",
        "uploads stop at 10 MB",
        "--subject",
        "limits",
        "--cite",
        "src/limits.rs:3",
    ];
    ok(&env, &ben, &other);
    for at in [&ana, &ben] {
        commit(&env, at);
    }
    git(
        &env,
        &ben,
        &format!("pull --quiet --no-rebase --no-edit {} main", ana.display()),
    );
    // From before Ben heard of her: the other direction.
    git(&env, &ana, &format!("fetch --quiet {} main", ben.display()));
    git(&env, &ana, "merge --quiet --no-edit FETCH_HEAD^1");
    let (hers, his) = (listed(&env, &ana), listed(&env, &ben));
    assert_eq!(hers, his);
    let text = hers.to_string();
    for part in [
        "the API version is 7",
        "uploads stop at 10 MB",
        "\"m-1\"",
        "\"m-2\"",
        "prefers tabs",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    for at in [&ana, &ben] {
        let file = fs::read_to_string(at.join(STORE)).unwrap();
        assert!(!file.contains("tabs") && !file.contains("users/"), "{file}");
        assert_eq!(file.lines().count(), 2, "{file}");
    }
}

#[test]
fn team_trusts_a_clone_once_and_shares() {
    let env = Env::new();
    let initialised = env.person(&ALONE);
    assert_eq!(initialised.code, 0, "{initialised}");
    env.stated(&["remember", "uploads are scanned twice"]);
    env.commit();
    let ben = env.home().join("ben");
    git(&env, env.home(), "clone --quiet app ben");
    let set_url = "remote set-url origin https://git.example.com/acme/app.git";
    git(&env, &ben, set_url);
    let list = |at: &Path| env.run(&["-C", at.to_str().unwrap(), "list"]);
    let hers = list(&env.repo());
    assert!(hers.out.contains("scanned twice") && hers.err.is_empty());
    let his = list(&ben);
    assert!(
        his.code == 1 && his.err.contains("apostille trust"),
        "{his}"
    );
    let trusted = env.person(&["-C", ben.to_str().unwrap(), "trust", "--yes"]);
    assert_eq!(trusted.code, 0, "{trusted}");
    let his = list(&ben);
    assert!(his.out.contains("scanned twice") && his.err.is_empty());
}

#[test]
fn what_one_forgets_is_gone_from_both() {
    let (env, ana, ben) = team();
    ok(
        &env,
        &ana,
        &["remember", "the API version is 7", "--cite", "src/api.rs:3"],
    );
    commit(&env, &ana);
    git(
        &env,
        &ben,
        &format!("pull --quiet --no-rebase --no-edit {} main", ana.display()),
    );
    ok(&env, &ana, &["forget", "m-1", "--yes"]);
    ok(
        &env,
        &ben,
        &["invalidate", "m-1", "--reason", "it is 8 now"],
    );
    ok(
        &env,
        &ben,
        &[
            "remember",
            "uploads stop at 10 MB",
            "--cite",
            "src/limits.rs:3",
        ],
    );
    commit(&env, &ana);
    commit(&env, &ben);
    git(
        &env,
        &ben,
        &format!("pull --quiet --no-rebase --no-edit {} main", ana.display()),
    );
    let text = listed(&env, &ben).to_string();
    assert!(
        text.contains("\"m-2\"") && !text.contains("API version"),
        "{text}"
    );
    // The next write takes out what the merge brought back.
    ok(
        &env,
        &ben,
        &[
            "remember",
            "the API is served by `serve`",
            "--cite",
            "src/api.rs:5",
        ],
    );
    let file = fs::read_to_string(ben.join(STORE)).unwrap();
    assert!(
        !file.contains("API version") && !file.contains("it is 8 now"),
        "{file}"
    );
    assert!(ok(&env, &ben, &["doctor"]).contains("git keeps both sides' lines"));
}

/// The three files, byte for byte.
fn files(env: &Env) -> Vec<Option<String>> {
    ["apostille.toml", ".gitattributes", ".gitignore"]
        .map(|it| fs::read_to_string(env.repo().join(it)).ok())
        .into()
}

#[test]
fn it_is_shown_first_done_once_and_taken_back() {
    let check = |there: &[(&str, &str)]| {
        let env = Env::new();
        there.iter().for_each(|(path, text)| env.write(path, text));
        let before = files(&env);
        let shown = env.ok(&["init", "--shared", "--dry-run"]);
        for part in [
            "store = \"jsonl:.apostille/memories.jsonl\"",
            "merge=union",
            "memories.local.jsonl",
        ] {
            assert!(shown.contains(part), "{shown}");
        }
        assert_eq!(files(&env), before, "only shown");
        env.ok(&ALONE);
        let after = files(&env);
        assert_ne!(after, before);
        for ((_, text), path) in
            there
                .iter()
                .zip(["apostille.toml", ".gitattributes", ".gitignore"])
        {
            let now = fs::read_to_string(env.repo().join(path)).unwrap();
            assert!(now.contains(text), "{now}");
        }
        assert!(env.ok(&ALONE).contains("nothing to change"));
        assert_eq!(files(&env), after, "twice is once");
        env.ok(&["init", "--undo", "--yes"]);
        assert_eq!(files(&env), before);
    };
    check(&[]);
    check(&[
        ("apostille.toml", "# ours\r\ninject_mode = \"off\"\r\n"),
        (".gitattributes", "* text=auto\r\n# art\r\n*.png binary"),
        (".gitignore", "/target\n\n# mine"),
    ]);
}

#[test]
fn of_a_file_that_somebody_went_on_with_only_ours_is_taken() {
    let env = Env::new();
    env.write(".gitignore", "/target\n");
    env.ok(&ALONE);
    for path in ["apostille.toml", ".gitattributes", ".gitignore"] {
        let text = fs::read_to_string(env.repo().join(path)).unwrap();
        env.write(path, format!("{text}# later\n"));
    }
    env.ok(&["init", "--undo", "--yes"]);
    let left = ["# later\n", "# later\n", "/target\n# later\n"].map(|it| Some(it.to_owned()));
    assert_eq!(files(&env), left);
}

#[test]
fn another_store_is_left_alone() {
    let env = Env::new().trusting();
    env.write("apostille.toml", "store = \"jsonl:notes.jsonl\"\n");
    let before = files(&env);
    let ran = env.run(&ALONE);
    assert_eq!(ran.code, 3, "{ran}");
    assert!(ran.out.contains("it names another store"), "{ran}");
    assert_eq!(files(&env), before);
    env.run(&["remember", "the API version is 7", "--cite", "src/api.rs:3"]);
    let told = env.run(&["doctor"]).out;
    assert!(
        told.contains("no line of .gitattributes says `/notes.jsonl merge=union`"),
        "{told}"
    );
    assert!(
        told.contains("no line of .gitignore names `/notes.local.jsonl`"),
        "{told}"
    );
    assert_eq!(env.run(&["init", "--shared", "--user"]).code, 2);
}

#[test]
fn a_repository_without_a_name_of_its_own_is_warned_of() {
    let env = Env::new();
    let check = |remote: Option<&str>, arguments: &[&str], is_warned: bool| {
        match remote {
            Some(url) => git(&env, &env.repo(), &format!("remote set-url origin {url}")),
            None => git(&env, &env.repo(), "remote remove origin"),
        }
        let ran = env.run(&[&["init", "--shared", "--dry-run"], arguments].concat());
        assert_eq!(ran.code, 0, "{ran}");
        assert_eq!(
            ran.err
                .contains("warning: no remote gives this repository a name"),
            is_warned,
            "{ran}"
        );
        assert_eq!(
            ran.err.contains("APOSTILLE_REPO=owner/name"),
            is_warned,
            "{ran}"
        );
    };
    check(Some("https://git.example.com/acme/app.git"), &[], false);
    check(Some("../upstream"), &[], true);
    check(Some("../upstream"), &["--repo", "acme/app"], false);
    check(None, &[], true);
    let ran = env.run(&ALONE);
    assert!(
        ran.code == 0 && ran.err.contains("warning: no remote"),
        "{ran}"
    );
    assert!(
        !ran.out.contains("the files name it as") && !ran.out.contains("everybody with a clone"),
        "{ran}"
    );
}
