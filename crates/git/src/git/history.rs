//! How a commit came to be: one `git log` along first parents, and what lies beside that line.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::{
    io::{BufRead as _, BufReader},
    process::{Child, Command, ExitStatus},
};

use apostille_cite::source::{
    CommitHistory, CommitStep, FileEdit, FileVersion, HistoryRoute, MAX_FILE, SourceError,
    SourceResult,
};

use super::{
    ErrorCause,
    cat_file::{CatFile, CatFileAnswer, kill_git_child},
    discover::Checkout,
    git_command,
    refs::is_object_id,
    source_unavailable,
};

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

/// Renames as git finds them; those of files that stayed as they were, which are found by their ids alone; and those that
/// are believed where a content is missing that might have been a better match.
const RENAMES: &str = "--find-renames";
const EXACT_RENAMES: &str = "--find-renames=100%";
const SURE_RENAMES: &str = "--find-renames=75%";
/// In how many commits renames are looked for around contents that a clone lacks. Before those, only exact ones are.
const MAX_GAPS: usize = 16;
/// How many missing contents are looked around in one commit.
const MAX_MISSING: usize = 200;
/// What git ends with when it cannot read something.
const FATAL: i32 = 128;

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
    "--format=%x01%H %P",
];

/// What differs between two commits.
const DIFF_TREE: [&str; 7] = [
    "-c",
    "diff.renameLimit=1000",
    "diff-tree",
    "-r",
    "--raw",
    "-z",
    "--no-abbrev",
];

/// Walks from `head` back along first parents until every commit of `from` was met, at most `most` steps.
pub(super) fn walk_first_parents(
    checkout: &Checkout,
    head: &str,
    from: &BTreeSet<String>,
    most: usize,
) -> SourceResult<CommitHistory> {
    let wanted: BTreeSet<&str> = from
        .iter()
        .map(String::as_str)
        .filter(|it| is_object_id(it))
        .collect();
    if wanted.iter().all(|it| *it == head) {
        // Nothing happened since, and no process of git has to say so.
        let ways = wanted
            .iter()
            .map(|it| (String::from(*it), HistoryRoute::Along(0)));
        return Ok(CommitHistory {
            steps: Vec::new(),
            ways: ways.collect(),
        });
    }
    let mut line = FirstParentLine::read_line(checkout, head, &wanted, most)?;
    line.steps.reverse();
    let steps = line.steps.iter().map(|it| &it.commit);
    let mut ways = BTreeMap::new();
    for (commit, at) in line.base.iter().zip([0]).chain(steps.zip(1..)) {
        if wanted.contains(commit.as_str()) {
            ways.insert(commit.clone(), HistoryRoute::Along(at));
        }
    }
    if wanted.len() > ways.len() {
        let parents = read_parents(checkout, head)?;
        for commit in wanted {
            if !ways.contains_key(commit)
                && let Some(way) = find_route_across(checkout, &line, &parents, commit)?
            {
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
struct FirstParentLine {
    /// What each commit did.
    steps: Vec<CommitStep>,
    /// The commit after which the steps begin, where the walk ended at one that was asked for.
    base: Option<String>,
    /// The commit to go on with; `None` behind the first one of all.
    next: Option<String>,
}

impl FirstParentLine {
    /// Reads the line. To find renames, git reads contents, and ends at the first one that a clone lacks: a partial clone,
    /// or a damaged one. That commit is read around what is missing, and the line goes on behind it.
    fn read_line(
        checkout: &Checkout,
        head: &str,
        wanted: &BTreeSet<&str>,
        most: usize,
    ) -> SourceResult<Self> {
        let (mut unseen, next) = (wanted.clone(), Some(head.to_owned()));
        let mut line = Self {
            steps: Vec::new(),
            base: None,
            next,
        };
        for _ in 0..MAX_GAPS {
            if line.read_log(checkout, &mut unseen, most, &[RENAMES])? {
                return Ok(line);
            }
            line.read_gap(checkout, &mut unseen, most)?;
        }
        if line.read_log(checkout, &mut unseen, most, &[EXACT_RENAMES])? {
            return Ok(line);
        }
        Err(unreadable_history())
    }

    /// Reads on from where the line ends. `false` means that git could not read something of the commit that is next.
    fn read_log(
        &mut self,
        checkout: &Checkout,
        unseen: &mut BTreeSet<&str>,
        most: usize,
        options: &[&str],
    ) -> SourceResult<bool> {
        let Some(from) = self.next.clone().filter(|_| self.base.is_none()) else {
            return Ok(true);
        };
        let max_count = format!(
            "--max-count={}",
            (most - self.steps.len()).saturating_add(1)
        );
        let range = [&[&max_count[..]], options, &[&from, "--"]].concat();
        let arguments = [&["-c", "diff.renameLimit=1000", "log"], &LOG[..], &range].concat();
        let mut log = GitOutput::start(checkout, &arguments)?;
        while let Some(field) = log.read_piece(0)? {
            let field = field.strip_prefix(b"\n").unwrap_or(&field);
            if let Some(names) = field.strip_prefix(b"\x01") {
                let names = String::from_utf8_lossy(names);
                let mut names = names.split_whitespace().map(str::to_owned);
                let commit = names.next().unwrap_or_default();
                self.next = names.next();
                unseen.remove(commit.as_str());
                let is_end = unseen.is_empty() || self.steps.len() >= most || log.read > MAX_OUTPUT;
                if is_end {
                    self.base = Some(commit);
                    return Ok(true);
                }
                self.steps.push(CommitStep {
                    commit,
                    edits: Vec::new(),
                });
            } else if let Some(header) = field.strip_prefix(b":") {
                let edit = log.read_edit(header)?;
                if let Some(step) = self.steps.last_mut() {
                    step.edits.extend(edit);
                }
            }
        }
        // Git finds the renames of a commit before it tells of it: what was told is whole.
        match log.wait_for_exit()?.code() {
            Some(0) => Ok(true),
            Some(FATAL) => Ok(false),
            _ => Err(unreadable_history()),
        }
    }

    /// Reads the one commit that git could not read whole.
    fn read_gap(
        &mut self,
        checkout: &Checkout,
        unseen: &mut BTreeSet<&str>,
        most: usize,
    ) -> SourceResult<()> {
        let n_known = self.steps.len();
        if !self.read_log(checkout, unseen, most, &[EXACT_RENAMES, "--max-count=1"])? {
            return Err(unreadable_history());
        }
        if let (Some(step), Some(parent)) = (self.steps.get_mut(n_known), &self.next) {
            let exact = std::mem::take(&mut step.edits);
            step.edits = pair_around_missing(checkout, parent, &step.commit, exact)?;
        }
        Ok(())
    }
}

fn unreadable_history() -> SourceError {
    history_error("git could not read a commit; try 'git fsck'")
}

/// The edits between two commits with the renames that git finds when it leaves out what is missing; those that are given
/// have only the exact ones.
fn pair_around_missing(
    checkout: &Checkout,
    from: &str,
    to: &str,
    exact: Vec<FileEdit>,
) -> SourceResult<Vec<FileEdit>> {
    let missing = list_missing_paths(checkout, &exact)?;
    if missing.is_empty() || missing.len() > MAX_MISSING {
        return Ok(exact);
    }
    let mut command = git_command::build_git_command(checkout);
    command
        .env("GIT_LITERAL_PATHSPECS", "0")
        .args(DIFF_TREE)
        .args([SURE_RENAMES, from, to, "--", ":/"])
        .args(
            missing
                .iter()
                .map(|it| format!(":(top,exclude,literal){it}")),
        );
    let Ok(mut edits) = GitOutput::spawn_command(command).and_then(GitOutput::read_edits) else {
        return Ok(exact);
    };
    let is_left_out = |it: &FileEdit| {
        let mut files = it.was.iter().chain(&it.now);
        files.any(|it| missing.contains(it.path.as_str()))
    };
    edits.extend(exact.into_iter().filter(is_left_out));
    Ok(edits)
}

/// The files that came or went with contents that this clone lacks.
fn list_missing_paths(checkout: &Checkout, edits: &[FileEdit]) -> SourceResult<BTreeSet<String>> {
    let mut checker = CatFile::spawn_checker(git_command::build_git_command(checkout))
        .map_err(git_command::git_start_error)?;
    let mut missing = BTreeSet::new();
    for edit in edits {
        let ((Some(file), None) | (None, Some(file))) = (&edit.was, &edit.now) else {
            continue;
        };
        let Some(id) = &file.id else { continue };
        if checker.is_object_missing(id).map_err(history_error)? {
            missing.insert(file.path.as_str().to_owned());
        }
    }
    Ok(missing)
}

/// Who is whose parent, as far as it was read.
type CommitParents = HashMap<String, Vec<String>>;

fn read_parents(checkout: &Checkout, head: &str) -> SourceResult<CommitParents> {
    let output = GitOutput::start(checkout, &["rev-list", "--parents", MAX_GRAPH, head, "--"])?;
    let mut parents = HashMap::new();
    output.each_piece(b'\n', |line| {
        let mut ids = line.split(' ').map(str::to_owned);
        parents.extend(ids.next().map(|commit| (commit, ids.collect())));
    })?;
    Ok(parents)
}

/// The first commit on the line that has this one behind it, as its place on the line.
fn find_join(line: &FirstParentLine, parents: &CommitParents, commit: &str) -> Option<usize> {
    let mut seen: HashSet<&str> = HashSet::new();
    for (at, step) in line.steps.iter().enumerate() {
        let mut open: Vec<&str> = vec![&step.commit];
        while let Some(id) = open.pop() {
            if id == commit {
                return Some(at);
            }
            // What lies before the line was there all along: only the first step sees it.
            if seen.insert(id) {
                open.extend(parents.get(id).into_iter().flatten().map(String::as_str));
            }
        }
    }
    None
}

/// The way from a commit that is not on the line: one leap to where it joins, or to the end if it never does.
fn find_route_across(
    checkout: &Checkout,
    line: &FirstParentLine,
    parents: &CommitParents,
    commit: &str,
) -> SourceResult<Option<HistoryRoute>> {
    let is_ancestor = parents.contains_key(commit);
    let end = is_ancestor
        .then(|| find_join(line, parents, commit))
        .flatten()
        .or(line.steps.len().checked_sub(1));
    let target = end.map(|at| &line.steps[at].commit);
    let Some(target) = target.or(line.base.as_ref()) else {
        return Ok(None);
    };
    let edits = diff_commit_trees(checkout, commit, target)?;
    Ok(edits.map(|edits| HistoryRoute::Across {
        leap: CommitStep {
            commit: target.clone(),
            edits,
        },
        then: end.map_or(0, |at| at + 1),
        is_ancestor: Some(is_ancestor),
    }))
}

/// What differs between two commits; `None` if git does not have the first.
fn diff_commit_trees(
    checkout: &Checkout,
    from: &str,
    to: &str,
) -> SourceResult<Option<Vec<FileEdit>>> {
    let read = |renames| {
        let arguments = [&DIFF_TREE[..], &[renames, from, to, "--"]].concat();
        GitOutput::start(checkout, &arguments).and_then(GitOutput::read_edits)
    };
    if let Ok(edits) = read(RENAMES) {
        return Ok(Some(edits));
    }
    if let Ok(exact) = read(EXACT_RENAMES) {
        return pair_around_missing(checkout, from, to, exact).map(Some);
    }
    if has_commit(checkout, from)? {
        let why = format!("commit {from} could not be read; try 'git fsck'");
        return Err(history_error(why));
    }
    Ok(None)
}

/// Whether git has a commit; one that is broken is an error.
fn has_commit(checkout: &Checkout, commit: &str) -> SourceResult<bool> {
    let mut child = CatFile::spawn_child(git_command::build_git_command(checkout))
        .map_err(git_command::git_start_error)?;
    match child.request_object(&format!("{commit}^{{commit}}"), MAX_FILE) {
        Ok(answer) => Ok(answer != CatFileAnswer::Missing),
        Err(error) => Err(source_unavailable(
            format!("commit {commit} with git"),
            error,
        )),
    }
}

/// What the working tree holds otherwise than its commit, by what git noted of its files; no file is read.
pub(crate) fn diff_worktree_with_commit(
    checkout: &Checkout,
    head: &str,
) -> SourceResult<Vec<FileEdit>> {
    // It takes as long as all the others together, which run beside it.
    let untracked = start_untracked_listing(checkout)?;
    let mut command = git_command::build_git_command(checkout);
    disable_git_filters(checkout, &mut command)?;
    command.args(["diff-index", "--raw", "-z", "--no-abbrev", "--no-renames"]);
    // To look into a submodule, git would obey the configuration of that one.
    command.args(["--ignore-submodules=all", head, "--"]);
    let mut edits = GitOutput::spawn_command(command)?.read_edits()?;
    for edit in &mut edits {
        // What is staged may differ from what lies in the file.
        if let Some(now) = &mut edit.now {
            now.id = None;
        }
    }
    edits.extend(read_untracked_files(untracked)?);
    Ok(edits)
}

/// Where a file's time says nothing, git compares what it holds, and would run the filters of the configuration.
fn disable_git_filters(checkout: &Checkout, command: &mut Command) -> SourceResult<()> {
    let regexp = r"^filter\..*\.(clean|process|required)$";
    let mut output = GitOutput::start(
        checkout,
        &["config", "--null", "--name-only", "--get-regexp", regexp],
    )?;
    let mut n_set = 0;
    while let Some(name) = output.read_piece(0)? {
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
    output.expect_exit_code(if n_set == 0 { &[0, 1] } else { &[0] })
}

/// The files that are in the commit, but that a sparse checkout leaves out of the working tree.
pub(crate) fn list_sparse_excluded(checkout: &Checkout) -> SourceResult<BTreeSet<String>> {
    let mut paths = BTreeSet::new();
    if checkout.git_dir().join("info/sparse-checkout").exists() {
        GitOutput::start(checkout, &["ls-files", "-t", "-z"])?.each_piece(0, |it| {
            paths.extend(it.strip_prefix("S ").map(str::to_owned))
        })?;
    }
    Ok(paths)
}

fn start_untracked_listing(checkout: &Checkout) -> SourceResult<GitOutput> {
    let arguments = ["ls-files", "--others", "--exclude-standard", "-z"];
    GitOutput::start(checkout, &arguments)
}

fn read_untracked_files(listing: GitOutput) -> SourceResult<Vec<FileEdit>> {
    let mut edits = Vec::new();
    listing.each_piece(0, |path| {
        edits.extend(path.parse().ok().map(|path| FileEdit {
            was: None,
            now: Some(FileVersion { path, id: None }),
        }));
    })?;
    Ok(edits)
}

/// What a git child says, piece by piece.
struct GitOutput {
    child: Child,
    answers: BufReader<std::process::ChildStdout>,
    read: usize,
}

impl GitOutput {
    fn start(checkout: &Checkout, arguments: &[&str]) -> SourceResult<Self> {
        let mut command = git_command::build_git_command(checkout);
        command.args(arguments);
        Self::spawn_command(command)
    }

    fn spawn_command(mut command: Command) -> SourceResult<Self> {
        let mut child = command.spawn().map_err(git_command::git_start_error)?;
        let answers = child
            .stdout
            .take()
            .ok_or_else(|| history_error("git was started without pipes"))?;
        Ok(Self {
            child,
            answers: BufReader::with_capacity(1 << 16, answers),
            read: 0,
        })
    }

    /// The next piece, without the byte that ends it; `None` at the end of all.
    fn read_piece(&mut self, end: u8) -> SourceResult<Option<Vec<u8>>> {
        let mut piece = Vec::new();
        self.read += self
            .answers
            .read_until(end, &mut piece)
            .map_err(history_error)?;
        if piece.is_empty() {
            return Ok(None);
        }
        piece.pop_if(|it| *it == end);
        Ok(Some(piece))
    }

    /// Goes through all pieces; the child must have been content.
    fn each_piece(mut self, end: u8, mut see: impl FnMut(&str)) -> SourceResult<()> {
        while let Some(piece) = self.read_piece(end)? {
            see(&String::from_utf8_lossy(&piece));
        }
        self.expect_exit_code(&[0])
    }

    /// The files that git's plumbing lists.
    fn read_edits(mut self) -> SourceResult<Vec<FileEdit>> {
        let mut edits = Vec::new();
        while let Some(field) = self.read_piece(0)? {
            if let Some(header) = field.strip_prefix(b":") {
                edits.extend(self.read_edit(header)?);
            }
        }
        self.expect_exit_code(&[0])?;
        Ok(edits)
    }

    /// `<mode> <mode> <id> <id> <letter>`, then one path, or two for a rename. Only what can be cited is told: files,
    /// not links or submodules, under names that are paths.
    fn read_edit(&mut self, header: &[u8]) -> SourceResult<Option<FileEdit>> {
        let header = String::from_utf8_lossy(header);
        let words: Vec<&str> = header.split(' ').collect();
        let [mode_was, mode_now, id_was, id_now, letter] = words[..] else {
            return Err(history_error("git answered in an unknown way"));
        };
        let first = self.read_piece(0)?.unwrap_or_default();
        let second = if letter.starts_with(['R', 'C']) {
            self.read_piece(0)?.unwrap_or_default()
        } else {
            first.clone()
        };
        let was = parse_file_version(mode_was, id_was, &first).filter(|_| !letter.starts_with('C'));
        let now = parse_file_version(mode_now, id_now, &second);
        Ok((was.is_some() || now.is_some()).then_some(FileEdit { was, now }))
    }

    fn wait_for_exit(&mut self) -> SourceResult<ExitStatus> {
        self.child.wait().map_err(history_error)
    }

    /// Waits for the child; it must have ended with one of these numbers.
    fn expect_exit_code(mut self, fine: &[i32]) -> SourceResult<()> {
        let status = self.wait_for_exit()?;
        if status.code().is_some_and(|it| fine.contains(&it)) {
            Ok(())
        } else {
            let why = format!("git failed: {status}; try 'git fsck'");
            Err(history_error(why))
        }
    }
}

impl Drop for GitOutput {
    fn drop(&mut self) {
        kill_git_child(&mut self.child);
    }
}

fn history_error(why: impl Into<ErrorCause>) -> SourceError {
    source_unavailable("the history with git", why)
}

fn parse_file_version(mode: &str, id: &str, path: &[u8]) -> Option<FileVersion> {
    let is_file = mode.starts_with("100");
    let path = std::str::from_utf8(path).ok()?.parse().ok()?;
    let id = (!id.bytes().all(|it| it == NOTHING)).then(|| id.to_owned());
    is_file.then_some(FileVersion { path, id })
}
