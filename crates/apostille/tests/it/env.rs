//! A world of its own: a home, a repository, a clock that stands still, and nothing of the machine's configuration.

use std::fmt;
use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use tempfile::TempDir;

/// The time, unless a test says otherwise.
const NOW: &str = "2026-03-01T12:00:00Z";

/// A home with a repository `acme/app` in it.
pub struct Env {
    folder: TempDir,
    root: PathBuf,
    now: String,
    variables: Vec<(String, String)>,
}

/// What a command said.
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Env {
    /// A home and a repository with a few files and one commit.
    pub fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let env = Self {
            folder,
            root,
            now: NOW.into(),
            variables: Vec::new(),
        };
        env.write(
            "src/api.rs",
            "//! The API.\n\npub const API_VERSION: u32 = 7;\n\npub fn serve() {}\n",
        );
        env.write(
            "src/limits.rs",
            "const MB: u64 = 1024 * 1024;\n\npub const MAX_UPLOAD: u64 = 10 * MB;\n",
        );
        env.git(&["init", "--quiet", "--initial-branch=main"]);
        env.git(&[
            "remote",
            "add",
            "origin",
            "https://git.example.com/acme/app.git",
        ]);
        env.commit();
        env
    }

    /// The same for a user who trusts the repository, because its host and owner are listed.
    pub fn trusting(mut self) -> Self {
        self.set("APOSTILLE_TRUST_ALLOW", "git.example.com/acme/*");
        self
    }

    pub fn repo(&self) -> PathBuf {
        self.root.join("app")
    }

    pub fn home(&self) -> &Path {
        &self.root
    }

    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.repo().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Writes a file beside the repository and names it.
    pub fn beside(&self, name: &str, text: &str) -> String {
        let path = self.root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    pub fn commit(&self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--no-verify", "--message", "work"]);
    }

    pub fn git(&self, arguments: &[&str]) {
        let output = self.clean("git").args(arguments).output().unwrap();
        assert!(
            output.status.success(),
            "git {arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }

    /// Sets the clock.
    pub fn at(&mut self, now: &str) -> &mut Self {
        self.now = now.into();
        self
    }

    /// Sets a variable for the commands that follow.
    pub fn set(&mut self, name: &str, value: &str) -> &mut Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    fn clean(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command
            .env("HOME", &self.root)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("LC_ALL", "C")
            .env("APOSTILLE_TEST_WITHOUT_PARENTS", "1");
        for who in ["AUTHOR", "COMMITTER"] {
            command
                .env(format!("GIT_{who}_NAME"), "Ana")
                .env(format!("GIT_{who}_EMAIL"), "ana@example.com");
            command.env(format!("GIT_{who}_DATE"), NOW);
        }
        command.current_dir(self.repo()).stdin(Stdio::null());
        command
    }

    /// The program, ready to be started.
    pub fn command(&self, arguments: &[&str]) -> Command {
        self.ready(env!("CARGO_BIN_EXE_apostille"), arguments)
    }

    /// A shell that may start the program as `$APOSTILLE`.
    pub fn shell(&self, script: &str) -> Command {
        let mut command = self.ready("sh", &["-c", script]);
        command.env("APOSTILLE", env!("CARGO_BIN_EXE_apostille"));
        command
    }

    fn ready(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = self.clean(program);
        command
            .env("USER", "ana")
            .env("NO_COLOR", "1")
            .env("APOSTILLE_NOW", &self.now);
        command.env("TMPDIR", self.folder.path());
        // A busy machine may take its time; a test that is about the deadline sets its own.
        command.env("APOSTILLE_HOOK_DEADLINE_MS", "60000");
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.args(arguments);
        command
    }

    /// Runs the program as a person does in a script of theirs.
    pub fn person(&self, arguments: &[&str]) -> Ran {
        self.said(
            self.command(arguments)
                .env("APOSTILLE_PERSON", "ana")
                .output()
                .unwrap(),
        )
    }

    /// A person states something, and it must go well.
    pub fn stated(&self, arguments: &[&str]) -> String {
        let ran = self.person(arguments);
        assert_eq!(ran.code, 0, "{arguments:?}: {ran}");
        ran.out
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        self.said(self.command(arguments).output().unwrap())
    }

    /// Runs the program at a terminal that `script` makes, where this is typed: what a person does, and an agent with a shell can do.
    #[cfg(target_os = "linux")]
    pub fn at_terminal(&self, arguments: &[&str], typed: &str) -> Ran {
        let words = arguments.iter().map(|it| format!(" '{it}'"));
        let line = format!("\"$APOSTILLE\"{}", words.collect::<String>());
        let mut command = self.shell(r#"exec script -qec "$LINE" /dev/null"#);
        command.env("LINE", line).env("SHELL", "/bin/sh");
        let mut ran = self.feed(command, typed);
        ran.out = ran.out.replace('\r', "");
        ran
    }

    /// Runs a command that must go well, and returns its output.
    pub fn ok(&self, arguments: &[&str]) -> String {
        let ran = self.run(arguments);
        assert_eq!(ran.code, 0, "{arguments:?}: {ran}");
        ran.out
    }

    /// Runs a command with something to read.
    pub fn fed(&self, arguments: &[&str], input: &str) -> Ran {
        self.feed(self.command(arguments), input)
    }

    /// The same for any command.
    pub fn feed(&self, mut command: Command, input: &str) -> Ran {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A program that has seen enough does not read on.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        self.said(child.wait_with_output().unwrap())
    }

    fn said(&self, output: Output) -> Ran {
        let text = |bytes: Vec<u8>| redacted(&String::from_utf8(bytes).unwrap(), &self.root);
        Ran {
            code: output.status.code().unwrap(),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }

    /// Keeps three facts: two of the repository, one of the user.
    pub fn with_facts(&self) -> &Self {
        self.ok(&[
            "remember",
            "--subject",
            "API version",
            "--cite",
            "src/api.rs:3",
            "API_VERSION must equal the client's",
        ]);
        self.ok(&[
            "remember",
            "--cite",
            "src/limits.rs:3",
            "--tag",
            "limits",
            "uploads are limited to 10 MB by MAX_UPLOAD",
        ]);
        self.stated(&["remember", "--user", "prefers small commits"]);
        self
    }

    /// Moves one cited line and edits another.
    pub fn live_on(&self) {
        self.write(
            "src/api.rs",
            "//! The API.\n//! More of it.\n\npub const API_VERSION: u32 = 7;\n\npub fn serve() {}\n",
        );
        self.write(
            "src/limits.rs",
            "const MB: u64 = 1024 * 1024;\n\npub const MAX_UPLOAD: u64 = 25 * MB;\n",
        );
    }
}

impl fmt::Display for Ran {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "exit {}", self.code)?;
        for (name, text) in [("out", &self.out), ("err", &self.err)] {
            if !text.is_empty() {
                writeln!(f, "─── {name}\n{}", text.trim_end())?;
            }
        }
        Ok(())
    }
}

/// The text with what differs from run to run replaced: the folder, and ids.
fn redacted(text: &str, root: &Path) -> String {
    let text = text.replace(root.to_str().unwrap(), "[HOME]");
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(c) = rest.chars().next() {
        let is_id = rest.get(..36).is_some_and(is_uuid);
        out.push_str(if is_id { "[ID]" } else { &rest[..c.len_utf8()] });
        rest = &rest[if is_id { 36 } else { c.len_utf8() }..];
    }
    out
}

fn is_uuid(text: &str) -> bool {
    let at_dash = |n: usize| matches!(n, 8 | 13 | 18 | 23);
    text.bytes().enumerate().all(|(n, b)| {
        if at_dash(n) {
            b == b'-'
        } else {
            b.is_ascii_hexdigit()
        }
    })
}
