//! `--repo` in another repository than the one that is asked about.

use serde_json::Value;

use crate::env::{Env, Ran};

/// A second checkout beside `acme/app`, and a plain folder.
fn with_other_folders() -> Env {
    let env = Env::new();
    env.with_facts();
    let other = env.home().join("other");
    std::fs::create_dir_all(&other).unwrap();
    std::fs::create_dir_all(env.home().join("plain")).unwrap();
    std::fs::write(other.join("readme.md"), "# hi, this is another one\n").unwrap();
    let folder = other.to_str().unwrap().to_owned();
    for line in [
        "init --quiet --initial-branch=main",
        "remote add origin https://git.example.com/acme/other.git",
        "add --all",
        "commit --quiet --no-verify --message work",
    ] {
        let words = ["-C", &folder].into_iter().chain(line.split(' '));
        env.git(&words.collect::<Vec<_>>());
    }
    env
}

/// Runs a command about `acme/app` in another folder.
fn run_in(env: &Env, folder: &str, arguments: &[&str]) -> Ran {
    let folder = env.home().join(folder);
    let place = ["-C", folder.to_str().unwrap(), "--repo", "acme/app"];
    env.person(&[&place, arguments].concat())
}

fn list_log(env: &Env) -> Value {
    serde_json::from_str(&env.ok(&["--json", "log", "--limit", "1000"])).unwrap()
}

#[test]
fn citations_of_another_repository_are_unknown_and_leave_no_trace() {
    let env = with_other_folders();
    let before = list_log(&env);
    let why = |folder| match folder {
        "other" => "acme/app is not checked out here, acme/other is",
        _ => "acme/app is not checked out here",
    };
    for folder in ["other", "plain"] {
        for arguments in [
            &["recall", "upload limit"][..],
            &["verify"],
            &["--json", "verify"],
            &["verify", "--at", "main"],
            &["show", "m-2"],
        ] {
            let ran = run_in(&env, folder, arguments);
            let is_unknown = ran.out.contains("unknown") && ran.out.contains(why(folder));
            assert!(is_unknown && !ran.out.contains("gone"), "{folder}: {ran}");
        }
        let cite = ["remember", "--cite", "readme.md:1", "the readme says hi"];
        for arguments in [
            &cite[..],
            &["refresh", "m-2"],
            &["apply", "m-2"],
            &["confirm", "m-2"],
        ] {
            assert_eq!(run_in(&env, folder, arguments).code, 3, "{arguments:?}");
        }
    }
    assert_eq!(list_log(&env), before);
}

#[test]
fn repository_is_known_by_any_of_its_remotes_and_by_the_environment() {
    let mut env = with_other_folders();
    let stands = |ran: Ran| assert!(ran.out.contains("m-2  stands"), "{ran}");
    stands(run_in(&env, "app", &["verify"]));
    let url = "https://git.example.com/ana/app.git";
    env.git(&["remote", "rename", "origin", "upstream"]);
    env.git(&["remote", "add", "origin", url]);
    stands(run_in(&env, "app", &["verify"]));
    env.git(&["remote", "remove", "upstream"]);
    let ran = run_in(&env, "app", &["verify"]);
    assert!(
        ran.out
            .contains("acme/app is not checked out here, ana/app is"),
        "{ran}"
    );
    env.git(&["remote", "remove", "origin"]);
    stands(run_in(&env, "app", &["verify"]));
    env.git(&["remote", "add", "origin", url]);
    stands(env.set("APOSTILLE_REPO", "acme/app").run(&["verify"]));
}
