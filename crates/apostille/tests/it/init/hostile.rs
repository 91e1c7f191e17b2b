//! A repository that was cloned is somebody else's word: nothing of it is run, and what it says is not taken for ours.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::{programs, world};
use crate::env::Env;

/// What `doctor` says, without what it says of other things.
fn said(env: &Env, word: &str) -> String {
    let ran = env.run(&["doctor"]);
    ran.out.lines().filter(|it| it.contains(word)).collect::<Vec<_>>().join("\n")
}

/// A hooks file of Codex with this line for the beginning of a session.
fn hooks(line: &str) -> String {
    let line = serde_json::to_string(line).unwrap();
    format!(r#"{{"hooks": {{"SessionStart": [{{"hooks": [{{"type": "command", "command": {line}}}]}}]}}}}"#)
}

/// A program by the name of ours that leaves a mark when it is run.
fn imposter(folder: &std::path::Path, mark: &std::path::Path) {
    fs::create_dir_all(folder).unwrap();
    let path = folder.join("apostille");
    fs::write(&path, format!("#!/bin/sh\n: > '{}'\n", mark.display())).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn no_command_of_a_repository_is_run() {
    let check = |line: &str, expected: &str| {
        let env = world();
        let (mark, evil) = (env.home().join("mark"), env.repo().join("evil"));
        imposter(&evil, &mark);
        let fill =
            |it: &str| it.replace("MARK", mark.to_str().unwrap()).replace("EVIL", evil.to_str().unwrap());
        env.write(".codex/hooks.json", hooks(&fill(line)));
        let found = said(&env, "hooks");
        assert!(!mark.exists(), "{line}: was run: {found}");
        assert!(found.contains(expected), "{line}: {found}");
        assert!(!found.contains('✓'), "{line}: {found}");
    };
    let odd = "is not a line that `apostille init` writes, and was not tried";
    check("touch MARK; /apostille hook --client codex SessionStart", odd);
    check("touch MARK;apostille hook --client codex SessionStart", odd);
    check("apostille hook --client codex SessionStart; touch MARK", odd);
    check("apostille hook --client codex SessionStart\ntouch MARK", odd);
    check("apostille hook --client codex $(touch MARK)", odd);
    check("\"$(touch MARK)/apostille\" hook --client codex SessionStart", odd);
    check("'/x'$(touch MARK)'/apostille' hook --client codex SessionStart", odd);
    check("evil/apostille hook --client codex SessionStart", odd);
    check("../app/evil/apostille hook --client codex SessionStart", odd);
    check("apostille hook --client codex Stop", odd);
    check("apostille hook --client cursor SessionStart", odd);
    check("EVIL/apostille hook --client codex SessionStart", "another program: [HOME]/app/evil/apostille");
}

#[test]
fn a_program_on_the_path_but_in_the_repository_is_not_run() {
    let mut env = world();
    let (mark, evil) = (env.home().join("mark"), env.repo().join("bin"));
    imposter(&evil, &mark);
    let path = format!("{}:{}", evil.display(), programs(&env).display());
    env.set("PATH", &path);
    env.write(".codex/hooks.json", hooks("apostille hook --client codex SessionStart"));
    let found = said(&env, "hooks");
    assert!(!mark.exists() && found.contains("another program: [HOME]/app/bin/apostille"), "{found}");
}

#[test]
fn a_line_that_looks_like_ours_is_left_alone() {
    let env = world();
    let theirs = "./wrap.sh; /opt/apostille hook --client codex SessionStart";
    env.write(".codex/hooks.json", hooks(theirs));
    env.ok(&["init", "--yes", "--client", "codex", "--no-rules"]);
    let text = || fs::read_to_string(env.repo().join(".codex/hooks.json")).unwrap();
    assert!(text().contains(theirs), "{}", text());
    env.write(".codex/hooks.json", text() + "\n");
    env.ok(&["init", "--undo", "--yes"]);
    assert!(text().contains(theirs) && text().matches("hook --client").count() == 1, "{}", text());
}
