//! What a session left behind, gone through when nobody waits.

use std::fs;
use std::{
    path::{Path, PathBuf},
    thread,
    time::{Duration, SystemTime},
};

use apostille_agents::{
    archive::archive_session,
    client::Client,
    clients::find_client_profile,
    ended_session::EndedSession,
    extract::{
        ExtractedStatement,
        by_model::{ExtractionBudget, extract_with_model},
        extract_statements,
    },
    learn::{LearnOutcome, learn_from_session},
    ledger::SessionLedger,
    session::{AgentSession, Moment, SessionEntry},
    transcript::{TranscriptTurn, TurnSpeaker},
    transcripts::USUAL_BYTES,
};
use apostille_core::memory::{Memory, MemoryId};
use apostille_text::digest::Digest;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use serde_json::json;

use apostille_terminal::{
    command_context::{CommandContext, CommandOutput, CommandResult},
    paint::format_count,
};
use apostille_workspace::{
    commit_index,
    embedding_model::{LocalEmbedder, embed_spaces},
    error, healing, model, sessions, task,
    task::CheckoutTasks,
    workspace::Workspace,
};

/// After so long without a word, a session is over though nobody said so.
const SILENCE: SignedDuration = SignedDuration::from_hours(1);
/// How long sessions are kept.
const KEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// How long another process that goes through the same session is waited for.
const PATIENCE: Duration = Duration::from_secs(60);
/// The same where there are others to go through.
const BRIEF_PATIENCE: Duration = Duration::from_millis(500);

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
    let (_, settings) = ctx.find_project()?;
    let repo = settings.repo;
    let is_ours = |it: &AgentSession| it.entries.last().is_some_and(|it| it.space == repo);
    let (due, patience) = match session {
        "" => {
            let mut all = ledger.list_sessions();
            all.retain(|it| is_ours(it) && is_session_due(it, ctx.system.now));
            (all, BRIEF_PATIENCE)
        }
        name => (vec![ledger.read_session(name)], PATIENCE),
    };
    let mut views = Vec::new();
    let mut failed = Ok(());
    for last in due.iter().filter_map(|it| it.entries.last()) {
        // One that is stuck does not keep the others.
        match process_single_session(ctx, &ledger, &last.session, patience) {
            Ok(view) => views.extend(view),
            Err(fault) => failed = Err(fault),
        }
    }
    ledger.prune_sessions(SystemTime::from(ctx.system.now) - KEPT);
    // A session that begins has others to wait for.
    let healed = match session {
        "" => Ok(()),
        _ => heal_after_session(ctx).and_then(|()| embed_after_session(ctx)),
    };
    let indexed = index_commits(ctx);
    healed.and(indexed).and(failed).map(|()| views)
}

/// Lets citations follow what was committed meanwhile, where that is safe.
fn heal_after_session(ctx: &CommandContext) -> CommandResult<()> {
    let (_, settings) = ctx.find_project()?;
    if healing::can_heal_store(&settings) {
        healing::heal_workspace(&ctx.system, &ctx.open_workspace()?)?;
    }
    Ok(())
}

/// Reads the reasons of what was committed meanwhile.
fn index_commits(ctx: &CommandContext) -> CommandResult<()> {
    commit_index::index_commit_reasons(&ctx.system, &ctx.open_workspace()?)?;
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
) -> CommandResult<Option<EndedSessionView>> {
    let _alone = ledger.lock_session(name, patience)?;
    let session = ledger.read_session(name);
    let now = ctx.system.now;
    let Some(last) = session.entries.last() else {
        return Ok(None);
    };
    let workspace = ctx.open_workspace()?;
    if !is_session_due(&session, now) {
        if has_compacted(&session) {
            let turns = load_session_turns(ctx, &workspace.place.root, &session, last);
            archive_unfinished_session(ctx, &workspace, &session, last, &turns)?;
        }
        return Ok(None);
    }
    let turns = load_session_turns(ctx, &workspace.place.root, &session, last);
    let learned = learn_from_ended_session(ctx, &workspace, &session, last, &turns)?;
    // Tasks that a crash left open get the little that is known of them.
    CheckoutTasks::for_folder(&ctx.system, &workspace.place, &workspace.settings)?
        .close_left_open(&workspace, |session| {
            ledger
                .read_session(session)
                .entries
                .iter()
                .any(|it| it.moment == Moment::End)
        })?;
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
    let handle = |it: &Memory| it.handle().to_string();
    Ok(Some(EndedSessionView {
        session: name.to_owned(),
        pending: learned.pending.iter().map(handle).collect(),
        episode: learned.episode.as_ref().map(handle),
        applied: learned.applied.len(),
        cleared: learned.cleared,
    }))
}

/// What was said; nothing where the client wrote nothing down that can be read.
fn load_session_turns(
    ctx: &CommandContext,
    root: &Path,
    session: &AgentSession,
    last: &SessionEntry,
) -> Vec<TranscriptTurn> {
    let named = session.transcript_path().map(PathBuf::from);
    let usual = || {
        find_client_profile(last.client)
            .default_transcript_path(&ctx.system.env.home_dir()?, &last.session)
    };
    // A file of the system, which has no length, may never end.
    let is_written = |it: &PathBuf| fs::metadata(it).is_ok_and(|it| it.is_file() && it.len() > 0);
    let Some(path) = named.or_else(usual).filter(is_written) else {
        return Vec::new();
    };
    let mut turns = wait_for_full_transcript(last.client, &path, session);
    let uses = turns.iter_mut().flat_map(|it| &mut it.uses);
    for path in uses.flat_map(|it| &mut it.paths) {
        // Where a checkout lies on this machine is nobody else's business.
        if let Ok(inside) = Path::new(path.as_str()).strip_prefix(root)
            && let Some(inside) = inside.to_str()
        {
            *path = inside.into();
        }
    }
    turns
}

/// What is written down, to the last prompt that was seen: some clients write the last turn only when the hooks of its
/// end are through. That is waited for, but not for long, and not where nobody has written for a while.
fn wait_for_full_transcript(
    client: Client,
    path: &Path,
    session: &AgentSession,
) -> Vec<TranscriptTurn> {
    let profile = find_client_profile(client);
    let read = || {
        profile
            .read_transcript_file(path, USUAL_BYTES)
            .unwrap_or_default()
    };
    let is_new = fs::metadata(path)
        .and_then(|it| it.modified())
        .ok()
        .is_some_and(|it| it.elapsed().is_ok_and(|it| it < RECENT));
    let mut turns = read();
    let mut waits = if is_new { WAITS } else { 0 };
    while waits > 0 && !is_transcript_complete(session, &turns) {
        thread::sleep(PAUSE);
        turns = read();
        waits -= 1;
    }
    turns
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
    ctx: &CommandContext,
    workspace: &Workspace,
    session: &AgentSession,
    last: &SessionEntry,
    turns: &[TranscriptTurn],
) -> CommandResult<()> {
    let [repo, user] = workspace.spaces();
    let task = task::find_active_task(&ctx.system, &workspace.place, &workspace.settings);
    let task = task.map(|it| it.slug.to_string());
    let branch = workspace.place.branch_name();
    let left = EndedSession {
        repo: &repo,
        user: &user,
        own: workspace.user_policy(),
        name: &last.session,
        client: last.client,
        session,
        turns,
        gleaned: &[],
        task: task.as_deref(),
        branch: branch.as_deref(),
    };
    archive_session(&workspace.context(), &left)?;
    Ok(())
}

fn learn_from_ended_session(
    ctx: &CommandContext,
    workspace: &Workspace,
    session: &AgentSession,
    last: &SessionEntry,
    turns: &[TranscriptTurn],
) -> CommandResult<LearnOutcome> {
    let [repo, user] = workspace.spaces();
    let task = task::find_active_task(&ctx.system, &workspace.place, &workspace.settings)
        .map(|it| it.slug.to_string());
    let branch = workspace.place.branch_name();
    let left = EndedSession {
        repo: &repo,
        user: &user,
        own: workspace.user_policy(),
        name: &last.session,
        client: last.client,
        session,
        turns,
        gleaned: &extract_session_statements(ctx, workspace, session, turns)?,
        task: task.as_deref(),
        branch: branch.as_deref(),
    };
    Ok(learn_from_session(&workspace.context(), &left)?)
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
