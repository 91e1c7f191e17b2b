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
            .starts_with("u-1  stated  identity")
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

const ME: &str = "- Ana, backend, Berlin\n\n## Preferences\n- answers in French\n\n## Constraints\n- never pushes to main\n";

/// A person in a script gives the text.
fn edit_from_file(env: &Env, text: &str, more: &[&str]) -> crate::env::Ran {
    let file = env.beside("me.md", text);
    env.person(&[&["identity", "edit", "--file", &file], more].concat())
}

#[test]
fn identity_is_shown_and_edited_as_one_text() {
    let env = Env::new();
    assert_eq!(env.run(&["identity"]).code, 1);
    let ran = edit_from_file(&env, ME, &[]);
    assert_eq!(ran.code, 0, "{ran}");
    assert_eq!(ran.out, "saved  3 added, 0 changed, 0 removed\n");
    let ran = env.run(&["identity"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, ME));
    assert!(ran.err.contains("6%  57 of 1000 characters"), "{ran}");
    let ran = edit_from_file(&env, &ME.replace("French", "English"), &[]);
    assert_eq!(ran.out, "saved  0 added, 1 changed, 0 removed\n");
    // A session starts with the sections in their order.
    let hook = env.fed(
        &["hook", "--client", "claude-code", "SessionStart"],
        r#"{"session_id":"s1","hook_event_name":"SessionStart","source":"startup"}"#,
    );
    let at = |words: &str| {
        hook.out
            .find(words)
            .unwrap_or_else(|| panic!("{words}: {hook}"))
    };
    assert!(at("Ana, backend") < at("## Preferences"), "{hook}");
    assert!(at("## Preferences") < at("answers in English"), "{hook}");
    assert!(at("answers in English") < at("## Constraints"), "{hook}");
}

#[test]
fn identity_is_edited_by_a_person_only() {
    let env = Env::new();
    let file = env.beside("me.md", ME);
    let ran = env.run(&["identity", "edit", "--file", &file]);
    assert_eq!(ran.code, 3, "{ran}");
    assert_eq!(env.run(&["identity"]).out, "");
}

#[test]
fn refused_identity_changes_nothing() {
    let env = Env::new();
    edit_from_file(&env, ME, &[]);
    let long = format!("- {}\n", "word ".repeat(300));
    let ran = edit_from_file(&env, &long, &[]);
    assert_eq!(ran.code, 3, "{ran}");
    assert!(
        ran.err
            .contains("has 1499 characters, and 1000 are the most"),
        "{ran}"
    );
    let secret = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let ran = edit_from_file(&env, &format!("{ME}- token {secret}\n"), &[]);
    assert_eq!(ran.code, 3, "{ran}");
    assert!(ran.err.contains("line 8 of the text"), "{ran}");
    assert!(!ran.err.contains(&secret), "{ran}");
    let ran = edit_from_file(&env, "- Eve\n", &["--base", "0123456789"]);
    assert_eq!(ran.code, 3, "{ran}");
    assert!(ran.err.contains("changed while you edited it"), "{ran}");
    assert_eq!(env.run(&["identity"]).out, ME);
}

#[cfg(unix)]
#[test]
fn identity_is_edited_in_the_users_editor() {
    let mut env = Env::new();
    edit_from_file(&env, ME, &[]);
    env.set("EDITOR", "sed -i s/French/Dutch/");
    let ran = env.person(&["identity", "edit"]);
    assert_eq!(ran.out, "saved  0 added, 1 changed, 0 removed\n", "{ran}");
    env.set("EDITOR", "true");
    let ran = env.person(&["identity", "edit"]);
    assert_eq!(ran.out, "unchanged\n", "{ran}");
}
