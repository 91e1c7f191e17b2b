//! The numbers that scripts rely on.

use crate::env::Env;

#[test]
fn exit_codes_are_as_documented() {
    let env = Env::new();
    env.with_facts();
    let check = |expected: i32, arguments: &[&str]| {
        let ran = env.run(arguments);
        assert_eq!(ran.code, expected, "{arguments:?}: {ran}");
    };
    check(0, &["--help"]);
    check(0, &["recall", "--help"]);
    check(0, &["--version"]);
    check(0, &["verify"]);
    check(1, &["list", "--tag", "nothing-has-this"]);
    check(1, &["show", "m-99"]);
    check(1, &["refresh", "m-1", "m-99"]);
    check(1, &["recall", "anything", "--layer", "session"]);
    check(2, &[]);
    check(2, &["shwo"]);
    check(2, &["show", "12"]);
    check(2, &["remember", "--cite", "src/api.rs", "no lines"]);
    check(2, &["recall", "x", "--at", "no-such-branch"]);
    check(2, &["-C", "no-such-folder", "list"]);
    check(2, &["list", "--store", "mongodb://x"]);
    check(3, &["remember", "the project uses tabs"]);
    check(
        3,
        &["remember", "--cite", "src/api.rs:99", "beyond the end"],
    );
    check(
        3,
        &[
            "remember",
            "--cite",
            "src/api.rs:3",
            "the key is AKIAQ3EGVXW7T4ZLMN2P",
        ],
    );
    check(3, &["remember", "--force", "the project uses tabs"]);
    check(
        2,
        &[
            "remember",
            "--force",
            "--origin",
            "user",
            "the project uses tabs",
        ],
    );
    assert_eq!(
        env.person(&["remember", "--force", "the project uses tabs"])
            .code,
        0
    );
    env.live_on();
    check(1, &["verify"]);
    check(0, &["verify", "m-1"]);
    check(0, &["verify", "--at", "HEAD"]);
}

#[test]
fn a_broken_store_is_exit_4() {
    let env = Env::new();
    let path = env.beside("broken.db", &"this is not a database. ".repeat(100));
    let list = env.run(&["list", "--store", &path]);
    assert_eq!((list.code, list.out.as_str()), (4, ""), "{list}");
    let doctor = env.run(&["doctor", "--store", &path]);
    assert_eq!(doctor.code, 4, "{doctor}");
    assert!(doctor.out.contains("✗ store"), "{doctor}");
}

#[test]
fn a_secret_is_kept_nowhere() {
    let env = Env::new();
    let secret = "AKIAQ3EGVXW7T4ZLMN2P";
    let ran = env.run(&[
        "remember",
        "--cite",
        "src/api.rs:3",
        &format!("the key is {secret}"),
    ]);
    assert!(!ran.to_string().contains(secret), "{ran}");
    let bytes = std::fs::read(env.home().join(".local/share/apostille/memories.db")).unwrap();
    assert!(
        !bytes
            .windows(secret.len())
            .any(|it| it == secret.as_bytes())
    );
}

#[test]
fn a_search_without_a_hit_says_so() {
    let env = Env::new();
    let check = |arguments: &[&str], expected: &str| {
        let ran = env.run(arguments);
        assert!(ran.code == 1 && ran.err.starts_with(expected), "{ran}");
    };
    check(&["list"], "nothing here yet;");
    env.with_facts();
    check(&["list", "--text", "zebra"], "nothing here matches;");
    check(&["list", "--tag", "zebra"], "nothing here matches;");
}
