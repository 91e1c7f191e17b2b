//! Every command's happy path, as one story.

use crate::env::Env;

/// Runs the commands one after another and writes down what they said.
fn told(env: &Env, commands: &[&[&str]]) -> String {
    let mut out = String::new();
    for command in commands {
        // What a person said is forgotten by a person.
        let ran = match command[0] {
            "forget" => env.person(command),
            _ => env.run(command),
        };
        out += &format!("$ apostille {}\n{ran}\n", command.join(" "));
    }
    out
}

#[test]
fn a_memory_lives() {
    let mut env = Env::new();
    env.with_facts();
    insta::assert_snapshot!(
        "looking",
        told(
            &env,
            &[
                &["recall", "which API version?"],
                &[
                    "recall",
                    "upload",
                    "limit",
                    "--path",
                    "src/limits.rs",
                    "--why"
                ],
                &["recall", "API version", "--block"],
                &["list"],
                &["list", "--tag", "limits"],
                &["recent", "--limit", "1"],
                &["show", "m-1"],
                &["stats"],
            ]
        )
    );
    env.live_on();
    env.at("2026-03-04T12:00:00Z");
    insta::assert_snapshot!(
        "revising",
        told(
            &env,
            &[
                &["verify"],
                &["verify", "--at", "main"],
                &["recall", "API version and upload limit"],
                &["refresh", "m-1"],
                &["apply", "m-1"],
                &[
                    "supersede",
                    "m-2",
                    "uploads are limited to 25 MB by MAX_UPLOAD",
                    "--cite",
                    "src/limits.rs:3",
                    "--reason",
                    "the proxy allows more"
                ],
                &["show", "m-2"],
                &["invalidate", "m-1", "--reason", "the client is gone"],
                &["forget", "u-1", "--reason", "asked for"],
                &["list", "--status", "superseded", "--status", "invalid"],
                &["log", "--limit", "6"],
                &["log", "--memory", "m-2"],
                &["export", "--format", "markdown"],
            ]
        )
    );
}

#[test]
fn settings_and_health_are_shown() {
    let env = Env::new();
    insta::assert_snapshot!("settings", told(&env, &[&["config"], &["config", "path"]]));
    let before = env.ok(&["doctor"]);
    assert!(before.contains("is not there yet"), "{before}");
    env.with_facts();
    let after = env.ok(&["doctor"]);
    assert!(
        after.contains("sound, 2 spaces") && after.contains("everything is in order"),
        "{after}"
    );
}

#[test]
fn a_subfolder_is_understood() {
    let env = Env::new();
    env.ok(&[
        "-C",
        "src",
        "remember",
        "--cite",
        "api.rs:3",
        "API_VERSION must equal the client's",
    ]);
    env.ok(&[
        "-C",
        "src",
        "remember",
        "--cite",
        "../src/limits.rs:3",
        "MAX_UPLOAD is what the proxy allows",
    ]);
    let listed = env.ok(&["export"]);
    assert!(
        listed.contains("\"path\": \"src/api.rs\"")
            && listed.contains("\"path\": \"src/limits.rs\""),
        "{listed}"
    );
    assert_eq!(
        env.run(&["-C", "src", "remember", "--cite", "../../secret:1", "x"])
            .code,
        2
    );
}

#[test]
fn outside_git_a_folder_has_its_own_memory() {
    let env = Env::new();
    let note = env.beside("plain/notes.txt", "the build takes an hour\n");
    let folder = note.trim_end_matches("/notes.txt");
    env.ok(&[
        "-C",
        folder,
        "remember",
        "--cite",
        "notes.txt:1",
        "the build takes an hour",
    ]);
    let recalled = env.ok(&["-C", folder, "recall", "how long is the build?"]);
    assert!(recalled.starts_with("m-1   stands\n"), "{recalled}");
    let config = env.ok(&["-C", folder, "config"]);
    assert!(config.contains("local/plain-"), "{config}");
    assert_eq!(
        env.run(&["-C", folder, "recall", "x", "--at", "main"]).code,
        2
    );
}

#[test]
fn the_tour_plays_and_leaves_nothing() {
    let env = Env::new();
    let before = std::fs::read_dir(env.home()).unwrap().count();
    insta::assert_snapshot!("tour", env.run(&["tour"]));
    let steps: serde_json::Value = serde_json::from_str(&env.ok(&["tour", "--json"])).unwrap();
    let codes: Vec<_> = steps["steps"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|it| it["code"].as_u64())
        .collect();
    assert_eq!(codes, [0, 0, 3, 0, 0, 0]);
    let shown = steps["steps"].as_array().unwrap().iter();
    let shown: Vec<_> = shown.filter_map(|it| it["shown"].as_str()).collect();
    assert!(
        shown[0].contains("stands src/http/limits.rs:7"),
        "{shown:?}"
    );
    assert!(
        shown[1].contains("contradicted src/http/limits.rs:7 (10 → 25)"),
        "{shown:?}"
    );
    assert_eq!(std::fs::read_dir(env.home()).unwrap().count(), before);
}

#[test]
fn manual_and_completions_are_printed() {
    let env = Env::new();
    assert!(env.ok(&["man"]).contains(".TH apostille 1"));
    assert!(
        env.ok(&["completions", "bash"])
            .contains("complete -F _apostille")
    );
    env.ok(&["man", "--out", "pages"]);
    assert!(env.repo().join("pages/apostille-recall.1").exists());
}
