//! A session of an agent, as its hooks saw it: what it was shown, turn by turn, and why. It is what "nothing twice"
//! rests on, and what `why` reads. No text of a memory is in it.

mod contexts;
mod failures;
mod noted;
mod record;

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::client::Client;
use apostille_cite::{citation::RepoPath, standing::Standing};
use apostille_core::{
    memory::{Handle, MemoryId},
    policy::MAX_TIER,
    recall::{ScoreBreakdown, VerifiedHit},
    space::Space,
};
use apostille_text::{digest::Digest, words::words};

pub use noted::NotedFile;
pub use record::VERSION;

pub(crate) use record::as_text;
use record::{ScoreRecord, as_texts, as_whole_name, read_list};

/// How long after a moment the same one is the same one again: two files of settings may both name our hook.
const REPEAT_SECONDS: i64 = 10;
/// How much of a name that a client gives is kept, in characters.
const NAME_CHARS: usize = 200;

words! {
    /// A moment in a session at which something can be shown or learned.
    Moment as "moment" {
        /// It began, or began again.
        Start = "start",
        /// The person said something.
        Prompt = "prompt",
        /// A file is about to be changed, or was looked at.
        Touch = "touch",
        /// A command failed.
        Failure = "failure",
        /// A sub-agent is given a task.
        Subtask = "subtask",
        /// The client is about to forget most of what was said.
        Compact = "compact",
        /// The agent has answered.
        Stop = "stop",
        /// It is over.
        End = "end",
        /// What it left behind was gone through.
        Done = "done",
    }
}

impl Moment {
    /// Whether it is one of the many at which a tool is used: it is written down only where something came of it.
    #[must_use]
    pub fn is_tools(self) -> bool {
        matches!(self, Self::Touch | Self::Failure | Self::Subtask)
    }
}

/// A memory that was shown, or would have been.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShownMemory {
    /// Which.
    #[serde(with = "as_text")]
    pub id: MemoryId,
    /// As it was called.
    #[serde(with = "as_text")]
    pub handle: Handle,
    /// Its score.
    pub score: f32,
    /// How it stood.
    pub verdict: String,
    /// Where the score came from.
    #[serde(flatten, with = "ScoreRecord")]
    pub why: ScoreBreakdown,
}

impl From<&VerifiedHit> for ShownMemory {
    fn from(it: &VerifiedHit) -> Self {
        Self {
            id: it.hit.memory.id,
            handle: it.hit.memory.handle(),
            score: it.hit.score,
            verdict: it.standing().to_string(),
            why: it.hit.why.clone(),
        }
    }
}

/// One moment of a session, written down.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionEntry {
    /// When.
    #[serde(with = "as_text")]
    pub at: Timestamp,
    /// Which session, by the client's name for it.
    pub session: String,
    /// Whose.
    #[serde(with = "as_text")]
    pub client: Client,
    /// In which repository.
    #[serde(with = "as_whole_name")]
    pub space: Space,
    /// What moment it was.
    #[serde(with = "as_text")]
    pub moment: Moment,
    /// The turn, by the client's name for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    /// The sub-agent that it happened to, by the client's name for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// What was said, as a digest: enough to know it again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
    /// Whether the person asked to leave memory out of it.
    #[serde(
        rename = "ignored",
        default,
        skip_serializing_if = "std::ops::Not::not"
    )]
    pub is_ignored: bool,
    /// Whether the client goes on without what was said before.
    #[serde(rename = "fresh", default, skip_serializing_if = "std::ops::Not::not")]
    pub is_fresh: bool,
    /// Whether words from outside came in.
    #[serde(
        rename = "outside",
        default,
        skip_serializing_if = "std::ops::Not::not"
    )]
    pub is_outside: bool,
    /// What was shown.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "read_list"
    )]
    pub shown: Vec<ShownMemory>,
    /// What would have been shown, but does not hold here.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "read_list"
    )]
    pub withheld: Vec<ShownMemory>,
    /// Files that the agent edits, whose memories are to be judged later.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "read_list"
    )]
    pub noted: Vec<NotedFile>,
    /// Files that were noted before, and whose memories were judged now.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "as_texts")]
    pub judged: Vec<RepoPath>,
    /// A command that failed and was looked up, as a digest: enough to know the error again.
    #[serde(rename = "failed", default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// Where the client writes down what is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transcript: Option<String>,
    /// What was shown of the archive and of commits, by their short names.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "read_list"
    )]
    pub quoted: Vec<String>,
    /// What the person stated for good, and the agent was reminded to keep, as a digest: enough to know it again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stated: Option<String>,
    /// Whether a page was handed over that says what memories are, also where none was on it: who the person is, a task.
    #[serde(rename = "framed", default, skip_serializing_if = "std::ops::Not::not")]
    pub is_framed: bool,
    /// How many moments were gone through, of one that says so: more may have come while it was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub covers: Option<usize>,
    /// What chance decided about its memory, of the first moment: whether the session goes without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drawn: Option<bool>,
    /// The tier of memory that it has, of the first moment; all of it where nothing says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<u8>,
    /// How long it took until this was written down, in microseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub took: Option<u32>,
}

impl SessionEntry {
    /// A moment at which nothing was shown.
    pub fn new(at: Timestamp, session: &str, client: Client, space: Space, moment: Moment) -> Self {
        Self {
            at,
            session: session.chars().take(NAME_CHARS).collect(),
            client,
            space,
            moment,
            turn: None,
            agent: None,
            words: None,
            is_ignored: false,
            is_fresh: false,
            is_outside: false,
            shown: Vec::new(),
            withheld: Vec::new(),
            noted: Vec::new(),
            judged: Vec::new(),
            failure: None,
            transcript: None,
            quoted: Vec::new(),
            stated: None,
            is_framed: false,
            covers: None,
            drawn: None,
            tier: None,
            took: None,
        }
    }

    /// The same at this turn, with these words.
    #[must_use]
    pub fn with_prompt(self, turn: Option<&str>, words: Option<&str>) -> Self {
        let turn = turn.map(|it| it.chars().take(NAME_CHARS).collect());
        let words = words.map(|it| {
            Digest::hash_bytes(it.trim().as_bytes())
                .short_hex()
                .to_owned()
        });
        Self {
            turn,
            words,
            ..self
        }
    }
}

/// A session: its moments, in order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AgentSession {
    /// The moments.
    pub entries: Vec<SessionEntry>,
}

impl AgentSession {
    /// A session as it was written down; what cannot be read is left out.
    pub fn from_lines(text: &str) -> Self {
        Self {
            entries: text
                .lines()
                .filter_map(SessionEntry::from_json_line)
                .collect(),
        }
    }

    /// Whether chance decided that it goes without memory.
    #[must_use]
    pub fn is_held_out(&self) -> bool {
        self.entries.iter().any(|it| it.drawn == Some(true))
    }

    /// The tier of memory that it has: none where it is held out.
    #[must_use]
    pub fn tier(&self) -> u8 {
        let noted = self.entries.iter().find_map(|it| it.tier);
        match self.is_held_out() {
            true => 0,
            false => noted.unwrap_or(MAX_TIER),
        }
    }

    /// Whether words from outside came in so far.
    pub fn is_exposed(&self) -> bool {
        self.entries.iter().any(|it| it.is_outside)
    }

    /// When words from outside first came in.
    #[must_use]
    pub fn exposed_at(&self) -> Option<Timestamp> {
        let mut outside = self.entries.iter().filter(|it| it.is_outside);
        outside.next().map(|it| it.at)
    }

    /// What the agent was shown and still has before it.
    #[must_use]
    pub fn ids_in_context(&self) -> BTreeSet<MemoryId> {
        self.entries_in_context()
            .iter()
            .flat_map(|it| &it.shown)
            .map(|it| it.id)
            .collect()
    }

    /// The short names of what the agent was shown of the archive and of commits, and still has before it.
    #[must_use]
    pub fn quoted_in_context(&self) -> BTreeSet<String> {
        let entries = self.entries_in_context().iter();
        entries.flat_map(|it| it.quoted.iter().cloned()).collect()
    }

    /// Whether the agent still has a page of memories before it.
    pub fn has_page_in_context(&self) -> bool {
        let has_told = |it: &SessionEntry| {
            it.is_framed || !it.shown.is_empty() || !it.withheld.is_empty() || !it.quoted.is_empty()
        };
        self.entries_in_context().iter().any(has_told)
    }

    /// What was shown at any time.
    pub fn shown_ids(&self) -> BTreeSet<MemoryId> {
        self.entries
            .iter()
            .flat_map(|it| &it.shown)
            .map(|it| it.id)
            .collect()
    }

    /// What was shown at any time, and what was said not to hold.
    #[must_use]
    pub fn told_ids(&self) -> BTreeSet<MemoryId> {
        let entries = self.entries.iter();
        let told = entries.flat_map(|it| it.shown.iter().chain(&it.withheld));
        told.map(|it| it.id).collect()
    }

    /// What was said not to hold, and the agent still has before it.
    #[must_use]
    pub fn withheld_in_context(&self) -> BTreeSet<MemoryId> {
        self.entries_in_context()
            .iter()
            .flat_map(|it| &it.withheld)
            .map(|it| it.id)
            .collect()
    }

    /// Whether the agent still has a memory before it that was said not to hold, with the call that repairs it.
    pub fn has_refuted_in_context(&self) -> bool {
        let is_refuted = |it: &ShownMemory| it.verdict != Standing::Unknown.as_str();
        let entries = self.entries_in_context().iter();
        entries.flat_map(|it| &it.withheld).any(is_refuted)
    }

    /// The moments since the client last dropped what was said; what was shown before is no longer before the agent.
    fn entries_in_context(&self) -> &[SessionEntry] {
        let dropped = self.entries.iter().rposition(|it| it.is_fresh);
        &self.entries[dropped.unwrap_or(0)..]
    }

    /// The moments that nobody has gone through yet.
    pub fn unlearned_entries(&self) -> Vec<&SessionEntry> {
        let covered = self
            .entries
            .iter()
            .rev()
            .find_map(|it| it.covers)
            .unwrap_or(0);
        self.entries
            .iter()
            .skip(covered)
            .filter(|it| it.moment != Moment::Done)
            .collect()
    }

    /// Whether it began before.
    pub fn has_begun(&self) -> bool {
        self.entries.iter().any(|it| it.moment == Moment::Start)
    }

    /// Whether the client dropped what was said, and nothing was given back since: it has no moment of its own for that.
    #[must_use]
    pub fn has_untold_compaction(&self) -> bool {
        let is_either = |it: &&SessionEntry| matches!(it.moment, Moment::Compact | Moment::Start);
        let last = self.entries.iter().rev().find(is_either);
        last.is_some_and(|it| it.moment == Moment::Compact)
    }

    /// Whether the session had its briefing.
    #[must_use]
    pub fn is_briefed(&self) -> bool {
        self.entries
            .iter()
            .any(|it| it.moment == Moment::Prompt && !it.is_ignored)
    }

    /// Whether it stopped in the middle of a turn, and nobody said that it ended: its client was killed, or the machine went
    /// down.
    #[must_use]
    pub fn is_cut_off(&self) -> bool {
        let left = self.unlearned_entries();
        let last = left.last().map(|it| it.moment);
        last.is_some_and(|it| !matches!(it, Moment::End | Moment::Stop))
    }

    /// Whether the person asked, for the turn that is going on, to leave memory out of it. A session that is over has no
    /// turn that goes on, though a server that it started may live on.
    pub fn is_memory_ignored(&self) -> bool {
        self.entries
            .iter()
            .rev()
            .find(|it| matches!(it.moment, Moment::Prompt | Moment::End))
            .is_some_and(|it| it.is_ignored)
    }

    /// Whether this very moment is the last one that was here: with the same words, in the same turn or just now. When
    /// anything else happened since, it is another one.
    #[must_use]
    pub fn is_repeat(&self, new: &SessionEntry) -> bool {
        let is_recent =
            |it: &SessionEntry| new.at.duration_since(it.at).as_secs().abs() <= REPEAT_SECONDS;
        let is_same_time = |it: &SessionEntry| match (&it.turn, &new.turn, new.moment) {
            (Some(old), Some(new), Moment::Prompt) => old == new,
            _ => is_recent(it),
        };
        let mut moments = self
            .entries
            .iter()
            .rev()
            .filter(|it| !it.moment.is_tools() && it.moment != Moment::Done);
        // Two files that name our hooks run them at once: start, prompt, start, prompt.
        let is_beside = |it: &&SessionEntry| {
            let pair = (it.moment, new.moment);
            matches!(
                pair,
                (Moment::Start, Moment::Prompt) | (Moment::Prompt, Moment::Start)
            )
        };
        let last = moments.find(|it| !is_beside(it));
        let last = last.filter(|it| it.moment == new.moment);
        last.is_some_and(|it| it.words == new.words && is_same_time(it))
    }

    /// Where the client writes down what is said, as last told.
    pub fn transcript_path(&self) -> Option<&str> {
        self.entries
            .iter()
            .rev()
            .find_map(|it| it.transcript.as_deref())
    }
}
