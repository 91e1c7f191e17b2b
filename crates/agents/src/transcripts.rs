//! Transcripts: what the clients write down of a session, read into turns.
//!
//! No client but one calls its format stable, so everything unknown is skipped: lines of other types, lines that are
//! torn, fields that are not as they were. What a hook or the client itself put beside the person's words is left out
//! here, for every reader at once: a memory that was shown must never come back as evidence.

mod head;
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

    /// How many tokens were spent so far, without those that a cache gave; `None` where the client does not write that down.
    fn count_tokens(&self) -> Option<u64> {
        None
    }

    /// What was said and done.
    fn into_turns(self: Box<Self>) -> Vec<TranscriptTurn>;
}

/// Of a client whose transcripts are not read.
pub(crate) struct UnreadTranscript;

impl TranscriptReader for UnreadTranscript {
    fn read_line(&mut self, _: &Value) {}

    fn into_turns(self: Box<Self>) -> Vec<TranscriptTurn> {
        Vec::new()
    }
}

/// Gives the first lines of a transcript, until no more are wanted.
pub(crate) fn read_first_lines(
    path: &Path,
    limit_bytes: u64,
    goes_on: &mut dyn FnMut(&Value) -> bool,
) -> Result<(), TranscriptError> {
    refuse_compressed(path)?;
    let read = match is_single_document(path) {
        true => head::read_document(path, USUAL_BYTES).map(|it| {
            if let Ok(document) = serde_json::from_slice(&it) {
                goes_on(&document);
            }
        }),
        false => head::read_first_lines(path, limit_bytes, &mut |line| {
            serde_json::from_slice(line).map_or(true, |line| goes_on(&line))
        }),
    };
    read.map_err(|source| TranscriptError::Io {
        path: path.to_owned(),
        source,
    })
}

fn refuse_compressed(path: &Path) -> Result<(), TranscriptError> {
    match path.extension().is_some_and(|it| it == "zst") {
        true => Err(TranscriptError::Compressed { path: path.into() }),
        false => Ok(()),
    }
}

/// Whether a transcript is one document over many lines, as an older client wrote it.
fn is_single_document(path: &Path) -> bool {
    path.extension().is_some_and(|it| it == "json")
}

/// The turns of a transcript, and its tokens where they are known; of a long one, those in its last `limit_bytes`. A file that is not
/// there yet has none.
pub(crate) fn read_transcript_turns(
    mut reader: Box<dyn TranscriptReader>,
    path: &Path,
    limit_bytes: u64,
) -> Result<(Vec<TranscriptTurn>, Option<u64>), TranscriptError> {
    refuse_compressed(path)?;
    let mut take_in = |line: &[u8]| {
        if let Ok(line) = serde_json::from_slice(line) {
            reader.read_line(&line);
        }
    };
    let read = match is_single_document(path) {
        true => head::read_document(path, limit_bytes).map(|it| take_in(&it)),
        false => tail::read_last_lines(path, limit_bytes, &mut take_in),
    };
    match read {
        Err(source) if source.kind() == io::ErrorKind::NotFound => Ok((Vec::new(), None)),
        Err(source) => Err(TranscriptError::Io {
            path: path.to_owned(),
            source,
        }),
        Ok(()) => {
            let tokens = reader.count_tokens();
            Ok((reader.into_turns(), tokens))
        }
    }
}
