//! Whose memory a checkout reads and writes: by its remote, once its history is known to be of that repository.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use crate::{
    env::{Env, Ran},
    hook::hooked,
};

const REMOTE: &str = "https://git.example.com/acme/app.git";
const SECRET_RULE: &str = "the release key lives in the blue vault";

/// The program in some folder, run by a person.
fn person(env: &Env, at: &Path, arguments: &[&str]) -> Ran {
    let place = ["-C", at.to_str().unwrap()];
    env.person(&[&place, arguments].concat())
}

fn git(env: &Env, at: &Path, line: &str) {
    let place = ["-C", at.to_str().unwrap()];
    let words: Vec<&str> = place.into_iter().chain(line.split(' ')).collect();
    env.git(&words);
}

/// A repository with a rule in it.
fn victim() -> Env {
    let env = Env::new();
    env.with_facts();
    env.stated(&["remember", SECRET_RULE]);
    env
}

/// A folder that shares no history with the repository, and whose configuration claims this remote.
fn impostor(env: &Env, remote: &str) -> PathBuf {
    let at = env.home().join("archive");
    fs::create_dir_all(at.join("src")).unwrap();
    fs::write(
        at.join("src/limits.rs"),
        "pub const MAX_UPLOAD: u64 = 99;\n",
    )
    .unwrap();
    git(
        env,
        env.home(),
        "init --quiet --initial-branch=main archive",
    );
    git(env, &at, "add --all");
    git(env, &at, "commit --quiet --message other");
    git(env, &at, &format!("remote add origin {remote}"));
    at
}

fn clone(env: &Env, to: &str, options: &str) -> PathBuf {
    let at = env.home().join(to);
    let from = format!("file://{}", env.repo().display());
    let line = format!("clone --quiet {options}{from} {}", at.display());
    git(env, env.home(), &line);
    git(env, &at, &format!("remote set-url origin {REMOTE}"));
    at
}

fn knows_rule(env: &Env, at: &Path) -> bool {
    let ran = person(env, at, &["list"]);
    ran.out.contains(SECRET_RULE)
}

fn list_known(env: &Env, at: &Path) -> Value {
    let ran = person(env, at, &["--json", "spaces"]);
    serde_json::from_str(&ran.out).unwrap()
}

fn space_of(env: &Env, at: &Path) -> String {
    let known = list_known(env, at);
    let here = known["spaces"].as_array().unwrap().iter();
    let mut here = here.filter(|it| it["is_here"] == true);
    here.next()
        .map_or_else(String::new, |it| it["space"].as_str().unwrap().to_owned())
}

#[test]
fn archive_that_claims_a_remote_reads_and_writes_nothing_there() {
    let env = victim();
    let at = impostor(&env, REMOTE);
    for arguments in [
        &["recall", "where is the release key"][..],
        &["list"],
        &["--json", "list", "--stage", "any"],
        &["show", "m-1"],
        &["export"],
        &["stats"],
    ] {
        let ran = person(&env, &at, arguments);
        assert!(
            !ran.out.contains("vault") && !ran.err.contains("vault"),
            "{arguments:?}: {ran}"
        );
    }
    let prompt = json!({"prompt": "where is the release key?", "cwd": at.to_str().unwrap()});
    let told = hooked(&env, "s-1", "UserPromptSubmit", &prompt).to_string();
    assert!(
        !told.contains("vault") && told.contains("apostille spaces link"),
        "{told}"
    );
    let told = hooked(&env, "s-1", "UserPromptSubmit", &prompt).to_string();
    assert!(!told.contains("spaces link"), "once in a session: {told}");
    let at_home = json!({"prompt": "where is the release key?"});
    let told = hooked(&env, "s-2", "UserPromptSubmit", &at_home).to_string();
    assert!(told.contains("vault"), "{told}");
    let before = env.ok(&["--json", "list"]);
    let ran = person(
        &env,
        &at,
        &["remember", "MAX_UPLOAD is 99", "--cite", "src/limits.rs:1"],
    );
    assert!(
        ran.code == 0 && ran.err.contains("shares no history"),
        "{ran}"
    );
    assert_eq!(env.ok(&["--json", "list"]), before, "it is kept elsewhere");
    assert!(
        person(&env, &at, &["doctor"])
            .out
            .contains("apostille spaces link")
    );
}

#[test]
fn archive_cannot_prove_facts_by_naming_the_repository() {
    let env = victim();
    let at = impostor(&env, REMOTE);
    let named = [
        "--repo",
        "acme/app",
        "remember",
        "MAX_UPLOAD is 99",
        "--cite",
        "src/limits.rs:1",
    ];
    let ran = person(&env, &at, &named);
    assert!(ran.code == 2 && ran.err.contains("spaces link"), "{ran}");
    let feedback = [
        "--repo",
        "acme/app",
        "remember",
        "--kind",
        "feedback",
        "never deploy",
    ];
    assert_eq!(person(&env, &at, &feedback).code, 2);
    git(
        &env,
        &at,
        "remote set-url origin https://git.example.com/eve/app.git",
    );
    git(&env, &at, &format!("remote add upstream {REMOTE}"));
    assert_eq!(person(&env, &at, &named).code, 3, "by another remote");
}

#[test]
fn another_host_with_the_same_name_is_another_repository() {
    let env = victim();
    let at = impostor(&env, "https://gitlab.example.org/acme/app.git");
    assert!(!knows_rule(&env, &at));
    person(
        &env,
        &at,
        &["remember", "tabs are used in makefiles", "--force"],
    );
    assert_eq!(space_of(&env, &at), "gitlab.example.org/acme/app");
    assert!(!env.ok(&["list"]).contains("tabs"));
    let elsewhere = env.home().join("plain");
    fs::create_dir_all(&elsewhere).unwrap();
    let ran = person(&env, &elsewhere, &["--repo", "acme/app", "list"]);
    assert!(
        ran.code == 2
            && ran
                .err
                .contains("git.example.com/acme/app or gitlab.example.org/acme/app"),
        "{ran}"
    );
    let whole = ["--repo", "git.example.com/acme/app", "list"];
    assert!(person(&env, &elsewhere, &whole).out.contains(SECRET_RULE));
}

#[test]
fn clones_with_shared_history_share_memory() {
    let env = victim();
    git(
        &env,
        &env.repo(),
        "commit --quiet --allow-empty --message later",
    );
    for (name, options) in [
        ("full", ""),
        ("shallow", "--depth=1 "),
        ("bare.git", "--bare "),
    ] {
        assert!(knows_rule(&env, &clone(&env, name, options)), "{name}");
    }
    let tree = env.home().join("tree");
    git(
        &env,
        &env.repo(),
        &format!("worktree add --quiet {}", tree.display()),
    );
    assert!(knows_rule(&env, &tree));
    let clones = list_known(&env, &env.repo())["spaces"][0]["clones"].clone();
    assert_eq!(
        clones.as_array().unwrap().len(),
        4,
        "a worktree is not a clone: {clones}"
    );
}

#[test]
fn folder_in_the_place_of_a_clone_is_looked_at_anew() {
    let env = victim();
    let at = clone(&env, "second", "");
    assert!(knows_rule(&env, &at));
    fs::rename(&at, env.home().join("away")).unwrap();
    fs::rename(impostor(&env, REMOTE), &at).unwrap();
    assert!(!knows_rule(&env, &at));
}

#[test]
fn folder_that_points_to_a_clone_is_not_that_clone() {
    let env = victim();
    let at = env.home().join("beside");
    fs::create_dir_all(&at).unwrap();
    fs::write(at.join(".git"), "gitdir: ../app/.git\n").unwrap();
    assert!(!knows_rule(&env, &at), "a file that points there");
    fs::remove_file(at.join(".git")).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(env.repo().join(".git"), at.join(".git")).unwrap();
        assert!(!knows_rule(&env, &at), "a link");
    }
    assert!(knows_rule(&env, &env.repo()));
    assert_eq!(person(&env, &at, &["spaces", "link", "--yes"]).code, 0);
    assert!(knows_rule(&env, &at), "a person said so");
}

#[test]
fn objects_of_others_prove_no_history() {
    let env = victim();
    let at = impostor(&env, REMOTE);
    let borrowed = at.join(".git/objects/info/alternates");
    fs::create_dir_all(borrowed.parent().unwrap()).unwrap();
    fs::write(&borrowed, "../../../app/.git/objects\n").unwrap();
    assert!(!knows_rule(&env, &at), "borrowed from the clone beside it");
    fs::remove_file(borrowed).unwrap();
    let known = list_known(&env, &env.repo());
    let root = known["spaces"][0]["commits"][0]
        .as_str()
        .unwrap()
        .to_owned();
    let folder = at.join(".git/objects").join(&root[..2]);
    fs::create_dir_all(&folder).unwrap();
    let head = fs::read_to_string(at.join(".git/refs/heads/main")).unwrap();
    let own = at
        .join(".git/objects")
        .join(&head[..2])
        .join(head[2..].trim());
    fs::copy(own, folder.join(&root[2..])).unwrap();
    assert!(
        !knows_rule(&env, &at),
        "another commit's bytes under that id"
    );
    fs::write(at.join(".git/refs/heads/main"), format!("{root}\n")).unwrap();
    assert!(!knows_rule(&env, &at), "and checked out");
}

#[test]
fn two_checkouts_that_meet_a_name_at_once_are_not_joined() {
    let env = Env::new();
    let at = impostor(&env, REMOTE);
    let run = |at: &Path, n: usize| {
        let fact = format!("fact {n} of {}", at.file_name().unwrap().display());
        let place = ["-C", at.to_str().unwrap(), "remember", "--force", &fact];
        let mut command = env.command(&place);
        command.env("APOSTILLE_PERSON", "ana").spawn().unwrap()
    };
    let repo = env.repo();
    let started = (0..12)
        .map(|n| run([&repo, &at][n % 2], n))
        .collect::<Vec<_>>();
    for mut child in started {
        child.wait().unwrap();
    }
    let (ours, theirs) = (
        person(&env, &repo, &["list"]).out,
        person(&env, &at, &["list"]).out,
    );
    assert!(
        !ours.contains("of archive") && !theirs.contains("of app"),
        "{ours}\n{theirs}"
    );
}

#[test]
fn submodule_has_its_own_space() {
    let env = victim();
    let lib = clone(&env, "lib", "");
    git(
        &env,
        &lib,
        "remote set-url origin https://git.example.com/acme/lib.git",
    );
    let add = format!(
        "-c protocol.file.allow=always submodule --quiet add {} sub",
        lib.display()
    );
    git(&env, &env.repo(), &add);
    let sub = env.repo().join("sub");
    git(
        &env,
        &sub,
        "remote set-url origin https://git.example.com/acme/lib.git",
    );
    assert!(!knows_rule(&env, &sub));
    person(
        &env,
        &sub,
        &["remember", "tabs are used in makefiles", "--force"],
    );
    assert_eq!(space_of(&env, &sub), "git.example.com/acme/lib");
    assert!(person(&env, &lib, &["list"]).out.contains("tabs"));
}

#[test]
fn person_links_a_checkout_and_takes_it_back() {
    let env = victim();
    let at = impostor(&env, REMOTE);
    assert!(!knows_rule(&env, &at));
    let place = ["-C", at.to_str().unwrap(), "spaces", "link", "--yes"];
    let ran = env.run(&place);
    assert!(
        ran.code == 3 && !knows_rule(&env, &at),
        "not without a person: {ran}"
    );
    assert_eq!(
        person(&env, &at, &["spaces", "link"]).code,
        2,
        "nobody said yes"
    );
    let ran = person(&env, &at, &["spaces", "link", "--yes"]);
    assert!(
        ran.out.contains("git.example.com/acme/app") && knows_rule(&env, &at),
        "{ran}"
    );
    assert_eq!(person(&env, &at, &["spaces", "unlink"]).code, 0);
    assert!(!knows_rule(&env, &at) && knows_rule(&env, &env.repo()));
}

#[test]
fn mirror_is_linked_with_its_remote() {
    let env = victim();
    let mirror = clone(&env, "mirror", "");
    git(
        &env,
        &mirror,
        "remote set-url origin https://mirror.example.net/acme/app.git",
    );
    assert!(!knows_rule(&env, &mirror), "another host");
    let ran = person(
        &env,
        &mirror,
        &["spaces", "link", "git.example.com/acme/app", "--yes"],
    );
    assert!(ran.code == 0 && knows_rule(&env, &mirror), "{ran}");
    let second = clone(&env, "second", "");
    git(
        &env,
        &second,
        "remote set-url origin https://mirror.example.net/acme/app.git",
    );
    assert!(knows_rule(&env, &second), "the next clone of the mirror");
}

#[test]
fn fork_has_its_own_space_and_reads_the_parents_when_told() {
    let env = victim();
    let fork = clone(&env, "fork", "");
    git(
        &env,
        &fork,
        "remote set-url origin https://git.example.com/ana/app.git",
    );
    git(&env, &fork, &format!("remote add upstream {REMOTE}"));
    assert!(!knows_rule(&env, &fork));
    let ran = person(&env, &fork, &["--repo", "acme/app", "list"]);
    assert!(ran.out.contains(SECRET_RULE), "{ran}");
    let ran = person(&env, &fork, &["--repo", "acme/app", "verify"]);
    assert!(
        ran.out.contains("m-2  stands"),
        "looked up in the fork: {ran}"
    );
}

/// What an older program kept: the name of the repository has no host.
fn write_old_store(env: &mut Env) {
    let exported = env.command(&["export"]).output().unwrap();
    let exported = String::from_utf8(exported.stdout).unwrap();
    assert!(exported.contains("git.example.com/acme/app"));
    let old = exported.replace("git.example.com/acme/app", "acme/app");
    let file = env.beside("old.json", &old);
    let data = env.home().join("old-data");
    env.set("XDG_DATA_HOME", data.to_str().unwrap());
    let plain = env.home().join("plain");
    fs::create_dir_all(&plain).unwrap();
    let ran = person(env, &plain, &["--repo", "acme/app", "import", &file]);
    assert_eq!(ran.code, 0, "{ran}");
}

#[test]
fn old_store_is_adopted_by_the_repository_whose_commits_it_cites() {
    let mut env = victim();
    write_old_store(&mut env);
    let other = impostor(&env, "https://gitlab.example.org/acme/app.git");
    let ran = person(&env, &other, &["list"]);
    assert!(
        !ran.out.contains(SECRET_RULE) && ran.err.contains("apostille spaces link acme/app"),
        "{ran}"
    );
    assert!(knows_rule(&env, &env.repo()));
    let known = list_known(&env, &env.repo());
    let here = known["spaces"]
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["is_here"] == true)
        .unwrap();
    assert_eq!(
        (&here["space"], &here["remotes"]),
        (&json!("acme/app"), &json!(["git.example.com/acme/app"])),
        "{known}"
    );
    assert!(
        here["adopted"].as_u64().is_some_and(|it| it >= 3),
        "{known}"
    );
    insta::assert_snapshot!(
        "spaces_table",
        person(&env, &env.repo(), &["spaces"])
            .out
            .replace(env.home().to_str().unwrap(), "[HOME]")
    );
}

#[test]
fn damaged_list_of_repositories_is_an_error_and_not_a_first_contact() {
    let env = victim();
    let at = impostor(&env, REMOTE);
    let file = env.home().join(".local/share/apostille/repositories.json");
    let kept = fs::read_to_string(&file).unwrap();
    fs::write(&file, "{").unwrap();
    let ran = person(&env, &at, &["list"]);
    assert!(
        ran.code == 5 && ran.err.contains("repositories.json"),
        "{ran}"
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), "{");
    fs::write(&file, kept).unwrap();
    assert!(!knows_rule(&env, &at));
}
