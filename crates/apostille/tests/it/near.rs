//! Something much like it is known: nothing is kept until a choice is made.

use crate::env::Env;

const FACT: &str =
    "the release script must be run from the root folder after the tests have passed on main";
const AGAIN: &str = "the release script must be run from the root folder after the tests have passed on main branch";

fn env() -> Env {
    let env = Env::new();
    env.ok(&["remember", "--cite", "src/api.rs:3", "--tag", "a", FACT]);
    env
}

#[test]
fn the_choices_are_printed_ready_to_paste() {
    let env = env();
    insta::assert_snapshot!(
        "near",
        env.run(&["remember", "--cite", "src/limits.rs:3", AGAIN])
    );
    insta::assert_snapshot!(
        "near_json",
        env.run(&["remember", "--json", "--cite", "src/limits.rs:3", AGAIN])
    );
    assert_eq!(env.ok(&["list"]).lines().count(), 1);
}

#[test]
fn skip_keeps_nothing_and_is_content() {
    let env = env();
    let ran = env.run(&["remember", "--cite", "src/limits.rs:3", AGAIN, "--skip"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "skipped; m-1 says it\n"));
    assert_eq!(env.ok(&["list"]).lines().count(), 1);
}

#[test]
fn merge_keeps_the_citations_of_both() {
    let env = env();
    env.ok(&[
        "remember",
        "--cite",
        "src/limits.rs:3",
        "--tag",
        "b",
        AGAIN,
        "--merge",
        "m-1",
    ]);
    let shown = env.ok(&["show", "m-2"]);
    for part in ["src/limits.rs:3", "src/api.rs:3", "a, b", "Replaced\n  m-1"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}

#[test]
fn create_keeps_both_with_the_reason() {
    let env = env();
    env.ok(&[
        "remember",
        "--cite",
        "src/limits.rs:3",
        AGAIN,
        "--create",
        "the branch matters",
    ]);
    assert!(env.ok(&["log"]).contains("(the branch matters)"));
    assert_eq!(env.ok(&["list"]).lines().count(), 2);
}

#[test]
fn a_contradiction_offers_to_supersede() {
    let env = Env::new();
    env.ok(&[
        "remember",
        "--subject",
        "upload limit",
        "--cite",
        "src/limits.rs:3",
        "uploads are limited to 10 MB",
    ]);
    let ran = env.fed(
        &[
            "remember",
            "--subject",
            "upload limit",
            "--cite",
            "src/limits.rs:3",
            "-",
        ],
        "uploads are limited to 25 MB\n",
    );
    assert_eq!(ran.code, 3);
    assert!(ran.err.contains("contradiction"), "{ran}");
    let paste = "apostille supersede m-1 --subject 'upload limit' --cite src/limits.rs:3 'uploads are limited to 25 MB'";
    assert!(ran.err.contains(paste), "{ran}");
}

#[test]
fn the_same_again_refreshes() {
    let mut env = env();
    env.at("2026-03-09T12:00:00Z");
    let ran = env.run(&["remember", "--cite", "src/api.rs:3", FACT]);
    assert!(
        ran.code == 0 && ran.out.starts_with("known already; refreshed m-1\n"),
        "{ran}"
    );
    assert!(
        env.ok(&["show", "m-1"])
            .contains("refreshed    2026-03-09T12:00:00Z")
    );
}
