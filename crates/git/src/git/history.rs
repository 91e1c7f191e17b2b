//! How a commit came to be: one `git log` along first parents, and what lies beside that line.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command};

use apostille_cite::source::{Edit, History, MAX_FILE, SourceError, Step, Version, Way};

use super::cat_file::{Answer, CatFile};
use super::discover::Checkout;
use super::refs::is_object_id;
use super::{child, unavailable};

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
pub(super) fn walk(
    checkout: &Checkout,
    head: &str,
    from: &BTreeSet<String>,
    most: usize,
) -> Result<History, SourceError> {
    let from: BTreeSet<&str> = from
        .iter()
        .map(String::as_str)
        .filter(|it| is_object_id(it))
        .collect();
    // Where a clone lacks contents, renames cannot be told by them.
    let mut line = Line::read(checkout, head, &from, most, "--find-renames")
        .or_else(|_| Line::read(checkout, head, &from, most, "--no-renames"))?;
    line.steps.reverse();
    let mut ways = line.ways();
    let missing: Vec<&str> = from
        .into_iter()
        .filter(|it| !ways.contains_key(*it))
        .collect();
    if !missing.is_empty() {
        let graph = Graph::read(checkout, head)?;
        for commit in missing {
            if let Some(way) = across(checkout, &line, &graph, commit)? {
                ways.insert(commit.to_owned(), way);
            }
        }
    }
    Ok(History {
        steps: line.steps,
        ways,
    })
}

/// The line of first parents, as far as it was read.
struct Line<'f> {
    /// What each commit did.
    steps: Vec<Step>,
    wanted: BTreeSet<&'f str>,
    /// The commit after which the steps begin, where the walk ended at one that was asked for.
    base: Option<String>,
}

impl<'f> Line<'f> {
    fn read(
        checkout: &Checkout,
        head: &str,
        wanted: &BTreeSet<&'f str>,
        most: usize,
        renames: &str,
    ) -> Result<Self, SourceError> {
        let mut command = child::command(checkout);
        command
            .args(["-c", "diff.renameLimit=1000", "log"])
            .args(LOG)
            .arg(renames);
        command.args([
            &format!("--max-count={}", most.saturating_add(1)),
            head,
            "--",
        ]);
        let mut log = Output::start(command)?;
        let mut line = Self {
            steps: Vec::new(),
            wanted: wanted.clone(),
            base: None,
        };
        let mut unseen = wanted.clone();
        while let Some(field) = log.field()? {
            let field = field.strip_prefix(b"\n").unwrap_or(&field);
            if let Some(commit) = field.strip_prefix(b"\x01") {
                let commit = String::from_utf8_lossy(commit).into_owned();
                unseen.remove(commit.as_str());
                let is_end = unseen.is_empty() || line.steps.len() >= most || log.read > MAX_OUTPUT;
                if is_end {
                    line.base = Some(commit);
                    log.stop();
                    return Ok(line);
                }
                line.steps.push(Step {
                    commit,
                    edits: Vec::new(),
                });
            } else if let Some(header) = field.strip_prefix(b":") {
                let edit = log.edit(header.to_vec())?;
                if let (Some(edit), Some(step)) = (edit, line.steps.last_mut()) {
                    step.edits.push(edit);
                }
            }
        }
        log.end()?;
        Ok(line)
    }

    /// How one comes to the end of the line from each wanted commit on it. The steps are in order by now.
    fn ways(&self) -> BTreeMap<String, Way> {
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
            .map(|(commit, at)| (commit.to_owned(), Way::Along(at)))
            .collect()
    }
}

/// Who is whose parent, as far as it was read.
struct Graph {
    parents: HashMap<String, Vec<String>>,
}

impl Graph {
    fn read(checkout: &Checkout, head: &str) -> Result<Self, SourceError> {
        let mut command = child::command(checkout);
        command.args(["rev-list", "--parents", MAX_GRAPH, head, "--"]);
        let mut output = Output::start(command)?;
        let mut parents = HashMap::new();
        while let Some(line) = output.line()? {
            let mut ids = line.split(' ').map(str::to_owned);
            if let Some(commit) = ids.next() {
                parents.insert(commit, ids.collect());
            }
        }
        output.end()?;
        Ok(Self { parents })
    }

    /// The first commit on the line that has this one behind it, as its place on the line.
    fn joins(&self, line: &Line<'_>, commit: &str) -> Option<usize> {
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
fn across(
    checkout: &Checkout,
    line: &Line<'_>,
    graph: &Graph,
    commit: &str,
) -> Result<Option<Way>, SourceError> {
    let is_ancestor = graph.parents.contains_key(commit);
    let joins = if is_ancestor {
        graph.joins(line, commit)
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
    let Some(edits) = leap(checkout, commit, &target)? else {
        return Ok(None);
    };
    let then = end.map_or(0, |at| at + 1);
    Ok(Some(Way::Across {
        leap: Step {
            commit: target,
            edits,
        },
        then,
        is_ancestor: Some(is_ancestor),
    }))
}

/// What differs between two commits; `None` if git does not have the first.
fn leap(checkout: &Checkout, from: &str, to: &str) -> Result<Option<Vec<Edit>>, SourceError> {
    // Where a clone lacks contents, renames cannot be told by them.
    let edits = ["--find-renames", "--no-renames"]
        .into_iter()
        .find_map(|renames| {
            let mut command = child::command(checkout);
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
            listed(command).ok()
        });
    match edits {
        Some(edits) => Ok(Some(edits)),
        None if is_here(checkout, from)? => Err(unavailable(
            "the history with git",
            format!("commit {from} could not be read; try 'git fsck'"),
        )),
        None => Ok(None),
    }
}

/// Whether git has a commit; one that is broken is an error.
fn is_here(checkout: &Checkout, commit: &str) -> Result<bool, SourceError> {
    let mut child = CatFile::spawn(child::command(checkout)).map_err(child::not_started)?;
    let answer = child.ask(&format!("{commit}^{{commit}}"), MAX_FILE);
    Ok(
        answer.map_err(|error| unavailable(format!("commit {commit} with git"), error))?
            != Answer::Missing,
    )
}

/// The files that a command lists as git's plumbing does.
fn listed(command: Command) -> Result<Vec<Edit>, SourceError> {
    let mut output = Output::start(command)?;
    let mut edits = Vec::new();
    while let Some(field) = output.field()? {
        if let Some(header) = field.strip_prefix(b":") {
            edits.extend(output.edit(header.to_vec())?);
        }
    }
    output.end()?;
    Ok(edits)
}

/// What the working tree holds otherwise than its commit, by what git noted of its files; no file is read.
pub(crate) fn uncommitted(checkout: &Checkout, head: &str) -> Result<Vec<Edit>, SourceError> {
    let mut command = child::command(checkout);
    without_filters(checkout, &mut command)?;
    command.args(["diff-index", "--raw", "-z", "--no-abbrev", "--no-renames"]);
    // To look into a submodule, git would obey the configuration of that one.
    command.args(["--ignore-submodules=all", head, "--"]);
    let mut edits = listed(command)?;
    for edit in &mut edits {
        // What is staged may differ from what lies in the file.
        if let Some(now) = &mut edit.now {
            now.id = None;
        }
    }
    edits.extend(untracked(checkout)?);
    Ok(edits)
}

/// Where a file's time says nothing, git compares what it holds, and would run the filters of the configuration.
fn without_filters(checkout: &Checkout, command: &mut Command) -> Result<(), SourceError> {
    let mut names = child::command(checkout);
    names.args([
        "config",
        "--null",
        "--name-only",
        "--get-regexp",
        r"^filter\..*\.(clean|process|required)$",
    ]);
    let mut output = Output::start(names)?;
    let mut n_set = 0;
    while let Some(name) = output.field()? {
        let name = String::from_utf8(name).map_err(|error| unavailable("git's filters", error))?;
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
        output.end_with(&[0, 1])
    } else {
        output.end()
    }
}

/// The files that are in the commit, but that a sparse checkout leaves out of the working tree.
pub(crate) fn left_out(checkout: &Checkout) -> Result<BTreeSet<String>, SourceError> {
    if !checkout.git_dir().join("info/sparse-checkout").exists() {
        return Ok(BTreeSet::new());
    }
    let mut command = child::command(checkout);
    command.args(["ls-files", "-t", "-z"]);
    let mut output = Output::start(command)?;
    let mut paths = BTreeSet::new();
    while let Some(field) = output.field()? {
        paths.extend(
            field
                .strip_prefix(b"S ")
                .map(|it| String::from_utf8_lossy(it).into_owned()),
        );
    }
    output.end()?;
    Ok(paths)
}

fn untracked(checkout: &Checkout) -> Result<Vec<Edit>, SourceError> {
    let mut command = child::command(checkout);
    command.args(["ls-files", "--others", "--exclude-standard", "-z"]);
    let mut output = Output::start(command)?;
    let mut edits = Vec::new();
    while let Some(field) = output.field()? {
        if let Ok(path) = String::from_utf8_lossy(&field).parse() {
            edits.push(Edit {
                was: None,
                now: Some(Version { path, id: None }),
            });
        }
    }
    output.end()?;
    Ok(edits)
}

/// What a git child says, piece by piece.
struct Output {
    child: Child,
    answers: BufReader<std::process::ChildStdout>,
    read: usize,
}

impl Output {
    fn start(mut command: Command) -> Result<Self, SourceError> {
        let mut child = command.spawn().map_err(child::not_started)?;
        match child.stdout.take() {
            Some(answers) => Ok(Self {
                child,
                answers: BufReader::with_capacity(1 << 16, answers),
                read: 0,
            }),
            None => Err(unavailable(
                "the history with git",
                "git was started without pipes",
            )),
        }
    }

    /// The next piece up to a NUL; `None` at the end.
    fn field(&mut self) -> Result<Option<Vec<u8>>, SourceError> {
        let mut field = Vec::new();
        self.read += self
            .answers
            .read_until(0, &mut field)
            .map_err(|error| unavailable("the history with git", error))?;
        if field.is_empty() {
            return Ok(None);
        }
        if field.last() == Some(&0) {
            field.pop();
        }
        Ok(Some(field))
    }

    fn line(&mut self) -> Result<Option<String>, SourceError> {
        let mut line = String::new();
        self.answers
            .read_line(&mut line)
            .map_err(|error| unavailable("the history with git", error))?;
        Ok((!line.is_empty()).then(|| line.trim_end().to_owned()))
    }

    /// `<mode> <mode> <id> <id> <letter>`, then one path, or two for a rename. Only what can be cited is told: files,
    /// not links or submodules, under names that are paths.
    fn edit(&mut self, header: Vec<u8>) -> Result<Option<Edit>, SourceError> {
        let header = String::from_utf8_lossy(&header).into_owned();
        let words: Vec<&str> = header.split(' ').collect();
        let [mode_was, mode_now, id_was, id_now, letter] = words[..] else {
            return Err(unavailable(
                "the history with git",
                "git answered in an unknown way",
            ));
        };
        let first = self.field()?.unwrap_or_default();
        let second = if letter.starts_with(['R', 'C']) {
            self.field()?.unwrap_or_default()
        } else {
            first.clone()
        };
        let was = version(mode_was, id_was, &first).filter(|_| !letter.starts_with('C'));
        let now = version(mode_now, id_now, &second);
        Ok((was.is_some() || now.is_some()).then_some(Edit { was, now }))
    }

    /// Waits for the child; it must have been content.
    fn end(self) -> Result<(), SourceError> {
        self.end_with(&[0])
    }

    /// Waits for the child; it must have ended with one of these numbers.
    fn end_with(mut self, fine: &[i32]) -> Result<(), SourceError> {
        let status = self
            .child
            .wait()
            .map_err(|error| unavailable("the history with git", error))?;
        if status.code().is_some_and(|it| fine.contains(&it)) {
            Ok(())
        } else {
            Err(unavailable(
                "the history with git",
                format!("git failed: {status}; try 'git fsck'"),
            ))
        }
    }

    /// Enough was said.
    fn stop(&mut self) {
        let _ = self.child.kill();
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn version(mode: &str, id: &str, path: &[u8]) -> Option<Version> {
    let is_file = mode.starts_with("100");
    let path = std::str::from_utf8(path).ok()?.parse().ok()?;
    let id = (!id.bytes().all(|it| it == NOTHING)).then(|| id.to_owned());
    is_file.then_some(Version { path, id })
}
