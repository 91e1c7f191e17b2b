//! The sessions that made a change, what was said in them, and the memories that they had been shown by then.

use std::collections::{BTreeMap, BTreeSet};

use apostille_agents::{
    commit_origin::{CommitFacts, OriginBasis, SessionTrace, find_origin_sessions},
    session::AgentSession,
};
use apostille_api::json::{ChangeView, TracedMemoryView, TracedQuoteView, TracedSessionView};
use apostille_core::{
    archive::{ArchiveFilter, ArchiveKind, ArchiveRecord, ArchiveScope, excerpt::choose_quotes},
    memory::MemoryId,
    verify::{VerifiedMemory, follow_memory_citations},
};
use jiff::SignedDuration;

use super::{ChangeReader, end_of_second};
use crate::error::CommandError;

/// How long before a commit a conversation may have ended.
const BEFORE: SignedDuration = SignedDuration::from_hours(24);
/// How many conversations are looked at, and how many sessions of the record.
const MAX_RECORDS: usize = 200;
const MAX_SESSIONS: usize = 400;
/// How much of the first conversation is quoted, and of the second, in characters.
const QUOTE_CHARS: [usize; 2] = [900, 400];
/// How many memories of a session are told.
const MAX_SHOWN: usize = 5;

/// A change, and the words that it is about.
pub(super) struct TracedChange<'a> {
    pub(super) facts: CommitFacts<'a>,
    pub(super) words: String,
}

impl ChangeReader<'_> {
    /// Adds the sessions that made a change.
    pub(super) fn add_sessions(
        &self,
        change: &TracedChange<'_>,
        view: &mut ChangeView,
    ) -> Result<(), CommandError> {
        let records = self.list_records(&change.facts)?;
        let traces = self.list_traces(&change.facts, &records);
        let found = find_origin_sessions(&change.facts, &traces);
        for ((trace, basis), chars) in found.into_iter().zip(QUOTE_CHARS) {
            let record = records.iter().find(|it| it.name == trace.name);
            let session = self.build_session_view(change, (trace, basis), record, chars)?;
            view.sessions.push(session);
        }
        if view.sessions.is_empty() {
            let why = match change.facts.is_by_other {
                true => "somebody else wrote the commit, and no session here was about its task",
                false => "no session that is kept changed these files at that time",
            };
            view.push_missing("conversation", why);
        }
        Ok(())
    }

    /// The conversations that may have made it: those of its time, of its task, and in the record of its task.
    fn list_records(&self, facts: &CommitFacts<'_>) -> Result<Vec<ArchiveRecord>, CommandError> {
        let Some(archive) = &self.archive else {
            return Ok(Vec::new());
        };
        let scope = ArchiveScope {
            space: &self.workspace.settings.repo,
            kind: ArchiveKind::Conversation,
        };
        let of_time = ArchiveFilter {
            since: facts.written_at.checked_sub(BEFORE).ok(),
            until: Some(end_of_second(facts.written_at)),
            ..ArchiveFilter::default()
        };
        let of_task = facts.task.map(|task| ArchiveFilter {
            task: Some(task.to_owned()),
            ..ArchiveFilter::default()
        });
        let mut numbers = BTreeSet::new();
        for filter in of_task.iter().chain([&of_time]) {
            numbers.extend(archive.list_records(scope, filter, MAX_RECORDS)?);
        }
        for session in &facts.task_sessions {
            numbers.extend(archive.find_record(scope, session)?);
        }
        Ok(archive.read_records(&numbers.into_iter().collect::<Vec<_>>())?)
    }

    /// Every session that may have made it, as the archive and the hooks saw it.
    fn list_traces(&self, facts: &CommitFacts<'_>, records: &[ArchiveRecord]) -> Vec<SessionTrace> {
        let mut traces: BTreeMap<String, SessionTrace> = BTreeMap::new();
        let mut add = |it: SessionTrace| {
            let merged = match traces.remove(&it.name) {
                Some(known) => known.merge(it),
                None => it,
            };
            traces.insert(merged.name.clone(), merged);
        };
        records
            .iter()
            .map(SessionTrace::from_record)
            .for_each(&mut add);
        let is_near = |it: &AgentSession| {
            let trace = SessionTrace::from_session(it);
            trace.is_some_and(|it| {
                it.started_at <= facts.written_at && facts.written_at <= it.ended_at + BEFORE
            })
        };
        let seen = self.ledger.list_recent(MAX_SESSIONS, is_near);
        let seen = seen.into_iter().map(|it| self.keep_own_moments(it));
        seen.filter_map(|it| SessionTrace::from_session(&it))
            .for_each(&mut add);
        traces.into_values().collect()
    }

    /// A session without what it did in other repositories.
    fn keep_own_moments(&self, mut session: AgentSession) -> AgentSession {
        let repo = &self.workspace.settings.repo;
        session.entries.retain(|it| it.space == *repo);
        session
    }

    fn build_session_view(
        &self,
        change: &TracedChange<'_>,
        (trace, basis): (&SessionTrace, OriginBasis),
        record: Option<&ArchiveRecord>,
        chars: usize,
    ) -> Result<TracedSessionView, CommandError> {
        let said = record.map(|it| {
            let quotes = choose_quotes(it, &change.words, chars).into_iter();
            quotes
                .map(|quote| TracedQuoteView::new(it, &quote))
                .collect()
        });
        let (shown, more_shown) = self.list_shown_memories(change, &trace.name)?;
        Ok(TracedSessionView {
            session: trace.name.clone(),
            client: trace.client.clone(),
            started_at: trace.started_at.to_string(),
            ended_at: trace.ended_at.to_string(),
            rests_on: basis.as_str(),
            conversation: record.map(ArchiveRecord::handle),
            exposed: record.is_some_and(|it| it.is_exposed),
            said: said.unwrap_or_default(),
            shown,
            more_shown,
        })
    }

    /// The memories that a session had been shown when the change was made, those that cite its files first, and how many
    /// more there are.
    fn list_shown_memories(
        &self,
        change: &TracedChange<'_>,
        session: &str,
    ) -> Result<(Vec<TracedMemoryView>, usize), CommandError> {
        let session = self.keep_own_moments(self.ledger.read_session(session));
        let until = end_of_second(change.facts.written_at);
        let before = session.entries.iter().filter(|it| it.at < until);
        let mut scores: BTreeMap<MemoryId, f32> = BTreeMap::new();
        for it in before.flat_map(|it| &it.shown) {
            let score = scores.entry(it.id).or_insert(it.score);
            *score = score.max(it.score);
        }
        let ids: Vec<MemoryId> = scores.keys().copied().collect();
        let mut memories = self.workspace.store.get_by_ids(&ids)?;
        let spaces = self.workspace.spaces();
        memories.retain(|it| spaces.contains(&it.space));
        let mut seen = follow_memory_citations(&self.workspace.context(), memories);
        let is_about = |it: &VerifiedMemory| {
            let mut cited = it.memory.citations.iter();
            cited.any(|it| change.facts.paths.contains(&it.path))
        };
        seen.sort_by(|a, b| {
            let score = |it: &VerifiedMemory| scores.get(&it.memory.id).copied().unwrap_or(0.0);
            (is_about(b).cmp(&is_about(a))).then(score(b).total_cmp(&score(a)))
        });
        let more = seen.len().saturating_sub(MAX_SHOWN);
        Ok((seen.iter().take(MAX_SHOWN).map(Into::into).collect(), more))
    }
}
