//! Learn: what a session that is over leaves behind. What was stated and not remembered waits for a person, what was
//! done becomes an episode, what was of use is counted, and scratch is cleared.

use crate::client::Client;
use crate::extract::applied::find_applied_memories;
use crate::extract::summary::summarise_session;
use crate::extract::{ExtractedStatement, draft_extracted_statement, extract_statements};
use crate::session::{AgentSession, Moment};
use crate::transcript::{Speaker, TranscriptTurn, is_outside_text_tool};
use apostille_core::forget::clear_scratch;
use apostille_core::memory::{
    Channel, Draft, DuplicateChoice, Layer, Memory, MemoryId, MemoryName, Origin, ReplacementKind,
    Stage, Voice,
};
use apostille_core::policy::Policy;
use apostille_core::remember::{RememberOutcome, remember};
use apostille_core::space::Space;
use apostille_core::store::MemoryFilter;
use apostille_core::{Context, CoreError, revise};

/// What marks the summary of a session among episodes.
pub const SESSION_TAG: &str = "session";
/// How many summaries are looked through for an earlier one of the same session.
const MAX_SUMMARIES: usize = 200;
/// How much of a session's name stands in a subject.
const NAME_CHARS: usize = 8;
/// How much scratch of one session is cleared at most.
const MAX_SCRATCH: usize = 10_000;

/// A session that is over, with everything that is known of it.
#[derive(Debug, Clone, Copy)]
pub struct EndedSession<'a> {
    /// The repository it worked in.
    pub repo: &'a Space,
    /// The person it worked for.
    pub user: &'a Space,
    /// The rules of the person's own space.
    pub own: &'a Policy,
    /// Its name.
    pub name: &'a str,
    /// Its client.
    pub client: Client,
    /// What it was shown.
    pub session: &'a AgentSession,
    /// What was said in it.
    pub turns: &'a [TranscriptTurn],
    /// What was stated in it and not remembered.
    pub gleaned: &'a [ExtractedStatement],
    /// The task it worked on.
    pub task: Option<&'a str>,
}

/// What was learned.
#[derive(Debug, Default)]
pub struct LearnOutcome {
    /// What waits for a person.
    pub pending: Vec<Memory>,
    /// The summary of the session.
    pub episode: Option<Memory>,
    /// What was of use.
    pub applied: Vec<MemoryId>,
    /// How many notes of the session were cleared.
    pub cleared: usize,
}

/// Learns from a session that is over. Doing it twice learns nothing twice.
pub fn learn_from_session(
    cx: &Context<'_>,
    left: &EndedSession<'_>,
) -> Result<LearnOutcome, CoreError> {
    Ok(LearnOutcome {
        pending: remember_statements(cx, left)?,
        applied: record_applied_memories(cx, left)?,
        episode: remember_session_summary(cx, left)?,
        cleared: forget_session_scratch(cx, left)?,
    })
}

/// Keeps what was stated, each waiting for a person; what is known, or refused, is let go.
fn remember_statements(
    cx: &Context<'_>,
    left: &EndedSession<'_>,
) -> Result<Vec<Memory>, CoreError> {
    let mut kept = Vec::new();
    for gleaned in left.gleaned {
        let gleaned = ExtractedStatement {
            turn: count_prompts_up_to(left.turns, gleaned.turn),
            ..gleaned.clone()
        };
        let draft =
            draft_extracted_statement(&gleaned, left.repo, left.user, left.name, left.client);
        let policy = if draft.space.is_user() {
            left.own
        } else {
            cx.policy
        };
        if let RememberOutcome::Remembered { memory, .. } =
            remember(&Context { policy, ..*cx }, draft)?
        {
            kept.push(*memory);
        }
    }
    Ok(kept)
}

/// Which prompt of the session a turn is: people, and `why`, count those.
fn count_prompts_up_to(turns: &[TranscriptTurn], number: usize) -> usize {
    turns
        .iter()
        .filter(|it| it.speaker == Speaker::Person && it.number <= number)
        .count()
}

/// Counts what was of use, once for a session.
fn record_applied_memories(
    cx: &Context<'_>,
    left: &EndedSession<'_>,
) -> Result<Vec<MemoryId>, CoreError> {
    let counted = |id: MemoryId| {
        let done = left
            .session
            .entries
            .iter()
            .filter(|it| it.moment == Moment::Done);
        done.flat_map(|it| &it.shown).any(|it| it.id == id)
    };
    let mut shown = Vec::new();
    for (id, turn) in list_showings_by_turn(left) {
        shown.extend(cx.store.get_by_ids(&[id])?.pop().map(|it| (it, turn)));
    }
    let new: Vec<MemoryId> = find_applied_memories(left.turns, &shown)
        .into_iter()
        .filter(|it| !counted(*it))
        .collect();
    let spaces = [left.repo.clone(), left.user.clone()];
    for id in &new {
        revise::mark_memory_applied(cx, &spaces, MemoryName::Id(*id))?;
    }
    Ok(new)
}

/// What was shown, each with the turn of the transcript behind which it was: the last one that was not later.
fn list_showings_by_turn(left: &EndedSession<'_>) -> Vec<(MemoryId, usize)> {
    let mut all = Vec::new();
    for entry in left
        .session
        .entries
        .iter()
        .filter(|it| it.moment != Moment::Done)
    {
        let before = left
            .turns
            .iter()
            .take_while(|it| it.at.is_some_and(|at| at <= entry.at));
        let turn = before.last().map_or(0, |it| it.number);
        all.extend(entry.shown.iter().map(|it| (it.id, turn)));
    }
    all
}

/// Keeps what was done as an episode; a later summary of the same session takes the place of an earlier one.
fn remember_session_summary(
    cx: &Context<'_>,
    left: &EndedSession<'_>,
) -> Result<Option<Memory>, CoreError> {
    let Some(fact) = summarise_session(&hide_unshareable_turns(left), None) else {
        return Ok(None);
    };
    let before = find_earlier_summary(cx, left)?;
    if before.as_ref().is_some_and(|it| it.fact == fact) {
        return Ok(before);
    }
    let twin = match &before {
        Some(old) => DuplicateChoice::Replace(MemoryName::Id(old.id), ReplacementKind::Better),
        None => DuplicateChoice::Create("the summary of a session of its own".into()),
    };
    let voice = Voice {
        session: Some(left.name.into()),
        author: Some(left.client.to_string()),
        ..Voice::from_origin(Origin::System).with_channel(Channel::Record)
    };
    let draft = Draft {
        layer: Some(Layer::Episode),
        subject: Some(format!(
            "session {}",
            left.name.chars().take(NAME_CHARS).collect::<String>()
        )),
        tags: vec![SESSION_TAG.into(), left.client.to_string()],
        task: left.task.map(Into::into),
        twin,
        ..Draft::new(left.repo.clone(), fact, voice)
    };
    Ok(match remember(cx, draft)? {
        RememberOutcome::Remembered { memory, .. } | RememberOutcome::Refreshed { memory } => {
            Some(*memory)
        }
        RememberOutcome::Similar { .. } | RememberOutcome::Refused(_) => None,
    })
}

/// What may be told of a session. What waits for a person's approval is not told by another way, and where text from
/// outside came in, neither are the words that an agent may have from there.
fn hide_unshareable_turns(left: &EndedSession<'_>) -> Vec<TranscriptTurn> {
    // What was found before waits as well, or was rejected.
    let stated = extract_statements(left.turns);
    let waits = |it: &TranscriptTurn| {
        left.gleaned
            .iter()
            .chain(&stated)
            .any(|gleaned| gleaned.turn == it.number)
    };
    let mut is_foreign = false;
    let told = |it: &TranscriptTurn| {
        is_foreign |= it
            .uses
            .iter()
            .any(|it| is_outside_text_tool(&it.tool, &it.input));
        let is_hidden = waits(it) || (is_foreign && it.speaker == Speaker::Agent);
        TranscriptTurn {
            text: if is_hidden {
                String::new()
            } else {
                it.text.clone()
            },
            ..it.clone()
        }
    };
    left.turns.iter().map(told).collect()
}

fn find_earlier_summary(
    cx: &Context<'_>,
    left: &EndedSession<'_>,
) -> Result<Option<Memory>, CoreError> {
    let filter = MemoryFilter {
        spaces: vec![left.repo.clone()],
        layers: vec![Layer::Episode],
        stages: vec![Stage::Active],
        tag: Some(SESSION_TAG.into()),
        limit: MAX_SUMMARIES,
        ..MemoryFilter::default()
    };
    let is_same = |it: &Memory| it.voice.session.as_deref() == Some(left.name);
    Ok(cx.store.list_memories(&filter)?.into_iter().find(is_same))
}

/// Forgets the notes that were for this session only.
fn forget_session_scratch(cx: &Context<'_>, left: &EndedSession<'_>) -> Result<usize, CoreError> {
    let spaces = [left.repo.clone(), left.user.clone()];
    let filter = MemoryFilter {
        spaces: spaces.to_vec(),
        layers: vec![Layer::Session],
        limit: MAX_SCRATCH,
        ..MemoryFilter::default()
    };
    let is_its_own = |it: &Memory| it.voice.session.as_deref() == Some(left.name);
    let scratch: Vec<Memory> = cx
        .store
        .list_memories(&filter)?
        .into_iter()
        .filter(is_its_own)
        .collect();
    let n_cleared = scratch.len();
    for memory in scratch {
        clear_scratch(cx, memory)?;
    }
    Ok(n_cleared)
}
