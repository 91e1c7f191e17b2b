//! Learning from sessions that were over before anybody watched: what they leave is what a session leaves that just ended, with
//! its own dates.
//!
//! A hundred sessions state more than a person wants to decide about in one sitting. So of what they state, and of the commands
//! that worked in them, the best few are proposed; the rest is in the archive, in the person's words.

mod commands;
mod statements;

use apostille_core::{
    Context, CoreError,
    evidence::{CommandRun, Testimony, UserTurn},
    memory::{Draft, Layer, Memory, Stage},
    policy::Policy,
    remember::{RememberOutcome, remember},
    space::Space,
    store::MemoryFilter,
};
use jiff::Timestamp;

use crate::{
    briefing::asks_to_ignore_memory,
    client::Client,
    ended_session::EndedSession,
    learn::{LearnOutcome, learn_from_session},
    past_transcripts::PastSession,
    session::{AgentSession, Moment, SessionEntry},
    transcript::{TranscriptTurn, TurnSpeaker},
};

use commands::CommandRecords;
use statements::StatedFacts;

/// How much is put before the person for one run.
pub const MAX_PROPOSED: usize = 5;
/// How much of that are commands.
const MAX_COMMANDS: usize = 2;
/// How many memories are looked through for a command that is known.
const MAX_KNOWN: usize = 5_000;

/// Whose sessions they were.
#[derive(Debug, Clone, Copy)]
pub struct PastAudience<'a> {
    /// The repository they worked in.
    pub repo: &'a Space,
    /// The person they worked for.
    pub user: &'a Space,
    /// The rules of the person's own space.
    pub own: &'a Policy,
}

/// What past sessions state, and which commands worked in them.
#[derive(Debug, Default)]
pub struct PastFindings {
    statements: StatedFacts,
    commands: CommandRecords,
}

/// What was put before the person.
#[derive(Debug, Default)]
pub struct PastProposals {
    /// What waits for the person.
    pub pending: Vec<Memory>,
    /// How many statements and commands were found besides.
    pub n_left: usize,
}

/// Learns from a past session what one leaves that just ended, as of its own time; what it states is only collected.
pub fn learn_from_past_session(
    cx: &Context,
    whose: PastAudience<'_>,
    past: &PastSession,
    turns: &[TranscriptTurn],
    findings: &mut PastFindings,
) -> Result<LearnOutcome, CoreError> {
    let ended_at = find_end(turns).unwrap_or(cx.now).min(cx.now);
    let session = rebuild_session(whose.repo, past, turns, ended_at);
    let left = EndedSession {
        repo: whose.repo,
        user: whose.user,
        own: whose.own,
        name: &past.name,
        client: past.client,
        session: &session,
        turns,
        gleaned: &[],
        task: None,
        branch: past.head.branch.as_deref(),
        kept: cx.archive,
    };
    let then = Context {
        now: ended_at,
        ..*cx
    };
    let outcome = learn_from_session(&then, &left)?;
    findings.statements.add_session(past, turns);
    findings.commands.add_session(&past.name, turns);
    Ok(outcome)
}

/// When the last thing was said or done.
#[must_use]
pub fn find_end(turns: &[TranscriptTurn]) -> Option<Timestamp> {
    turns.iter().filter_map(|it| it.at).max()
}

/// What hooks would have noted of a session and its transcript tells: the prompts that asked to leave memory out.
fn rebuild_session(
    repo: &Space,
    past: &PastSession,
    turns: &[TranscriptTurn],
    ended_at: Timestamp,
) -> AgentSession {
    let prompts = turns
        .iter()
        .filter(|it| it.speaker == TurnSpeaker::Person && asks_to_ignore_memory(&it.text));
    let entry = |it: &TranscriptTurn| {
        let at = it.at.unwrap_or(ended_at);
        let entry = SessionEntry::new(at, &past.name, past.client, repo.clone(), Moment::Prompt);
        SessionEntry {
            is_ignored: true,
            ..entry.with_prompt(None, Some(&it.text))
        }
    };
    AgentSession {
        entries: prompts.map(entry).collect(),
    }
}

/// What is said for one thing that could be proposed.
struct Candidate {
    draft: Draft,
    run: Option<CommandRun>,
}

impl PastFindings {
    /// Proposes the best of what was found: what was stated in several sessions, commands that worked in several, and then what was
    /// stated once. What is known already, or refused, makes room for the next.
    pub fn propose_best(
        self,
        cx: &Context,
        whose: PastAudience<'_>,
    ) -> Result<PastProposals, CoreError> {
        let known = list_known_facts(cx, whose.repo)?;
        let (repeated, single) = self.statements.into_ranked();
        let commands = self.commands.into_ranked(&known);
        let command = |it| Candidate::of_command(whose.repo, it);
        let statement = |it| Candidate::of_statement(whose, it);
        let all: Vec<Candidate> = repeated
            .into_iter()
            .map(statement)
            .chain(commands.into_iter().take(MAX_COMMANDS).map(command))
            .chain(single.into_iter().map(statement))
            .collect();
        let mut proposals = PastProposals::default();
        for it in all {
            if proposals.pending.len() == MAX_PROPOSED {
                proposals.n_left += 1;
            } else if let Some(memory) = it.propose(cx, whose.own)? {
                proposals.pending.push(memory);
            }
        }
        Ok(proposals)
    }
}

/// The facts of a repository that are in use, or wait.
fn list_known_facts(cx: &Context, repo: &Space) -> Result<Vec<String>, CoreError> {
    let memories = cx.store.list_memories(&MemoryFilter {
        spaces: vec![repo.clone()],
        layers: vec![Layer::Knowledge],
        stages: vec![Stage::Active, Stage::Pending],
        limit: MAX_KNOWN,
        ..MemoryFilter::default()
    })?;
    Ok(memories.into_iter().map(|it| it.fact).collect())
}

impl Candidate {
    fn of_statement(whose: PastAudience<'_>, it: statements::StatedFact) -> Self {
        Self {
            draft: it.into_draft(whose.repo, whose.user),
            run: None,
        }
    }

    fn of_command(repo: &Space, it: commands::CommandRecord) -> Self {
        Self {
            draft: it.to_draft(repo),
            run: Some(it.last_success),
        }
    }

    /// Puts it before the person; `None` where it is known, or refused.
    fn propose(self, cx: &Context, own: &Policy) -> Result<Option<Memory>, CoreError> {
        let policy = match self.draft.space.is_user() {
            true => own,
            false => cx.policy,
        };
        let record = self.run.map(|run| SingleRun { run });
        let testimony = record.as_ref().map(|it| it as &dyn Testimony);
        let cx = Context {
            policy,
            testimony: testimony.or(cx.testimony),
            ..*cx
        };
        Ok(match remember(&cx, self.draft)? {
            RememberOutcome::Remembered { memory, .. } => Some(*memory),
            _ => None,
        })
    }
}

/// The run of a command that a transcript had.
struct SingleRun {
    run: CommandRun,
}

impl Testimony for SingleRun {
    fn list_user_turns(&self, _: &str) -> Option<Vec<UserTurn>> {
        None
    }

    fn list_command_runs(&self, session: &str) -> Option<Vec<CommandRun>> {
        let is_its = self.run.session.as_deref() == Some(session);
        is_its.then(|| vec![self.run.clone()])
    }
}

/// How a session is named in a reason.
fn shorten_session_name(name: &str) -> String {
    let plain = |it: &char| it.is_ascii_alphanumeric() || *it == '-';
    name.chars().filter(plain).take(8).collect()
}

/// A session in which something was found.
#[derive(Debug, Clone)]
struct SourceSession {
    name: String,
    client: Client,
}
