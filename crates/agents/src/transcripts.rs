//! Transcripts: what the clients write down of a session, read into turns.
//!
//! No client but one calls its format stable, so everything unknown is skipped: lines of other types, lines that are
//! torn, fields that are not as they were. What a hook or the client itself put beside the person's words is left out
//! here, for every reader at once: a memory that was shown must never come back as evidence.

mod claude_code;
mod codex;
mod copilot;
mod gemini;
mod input;
mod page;
mod tail;

use std::io;
use std::path::{Path, PathBuf};

use crate::client::Client;
use crate::transcript::Turn;

/// How much of a transcript's end is read unless said otherwise.
pub const USUAL_BYTES: u64 = 16 * 1024 * 1024;

/// A transcript that could not be read.
#[derive(Debug, thiserror::Error)]
pub enum TranscriptError {
    /// The client has compressed it.
    #[error("{} is compressed, and only plain .jsonl transcripts are read", path.display())]
    Compressed {
        /// Which.
        path: PathBuf,
    },
    /// The disk said no.
    #[error("cannot read {}: {source}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// A reader of one client's lines.
trait Scribe {
    /// Takes in one line; whatever it cannot use it skips.
    fn line(&mut self, line: &[u8]);

    /// What was said and done.
    fn turns(self: Box<Self>) -> Vec<Turn>;
}

fn scribe(client: Client) -> Box<dyn Scribe> {
    match client {
        // Cursor's format is not known; where its lines are shaped like these they are read, else there is nothing.
        Client::ClaudeCode | Client::Cursor => Box::new(claude_code::Lines::default()),
        Client::Copilot | Client::Vscode => Box::new(copilot::Lines::default()),
        Client::Codex => Box::new(codex::Lines::default()),
        Client::Gemini => Box::new(gemini::Lines::default()),
    }
}

/// The turns of a transcript; of a long one, those in its last `limit_bytes`. A file that is not there yet has none.
pub fn read(client: Client, path: &Path, limit_bytes: u64) -> Result<Vec<Turn>, TranscriptError> {
    if path.extension().is_some_and(|it| it == "zst") {
        return Err(TranscriptError::Compressed { path: path.into() });
    }
    let mut scribe = scribe(client);
    match tail::lines(path, limit_bytes, &mut |line| scribe.line(line)) {
        Err(source) if source.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(source) => Err(TranscriptError::Io {
            path: path.into(),
            source,
        }),
        Ok(()) => Ok(scribe.turns()),
    }
}

/// The turns of a transcript that is at hand.
#[must_use]
pub fn parse(client: Client, text: &str) -> Vec<Turn> {
    let mut scribe = scribe(client);
    text.lines().for_each(|line| scribe.line(line.as_bytes()));
    scribe.turns()
}

/// Where a client keeps the transcript of a session, for events that do not say it; only where the session's id is
/// enough to know.
#[must_use]
pub fn usual_path(client: Client, home: &Path, session: &str) -> Option<PathBuf> {
    let is_plain = session
        .chars()
        .all(|it| it.is_ascii_alphanumeric() || matches!(it, '-' | '_'));
    let is_known = client == Client::Copilot && is_plain && !session.is_empty();
    is_known.then(|| {
        home.join(".copilot/session-state")
            .join(session)
            .join("events.jsonl")
    })
}
