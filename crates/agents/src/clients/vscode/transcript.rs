//! VS Code writes what Copilot CLI writes.

use std::path::{Path, PathBuf};

use serde_json::Value;

pub(super) use super::super::copilot::transcript::CopilotReader;
use super::super::copilot::transcript::fill_in_session_start;
use crate::past_transcripts::{
    RecordedFolder, SessionHead, TranscriptPlaces, has_ending, list_files_below, read_side_file,
};

/// `Code/User/workspaceStorage/ID/GitHub.copilot-chat/transcripts/SESSION.jsonl`, with the folder in `workspace.json` of the workspace.
pub(super) const PLACES: TranscriptPlaces = TranscriptPlaces {
    list: |user| {
        let editions = ["Code", "Code - Insiders"].into_iter();
        let folders =
            editions.map(|it| user.config_folder().join(it).join("User/workspaceStorage"));
        let is_transcript = |it: &Path| {
            let folder = it.parent();
            let is_chat = folder.is_some_and(|it| it.ends_with("GitHub.copilot-chat/transcripts"));
            is_chat && has_ending(it, &[".jsonl"])
        };
        folders
            .flat_map(|it| list_files_below(&it, 3, &is_transcript))
            .collect()
    },
    read_outside: |path| {
        let workspace = path.ancestors().nth(3);
        let text = workspace.and_then(|it| read_side_file(&it.join("workspace.json")).ok());
        let known: Value = text
            .and_then(|it| serde_json::from_str(&it).ok())
            .unwrap_or_default();
        SessionHead {
            folder: read_folder_uri(&known["folder"]).map(RecordedFolder::Path),
            ..SessionHead::default()
        }
    },
    read_line: fill_in_session_start,
    find_folder: |_, _| None,
    why_unread: None,
};

/// The storage of each window that shows a folder.
pub(super) fn list_windows_of_folder(storage: &Path, root: &Path) -> Vec<PathBuf> {
    let is_window = |it: &Path| it.ends_with("workspace.json");
    let mut windows = list_files_below(storage, 1, &is_window);
    windows.retain(|it| {
        let text = read_side_file(it).unwrap_or_default();
        let known: Value = serde_json::from_str(&text).unwrap_or_default();
        read_folder_uri(&known["folder"]).as_deref() == Some(root)
    });
    let folders = windows.iter().filter_map(|it| it.parent());
    folders.map(Path::to_path_buf).collect()
}

/// The folder of a `file:` URI.
fn read_folder_uri(uri: &Value) -> Option<PathBuf> {
    let path = uri.as_str()?.strip_prefix("file://")?;
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let code = behind.get(..2).filter(|_| *first == b'%');
        let code = code.and_then(|it| u8::from_str_radix(std::str::from_utf8(it).ok()?, 16).ok());
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &behind[2..] } else { behind };
    }
    String::from_utf8(bytes).ok().map(PathBuf::from)
}
