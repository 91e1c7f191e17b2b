//! Where the sessions of agents are written down, and what files looked like when they were.

use std::{fs, path::Path, time::UNIX_EPOCH};

use apostille_agents::{ledger::SessionLedger, session::AgentSession};
use apostille_cite::citation::RepoPath;
use apostille_core::space::Space;
use jiff::SignedDuration;

use crate::{error::CommandError, system::System};

/// How many sessions are read to find those before the one that begins.
const MAX_READ: usize = 40;

/// How many sessions are read to find the one that a server belongs to.
const MAX_NEARBY: usize = 8;
/// How long a turn may go on without a word.
const LONGEST_TURN: SignedDuration = SignedDuration::from_hours(1);

/// Whether the turn that goes on is to leave memory out, where a server is not told its session: Gemini CLI, Cursor and VS
/// Code start one without saying whose it is. It is taken to be the latest session of the client in this repository, which is
/// known by what it calls itself: `gemini-cli-mcp-client`, `cursor-vscode`, `Visual Studio Code`.
pub fn is_memory_ignored_nearby(system: &System, repo: &Space, client: &str) -> bool {
    let client = client
        .to_lowercase()
        .replace("visual studio code", "vscode");
    let is_nearby = |it: &AgentSession| {
        it.entries.last().is_some_and(|last| {
            let word = last.client.as_str().split('-').next().unwrap_or_default();
            let is_recent = system.now.duration_since(last.at) < LONGEST_TURN;
            last.space == *repo && is_recent && client.contains(word)
        })
    };
    let ledger = open_session_ledger(system);
    let latest = ledger.map(|it| it.list_recent(MAX_NEARBY, is_nearby));
    latest.is_ok_and(|it| it.first().is_some_and(AgentSession::is_memory_ignored))
}

/// Whether the turn that goes on is to leave memory out, where an agent started this program in its shell. A person's terminal
/// has no session.
pub fn is_memory_ignored_in_shell(system: &System) -> bool {
    let session = system.env.session_id();
    session.is_some_and(|it| read_session(system, it).is_memory_ignored())
}

/// A session as its hooks saw it; empty where they saw nothing.
pub fn read_session(system: &System, session: &str) -> AgentSession {
    open_session_ledger(system)
        .map(|it| it.read_session(session))
        .unwrap_or_default()
}

/// The sessions of this user's agents.
pub fn open_session_ledger(system: &System) -> Result<SessionLedger, CommandError> {
    Ok(SessionLedger::new(
        &system.require_data_dir()?.join("sessions"),
    ))
}

/// The latest sessions in a repository but for this one, the last one first.
pub fn list_earlier_sessions(
    ledger: &SessionLedger,
    repo: &Space,
    session: &str,
) -> Vec<AgentSession> {
    ledger.list_recent(MAX_READ, |it| {
        let is_here = |it: &AgentSession| it.entries.iter().any(|it| it.space == *repo);
        let last = it.entries.last();
        last.is_some_and(|last| last.session != session) && is_here(it)
    })
}

/// What a file looks like from outside: when it was written, and how long it is. It is another one after every edit, and
/// costs no reading.
pub fn stamp_file(root: &Path, path: &RepoPath) -> String {
    let Ok(found) = fs::metadata(root.join(path.as_str())) else {
        return "absent".to_owned();
    };
    let written = found.modified().ok();
    let since = written.and_then(|it| it.duration_since(UNIX_EPOCH).ok());
    format!("{}-{}", since.unwrap_or_default().as_nanos(), found.len())
}
