//! Repositories told as stories: what was written and cited, what happened since, and what a look says now.

use std::fs;
use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use apostille_cite::{
    citation::Citation,
    follow::{CitationFinding, FAR},
    source::Source,
    verdict::Verdict,
};
use apostille_core::{
    Context, policy::Policy, remember::prove::capture_citation, store::ram::RamStore,
};
use apostille_git::{
    git::{Checkout, Commit},
    worktree::WorkTree,
};
use tempfile::TempDir;

/// When everything in these repositories was written.
const DATE: &str = "2026-01-02T03:04:05Z";
/// What would lead git elsewhere if whoever runs the tests has set it.
const REMOVED: [&str; 6] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_COUNT",
    "GIT_EXEC_PATH",
];

/// A repository `app`, alone in a folder that also serves as home, and what was cited from it.
pub(crate) struct Story {
    home: TempDir,
    pub(crate) root: PathBuf,
    pub(crate) cited: Vec<Citation>,
}

impl Story {
    /// A repository with a branch `main` and no commit.
    pub(crate) fn new() -> Self {
        Self::with("")
    }

    /// The same with options for `git init`.
    pub(crate) fn with(options: &str) -> Self {
        let home = TempDir::new().unwrap();
        let root = home.path().canonicalize().unwrap().join("app");
        fs::create_dir(&root).unwrap();
        let story = Self {
            home,
            root,
            cited: Vec::new(),
        };
        story.git(&format!(
            "init --quiet --initial-branch=main --template= {options}"
        ))
    }

    /// A repository with one commit, in which the words in brackets are cited. See [`page`].
    pub(crate) fn of(state: &str) -> Self {
        Self::new().turn(state).commit("one").cite(&place(state))
    }

    /// Makes these the only files of the working tree, as in `a.rs: a b c; b.rs: d`. See [`page`].
    pub(crate) fn turn(self, state: &str) -> Self {
        for entry in fs::read_dir(&self.root).unwrap().map(Result::unwrap) {
            match entry.file_type().unwrap() {
                _ if entry.file_name() == ".git" => {}
                it if it.is_dir() => fs::remove_dir_all(entry.path()).unwrap(),
                _ => fs::remove_file(entry.path()).unwrap(),
            }
        }
        parts(state)
            .into_iter()
            .fold(self, |story, (path, words)| story.write(path, page(words)))
    }

    pub(crate) fn write(self, path: &str, text: impl AsRef<[u8]>) -> Self {
        let file = self.root.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
        self
    }

    pub(crate) fn remove(self, path: &str) -> Self {
        let file = self.root.join(path);
        let is_dir = fs::symlink_metadata(&file).unwrap().is_dir();
        if is_dir {
            fs::remove_dir_all(file)
        } else {
            fs::remove_file(file)
        }
        .unwrap();
        self
    }

    /// Moves a file without telling git.
    pub(crate) fn rename(self, from: &str, to: &str) -> Self {
        let to = self.root.join(to);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::rename(self.root.join(from), to).unwrap();
        self
    }

    /// Commits everything there is.
    pub(crate) fn commit(self, message: &str) -> Self {
        self.git("add --all").commit_index(message)
    }

    /// Commits what is staged.
    pub(crate) fn commit_index(self, message: &str) -> Self {
        self.git(&format!(
            "commit --quiet --allow-empty --no-verify --message {message}"
        ))
    }

    /// Runs git with these words as arguments; it must be content.
    pub(crate) fn git(self, words: &str) -> Self {
        self.said(words);
        self
    }

    /// What git says to these words.
    pub(crate) fn said(&self, words: &str) -> String {
        self.said_in(&self.root, words)
    }

    pub(crate) fn said_in(&self, directory: &Path, words: &str) -> String {
        let output = self
            .command(directory)
            .args(words.split_whitespace())
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "git {words}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout)
            .trim_end()
            .to_owned()
    }

    /// Git as a user would start it here, but cut off from the machine's own configuration.
    pub(crate) fn command(&self, directory: &Path) -> Command {
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
        for setting in [
            "core.autocrlf=false",
            "protocol.file.allow=always",
            "maintenance.auto=false",
            "gc.auto=0",
        ] {
            command.args(["-c", setting]);
        }
        command.current_dir(directory).stdin(Stdio::null());
        command
    }

    /// A path beside the repository.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.home.path().canonicalize().unwrap().join(name)
    }

    /// Goes on in another repository or working tree beside this one.
    pub(crate) fn go_to(self, name: &str) -> Self {
        let root = self.beside(name);
        Self { root, ..self }
    }

    /// Cites lines of the working tree.
    pub(crate) fn cite(mut self, place: &str) -> Self {
        self.cited
            .push(capture_citation(&self.worktree(), &place.parse().unwrap()).unwrap());
        self
    }

    /// Cites lines of a commit.
    pub(crate) fn cite_at(mut self, reference: &str, place: &str) -> Self {
        self.cited
            .push(capture_citation(&self.at(reference), &place.parse().unwrap()).unwrap());
        self
    }

    /// Rewrites the latest citation.
    pub(crate) fn forge(mut self, forge: impl FnOnce(&mut Citation)) -> Self {
        forge(self.cited.last_mut().unwrap());
        self
    }

    pub(crate) fn checkout(&self) -> Checkout {
        Checkout::discover(&self.root).unwrap().unwrap()
    }

    pub(crate) fn worktree(&self) -> WorkTree {
        WorkTree::open(&self.checkout()).unwrap()
    }

    pub(crate) fn at(&self, reference: &str) -> Commit {
        Commit::new(&self.checkout(), reference).unwrap()
    }

    /// The working tree and its commit both say this of the latest citation.
    pub(crate) fn expect(self, expected: &str) -> Self {
        self.expect_here(expected).expect_at("HEAD", expected)
    }

    /// The working tree says this of the latest citation.
    pub(crate) fn expect_here(self, expected: &str) -> Self {
        self.compare(&self.worktree(), expected, "the working tree");
        self
    }

    /// A commit says this of the latest citation.
    pub(crate) fn expect_at(self, reference: &str, expected: &str) -> Self {
        self.compare(&self.at(reference), expected, reference);
        self
    }

    /// Whether the cited commit is part of what is checked out.
    pub(crate) fn expect_merged(self, expected: Option<bool>) -> Self {
        for source in [&self.worktree() as &dyn Source, &self.at("HEAD")] {
            assert_eq!(
                sight(source, self.cited.last().unwrap()).is_merged,
                expected
            );
        }
        self
    }

    /// The message of the commit that both say is behind the verdict.
    pub(crate) fn expect_since(self, message: &str) -> Self {
        let since = match sight(&self.worktree(), self.cited.last().unwrap()).verdict {
            Verdict::Changed(it) => it.since,
            Verdict::Gone { since, .. } => since,
            other => panic!("{other:?}"),
        };
        assert_eq!(
            self.said(&format!("log -1 --format=%s {}", since.unwrap())),
            message
        );
        self
    }

    fn compare(&self, source: &dyn Source, expected: &str, whose: &str) {
        let told = told(&sight(source, self.cited.last().unwrap()).verdict);
        assert!(
            is_like(&told, expected),
            "{whose} says '{told}' instead of '{expected}'"
        );
    }
}

/// One case: words in brackets are cited in the first state; the others follow, each a commit. The answer is the
/// same for the working tree before the last commit, for the working tree after it, and for the commit itself.
pub(crate) fn follow(first: &str, then: &[&str], expected: &str) {
    let (last, between) = then.split_last().unwrap();
    let story = between.iter().fold(Story::of(first), |it, state| {
        it.turn(state).commit("between")
    });
    story
        .turn(last)
        .expect_here(expected)
        .commit("last")
        .expect(expected);
}

/// The paths and pages of a state. A state without a path is the file `a.rs`.
fn parts(state: &str) -> Vec<(&str, &str)> {
    state
        .split(';')
        .map(|it| it.trim().split_once(": ").unwrap_or(("a.rs", it.trim())))
        .collect()
}

/// The place that a state has in brackets.
fn place(state: &str) -> String {
    let (path, words) = parts(state)
        .into_iter()
        .find(|it| it.1.contains('['))
        .unwrap();
    let until = |at: usize| page(words.get(..at).unwrap()).lines().count();
    format!(
        "{path}:{}-{}",
        until(words.find('[').unwrap()) + 1,
        until(words.find(']').unwrap())
    )
}

/// Text with one line for each word. A word may be dressed: `c!` has another value, `>c` is indented, `c#` has a
/// comment, `c/` is wrapped as a formatter does it, `c=` has another name, `c_` ends in spaces; `.` is an empty line,
/// `}` a bracket, `@` a comment.
pub(crate) fn page(words: &str) -> String {
    words
        .split_whitespace()
        .map(|it| line(it.trim_matches(['[', ']'])) + "\n")
        .collect()
}

fn line(word: &str) -> String {
    let of = |it: &str| {
        format!("let {it} = settings.read_the_value_of_{it}(\"{it}\").unwrap_or_default();")
    };
    let Some(last) = word
        .strip_prefix('>')
        .or(Some(word))
        .and_then(|it| it.chars().last())
    else {
        return String::new();
    };
    let bare = word.trim_start_matches('>').trim_end_matches(last);
    match (last, word.starts_with('>')) {
        ('.', _) => String::new(),
        ('}', _) => "}".into(),
        ('@', _) => "// a remark".into(),
        ('!', _) => of(bare).replace("unwrap_or_default()", "unwrap_or(7)"),
        ('#', _) => of(bare) + " // this is why",
        ('/', _) => of(bare).replace('.', "\n    ."),
        ('=', _) => of(bare).replace(&format!("let {bare}"), &format!("let renamed_{bare}")),
        ('_', _) => of(bare) + "  ",
        (_, true) => format!("    {}", of(&word[1..])),
        (_, false) => of(word),
    }
}

/// What one look at one citation finds.
pub(crate) fn sight(source: &dyn Source, citation: &Citation) -> CitationFinding {
    sights(source, &[citation], &|| false).remove(0)
}

/// What one look at many citations finds, unless it is late.
pub(crate) fn sights(
    source: &dyn Source,
    citations: &[&Citation],
    late: &dyn Fn() -> bool,
) -> Vec<CitationFinding> {
    sights_within(FAR, source, citations, late)
}

/// The same, following at most so many commits one by one.
pub(crate) fn sights_within(
    most: usize,
    source: &dyn Source,
    citations: &[&Citation],
    late: &dyn Fn() -> bool,
) -> Vec<CitationFinding> {
    let (store, policy) = (RamStore::default(), Policy::default());
    let cx = Context {
        store: &store,
        source,
        policy: &policy,
        now: DATE.parse().unwrap(),
        random: &|| 0,
        late,
        actor: None,
        other_spaces: &[],
        guardian: None,
        testimony: None,
        embedder: None,
        archive: None,
        commit_reasons: None,
    };
    cx.citation_follower(most).follow_citations(citations)
}

/// A verdict in one line.
pub(crate) fn told(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Holds => "holds".into(),
        Verdict::Moved { to } => format!("moved {to}"),
        Verdict::Changed(it) => format!("changed {} {}", it.change.as_str(), it.at),
        Verdict::Gone { loss, .. } => format!("gone {}", loss.as_str()),
        Verdict::Unknown { why } => format!("unknown {why}"),
    }
}

/// Whether a line is the expected one, in which `…` stands for anything.
pub(crate) fn is_like(told: &str, expected: &str) -> bool {
    let Some((start, end)) = expected.split_once('…') else {
        return told == expected;
    };
    told.strip_prefix(start)
        .is_some_and(|rest| rest.contains(end.trim_end_matches('…')))
}
