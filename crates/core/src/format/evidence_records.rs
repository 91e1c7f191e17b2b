//! Evidence that is not code, as JSON.

use serde::{Deserialize, Serialize};

use super::{BadRecord, bad_record, format_timestamp, parse_record_time, parse_record_word};
use crate::{
    evidence::{
        CommandRun, Evidence, EvidenceKind, NamedThing, PatternSupport, ReviewRemark, RunTally,
        SaidQuote,
    },
    memory::MemoryId,
};

/// Evidence that is not code, as JSON: one flat object, with the fields that its word calls for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct EvidenceRecord {
    /// The word: `said`, `ran`, `review`, `episodes` or `memories`.
    pub kind: String,
    /// The user's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// Which of the user's prompts they stand in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<u32>,
    /// The command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Whether it succeeded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub succeeded: Option<bool>,
    /// The session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// When.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The number of the pull request that a reviewer commented on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pull_request: Option<u64>,
    /// The comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// The reviewer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviewer: Option<String>,
    /// How much the reviewer has to say: `maintainer`, `collaborator` or `stranger`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authority: Option<String>,
    /// Whose pull request it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The file that the comment is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// In how many tasks or commits a pattern was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<u32>,
    /// Among how many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<u32>,
    /// The episodes that it was found in, or the memories that were compared, by id.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memories: Vec<String>,
}

impl From<&Evidence> for EvidenceRecord {
    fn from(it: &Evidence) -> Self {
        let base = Self {
            kind: it.kind().to_string(),
            ..Self::default()
        };
        match it {
            Evidence::Said(said) => Self {
                quote: Some(said.quote.clone()),
                turn: Some(said.turn),
                session: Some(said.session.clone()),
                at: said.at.map(format_timestamp),
                ..base
            },
            Evidence::Ran(run) => Self {
                command: Some(run.command.clone()),
                succeeded: Some(run.has_succeeded),
                session: run.session.clone(),
                at: Some(format_timestamp(run.at)),
                ..base
            },
            Evidence::Review(remark) => Self {
                pull_request: Some(remark.pull_request),
                comment: Some(remark.comment.clone()),
                reviewer: Some(remark.reviewer.clone()),
                authority: Some(remark.authority.to_string()),
                author: remark.author.clone(),
                path: remark.path.as_ref().map(ToString::to_string),
                at: Some(format_timestamp(remark.at)),
                ..base
            },
            Evidence::Episodes(support) => Self {
                found: Some(support.found),
                of: Some(support.of),
                memories: support.episodes.clone(),
                ..base
            },
            Evidence::Memories(ids) => Self {
                memories: ids.clone(),
                ..base
            },
        }
    }
}

impl TryFrom<EvidenceRecord> for Evidence {
    type Error = BadRecord;
    fn try_from(it: EvidenceRecord) -> Result<Self, BadRecord> {
        let missing = |field: &str| bad_record(format!("evidence '{}' without '{field}'", it.kind));
        let at = it.at.as_deref().map(parse_record_time).transpose()?;
        Ok(match parse_record_word::<EvidenceKind>(&it.kind)? {
            EvidenceKind::Said => Self::Said(SaidQuote {
                quote: it.quote.clone().ok_or_else(|| missing("quote"))?,
                session: it.session.clone().ok_or_else(|| missing("session"))?,
                turn: it.turn.unwrap_or(0),
                at,
            }),
            EvidenceKind::Ran => Self::Ran(CommandRun {
                command: it.command.clone().ok_or_else(|| missing("command"))?,
                has_succeeded: it.succeeded.ok_or_else(|| missing("succeeded"))?,
                session: it.session.clone(),
                at: at.ok_or_else(|| missing("at"))?,
            }),
            EvidenceKind::Review => {
                let authority = it.authority.as_deref();
                let authority = authority.ok_or_else(|| missing("authority"))?;
                let path = it.path.as_deref().map(parse_record_word).transpose()?;
                Self::Review(ReviewRemark {
                    pull_request: it.pull_request.ok_or_else(|| missing("pull_request"))?,
                    comment: it.comment.clone().ok_or_else(|| missing("comment"))?,
                    reviewer: it.reviewer.clone().ok_or_else(|| missing("reviewer"))?,
                    authority: parse_record_word(authority)?,
                    author: it.author.clone(),
                    path,
                    at: at.ok_or_else(|| missing("at"))?,
                })
            }
            EvidenceKind::Episodes => Self::Episodes(PatternSupport {
                found: it.found.ok_or_else(|| missing("found"))?,
                of: it.of.ok_or_else(|| missing("of"))?,
                episodes: check_memory_ids(it.memories)?,
            }),
            EvidenceKind::Memories => Self::Memories(check_memory_ids(it.memories)?),
        })
    }
}

/// Ids as they are written, where each is one.
fn check_memory_ids(texts: Vec<String>) -> Result<Vec<String>, BadRecord> {
    for it in &texts {
        parse_record_word::<MemoryId>(it)?;
    }
    Ok(texts)
}

/// A run of a command, as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandRunRecord {
    /// The command.
    pub command: String,
    /// Whether it succeeded.
    pub succeeded: bool,
    /// The session it ran in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// When.
    pub at: String,
}

impl From<&CommandRun> for CommandRunRecord {
    fn from(it: &CommandRun) -> Self {
        Self {
            command: it.command.clone(),
            succeeded: it.has_succeeded,
            session: it.session.clone(),
            at: format_timestamp(it.at),
        }
    }
}

impl TryFrom<CommandRunRecord> for CommandRun {
    type Error = BadRecord;
    fn try_from(it: CommandRunRecord) -> Result<Self, BadRecord> {
        Ok(Self {
            at: parse_record_time(&it.at)?,
            command: it.command,
            has_succeeded: it.succeeded,
            session: it.session,
        })
    }
}

/// Something that a memory names, as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NameRecord {
    /// What kind of thing: `path`, `symbol` or `script`.
    pub kind: String,
    /// Its name, as the memory writes it.
    pub name: String,
    /// The file in which a symbol was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

impl From<&NamedThing> for NameRecord {
    fn from(it: &NamedThing) -> Self {
        Self {
            kind: it.kind.to_string(),
            name: it.name.clone(),
            path: it.path.clone(),
        }
    }
}

impl TryFrom<NameRecord> for NamedThing {
    type Error = BadRecord;
    fn try_from(it: NameRecord) -> Result<Self, BadRecord> {
        Ok(Self {
            kind: parse_record_word(&it.kind)?,
            name: it.name,
            path: it.path,
        })
    }
}

/// How the commands that a memory names fared, as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunTallyRecord {
    /// When one was last seen to succeed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub succeeded_at: Option<String>,
    /// When one was seen to fail since then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed_at: Vec<String>,
}

impl RunTallyRecord {
    /// The record of a tally; `None` where nothing was seen.
    #[must_use]
    pub fn from_tally(it: &RunTally) -> Option<Self> {
        (!it.is_empty()).then(|| Self {
            succeeded_at: it.succeeded_at.map(format_timestamp),
            failed_at: it.failed_at.iter().copied().map(format_timestamp).collect(),
        })
    }
}

impl TryFrom<RunTallyRecord> for RunTally {
    type Error = BadRecord;
    fn try_from(it: RunTallyRecord) -> Result<Self, BadRecord> {
        let failed_at = it.failed_at.iter().map(|at| parse_record_time(at));
        Ok(Self {
            failed_at: failed_at.collect::<Result<_, _>>()?,
            succeeded_at: it
                .succeeded_at
                .as_deref()
                .map(parse_record_time)
                .transpose()?,
        })
    }
}
