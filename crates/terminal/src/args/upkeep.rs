//! What keeps memories true, as it is typed: `verify`, `audit`, `review`, `breaker`, `rollback`, `promote`.

use std::{
    path::{Path, PathBuf},
    str::FromStr,
};

use super::{KeptName, build_word_parser};
use apostille_audit::Class;
use apostille_core::memory::{BadHandle, Kind, Layer, MemoryName};
use clap::{ArgGroup, Args, Subcommand};

/// `verify`.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// The memories, all active ones unless said; or instruction files such as AGENTS.md
    #[arg(value_name = "HANDLE|FILE")]
    pub names: Vec<VerifyName>,
    /// The instruction files that the repository has: what they name is looked up, without a store
    #[arg(long, conflicts_with_all = ["names", "all", "path", "github", "fix", "invalidate", "citations"])]
    pub instructions: bool,
    /// All active memories, as when none is named
    #[arg(long, conflicts_with_all = ["names", "path"])]
    pub all: bool,
    /// Those that cite this file, or a file below this folder
    #[arg(long, short, value_name = "PATH", conflicts_with = "names")]
    pub path: Option<String>,
    /// Check against a commit, branch or tag instead of your files
    #[arg(long, value_name = "REF")]
    pub at: Option<String>,
    /// Check against the repository on GitHub, without a checkout
    #[arg(long)]
    pub github: bool,
    /// Show what holds memory by memory, however many there are
    #[arg(long, short)]
    pub verbose: bool,
    /// Go through what does not stand: confirm it where it is now, correct it, or drop it
    #[arg(long, conflicts_with_all = ["at", "github", "invalidate", "ci", "sarif"])]
    pub fix: bool,
    /// With --fix: ask nothing, and confirm only what edited code on the default branch still says
    #[arg(long, short, requires = "fix", conflicts_with = "dry_run")]
    pub yes: bool,
    /// What may be changed.
    #[command(flatten)]
    pub change: VerifyChangeArgs,
    /// How programs read it.
    #[command(flatten)]
    pub machine: VerifyOutputArgs,
}

/// What may be changed.
#[derive(Debug, Args)]
#[group(multiple = false)]
#[command(next_help_heading = "What is changed")]
pub struct VerifyChangeArgs {
    /// Nothing at all: what moved is not followed, nothing is logged
    #[arg(long, visible_alias = "no-heal")]
    pub dry_run: bool,
    /// Also mark as invalid what the default branch disproves
    #[arg(long)]
    pub invalidate: bool,
}

/// How programs read it.
#[derive(Debug, Args)]
#[command(next_help_heading = "For programs")]
pub struct VerifyOutputArgs {
    /// Annotations for GitHub's checks; changes nothing
    #[arg(long, conflicts_with = "invalidate")]
    pub ci: bool,
    /// Write a SARIF 2.1.0 file; - is the output. Changes nothing
    #[arg(long, value_name = "FILE", conflicts_with = "invalidate")]
    pub sarif: Option<PathBuf>,
    /// Write the comment for a pull request: what it makes stale, and what to say instead; - is the output. Changes nothing
    #[arg(long, value_name = "FILE", conflicts_with_all = ["invalidate", "fix", "instructions"])]
    pub markdown: Option<PathBuf>,
    /// With --markdown: where the change begins; the default branch unless said
    #[arg(
        long,
        value_name = "REF",
        requires = "markdown",
        conflicts_with = "github"
    )]
    pub base: Option<String>,
    /// Look up citations of a file instead, one JSON object a line; - is the input. Needs no store
    #[arg(long, value_name = "FILE", conflicts_with_all = ["names", "all", "path", "github", "fix", "invalidate", "ci", "sarif", "markdown"])]
    pub citations: Option<PathBuf>,
}

impl VerifyOutputArgs {
    /// Whether it is for a program that checks the code.
    pub fn is_report(&self) -> bool {
        self.ci || self.sarif.is_some() || self.markdown.is_some()
    }
}

/// What is to be verified, by its name.
#[derive(Debug, Clone)]
pub enum VerifyName {
    /// A memory.
    Memory(MemoryName),
    /// A file of instructions.
    File(PathBuf),
}

impl FromStr for VerifyName {
    type Err = BadHandle;

    /// No handle has a dot or a slash, and every file that is meant has one.
    fn from_str(text: &str) -> Result<Self, BadHandle> {
        match text.parse() {
            Ok(name) => Ok(Self::Memory(name)),
            Err(_) if text.contains(['.', '/', '\\']) => Ok(Self::File(text.into())),
            Err(error) => Err(error),
        }
    }
}

impl VerifyArgs {
    /// The memories that were named.
    pub fn list_memories(&self) -> Vec<MemoryName> {
        let memory = |it: &VerifyName| match it {
            VerifyName::Memory(name) => Some(*name),
            VerifyName::File(_) => None,
        };
        self.names.iter().filter_map(memory).collect()
    }

    /// The instruction files that were named.
    pub fn list_files(&self) -> Vec<&Path> {
        self.names
            .iter()
            .filter_map(|it| match it {
                VerifyName::Memory(_) => None,
                VerifyName::File(path) => Some(path.as_path()),
            })
            .collect()
    }

    /// Whether nothing may be changed, the log included.
    pub fn is_read_only(&self) -> bool {
        self.change.dry_run || self.machine.is_report()
    }
}

/// `audit`.
#[derive(Debug, Args)]
pub struct AuditArgs {
    /// Only this class of findings (repeatable)
    #[arg(long, value_name = "CLASS", value_parser = build_word_parser(Class::ALL, Class::as_str))]
    pub only: Vec<Class>,
    /// Check against a commit, branch or tag instead of your files
    #[arg(long, value_name = "REF")]
    pub at: Option<String>,
    /// Show every finding, however many there are
    #[arg(long, short)]
    pub verbose: bool,
    /// As Markdown
    #[arg(long, conflicts_with_all = ["ci", "sarif"])]
    pub markdown: bool,
    /// How programs read it.
    #[command(flatten)]
    pub machine: AuditOutputArgs,
}

/// How programs read it.
#[derive(Debug, Args)]
#[command(next_help_heading = "For programs")]
pub struct AuditOutputArgs {
    /// Annotations for GitHub's checks
    #[arg(long)]
    pub ci: bool,
    /// Write a SARIF 2.1.0 file; - is the output
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,
}

/// `review`.
#[derive(Debug, Args)]
pub struct ReviewArgs {
    /// Accept these, without a dialogue
    #[arg(long, value_name = "HANDLE", num_args = 1..)]
    pub accept: Vec<MemoryName>,
    /// Turn these away, without a dialogue
    #[arg(long, value_name = "HANDLE", num_args = 1..)]
    pub reject: Vec<MemoryName>,
    /// Why they are turned away
    #[arg(long, requires = "reject")]
    pub reason: Option<String>,
    /// Show everything that waits, also what this week has no room for
    #[arg(long, conflicts_with_all = ["accept", "reject", "all_safe"])]
    pub all: bool,
    /// Accept everything that is safe, after a look at the list
    #[arg(long, conflicts_with_all = ["accept", "reject"])]
    pub all_safe: bool,
    /// Do not ask
    #[arg(long, short, requires = "all_safe")]
    pub yes: bool,
}

/// `breaker`.
#[derive(Debug, Args)]
#[command(disable_help_subcommand = true)]
pub struct BreakerArgs {
    /// What to do; they are listed unless said.
    #[command(subcommand)]
    pub what: Option<BreakerSubcommand>,
}

/// What is done about breakers.
#[derive(Debug, Subcommand)]
pub enum BreakerSubcommand {
    /// Let go on writing who was held up; what waits goes on waiting for `review`
    Close {
        /// Only those of this actor
        #[arg(long, value_name = "NAME")]
        actor: Option<String>,
    },
}

/// `secrets`.
#[derive(Debug, Args)]
#[command(disable_help_subcommand = true)]
pub struct SecretsArgs {
    /// What to do.
    #[command(subcommand)]
    pub what: SecretsSubcommand,
}

/// What is done about secrets.
#[derive(Debug, Subcommand)]
pub enum SecretsSubcommand {
    /// Tell where files hold what would not be kept; exit code 1 if one does
    Check(SecretsCheckArgs),
}

/// `secrets check`.
#[derive(Debug, Args)]
pub struct SecretsCheckArgs {
    /// The files; - is the standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Print the digest of each value as well, for secrets.allow
    #[arg(long)]
    pub digest: bool,
}

/// `rollback`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("where").required(true).args(["to", "undo"]))]
pub struct RollbackArgs {
    /// To when: a time as `log` prints it, 2h or 3d ago, or the place of an event
    #[arg(long, value_name = "TIME|EVENT")]
    pub to: Option<String>,
    /// Take the last rollback back
    #[arg(long)]
    pub undo: bool,
    /// Say what would change, and change nothing
    #[arg(long, short = 'n')]
    pub dry_run: bool,
    /// Your own memories instead of this repository's
    #[arg(long)]
    pub user: bool,
    /// Do not ask
    #[arg(long, short)]
    pub yes: bool,
}

/// `promote`.
#[derive(Debug, Args)]
pub struct PromoteArgs {
    /// The note: scratch of a session, or an episode; or what you said in a conversation, as c-5.3
    #[arg(value_name = "HANDLE")]
    pub name: KeptName,
    /// Where to: an episode, or knowledge; the next one up unless said
    #[arg(long, value_parser = build_word_parser(&[Layer::Episode, Layer::Knowledge], Layer::as_str))]
    pub layer: Option<Layer>,
    /// What sort of thing it is
    #[arg(long, value_parser = build_word_parser(Kind::ALL, Kind::as_str))]
    pub kind: Option<Kind>,
    /// A brief topic
    #[arg(long, short)]
    pub subject: Option<String>,
    /// It in better words
    #[arg(long)]
    pub fact: Option<String>,
    /// Why it matters
    #[arg(long)]
    pub reason: Option<String>,
    /// Keep what you said for yourself, in every repository
    #[arg(long)]
    pub user: bool,
    /// The code that proves it, as src/api.rs:12-18 or src/http.rs::Server::bind (repeatable)
    #[arg(long = "cite", short, value_name = "PATH:LINES")]
    pub cites: Vec<String>,
    /// The task that an episode belongs to
    #[arg(long, value_name = "SLUG")]
    pub task: Option<String>,
}
