//! How a commit came to be: one `git log` along first parents, and what lies beside that line.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command};

use apostille_cite::source::{
    CommitHistory, CommitStep, FileEdit, FileVersion, HistoryRoute, MAX_FILE, SourceError,
};

use super::cat_file::{CatFile, CatFileAnswer};
use super::discover::Checkout;
use super::refs::is_object_id;
use super::{git_command, source_unavailable};

/// How much git may say before the walk is cut short: about half a million files touched.
const MAX_OUTPUT: usize = 64 * 1024 * 1024;
/// How many commits are asked for their parents, to place one that is not on the line.
const MAX_GRAPH: &str = "--max-count=200000";
/// The file's id where there is no file.
const NOTHING: u8 = b'0';

/// Files in the order of their names, whatever order is configured.
const NO_ORDER: &str = if cfg!(windows) {
    "-ONUL"
} else {
    "-O/dev/null"
};

/// What outranks the repository's configuration where history is read: nothing is run, and renames are found alike.
const LOG: [&str; 10] = [
    "--diff-merges=first-parent",
    "--first-parent",
    "--root",
    NO_ORDER,
    "--raw",
    "-z",
    "--no-abbrev",
    "--no-show-signature",
    "--no-notes",
    "--format=%x01%H",
];

/// Walks from `head` back along first parents until every commit of `from` was met, at most `most` steps.
pub(super) fn walk_first_parents(
    checkout: &Checkout,
    head: &str,
    from: &BTreeSet<String>,
    most: usize,
) -> Result<CommitHistory, SourceError> {
    let from: BTreeSet<&str> = from
        .iter()
        .map(String::as_str)
        .filter(|it| is_object_id(it))
        .collect();
    // Where a clone lacks contents, renames cannot be told by them.
    let mut line = FirstParentLine::read_log(checkout, head, &from, most, "--find-renames")
        .or_else(|_| FirstParentLine::read_log(checkout, head, &from, most, "--no-renames"))?;
    line.steps.reverse();
    let mut ways = line.collect_routes();
    let missing: Vec<&str> = from
        .into_iter()
        .filter(|it| !ways.contains_key(*it))
        .collect();
    if !missing.is_empty() {
        let graph = CommitGraph::read_parents(checkout, head)?;
        for commit in missing {
            if let Some(way) = find_route_across(checkout, &line, &graph, commit)? {
                ways.insert(commit.to_owned(), way);
            }
        }
    }
    Ok(CommitHistory {
        steps: line.steps,
        ways,
    })
}

/// The line of first parents, as far as it was read.
struct FirstParentLine<'f> {
    /// What each commit did.
    steps: Vec<CommitStep>,
    wanted: BTreeSet<&'f str>,
    /// The commit after which the steps begin, where the walk ended at one that was asked for.
    base: Option<String>,
}

impl<'f> FirstParentLine<'f> {
    fn read_log(
        checkout: &Checkout,
        head: &str,
        wanted: &BTreeSet<&'f str>,
        most: usize,
        renames: &str,
    ) -> Result<Self, SourceError> {
        let mut command = git_command::build_git_command(checkout);
        command
            .args(["-c", "diff.renameLimit=1000", "log"])
            .args(LOG)
            .arg(renames);
        command.args([
            &format!("--max-count={}", most.saturating_add(1)),
            head,
            "--",
        ]);
        let mut log = GitOutput::spawn_command(command)?;
        let mut line = Self {
            steps: Vec::new(),
            wanted: wanted.clone(),
            base: None,
        };
        let mut unseen = wanted.clone();
        while let Some(field) = log.read_field()? {
            let field = field.strip_prefix(b"\n").unwrap_or(&field);
            if let Some(commit) = field.strip_prefix(b"\x01") {
                let commit = String::from_utf8_lossy(commit).into_owned();
                unseen.remove(commit.as_str());
                let is_end = unseen.is_empty() || line.steps.len() >= most || log.read > MAX_OUTPUT;
                if is_end {
                    line.base = Some(commit);
                    log.kill_child();
                    return Ok(line);
                }
                line.steps.push(CommitStep {
                    commit,
                    edits: Vec::new(),
                });
            } else if let Some(header) = field.strip_prefix(b":") {
                let edit = log.read_edit(header.to_vec())?;
                if let (Some(edit), Some(step)) = (edit, line.steps.last_mut()) {
                    step.edits.push(edit);
                }
            }
        }
        log.expect_success()?;
        Ok(line)
    }

    /// How one comes to the end of the line from each wanted commit on it. The steps are in order by now.
    fn collect_routes(&self) -> BTreeMap<String, HistoryRoute> {
        let on_line = self
            .steps
            .iter()
            .enumerate()
            .map(|(at, step)| (step.commit.as_str(), at + 1));
        let base = self.base.as_deref().map(|it| (it, 0));
        let wanted = base
            .into_iter()
            .chain(on_line)
            .filter(|it| self.wanted.contains(it.0));
        wanted
            .map(|(commit, at)| (commit.to_owned(), HistoryRoute::Along(at)))
            .collect()
    }
}

/// Who is whose parent, as far as it was read.
struct CommitGraph {
    parents: HashMap<String, Vec<String>>,
}

impl CommitGraph {
    fn read_parents(checkout: &Checkout, head: &str) -> Result<Self, SourceError> {
        let mut command = git_command::build_git_command(checkout);
        command.args(["rev-list", "--parents", MAX_GRAPH, head, "--"]);
        let mut output = GitOutput::spawn_command(command)?;
        let mut parents = HashMap::new();
        while let Some(line) = output.read_line()? {
            let mut ids = line.split(' ').map(str::to_owned);
            if let Some(commit) = ids.next() {
                parents.insert(commit, ids.collect());
            }
        }
        output.expect_success()?;
        Ok(Self { parents })
    }

    /// The first commit on the line that has this one behind it, as its place on the line.
    fn find_join(&self, line: &FirstParentLine<'_>, commit: &str) -> Option<usize> {
        let mut seen: HashSet<&str> = HashSet::new();
        for (at, step) in line.steps.iter().enumerate() {
            let mut open: Vec<&str> = vec![&step.commit];
            while let Some(id) = open.pop() {
                if id == commit {
                    return Some(at);
                }
                // What lies before the line was there all along: only the first step sees it.
                if seen.insert(id) {
                    open.extend(
                        self.parents
                            .get(id)
                            .into_iter()
                            .flatten()
                            .map(String::as_str),
                    );
                }
            }
        }
        None
    }
}

/// The way from a commit that is not on the line: one leap to where it joins, or to the end if it never does.
fn find_route_across(
    checkout: &Checkout,
    line: &FirstParentLine<'_>,
    graph: &CommitGraph,
    commit: &str,
) -> Result<Option<HistoryRoute>, SourceError> {
    let is_ancestor = graph.parents.contains_key(commit);
    let joins = if is_ancestor {
        graph.find_join(line, commit)
    } else {
        None
    };
    let end = joins.or(line.steps.len().checked_sub(1));
    let target = end
        .map(|at| line.steps[at].commit.clone())
        .or_else(|| line.base.clone());
    let Some(target) = target else {
        return Ok(None);
    };
    let Some(edits) = diff_commit_trees(checkout, commit, &target)? else {
        return Ok(None);
    };
    let then = end.map_or(0, |at| at + 1);
    Ok(Some(HistoryRoute::Across {
        leap: CommitStep {
            commit: target,
            edits,
        },
        then,
        is_ancestor: Some(is_ancestor),
    }))
}

/// What differs between two commits; `None` if git does not have the first.
fn diff_commit_trees(
    checkout: &Checkout,
    from: &str,
    to: &str,
) -> Result<Option<Vec<FileEdit>>, SourceError> {
    // Where a clone lacks contents, renames cannot be told by them.
    let edits = ["--find-renames", "--no-renames"]
        .into_iter()
        .find_map(|renames| {
            let mut command = git_command::build_git_command(checkout);
            command.args([
                "-c",
                "diff.renameLimit=1000",
                "diff-tree",
                "-r",
                "--raw",
                "-z",
                "--no-abbrev",
            ]);
            command.args([renames, from, to, "--"]);
            collect_raw_edits(command).ok()
        });
    match edits {
        Some(edits) => Ok(Some(edits)),
        None if has_commit(checkout, from)? => Err(source_unavailable(
            "the history with git",
            format!("commit {from} could not be read; try 'git fsck'"),
        )),
        None => Ok(None),
    }
}

/// Whether git has a commit; one that is broken is an error.
fn has_commit(checkout: &Checkout, commit: &str) -> Result<bool, SourceError> {
    let mut child = CatFile::spawn_child(git_command::build_git_command(checkout))
        .map_err(git_command::git_start_error)?;
    let answer = child.request_object(&format!("{commit}^{{commit}}"), MAX_FILE);
    Ok(
        answer.map_err(|error| source_unavailable(format!("commit {commit} with git"), error))?
            != CatFileAnswer::Missing,
    )
}

/// The files that a command lists as git's plumbing does.
fn collect_raw_edits(command: Command) -> Result<Vec<FileEdit>, SourceError> {
    let mut output = GitOutput::spawn_command(command)?;
    let mut edits = Vec::new();
    while let Some(field) = output.read_field()? {
        if let Some(header) = field.strip_prefix(b":") {
            edits.extend(output.read_edit(header.to_vec())?);
        }
    }
    output.expect_success()?;
    Ok(edits)
}

/// What the working tree holds otherwise than its commit, by what git noted of its files; no file is read.
pub(crate) fn diff_worktree_with_commit(
    checkout: &Checkout,
    head: &str,
) -> Result<Vec<FileEdit>, SourceError> {
    let mut command = git_command::build_git_command(checkout);
    disable_git_filters(checkout, &mut command)?;
    command.args(["diff-index", "--raw", "-z", "--no-abbrev", "--no-renames"]);
    // To look into a submodule, git would obey the configuration of that one.
    command.args(["--ignore-submodules=all", head, "--"]);
    let mut edits = collect_raw_edits(command)?;
    for edit in &mut edits {
        // What is staged may differ from what lies in the file.
        if let Some(now) = &mut edit.now {
            now.id = None;
        }
    }
    edits.extend(list_untracked_files(checkout)?);
    Ok(edits)
}

/// Where a file's time says nothing, git compares what it holds, and would run the filters of the configuration.
fn disable_git_filters(checkout: &Checkout, command: &mut Command) -> Result<(), SourceError> {
    let mut names = git_command::build_git_command(checkout);
    names.args([
        "config",
        "--null",
        "--name-only",
        "--get-regexp",
        r"^filter\..*\.(clean|process|required)$",
    ]);
    let mut output = GitOutput::spawn_command(names)?;
    let mut n_set = 0;
    while let Some(name) = output.read_field()? {
        let name =
            String::from_utf8(name).map_err(|error| source_unavailable("git's filters", error))?;
        let value = if name.ends_with(".required") {
            "false"
        } else {
            ""
        };
        command
            .env(format!("GIT_CONFIG_KEY_{n_set}"), name)
            .env(format!("GIT_CONFIG_VALUE_{n_set}"), value);
        n_set += 1;
    }
    command.env("GIT_CONFIG_COUNT", n_set.to_string());
    // Git says 1 where there are none.
    if n_set == 0 {
        output.expect_exit_code(&[0, 1])
    } else {
        output.expect_success()
    }
}

/// The files that are in the commit, but that a sparse checkout leaves out of the working tree.
pub(crate) fn list_sparse_excluded(checkout: &Checkout) -> Result<BTreeSet<String>, SourceError> {
    if !checkout.git_dir().join("info/sparse-checkout").exists() {
        return Ok(BTreeSet::new());
    }
    let mut command = git_command::build_git_command(checkout);
    command.args(["ls-files", "-t", "-z"]);
    let mut output = GitOutput::spawn_command(command)?;
    let mut paths = BTreeSet::new();
    while let Some(field) = output.read_field()? {
        paths.extend(
            field
                .strip_prefix(b"S ")
                .map(|it| String::from_utf8_lossy(it).into_owned()),
        );
    }
    output.expect_success()?;
    Ok(paths)
}

fn list_untracked_files(checkout: &Checkout) -> Result<Vec<FileEdit>, SourceError> {
    let mut command = git_command::build_git_command(checkout);
    command.args(["ls-files", "--others", "--exclude-standard", "-z"]);
    let mut output = GitOutput::spawn_command(command)?;
    let mut edits = Vec::new();
    while let Some(field) = output.read_field()? {
        if let Ok(path) = String::from_utf8_lossy(&field).parse() {
            edits.push(FileEdit {
                was: None,
                now: Some(FileVersion { path, id: None }),
            });
        }
    }
    output.expect_success()?;
    Ok(edits)
}

/// What a git child says, piece by piece.
struct GitOutput {
    child: Child,
    answers: BufReader<std::process::ChildStdout>,
    read: usize,
}

impl GitOutput {
    fn spawn_command(mut command: Command) -> Result<Self, SourceError> {
        let mut child = command.spawn().map_err(git_command::git_start_error)?;
        match child.stdout.take() {
            Some(answers) => Ok(Self {
                child,
                answers: BufReader::with_capacity(1 << 16, answers),
                read: 0,
            }),
            None => Err(source_unavailable(
                "the history with git",
                "git was started without pipes",
            )),
        }
    }

    /// The next piece up to a NUL; `None` at the end.
    fn read_field(&mut self) -> Result<Option<Vec<u8>>, SourceError> {
        let mut field = Vec::new();
        self.read += self
            .answers
            .read_until(0, &mut field)
            .map_err(|error| source_unavailable("the history with git", error))?;
        if field.is_empty() {
            return Ok(None);
        }
        if field.last() == Some(&0) {
            field.pop();
        }
        Ok(Some(field))
    }

    fn read_line(&mut self) -> Result<Option<String>, SourceError> {
        let mut line = String::new();
        self.answers
            .read_line(&mut line)
            .map_err(|error| source_unavailable("the history with git", error))?;
        Ok((!line.is_empty()).then(|| line.trim_end().to_owned()))
    }

    /// `<mode> <mode> <id> <id> <letter>`, then one path, or two for a rename. Only what can be cited is told: files,
    /// not links or submodules, under names that are paths.
    fn read_edit(&mut self, header: Vec<u8>) -> Result<Option<FileEdit>, SourceError> {
        let header = String::from_utf8_lossy(&header).into_owned();
        let words: Vec<&str> = header.split(' ').collect();
        let [mode_was, mode_now, id_was, id_now, letter] = words[..] else {
            return Err(source_unavailable(
                "the history with git",
                "git answered in an unknown way",
            ));
        };
        let first = self.read_field()?.unwrap_or_default();
        let second = if letter.starts_with(['R', 'C']) {
            self.read_field()?.unwrap_or_default()
        } else {
            first.clone()
        };
        let was = parse_file_version(mode_was, id_was, &first).filter(|_| !letter.starts_with('C'));
        let now = parse_file_version(mode_now, id_now, &second);
        Ok((was.is_some() || now.is_some()).then_some(FileEdit { was, now }))
    }

    /// Waits for the child; it must have been content.
    fn expect_success(self) -> Result<(), SourceError> {
        self.expect_exit_code(&[0])
    }

    /// Waits for the child; it must have ended with one of these numbers.
    fn expect_exit_code(mut self, fine: &[i32]) -> Result<(), SourceError> {
        let status = self
            .child
            .wait()
            .map_err(|error| source_unavailable("the history with git", error))?;
        if status.code().is_some_and(|it| fine.contains(&it)) {
            Ok(())
        } else {
            Err(source_unavailable(
                "the history with git",
                format!("git failed: {status}; try 'git fsck'"),
            ))
        }
    }

    /// Enough was said.
    fn kill_child(&mut self) {
        let _ = self.child.kill();
    }
}

impl Drop for GitOutput {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn parse_file_version(mode: &str, id: &str, path: &[u8]) -> Option<FileVersion> {
    let is_file = mode.starts_with("100");
    let path = std::str::from_utf8(path).ok()?.parse().ok()?;
    let id = (!id.bytes().all(|it| it == NOTHING)).then(|| id.to_owned());
    is_file.then_some(FileVersion { path, id })
}
