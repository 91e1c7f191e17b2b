//! A set of small files under one ref of a remote, read and replaced whole: the one place where git reaches over a network.
//!
//! It works in a bare repository of its own, so that nothing of the user's checkout is touched: no working tree, no index, no
//! hooks, and none of the checkout's configuration, which programs may have written. The user's own configuration counts,
//! because it has the credentials. Every commit is without parents and replaces the one before, so that what left the files is
//! no longer reachable. Git asks nobody for anything, and has a time limit.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, Read, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// The ref of a repository's own remote.
pub const EXCHANGE_REF: &str = "refs/apostille/memories";
/// Where what was fetched and what is pushed stand in the bare repository.
const THEIRS: &str = "refs/apostille/theirs";
const OURS: &str = "refs/apostille/ours";
/// The formats of ids.
const SHA1: &str = "sha1";
const SHA256: &str = "sha256";
/// How long a step over the network may take.
const NETWORK_LIMIT: Duration = Duration::from_secs(120);
/// How long a step on this machine may take.
const LOCAL_LIMIT: Duration = Duration::from_secs(60);
/// How much git may answer.
const MAX_ANSWER: u64 = 256 * 1024 * 1024;
/// How often it is looked whether git has ended.
const LOOK: Duration = Duration::from_millis(2);
/// Variables that would lead git to another repository, or have it write where it should not.
const REMOVED: [&str; 18] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_DIR",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_REDIRECT_STDERR",
    "GIT_REDIRECT_STDIN",
    "GIT_REDIRECT_STDOUT",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_TEMPLATE_DIR",
    "GIT_TRACE",
    "GIT_TRACE_CURL",
    "GIT_WORK_TREE",
];
/// What is set instead. Programs named by an address (`ext::`) are not among the protocols.
const SET: [(&str, &str); 11] = [
    ("GIT_ALLOW_PROTOCOL", "file:git:http:https:ssh"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GCM_INTERACTIVE", "never"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_AUTHOR_NAME", "apostille"),
    ("GIT_AUTHOR_EMAIL", "apostille@localhost"),
    ("GIT_COMMITTER_NAME", "apostille"),
    ("GIT_COMMITTER_EMAIL", "apostille@localhost"),
    ("GIT_FLUSH", "1"),
    ("LANGUAGE", "C"),
    ("LC_ALL", "C"),
];
/// What outranks every configuration.
const OVERRIDES: [&str; 8] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.logAllRefUpdates=false",
    "fetch.fsckObjects=true",
    "gc.auto=0",
    "push.gpgSign=false",
    "submodule.recurse=false",
    "credential.interactive=false",
];

/// Why the remote could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ExchangeError {
    /// There is no git.
    #[error("git is not installed, or not on PATH")]
    NoGit,
    /// The remote did not answer, or does not let this user in.
    #[error("the remote cannot be reached: {0}")]
    Unreachable(String),
    /// It took too long.
    #[error("the remote did not answer within {} s", NETWORK_LIMIT.as_secs())]
    TooSlow,
    /// Somebody asked to stop.
    #[error("it was interrupted")]
    Interrupted,
    /// The remote holds something else, or more than is read.
    #[error("{0}")]
    Strange(String),
    /// The remote does not let this ref be replaced.
    #[error("the remote refuses the ref of the memories, below refs/apostille: {0}")]
    Refused(String),
    /// A file of the bare repository cannot be written.
    #[error("the copy of the remote cannot be written")]
    Io(#[from] io::Error),
}

type ExchangeResult<T> = Result<T, ExchangeError>;

/// A file of the set, as the remote has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExchangeFile {
    /// Its name.
    pub name: String,
    /// Git's id of its content.
    pub blob: String,
    /// Its size in bytes.
    pub size: u64,
}

/// What became of a push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PushOutcome {
    /// The remote has what was pushed, under this commit.
    Done(String),
    /// Somebody else pushed meanwhile.
    Overtaken,
}

/// The bare repository, and the remote.
pub struct ExchangeRepository<'a> {
    folder: PathBuf,
    url: String,
    /// The ref of the remote.
    reference: String,
    stop: &'a AtomicBool,
    /// What outranks the configuration of ssh, where the user has none.
    ssh: Option<&'static str>,
}

/// What git answered.
struct GitAnswer {
    status: ExitStatus,
    out: Vec<u8>,
    err: String,
}

impl<'a> ExchangeRepository<'a> {
    /// The bare repository in this folder, which is made where it is not there, and the remote at this address. `stop` ends what
    /// is under way.
    pub fn open(
        folder: &Path,
        (url, reference): (&str, &str),
        stop: &'a AtomicBool,
    ) -> ExchangeResult<Self> {
        let mut it = Self {
            folder: folder.into(),
            url: url.into(),
            reference: reference.into(),
            stop,
            ssh: None,
        };
        if url.starts_with('-') || url.contains("::") {
            return Err(ExchangeError::Strange(
                "the remote's address names a program; use https, ssh, git or a path".into(),
            ));
        }
        if !folder.join("HEAD").exists() {
            it.make_repository(SHA1)?;
        }
        let is_ssh = !["http://", "https://", "file://", "/", "."]
            .iter()
            .any(|it| url.starts_with(it));
        let command = ["config", "--get", "core.sshCommand"];
        // Nobody is there to be asked for a passphrase. A command of the user's own stays as it is.
        if is_ssh && !it.run(&command, None, LOCAL_LIMIT)?.status.success() {
            it.ssh = Some("core.sshCommand=ssh -o BatchMode=yes -o ConnectTimeout=15");
        }
        Ok(it)
    }

    /// Makes the bare repository, whatever format the user's configuration prefers for new ones: it has to be the remote's.
    fn make_repository(&self, format: &str) -> ExchangeResult<()> {
        fs::create_dir_all(&self.folder)?;
        let mut init = vec!["-c", "init.defaultObjectFormat=sha1", "init", "-q"];
        init.extend(["--bare", "--template="]);
        // An older git has no such option, and no other format.
        let option = format!("--object-format={format}");
        init.extend((format != SHA1).then_some(option.as_str()));
        self.run_locally(&init, None)?;
        Ok(())
    }

    /// Makes the bare repository anew where the remote's ids are of another format.
    fn adopt_format(&self, remote_id: &str) -> ExchangeResult<()> {
        let format = if remote_id.len() == 64 { SHA256 } else { SHA1 };
        let config = fs::read_to_string(self.folder.join("config"))?;
        let is_sha256 = config.to_lowercase().contains("objectformat = sha256");
        if is_sha256 == (format == SHA256) {
            return Ok(());
        }
        fs::remove_dir_all(&self.folder)?;
        self.make_repository(format)
    }

    /// The commit that the remote has, where it has one.
    pub fn find_remote_tip(&self) -> ExchangeResult<Option<String>> {
        // A remote without the ref tells its format by its branch.
        let look = ["ls-remote", "--", &self.url, &self.reference, "HEAD"];
        let answer = self.run_over_network(&look)?;
        let out = String::from_utf8_lossy(&answer.out);
        let lines = out.lines().filter_map(|it| it.split_once('\t'));
        let ids: Vec<_> = lines.filter(|(id, _)| is_object_id(id)).collect();
        if let Some((id, _)) = ids.first() {
            self.adopt_format(id)?;
        }
        let tip = ids.iter().find(|(_, name)| *name == self.reference);
        Ok(tip.map(|(id, _)| (*id).to_owned()))
    }

    /// Fetches what the remote has now; the commit.
    pub fn fetch_tip(&self) -> ExchangeResult<String> {
        let refspec = format!("+{}:{THEIRS}", self.reference);
        let fetch = [
            "fetch",
            "-q",
            "--no-tags",
            "--no-write-fetch-head",
            "--no-recurse-submodules",
            // Nobody needs the parents that somebody gave the commit.
            "--depth=1",
            "--",
            &self.url,
            &refspec,
        ];
        self.run_over_network(&fetch)?;
        let tip = self.resolve(THEIRS)?;
        self.settle_depth(&tip)?;
        Ok(tip)
    }

    /// Git notes every commit that was fetched alone as one whose parents are missing, and a remote refuses what is noted so. A
    /// commit of ours has none.
    fn settle_depth(&self, commit: &str) -> ExchangeResult<()> {
        let answer = self.run_locally(&["cat-file", "commit", commit], None)?;
        let text = String::from_utf8_lossy(&answer.out);
        let mut head = text.lines().take_while(|it| !it.is_empty());
        if head.any(|it| it.starts_with("parent ")) {
            return Ok(());
        }
        match fs::remove_file(self.folder.join("shallow")) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// The regular files at the top of a commit; anything else there is passed over.
    pub fn list_files(&self, commit: &str) -> ExchangeResult<Vec<ExchangeFile>> {
        let answer = self.run_locally(&["ls-tree", "-l", "-z", commit], None)?;
        let out = String::from_utf8_lossy(&answer.out);
        Ok(out.split('\0').filter_map(parse_tree_row).collect())
    }

    /// The files of what was pushed from here last, where something was.
    pub fn list_own_files(&self) -> ExchangeResult<Vec<ExchangeFile>> {
        match self.list_files(OURS) {
            Err(ExchangeError::Strange(_)) => Ok(Vec::new()),
            listed => listed,
        }
    }

    /// The contents of files.
    pub fn read_files(&self, files: &[ExchangeFile]) -> ExchangeResult<Vec<Vec<u8>>> {
        let size: u64 = files.iter().map(|it| it.size).sum();
        if size > MAX_ANSWER / 2 {
            return Err(ExchangeError::Strange(format!(
                "the remote's {} holds {} MB, and {} are read",
                self.reference,
                size / (1024 * 1024),
                MAX_ANSWER / 2 / (1024 * 1024)
            )));
        }
        let asked: String = files.iter().map(|it| format!("{}\n", it.blob)).collect();
        let answer = self.run_locally(&["cat-file", "--batch"], Some(asked.as_bytes()))?;
        split_batch(&answer.out, files.len())
            .ok_or_else(|| ExchangeError::Strange("git answered something else".into()))
    }

    /// Writes files as a commit without parents; its tree is told, too.
    pub fn write_commit(&self, files: &BTreeMap<String, Vec<u8>>) -> ExchangeResult<WrittenCommit> {
        let aside = self.folder.join("aside");
        let _ = fs::remove_dir_all(&aside);
        fs::create_dir_all(&aside)?;
        let blobs = self.write_blobs(&aside, files);
        let removed = fs::remove_dir_all(&aside);
        let blobs = blobs?;
        removed?;
        let rows = files.keys().zip(&blobs);
        let rows: String = rows
            .map(|(name, blob)| format!("100644 blob {blob}\t{name}\n"))
            .collect();
        let tree = self.read_id(&["mktree"], Some(rows.as_bytes()))?;
        let commit = self.read_id(&["commit-tree", "-m", "shared memories", &tree], None)?;
        Ok(WrittenCommit { commit, tree })
    }

    fn write_blobs(
        &self,
        aside: &Path,
        files: &BTreeMap<String, Vec<u8>>,
    ) -> ExchangeResult<Vec<String>> {
        let mut paths = String::new();
        for (name, bytes) in files {
            fs::write(aside.join(name), bytes)?;
            paths.push_str(&format!("aside/{name}\n"));
        }
        let hash = ["hash-object", "-w", "--no-filters", "--stdin-paths"];
        let answer = self.run_locally(&hash, Some(paths.as_bytes()))?;
        let out = String::from_utf8_lossy(&answer.out);
        let blobs: Vec<String> = out.lines().map(str::to_owned).collect();
        if blobs.len() == files.len() && blobs.iter().all(|it| is_object_id(it)) {
            Ok(blobs)
        } else {
            Err(ExchangeError::Strange("git wrote something else".into()))
        }
    }

    /// The tree of a commit.
    pub fn find_tree(&self, commit: &str) -> ExchangeResult<String> {
        self.resolve(&format!("{commit}^{{tree}}"))
    }

    /// Notes a commit as what is shared from here, without pushing it.
    pub fn keep_commit(&self, commit: &str) -> ExchangeResult<()> {
        self.run_locally(&["update-ref", OURS, commit], None)?;
        Ok(())
    }

    /// Puts a commit in the place of the one that the remote was seen to have.
    pub fn push_commit(&self, commit: &str, seen: Option<&str>) -> ExchangeResult<PushOutcome> {
        let lease = format!(
            "--force-with-lease={}:{}",
            self.reference,
            seen.unwrap_or_default()
        );
        let refspec = format!("{commit}:{}", self.reference);
        let push = [
            "push",
            "-q",
            "--porcelain",
            "--no-verify",
            "--no-follow-tags",
            &lease,
            "--",
            &self.url,
            &refspec,
        ];
        let answer = self.run(&push, None, NETWORK_LIMIT)?;
        if answer.status.success() {
            self.keep_commit(commit)?;
            return Ok(PushOutcome::Done(commit.into()));
        }
        let told = String::from_utf8_lossy(&answer.out).into_owned() + &answer.err;
        let is_overtaken = [
            "stale info",
            "fetch first",
            "cannot lock ref",
            "reference already exists",
        ]
        .iter()
        .any(|it| told.contains(it));
        if is_overtaken {
            return Ok(PushOutcome::Overtaken);
        }
        if told.contains("[remote rejected]") || told.contains("[rejected]") {
            return Err(ExchangeError::Refused(describe_complaint(&told)));
        }
        Err(ExchangeError::Unreachable(describe_complaint(&answer.err)))
    }

    /// Drops every object that no ref leads to: what was forgotten leaves no bytes in the copy of the remote.
    pub fn drop_unreachable(&self) -> ExchangeResult<()> {
        let _ = fs::remove_file(self.folder.join("FETCH_HEAD"));
        self.run_locally(&["update-ref", "-d", THEIRS], None)?;
        let gc = ["-c", "gc.pruneExpire=now", "gc", "-q", "--prune=now"];
        self.run_locally(&gc, None)?;
        Ok(())
    }

    /// Tidies the copy of the remote from time to time.
    pub fn tidy(&self) -> ExchangeResult<()> {
        let gc = ["-c", "gc.auto=1500", "gc", "-q", "--auto", "--prune=now"];
        self.run_locally(&gc, None)?;
        Ok(())
    }

    fn resolve(&self, name: &str) -> ExchangeResult<String> {
        self.read_id(&["rev-parse", "-q", "--verify", name], None)
    }

    fn read_id(&self, arguments: &[&str], input: Option<&[u8]>) -> ExchangeResult<String> {
        let answer = self.run_locally(arguments, input)?;
        let id = String::from_utf8_lossy(&answer.out).trim().to_owned();
        if is_object_id(&id) {
            Ok(id)
        } else {
            Err(ExchangeError::Strange("git answered no object".into()))
        }
    }

    fn run_over_network(&self, arguments: &[&str]) -> ExchangeResult<GitAnswer> {
        let answer = self.run(arguments, None, NETWORK_LIMIT)?;
        if answer.status.success() {
            return Ok(answer);
        }
        Err(ExchangeError::Unreachable(describe_complaint(&answer.err)))
    }

    fn run_locally(&self, arguments: &[&str], input: Option<&[u8]>) -> ExchangeResult<GitAnswer> {
        let answer = self.run(arguments, input, LOCAL_LIMIT)?;
        if answer.status.success() {
            return Ok(answer);
        }
        let verb = arguments
            .iter()
            .find(|it| !it.contains('=') && **it != "-c");
        Err(ExchangeError::Strange(format!(
            "'git {}' failed: {}",
            verb.unwrap_or(&""),
            describe_complaint(&answer.err)
        )))
    }

    fn run(
        &self,
        arguments: &[&str],
        input: Option<&[u8]>,
        limit: Duration,
    ) -> ExchangeResult<GitAnswer> {
        let mut command = self.build_command();
        command.args(arguments);
        command.stdin(match input {
            Some(_) => Stdio::piped(),
            None => Stdio::null(),
        });
        let mut child = command.spawn().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied => ExchangeError::NoGit,
            _ => ExchangeError::Io(error),
        })?;
        let feeding = input.map(|bytes| feed_child(&mut child, bytes.to_vec()));
        let out = child.stdout.take().map(read_in_thread);
        let err = child.stderr.take().map(read_in_thread);
        let status = self.wait_for_child(&mut child, limit)?;
        let out = out.map(join_reader).unwrap_or_default();
        let err = err.map(join_reader).unwrap_or_default();
        if let Some(feeding) = feeding {
            // A child that does not read its input says why itself.
            let _ = feeding.join();
        }
        Ok(GitAnswer {
            status,
            out,
            err: String::from_utf8_lossy(&err).into_owned(),
        })
    }

    fn wait_for_child(&self, child: &mut Child, limit: Duration) -> ExchangeResult<ExitStatus> {
        let started = Instant::now();
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(status);
            }
            let is_stopped = self.stop.load(Ordering::Relaxed);
            if is_stopped || started.elapsed() > limit {
                // It may have ended meanwhile; then there is nothing to end.
                let _ = child.kill();
                let _ = child.wait();
                return Err(match is_stopped {
                    true => ExchangeError::Interrupted,
                    false => ExchangeError::TooSlow,
                });
            }
            thread::sleep(LOOK);
        }
    }

    fn build_command(&self) -> Command {
        let mut command = Command::new("git");
        for setting in OVERRIDES.into_iter().chain(self.ssh) {
            command.args(["-c", setting]);
        }
        for name in REMOVED {
            command.env_remove(name);
        }
        command
            .envs(SET)
            .env("GIT_DIR", &self.folder)
            .current_dir(&self.folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }
}

/// A commit that was written, and its tree: two commits with one tree hold the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenCommit {
    /// The commit.
    pub commit: String,
    /// Its tree.
    pub tree: String,
}

fn feed_child(child: &mut Child, bytes: Vec<u8>) -> JoinHandle<io::Result<()>> {
    let stdin = child.stdin.take();
    thread::spawn(move || stdin.map_or(Ok(()), |mut it| it.write_all(&bytes)))
}

fn read_in_thread(from: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // What cannot be read to its end is judged by git's own exit code.
        let _ = from.take(MAX_ANSWER).read_to_end(&mut bytes);
        bytes
    })
}

fn join_reader(reader: JoinHandle<Vec<u8>>) -> Vec<u8> {
    reader.join().unwrap_or_default()
}

fn is_object_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|it| it.is_ascii_hexdigit())
}

/// `100644 blob ID SIZE\tNAME`; a link, a folder or a program is no file of the set.
fn parse_tree_row(row: &str) -> Option<ExchangeFile> {
    let (head, name) = row.split_once('\t')?;
    let mut words = head.split_whitespace();
    let is_file = words.next() == Some("100644") && words.next() == Some("blob");
    let (blob, size) = (words.next()?, words.next()?.parse().ok()?);
    (is_file && is_object_id(blob)).then(|| ExchangeFile {
        name: name.to_owned(),
        blob: blob.to_owned(),
        size,
    })
}

/// The contents in the answer of `cat-file --batch`: a line with id, type and size, the bytes, and a line's end.
fn split_batch(mut answer: &[u8], n_files: usize) -> Option<Vec<Vec<u8>>> {
    let mut contents = Vec::with_capacity(n_files);
    for _ in 0..n_files {
        let end = answer.iter().position(|it| *it == b'\n')?;
        let head = std::str::from_utf8(&answer[..end]).ok()?;
        let mut words = head.split(' ').skip(1);
        let is_blob = words.next() == Some("blob");
        let size: usize = words.next().filter(|_| is_blob)?.parse().ok()?;
        let rest = &answer[end + 1..];
        contents.push(rest.get(..size)?.to_vec());
        answer = rest.get(size + 1..)?;
    }
    Some(contents)
}

/// What git says about a failure, on one line and without credentials.
fn describe_complaint(text: &str) -> String {
    let marks = ["fatal:", "error:", "remote:", "ssh:", "!"];
    let is_told = |it: &&str| marks.iter().any(|mark| it.trim_start().starts_with(mark));
    let line = text
        .lines()
        .find(is_told)
        .or_else(|| text.lines().find(|it| !it.trim().is_empty()));
    let line = line.unwrap_or("git did not say why").trim();
    let words = line.split_whitespace().map(hide_credentials);
    let line: String = words.collect::<Vec<_>>().join(" ");
    line.chars().take(300).collect()
}

/// An address without the name and the password in it.
fn hide_credentials(word: &str) -> String {
    match (word.split_once("://"), word.rfind('@')) {
        (Some((scheme, _)), Some(at)) if at > scheme.len() => {
            format!("{scheme}://…{}", &word[at..])
        }
        _ => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_hold_no_credentials() {
        let check = |text: &str, expected: &str| assert_eq!(describe_complaint(text), expected);
        check(
            "hint: x\nfatal: unable to access 'https://ana:pw@host/a.git/': no host\n",
            "fatal: unable to access 'https://…@host/a.git/': no host",
        );
        check("\n", "git did not say why");
        check("ssh: no route", "ssh: no route");
    }

    #[test]
    fn only_regular_files_of_a_tree_count() {
        let blob = "a".repeat(40);
        let check = |row: String, expected: Option<u64>| {
            assert_eq!(parse_tree_row(&row).map(|it| it.size), expected, "{row}");
        };
        check(format!("100644 blob {blob}      12\t00"), Some(12));
        check(format!("120000 blob {blob}      12\t00"), None);
        check(format!("100755 blob {blob}      12\t00"), None);
        check(format!("040000 tree {blob}       -\t00"), None);
        check("100644 blob --upload-pack 12\t00".into(), None);
        check(String::new(), None);
    }

    #[test]
    fn addresses_that_name_programs_are_refused() {
        let dir = std::env::temp_dir().join("apostille-exchange-never-made");
        let stop = AtomicBool::new(false);
        for url in [
            "ext::sh -c 'touch pwned'",
            "--upload-pack=touch pwned",
            "a::b",
        ] {
            let opened = ExchangeRepository::open(&dir, (url, EXCHANGE_REF), &stop);
            assert!(matches!(opened, Err(ExchangeError::Strange(_))), "{url}");
        }
        assert!(!dir.exists());
    }
}
