//! Learn: what a session that is over leaves behind. What was stated and not remembered waits for a person, what was
//! done becomes an episode, what was of use is counted, and scratch is cleared.

use crate::{
    archive::{
        archive_session, build_session_record, find_first_foreign_turn, list_ignored_prompts,
        list_remembered_turns,
    },
    ended_session::EndedSession,
    episode::{
        EpisodeMaterial, EpisodeOutcome, SessionEpisode, UserDecision, write_session_episode,
    },
    extract::{
        ExtractedStatement, applied::find_applied_memories, command_lessons::list_command_lessons,
        draft_command_lesson, draft_extracted_statement, extract_statements,
    },
    session::Moment,
    testimony::list_runs,
    transcript::{TranscriptTurn, TurnSpeaker},
};
use std::collections::BTreeSet;

use apostille_core::{
    Context, CoreError,
    archive::excerpt::choose_quotes,
    forget::clear_scratch,
    memory::{
        Channel, Draft, DuplicateChoice, Layer, Memory, MemoryId, MemoryName, Origin,
        ReplacementKind, SESSION_TAG, Stage, Voice,
    },
    policy::ArchiveMode,
    pull_outcome::PullOutcome,
    queue::expire_pending,
    remember::{RememberOutcome, remember},
    revise,
    runs::record_command_runs,
    space::Space,
    store::MemoryFilter,
};
use apostille_text::digest::Digest;

/// How many episodes with a name that begins alike are looked through for an earlier one of the same session.
const MAX_NAMESAKES: usize = 1_000;
/// How much of the user's deciding sentences is told, in characters.
const DECISION_CHARS: usize = 250;
/// How much of a session's name stands in a subject.
const NAME_CHARS: usize = 8;
/// How much scratch of one session is cleared at most.
const MAX_SCRATCH: usize = 10_000;

/// What was learned.
#[derive(Debug, Default)]
pub struct LearnOutcome {
    /// What waits for a person.
    pub pending: Vec<Memory>,
    /// What was done in the session.
    pub episode: Option<Memory>,
    /// What was of use.
    pub applied: Vec<MemoryId>,
    /// What waited too long for a person, and was set aside.
    pub expired: Vec<Memory>,
    /// How many notes of the session were cleared.
    pub cleared: usize,
    /// How many memories learned how a command that they name fared.
    pub ran: usize,
    /// The number of its record in the archive.
    pub archived: Option<u64>,
}

/// Learns from a session that is over. Doing it twice learns nothing twice.
pub fn learn_from_session(cx: &Context, left: &EndedSession) -> Result<LearnOutcome, CoreError> {
    let turns = list_remembered_turns(left)?;
    let is_left = |it: &&ExtractedStatement| turns.iter().any(|turn| turn.number == it.turn);
    let gleaned: Vec<_> = left.gleaned.iter().filter(is_left).cloned().collect();
    let told = EndedSession {
        turns: &turns,
        gleaned: &gleaned,
        ..*left
    };
    Ok(LearnOutcome {
        pending: told.remember_proposals(cx)?,
        applied: left.record_applied_memories(cx)?,
        episode: match cx.policy.archive {
            ArchiveMode::Off => None,
            _ => told.remember_episode(cx)?,
        },
        cleared: left.forget_scratch(cx)?,
        expired: expire_pending(cx, &left.spaces())?,
        ran: record_command_runs(cx, left.repo, &list_runs(left.name, left.turns))?,
        archived: archive_session(cx, left)?,
    })
}

impl EndedSession<'_> {
    /// What waits for a person now: what they stated, and what the session showed about commands.
    fn remember_proposals(&self, cx: &Context) -> Result<Vec<Memory>, CoreError> {
        let mut kept = self.remember_statements(cx)?;
        // What was run after strangers' words came in may be their advice.
        if self.session.is_exposed() {
            return Ok(kept);
        }
        for lesson in list_command_lessons(self.turns) {
            let draft = draft_command_lesson(&lesson, self.repo, self.name, self.client);
            if let RememberOutcome::Remembered { memory, .. } = remember(cx, draft)? {
                kept.push(*memory);
            }
        }
        Ok(kept)
    }

    /// Keeps what was stated, each waiting for a person; what is known, or refused, is let go.
    fn remember_statements(&self, cx: &Context) -> Result<Vec<Memory>, CoreError> {
        let mut kept = Vec::new();
        for gleaned in self.gleaned {
            // Which prompt of the session it is: people, and `why`, count those.
            let is_prompt = |it: &&TranscriptTurn| {
                it.speaker == TurnSpeaker::Person && it.number <= gleaned.turn
            };
            let gleaned = ExtractedStatement {
                turn: self.turns.iter().filter(is_prompt).count(),
                ..gleaned.clone()
            };
            let draft =
                draft_extracted_statement(&gleaned, self.repo, self.user, self.name, self.client);
            let is_user = draft.space.is_user();
            let policy = if is_user { self.own } else { cx.policy };
            let outcome = remember(&Context { policy, ..*cx }, draft)?;
            if let RememberOutcome::Remembered { memory, .. } = outcome {
                kept.push(*memory);
            }
        }
        Ok(kept)
    }

    /// Counts what was of use, once for a session.
    fn record_applied_memories(&self, cx: &Context) -> Result<Vec<MemoryId>, CoreError> {
        let (mut counted, mut shown) = (Vec::new(), Vec::new());
        for entry in &self.session.entries {
            let ids = entry.shown.iter().map(|it| it.id);
            if entry.moment == Moment::Done {
                counted.extend(ids);
                continue;
            }
            // Behind which turn of the transcript it was shown: the last one that was not later.
            let is_before = |it: &&TranscriptTurn| it.at.is_some_and(|at| at <= entry.at);
            let before = self.turns.iter().take_while(is_before).last();
            let turn = before.map_or(0, |it| it.number);
            for id in ids {
                shown.extend(cx.store.get_by_ids(&[id])?.pop().map(|it| (it, turn)));
            }
        }
        let mut new = find_applied_memories(self.turns, &shown);
        new.retain(|it| !counted.contains(it));
        for id in &new {
            revise::mark_memory_applied(cx, &self.spaces(), MemoryName::Id(*id))?;
        }
        Ok(new)
    }

    fn spaces(&self) -> [Space; 2] {
        [self.repo.clone(), self.user.clone()]
    }

    /// Keeps what was done as an episode; a later one of the same session takes the place of an earlier one.
    fn remember_episode(&self, cx: &Context) -> Result<Option<Memory>, CoreError> {
        let Some(episode) = self.write_episode(cx) else {
            return Ok(None);
        };
        let subject = self.episode_subject();
        let mut earlier = self.list_own_memories(
            cx,
            MemoryFilter {
                spaces: vec![self.repo.clone()],
                layers: vec![Layer::Episode],
                stages: vec![Stage::Active],
                origins: vec![Origin::System],
                tags: vec![SESSION_TAG.into()],
                text: Some(subject.clone()),
                limit: MAX_NAMESAKES,
                ..MemoryFilter::default()
            },
        )?;
        let before = earlier.next();
        // Once its pull request was merged or closed, what the session left is judged.
        let is_judged = |it: &Memory| PullOutcome::of_episode(it).is_some();
        if before
            .as_ref()
            .is_some_and(|it| it.fact == episode.text || is_judged(it))
        {
            return Ok(before);
        }
        let on_duplicate = match &before {
            Some(old) => DuplicateChoice::Replace(MemoryName::Id(old.id), ReplacementKind::Better),
            None => DuplicateChoice::Create("the episode of a session of its own".into()),
        };
        let voice = Voice {
            session: Some(self.name.into()),
            author: Some(self.client.to_string()),
            ..Voice::from_origin(Origin::System).with_channel(Channel::Record)
        };
        let draft = Draft {
            layer: Some(Layer::Episode),
            subject: Some(subject),
            tags: self.list_episode_tags(episode.outcome),
            task: self.task.map(Into::into),
            on_duplicate,
            ..Draft::new(self.repo.clone(), episode.text, voice)
        };
        Ok(match remember(cx, draft)? {
            RememberOutcome::Remembered { memory, .. } | RememberOutcome::Refreshed { memory } => {
                Some(*memory)
            }
            RememberOutcome::Similar { .. } | RememberOutcome::Refused(_) => None,
        })
    }

    fn episode_subject(&self) -> String {
        let name: String = self.name.chars().take(NAME_CHARS).collect();
        format!("session {name}")
    }

    /// What failed or was dropped is known by its tag: nothing is made of it by itself.
    fn list_episode_tags(&self, outcome: EpisodeOutcome) -> Vec<String> {
        let is_bad = matches!(outcome, EpisodeOutcome::Failed | EpisodeOutcome::Abandoned);
        let bad = is_bad.then(|| outcome.to_string());
        let tags = [SESSION_TAG.to_owned(), self.client.to_string()];
        tags.into_iter().chain(bad).collect()
    }

    /// The episode, of what may be told; `None` where the user said nothing, or asked to leave memory out of all of it.
    fn write_episode(&self, cx: &Context) -> Option<SessionEpisode> {
        let turns = self.list_shareable_turns();
        let shareable = EndedSession {
            turns: &turns,
            ..*self
        };
        let record = build_session_record(cx.now, &shareable);
        let quotes = record.map(|it| choose_quotes(&it, "", DECISION_CHARS));
        let decisions = quotes
            .unwrap_or_default()
            .into_iter()
            .map(|it| UserDecision {
                text: it.text,
                answered: it.answered,
            });
        let noted = self.session.entries.iter().flat_map(|it| &it.noted);
        let edited: BTreeSet<String> = noted.map(|it| it.path.to_string()).collect();
        write_session_episode(&EpisodeMaterial {
            repo: self.repo,
            turns: &turns,
            foreign_from: find_first_foreign_turn(&shareable),
            decisions: &decisions.collect::<Vec<_>>(),
            edited: &edited.into_iter().collect::<Vec<_>>(),
            is_cut_off: self.is_cut_off(),
        })
    }

    /// Whether it broke off: hooks saw no end of its last turn, and the agent's answer is not written down either.
    fn is_cut_off(&self) -> bool {
        let is_answer = |it: &TranscriptTurn| {
            let is_through = it.uses.iter().all(|it| it.has_succeeded.is_some());
            it.speaker == TurnSpeaker::Agent && !it.text.is_empty() && is_through
        };
        self.session.is_cut_off() && !self.turns.last().is_some_and(is_answer)
    }

    /// What may be told of a session. What waits for a person's approval is not told by another way, what memory was to be left
    /// out of not at all, and where text from outside came in, neither are the words that an agent may have from there.
    fn list_shareable_turns(&self) -> Vec<TranscriptTurn> {
        // What was found before waits as well, or was rejected.
        let stated = extract_statements(self.turns);
        let waiting = self.gleaned.iter().chain(&stated).map(|it| it.turn);
        let waiting: BTreeSet<usize> = waiting.collect();
        let ignored = list_ignored_prompts(self);
        let is_ignored = |it: &TranscriptTurn| {
            let digest = Digest::hash_bytes(it.text.trim().as_bytes());
            it.speaker == TurnSpeaker::Person && ignored.contains(&digest.short_hex())
        };
        let foreign_from = find_first_foreign_turn(self).map(|it| self.turns[it].number);
        let mut turns = self.turns.to_vec();
        turns.retain(|it| ignored.is_empty() || !is_ignored(it));
        for it in &mut turns {
            let is_later = foreign_from.is_some_and(|from| it.number >= from);
            let is_foreign = is_later && it.speaker == TurnSpeaker::Agent;
            if waiting.contains(&it.number) || is_foreign {
                it.text.clear();
            }
        }
        turns
    }

    /// Forgets the notes that were for this session only.
    fn forget_scratch(&self, cx: &Context) -> Result<usize, CoreError> {
        let filter = MemoryFilter {
            spaces: self.spaces().into(),
            layers: vec![Layer::Session],
            limit: MAX_SCRATCH,
            ..MemoryFilter::default()
        };
        let mut n_cleared = 0;
        for memory in self.list_own_memories(cx, filter)? {
            clear_scratch(cx, memory)?;
            n_cleared += 1;
        }
        Ok(n_cleared)
    }

    /// What this session itself left in the store.
    fn list_own_memories(
        &self,
        cx: &Context<'_>,
        filter: MemoryFilter,
    ) -> Result<impl Iterator<Item = Memory>, CoreError> {
        let all = cx.store.list_memories(&filter)?.into_iter();
        Ok(all.filter(|it| it.voice.session.as_deref() == Some(self.name)))
    }
}
