//! The gates that a task passes, one JSON line each, version 1. Fields are only added.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{
    MAX_PHASES, PHASE_CHARS, TITLE_CHARS, TaskSlug, sanitise_task_text,
    task_file::{FileRevision, WHY_CHARS},
};
use apostille_core::{format::format_timestamp, memory::MemoryId};
use apostille_text::words::words;

/// The version of the lines.
pub const VERSION: u32 = 1;

words! {
    /// A gate.
    Gate as "gate" {
        /// The task began, or was taken up again.
        Started = "started",
        /// Another phase began.
        Phase = "phase",
        /// Something was noted.
        Noted = "noted",
        /// Something was decided.
        Decided = "decided",
        /// Something was checked.
        Verified = "verified",
        /// Something stands in the way.
        Blocked = "blocked",
        /// It does so no more.
        Unblocked = "unblocked",
        /// A phase left its report.
        Reported = "reported",
        /// A file of the task was written.
        Filed = "filed",
        /// The task was brought to its end.
        Done = "done",
        /// The task was given up, or left open.
        Abandoned = "abandoned",
    }
}

/// How a task begins.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GateStart {
    /// What is to be done.
    pub title: String,
    /// The phases as they are planned.
    pub phases: Vec<String>,
    /// The first phase.
    pub phase: Option<String>,
    /// The commit that is checked out.
    pub commit: Option<String>,
    /// Who begins it.
    pub by: Option<String>,
}

/// What happened at a gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GateAction {
    /// The task began, or was taken up again.
    Started(GateStart),
    /// This phase began.
    Phase(String),
    /// This was noted.
    Noted(MemoryId),
    /// This was decided.
    Decided(MemoryId),
    /// This was checked.
    Verified(MemoryId),
    /// This stands in the way.
    Blocked(MemoryId),
    /// This stands in the way no more.
    Unblocked(MemoryId),
    /// This reports on the phase.
    Reported(MemoryId),
    /// This revision of a file was written.
    Filed(FileRevision),
    /// The end, and the memory that tells of it.
    Done(Option<MemoryId>),
    /// Given up, and the memory that tells of it.
    Abandoned(Option<MemoryId>),
}

impl GateAction {
    /// The gate.
    pub fn gate(&self) -> Gate {
        match self {
            Self::Started(_) => Gate::Started,
            Self::Phase(_) => Gate::Phase,
            Self::Noted(_) => Gate::Noted,
            Self::Decided(_) => Gate::Decided,
            Self::Verified(_) => Gate::Verified,
            Self::Blocked(_) => Gate::Blocked,
            Self::Unblocked(_) => Gate::Unblocked,
            Self::Reported(_) => Gate::Reported,
            Self::Filed(_) => Gate::Filed,
            Self::Done(_) => Gate::Done,
            Self::Abandoned(_) => Gate::Abandoned,
        }
    }
}

/// A gate that a task passed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateEvent {
    /// When.
    pub at: Timestamp,
    /// Which task.
    pub task: TaskSlug,
    /// In which session, where it is known.
    pub session: Option<String>,
    /// What happened.
    pub what: GateAction,
}

#[derive(Default, Serialize, Deserialize)]
struct GateRecord {
    v: u32,
    at: String,
    task: String,
    gate: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    phases: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    phase: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    revision: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
}

/// What a file of gates holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GateLog {
    /// The gates, in the order of the file.
    pub passages: Vec<GateEvent>,
    /// Whether a newer program wrote some of it.
    pub is_newer: bool,
}

/// Reads a file of gates. What cannot be read is passed by: the rest still tells of the task.
pub fn parse_gate_log(text: &str) -> GateLog {
    let mut log = GateLog::default();
    for line in text.lines().map(str::trim).filter(|it| !it.is_empty()) {
        let line: Option<GateRecord> = serde_json::from_str(line).ok();
        log.is_newer |= line.as_ref().is_some_and(|it| it.v > VERSION);
        let line = line.filter(|it| it.v == VERSION);
        log.passages.extend(line.and_then(convert_gate_record));
    }
    log
}

/// The gate that a line tells of. The file may have come with the repository, so its words are made plain.
fn convert_gate_record(line: GateRecord) -> Option<GateEvent> {
    let phase = |it: &String| sanitise_task_text("phase", it, PHASE_CHARS);
    let memory = line.memory.as_deref().and_then(|it| it.parse().ok());
    let what = match line.gate.parse().ok()? {
        Gate::Started => GateAction::Started(GateStart {
            title: sanitise_task_text("title", &line.title?, TITLE_CHARS),
            phases: line.phases.iter().take(MAX_PHASES).map(phase).collect(),
            phase: line.phase.as_ref().map(phase),
            commit: line.commit,
            by: line.by.map(|it| sanitise_task_text("by", &it, TITLE_CHARS)),
        }),
        Gate::Phase => GateAction::Phase(phase(&line.phase?)),
        Gate::Noted => GateAction::Noted(memory?),
        Gate::Decided => GateAction::Decided(memory?),
        Gate::Verified => GateAction::Verified(memory?),
        Gate::Blocked => GateAction::Blocked(memory?),
        Gate::Unblocked => GateAction::Unblocked(memory?),
        Gate::Reported => GateAction::Reported(memory?),
        Gate::Filed => GateAction::Filed(FileRevision {
            name: line.file?.parse().ok()?,
            number: line.revision.filter(|it| *it > 0)?,
            why: line.why.map(|it| sanitise_task_text("why", &it, WHY_CHARS)),
        }),
        Gate::Done => GateAction::Done(memory),
        Gate::Abandoned => GateAction::Abandoned(memory),
    };
    Some(GateEvent {
        at: line.at.parse().ok()?,
        task: line.task.parse().ok()?,
        session: line.session,
        what,
    })
}

impl GateEvent {
    /// The line for it, without its end.
    pub fn to_json_line(&self) -> String {
        let mut line = GateRecord {
            v: VERSION,
            at: format_timestamp(self.at),
            task: self.task.to_string(),
            gate: self.what.gate().to_string(),
            session: self.session.clone(),
            ..GateRecord::default()
        };
        match &self.what {
            GateAction::Started(it) => {
                let it = it.clone();
                (line.title, line.phases, line.phase) = (Some(it.title), it.phases, it.phase);
                (line.commit, line.by) = (it.commit, it.by);
            }
            GateAction::Phase(name) => line.phase = Some(name.clone()),
            GateAction::Filed(it) => {
                line.file = Some(it.name.to_string());
                (line.revision, line.why) = (Some(it.number), it.why.clone());
            }
            GateAction::Reported(id)
            | GateAction::Noted(id)
            | GateAction::Decided(id)
            | GateAction::Verified(id)
            | GateAction::Blocked(id)
            | GateAction::Unblocked(id)
            | GateAction::Done(Some(id))
            | GateAction::Abandoned(Some(id)) => line.memory = Some(id.to_string()),
            GateAction::Done(None) | GateAction::Abandoned(None) => {}
        }
        serde_json::to_string(&line).unwrap_or_default()
    }
}
