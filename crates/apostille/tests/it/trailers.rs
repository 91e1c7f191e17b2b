//! Trailers in real commits, beside the hooks that people have.

use std::fs;
use std::{
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use crate::env::Env;

/// A repository with an active task, and a search path on which the program is.
struct Repo {
    env: Env,
    path: String,
}

impl Repo {
    fn new() -> Self {
        let env = Env::new();
        env.write("AGENTS.md", "Be kind.\n");
        env.commit();
        env.ok(&["task", "start", "Fix the login"]);
        let bin = Path::new(env!("CARGO_BIN_EXE_apostille")).parent().unwrap();
        let path = format!(
            "{}:{}",
            bin.display(),
            std::env::var("PATH").unwrap_or_default()
        );
        Self { env, path }
    }

    fn installed() -> Self {
        let repo = Self::new();
        repo.env.ok(&["task", "hooks", "--install"]);
        repo
    }

    fn git(&self, editor: Option<&str>, arguments: &[&str]) -> Output {
        let mut command = Command::new("git");
        command
            .env_clear()
            .env("PATH", &self.path)
            .env("HOME", self.env.home())
            .env("GIT_CONFIG_NOSYSTEM", "1");
        for who in ["AUTHOR", "COMMITTER"] {
            command
                .env(format!("GIT_{who}_NAME"), "Ana")
                .env(format!("GIT_{who}_EMAIL"), "ana@example.com");
        }
        command
            .env("GIT_EDITOR", editor.unwrap_or("false"))
            .env("LC_ALL", "C");
        command
            .current_dir(self.env.repo())
            .args(arguments)
            .output()
            .unwrap()
    }

    /// Commits like this, which must go well, and tells the message.
    fn message(&self, editor: Option<&str>, arguments: &[&str]) -> String {
        self.env.write(
            "src/more.rs",
            format!("{arguments:?} {}\n", self.n_commits()),
        );
        self.ok(&["add", "--all"]);
        let output = self.git(editor, arguments);
        assert!(
            output.status.success(),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        self.ok(&["log", "-1", "--format=%B"])
    }

    fn ok(&self, arguments: &[&str]) -> String {
        let output = self.git(None, arguments);
        assert!(
            output.status.success(),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap()
    }

    fn n_commits(&self) -> String {
        self.ok(&["rev-list", "--count", "--all"])
    }

    /// The trailers as git itself finds them.
    fn trailers(&self, at: &str) -> Vec<String> {
        self.ok(&["log", "-1", "--format=%(trailers:only)", at])
            .lines()
            .filter(|it| !it.is_empty())
            .map(Into::into)
            .collect()
    }

    fn has_both(&self) -> bool {
        let found = self.trailers("HEAD");
        let ours: Vec<&String> = found
            .iter()
            .filter(|it| {
                it.starts_with("Task-Id: fix-the-login") || it.starts_with("Prompt-Version: ")
            })
            .collect();
        ours.len() == 2
    }

    fn hook(&self) -> PathBuf {
        self.env.repo().join(".git/hooks/commit-msg")
    }

    fn write_hook(&self, text: &str) {
        fs::write(self.hook(), text).unwrap();
        fs::set_permissions(self.hook(), fs::Permissions::from_mode(0o755)).unwrap();
    }
}

const TYPES: &str = "sed -i '1s/^/typed/'";

#[test]
fn commit_carries_task_and_prompt_version() {
    let repo = Repo::installed();
    let message = repo.message(None, &["commit", "-m", "one line"]);
    let printed = repo.env.ok(&["task", "trailers", "--print"]);
    assert_eq!(
        message.trim_end(),
        format!("one line\n\n{}", printed.trim_end())
    );
    repo.message(
        None,
        &["commit", "-m", "subject", "-m", "a body", "--signoff"],
    );
    assert!(
        repo.has_both() && repo.trailers("HEAD").len() == 3,
        "{:?}",
        repo.trailers("HEAD")
    );
    repo.message(Some(TYPES), &["commit"]);
    assert!(repo.has_both());
    let verbose = repo.message(Some(TYPES), &["commit", "--verbose"]);
    assert!(
        repo.has_both() && verbose.starts_with("typed\n\nTask-Id") && !verbose.contains("diff"),
        "{verbose}"
    );
    repo.message(None, &["commit", "--fixup", "HEAD~1"]);
    assert!(repo.has_both());
}

#[test]
fn amending_changes_nothing_that_is_there() {
    let repo = Repo::installed();
    let first = repo.message(None, &["commit", "-m", "one"]);
    repo.env.ok(&["task", "start", "Another", "--switch"]);
    assert_eq!(
        repo.message(None, &["commit", "--amend", "--no-edit"]),
        first
    );
    assert_eq!(repo.message(Some("true"), &["commit", "--amend"]), first);
    repo.env.ok(&["task", "done"]);
    repo.env.ok(&["task", "done", "fix-the-login"]);
    let plain = repo.message(None, &["commit", "-m", "no task is active"]);
    assert_eq!(plain.trim_end(), "no task is active");
}

#[test]
fn merges_and_squashes_carry_them_too() {
    let repo = Repo::installed();
    repo.ok(&["checkout", "--quiet", "-b", "topic"]);
    repo.message(None, &["commit", "-m", "on the branch"]);
    repo.ok(&["checkout", "--quiet", "main"]);
    repo.ok(&["merge", "--no-ff", "--no-edit", "topic"]);
    assert!(repo.has_both(), "{:?}", repo.trailers("HEAD"));
    repo.ok(&["reset", "--quiet", "--hard", "HEAD~1"]);
    repo.ok(&["merge", "--quiet", "--squash", "topic"]);
    let output = repo.git(Some("true"), &["commit"]);
    assert!(output.status.success(), "{output:?}");
    assert!(repo.has_both(), "{:?}", repo.trailers("HEAD"));
}

#[test]
fn a_message_that_nobody_wrote_is_no_commit() {
    let repo = Repo::installed();
    repo.env.write("src/more.rs", "x\n");
    repo.ok(&["add", "--all"]);
    let before = repo.n_commits();
    assert!(!repo.git(Some("true"), &["commit"]).status.success());
    fs::write(repo.env.repo().join(".git/template"), "Why:\n\nWhat:\n").unwrap();
    repo.ok(&["config", "commit.template", ".git/template"]);
    assert!(!repo.git(Some("true"), &["commit"]).status.success());
    assert_eq!(repo.n_commits(), before);
    repo.ok(&["config", "core.commentChar", ";"]);
    assert!(
        repo.git(Some("sed -i '1s/$/ so/'"), &["commit"])
            .status
            .success()
    );
    assert!(repo.has_both());
}

#[test]
fn existing_hook_keeps_the_last_word() {
    let check = |text: &str| {
        let repo = Repo::new();
        repo.write_hook(text);
        repo.env.ok(&["task", "hooks", "--install"]);
        repo.env.ok(&["task", "hooks", "--install"]);
        assert!(repo.env.ok(&["task", "hooks"]).starts_with("installed"));
        repo.message(None, &["commit", "-m", "fix: fine"]);
        assert!(repo.has_both(), "{text}");
        repo.env.write("src/more.rs", "refused\n");
        repo.ok(&["add", "--all"]);
        assert!(
            !repo
                .git(None, &["commit", "-m", "not fine"])
                .status
                .success(),
            "{text}"
        );
        repo.env.ok(&["task", "hooks", "--remove"]);
        assert_eq!(fs::read_to_string(repo.hook()).unwrap(), text);
        assert_eq!(
            fs::metadata(repo.hook()).unwrap().permissions().mode() & 0o777,
            0o755
        );
        assert!(!repo.hook().with_file_name("before-apostille").exists());
    };
    check("#!/bin/sh\ngrep -q '^fix:' \"$1\"\n");
    check("#!/usr/bin/env bash\nset -e\nhead -1 \"$1\" | grep -q '^fix:'\nexit 0\n");
    check("#!/bin/sh\nexec grep -q '^fix:' \"$1\"");
    // A program that is no shell script, and asks for its own name.
    check(
        "#!/usr/bin/perl\nexit 9 unless $0 =~ m{/commit-msg$};\nopen(F, $ARGV[0]); $_ = <F>;\nexit(/^fix:/ ? 0 : 1);\n",
    );
}

#[test]
fn hooks_install_and_remove_a_file() {
    let repo = Repo::installed();
    assert!(repo.hook().exists());
    repo.env.ok(&["task", "hooks", "--remove"]);
    assert!(!repo.hook().exists());
    assert!(repo.env.ok(&["task", "hooks"]).starts_with("not installed"));
}

#[test]
fn hooks_install_refuses_shared_hook_folder() {
    let check = |hooks_path: &str, file: &str| {
        let repo = Repo::new();
        repo.ok(&["config", "core.hooksPath", hooks_path]);
        let ran = repo.env.run(&["task", "hooks", "--install"]);
        assert!(
            ran.code == 3 && ran.err.contains(file) && ran.err.contains("apostille task trailers"),
            "{ran}"
        );
        assert!(!repo.hook().exists() && !repo.env.repo().join(file).exists());
    };
    check(".husky/_", ".husky/commit-msg");
    check(".githooks", ".githooks/commit-msg");
    check("/nowhere/hooks", "/nowhere/hooks/commit-msg");
    let repo = Repo::new();
    repo.ok(&["config", "core.hooksPath", ".husky/_"]);
    let line = repo.env.run(&["--json", "task", "hooks"]).out;
    let line: serde_json::Value = serde_json::from_str(&line).unwrap();
    repo.env.write(
        ".husky/commit-msg",
        format!("#!/bin/sh\n{}\n", line["add"].as_str().unwrap()),
    );
    repo.env.write(
        ".husky/_/commit-msg",
        "#!/bin/sh\nsh -e .husky/commit-msg \"$@\"\n",
    );
    let stub = repo.env.repo().join(".husky/_/commit-msg");
    fs::set_permissions(stub, fs::Permissions::from_mode(0o755)).unwrap();
    repo.message(None, &["commit", "-m", "with husky"]);
    assert!(repo.has_both() && repo.env.ok(&["task", "hooks"]).starts_with("installed"));
}

#[test]
fn commits_go_on_where_the_program_is_not() {
    let mut repo = Repo::installed();
    repo.path = std::env::var("PATH").unwrap_or_default();
    assert_eq!(
        repo.message(None, &["commit", "-m", "alone"]).trim_end(),
        "alone"
    );
    let trust = "trust.allow = \"git.example.com/acme/*\"\n";
    repo.env.beside(".config/apostille/config.toml", trust);
    repo.env.write("apostille.toml", "this is no setting\n");
    let repo = Repo {
        path: Repo::new().path,
        ..repo
    };
    assert_eq!(
        repo.message(None, &["commit", "-m", "misconfigured"])
            .trim_end(),
        "misconfigured"
    );
    assert_eq!(repo.env.run(&["task", "trailers", "absent"]).code, 0);
}

#[test]
fn prompt_version_changes_with_its_parts() {
    let repo = Repo::new();
    let version = || {
        repo.env
            .ok(&["task", "trailers", "--print"])
            .lines()
            .last()
            .unwrap()
            .to_owned()
    };
    let first = version();
    repo.env
        .ok(&["remember", "--user", "prefers small commits"]);
    repo.env.ok(&["task", "note", "memory is left out"]);
    assert_eq!(version(), first);
    repo.env.write(".cursor/rules/a.mdc", "tidy\n");
    let second = version();
    assert_ne!(second, first);
    std::os::unix::fs::symlink("AGENTS.md", repo.env.repo().join("CLAUDE.md")).unwrap();
    assert_ne!(version(), second);
}
