//! What goes to the terminal: no surprises, no hidden bytes, no waiting.

use std::process::Stdio;

use crate::env::Env;

#[test]
fn control_bytes_are_never_printed() {
    let env = Env::new();
    env.write(
        "src/evil.rs",
        "const A: &str = \"\u{1b}[2J\u{7}\u{202e}evil\";\n",
    );
    env.ok(&[
        "remember",
        "--cite",
        "src/evil.rs:1",
        "--tag",
        "x\u{1b}[31m",
        "the name \u{1b}[31mA\u{202e} is kept for the old client",
    ]);
    env.write(
        "src/evil.rs",
        "const A: &str = \"\u{1b}]0;title\u{7}\u{2066}other\";\n",
    );
    let commands: [&[&str]; 8] = [
        &["show", "m-1"],
        &["recall", "old client name"],
        &["verify"],
        &["list"],
        &["log"],
        &["export", "--format", "markdown"],
        &["recall", "old client", "--json"],
        &["show", "\u{1b}[31m"],
    ];
    for command in commands {
        let ran = env.run(command);
        let bad = |c: char| {
            (c.is_control() && c != '\n')
                || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        };
        let text = if command.contains(&"--json") {
            ran.out.replace(['\u{2066}', '\u{202e}'], "")
        } else {
            ran.out.clone()
        };
        assert!(
            !text.contains(bad) && !ran.err.contains(bad),
            "{command:?}: {ran}"
        );
    }
}

#[test]
fn colours_only_when_they_are_wanted() {
    let env = Env::new();
    env.with_facts();
    assert!(!env.ok(&["list"]).contains('\u{1b}'));
    assert!(env.ok(&["list", "--color", "always"]).contains('\u{1b}'));
    assert!(!env.ok(&["list", "--color", "never"]).contains('\u{1b}'));
    let piped = env
        .command(&["list"])
        .env_remove("NO_COLOR")
        .output()
        .unwrap();
    assert!(!piped.stdout.contains(&0x1b));
    assert!(
        !env.ok(&["list", "--json", "--color", "always"])
            .contains('\u{1b}')
    );
}

#[test]
fn a_reader_that_leaves_is_nobodys_fault() {
    let env = Env::new();
    env.with_facts();
    let mut command = env.command(&["export"]);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()));
}

#[test]
fn an_input_that_is_closed_ends_it_at_once() {
    let env = Env::new();
    let ran = env.run(&["remember", "-"]);
    assert_eq!(ran.code, 3);
    assert!(ran.err.contains("fact is empty"), "{ran}");
    let ran = env.run(&["import", "-"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("nothing in it to import"), "{ran}");
    env.with_facts();
    assert_eq!(env.run(&["forget", "m-1"]).code, 0);
}

#[test]
fn help_teaches() {
    let env = Env::new();
    insta::assert_snapshot!("help", env.run(&["--help"]));
    insta::assert_snapshot!("help_remember", env.run(&["remember", "--help"]));
    insta::assert_snapshot!("help_verify", env.run(&["verify", "--help"]));
    let typo = env.run(&["remebmer"]);
    assert!(typo.err.contains("'remember'"), "{typo}");
}
