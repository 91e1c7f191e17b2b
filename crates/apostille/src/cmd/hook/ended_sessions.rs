//! What a session left behind, gone through when nobody waits.

use std::fs;
use std::{
    path::{Path, PathBuf},
    thread,
    time::{Duration, SystemTime},
};

use apostille_agents::{
    archive::{archive_session, list_seen_prompts},
    client::Client,
    clients::find_client_profile,
    ended_session::EndedSession,
    extract::{
        ExtractedStatement,
        by_model::{ExtractionBudget, extract_with_model},
        extract_statements,
    },
    learn::{LearnOutcome, learn_from_session},
    ledger::{SessionFailure, SessionLedger},
    measure::{measure_session, trace_footprint},
    session::{AgentSession, Moment, SessionEntry},
    transcript::{TranscriptTurn, TurnSpeaker, strip_checkout_root},
    transcripts::{TranscriptError, USUAL_BYTES},
};
use apostille_core::{
    Context,
    memory::{Memory, MemoryId},
    store::StoreError,
};
use apostille_impact::measures::SessionMeasures;
use apostille_text::digest::Digest;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use serde_json::json;

use super::rounds::try_in_rounds;
use crate::cmd::task::trailers::list_fixed_texts;
use apostille_terminal::{
    command_context::{CommandContext, CommandOutput, CommandResult},
    paint::format_count,
};
use apostille_workspace::{
    commit_index,
    embedding_model::{LocalEmbedder, embed_spaces},
    error::{self, CommandError},
    healing,
    learned_sessions::LearnedSessions,
    looking_back,
    measured_sessions::MeasuredSessions,
    model,
    prompt::compute_repo_prompt_version,
    sessions, sync,
    system::System,
    task::{self, CheckoutTasks},
    workspace::{Workspace, open_kept_archive},
};

/// After so long without a word, a session is over though nobody said so.
const SILENCE: SignedDuration = SignedDuration::from_hours(1);
/// How long sessions are kept.
const KEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// How long another process that goes through the same session is waited for.
const PATIENCE: Duration = Duration::from_secs(60);
/// The same where there are others to go through.
const BRIEF_PATIENCE: Duration = Duration::from_millis(500);

/// The pauses before a session that could not be gone through is tried a second and a third time: a store that is busy, or a
/// disk that is full, may not be so then.
const RETRY_PAUSES: [Duration; 2] = [Duration::from_secs(5), Duration::from_secs(60)];

/// How long it is since somebody wrote a file that may not be whole yet.
const RECENT: Duration = Duration::from_secs(10);
/// How long the rest of it is waited for each time.
const PAUSE: Duration = Duration::from_millis(250);
/// How often.
const WAITS: usize = 16;
/// How many vectors are made after a session: some ten seconds of one core.
const MAX_EMBEDDED: usize = 500;

#[derive(Serialize)]
struct EndedSessionView {
    session: String,
    pending: Vec<String>,
    episode: Option<String>,
    applied: usize,
    cleared: usize,
}

/// Goes through what a session left behind; every session of this repository that is over, when none is named.
pub(super) fn run(ctx: &CommandContext, session: &str) -> CommandOutput {
    match process_ended_sessions(ctx, session) {
        Ok(sessions) => {
            let json = json!({"ok": true, "sessions": sessions});
            ctx.render_output(&json, |_| {
                let line = |it: &EndedSessionView| {
                    let pending = format_count(it.pending.len() as u64, "memory", "memories");
                    let episode = it.episode.as_deref().unwrap_or("none");
                    let name = &it.session;
                    let applied = it.applied;
                    format!("{name}: {pending} to approve, episode {episode}, {applied} of use\n")
                };
                sessions.iter().map(line).collect()
            })
        }
        Err(fault) => ctx.render_error(&fault).with_code(error::OK),
    }
}

fn process_ended_sessions(
    ctx: &CommandContext,
    session: &str,
) -> CommandResult<Vec<EndedSessionView>> {
    let ledger = sessions::open_session_ledger(&ctx.system)?;
    let (names, patience) = match session {
        "" => (list_due_sessions(ctx, &ledger)?, BRIEF_PATIENCE),
        name => (vec![name.to_owned()], PATIENCE),
    };
    // A store is made by what has something to keep.
    if names.is_empty() && !ctx.find_project()?.1.has_store_file() {
        return Ok(Vec::new());
    }
    let pauses = read_retry_pauses(&ctx.system);
    let tried = try_in_rounds(names, &pauses, &thread::sleep, |name, is_last| {
        process_single_session(ctx, &ledger, name, patience, is_last)
    });
    for (name, fault) in &tried.failed {
        give_session_up(ctx, &ledger, name, &fault.message());
    }
    ledger.prune_sessions(SystemTime::from(ctx.system.now) - KEPT);
    let closed = close_left_tasks(ctx, &ledger);
    // A session that begins has others to wait for.
    let healed = match session {
        "" => Ok(()),
        _ => heal_after_session(ctx).and_then(|()| embed_after_session(ctx)),
    };
    let indexed = index_commits(ctx);
    let synced = sync_after_session(ctx);
    healed.and(closed).and(indexed).and(synced)?;
    match tried.failed.into_iter().next() {
        Some((_, fault)) => Err(fault),
        None => Ok(tried.done.into_iter().flatten().collect()),
    }
}

/// The sessions of this repository that are over, without those that were given up before and did not go on since.
fn list_due_sessions(ctx: &CommandContext, ledger: &SessionLedger) -> CommandResult<Vec<String>> {
    let (_, settings) = ctx.find_project()?;
    let repo = settings.repo;
    let given_up = ledger.list_failures();
    let is_ours = |it: &AgentSession| it.entries.last().is_some_and(|it| it.space == repo);
    let is_given_up = |it: &AgentSession| given_up.iter().any(|failure| failure.is_about(it));
    let mut all = ledger.list_sessions();
    all.retain(|it| is_ours(it) && is_session_due(it, ctx.system.now) && !is_given_up(it));
    let last = all.into_iter().filter_map(|it| it.entries.last().cloned());
    Ok(last.map(|it| it.session).collect())
}

/// The pauses between the tries.
fn read_retry_pauses(system: &System) -> Vec<Duration> {
    let said = system.env.get("APOSTILLE_HOOK_RETRY_MS");
    let read = |it: &str| {
        let pauses: Result<Vec<u64>, _> = it.split(',').map(|it| it.trim().parse()).collect();
        pauses.ok()
    };
    match said.and_then(read) {
        Some(pauses) => pauses.into_iter().map(Duration::from_millis).collect(),
        None => RETRY_PAUSES.to_vec(),
    }
}

/// Writes down that a session was given up. Where that cannot be written either, it is tried again at the next start.
fn give_session_up(ctx: &CommandContext, ledger: &SessionLedger, name: &str, why: &str) {
    let session = ledger.read_session(name);
    let failure = SessionFailure::new(ctx.system.now, name, &session, why);
    let _ = ledger.record_failure(&failure);
}

/// Gives the little that is known of tasks that a crash left open, or that nobody went on with for a week.
fn close_left_tasks(ctx: &CommandContext, ledger: &SessionLedger) -> CommandResult<()> {
    let workspace = ctx.open_workspace()?;
    let tasks = CheckoutTasks::for_folder(&ctx.system, &workspace.place, &workspace.settings)?;
    tasks.close_left_open(&workspace, |session| {
        let session = ledger.read_session(session);
        session.entries.iter().any(|it| it.moment == Moment::End)
    })?;
    Ok(())
}

/// Lets citations follow what was committed meanwhile, where that is safe.
fn heal_after_session(ctx: &CommandContext) -> CommandResult<()> {
    let (_, settings) = ctx.find_project()?;
    if healing::can_heal_store(&settings) {
        healing::heal_workspace(&ctx.system, &ctx.open_workspace()?, true)?;
    }
    Ok(())
}

/// Reads the reasons of what was committed meanwhile.
fn index_commits(ctx: &CommandContext) -> CommandResult<()> {
    commit_index::index_commit_reasons(&ctx.system, &ctx.open_workspace()?)?;
    Ok(())
}

/// Exchanges memories with others, where that was set up. Being offline is no fault: the next sync goes on from here.
fn sync_after_session(ctx: &CommandContext) -> CommandResult<()> {
    let (_, settings) = ctx.find_project()?;
    if sync::choose_target(&ctx.system, &settings, &settings.repo)?.is_some() {
        sync::sync_unattended(&ctx.system, &ctx.open_workspace()?)?;
    }
    Ok(())
}

/// Makes the vectors of what was remembered meanwhile, where a model is installed; a bounded number of them.
fn embed_after_session(ctx: &CommandContext) -> CommandResult<()> {
    let (_, settings) = ctx.find_project()?;
    let embedder = LocalEmbedder::find(&ctx.system).filter(|_| settings.has_store_file());
    if let Some(embedder) = embedder {
        let workspace = ctx.open_workspace()?;
        let mut goes_on = |n_made, _| n_made < MAX_EMBEDDED;
        let spaces = workspace.spaces();
        embed_spaces(&workspace.context(), &embedder, &spaces, &mut goes_on)?;
    }
    Ok(())
}

/// Whether a session is over, and was not gone through since.
fn is_session_due(session: &AgentSession, now: Timestamp) -> bool {
    let left = session.unlearned_entries();
    let is_over = left.iter().any(|it| it.moment == Moment::End);
    left.last()
        .is_some_and(|it| is_over || now.duration_since(it.at) > SILENCE)
}

/// Whether the client of a session that goes on has dropped what was said.
fn has_compacted(session: &AgentSession) -> bool {
    let left = session.unlearned_entries();
    left.iter().any(|it| it.moment == Moment::Compact)
}

/// Goes through one session; nobody else does meanwhile.
fn process_single_session(
    ctx: &CommandContext,
    ledger: &SessionLedger,
    name: &str,
    patience: Duration,
    is_last_try: bool,
) -> CommandResult<Option<EndedSessionView>> {
    let _alone = match ledger.lock_session(name, patience) {
        // Another process is going through it.
        Err(StoreError::Busy { .. }) => return Ok(None),
        locked => locked?,
    };
    let session = ledger.read_session(name);
    let now = ctx.system.now;
    let Some(last) = session.entries.last() else {
        return Ok(None);
    };
    let workspace = ctx.open_workspace()?;
    let seen = SeenSession {
        ctx,
        ledger,
        workspace: &workspace,
        session: &session,
        last,
    };
    if !is_session_due(&session, now) {
        if has_compacted(&session) {
            archive_unfinished_session(&seen, &seen.load_turns()?)?;
        }
        return Ok(None);
    }
    // What hooks saw is better than nothing.
    let (turns, unread) = match seen.load_turns() {
        Err(fault) if is_last_try => (seen.list_prompt_turns()?, Some(fault)),
        turns => (turns?, None),
    };
    let learned = learn_from_ended_session(&seen, &turns)?;
    let is_finished = seen.keep_measures(&turns, &learned)?;
    let done = SessionEntry::new(now, name, last.client, last.space.clone(), Moment::Done);
    let all_shown = || session.entries.iter().flat_map(|it| &it.shown);
    let done = SessionEntry {
        shown: learned
            .applied
            .iter()
            .filter_map(|id| all_shown().find(|it| it.id == *id).cloned())
            .collect(),
        turn: turns.last().map(|it| it.number.to_string()),
        covers: Some(session.entries.len()),
        ..done
    };
    ledger.open_session(name, PATIENCE)?.append_entry(done)?;
    ledger.remove_prompts(name);
    match unread {
        Some(fault) => give_session_up(ctx, ledger, name, &fault.message()),
        None => ledger.clear_failure(name)?,
    }
    LearnedSessions::read(&ctx.system, &workspace.settings.repo)?.note_session(name)?;
    if is_finished {
        looking_back::look_back_when_due(&ctx.system, &workspace)?;
    }
    let handle = |it: &Memory| it.handle().to_string();
    Ok(Some(EndedSessionView {
        session: name.to_owned(),
        pending: learned.pending.iter().map(handle).collect(),
        episode: learned.episode.as_ref().map(handle),
        applied: learned.applied.len(),
        cleared: learned.cleared,
    }))
}

/// A session as its hooks saw it, where it is gone through.
struct SeenSession<'a> {
    ctx: &'a CommandContext,
    ledger: &'a SessionLedger,
    workspace: &'a Workspace,
    session: &'a AgentSession,
    last: &'a SessionEntry,
}

impl SeenSession<'_> {
    /// Counts the session, and keeps what it left behind. Whether it is a new one in which the person said something.
    fn keep_measures(
        &self,
        turns: &[TranscriptTurn],
        learned: &LearnOutcome,
    ) -> CommandResult<bool> {
        let place = &self.workspace.place;
        let (version, _) = compute_repo_prompt_version(&place.root, &list_fixed_texts());
        let path = self.session.transcript_path().map(Path::new);
        let tokens = path.and_then(|it| {
            find_client_profile(self.last.client).count_transcript_tokens(it, USUAL_BYTES)
        });
        let (measures, footprint) = self.with_ended(turns, &[], |cx, left| {
            let footprint = trace_footprint(cx, left, learned);
            Ok((measure_session(cx, left, learned)?, footprint))
        })?;
        if measures.prompts == 0 {
            return Ok(false);
        }
        let repo = &self.workspace.settings.repo;
        let measured = MeasuredSessions::for_repository(&self.ctx.system, repo)?;
        if let Some(footprint) = footprint {
            measured.keep_footprint(&footprint)?;
        }
        measured.keep_measures(&SessionMeasures {
            tokens,
            prompt_version: version.short_hex(),
            ..measures
        })
    }

    /// What was said: by the client's transcript, else the prompts that hooks saw.
    fn load_turns(&self) -> CommandResult<Vec<TranscriptTurn>> {
        let turns = self.read_transcript()?;
        let is_person = |it: &TranscriptTurn| it.speaker == TurnSpeaker::Person;
        match turns.iter().any(is_person) {
            true => Ok(turns),
            false => {
                let prompts = self.list_prompt_turns()?;
                Ok(if prompts.is_empty() { turns } else { prompts })
            }
        }
    }

    fn list_prompt_turns(&self) -> CommandResult<Vec<TranscriptTurn>> {
        let name = &self.last.session;
        let prompts = self.ledger.read_prompts(name);
        let (cx, repo) = (self.workspace.context(), &self.workspace.settings.repo);
        Ok(list_seen_prompts(&cx, repo, name, &prompts)?)
    }

    /// What the client wrote down; nothing where it wrote nothing that can be read.
    fn read_transcript(&self) -> CommandResult<Vec<TranscriptTurn>> {
        let named = self.session.transcript_path().map(PathBuf::from);
        let usual = || {
            find_client_profile(self.last.client)
                .default_transcript_path(&self.ctx.system.env.home_dir()?, &self.last.session)
        };
        // A file of the system, which has no length, may never end.
        let is_written =
            |it: &PathBuf| fs::metadata(it).is_ok_and(|it| it.is_file() && it.len() > 0);
        let Some(path) = named.or_else(usual).filter(is_written) else {
            return Ok(Vec::new());
        };
        let mut turns = wait_for_full_transcript(self.last.client, &path, self.session)
            .map_err(CommandError::internal)?;
        strip_checkout_root(&mut turns, &self.workspace.place.root);
        Ok(turns)
    }
}

/// What is written down, to the last prompt that was seen: some clients write the last turn only when the hooks of its
/// end are through. That is waited for, but not for long, and not where nobody has written for a while.
fn wait_for_full_transcript(
    client: Client,
    path: &Path,
    session: &AgentSession,
) -> Result<Vec<TranscriptTurn>, TranscriptError> {
    let profile = find_client_profile(client);
    let read = || profile.read_transcript_file(path, USUAL_BYTES);
    let is_new = fs::metadata(path)
        .and_then(|it| it.modified())
        .ok()
        .is_some_and(|it| it.elapsed().is_ok_and(|it| it < RECENT));
    let mut turns = read()?;
    let mut waits = if is_new { WAITS } else { 0 };
    while waits > 0 && !is_transcript_complete(session, &turns) {
        thread::sleep(PAUSE);
        turns = read()?;
        waits -= 1;
    }
    Ok(turns)
}

/// Whether the last prompt that was seen is there, with an answer behind it.
fn is_transcript_complete(session: &AgentSession, turns: &[TranscriptTurn]) -> bool {
    let mut prompts = session.entries.iter().rev();
    let Some(seen) = prompts
        .find(|it| it.moment == Moment::Prompt)
        .and_then(|it| it.words.as_deref())
    else {
        return true;
    };
    let Some(at) = turns
        .iter()
        .rposition(|it| it.speaker == TurnSpeaker::Person)
    else {
        return false;
    };
    let said = Digest::hash_bytes(turns[at].text.trim().as_bytes());
    let is_answered = turns[at..]
        .iter()
        .any(|it| it.speaker == TurnSpeaker::Agent);
    is_answered && said.short_hex() == seen
}

/// Keeps what was said in a session that goes on.
fn archive_unfinished_session(
    seen: &SeenSession<'_>,
    turns: &[TranscriptTurn],
) -> CommandResult<()> {
    seen.with_ended(turns, &[], |cx, left| {
        archive_session(cx, left)?;
        Ok(())
    })
}

fn learn_from_ended_session(
    seen: &SeenSession<'_>,
    turns: &[TranscriptTurn],
) -> CommandResult<LearnOutcome> {
    let gleaned = extract_session_statements(seen.ctx, seen.workspace, seen.session, turns)?;
    seen.with_ended(turns, &gleaned, |cx, left| {
        Ok(learn_from_session(cx, left)?)
    })
}

impl SeenSession<'_> {
    /// Hands the session over as those take it who go through it.
    fn with_ended<T>(
        &self,
        turns: &[TranscriptTurn],
        gleaned: &[ExtractedStatement],
        run: impl FnOnce(&Context<'_>, &EndedSession<'_>) -> CommandResult<T>,
    ) -> CommandResult<T> {
        let workspace = self.workspace;
        let [repo, user] = workspace.spaces();
        let task = task::find_active_task(&self.ctx.system, &workspace.place, &workspace.settings);
        let task = task.map(|it| it.slug.to_string());
        let branch = workspace.place.branch_name();
        let kept = open_kept_archive(&self.ctx.system);
        let left = EndedSession {
            repo: &repo,
            user: &user,
            own: workspace.user_policy(),
            name: &self.last.session,
            client: self.last.client,
            session: self.session,
            turns,
            gleaned,
            task: task.as_deref(),
            branch: branch.as_deref(),
            kept: kept.as_deref(),
        };
        run(&workspace.context(), &left)
    }
}

/// What was stated: by rule, and with the user's model where there is one. A model that fails costs only what it would
/// have found.
fn extract_session_statements(
    ctx: &CommandContext,
    workspace: &Workspace,
    session: &AgentSession,
    turns: &[TranscriptTurn],
) -> CommandResult<Vec<ExtractedStatement>> {
    let mut found = extract_statements(turns);
    if let Some(model) = model::build_model(&ctx.system, &workspace.settings)? {
        let ids: Vec<MemoryId> = session.ids_in_context().into_iter().collect();
        let shown = workspace
            .store
            .get_by_ids(&ids)?
            .into_iter()
            .map(|it| it.fact);
        let known = found.iter().map(|it| it.fact.clone());
        let known: Vec<String> = shown.chain(known).collect();
        let budget = ExtractionBudget::default();
        found.extend(extract_with_model(&*model, turns, &known, budget).unwrap_or_default());
    }
    // What was found before was kept then, and may have been rejected since.
    let mut entries = session.entries.iter().rev();
    let Some(done) = entries.find(|it| it.moment == Moment::Done) else {
        return Ok(found);
    };
    let read: usize = done
        .turn
        .as_deref()
        .and_then(|it| it.parse().ok())
        .unwrap_or(0);
    // Some clients write late, some begin another file when they take a session up again.
    let is_later = |it: &ExtractedStatement| {
        let turn = turns.iter().find(|turn| turn.number == it.turn);
        turn.and_then(|turn| turn.at).is_some_and(|at| at > done.at)
    };
    found.retain(|it| it.turn > read || is_later(it));
    Ok(found)
}
