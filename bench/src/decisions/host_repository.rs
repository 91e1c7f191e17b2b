//! The repositories that are worked in: the host's history, and on top of it decisions in commits.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result, bail};
use jiff::{SignedDuration, Timestamp};

use super::data_set::DecisionTask;

/// When the first decision was committed; each task has a day of its own.
const FIRST_DECISION: i64 = 1_781_950_000;
const DAY: SignedDuration = SignedDuration::from_hours(24);
const HOUR: SignedDuration = SignedDuration::from_hours(1);
/// Another person than the one who works in the checkout.
const AUTHOR: (&str, &str) = ("Priya N.", "priya@example.com");
/// What a checkout has without the host's history: files with a commit each.
const SMALL: [(&str, &str, &str); 3] = [
    ("README.md", "# A small host\n", "docs: begin a readme"),
    (
        "setup.cfg",
        "[metadata]\nname = host\n",
        "build: name the package",
    ),
    ("CHANGELOG.md", "# Changes\n", "docs: begin a changelog"),
];

/// A commit that gives the reason of a decision.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CommittedDecision {
    /// Its whole hash.
    pub(super) hash: String,
    /// Why it was decided so.
    pub(super) reason: String,
    /// The lines that are edited to mend what a later commit broke.
    pub(super) broken: String,
}

/// A checkout.
pub(super) struct HostRepository {
    /// Where it lies.
    pub(super) root: PathBuf,
    /// The decisions in its commits, by the name of the task.
    decisions: BTreeMap<String, CommittedDecision>,
}

impl HostRepository {
    /// Makes a checkout with the host's history, or a few commits where there is none, under a name of its own.
    pub(super) fn create(root: PathBuf, name: &str, host: Option<&Path>) -> Result<Self> {
        let repository = Self {
            root,
            decisions: BTreeMap::new(),
        };
        fs::create_dir_all(&repository.root)?;
        let start = Timestamp::from_second(FIRST_DECISION)? - DAY;
        repository.git(start, &["init", "--quiet", "--initial-branch=main"])?;
        let remote = format!("https://github.com/bench/{name}.git");
        repository.git(start, &["remote", "add", "origin", &remote])?;
        match host {
            Some(host) => {
                let host = std::path::absolute(host)?.to_string_lossy().into_owned();
                repository.git(start, &["fetch", "--quiet", "--no-tags", &host, "HEAD"])?;
                repository.git(start, &["reset", "--quiet", "--hard", "FETCH_HEAD"])?;
            }
            None => {
                for (path, text, message) in SMALL {
                    repository.commit(start, path, text, message)?;
                }
            }
        }
        Ok(repository)
    }

    /// Commits the decision of a task, something else, and what breaks the decision.
    pub(super) fn commit_decision(&mut self, task: &DecisionTask) -> Result<()> {
        let [subject, reason, cause] = task.read_commit_messages()?;
        let n_days = i32::try_from(self.decisions.len())?;
        let at = Timestamp::from_second(FIRST_DECISION)? + DAY * n_days;
        let before = self.read(&task.module);
        let decided = write_function(task, "as decided");
        let broken = write_function(task, "simpler");
        let message = format!("{subject}\n\n{reason}");
        self.commit(at, &task.module, &format!("{before}{decided}"), &message)?;
        let hash = self.git(at, &["rev-parse", "HEAD"])?.trim().to_owned();
        let changes = format!("{}- Cleanups of day {n_days}.\n", self.read("CHANGELOG.md"));
        self.commit(
            at + HOUR,
            "CHANGELOG.md",
            &changes,
            "docs: changelog housekeeping",
        )?;
        let module = format!("{before}{broken}");
        self.commit(at + HOUR * 2, &task.module, &module, &cause)?;
        let made = CommittedDecision {
            hash,
            reason,
            broken,
        };
        self.decisions.insert(task.name.clone(), made);
        Ok(())
    }

    /// The commit with the decision of a task.
    pub(super) fn find_decision(&self, task: &DecisionTask) -> Result<&CommittedDecision> {
        let found = self.decisions.get(&task.name);
        found.with_context(|| format!("{} is not committed here", task.name))
    }

    /// All messages of its commits, and their hashes.
    pub(super) fn read_log(&self) -> Result<Vec<(String, String)>> {
        let at = Timestamp::from_second(FIRST_DECISION)?;
        let log = self.git(at, &["log", "--format=%H%x01%B%x00"])?;
        let commits = log
            .split('\0')
            .filter_map(|it| it.trim().split_once('\u{1}'));
        Ok(commits
            .map(|(hash, message)| (hash.to_owned(), message.to_owned()))
            .collect())
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root.join(path)).unwrap_or_default()
    }

    fn commit(&self, at: Timestamp, path: &str, text: &str, message: &str) -> Result<()> {
        let file = self.root.join(path);
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(file, text)?;
        self.git(at, &["add", "--", path])?;
        self.git(at, &["commit", "--quiet", "--message", message])?;
        Ok(())
    }

    /// Runs git without anything of the user's own, at a moment, so that hashes are the same each time.
    fn git(&self, at: Timestamp, arguments: &[&str]) -> Result<String> {
        let mut command = Command::new("git");
        for role in ["AUTHOR", "COMMITTER"] {
            command
                .env(format!("GIT_{role}_NAME"), AUTHOR.0)
                .env(format!("GIT_{role}_EMAIL"), AUTHOR.1)
                .env(format!("GIT_{role}_DATE"), at.to_string());
        }
        command
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .args(["-c", "gc.auto=0", "-c", "maintenance.auto=false"])
            .args(arguments)
            .current_dir(&self.root);
        let output = command.output()?;
        if !output.status.success() {
            let why = String::from_utf8_lossy(&output.stderr).into_owned();
            bail!("git {arguments:?} failed: {}", why.trim());
        }
        Ok(String::from_utf8(output.stdout)?)
    }
}

/// Code that stands for what was decided: the data set has the real code in scripts only.
fn write_function(task: &DecisionTask, how: &str) -> String {
    let name = task.function.as_deref().unwrap_or("main_rule");
    let name = name.rsplit('.').next().unwrap_or(name);
    format!("\n\ndef {name}(*values):\n    rule = {how:?}\n    return rule, values\n")
}

/// The decisions of tasks in as few repositories as have each module once: a second decision about one file would be
/// another reason for the lines of the first.
pub(super) fn group_by_module<'t>(
    tasks: impl Iterator<Item = &'t DecisionTask>,
) -> Vec<Vec<&'t DecisionTask>> {
    let mut groups: Vec<Vec<&DecisionTask>> = Vec::new();
    for task in tasks {
        let is_free = |it: &&mut Vec<&DecisionTask>| it.iter().all(|it| it.module != task.module);
        match groups.iter_mut().find(is_free) {
            Some(group) => group.push(task),
            None => groups.push(vec![task]),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(name: &str, module: &str) -> DecisionTask {
        let json = serde_json::json!({
            "task_id": name, "codebase": name, "source": "history", "module": module, "policy": "7",
            "bug_report": "It fails.", "decision_subject": "fix: cap it", "decision_rationale": "Eight trips it.",
            "cause_subject": "perf: simplify",
        });
        serde_json::from_value(json).unwrap()
    }

    #[test]
    fn a_file_is_decided_about_once_in_a_repository() {
        let tasks = [task("a", "x.py"), task("b", "x.py"), task("c", "y.py")];
        let groups = group_by_module(tasks.iter());
        let names: Vec<Vec<&str>> = groups
            .iter()
            .map(|it| it.iter().map(|it| it.name.as_str()).collect())
            .collect();
        assert_eq!(names, [vec!["a", "c"], vec!["b"]]);
    }

    #[test]
    fn a_decision_has_the_same_hash_each_time() {
        let dir = tempfile::tempdir().unwrap();
        let create = |name: &str| {
            let mut made = HostRepository::create(dir.path().join(name), "host", None).unwrap();
            made.commit_decision(&task("a", "pkg/x.py")).unwrap();
            made
        };
        let (one, other) = (create("one"), create("other"));
        assert_eq!(one.decisions, other.decisions);
        let log = one.read_log().unwrap();
        let subjects: Vec<&str> = log.iter().map(|it| it.1.lines().next().unwrap()).collect();
        let last = [
            "perf: simplify",
            "docs: changelog housekeeping",
            "fix: cap it",
        ];
        assert_eq!(subjects[..3], last);
        assert_eq!(log[2].0, one.decisions["a"].hash);
        assert!(one.read("pkg/x.py").contains(&one.decisions["a"].broken));
    }
}
