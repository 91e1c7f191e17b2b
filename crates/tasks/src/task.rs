//! A task: what is being done, in which phase, and how it ended. It is folded from the gates it passed.
//!
//! The words of its notes are `episode` memories, which can be recalled, verified and forgotten like any other; a gate
//! line carries only their ids.

pub mod bullets;
pub mod gate;
pub mod left_open;
pub mod notes_block;
pub mod phase_report;
pub mod promote;
pub mod prompt_version;
pub mod slug;
pub mod summary;
pub mod task_file;
pub mod trailers;

use jiff::Timestamp;

use apostille_core::{
    Context, CoreError,
    memory::{Memory, MemoryId},
    refusal::{Refusal, check_text},
    space::Space,
};
use apostille_text::{moderate, shorten::shorten_text};

pub use apostille_core::task_words::{NoteSort, TaskStatus};
pub use gate::{Gate, GateAction, GateEvent};
pub use slug::TaskSlug;
pub use task_file::{TaskFile, TaskFileName};

/// The longest title, in characters.
pub const TITLE_CHARS: usize = 120;
/// The longest name of a phase, in characters.
pub const PHASE_CHARS: usize = 40;
/// How many phases may be planned.
pub const MAX_PHASES: usize = 20;
/// The tag of a decision that is a limit to keep within.
pub const CONSTRAINT: &str = "constraint";

/// The tag of the memory that tells how a task ended.
pub const SUMMARY: &str = "summary";

/// One note of a task, by its memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskEntry {
    /// The memory that has the words.
    pub id: MemoryId,
    /// What sort of note it is.
    pub sort: NoteSort,
    /// The phase it was made in.
    pub phase: Option<String>,
    /// Whether it is a blocker that is out of the way.
    pub is_resolved: bool,
}

/// The report on a phase, by its memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportEntry {
    /// The memory that has the words.
    pub id: MemoryId,
    /// The phase that it is about.
    pub phase: Option<String>,
}

/// A task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// Its name in files, trailers and commands.
    pub slug: TaskSlug,
    /// What is to be done.
    pub title: String,
    /// The phase it is in.
    pub phase: Option<String>,
    /// The phases as they were planned.
    pub phases: Vec<String>,
    /// The phases it was in, each once, in the order of their beginning.
    pub passed: Vec<String>,
    /// How it stands.
    pub status: TaskStatus,
    /// The memory that tells what came of it.
    pub outcome: Option<MemoryId>,
    /// Its notes.
    pub entries: Vec<TaskEntry>,
    /// The reports on its phases.
    pub reports: Vec<ReportEntry>,
    /// Its free files.
    pub files: Vec<TaskFile>,
    /// When it began.
    pub started_at: Timestamp,
    /// When the phase it is in began.
    pub phase_at: Timestamp,
    /// When the last gate was passed.
    pub touched_at: Timestamp,
    /// The commit that was checked out when it began.
    pub commit: Option<String>,
    /// Who began it.
    pub by: Option<String>,
    /// The session that passed the last gate, where it is known.
    pub session: Option<String>,
}

impl Task {
    /// The task that these gates tell of; `None` where nothing began.
    pub fn from_events(passages: &[GateEvent]) -> Option<Self> {
        let mut task: Option<Self> = None;
        for passage in passages {
            match (&mut task, &passage.what) {
                (None, GateAction::Started(start)) => task = Some(Self::from_start(passage, start)),
                (None, _) => {}
                (Some(task), _) => task.apply_event(passage),
            }
        }
        task
    }

    fn from_start(passage: &GateEvent, start: &gate::GateStart) -> Self {
        Self {
            slug: passage.task.clone(),
            title: start.title.clone(),
            phase: start.phase.clone(),
            phases: start.phases.clone(),
            passed: start.phase.iter().cloned().collect(),
            status: TaskStatus::Open,
            outcome: None,
            entries: Vec::new(),
            reports: Vec::new(),
            files: Vec::new(),
            started_at: passage.at,
            phase_at: passage.at,
            touched_at: passage.at,
            commit: start.commit.clone(),
            by: start.by.clone(),
            session: passage.session.clone(),
        }
    }

    /// Passes a gate. A gate that stands in the file twice, as after a merge, counts once.
    pub fn apply_event(&mut self, passage: &GateEvent) {
        self.touched_at = self.touched_at.max(passage.at);
        self.session = passage.session.clone().or_else(|| self.session.take());
        match &passage.what {
            // It is worked on already.
            GateAction::Started(_) if self.is_open() => {}
            GateAction::Started(start) => {
                (self.status, self.outcome) = (TaskStatus::Open, None);
                if let Some(phase) = &start.phase {
                    self.enter_phase(passage.at, phase);
                }
            }
            GateAction::Phase(name) => self.enter_phase(passage.at, name),
            GateAction::Noted(id) => self.add_entry(*id, NoteSort::Note),
            GateAction::Decided(id) => self.add_entry(*id, NoteSort::Decision),
            GateAction::Verified(id) => self.add_entry(*id, NoteSort::Verified),
            GateAction::Blocked(id) => self.add_entry(*id, NoteSort::Blocker),
            GateAction::Unblocked(id) => {
                let entries = self.entries.iter_mut().filter(|it| it.id == *id);
                entries.for_each(|it| it.is_resolved = true);
            }
            GateAction::Reported(id) => self.add_report(*id),
            GateAction::Filed(revision) => {
                task_file::add_revision(&mut self.files, passage.at, revision);
            }
            GateAction::Done(outcome) => self.end_with(TaskStatus::Done, *outcome),
            GateAction::Abandoned(outcome) => self.end_with(TaskStatus::Abandoned, *outcome),
        }
    }

    fn enter_phase(&mut self, at: Timestamp, name: &str) {
        if self.phase.as_deref() == Some(name) {
            return;
        }
        self.phase = Some(name.to_owned());
        self.phase_at = at;
        if !self.passed.iter().any(|it| it == name) {
            self.passed.push(name.to_owned());
        }
    }

    fn add_entry(&mut self, id: MemoryId, sort: NoteSort) {
        if self.entries.iter().any(|it| it.id == id) {
            return;
        }
        self.entries.push(TaskEntry {
            id,
            sort,
            phase: self.phase.clone(),
            is_resolved: false,
        });
    }

    fn add_report(&mut self, id: MemoryId) {
        if self.reports.iter().all(|it| it.id != id) {
            let phase = self.phase.clone();
            self.reports.push(ReportEntry { id, phase });
        }
    }

    fn end_with(&mut self, status: TaskStatus, outcome: Option<MemoryId>) {
        self.status = status;
        self.outcome = outcome.or(self.outcome);
    }

    /// Whether it is worked on.
    pub fn is_open(&self) -> bool {
        self.status == TaskStatus::Open
    }

    /// The notes of one sort; of blockers, those that still stand in the way.
    pub fn entries_of_sort(&self, sort: NoteSort) -> impl DoubleEndedIterator<Item = &TaskEntry> {
        self.entries
            .iter()
            .filter(move |it| it.sort == sort && !it.is_resolved)
    }

    /// The place among those planned of the phase it is in.
    fn phase_index(&self) -> Option<usize> {
        let phase = self.phase.as_ref()?;
        self.phases.iter().position(|it| it == phase)
    }

    /// The phase that is planned after the one it is in.
    #[must_use]
    pub fn next_phase(&self) -> Option<&str> {
        Some(self.phases.get(self.phase_index()? + 1)?)
    }

    /// The phase with its place among those planned: `build (2 of 3)`.
    #[must_use]
    pub fn format_phase(&self) -> Option<String> {
        let phase = self.phase.as_ref()?;
        Some(match self.phase_index() {
            Some(at) => format!("{phase} ({} of {})", at + 1, self.phases.len()),
            None => phase.clone(),
        })
    }

    /// Of these memories, the notes of one sort that are in use; of blockers, those that still stand in the way.
    pub(crate) fn find_notes<'m>(
        &'m self,
        sort: NoteSort,
        memories: &'m [Memory],
    ) -> impl Iterator<Item = (&'m TaskEntry, &'m Memory)> {
        self.entries_of_sort(sort).filter_map(|entry| {
            let mut known = memories.iter().filter(|it| it.is_active());
            Some((entry, known.find(|it| it.id == entry.id)?))
        })
    }
}

/// Whether a memory has a tag.
pub(crate) fn has_tag(memory: &Memory, tag: &str) -> bool {
    memory.tags.iter().any(|it| it == tag)
}

/// The memories of a task's entries, in their order. A file of a checkout says which they are, so each must say itself
/// that it belongs to this task of this space. What was forgotten is left out.
pub fn load_task_memories(
    cx: &Context,
    space: &Space,
    task: &Task,
) -> Result<Vec<Memory>, CoreError> {
    let entries = task.entries.iter().map(|it| it.id);
    let reports = task.reports.iter().map(|it| it.id);
    let ids: Vec<MemoryId> = entries.chain(reports).chain(task.outcome).collect();
    let mut memories = cx.store.get_by_ids(&ids)?;
    memories.retain(|it| it.space == *space && it.task.as_deref() == Some(task.slug.as_str()));
    Ok(memories)
}

/// A text for a file of the checkout, such as a title: on one line, without a secret, without hidden characters, short.
pub fn validate_task_text(
    field: &'static str,
    text: &str,
    limit: usize,
) -> Result<String, Refusal> {
    check_text(field, text)?;
    let text = moderate::neutralise_to_one_line(text);
    // What was hidden may have broken up a secret.
    check_text(field, &text)?;
    match text.chars().count() {
        0 => Err(Refusal::Empty { field }),
        _ if moderate::is_instruction(&text) => Err(Refusal::Instruction { field }),
        chars if chars > limit => Err(Refusal::TooLong {
            field,
            chars,
            limit,
        }),
        _ => Ok(text),
    }
}

/// A text out of a file that anybody may have written, as it may be shown: made plain, cut where it is too long, and left
/// out where it may not be shown at all.
pub(crate) fn sanitise_task_text(field: &'static str, text: &str, limit: usize) -> String {
    let line = moderate::neutralise_to_one_line(text);
    validate_task_text(field, &shorten_text(&line, limit), limit)
        .unwrap_or_else(|_| WITHHELD.into())
}

/// What stands for a text that may not be shown.
const WITHHELD: &str = "(withheld)";
