//! What a session left behind, gone through when nobody waits.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use apostille_agents::client::Client;
use apostille_agents::clients::find_client_profile;
use apostille_agents::extract::{ExtractedStatement, by_model, extract_statements};
use apostille_agents::learn::{EndedSession, LearnOutcome, learn_from_session};
use apostille_agents::ledger::SessionLedger;
use apostille_agents::session::{AgentSession, Moment, SessionEntry, ShownMemory};
use apostille_agents::transcript::{Speaker, TranscriptTurn};
use apostille_agents::transcripts::USUAL_BYTES;
use apostille_core::memory::MemoryId;
use apostille_text::digest::Digest;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use apostille_terminal::command_context::{CommandContext, CommandOutput};
use apostille_terminal::paint::format_count;
use apostille_workspace::error;
use apostille_workspace::error::CommandError;
use apostille_workspace::task::CheckoutTasks;
use apostille_workspace::workspace::Workspace;
use apostille_workspace::{model, sessions, task};

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

#[derive(Serialize)]
struct EndedSessionsReply {
    ok: bool,
    sessions: Vec<EndedSessionView>,
}

#[derive(Serialize)]
struct EndedSessionView {
    session: String,
    pending: Vec<String>,
    episode: Option<String>,
    applied: usize,
    cleared: usize,
}

/// Goes through what a session left behind; every session of this repository that is over, when none is named.
pub(super) fn run(shell: &CommandContext, session: &str) -> CommandOutput {
    match process_ended_sessions(shell, session) {
        Ok(sessions) => {
            let json = EndedSessionsReply { ok: true, sessions };
            shell.render_output(error::OK, &json, |_| {
                json.sessions.iter().map(format_ended_session).collect()
            })
        }
        Err(fault) => CommandOutput {
            code: error::OK,
            ..shell.render_error(&fault)
        },
    }
}

fn format_ended_session(it: &EndedSessionView) -> String {
    let pending = format_count(it.pending.len() as u64, "memory", "memories");
    let episode = it.episode.as_deref().unwrap_or("none");
    format!(
        "{}: {pending} to approve, episode {episode}, {} of use\n",
        it.session, it.applied
    )
}

fn process_ended_sessions(
    shell: &CommandContext,
    session: &str,
) -> Result<Vec<EndedSessionView>, CommandError> {
    let ledger = sessions::open_session_ledger(&shell.world)?;
    let place = shell.find_project_folder()?;
    let repo = shell.resolve_settings(&place)?.repo;
    let is_ours = |it: &AgentSession| it.entries.last().is_some_and(|it| it.space == repo);
    let due: Vec<AgentSession> = match session {
        "" => ledger
            .list_sessions()
            .into_iter()
            .filter(|it| is_ours(it) && is_session_due(it, shell.world.now))
            .collect(),
        name => vec![ledger.read_session(name)],
    };
    let (mut views, mut failed) = (Vec::new(), Ok(()));
    for it in due {
        let Some(name) = it.entries.last().map(|it| it.session.clone()) else {
            continue;
        };
        // One that is stuck does not keep the others.
        match process_single_session(
            shell,
            &ledger,
            &name,
            if session.is_empty() {
                BRIEF_PATIENCE
            } else {
                PATIENCE
            },
        ) {
            Ok(view) => views.extend(view),
            Err(fault) => failed = Err(fault),
        }
    }
    ledger.prune_sessions(SystemTime::from(shell.world.now) - KEPT);
    failed.map(|()| views)
}

/// Whether a session is over, and was not gone through since.
fn is_session_due(session: &AgentSession, now: Timestamp) -> bool {
    let left = session.unlearned_entries();
    let is_over = left.iter().any(|it| it.moment == Moment::End);
    left.last()
        .is_some_and(|it| is_over || now.duration_since(it.at) > SILENCE)
}

/// Goes through one session; nobody else does meanwhile.
fn process_single_session(
    shell: &CommandContext,
    ledger: &SessionLedger,
    name: &str,
    patience: Duration,
) -> Result<Option<EndedSessionView>, CommandError> {
    let _alone = ledger.lock_session(name, patience)?;
    let session = ledger.read_session(name);
    let Some(last) = session
        .entries
        .last()
        .filter(|_| is_session_due(&session, shell.world.now))
        .cloned()
    else {
        return Ok(None);
    };
    let desk = shell.open_workspace()?;
    let turns = load_session_turns(shell, &desk.place.root, &session, &last);
    let learned = learn_from_ended_session(shell, &desk, &session, &last, &turns)?;
    close_left_open_tasks(shell, &desk, ledger)?;
    let done = SessionEntry::new(
        shell.world.now,
        name,
        last.client,
        last.space.clone(),
        Moment::Done,
    );
    let shown = select_applied_shown(&session, &learned.applied);
    let turn = turns.last().map(|it| it.number.to_string());
    ledger
        .open_session(name, PATIENCE)?
        .append_entry(SessionEntry {
            shown,
            turn,
            covers: Some(session.entries.len()),
            ..done
        })?;
    Ok(Some(EndedSessionView {
        session: name.to_owned(),
        pending: learned
            .pending
            .iter()
            .map(|it| it.handle().to_string())
            .collect(),
        episode: learned.episode.map(|it| it.handle().to_string()),
        applied: learned.applied.len(),
        cleared: learned.cleared,
    }))
}

/// Tasks that a crash left open get the little that is known of them.
fn close_left_open_tasks(
    shell: &CommandContext,
    desk: &Workspace,
    ledger: &SessionLedger,
) -> Result<(), CommandError> {
    let tasks = CheckoutTasks::for_folder(&shell.world, &desk.place, &desk.settings)?;
    let has_ended = |session: &str| {
        ledger
            .read_session(session)
            .entries
            .iter()
            .any(|it| it.moment == Moment::End)
    };
    tasks.close_left_open(desk, has_ended)?;
    Ok(())
}

fn select_applied_shown(session: &AgentSession, applied: &[MemoryId]) -> Vec<ShownMemory> {
    let all = || session.entries.iter().flat_map(|it| &it.shown);
    applied
        .iter()
        .filter_map(|id| all().find(|it| it.id == *id).cloned())
        .collect()
}

/// What was said; nothing where the client wrote nothing down that can be read.
fn load_session_turns(
    shell: &CommandContext,
    root: &Path,
    session: &AgentSession,
    last: &SessionEntry,
) -> Vec<TranscriptTurn> {
    let named = session.transcript_path().map(PathBuf::from);
    let usual = || {
        find_client_profile(last.client)
            .default_transcript_path(&shell.world.env.home_dir()?, &last.session)
    };
    // A file of the system, which has no length, may never end.
    let is_written = |it: &PathBuf| fs::metadata(it).is_ok_and(|it| it.is_file() && it.len() > 0);
    let Some(path) = named.or_else(usual).filter(is_written) else {
        return Vec::new();
    };
    let mut turns = wait_for_full_transcript(last.client, &path, session);
    for path in turns
        .iter_mut()
        .flat_map(|it| &mut it.uses)
        .flat_map(|it| &mut it.paths)
    {
        // Where a checkout lies on this machine is nobody else's business.
        let inside = Path::new(path.as_str())
            .strip_prefix(root)
            .ok()
            .and_then(Path::to_str)
            .map(Into::into);
        *path = inside.unwrap_or_else(|| std::mem::take(path));
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
    let read = || {
        find_client_profile(client)
            .read_transcript_file(path, USUAL_BYTES)
            .unwrap_or_default()
    };
    let changed = fs::metadata(path).and_then(|it| it.modified()).ok();
    let is_new = changed.is_some_and(|it| it.elapsed().is_ok_and(|it| it < RECENT));
    let mut turns = read();
    for _ in 0..if is_new { WAITS } else { 0 } {
        if is_transcript_complete(session, &turns) {
            break;
        }
        thread::sleep(PAUSE);
        turns = read();
    }
    turns
}

/// Whether the last prompt that was seen is there, with an answer behind it.
fn is_transcript_complete(session: &AgentSession, turns: &[TranscriptTurn]) -> bool {
    let seen = session
        .entries
        .iter()
        .rev()
        .find(|it| it.moment == Moment::Prompt)
        .and_then(|it| it.words.clone());
    let at = turns.iter().rposition(|it| it.speaker == Speaker::Person);
    let is_answered =
        at.is_some_and(|at| turns[at..].iter().any(|it| it.speaker == Speaker::Agent));
    let said = at.map(|at| {
        Digest::hash_bytes(turns[at].text.trim().as_bytes())
            .short_hex()
            .to_owned()
    });
    seen.is_none() || (is_answered && said == seen)
}

fn learn_from_ended_session(
    shell: &CommandContext,
    desk: &Workspace,
    session: &AgentSession,
    last: &SessionEntry,
    turns: &[TranscriptTurn],
) -> Result<LearnOutcome, CommandError> {
    let [repo, user] = desk.spaces();
    let task = task::find_active_task(&shell.world, &desk.place, &desk.settings)
        .map(|it| it.slug.to_string());
    let gleaned = extract_session_statements(shell, desk, session, turns)?;
    let left = EndedSession {
        repo: &repo,
        user: &user,
        own: desk.user_policy(),
        name: &last.session,
        client: last.client,
        session,
        turns,
        gleaned: &gleaned,
        task: task.as_deref(),
    };
    Ok(learn_from_session(&desk.context(), &left)?)
}

/// What was stated: by rule, and with the user's model where there is one. A model that fails costs only what it would
/// have found.
fn extract_session_statements(
    shell: &CommandContext,
    desk: &Workspace,
    session: &AgentSession,
    turns: &[TranscriptTurn],
) -> Result<Vec<ExtractedStatement>, CommandError> {
    let mut found = extract_statements(turns);
    if let Some(model) = model::build_model(&shell.world, &desk.settings)? {
        let ids: Vec<MemoryId> = session.ids_in_context().into_iter().collect();
        let shown = desk.store.get_by_ids(&ids)?.into_iter().map(|it| it.fact);
        let known: Vec<String> = shown
            .chain(found.iter().map(|it| it.fact.clone()))
            .collect();
        found.extend(
            by_model::extract_with_model(
                &*model,
                turns,
                &known,
                by_model::ExtractionBudget::default(),
            )
            .unwrap_or_default(),
        );
    }
    // What was found before was kept then, and may have been rejected since.
    let done = session
        .entries
        .iter()
        .rev()
        .find(|it| it.moment == Moment::Done);
    let read: usize = done
        .and_then(|it| it.turn.as_deref()?.parse().ok())
        .unwrap_or(0);
    let said_at = |it: &ExtractedStatement| {
        turns
            .iter()
            .find(|turn| turn.number == it.turn)
            .and_then(|turn| turn.at)
    };
    // Some clients write late, some begin another file when they take a session up again.
    let is_later =
        |it: &ExtractedStatement| said_at(it).zip(done).is_some_and(|(at, done)| at > done.at);
    found.retain(|it| it.turn > read || is_later(it));
    Ok(found)
}
