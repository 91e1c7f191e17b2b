//! Cursor's format is not known; where its lines are shaped like Claude Code's they are read, else there is nothing.

use std::path::Path;

pub(super) use super::super::claude_code::transcript::ClaudeCodeReader;
use crate::past_transcripts::{SessionHead, TranscriptPlaces, has_ending, list_files_below};

/// `~/.cursor/projects/PROJECT/agent-transcripts/SESSION/SESSION.jsonl`: `{role, message}` per line, as public readers of it have it.
pub(super) const PLACES: TranscriptPlaces = TranscriptPlaces {
    list: |user| {
        let projects = user.home.join(".cursor/projects");
        let is_transcript = |it: &Path| {
            let is_below = it
                .components()
                .any(|it| it.as_os_str() == "agent-transcripts");
            is_below && has_ending(it, &[".jsonl", ".json", ".txt"])
        };
        let mut all = list_files_below(&projects, 3, &is_transcript);
        all.extend(list_files_below(&projects, 2, &is_transcript));
        all
    },
    read_outside: |_| SessionHead::default(),
    read_line: |_, _| {},
    find_folder: |_, _| None,
    why_unread: Some("they say neither when something was said nor in which folder"),
};
