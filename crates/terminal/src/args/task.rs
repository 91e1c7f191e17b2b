//! The command line of `task`.

use std::path::PathBuf;

use apostille_agents::task_opening::OPENING_TOKENS;
use apostille_core::memory::{Kind, MemoryName};
use apostille_tasks::task::{NoteSort, TaskFileName, TaskSlug};
use clap::{Args, Subcommand};

use super::build_word_parser;

/// `task`.
#[derive(Debug, Args)]
#[command(disable_help_subcommand = true, arg_required_else_help = true)]
pub struct TaskArgs {
    /// What to do.
    #[command(subcommand)]
    pub what: TaskSubcommand,
}

/// What to do with tasks.
#[derive(Debug, Subcommand)]
pub enum TaskSubcommand {
    /// Begin a task, or take one up again
    Start(TaskStartArgs),
    /// Note something, a decision, a check, a blocker
    Note(TaskNoteArgs),
    /// Begin the next phase
    Phase(TaskPhaseArgs),
    /// End the task, and offer what is worth keeping
    Done(TaskDoneArgs),
    /// Free files of the task, such as its plan, with every revision
    File(TaskFileArgs),
    /// The tasks of this checkout
    List(TaskListArgs),
    /// Everything about one task
    Show(TaskShowArgs),
    /// Remove a task for good: its title, gates and notes
    Forget(TaskForgetArgs),
    /// Task-Id and Prompt-Version in every commit
    Hooks(TaskHooksArgs),
    /// Add the trailers to a commit message; a git hook calls it
    Trailers(TaskTrailersArgs),
}

/// `task start`.
#[derive(Debug, Args)]
pub struct TaskStartArgs {
    /// What is to be done, in a few words; or the name of a task that is open
    pub title: String,
    /// The phase it begins in
    #[arg(long)]
    pub phase: Option<String>,
    /// The phases as they are planned, with commas
    #[arg(long, value_name = "A,B,C", value_delimiter = ',')]
    pub phases: Vec<String>,
    /// Leave the task that is active open, and work on this one
    #[arg(long)]
    pub switch: bool,
    /// At most so many tokens of what is known about it and happened in similar tasks; 0 for none
    #[arg(long, value_name = "N", default_value_t = OPENING_TOKENS)]
    pub tokens: usize,
}

/// `task note`.
#[derive(Debug, Args)]
pub struct TaskNoteArgs {
    /// What to note; - reads it from the standard input
    pub text: String,
    /// What sort of note it is.
    #[command(flatten)]
    pub sort: NoteSortArgs,
    /// The blocker that is out of the way now (repeatable)
    #[arg(long, value_name = "HANDLE", value_delimiter = ',')]
    pub resolves: Vec<MemoryName>,
    /// The code that proves it, as src/api.rs:12-18 or src/http.rs::Server::bind (repeatable)
    #[arg(long = "cite", short, value_name = "PATH:LINES")]
    pub cites: Vec<String>,
    /// The words come from outside; it waits for approval
    #[arg(long)]
    pub tainted: bool,
    /// Another task than the active one
    #[arg(long, value_name = "SLUG")]
    pub task: Option<TaskSlug>,
}

/// What sort of note it is.
#[derive(Debug, Clone, Copy, Args)]
#[group(multiple = false)]
pub struct NoteSortArgs {
    /// It was decided
    #[arg(long)]
    pub decision: bool,
    /// It was decided as a limit to keep within
    #[arg(long)]
    pub constraint: bool,
    /// It was checked
    #[arg(long)]
    pub verified: bool,
    /// It stands in the way, or may
    #[arg(long)]
    pub blocker: bool,
}

impl NoteSortArgs {
    /// The sort.
    pub fn to_sort(self) -> NoteSort {
        match self {
            Self { decision: true, .. }
            | Self {
                constraint: true, ..
            } => NoteSort::Decision,
            Self { verified: true, .. } => NoteSort::Verified,
            Self { blocker: true, .. } => NoteSort::Blocker,
            _ => NoteSort::Note,
        }
    }
}

/// `task phase`.
#[derive(Debug, Args)]
pub struct TaskPhaseArgs {
    /// The phase that begins
    pub name: String,
    /// It was not planned, and is a phase all the same
    #[arg(long)]
    pub new: bool,
    /// What is said of the phase that ends.
    #[command(flatten)]
    pub report: PhaseReportArgs,
}

/// What is said of a phase that ends; its notes are added.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Report on the phase that ends")]
pub struct PhaseReportArgs {
    /// What was done (repeatable)
    #[arg(long, value_name = "TEXT")]
    pub done: Vec<String>,
    /// What was checked, and holds (repeatable)
    #[arg(long, value_name = "TEXT")]
    pub verified: Vec<String>,
    /// What is left, or fails (repeatable)
    #[arg(long, value_name = "TEXT")]
    pub open: Vec<String>,
    /// What comes next (repeatable)
    #[arg(long, value_name = "TEXT")]
    pub next: Vec<String>,
}

impl PhaseReportArgs {
    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        let parts = [&self.done, &self.verified, &self.open, &self.next];
        parts.iter().all(|it| it.is_empty())
    }
}

/// `task done`.
#[derive(Debug, Args)]
pub struct TaskDoneArgs {
    /// Which; the active one unless said
    pub slug: Option<TaskSlug>,
    /// What came of it, in a sentence
    #[arg(long, value_name = "TEXT")]
    pub outcome: Option<String>,
    /// It was given up
    #[arg(long)]
    pub abandoned: bool,
    /// Notes to keep as knowledge, with commas
    #[arg(long, value_name = "HANDLES", value_delimiter = ',')]
    pub promote: Vec<MemoryName>,
    /// The kind of what is promoted; found out unless said
    #[arg(long, value_parser = build_word_parser(Kind::ALL, Kind::as_str), requires = "promote")]
    pub kind: Option<Kind>,
    /// What is said of the last phase.
    #[command(flatten)]
    pub report: PhaseReportArgs,
}

/// `task file`.
#[derive(Debug, Args)]
pub struct TaskFileArgs {
    /// Which file, such as plan.md; all of them are listed without
    pub name: Option<TaskFileName>,
    /// Write it from this file, or from the standard input with -
    #[arg(long, value_name = "PATH", requires = "name")]
    pub write: Option<String>,
    /// Why it is revised
    #[arg(long, value_name = "TEXT", requires = "write")]
    pub why: Option<String>,
    /// Show this revision instead of the file as it is
    #[arg(long, value_name = "N", requires = "name", conflicts_with = "write")]
    pub revision: Option<u32>,
    /// Another task than the active one
    #[arg(long, value_name = "SLUG")]
    pub task: Option<TaskSlug>,
}

/// `task list`.
#[derive(Debug, Clone, Copy, Args)]
pub struct TaskListArgs {
    /// Also those that have ended
    #[arg(long)]
    pub all: bool,
}

/// `task show`.
#[derive(Debug, Args)]
pub struct TaskShowArgs {
    /// Which; the active one unless said
    pub slug: Option<TaskSlug>,
}

/// `task forget`.
#[derive(Debug, Args)]
pub struct TaskForgetArgs {
    /// Which
    pub slug: TaskSlug,
    /// Do not ask
    #[arg(long, short)]
    pub yes: bool,
}

/// `task hooks`.
#[derive(Debug, Clone, Copy, Args)]
#[group(multiple = false)]
pub struct TaskHooksArgs {
    /// Install the hook
    #[arg(long)]
    pub install: bool,
    /// Take it out again
    #[arg(long)]
    pub remove: bool,
}

/// `task trailers`.
#[derive(Debug, Args)]
pub struct TaskTrailersArgs {
    /// The file with the message
    #[arg(required_unless_present = "print")]
    pub file: Option<PathBuf>,
    /// Show the trailers instead
    #[arg(long)]
    pub print: bool,
}
