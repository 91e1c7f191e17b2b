//! The gates that a task passes, one JSON line each, version 1. Fields are only added.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{MAX_PHASES, PHASE_CHARS, Slug, TITLE_CHARS, made_plain};
use apostille_core::format::timestamp;
use apostille_core::memory::MemoryId;
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
        /// The task was brought to its end.
        Done = "done",
        /// The task was given up, or left open.
        Abandoned = "abandoned",
    }
}

/// How a task begins.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Start {
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
pub enum What {
    /// The task began, or was taken up again.
    Started(Start),
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
    /// The end, and the memory that tells of it.
    Done(Option<MemoryId>),
    /// Given up, and the memory that tells of it.
    Abandoned(Option<MemoryId>),
}

impl What {
    /// The gate.
    #[must_use]
    pub fn gate(&self) -> Gate {
        match self {
            Self::Started(_) => Gate::Started,
            Self::Phase(_) => Gate::Phase,
            Self::Noted(_) => Gate::Noted,
            Self::Decided(_) => Gate::Decided,
            Self::Verified(_) => Gate::Verified,
            Self::Blocked(_) => Gate::Blocked,
            Self::Unblocked(_) => Gate::Unblocked,
            Self::Done(_) => Gate::Done,
            Self::Abandoned(_) => Gate::Abandoned,
        }
    }
}

/// A gate that a task passed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// When.
    pub at: Timestamp,
    /// Which task.
    pub task: Slug,
    /// In which session, where it is known.
    pub session: Option<String>,
    /// What happened.
    pub what: What,
}

#[derive(Default, Serialize, Deserialize)]
struct Line {
    v: u32,
    at: String,
    task: String,
    gate: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    phases: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    phase: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    memory: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session: Option<String>,
}

/// What a file of gates holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Log {
    /// The gates, in the order of the file.
    pub passages: Vec<Passage>,
    /// How many lines are no gates: torn ones, or what a merge left behind.
    pub n_broken: usize,
    /// Whether a newer program wrote some of it.
    pub is_newer: bool,
}

/// Reads a file of gates. What cannot be read is passed by: the rest still tells of the task.
#[must_use]
pub fn read(text: &str) -> Log {
    let mut log = Log::default();
    for line in text.lines().map(str::trim).filter(|it| !it.is_empty()) {
        let line: Option<Line> = serde_json::from_str(line).ok();
        log.is_newer |= line.as_ref().is_some_and(|it| it.v > VERSION);
        match line.filter(|it| it.v == VERSION).and_then(passage) {
            Some(passage) => log.passages.push(passage),
            None => log.n_broken += 1,
        }
    }
    log
}

/// The gate that a line tells of. The file may have come with the repository, so its words are made plain.
fn passage(line: Line) -> Option<Passage> {
    let phase = |it: &String| made_plain("phase", it, PHASE_CHARS);
    let memory = line
        .memory
        .as_deref()
        .and_then(|it| it.parse::<MemoryId>().ok());
    let what = match line.gate.parse::<Gate>().ok()? {
        Gate::Started => What::Started(Start {
            title: made_plain("title", &line.title?, TITLE_CHARS),
            phases: line.phases.iter().take(MAX_PHASES).map(phase).collect(),
            phase: line.phase.as_ref().map(phase),
            commit: line.commit,
            by: line.by.map(|it| made_plain("by", &it, TITLE_CHARS)),
        }),
        Gate::Phase => What::Phase(phase(&line.phase?)),
        Gate::Noted => What::Noted(memory?),
        Gate::Decided => What::Decided(memory?),
        Gate::Verified => What::Verified(memory?),
        Gate::Blocked => What::Blocked(memory?),
        Gate::Unblocked => What::Unblocked(memory?),
        Gate::Done => What::Done(memory),
        Gate::Abandoned => What::Abandoned(memory),
    };
    let (at, task) = (line.at.parse().ok()?, line.task.parse().ok()?);
    Some(Passage {
        at,
        task,
        session: line.session,
        what,
    })
}

impl Passage {
    /// The line for it, without its end.
    #[must_use]
    pub fn line(&self) -> String {
        let line = Line {
            v: VERSION,
            at: timestamp(self.at),
            task: self.task.to_string(),
            gate: self.what.gate().to_string(),
            session: self.session.clone(),
            ..Line::default()
        };
        let line = match &self.what {
            What::Started(it) => Line {
                title: Some(it.title.clone()),
                phases: it.phases.clone(),
                phase: it.phase.clone(),
                commit: it.commit.clone(),
                by: it.by.clone(),
                ..line
            },
            What::Phase(name) => Line {
                phase: Some(name.clone()),
                ..line
            },
            What::Noted(id)
            | What::Decided(id)
            | What::Verified(id)
            | What::Blocked(id)
            | What::Unblocked(id) => Line {
                memory: Some(id.to_string()),
                ..line
            },
            What::Done(id) | What::Abandoned(id) => Line {
                memory: id.map(|it| it.to_string()),
                ..line
            },
        };
        serde_json::to_string(&line).unwrap_or_default()
    }
}
