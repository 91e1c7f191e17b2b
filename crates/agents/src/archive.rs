//! What of a session goes into the archive: the user's turns word for word, and of the agent's what they answer.
//!
//! Nothing of what tools gave back, of our own pages and of sub-agents is in it. What was pasted is another's text: its first
//! lines are kept beside the words, and no decision is read from them. Where text from outside came into a session, the agent may
//! be repeating it, so the agent's words after that are left out and the session says so.

use std::collections::{BTreeMap, BTreeSet};

use apostille_cite::citation::RepoPath;
use apostille_core::{
    Context, CoreError,
    archive::{
        ArchiveKind, ArchivePassage, ArchiveRecord, ArchiveScope, PassageSpeaker,
        clean::{clean_and_shorten, clean_passage},
        related::find_related,
    },
    space::Space,
};
use apostille_text::digest::Digest;
use jiff::{SignedDuration, Timestamp};

use crate::{
    ended_session::EndedSession,
    extract::{own_sentences::split_foreign_text, summary::list_edited_files},
    ledger::KeptPrompt,
    transcript::{TranscriptCall, TranscriptTurn, TurnSpeaker},
};

/// How much of one turn of the user is kept, in characters.
const MAX_USER_CHARS: usize = 4_000;
/// How much of what the agent said before a turn of the user.
const AGENT_HEAD_CHARS: usize = 200;
const AGENT_TAIL_CHARS: usize = 500;
/// How much of what was pasted.
const PASTED_CHARS: usize = 240;
/// How much of one session: the words of the user first.
const MAX_SESSION_CHARS: usize = 60_000;

/// Archives a session that is over, or that its client is about to shorten; a later look at it replaces an earlier one.
/// `None` where the archive is off, or where nothing was said.
pub fn archive_session(cx: &Context, left: &EndedSession<'_>) -> Result<Option<u64>, CoreError> {
    let Some(archive) = cx.archive else {
        return Ok(None);
    };
    let Some(mut record) = build_session_record(cx.now, left) else {
        return Ok(None);
    };
    record.related = find_related(archive, &record)?.into_iter().collect();
    archive.keep_record(&record)
}

/// What the user said in a session whose client writes nothing down that can be read: the prompts that hooks saw, behind those
/// that were archived before it was taken up again.
pub fn list_seen_prompts(
    cx: &Context,
    repo: &Space,
    name: &str,
    seen: &[KeptPrompt],
) -> Result<Vec<TranscriptTurn>, CoreError> {
    let Some(first) = seen.first().map(|it| truncate_to_millisecond(it.at)) else {
        return Ok(Vec::new());
    };
    let mut prompts = list_archived_prompts(cx, repo, name)?;
    prompts.retain(|it| it.at < first);
    prompts.extend_from_slice(seen);
    Ok(prompts
        .iter()
        .zip(1..)
        .map(|it| it.0.to_turn(it.1))
        .collect())
}

fn list_archived_prompts(
    cx: &Context,
    repo: &Space,
    name: &str,
) -> Result<Vec<KeptPrompt>, CoreError> {
    let Some(archive) = cx.archive else {
        return Ok(Vec::new());
    };
    let scope = ArchiveScope {
        space: repo,
        kind: ArchiveKind::Conversation,
    };
    let number = archive.find_record(scope, name)?;
    let records = archive.read_records(number.as_slice())?.into_iter();
    let passages = records.flat_map(|it| it.passages);
    let own = passages.filter(|it| it.speaker == PassageSpeaker::User);
    let prompts = own.map(|it| KeptPrompt {
        at: it.at,
        text: it.text,
        pasted: it.pasted.unwrap_or_default(),
    });
    Ok(prompts.collect())
}

/// A session as a record; `None` where the user said nothing in it.
pub(crate) fn build_session_record(
    now: Timestamp,
    left: &EndedSession<'_>,
) -> Option<ArchiveRecord> {
    let passages = collect_passages(now, left);
    let first = passages.first()?.at;
    let last = passages.last()?.at;
    let has_user = passages.iter().any(|it| it.speaker == PassageSpeaker::User);
    let files = list_edited_files(left.turns).into_iter();
    let files: BTreeSet<RepoPath> = files.filter_map(|it| it.parse().ok()).collect();
    has_user.then(|| ArchiveRecord {
        number: 0,
        kind: ArchiveKind::Conversation,
        space: left.repo.clone(),
        name: left.name.to_owned(),
        author: Some(left.client.to_string()),
        started_at: first,
        ended_at: last,
        task: left.task.map(Into::into),
        branch: left.branch.map(Into::into),
        paths: files,
        is_exposed: find_first_foreign_turn(left).is_some(),
        passages,
        related: BTreeSet::new(),
    })
}

/// The turn from which on text from outside is in the session. Hooks have looked into scripts and at the names of remotes; the
/// transcript tells where no hook ran.
pub(crate) fn find_first_foreign_turn(left: &EndedSession<'_>) -> Option<usize> {
    let exposed_at = left.session.exposed_at();
    let is_after =
        |it: &TranscriptTurn| exposed_at.is_some_and(|at| it.at.is_none_or(|it| it >= at));
    let is_foreign =
        |it: &TranscriptTurn| it.uses.iter().any(TranscriptCall::is_outside) || is_after(it);
    left.turns.iter().position(is_foreign)
}

/// The turns of a session without the words that were forgotten of its record: nothing is learned from those again. What the agent
/// did meanwhile stays.
pub(crate) fn list_remembered_turns(
    left: &EndedSession<'_>,
) -> Result<Vec<TranscriptTurn>, CoreError> {
    let Some(kept) = left.kept else {
        return Ok(left.turns.to_vec());
    };
    let scope = ArchiveScope {
        space: left.repo,
        kind: ArchiveKind::Conversation,
    };
    if kept.has_forgotten(scope, left.name)? {
        return Ok(Vec::new());
    }
    let passages = left.turns.iter().zip(1..).filter_map(build_passage);
    let passages: Vec<ArchivePassage> = passages.collect();
    let forgotten = kept.list_forgotten(scope, left.name, &passages)?;
    let mut turns = Vec::new();
    for (turn, number) in left.turns.iter().zip(1..) {
        match (forgotten.contains(&number), turn.speaker) {
            (true, TurnSpeaker::Person) => {}
            (true, _) => turns.push(TranscriptTurn {
                text: String::new(),
                ..turn.clone()
            }),
            (false, _) => turns.push(turn.clone()),
        }
    }
    Ok(turns)
}

/// What a turn would be in the archive.
fn build_passage((turn, number): (&TranscriptTurn, u32)) -> Option<ArchivePassage> {
    let (speaker, text, pasted) = match turn.speaker {
        TurnSpeaker::Person => {
            let (own, pasted) = clean_user_words(turn);
            (PassageSpeaker::User, own, pasted)
        }
        TurnSpeaker::Agent => (PassageSpeaker::Agent, clean_agent_words(turn), None),
        TurnSpeaker::Tool => return None,
    };
    Some(ArchivePassage {
        number,
        speaker,
        at: truncate_to_millisecond(turn.at.unwrap_or(Timestamp::MIN)),
        text,
        pasted,
    })
}

/// What the user wrote, and what was pasted into it.
fn clean_user_words(turn: &TranscriptTurn) -> (String, Option<String>) {
    let (own, pasted) = split_foreign_text(&turn.text);
    let pasted = clean_and_shorten(&pasted, PASTED_CHARS);
    let own = clean_and_shorten(&own, MAX_USER_CHARS);
    (own, Some(pasted).filter(|it| !it.is_empty()))
}

fn clean_agent_words(turn: &TranscriptTurn) -> String {
    shorten_in_middle(&clean_passage(&remove_code(&turn.text)))
}

/// The digests of the prompts that memory was to be left out of.
pub(crate) fn list_ignored_prompts(left: &EndedSession<'_>) -> BTreeSet<String> {
    let ignored = left.session.entries.iter().filter(|it| it.is_ignored);
    ignored.filter_map(|it| it.words.clone()).collect()
}

fn collect_passages(now: Timestamp, left: &EndedSession<'_>) -> Vec<ArchivePassage> {
    let foreign_from = find_first_foreign_turn(left).unwrap_or(usize::MAX);
    let ignored = list_ignored_prompts(left);
    let is_ignored = |it: &TranscriptTurn| {
        let digest = Digest::hash_bytes(it.text.trim().as_bytes());
        ignored.contains(&digest.short_hex())
    };
    let mut passages = PassageList::starting_at(left.find_start().unwrap_or(now));
    let mut answer: Option<&TranscriptTurn> = None;
    for (place, turn) in left.turns.iter().enumerate() {
        match turn.speaker {
            TurnSpeaker::Tool => (),
            TurnSpeaker::Agent if place >= foreign_from => answer = None,
            TurnSpeaker::Agent => {
                answer = Some(turn)
                    .filter(|it| !it.text.trim().is_empty())
                    .or(answer)
            }
            TurnSpeaker::Person => {
                passages.push_agent(answer.take());
                if !is_ignored(turn) {
                    passages.push_user(turn);
                }
            }
        }
    }
    passages.push_agent(answer);
    passages.into_bounded()
}

impl EndedSession<'_> {
    fn find_start(&self) -> Option<Timestamp> {
        let written = self.turns.iter().find_map(|it| it.at);
        written.or_else(|| self.session.entries.first().map(|it| it.at))
    }
}

/// Passages in order, each later than the one before: a time names a passage.
struct PassageList {
    last: Timestamp,
    passages: Vec<ArchivePassage>,
}

impl PassageList {
    fn starting_at(at: Timestamp) -> Self {
        Self {
            last: truncate_to_millisecond(at) - SignedDuration::from_millis(1),
            passages: Vec::new(),
        }
    }

    fn push_user(&mut self, turn: &TranscriptTurn) {
        let (own, pasted) = clean_user_words(turn);
        if !own.is_empty() || pasted.is_some() {
            self.push(turn.at, PassageSpeaker::User, own, pasted);
        }
    }

    /// What the agent said last before a turn of the user, which answers it.
    fn push_agent(&mut self, turn: Option<&TranscriptTurn>) {
        let Some(turn) = turn else { return };
        let text = clean_agent_words(turn);
        if !text.is_empty() {
            self.push(turn.at, PassageSpeaker::Agent, text, None);
        }
    }

    fn push(
        &mut self,
        at: Option<Timestamp>,
        speaker: PassageSpeaker,
        text: String,
        pasted: Option<String>,
    ) {
        let next = self.last + SignedDuration::from_millis(1);
        self.last = at.map_or(next, |it| truncate_to_millisecond(it).max(next));
        let number = u32::try_from(self.passages.len() + 1).unwrap_or(u32::MAX);
        let at = self.last;
        self.passages.push(ArchivePassage {
            number,
            speaker,
            at,
            text,
            pasted,
        });
    }

    /// Those that have room, the user's first; what is left keeps its number.
    fn into_bounded(self) -> Vec<ArchivePassage> {
        let mut left = MAX_SESSION_CHARS;
        let mut kept = BTreeMap::new();
        for speaker in [PassageSpeaker::User, PassageSpeaker::Agent] {
            for it in self.passages.iter().filter(|it| it.speaker == speaker) {
                let chars = it.text.chars().count();
                if chars <= left {
                    left -= chars;
                    kept.insert(it.number, it.clone());
                }
            }
        }
        kept.into_values().collect()
    }
}

/// A time as it is kept.
fn truncate_to_millisecond(at: Timestamp) -> Timestamp {
    Timestamp::from_millisecond(at.as_millisecond()).unwrap_or(at)
}

/// The prose of a text: without blocks of code and without tables.
fn remove_code(text: &str) -> String {
    let mut is_code = false;
    let mut prose = Vec::new();
    for line in text.lines() {
        let start = line.trim_start();
        if start.starts_with("```") || start.starts_with("~~~") {
            is_code = !is_code;
        } else if !is_code && !start.starts_with('|') && !start.is_empty() {
            prose.push(line.trim_end());
        }
    }
    prose.join("\n")
}

/// The beginning and the end of a text: what is concluded and asked stands at its end.
fn shorten_in_middle(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    if chars.len() <= AGENT_HEAD_CHARS + AGENT_TAIL_CHARS {
        return text.to_owned();
    }
    let head: String = chars[..AGENT_HEAD_CHARS].iter().collect();
    let tail: String = chars[chars.len() - AGENT_TAIL_CHARS..].iter().collect();
    let head = head
        .rsplit_once(char::is_whitespace)
        .map_or(head.as_str(), |it| it.0);
    let tail = tail
        .split_once(char::is_whitespace)
        .map_or(tail.as_str(), |it| it.1);
    format!("{head} …\n{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_and_tables_are_no_prose() {
        let text = "I lower it.\n```rust\nlet x = 7;\n```\n| a | b |\n\nIs 7 fine?";
        assert_eq!(remove_code(text), "I lower it.\nIs 7 fine?");
    }

    #[test]
    fn long_answer_keeps_its_end() {
        let text = format!("{} shall it stay at 7?", "word ".repeat(400));
        let kept = shorten_in_middle(&text);
        assert!(kept.ends_with("shall it stay at 7?"), "{kept}");
        assert!(kept.chars().count() <= AGENT_HEAD_CHARS + AGENT_TAIL_CHARS + 3);
    }
}
