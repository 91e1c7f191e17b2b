//! Transcripts: what the clients write down of a session, read into turns.
//!
//! No client but one calls its format stable, so everything unknown is skipped: lines of other types, lines that are
//! torn, fields that are not as they were. What a hook or the client itself put beside the person's words is left out
//! here, for every reader at once: a memory that was shown must never come back as evidence.

mod tail;
pub(crate) mod tool_input;
pub(crate) mod turns;

use std::{
    io,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::transcript::TranscriptTurn;

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
pub(crate) trait TranscriptReader {
    /// Takes in one line; whatever it cannot use it skips.
    fn read_line(&mut self, line: &Value);

    /// What was said and done.
    fn into_turns(self: Box<Self>) -> Vec<TranscriptTurn>;
}

/// The turns of a transcript; of a long one, those in its last `limit_bytes`. A file that is not there yet has none.
pub(crate) fn read_transcript_turns(
    mut reader: Box<dyn TranscriptReader>,
    path: &Path,
    limit_bytes: u64,
) -> Result<Vec<TranscriptTurn>, TranscriptError> {
    let path = path.to_path_buf();
    if path.extension().is_some_and(|it| it == "zst") {
        return Err(TranscriptError::Compressed { path });
    }
    let read = tail::read_last_lines(&path, limit_bytes, &mut |line| {
        if let Ok(line) = serde_json::from_slice(line) {
            reader.read_line(&line);
        }
    });
    match read {
        Err(source) if source.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(source) => Err(TranscriptError::Io { path, source }),
        Ok(()) => Ok(reader.into_turns()),
    }
}
