//! The identity layer is small, and says so.

use crate::env::Env;

#[test]
fn it_fills_up_and_says_what_is_there() {
    let env = Env::new();
    let words = "sphinx quartz vow judge jug wax fjord lynx glyph vex ";
    for n in 0..3 {
        let fact: String = words
            .split(' ')
            .map(|it| format!("{it}{n} "))
            .cycle()
            .take(60)
            .collect();
        let fact: String = fact.chars().take(310).collect();
        let out = env.stated(&[
            "remember",
            "--layer",
            "identity",
            "--create",
            "another matter",
            &fact,
        ]);
        assert!(
            out.contains(&format!("identity {}", ["███", "██████", "█████████"][n])),
            "{out}"
        );
    }
    let ran = env.run(&[
        "remember",
        "--layer",
        "identity",
        &"a new thing ".repeat(10),
    ]);
    assert_eq!(ran.code, 3);
    assert!(
        ran.err.contains("of 1000 characters") && ran.err.contains("u-1 ("),
        "{ran}"
    );
    let json = env.run(&[
        "remember",
        "--json",
        "--layer",
        "identity",
        &"a new thing ".repeat(10),
    ]);
    assert!(
        json.out
            .starts_with(r#"{"ok":false,"refused":{"class":"identity_full","message":"#),
        "{json}"
    );
    env.stated(&["forget", "u-1"]);
    env.stated(&[
        "remember",
        "--layer",
        "identity",
        &"a new thing ".repeat(10),
    ]);
}

#[test]
fn it_belongs_to_the_user() {
    let env = Env::new();
    env.stated(&["remember", "--layer", "identity", "Ana, backend, Berlin"]);
    let other = env.ok(&["--as", "bo", "--repo", "other/app", "stats"]);
    assert!(
        other.contains("users/bo") && other.contains("0 memories"),
        "{other}"
    );
    assert!(
        env.ok(&["--repo", "other/app", "list"])
            .starts_with("u-1  active  identity")
    );
}

/// Preferences go with the person, whatever face they are told to; what was asked for goes before what the words suggest.
#[test]
fn preferences_land_in_the_users_space() {
    let env = Env::new();
    let check = |typed: &[&str], expected: &str| {
        let out = env.ok(&[&["remember"], typed].concat());
        assert!(out.contains(expected), "{typed:?}: {out}");
    };
    check(&["I prefer tabs"], "users/ana · knowledge · user");
    check(
        &["the user prefers concise replies"],
        "users/ana · knowledge · user",
    );
    check(
        &["--kind", "user", "short commits"],
        "users/ana · knowledge · user",
    );
    check(
        &["--kind", "feedback", "I want tests with every fix"],
        "knowledge · feedback",
    );
    check(
        &[
            "--subject",
            "--locked",
            "--locked is needed in CI",
            "--kind",
            "feedback",
        ],
        "--locked is needed in CI",
    );
}
