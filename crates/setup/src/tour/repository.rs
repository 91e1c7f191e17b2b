//! The throwaway repository that the tour plays in. It is removed when the tour is over, however it ends.

use std::fs;
use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use apostille_cite::citation::{CodeLocationError, RepoPath};
use apostille_terminal::paint::{DIM, style_text};
use apostille_workspace::{error::CommandError, system::System};

/// When everything is committed, so that the tour is the same every time.
const DATE: &str = "2026-01-02T03:04:05Z";
const LIMITS: &str = "\
const MB: u64 = 1024 * 1024;

/// The proxy in front cuts uploads off here.
pub const MAX_UPLOAD: u64 = 10 * MB;
";
const LEGACY: &str = "\
pub fn is_legacy(token: &str) -> bool {
    token.starts_with(\"v1.\")
}
";
/// Where the limits are after a week.
const MOVED: &str = "src/http/limits.rs";
const FILES: [(&str, &str); 2] = [("src/limits.rs", LIMITS), ("src/legacy.rs", LEGACY)];

/// A temporary folder with a repository in it.
pub(super) struct TourRepository {
    root: PathBuf,
}

impl TourRepository {
    /// Sets the stage: a repository where git is found, else plain files.
    pub(super) fn create_in_temp(system: &System) -> Result<Self, CommandError> {
        let name = format!("apostille-tour-{:016x}", (system.random_source())() >> 64);
        let root = system.temp_dir().join(name);
        fs::create_dir(&root).map_err(|error| build_tour_error(&root, &error))?;
        let root = fs::canonicalize(&root).unwrap_or(root);
        let stage = Self { root };
        for (path, text) in FILES {
            stage.write_file(path, text)?;
        }
        stage.commit_files();
        Ok(stage)
    }

    pub(super) fn repo_dir(&self) -> PathBuf {
        self.root.join("shop")
    }

    pub(super) fn home_dir(&self) -> PathBuf {
        self.root.join("home")
    }

    /// The file that the first fact cites, as it is.
    pub(super) fn format_listing(&self) -> String {
        let mut listing = format!("\n  {}\n", style_text(DIM, "src/limits.rs"));
        for (n, line) in (1..).zip(LIMITS.lines()).skip(2) {
            listing += &format!("  {} {line}\n", style_text(DIM, format!("{n:>3} │")));
        }
        listing
    }

    /// The file that the agent edits.
    pub(super) fn edited_file() -> Result<RepoPath, CodeLocationError> {
        MOVED.parse()
    }

    /// Moves and edits the file that one fact cites, and removes what the other does.
    pub(super) fn change_code(&self) -> Result<(), CommandError> {
        for path in ["src/limits.rs", "src/legacy.rs"] {
            let path = self.repo_dir().join(path);
            fs::remove_file(&path).map_err(|error| build_tour_error(&path, &error))?;
        }
        self.write_file(MOVED, &self.moved_limits())?;
        self.commit_all("One folder for HTTP, no legacy tokens");
        Ok(())
    }

    /// Raises the limit, as the agent does.
    pub(super) fn edit_limit(&self) -> Result<(), CommandError> {
        self.write_file(MOVED, &self.moved_limits().replace("10 * MB", "25 * MB"))
    }

    /// Commits what the agent did.
    pub(super) fn commit_edit(&self) {
        self.commit_all("Larger uploads");
    }

    fn moved_limits(&self) -> String {
        format!("//! Limits of the HTTP layer.\n\nconst KB: u64 = 1024;\n{LIMITS}")
    }

    fn write_file(&self, path: &str, text: &str) -> Result<(), CommandError> {
        let path = self.repo_dir().join(path);
        let folder = path.parent().unwrap_or(&self.root);
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&path, text))
            .map_err(|error| build_tour_error(&path, &error))
    }

    /// Makes it a repository with one commit. Without git the tour goes on with plain files.
    fn commit_files(&self) {
        if !(self.run_git(&["init", "--quiet"]) && self.commit_all("A small shop")) {
            let _ = fs::remove_dir_all(self.repo_dir().join(".git"));
        }
    }

    /// Commits everything there is; whether that could be done.
    fn commit_all(&self, message: &str) -> bool {
        let commit = ["commit", "--quiet", "--no-verify", "--message", message];
        self.run_git(&["add", "--all"]) && self.run_git(&commit)
    }

    /// Runs git cut off from the user's own configuration.
    fn run_git(&self, arguments: &[&str]) -> bool {
        let mut command = Command::new("git");
        for name in [
            "GIT_DIR",
            "GIT_WORK_TREE",
            "GIT_INDEX_FILE",
            "GIT_OBJECT_DIRECTORY",
            "GIT_COMMON_DIR",
            "GIT_NAMESPACE",
            "GIT_TEMPLATE_DIR",
            "XDG_CONFIG_HOME",
        ] {
            command.env_remove(name);
        }
        command
            .env("HOME", self.home_dir())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", self.home_dir().join("none"));
        for who in ["AUTHOR", "COMMITTER"] {
            command
                .env(format!("GIT_{who}_NAME"), "Tour")
                .env(format!("GIT_{who}_EMAIL"), "tour@example.com")
                .env(format!("GIT_{who}_DATE"), DATE);
        }
        command.current_dir(self.repo_dir()).args(arguments);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.status().is_ok_and(|it| it.success())
    }
}

impl Drop for TourRepository {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

fn build_tour_error(path: &Path, error: &std::io::Error) -> CommandError {
    CommandError::usage(format!(
        "the tour cannot use the temporary folder: {}: {error}",
        path.display()
    ))
}
