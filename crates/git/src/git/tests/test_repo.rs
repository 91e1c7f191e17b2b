//! Real repositories for tests, cut off from the machine's own configuration.

use std::fs;
use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use apostille_cite::{
    citation::RepoPath,
    source::{Source, SourceError},
};
use tempfile::TempDir;

use crate::git::{discover::Checkout, git_command::REMOVED};

/// When everything in these repositories was written.
const DATE: &str = "2026-01-02T03:04:05Z";

/// A repository `app` in a folder of its own, which also serves as the home directory.
pub(crate) struct GitTestRepo {
    home: TempDir,
    root: PathBuf,
}

impl GitTestRepo {
    /// A repository with a branch `main` and no commit.
    pub(crate) fn new() -> Self {
        Self::with_init_options(&[])
    }

    /// The same with options for `git init`.
    pub(crate) fn with_init_options(options: &[&str]) -> Self {
        let home = TempDir::new().unwrap();
        let root = home.path().canonicalize().unwrap().join("app");
        fs::create_dir(&root).unwrap();
        let repo = Self { home, root };
        repo.run_git(&[&["init", "--quiet", "--initial-branch=main"], options].concat());
        repo
    }

    /// A repository with one commit of `src/a.rs`.
    pub(crate) fn with_commit() -> (Self, String) {
        let repo = Self::new();
        repo.write_file("src/a.rs", "one\n");
        let commit = repo.commit_all("first");
        (repo, commit)
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// A path beside the repository.
    pub(crate) fn sibling_path(&self, name: &str) -> PathBuf {
        self.home.path().canonicalize().unwrap().join(name)
    }

    pub(crate) fn write_file(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Commits everything there is and returns the commit.
    pub(crate) fn commit_all(&self, message: &str) -> String {
        self.run_git(&["add", "--all"]);
        self.run_git(&[
            "commit",
            "--quiet",
            "--allow-empty",
            "--no-verify",
            "--message",
            message,
        ]);
        self.run_git(&["rev-parse", "HEAD"])
    }

    /// Makes the commit of another repository appear under a path, as a submodule does.
    pub(crate) fn add_gitlink(&self, path: &str, commit: &str) {
        self.run_git(&[
            "update-index",
            "--add",
            "--cacheinfo",
            &format!("160000,{commit},{path}"),
        ]);
    }

    /// A linked working tree beside the repository.
    pub(crate) fn add_worktree(&self, name: &str, branch: &str) -> PathBuf {
        let path = self.sibling_path(name);
        self.run_git(&[
            "worktree",
            "add",
            "--quiet",
            "-b",
            branch,
            path.to_str().unwrap(),
        ]);
        path
    }

    pub(crate) fn run_git(&self, arguments: &[&str]) -> String {
        self.run_git_in(&self.root, arguments)
    }

    pub(crate) fn run_git_in(&self, directory: &Path, arguments: &[&str]) -> String {
        let output = self
            .build_command(directory)
            .args(arguments)
            .output()
            .unwrap();
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {arguments:?}: {complaint}");
        String::from_utf8(output.stdout)
            .unwrap()
            .trim_end()
            .to_owned()
    }

    /// Git as a user would start it here, but cut off from the machine's own configuration.
    pub(crate) fn build_command(&self, directory: &Path) -> Command {
        let mut command = Command::new("git");
        for name in REMOVED {
            command.env_remove(name);
        }
        command
            .env("HOME", self.home.path())
            .env_remove("XDG_CONFIG_HOME");
        command
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("LC_ALL", "C");
        for who in ["AUTHOR", "COMMITTER"] {
            command
                .env(format!("GIT_{who}_NAME"), "Ana")
                .env(format!("GIT_{who}_EMAIL"), "ana@example.com");
            command.env(format!("GIT_{who}_DATE"), DATE);
        }
        command.args([
            "-c",
            "core.autocrlf=false",
            "-c",
            "protocol.file.allow=always",
        ]);
        command.current_dir(directory).stdin(Stdio::null());
        command
    }

    pub(crate) fn discover_checkout(&self) -> Checkout {
        expect_checkout(&self.root)
    }
}

/// The repository that a directory lies in, which must be one.
pub(crate) fn expect_checkout(start: &Path) -> Checkout {
    Checkout::discover(start).unwrap().unwrap()
}

pub(crate) fn parse_test_path(text: &str) -> RepoPath {
    text.parse().unwrap()
}

/// What a source holds under a path, as one word that tests can compare.
pub(crate) fn describe_source_read(source: &dyn Source, text: &str) -> String {
    match source.read_file(&parse_test_path(text)) {
        Ok(Some(blob)) => format!("text {}", String::from_utf8_lossy(&blob.bytes).trim_end()),
        Ok(None) => "none".into(),
        Err(SourceError::Outside { .. }) => "outside".into(),
        Err(SourceError::TooLarge { bytes, .. }) => format!("too large {bytes}"),
        Err(SourceError::NoSuchRef(_)) => "no such ref".into(),
        Err(SourceError::Nowhere | SourceError::OtherRepository { .. }) => "nowhere".into(),
        Err(SourceError::Limited { .. }) => "limited".into(),
        Err(SourceError::Unavailable { .. }) => "unavailable".into(),
    }
}
